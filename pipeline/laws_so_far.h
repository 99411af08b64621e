// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>

#include "base/files/files.h"
#include "fitting/result/fit_result.h"
#include "pipeline/progress.h"

namespace percuss::pipeline {

/// FitOptions::on_law that shows progress and writes the laws that have ended so far, in the order
/// in which they did, to `file` (FitReport::num_laws_left tells that others follow): when the first
/// ends, then whenever one does, so that fits of many laws can be read before all have ended, but
/// for a twentieth of the time at most. A law that could use no impact is not an answer. Only
/// progress where `file` is empty. The whole report is the caller's to write.
std::function<void(const fitting::LawFit& ended, int done, int all)> WriteLawsAsTheyEnd(
    Progress* progress, const Provenance& provenance, const std::filesystem::path& file);

}  // namespace percuss::pipeline
