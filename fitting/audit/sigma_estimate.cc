// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/audit/sigma_estimate.h"

#include <cmath>
#include <vector>

#include "base/error.h"
#include "fitting/audit/momentum.h"

namespace percuss::fitting {

EstimatedSigmas EstimateSigmas(const solver::Body& body, impacts::ImpactTable& table) {
  bool planar = true;
  for (const impacts::ImpactRecord& record : table.impacts) {
    for (const int axis : {0, 2}) {
      planar = planar && record.w[axis] == 0.0 && record.w_post[axis] == 0.0;
    }
    if (record.covariance) throw DataError("sigma: estimate: the table states standard deviations");
  }
  const double gyration =
      std::sqrt((planar ? body.inertia(1, 1) : body.inertia.trace() / 3.0) / body.mass);
  const PreparedImpacts units =
      PrepareImpacts(table, body, {.velocity = 1.0, .angular_velocity = 1.0 / gyration});
  std::vector<MomentumDefect> defects;
  for (const Impact& impact : units.impacts) {
    if (impact.complete) defects.push_back(CalcMomentumDefect(impact.record, impact.errors, body));
  }
  const double scale = std::sqrt(FitScale(defects).squared_scale);
  if (!(scale > 1e-9)) {
    throw DataError("sigma: estimate: no impact leaves a momentum defect to estimate it from");
  }
  for (size_t i = 0; i < table.impacts.size(); ++i) {
    table.impacts[i].covariance =
        scale * scale *
        units.impacts[i]
            .errors.own.Full()
            .topLeftCorner<impacts::kImpactDimension, impacts::kImpactDimension>();
  }
  return {.velocity = scale, .angular_velocity = scale / gyration};
}

}  // namespace percuss::fitting
