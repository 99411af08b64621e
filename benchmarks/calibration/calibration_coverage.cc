// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "benchmarks/calibration/calibration_table.h"
#include "tests/calibration/bundle/draws.h"

namespace percuss::benchmarks {
namespace {

using calibration::DrawSummary;

// Bounds as in tests/calibration/bundle/coverage_test.cc, where they are explained.
constexpr double kShareSigmas = 3.0, kPlaceSigmas = 4.0, kRatioTolerance = 0.1;

// Largest error in sampling sigmas of what rests on the prior, on the confident side; below zero
// if all of it is too cautious.
double Overconfidence(const DrawSummary& summary, double share_sigma) {
  double worst = std::max({summary.projection[0].Overconfidence(),
                           summary.projection[1].Overconfidence(), summary.point.Overconfidence()});
  for (const calibration::ParameterCoverage& parameter : summary.resting_on_prior) {
    worst = std::max(worst, (0.95 - parameter.share) / share_sigma);
  }
  return worst;
}

void AddRatio(const std::string& what, const calibration::SigmaRatios& ratios,
              std::vector<BoundRow>* rows) {
  rows->push_back({fmt::format("predicted over observed sigma, {} (+- {:.3f})", what,
                               ratios.pooled.sampling_sigma),
                   "", ratios.pooled.ratio, 1.0 - kRatioTolerance, 1.0 + kRatioTolerance});
}

BoundSection MeasureRig(const std::string& name, const calibration::Bundle& rig,
                        const calibration::DrawOptions& options, bool pooled_to_one_percent) {
  const DrawSummary summary = DrawCalibrations(rig, options);
  const double share_sigma = std::sqrt(0.95 * 0.05 / summary.num_draws);
  const double tolerance =
      pooled_to_one_percent ? 0.01 : kShareSigmas * summary.pooled_sampling_sigma;
  BoundSection section{
      fmt::format("{}, {} draws, noise {} px", name, summary.num_draws, options.noise_px), {}, {}};
  std::vector<BoundRow>& rows = section.rows;
  rows.push_back({fmt::format("truth in 95 % interval, {} parameters pooled (+- {:.2f})",
                              summary.parameters.size(), 100.0 * summary.pooled_sampling_sigma),
                  "%", 100.0 * summary.pooled_share, 100.0 * (0.95 - tolerance),
                  100.0 * (0.95 + tolerance)});
  const double lowest = 100.0 * (0.95 - kShareSigmas * share_sigma);
  const double highest = std::min(100.0, 100.0 * (0.95 + kShareSigmas * share_sigma));
  rows.push_back({"truth in 95 % interval, parameter with the lowest share", "%",
                  100.0 * LowestShare(summary.parameters), lowest, highest});
  rows.push_back({"truth in 95 % interval, parameter with the highest share", "%",
                  100.0 * HighestShare(summary.parameters), lowest, highest});
  AddRatio("pixels of the left camera", summary.projection[0], &rows);
  AddRatio("pixels of the right camera", summary.projection[1], &rows);
  AddRatio("triangulated points", summary.point, &rows);
  const std::size_t num_places = summary.projection[0].places.size() +
                                 summary.projection[1].places.size() + summary.point.places.size();
  BoundRow worst{fmt::format("worst of {} places, in its sampling errors", num_places), "",
                 std::max({summary.projection[0].WorstPlace(), summary.projection[1].WorstPlace(),
                           summary.point.WorstPlace()})};
  worst.highest = kPlaceSigmas;
  rows.push_back(worst);
  const std::size_t num_prior = summary.projection[0].resting_on_prior.size() +
                                summary.projection[1].resting_on_prior.size() +
                                summary.point.resting_on_prior.size();
  if (num_prior + summary.resting_on_prior.size() > 0) {
    BoundRow prior{fmt::format("overconfidence of {} parameters, {} places that rest on the prior",
                               summary.resting_on_prior.size(), num_prior),
                   "", Overconfidence(summary, share_sigma)};
    prior.highest = kPlaceSigmas;
    rows.push_back(prior);
  }
  return section;
}

}  // namespace

std::vector<BoundSection> MeasureCoverage(int num_threads) {
  const auto options = [&](int num_draws, std::uint32_t first_seed) {
    return calibration::DrawOptions{
        .num_draws = num_draws, .first_seed = first_seed, .num_threads = num_threads};
  };
  return {
      MeasureRig("synthetic rig, Brown's model", calibration::BrownRig(), options(500, 1), true),
      MeasureRig("synthetic rig, rational model", calibration::RationalRig(), options(120, 1001),
                 false),
      MeasureRig("synthetic rig, fisheye model", calibration::FisheyeRig(), options(120, 2001),
                 false),
      MeasureRig("synthetic rig, board of unknown scale and a rod", calibration::ScaledBoardRig(),
                 options(120, 3001), false)};
}

}  // namespace percuss::benchmarks
