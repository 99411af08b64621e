// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// `percuss run` on a machine that fails. Source of truth: the files of a run on one that does not.
// percuss_faults (benchmarks) does it at every call; here a few of each kind.

#include "tests/app/faults/fault.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <thread>

#include "base/files/files.h"
#include "tests/app/replaced.h"
#include "tests/app/run/campaign.h"

namespace percuss {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using enum testing::FaultKind;

// One drop. Results of the same drop in another gravity are in the folder when a run begins.
struct Drop {
  Drop() {
    testing::SynthesizeDrops(1, folder / "drops");
    const std::string text = ReadFile(folder / "drops/experiment.yaml");
    folder.Write("drops/former.yaml", testing::Replaced(text, "-9.80665", "-9.79"));
    runs.emplace(folder.Path(), "drops/experiment.yaml", "drops/former.yaml",
                 std::vector<std::string>{"--law", "stronge", "--videos"});
  }
  testing::TemporaryFolder folder;
  std::optional<testing::FaultyRuns> runs;
};

class Faults : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { drop_.emplace(); }
  static void TearDownTestSuite() { drop_.reset(); }

  const testing::FaultyRuns& Runs() const { return *drop_->runs; }
  const testing::TemporaryFolder& Folder() const { return drop_->folder; }

  testing::ProgramRun Run(const std::string& experiment, const std::string& out) const {
    return testing::RunPercuss({"run", experiment, "-o", out, "--law", "stronge"}, Folder().Path());
  }

  void ExpectSameFolders(const std::string& found, const std::string& expected) const {
    EXPECT_EQ(testing::RunProgram({"/usr/bin/diff", "-r", "-q", "-x", ".steps",
                                   (Folder() / found).string(), (Folder() / expected).string()})
                  .out,
              "");
  }

 private:
  static std::optional<Drop> drop_;
};

std::optional<Drop> Faults::drop_;

TEST_F(Faults, OfWritesLoseNothing) {
  const int calls = static_cast<int>(Runs().Calls().size());
  ASSERT_GT(calls, 400);
  constexpr std::array kKinds = {kOnce, kFromThen, kKill, kReadOnly, kHalf};
  constexpr std::array kErrors = {EIO, ENOSPC, EIO, EROFS, EIO};
  // A step that has no factor with five calls of a file (open, write, fsync, close, rename).
  for (int at = 3, k = 0; at <= calls; at += 61, ++k) {
    const testing::Fault fault{kKinds[k % kKinds.size()], at, kErrors[k % kErrors.size()]};
    EXPECT_THAT(Runs().Complaints(fault), IsEmpty()) << testing::NameOf(fault);
  }
}

TEST_F(Faults, OfReadsLoseNothing) {
  const int reads = static_cast<int>(Runs().Reads().size());
  ASSERT_GT(reads, 20);
  for (int at = 2; at <= reads; at += reads / 5) {
    const testing::Fault fault{kRead, at, EIO};
    EXPECT_THAT(Runs().Complaints(fault), IsEmpty()) << testing::NameOf(fault);
  }
}

// To FFmpeg it is: what was read last, for the film, has to name the fault all the same.
TEST_F(Faults, AFailedReadOfAVideoIsNotItsEnd) {
  const std::vector<std::string>& reads = Runs().Reads();
  int tried = 0;
  for (int at = static_cast<int>(reads.size()); at > 0 && tried < 4; --at) {
    if (!reads[static_cast<std::size_t>(at - 1)].ends_with("drop-0/left.mp4")) continue;
    ++tried;
    EXPECT_THAT(Runs().Complaints({kRead, at, EIO}), IsEmpty()) << at;
  }
  EXPECT_EQ(tried, 4);
}

// Whatever of a video was read: the results that stay are those of the video as it is in the end.
TEST_F(Faults, AVideoThatGrowsIsReadAgain) {
  const fs::path video = Folder() / "drops/trials/drop-0/left.mp4";
  const std::string whole = ReadFile(video);
  const auto run_grown = [&](int at) {
    fs::remove_all(Folder() / "grown");
    Folder().Write("drops/trials/drop-0/left.mp4", whole);
    // A file of the last seconds is hashed whenever it is asked for. By a clock that is a minute on
    // it is older, and the number of reads does not depend on how fast the machine is. Those of the
    // other video, read at the same time, are not counted.
    return testing::RunWithFault(
        {"run", "drops/experiment.yaml", "-o", "grown", "--law", "stronge", "--jobs", "1"},
        Folder().Path(), video, {.kind = kGrow, .at = at, .clock_shift = 60});
  };
  const int reads = static_cast<int>(run_grown(0).calls.size());
  ASSERT_GT(reads, 16);
  // While its hash is taken, and after all else that is read of it.
  for (const int at : {reads / 8, reads}) {
    SCOPED_TRACE(at);
    fs::remove_all(Folder() / "anew");
    const testing::FaultedRun grown = run_grown(at);
    EXPECT_EQ(ReadFile(video).size(), whole.size() + 5);
    if (at < reads) {
      EXPECT_EQ(grown.run.exit_code, 2);
      EXPECT_THAT(grown.run.err,
                  HasSubstr("drops/trials/drop-0/left.mp4: found another content after it was read "
                            "than before"));
    }
    EXPECT_EQ(Run("drops/experiment.yaml", "grown").exit_code, 0);
    EXPECT_EQ(Run("drops/experiment.yaml", "anew").exit_code, 0);
    ExpectSameFolders("grown", "anew");
  }
  Folder().Write("drops/trials/drop-0/left.mp4", whole);
}

TEST_F(Faults, AClockSetBackChangesNothing) {
  const auto run = [&](long shift) {
    return testing::RunWithFault(
               {"run", "drops/experiment.yaml", "-o", "clock", "--law", "stronge"}, Folder().Path(),
               Folder() / "clock", {.clock_shift = shift})
        .run;
  };
  constexpr long kYear = 31557600;
  ASSERT_EQ(run(0).exit_code, 0);
  EXPECT_THAT(run(-kYear).err, HasSubstr("track: unchanged"));
  // A file from the time to come, then one from long ago, each with another content.
  const fs::path file = Folder() / "drops/experiment.yaml";
  const std::string text = ReadFile(file);
  for (const long years : {1, -1}) {
    Folder().Write("drops/experiment.yaml",
                   testing::Replaced(text, "-9.80665", years > 0 ? "-9.81" : "-9.82"));
    fs::last_write_time(file, fs::file_time_type::clock::now() + years * std::chrono::years(1));
    EXPECT_EQ(run(-years * kYear).exit_code, 0);
    fs::remove_all(Folder() / "anew");
    EXPECT_EQ(Run("drops/experiment.yaml", "anew").exit_code, 0);
    ExpectSameFolders("clock", "anew");
  }
  Folder().Write("drops/experiment.yaml", text);
}

TEST_F(Faults, TwoRunsInOneFolderDoNotMeet) {
  std::array<testing::ProgramRun, 2> runs;
  {
    std::vector<std::jthread> both;
    for (testing::ProgramRun& run : runs)
      both.emplace_back([&] { run = Run("drops/experiment.yaml", "two"); });
  }
  EXPECT_TRUE(runs[0].exit_code == 0 || runs[1].exit_code == 0);
  for (const testing::ProgramRun& run : runs) {
    if (run.exit_code == 0) continue;  // or it came when the other one was done
    EXPECT_EQ(run.err,
              "percuss: two: found another run at work in this folder, allowed one at a time\n");
  }
  fs::remove_all(Folder() / "anew");
  ASSERT_EQ(Run("drops/experiment.yaml", "anew").exit_code, 0);
  ExpectSameFolders("two", "anew");
}

// However little memory there is, the program ends with one line and loses nothing.
TEST_F(Faults, LittleMemoryEndsARunWithAMessage) {
  fs::remove_all(Folder() / "anew");
  ASSERT_EQ(Run("drops/experiment.yaml", "anew").exit_code, 0);
  int failed = 0, done = 0;
  for (const int mib : {280, 340, 400, 500, 2000}) {
    SCOPED_TRACE(mib);
    fs::remove_all(Folder() / "little");
    const testing::ProgramRun run = testing::RunProgram(
        {"/bin/sh", "-c",
         fmt::format("ulimit -v {}; exec \"$0\" run drops/experiment.yaml -o little --law stronge "
                     "--jobs 1",
                     1024 * mib),
         PERCUSS_PROGRAM},
        Folder().Path());
    run.exit_code == 0 ? ++done : ++failed;
    EXPECT_TRUE(run.exit_code == 0 || run.exit_code == 2 || run.exit_code == 127)
        << run.exit_code << run.err;
    if (run.exit_code == 2) EXPECT_THAT(run.err, HasSubstr("percuss: ")) << run.err;
    EXPECT_EQ(Run("drops/experiment.yaml", "little").exit_code, 0);
    ExpectSameFolders("little", "anew");
  }
  EXPECT_GT(failed, 0);
  EXPECT_GT(done, 0);
}

// /dev/full takes no byte. A message that nobody can take is no reason to stop; a result is one.
TEST_F(Faults, OfTheStandardStreams) {
  const auto shell = [&](const std::string& redirections) {
    return testing::RunProgram(
        {"/bin/sh", "-c", "exec \"$0\" laws --json " + redirections, PERCUSS_PROGRAM},
        Folder().Path());
  };
  EXPECT_EQ(shell("2>/dev/full").exit_code, 0);
  EXPECT_EQ(shell("2>&-").exit_code, 0);
  EXPECT_EQ(shell("<&-").exit_code, 0);
  for (const char* lost : {">/dev/full", ">&-"}) {
    const testing::ProgramRun run = shell(lost);
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_THAT(run.err, StartsWith("percuss: standard output: cannot be written: "));
  }
  for (const char* lost : {"2>/dev/full", "2>&-", "<&- 2>&-"}) {
    SCOPED_TRACE(lost);
    fs::remove_all(Folder() / "silent");
    const testing::ProgramRun run = testing::RunProgram(
        {"/bin/sh", "-c",
         std::string("exec \"$0\" run drops/experiment.yaml -o silent --law stronge ") + lost,
         PERCUSS_PROGRAM},
        Folder().Path());
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_THAT(run.out, HasSubstr("Report: silent/report.html"));
  }
}

}  // namespace
}  // namespace percuss
