// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "benchmarks/fitting/fitting_table.h"
#include "fitting/estimate/coefficient_fit.h"
#include "tests/fitting/speed_impacts.h"

namespace percuss::benchmarks {
namespace {

constexpr int kExperiments = 60;
constexpr int kDrops = 24;
constexpr double kThreeSigmas = 8.5;  // binomial, of 60 about 95 % [%]

BoundSection MeasureLayer(const fitting::LayerTruth& truth, unsigned seed, const char* damping) {
  std::mt19937 random(seed);
  const std::map<std::string, double> truths = {
      {"mu", truth.mu},
      {"k b^2", truth.stiffness * truth.width * truth.width},
      {"damping", truth.damping}};
  fitting::FitOptions layer{.laws = {"boundary-layer-material"},
                            .cross_validate = false,
                            .static_friction = false,
                            .split_error = false};
  fitting::FitOptions rigid = layer;
  rigid.laws = {"stronge"};
  if (truth.reference_speed > 0.0) layer.given["reference_speed"] = {truth.reference_speed, 0.0};
  fitting::FitOptions growing = rigid;
  growing.models["mu"] = fitting::FindParameterModel("linear-normal");
  std::map<std::string, int> held;
  int explained = 0, rigid_explained = 0, grows = 0;
  for (int i = 0; i < kExperiments; ++i) {
    const auto table = fitting::NoisySpeeds(random, truth, kDrops);
    const auto fit = [&](const fitting::FitOptions& options) {
      return fitting::FitCoefficients(table, fitting::RatesBall(), options).front();
    };
    const fitting::LawFit of_layer = fit(layer);
    for (const fitting::ParameterEstimate& one : of_layer.parameters) {
      const auto known = truths.find(one.name);
      if (known == truths.end()) continue;
      held[one.name] += one.ci95[0] <= known->second && known->second <= one.ci95[1];
    }
    explained += of_layer.cost_probability > 0.05;
    rigid_explained += fit(rigid).cost_probability > 0.05;
    for (const fitting::ParameterEstimate& one : fit(growing).parameters) {
      grows += one.name == "mu.slope" && one.ci95[0] > 0.0;
    }
  }
  const auto percent = [](int count) { return 100.0 * count / kExperiments; };
  BoundSection section{
      fmt::format("{} experiments of {} drops of a ball at 0.5 to 5 m/s on a layer, {}",
                  kExperiments, kDrops, damping),
      {},
      {}};
  for (const auto& [name, value] : truths) {
    section.rows.push_back({fmt::format("95 % interval of {} holds the truth", name), "%",
                            percent(held[name]), 95.0 - kThreeSigmas, 100.0});
  }
  section.rows.push_back({"the layer explains the impacts (chi-square above 5 %)", "%",
                          percent(explained), 95.0 - kThreeSigmas, 100.0});
  section.rows.push_back({"stronge with one mu and one e does", "%", percent(rigid_explained)});
  section.rows.push_back({"stronge with mu=linear-normal says that mu grows", "%", percent(grows)});
  return section;
}

}  // namespace

std::vector<BoundSection> MeasureRates(const std::filesystem::path&) {
  return {MeasureLayer({}, 111, "the same e at every speed"),
          MeasureLayer({.damping = 0.2, .reference_speed = 1.0}, 112,
                       "a dashpot of the material, e falls with speed")};
}

}  // namespace percuss::benchmarks
