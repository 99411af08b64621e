// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "report/document.h"
#include "report/run_folder.h"

namespace percuss::report {

struct Plotter {
  std::string program = "gnuplot";
};

/// Height, position and residual over time, with the arcs marked. `number` makes ids unique.
Figures TrialFigures(const TrialFacts& trial, int number, const Plotter& plotter);
/// Dissipation measured and predicted, per trial, with error bars.
Figure DissipationFigure(const LawFacts& law, const Plotter& plotter);
/// The difference of the two, where it is too small to see beside the whole.
Figure DissipationErrorFigure(const LawFacts& law, const Plotter& plotter);
/// Where the kinetic energy goes, per trial.
Figure EnergySplitFigure(const LawFacts& law, const Plotter& plotter);

}  // namespace percuss::report
