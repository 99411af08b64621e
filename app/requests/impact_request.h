// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/requests/multi_impact_request.h"
#include "solver/body/rigid_body.h"
#include "solver/contact/contact.h"

namespace percuss::app {

/// One impact that `percuss impact` is asked to solve (docs/file-formats.md).
struct ImpactRequest {
  std::string where;  ///< file and place in it, for messages: "request.json: [#2]: "
  std::optional<MultiImpactRequest> several;  ///< of the law kMultiPoint: then nothing else holds
  std::string law = "stronge";
  std::vector<double> parameters;  ///< in the order of the law
  solver::Contact<double> contact;
  std::optional<double> stiffness;  ///< of the normal element; asks for the force over time
  // Of a body:
  bool has_body = false;
  solver::Body body;
  Eigen::Quaterniond q_WB = Eigen::Quaterniond::Identity();
  Eigen::Vector3d v = Eigen::Vector3d::Zero(), w = Eigen::Vector3d::Zero(),
                  r = Eigen::Vector3d::Zero();
  Eigen::Matrix3d contact_frame = Eigen::Matrix3d::Identity();
};

struct ImpactRequests {
  bool is_list = false;  ///< otherwise there is one
  std::vector<ImpactRequest> requests;
};

/// @param file of messages, and in whose folder the files of meshes are.
/// @throws InputError with one line that names file, field, value and what is allowed.
ImpactRequests ReadImpactRequests(const std::string& text, const std::string& file);

}  // namespace percuss::app
