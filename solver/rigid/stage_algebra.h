// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "solver/body/scalar.h"
#include "solver/law/impact_law.h"
#include "solver/rigid/slip_motion.h"

namespace percuss::solver {

/// What ends the restitution stage of the thesis; c and r are the stages.
enum class StageRestitution {
  kNewton,          ///< u_n' = -e u_n, printed in all seven planar cases; also (4.42)-(4.43)
  kImpulse,         ///< P_r = e P_c: Poisson's, and what (2.21) and (3.50) amount to
  kFullMassWork,    ///< P_r = e sqrt(m |u_n| P_c), first equality of (2.20); creates energy
  kEndVelocityWork  ///< u_n' P_r = e^2 |u_n| P_c, first equality of (2.22)
};

namespace internal {

/// Which tangential components reverse.
struct Flips {
  bool x = true, z = true;
};

/// The quadrant rule of sun2017 3.4.3, with z instead of x in its third line, for the directions
/// beta and delta of the vector r from the mass centre to the contact against the axes x and z:
///     beta <= pi/2, delta <= pi/2: both;   beta > pi/2, delta <= pi/2: x;
///     beta <= pi/2, delta > pi/2:  z;      both above pi/2, which it leaves out: both.
/// r is the direction in which a free body has the inverse mass 1/m, the smallest there is.
Flips FlipsOf(const Eigen::Matrix3d& inverse_mass);

/// Mass of the free body: its inverse is the smallest eigenvalue of the inverse contact mass, in
/// the plane as in space, because the rest, -[r]x I^-1 [r]x, is singular along r.
template <typename T, int kSize>
T FreeMass(const Eigen::Matrix<T, kSize, kSize>& inverse_mass) {
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, kSize, kSize>> eigen;
  eigen.computeDirect(Value(inverse_mass));
  const Eigen::Matrix<T, kSize, 1> along = eigen.eigenvectors().col(0).template cast<T>();
  return T(1.0) / along.dot(inverse_mass * along);
}

/// An impact as the thesis computes it: two stages, in each a linear system for the impulse. One
/// tangent in the plane, two in space.
template <typename T, int kTangents>
class StageAlgebra {
 public:
  using Tangent = Eigen::Matrix<T, kTangents, 1>;
  using TangentMatrix = Eigen::Matrix<T, kTangents, kTangents>;
  using Matrix = Eigen::Matrix<T, kTangents + 1, kTangents + 1>;
  using Vector = Eigen::Matrix<T, kTangents + 1, 1>;

  StageAlgebra(const Matrix& inverse_mass, const Vector& velocity, const T& mu, double mu_static,
               const T& e, StageRestitution restitution)
      : a_(inverse_mass),
        u_(velocity),
        mu_(mu),
        e_(e),
        first_u_n_(velocity[kTangents]),
        mu_static_(mu_static),
        restitution_(restitution),
        speed_(Value(velocity).norm()) {}

  /// Impulse, stage impulses, normal work, modes and case; the rest is left to the caller.
  ImpactResult<T> Solve() {
    const bool at_rest = AtRest();
    ContactMode mode = ContactMode::kSlip;
    result_.compression_impulse = RunStage(mode);
    const ContactMode compression_mode = mode;
    u_[kTangents] = T(0);
    compressing_ = false;
    result_.restitution_impulse = RunStage(mode);
    result_.sun_case = Case(at_rest, compression_mode, mode);
    for (int i = 0; i < kTangents; ++i) result_.impulse[i] = impulse_[i];
    result_.impulse[2] = impulse_[kTangents];
    return result_;
  }

 private:
  /// u_n = offset + rise p where the stage ends after the normal impulse p.
  struct Line {
    T offset, rise;
  };

  Tangent Slip() const { return u_.template head<kTangents>(); }
  TangentMatrix A_tt() const { return a_.template topLeftCorner<kTangents, kTangents>(); }
  Tangent A_tn() const { return a_.template topRightCorner<kTangents, 1>(); }
  // Slower than rounding of a velocity computed from v + w x r is no slip.
  bool AtRest() const { return Value(Slip()).norm() <= 1e-12 * speed_; }

  /// One stage in one go if slip keeps its quadrant; if not, sticking, or else reversed slip.
  /// Returns its normal impulse and leaves in `mode` what the next stage begins with.
  T RunStage(ContactMode& mode) {
    const T before = impulse_[kTangents];
    if (mode != ContactMode::kStick && AtRest()) {
      for (int i = 0; i < kTangents; ++i) u_[i] -= Value(u_[i]);  // only derivatives are left
      if (Holds()) {
        mode = ContactMode::kStick;
      } else if (!compressing_) {
        mode = ContactMode::kReverseSlip;
      }
    }
    if (mode == ContactMode::kStick) {
      Stick(T(0), Tangent::Zero());
    } else {
      const Tangent along = Direction();
      const Line slide{u_[kTangents], RiseAlong(along)};
      const T p = End(slide);
      const bool ends = Ends(slide);
      const Tangent rate = A_tn() - mu_ * (A_tt() * along);
      if (ends && (mode == ContactMode::kReverseSlip || !ChangesSign(Slip() + rate * p))) {
        Advance(p, -mu_ * p * along, mode);
      } else {
        mode = StopSlip(mode, along, rate, slide);
      }
    }
    return impulse_[kTangents] - before;
  }

  ContactMode StopSlip(ContactMode mode, const Tangent& along, const Tangent& rate,
                       const Line& slide) {
    const T stop = StopOfLarger(rate);
    if (mode == ContactMode::kSlip && Sticks(stop, along)) {
      Stick(stop, along);
      return ContactMode::kStick;
    }
    const Tangent flipped = Flipped(along);
    const T rise = RiseAlong(flipped);
    const Line reversed{slide.offset + (slide.rise - rise) * stop, rise};
    const bool stops = std::isfinite(Value(stop));
    if (stops && Ends(reversed) && Value(End(reversed)) >= Value(stop)) {
      const T rest = End(reversed) - stop;
      Advance(stop, -mu_ * stop * along, ContactMode::kSlip);
      Advance(rest, -mu_ * rest * flipped, ContactMode::kReverseSlip);
      return ContactMode::kReverseSlip;
    }
    if (Ends(slide)) {  // only the smaller component stops: no second part of the stage
      const T p = End(slide);
      Advance(p, -mu_ * p * along, ContactMode::kSlip);
      return ContactMode::kReverseSlip;
    }
    // Neither slide can end the stage.
    if (!(Value(End(StuckLine())) >= 0.0))
      u_.setConstant(T(std::numeric_limits<double>::quiet_NaN()));
    Stick(T(0), along);
    return ContactMode::kStick;
  }

  // phi of the thesis, frozen for the stage. From rest, slip starts in the one direction in which
  // it can grow.
  Tangent Direction() const {
    using std::sqrt;
    if (!AtRest()) return Slip() / sqrt(Slip().squaredNorm());
    if constexpr (kTangents == 1) {
      return Tangent::Constant(T(Value(a_(0, 1)) < 0.0 ? -1.0 : 1.0));
    } else {
      const ContactBlocks<double> values(Value(a_), Value(mu_));
      const Eigen::Vector2d along = ResumedSlipDirection(values);
      const Tangent across(T(-along.y()), T(along.x()));
      // A step of Newton's method, for the derivatives.
      const T turn = across.dot(A_tn() - mu_ * (A_tt() * along.template cast<T>()));
      return along.template cast<T>() - across * (turn / RatesAlong(values, along).turn_slope);
    }
  }

  Tangent Flipped(const Tangent& along) {
    if constexpr (kTangents == 1) return -along;
    if constexpr (kTangents == 2) {
      flips_ = FlipsOf(Value(a_));
      return Tangent(flips_.x ? -along[0] : along[0], flips_.z ? -along[1] : along[1]);
    }
  }

  T RiseAlong(const Tangent& along) const {
    return a_(kTangents, kTangents) - mu_ * A_tn().dot(along);
  }

  // A component without slip at first has no sign to change.
  bool ChangesSign(const Tangent& slip) const {
    for (int i = 0; i < kTangents; ++i) {
      const double from = Value(u_[i]);
      const double to = Value(slip[i]);
      const bool moves = std::min(std::abs(from), std::abs(to)) > 1e-12 * speed_;
      if (moves && from * to < 0.0) return true;
    }
    return false;
  }

  // Normal impulse until the component that was larger at first stops, infinity if it does not.
  T StopOfLarger(const Tangent& rate) const {
    int i = 0;
    if constexpr (kTangents == 2) i = std::abs(Value(u_[1])) > std::abs(Value(u_[0])) ? 1 : 0;
    if (!(Value(u_[i]) * Value(rate[i]) < 0.0)) return T(std::numeric_limits<double>::infinity());
    return -u_[i] / rate[i];
  }

  bool Holds() const {
    const double critical = (Value(A_tt()).inverse() * Value(A_tn())).norm();
    return mu_static_ >= critical * (1.0 - 1e-14);
  }

  Line StuckLine() const {
    const Tangent ratio = A_tt().inverse() * A_tn();
    return {u_[kTangents] - ratio.dot(Slip()), a_(kTangents, kTangents) - ratio.dot(A_tn())};
  }
  Tangent StuckImpulse(const T& p) const { return -(A_tt().inverse() * (Slip() + A_tn() * p)); }

  // Can friction stop all slip by the end of the stage, after a slide up to `stop`, and hold it?
  bool Sticks(const T& stop, const Tangent& along) const {
    if (!std::isfinite(Value(stop))) return false;
    const T p = End(StuckLine());
    const Tangent friction = StuckImpulse(p) + mu_ * stop * along;
    const double limit = mu_static_ * (Value(p) - Value(stop));
    const bool enough = Value(friction).norm() <= limit + 1e-12 * mu_static_ * Value(p);
    return Value(p) >= Value(stop) && enough && Holds();
  }

  void Stick(const T& stop, const Tangent& along) {
    const T p = End(StuckLine());
    const Tangent j = StuckImpulse(p);
    const Tangent slid = -mu_ * stop * along;
    if (Value(stop) > 0.0) Advance(stop, slid, ContactMode::kSlip);
    Advance(p - stop, j - slid, ContactMode::kStick);
    for (int i = 0; i < kTangents; ++i) u_[i] = T(0);
  }

  bool Ends(const Line& line) const {
    const bool given = !compressing_ && (restitution_ == StageRestitution::kImpulse ||
                                         restitution_ == StageRestitution::kFullMassWork);
    return given || Value(line.rise) > 0.0;
  }

  T End(const Line& line) const {
    using std::sqrt;
    if (compressing_) return -line.offset / line.rise;
    const T& p_c = result_.compression_impulse;
    switch (restitution_) {
      case StageRestitution::kNewton:
        return (-e_ * first_u_n_ - line.offset) / line.rise;
      case StageRestitution::kImpulse:
        return e_ * p_c;
      case StageRestitution::kFullMassWork:
        return e_ * sqrt(-FreeMass<T, kTangents + 1>(a_) * first_u_n_ * p_c);
      case StageRestitution::kEndVelocityWork:
        break;
    }
    if (Value(line.offset) == 0.0) return e_ * sqrt(-first_u_n_ * p_c / line.rise);
    const T work = -e_ * e_ * first_u_n_ * p_c;
    return T(2.0) * work /
           (line.offset + sqrt(line.offset * line.offset + T(4.0) * line.rise * work));
  }

  void Advance(const T& p, const Tangent& j, ContactMode mode) {
    Vector step;
    step << j, p;
    const Vector u = u_ + a_ * step;
    result_.energy.normal_work += p * (u_[kTangents] + u[kTangents]) * T(0.5);
    impulse_ += step;
    u_ = u;
    result_.modes.push_back(mode);
  }

  // Tables 2.2 and 3.1; the letter, in space only, says which components the rule reverses.
  std::string_view Case(bool at_rest, ContactMode compression, ContactMode last) const {
    if (at_rest) return last == ContactMode::kStick ? "5" : "6";
    const bool early = compression != ContactMode::kSlip;
    if (last == ContactMode::kSlip) return "0";
    if (last == ContactMode::kStick && compression != ContactMode::kReverseSlip)
      return early ? "1" : "3";
    if (kTangents == 1) return early ? "2" : "4";
    if (flips_.x && flips_.z) return early ? "2c" : "4c";
    if (flips_.x) return early ? "2b" : "4b";
    return early ? "2a" : "4a";
  }

  Matrix a_;
  Vector u_;
  T mu_, e_, first_u_n_;
  double mu_static_;
  StageRestitution restitution_;
  double speed_;

  Vector impulse_ = Vector::Zero();
  ImpactResult<T> result_;
  Flips flips_;
  bool compressing_ = true;
};

}  // namespace internal
}  // namespace percuss::solver
