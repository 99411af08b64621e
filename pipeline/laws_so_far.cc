// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/laws_so_far.h"

#include <chrono>

#include "fitting/result/fit_files.h"

namespace percuss::pipeline {

std::function<void(const fitting::LawFit&, int, int)> WriteLawsAsTheyEnd(
    Progress* progress, const Provenance& provenance, const std::filesystem::path& file) {
  using Clock = std::chrono::steady_clock;
  constexpr int kPause = 20;  // times as long as the last file took: all laws may be megabytes
  return [=, so_far = fitting::FitReport(), next = Clock::time_point()](
             const fitting::LawFit& ended, int done, int all) mutable {
    progress->Update("fit", static_cast<double>(done) / all);
    if (file.empty() || ended.num_used == 0) return;
    so_far.laws.push_back(ended);
    so_far.num_laws_left = all - done;
    const Clock::time_point begin = Clock::now();
    if (done == all || begin < next) return;
    fitting::WriteFit(so_far, provenance, file);
    const Clock::time_point end = Clock::now();
    next = end + kPause * (end - begin);
  };
}

}  // namespace percuss::pipeline
