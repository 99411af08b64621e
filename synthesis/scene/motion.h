// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string_view>
#include <vector>

#include "solver/body/flight.h"
#include "solver/law/impact_law.h"
#include "synthesis/scene/scene_spec.h"

namespace percuss::synthesis {

using State = solver::FlightState<double>;

/// What the impact did; vectors in W.
struct ImpactTruth {
  State before, after;                                       ///< at the time of the impact
  Eigen::Vector3d contact_point = Eigen::Vector3d::Zero();   ///< [m]
  Eigen::Vector3d contact_offset = Eigen::Vector3d::Zero();  ///< from the mass centre [m]
  Eigen::Vector3d contact_velocity_before = Eigen::Vector3d::Zero();
  Eigen::Vector3d contact_velocity_after = Eigen::Vector3d::Zero();
  solver::ImpactResult<double> result;  ///< of the law; contact frame axes are those of W
};

/// The motion of one drop, or slide (SlideSpec). A drop: held still, carried with constant
/// acceleration (linear and angular) to its state at release, free flight, impact, free flight.
/// Time 0 is the middle of the exposure of left frame 0.
class Motion {
 public:
  Motion(const SceneSpec& spec, const TrialSpec& trial);

  State At(double time) const;
  /// held, carried, pre-flight or post-flight; of a slide held, carried (on a plate that is
  /// tilted) or sliding.
  std::string_view Phase(double time) const;

  double actuator_start = 0.0, release = 0.0, impact_time = 0.0;  ///< [s]
  double second_contact = 0.0;  ///< infinite if none within the post flight asked for [s]
  double end = 0.0;             ///< of the clip: before the second contact [s]
  ImpactTruth impact;
  double slide_start = 0.0;  ///< of a slide [s]

 private:
  void PlanSlide(const SlideSpec& slide, double frame_rate, double earliest);
  State Sliding(double time) const;
  void SolveImpact(const TrialSpec& trial, bool planar);
  bool Land(const TrialSpec& trial);  ///< on several points; false where one is lowest
  void CheckClearance() const;
  void FindSecondContact(double longest);
  double Clearance(const State& state) const;  ///< height of the lowest point [m]
  State Carried(double time) const;

  solver::Body body_;
  Eigen::Vector3d gravity_;
  State at_release_;
  // States of the free flights at even steps, so that a state is found in a few steps of
  // integration.
  std::vector<State> before_, after_;
  std::optional<SlideSpec> slide_;
  Eigen::Vector3d downhill_ = Eigen::Vector3d::UnitX();
  double height_ = 0.0;         // of the mass centre above the plate [m]
  Eigen::Quaterniond at_rest_;  // attitude
  std::vector<double> ways_;    // of a slide at even steps from its start [m]
};

/// @throws std::invalid_argument naming the cause: the contact separates, the law refuses, the body
/// would touch the surface before, or again at once after the impact.
Motion PlanMotion(const SceneSpec& spec, const TrialSpec& trial);

/// Kinetic energy of the body's translation and rotation [J].
Eigen::Vector2d KineticEnergy(const solver::Body& body, const State& state);

}  // namespace percuss::synthesis
