// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

#include "solver/scene/scene_model.h"
#include "solver/simulation/constrained_dynamics.h"

// The bodies of a scene in joint coordinates: each hangs on the ground or on another body by one
// joint or flies free, which gives its place and velocity; joints beside these close loops.

namespace percuss::solver {

/// How one body hangs on its parent.
struct TreeLink {
  int body = 0, parent = kGround;
  int joint = -1;                      ///< of the model; -1: the body is free
  JointKind kind = JointKind::kFixed;  ///< of the joint
  double sign = 1.0;                   ///< -1 where the parent is the second body of the joint
  /// Places of its own among coordinates and speeds. A free body: p, q as w x y z; v, w in W. A
  /// spherical joint: q from the child's frame to the parent's; rates about the parent's axes. A
  /// planar joint: x, y, angle.
  int first_coordinate = 0, first_speed = 0, num_speeds = 0;
  Eigen::Matrix3d R_PF, R_CF;  ///< the joint's frame, z its axis, in parent and child
  Eigen::Vector3d p_PF, p_CF;  ///< its origin from their mass centres, in their axes
  std::vector<int> columns;    ///< the speeds that move the body, its own last
};

struct SceneTree {
  std::vector<TreeLink> links;  ///< parents before their children
  std::vector<int> link_of;     ///< by body
  std::vector<int> loops;       ///< joints of the model that are not in the tree
  /// Speeds that share inertia: those of all bodies on one branch from the ground.
  std::vector<std::vector<int>> branches;
  int num_coordinates = 0, num_speeds = 0;
};

/// Joints become links in their order; of bodies that no joint connects with the ground the first
/// is free.
SceneTree MakeTree(const SceneModel& model);

/// The coordinates of the start.
Eigen::VectorXd StartCoordinates(const SceneModel& model, const SceneTree& tree);

/// A body where it is: W axes.
struct PlacedBody {
  Eigen::Vector3d p, v, w;
  Eigen::Matrix3d R;
  Eigen::Matrix<double, 6, Eigen::Dynamic> jacobian;  ///< of (v, w) by TreeLink::columns
  /// Accelerations of the mass centre and the rotation where all speeds stay as they are.
  Eigen::Vector3d linear_bias, angular_bias;
};

/// Fills `bodies`, in the order of the model.
void Place(const SceneTree& tree, const Eigen::VectorXd& coordinates, const Eigen::VectorXd& speeds,
           std::vector<PlacedBody>* bodies);

Eigen::VectorXd CoordinateRates(const SceneTree& tree, const Eigen::VectorXd& coordinates,
                                const Eigen::VectorXd& speeds);

/// Makes the quaternions among coordinates unit ones.
void NormalizeCoordinates(const SceneTree& tree, Eigen::Ref<Eigen::VectorXd> coordinates);

/// Mass matrix, bias with gravity, springs, dampers and forces, of the speeds of the tree.
EquationsOfMotion TreeEquations(const SceneModel& model, const SceneTree& tree,
                                const Eigen::VectorXd& coordinates, const Eigen::VectorXd& speeds,
                                const std::vector<PlacedBody>& bodies);

/// mass^-1 right, branch by branch. An inertia that is positive makes each branch definite.
Eigen::MatrixXd SolveMass(const SceneTree& tree, const Eigen::MatrixXd& mass,
                          const Eigen::MatrixXd& right);

double KineticEnergy(const SceneModel& model, const std::vector<PlacedBody>& bodies);
/// Of gravity, springs and constant forces [J].
double PotentialEnergy(const SceneModel& model, const SceneTree& tree,
                       const Eigen::VectorXd& coordinates, const std::vector<PlacedBody>& bodies);

/// A row of a matrix over all speeds.
using RowRef = Eigen::Ref<Eigen::RowVectorXd, 0, Eigen::InnerStride<>>;

/// Adds factor axis . (velocity of the point) of a body to a row over all speeds.
/// @param arm from the mass centre, W. Nothing for the ground.
void AddPointRow(const SceneTree& tree, const std::vector<PlacedBody>& bodies, int body,
                 const Eigen::Vector3d& arm, const Eigen::Vector3d& axis, double factor,
                 RowRef row);
/// Likewise axis . (angular velocity).
void AddSpinRow(const SceneTree& tree, const std::vector<PlacedBody>& bodies, int body,
                const Eigen::Vector3d& axis, double factor, RowRef row);

/// A point fixed to a body, or to the ground where `at` is in W.
struct PlacedPoint {
  Eigen::Vector3d position, arm, velocity;
  Eigen::Vector3d acceleration;  ///< where all speeds stay as they are
};
PlacedPoint PlacePoint(const std::vector<PlacedBody>& bodies, int body, const Eigen::Vector3d& at);

}  // namespace percuss::solver
