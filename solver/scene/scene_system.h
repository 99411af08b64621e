// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <functional>
#include <string>
#include <vector>

#include "solver/scene/scene_start.h"
#include "solver/scene/scene_touch.h"
#include "solver/scene/scene_tree.h"
#include "solver/simulation/constrained_dynamics.h"
#include "solver/simulation/plane_model.h"

namespace percuss::solver {

/// What acts at a point of a pair, W: a force [N] or an impulse [N s] on the body of the pair, its
/// opposite on the other.
struct PairAction {
  int pair = 0;
  Eigen::Vector3d position, action;
};

/// Where all is at one time.
struct SceneSample {
  std::vector<FlightState<double>> bodies;
  /// [rad] or [m] of the joints; not a number of those that close loops, and of all but revolute
  /// and prismatic ones.
  Eigen::VectorXd joints;
};

/// A scene as the simulator sees it: its rate of change under the contacts it has, its impacts, and
/// what changes a contact.
class SceneSystem {
 public:
  using State = Eigen::VectorXd;  ///< coordinates and speeds of the tree, and the time
  using Sample = SceneSample;
  using Action = PairAction;
  using Event = SimulationEvent<Action>;

  /// @throws std::invalid_argument as SimulateScene says
  SceneSystem(const SceneModel& model, const PlaneSimulationOptions& options);

  const State& start() const { return start_; }
  const std::vector<TouchPair>& pairs() const { return pairs_; }
  /// Names of joints and constraints that ask for what others hold already.
  const std::vector<std::string>& redundant() const { return redundant_; }
  Sample SampleOf(const State& state) const;
  std::string Describe(const State& state) const;  ///< for messages

  struct View {
    Eigen::VectorXd gaps, speeds;  ///< of all points that may touch; their normal velocities
    std::vector<Touch> touches;
  };
  View Look(const State& state) const;

  double KineticEnergy(const State& state) const;
  double PotentialEnergy(const State& state) const;
  double Energy(const State& state) const { return KineticEnergy(state) + PotentialEnergy(state); }
  /// Nothing but the bodies themselves can do work on them.
  bool Conserves() const { return conserves_; }
  double Size() const { return size_; }
  double WeightTimesSize() const { return weight_ * size_; }

  State Rate(const State& state);

  enum class ImpactOutcome { kNone, kDone, kFailed };
  /// Of `count` impacts that could come next, the fastest first, the place of the one that does.
  using NextImpact = std::function<int(int count)>;
  /// The impacts of all points that touch, where one approaches, one after the other.
  /// @param event gets the number of points and the impulses
  /// @param next the fastest if empty
  ImpactOutcome Strike(State& state, Event& event, std::string& why,
                       const NextImpact& next = {}) const;
  /// Where no forces hold the points in contact: an impact that stops or turns their slip.
  ImpactOutcome StrikeJammed(State& state, Event& event, std::string& why) const;
  bool Settle(State& state, std::string& why);
  std::vector<Action> Forces(const State& state) const;

  int NumContacts() const { return static_cast<int>(contacts_.size()); }
  std::vector<ContactMode> Modes() const;  ///< of the contacts, kSlip or kStick
  bool InContact(int candidate) const;
  double ForceExcess(const State& state);
  double TimeToStopSlip(const State& state, const State& rate) const;
  bool SlipEnds(const State& state) const;
  /// Takes the drift off that joints and contacts forbid.
  void KeepToContact(State& state);
  bool AtRest(const State& state);

  bool failed() const { return !failure_.empty(); }
  const std::string& failure() const { return failure_; }

 private:
  struct Contact {
    int candidate;
    ContactState state;
    Eigen::Vector2d direction;  // of slip along t1, t2, for when it is too slow to tell
    bool starting = false;      // to slip from rest
  };
  /// The equations of motion in the speeds z that loops leave free: y = basis z + offset,
  /// ydot = basis zdot + rest.
  struct Reduced {
    EquationsOfMotion motion;
    Eigen::MatrixXd basis;  ///< empty where nothing is reduced
    Eigen::VectorXd offset, rest;
    std::string failure;
  };
  struct Pressed {
    Eigen::VectorXd acceleration, forces;
    std::string failure;
    Eigen::MatrixXd jacobian = {};  ///< of the contacts, by the reduced speeds
  };

  /// The first of a point's three rows among those of several.
  static Eigen::Index Row(int place) { return static_cast<Eigen::Index>(3) * place; }
  Eigen::VectorXd Coordinates(const State& state) const {
    return state.head(tree_.num_coordinates);
  }
  Eigen::VectorXd Speeds(const State& state) const {
    return state.segment(tree_.num_coordinates, tree_.num_speeds);
  }
  double Time(const State& state) const { return state[state.size() - 1]; }
  std::vector<PlacedBody> Bodies(const State& state) const;
  void KeepToLoops(State& state) const;
  Reduced Reduce(const State& state, const std::vector<PlacedBody>& bodies) const;
  /// Inverse of the reduced mass matrix times `right`.
  Eigen::MatrixXd SolveReduced(const Reduced& reduced, const Eigen::MatrixXd& right) const;
  ContactConstraints Constraints(const std::vector<PlacedBody>& bodies,
                                 const std::vector<Touch>& touches, const Reduced& reduced,
                                 const std::vector<Contact>& contacts) const;
  Pressed Press(const State& state) const;
  /// Those that start to slip in the directions that they keep.
  std::vector<Contact> Directed(const std::vector<PlacedBody>& bodies,
                                const std::vector<Touch>& touches, const Reduced& reduced) const;
  Eigen::Vector2d SlipDirection(const Contact& contact, const Touch& touch) const;
  std::vector<int> Touching(const View& view) const;
  double StaticFriction(const Touch& touch) const { return pairs_[touch.pair].mu_s; }
  /// Contact velocity of one of the points that touch, after impulses have changed the speeds.
  Eigen::Vector3d ContactVelocity(const Touch& touch, int place, const Reduced& reduced,
                                  const Eigen::MatrixXd& rows, const Eigen::VectorXd& speeds) const;
  /// Which of the points that touch strikes next: its place among them, -1 if none approaches.
  /// @param units points of one unit strike together
  int NextToStrike(const std::vector<int>& touching, const std::vector<int>& units,
                   const View& view, const Reduced& reduced, const Eigen::MatrixXd& rows,
                   const Eigen::VectorXd& speeds, const NextImpact& next) const;
  ImpactOutcome StrikeTogether(const std::vector<int>& group, const View& view,
                               const Reduced& reduced, const Eigen::MatrixXd& rows,
                               Eigen::VectorXd* speeds, Event* event, std::string& why) const;
  ImpactOutcome StrikeByBody(const std::vector<int>& touching, const View& view,
                             const Reduced& reduced, const Eigen::MatrixXd& rows,
                             const NextImpact& next, Eigen::VectorXd* speeds, Event* event,
                             std::string& why) const;
  ImpactOutcome StrikeByLaw(const std::vector<int>& touching, const View& view,
                            const Reduced& reduced, const Eigen::MatrixXd& rows,
                            const NextImpact& next, Eigen::VectorXd* speeds, Event* event,
                            std::string& why) const;
  Eigen::VectorXd ChosenForces(const ContactConstraints& constraints) const;
  double LargestExcess(const View& view, const Eigen::VectorXd& forces, double scale) const;
  void Relieve(const View& view, Pressed* pressed) const;
  Contact Candidate(const Touch& touch, int candidate) const;
  Eigen::Vector3d PointAcceleration(const State& state, const Touch& touch,
                                    const Eigen::VectorXd& acceleration) const;
  void StopHeldVelocities(State& state, const std::vector<Contact>& contacts) const;

  SceneModel model_;
  PlaneSimulationOptions options_;
  SceneTree tree_;
  std::vector<TouchPair> pairs_;
  std::vector<int> loop_rows_;          // that are held
  std::vector<std::string> redundant_;  // names of what asks for others
  int restitution_at_ = -1;             // place of e among the parameters of the law
  double size_ = 1.0, weight_ = 0.0;
  bool conserves_ = true;
  State start_;
  std::vector<Contact> contacts_;
  Eigen::VectorXd chosen_forces_;  // of the contacts; empty if the smallest do
  std::string failure_;
  std::string opened_;  // what says that a redundant row does not hold any more
};

}  // namespace percuss::solver
