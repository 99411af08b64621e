// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/bench/thesis_drops.h"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/app/program.h"
#include "tests/base/temporary_folder.h"

namespace percuss::benchmarks {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kSlopes = R"(
seed: 7
trials:
  - {name: a-slide, slope: {angle_deg: 20, axis: y}}
  - {name: b-slide, velocity: [0.9, 0.2, -2.1], angular_velocity: [1.5, 2.5, 1.0], slope: {angle_deg: 15, axis: x}}
  - {name: c-stick, velocity: [0.777, -0.175, -2.029], angular_velocity: [2.382, -0.9, -2.217],
     orientation: [0.582987, 0.582079, -0.426481, 0.373396], contact_point: [0.089, -0.066], flight_time: 0.2069,
     slope: {angle_deg: 10, axis: [1, 1]}}
  - {name: d-level}
)";

void Percuss(const std::vector<std::string>& words) {
  const testing::ProgramRun run = testing::RunPercuss(words);
  if (run.exit_code != 0) throw std::runtime_error(run.err);
}

/// `percuss run` of a folder with experiment.yaml and truth.json.
BoundSection MeasureFolder(const std::string& heading, const fs::path& folder, double bound) {
  const testing::TemporaryFolder out;
  Percuss({"run", (folder / "experiment.yaml").string(), "-o", (out / "out").string()});
  const json truth = json::parse(std::ifstream(folder / "truth.json"));
  const json fit = json::parse(std::ifstream(out / "out/fit.json"));
  const json& parameters = fit.at("laws").at("stronge").at("parameters");
  BoundSection section{heading, {}, {}};
  for (const char* name : {"mu", "e"}) {
    const json& found = parameters.at(name);
    const double exact = truth.at(name);
    BoundRow error{std::string("error of ") + name, "",
                   std::abs(double(found.at("value")) - exact)};
    error.highest = bound;
    BoundRow inside{std::string("95 % interval of ") + name + " holds the truth", "0 or 1", 0.0};
    inside.measured =
        double(found.at("ci95").at(0)) <= exact && exact <= double(found.at("ci95").at(1));
    inside.lowest = 1.0;
    section.rows.push_back(error);
    section.rows.push_back(inside);
  }
  return section;
}

}  // namespace

std::vector<BoundSection> MeasureThesisDrops(const fs::path& data) {
  const testing::TemporaryFolder slopes;
  slopes.Write("scene.yaml", kSlopes);
  Percuss({"synthesize", (slopes / "scene.yaml").string(), "-o", (slopes / "made").string()});
  return {MeasureFolder("rod with bands, two cameras, 4 trials", data / "rod-drop", 0.001),
          MeasureFolder("rod with bands, one camera, 3 trials", data / "rod-plane", 0.002),
          // As good as bar-drop, whose trials share one surface (percuss_bench DATA exact).
          MeasureFolder("bar, three slopes and level, pictures of each", slopes / "made", 1.1e-4)};
}

}  // namespace percuss::benchmarks
