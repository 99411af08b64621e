// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/impacts/sweep_speed.h"

#include <fstream>
#include <stdexcept>

#include "app/sweep/sweep.h"
#include "base/files/files.h"
#include "tests/base/temporary_folder.h"

namespace percuss::benchmarks {
namespace {

app::SweepSpec Spec() {
  const testing::TemporaryFolder folder;
  const auto file = folder.Path() / "sweep.yaml";
  std::ofstream(file) << R"(law: stronge
parameters: {mu: 0.4, e: 0.4}
planar_rod: {}
sweep:
  - {input: gamma, from: 1.5707963267949, to: 4.71238898038469, steps: 999}
  - {input: p, from: 0, to: 1, steps: 999}
)";
  return app::ReadSweep(file);
}

}  // namespace

void RunPlanarSweep(int num_threads) {
  static const app::SweepSpec spec = Spec();
  static const testing::TemporaryFolder folder;
  AtomicFile table(folder.Path() / "sweep.csv");
  const app::SweepResult result =
      app::RunSweep(spec, num_threads, [&](std::string_view rows) { table.Write(rows); });
  if (result.cases.size() != kSweepPoints) throw std::logic_error("a sweep of another size");
}

}  // namespace percuss::benchmarks
