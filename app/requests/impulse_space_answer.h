// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "app/requests/impact_request.h"

namespace percuss::app {

/// What `percuss impact --space` adds (docs/file-formats.md): the impulses that an impact can have
/// at all, after chatterjee1997 2.3.3, 3.2 to 3.4. World axes for a body, t1, t2, n for a contact.
/// @param mu of the law, if it has one: without it there is no cone and no accessible region
/// @param impulse that the law gives [N s], in the contact frame
nlohmann::ordered_json ImpulseSpaceOf(const ImpactRequest& request, std::optional<double> mu,
                                      const Eigen::Vector3d& impulse);

}  // namespace percuss::app
