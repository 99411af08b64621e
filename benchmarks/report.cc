// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// percuss_report DATA [TOPIC]...: what people wait for when they look at a report, in a browser, a
// table of bounds.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

#include "base/files/files.h"
#include "benchmarks/topics.h"
#include "tests/app/program.h"
#include "tests/report/browser.h"

namespace percuss::benchmarks {
namespace {

namespace fs = std::filesystem;

/// A folder for one measurement.
fs::path EmptyFolder(const std::string& name) {
  const fs::path folder = fs::temp_directory_path() / ("percuss_report_" + name);
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

void Remove(const fs::path& folder) {
  std::error_code stays;  // a process of a browser that was ended may still write
  fs::remove_all(folder, stays);
}

testing::ProgramRun Run(const std::vector<std::string>& arguments, const fs::path& folder) {
  const testing::ProgramRun run = testing::RunPercuss(arguments, folder);
  if (run.exit_code != 0 && run.exit_code != 3)
    throw std::runtime_error("percuss " + arguments.front() + ": " + run.err);
  return run;
}

/// The least time of five.
double ReportSeconds(const fs::path& folder) {
  double least = HUGE_VAL;
  for (int round = 0; round < 5; ++round)
    least = std::min(least, Run({"report", "out"}, folder).seconds);
  return least;
}

std::string BrowserProgram() {
  const std::string program = report::Browser::Find();
  if (program.empty()) throw std::runtime_error("no chromium on PATH");
  return program;
}

/// From the request to when all that the page holds is there, its pictures too: the least of five,
/// since the first time a browser reads fonts [s].
double LoadSeconds(const fs::path& page, const fs::path& profile) {
  report::Browser browser(BrowserProgram(), profile);
  double least = HUGE_VAL;
  for (int round = 0; round < 5; ++round) {
    browser.Open(page, 1280, "light");
    const double ms = browser.Evaluate(
        "new Promise(done => setTimeout(() => "
        "done(performance.getEntriesByType('navigation')[0].loadEventEnd), 100))");
    least = std::min(least, 1e-3 * ms);
  }
  return least;
}

/// Pictures per second while the viewer plays, which draws one whenever the browser asks for it.
double ViewerRate(const fs::path& page, const fs::path& profile) {
  report::Browser browser(BrowserProgram(), profile);
  browser.Open(page, 1280, "light");
  return browser.Evaluate(
      "new Promise(done => { document.querySelector('.viewer .play').click(); let count = 0; "
      "const begin = performance.now(); const next = now => { ++count; "
      "if (now - begin < 2000) requestAnimationFrame(next); "
      "else done(1000 * count / (now - begin)); }; requestAnimationFrame(next); })");
}

double Megabytes(const fs::path& file) { return 1e-6 * static_cast<double>(fs::file_size(file)); }

/// The drops of data/bar-drop, two of them twice, in folder/drops.
void WriteSixTrials(const fs::path& data, const fs::path& folder) {
  fs::copy(data / "bar-drop", folder / "drops", fs::copy_options::recursive);
  std::string experiment = ReadFile(folder / "drops/experiment.yaml");
  for (const std::string name : {"a-slide", "b-stick"}) {
    experiment += "  - {name: " + name + "-again, left: trials/" + name +
                  "/left.mp4, right: trials/" + name + "/right.mp4}\n";
  }
  WriteFileAtomically(folder / "drops/experiment.yaml", experiment);
}

/// All of percuss run, from nothing: the least of five.
std::vector<BoundSection> MeasureRun(const fs::path& data) {
  const fs::path folder = EmptyFolder("run");
  WriteSixTrials(data, folder);
  double wall = HUGE_VAL, processor = HUGE_VAL;
  for (int round = 0; round < 5; ++round) {
    fs::remove_all(folder / "out");
    const testing::ProgramRun run = Run({"run", "drops/experiment.yaml", "-o", "out"}, folder);
    wall = std::min(wall, run.seconds);
    processor = std::min(processor, run.cpu_seconds);
  }
  BoundSection section{
      .heading = "percuss run of 6 trials on video, report and pictures, no overlay videos",
      .rows = {{.name = "wall time", .unit = "s", .measured = wall, .highest = 4},
               {.name = "processor time, all threads", .unit = "s", .measured = processor}},
      .remarks = {"the wall time says something on an idle machine of two cores or more"}};
  Remove(folder);
  return {section};
}

std::vector<BoundSection> MeasureSixTrials(const fs::path& data) {
  const fs::path folder = EmptyFolder("6");
  WriteSixTrials(data, folder);
  const testing::ProgramRun run = Run({"run", "drops/experiment.yaml", "-o", "out"}, folder);
  const std::string printed = run.out + run.err;
  const double report = ReportSeconds(folder);
  const fs::path page = folder / "out/report.html";
  BoundSection section{
      .heading = "Report of 6 trials on video",
      .rows = {{.name = "lines printed by percuss run",
                .unit = "",
                .measured = static_cast<double>(std::ranges::count(printed, '\n')),
                .highest = 40},
               {.name = "percuss report", .unit = "s", .measured = report, .highest = 1.5},
               {.name = "page", .unit = "MB", .measured = Megabytes(page), .highest = 4},
               {.name = "all of the page is there",
                .unit = "s",
                .measured = LoadSeconds(page, folder / "loads"),
                .highest = 0.5},
               {.name = "pictures of the viewer per second",
                .unit = "",
                .measured = ViewerRate(page, folder / "plays"),
                .lowest = 30}},
      .remarks = {}};
  Remove(folder);
  return {section};
}

/// The tosses of data/cube_toss under other names, until there are as many.
std::vector<BoundSection> MeasureThousandTrials(const fs::path& data) {
  constexpr int kTrials = 1000;
  const fs::path folder = EmptyFolder("1000");
  fs::create_directories(folder / "toss/tosses");
  fs::copy(data / "cube_toss/experiment.yaml", folder / "toss/experiment.yaml");
  const std::vector<fs::path> tosses = ExpandPattern(data / "cube_toss/tosses/*.csv");
  for (int k = 0; k < kTrials; ++k) {
    const fs::path& toss = tosses[static_cast<std::size_t>(k) % tosses.size()];
    fs::copy(toss, folder / "toss/tosses" /
                       (toss.stem().string() + "_" +
                        std::to_string(static_cast<std::size_t>(k) / tosses.size()) + ".csv"));
  }
  Run({"run", "toss/experiment.yaml", "-o", "out", "--law", "poisson"}, folder);
  const double report = Run({"report", "out"}, folder).seconds;
  const fs::path page = folder / "out/report.html";
  BoundSection section{.heading = "Report of 1,000 recorded tosses",
                       .rows = {{.name = "percuss report", .unit = "s", .measured = report},
                                {.name = "page", .unit = "MB", .measured = Megabytes(page)},
                                {.name = "all of the page is there",
                                 .unit = "s",
                                 .measured = LoadSeconds(page, folder / "loads"),
                                 .highest = 1}},
                       .remarks = {}};
  Remove(folder);
  return {section};
}

}  // namespace
}  // namespace percuss::benchmarks

int main(int argc, char** argv) {
  using namespace percuss::benchmarks;
  return RunTopics(
      "percuss_report",
      {{"run", MeasureRun}, {"six", MeasureSixTrials}, {"thousand", MeasureThousandTrials, true}},
      argc, argv);
}
