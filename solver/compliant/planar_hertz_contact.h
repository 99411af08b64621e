// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "solver/compliant/planar_point_contact.h"
#include "solver/integration/event_integrator.h"

namespace percuss::solver::internal {

/// A lossless Hertz contact in one plane, F_n = d^(3/2), in the units of PointContactModel. The
/// measure of compression is y = d^(1/2), the clock dt = 2 y ds, so that all rates are polynomials.
template <typename T>
class PlanarHertzSystem : public PlanarPointSystem<T> {
 public:
  using Base = PlanarPointSystem<T>;
  static constexpr std::size_t kSize = 4, kEvents = 4;
  using State = std::array<T, kSize>;

  /// @param contact with nn = 1 and u_n = -1
  PlanarHertzSystem(const PlanarContact<T>& contact, const PointContactModel<T>& model)
      : Base(contact, model) {}

  T NormalForce(const State& z) const {
    const T& y = z[Base::kCompression];
    return y * y * y;
  }

  State Rate(const State& z) const {
    const T& y = z[Base::kCompression];
    const T u_n = this->NormalVelocity(z), n = NormalForce(z), twice = y + y;
    State rate{-u_n, this->TangentialForce(z[Base::kSpring], n) * twice, n * twice, T(0)};
    if (this->friction == PlanarFriction::kSpringStick) {
      rate[Base::kSpring] = T(3) * y * y * this->stiffness_ * this->Slip(z);
      // The area shrinks, and the force with it.
      if (this->expanding) rate[Base::kSpring] -= z[Base::kSpring] * u_n / NotZero(y);
    }
    return rate;
  }

  T Event(std::size_t event, const State& z) const {
    if (event == Base::kEnd) return this->expanding ? T(-z[Base::kCompression]) : T(-1);
    if (event == Base::kTurn) {
      const T u_n = this->NormalVelocity(z);
      return this->expanding ? T(-u_n) : u_n;
    }
    if (this->friction == PlanarFriction::kSpringStick && this->spring_resists()) {
      const T limit = this->mu_ * NormalForce(z);
      const T& spring = z[Base::kSpring];
      return event == Base::kFrictionChange ? T(spring - limit) : T(-spring - limit);
    }
    if (event == Base::kOtherFrictionChange) return T(-1);
    if (this->friction == PlanarFriction::kRigidSlip) return this->force_ratio * this->Slip(z);
    if (this->friction == PlanarFriction::kSpringSlip) return -PointSlip(z, this->slip_sign);
    return T(-1);
  }

  /// Velocity of the point along the spring's force while it slips along `sign`: the spring follows
  /// the cone, T = sign mu F_n. Of the rate of F_n, 3 y^2 y', the shrinking area takes y^2 y'.
  T PointSlip(const State& z, int sign) const {
    const double share = this->expanding ? 2.0 / 3.0 : 1.0;
    return this->Slip(z) * static_cast<double>(sign) +
           this->mu_ * this->NormalVelocity(z) * share / this->stiffness_;
  }

  /// int F_n u_n dt from touch, -2/5 d^(5/2).
  T NormalWork(const State& z) const {
    const T& y = z[Base::kCompression];
    return y * y * NormalForce(z) * (-0.4);
  }

 private:
  static T NotZero(const T& y) { return Value(y) == 0.0 ? T(y + 1e-100) : y; }
};

/// IntegratePointContact for a lossless Hertz contact in the plane of a tangent, see PlaneOf.
template <typename T>
ImpactResult<T> SolvePlanarHertz(const Contact<T>& contact, const Eigen::Vector2d& tangent,
                                 const PointContactModel<T>& model,
                                 const PointContactModel<double>& values,
                                 const ContactOptions& options) {
  using Integrator = EventIntegrator<PlanarHertzSystem, T>;
  const PlanarContact<T> scaled = Scaled(contact, tangent);
  return PlanarPointContact<Integrator, T>(contact, tangent, model, options.max_steps,
                                           Integrator({scaled, model}, {ValueOf(scaled), values},
                                                      {T(0), T(0), T(0), T(0)}, options.tolerance))
      .Solve();
}

}  // namespace percuss::solver::internal
