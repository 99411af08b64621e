// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// A box that is rendered landing on a face and on an edge: `percuss run` finds which points struck,
// and the coefficients, without being told.

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "base/files/files.h"
#include "tests/app/program.h"
#include "tests/base/temporary_folder.h"

namespace percuss {
namespace {

constexpr const char* kLandings = R"(
seed: 7
body:
  {shape: box, size: [0.08, 0.06, 0.05], mass: 0.2, marker_diameter: 0.007,
   markers: {A1: [-0.03, 0.02, 0.025], A2: [0.005, 0.022, 0.025], A3: [0.032, 0.012, 0.025], A4: [-0.018, -0.012, 0.025],
             A5: [0.02, -0.02, 0.025], B1: [-0.03, -0.03, 0.01], B2: [0.0, -0.03, -0.012], B3: [0.028, -0.03, 0.004]}}
law: multi-point
parameters: {mu: 0.2, e: 0.45}
trials:
  - {name: face, orientation: [0.9659, 0, 0, 0.2588], velocity: [1.0, 0.4, -1.9], angular_velocity: [0.2, -0.3, 0.8]}
  - {name: edge, orientation: [0.9239, 0, 0.3827, 0], velocity: [0.9, 0.2, -2.0], angular_velocity: [0, 0.5, 0.5]}
)";

TEST(LandingRun, FindsThePointsThatStruckAndTheCoefficients) {
  const testing::TemporaryFolder folder;
  WriteFileAtomically(folder / "spec.yaml", kLandings);
  const std::filesystem::path data = folder / "data", out = folder / "out";
  const testing::ProgramRun made =
      testing::RunPercuss({"synthesize", (folder / "spec.yaml").string(), "-o", data.string()});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const testing::ProgramRun run = testing::RunPercuss(
      {"run", (data / "experiment.yaml").string(), "-o", out.string(), "--fit", "pixels"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const nlohmann::json fit = nlohmann::json::parse(ReadFile(out / "fit.json"));
  const nlohmann::json& law = fit.at("laws").at("multi-point");
  const nlohmann::json& by_pixels = fit.at("pixels").at("multi-point").at("parameters");
  const std::map<std::string, double> truth = {{"mu", 0.2}, {"e", 0.45}};
  for (const auto& [name, value] : truth) {
    for (const nlohmann::json& found : {law.at("parameters").at(name), by_pixels.at(name)}) {
      EXPECT_NEAR(found.at("value"), value, 4.0 * double(found.at("sigma"))) << name;
      EXPECT_LT(double(found.at("sigma")), 0.001) << name;
    }
  }
  const std::map<std::string, std::size_t> points = {{"face", 4}, {"edge", 2}};
  for (const nlohmann::json& trial : law.at("trials"))
    EXPECT_EQ(trial.at("points").size(), points.at(trial.at("trial")));
}

}  // namespace
}  // namespace percuss
