// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

#include "solver/multi_contact/multi_impact_problem.h"

namespace percuss::solver {

/// How a normal impulse is shared by the points of an event (chatterjee2019 3.2, 5.2):
///     dP = C dp,  the normal components of C adding up to 1,
/// from Coulomb rows (slip: dP_t = -mu d dP_n; stick: no change of u_t) and the rows
/// (f_i - f_j) . (P_i - P_j) = 0 of a rigid body. Where the rows leave a choice, the normals are as
/// equal as possible, then the tangentials as small as possible.
class ForceDistribution {
 public:
  /// @param inverse_mass Delassus matrix of these points, u' = u + inverse_mass P.
  ForceDistribution(const Eigen::MatrixXd& inverse_mass, std::vector<ImpactPoint> points,
                    ForceRows force_rows, bool drop_pulling_points);

  int NumRows() const { return num_rows_; }  ///< of one point
  int NumPoints() const { return static_cast<int>(points_.size()); }
  const std::vector<ImpactPoint>& points() const { return points_; }
  const Eigen::MatrixXd& inverse_mass() const { return inverse_mass_; }

  /// The points of one body on one plane: then slip shares the load as speed over mu, and all stop
  /// together.
  bool Coplanar() const { return coplanar_; }

  /// @param motion its tangential components are the slip of the points, in size and direction;
  /// its normal components decide which of two points may push where one has to pull.
  /// @param modes points that would pull are set to kOff.
  /// @returns false if no distribution meets the rows.
  bool Solve(const Eigen::VectorXd& motion, std::vector<PointMode>& modes,
             Eigen::VectorXd& distribution) const;

  /// Tangential velocities of the points of a face: column by column for the two translations along
  /// t1, t2 of the last point and the turn about its n; in the plane, and for a single point,
  /// without turn. Empty unless Coplanar().
  const Eigen::MatrixXd& face_motion() const { return face_motion_; }

  /// The smallest tangential impulses that stop all slip of a face, or that of one point.
  Eigen::VectorXd StoppingImpulse(const Eigen::VectorXd& velocity) const;
  Eigen::VectorXd StoppingImpulse(const Eigen::VectorXd& velocity, int point) const;

  /// H: the rows for the given modes, of which dP is a null vector. `free_point` has no rows
  /// of friction.
  Eigen::MatrixXd Rows(const Eigen::VectorXd& motion, const std::vector<PointMode>& modes,
                       int free_point = -1) const;

 private:
  bool SlidingShares(const Eigen::VectorXd& motion, const std::vector<PointMode>& modes,
                     Eigen::VectorXd& distribution) const;
  bool StickingShares(Eigen::VectorXd& distribution) const;
  bool GeneralShares(const Eigen::VectorXd& motion, const std::vector<PointMode>& modes,
                     Eigen::VectorXd& distribution) const;
  Eigen::Vector3d ArmBetween(int i, int j) const;  ///< unit vector, zero for one place
  double ForceComponent(int i, int row, const Eigen::Vector3d& arm) const;

  int num_rows_;
  Eigen::MatrixXd inverse_mass_;
  std::vector<ImpactPoint> points_;
  ForceRows force_rows_;
  bool drop_pulling_points_;
  bool coplanar_ = false;
  bool any_friction_ = false;
  Eigen::MatrixXd face_motion_;
  Eigen::MatrixXd face_response_;  ///< inverse of face_motion^T A face_motion
};

}  // namespace percuss::solver
