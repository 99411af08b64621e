// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/terminal/space_bounce_table.h"

#include <fmt/format.h>

#include <cmath>

#include "app/terminal/wrapped_text.h"
#include "base/text/numbers.h"

namespace percuss::app {

void PrintSpaceBounces(std::FILE* out, const pipeline::SpaceBounces& bounces) {
  const tracking::BounceFit& fit = bounces.clip.fit;
  fmt::print(out, "{}\n\n", pipeline::SpaceLine(bounces));
  fmt::print(out, "{:>6} {:>10} {:>20} {:>20} {:>20}\n", "Bounce", "Time [s]", "e", "Before [m/s]",
             "After [m/s]");
  for (std::size_t k = 0; k < fit.bounces.size(); ++k) {
    const tracking::BounceEstimate& bounce = fit.bounces[k];
    fmt::print(out, "{:>6} {:>10.4f} {:>20} {:>20} {:>20}\n", k + 1, bounce.time,
               FormatWithSigma(bounce.e, fit.Sigma(k, tracking::kBounceE)),
               FormatWithSigma(bounce.before, fit.Sigma(k, tracking::kSpeedBefore)),
               FormatWithSigma(bounce.after, fit.Sigma(k, tracking::kSpeedAfter)));
  }
  const CommonValue& mean = bounces.clip.mean;
  fmt::print(out, "\ne = {}", ValueAndInterval(mean.mean));
  if (mean.scatter > 0.0) fmt::print(out, "; single bounces scatter by {:.4f}", mean.scatter);
  fmt::print(out, "\n{}\ngravity {} m/s^2\n", pipeline::SpeedLine(bounces.clip.speed),
             FormatWithSigma(fit.gravity));
  for (const pipeline::ScaleReading& reading : bounces.clip.scale.readings) {
    fmt::print(out, "ball by {}: {} mm{}\n", reading.source, FormatWithSigma(reading.radius, 2e3),
               reading.source == "gravity" ? " (9.807 m/s^2, if the frame rate is true)" : "");
  }
  for (std::size_t k = 0; k < bounces.spins.size(); ++k) {
    const pipeline::FlightSpin& spin = bounces.spins[k];
    fmt::print(out, "spin in flight {}: {:.4g}, {:.4g}, {:.4g} rad/s\n", k + 1, spin.mean.x(),
               spin.mean.y(), spin.mean.z());
  }
}

}  // namespace percuss::app
