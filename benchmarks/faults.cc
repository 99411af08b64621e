// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// percuss_faults FOLDER [EVERY]: `percuss run` with a fault at each call by which it writes a file
// or reads its input (at every EVERYth if stated), in a new folder FOLDER, which stays. Each run
// begins on the results of another experiment, and is followed by one without fault. Counted are
// the runs after which a file was neither of before nor whole, or which failed without a message
// that names file and reason, or whose successor gave other bytes than a run that nobody disturbed.

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/files/files.h"
#include "benchmarks/bound_table.h"
#include "tests/app/faults/fault.h"
#include "tests/app/replaced.h"
#include "tests/app/run/campaign.h"

namespace percuss::benchmarks {
namespace {

namespace fs = std::filesystem;
using testing::Fault;
using testing::FaultKind;

struct Tally {
  int runs = 0, bad = 0;
};

Tally TryAll(const testing::FaultyRuns& runs, const std::vector<std::string>& calls, FaultKind kind,
             const std::vector<int>& errors, int every) {
  Tally tally;
  for (int at = 1; at <= static_cast<int>(calls.size()); at += every) {
    const Fault fault{kind, at, errors[tally.runs % errors.size()]};
    ++tally.runs;
    const std::vector<std::string> complaints = runs.Complaints(fault);
    if (complaints.empty()) continue;
    ++tally.bad;
    for (const std::string& complaint : complaints)
      fmt::print(stderr, "{}: {}: {}\n", testing::NameOf(fault), calls[at - 1], complaint);
  }
  return tally;
}

BoundSection TryExperiment(const std::string& name, const testing::FaultyRuns& runs, int every) {
  struct Kind {
    const char* name;
    FaultKind kind;
    std::vector<int> errors;
    bool of_reads = false;
  };
  const std::vector<Kind> kinds = {{"one call fails: full, I/O error, quota, read-only in turn",
                                    FaultKind::kOnce,
                                    {ENOSPC, EIO, EDQUOT, EROFS}},
                                   {"disc full from that call on", FaultKind::kFromThen, {ENOSPC}},
                                   {"read-only from that call on", FaultKind::kReadOnly, {EROFS}},
                                   {"half a write", FaultKind::kHalf, {EIO}},
                                   {"killed before that call", FaultKind::kKill, {EIO}},
                                   {"one read of the input fails", FaultKind::kRead, {EIO}, true}};
  BoundSection section{.heading = name, .rows = {}, .remarks = {}};
  Tally all;
  for (const Kind& kind : kinds) {
    const Tally tally =
        TryAll(runs, kind.of_reads ? runs.Reads() : runs.Calls(), kind.kind, kind.errors, every);
    section.rows.push_back({fmt::format("{}: {} runs, of them bad", kind.name, tally.runs), "",
                            static_cast<double>(tally.bad), 0.0, 0.0});
    fmt::print(stderr, "{}, {}: {} of {} bad\n", name, kind.name, tally.bad, tally.runs);
    all.runs += tally.runs;
    all.bad += tally.bad;
  }
  section.rows.push_back(
      {fmt::format("faults put in that lose or corrupt something, of {}", all.runs), "",
       static_cast<double>(all.bad), 0.0, 0.0});
  return section;
}

constexpr const char* kBallClip = R"(ball:
  image_size: [480, 270]
  frame_rate: 60
  start: {position: [-0.2, 0, 0.4], velocity: [0.25, 0.05, 0], hold: 0.2}
  camera: {position: [0, -1.1, 0.4], target: [0, 0, 0.2], focal_length_px: 400}
  e: 0.75
  bounces: 2
  seed: 12
)";
constexpr const char* kBall = R"(name: ball
body: {shape: sphere, diameter: 0.04, mass: 0.0027, sigma: {length: 0.0002}}
coefficients: {mu: 0.2}
trials:
  - {name: a, clip: one/clip.mp4}
)";

/// Two kinds of trials, whose steps write different files.
int Main(const fs::path& folder, int every) {
  if (fs::exists(folder)) throw std::runtime_error(folder.string() + ": is there already");
  fs::create_directories(folder / "drop");
  testing::SynthesizeDrops(1, folder / "drop/drops");
  const fs::path experiment = folder / "drop/drops/experiment.yaml";
  WriteFileAtomically(folder / "drop/drops/former.yaml",
                      testing::Replaced(ReadFile(experiment), "-9.80665", "-9.79"));
  const testing::FaultyRuns drops(folder / "drop", "drops/experiment.yaml", "drops/former.yaml",
                                  {"--law", "stronge", "--videos"});

  WriteFileAtomically(folder / "ball/input/ball.yaml", kBallClip);
  WriteFileAtomically(folder / "ball/input/experiment.yaml", kBall);
  WriteFileAtomically(folder / "ball/input/former.yaml",
                      testing::Replaced(kBall, "0.0027", "0.003"));
  const testing::ProgramRun made =
      testing::RunPercuss({"synthesize", "ball.yaml", "-o", "one"}, folder / "ball/input");
  if (made.exit_code != 0) throw std::runtime_error(made.err);
  const testing::FaultyRuns balls(folder / "ball", "input/experiment.yaml", "input/former.yaml",
                                  {"--law", "stronge", "--videos"});
  return PrintBoundTable({TryExperiment("a drop between two cameras", drops, every),
                          TryExperiment("a clip of a ball", balls, every)})
             ? 0
             : 1;
}

}  // namespace
}  // namespace percuss::benchmarks

int main(int argc, char** argv) {
  int every = 1;
  const char* end = argc == 3 ? argv[2] + std::strlen(argv[2]) : nullptr;
  const bool number = argc == 3 && std::from_chars(argv[2], end, every).ptr == end && every > 0;
  if (argc < 2 || argc > 3 || (argc == 3 && !number)) {
    fmt::print(stderr, "usage: percuss_faults FOLDER [EVERY]\n");
    return 2;
  }
  try {
    return percuss::benchmarks::Main(std::filesystem::absolute(argv[1]), every);
  } catch (const std::exception& error) {
    fmt::print(stderr, "percuss_faults: {}\n", error.what());
    return 2;
  }
}
