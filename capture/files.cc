// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/files.h"

namespace percuss::capture {

std::string ProgramVersion() { return "0.1.0"; }

}  // namespace percuss::capture
