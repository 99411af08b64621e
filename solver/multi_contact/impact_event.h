// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "solver/integration/dormand_prince.h"
#include "solver/multi_contact/face_slip.h"
#include "solver/multi_contact/force_distribution.h"
#include "solver/multi_contact/multi_impact_problem.h"

namespace percuss::solver {

/// Slip that counts as none, of the largest speed.
inline constexpr double kRest = 1e-12;

/// One impact event (chatterjee2019 chapters 3 and 5): u and the work of the normals over
/// the sum of the normal impulses, from phase to phase, up to the end that e asks for. Phases in
/// which C is constant (in the plane, all sticking, or without friction) are parabolas; slip of a
/// face that turns is a series, all other slip that turns is integrated.
class ImpactEventIntegration {
 public:
  /// @param velocity u of the points of the event
  /// @param split_energy of (3.11), or empty for the work integral
  /// @param reference the point in `distribution` whose normal impulse (3.15) counts
  ImpactEventIntegration(const ForceDistribution& distribution, const Eigen::VectorXd& velocity,
                         const Eigen::MatrixXd& split_energy, double restitution, int reference,
                         const MultiImpactOptions& options);

  /// @returns kSolved, kNoDistribution or kEndlessEvent
  MultiImpactStatus Run();

  const Eigen::VectorXd& impulse() const { return impulse_; }
  const Eigen::VectorXd& compression_impulse() const { return compression_impulse_; }
  double compression_work() const { return compression_work_; }
  double normal_work() const { return work_; }
  const std::vector<ImpactPhase>& phases() const { return phases_; }
  const std::vector<ImpactPathKnot>& path() const { return path_; }
  bool stuck_beyond_friction() const { return stuck_beyond_friction_; }
  std::string State() const;  ///< impulse and velocity, for messages

 private:
  enum class Goal { kCompression, kInsideCompression, kRestitution };
  enum class Outcome { kOn, kStopped, kEnd, kNoDistribution, kEndless };

  MultiImpactStatus Pass(Goal goal);
  void Reset();
  bool StartPhase();
  bool ConstantPhase() const;
  Outcome AdvanceLinear();
  Outcome AdvanceTurning();
  Outcome AdvanceFace();
  Outcome CheckWork(double work_rate);
  double LengthToStop(const Eigen::VectorXd& rate) const;
  double LengthToEnd(double linear, double square) const;
  void TakeLinearStep(double length, double work);
  void StopSlip(int point);
  void RecordKnot();

  double Rate(const Eigen::VectorXd& state, Eigen::VectorXd& rate);
  struct SlipToStop {
    double speed, length;  ///< slip left, and impulse to rest at the present rate
    int point;             ///< -1: all together
  };
  SlipToStop NextStop(const Eigen::VectorXd& velocity_rate) const;
  template <class Value>
  double Locate(const Value& value, const Eigen::VectorXd& start, const Eigen::VectorXd& rate,
                double at_low, double high);
  double EndValue(double reference_impulse, double work) const;

  bool ResolveStopped(const std::vector<int>& stopped);
  bool ResolvePlanar(const std::vector<int>& stopped);
  bool ResolveSpatial(const std::vector<int>& stopped);
  bool HoldsAll(const std::vector<int>& stopped, int* worst) const;
  void LeaveAlong(const Eigen::VectorXd& slip, bool straight);
  bool ResumeSinglePoint(int point);
  double NormalImpulse() const;
  std::vector<int> PointsAtRest() const;

  int Normal(int point) const { return point * num_rows_ + num_rows_ - 1; }
  double WorkOf(const Eigen::VectorXd& velocity) const;
  double ReferenceImpulse() const { return impulse_[Normal(reference_)]; }

  const ForceDistribution& distribution_;
  const MultiImpactOptions& options_;
  const Eigen::VectorXd start_velocity_;
  const Eigen::MatrixXd split_energy_;
  const double restitution_;
  const int reference_;
  const int num_rows_, num_points_;
  double speed_scale_ = 0.0, impulse_scale_ = 0.0, work_rate_scale_ = 0.0;

  Goal goal_ = Goal::kRestitution;
  Eigen::VectorXd impulse_, velocity_, motion_, shares_, scratch_, velocity_rate_;
  std::vector<PointMode> modes_;
  double work_ = 0.0;
  bool leaving_ = false;     // slip starts from rest along motion_
  bool straight_ = false;    // and keeps all its directions
  double resumed_at_ = 0.0;  // sum of the normal impulses where slip last did
  bool compressed_ = false, has_compression_ = false;
  double compression_work_ = 0.0, compression_reference_ = 0.0;
  Eigen::VectorXd compression_impulse_;
  double step_ = 0.0;
  int num_steps_ = 0;
  FaceSlip face_;
  DormandPrince<> integrator_;
  std::vector<ImpactPhase> phases_;
  std::vector<ImpactPathKnot> path_;
  bool stuck_beyond_friction_ = false;
};

}  // namespace percuss::solver
