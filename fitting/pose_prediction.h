// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fitting/model/prepared_impacts.h"
#include "fitting/result/findings.h"
#include "fitting/result/parameter_model.h"
#include "impacts/pose_prior.h"

namespace percuss::fitting {

struct PosePredictionOptions {
  int num_draws = 20000;  ///< of each impact
  unsigned seed = 1;
};

/// What a law predicts of impacts whose orientation, and with it the contact point, nobody
/// measured. Each draw takes
///   - the pose from its prior; the contact is the lowest point of the body along the normal. Poses
///     in which it does not approach the surface are left out: there was an impact;
///   - the state before the impact, measured minus an error from its covariance, and the given
///     parameters of the law from their sigmas, within the bounds of the law;
///   - the velocities that the law then predicts, plus the errors of their measurement.
/// So an interval is where the measurement lies with 95 % if law, sigmas and prior are right. The
/// velocities measured after the impact are not used. Energies are those in the pose of the draw;
/// the measured share lost is that in the orientation of the record.
///
/// Beside it, PosePrediction::given_impulse: with the measured jumps dv, dw, each pose has the
/// weight
///     exp(-a^T C^-1 a / 2) / sqrt(det C),   a = I dw - r x (m dv),
/// C the covariance of a from the errors of the velocities (CalcMomentumDefect). It says what the
/// law makes of the poses that the impulse asks for, and is a comparison, no prediction. The
/// measured share lost is there the weighted median over these poses.
///
/// @param given all parameters of the law; otherwise LawPosePredictions::reason says which are
///   missing. Optional ones may be among them.
/// @throws std::invalid_argument for an unknown law, or less than 100 draws.
LawPosePredictions PredictOverPoses(const std::string& law, const PreparedImpacts& data,
                                    const GivenParameters& given, const impacts::PosePriors& priors,
                                    const PosePredictionOptions& options = {});

}  // namespace percuss::fitting
