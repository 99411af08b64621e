// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/app/run/campaign.h"

#include <fmt/format.h>

#include <fstream>
#include <random>
#include <stdexcept>
#include <string>

#include "base/files/files.h"
#include "tests/app/program.h"

namespace percuss::testing {
namespace {

namespace fs = std::filesystem;

// Large markers and squares, so that a few pixels show them; a flash that both cameras see.
constexpr const char* kScene = R"(name: campaign
image_size: [480, 270]
board: {columns: 5, rows: 4, square: 0.05}
calibration_pairs: 6
flash: {time: 0.0416667}
body:
  shape: box
  size: [0.3065, 0.0515, 0.0125]
  mass: 0.185
  marker_diameter: 0.016
  markers: {A1: [-0.139, 0.0125, 0.00625], A2: [-0.087, -0.014, 0.00625], A3: [-0.0215, 0.0155, 0.00625],
            A4: [0.034, -0.011, 0.00625], A5: [0.0985, 0.0135, 0.00625], A6: [0.1375, -0.015, 0.00625]}
trials:
)";

void Write(const fs::path& file, const std::string& content) {
  std::ofstream stream(file, std::ios::binary);
  stream << content;
  if (!stream.flush()) throw std::runtime_error(file.string() + ": cannot be written");
}

}  // namespace

void SynthesizeDrops(int count, const fs::path& folder) {
  std::string spec = kScene;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> change(-0.2, 0.2);  // [m/s]
  for (int i = 0; i < count; ++i) {
    const double x = -0.8 + change(random), y = 0.5 * change(random), z = -2.0 + change(random);
    spec += fmt::format(
        "  - {{name: drop-{}, right_start_frames: 1.3, flight_time: 0.12, post_flight: 0.1, "
        "velocity: [{:.4f}, {:.4f}, {:.4f}]}}\n",
        i, x, y, z);
  }
  const fs::path file = folder.string() + ".yaml";
  Write(file, spec);
  const ProgramRun made = RunPercuss({"synthesize", file.string(), "-o", folder.string()});
  if (made.exit_code != 0) throw std::runtime_error(made.err);
}

void WriteCampaign(const fs::path& drops, int num_drops, int count, const fs::path& folder) {
  fs::create_directories(folder);
  fs::copy(drops / "calibration", folder / "calibration", fs::copy_options::recursive);
  std::string text = ReadFile(drops / "experiment.yaml");
  text.erase(text.find("trials:"));
  text += "trials:\n";
  for (int i = 0; i < count; ++i) {
    const std::string trial = fmt::format("trials/t{:04}", i);
    text +=
        fmt::format("  - {{name: t{0:04}, left: {1}/left.mp4, right: {1}/right.mp4}}\n", i, trial);
    fs::create_directories(folder / trial);
    for (const char* video : {"left.mp4", "right.mp4"}) {
      fs::create_hard_link(drops / fmt::format("trials/drop-{}", i % num_drops) / video,
                           folder / trial / video);
    }
  }
  Write(folder / "experiment.yaml", text);
}

}  // namespace percuss::testing
