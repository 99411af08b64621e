// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "solver/simulation/constrained_dynamics.h"
#include "solver/simulation/plane_model.h"

namespace percuss::solver {

/// A rigid body before planes as the simulator sees it: its rate of change under the contacts
/// it has, its impacts, and what changes a contact.
class PlaneBody {
 public:
  /// p, q as w x y z, v, w
  using State = Eigen::Matrix<double, 13, 1>;
  using Sample = FlightState<double>;
  using Action = PointAction;

  /// @throws std::invalid_argument as SimulateOnPlane says
  PlaneBody(const Body& body, const Eigen::Vector3d& gravity, const PlaneContactModel& model,
            const PlaneSimulationOptions& options);

  static State Pack(const FlightState<double>& state);
  static FlightState<double> Unpack(const State& state);
  Sample SampleOf(const State& state) const { return Unpack(state); }
  std::string Describe(const State& state) const;  ///< for messages
  bool Conserves() const { return true; }          ///< no plane moves

  /// Gaps of all candidates, the points that may touch the first plane, then the second, ..., their
  /// normal velocities, and the arms to them, in W.
  struct View {
    Eigen::VectorXd gaps, speeds;
    std::vector<Eigen::Vector3d> arms;
  };
  View Look(const State& state) const;

  double KineticEnergy(const State& state) const;
  double PotentialEnergy(const State& state) const;
  double Energy(const State& state) const;
  double Size() const { return size_; }
  double WeightTimesSize() const { return body_.mass * gravity_.norm() * size_; }

  /// d(state)/dt with the contacts of the last Settle().
  State Rate(const State& state);

  enum class ImpactOutcome { kNone, kDone, kFailed };
  /// One impact of the touching points, if one approaches.
  /// @param event gets the number of points and the impulses
  ImpactOutcome Strike(State& state, PlaneEvent& event, std::string& why) const;
  /// The same where no forces hold points that slide and do not approach: the more they press, the
  /// more friction presses them (a jam, Painleve's paradox). Then an impact slows the slip down, as
  /// if they approached ever so slowly: by the solver of impacts at several points, whatever the
  /// law, and without restitution, as of all that is slower than rest_speed.
  ImpactOutcome StrikeJammed(State& state, PlaneEvent& event, std::string& why) const;
  /// Finds the points that stay in contact, and stops their normal motion. False if there are no
  /// forces that hold them, with the state as it was.
  bool Settle(State& state, std::string& why);

  /// Of the contacts of the last Settle().
  std::vector<PointAction> Forces(const State& state) const;

  int NumContacts() const { return static_cast<int>(contacts_.size()); }
  std::vector<ContactMode> Modes() const;  ///< of the contacts, kSlip or kStick
  bool InContact(int candidate) const;
  /// Above zero where a contact would have to pull, or to hold beyond mu_s [m/s^2].
  double ForceExcess(const State& state);
  double TimeToStopSlip(const State& state, const State& rate) const;
  bool SlipEnds(const State& state) const;
  /// Takes the drift of velocities off that the contacts forbid; normalises the quaternion.
  void KeepToContact(State& state);
  bool AtRest(const State& state);

  /// No forces hold the contacts at the state of the last Rate().
  bool failed() const { return !failure_.empty(); }
  const std::string& failure() const { return failure_; }

 private:
  static Eigen::Matrix3d Rotation(const State& state);  ///< R_WB
  static Eigen::Vector3d Velocity(const State& state) { return state.segment<3>(7); }
  static Eigen::Vector3d Spin(const State& state) { return state.segment<3>(10); }

  struct Contact {
    int candidate;
    ContactState state;
    Eigen::Vector2d direction;  // of slip along t1, t2, where its speed does not tell
    bool starting = false;      // to slip from rest
  };
  static constexpr int kFewContacts = 4;
  /// Velocities' rates under the contacts, and the forces of these.
  struct Pressed {
    Eigen::Matrix<double, 6, 1> acceleration;
    Eigen::VectorXd forces;  ///< t1, t2, n of each contact [N]
    std::string failure;
  };
  Pressed Press(const State& state) const;
  Pressed Press(const State& state, const std::vector<Contact>& contacts) const;
  template <int kMost>
  Pressed PressRows(const State& state, const std::vector<Contact>& contacts) const;
  Eigen::VectorXd ChosenForces(const std::vector<Contact>& contacts) const;
  /// How far a contact pulls, or is beyond mu_s [N].
  double LargestExcess(const Eigen::VectorXd& forces) const;
  void Relieve(const State& state, Eigen::VectorXd* forces) const;
  bool Starting() const;
  /// The contacts, with the directions of slip that starts.
  std::vector<Contact> Directed(const State& state) const;
  const ContactPlane& PlaneOf(int candidate) const { return model_.planes[candidate / per_plane_]; }
  double Friction(int candidate) const;
  double StaticFriction(int candidate) const;
  /// @param velocity of the point, W
  Eigen::Vector2d SlipDirection(const Contact& contact, const Eigen::Vector3d& velocity) const;
  EquationsOfMotion Motion(const State& state) const;
  ContactConstraints Constraints(const State& state, const std::vector<Contact>& contacts) const;
  Eigen::Vector2d Slip(const State& state, const View& view, int candidate) const;
  std::vector<int> Touching(const View& view) const;
  Contact Candidate(const State& state, const View& view, int i) const;
  /// Of a point along the normal of its plane, under accelerations of the body [m/s^2].
  double PointAcceleration(const State& state, const Eigen::Matrix<double, 6, 1>& acceleration,
                           int candidate) const;
  double FreeAcceleration(const State& state, int candidate) const;
  Eigen::Vector3d ArmRate(const State& state, int candidate, const Eigen::Vector3d& arm) const;
  void StopHeldVelocities(State& state, const std::vector<Contact>& contacts) const;
  template <int kMost>
  void StopHeldRows(State& state, const std::vector<Contact>& contacts) const;
  std::vector<Eigen::Vector3d> Arms(const Eigen::Matrix3d& R_WB) const;
  Eigen::Vector3d Arm(const Eigen::Matrix3d& R_WB, int candidate) const;
  ImpactOutcome StrikeByLaw(State& state, const View& view, const std::vector<int>& touching,
                            PlaneEvent& event, std::string& why) const;

  Body body_;
  Eigen::Matrix3d inverse_inertia_;
  Eigen::Vector3d gravity_;
  PlaneContactModel model_;
  PlaneSimulationOptions options_;
  double size_;
  std::vector<Eigen::Vector3d> vertices_;  // in body axes; of boxes and meshes alone
  int per_plane_ = 0;                      // candidates
  bool floor_alone_ = false;               // one plane, with the axes of W
  std::vector<int> settled_;               // candidates that the last Settle() was about
  std::vector<Contact> contacts_;
  /// Of redundant contacts, forces nearest to which hold them; the smallest if empty [N].
  Eigen::VectorXd chosen_forces_;
  std::string failure_;
};

}  // namespace percuss::solver
