// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/files/files.h"
#include "benchmarks/tracking/tracking_table.h"
#include "tests/app/program.h"
#include "tests/base/temporary_folder.h"

namespace percuss::benchmarks {
namespace {

/// Four slopes at rest and three plates that are tilted, rendered with the default cameras.
std::string Scene() {
  std::string text = "name: slides\ncalibration_pairs: 12\ntrials:\n";
  constexpr double kSlopes[][2] = {{18.0, 0.15}, {22.0, 0.25}, {25.0, 0.35}, {30.0, 0.45}};
  for (const auto& [degrees, mu_k] : kSlopes) {
    const double angle = degrees * 3.14159265358979 / 180.0;
    text += fmt::format(
        "  - {{name: slope-{:.0f}, gravity: [{:.9f}, 0, {:.9f}], slide: {{mu_k: {}, way: "
        "0.15}}}}\n",
        degrees, 9.80665 * std::sin(angle), -9.80665 * std::cos(angle), mu_k);
  }
  constexpr double kTilts[][3] = {{8.0, 0.2, 0.16}, {12.0, 0.3, 0.25}, {16.0, 0.4, 0.35}};
  for (const auto& [rate, mu_s, mu_k] : kTilts) {
    text += fmt::format(
        "  - {{name: tilt-{:.0f}, slide: {{tilt_rate_deg: {}, mu_s: {}, mu_k: {}, way: 0.15, "
        "start: "
        "0.2}}}}\n",
        rate, rate, mu_s, mu_k);
  }
  return text;
}

void Run(const std::vector<std::string>& arguments, const std::filesystem::path& folder) {
  const testing::ProgramRun run = testing::RunPercuss(arguments, folder);
  if (run.exit_code != 0) throw std::runtime_error(run.err);
}

/// Largest error of a coefficient, and largest error in sigmas.
struct Worst {
  double error = 0.0, sigmas = 0.0, sigma = 0.0;

  void Add(const nlohmann::json& number, double truth) {
    const double difference = std::abs(number.at("value").get<double>() - truth);
    error = std::max(error, difference);
    sigma = std::max(sigma, number.at("sigma").get<double>());
    sigmas = std::max(sigmas, difference / number.at("sigma").get<double>());
  }
};

}  // namespace

std::vector<BoundSection> MeasureSlideVideos(const std::filesystem::path&) {
  const testing::TemporaryFolder folder;
  WriteFileAtomically(folder / "scene.yaml", Scene());
  Run({"synthesize", "scene.yaml", "-o", "made"}, folder.Path());
  Run({"measure", "slide", "--video", "made/experiment.yaml", "-o", "slide.json"}, folder.Path());
  const auto truth = nlohmann::json::parse(ReadFile(folder / "made/truth.json"));
  const auto found = nlohmann::json::parse(ReadFile(folder / "slide.json"));
  Worst mu_k, mu_s;
  int tilted = 0;
  for (const nlohmann::json& slide : found.at("slides")) {
    const nlohmann::json& true_slide =
        truth.at("trials").at(slide.at("trial").get<std::string>()).at("slide");
    mu_k.Add(slide.at("mu_k"), true_slide.at("mu_k"));
    if (true_slide.at("mu_s").is_null()) continue;
    mu_s.Add(slide.at("mu_s"), true_slide.at("mu_s"));
    ++tilted;
  }
  const auto count = static_cast<double>(found.at("slides").size());
  // One of seven errors is beyond 2.7 sigmas once in twenty times.
  return {
      {.heading = "slide video, synthetic (rendered, default cameras)",
       .rows =
           {{.name = "slides measured, of 7", .unit = "", .measured = count, .lowest = 7},
            {.name = "of these with mu_s, of 3", .unit = "", .measured = 1.0 * tilted, .lowest = 3},
            {.name = "mu_k, largest error", .unit = "", .measured = mu_k.error, .highest = 0.002},
            {.name = "mu_k, largest error",
             .unit = "sigma",
             .measured = mu_k.sigmas,
             .highest = 2.7},
            {.name = "mu_k, largest sigma", .unit = "", .measured = mu_k.sigma},
            {.name = "mu_s, largest error", .unit = "", .measured = mu_s.error, .highest = 0.01},
            {.name = "mu_s, largest error",
             .unit = "sigma",
             .measured = mu_s.sigmas,
             .highest = 2.7},
            {.name = "mu_s, largest sigma", .unit = "", .measured = mu_s.sigma}},
       .remarks = {"tests/tracking/slides counts how often intervals hold over 200 draws."}}};
}

}  // namespace percuss::benchmarks
