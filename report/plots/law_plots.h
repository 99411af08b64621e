// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <optional>
#include <string>

#include "report/facts/run_folder.h"
#include "report/page/document.h"

namespace percuss::report {

// What a law says of the impacts against what was measured. Each mark says its impact and values
// where the mouse rests on it, and leads to the trial.

/// The address of what is shown of the trial of an impact, in the page or in a file beside it;
/// empty: nothing. No value: of so many impacts (MarkedImpacts) it is a dot, and no mark.
using PlaceOfTrial = std::function<std::optional<std::string>(const std::string& impact)>;
/// What a caption says of dots; empty where there are none.
std::string DotsInWords(std::size_t num_impacts, std::size_t num_marks);

/// Predicted over measured dissipation of all impacts, with bars of 95 %.
Figure DissipationScatter(const std::string& id, const LawFit& law, const PlaceOfTrial& place_of);
/// The difference of the two, impact by impact, where it is too small to see beside the whole.
Figure DissipationErrorFigure(const LawFit& law, const PlaceOfTrial& place_of);
/// Where the kinetic energy goes, impact by impact.
Figure EnergySplitFigure(const LawFit& law, const PlaceOfTrial& place_of);
/// Predicted less measured velocities over the sigma of this difference, impact by impact: how many
/// lie where 95 of 100 should.
Figure ResidualFigure(const LawFit& law, const PlaceOfTrial& place_of);

/// What each impact alone says of restitution, over its speed: u'.n / -u.n of the contact point.
Figure RestitutionFigure(const RunFolder& run, const PlaceOfTrial& place_of);
/// What each impact alone says of friction, over its slip: tangential over normal impulse. A line
/// at `friction`, where that is finite: impacts that keep slipping lie on it, others below.
Figure FrictionFigure(const RunFolder& run, double friction, const PlaceOfTrial& place_of);

}  // namespace percuss::report
