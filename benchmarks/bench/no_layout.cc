// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/bench/no_layout.h"

#include <fmt/core.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>

#include "base/text/json_field.h"
#include "capture/experiment/experiment.h"
#include "tests/app/program.h"
#include "tests/base/temporary_folder.h"
#include "tracking/layout/layout_files.h"
#include "tracking/layout/shape_symmetry.h"

namespace percuss::benchmarks {
namespace {

namespace fs = std::filesystem;

/// Root mean square of the coordinates' errors, in the best of the attitudes that look the same
/// [m].
double MarkerError(const capture::MarkedBody& truth, const capture::MarkedBody& found) {
  double best = std::numeric_limits<double>::infinity();
  for (const Eigen::Matrix3d& R : tracking::ShapeRotations(truth.body.shape)) {
    double sum = 0.0;
    for (const capture::Marker& marker : found.markers) {
      double nearest = std::numeric_limits<double>::infinity();
      for (const capture::Marker& other : truth.markers)
        nearest = std::min(nearest, (R * marker.p_BM - other.p_BM).squaredNorm());
      sum += nearest;
    }
    best = std::min(best, std::sqrt(sum / (3.0 * static_cast<double>(found.markers.size()))));
  }
  return best;
}

BoundSection MeasureOne(const fs::path& data) {
  const capture::Experiment truth = capture::ReadExperiment(data / "experiment.yaml");
  const testing::TemporaryFolder folder;
  fs::copy(data / "calibration", folder / "calibration", fs::copy_options::recursive);
  fs::copy(data / "trials", folder / "trials", fs::copy_options::recursive);
  YAML::Node root = YAML::LoadFile((data / "experiment.yaml").string());
  YAML::Node count;
  count["count"] = truth.body.markers.size();
  root["body"]["markers"] = count;
  const fs::path file = folder / "experiment.yaml", out = folder / "out";
  std::ofstream(file) << YAML::Dump(root);
  const testing::ProgramRun run = testing::RunPercuss({"run", file.string(), "-o", out.string()});
  if (run.exit_code != 0) throw std::runtime_error(run.err);
  // The names of markers, and the attitude of a cube, are others than in truth.json.
  const JsonField exact = JsonField::ReadFile(data / "truth.json");
  const JsonField law = JsonField::ReadFile(out / "fit.json").At("laws").At("stronge");
  const auto error = [&](const char* coefficient) {
    return std::abs(law.At("parameters").At(coefficient).At("value").Number() -
                    exact.At(coefficient).Number());
  };
  capture::MarkedBody stated = truth.body;
  stated.markers.clear();
  const tracking::FoundLayout found = tracking::ReadLayout(out / "layout.json", stated);
  BoundSection section{fmt::format("{}: layout without places", data.filename().string()), {}, {}};
  const auto add = [&](const char* name, const char* unit, double measured, double highest) {
    BoundRow row{name, unit, measured};
    row.highest = highest;
    section.rows.push_back(row);
  };
  constexpr double kNone = std::numeric_limits<double>::infinity();
  add("error of mu", "", error("mu"), 1e-3);
  add("error of e", "", error("e"), 1e-3);
  add("markers not found", "",
      static_cast<double>(truth.body.markers.size() - found.body.markers.size()), 0.0);
  add("rms error of a marker's coordinate", "mm", 1e3 * MarkerError(truth.body, found.body), kNone);
  add("sigma of the markers against the shape", "mm", 1e3 * found.shift_sigma, kNone);
  return section;
}

}  // namespace

std::vector<BoundSection> MeasureNoLayout(const fs::path& data) {
  return {MeasureOne(data / "bar-drop"), MeasureOne(data / "cube-drop")};
}

}  // namespace percuss::benchmarks
