// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/calibration/calibration_mrcal.h"

#include <fmt/core.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

#include "benchmarks/timing.h"
#include "tests/base/temporary_folder.h"

namespace percuss::benchmarks {
namespace {

// mrcal's list of corners: row by row, a dash as level for those that were not measured.
std::string CornerList(const calibration::Bundle& corners) {
  std::string text = "# filename x y level\n";
  for (std::size_t c = 0; c < corners.cameras.size(); ++c) {
    for (std::size_t v = 0; v < corners.views.size(); ++v) {
      for (const Eigen::Vector2d& pixel : corners.views[v].images[c].pixels) {
        const bool measured = pixel.allFinite();
        text +=
            fmt::format("camera{}-{:03d}.png {:.6f} {:.6f} {}\n", c, v, measured ? pixel.x() : 0.0,
                        measured ? pixel.y() : 0.0, measured ? "0" : "-");
      }
    }
  }
  return text;
}

std::string TextOf(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The number after the last occurrence of a label.
std::optional<double> NumberAfter(const std::string& text, const std::string& label) {
  const std::regex pattern(label + R"(\s*([-+.\deE]+))");
  std::optional<double> number;
  for (auto match = std::sregex_iterator(text.begin(), text.end(), pattern);
       match != std::sregex_iterator(); ++match) {
    number = std::stod((*match)[1]);
  }
  return number;
}

std::vector<double> IntrinsicsIn(const std::string& model) {
  std::smatch match;
  std::vector<double> numbers;
  if (!std::regex_search(model, match, std::regex(R"('intrinsics':\s*\[([^\]]*)\])"))) return {};
  std::string list = match[1];
  for (char& letter : list) {
    if (letter == ',') letter = ' ';
  }
  std::istringstream stream(list);
  for (double number = 0.0; stream >> number;) numbers.push_back(number);
  return numbers;
}

}  // namespace

bool HasMrcal() { return std::system("command -v mrcal-calibrate-cameras > /dev/null 2>&1") == 0; }

std::optional<MrcalResult> RunMrcal(const calibration::Bundle& corners, int columns, int rows,
                                    const std::string& lens_model) {
  const testing::TemporaryFolder folder;
  folder.Write("corners.vnl", CornerList(corners));
  constexpr double kSpacing = 0.025, kFocalGuess = 540.0;
  const calibration::Camera& camera = corners.cameras[0];
  const std::string command = fmt::format(
      "cd '{}' && mrcal-calibrate-cameras --corners-cache corners.vnl --lensmodel {} --focal {} "
      "--imagersize {} {} --object-spacing {} --object-width-n {} --object-height-n {} --outdir . "
      "'camera0-*.png' 'camera1-*.png' > log.txt 2>&1",
      folder.Path().string(), lens_model, kFocalGuess, camera.width, camera.height, kSpacing,
      columns, rows);
  MrcalResult result;
  int status = -1;
  result.seconds = 1e-9 * Nanoseconds([&] { status = std::system(command.c_str()); });
  const std::string log = TextOf(folder / "log.txt");
  // Of the seed first, then of the solution.
  const auto rms = NumberAfter(log, "## RMS error:");
  const auto outliers = NumberAfter(log, "total points:");
  if (status != 0 || !rms) return {};
  result.rms_px = *rms;
  result.outliers = outliers.value_or(0.0) / 100.0;
  for (const char* name : {"camera-0.cameramodel", "camera-1.cameramodel"}) {
    result.intrinsics.push_back(IntrinsicsIn(TextOf(folder / name)));
    if (result.intrinsics.back().size() < 4) return {};
  }
  return result;
}

}  // namespace percuss::benchmarks
