// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "report/facts/run_folder.h"
#include "report/page/document.h"
#include "report/plots/gnuplot.h"

namespace percuss::report {

/// Height, position and residual over time, with the arcs marked. `number` makes ids unique.
Figures TrialFigures(const TrialFacts& trial, int number, const Plotter& plotter);
/// The way of a slide over time, with its fit.
Figure SlideFigure(const SlideFacts& slide, int number, const Plotter& plotter);
/// The way of the mass centre in space, with the body's longest axis now and then.
Figure TrajectoryFigure(const TrialFacts& trial, int number, const Plotter& plotter);
/// The impulse of one impact in the plane of the normal and the first push of friction: measured
/// with its 95 % ellipse, as each law predicts it with its path, and the cone of the first law; as
/// a whole, and near its end.
Figures ImpulseFigures(const fitting::ImpulsesOfLaws& laws, const std::string& trial, int number,
                       const Plotter& plotter);
/// Kinetic energy before and after each impact by its kind, of one law.
Figure EnergySharesFigure(const std::string& law, const std::vector<ImpulseDiagram>& trials,
                          const Plotter& plotter);
/// Corners over the image, with their residuals enlarged.
Figure CornersFigure(const calibration::CalibratedCamera& camera,
                     const std::vector<CornerFacts>& corners, const Plotter& plotter);
/// Sigma of the pixel of a known point over the image.
Figure ProjectionSigmaFigure(const calibration::CalibratedCamera& camera,
                             const calibration::ImageMap& sigma_px, const Plotter& plotter);
/// Dissipation measured and predicted, per trial, with error bars.
Figure DissipationFigure(const LawFit& law, const Plotter& plotter);
/// The difference of the two, where it is too small to see beside the whole.
Figure DissipationErrorFigure(const LawFit& law, const Plotter& plotter);
/// Where the kinetic energy goes, per trial.
Figure EnergySplitFigure(const LawFit& law, const Plotter& plotter);

}  // namespace percuss::report
