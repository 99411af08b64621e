// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// percuss_campaign FOLDER [N]: what `percuss run` costs on 10, 100 and N trials (1000 if not
// stated), in a new folder FOLDER, which stays. The videos are ten short synthetic drops of few
// pixels, each under as many names as it takes; no overlay videos are written. CPU time counts all
// threads and does not depend on what else the machine does; wall time does.

#include "tests/app/run/campaign.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "benchmarks/bound_table.h"
#include "tests/app/program.h"

namespace percuss::benchmarks {
namespace {

namespace fs = std::filesystem;
using testing::ProgramRun;

constexpr int kDrops = 10;

ProgramRun RunOn(const fs::path& campaign, const std::string& out,
                 const std::vector<std::string>& options = {}) {
  std::vector<std::string> arguments = {"run", "experiment.yaml", "-o", out};
  arguments.insert(arguments.end(), options.begin(), options.end());
  ProgramRun run = testing::RunPercuss(arguments, campaign);
  if (run.exit_code != 0) throw std::runtime_error(run.err);
  fmt::print(stderr, "{} {}: {:.1f} s, {:.1f} s of CPU\n", campaign.filename().string(),
             fmt::join(options, " "), run.seconds, run.cpu_seconds);
  return run;
}

/// How many trials a run tracked, by its messages.
int CountTracked(const ProgramRun& run, int num_trials) {
  int unchanged = 0;
  for (std::size_t at = 0; (at = run.err.find(": unchanged", at)) != std::string::npos; ++at)
    ++unchanged;
  for (const char* step : {"calibrate", "fit", "film", "report"})
    unchanged -= run.err.find(std::string(step) + ": unchanged") != std::string::npos ? 1 : 0;
  return num_trials - unchanged;
}

/// Another video for one trial.
void ChangeTrial(const fs::path& campaign, const fs::path& drops) {
  for (const char* video : {"left.mp4", "right.mp4"}) {
    const fs::path file = campaign / "trials/t0000" / video;
    fs::remove(file);
    fs::copy_file(drops / "trials/drop-1" / video, file);
  }
}

/// From nothing, step by step and again.
BoundSection MeasureCampaign(const fs::path& folder, int trials) {
  const fs::path campaign = folder / fmt::format("trials-{}", trials);
  testing::WriteCampaign(folder / "drops", kDrops, trials, campaign);
  const double count = trials;
  const ProgramRun calibrate = RunOn(campaign, "out", {"--only", "calibrate"});
  const ProgramRun track = RunOn(campaign, "out", {"--only", "track", "--jobs", "2"});
  const ProgramRun idle = RunOn(campaign, "out", {"--only", "track", "--jobs", "2"});
  const ProgramRun fit = RunOn(campaign, "out", {"--only", "fit"});
  const ProgramRun report = RunOn(campaign, "out", {"--only", "report"});
  const ProgramRun again = RunOn(campaign, "out");
  ChangeTrial(campaign, folder / "drops");
  const ProgramRun changed = RunOn(campaign, "out");

  // The start of the program counts where there are few trials.
  const double most_idle = trials < 100 ? std::numeric_limits<double>::infinity() : 2.0;
  BoundSection section;
  section.heading = fmt::format("{} trials", trials);
  section.rows = {
      {"tracking, CPU per trial", "ms", 1e3 * track.cpu_seconds / count},
      {"fit of three laws, CPU per trial", "ms", 1e3 * fit.cpu_seconds / count},
      {"calibration, CPU", "s", calibrate.cpu_seconds},
      {"report, CPU", "s", report.cpu_seconds},
      {"tracking with nothing to do over tracking, CPU", "%",
       100.0 * idle.cpu_seconds / track.cpu_seconds, 0.0, most_idle},
      {"nothing changed, CPU", "s", again.cpu_seconds, 0.0, 2.0},
      {"nothing changed, wall time", "s", again.seconds, 0.0, 2.0},
      {"one trial changed: trials tracked", "", static_cast<double>(CountTracked(changed, trials)),
       1.0, 1.0},
      {"one trial changed, CPU", "s", changed.cpu_seconds},
      {"peak memory of all these runs", "MiB",
       std::max({calibrate.peak_memory_mib, track.peak_memory_mib, fit.peak_memory_mib,
                 report.peak_memory_mib, again.peak_memory_mib, changed.peak_memory_mib}),
       0.0, 1536.0}};
  return section;
}

/// Throughput of tracking with two jobs over one, best of three pairs.
BoundSection MeasureJobs(const fs::path& folder, int trials) {
  const fs::path campaign = folder / "jobs";
  testing::WriteCampaign(folder / "drops", kDrops, trials, campaign);
  RunOn(campaign, "out", {"--only", "calibrate"});
  double wall = 0.0, cpu = 0.0;
  for (int repetition = 0; repetition < 3; ++repetition) {
    const auto track = [&](const char* jobs) {
      return RunOn(campaign, "out", {"--only", "track", "--force", "--jobs", jobs});
    };
    const ProgramRun one = track("1"), two = track("2");
    wall = std::max(wall, one.seconds / two.seconds);
    cpu = std::max(cpu, one.cpu_seconds / two.cpu_seconds);
  }
  return {fmt::format("two jobs over one, tracking of {} trials", trials),
          {{"throughput by wall time", "", wall, 1.8},
           {"CPU time of one job over that of two", "", cpu, 0.9}},
          {"the throughput by wall time says something on an idle machine of two cores or more"}};
}

int Main(const fs::path& folder, int trials) {
  if (fs::exists(folder)) throw std::runtime_error(folder.string() + ": is there already");
  fs::create_directories(folder);
  testing::SynthesizeDrops(kDrops, folder / "drops");
  std::vector<BoundSection> sections = {MeasureJobs(folder, 40)};
  for (const int count : std::set<int>{10, 100, trials})
    sections.push_back(MeasureCampaign(folder, count));
  const double few = sections[1].rows[0].measured, many = sections.back().rows[0].measured;
  sections.push_back(
      {"cost of a trial",
       {{fmt::format("tracking, CPU per trial of {} over 10", trials), "", many / few, 0.0, 1.1}},
       {}});
  return PrintBoundTable(sections) ? 0 : 1;
}

}  // namespace
}  // namespace percuss::benchmarks

int main(int argc, char** argv) {
  int trials = 1000;
  const char* end = argc == 3 ? argv[2] + std::strlen(argv[2]) : nullptr;
  const bool number = argc == 3 && std::from_chars(argv[2], end, trials).ptr == end && trials > 0;
  if (argc < 2 || argc > 3 || (argc == 3 && !number)) {
    fmt::print(stderr, "usage: percuss_campaign FOLDER [N]\n");
    return 2;
  }
  try {
    return percuss::benchmarks::Main(std::filesystem::absolute(argv[1]), trials);
  } catch (const std::exception& error) {
    fmt::print(stderr, "percuss_campaign: {}\n", error.what());
    return 2;
  }
}
