// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <Simbody.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <optional>

#include "benchmarks/impacts/peers.h"

namespace percuss::benchmarks {
namespace {

constexpr double kStep = 1e-3;  // [s]

SimTK::Vec3 ToSimbody(const Eigen::Vector3d& x) { return {x[0], x[1], x[2]}; }
Eigen::Vector3d FromSimbody(const SimTK::Vec3& x) { return {x[0], x[1], x[2]}; }

// Debian's Simbody writes pages about each impact to standard output. Streams are closed to it;
// what it formats with printf goes nowhere, but takes its time.
class Silence {
 public:
  Silence() : nowhere_(::open("/dev/null", O_WRONLY)) {}
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
  ~Silence() { ::close(nowhere_); }

  void Begin() {
    std::fflush(stdout);
    std::cout.flush();
    std::cout.setstate(std::ios::failbit);
    output_ = ::dup(STDOUT_FILENO);
    ::dup2(nowhere_, STDOUT_FILENO);
  }
  void End() {
    std::fflush(stdout);
    std::cout.clear();
    ::dup2(output_, STDOUT_FILENO);
    ::close(output_);
  }

 private:
  int nowhere_, output_ = -1;
};

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
  std::string Label() const override { return "Simbody, ball, one step of 1 ms (velocities)"; }
  void Place(const BallImpact& impact) override {
    scene_.reset();
    scene_ = std::make_unique<Scene>(impact);
  }
  void Resolve() override {
    silence_.Begin();
    scene_->stepper->stepTo(kStep);
    silence_.End();
  }
  BallVelocities After() const override {
    const SimTK::State& state = scene_->stepper->getState();
    scene_->system.realize(state, SimTK::Stage::Velocity);
    const SimTK::SpatialVec velocity = scene_->ball.getBodyVelocity(state);
    return {FromSimbody(velocity[1]), FromSimbody(velocity[0])};
  }

 private:
  std::unique_ptr<Scene> scene_;
  Silence silence_;
};

}  // namespace

std::unique_ptr<BallEngine> MakeSimbody() { return std::make_unique<Simbody>(); }

}  // namespace percuss::benchmarks
