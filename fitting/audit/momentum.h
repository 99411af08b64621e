// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "fitting/model/momentum_defect.h"
#include "fitting/model/prepared_impacts.h"

namespace percuss::fitting {

std::vector<MomentumDefect> CalcMomentumDefects(const std::vector<const Impact*>& impacts,
                                                const solver::Body& body);

/// Scale of the defects against their sigmas: a Student distribution of 4 degrees of freedom,
/// chi_square_i = s^2 (squared radius of a standard one), fitted by iterative weights.
struct ScaleFit {
  double squared_scale = 0.0;  ///< s^2, near 1 for right sigmas
  double log_likelihood = 0.0;
  std::vector<double> weights;  ///< of each trial: near 1, small for outliers
};
ScaleFit FitScale(const std::vector<MomentumDefect>& defects);

/// Least squares on I dw = sum_a c_a r x (m dv_a e_a) over all impacts, a velocity axis at a time:
/// every c_a is 1 for good data; one near -1 belongs to an axis that is mirrored against rotation,
/// all alike but not 1 to a wrong inertia. NaN for an axis without motion.
Eigen::Vector3d RegressMomentum(const std::vector<const Impact*>& impacts,
                                const solver::Body& body);

/// What would have to change in a table: quantity' = scale * quantity + add.
struct ColumnEdit {
  std::string quantity;
  double scale = 1.0;
  double add = 0.0;
};

/// A single mistake that the momentum defects may point to.
struct Correction {
  std::string text = {};               ///< "with vx of the opposite sign (...)"; empty: no mistake
  std::vector<ColumnEdit> edits = {};  ///< of columns; or
  std::string body_edit = {};          ///< of the body, as in a description: "inertia: [...]"
  double value = 0.0;                  ///< the factor or constant estimated, if any
  double sigma = 0.0;                  ///< of it
  double chi_square = 0.0;             ///< with the correction
  double squared_scale = 0.0;   ///< of the defects against their sigmas; outliers count little
  int num_parameters = 0;       ///< of the correction
  double log_likelihood = 0.0;  ///< of the defects, with parameters counted (BIC)
  /// ln |d(defect) / d(dw)| against that without correction, so that likelihoods are of the same
  /// data.
  double log_jacobian = 0.0;
  double probability = 0.0;  ///< among all corrections and none, each as likely beforehand
  std::function<void(impacts::ImpactRecord&)> apply_record = {};  ///< may be empty
  std::function<void(solver::Body&)> apply_body = {};             ///< may be empty
};

/// All single corrections tried, most probable first; one of them is "none" with an empty text:
///   - signs: w, v or r of one axis mirrored;
///   - inertia: about one body axis, or as a whole, by a factor;
///   - mass centre: elsewhere in the body, while arms and velocities are of the place stated; also
///     with another inertia as a whole, if that is 1000 times as probable as any single mistake;
///   - constants: a velocity component after the impact short of a constant (gravity over some
///     frames);
///   - units: w in degrees or revolutions, r in millimetres.
///
/// Likelihood: the defects follow a Student distribution of 4 degrees of freedom whose scale is
/// estimated, so that neither sigmas that are wrong together nor some outliers decide. A correction
/// that leaves impacts which do not approach, are pulled, or touch above their centre is less
/// probable by 1000 for each.
std::vector<Correction> TestCorrections(const std::vector<const Impact*>& impacts,
                                        const solver::Body& body);

}  // namespace percuss::fitting
