// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "report/facts/run_folder.h"

namespace percuss::report {

/// The first screen of the report for one sheet of A4: the answer, the coefficients of the best law
/// as a table, and where they come from. What does not fit is left out and counted. Without dates.
std::string SummaryPage(const RunFolder& run);

}  // namespace percuss::report
