// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/sections/sections.h"

namespace percuss::report {

std::vector<Block> ReferenceBlocks(const RunFolder& run) {
  Table table{
      .id = "reference-points",
      .caption = "Reference points",
      .columns = {TextColumn("trial", "trial"), TextColumn("point", "point"),
                  MeasuredColumn("error_x", "error x", "mm", 1e3),
                  MeasuredColumn("error_y", "error y", "mm", 1e3),
                  MeasuredColumn("error_z", "error z", "mm", 1e3),
                  NumberColumn("p", "probability", "-"),
                  PercentColumn("share", "error over distance"),
                  NumberColumn("left_px", "left", "px", 2),
                  NumberColumn("right_px", "right", "px", 2)},
      .note =
          "Points that rest while the body drops: where the cameras find them less where they are "
          "stated to be. The sigmas hold the pixels, the calibration and the ruler; the "
          "probability is how often chance gives as much. The distance is that from the left "
          "camera; left and right are the distances from where each camera should see the point."};
  SetRows(
      [&run](const RowSink& add) {
        for (const TrialFacts& trial : run.trials) {
          for (const ReferenceFacts& point : trial.reference_points) {
            Row row{.cells = {TextCell(trial.name), TextCell(point.name)}};
            for (const Measured& error : point.error)
              row.cells.push_back(NumberCell(error.value, error.sigma));
            row.cells.push_back(ProbabilityCell(point.p));
            row.cells.push_back(NumberCell(point.share));
            for (const double off_px : point.off_px) row.cells.push_back(NumberCell(off_px));
            row.starts_group = &point == &trial.reference_points.front();
            add(row);
          }
        }
      },
      &table, TabledRows(run));
  if (table.rows.empty()) return {};
  return {Heading{.text = "Reference points"}, std::move(table)};
}

}  // namespace percuss::report
