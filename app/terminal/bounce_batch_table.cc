// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/terminal/bounce_batch_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/terminal/wrapped_text.h"
#include "base/text/numbers.h"
#include "pipeline/bounces/bounce_batch.h"

namespace percuss::app {

void PrintBatch(std::FILE* file, const pipeline::BounceBatch& batch) {
  std::size_t width = 4;
  for (const pipeline::BatchClip& clip : batch.clips) width = std::max(width, clip.name.size());
  fmt::print(file, "{:<{}} {:>8} {:>20} {:>10}\n", "Clip", width, "Bounces", "e", "Scatter");
  for (const pipeline::BatchClip& clip : batch.clips) {
    if (!clip.reason.empty()) {
      fmt::print(file, "{:<{}} {:>8}\n", clip.name, width, "none");
      continue;
    }
    const ValueWithSigma& e = clip.mean.mean;
    fmt::print(file, "{:<{}} {:>8} {:>20} {:>10.4f}\n", clip.name, width, clip.fit.bounces.size(),
               FormatWithSigma(e), clip.mean.scatter);
  }
  if (!std::isfinite(batch.mean.mean.value)) return;
  fmt::print(file, "\ne = {}", ValueAndInterval(batch.mean.mean));
  if (batch.mean.scatter > 0.0) fmt::print(file, "; clips scatter by {:.4f}", batch.mean.scatter);
  fmt::print(file, "\n{}\n", pipeline::SpeedLine(batch.speed));
}

}  // namespace percuss::app
