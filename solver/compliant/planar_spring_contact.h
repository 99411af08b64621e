// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "solver/compliant/planar_point_contact.h"
#include "solver/integration/linear_event_integrator.h"

namespace percuss::solver::internal {

/// Linear elements in one plane, in the units of PointContactModel: between two events the motion
/// is linear. The measure of compression is d.
template <typename T>
class PlanarSpringSystem : public PlanarPointSystem<T> {
 public:
  using Base = PlanarPointSystem<T>;
  static constexpr std::size_t kSize = 4, kEvents = 5;
  using State = std::array<T, kSize>;

  /// @param contact with nn = 1 and u_n = -1
  PlanarSpringSystem(const PlanarContact<T>& contact, const PointContactModel<T>& model)
      : Base(contact, model),
        damping_(T(2) * model.damping_ratio),
        damped_(Value(damping_) != 0.0 || LargestDerivative(damping_) != 0.0),
        end_(model.end),
        unloading_(model.unloading),
        e_squared_(model.e * model.e) {}

  T NormalForce(const State& z, double one = 1.0) const {
    const T& d = z[Base::kCompression];
    const T elastic = this->expanding && unloading_ == Unloading::kDrop ? T(e_squared_ * d) : d;
    return !damped_ ? elastic : T(elastic - damping_ * this->NormalVelocity(z, one));
  }

  State Rate(const State& z, double one) const {
    const T u_n = this->NormalVelocity(z, one);
    const T n = NormalForce(z, one);
    const bool stretches = this->friction == PlanarFriction::kSpringStick;
    return {CompressionRate(u_n), this->TangentialForce(z[Base::kSpring], n), n,
            stretches ? T(this->stiffness_ * this->Slip(z, one)) : T(0)};
  }

  /// The normal power.
  std::pair<T, T> Power(const State& z, double one) const {
    return {NormalForce(z, one), this->NormalVelocity(z, one)};
  }

  bool IsPossible(std::size_t event) const {
    if (event == Base::kEnd) return this->expanding;
    if (event == Base::kTurn) return true;
    if (event == Base::kFrictionChange || event == Base::kOtherFrictionChange) {
      if (this->friction == PlanarFriction::kSpringStick) return this->spring_resists();
      return event == Base::kFrictionChange && (this->friction == PlanarFriction::kRigidSlip ||
                                                this->friction == PlanarFriction::kSpringSlip);
    }
    return this->expanding && this->friction != PlanarFriction::kNone &&
           end_ == ContactEnd::kZeroCompression && Value(damping_) > 0.0;
  }

  T Event(std::size_t event, const State& z, double one) const {
    if (event == Base::kEnd) {
      return end_ == ContactEnd::kZeroForce ? T(-NormalForce(z, one)) : T(-z[Base::kCompression]);
    }
    if (event == Base::kTurn) {
      const T u_n = this->NormalVelocity(z, one);
      return this->expanding ? T(-u_n) : u_n;
    }
    if (event == Base::kPull) return -NormalForce(z, one);
    if (this->friction == PlanarFriction::kRigidSlip) return this->force_ratio * this->Slip(z, one);
    if (this->friction == PlanarFriction::kSpringSlip) return -PointSlip(z, this->slip_sign, one);
    const T limit = this->mu_ * NormalForce(z, one);
    const T& spring = z[Base::kSpring];
    return event == Base::kFrictionChange ? T(spring - limit) : T(-spring - limit);
  }

  /// Velocity of the point along the spring's force while it slips along `sign`: the spring follows
  /// the cone, T = sign mu F_n.
  T PointSlip(const State& z, int sign, double one = 1.0) const {
    const T u_n = this->NormalVelocity(z, one);
    T force_rate = CompressionRate(u_n);
    if (this->expanding && unloading_ == Unloading::kDrop) force_rate *= e_squared_;
    if (damped_) {
      const T n = NormalForce(z, one);
      const PlanarContact<T>& a = this->contact_;
      force_rate -= damping_ * (a.tn * this->TangentialForce(z[Base::kSpring], n) + a.nn * n);
    }
    return this->Slip(z, one) * static_cast<double>(sign) -
           this->mu_ * force_rate / this->stiffness_;
  }

 private:
  T CompressionRate(const T& u_n) const {
    return this->expanding && unloading_ == Unloading::kSteep ? T(-u_n / e_squared_) : T(-u_n);
  }

  T damping_;
  bool damped_;
  ContactEnd end_;
  Unloading unloading_;
  T e_squared_;
};

/// IntegratePointContact for linear elements in the plane of a tangent, see PlaneOf.
template <typename T>
ImpactResult<T> SolvePlanarSpring(const Contact<T>& contact, const Eigen::Vector2d& tangent,
                                  const PointContactModel<T>& model,
                                  const PointContactModel<double>& values, int max_steps) {
  using Integrator = LinearEventIntegrator<PlanarSpringSystem, T>;
  const PlanarContact<T> scaled = Scaled(contact, tangent);
  return PlanarPointContact<Integrator, T>(
             contact, tangent, model, max_steps,
             Integrator({scaled, model}, {ValueOf(scaled), values}, {T(0), T(0), T(0), T(0)}))
      .Solve();
}

}  // namespace percuss::solver::internal
