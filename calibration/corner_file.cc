// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/corner_file.h"

#include <fmt/format.h>

namespace percuss::calibration {

void WriteCorners(const std::vector<MeasuredResidual>& corners, const RigCalibration& calibration,
                  const Provenance& provenance, const std::filesystem::path& file) {
  std::string csv = fmt::format("# {}, percuss {}\n# {}\n", provenance.format, ProgramVersion(),
                                provenance.command);
  csv += "camera,view,corner,x_px,y_px,residual_x_px,residual_y_px\n";
  for (const MeasuredResidual& corner : corners) {
    csv +=
        fmt::format("{},{},{},{:.3f},{:.3f},{:.4f},{:.4f}\n",
                    calibration.cameras[corner.camera].name, corner.image + 1, corner.point + 1,
                    corner.pixel.x(), corner.pixel.y(), corner.residual.x(), corner.residual.y());
  }
  WriteFileAtomically(file, csv);
}

}  // namespace percuss::calibration
