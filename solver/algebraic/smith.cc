// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/algebraic/smith.h"

#include <algorithm>

#include "solver/law/common_parameters.h"

namespace percuss::solver {
namespace internal {
namespace {

// The solutions of Smith's conditions for every friction angle, mu = tan(angle):
//     residual(x, angle) = cos(angle) P_t + sin(angle) P_n h(x) = 0,
// a curve in (x, angle), x the change of slip. The slip after the impact is carried along with it,
// so that neither cancels: x at grazing incidence, the slip where it is small before the impact.
class SmithCurve {
 public:
  struct Point {
    Eigen::Vector2d x, after;
    double angle;
  };
  struct Conditions {
    Eigen::Vector2d residual;
    Eigen::Matrix2d by_x;
    Eigen::Vector2d by_angle;
    double normal_impulse;
  };

  SmithCurve(const Contact<double>& contact, double e)
      : mass_(contact.inverse_mass.llt().solve(Eigen::Matrix3d::Identity())),
        slip_(contact.velocity.head<2>()),
        u_n_change_(-(1.0 + e) * contact.velocity[2]) {
    const Eigen::Matrix3d& a = contact.inverse_mass;
    const double normal = u_n_change_ / a(2, 2);
    start_ = a.topRightCorner<2, 1>() * normal;
    unit_ = a.leftCols<2>().norm() * normal;
    tolerance_ = std::max(1e-15, 1e-4 * std::min(1.0, slip_.norm() / unit_));
  }

  Conditions At(const Point& at) const {
    const Eigen::Vector2d& after = at.after;
    const Eigen::Vector2d coupling = mass_.topRightCorner<2, 1>();
    const Eigen::Vector2d tangential = mass_.topLeftCorner<2, 2>() * at.x + coupling * u_n_change_;
    const double normal = coupling.dot(at.x) + mass_(2, 2) * u_n_change_;
    const double weight = slip_.squaredNorm() + after.squaredNorm();
    const double speed = after.norm();
    const Eigen::Vector2d h = (slip_.norm() * slip_ + speed * after) / weight;
    Eigen::Matrix2d h_by_x = speed * Eigen::Matrix2d::Identity() - 2.0 * h * after.transpose();
    if (speed > 0.0) h_by_x += after * after.transpose() / speed;
    h_by_x /= weight;
    const double c = std::cos(at.angle), s = std::sin(at.angle);
    return {
        .residual = c * tangential + s * normal * h,
        .by_x = c * mass_.topLeftCorner<2, 2>() + s * (h * coupling.transpose() + normal * h_by_x),
        .by_angle = c * normal * h - s * tangential,
        .normal_impulse = normal};
  }

  /// Of distances: rounding, but well below the change of slip in which friction turns round.
  double Tolerance() const { return tolerance_; }
  /// The frictionless impact.
  Point Start() const { return {start_, slip_ + start_, 0.0}; }

  // Steps, tangents and distances have the slip in a natural unit of its change.
  Point Moved(const Point& from, const Eigen::Vector3d& by) const {
    const Eigen::Vector2d x = unit_ * by.head<2>();
    return {from.x + x, from.after + x, from.angle + by[2]};
  }
  Eigen::Vector3d Difference(const Point& to, const Point& from) const {
    const Eigen::Vector2d x = (to.x - from.x) / unit_;
    return {x[0], x[1], to.angle - from.angle};
  }
  // Unit tangent. The cross product keeps its sense along the curve.
  Eigen::Vector3d Tangent(const Conditions& at) const {
    const Eigen::Vector3d first(at.by_x(0, 0) * unit_, at.by_x(0, 1) * unit_, at.by_angle[0]);
    const Eigen::Vector3d second(at.by_x(1, 0) * unit_, at.by_x(1, 1) * unit_, at.by_angle[1]);
    return first.normalized().cross(second.normalized()).normalized();
  }

  // Newton's method in the plane across `normal`; the number of steps, 0 if it does not converge.
  int Correct(const Eigen::Vector3d& normal, Point& point) const {
    constexpr int kMaxSteps = 8;
    for (int k = 1; k <= kMaxSteps; ++k) {
      const Conditions at = At(point);
      Eigen::Matrix3d matrix;
      matrix << at.by_x * unit_, at.by_angle, normal.transpose() * at.normal_impulse;
      const Eigen::Vector3d rhs(-at.residual[0], -at.residual[1], 0.0);
      const Eigen::Vector3d step = matrix.partialPivLu().solve(rhs);
      if (!step.allFinite()) return 0;
      point = Moved(point, step);
      if (step.norm() < tolerance_) return k;
    }
    return 0;
  }

  // Newton's method in x alone, for the last digits; false if there are none to be had.
  bool Polish(Point& point) const {
    constexpr int kSteps = 4;
    Eigen::Vector2d step;
    for (int k = 0; k < kSteps; ++k) {
      const Conditions at = At(point);
      step = -(at.by_x.inverse() * at.residual);
      point.x += step;
      point.after += step;
    }
    return step.norm() <= tolerance_ * unit_;
  }

 private:
  Eigen::Matrix3d mass_;
  Eigen::Vector2d slip_, start_;
  double u_n_change_, unit_, tolerance_;
};

// Follows the curve from angle 0 to `angle` with steps along its tangent. A step is halved until
// the curve is found close by, with little change of direction and on the side where P_n > 0 and mu
// > 0, which the curve never leaves.
std::optional<SmithCurve::Point> Follow(const SmithCurve& curve, double angle) {
  constexpr int kMaxSteps = 5000;  // about ten are usual
  SmithCurve::Point at = curve.Start();
  Eigen::Vector3d tangent = curve.Tangent(curve.At(at));
  double length = 0.1;
  for (int k = 0; k < kMaxSteps && length > 0.01 * curve.Tolerance(); ++k) {
    const double missing = (angle - at.angle) / tangent[2];
    const bool arrives = missing >= 0.0 && missing <= length;
    const double step = arrives ? missing : length;
    const SmithCurve::Point predicted = curve.Moved(at, step * tangent);
    SmithCurve::Point next = predicted;
    const int corrections = curve.Correct(arrives ? Eigen::Vector3d::UnitZ() : tangent, next);
    const SmithCurve::Conditions there = curve.At(next);
    const Eigen::Vector3d turned = curve.Tangent(there);
    const double off = curve.Difference(next, predicted).norm();
    const double turn = turned.dot(tangent);
    const bool close = off <= 0.3 * step + curve.Tolerance() && turn > 0.9;
    const bool bend = step <= 100.0 * curve.Tolerance() && off <= 2.0 * step && turn > 0.0;
    const bool found =
        corrections > 0 && there.normal_impulse > 0.0 && next.angle >= 0.0 && (close || bend);
    const bool passes = !arrives && next.angle > angle;
    if (!found || passes) {
      length = 0.5 * step;
      continue;
    }
    if (arrives) return next;
    at = next;
    tangent = turned;
    if (corrections <= 3) length *= 2.0;
  }
  return std::nullopt;
}

}  // namespace

std::optional<SmithSolution> FollowSmithSolution(const Contact<double>& contact, double mu,
                                                 double e) {
  const SmithCurve curve(contact, e);
  std::optional<SmithCurve::Point> at = Follow(curve, std::atan(mu));
  if (!at) return std::nullopt;
  if (!curve.Polish(*at)) return std::nullopt;
  return SmithSolution{at->x, curve.At(*at).by_x / std::cos(at->angle)};
}

}  // namespace internal

const LawInfo& SmithLaw::Info() {
  static const LawInfo info{
      .name = "smith",
      .summary = "friction against a mean of initial and final slip, kinematic restitution",
      .source = "chatterjee1997 5.1.3, 10.3, (5.1), (6.3) (Smith 1991)",
      .parameters = {FrictionCoefficient(), KinematicRestitution()}};
  return info;
}

}  // namespace percuss::solver
