// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// `percuss run` on the rendered data set bar-drop. Source of truth: truth.json, which the renderer
// wrote; the bounds are those the project promises for these data. The program sees a copy of the
// data without truth.json.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/files/files.h"
#include "base/text/csv_rows.h"
#include "base/text/numbers.h"
#include "calibration/rig/rig_calibration.h"
#include "fitting/result/fit_files.h"
#include "impacts/impact_files.h"
#include "impacts/restitution_ratios.h"
#include "tests/app/program.h"
#include "tests/app/replaced.h"
#include "tests/app/run/accuracy.h"
#include "tests/base/temporary_folder.h"
#include "tracking/track_files.h"

namespace percuss {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

const fs::path kData = fs::path(PERCUSS_DATA_DIR) / "bar-drop";
const std::vector<std::string> kTrials = {"a-slide", "b-stick", "c-reverse", "d-slope"};

// Every file below a folder with its content, but for .steps, which knows the times of files.
std::map<std::string, std::string> Contents(const fs::path& folder) {
  std::map<std::string, std::string> contents;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = fs::relative(entry.path(), folder).string();
    if (entry.is_regular_file() && !name.starts_with(".steps/"))
      contents[name] = ReadFile(entry.path());
  }
  return contents;
}

// One run of the chain, shared by the tests of this program.
class RunOnBarDrop : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_.emplace();
    fs::create_directories(*folder_ / "data");
    fs::copy(kData / "experiment.yaml", *folder_ / "data/experiment.yaml");
    for (const char* part : {"calibration", "trials"})
      fs::create_directory_symlink(kData / part, *folder_ / "data" / part);
    run_ = Run();
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static testing::ProgramRun Run(std::vector<std::string> options = {}) {
    std::vector<std::string> arguments = {"run", "data/experiment.yaml", "-o", "out"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return testing::RunPercuss(arguments, folder_->Path());
  }
  static fs::path Out() { return *folder_ / "out"; }

  static std::optional<testing::TemporaryFolder> folder_;
  static testing::ProgramRun run_;
};

std::optional<testing::TemporaryFolder> RunOnBarDrop::folder_;
testing::ProgramRun RunOnBarDrop::run_;

TEST_F(RunOnBarDrop, MeetsEveryBoundAgainstTheTruth) {
  ASSERT_EQ(run_.exit_code, 0) << run_.err;
  const truth::Accuracy accuracy = truth::CompareWithTruth(kData, Out());
  for (const truth::BoundRow& row : truth::BoundTable(accuracy)) {
    EXPECT_LE(row.measured, row.bound) << row.name << " [" << row.unit << "]";
  }
  EXPECT_LT(run_.peak_memory_mib, 1024.0);
  // A bound on the mean of few markers would be easy to meet.
  EXPECT_GT(accuracy.num_marker_rows_flight, 900);
  for (const truth::TrialAccuracy& trial : accuracy.trials) {
    SCOPED_TRACE(trial.trial);
    EXPECT_LT(trial.time.value, 0.01);  // of a frame, in which gravity adds 0.8 mm/s
    // Sigmas must be of the size of the errors: chi-square with 12 degrees of freedom lies outside
    // these bounds with a probability of 2e-5.
    EXPECT_LT(trial.chi_square, 60.0);
    EXPECT_GT(trial.chi_square, 1.0);
  }
}

// The left camera alone: all six coordinates of a pose by one view, as well as its sigmas say.
TEST_F(RunOnBarDrop, OneCameraGetsTheTruthWithinItsSigmas) {
  std::string yaml = ReadFile(*folder_ / "data/experiment.yaml");
  for (const char* right :
       {", right: calibration/right/*.png", ", right: calibration/surface/right.png"})
    yaml.erase(yaml.find(right), std::string(right).size());
  for (const std::string& trial : kTrials) {
    const std::string right = ", right: trials/" + trial + "/right.mp4";
    yaml.erase(yaml.find(right), right.size());
  }
  WriteFileAtomically(*folder_ / "data/one-camera.yaml", yaml);
  const testing::ProgramRun run =
      testing::RunPercuss({"run", "data/one-camera.yaml", "-o", "one"}, folder_->Path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const truth::Accuracy accuracy = truth::CompareWithTruth(kData, *folder_ / "one");
  double sum = 0.0;
  for (const truth::TrialAccuracy& trial : accuracy.trials) {
    // Chi-square with 12 degrees of freedom exceeds it once in 10^5.
    EXPECT_LT(trial.chi_square, 44.0) << trial.trial;
    EXPECT_LT(trial.v.value, 0.006) << trial.trial;
    sum += trial.chi_square;
  }
  // What was typed of the body and the calibration shift all trials alike: five of its sigmas.
  EXPECT_LT(sum, 48.0 + 5.0 * std::sqrt(2.0 * 48.0));
  std::printf("one camera: chi-square %.1f of 48, mu off by %.6f, e by %.6f\n", sum,
              accuracy.mu.error, accuracy.e.error);
  EXPECT_LT(accuracy.mu.error, 5e-4);
  EXPECT_LT(accuracy.e.error, 1e-3);
}

TEST_F(RunOnBarDrop, WritesEveryFileAndSaysWhatItDoes) {
  ASSERT_EQ(run_.exit_code, 0) << run_.err;
  const calibration::RigCalibration calibration =
      calibration::ReadCalibration(Out() / "calibration.json");
  EXPECT_EQ(calibration.views.size(), 19U);  // 18 pairs and the surface
  for (const std::string& trial : kTrials) {
    SCOPED_TRACE(trial);
    const fs::path folder = Out() / "tracks" / trial;
    const tracking::TrialSummary summary = tracking::ReadTrialSummary(folder / "trial.json");
    EXPECT_EQ(summary.status, tracking::TrialResult::Status::kOk);
    EXPECT_EQ(impacts::ReadImpacts(folder / "impacts.json").impacts.size(), 1U);
    EXPECT_THAT(ReadFile(folder / "markers.csv"), HasSubstr("frame,time,marker,left_x_px"));
    EXPECT_THAT(ReadFile(folder / "poses.csv"), HasSubstr("frame,time,phase,x,y,z,qw,qx,qy,qz"));
  }
  for (const char* table : {"impacts.csv", "impacts.json"}) {
    const impacts::ImpactTable impacts = impacts::ReadImpacts(Out() / table);
    ASSERT_EQ(impacts.impacts.size(), kTrials.size()) << table;
    for (std::size_t i = 0; i < kTrials.size(); ++i)
      EXPECT_EQ(impacts.impacts[i].trial, kTrials[i]) << table;
  }
  const fitting::FitReport fit = fitting::ReadFit(Out() / "fit.json");
  EXPECT_EQ(fit.laws.size(), 3U);
  const impacts::ImpactTable table = impacts::ReadImpacts(Out() / "impacts.csv");
  for (std::size_t i = 0; i < kTrials.size(); ++i) {
    const ValueWithSigma kept = impacts::StatedRatios(table.impacts[i]).energy;
    const ValueWithSigma lost = fit.laws.front().trials[i].dissipation_measured;
    EXPECT_NEAR(kept.value, 1 - lost.value, 1e-9) << kTrials[i];
    EXPECT_NEAR(kept.sigma, lost.sigma, 1e-6 * lost.sigma) << kTrials[i];
  }
  EXPECT_FALSE(fit.audit.empty());
  for (const fitting::AuditFinding& finding : fit.audit) EXPECT_TRUE(finding.ok) << finding.text;
  EXPECT_EQ(nlohmann::json::parse(ReadFile(Out() / "run.json")).at("trials"), kTrials);
  for (const char* report : {"report.html", "report.md"}) {
    for (const std::string& trial : kTrials)
      EXPECT_THAT(ReadFile(Out() / report), HasSubstr(trial)) << report;
  }
  // Where the results come from: every JSON names format, program, command.
  for (const auto& [name, content] : Contents(Out())) {
    EXPECT_THAT(name, Not(HasSubstr("tmp")));
    if (!name.ends_with(".json")) continue;
    const nlohmann::json json = nlohmann::json::parse(content);
    EXPECT_THAT(json.at("format").get<std::string>(), ::testing::StartsWith("percuss ")) << name;
    EXPECT_THAT(json.at("program").get<std::string>(), HasSubstr("percuss")) << name;
    EXPECT_EQ(json.at("command"), "percuss run data/experiment.yaml") << name;
    if (name != "run.json") {
      EXPECT_FALSE(json.at("inputs").empty()) << name;
    }
  }
  EXPECT_THAT(run_.out, HasSubstr("stronge"));
  EXPECT_THAT(run_.out, HasSubstr("Report: out/report.html"));
  EXPECT_THAT(run_.err, HasSubstr("calibrate: "));  // progress
  for (const std::string& trial : kTrials)
    EXPECT_THAT(run_.err, HasSubstr("track " + trial + ": "));
}

// A person reads what is printed: the answer, once. All laws and trials are one option away.
TEST_F(RunOnBarDrop, PrintsTheBestLawInFewLinesAndAllOfThemWhenAsked) {
  ASSERT_EQ(run_.exit_code, 0) << run_.err;
  EXPECT_LE(std::ranges::count(run_.err + run_.out, '\n'), 40) << run_.err << run_.out;
  EXPECT_THAT(run_.err, HasSubstr("4 trials; box of 306.5 × 51.5 × 12.5 mm, 0.185 kg"));
  const fitting::FitReport fit = fitting::ReadFit(Out() / "fit.json");
  const fitting::LawFit& best = fitting::BestLaw(fit.laws);
  for (const fitting::ParameterEstimate& parameter : best.parameters)
    EXPECT_THAT(run_.out, HasSubstr(FormatWithSigma(parameter.value, parameter.sigma)));
  EXPECT_THAT(run_.out, HasSubstr("The law " + best.law + " explains all 4 impacts"));
  EXPECT_THAT(run_.out, HasSubstr("All 3 laws, trial by trial: --verbose"));
  EXPECT_THAT(run_.out, HasSubstr("To know more: one drop at "));
  const testing::ProgramRun verbose = Run({"--verbose"});
  EXPECT_EQ(verbose.exit_code, 0) << verbose.err;
  EXPECT_THAT(verbose.err, HasSubstr("fit: unchanged"));
  for (const fitting::LawFit& law : fit.laws) {
    EXPECT_THAT(verbose.out, HasSubstr("\nNext drop, law " + law.law));
    if (law.law != best.law) EXPECT_THAT(run_.out, Not(HasSubstr(law.law)));
  }
  for (const std::string& trial : kTrials) {
    EXPECT_THAT(verbose.out, HasSubstr("\n" + trial));
    EXPECT_THAT(run_.out, Not(HasSubstr(trial)));
  }
}

// The thesis' differences are some hundred times worse than the arcs (docs/states.md), and the
// report says which method it was.
TEST_F(RunOnBarDrop, AnotherMethodForTheVelocitiesIsUsedAndNamed) {
  const fs::path out = folder_->Path() / "houbolt";
  const testing::ProgramRun run =
      testing::RunPercuss({"run", (kData / "experiment.yaml").string(), "-o", out.string(),
                           "--states", "houbolt", "--enhanced", "--enhanced-every", "30"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const std::string& trial : kTrials) {
    const fs::path enhanced = out / "tracks" / trial / "enhanced";
    for (const char* picture : {"left/000030-binary.png", "left/000030.jpg", "report.html"})
      EXPECT_TRUE(fs::exists(enhanced / picture)) << trial << picture;
    EXPECT_FALSE(fs::is_empty(enhanced / "right")) << trial;
  }
  const truth::Accuracy arcs = truth::CompareWithTruth(kData, Out());
  const truth::Accuracy houbolt = truth::CompareWithTruth(kData, out);
  for (std::size_t k = 0; k < arcs.trials.size(); ++k) {
    EXPECT_GT(houbolt.trials[k].v.value, 10.0 * arcs.trials[k].v.value);
  }
  const std::string report = ReadFile(out / "report.md");
  EXPECT_NE(report.find("are those of the method houbolt"), std::string::npos);
}

TEST_F(RunOnBarDrop, BecomesASceneForBlender) {
  ASSERT_EQ(run_.exit_code, 0) << run_.err;
  for (const char* folder : {"out", "out/tracks/d-slope/"}) {
    const testing::ProgramRun run =
        testing::RunPercuss({"convert", folder, "drops.glb"}, folder_->Path());
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const std::string scene = ReadFile(*folder_ / "drops.glb");
    EXPECT_TRUE(scene.starts_with("glTF"));
    for (const std::string& trial : kTrials) {
      const bool shown = folder == std::string("out") || trial == "d-slope";
      EXPECT_EQ(scene.find("\"" + trial + " body\"") != std::string::npos, shown) << trial;
    }
  }
}

// The sightings of the run, as if somebody had clicked them: no video, the same impacts. Another
// run, of the same rounding, is as far from the truth, so within its sigmas from this one.
TEST_F(RunOnBarDrop, GivesTheSameFromTracksInPlaceOfVideos) {
  ASSERT_EQ(run_.exit_code, 0) << run_.err;
  for (const std::string& trial : kTrials) {
    const fs::path file = Out() / "tracks" / trial / "markers.csv";
    const std::vector<CsvRow> rows = ParseCsv(file, ReadFile(file));
    std::string clicks = "camera,frame,marker,x,y,sigma\n";
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const std::vector<std::string>& cells = rows[i].cells;
      for (const std::size_t camera : {1, 2}) {
        const std::string &x = cells[3 * camera], &y = cells[3 * camera + 1];
        if (x.empty()) continue;
        clicks += fmt::format("{},{},{},{},{},{}\n", camera, cells[0], cells[2], x, y,
                              cells[3 * camera + 2]);
      }
    }
    folder_->Write(fs::path("data") / (trial + ".csv"), clicks);
  }
  std::string text = ReadFile(*folder_ / "data/experiment.yaml");
  for (const std::string& trial : kTrials) {
    const std::string videos =
        fmt::format("left: trials/{0}/left.mp4, right: trials/{0}/right.mp4", trial);
    text = testing::Replaced(text, videos,
                             fmt::format("left: {{tracks: {}.csv}}, right: {{camera: 2}}", trial));
  }
  folder_->Write("data/tracks.yaml", text);
  const testing::ProgramRun run =
      testing::RunPercuss({"run", "data/tracks.yaml", "-o", "clicked"}, folder_->Path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("film d-slope: none: its trial has tracks in place of videos"));
  const auto of_videos = impacts::ReadImpacts(Out() / "impacts.json").impacts;
  const auto of_tracks = impacts::ReadImpacts(*folder_ / "clicked/impacts.json").impacts;
  ASSERT_EQ(of_tracks.size(), kTrials.size());
  for (std::size_t i = 0; i < kTrials.size(); ++i) {
    SCOPED_TRACE(kTrials[i]);
    const Eigen::VectorXd sigma = of_videos[i].covariance->diagonal().cwiseSqrt();
    Eigen::Matrix<double, 12, 1> difference;
    difference << of_tracks[i].v - of_videos[i].v, of_tracks[i].w - of_videos[i].w,
        of_tracks[i].v_post - of_videos[i].v_post, of_tracks[i].w_post - of_videos[i].w_post;
    EXPECT_LT(difference.cwiseAbs().cwiseQuotient(sigma.tail<12>()).maxCoeff(), 1.0);
  }
  const fitting::LawFit videos = fitting::ReadFit(Out() / "fit.json").laws.front(),
                        tracks = fitting::ReadFit(*folder_ / "clicked/fit.json").laws.front();
  for (std::size_t i = 0; i < videos.parameters.size(); ++i) {
    EXPECT_LT(std::abs(tracks.parameters[i].value - videos.parameters[i].value),
              videos.parameters[i].sigma);
  }
}

// Truth: mu and e of truth.json. In a folder of its own: the other tests compare theirs byte by
// byte.
TEST_F(RunOnBarDrop, FitsThePixelsWhenAsked) {
  fs::copy(Out(), *folder_ / "pixels", fs::copy_options::recursive);
  const testing::ProgramRun run = testing::RunPercuss(
      {"run", "data/experiment.yaml", "-o", "pixels", "--fit", "pixels", "--law", "stronge"},
      folder_->Path());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("stronge (pixels)"));
  const fitting::FitReport fit = fitting::ReadFit(*folder_ / "pixels/fit.json");
  ASSERT_EQ(fit.pixels.size(), 1u);
  const auto& parameters = fit.pixels[0].parameters;
  for (const auto& [i, truth] : {std::pair(0u, 0.26), std::pair(1u, 0.55)}) {
    EXPECT_NEAR(parameters[i].value, truth, 0.0005);
    EXPECT_LT(parameters[i].ci95[0], truth);
    EXPECT_GT(parameters[i].ci95[1], truth);
  }
  EXPECT_EQ(testing::RunPercuss({"run", "data/experiment.yaml", "-o", "pixels", "--fit", "pixels",
                                 "--states", "rts"},
                                folder_->Path())
                .exit_code,
            2);
}

// Overlay videos stand beside the results: nothing else changes with them but the report.
TEST_F(RunOnBarDrop, OverlayVideosAreWrittenWhenAskedFor) {
  const auto before = Contents(Out());
  for (const std::string& trial : kTrials) {
    EXPECT_TRUE(before.contains("tracks/" + trial + "/film.jpg")) << trial;
    EXPECT_FALSE(before.contains("tracks/" + trial + "/overlay.mp4")) << trial;
  }
  const testing::ProgramRun with = Run({"--videos"});
  EXPECT_EQ(with.exit_code, 0) << with.err;
  for (const char* step : {"calibrate", "track", "fit"})
    EXPECT_THAT(with.err, HasSubstr(std::string(step) + ": unchanged"));
  for (const auto& [name, content] : Contents(Out())) {
    if (name.ends_with("/overlay.mp4")) {
      EXPECT_GT(content.size(), 100000u) << name;
    } else if (name != "report.html" && name != "report.md") {
      EXPECT_TRUE(content == before.at(name)) << name;
    }
  }
  for (const std::string& trial : kTrials) {
    const std::string video = "tracks/" + trial + "/overlay.mp4";
    EXPECT_TRUE(fs::exists(Out() / video));
    EXPECT_THAT(ReadFile(Out() / "report.html"), HasSubstr(video));
  }
  EXPECT_THAT(Run({"--videos"}).err, HasSubstr("film: unchanged\nreport: unchanged"));
  Run();
  EXPECT_TRUE(Contents(Out()) == before);
}

TEST_F(RunOnBarDrop, ASecondRunSkipsEveryStepAndChangesNoByte) {
  ASSERT_EQ(run_.exit_code, 0) << run_.err;
  const auto before = Contents(Out());
  const testing::ProgramRun second = Run();
  EXPECT_EQ(second.exit_code, 0) << second.err;
  EXPECT_EQ(second.out, run_.out);
  EXPECT_THAT(second.err, HasSubstr("calibrate: unchanged"));
  EXPECT_THAT(second.err, HasSubstr("track: unchanged"));
  EXPECT_THAT(second.err, HasSubstr("fit: unchanged"));
  const auto after = Contents(Out());
  ASSERT_EQ(after.size(), before.size());
  for (const auto& [name, content] : before) EXPECT_TRUE(after.at(name) == content) << name;

  // However its file and its folder are called, they are the same ones.
  const testing::ProgramRun elsewhere = testing::RunPercuss(
      {"run", *folder_ / "data/../data/experiment.yaml", "-o", Out()}, folder_->Path());
  EXPECT_EQ(elsewhere.exit_code, 0) << elsewhere.err;
  for (const char* step : {"calibrate", "track", "fit", "film"})
    EXPECT_THAT(elsewhere.err, HasSubstr(std::string(step) + ": unchanged"));
  EXPECT_TRUE(ReadFile(Out() / "fit.json") == before.at("fit.json"));

  // An option that changes no result changes no input of any step either.
  const testing::ProgramRun other = Run({"--json"});
  EXPECT_EQ(other.exit_code, 0) << other.err;
  EXPECT_EQ(other.out, ReadFile(Out() / "fit.json"));
  EXPECT_THAT(other.err, HasSubstr("fit: unchanged"));

  // A changed law list is a new fit of old tracks.
  const testing::ProgramRun law = Run({"--law", "poisson"});
  EXPECT_EQ(law.exit_code, 0) << law.err;
  EXPECT_THAT(law.err, HasSubstr("track: unchanged"));
  EXPECT_THAT(law.err, Not(HasSubstr("fit: unchanged")));
  EXPECT_EQ(fitting::ReadFit(Out() / "fit.json").laws.size(), 1U);
}

}  // namespace
}  // namespace percuss
