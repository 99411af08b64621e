// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <vector>

#include "fitting/result/fit_files.h"

namespace percuss::app {

/// The drop that would tell most of the best law, in one sentence; nothing where none would.
void PrintNextDropInWords(std::FILE* out, const fitting::FitReport& report);

/// How to drop next, one line per parameter and one for all together. At most 100 columns.
void PrintNextDrop(std::FILE* out, const std::vector<fitting::NextDropAdvice>& advice);

/// Where the error of an impact comes from, and the list of the thesis of Sun beside it.
void PrintErrorBudget(std::FILE* out, const fitting::ErrorBudget& budget);

}  // namespace percuss::app
