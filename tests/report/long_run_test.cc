// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// What the report shows of more trials than it has room for, and that its files hold all. Source of
// truth: the run, whose trials are copies of those of the sample with names, errors and failures of
// their own.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <set>

#include "report/facts/csv.h"
#include "report/facts/file_head.h"
#include "report/facts/shown_trials.h"
#include "report/page/text_writers.h"
#include "report/plots/chart.h"
#include "report/report.h"
#include "report/sections/sections.h"
#include "tests/report/page_reader.h"
#include "tests/report/plate_run.h"
#include "tests/report/sample_run.h"

namespace percuss::report {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string NameOf(int k) { return fmt::format("t{:03}", k); }

/// The velocity errors grow with the number of the trial; no law explains t007 or t055 at all.
double ErrorOf(int k) { return k == 7 || k == 55 ? 0.5 : 0.001 + 1e-4 * k; }

/// t003 failed.
SampleRun LongRun(int count) {
  SampleRun run;
  Json& law = run.fit["laws"]["stronge"];
  const Json trial = run.trials[0], comparison = law["trials"][0], numbers = run.fit["impacts"][0];
  const Json diagram = run.impulses["laws"]["stronge"][0];
  run.trials.clear();
  law["trials"] = run.fit["impacts"] = run.impulses["laws"]["stronge"] = Json::array();
  std::string row = run.impacts_csv.substr(run.impacts_csv.find("\na-slide,") + 1);
  row =
      row.substr(std::string("a-slide").size(), row.find('\n') + 1 - std::string("a-slide").size());
  run.impacts_csv.resize(run.impacts_csv.find("\na-slide,") + 1);
  for (int k = 0; k < count; ++k) {
    const std::string name = NameOf(k);
    if (k == 3) {
      run.trials.push_back(FailedTrial(name, "no_answer", "no impact found"));
      continue;
    }
    run.trials.push_back(trial);
    run.trials.back()["trial"] = name;
    law["trials"].push_back(comparison);
    Json& one = law["trials"].back();
    one["trial"] = name;
    one["velocity_error"] = ErrorOf(k);
    one["dissipation_measured"]["value"] = 0.5 + 1e-3 * k;
    run.fit["impacts"].push_back(numbers);
    run.fit["impacts"].back()["trial"] = name;
    run.impulses["laws"]["stronge"].push_back(diagram);
    run.impulses["laws"]["stronge"].back()["trial"] = name;
    run.impacts_csv += name + row;
  }
  return run;
}

std::vector<std::string> NamesIn(const std::vector<std::vector<std::string>>& table) {
  std::vector<std::string> names;
  for (std::size_t k = 1; k < table.size(); ++k) {
    if (names.empty() || names.back() != table[k][0]) names.push_back(table[k][0]);
  }
  return names;
}

class LongReport : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    LongRun(kTrials).Write(folder_->Path());
    WriteReport(folder_->Path());
    html_ = ReadText(folder_->Path() / "report.html");
    markdown_ = ReadText(folder_->Path() / "report.md");
  }
  static void TearDownTestSuite() { delete folder_; }

  static CsvTable Csv(const char* table) {
    return ReadCsv(folder_->Path() / "tables" / (std::string(table) + ".csv"));
  }
  static std::string Svg(const std::string& figure) {
    const std::size_t at = html_.find("<figure id=\"" + figure + "\"");
    return html_.substr(at, html_.find("</figure>", at) - at);
  }

  static constexpr int kTrials = 250;
  static inline TemporaryFolder* folder_ = nullptr;
  static inline std::string html_, markdown_;
};

TEST_F(LongReport, TablesShowWhatFailedAndWhatIsExplainedWorstInTheOrderOfTheFile) {
  std::vector<std::string> worst = {NameOf(7), NameOf(55)};
  for (int k = kTrials - 58; k < kTrials; ++k) worst.push_back(NameOf(k));
  EXPECT_EQ(NamesIn(ReadHtmlTable(html_, "energy-stronge")), worst);
  worst.insert(worst.begin(), NameOf(3));  // has no impact, but a row in the table of trials
  worst.pop_back();
  EXPECT_EQ(NamesIn(ReadHtmlTable(html_, "trials")), worst);
  // Four rows of a trial.
  EXPECT_EQ(ReadHtmlTable(html_, "velocities-stronge").size(), 1 + 60u);
  EXPECT_EQ(FindMarkupFault(html_), "");
}

TEST_F(LongReport, SaysWhatIsNotShownAndWhichFileHasAll) {
  const std::string choice =
      "rows, of trials that failed or that the first law explains worst; all are in";
  EXPECT_TRUE(html_.find("60 of 249 " + choice + " <a href=\"tables/energy-stronge.csv\">") !=
              std::string::npos);
  EXPECT_TRUE(markdown_.find("60 of 250 " + choice + " [tables/trials.csv](tables/trials.csv).") !=
              std::string::npos);
}

TEST_F(LongReport, FilesOfTablesHoldEveryRow) {
  for (const auto& [table, rows] : {std::pair{"energy-stronge", 249u},
                                    {"velocities-stronge", 4 * 249u},
                                    {"ledger-stronge", 249u},
                                    {"energy-shares", 3 * 249u},
                                    {"contact-numbers", 249u},
                                    {"trials", 250u},
                                    {"files", 253u}}) {
    EXPECT_EQ(Csv(table).rows.size(), rows) << table;
    const Json json =
        Json::parse(ReadText(folder_->Path() / "tables" / (std::string(table) + ".json")));
    EXPECT_EQ(json["rows"].size(), rows) << table;
  }
  const CsvTable energy = Csv("energy-stronge");
  for (std::size_t k = 0; k < energy.rows.size(); ++k) {
    const int trial = static_cast<int>(k) + (k < 3 ? 0 : 1);
    EXPECT_EQ(energy.Text(k, 0), NameOf(trial));
    EXPECT_EQ(energy.Number(k, energy.Require("velocity_error")), ErrorOf(trial));
  }
}

TEST_F(LongReport, PlotsMarkTheWorstAndDotTheOthers) {
  for (const char* figure : {"dissipation-plot-stronge", "restitution-plot"}) {
    const std::string svg = Svg(figure);
    const std::regex title("<title>(t[0-9]+):");
    std::vector<std::string> marks;
    for (auto it = std::sregex_iterator(svg.begin(), svg.end(), title);
         it != std::sregex_iterator(); ++it)
      marks.push_back((*it)[1]);
    EXPECT_EQ(marks.size(), kMostMarks) << figure;
    EXPECT_EQ(marks.front(), NameOf(7))
        << figure;  // then t051 on, but for t055 that is there anyway
    EXPECT_EQ(marks[1], NameOf(51)) << figure;
    EXPECT_THAT(svg, HasSubstr("Of 249 impacts the 200 that the first law explains worst are "
                               "marks, which lead to their trials; the others are dots."));
    EXPECT_THAT(svg, HasSubstr("<path class=\"dots cloud\""));
  }
  // Each on a pixel of its own.
  const std::string svg = Svg("dissipation-plot-stronge");
  const std::size_t at = svg.find("<path class=\"dots cloud\"");
  const std::string dots = svg.substr(at, svg.find("/>", at) - at);
  EXPECT_EQ(std::ranges::count(dots, 'M'), 49);
}

TEST_F(LongReport, NamesSomeOfTheResultsOfAnInput) {
  const CsvTable inputs = Csv("inputs");
  bool found = false;
  for (std::size_t k = 0; k < inputs.rows.size(); ++k) {
    const std::string& uses = inputs.Text(k, inputs.Require("used_for"));
    found = found || uses.ends_with(" more");
    EXPECT_LT(uses.size(), 2000u);
  }
  EXPECT_TRUE(found);
}

TEST_F(LongReport, HasThePathsOfShownTrialsAndTheEnergiesOfAll) {
  RunFolder run = ReadRunFolder(folder_->Path());
  ReadImpulses(&run);
  const std::vector<ImpulseDiagram>& impulses = run.impulses[0].second;
  ASSERT_EQ(impulses.size(), 249u);
  for (const ImpulseDiagram& impulse : impulses)
    EXPECT_NEAR(impulse.before[0].value, 0.3217, 1e-12) << impulse.trial;
  EXPECT_EQ(impulses.front().path.size(), 3u);  // the best explained
  EXPECT_EQ(impulses.back().path.size(), 3u);
  EXPECT_EQ(impulses[10].trial, NameOf(11));
  EXPECT_TRUE(impulses[10].path.empty());
}

TEST_F(LongReport, IsTheSameByAnyNumberOfThreads) {
  const TemporaryFolder parent;
  const fs::path again = parent.Path() / folder_->Path().filename();  // a report has its name
  LongRun(kTrials).Write(again);
  WriteReport(again, {.num_threads = 4});
  const auto names_in = [](const fs::path& folder) {
    std::set<fs::path> names;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
      if (entry.is_regular_file()) names.insert(entry.path().lexically_relative(folder));
    return names;
  };
  const std::set<fs::path> names = names_in(again);
  EXPECT_EQ(names, names_in(folder_->Path()));
  for (const fs::path& name : names)
    EXPECT_EQ(ReadText(again / name), ReadText(folder_->Path() / name)) << name;
}

TEST(LongSummary, NamesTheEndsOfManyFailedTrials) {
  SampleRun run;
  run.trials.clear();
  for (int k = 0; k < 50; ++k)
    run.trials.push_back(FailedTrial(NameOf(k), "no_answer", "no impact found"));
  const TemporaryFolder folder;
  run.Write(folder.Path());
  WriteReport(folder.Path());
  EXPECT_THAT(
      ReadText(folder.Path() / "report.md"),
      HasSubstr("50 of 50 trials gave no impact, from t000 to t049, all in tables/trials.csv."));
}

TEST(LongSlides, ShowThePlotsThatAreFarthestFromTheMedian) {
  RunFolder run;
  for (int k = 0; k < 20; ++k) {
    SlideFacts& slide = run.slides.emplace_back();
    slide.trial.name = NameOf(k);
    slide.trial.status = "ok";
    slide.mu_k = {0.3 + 0.01 * std::abs(k - 10), 0.01};
    slide.points = {{0.0, 0.0, 0.0, 20.0}, {0.1, 0.2, 0.2, 20.0}};
  }
  const Section section = SlidesSection(run);
  std::vector<Figure> figures;
  ForEachBlock<Figures>({section}, [&](const Figures& some) { figures = some.figures; });
  ASSERT_EQ(figures.size(), 12u);
  const Document document{.title = "t", .sections = {section}};
  EXPECT_THAT(ToMarkdown(document), HasSubstr("Plots follow for 12 of the 20 slides"));
}

// Trials that the page has no room for have pages where a mark leads to them.
TEST(TrialsWithPages, AreThoseOfMarks) {
  RunFolder run = MadeUpRun();
  const TrialComparison like = run.fit->laws[0].trials[0];
  run.trials.clear();
  run.fit->laws[0].trials.clear();
  for (int k = 0; k < 300; ++k) {
    run.trials.push_back({.name = NameOf(k), .status = "ok"});
    TrialComparison& comparison = run.fit->laws[0].trials.emplace_back(like);
    comparison.trial = NameOf(k) + (k % 2 == 0 ? "" : "-2");
    comparison.velocity_error = ErrorOf(k);
  }
  const std::vector<std::size_t> figured = FiguredTrials(run), paged = TrialsWithPages(run);
  EXPECT_THAT(figured,
              testing::ElementsAre(7, 55, 290, 291, 292, 293, 294, 295, 296, 297, 298, 299));
  ASSERT_EQ(paged.size(), kMostMarks - figured.size());
  EXPECT_EQ(paged.front(), 102u);
  EXPECT_EQ(paged.back(), 289u);
  EXPECT_EQ(ViewedTrials(run).front(), 7u);
  EXPECT_EQ(ViewedTrials(run).back(), 0u);
}

TEST(LongVerdict, ListsSomeFindingsAndTheFileAll) {
  SampleRun run;
  const Json bad = run.fit["audit"][1];
  for (int k = 0; k < 99; ++k) {
    run.fit["audit"].push_back(bad);
    run.fit["audit"].back()["trial"] = NameOf(k);
  }
  const TemporaryFolder folder;
  run.Write(folder.Path());
  WriteReport(folder.Path());
  const std::string html = ReadText(folder.Path() / "report.html");
  EXPECT_TRUE(html.find("100 findings speak against them.") != std::string::npos);
  EXPECT_TRUE(html.find("40 more, all in tables/findings.csv.") != std::string::npos);
  EXPECT_EQ(html.find(NameOf(59) + ", admissibility:"), std::string::npos);
  EXPECT_NE(html.find(NameOf(58) + ", admissibility:"), std::string::npos);
  EXPECT_EQ(ReadCsv(folder.Path() / "tables/findings.csv").rows.size(), 100u);
  // Of those that are in order one line each stays.
  EXPECT_TRUE(html.find("agree through the contact arm to 0.9 sigma") != std::string::npos);
}

TEST(Dots, OnAPixelThatHasOneAreNotDrawn) {
  Chart chart{.id = "c", .x_label = "x", .y_label = "y", .series = {{}}};
  for (int k = 0; k < 10000; ++k)
    chart.series[0].points.push_back({.x = 1e-9 * k, .y = k < 5000 ? 0.0 : 1.0});
  chart.series[0].points.push_back({.x = 1.0, .y = 0.5});
  const std::string svg = ChartFigure(chart).svg;
  const std::size_t at = svg.find("class=\"dots\"");
  const std::string dots = svg.substr(at, svg.find("/>", at) - at);
  EXPECT_EQ(std::ranges::count(dots, 'M'), 3);
}

TEST(ReadFileHead, StopsWhereTheHeadIsWhole) {
  const TemporaryFolder folder;
  const fs::path file = folder.Path() / "a.json";
  WriteText(file,
            "{\"format\": \"percuss fit 1\", \"program\": \"p\", \"command\": \"c\", "
            "\"inputs\": [{\"file\": \"f\", \"sha256\": \"00\"}], \"laws\": {{{");
  const JsonField head = ReadFileHead(file);
  EXPECT_EQ(head.At("format").Text(), "percuss fit 1");
  EXPECT_EQ(head.At("inputs").Elements()[0].At("sha256").Text(), "00");
}

TEST(ReadFileHead, FindsItAnywhereAndMissesNothing) {
  const TemporaryFolder folder;
  const fs::path file = folder.Path() / "a.json";
  WriteText(file, R"({"laws": {"format": [{"format": 1}]}, "inputs": {"f": "00"}, "format": "x"})");
  const JsonField head = ReadFileHead(file);
  EXPECT_EQ(head.Dump(), R"({"inputs":{"f":"00"},"format":"x"})");
  WriteText(file, "{\"laws\": ");
  EXPECT_ANY_THROW(ReadFileHead(file));
}

}  // namespace
}  // namespace percuss::report
