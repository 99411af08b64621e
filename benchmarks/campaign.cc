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
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
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

/// In how many trials a step did something, by its message.
int CountDone(const ProgramRun& run, const std::string& step, int num_trials) {
  if (run.err.find(step + ": unchanged") != std::string::npos) return 0;
  const std::size_t line = run.err.find("\n" + step + ": ");
  int unchanged = 0;
  if (line != std::string::npos)
    std::sscanf(run.err.c_str() + line + step.size() + 2, "%d of", &unchanged);
  return num_trials - unchanged;
}

/// How long the last tenth of the trials took over the first tenth, by when a file of each was
/// written.
double LastOverFirst(const fs::path& tracks, const char* name) {
  std::vector<fs::file_time_type> times;
  for (const fs::directory_entry& trial : fs::directory_iterator(tracks))
    times.push_back(fs::last_write_time(trial.path() / name));
  std::ranges::sort(times);
  const std::size_t tenth = times.size() / 10;
  return std::chrono::duration<double>(times.back() - times[times.size() - 1 - tenth]) /
         std::chrono::duration<double>(times[tenth] - times.front());
}

/// Another video for one trial, of many one that does not show the bench.
void ChangeTrial(const fs::path& campaign, const fs::path& drops) {
  for (const char* video : {"left.mp4", "right.mp4"}) {
    const fs::path file = campaign / "trials/t0001" / video;
    fs::remove(file);
    fs::copy_file(drops / "trials/drop-2" / video, file);
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
  const double labels = LastOverFirst(campaign / "out/tracks", "labels.json");
  const double flights = LastOverFirst(campaign / "out/tracks", "sightings.json");
  const ProgramRun fit = RunOn(campaign, "out", {"--only", "fit"});
  const ProgramRun film = RunOn(campaign, "out", {"--only", "film"});
  const ProgramRun report = RunOn(campaign, "out", {"--only", "report"});
  const ProgramRun diagnosis = RunOn(campaign, "out");  // no step by itself
  const ProgramRun again = RunOn(campaign, "out");
  ChangeTrial(campaign, folder / "drops");
  const ProgramRun changed = RunOn(campaign, "out");

  // The start of the program counts where there are few trials.
  constexpr double kAny = std::numeric_limits<double>::infinity();
  const double most_idle = trials < 100 ? kAny : 2.0;
  const double flat = trials < 1000 ? kAny : 1.05;
  // Of up to 200 trials each shows the bench, by which the flights of all are fitted.
  const double most_fitted = trials > 200 ? 1.0 : trials;
  BoundSection section;
  section.heading = fmt::format("{} trials", trials);
  section.rows = {{"tracking, CPU per trial", "ms", 1e3 * track.cpu_seconds / count},
                  {"fit of three laws, CPU per trial", "ms", 1e3 * fit.cpu_seconds / count},
                  {"calibration, CPU", "s", calibrate.cpu_seconds},
                  {"report, CPU", "s", report.cpu_seconds},
                  {"diagnosis, CPU per trial", "ms", 1e3 * diagnosis.cpu_seconds / count},
                  {"tracking with nothing to do over tracking, CPU", "%",
                   100.0 * idle.cpu_seconds / track.cpu_seconds, 0.0, most_idle},
                  {"nothing changed, CPU", "s", again.cpu_seconds, 0.0, 2.0},
                  {"nothing changed, wall time", "s", again.seconds, 0.0, 2.0},
                  {"one trial changed: flights fitted again, trials", "",
                   static_cast<double>(CountDone(changed, "track", trials)), 1.0, most_fitted},
                  {"one trial changed, CPU", "s", changed.cpu_seconds},
                  {"films, CPU per trial", "ms", 1e3 * film.cpu_seconds / count},
                  {"marker search of the last tenth of the trials over the first, wall time", "",
                   labels, 0.0, flat},
                  {"flights, likewise", "", flights, 0.0, flat},
                  {"report.html", "MiB", fs::file_size(campaign / "out/report.html") / 1048576.0},
                  {"report, wall time", "s", report.seconds, 0.0, 10.0}};
  for (const auto& [step, run] : {std::pair("calibrate", &calibrate),
                                  {"track", &track},
                                  {"fit", &fit},
                                  {"film", &film},
                                  {"report", &report},
                                  {"nothing changed", &again},
                                  {"one trial changed", &changed}}) {
    section.rows.push_back(
        {fmt::format("peak memory, {}", step), "MiB", run->peak_memory_mib, 0.0, 400.0});
  }
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
