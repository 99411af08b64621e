// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/spin/spin_fit.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/math/geometry.h"
#include "tracking/spin/spin_search.h"

namespace percuss::tracking {
namespace {

constexpr int kSpinUnknowns = 6;  // turn in half the flight [rad], radius, centre
using SpinVector = Eigen::Matrix<double, kSpinUnknowns, 1>;
using SpinMatrix = Eigen::Matrix<double, kSpinUnknowns, kSpinUnknowns>;

/// Outlines of patterned or shaded balls are off by some thousandths of their radius.
constexpr double kOutlineSigma = 0.005;
/// Places that are seen less steeply count in full, those of the second number not at all.
constexpr double kFullFacing = 0.75, kNoFacing = 0.55;

/// What all frames show of all places of the pattern: frame by frame.
struct Seen {
  std::vector<float> values;   // NaN where a place is not seen
  std::vector<float> weights;  // 0 there
};

class SpinCost {
 public:
  explicit SpinCost(std::span<const BallLook> looks) : looks_(looks) {
    middle_ = 0.5 * (looks.front().time + looks.back().time);
    half_ = 0.5 * (looks.back().time - looks.front().time);
    // A place for each four pixels of the disc, of grids that are 2.5 nodes to the radius's pixel.
    const double radius = looks.front().size / (2.5 * BallLook::kReach);
    const double count = std::clamp(std::pow(radius, 2.0) * 3.0, 600.0, 4000.0);
    places_ = SpreadOverSphere(static_cast<int>(count));
  }

  double Half() const { return half_; }
  std::size_t Places() const { return places_.size(); }
  std::size_t Frames() const { return looks_.size(); }

  const BallLook& Look(std::size_t frame) const { return looks_[frame]; }
  const Eigen::Vector3d& Place(std::size_t place) const { return places_[place]; }
  /// Since the middle of the flight [s].
  double TimeOf(std::size_t frame) const { return looks_[frame].time - middle_; }

  Seen At(const SpinVector& x) const { return At(x, places_); }

  Seen At(const SpinVector& x, const std::vector<Eigen::Vector3d>& places) const {
    const Eigen::Vector3d omega = x.head<3>() / half_;
    Seen seen;
    seen.values.reserve(Frames() * Places());
    seen.weights.reserve(Frames() * Places());
    for (const BallLook& look : looks_) {
      const Eigen::Matrix3d to_look = look.camera_from_look.transpose();
      const Eigen::Matrix3d R =
          to_look * percuss::RotationFromVector(omega * (look.time - middle_)).toRotationMatrix();
      const Eigen::Vector3d spin = to_look * omega;
      for (const Eigen::Vector3d& place : places) {
        Eigen::Vector3d q = R * place;
        float value = static_cast<float>(kNaN), weight = 0.0F;
        if (q.z() > kNoFacing - 0.1) {
          q += look.row_delay.dot(q.head<2>()) * spin.cross(q);
          const double facing = (q.z() - kNoFacing) / (kFullFacing - kNoFacing);
          value = look.At((1.0 + x[3]) * q.x() + x[4], (1.0 + x[3]) * q.y() + x[5]);
          if (facing > 0.0 && std::isfinite(value))
            weight = static_cast<float>(std::min(1.0, facing));
        }
        seen.values.push_back(value);
        seen.weights.push_back(weight);
      }
    }
    return seen;
  }

  /// Weighted mean of each place over the frames; 0 where it is never seen.
  std::vector<double> PatternOf(const Seen& seen) const {
    std::vector<double> sum(Places(), 0.0), weight(Places(), 0.0);
    for (std::size_t k = 0; k < seen.values.size(); ++k) {
      const auto w = static_cast<double>(seen.weights[k]);
      if (w == 0.0) continue;
      sum[k % Places()] += w * static_cast<double>(seen.values[k]);
      weight[k % Places()] += w;
    }
    for (std::size_t p = 0; p < sum.size(); ++p)
      if (weight[p] > 0.0) sum[p] /= weight[p];
    return sum;
  }

  /// Gradient of the pattern along the sphere, per radian.
  std::vector<Eigen::Vector3d> PatternSlopes(const SpinVector& x) const {
    constexpr double kReach = 0.04;  // [rad]: a pixel of a ball of 25 px
    std::vector<Eigen::Vector3d> slopes(Places(), Eigen::Vector3d::Zero());
    for (int side = 0; side < 2; ++side) {
      std::vector<Eigen::Vector3d> tangents, high, low;
      for (const Eigen::Vector3d& place : places_) {
        const Eigen::Vector3d one = place.unitOrthogonal();
        tangents.push_back(side == 0 ? one : place.cross(one));
        high.push_back((place + kReach * tangents.back()).normalized());
        low.push_back((place - kReach * tangents.back()).normalized());
      }
      const std::vector<double> above = PatternOf(At(x, high)), below = PatternOf(At(x, low));
      for (std::size_t p = 0; p < Places(); ++p)
        slopes[p] += (above[p] - below[p]) / (2.0 * kReach) * tangents[p];
    }
    return slopes;
  }

 private:
  std::span<const BallLook> looks_;
  double middle_ = 0.0, half_ = 1.0;
  std::vector<Eigen::Vector3d> places_;
};

/// Where the cost stands at one set of unknowns.
struct Standing {
  SpinVector x = SpinVector::Zero();
  Seen seen;
  std::vector<float> residuals;
  double squares = 0.0;  ///< weighted
  double freedom = 1.0;  ///< sum of weights less that of one frame for each place
  double Left() const { return squares / freedom; }
};

Standing StandAt(const SpinCost& cost, const SpinVector& x) {
  Standing at{.x = x, .seen = cost.At(x)};
  const std::vector<double> pattern = cost.PatternOf(at.seen);
  at.residuals.assign(at.seen.values.size(), 0.0F);
  for (std::size_t k = 0; k < at.residuals.size(); ++k) {
    if (at.seen.weights[k] > 0.0F)
      at.residuals[k] = at.seen.values[k] - static_cast<float>(pattern[k % cost.Places()]);
  }
  std::vector<double> weight(cost.Places(), 0.0), squared(cost.Places(), 0.0);
  for (std::size_t k = 0; k < at.residuals.size(); ++k) {
    const auto w = static_cast<double>(at.seen.weights[k]),
               r = static_cast<double>(at.residuals[k]);
    at.squares += w * r * r;
    weight[k % cost.Places()] += w;
    squared[k % cost.Places()] += w * w;
  }
  double freedom = 0.0;
  for (std::size_t p = 0; p < weight.size(); ++p)
    if (weight[p] > 0.0) freedom += weight[p] - squared[p] / weight[p];
  at.freedom = std::max(freedom, 1e-9);
  return at;
}

/// Normal equations, and the sums of single frames of which their right side is made.
struct SpinEquations {
  SpinMatrix normal = SpinMatrix::Zero();
  std::vector<SpinVector> frames;
  SpinVector Right() const {
    SpinVector sum = SpinVector::Zero();
    for (const SpinVector& one : frames) sum += one;
    return sum;
  }
};

/// By how much the places that a frame shows at the same point of its picture move over the ball,
/// per unknown: columns of the answer. R = look from ball at mid flight.
class PlaceShifts {
 public:
  PlaceShifts(const BallLook& look, const SpinVector& x, double half, double time) {
    const auto at = [&](const SpinVector& y) -> Eigen::Matrix3d {
      return look.camera_from_look.transpose() *
             percuss::RotationFromVector(y.head<3>() * (time / half)).toRotationMatrix();
    };
    constexpr double kStep = 1e-4;
    R_ = at(x);
    for (int i = 0; i < 3; ++i)
      by_turn_[i] = R_.transpose() * (at(x + kStep * SpinVector::Unit(i)) - R_) / kStep;
  }

  Eigen::Matrix<double, 3, kSpinUnknowns> At(const Eigen::Vector3d& place) const {
    const Eigen::Vector3d q = R_ * place;
    Eigen::Matrix<double, 3, kSpinUnknowns> shifts;
    for (int i = 0; i < 3; ++i) shifts.col(i) = by_turn_[i] * place;
    const double z = std::max(q.z(), 0.1);
    shifts.col(3) = R_.transpose() * Eigen::Vector3d(q.x(), q.y(), -q.head<2>().squaredNorm() / z);
    shifts.col(4) = R_.transpose() * Eigen::Vector3d(1.0, 0.0, -q.x() / z);
    shifts.col(5) = R_.transpose() * Eigen::Vector3d(0.0, 1.0, -q.y() / z);
    return shifts;
  }

 private:
  Eigen::Matrix3d R_;
  std::array<Eigen::Matrix3d, 3> by_turn_;
};

/// Slopes are those of the pattern, the mean of all frames: slopes of single frames are mostly
/// noise, whose squares would make the spin seem better known than it is.
SpinEquations EquationsAt(const SpinCost& cost, const Standing& at) {
  const std::vector<Eigen::Vector3d> slopes = cost.PatternSlopes(at.x);
  const std::size_t places = cost.Places();
  std::vector<SpinVector> by(at.residuals.size(), SpinVector::Zero());
  std::vector<SpinVector> mean(places, SpinVector::Zero());
  std::vector<double> weight(places, 0.0);
  for (std::size_t frame = 0; frame < cost.Frames(); ++frame) {
    const PlaceShifts shifts(cost.Look(frame), at.x, cost.Half(), cost.TimeOf(frame));
    for (std::size_t p = 0; p < places; ++p) {
      const std::size_t k = frame * places + p;
      const auto w = static_cast<double>(at.seen.weights[k]);
      if (w == 0.0) continue;
      by[k] = shifts.At(cost.Place(p)).transpose() * slopes[p];
      mean[p] += w * by[k];
      weight[p] += w;
    }
  }
  SpinEquations equations;
  for (std::size_t frame = 0; frame < cost.Frames(); ++frame) {
    SpinVector right = SpinVector::Zero();
    for (std::size_t p = 0; p < places; ++p) {
      const std::size_t k = frame * places + p;
      const auto w = static_cast<double>(at.seen.weights[k]);
      if (w == 0.0) continue;
      const SpinVector slope = by[k] - mean[p] / weight[p];
      equations.normal.noalias() += w * slope * slope.transpose();
      right -= w * static_cast<double>(at.residuals[k]) * slope;
    }
    equations.frames.push_back(right);
  }
  return equations;
}

/// Of the priors, in the unit of the cost: the variance of one residual.
SpinMatrix PriorOfSpin(double left) {
  SpinMatrix prior = SpinMatrix::Zero();
  prior.diagonal().tail<3>().setConstant(left / (kOutlineSigma * kOutlineSigma));
  return prior;
}

/// The weights change a little with the spin: per weight, times that of the start.
double CostOf(const Standing& at, const SpinMatrix& prior, double freedom) {
  return at.Left() * freedom + at.x.dot(prior * at.x);
}

Eigen::MatrixXd InverseOf(const Eigen::MatrixXd& matrix) {
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(matrix.rows(), matrix.cols());
  return matrix.ldlt().solve(identity);
}

/// How much larger the variance of a sum of frames is for what neighbours share: 1 + 2 times the
/// sum of the autocorrelations, of all unknowns together, up to the first that chance explains.
double InflationOf(const std::vector<SpinVector>& frames, const Eigen::MatrixXd& inverse) {
  const auto count = static_cast<double>(frames.size());
  const double own = kSpinUnknowns;  // of one frame with itself, by `inverse`
  double inflation = 1.0;
  for (std::size_t lag = 1; lag < frames.size() / 2; ++lag) {
    double sum = 0.0;
    for (std::size_t k = lag; k < frames.size(); ++k)
      sum += frames[k].dot(inverse * frames[k - lag]);
    const double rho = sum * count / ((count - static_cast<double>(lag)) * own);
    if (rho < 2.0 / std::sqrt(count * own)) break;
    inflation += 2.0 * rho;
  }
  return inflation;
}

/// Covariance of the sum over the frames, from how much they differ.
SpinMatrix SpreadOfFrames(const std::vector<SpinVector>& frames) {
  const auto count = static_cast<double>(frames.size());
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(kSpinUnknowns, kSpinUnknowns);
  for (const SpinVector& one : frames) sum += one * one.transpose();
  const Eigen::MatrixXd inverse = InverseOf(sum);
  // As many frames as unknowns are explained in any case.
  const double freedom = count / std::max(1.0, count - kSpinUnknowns);
  return sum * freedom * InflationOf(frames, inverse);
}

double VarianceSeen(const Seen& seen) {
  double sum = 0.0, squares = 0.0, count = 0.0;
  for (std::size_t k = 0; k < seen.values.size(); ++k) {
    const auto w = static_cast<double>(seen.weights[k]);
    if (w == 0.0) continue;
    const auto v = static_cast<double>(seen.values[k]);
    sum += w * v, squares += w * v * v, count += w;
  }
  return count > 0.0 ? squares / count - std::pow(sum / count, 2.0) : 0.0;
}

}  // namespace

SpinFit FitSpin(std::span<const BallLook> looks, const Eigen::Vector3d& start) {
  const SpinCost cost(looks);
  SpinVector x = SpinVector::Zero();
  x.head<3>() = start * cost.Half();
  Standing at = StandAt(cost, x);
  const SpinMatrix prior = PriorOfSpin(at.Left());
  const double freedom = at.freedom;
  SpinEquations equations = EquationsAt(cost, at);
  double damping = 1e-3;
  constexpr int kRounds = 30;
  for (int round = 0; round < kRounds; ++round) {
    SpinMatrix normal = equations.normal + prior;
    normal.diagonal() *= 1.0 + damping;
    const Eigen::MatrixXd inverse = InverseOf(normal);
    const SpinVector step = inverse * (equations.Right() - prior * at.x);
    Standing next = StandAt(cost, at.x + step);
    if (CostOf(next, prior, freedom) < CostOf(at, prior, freedom)) {
      at = std::move(next);
      damping = std::max(1e-6, 0.2 * damping);
      if (step.head<3>().norm() < 1e-6) break;
      equations = EquationsAt(cost, at);
    } else {
      if (step.head<3>().norm() < 1e-5 || damping > 1e6) break;
      damping *= 5.0;
    }
  }
  SpinFit fit;
  fit.omega = at.x.head<3>() / cost.Half();
  fit.total = VarianceSeen(at.seen);
  fit.left = at.Left();
  const SpinMatrix at_prior = PriorOfSpin(at.Left());
  const Eigen::MatrixXd inverse = InverseOf(equations.normal + at_prior);
  const Eigen::MatrixXd spread = SpreadOfFrames(equations.frames) + at.Left() * at_prior;
  fit.covariance = (inverse * spread * inverse).topLeftCorner<3, 3>() / (cost.Half() * cost.Half());
  return fit;
}

}  // namespace percuss::tracking
