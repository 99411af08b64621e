// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/foreign/foreign_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <stdexcept>

#include "base/error.h"
#include "base/files/files.h"
#include "calibration/foreign/camera_fields.h"
#include "calibration/foreign/formats.h"
#include "calibration/foreign/lens_fit.h"

namespace percuss::calibration {
namespace fs = std::filesystem;

namespace {

enum class Format {
  kNone,
  kOpenCv,
  kKalibr,
  kMrcal,
  kColmap,
  kMatlab,
  kToml,
  kQualisys,
  kDlt,
  kPercuss
};

std::string EndingOf(const fs::path& file) {
  std::string ending = file.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending;
}

bool IsColmapName(const fs::path& file) {
  return file.filename() == "cameras.txt" || file.filename() == "images.txt";
}

/// Numbers and what stands between them.
bool IsTableOfNumbers(const std::string& text) {
  return text.find_first_not_of("0123456789+-.eE,; \t\r\n") == std::string::npos &&
         text.find_first_of("0123456789") != std::string::npos;
}

Format FormatOfFile(const fs::path& file) {
  if (fs::is_directory(file) || IsColmapName(file)) return Format::kColmap;
  const std::string ending = EndingOf(file);
  if (ending == ".cameramodel") return Format::kMrcal;
  if (ending == ".toml") return Format::kToml;
  const bool yaml = ending == ".yaml" || ending == ".yml", json = ending == ".json";
  const bool text_file =
      ending == ".xml" || ending == ".txt" || ending == ".csv" || ending == ".dlt";
  if (!yaml && !json && !text_file) return Format::kNone;
  const std::string text = ReadFile(file);
  const auto holds = [&](std::string_view part) { return text.find(part) != std::string::npos; };
  if (json) return holds("\"percuss calibration") ? Format::kPercuss : Format::kMatlab;
  if (yaml) {
    return holds("opencv-matrix") || holds("camera_matrix") ? Format::kOpenCv : Format::kKalibr;
  }
  if (holds("<opencv_storage")) return Format::kOpenCv;
  if (holds("<calibration")) return Format::kQualisys;
  if (ending == ".xml") return Format::kNone;
  return ending != ".csv" || IsTableOfNumbers(text) ? Format::kDlt : Format::kNone;
}

ForeignRig ReadAs(Format format, const Paths& files, const ForeignOptions& options, double* unit) {
  const fs::path& first = files.front();
  switch (format) {
    case Format::kOpenCv:
      return ReadOpenCvRig(files);
    case Format::kKalibr:
      return ReadKalibrRig(first);
    case Format::kMrcal:
      return ReadMrcalRig(files);
    case Format::kColmap:
      return ReadColmapRig(IsColmapName(first) ? first.parent_path() : first);
    case Format::kMatlab:
      return ReadMatlabRig(first, unit);
    case Format::kToml:
      return ReadTomlRig(first);
    case Format::kQualisys:
      *unit = 1e-3;
      return ReadQualisysRig(first);
    case Format::kDlt:
      return ReadDltRig(files, options);
    case Format::kPercuss:
      return ForeignRigOf(ReadCalibration(first));
    case Format::kNone:
      break;
  }
  throw InputError(fmt::format(
      "{}: found no calibration that we know, allowed OpenCV (.yaml, .xml), Kalibr (.yaml), mrcal "
      "(.cameramodel), COLMAP (a folder with cameras.txt), MATLAB (.json), Anipose, Pose2Sim and "
      "Caliscope (.toml), Qualisys (.xml, .qca.txt), DLT (.csv, .txt)",
      first.string()));
}

/// Which places of the intrinsics from 4 on a format has for a lens, and the lens it then is.
struct Terms {
  LensModel lens = LensModel::kBrown;
  int count = 0;  ///< from 4 on
};
Terms TermsOf(std::string_view format, LensModel lens) {
  if (format == "dlt") return {LensModel::kBrown, 0};
  if (format == "kalibr" || format == "pose2sim")
    return {lens == LensModel::kFisheye ? lens : LensModel::kBrown, 4};
  if (format == "mrcal" && lens == LensModel::kFisheye) return {LensModel::kRational, 8};
  return {lens, static_cast<int>(DistortionNames(lens).size())};
}

/// The first coefficient that a format has no place for; nothing if it holds the lens.
std::string WhatIsTooMuch(std::string_view format, const Camera& camera) {
  const Terms terms = TermsOf(format, camera.lens);
  if (format == "mrcal" && camera.lens == LensModel::kFisheye) return "a fisheye lens";
  const auto names = DistortionNames(camera.lens);
  for (std::size_t k = terms.count; k < names.size(); ++k) {
    const double value = camera.intrinsics[4 + k];
    if (value != 0.0) return fmt::format("{} = {:.6g}", names[k], value);
  }
  return "";
}

void CheckUnique(const fs::path& file, const ForeignRig& rig) {
  for (std::size_t a = 0; a < rig.cameras.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (rig.cameras[a].name != rig.cameras[b].name) continue;
      throw InputError(fmt::format("{}: found two cameras named {}, allowed each name once",
                                   file.string(), rig.cameras[a].name));
    }
  }
}

}  // namespace

bool IsForeignRig(const fs::path& file) {
  if (!fs::exists(file)) return false;
  return FormatOfFile(file) != Format::kNone;
}

ForeignRig ReadForeignRig(const Paths& files, const ForeignOptions& options) {
  if (files.empty()) throw std::invalid_argument("files: found none, allowed at least one");
  const Format format = FormatOfFile(files.front());
  for (const fs::path& file : files) {
    if (FormatOfFile(file) == format) continue;
    throw InputError(fmt::format("{}: found another format than that of {}, allowed files of one",
                                 file.string(), files.front().string()));
  }
  const bool many = format == Format::kOpenCv || format == Format::kMrcal ||
                    format == Format::kDlt ||
                    (format == Format::kColmap && files.size() == 2 && IsColmapName(files[1]));
  if (files.size() > 1 && !many) {
    throw InputError(fmt::format("{}: found {} files, allowed one in this format",
                                 files[1].string(), files.size()));
  }
  if (format == Format::kPercuss && options.unit) {
    throw InputError(fmt::format("{}: found a unit of {} m, allowed none: our files are in metres",
                                 files[0].string(), *options.unit));
  }
  double unit = 1.0;
  ForeignRig rig = ReadAs(format, files, options, &unit);
  if (options.unit) unit = *options.unit;
  rig.unit = unit;
  constexpr double kFarthest = 1e6;  // [m]
  for (ForeignCamera& camera : rig.cameras) {
    camera.camera_from_frame.t *= unit;
    if (!(camera.camera_from_frame.t.norm() < kFarthest)) {
      throw InputError(fmt::format("{}: {}: found a camera {:.3g} m away, allowed below {:g} m",
                                   files.front().string(), camera.name,
                                   camera.camera_from_frame.t.norm(), kFarthest));
    }
    if (camera.camera.width == 0 && options.size) {
      camera.camera.width = (*options.size)[0];
      camera.camera.height = (*options.size)[1];
    }
  }
  CheckUnique(files.front(), rig);
  return rig;
}

std::vector<std::string_view> WritableFormats() {
  return {"opencv", "kalibr", "mrcal", "colmap", "anipose", "pose2sim", "dlt"};
}

std::string_view FormatOfName(const fs::path& file) {
  const std::string ending = EndingOf(file);
  if (ending == ".cameramodel") return "mrcal";
  if (ending == ".toml") return "anipose";
  if (ending == ".csv" || ending == ".dlt") return "dlt";
  return "";
}

bool CanHold(std::string_view format, const Camera& camera) {
  return WhatIsTooMuch(format, camera).empty();
}

NearestLens NearestLensFor(std::string_view format, const Camera& camera) {
  NearestLens nearest{.camera = camera};
  if (CanHold(format, camera)) return nearest;
  constexpr int kColumns = 33, kRows = 25;
  std::vector<Eigen::Vector3d> points;
  std::vector<Eigen::Vector2d> pixels;
  for (int k = 0; k < kColumns * kRows; ++k) {
    const Eigen::Vector2d pixel((camera.width - 1.0) * (k % kColumns) / (kColumns - 1.0),
                                (camera.height - 1.0) * (k / kColumns) / (kRows - 1.0));
    const Eigen::Vector2d ray = Unproject(camera, pixel);
    if (!ray.allFinite()) continue;
    points.emplace_back(ray.homogeneous());
    pixels.push_back(pixel);
  }
  const Terms terms = TermsOf(format, camera.lens);
  nearest.camera.lens = terms.lens;
  const int kept =
      terms.lens == camera.lens || camera.lens != LensModel::kFisheye ? terms.count : 0;
  std::fill(nearest.camera.intrinsics.begin() + 4 + kept, nearest.camera.intrinsics.end(), 0.0);
  std::vector<int> places;
  for (int k = 0; k < 4 + terms.count; ++k) places.push_back(k);
  Pose still;
  nearest.largest_px = FitLens(points, pixels, places, false, &nearest.camera, &still);
  return nearest;
}

ForeignRig WithNearestLenses(ForeignRig rig, std::string_view format) {
  for (ForeignCamera& camera : rig.cameras) {
    const std::string too_much = WhatIsTooMuch(format, camera.camera);
    if (too_much.empty()) continue;
    const NearestLens nearest = NearestLensFor(format, camera.camera);
    camera.camera = nearest.camera;
    rig.notes.push_back(
        fmt::format("{}: {} has no place for {}; the nearest lens differs by up to {:.2g} px",
                    camera.name, format, too_much, nearest.largest_px));
  }
  return rig;
}

std::vector<NamedText> ForeignTexts(const ForeignRig& rig, std::string_view format,
                                    const fs::path& file) {
  for (const ForeignCamera& camera : rig.cameras) {
    const std::string too_much = WhatIsTooMuch(format, camera.camera);
    if (too_much.empty()) continue;
    throw std::invalid_argument(fmt::format(
        "{} has no place for the lens of camera {}: found {}, allowed 0 (--nearest takes the "
        "nearest lens)",
        format, camera.name, too_much));
  }
  if (format == "opencv") return {{file, OpenCvText(rig)}};
  if (format == "kalibr") return {{file, KalibrText(rig)}};
  if (format == "anipose" || format == "pose2sim")
    return {{file, TomlText(rig, format == "pose2sim")}};
  if (format == "dlt") return {{file, DltText(rig)}};
  if (format == "colmap") {
    return {{file / "cameras.txt", ColmapCamerasText(rig)},
            {file / "images.txt", ColmapImagesText(rig)},
            {file / "points3D.txt", "# POINT3D_ID, X, Y, Z, R, G, B, ERROR, TRACK[]\n"}};
  }
  if (format == "mrcal") {
    std::vector<NamedText> texts;
    const bool folder = EndingOf(file) != ".cameramodel";
    for (const ForeignCamera& camera : rig.cameras) {
      const std::string name = camera.name + ".cameramodel";
      const fs::path path = rig.cameras.size() == 1 && !folder ? file
                            : folder                           ? file / name
                                     : file.parent_path() / (file.stem().string() + "-" + name);
      texts.push_back({path, MrcalText(camera)});
    }
    return texts;
  }
  throw std::invalid_argument(
      fmt::format("--to: found {}, allowed {}", format, fmt::join(WritableFormats(), ", ")));
}

}  // namespace percuss::calibration
