// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/scene/scene_tree.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <cmath>

#include "solver/contact/contact.h"

namespace percuss::solver {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

bool IsFree(const TreeLink& link) { return link.joint < 0; }

int NumSpeeds(JointKind kind) {
  switch (kind) {
    case JointKind::kRevolute:
    case JointKind::kPrismatic:
      return 1;
    case JointKind::kSpherical:
    case JointKind::kPlanar:
      return 3;
    case JointKind::kFixed:
      return 0;
  }
  return 0;
}

/// Appends a link for `body` and gives it its coordinates and speeds.
void Hang(const SceneModel& model, int body, int joint, SceneTree* tree) {
  TreeLink link;
  link.body = body;
  link.joint = joint;
  link.first_coordinate = tree->num_coordinates;
  link.first_speed = tree->num_speeds;
  if (joint < 0) {
    link.num_speeds = 6;
    tree->num_coordinates += 7;
  } else {
    const SceneJoint& one = model.joints[joint];
    link.sign = one.second == body ? 1.0 : -1.0;
    link.parent = one.second == body ? one.first : one.second;
    link.kind = one.kind;
    link.num_speeds = NumSpeeds(one.kind);
    tree->num_coordinates += one.kind == JointKind::kSpherical ? 4 : link.num_speeds;
    const auto pose = [&](int which, Matrix3d* R, Vector3d* p) {
      *R = which == kGround ? Matrix3d(Matrix3d::Identity())
                            : model.bodies[which].start.q_WB.toRotationMatrix();
      *p = which == kGround ? Vector3d(Vector3d::Zero()) : model.bodies[which].start.p_WB;
    };
    Matrix3d R_WP, R_WC;
    Vector3d p_P, p_C;
    pose(link.parent, &R_WP, &p_P);
    pose(body, &R_WC, &p_C);
    const bool turns = one.kind == JointKind::kRevolute || one.kind == JointKind::kSpherical;
    const bool has_axis = one.kind != JointKind::kSpherical && one.kind != JointKind::kFixed;
    const Matrix3d R_WF = has_axis ? ContactFrame(one.axis) : Matrix3d(Matrix3d::Identity());
    const Vector3d origin = turns ? one.point : p_C;
    link.R_PF = R_WP.transpose() * R_WF;
    link.R_CF = R_WC.transpose() * R_WF;
    link.p_PF = R_WP.transpose() * (origin - p_P);
    link.p_CF = R_WC.transpose() * (origin - p_C);
    if (link.parent != kGround) link.columns = tree->links[tree->link_of[link.parent]].columns;
  }
  for (int k = 0; k < link.num_speeds; ++k) link.columns.push_back(link.first_speed + k);
  tree->num_speeds += link.num_speeds;
  tree->link_of[body] = static_cast<int>(tree->links.size());
  tree->links.push_back(std::move(link));
}

/// What a joint adds to its parent's motion.
struct JointMotion {
  Matrix3d R_FG = Matrix3d::Identity();  // the child's joint frame in the parent's
  Vector3d shift = Vector3d::Zero();     // of its origin, in F
  Vector3d spin = Vector3d::Zero(), speed = Vector3d::Zero();  // in F
};

JointMotion MotionOf(JointKind kind, const double* q, const double* y) {
  JointMotion motion;
  const auto about_z = [](double angle) {
    return Eigen::AngleAxisd(angle, Vector3d::UnitZ()).toRotationMatrix();
  };
  switch (kind) {
    case JointKind::kRevolute:
      motion.R_FG = about_z(q[0]);
      motion.spin.z() = y[0];
      break;
    case JointKind::kPrismatic:
      motion.shift.z() = q[0];
      motion.speed.z() = y[0];
      break;
    case JointKind::kSpherical:
      motion.R_FG = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
      motion.spin << y[0], y[1], y[2];
      break;
    case JointKind::kPlanar:
      motion.R_FG = about_z(q[2]);
      motion.shift << q[0], q[1], 0.0;
      motion.speed << y[0], y[1], 0.0;
      motion.spin.z() = y[2];
      break;
    case JointKind::kFixed:
      break;
  }
  return motion;
}

/// Columns of the speeds of a joint's own: which turn, and about or along which axis of F.
struct OwnSpeed {
  bool turns;
  int axis;
};
OwnSpeed OwnSpeedOf(JointKind kind, int k) {
  switch (kind) {
    case JointKind::kRevolute:
      return {true, 2};
    case JointKind::kPrismatic:
      return {false, 2};
    case JointKind::kSpherical:
      return {true, k};
    default:
      return {k == 2, k};
  }
}

Eigen::Vector4d QuaternionRate(const Vector3d& w, const double* q) {
  const Vector3d vec(q[1], q[2], q[3]);
  Eigen::Vector4d rate;
  rate[0] = -0.5 * w.dot(vec);
  rate.tail<3>() = 0.5 * (q[0] * w + w.cross(vec));
  return rate;
}

}  // namespace

SceneTree MakeTree(const SceneModel& model) {
  const int num_bodies = static_cast<int>(model.bodies.size());
  const int num_joints = static_cast<int>(model.joints.size());
  SceneTree tree;
  tree.link_of.assign(num_bodies, -1);
  std::vector<bool> used(num_joints, false);
  const auto placed = [&](int body) { return body == kGround || tree.link_of[body] >= 0; };
  // Links by all joints that reach a new body from one that is placed, until none does.
  const auto grow = [&] {
    for (bool more = true; more;) {
      more = false;
      for (int k = 0; k < num_joints; ++k) {
        const SceneJoint& joint = model.joints[k];
        if (used[k] || placed(joint.first) == placed(joint.second)) continue;
        Hang(model, placed(joint.first) ? joint.second : joint.first, k, &tree);
        used[k] = more = true;
      }
    }
  };
  grow();
  for (int body = 0; body < num_bodies; ++body) {
    if (placed(body)) continue;
    Hang(model, body, -1, &tree);
    grow();
  }
  for (int k = 0; k < num_joints; ++k) {
    if (!used[k]) tree.loops.push_back(k);
  }
  std::vector<int> branch_of(num_bodies);
  for (const TreeLink& link : tree.links) {
    if (link.parent == kGround) {
      branch_of[link.body] = static_cast<int>(tree.branches.size());
      tree.branches.emplace_back();
    } else {
      branch_of[link.body] = branch_of[link.parent];
    }
    for (int k = 0; k < link.num_speeds; ++k)
      tree.branches[branch_of[link.body]].push_back(link.first_speed + k);
  }
  std::erase_if(tree.branches, [](const std::vector<int>& speeds) { return speeds.empty(); });
  return tree;
}

VectorXd StartCoordinates(const SceneModel& model, const SceneTree& tree) {
  VectorXd coordinates = VectorXd::Zero(tree.num_coordinates);
  for (const TreeLink& link : tree.links) {
    const int first = link.first_coordinate;
    if (IsFree(link)) {
      const FlightState<double>& start = model.bodies[link.body].start;
      const Eigen::Quaterniond q = start.q_WB.normalized();
      coordinates.segment<7>(first) << start.p_WB, q.w(), q.vec();
    } else if (link.kind == JointKind::kSpherical) {
      coordinates[first] = 1.0;
    }
  }
  return coordinates;
}

void Place(const SceneTree& tree, const VectorXd& coordinates, const VectorXd& speeds,
           std::vector<PlacedBody>* bodies) {
  bodies->resize(tree.links.size());
  PlacedBody ground;
  ground.p = ground.v = ground.w = ground.linear_bias = ground.angular_bias = Vector3d::Zero();
  ground.R.setIdentity();
  for (const TreeLink& link : tree.links) {
    PlacedBody& child = (*bodies)[link.body];
    const double* const q = coordinates.data() + link.first_coordinate;
    const double* const y = speeds.data() + link.first_speed;
    child.jacobian.resize(6, static_cast<Eigen::Index>(link.columns.size()));
    if (IsFree(link)) {
      child.p << q[0], q[1], q[2];
      child.R = Eigen::Quaterniond(q[3], q[4], q[5], q[6]).normalized().toRotationMatrix();
      child.v << y[0], y[1], y[2];
      child.w << y[3], y[4], y[5];
      child.linear_bias.setZero();
      child.angular_bias.setZero();
      child.jacobian.setIdentity();
      continue;
    }
    const PlacedBody& parent = link.parent == kGround ? ground : (*bodies)[link.parent];
    const JointMotion joint = MotionOf(link.kind, q, y);
    const Matrix3d R_WF = parent.R * link.R_PF;
    const Vector3d shift = parent.R * link.p_PF + R_WF * joint.shift;  // to the child's joint
    child.R = R_WF * joint.R_FG * link.R_CF.transpose();
    const Vector3d arm = -(child.R * link.p_CF);  // from the joint to the child's mass centre
    child.p = parent.p + shift + arm;
    const Vector3d spin = R_WF * joint.spin, speed = R_WF * joint.speed;
    child.w = parent.w + spin;
    child.v = parent.v + parent.w.cross(shift) + speed + child.w.cross(arm);
    child.angular_bias = parent.angular_bias + parent.w.cross(spin);
    child.linear_bias = parent.linear_bias + parent.angular_bias.cross(shift) +
                        parent.w.cross(parent.w.cross(shift)) + 2.0 * parent.w.cross(speed) +
                        child.angular_bias.cross(arm) + child.w.cross(child.w.cross(arm));
    const Eigen::Index inherited = child.jacobian.cols() - link.num_speeds;
    const Vector3d between = shift + arm;
    for (Eigen::Index k = 0; k < inherited; ++k) {
      const Vector3d turn = parent.jacobian.col(k).tail<3>();
      child.jacobian.col(k) << parent.jacobian.col(k).head<3>() + turn.cross(between), turn;
    }
    for (int k = 0; k < link.num_speeds; ++k) {
      const OwnSpeed own = OwnSpeedOf(link.kind, k);
      const Vector3d axis = R_WF.col(own.axis);
      if (own.turns) {
        child.jacobian.col(inherited + k) << axis.cross(arm), axis;
      } else {
        child.jacobian.col(inherited + k) << axis, Vector3d::Zero();
      }
    }
  }
}

VectorXd CoordinateRates(const SceneTree& tree, const VectorXd& coordinates,
                         const VectorXd& speeds) {
  VectorXd rates(tree.num_coordinates);
  for (const TreeLink& link : tree.links) {
    const int first = link.first_coordinate, at = link.first_speed;
    if (IsFree(link)) {
      rates.segment<3>(first) = speeds.segment<3>(at);
      rates.segment<4>(first + 3) =
          QuaternionRate(speeds.segment<3>(at + 3), coordinates.data() + first + 3);
    } else if (link.kind == JointKind::kSpherical) {
      rates.segment<4>(first) = QuaternionRate(speeds.segment<3>(at), coordinates.data() + first);
    } else {
      rates.segment(first, link.num_speeds) = speeds.segment(at, link.num_speeds);
    }
  }
  return rates;
}

void NormalizeCoordinates(const SceneTree& tree, Eigen::Ref<VectorXd> coordinates) {
  for (const TreeLink& link : tree.links) {
    if (IsFree(link)) {
      coordinates.segment<4>(link.first_coordinate + 3).normalize();
    } else if (link.kind == JointKind::kSpherical) {
      coordinates.segment<4>(link.first_coordinate).normalize();
    }
  }
}

PlacedPoint PlacePoint(const std::vector<PlacedBody>& bodies, int body, const Vector3d& at) {
  if (body == kGround) return {at, at, Vector3d::Zero(), Vector3d::Zero()};
  const PlacedBody& placed = bodies[body];
  PlacedPoint point;
  point.arm = placed.R * at;
  point.position = placed.p + point.arm;
  point.velocity = placed.v + placed.w.cross(point.arm);
  point.acceleration = placed.linear_bias + placed.angular_bias.cross(point.arm) +
                       placed.w.cross(placed.w.cross(point.arm));
  return point;
}

void AddPointRow(const SceneTree& tree, const std::vector<PlacedBody>& bodies, int body,
                 const Vector3d& arm, const Vector3d& axis, double factor, RowRef row) {
  if (body == kGround) return;
  const std::vector<int>& columns = tree.links[tree.link_of[body]].columns;
  const Vector3d turn = arm.cross(axis);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const auto column = bodies[body].jacobian.col(static_cast<Eigen::Index>(k));
    row[columns[k]] += factor * (axis.dot(column.head<3>()) + turn.dot(column.tail<3>()));
  }
}

void AddSpinRow(const SceneTree& tree, const std::vector<PlacedBody>& bodies, int body,
                const Vector3d& axis, double factor, RowRef row) {
  if (body == kGround) return;
  const std::vector<int>& columns = tree.links[tree.link_of[body]].columns;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    row[columns[k]] +=
        factor * axis.dot(bodies[body].jacobian.col(static_cast<Eigen::Index>(k)).tail<3>());
  }
}

EquationsOfMotion TreeEquations(const SceneModel& model, const SceneTree& tree,
                                const VectorXd& coordinates, const VectorXd& speeds,
                                const std::vector<PlacedBody>& bodies) {
  EquationsOfMotion motion;
  motion.mass = Eigen::MatrixXd::Zero(tree.num_speeds, tree.num_speeds);
  motion.bias = VectorXd::Zero(tree.num_speeds);
  motion.speeds = speeds;
  Eigen::Matrix<double, 6, Eigen::Dynamic> momenta;
  for (const TreeLink& link : tree.links) {
    const PlacedBody& placed = bodies[link.body];
    const Body& body = model.bodies[link.body].body;
    const Matrix3d inertia = placed.R * body.inertia * placed.R.transpose();
    Eigen::Matrix<double, 6, 1> wrench;  // that the accelerations without any force of speeds need
    wrench << body.mass * (placed.linear_bias - model.gravity),
        inertia * placed.angular_bias + placed.w.cross(inertia * placed.w);
    momenta.resize(6, placed.jacobian.cols());
    momenta.topRows<3>() = body.mass * placed.jacobian.topRows<3>();
    momenta.bottomRows<3>().noalias() = inertia * placed.jacobian.bottomRows<3>();
    for (std::size_t k = 0; k < link.columns.size(); ++k) {
      const auto column = placed.jacobian.col(static_cast<Eigen::Index>(k));
      motion.bias[link.columns[k]] += column.dot(wrench);
      for (std::size_t j = 0; j <= k; ++j) {
        const double entry = column.dot(momenta.col(static_cast<Eigen::Index>(j)));
        motion.mass(link.columns[k], link.columns[j]) += entry;
        if (j != k) motion.mass(link.columns[j], link.columns[k]) += entry;
      }
    }
    if (IsFree(link)) continue;
    const SceneJoint& joint = model.joints[link.joint];
    if (joint.stiffness == 0.0 && joint.damping == 0.0) continue;
    motion.bias[link.first_speed] +=
        joint.stiffness * (coordinates[link.first_coordinate] - link.sign * joint.rest) +
        joint.damping * speeds[link.first_speed];
  }
  Eigen::RowVectorXd row(tree.num_speeds);
  for (const SceneSpring& spring : model.springs) {
    const PlacedPoint first = PlacePoint(bodies, spring.first, spring.at_first);
    const PlacedPoint second = PlacePoint(bodies, spring.second, spring.at_second);
    const Vector3d between = second.position - first.position;
    const double length = between.norm();
    if (!(length > 0.0)) continue;  // no direction to push in
    const Vector3d along = between / length;
    row.setZero();  // lengthening by speeds
    AddPointRow(tree, bodies, spring.second, second.arm, along, 1.0, row);
    AddPointRow(tree, bodies, spring.first, first.arm, along, -1.0, row);
    const double pull =
        spring.stiffness * (length - spring.length) + spring.damping * row.dot(speeds);
    motion.bias += pull * row.transpose();
  }
  for (const SceneForce& one : model.forces) {
    row.setZero();
    AddPointRow(tree, bodies, one.body, PlacePoint(bodies, one.body, one.at).arm, one.force, 1.0,
                row);
    motion.bias -= row.transpose();
  }
  return motion;
}

Eigen::MatrixXd SolveMass(const SceneTree& tree, const Eigen::MatrixXd& mass,
                          const Eigen::MatrixXd& right) {
  Eigen::MatrixXd solution(right.rows(), right.cols());
  for (const std::vector<int>& branch : tree.branches) {
    const Eigen::LLT<Eigen::MatrixXd> llt(Eigen::MatrixXd(mass(branch, branch)));
    const Eigen::MatrixXd part = llt.solve(Eigen::MatrixXd(right(branch, Eigen::all)));
    solution(branch, Eigen::all) = part;
  }
  return solution;
}

double KineticEnergy(const SceneModel& model, const std::vector<PlacedBody>& bodies) {
  double energy = 0.0;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const Body& body = model.bodies[b].body;
    const Vector3d w_B = bodies[b].R.transpose() * bodies[b].w;
    energy += 0.5 * (body.mass * bodies[b].v.squaredNorm() + w_B.dot(body.inertia * w_B));
  }
  return energy;
}

double PotentialEnergy(const SceneModel& model, const SceneTree& tree, const VectorXd& coordinates,
                       const std::vector<PlacedBody>& bodies) {
  double energy = 0.0;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    energy -= model.bodies[b].body.mass * model.gravity.dot(bodies[b].p);
  }
  for (const TreeLink& link : tree.links) {
    if (IsFree(link) || model.joints[link.joint].stiffness == 0.0) continue;
    const SceneJoint& joint = model.joints[link.joint];
    const double strain = coordinates[link.first_coordinate] - link.sign * joint.rest;
    energy += 0.5 * joint.stiffness * strain * strain;
  }
  for (const SceneSpring& spring : model.springs) {
    const double strain = (PlacePoint(bodies, spring.second, spring.at_second).position -
                           PlacePoint(bodies, spring.first, spring.at_first).position)
                              .norm() -
                          spring.length;
    energy += 0.5 * spring.stiffness * strain * strain;
  }
  for (const SceneForce& one : model.forces) {
    energy -= one.force.dot(PlacePoint(bodies, one.body, one.at).position);
  }
  return energy;
}

}  // namespace percuss::solver
