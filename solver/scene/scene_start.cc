// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/scene/scene_start.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

namespace percuss::solver {
namespace {

using Eigen::Vector3d;

constexpr double kHolds = 1e-6;         // of a constraint at the start, in its units
constexpr double kSameVelocity = 1e-6;  // [m/s], [rad/s], beside what is typed
constexpr double kIndependent = 1e-9;   // of rows against the largest

/// Rows over all speeds that have to have values, and what asks for them.
struct Wanted {
  Eigen::MatrixXd rows;
  Eigen::VectorXd values;
  std::vector<std::string> names;

  explicit Wanted(int num_speeds) : rows(0, num_speeds) {}
  void Add(const Eigen::RowVectorXd& row, double value, const std::string& name) {
    const Eigen::Index count = rows.rows();
    rows.conservativeResize(count + 1, Eigen::NoChange);
    values.conservativeResize(count + 1);
    rows.row(count) = row;
    values[count] = value;
    names.push_back(name);
  }
};

[[noreturn]] void Fail(const std::string& field, const std::string& found,
                       const std::string& allowed) {
  throw std::invalid_argument(field + " " + found + "; it must be " + allowed);
}

Wanted TypedVelocities(const SceneModel& model, const SceneTree& tree,
                       const std::vector<PlacedBody>& bodies) {
  Wanted wanted(tree.num_speeds);
  Eigen::RowVectorXd row(tree.num_speeds);
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const SceneBody& body = model.bodies[b];
    for (int k = 0; body.velocity_given && k < 3; ++k) {
      row.setZero();
      AddPointRow(tree, bodies, b, Vector3d::Zero(), Vector3d::Unit(k), 1.0, row);
      wanted.Add(row, body.start.v[k], "bodies." + body.name + ".velocity");
    }
    for (int k = 0; body.angular_velocity_given && k < 3; ++k) {
      row.setZero();
      AddSpinRow(tree, bodies, b, Vector3d::Unit(k), 1.0, row);
      wanted.Add(row, body.start.w[k], "bodies." + body.name + ".angular_velocity");
    }
  }
  for (const SceneJoint& joint : model.joints) {
    if (!std::isfinite(joint.rate)) continue;
    const Vector3d axis = joint.axis.normalized();
    row.setZero();
    for (const auto& [body, sign] : {std::pair{joint.second, 1.0}, std::pair{joint.first, -1.0}}) {
      if (body == kGround) continue;
      if (joint.kind == JointKind::kRevolute) {
        AddSpinRow(tree, bodies, body, axis, sign, row);
      } else {
        const int mover = joint.second == kGround ? joint.first : joint.second;
        AddPointRow(tree, bodies, body, bodies[mover].p - bodies[body].p, axis, sign, row);
      }
    }
    wanted.Add(row, joint.rate, "joints." + joint.name + ".rate");
  }
  return wanted;
}

}  // namespace

SceneStart FindSceneStart(const SceneModel& model, const SceneTree& tree) {
  SceneStart start;
  start.coordinates = StartCoordinates(model, tree);
  start.speeds = Eigen::VectorXd::Zero(tree.num_speeds);
  if (tree.num_speeds == 0) return start;
  std::vector<PlacedBody> bodies;
  Place(tree, start.coordinates, start.speeds, &bodies);
  const LoopRows loops = LoopRowsAt(model, tree, 0.0, bodies);
  for (Eigen::Index k = 0; k < loops.residual.size(); ++k) {
    if (std::abs(loops.residual[k]) <= kHolds) continue;
    std::ostringstream found;
    found << "is " << loops.residual[k] << " at the start";
    Fail(LoopRowName(model, tree, static_cast<int>(k)), found.str(), "0");
  }
  if (loops.residual.size() > 0) {
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(loops.jacobian.transpose());
    qr.setThreshold(kIndependent);
    const auto& order = qr.colsPermutation().indices();
    for (Eigen::Index k = 0; k < order.size(); ++k) {
      if (k < qr.rank()) {
        start.rows.push_back(order[k]);
        continue;
      }
      const std::string name = LoopRowName(model, tree, order[k]);
      if (std::ranges::find(start.redundant, name) == start.redundant.end())
        start.redundant.push_back(name);
    }
    std::ranges::sort(start.rows);
  }
  Wanted wanted = TypedVelocities(model, tree, bodies);
  for (const int row : start.rows)
    wanted.Add(loops.jacobian.row(row), -loops.velocity_bias[row], LoopRowName(model, tree, row));
  if (wanted.values.size() == 0) return start;
  const Eigen::LLT<Eigen::MatrixXd> mass(
      TreeEquations(model, tree, start.coordinates, start.speeds, bodies).mass);
  const Eigen::MatrixXd answer = mass.solve(wanted.rows.transpose());
  start.speeds =
      answer * (wanted.rows * answer).completeOrthogonalDecomposition().solve(wanted.values);
  const Eigen::VectorXd missed = wanted.rows * start.speeds - wanted.values;
  Eigen::Index worst = 0;
  const double most = missed.cwiseAbs().maxCoeff(&worst);
  if (!(most <= kSameVelocity * (1.0 + wanted.values.cwiseAbs().maxCoeff()))) {
    std::ostringstream found;
    found << "asks for " << wanted.values[worst]
          << " where the joints and the other velocities ask for "
          << wanted.values[worst] + missed[worst];
    Fail(wanted.names[worst], found.str(), "one that the others allow");
  }
  return start;
}

}  // namespace percuss::solver
