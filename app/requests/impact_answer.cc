// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/requests/impact_answer.h"

#include <Eigen/Cholesky>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <vector>

#include "app/requests/contact_mass_answer.h"
#include "solver/impulse_path.h"
#include "solver/lumped/eigenvector_elements.h"
#include "solver/mechanisms/puck.h"
#include "solver/restitution/restitution_coefficients.h"
#include "solver/rigid/sliding_friction.h"
#include "solver/solve_impact.h"

namespace percuss::app {
namespace {

using Eigen::Vector3d;
using nlohmann::ordered_json;

ordered_json NumbersOf(const Eigen::VectorXd& vector) {
  ordered_json list = ordered_json::array();
  for (const double number : vector) list.push_back(number);
  return list;
}

/// Kinetic energy before and after [J].
struct Energies {
  double before = 0.0, after = 0.0;
};

/// Adds the motion after the impact.
Energies AddMotion(const ImpactRequest& request, const solver::ImpactResult<double>& result,
                   ordered_json* out) {
  if (request.bodies) {
    const solver::BodyPair after =
        solver::AfterImpulse(*request.bodies, request.contact_frame, result.impulse);
    const auto add = [](const solver::CollidingBody& body, ordered_json* object) {
      (*object)["velocity"] = NumbersOf(body.velocity);
      (*object)["angular_velocity"] = NumbersOf(body.angular_velocity);
      (*object)["contact_point"] = NumbersOf(body.r);
    };
    add(after.first, out);
    if (std::isfinite(after.second.mass)) add(after.second, &(*out)["second"]);
    return {solver::KineticEnergy(*request.bodies), solver::KineticEnergy(after)};
  }
  if (request.linkage) {
    const auto& mass = request.linkage->mass_matrix;
    const Eigen::VectorXd after =
        request.speeds + solver::VelocityChange(*request.linkage, result.impulse);
    (*out)["speeds"] = NumbersOf(after);
    return {0.5 * request.speeds.dot(mass * request.speeds), 0.5 * after.dot(mass * after)};
  }
  const Eigen::LLT<Eigen::Matrix3d> inverse_mass(request.contact.inverse_mass);
  const auto local = [&](const Vector3d& u) { return 0.5 * u.dot(inverse_mass.solve(u)); };
  return {local(request.contact.velocity), local(result.contact_velocity)};
}

/// What the impact says of itself, whatever its law.
ordered_json CoefficientsOf(const ImpactRequest& request,
                            const solver::ImpactResult<double>& result) {
  const Vector3d& before = request.contact.velocity;
  const Vector3d &after = result.contact_velocity, &impulse = result.impulse;
  constexpr double kDegrees = 180.0 / std::numbers::pi;
  return {{"e_n", solver::NewtonRestitution<double>(before, after)},
          {"e_p", solver::PoissonRestitution(result)},
          {"e_e", solver::StrongeRestitution(
                      result.energy.normal_work,
                      solver::CompressionWork(request.law, request.contact, request.parameters))},
          {"e_t", solver::TangentialRestitution<double>(before, after)},
          {"eta", solver::IvanovRestitution<double>(before, after, impulse)},
          {"impulse_ratio", impulse.head<2>().norm() / impulse.z()},
          {"incidence_deg", kDegrees * std::atan2(before.head<2>().norm(), -before.z())}};
}

/// Whether the contact point ever could move otherwise, and how (chatterjee1997 8.5.1).
void AddChoices(const ImpactRequest& request, ordered_json* out) {
  std::vector<double> choices;
  solver::EigenvectorElementsLaw{}.Solve<double>(request.contact, request.parameters, &choices);
  (*out)["unique"] = choices.empty();
  (*out)["point_velocities"] = choices;
}

}  // namespace

ordered_json AnswerOf(const ImpactRequest& request, const solver::ImpactResult<double>& result) {
  ordered_json out = {
      {"law", request.law},
      {"impulse", NumbersOf(request.contact_frame * result.impulse)},
      {"contact_velocity", NumbersOf(request.contact_frame * result.contact_velocity)}};
  const Energies kinetic = AddMotion(request, result, &out);
  out["contact_mass"] = request.bodies
                            ? ContactMassOf(request.contact.inverse_mass, request.contact_frame)
                            : ContactMassOf(request.contact.inverse_mass);
  out["coefficients"] = CoefficientsOf(request, result);
  if (request.hung_mass) {
    out["coefficients"]["e_composite"] = solver::CompositeRestitution(
        out["coefficients"]["e_n"], request.bodies->first.mass, *request.hung_mass);
  }
  out["modes"] = ModesJson(result.modes);
  out["case"] = result.sun_case;
  if (request.law == solver::EigenvectorElementsLaw::Info().name) AddChoices(request, &out);
  const solver::LawInfo& law = solver::FindLaw(request.law);
  const auto limits = solver::CalcFrictionLimits(
      request.contact, solver::ParameterNamed(law, "e", request.parameters));
  out["friction"] = {
      {"critical", limits.critical},
      {"sliding", limits.sliding},
      {"invariant", limits.invariant},
      {"predicted",
       solver::PredictSlip(limits, solver::ParameterNamed(law, "mu", request.parameters))}};
  out["energy"] = {{"before", kinetic.before},
                   {"after", kinetic.after},
                   {"dissipated", kinetic.before - kinetic.after},
                   {"normal_work", result.energy.normal_work},
                   {"friction_work", result.energy.friction_work}};
  out["compression_impulse"] = result.compression_impulse;
  out["restitution_impulse"] = result.restitution_impulse;
  return out;
}

ordered_json AnswerOf(const ImpactRequest& request, const solver::VibratingImpact& impact) {
  ordered_json out = {{"law", request.law}, {"reason", impact.reason}};
  if (!impact.reason.empty()) return out;
  const Vector3d& before = request.contact.velocity;
  out["impulse"] = NumbersOf(impact.impulse);
  out["contact_velocity"] = NumbersOf(impact.contact_velocity);
  out["settled_velocity"] = NumbersOf(impact.settled_velocity);
  out["speeds"] = NumbersOf(impact.speeds);
  out["deflections"] = NumbersOf(impact.deflections);
  out["contacts"] = impact.num_contacts;
  out["coefficients"] = {
      {"e_n", solver::NewtonRestitution<double>(before, impact.settled_velocity)},
      {"impulse_ratio", impact.impulse.head<2>().norm() / impact.impulse.z()}};
  out["energy"] = {{"before", impact.before},
                   {"after", impact.kinetic},
                   {"vibration", impact.vibration},
                   {"normal_work", impact.normal_work},
                   {"friction_work", impact.friction_work}};
  return out;
}

ordered_json ModesJson(const solver::ModeSequence& modes) {
  ordered_json names = ordered_json::array();
  for (const solver::ContactMode mode : modes) names.push_back(solver::ModeName(mode));
  return names;
}

ordered_json PeaksJson(const solver::ContactPeaks& peaks) {
  return {{"duration", peaks.duration},
          {"largest", peaks.force},
          {"compression", peaks.compression},
          {"permanent_indentation", peaks.last_compression}};
}

}  // namespace percuss::app
