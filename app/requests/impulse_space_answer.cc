// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/requests/impulse_space_answer.h"

#include <Eigen/LU>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "solver/contact/impulse_space.h"
#include "solver/mechanisms/point_mass_bodies.h"

namespace percuss::app {
namespace {

using Eigen::Vector3d;
using nlohmann::ordered_json;

/// Points of the boundary of the accessible region, as seen from within: towards the corners, edges
/// and faces of a cube in the contact frame.
ordered_json AccessibleRegion(const ImpactRequest& request, double mu, const auto& to_json) {
  ordered_json points = ordered_json::array();
  for (int x = -1; x <= 1; ++x) {
    for (int y = -1; y <= 1; ++y) {
      for (int z = -1; z <= 1; ++z) {
        if (x == 0 && y == 0 && z == 0) continue;
        const Vector3d direction = Vector3d(x, y, z).normalized();
        points.push_back(
            to_json(solver::AccessibleImpulse(request.contact, mu, direction, 1.0).impulse));
      }
    }
  }
  return points;
}

/// Two bodies of point masses that meet with the same contact mass (chatterjee1997 10.4); W axes.
ordered_json RealisedBy(const ImpactRequest& request) {
  const Eigen::Matrix3d& frame = request.contact_frame;
  const Eigen::Matrix3d mass = frame * request.contact.inverse_mass.inverse() * frame.transpose();
  constexpr double kFar = 1e3;  // of the masses at the ends of the arms, over the largest one
  const auto to_json = [](const solver::CollidingBody& body) -> ordered_json {
    ordered_json inertia = ordered_json::array();
    for (int row = 0; row < 3; ++row)
      inertia.push_back({body.inertia(row, 0), body.inertia(row, 1), body.inertia(row, 2)});
    return {{"mass", body.mass},
            {"inertia", inertia},
            {"contact_point", {body.r.x(), body.r.y(), body.r.z()}}};
  };
  try {
    const solver::BodyPair pair =
        solver::BodiesWithContactMass(0.5 * (mass + mass.transpose()), kFar * mass.trace());
    return {{"first", to_json(pair.first)}, {"second", to_json(pair.second)}};
  } catch (const std::invalid_argument& error) {
    return {{"reason", error.what()}};
  }
}

}  // namespace

ordered_json ImpulseSpaceOf(const ImpactRequest& request, std::optional<double> mu,
                            const Vector3d& impulse) {
  const solver::Contact<double>& contact = request.contact;
  const auto to_json = [&](const Vector3d& vector) -> ordered_json {
    const Vector3d v = request.contact_frame * vector;
    return {v.x(), v.y(), v.z()};
  };
  const solver::EnergyEllipsoid ellipsoid = solver::EllipsoidOfLoss(contact);
  ordered_json axes = ordered_json::array();
  for (int k = 0; k < 3; ++k) axes.push_back(to_json(ellipsoid.axes.col(k)));
  const solver::ImpulseLine sticking = solver::LineOfSticking(contact);
  const solver::ImpulsePlane compression = solver::PlaneOfRestitution(contact, 0.0);
  const solver::NamedImpulses named = solver::NamedImpulsesOf(contact);
  ordered_json out = {
      {"energy_ellipsoid",
       {{"centre", to_json(ellipsoid.centre)},
        {"axes", axes},
        {"semi_axes", {ellipsoid.semi_axes[0], ellipsoid.semi_axes[1], ellipsoid.semi_axes[2]}}}},
      {"sticking_line",
       {{"point", to_json(sticking.point)}, {"direction", to_json(sticking.direction)}}},
      {"compression_plane",
       {{"normal", to_json(compression.normal)}, {"offset", compression.offset}}},
      {"points",
       {{"A", to_json(named.A)},
        {"B", to_json(named.B)},
        {"C", to_json(named.C)},
        {"G", to_json(named.G)}}}};
  if (impulse.norm() > 0.0)
    out["points"]["most_dissipative"] = to_json(solver::MostDissipativeAlong(contact, impulse));
  out["realised_by"] = RealisedBy(request);
  if (!mu) return out;
  out["mu"] = *mu;
  const solver::Accessibility access = solver::TestAccess(contact, *mu, impulse);
  out["impulse"] = {{"pushes", access.pushes},
                    {"in_cone", access.in_cone},
                    {"dissipates", access.dissipates},
                    {"separates", access.separates}};
  if (*mu > 0.0 && contact.velocity.z() < 0.0)
    out["accessible_region"] = AccessibleRegion(request, *mu, to_json);
  return out;
}

}  // namespace percuss::app
