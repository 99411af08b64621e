// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/simulation/body_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/simulation/contact_keys.h"
#include "capture/experiment/experiment_body.h"
#include "solver/simulation/plane_candidates.h"

namespace percuss::app {
namespace {

/// Planes that the body is before; without any the floor z = 0.
void ReadPlanes(const YamlField& field, solver::PlaneContactModel& model) {
  if (!field.Given()) return;
  model.planes.clear();
  for (const YamlField& one : field.Items("a list of planes")) {
    if (!one.IsMap()) one.Throw("a map with normal, point, mu, mu_s");
    one.AllowKeys({"normal", "point", "mu", "mu_s"});
    model.planes.push_back(ReadPlane(one));
  }
  if (model.planes.empty()) field.Throw("a list of at least one plane");
}

/// The body is on the side of each plane to which its normal points.
void CheckStart(const YamlField& root, const BodyFile& file) {
  const Eigen::Matrix3d R_WB = file.start.q_WB.toRotationMatrix();
  for (std::size_t k = 0; k < file.model.planes.size(); ++k) {
    const solver::ContactPlane& plane = file.model.planes[k];
    double lowest = 0.0;
    for (const Eigen::Vector3d& arm :
         solver::ContactCandidates(file.body.shape, plane.frame.transpose() * R_WB)) {
      lowest = std::min(lowest, arm.z());
    }
    const double height = plane.frame.col(2).dot(file.start.p_WB) - plane.offset;
    if (height + lowest >= -file.options.contact_tolerance) continue;
    root["start"]["position"].Throw(
        root["surfaces"].Given()
            ? fmt::format("a body before surface {}: at least {:.6g} m from it along its normal, "
                          "which is {:.6g} m",
                          k + 1, -lowest, height)
            : fmt::format("a body above the plane z = 0: z of at least {:.6g}", -lowest));
  }
}

}  // namespace

BodyFile ReadBodyFile(const YamlField& root) {
  root.AllowKeys({"body", "start", "gravity", "law", "parameters", "sliding_friction", "material",
                  "stiffness", "duration", "frame_rate", "rest_speed", "surfaces", "bodies"});
  BodyFile file;
  file.body = capture::ReadBody(root["body"]).body;
  file.start = ReadStart(root["start"]);
  if (root["gravity"].Given()) {
    file.gravity = capture::ReadVector3(root["gravity"], {.lowest = -30.0, .highest = 30.0});
  }
  const ContactLaw contact = ReadContactLaw(root);
  file.model.law = contact.law;
  file.model.parameters = contact.parameters;
  file.model.impact = contact.impact;
  file.model.mu = contact.mu;
  file.model.mu_s = contact.mu_s;
  file.model.over_time = contact.over_time;
  ReadPlanes(root["surfaces"], file.model);
  file.options = ReadSimulationOptions(root);
  CheckStart(root, file);
  return file;
}

}  // namespace percuss::app
