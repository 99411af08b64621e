// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/requests/multi_impact_request.h"
#include "solver/contact/contact.h"
#include "solver/mechanisms/body_pair.h"
#include "solver/mechanisms/vibrating_contact.h"

namespace percuss::app {

/// One impact that `percuss impact` is asked to solve (docs/file-formats.md).
struct ImpactRequest {
  std::string where;  ///< file and place in it, for messages: "request.json: [#2]: "
  std::optional<MultiImpactRequest> several;  ///< of the law kMultiPoint: then nothing else holds
  std::string law = "stronge";
  std::vector<double> parameters;  ///< in the order of the law
  solver::Contact<double> contact;
  /// k of the normal element; asks for the force over time. Of a request with `layer` its
  /// stiffness.
  std::optional<double> stiffness;
  /// What collides; the second is immovable where there is a surface instead.
  std::optional<solver::BodyPair> bodies;
  std::optional<double> hung_mass;         ///< [kg] that follows the body on a soft spring
  std::optional<solver::Linkage> linkage;  ///< or a mechanism
  std::optional<solver::VibratingMechanism> vibrating;          ///< with springs that act meanwhile
  Eigen::VectorXd speeds;                                       ///< of it
  Eigen::Matrix3d contact_frame = Eigen::Matrix3d::Identity();  ///< of bodies, in W
};

struct ImpactRequests {
  bool is_list = false;  ///< otherwise there is one
  std::vector<ImpactRequest> requests;
};

/// @param file of messages, and in whose folder the files of meshes are.
/// @throws InputError with one line that names file, field, value and what is allowed.
ImpactRequests ReadImpactRequests(const std::string& text, const std::string& file);

}  // namespace percuss::app
