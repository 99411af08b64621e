// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <Simbody.h>

#include <optional>

#include "benchmarks/peers.h"

namespace percuss::benchmarks {
namespace {

constexpr double kStep = 1e-3;  // [s]

SimTK::Vec3 ToSimbody(const Eigen::Vector3d& x) { return {x[0], x[1], x[2]}; }
Eigen::Vector3d FromSimbody(const SimTK::Vec3& x) { return {x[0], x[1], x[2]}; }

struct Scene {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter{system};
  SimTK::MobilizedBody::Free ball;
  std::optional<SimTK::SemiExplicitEulerTimeStepper> stepper;

  explicit Scene(const BallImpact& impact) {
    const SimTK::MassProperties mass(impact.mass, SimTK::Vec3(0),
                                     impact.mass * SimTK::UnitInertia::sphere(impact.radius));
    ball = SimTK::MobilizedBody::Free(matter.Ground(), SimTK::Transform(), SimTK::Body::Rigid(mass),
                                      SimTK::Transform());
    matter.adoptUnilateralContact(new SimTK::SpherePlaneContact(
        matter.Ground(), SimTK::UnitVec3(SimTK::ZAxis), 0.0, ball, SimTK::Vec3(0), impact.radius,
        impact.e, impact.mu, impact.mu, 0.0));
    SimTK::State state = system.realizeTopology();
    system.realizeModel(state);
    ball.setQToFitTranslation(state, SimTK::Vec3(0, 0, impact.radius));
    ball.setUToFitVelocity(state, SimTK::SpatialVec(ToSimbody(impact.w), ToSimbody(impact.v)));
    stepper.emplace(system);
    // Restitution and friction at their given values at every speed, as far as Simbody has it so.
    stepper->setConstraintTolerance(1e-8);
    stepper->setDefaultImpactCaptureVelocity(0.0);
    stepper->setDefaultImpactMinCORVelocity(0.0);
    stepper->setDefaultFrictionTransitionVelocity(0.0);
    stepper->initialize(state);
  }
};

class Simbody : public BallEngine {
 public:
  std::string Label() const override { return "Simbody 3.7, ball, one step of 1 ms"; }
  void Place(const BallImpact& impact) override {
    scene_.reset();
    scene_ = std::make_unique<Scene>(impact);
  }
  void Resolve() override { scene_->stepper->stepTo(kStep); }
  BallVelocities After() const override {
    const SimTK::State& state = scene_->stepper->getState();
    scene_->system.realize(state, SimTK::Stage::Velocity);
    const SimTK::SpatialVec velocity = scene_->ball.getBodyVelocity(state);
    return {FromSimbody(velocity[1]), FromSimbody(velocity[0])};
  }

 private:
  std::unique_ptr<Scene> scene_;
};

}  // namespace

std::unique_ptr<BallEngine> MakeSimbody() { return std::make_unique<Simbody>(); }

}  // namespace percuss::benchmarks
