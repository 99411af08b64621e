// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "report/calibration/calibration_page.h"
#include "report/calibration/calibration_tables.h"
#include "report/calibration/picture_maps.h"
#include "report/sections/sections.h"

namespace percuss::report {
namespace {

void AddThesis(const calibration::ThesisComparison& thesis, std::vector<Block>* blocks) {
  if (thesis.rows.empty() && thesis.reason.empty()) return;
  blocks->push_back(Heading{.text = "The calibration of the thesis beside ours"});
  if (thesis.rows.empty()) {
    blocks->push_back(Paragraph{"There is none: " + thesis.reason + "."});
    return;
  }
  Table table{
      .id = "thesis_calibration",
      .caption = "Each camera alone with two radial terms (thesis), and all at once (joint)",
      .columns = {TextColumn("quantity", "quantity"),
                  NumberColumn("thesis", "thesis", "as stated", 6),
                  NumberColumn("joint", "joint", "as stated", 6)}};
  for (const auto& row : thesis.rows) {
    table.rows.push_back(
        {.cells = {TextCell(row.quantity), NumberCell(row.thesis), NumberCell(row.joint)}});
  }
  blocks->push_back(table);
  blocks->push_back(Preformatted{thesis.tables});
}

}  // namespace

Section CalibrationSection(const RunFolder& run) {
  Section section{.id = "calibration", .title = "Calibration"};
  if (!run.calibration) {
    section.blocks.push_back(
        Paragraph{"Nothing is known about the cameras: calibration.json is missing."});
    return section;
  }
  const calibration::RigCalibration& calibration = *run.calibration;
  std::string verdict = fmt::format("Verdict: {}.", calibration.verdict);
  for (const std::string& reason : calibration.verdict_reasons)
    verdict += fmt::format(" {}.", reason);
  for (const std::string& note : calibration.notes) verdict += fmt::format(" {}.", note);
  Figures residuals, sigmas;
  const auto& maps = calibration.quality.predicted.projection_sigma_px;
  for (std::size_t c = 0; c < calibration.cameras.size(); ++c) {
    const calibration::CalibratedCamera& camera = calibration.cameras[c];
    residuals.figures.push_back(
        ResidualsFigure(camera, run.corners[c], calibration.corner_sigma_px));
    sigmas.figures.push_back(
        ProjectionSigmaFigure(camera, c < maps.size() ? maps[c] : calibration::ImageMap{}));
  }
  const Level level = calibration.verdict == "ok" ? Level::kOk : Level::kWarning;
  section.blocks = {Findings{{{level, "", verdict}}},
                    Link{"What the boards covered, and all of the calibration on a page of its own",
                         kCalibrationPage},
                    residuals, sigmas, ResidualTable(calibration)};
  if (calibration.cameras.size() > 1) section.blocks.push_back(StereoTable(calibration));
  section.blocks.push_back(CameraTable(calibration));
  section.blocks.push_back(DistortionTable(calibration));
  section.blocks.push_back(PredictedTable(calibration));
  for (const std::string& finding : calibration.quality.pattern.findings) {
    section.blocks.push_back(Paragraph{fmt::format("Residuals: {}.", finding)});
  }
  section.blocks.push_back(CoverageTable(calibration));
  if (!calibration.quality.next_view.text.empty()) {
    section.blocks.push_back(Paragraph{
        fmt::format("The one more picture that would help most (sigmas {:.0f} % smaller): {}.",
                    100.0 * (1.0 - calibration.quality.next_view.sigma_ratio),
                    calibration.quality.next_view.text)});
  }
  section.blocks.push_back(ViewTable(calibration));
  for (Block& block : ReferenceBlocks(run)) section.blocks.push_back(std::move(block));
  AddThesis(calibration.thesis, &section.blocks);
  return section;
}

}  // namespace percuss::report
