// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <vector>

#include "report/facts/run_folder.h"
#include "report/facts/shown_trials.h"
#include "report/page/document.h"
#include "report/plots/law_plots.h"
#include "report/plots/plots.h"

namespace percuss::report {

// One section of the report each, in the order of the page; one file each. A section whose files
// are missing says so.

/// The coefficients of the best law, whether they are good, a picture of an impact, and predicted
/// against measured dissipation: the first screen.
Section AnswerSection(const RunFolder& run);
/// The drops in three dimensions, of many trials a dozen from the one that the best law explains
/// worst to the one that it explains best; without blocks where none has two flights of a body.
Section ViewerSection(const RunFolder& run);
/// The page of one of TrialsWithPages, and its name in the folder of the trial; nothing where there
/// is no drop to show.
inline constexpr char kPageOfDrop[] = "drop.html";
std::optional<Document> PageOfDrop(const RunFolder& run, const TrialFacts& trial);
/// What failed (at the very top), then what was measured and how.
Section SummarySection(const RunFolder& run);
/// The coefficients and how well each law does.
Section CoefficientsSection(const RunFolder& run);
/// Plain sentences on whether the data can be believed; the bad news first.
Section VerdictSection(const RunFolder& run);
/// Measured against predicted, per law and trial.
Section ComparisonSection(const RunFolder& run);
/// Where the kinetic energy was before and after each impact.
Section EnergySection(const RunFolder& run);
/// mu and e as settings of physics engines.
Section EngineSection(const RunFolder& run);
Section CalibrationSection(const RunFolder& run);
/// Per trial: synchronisation, arcs, impact, pictures, plots.
Section TrackingSection(const RunFolder& run);
/// Friction from trials in which the body slid on the plate; only where there are any.
Section SlidesSection(const RunFolder& run);
/// Each check of the audit, those that passed too.
Section ChecksSection(const RunFolder& run);
/// Settings, versions, hashes of the inputs.
Section ProvenanceSection(const RunFolder& run);

/// Where TrackingSection shows the trial of an impact, or else the page of the trial (PageOfDrop).
PlaceOfTrial PlacesOfTrials(const RunFolder& run);

/// The rows that tables of trials or impacts show, which name them in their first column; of few
/// trials the first.
RowChoice TabledRows(const RunFolder& run);

/// Coefficients, intervals and status, a group of rows per law.
Table CoefficientTable(const fitting::FitReport& fit);

/// Repeatability and reproducibility where trials are grouped; else nothing.
std::vector<Block> RepeatabilityBlocks(const fitting::FitReport& fit);

/// Ratios of the velocities of the mass centre and of the energies, as the impacts state them;
/// nothing where none does.
std::vector<Block> RatioBlocks(const RunFolder& run);

/// What resting points of known places say of the cameras; nothing without any.
std::vector<Block> ReferenceBlocks(const RunFolder& run);

/// Everything in the run that failed or is missing; empty if nothing.
std::vector<Finding> Failures(const RunFolder& run);

}  // namespace percuss::report
