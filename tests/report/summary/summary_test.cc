// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// summary.pdf in Chromium, which must be installed; without one the tests say so and are skipped.
// Source of truth: the numbers of the sample run, ISO 32000 for what a PDF holds.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "report/programs/run_program.h"
#include "report/report.h"
#include "report/summary/pdf.h"
#include "report/summary/summary_page.h"
#include "tests/report/browser.h"
#include "tests/report/page_reader.h"
#include "tests/report/sample_run.h"

namespace percuss::report {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

long NumMatches(const std::string& pdf, const std::string& pattern) {
  const std::regex expression(pattern);
  return std::distance(std::sregex_iterator(pdf.begin(), pdf.end(), expression), {});
}

/// A run of more laws and coefficients than a sheet has room for.
SampleRun LargeRun() {
  SampleRun run;
  Json& laws = run.fit["laws"];
  const Json one = laws["stronge"];
  for (int k = 0; k < 30; ++k) {
    const std::string number = std::to_string(k);
    laws["law-" + number] = one;
    laws["stronge"]["parameters"]["mu[" + number + "]"] = one["parameters"]["mu"];
  }
  return run;
}

class Summary : public ::testing::Test {
 protected:
  void SetUp() override {
    if (Browser::Find().empty()) GTEST_SKIP() << "there is no Chromium on PATH";
  }

  /// What is printed of a run in a folder of this name.
  std::string Printed(const SampleRun& run, const std::string& name) const {
    const fs::path out = folder_.Path() / name;
    fs::create_directories(out);
    run.Write(out);
    const ReportSummary summary = WriteReport(out, {.pdf = true, .chromium = Browser::Find()});
    EXPECT_EQ(summary.missing_pdf, "");
    EXPECT_EQ(summary.files_written.back(), out / "summary.pdf");
    return ReadText(out / "summary.pdf");
  }

  TemporaryFolder folder_;
};

TEST_F(Summary, IsOnePageOfA4) {
  SampleRun without_fit;
  without_fit.fit = nullptr;
  for (const auto& [name, run] :
       {std::pair{"small", SampleRun()}, {"large", LargeRun()}, {"without-fit", without_fit}}) {
    SCOPED_TRACE(name);
    const std::string pdf = Printed(run, name);
    EXPECT_TRUE(pdf.starts_with("%PDF-"));
    EXPECT_EQ(NumMatches(pdf, "/Type /Page[^s]"), 1);
    EXPECT_EQ(NumMatches(pdf, "/MediaBox \\[0 0 59[45][.0-9]* 84[12][.0-9]*\\]"), 1);  // 1/72 inch
  }
}

TEST_F(Summary, TheSameRunGivesTheSameBytesWhereverItIs) {
  const std::string name = "a 'b' \"c\" & d; $(touch trap) <b>#%20?é";
  SampleRun run;
  run.run["name"] = "drop";  // else it has that of the folder
  const std::string there = Printed(run, name);
  EXPECT_TRUE(Printed(run, "plain") == there);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.Path()), fs::directory_iterator()), 2);
}

// A report without one has no older one beside it, which would be of other numbers.
TEST_F(Summary, OfAnEarlierReportGoes) {
  Printed(SampleRun(), "out");
  WriteReport(folder_.Path() / "out");
  EXPECT_FALSE(fs::exists(folder_.Path() / "out/summary.pdf"));
}

TEST(SummaryPage, HoldsTheAnswerTheCoefficientsAndTheirSource) {
  const TemporaryFolder folder;
  SampleRun run;
  run.run["name"] = "<img src=x onerror=alert(1)> & \"q\"";
  run.Write(folder.Path());
  const std::string page = SummaryPage(ReadRunFolder(folder.Path()));
  EXPECT_EQ(FindMarkupFault(page), "");
  EXPECT_THAT(page, AllOf(HasSubstr("0.2604"), HasSubstr("± 0.0021"), HasSubstr("explains all 4"),
                          HasSubstr("identified by the data"), HasSubstr("SHA-256 of fit.json "),
                          HasSubstr("&lt;img src=x onerror=alert(1)&gt; &amp; "),
                          Not(HasSubstr("<img src=x"))));
}

TEST(SummaryPage, LeavesOutAndCountsWhatDoesNotFit) {
  const TemporaryFolder folder;
  LargeRun().Write(folder.Path());
  const std::string page = SummaryPage(ReadRunFolder(folder.Path()));
  EXPECT_THAT(page, HasSubstr("20 more are in report.html"));
  EXPECT_EQ(NumMatches(page, "class=\"coefficient\""), 4);
}

TEST(PrintToPdf, NamesThePackageWhereTheBrowserIsMissing) {
  const PdfAnswer answer = PrintToPdf("/nonexistent/chromium", "<p>a</p>");
  EXPECT_EQ(answer.pdf, "");
  EXPECT_THAT(answer.problem, AllOf(HasSubstr("/nonexistent/chromium could not be started"),
                                    HasSubstr("Debian package chromium")));
  EXPECT_THAT(PrintToPdf("/bin/false", "").problem, HasSubstr("/bin/false failed"));
  EXPECT_THAT(PrintToPdf("/bin/true", "").problem, HasSubstr("/bin/true wrote no file"));
}

TEST(RunProgram, EndsAProgramThatTakesTooLong) {
  const ProgramAnswer answer = RunProgram({"sleep", "60"}, "", std::chrono::seconds(1));
  EXPECT_TRUE(answer.started);
  EXPECT_EQ(answer.problem, "sleep was not done after 1 s");
}

// No shell looks at the words, and what a program reads and says comes through whole.
TEST(RunProgram, HandsOnWordsAndInputAsTheyAre) {
  const std::string words = "a 'b' \"c\" & d; $(touch trap) `e`\n";
  EXPECT_EQ(RunProgram({"printf", "%s", words}, "", std::chrono::minutes(1)).output, words);
  const std::string much(1 << 20, 'x');
  EXPECT_EQ(RunProgram({"cat"}, much, std::chrono::minutes(1)).output, much);
}

}  // namespace
}  // namespace percuss::report
