// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>

#include "fitting/result/fit_files.h"

namespace percuss::app {

// All in UTF-8, at most 100 columns.

/// Prints the coefficients of the best law, whether it explains the impacts, and the first findings
/// of the audit that are not in order.
void PrintBestLaw(std::FILE* out, const fitting::FitReport& report);

/// Prints the coefficients of all laws, their comparison and, per trial, mode and dissipation
/// measured and predicted; then advice, and the findings of the audit that are not in order.
void PrintAllLaws(std::FILE* out, const fitting::FitReport& report);

/// What each impact says of itself; of many the first 40.
void PrintContactNumbers(std::FILE* out, const std::vector<fitting::ContactNumbers>& impacts);

/// One entry per finding of the audit.
void PrintAudit(std::FILE* out, const std::vector<fitting::AuditFinding>& findings);

}  // namespace percuss::app
