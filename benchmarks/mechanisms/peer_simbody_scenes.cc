// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <Simbody.h>

#include <iostream>
#include <limits>

#include "benchmarks/mechanisms/peer_scenes.h"
#include "benchmarks/timing.h"

namespace percuss::benchmarks {
namespace {

using SimTK::Vec3;

Vec3 ToSimbody(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

SimTK::Body::Rigid BodyOf(const PeerBody& body) {
  const Eigen::Vector3d& moments = body.moments;
  return SimTK::Body::Rigid(SimTK::MassProperties(
      body.mass, Vec3(0), SimTK::Inertia(moments.x(), moments.y(), moments.z())));
}

/// A frame whose `axis` is the scene's: z of a pin, x of a slider.
SimTK::Rotation FrameOf(const PeerJoint& joint, SimTK::CoordinateAxis axis) {
  return {SimTK::UnitVec3(ToSimbody(joint.axis)), axis};
}

}  // namespace

std::vector<Eigen::Vector3d> MoveBySimbody(const PeerScene& scene, const PeerState& start,
                                           double duration) {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter(system);
  SimTK::GeneralForceSubsystem forces(system);
  const SimTK::Force::Gravity gravity(forces, matter, ToSimbody(scene.gravity));
  std::vector<SimTK::MobilizedBody> bodies(scene.bodies.size());
  std::vector<bool> placed(scene.bodies.size(), false);
  const auto place = [&](int body) {
    return body == -1 ? Vec3(0) : ToSimbody(scene.bodies[body].place);
  };
  for (const PeerJoint& joint : scene.joints) {
    const bool closes = placed[joint.second];
    SimTK::MobilizedBody& first = joint.first == -1 ? matter.updGround() : bodies[joint.first];
    if (closes) {
      SimTK::Constraint::Ball(first, ToSimbody(joint.point) - place(joint.first),
                              bodies[joint.second], ToSimbody(joint.point) - place(joint.second));
      continue;
    }
    placed[joint.second] = true;
    const SimTK::Body::Rigid body = BodyOf(scene.bodies[joint.second]);
    if (!joint.slides) {
      const SimTK::Rotation R = FrameOf(joint, SimTK::ZAxis);
      bodies[joint.second] = SimTK::MobilizedBody::Pin(
          first, SimTK::Transform(R, ToSimbody(joint.point) - place(joint.first)), body,
          SimTK::Transform(R, ToSimbody(joint.point) - place(joint.second)));
    } else {
      const SimTK::Rotation R = FrameOf(joint, SimTK::XAxis);
      bodies[joint.second] = SimTK::MobilizedBody::Slider(
          first, SimTK::Transform(R, place(joint.second) - place(joint.first)), body,
          SimTK::Transform(R, Vec3(0)));
    }
  }
  SimTK::State state = system.realizeTopology();
  for (int k = 0; k < state.getNQ(); ++k) {
    state.updQ()[k] = start.coordinates[k];
    state.updU()[k] = start.speeds[k];
  }
  SimTK::RungeKuttaMersonIntegrator integrator(system);
  integrator.setAccuracy(1e-11);
  integrator.setConstraintTolerance(1e-11);
  integrator.initialize(state);
  while (integrator.getTime() < duration) integrator.stepTo(duration);
  std::vector<Eigen::Vector3d> places;
  system.realize(integrator.getState(), SimTK::Stage::Position);
  for (const SimTK::MobilizedBody& body : bodies) {
    const Vec3 p = body.getBodyOriginLocation(integrator.getState());
    places.emplace_back(p[0], p[1], p[2]);
  }
  return places;
}

namespace {

double DropByImpulses(const PeerScene& scene, double duration) {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter(system);
  SimTK::GeneralForceSubsystem forces(system);
  const SimTK::Force::Gravity gravity(forces, matter, ToSimbody(scene.gravity));
  matter.setShowDefaultGeometry(false);
  SimTK::Vector q;
  for (const PeerBody& one : scene.bodies) {
    SimTK::MobilizedBody::Free body(matter.updGround(), SimTK::Transform(), BodyOf(one),
                                    SimTK::Transform());
    body.setDefaultTranslation(ToSimbody(one.place));
    matter.adoptUnilateralContact(new SimTK::SpherePlaneContact(matter.updGround(), SimTK::ZAxis,
                                                                0.0, body, Vec3(0), one.radius,
                                                                scene.e, scene.mu, scene.mu, 0.0));
  }
  SimTK::State state = system.realizeTopology();
  // Debian's library prints what it does: into nothing, at no cost.
  std::streambuf* const print = std::cout.rdbuf(nullptr);
  const double nanoseconds = Nanoseconds([&] {
    SimTK::SemiExplicitEulerTimeStepper stepper(system);
    stepper.setRestitutionModel(SimTK::SemiExplicitEulerTimeStepper::Newton);
    stepper.initialize(state);
    const double step = 1e-3;
    for (double t = step; t < duration + 0.5 * step; t += step) stepper.stepTo(t);
  });
  std::cout.rdbuf(print);
  std::cout.clear();
  return 1e-9 * nanoseconds;
}

double DropByCompliance(const PeerScene& scene, double duration) {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter(system);
  SimTK::GeneralForceSubsystem forces(system);
  const SimTK::Force::Gravity gravity(forces, matter, ToSimbody(scene.gravity));
  SimTK::GeneralContactSubsystem contacts(system);
  const SimTK::ContactSetIndex set = contacts.createContactSet();
  SimTK::HuntCrossleyForce contact(forces, contacts, set);
  // The half-space is on the side of its x.
  contacts.addBody(set, matter.updGround(), SimTK::ContactGeometry::HalfSpace(),
                   SimTK::Transform(SimTK::Rotation(SimTK::Pi / 2, SimTK::YAxis), Vec3(0)));
  contact.setBodyParameters(SimTK::ContactSurfaceIndex(0), 1e8, 0.1, scene.mu, scene.mu, 0.0);
  int count = 0;
  for (const PeerBody& one : scene.bodies) {
    SimTK::MobilizedBody::Free body(matter.updGround(), SimTK::Transform(), BodyOf(one),
                                    SimTK::Transform());
    body.setDefaultTranslation(ToSimbody(one.place));
    contacts.addBody(set, body, SimTK::ContactGeometry::Sphere(one.radius), SimTK::Transform());
    contact.setBodyParameters(SimTK::ContactSurfaceIndex(++count), 1e8, 0.1, scene.mu, scene.mu,
                              0.0);
  }
  contact.setTransitionVelocity(0.01);
  SimTK::State state = system.realizeTopology();
  return 1e-9 * Nanoseconds([&] {
           SimTK::RungeKuttaMersonIntegrator integrator(system);
           integrator.setAccuracy(1e-4);
           integrator.initialize(state);
           while (integrator.getTime() < duration) integrator.stepTo(duration);
         });
}

}  // namespace

PeerTime DropBySimbody(const PeerScene& scene, double duration) {
  PeerTime best{std::numeric_limits<double>::infinity(), ""};
  for (int repetition = 0; repetition < 3; ++repetition) {
    const double impulses = DropByImpulses(scene, duration);
    if (impulses < best.seconds) best = {impulses, "time stepper with impulses, steps of 1 ms"};
    const double compliant = DropByCompliance(scene, duration);
    if (compliant < best.seconds) best = {compliant, "compliant contact, accuracy 1e-4"};
  }
  return best;
}

}  // namespace percuss::benchmarks
