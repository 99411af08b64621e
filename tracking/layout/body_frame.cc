// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/layout/body_frame.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <random>

#include "base/math/geometry.h"
#include "solver/body/shape_lengths.h"
#include "tracking/layout/shape_symmetry.h"

namespace percuss::tracking {
namespace {

using Vector6d = Eigen::Matrix<double, 6, 1>;
using Matrix6d = Eigen::Matrix<double, 6, 6>;

/// All that a frame is compared with.
struct FrameProblem {
  const solver::Body& body;
  std::span<const PlacedMarker> markers;
  const FlightMotion& motion;
  const FrameSigmas& sigmas;
  Eigen::Matrix3d centre_information;  ///< of the mass centre from that of the shape
  Eigen::Matrix3d inertia;             ///< over its largest moment
};

/// Sum of squares, with its derivatives by a small rotation and shift in B.
struct FrameCost {
  double value = 0.0;
  Matrix6d normal = Matrix6d::Zero();
  Vector6d gradient = Vector6d::Zero();

  void Add(double residual, const Vector6d& by) {
    value += residual * residual;
    normal += by * by.transpose();
    gradient += residual * by;
  }
};

void AddSurface(const FrameProblem& problem, const BodyPose& X_BM, FrameCost* cost) {
  for (const PlacedMarker& marker : problem.markers) {
    const Eigen::Vector3d arm = X_BM.q_WB * marker.p, p = arm + X_BM.p_WB;
    const Eigen::Vector3d n = solver::OutwardNormal(problem.body.shape, p);
    const double distance = solver::SurfaceDistance(problem.body.shape, p);
    Vector6d by;
    by << arm.cross(n), n;
    cost->Add(distance / problem.sigmas.surface, by / problem.sigmas.surface);
  }
}

void AddCentre(const FrameProblem& problem, const BodyPose& X_BM, FrameCost* cost) {
  const Eigen::Matrix3d R = X_BM.q_WB.toRotationMatrix();
  const Eigen::Vector3d arm = R * problem.motion.centre;
  const Eigen::Matrix3d root = (R * problem.centre_information * R.transpose()).llt().matrixU();
  const Eigen::Vector3d residual = root * (arm + X_BM.p_WB);
  Eigen::Matrix<double, 3, 6> J;
  J << -Skew(arm), Eigen::Matrix3d::Identity();
  J = (root * J).eval();
  for (int i = 0; i < 3; ++i) cost->Add(residual[i], J.row(i).transpose());
}

/// What the angular momentum of each instant of a flight differs by from the mean of the flight.
void AddSpin(const FrameProblem& problem, const BodyPose& X_BM, FrameCost* cost) {
  const Eigen::Matrix3d R_BM = X_BM.q_WB.toRotationMatrix();
  for (const std::vector<SpinSample>& flight : problem.motion.spins) {
    Eigen::Matrix<double, 3, 4> mean = Eigen::Matrix<double, 3, 4>::Zero();
    std::vector<Eigen::Matrix<double, 3, 4>> rows;  // the residual and its derivatives
    for (const SpinSample& sample : flight) {
      // L = R_WB I R_BW w; a turn t of B against M makes R_WB into R_WB exp(-t).
      const Eigen::Matrix3d R_WB = sample.R * R_BM.transpose();
      const Eigen::Vector3d w_B = R_WB.transpose() * sample.w;
      const Eigen::Vector3d L_B = problem.inertia * w_B;
      Eigen::Matrix<double, 3, 4> row;
      row << R_WB * L_B, R_WB * (Skew(L_B) - problem.inertia * Skew(w_B));
      row /= sample.sigma;
      rows.push_back(row);
      mean += row / static_cast<double>(flight.size());
    }
    for (const auto& row : rows) {
      const Eigen::Matrix<double, 3, 4> rest = row - mean;
      for (int i = 0; i < 3; ++i) {
        Vector6d by = Vector6d::Zero();
        by.head<3>() = rest.row(i).tail<3>().transpose();
        cost->Add(rest(i, 0), by);
      }
    }
  }
}

FrameCost CostOf(const FrameProblem& problem, const BodyPose& X_BM) {
  FrameCost cost;
  AddSurface(problem, X_BM, &cost);
  AddCentre(problem, X_BM, &cost);
  AddSpin(problem, X_BM, &cost);
  return cost;
}

/// Levenberg and Marquardt from a start.
BodyFrame Descend(const FrameProblem& problem, const BodyPose& start) {
  BodyFrame frame{start, 0.0};
  FrameCost cost = CostOf(problem, start);
  double damping = 1e-3;
  constexpr int kMaxSteps = 60;
  for (int step = 0; step < kMaxSteps && damping < 1e8; ++step) {
    Matrix6d normal = cost.normal;
    normal.diagonal() *= 1.0 + damping;
    normal.diagonal().array() += 1e-9 * cost.normal.diagonal().maxCoeff();
    const Vector6d change = -normal.ldlt().solve(cost.gradient);
    const double shorten = std::min(1.0, 0.3 / std::max(change.head<3>().norm(), 1e-12));
    const Eigen::Quaterniond turn = RotationFromVector(shorten * change.head<3>());
    const BodyPose moved{frame.X_BM.p_WB + shorten * change.tail<3>(),
                         (turn * frame.X_BM.q_WB).normalized()};
    FrameCost next = CostOf(problem, moved);
    if (!(next.value < cost.value)) {
      damping *= 10.0;
      continue;
    }
    const bool rests = cost.value - next.value < 1e-6 * (1.0 + next.value);
    frame.X_BM = moved;
    cost = next;
    damping = std::max(1e-9, 0.1 * damping);
    if (rests) break;
  }
  frame.cost = cost.value;
  return frame;
}

/// A marker on the far side of the body costs as much as five sigmas.
double HiddenCost(const FrameProblem& problem, const BodyPose& X_BM) {
  constexpr double kHidden = 25.0;
  double cost = 0.0;
  for (const PlacedMarker& marker : problem.markers) {
    const Eigen::Vector3d p = X_BM.q_WB * marker.p + X_BM.p_WB;
    const Eigen::Vector3d n = solver::OutwardNormal(problem.body.shape, p);
    if (n.dot(X_BM.q_WB * marker.towards) < 0.0) cost += kHidden;
  }
  return cost;
}

/// Normal deviates have no direction before others.
std::vector<Eigen::Quaterniond> SpreadRotations(int count) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::vector<Eigen::Quaterniond> rotations;
  for (int i = 0; i < count; ++i) {
    rotations.push_back(
        Eigen::Quaterniond(normal(random), normal(random), normal(random), normal(random))
            .normalized());
  }
  return rotations;
}

/// Whether two frames put the markers at the same places, but for a symmetry of the shape.
bool IsSame(const FrameProblem& problem, const std::vector<Eigen::Matrix3d>& symmetry,
            const BodyPose& a, const BodyPose& b) {
  constexpr double kSame = 0.002;  // [m]
  return std::ranges::any_of(symmetry, [&](const Eigen::Matrix3d& R) {
    return std::ranges::all_of(problem.markers, [&](const PlacedMarker& marker) {
      return (R * (a.q_WB * marker.p + a.p_WB) - (b.q_WB * marker.p + b.p_WB)).norm() < kSame;
    });
  });
}

}  // namespace

std::vector<BodyFrame> FindBodyFrames(const solver::Body& body,
                                      std::span<const PlacedMarker> markers,
                                      const FlightMotion& motion, const FrameSigmas& sigmas) {
  FrameProblem problem{body, markers, motion, sigmas, {}, {}};
  // Var = 1 / information + sigma^2; where the flights say nothing, only that the point is in the
  // body.
  const double reach = solver::BoundingRadius(body.shape);
  const Eigen::Matrix3d known = motion.information + Eigen::Matrix3d::Identity() / (reach * reach);
  problem.centre_information =
      (known.inverse() + sigmas.mass_centre * sigmas.mass_centre * Eigen::Matrix3d::Identity())
          .inverse();
  problem.inertia = body.inertia / body.inertia.diagonal().maxCoeff();
  const std::vector<Eigen::Matrix3d> symmetry = ShapeRotations(body.shape);
  std::vector<BodyFrame> all;
  constexpr int kStarts = 200;
  for (const Eigen::Quaterniond& q : SpreadRotations(kStarts)) {
    BodyFrame frame = Descend(problem, {-(q * motion.centre), q});
    frame.cost += HiddenCost(problem, frame.X_BM);
    all.push_back(frame);
  }
  std::ranges::stable_sort(all, {}, &BodyFrame::cost);
  constexpr double kAlike = 25.0;
  std::vector<BodyFrame> frames;
  for (const BodyFrame& frame : all) {
    if (frame.cost > all.front().cost + kAlike) break;
    if (std::ranges::none_of(frames, [&](const BodyFrame& other) {
          return IsSame(problem, symmetry, frame.X_BM, other.X_BM);
        }))
      frames.push_back(frame);
  }
  return frames;
}

}  // namespace percuss::tracking
