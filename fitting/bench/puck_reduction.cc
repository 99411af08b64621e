// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/bench/puck_reduction.h"

#include <fmt/core.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "base/error.h"

namespace percuss::fitting {
namespace {

using Eigen::Matrix2d;
using Eigen::Vector2d;
using Quantities = Eigen::Matrix<double, kNumPuckQuantities, 1>;

double Cross(const Vector2d& a, const Vector2d& b) { return a.x() * b.y() - a.y() * b.x(); }
Vector2d QuarterTurn(const Vector2d& a) { return {-a.y(), a.x()}; }

Vector2d Turned(double angle, const Vector2d& a) {
  return std::cos(angle) * a + std::sin(angle) * QuarterTurn(a);
}

struct Pose {
  Vector2d centre;
  double angle;
  double mark_distance;
};

using MarksOfBody = std::array<Vector2d, 2>;

// The place of the puck that fits both marks best.
Pose FitPose(const MarksOfBody& marks_B, const Vector2d& first, const Vector2d& second) {
  const Vector2d line_B = marks_B[1] - marks_B[0];
  const Vector2d line = second - first;
  const double angle = std::atan2(Cross(line_B, line), line_B.dot(line));
  const Vector2d middle_B = 0.5 * (marks_B[0] + marks_B[1]);
  return {0.5 * (first + second) - Turned(angle, middle_B), angle, line.norm()};
}

// Of one puck between the first two flashes and the last two.
struct Flights {
  Vector2d v, v_post;
  double w, w_post;
  double mark_distance;  // mean over the stated one
  Pose last;             // at the second flash
};

// `first` is the place of the puck's first coordinate among the marks.
Flights CalcFlights(const MarksOfBody& marks_B, const PuckMarks& marks, int first, double dt) {
  std::array<Pose, 4> poses;
  double distance = 0.0;
  for (int flash = 0; flash < 4; ++flash) {
    const auto at = marks.segment<4>(first + 4 * flash);
    poses[flash] = FitPose(marks_B, at.head<2>(), at.tail<2>());
    distance += 0.25 * poses[flash].mark_distance;
  }
  const auto turn = [](double from, double to) {
    return std::remainder(to - from, 2.0 * std::numbers::pi);
  };
  return {.v = (poses[1].centre - poses[0].centre) / dt,
          .v_post = (poses[3].centre - poses[2].centre) / dt,
          .w = turn(poses[0].angle, poses[1].angle) / dt,
          .w_post = turn(poses[2].angle, poses[3].angle) / dt,
          .mark_distance = distance / (marks_B[1] - marks_B[0]).norm(),
          .last = poses[1]};
}

// Of the equivalent puck.
struct Motion {
  Vector2d v, v_post, r;
  double w, w_post;
  double mark_distance;  // mean over the stated one
};

void CheckTimeOfImpact(double time, double interval, const char* what) {
  const double slack = 0.1 * interval;  // picking errors
  if (time > -slack && time < interval + slack) return;
  throw DataError(fmt::format("{} after {:.4g} s from the second flash, allowed 0 to {:.4g}", what,
                              time, interval));
}

// Orientation at which the rim touches the plate, flying on from the second flash.
double ContactAngle(const PuckSetup& setup, const Pose& last, const Vector2d& v, double w) {
  double time = 0.5 * setup.flash_interval;
  for (int iteration = 0; iteration < 20; ++iteration) {
    const Vector2d arm = Turned(last.angle + w * time, setup.arc_centre_B);
    const double gap =
        setup.normal.dot(last.centre + v * time + arm) - setup.plate_offset - setup.radius;
    const double rate = setup.normal.dot(v + w * QuarterTurn(arm));
    const double step = -gap / rate;
    if (!std::isfinite(step)) break;
    time += step;
    if (std::abs(step) < 1e-14 * setup.flash_interval) break;
  }
  CheckTimeOfImpact(time, setup.flash_interval, "the puck reaches the plate");
  return last.angle + w * time;
}

// From the centre of the other puck to that of this one where they touch, as a unit vector:
// |d + v t| = R_1 + R_2 for the first time.
Vector2d NormalOfTouch(const PuckSetup& setup, const Vector2d& d, const Vector2d& v) {
  const double reach = setup.radius + setup.other->radius;
  const double approach = -d.dot(v), speed_squared = v.squaredNorm();
  const double root = approach * approach - speed_squared * (d.squaredNorm() - reach * reach);
  if (!(approach > 0.0 && root >= 0.0)) {
    throw DataError("the pucks do not meet as they move from the first to the second flash");
  }
  const double time = (approach - std::sqrt(root)) / speed_squared;
  CheckTimeOfImpact(time, setup.flash_interval, "the pucks touch");
  return (d + v * time).normalized();
}

Motion CalcMotion(const PuckSetup& setup, const PuckMarks& marks) {
  const Flights own = CalcFlights(setup.marks_B, marks, 0, setup.flash_interval);
  Motion motion{own.v, own.v_post, -setup.radius * setup.normal,
                own.w, own.w_post, own.mark_distance};
  if (setup.other) {
    const Flights other = CalcFlights(setup.other->marks_B, marks, 16, setup.flash_interval);
    const Vector2d v = own.v - other.v;
    const Vector2d n = NormalOfTouch(setup, own.last.centre - other.last.centre, v);
    const auto along_axes = [&](const Vector2d& a) { return Vector2d(Cross(a, n), a.dot(n)); };
    motion.v = along_axes(v);
    motion.v_post = along_axes(own.v_post - other.v_post);
    motion.r = -setup.radius * Vector2d::UnitY();
    const double share = setup.other->radius / setup.radius;
    motion.w += share * other.w;
    motion.w_post += share * other.w_post;
    motion.mark_distance = 0.5 * (own.mark_distance + other.mark_distance);
  }
  if (!setup.arc_centre_B.isZero()) {
    motion.r += Turned(ContactAngle(setup, own.last, motion.v, motion.w), setup.arc_centre_B);
  }
  return motion;
}

Vector2d ContactVelocity(const Motion& motion) {
  return motion.v + motion.w * QuarterTurn(motion.r);
}

Eigen::Matrix<double, 8, 1> ToVector(const Motion& motion) {
  Eigen::Matrix<double, 8, 1> vector;
  vector << motion.v, motion.w, motion.v_post, motion.w_post, motion.r;
  return vector;
}

Quantities CalcQuantities(const PuckSetup& setup, const Motion& motion, const Vector2d& tangent) {
  Matrix2d axes;  // rows N, T
  axes << setup.normal.transpose(), tangent.transpose();
  const Vector2d lever = axes * QuarterTurn(motion.r);
  const Vector2d V = axes * motion.v + motion.w * lever;
  const Vector2d V_post = axes * motion.v_post + motion.w_post * lever;
  const Matrix2d inverse_contact_mass =
      Matrix2d::Identity() / setup.mass + lever * lever.transpose() / setup.inertia;
  const Vector2d P = inverse_contact_mass.inverse() * (V_post - V);
  const Vector2d dv = motion.v_post - motion.v;
  const auto energy = [&](const Vector2d& v, double w) {
    return 0.5 * (setup.mass * v.squaredNorm() + setup.inertia * w * w);
  };
  Quantities q;
  q[kIncidence] = std::atan2(-V[1], -V[0]);
  q[kRestitution] = -V_post[0] / V[0];
  q[kImpulseRatio] = P[1] / P[0];
  q[kMassCentreRatio] = tangent.dot(dv) / setup.normal.dot(dv);
  q[kTangentRebound] = -V_post[1] / V_post[0];
  q[kTangentialVelocity] = V_post[1] / V.norm();
  q[kNormalImpulse] = P[0];
  q[kTangentialImpulse] = P[1];
  q[kEnergyLoss] = 1.0 - energy(motion.v_post, motion.w_post) / energy(motion.v, motion.w);
  q[kMomentumMismatch] =
      (setup.inertia * (motion.w_post - motion.w) - Cross(motion.r, setup.mass * dv)) /
      (motion.r.norm() * setup.mass * dv.norm());
  const Vector2d to_centre = -(axes * motion.r);
  q[kImpulseOffCentre] = std::atan2(Cross(to_centre, P), to_centre.dot(P));
  q[kMarkDistance] = motion.mark_distance;
  return q;
}

void CheckSetup(const PuckSetup& setup, const PuckMarks& marks, double precision) {
  const auto positive = [](std::string_view field, double value, std::string_view unit) {
    if (value > 0.0 && std::isfinite(value)) return;
    throw std::invalid_argument(
        fmt::format("{}: found {}, allowed above 0 {}", field, value, unit));
  };
  positive("mass", setup.mass, "kg");
  positive("inertia", setup.inertia, "kg m^2");
  positive("radius", setup.radius, "m");
  positive("flash_interval", setup.flash_interval, "s");
  positive("precision", precision, "m");
  positive("distance of the marks", (setup.marks_B[1] - setup.marks_B[0]).norm(), "m");
  if (!(std::abs(setup.normal.norm() - 1.0) < 1e-6)) {
    throw std::invalid_argument(
        fmt::format("normal: found a length of {}, allowed 1", setup.normal.norm()));
  }
  if (setup.other) {
    positive("mass of the other puck", setup.other->mass, "kg");
    positive("inertia of the other puck", setup.other->inertia, "kg m^2");
    positive("radius of the other puck", setup.other->radius, "m");
    positive("distance of the marks of the other puck",
             (setup.other->marks_B[1] - setup.other->marks_B[0]).norm(), "m");
    if (!setup.arc_centre_B.isZero()) {
      throw std::invalid_argument(
          "arc_centre: found one beside another puck, allowed none: both are round");
    }
  }
  if (marks.size() != NumPuckCoordinates(setup)) {
    throw std::invalid_argument(fmt::format("marks: found {} coordinates, allowed {}", marks.size(),
                                            NumPuckCoordinates(setup)));
  }
  if (!setup.arc_centre_B.allFinite()) {
    throw std::invalid_argument("arc_centre: found a number that is not finite");
  }
  if (!setup.arc_centre_B.isZero() && !std::isfinite(setup.plate_offset)) {
    throw std::invalid_argument(
        "plate_offset: found none, allowed a number where arc_centre is not zero");
  }
  if (!marks.allFinite()) {
    throw std::invalid_argument("marks: found a coordinate that is not finite");
  }
}

}  // namespace

std::string_view PuckQuantityName(PuckQuantity quantity) {
  constexpr std::array<std::string_view, kNumPuckQuantities> kNames = {
      "incidence",       "restitution",         "impulse_ratio",      "mass_centre_ratio",
      "tangent_rebound", "tangential_velocity", "normal_impulse",     "tangential_impulse",
      "energy_loss",     "momentum_mismatch",   "impulse_off_centre", "mark_distance"};
  return kNames[quantity];
}

int NumPuckCoordinates(const PuckSetup& setup) { return setup.other ? 32 : 16; }

PuckSetup EquivalentPuck(const PuckSetup& setup) {
  if (!setup.other) return setup;
  const auto squared = [](double x) { return x * x; };
  PuckSetup one = setup;
  one.other.reset();
  one.mass = 1.0 / (1.0 / setup.mass + 1.0 / setup.other->mass);
  one.normal = Vector2d::UnitY();
  one.inertia = squared(setup.radius) / (squared(setup.radius) / setup.inertia +
                                         squared(setup.other->radius) / setup.other->inertia);
  return one;
}

PuckReduction ReducePuckMarks(const PuckSetup& setup, const PuckMarks& marks, double precision) {
  CheckSetup(setup, marks, precision);
  const Motion motion = CalcMotion(setup, marks);
  const PuckSetup equivalent = EquivalentPuck(setup);
  const Vector2d V = ContactVelocity(motion);
  if (!(equivalent.normal.dot(V) < 0.0)) {
    throw DataError(fmt::format(
        "the contact point moves at {:.4g} m/s along the normal before the impact, allowed below 0",
        equivalent.normal.dot(V)));
  }
  const Vector2d side = QuarterTurn(equivalent.normal);
  const Vector2d tangent = side.dot(V) > 0.0 ? Vector2d(-side) : side;

  PuckReduction result;
  result.v = motion.v;
  result.v_post = motion.v_post;
  result.w = motion.w;
  result.w_post = motion.w_post;
  result.r = motion.r;
  result.tangent = tangent;
  const Quantities values = CalcQuantities(equivalent, motion, tangent);
  const double step = 1e-4 * precision;
  Quantities sum_of_sizes = Quantities::Zero();
  Quantities sum_of_squares = Quantities::Zero();
  double normal_speed_bound = 0.0;
  for (int i = 0; i < marks.size(); ++i) {
    PuckMarks above = marks, below = marks;
    above[i] += step;
    below[i] -= step;
    const Motion motion_above = CalcMotion(setup, above);
    const Motion motion_below = CalcMotion(setup, below);
    const Quantities derivative = (CalcQuantities(equivalent, motion_above, tangent) -
                                   CalcQuantities(equivalent, motion_below, tangent)) /
                                  (2.0 * step);
    sum_of_sizes += derivative.cwiseAbs();
    sum_of_squares += derivative.cwiseAbs2();
    const Eigen::Matrix<double, 8, 1> by_mark =
        (ToVector(motion_above) - ToVector(motion_below)) / (2.0 * step);
    result.covariance += precision * precision / 3.0 * by_mark * by_mark.transpose();
    const Vector2d change = ContactVelocity(motion_above) - ContactVelocity(motion_below);
    normal_speed_bound += precision / step * std::abs(equivalent.normal.dot(change));
  }
  for (int i = 0; i < kNumPuckQuantities; ++i) {
    result.estimates[i] = {values[i], precision / std::sqrt(3.0) * std::sqrt(sum_of_squares[i]),
                           2.0 * precision * sum_of_sizes[i]};
  }
  // Beyond this the second order of 1 / V_N is a fifth of the first.
  if (normal_speed_bound > 0.2 * -equivalent.normal.dot(V)) {
    result.warning = fmt::format(
        "near grazing: the normal speed {:.4g} m/s is known to {:.2g} m/s only, bounds and sigmas "
        "to "
        "first order are too small",
        -equivalent.normal.dot(V), normal_speed_bound);
  }
  return result;
}

}  // namespace percuss::fitting
