// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/scene/scene_loops.h"

#include <Eigen/Geometry>
#include <array>
#include <span>
#include <utility>

#include "solver/contact/contact.h"

namespace percuss::solver {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

int NumRowsOf(JointKind kind) {
  switch (kind) {
    case JointKind::kRevolute:
    case JointKind::kPrismatic:
      return 5;
    case JointKind::kSpherical:
    case JointKind::kPlanar:
      return 3;
    case JointKind::kFixed:
      return 6;
  }
  return 0;
}

/// A vector fixed to a body: its first and second rate where all speeds stay as they are.
struct FixedAxis {
  Vector3d axis, rate, second;
};

Vector3d Spin(const std::vector<PlacedBody>& bodies, int body) {
  return body == kGround ? Vector3d(Vector3d::Zero()) : bodies[body].w;
}

class RowWriter {
 public:
  RowWriter(const SceneModel& model, const SceneTree& tree, double time,
            const std::vector<PlacedBody>& bodies, LoopRows* rows)
      : model_(model), tree_(tree), time_(time), bodies_(bodies), rows_(rows) {}

  void Write(const SceneJoint& joint) {
    Vector3d origin = joint.point;
    if (joint.kind != JointKind::kRevolute && joint.kind != JointKind::kSpherical)
      origin = joint.second == kGround ? StartOf(joint.first).p : StartOf(joint.second).p;
    const PlacedPoint first = PointAt(joint.first, origin), second = PointAt(joint.second, origin);
    const Matrix3d axes = joint.kind == JointKind::kSpherical || joint.kind == JointKind::kFixed
                              ? Matrix3d(Matrix3d::Identity())
                              : ContactFrame(joint.axis);
    switch (joint.kind) {
      case JointKind::kSpherical:
      case JointKind::kRevolute:
      case JointKind::kFixed:
        for (int k = 0; k < 3; ++k) Shift(joint, first, second, axes.col(k));
        break;
      case JointKind::kPrismatic:
        for (int k = 0; k < 2; ++k) Shift(joint, first, second, axes.col(k));
        break;
      case JointKind::kPlanar:
        Shift(joint, first, second, axes.col(2));
        break;
    }
    if (joint.kind == JointKind::kSpherical) return;
    Square(joint, axes.col(2), axes.col(0));
    Square(joint, axes.col(2), axes.col(1));
    if (joint.kind == JointKind::kPrismatic || joint.kind == JointKind::kFixed)
      Square(joint, axes.col(0), axes.col(1));
  }

  void Write(const HolonomicConstraint& constraint) {
    const std::size_t count = constraint.variables.size();
    std::vector<Taylor> moving(count), varied(count);
    for (std::size_t k = 0; k < count; ++k) {
      const PointCoordinate& one = constraint.variables[k];
      if (one.axis == 3) {
        moving[k] = {time_, 1.0, 0.0};
      } else {
        const PlacedPoint point = PlacePoint(bodies_, one.body, one.at);
        moving[k] = {point.position[one.axis], point.velocity[one.axis],
                     point.acceleration[one.axis]};
      }
      varied[k] = moving[k].value;
    }
    const Taylor value = constraint.expression.Evaluate(moving);
    auto row = rows_->jacobian.row(at_);
    rows_->residual[at_] = value.value;
    rows_->acceleration_bias[at_] = value.second;
    for (std::size_t k = 0; k < count; ++k) {
      const PointCoordinate& one = constraint.variables[k];
      varied[k].rate = 1.0;
      const double slope = constraint.expression.Evaluate(varied).rate;
      varied[k].rate = 0.0;
      if (one.axis == 3) {
        rows_->velocity_bias[at_] += slope;
      } else if (one.body != kGround) {
        const Vector3d arm = bodies_[one.body].R * one.at;
        AddPointRow(tree_, bodies_, one.body, arm, Vector3d::Unit(one.axis), slope, row);
      }
    }
    ++at_;
  }

 private:
  struct Pose {
    Matrix3d R;
    Vector3d p;
  };
  Pose StartOf(int body) const {
    if (body == kGround) return {Matrix3d::Identity(), Vector3d::Zero()};
    const FlightState<double>& start = model_.bodies[body].start;
    return {start.q_WB.toRotationMatrix(), start.p_WB};
  }
  Matrix3d RotationOf(int body) const {
    return body == kGround ? Matrix3d(Matrix3d::Identity()) : bodies_[body].R;
  }
  /// The point of a body that is at `origin` at the start, now.
  PlacedPoint PointAt(int body, const Vector3d& origin) const {
    const Pose start = StartOf(body);
    return PlacePoint(bodies_, body, start.R.transpose() * (origin - start.p));
  }
  /// A direction fixed to a body, by what it is at the start.
  FixedAxis AxisOf(int body, const Vector3d& at_start) const {
    const Vector3d axis = RotationOf(body) * (StartOf(body).R.transpose() * at_start);
    const Vector3d w = Spin(bodies_, body), rate = w.cross(axis);
    const Vector3d bias = body == kGround ? Vector3d(Vector3d::Zero()) : bodies_[body].angular_bias;
    return {axis, rate, w.cross(rate) + bias.cross(axis)};
  }

  /// t . (second - first) = 0 of two points, t fixed to the first body.
  void Shift(const SceneJoint& joint, const PlacedPoint& first, const PlacedPoint& second,
             const Vector3d& at_start) {
    const FixedAxis t = AxisOf(joint.first, at_start);
    const Vector3d between = second.position - first.position;
    const Vector3d velocity = second.velocity - first.velocity;
    rows_->residual[at_] = t.axis.dot(between);
    auto row = rows_->jacobian.row(at_);
    AddPointRow(tree_, bodies_, joint.second, second.arm, t.axis, 1.0, row);
    AddPointRow(tree_, bodies_, joint.first, first.arm, t.axis, -1.0, row);
    AddSpinRow(tree_, bodies_, joint.first, t.axis.cross(between), 1.0, row);
    rows_->acceleration_bias[at_] = t.second.dot(between) + 2.0 * t.rate.dot(velocity) +
                                    t.axis.dot(second.acceleration - first.acceleration);
    ++at_;
  }

  /// a . b = 0, a fixed to the first body, b to the second.
  void Square(const SceneJoint& joint, const Vector3d& a_start, const Vector3d& b_start) {
    const FixedAxis a = AxisOf(joint.first, a_start), b = AxisOf(joint.second, b_start);
    const Vector3d turn = a.axis.cross(b.axis);
    rows_->residual[at_] = a.axis.dot(b.axis);
    auto row = rows_->jacobian.row(at_);
    AddSpinRow(tree_, bodies_, joint.first, turn, 1.0, row);
    AddSpinRow(tree_, bodies_, joint.second, turn, -1.0, row);
    rows_->acceleration_bias[at_] =
        a.second.dot(b.axis) + 2.0 * a.rate.dot(b.rate) + a.axis.dot(b.second);
    ++at_;
  }

  const SceneModel& model_;
  const SceneTree& tree_;
  const double time_;
  const std::vector<PlacedBody>& bodies_;
  LoopRows* rows_;
  Eigen::Index at_ = 0;
};

}  // namespace

int NumLoopRows(const SceneModel& model, const SceneTree& tree) {
  int count = static_cast<int>(model.constraints.size());
  for (const int joint : tree.loops) count += NumRowsOf(model.joints[joint].kind);
  return count;
}

std::string LoopRowName(const SceneModel& model, const SceneTree& tree, int row) {
  for (const int joint : tree.loops) {
    row -= NumRowsOf(model.joints[joint].kind);
    if (row < 0) return "joints." + model.joints[joint].name;
  }
  return "constraints." + model.constraints[row].name;
}

LoopRows LoopRowsAt(const SceneModel& model, const SceneTree& tree, double time,
                    const std::vector<PlacedBody>& bodies) {
  const int count = NumLoopRows(model, tree);
  LoopRows rows;
  rows.residual = rows.velocity_bias = rows.acceleration_bias = Eigen::VectorXd::Zero(count);
  rows.jacobian = Eigen::MatrixXd::Zero(count, tree.num_speeds);
  RowWriter writer(model, tree, time, bodies, &rows);
  for (const int joint : tree.loops) writer.Write(model.joints[joint]);
  for (const HolonomicConstraint& constraint : model.constraints) writer.Write(constraint);
  return rows;
}

}  // namespace percuss::solver
