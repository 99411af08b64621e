// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// `percuss run` killed, interrupted, divided and out of space. Source of truth: the files of one
// run that nobody disturbs; every other way to the same results must give the same bytes. Left out
// of the comparison is .steps, which knows the times of files.

#include "tests/app/run/campaign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <array>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <regex>
#include <sstream>
#include <thread>

#include "base/files/files.h"
#include "tests/app/program.h"
#include "tests/base/temporary_folder.h"

namespace percuss {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

using Files = std::map<std::string, std::string>;

Files Contents(const fs::path& folder) {
  Files contents;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = fs::relative(entry.path(), folder).string();
    if (!entry.is_regular_file() || name.starts_with(".steps/")) continue;
    contents[name] = ReadFile(entry.path());
  }
  return contents;
}

void ExpectSame(const Files& found, const Files& expected) {
  for (const auto& [name, content] : expected) {
    const auto at = found.find(name);
    ASSERT_NE(at, found.end()) << name << " is missing";
    EXPECT_TRUE(at->second == content) << name << " differs";
  }
  for (const auto& [name, content] : found) EXPECT_TRUE(expected.contains(name)) << name;
}

bool AnyUnfinished(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".part") return true;
  }
  return false;
}

testing::ProgramRun RunIn(const fs::path& folder, const std::string& out,
                          const std::vector<std::string>& options = {},
                          const testing::SentSignal& signal = {}) {
  std::vector<std::string> arguments = {"run",    "drops/experiment.yaml", "-o", out, "--law",
                                        "stronge"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  return testing::RunPercuss(arguments, folder, signal);
}

// Three drops and the results of an undisturbed run.
struct Undisturbed {
  Undisturbed() {
    testing::SynthesizeDrops(3, folder / "drops");
    run = RunIn(folder.Path(), "undisturbed");
  }
  testing::TemporaryFolder folder;
  testing::ProgramRun run;
};

// Each case has a copy of what was rendered once.
class Campaign : public ::testing::Test {
 protected:
  static void TearDownTestSuite() { undisturbed_.reset(); }
  void SetUp() override {
    if (!undisturbed_) undisturbed_.emplace();
    ASSERT_EQ(undisturbed_->run.exit_code, 0) << undisturbed_->run.err;
    fs::copy(undisturbed_->folder.Path(), folder_.Path(), fs::copy_options::recursive);
    seconds_ = undisturbed_->run.seconds;
    expected_ = Contents(folder_ / "undisturbed");
  }

  testing::ProgramRun Run(const std::string& out, const std::vector<std::string>& options = {},
                          const testing::SentSignal& signal = {}) const {
    return RunIn(folder_.Path(), out, options, signal);
  }

  // Runs are killed at random instants, until `count` of them have died; what completes between
  // holds the expected bytes.
  void ExpectNoByteChangedByKills(int count) const {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> part(0.0, 0.7);
    int kills = 0, completed = 0;
    for (int attempt = 0; kills < count; ++attempt) {
      ASSERT_LT(attempt, 4 * count);
      const testing::ProgramRun run = Run("out", {}, {SIGKILL, part(random) * seconds_});
      if (run.exit_code == 128 + SIGKILL) {
        ++kills;
        continue;
      }
      ASSERT_EQ(run.exit_code, 0) << run.err;
      ASSERT_NO_FATAL_FAILURE(ExpectSame(Contents(folder_ / "out"), expected_));
      ++completed;
      fs::remove_all(folder_ / "out");
    }
    const testing::ProgramRun last = Run("out");
    ASSERT_EQ(last.exit_code, 0) << last.err;
    ExpectSame(Contents(folder_ / "out"), expected_);
    EXPECT_FALSE(AnyUnfinished(folder_ / "out"));
    RecordProperty("completed_between_kills", completed);
  }

  testing::TemporaryFolder folder_;
  std::string experiment_ = "drops/experiment.yaml";
  double seconds_ = 0.0;  // of the undisturbed run
  Files expected_;

 private:
  static std::optional<Undisturbed> undisturbed_;
};

std::optional<Undisturbed> Campaign::undisturbed_;

TEST_F(Campaign, TenKillsChangeNoByte) { ExpectNoByteChangedByKills(10); }
TEST_F(Campaign, AHundredKillsChangeNoByte) { ExpectNoByteChangedByKills(100); }

TEST_F(Campaign, EveryWayToTheResultsGivesTheSameBytes) {
  // However many at a time.
  for (const char* jobs : {"1", "2", "5"}) {
    SCOPED_TRACE(jobs);
    ASSERT_EQ(Run("jobs", {"--jobs", jobs, "--force"}).exit_code, 0);
    ASSERT_NO_FATAL_FAILURE(ExpectSame(Contents(folder_ / "jobs"), expected_));
  }

  // Step by step, the trials by programs of their own at the same time.
  ASSERT_EQ(Run("steps", {"--only", "track"}).exit_code, 2);  // nothing is calibrated yet
  ASSERT_EQ(Run("steps", {"--only", "calibrate"}).exit_code, 0);
  ASSERT_EQ(Run("steps", {"--only", "fit"}).exit_code, 2);  // nothing is tracked yet
  {
    std::vector<std::jthread> others;
    for (const char* trial : {"drop-0", "drop-1", "drop-2"}) {
      others.emplace_back([this, trial] {
        EXPECT_EQ(Run("steps", {"--only", "track", "--trial", trial}).exit_code, 0) << trial;
      });
    }
  }
  ASSERT_EQ(Run("steps", {"--only", "fit"}).exit_code, 0);
  ASSERT_EQ(Run("steps", {"--only", "film"}).exit_code, 0);
  ASSERT_EQ(Run("steps", {"--only", "report"}).exit_code, 0);
  ExpectSame(Contents(folder_ / "steps"), expected_);
  EXPECT_EQ(Run("steps", {"--only", "track", "--trial", "../drop-0"}).exit_code, 2);
  EXPECT_EQ(Run("steps", {"--only", "fit", "--trial", "drop-0"}).exit_code, 2);

  // After Ctrl-C at several moments.
  for (const double part : {0.1, 0.3, 0.5, 0.7}) {
    const testing::ProgramRun run = Run("interrupted", {}, {SIGINT, part * seconds_});
    if (run.exit_code == 0 || run.err.empty()) continue;  // done already, or not begun
    EXPECT_EQ(run.exit_code, 130);
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(run.err, ::testing::EndsWith("percuss: stopped by Ctrl-C\n"));
    if (fs::exists(folder_ / "interrupted")) {
      EXPECT_FALSE(AnyUnfinished(folder_ / "interrupted"));
    }
  }
  ASSERT_EQ(Run("interrupted").exit_code, 0);
  ExpectSame(Contents(folder_ / "interrupted"), expected_);

  // Without room for its larger files: the disc is as good as full. Then with room.
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit small{.rlim_cur = 20000, .rlim_max = limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const testing::ProgramRun full = Run("full", {"--jobs", "1"});
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_THAT(full.err, HasSubstr("percuss: full/calibration.json: cannot be written"));
  EXPECT_FALSE(AnyUnfinished(folder_ / "full"));
  ASSERT_EQ(Run("full").exit_code, 0);
  ExpectSame(Contents(folder_ / "full"), expected_);

  const testing::ProgramRun nowhere = Run("/proc/percuss");
  EXPECT_EQ(nowhere.exit_code, 2);
  EXPECT_THAT(nowhere.err, ::testing::StartsWith("percuss: /proc/percuss: "));
}

// Truth: a run of the changed experiment in a new folder.
TEST_F(Campaign, AChangedTrialIsTheOnlyOneTrackedAgain) {
  fs::copy(folder_ / "undisturbed", folder_ / "out", fs::copy_options::recursive);
  std::string text = ReadFile(folder_ / experiment_);
  const std::string gravity = "gravity: [0, 0, -9.80665]";
  const std::size_t last = text.rfind(gravity);
  ASSERT_NE(last, std::string::npos) << text;
  text.replace(last, gravity.size(), "gravity: [0, 0, -9.79]");
  folder_.Write(experiment_, "# a remark\n" + text);
  const auto seen_at = [&](const std::string& trial) {
    return fs::last_write_time(folder_ / "out/tracks" / trial / "labels.json");
  };
  const std::array before = {seen_at("drop-0"), seen_at("drop-1"), seen_at("drop-2")};

  const testing::ProgramRun changed = Run("out");
  ASSERT_EQ(changed.exit_code, 0) << changed.err;
  EXPECT_THAT(changed.err, HasSubstr("calibrate: unchanged"));
  // All flights tell of what the trials share, so all states are new; their videos are not read.
  EXPECT_NE(seen_at("drop-2"), before[2]);
  for (const auto& [trial, k] : {std::pair{"drop-0", 0}, {"drop-1", 1}})
    EXPECT_EQ(seen_at(trial), before[k]) << trial;
  for (const char* step : {"track", "fit", "report"})
    EXPECT_THAT(changed.err, Not(HasSubstr(std::string(step) + ": unchanged")));
  const testing::ProgramRun anew = Run("anew");
  ASSERT_EQ(anew.exit_code, 0) << anew.err;
  ExpectSame(Contents(folder_ / "out"), Contents(folder_ / "anew"));

  // A trial that is no longer in the file is no longer in the results.
  text.erase(text.rfind("  - {"));
  folder_.Write(experiment_, text);
  ASSERT_EQ(Run("out").exit_code, 0);
  fs::remove_all(folder_ / "out/tracks/drop-2");
  ASSERT_EQ(Run("fewer").exit_code, 0);
  ExpectSame(Contents(folder_ / "out"), Contents(folder_ / "fewer"));

  const testing::ProgramRun again = Run("out");
  for (const char* step : {"calibrate", "track", "fit", "report"})
    EXPECT_THAT(again.err, HasSubstr(std::string(step) + ": unchanged"));
}

// Truth: one pair of coefficients made all drops, so those of each surface must be it.
TEST_F(Campaign, GroupsOfTrialsHaveCoefficientsOfTheirOwn) {
  std::string text = ReadFile(folder_ / experiment_);
  for (const auto& [name, surface] :
       {std::pair{"drop-0", "steel"}, {"drop-1", "wood"}, {"drop-2", "wood"}}) {
    const std::string trial = std::string("name: ") + name;
    const std::size_t at = text.find(trial);
    ASSERT_NE(at, std::string::npos) << text;
    text.insert(at + trial.size(), std::string(", group: {surface: ") + surface + "}");
  }
  folder_.Write(experiment_, text);
  const std::vector<std::string> grouped = {"--group", "surface:mu"};
  const testing::ProgramRun run = Run("out", grouped);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto fit = nlohmann::json::parse(ReadFile(folder_ / "out/fit.json"));
  EXPECT_THAT(fit["command"].get<std::string>(), HasSubstr(" --group surface:mu"));
  const auto truth = nlohmann::json::parse(ReadFile(folder_ / "drops/truth.json"));
  const nlohmann::json& parameters = fit["laws"]["stronge"]["parameters"];
  ASSERT_EQ(parameters.size(), 3u) << parameters;
  for (const auto& [name, of_all] :
       {std::pair{"mu[steel]", "mu"}, {"mu[wood]", "mu"}, {"e", "e"}}) {
    const double sigma = parameters[name]["sigma"];
    EXPECT_NEAR(parameters[name]["value"].get<double>(), truth.at(of_all).get<double>(),
                4.0 * sigma)
        << name;
    EXPECT_THAT(ReadFile(folder_ / "out/report.html"), HasSubstr(name));
  }
  EXPECT_THAT(Run("out", grouped).err, HasSubstr("fit: unchanged"));
  EXPECT_THAT(Run("out").err, Not(HasSubstr("fit: unchanged")));

  const testing::ProgramRun colour = Run("out", {"--group", "colour"});
  EXPECT_EQ(colour.exit_code, 2);
  EXPECT_EQ(colour.err, "percuss: " + experiment_ +
                            ": --group: found colour, which is no group of any trial\n");
  const testing::ProgramRun parameter = Run("out", {"--model", "mew=linear-normal"});
  EXPECT_EQ(parameter.exit_code, 2);
  EXPECT_THAT(parameter.err, HasSubstr("models: found mew, allowed a parameter of the laws"));
  const testing::ProgramRun pixels = Run("out", {"--fit", "pixels", "--group", "surface:mu"});
  EXPECT_EQ(pixels.exit_code, 2);
  EXPECT_THAT(pixels.err, HasSubstr("--fit pixels: found --model, --group, --fix or "));
}

// Snakemake on the campaign, where it is installed.
class SnakemakeCampaign : public Campaign {
 protected:
  void SetUp() override {
    if (std::system("snakemake --version > /dev/null 2>&1") != 0)  // NOLINT: the user's own shell
      GTEST_SKIP() << "snakemake is not installed (Debian package snakemake)";
    Campaign::SetUp();
  }

  // @param how its further options. @param settings variables of its environment.
  int Snakemake(const std::string& out, const std::string& how,
                const std::string& settings = "") const {
    const fs::path snakefile = kWorkflow / "Snakefile";
    const std::string command =
        "cd '" + folder_.Path().string() + "' && " + settings + " snakemake -s '" +
        snakefile.string() + "' --config percuss='" PERCUSS_PROGRAM "' experiment='" + experiment_ +
        "' 'out=" + out + "' options='--law stronge' " + how + " > snakemake.log 2>&1";
    return std::system(command.c_str());  // NOLINT: the user's own shell
  }

  const fs::path kWorkflow = fs::path(PERCUSS_DATA_DIR) / "../workflow";
};

TEST_F(SnakemakeCampaign, GivesTheSameBytes) {
  ASSERT_EQ(Snakemake("here", "--cores 2"), 0) << ReadFile(folder_ / "snakemake.log");
  ExpectSame(Contents(folder_ / "here"), expected_);
}

// A stand-in for Slurm's sbatch, first on PATH: it notes its arguments, does the script at once, as
// a node would with an environment of its own, and prints the number of the job. Source of truth
// for the arguments: the manual page of sbatch.
TEST_F(SnakemakeCampaign, GivesTheSameBytesThroughSlurm) {
  folder_.Write("bin/sbatch",
                "#!/bin/bash\n"
                "printf '%s\\n' \"$*\" >> jobs.log\n"
                "env -i PATH=\"$PATH\" HOME=\"$HOME\" bash \"${@: -1}\" > /dev/null 2>&1\n"
                "wc -l < jobs.log\n");
  fs::permissions(folder_ / "bin/sbatch", fs::perms::owner_all);
  ASSERT_EQ(
      Snakemake("slurm", "--profile '" + kWorkflow.string() + "/slurm'", "PATH=\"$PWD/bin:$PATH\""),
      0)
      << ReadFile(folder_ / "snakemake.log");
  ExpectSame(Contents(folder_ / "slurm"), expected_);
  std::istringstream jobs(ReadFile(folder_ / "jobs.log"));
  std::map<std::string, int> count;
  for (std::string job; std::getline(jobs, job);) {
    std::smatch parts;
    ASSERT_TRUE(std::regex_match(
        job, parts,
        std::regex("--parsable --job-name=percuss-([a-z]+) --cpus-per-task=([12]) --mem=1500 "
                   "--time=30 --output=/dev/null /[^ ]*\\.sh")))
        << job;
    ++count[parts[1]];
    const bool alone = parts[1] == "track" || parts[1] == "report";
    EXPECT_EQ(parts[2], alone ? "1" : "2") << job;
  }
  EXPECT_EQ(count, (std::map<std::string, int>{
                       {"calibrate", 1}, {"track", 3}, {"fit", 1}, {"film", 1}, {"report", 1}}));
}

// Its node must be this machine, whose temporary folder it is.
TEST_F(SnakemakeCampaign, GivesTheSameBytesOnACluster) {
  const char* is_node =
      "test -n \"$(sinfo --noheader --nodes=$(hostname -s) --states=idle 2>&1)\" "
      "&& sinfo > /dev/null 2>&1";
  if (std::system(is_node) != 0)  // NOLINT: the user's own shell
    GTEST_SKIP() << "this machine is no idle node of a Slurm cluster (sinfo)";
  ASSERT_EQ(Snakemake("cluster", "--profile '" + kWorkflow.string() + "/slurm'"), 0)
      << ReadFile(folder_ / "snakemake.log");
  ExpectSame(Contents(folder_ / "cluster"), expected_);
}

// Snakemake writes some names into the scripts of jobs as they are, those of inputs in quotes.
TEST_F(SnakemakeCampaign, RunsNoName) {
  const std::string trap = "a $(touch trap)", jobs = "--cluster bash --jobs 2 --latency-wait 5";
  EXPECT_NE(Snakemake(trap, jobs), 0);
  EXPECT_THAT(ReadFile(folder_ / "snakemake.log"),
              HasSubstr("out: found 'a $(touch trap)', allowed letters"));

  std::string text = ReadFile(folder_ / experiment_);
  const std::string video = "trials/drop-0/left.mp4";
  text.replace(text.find(video), video.size(), "'" + trap + ".mp4'");
  folder_.Write(experiment_, text);
  fs::rename(folder_ / "drops" / video, folder_ / "drops" / (trap + ".mp4"));
  EXPECT_EQ(Snakemake("out", jobs + " --until track"), 0) << ReadFile(folder_ / "snakemake.log");
  EXPECT_TRUE(fs::exists(folder_ / "out/tracks/drop-0/impacts.json"));
  EXPECT_FALSE(fs::exists(folder_ / "trap"));
}

}  // namespace
}  // namespace percuss
