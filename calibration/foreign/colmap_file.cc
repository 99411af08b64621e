// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <sstream>

#include "base/error.h"
#include "base/files/files.h"
#include "calibration/foreign/camera_fields.h"
#include "calibration/foreign/formats.h"

namespace percuss::calibration {
namespace fs = std::filesystem;

namespace {

constexpr double kColmapCentre = 0.5;  // of the first pixel

/// One line of words, with what messages say of it.
struct Line {
  fs::path file;
  int number = 0;
  std::vector<std::string> words;

  [[noreturn]] void Fail(std::string_view field, std::string_view found,
                         std::string_view allowed) const {
    throw InputError(fmt::format("{}: line {}: {}: found {}, allowed {}", file.string(), number,
                                 field, found, allowed));
  }
  double Number(std::size_t place, std::string_view field) const {
    if (place >= words.size()) Fail(field, "nothing", "a number");
    const std::string& word = words[place];
    double value = 0.0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
      Fail(field, word, "a number");
    return value;
  }
};

/// All lines but comments; of images.txt also empty ones, which stand for images without points.
std::vector<Line> LinesOf(const fs::path& file, bool with_empty) {
  std::vector<Line> lines;
  std::istringstream text(ReadFile(file));
  std::string content;
  for (int number = 1; std::getline(text, content); ++number) {
    if (content.starts_with('#')) continue;
    std::istringstream stream(content);
    Line line{file, number, {}};
    for (std::string word; stream >> word;) line.words.push_back(word);
    if (with_empty || !line.words.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

/// Where the parameters of a model go: places of fx fy cx cy k..., 'f' means both focal lengths.
struct ColmapModel {
  int num_focal = 1;
  std::vector<int> coefficients;  ///< places of Camera::intrinsics from 4 on
  LensModel lens = LensModel::kBrown;
};
const std::map<std::string, ColmapModel>& ColmapModels() {
  static const std::map<std::string, ColmapModel> kModels = {
      {"SIMPLE_PINHOLE", {1, {}, LensModel::kBrown}},
      {"PINHOLE", {2, {}, LensModel::kBrown}},
      {"SIMPLE_RADIAL", {1, {4}, LensModel::kBrown}},
      {"RADIAL", {1, {4, 5}, LensModel::kBrown}},
      {"OPENCV", {2, {4, 5, 6, 7}, LensModel::kBrown}},
      {"FULL_OPENCV", {2, {4, 5, 6, 7, 8, 9, 10, 11}, LensModel::kRational}},
      {"SIMPLE_RADIAL_FISHEYE", {1, {4}, LensModel::kFisheye}},
      {"RADIAL_FISHEYE", {1, {4, 5}, LensModel::kFisheye}},
      {"OPENCV_FISHEYE", {2, {4, 5, 6, 7}, LensModel::kFisheye}}};
  return kModels;
}

/// CAMERA_ID MODEL WIDTH HEIGHT PARAMS[]
Camera ReadColmapCamera(const Line& line) {
  Camera camera;
  if (line.words.size() < 4) line.Fail("camera", "too few words", "CAMERA_ID MODEL WIDTH HEIGHT");
  const auto model = ColmapModels().find(line.words[1]);
  if (model == ColmapModels().end()) {
    line.Fail("MODEL", line.words[1],
              "SIMPLE_PINHOLE, PINHOLE, SIMPLE_RADIAL, RADIAL, OPENCV, FULL_OPENCV, OPENCV_FISHEYE "
              "or their simple forms");
  }
  // The messages of the fields of JSON, for the same checks.
  const JsonField field =
      JsonField::Parse(fmt::format("{}: line {}", line.file.string(), line.number), "{}");
  SetSize(field, line.Number(2, "WIDTH"), line.Number(3, "HEIGHT"), &camera);
  const auto& [num_focal, coefficients, lens] = model->second;
  const std::size_t count = 4 + num_focal + 2 + coefficients.size();
  if (line.words.size() != count) {
    line.Fail("PARAMS", fmt::format("{} numbers", line.words.size() - 4),
              fmt::format("{} of {}", count - 4, line.words[1]));
  }
  const auto number = [&](std::size_t k) { return line.Number(4 + k, "PARAMS"); };
  SetPinhole(field, number(0), number(num_focal - 1), number(num_focal) - kColmapCentre,
             number(num_focal + 1) - kColmapCentre, &camera);
  camera.lens = lens;
  for (std::size_t k = 0; k < coefficients.size(); ++k)
    camera.intrinsics[coefficients[k]] = number(num_focal + 2 + k);
  return camera;
}

/// left/0001.png -> left_0001
std::string NameOfImage(const std::string& image) {
  std::string name = fs::path(image).replace_extension().generic_string();
  std::ranges::replace(name, '/', '_');
  return name;
}

}  // namespace

ForeignRig ReadColmapRig(const fs::path& folder) {
  std::map<std::string, Camera> cameras;
  for (const Line& line : LinesOf(folder / "cameras.txt", false)) {
    if (!cameras.emplace(line.words[0], ReadColmapCamera(line)).second)
      line.Fail("CAMERA_ID", line.words[0] + " a second time", "each once");
  }
  ForeignRig rig{.format = "COLMAP"};
  // Two lines of each image; the second one lists points.
  bool points = false;
  for (const Line& line : LinesOf(folder / "images.txt", true)) {
    if (points || line.words.empty()) {
      points = false;
      continue;
    }
    points = true;
    // IMAGE_ID QW QX QY QZ TX TY TZ CAMERA_ID NAME
    constexpr std::size_t kWords = 10;
    if (line.words.size() != kWords) {
      line.Fail("image", fmt::format("{} words", line.words.size()),
                "IMAGE_ID QW QX QY QZ TX TY TZ CAMERA_ID NAME, then a line of points");
    }
    const Eigen::Quaterniond q(line.Number(1, "QW"), line.Number(2, "QX"), line.Number(3, "QY"),
                               line.Number(4, "QZ"));
    if (!(std::abs(q.norm() - 1.0) < 1e-3))
      line.Fail("QW QX QY QZ", fmt::format("length {}", q.norm()), "a quaternion of length 1");
    const auto camera = cameras.find(line.words[8]);
    if (camera == cameras.end())
      line.Fail("CAMERA_ID", line.words[8], "the number of a camera in cameras.txt");
    rig.cameras.push_back({.name = NameOfImage(line.words[9]),
                           .camera = camera->second,
                           .camera_from_frame = {q.normalized().toRotationMatrix(),
                                                 {line.Number(5, "TX"), line.Number(6, "TY"),
                                                  line.Number(7, "TZ")}}});
  }
  if (rig.cameras.empty())
    throw InputError(fmt::format("{}: found no image, allowed one of each camera",
                                 (folder / "images.txt").string()));
  return rig;
}

std::string ColmapCamerasText(const ForeignRig& rig) {
  std::string text = "# CAMERA_ID, MODEL, WIDTH, HEIGHT, PARAMS[]\n";
  for (std::size_t c = 0; c < rig.cameras.size(); ++c) {
    const Camera& camera = rig.cameras[c].camera;
    std::array<double, kNumIntrinsics> k = camera.intrinsics;
    k[2] += kColmapCentre;
    k[3] += kColmapCentre;
    const bool full =
        camera.lens == LensModel::kRational || (camera.lens == LensModel::kBrown && k[8] != 0.0);
    text +=
        fmt::format("{} {} {} {} {}\n", c + 1,
                    full                                 ? "FULL_OPENCV"
                    : camera.lens == LensModel::kFisheye ? "OPENCV_FISHEYE"
                                                         : "OPENCV",
                    camera.width, camera.height, fmt::join(std::span(k).first(full ? 12 : 8), " "));
  }
  return text;
}

std::string ColmapImagesText(const ForeignRig& rig) {
  std::string text = "# IMAGE_ID, QW, QX, QY, QZ, TX, TY, TZ, CAMERA_ID, NAME\n# POINTS2D[]\n";
  for (std::size_t c = 0; c < rig.cameras.size(); ++c) {
    const ForeignCamera& camera = rig.cameras[c];
    const Eigen::Quaterniond q(camera.camera_from_frame.R);
    const Eigen::Vector3d& t = camera.camera_from_frame.t;
    std::string name = camera.name;
    std::ranges::replace(name, ' ', '_');
    text += fmt::format("{} {} {} {} {} {} {} {} {} {}.png\n\n", c + 1, q.w(), q.x(), q.y(), q.z(),
                        t.x(), t.y(), t.z(), c + 1, name);
  }
  return text;
}

}  // namespace percuss::calibration
