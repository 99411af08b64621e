// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>

#include "fitting/result/fit_files.h"

namespace percuss::app {

/// Prints the coefficient table, the comparison of the laws and, per trial, mode and dissipation
/// measured and predicted; then advice, and the findings of the audit that are not in order. UTF-8,
/// at most 100 columns.
void PrintFit(std::FILE* out, const fitting::FitReport& report);

/// One line per finding of the audit; with `only_bad`, of those that are not in order.
void PrintAudit(std::FILE* out, const std::vector<fitting::AuditFinding>& findings, bool only_bad);

}  // namespace percuss::app
