// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace percuss::report {

/// Bytes as text (RFC 4648, section 4), as `data:` addresses hold them.
std::string Base64(const std::string& bytes);

}  // namespace percuss::report
