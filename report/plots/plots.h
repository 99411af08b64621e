// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "report/facts/run_folder.h"
#include "report/page/document.h"

namespace percuss::report {

/// Height, position and residual over time, with the impacts marked. `number` makes ids unique.
std::vector<Figure> TrialFigures(const TrialFacts& trial, int number);
/// The way of a slide over time, with its fit.
Figure SlideFigure(const SlideFacts& slide, int number);
/// The impulse of one impact in the plane of the normal and the first push of friction: measured
/// with its 95 % ellipse, as each law predicts it with its path, and the cone of the first law; as
/// a whole, and near its end.
std::vector<Figure> ImpulseFigures(const fitting::ImpulsesOfLaws& laws, const std::string& trial,
                                   int number);

}  // namespace percuss::report
