// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "fitting/model/error_model.h"
#include "impacts/impact_record.h"
#include "solver/body/rigid_body.h"

namespace percuss::fitting {

/// Angular impulse without what the linear impulse explains, a = I dw - r x (m dv), W axes [N m s].
/// It is zero for any impulse through the contact point, whatever the law.
struct MomentumDefect {
  Eigen::Vector3d value = Eigen::Vector3d::Zero();
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
  double chi_square = 0.0;
  double log_determinant = 0.0;  ///< of the covariance, over the components that count
  int dof = 0;                   ///< less than 3 where components are exact (planar) or unmeasured
};

MomentumDefect CalcMomentumDefect(const impacts::ImpactRecord& record, const ImpactErrors& errors,
                                  const solver::Body& body);

}  // namespace percuss::fitting
