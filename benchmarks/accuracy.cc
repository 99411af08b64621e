// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// percuss_accuracy DATA [OUT]: runs the whole chain on a rendered data set, compares every number
// with DATA/truth.json and prints the table of bounds. Exit 0: all are met; 1: one is missed; 2:
// the run or the comparison failed. Without OUT the results go to a temporary folder.

#include "tests/app/run/accuracy.h"

#include <fmt/core.h>

#include <algorithm>
#include <exception>

#include "benchmarks/timing.h"
#include "capture/experiment/experiment.h"
#include "capture/video/video.h"
#include "tests/app/program.h"
#include "tests/base/temporary_folder.h"

namespace percuss {
namespace {

namespace fs = std::filesystem;

void PrintBounds(const std::vector<truth::BoundRow>& rows) {
  fmt::print("{:<44} {:>8} {:>11}  {:<7}\n", "", "bound", "measured", "unit");
  for (const truth::BoundRow& row : rows) {
    fmt::print("{:<44} {:>8.4g} {:>11.4g}  {:<7} {}\n", row.name, row.bound, row.measured, row.unit,
               row.Ok() ? "ok" : "MISSED");
  }
}

std::string WithSigma(const truth::Error& error, double scale) {
  return fmt::format("{:.3g} ({:.2g})", scale * error.value, scale * error.sigma);
}

void PrintTrials(const std::vector<truth::TrialAccuracy>& trials) {
  fmt::print(
      "\nErrors of each trial, in brackets the stated sigma (both as lengths of vectors); "
      "chi-square of the twelve velocities, 12 expected\n");
  fmt::print("{:<12} {:>15} {:>15} {:>17} {:>17} {:>19} {:>19} {:>19} {:>10}\n", "trial",
             "v [mm/s]", "v after", "w [rad/s]", "w after", "time [frames]", "dissipated [%]",
             "predicted [%]", "chi-square");
  for (const truth::TrialAccuracy& t : trials) {
    fmt::print("{:<12} {:>15} {:>15} {:>17} {:>17} {:>19} {:>19} {:>19} {:>10.1f}\n", t.trial,
               WithSigma(t.v, 1e3), WithSigma(t.v_post, 1e3), WithSigma(t.w, 1),
               WithSigma(t.w_post, 1), WithSigma(t.time, 1), WithSigma(t.dissipation_measured, 100),
               WithSigma(t.dissipation_predicted, 100), t.chi_square);
  }
}

struct Time {
  double wall = 0.0, processor = 0.0;  ///< [s]
};

/// All videos one after the other, thrown away.
Time DecodingTime(const capture::Experiment& experiment) {
  Time time;
  time.wall = 1e-9 * benchmarks::Nanoseconds([&] {
                time.processor = 1e-9 * benchmarks::ProcessorNanoseconds([&] {
                                   for (const capture::Trial& trial : experiment.trials) {
                                     for (const fs::path& video : {trial.left, trial.right}) {
                                       capture::VideoReader reader(video);
                                       while (reader.NextStored()) {
                                       }
                                     }
                                   }
                                 });
              });
  return time;
}

int Main(const fs::path& data, const fs::path& out) {
  const testing::ProgramRun run = testing::RunPercuss(
      {"run", (data / "experiment.yaml").string(), "-o", out.string(), "--force", "--videos"});
  if (run.exit_code != 0) {
    fmt::print(stderr, "{}percuss run ended with {}\n", run.err, run.exit_code);
    return 2;
  }
  const truth::Accuracy accuracy = truth::CompareWithTruth(data, out);
  std::vector<truth::BoundRow> rows = truth::BoundTable(accuracy);
  rows.push_back({"whole run, wall time", "s", 60.0, run.seconds});
  rows.push_back({"peak memory", "MiB", 1024.0, run.peak_memory_mib});
  const auto step = [&](const char* name) {
    return testing::RunPercuss({"run", (data / "experiment.yaml").string(), "-o", out.string(),
                                "--force", "--videos", "--only", name, "--jobs", "1"});
  };
  rows.push_back({"report, wall time", "s", 3.0, step("report").seconds});
  const testing::ProgramRun film = step("film");
  const Time decoding = DecodingTime(capture::ReadExperiment(data / "experiment.yaml"));
  rows.push_back(
      {"overlay videos / decoding alone, wall time", "", 1.5, film.seconds / decoding.wall});
  rows.push_back({"overlay videos / decoding alone, processor", "", 1.5,
                  film.cpu_seconds / decoding.processor});
  fmt::print("{}\n\n", data.string());
  PrintBounds(rows);
  fmt::print("\nmu {:.4f} (truth {}), e {:.4f} (truth {}), {} marker positions, {} in flight\n",
             accuracy.mu.value, accuracy.mu.truth, accuracy.e.value, accuracy.e.truth,
             accuracy.num_marker_rows, accuracy.num_marker_rows_flight);
  PrintTrials(accuracy.trials);
  return std::all_of(rows.begin(), rows.end(), [](const auto& row) { return row.Ok(); }) ? 0 : 1;
}

}  // namespace
}  // namespace percuss

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    fmt::print(stderr, "usage: percuss_accuracy DATA [OUT]\n");
    return 2;
  }
  try {
    const percuss::testing::TemporaryFolder temporary;
    return percuss::Main(argv[1], argc == 3 ? argv[2] : temporary.Path());
  } catch (const std::exception& error) {
    fmt::print(stderr, "percuss_accuracy: {}\n", error.what());
    return 2;
  }
}
