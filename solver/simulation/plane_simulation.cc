// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/simulation/plane_simulation.h"

#include <cmath>
#include <sstream>
#include <stdexcept>

#include "solver/simulation/hybrid_simulator.h"
#include "solver/simulation/plane_body.h"

namespace percuss::solver {
namespace {

void Require(bool holds, const char* field, double value, const char* allowed) {
  if (holds) return;
  std::ostringstream text;
  text << field << " is " << value << "; it must be " << allowed;
  throw std::invalid_argument(text.str());
}

}  // namespace

PlaneSimulation SimulateOnPlane(const Body& body, const FlightState<double>& start,
                                const Eigen::Vector3d& gravity_W, const PlaneContactModel& model,
                                const PlaneSimulationOptions& options) {
  Require(options.duration > 0.0, "duration", options.duration, "above 0 [s]");
  Require(options.sample_interval > 0.0, "sample_interval", options.sample_interval, "above 0 [s]");
  Require(options.rest_speed > 0.0, "rest_speed", options.rest_speed, "above 0 [m/s]");
  Require(model.mu >= 0.0, "mu", model.mu, "at least 0");
  Require(!model.planes.empty(), "number of planes", 0.0, "at least 1");
  for (const ContactPlane& plane : model.planes) {
    const double skew =
        (plane.frame.transpose() * plane.frame - Eigen::Matrix3d::Identity()).norm();
    Require(skew < 1e-9, "skewness of the axes of a plane", skew, "0");
  }
  Require(start.p_WB.allFinite() && start.v.allFinite() && start.w.allFinite() &&
              gravity_W.allFinite() && std::abs(start.q_WB.norm() - 1.0) < 1e-6,
          "norm of the orientation, or another entry of the state,", start.q_WB.norm(),
          "1, and all finite");
  PlaneBody system(body, gravity_W, model, options);
  const PlaneBody::State state = PlaneBody::Pack(start);
  const double lowest = system.Look(state).gaps.minCoeff();
  Require(lowest >= -options.contact_tolerance, "gap between the planes and the nearest point",
          lowest, "at least 0 [m]");
  return internal::HybridSimulator<PlaneBody>(system, state, options).Run();
}

}  // namespace percuss::solver
