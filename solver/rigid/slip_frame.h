// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cmath>

#include "solver/body/scalar.h"
#include "solver/contact/contact.h"
#include "solver/rigid/slip_motion.h"

namespace percuss::solver {

/// The axes of chatterjee1997 chapter 2, seen from the contact frame (t1, t2, n):
///     1 = n,   2 = against the incoming slip,   3 = n x 2,
/// so that the velocity before the impact is (-normal_speed, -slip_speed, 0). Axes 2 and 3 are
/// tangents and turn with the slip; they carry its derivatives.
///
/// Without slip (slower than rounding, 1e-12 |u|) axis 2 is against the slip that a normal impulse
/// would start, -A_tn / |A_tn|, and t1 if there is no such coupling either.
template <typename T>
struct SlipFrame {
  Vector2<T> against_slip;
  Vector2<T> across;
  T normal_speed;  ///< v_n = -u_n [m/s]
  T slip_speed;    ///< v_t = |u_t| [m/s]

  /// From components along axes 1, 2, 3 to components along t1, t2, n.
  Eigen::Matrix<T, 3, 1> ToContactFrame(const T& along_1, const T& along_2,
                                        const T& along_3) const {
    Eigen::Matrix<T, 3, 1> vector;
    vector << against_slip * along_2 + across * along_3, along_1;
    return vector;
  }
};

template <typename T>
SlipFrame<T> SlipFrameOf(const Contact<T>& contact) {
  using std::sqrt;
  constexpr double kRounding = 1e-12;
  const Vector2<T> slip = contact.velocity.template head<2>();
  const Vector2<T> coupling = contact.inverse_mass.template topRightCorner<2, 1>();
  const bool slips = Value(slip).norm() > kRounding * Value(contact.velocity).norm();
  const bool couples = Value(coupling).norm() > kRounding * Value(contact.inverse_mass).norm();
  SlipFrame<T> frame;
  if (slips || couples) {
    const Vector2<T>& direction = slips ? slip : coupling;
    frame.against_slip = -direction / sqrt(direction.squaredNorm());
  } else {
    frame.against_slip = Vector2<T>(T(1.0), T(0.0));
  }
  frame.across = Vector2<T>(-frame.against_slip[1], frame.against_slip[0]);
  frame.normal_speed = -contact.velocity[2];
  frame.slip_speed = -frame.against_slip.dot(slip);
  return frame;
}

}  // namespace percuss::solver
