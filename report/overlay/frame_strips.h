// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <vector>

#include "calibration/rig/triangulation.h"
#include "report/facts/run_folder.h"
#include "report/page/document.h"

namespace percuss::report {

/// Cameras of a run by name.
struct NamedView {
  std::string name{};
  calibration::View view{};
};
/// Empty without a calibration.
std::vector<NamedView> ViewsOf(const RunFolder& run);

/// For each impact and camera the pictures before, at and after it, over them the tracked markers,
/// the outline of the body where it was measured, and after the impact that which a law predicts
/// from the state just before (the first law of the fit): the free flight from the pose at the
/// impact with the velocities that it predicts. `number` makes ids unique.
Figures FrameStrips(const TrialFacts& trial, int number, const LawFit* law,
                    const std::vector<NamedView>& views);

/// One picture of the first impact of which there is one with a prediction: just after it, in the
/// camera that sees the body larger.
std::optional<Figure> PictureOfImpact(const TrialFacts& trial, const LawFit& law,
                                      const std::vector<NamedView>& views);

}  // namespace percuss::report
