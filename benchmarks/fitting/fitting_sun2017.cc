// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <string>

#include "benchmarks/fitting/fitting_table.h"
#include "tests/fitting/thesis_predictions.h"

namespace percuss::benchmarks {
namespace {

BoundSection MeasureReading(const std::filesystem::path& data, const std::string& heading,
                            const std::string& ending) {
  BoundSection section{"sun2017, tables 4.4 to 4.9 predicted, " + heading, {}, {}};
  const auto predictions = fitting::PredictThesis(data, ending);
  for (const fitting::ThesisPrediction& one : predictions) {
    const fitting::PredictedQuantity& lost = one.predicted.prediction.dissipation;
    const double printed = one.predicted.dissipation_reported;
    section.remarks.push_back(fmt::format(
        "{} {}: predicted {:.0f} % lost, 95 % in [{:.0f}, {:.0f}]; recomputed {:.1f}{}, printed "
        "{:.1f}{}",
        one.object, one.predicted.trial, 100.0 * lost.median, 100.0 * lost.in95[0],
        100.0 * lost.in95[1], 100.0 * lost.measured, IsInside(lost) ? "" : " (outside)",
        100.0 * printed, IsInside(lost, printed) ? "" : " (outside)"));
  }
  const auto share = [&](const std::string& name, int count, int of) {
    section.rows.push_back({fmt::format("{}, of {}", name, of), "", 1.0 * count});
  };
  const fitting::ThesisCount inside = fitting::CountInside(predictions);
  const int impacts = static_cast<int>(predictions.size());
  share("dissipations from the printed velocities inside", inside.recomputed, impacts);
  share("printed dissipations inside", inside.printed, impacts);
  share("dissipations that the thesis computed inside", inside.computed, impacts);
  share("measured velocities inside", inside.velocities, 6 * impacts);
  share("velocities that the thesis computed inside", inside.computed_velocities, 6 * impacts);
  share("impulses that a pose of the prior explains", inside.explained, impacts);
  share("dissipations inside given the impulse", inside.given_impulse, inside.explained);
  return section;
}

}  // namespace

std::vector<BoundSection> MeasureSun2017(const std::filesystem::path& data) {
  return {MeasureReading(data, "the plate tilted", ""),
          MeasureReading(data, "the body tilted", "_tilted")};
}

}  // namespace percuss::benchmarks
