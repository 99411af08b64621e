// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace percuss::fitting {

// Collisions of flat pucks with a fixed plate or another puck on an air table, photographed by a
// strobe lamp: two marks on the puck at two flashes before and two after the impact (chatterjee1997
// chapter 11). Motion in the plane of the picture; x, y in metres, angles from x to y. A picture
// with y downwards is fine if the places on the puck are given with the same handedness.

/// A round puck that is struck.
struct OtherPuck {
  double mass = 0.0;     ///< [kg]
  double inertia = 0.0;  ///< about the mass centre [kg m^2]
  double radius = 0.0;   ///< [m]
  std::array<Eigen::Vector2d, 2> marks_B = {Eigen::Vector2d::Zero(), Eigen::Vector2d::Zero()};
};

/// A puck, the plate and the lamp.
struct PuckSetup {
  double mass = 0.0;     ///< [kg]
  double inertia = 0.0;  ///< about the mass centre [kg m^2]
  double radius = 0.0;   ///< of the round rim [m]
  /// Centre of the rim's arc from the mass centre, in axes of the puck; zero for a disc.
  Eigen::Vector2d arc_centre_B = Eigen::Vector2d::Zero();
  /// The marks from the mass centre, in axes of the puck.
  std::array<Eigen::Vector2d, 2> marks_B = {Eigen::Vector2d::Zero(), Eigen::Vector2d::Zero()};
  Eigen::Vector2d normal = Eigen::Vector2d::UnitY();  ///< of the plate's edge, towards the puck
  /// normal . x on the plate's edge [m]; only needed if arc_centre_B is not zero, where the
  /// orientation at the impact tells the contact point.
  double plate_offset = std::numeric_limits<double>::quiet_NaN();
  double flash_interval = 0.0;  ///< [s]; half a turn or more between flashes cannot be told
  /// Struck instead of the plate, whose normal and offset are then not used. Both are round.
  std::optional<OtherPuck> other = {};
};

/// Picture coordinates, for flash 0 to 3 and mark 0 to 1: x is entry 4 flash + 2 mark, y the next.
/// Those of the other puck follow in the same order.
using PuckMarks = Eigen::VectorXd;
int NumPuckCoordinates(const PuckSetup& setup);  ///< 16, or 32 with another puck

/// One puck that meets a fixed plate as the two meet each other, with the velocity of the contact
/// point relative to the other puck's:
///     1 / m = 1 / m_1 + 1 / m_2,   R^2 / I = R_1^2 / I_1 + R_2^2 / I_2,   R = R_1,
///     v = v_1 - v_2,   w = w_1 + w_2 R_2 / R_1,
/// in axes whose y is the normal as it was measured, so that its errors are in those of v. What it
/// loses in an impact is what both lose. Without another puck: `setup`.
PuckSetup EquivalentPuck(const PuckSetup& setup);

/// N is along the normal, T along the tangent against the incoming slip: V_T <= 0 before the
/// impact. V is the velocity of the contact point, P the impulse on the puck.
enum PuckQuantity {
  kIncidence,           ///< theta = atan(V_T / V_N) before the impact; 0 is head-on [rad]
  kRestitution,         ///< e_n = -V_N' / V_N
  kImpulseRatio,        ///< P_T / P_N with P = M (V' - V), M the contact mass
  kMassCentreRatio,     ///< the same from P = m dv alone, which needs neither spin nor inertia
  kTangentRebound,      ///< tan(phi) = -V_T' / V_N'; tan(theta) / e_n without friction
  kTangentialVelocity,  ///< V_T' / |V|
  kNormalImpulse,       ///< P_N [N s]
  kTangentialImpulse,   ///< P_T [N s]
  kEnergyLoss,          ///< of the kinetic energy before the impact; of two pucks the relative one
  kMomentumMismatch,    ///< (I dw - r x m dv) / (|r| m |dv|); 0 for one impulse at the contact
  /// psi, from the way contact point to mass centre to the impulse, towards T [rad] (Fig. 11.36)
  kImpulseOffCentre,
  kMarkDistance,  ///< measured over stated, mean of the flashes; 1 if the scale is right
  kNumPuckQuantities
};
std::string_view PuckQuantityName(PuckQuantity quantity);

struct PuckEstimate {
  double value = 0.0;
  double sigma = 0.0;  ///< from independent picking errors
  double bound = 0.0;  ///< worst case: h sum_i |df / dq_i| over all coordinates, first order
};

/// Of v (2), w, v_post (2), w_post and r (2).
using PuckCovariance = Eigen::Matrix<double, 8, 8>;

/// Of two pucks, v, w, v_post, w_post and r are those of EquivalentPuck.
struct PuckReduction {
  Eigen::Vector2d v = Eigen::Vector2d::Zero(), v_post = Eigen::Vector2d::Zero();  ///< [m/s]
  double w = 0.0, w_post = 0.0;                                                   ///< [rad/s]
  Eigen::Vector2d r = Eigen::Vector2d::Zero();        ///< mass centre to contact point [m]
  Eigen::Vector2d tangent = Eigen::Vector2d::Zero();  ///< T
  std::array<PuckEstimate, kNumPuckQuantities> estimates;
  /// Of (v, w, v_post, w_post, r) from independent picking errors, as sigma.
  PuckCovariance covariance = PuckCovariance::Zero();
  /// Near-grazing incidence, where the bound to first order is too small; empty when fine.
  std::string warning;
};

/// States, impulse and restitution from the coordinates [m], with both kinds of error for marks
/// picked to +- `precision` [m]: sigma takes errors as spread evenly over that range, the
/// bound takes h = 2 precision for every coordinate, since now and then a point is off by twice the
/// precision.
/// @throws std::invalid_argument quoting field, value and bound for the setup;
/// The normal between two pucks is the line of their centres where they touch, flown on from the
/// second flash: an error of theirs turns it, the more the farther from head-on.
/// @throws DataError if the contact point does not approach, or a half puck does not reach the
/// plate, or two pucks each other, between the second and the third flash.
PuckReduction ReducePuckMarks(const PuckSetup& setup, const PuckMarks& marks, double precision);

}  // namespace percuss::fitting
