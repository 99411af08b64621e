// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "base/error.h"
#include "report/facts/csv.h"
#include "report/page/text_writers.h"
#include "tests/report/page_reader.h"
#include "tests/report/sample_run.h"

namespace percuss::report {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// Unlike a matcher, does not print the whole page when it fails.
bool ReportHas(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct Written {
  ReportSummary summary;
  std::string html, markdown;
};

Written WriteAndRead(const SampleRun& run, const fs::path& folder,
                     const ReportOptions& options = {}) {
  run.Write(folder);
  const ReportSummary summary = WriteReport(folder, options);
  return {summary, ReadText(folder / "report.html"), ReadText(folder / "report.md")};
}

// What a shown number must be: the number of the file, rounded to the last digit shown.
void ExpectShown(const std::string& shown, double truth, double sigma = NAN) {
  const ShownNumber number = ReadShownNumber(shown);
  EXPECT_NEAR(number.value, truth, number.half_unit) << shown;
  if (std::isnan(sigma)) return;
  EXPECT_NEAR(number.sigma, sigma, 0.05 * sigma) << shown;
  EXPECT_LE(number.half_unit, 0.051 * sigma) << shown << " is rounded too coarsely";
}

std::string MessageOf(const fs::path& folder) {
  try {
    WriteReport(folder);
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no InputError";
  return "";
}

TEST(WriteReport, HasEverySectionAndTable) {
  const TemporaryFolder folder;
  const Written written = WriteAndRead(SampleRun(), folder.Path());
  for (const char* id : {"summary",
                         "coefficients-section",
                         "verdicts",
                         "comparison",
                         "calibration",
                         "trials-section",
                         "provenance",
                         "coefficients",
                         "laws",
                         "energy-stronge",
                         "velocities-stronge",
                         "ledger-stronge",
                         "stereo",
                         "cameras",
                         "distortion",
                         "coverage",
                         "views",
                         "trials",
                         "arcs",
                         "settings",
                         "files",
                         "inputs",
                         "checks-section",
                         "checks",
                         "dissipation-plot-stronge",
                         "dissipation-error-plot-stronge",
                         "energy-split-plot-stronge",
                         "energy-section",
                         "energy-shares",
                         "energy-shares-plot",
                         "residuals-left",
                         "projection-sigma-right",
                         "trial-1-impulse",
                         "trial-4-impulse-end",
                         "residual-plot-stronge",
                         "restitution-plot",
                         "friction-plot",
                         "trial-1-height",
                         "trial-4-residual"}) {
    EXPECT_TRUE(ReportHas(written.html, "id=\"" + std::string(id) + "\"")) << id;
  }
  EXPECT_TRUE(ReportHas(written.html, ">a-slide</text>")) << "the plots name the trials";
  EXPECT_TRUE(written.summary.missing_parts.empty());
  for (const fs::path& file : written.summary.files_written) EXPECT_TRUE(fs::exists(file)) << file;
}

TEST(WriteReport, IsWellFormedAndNeedsNothingElse) {
  const TemporaryFolder folder;
  const std::string html = WriteAndRead(SampleRun(), folder.Path()).html;
  EXPECT_EQ(FindMarkupFault(html), "");
  EXPECT_FALSE(ReportHas(html, "<script"));
  EXPECT_FALSE(ReportHas(html, "src="));
  EXPECT_FALSE(ReportHas(html, "<link"));
  EXPECT_FALSE(ReportHas(html, "@import"));
  EXPECT_FALSE(ReportHas(html, "url("));
  for (std::size_t at = 0; (at = html.find("href=", at)) != std::string::npos; ++at) {
    if (html.substr(at).starts_with("href=\"calibration.html\"")) continue;  // beside it
    EXPECT_EQ(html[at + 6], '#') << html.substr(at, 40);
  }
  // The only addresses are the names of the SVG vocabularies, which nothing fetches.
  for (std::size_t at = 0; (at = html.find("http", at)) != std::string::npos; ++at) {
    EXPECT_TRUE(html.substr(at).starts_with("http://www.w3.org/") ||
                html.substr(at).starts_with("http-equiv"))
        << html.substr(at, 40);
  }
}

// Source of truth for all numbers: the JSON that the report was made from.

TEST(WriteReport, ShowsTheCoefficientsOfTheFile) {
  const SampleRun run;
  const TemporaryFolder folder;
  const auto table = ReadHtmlTable(WriteAndRead(run, folder.Path()).html, "coefficients");
  for (const std::string name : {"mu", "e"}) {
    const Json& truth = run.fit["laws"]["stronge"]["parameters"][name];
    const double sigma = truth["sigma"];
    ExpectShown(CellOf(table, {"stronge", name}, "value"), truth["value"]);
    ExpectShown(CellOf(table, {"stronge", name}, "sigma"), sigma);
    ExpectShown(CellOf(table, {"stronge", name}, "95 % from"), truth["ci95"][0]);
    ExpectShown(CellOf(table, {"stronge", name}, "95 % to"), truth["ci95"][1]);
    EXPECT_EQ(CellOf(table, {"stronge", name}, "status"), "identified by the data");
    EXPECT_LE(ReadShownNumber(CellOf(table, {"stronge", name}, "value")).half_unit, 0.05 * sigma);
  }
}

TEST(WriteReport, ShowsTheVelocitiesOfTheFile) {
  const SampleRun run;
  const TemporaryFolder folder;
  const auto table = ReadHtmlTable(WriteAndRead(run, folder.Path()).html, "velocities-stronge");
  ASSERT_EQ(table.size(), 1 + 4 * 4u);
  for (const Json& trial : run.fit["laws"]["stronge"]["trials"]) {
    const std::string name = trial["trial"];
    for (const std::string letter : {"v", "w"}) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::string column = letter + std::string(1, "xyz"[axis]);
        const double measured = trial[letter + "_measured"][axis];
        const double predicted = trial[letter + "_predicted"][axis];
        ExpectShown(CellOf(table, {name, "after, measured"}, column), measured,
                    trial[letter + "_sigma"][axis]);
        ExpectShown(CellOf(table, {name, "after, predicted"}, column), predicted,
                    trial[letter + "_predicted_sigma"][axis]);
        ExpectShown(CellOf(table, {name, "predicted - measured"}, column), predicted - measured,
                    trial[letter + "_difference_sigma"][axis]);
      }
    }
  }
  ExpectShown(CellOf(table, {"a-slide", "before, measured"}, "vz"), -1.8671, 0.0013);
  ExpectShown(CellOf(table, {"c-reverse", "before, measured"}, "wy"), -3.514, 0.031);
}

TEST(WriteReport, ShowsTheDissipationOfTheFileInPercent) {
  const SampleRun run;
  const TemporaryFolder folder;
  const auto table = ReadHtmlTable(WriteAndRead(run, folder.Path()).html, "energy-stronge");
  for (const Json& trial : run.fit["laws"]["stronge"]["trials"]) {
    const std::string name = trial["trial"];
    const Json& measured = trial["dissipation_measured"];
    const Json& predicted = trial["dissipation_predicted"];
    const double measured_value = measured["value"], predicted_value = predicted["value"];
    ExpectShown(CellOf(table, {name}, "dissipated, measured"), 100 * measured_value,
                100 * measured["sigma"].get<double>());
    ExpectShown(CellOf(table, {name}, "dissipated, predicted"), 100 * predicted_value,
                100 * predicted["sigma"].get<double>());
    ExpectShown(CellOf(table, {name}, "error"), 100 * (predicted_value - measured_value),
                100 * trial["dissipation_difference"]["sigma"].get<double>());
    ExpectShown(CellOf(table, {name}, "energy before"), trial["energy_before"]["value"], 0.0013);
    EXPECT_EQ(CellOf(table, {name}, "case"), trial["case"]);
  }
  EXPECT_EQ(CellOf(table, {"c-reverse"}, "contact mode"), "slip, then reverse-slip");
}

TEST(WriteReport, LedgerHasWorksAndEnergiesWithTheirSigmas) {
  const SampleRun run;
  const TemporaryFolder folder;
  const auto table = ReadHtmlTable(WriteAndRead(run, folder.Path()).html, "ledger-stronge");
  for (const Json& trial : run.fit["laws"]["stronge"]["trials"]) {
    const std::string name = trial["trial"];
    const auto expect = [&](const char* column, const Json& truth) {
      ExpectShown(CellOf(table, {name}, column), truth["value"], truth["sigma"]);
    };
    expect("before", trial["energy_before"]);
    expect("work of the normal impulse", trial["normal_work"]);
    expect("work of friction", trial["friction_work"]);
    expect("after, predicted", trial["energy_after_predicted"]["total"]);
    expect("after, measured", trial["energy_after_measured"]);
  }
}

TEST(WriteReport, ShowsTheEnergyByItsKindInMillijoule) {
  const SampleRun run;
  const TemporaryFolder folder;
  const auto table = ReadHtmlTable(WriteAndRead(run, folder.Path()).html, "energy-shares");
  ASSERT_EQ(table.size(), 1 + 4 * 3u);
  for (const Json& trial : run.impulses["laws"]["stronge"]) {
    const std::string name = trial["trial"];
    const Json& energy = trial["energy"];
    ExpectShown(CellOf(table, {name, "before, measured"}, "along the normal"),
                1000 * energy["before"]["normal"]["value"].get<double>(), 0.41);
    ExpectShown(CellOf(table, {name, "after, measured"}, "rotation"), 37.2, 0.23);
    ExpectShown(CellOf(table, {name, "after, stronge"}, "along the surface"), 31.2, 0.31);
  }
  const Json& comparison = run.fit["laws"]["stronge"]["trials"][2];
  ExpectShown(CellOf(table, {"c-reverse", "after, stronge"}, "work of friction"),
              1000 * comparison["friction_work"]["value"].get<double>(), 2.1);
}

TEST(WriteReport, TellsInWordsWhatWasMeasured) {
  const TemporaryFolder folder;
  const std::string html = WriteAndRead(SampleRun(), folder.Path()).html;
  EXPECT_TRUE(ReportHas(html,
                        "Two cameras (1280 × 720 px) filmed 4 trials (a-slide, b-stick, c-reverse "
                        "and d-slope) at 120 frames per second."));
  EXPECT_TRUE(
      ReportHas(html, "The body is a box of 306.5 × 51.5 × 12.5 mm of 0.1850 kg with 6 markers."));
  EXPECT_TRUE(
      ReportHas(html, "from 13 of 14 views of a chessboard of 9 × 6 inner corners 23 mm apart"));
  EXPECT_TRUE(ReportHas(html, "4 of 4 trials gave 4 impacts."));
}

TEST(WriteReport, DoesNotSpeakOfVideosWhereThereAreNone) {
  SampleRun run;
  run.calibration = nullptr;
  run.corners_csv.clear();
  for (Json& trial : run.trials) {
    trial["motion_capture"] = {{"planar", false}, {"position_sigma", 0.0002}};
    trial.erase("flash");
    trial.erase("alignment");
  }
  run.run.erase("experiment");
  const TemporaryFolder folder;
  const Written written = WriteAndRead(run, folder.Path());
  EXPECT_TRUE(ReportHas(written.html, "A motion-capture system recorded 4 trials"));
  EXPECT_FALSE(ReportHas(written.html, "filmed"));
  EXPECT_FALSE(ReportHas(written.html, "video"));
  EXPECT_TRUE(written.summary.missing_parts.empty());
}

// Source of truth: 200 trials like those of the sample.
TEST(WriteReport, ShortensWhatNoOneReadsAndNamesTheFileThatHasAll) {
  SampleRun run;
  Json& trials = run.fit["laws"]["stronge"]["trials"];
  const Json first = trials[0];
  for (int k = 0; k < 196; ++k) {
    trials.push_back(first);
    trials.back()["trial"] = "extra-" + std::to_string(k);
  }
  const TemporaryFolder folder;
  const Written written = WriteAndRead(run, folder.Path());
  EXPECT_EQ(ReadHtmlTable(written.html, "energy-stronge").size(), 1 + 60u);
  EXPECT_TRUE(ReportHas(written.html,
                        "The first 60 of 200 rows; all are in <a "
                        "href=\"tables/energy-stronge.csv\">"));
  EXPECT_TRUE(ReportHas(written.markdown,
                        "The first 60 of 200 rows; all are in "
                        "[tables/energy-stronge.csv](tables/energy-stronge.csv)."));
  EXPECT_EQ(ReadCsv(folder.Path() / "tables" / "energy-stronge.csv").rows.size(), 200u);
  EXPECT_TRUE(ReportHas(written.html, "Shown are the 40 of 200 impacts with the largest error."));
  EXPECT_EQ(FindMarkupFault(written.html), "");
}

TEST(WriteReport, JsonTablesHoldTheNumbersOfTheFile) {
  const SampleRun run;
  const TemporaryFolder folder;
  WriteAndRead(run, folder.Path());
  const Json energy = Json::parse(ReadText(folder.Path() / "tables" / "energy-stronge.json"));
  for (std::size_t i = 0; i < 4; ++i) {
    const Json& trial = run.fit["laws"]["stronge"]["trials"][i];
    EXPECT_EQ(energy["rows"][i]["trial"], trial["trial"]);
    EXPECT_EQ(energy["rows"][i]["dissipation_measured"], trial["dissipation_measured"]["value"]);
    EXPECT_EQ(energy["rows"][i]["sigma_dissipation_measured"],
              trial["dissipation_measured"]["sigma"]);
  }
}

TEST(WriteReport, ShowsTheCalibrationOfTheFile) {
  const SampleRun run;
  const TemporaryFolder folder;
  const std::string html = WriteAndRead(run, folder.Path()).html;
  const auto cameras = ReadHtmlTable(html, "cameras");
  const Json& sigma = run.calibration["cameras"]["left"]["sigma"];
  const Json& left = run.calibration["cameras"]["left"]["K"];
  const Json& right = run.calibration["cameras"]["right"]["K"];
  ExpectShown(CellOf(cameras, {"focal length x"}, "left"), left[0][0], sigma["fx"].get<double>());
  ExpectShown(CellOf(cameras, {"principal point y"}, "right"), right[1][2],
              sigma["cy"].get<double>());
  const auto stereo = ReadHtmlTable(html, "stereo");
  // |t| and its sigma along t, worked by hand from the numbers of the sample.
  const double baseline = 1000 * std::sqrt(0.4012 * 0.4012 + 0.0021 * 0.0021 + 0.0734 * 0.0734);
  ExpectShown(CellOf(stereo, {}, "baseline"), baseline, 0.2245);
  ExpectShown(CellOf(stereo, {}, "angle"), 0.3491 * 180 / M_PI, 0.0011 * 180 / M_PI);
  ExpectShown(CellOf(ReadHtmlTable(html, "residuals"), {}, "residual"), run.calibration["rms_px"]);
  const auto views = ReadHtmlTable(html, "views");
  EXPECT_EQ(CellOf(views, {"left/06.png"}, "used"), "no");
  EXPECT_EQ(CellOf(views, {"left/06.png"}, "remark"), "no chessboard found in the right image");
}

TEST(WriteReport, ShowsTheArcsOfTheFile) {
  const SampleRun run;
  const TemporaryFolder folder;
  const std::string html = WriteAndRead(run, folder.Path()).html;
  const auto arcs = ReadHtmlTable(html, "arcs");
  const Json& before = run.trials[0]["arcs"]["before"];
  ExpectShown(CellOf(arcs, {"a-slide", "before"}, "gz"), before["gravity"][2],
              before["gravity_sigma"][2]);
  ExpectShown(CellOf(arcs, {"a-slide", "before"}, "residual"), before["rms_px"]);
  EXPECT_EQ(CellOf(arcs, {"a-slide", "before"}, "length"), "24");
  const auto trials = ReadHtmlTable(html, "trials");
  ExpectShown(CellOf(trials, {"b-stick"}, "impact [s]"), 0.4017, 0.00021);
  EXPECT_EQ(CellOf(trials, {"b-stick"}, "flash, left"), "12");
  EXPECT_EQ(CellOf(trials, {"b-stick"}, "lag by"), "flash, motion");
}

TEST(WriteReport, ShowsTheLagOfVideosWithoutFlash) {
  SampleRun run;
  for (Json& trial : run.trials) {
    trial.erase("flash");
    trial["alignment"] = {{"lag_frames", -37}, {"rests_on", {"motion"}}};
  }
  const TemporaryFolder folder;
  const auto trials = ReadHtmlTable(WriteAndRead(run, folder.Path()).html, "trials");
  EXPECT_EQ(CellOf(trials, {"b-stick"}, "flash, left"), "–");
  EXPECT_EQ(CellOf(trials, {"b-stick"}, "lag of the right camera"), "-37.00");
  EXPECT_EQ(CellOf(trials, {"b-stick"}, "lag by"), "motion");
}

TEST(WriteReport, ShowsReferencePoints) {
  SampleRun run;
  const Json unknown = {nullptr, nullptr};
  run.trials[0]["reference_points"] = {
      {"points",
       {{{"name", "O1"},
         {"cameras", {{{"residual_px", {3.0, -4.0}}}, {{"residual_px", unknown}}}},
         {"in_world",
          {{"error", {0.002, -0.001, 0.006}}, {"sigma", {0.0025, 0.0025, 0.0025}}, {"p", 0.0977}}},
         {"in_camera", {{"stated", {-0.421, 0.142, 0.912}}, {"error", {0.002, -0.001, 0.006}}}}},
        {{"name", "O2"}, {"cameras", {{{"residual_px", unknown}}}}}}}};
  const TemporaryFolder folder;
  const Written written = WriteAndRead(run, folder.Path());
  const auto table = ReadHtmlTable(written.html, "reference-points");
  const std::string trial = run.trials[0].at("trial");
  ExpectShown(CellOf(table, {trial, "O1"}, "error z"), 6.0, 2.5);
  ExpectShown(CellOf(table, {trial, "O1"}, "error over distance"), 0.631);
  ExpectShown(CellOf(table, {trial, "O1"}, "left"), 5.0);
  EXPECT_EQ(CellOf(table, {trial, "O1"}, "right"), "–");
  EXPECT_EQ(CellOf(table, {trial, "O2"}, "error z"), "–");
  EXPECT_FALSE(
      ReportHas(WriteAndRead(SampleRun(), TemporaryFolder().Path()).html, "reference-points"));
}

TEST(WriteReport, ListsEachImpactOfATrial) {
  SampleRun run;
  Json second = run.trials[0]["impacts"][0];
  second["impact"]["time"] = 0.4731;
  second["arcs"].erase("after");
  run.trials[0]["impacts"].push_back(second);
  const TemporaryFolder folder;
  const std::string html = WriteAndRead(run, folder.Path()).html;
  const auto trials = ReadHtmlTable(html, "trials");
  ASSERT_EQ(trials.size(), 1 + 5u);
  EXPECT_EQ(trials[2][7], "0.47310 ± 0.00021");
  const auto arcs = ReadHtmlTable(html, "arcs");
  EXPECT_EQ(arcs.size(), 1 + 4 * 3 + 2u);
  EXPECT_EQ(CellOf(arcs, {"a-slide", "as stated"}, "gz"), "-9.807");
  EXPECT_EQ(FindMarkupFault(html), "");
}

TEST(WriteReport, EveryNumberColumnHasAUnit) {
  const TemporaryFolder folder;
  const std::string html = WriteAndRead(SampleRun(), folder.Path()).html;
  for (std::size_t at = 0;
       (at = html.find("<th scope=\"col\" class=\"number\"", at)) != std::string::npos; ++at) {
    const std::string cell = html.substr(at, html.find("</th>", at) - at);
    EXPECT_THAT(cell, HasSubstr("<span class=\"unit\">[")) << cell;
  }
}

TEST(WriteReport, MarkdownTablesHoldTheSameTextAsThePage) {
  const TemporaryFolder folder;
  const Written written = WriteAndRead(SampleRun(), folder.Path());
  const auto markdown = ReadMarkdownTables(written.markdown);
  const std::pair<const char*, const char*> tables[] = {
      {"coefficients", "Coefficients of the impact laws"},
      {"velocities-stronge", "Velocities at the impact, law stronge"},
      {"energy-stronge", "Contact and dissipation, law stronge"},
      {"views", "Views of the board"},
      {"arcs", "Flight arcs"},
      {"inputs", "Inputs"}};
  for (const auto& [id, caption] : tables) {
    ASSERT_TRUE(markdown.contains(caption)) << caption;
    EXPECT_EQ(markdown.at(caption), ReadHtmlTable(written.html, id)) << caption;
  }
}

TEST(WriteReport, CsvTablesReadBackExactly) {
  const SampleRun run;
  const TemporaryFolder folder;
  WriteAndRead(run, folder.Path());
  const Json& law = run.fit["laws"]["stronge"];
  const CsvTable coefficients = ReadCsv(folder.Path() / "tables" / "coefficients.csv");
  EXPECT_EQ(coefficients.Number(0, coefficients.Require("value")),
            law["parameters"]["mu"]["value"].get<double>());
  EXPECT_EQ(coefficients.Number(1, coefficients.Require("ci95_high")),
            law["parameters"]["e"]["ci95"][1].get<double>());
  const CsvTable energy = ReadCsv(folder.Path() / "tables" / "energy-stronge.csv");
  const CsvTable velocities = ReadCsv(folder.Path() / "tables" / "velocities-stronge.csv");
  for (std::size_t i = 0; i < 4; ++i) {
    const Json& trial = law["trials"][i];
    EXPECT_EQ(energy.Text(i, energy.Require("trial")), trial["trial"]);
    EXPECT_EQ(energy.Number(i, energy.Require("dissipation_measured")),
              trial["dissipation_measured"]["value"].get<double>());
    EXPECT_EQ(energy.Number(i, energy.Require("sigma_dissipation_predicted")),
              trial["dissipation_predicted"]["sigma"].get<double>());
    EXPECT_EQ(velocities.Number(4 * i + 1, velocities.Require("wy")),
              trial["w_measured"][1].get<double>());
    EXPECT_EQ(velocities.Number(4 * i + 2, velocities.Require("vz")),
              trial["v_predicted"][2].get<double>());
  }
}

TEST(WriteReport, SaysWhatABoundMeans) {
  SampleRun run;
  run.fit["laws"]["stronge"]["parameters"]["mu"] = {
      {"value", 0.4137},         {"sigma", nullptr}, {"ci95", {0.4137, nullptr}},
      {"status", "lower_bound"}, {"weak", false},    {"best", 0.5}};
  run.fit["laws"]["stronge"]["parameters"]["e"] = {
      {"value", nullptr},         {"sigma", nullptr}, {"ci95", {nullptr, nullptr}},
      {"status", "unidentified"}, {"weak", false},    {"best", 0.5}};
  const TemporaryFolder folder;
  const std::string html = WriteAndRead(run, folder.Path()).html;
  const auto table = ReadHtmlTable(html, "coefficients");
  EXPECT_EQ(CellOf(table, {"stronge", "mu"}, "value"), "≥ 0.414");
  EXPECT_EQ(CellOf(table, {"stronge", "mu"}, "95 % to"), "open");
  EXPECT_EQ(CellOf(table, {"stronge", "mu"}, "status"), "the data only bound it from below");
  EXPECT_EQ(CellOf(table, {"stronge", "e"}, "value"), "unknown");
  EXPECT_TRUE(ReportHas(html, "the friction coefficient mu is at least 0.414"));
  EXPECT_FALSE(ReportHas(html, ">nan"));
  EXPECT_FALSE(ReportHas(html, " nan"));
}

// ------------------------------------------------------------------------------ failed and missing

TEST(WriteReport, SaysAtTheTopWhatFailed) {
  SampleRun run;
  run.trials[1] = FailedTrial("b-stick", "no_answer", "no impact found between frames 12 and 95");
  run.trials[3] = FailedTrial("d-slope", "bad_input", "trials/d-slope/left.mp4: cannot be decoded");
  const TemporaryFolder folder;
  const Written written = WriteAndRead(run, folder.Path());
  EXPECT_EQ(FindMarkupFault(written.html), "");
  for (const std::string& text : {written.html, written.markdown}) {
    const std::string top = text.substr(0, text.find("Two cameras"));
    EXPECT_TRUE(ReportHas(top, "This run failed in part. 2 of 4 trials gave no impact"));
    EXPECT_TRUE(ReportHas(top, "no impact found between frames 12 and 95"));
    EXPECT_TRUE(ReportHas(top, "cannot be decoded"));
  }
  EXPECT_EQ(written.summary.missing_parts.size(), 2u);
}

// A run that was killed while it fitted leaves the laws that had ended, and old impulses.
TEST(WriteReport, SaysThatAFitWasCutShort) {
  SampleRun run;
  run.fit["laws_left"] = 3;
  const TemporaryFolder folder;
  const Written written = WriteAndRead(run, folder.Path());
  EXPECT_EQ(FindMarkupFault(written.html), "");
  EXPECT_TRUE(ReportHas(written.markdown, "fit.json was left with 3 laws still to be fitted"));
  EXPECT_EQ(written.summary.missing_parts.size(), 1u);
}

// Messages name their trial, for stderr; where the name stands before them anyway, once is enough.
TEST(WriteReport, NamesAFailedTrialOnce) {
  SampleRun run;
  run.trials[1] = FailedTrial("b-stick", "no_answer", "trial b-stick: no impact found");
  const TemporaryFolder folder;
  const Written written = WriteAndRead(run, folder.Path());
  EXPECT_TRUE(ReportHas(written.markdown, "b-stick: no answer: no impact found"));
  EXPECT_FALSE(ReportHas(written.html, "trial b-stick: no impact found"));
}

TEST(WriteReport, NamesTheReasonsOfADozenFailedTrials) {
  SampleRun run;
  run.trials.clear();
  for (int k = 10; k < 40; ++k) {
    run.trials.push_back(FailedTrial("t" + std::to_string(k), "no_answer", "no impact found"));
  }
  const TemporaryFolder folder;
  const Written written = WriteAndRead(run, folder.Path());
  EXPECT_TRUE(ReportHas(written.markdown, "t21: no answer: no impact found"));
  EXPECT_FALSE(ReportHas(written.markdown, "t22: no answer: no impact found"));
  EXPECT_TRUE(ReportHas(written.markdown, "18 more, each with its reason in tables/trials.csv"));
  EXPECT_EQ(written.summary.missing_parts.size(), 30u);  // for stderr
}

TEST(WriteReport, DoesWithoutAFit) {
  SampleRun run;
  run.fit = nullptr;
  const TemporaryFolder folder;
  const Written written = WriteAndRead(run, folder.Path());
  EXPECT_TRUE(ReportHas(written.html, "There are no coefficients"));
  EXPECT_TRUE(
      ReportHas(written.html.substr(0, written.html.find("Two cameras")), "fit.json is missing"));
  EXPECT_TRUE(ReportHas(written.html, "id=\"cameras\""));
  EXPECT_TRUE(ReportHas(written.html, "id=\"arcs\""));
}

TEST(WriteReport, DoesWithAFitAlone) {
  SampleRun run;
  run.calibration = run.run = nullptr;
  run.trials.clear();
  run.impacts_csv.clear();
  const TemporaryFolder folder;
  const Written written = WriteAndRead(run, folder.Path());
  EXPECT_EQ(FindMarkupFault(written.html), "");
  EXPECT_EQ(ReadHtmlTable(written.html, "velocities-stronge").size(), 1 + 4 * 3u);
  EXPECT_TRUE(ReportHas(written.html, "calibration.json is missing"));
}

TEST(WriteReport, SaysThatAFitDidNotConverge) {
  SampleRun run;
  run.fit["laws"]["stronge"]["converged"] = false;
  run.fit["laws"]["stronge"]["message"] = "the cost still falls after 50 iterations";
  const TemporaryFolder folder;
  const std::string html = WriteAndRead(run, folder.Path()).html;
  EXPECT_TRUE(ReportHas(html.substr(0, html.find("Two cameras")),
                        "the cost still falls after 50 iterations"));
}

TEST(WriteReport, PutsBadNewsAboutTheDataFirst) {
  SampleRun run;
  run.calibration["verdict"] = "poor";
  run.calibration["verdict_reasons"] = {"5 views, at least 8 are needed"};
  const TemporaryFolder folder;
  const std::string html = WriteAndRead(run, folder.Path()).html;
  const auto at = [&](const char* text) { return html.find(text, html.find("id=\"verdicts\"")); };
  EXPECT_LT(at("5 views, at least 8 are needed"), at("agree through the contact arm"));
  EXPECT_LT(at("leans out of the friction cone"), at("agree through the contact arm"));
  EXPECT_TRUE(ReportHas(html, "2 findings speak against them."));
}

TEST(WriteReport, SumsUpTheChecksThatPassedAndListsThemAll) {
  SampleRun run;
  Json likely = run.fit["audit"][0];
  likely["trial"] = "d-slope";
  likely["probability"] = 0.037;
  likely["text"] = "gravity of 9.808 ± 0.002 m/s^2 where 9.807 ± 0.001 m/s^2 is stated";
  run.fit["audit"].push_back(likely);
  const TemporaryFolder folder;
  const std::string html = WriteAndRead(run, folder.Path()).html;
  EXPECT_TRUE(ReportHas(html,
                        "all 2 checks in order; the least likely, of d-slope, has a probability of "
                        "0.037."));
  const auto checks = ReadHtmlTable(html, "checks");
  ASSERT_EQ(checks.size(), 1 + 3u);
  EXPECT_EQ(CellOf(checks, {"admissibility", "b-stick"}, "in order"), "NO");
  EXPECT_EQ(CellOf(checks, {"momentum", "d-slope"}, "chance"), "0.037");
  EXPECT_EQ(CellOf(checks, {"momentum", "d-slope"}, "finding"),
            "gravity of 9.808 ± 0.002 m/s² where 9.807 ± 0.001 m/s² is stated");
}

TEST(WriteReport, WarnsOfALawThatDoesNotExplainTheData) {
  SampleRun run;
  run.fit["laws"]["newton"] = run.fit["laws"]["stronge"];
  run.fit["laws"]["newton"]["cost_probability"] = 2.3e-7;
  run.fit["laws"]["newton"]["interval_scale"] = 12.4;
  const TemporaryFolder folder;
  const std::string markdown = WriteAndRead(run, folder.Path()).markdown;
  EXPECT_TRUE(ReportHas(markdown, "- ok: stronge: the friction coefficient mu is 0.2604"));
  EXPECT_TRUE(ReportHas(markdown, "- WARNING: newton: the friction coefficient mu is 0.2604"));
  EXPECT_TRUE(ReportHas(markdown, "(chance \\< 0.000001): all sigmas are widened 12 times."));
}

TEST(WriteReport, RefusesAFolderWithoutARun) {
  const TemporaryFolder folder;
  EXPECT_THAT(MessageOf(folder.Path()), HasSubstr("found none of calibration.json"));
  EXPECT_THAT(MessageOf(folder.Path() / "nowhere"), HasSubstr("nowhere: found no such folder"));
  EXPECT_TRUE(fs::is_empty(folder.Path()));
}

TEST(WriteReport, NamesFileAndFieldOfWhatIsBroken) {
  const auto message = [](const auto& change) {
    SampleRun run;
    change(run);
    const TemporaryFolder folder;
    run.Write(folder.Path());
    const std::string text = MessageOf(folder.Path());
    EXPECT_FALSE(fs::exists(folder.Path() / "report.html")) << "nothing may be written";
    return text;
  };
  EXPECT_THAT(message([](SampleRun& run) {
                run.fit["laws"]["stronge"]["parameters"]["mu"]["value"] = "0.26";
              }),
              HasSubstr("fit.json: laws.stronge.parameters.mu.value: found \"0.26\", allowed a "
                        "number"));
  EXPECT_THAT(message([](SampleRun& run) { run.calibration.erase("right_from_left"); }),
              HasSubstr("calibration.json: right_from_left: the field is missing"));
  EXPECT_THAT(message([](SampleRun& run) { run.trials[2]["status"] = "perhaps"; }),
              HasSubstr("trial.json: status: found \"perhaps\", allowed ok, bad_input"));
  EXPECT_THAT(message([](SampleRun& run) { run.fit["format"] = "percuss fit 2"; }),
              HasSubstr("fit.json: format: found \"percuss fit 2\", allowed format version 1"));
  EXPECT_THAT(message([](SampleRun& run) { run.impacts_csv = "trial,rz\na,1\n"; }),
              HasSubstr("impacts.csv: line 1: column vz is missing"));
}

TEST(WriteReport, NamesAFileThatIsNotJson) {
  const TemporaryFolder folder;
  SampleRun().Write(folder.Path());
  WriteText(folder.Path() / "fit.json", "{\"laws\": ");
  EXPECT_THAT(MessageOf(folder.Path()),
              HasSubstr("fit.json: line 1, column 10: this is not valid JSON"));
}

// --------------------------------------------------------------------------------- untrusted text

TEST(WriteReport, EscapesWhateverComesFromAFile) {
  const std::string evil = "<script>alert('1')</script>\"><b>|`*";
  SampleRun run;
  run.trials[0]["trial"] = evil;
  run.trials[1] = FailedTrial(evil, "bad_input", evil);
  run.trials[2]["warnings"] = {evil};
  run.trials[2]["inputs"] = {{evil, evil}};
  run.calibration["views"][6]["reason"] = evil;
  run.calibration["verdict_reasons"] = {evil};
  run.fit["audit"][0]["text"] = evil;
  Json& law = run.fit["laws"]["stronge"];
  law["trials"][0]["trial"] = evil;
  law["trials"][1]["modes"] = {evil};
  law["parameters"][evil] = law["parameters"]["mu"];
  run.fit["laws"][evil] = law;
  run.run["settings"][evil] = evil;
  run.run["name"] = evil;
  run.run["inputs"][0]["file"] = evil;
  const TemporaryFolder folder;
  const Written written = WriteAndRead(run, folder.Path());
  EXPECT_EQ(FindMarkupFault(written.html), "");
  EXPECT_FALSE(ReportHas(written.html, "<script"));
  EXPECT_FALSE(ReportHas(written.html, "<b>"));
  EXPECT_TRUE(ReportHas(written.html, "&lt;script&gt;alert(&#39;1&#39;)"));
  // What stands between fences is shown letter by letter.
  const std::string text =
      std::regex_replace(written.markdown, std::regex("```[^`]*```"), std::string());
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos; ++at) {
    EXPECT_EQ(text[at - 1], '\\') << "a tag in Markdown";
  }
  const auto markdown = ReadMarkdownTables(written.markdown);
  EXPECT_EQ(markdown.at("Views of the board")[7].back(), evil);
  for (const fs::path& file : written.summary.files_written) {
    EXPECT_THAT(file.filename().string(), Not(HasSubstr("<")));
  }
}

TEST(WriteReport, LetsNoNameReachThePlottingProgram) {
  const TemporaryFolder folder;
  const fs::path trap = folder.Path() / "trap";
  SampleRun run;
  auto& trials = run.fit["laws"]["stronge"]["trials"];
  trials[0]["trial"] = "`touch " + trap.string() + "`";
  trials[1]["trial"] = "'\nsystem(\"touch " + trap.string() + "\")\n'";
  trials[2]["trial"] = "@0@ @1@";
  run.trials[0]["trial"] = "\"; !touch " + trap.string();
  const Written written = WriteAndRead(run, folder.Path() / "run");
  EXPECT_FALSE(fs::exists(trap));
  EXPECT_EQ(FindMarkupFault(written.html), "");
}

// A label that looks like the mark of another one, in a plot whose labels come from a file.
TEST(WriteReport, ShowsLabelsOfPlotsLetterByLetter) {
  SampleRun run;
  auto& trials = run.fit["laws"]["stronge"]["trials"];
  trials[0]["trial"] = "@1@ & @999@";
  trials[1]["trial"] = "second";
  const TemporaryFolder folder;
  const Written written = WriteAndRead(run, folder.Path());
  const std::size_t plots = written.html.find("<svg");
  ASSERT_NE(plots, std::string::npos);
  EXPECT_TRUE(ReportHas(written.html.substr(plots), ">@1@ &amp; @999@</text>"));
  EXPECT_FALSE(ReportHas(written.html, "second &amp; @999@"));
}

TEST(WriteReport, MarkdownShowsEntitiesAndFencesLetterByLetter) {
  SampleRun run;
  run.run["name"] = "a &lt;b&gt; ~~c~~";
  const TemporaryFolder folder;
  EXPECT_TRUE(
      ReportHas(WriteAndRead(run, folder.Path()).markdown, "a \\&lt;b\\&gt; \\~\\~c\\~\\~"));
  const Document document{
      .title = "t",
      .subtitle = "",
      .sections = {{.id = "s", .title = "s", .blocks = {Preformatted{"```\n<b>\n````"}}}}};
  EXPECT_TRUE(ReportHas(ToMarkdown(document), "\n`````\n```\n<b>\n````\n`````\n"));
}

// Names of more letters than a plot has room for. Truth: no byte of a letter without the others.
TEST(WriteReport, ShortensLabelsOfPlotsBetweenLetters) {
  SampleRun run;
  run.fit["laws"]["stronge"]["trials"][0]["trial"] = "ééééééééééé";  // 22 bytes
  run.fit["laws"]["stronge"]["trials"][1]["trial"] = "aééééééééééé";
  const TemporaryFolder folder;
  const Written written = WriteAndRead(run, folder.Path());
  EXPECT_TRUE(ReportHas(written.html, ">ééééééé...</text>"));
  EXPECT_TRUE(ReportHas(written.html, ">aééééééé...</text>"));
}

// A results folder may come from elsewhere, and the report made of it be given away.
TEST(WriteReport, TakesNoFileFromOutsideTheFolder) {
  const TemporaryFolder folder;
  const fs::path run_folder = folder.Path() / "run";
  SampleRun run;
  run.run["trials"] = {"a-slide", "../../outside"};
  run.Write(run_folder);
  WriteText(folder.Path() / "outside" / "trial.json", run.trials[0].dump());
  EXPECT_THAT(MessageOf(run_folder),
              HasSubstr("run.json: trials[1]: found \"../../outside\", allowed a plain name"));

  run.run.erase("trials");
  run.Write(run_folder);
  const std::string secret = (folder.Path() / "secret").string();
  WriteText(secret, "secret");
  for (const std::string& name : {secret, std::string("../../../../secret")}) {
    const Json pose = {{"position", {0, 0, 0}}, {"orientation", {1, 0, 0, 0}}};
    const Json picture = {{"file", name},
                          {"camera", "left"},
                          {"moment", "at"},
                          {"frame", 0},
                          {"time", 0},
                          {"pose", pose},
                          {"region_px", {0, 0, 8, 8}},
                          {"markers", Json::array()}};
    const Json pictures = {{"outline", Json::array()},
                           {"inertia", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                           {"impacts",
                            {{{"trial", "a-slide"},
                              {"time", 0},
                              {"pose", pose},
                              {"gravity", {0, 0, -9.8}},
                              {"pictures", {picture}}}}}};
    WriteText(run_folder / "tracks/a-slide/pictures/pictures.json", pictures.dump());
    EXPECT_THAT(MessageOf(run_folder),
                HasSubstr("impacts[0].pictures[0].file: found \"" + name + "\", allowed a plain"));
  }
}

TEST(CsvField, DisarmsWhatASpreadsheetWouldRun) {
  EXPECT_EQ(CsvField("=1+2"), "'=1+2");
  EXPECT_EQ(CsvField("\r=1+2"), "\"'\r=1+2\"");
  EXPECT_EQ(CsvField("-0.5"), "-0.5");
  EXPECT_EQ(CsvField("a,b \"c\""), "\"a,b \"\"c\"\"\"");
}

// ------------------------------------------------------------------------------------------- plots

TEST(WriteReport, PlotsTakeTheColoursOfThePage) {
  const TemporaryFolder folder;
  const std::string html = WriteAndRead(SampleRun(), folder.Path()).html;
  const std::string body = html.substr(html.find("<body>"));
  EXPECT_TRUE(ReportHas(body, "<g class=\"blue\">"));
  for (const char* fixed : {"rgb(", "\"black\"", "'black'", "#FFFFFF", "#ffffff", "'gray'"}) {
    EXPECT_FALSE(ReportHas(body, fixed));
  }
}

TEST(WriteReport, LeavesOutNumbersThatAreMissing) {
  SampleRun run;
  for (Json& trial : run.fit["laws"]["stronge"]["trials"]) {
    trial["dissipation_measured"] = {{"value", nullptr}, {"sigma", nullptr}};
    trial["normal_work"] = {{"value", nullptr}, {"sigma", nullptr}};
    trial["v_sigma"] = {nullptr, nullptr, nullptr};
  }
  run.impacts_csv = "trial,rz,vz,vz_post\na-slide,-0.05,-1.8,0.4\n";
  const TemporaryFolder folder;
  const Written written = WriteAndRead(run, folder.Path());
  EXPECT_TRUE(ReportHas(written.html, "No plot: nothing was measured"));
  EXPECT_FALSE(ReportHas(written.html, ">nan"));
  EXPECT_EQ(CellOf(ReadHtmlTable(written.html, "energy-stronge"), {"a-slide"}, "dissipated, meas"),
            "–");
}

// ------------------------------------------------------------------------------------------- again

TEST(WriteReport, ReplacesAnEarlierReport) {
  const TemporaryFolder folder;
  SampleRun run;
  run.fit["laws"]["newton"] = run.fit["laws"]["stronge"];
  WriteAndRead(run, folder.Path());
  EXPECT_TRUE(fs::exists(folder.Path() / "tables" / "energy-newton.csv"));
  run.fit["laws"].erase("newton");
  WriteAndRead(run, folder.Path());
  EXPECT_FALSE(fs::exists(folder.Path() / "tables" / "energy-newton.csv"));
  const std::string once = ReadText(folder.Path() / "report.html");
  WriteReport(folder.Path());
  EXPECT_EQ(ReadText(folder.Path() / "report.html"), once);
}

}  // namespace
}  // namespace percuss::report
