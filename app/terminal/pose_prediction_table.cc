// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/terminal/pose_prediction_table.h"

#include <fmt/core.h>

#include <cmath>
#include <string>

#include "app/terminal/wrapped_text.h"

namespace percuss::app {
namespace {

using fitting::PosePrediction;
using fitting::PredictedQuantity;

// A value, with a star where it lies outside of the interval.
std::string Marked(double value, bool inside, double scale, int decimals) {
  if (std::isnan(value)) return "- ";
  return fmt::format("{:.{}f}{}", scale * value, decimals, inside ? ' ' : '*');
}

std::string Interval(const PredictedQuantity& predicted, double scale, int decimals) {
  if (std::isnan(predicted.median)) return "-";
  return fmt::format("[{:.{}f}, {:.{}f}]", scale * predicted.in95[0], decimals,
                     scale * predicted.in95[1], decimals);
}

void PrintDissipation(std::FILE* out, const PosePrediction& trial) {
  const PredictedQuantity& predicted = trial.prediction.dissipation;
  const PredictedQuantity& given = trial.given_impulse.dissipation;
  std::string mode;  // the most frequent one
  if (!trial.modes.empty()) {
    mode =
        fmt::format("{:.0f} % {}", 100.0 * trial.modes.front().second, trial.modes.front().first);
  }
  fmt::print(
      out, "{:<10}{:>9}{:>10}{:>8.1f}{:>12}{:>10}{:>12}  {}\n", trial.trial,
      Marked(predicted.measured, IsInside(predicted), 100.0, 1),
      Marked(trial.dissipation_reported, IsInside(predicted, trial.dissipation_reported), 100.0, 1),
      100.0 * predicted.median, Interval(predicted, 100.0, 0),
      Marked(given.measured, IsInside(given), 100.0, 1), Interval(given, 100.0, 0), mode);
}

void PrintVelocities(std::FILE* out, const PosePrediction& trial) {
  for (int first = 0; first < 6; first += 3) {
    std::string line = fmt::format("{:<10}", first == 0 ? trial.trial : "");
    for (int i = first; i < first + 3; ++i) {
      const PredictedQuantity& predicted = trial.prediction.velocity[i];
      const int decimals = first == 0 ? 2 : 1;
      line += fmt::format(" {} {:>7}{:<17}", fitting::kVelocityNames[i],
                          Marked(predicted.measured, IsInside(predicted), 1.0, decimals),
                          Interval(predicted, 1.0, decimals));
    }
    fmt::print(out, "{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
  }
}

}  // namespace

void PrintPosePredictions(std::FILE* out, const std::vector<fitting::LawPosePredictions>& laws) {
  for (const fitting::LawPosePredictions& law : laws) {
    fmt::print(out, "\nPredicted over the prior of the pose, law {}\n", law.law);
    if (!law.reason.empty()) {
      PrintWrapped(out, "  ", "  ", law.reason);
      continue;
    }
    fmt::print(out, "{:<10}{:^39}{:>22}\n", "", "Dissipated [% of kinetic energy]",
               "given the impulse");
    fmt::print(out, "{:<10}{:>9}{:>10}{:>8}{:>12}{:>10}{:>12}  {}\n", "Trial", "measured ",
               "reported ", "median", "in 95 %", "measured ", "in 95 %", "Mode");
    for (const PosePrediction& trial : law.trials) {
      if (trial.reason.empty()) {
        PrintDissipation(out, trial);
      } else {
        PrintWrapped(out, fmt::format("{:<10}", trial.trial), std::string(10, ' '), trial.reason);
      }
    }
    fmt::print(out, "{:<10}{}\n", "Trial",
               "After the impact, measured and where it lies in 95 % [m/s, rad/s]");
    for (const PosePrediction& trial : law.trials)
      if (trial.reason.empty()) PrintVelocities(out, trial);
  }
  if (laws.empty()) return;
  PrintWrapped(
      out, "  ", "  ",
      "*: outside. Intervals hold the errors of the measurement, and know nothing of what "
      "was measured after the impact; \"given the impulse\" weights the poses by how well they "
      "explain it, and is no prediction (-: none does).");
}

}  // namespace percuss::app
