// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>

#include "base/value_with_sigma.h"
#include "impacts/impact_record.h"
#include "solver/body/rigid_body.h"

namespace percuss::impacts {

/// What is tabulated of rock falls (Wang et al., Nat. Hazards Earth Syst. Sci. 18, 3045, 2018;
/// RocFall, lumped mass model), of the velocity v of the mass centre before and v' after, split by
/// the surface normal n into v.n and the rest v_t, with t = v_t / |v_t|:
///
///     normal     R_n = -(v'.n) / (v.n)
///     tangential R_t = (v'.t) / |v_t|, negative where the body comes back (others print |v_t'| /
///     |v_t|) speed      R_v = |v'| / |v| energy     R_E = (m |v'|^2 + w'.I w') / (m |v|^2 + w.I w)
///     impact_angle = atan(-(v.n) / |v_t|), between v and the surface: 90 degrees is a vertical
///     drop
///
/// None of them is the e or the mu of an impact law: those are of the contact point. R_n of a body
/// that turns can exceed 1.
///
/// A ratio whose denominator (v.n, |v_t|, |v|, the energy) is not above three of its sigmas is NaN;
/// without a covariance, one below a billionth of |v| (of the energy: 0). So is R_n of a mass
/// centre that does not approach, and whatever needs a velocity that nobody measured
/// (kUnmeasuredSigma).
struct RestitutionRatios {
  ValueWithSigma impact_speed;      ///< [m/s]
  ValueWithSigma impact_angle_deg;  ///< [degrees]
  ValueWithSigma normal, tangential, speed, energy;
};

/// A column of the ratios in tables; that of the sigma is sigma_<name>.
struct RatioColumn {
  const char* name;
  ValueWithSigma RestitutionRatios::*value;
};
inline constexpr std::array<RatioColumn, 6> kRatioColumns = {
    {{"impact_speed", &RestitutionRatios::impact_speed},
     {"impact_angle_deg", &RestitutionRatios::impact_angle_deg},
     {"R_n", &RestitutionRatios::normal},
     {"R_t", &RestitutionRatios::tangential},
     {"R_v", &RestitutionRatios::speed},
     {"R_E", &RestitutionRatios::energy}}};

/// The ratios of one impact. Sigmas are of first order, from the covariance of the record with all
/// its correlations, and of R_E from the inertia too, as far as trials share its error; NaN without
/// a covariance.
///
/// @param body mass [kg] and inertia about the mass centre, body axes [kg m^2]; without a mass, R_E
/// is NaN.
/// @param shared ImpactTable::calibration_covariance, to which the sensitivities of the record
/// belong.
RestitutionRatios CalcRestitutionRatios(const ImpactRecord& record, const solver::Body& body,
                                        const Eigen::MatrixXd& shared = {});

/// The ratios that a table states in columns of these names (ImpactRecord::extra); NaN where it
/// does not, or where a cell holds no number.
RestitutionRatios StatedRatios(const ImpactRecord& record);

}  // namespace percuss::impacts
