// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "tests/report/page_reader.h"
#include "tests/report/sample_run.h"

namespace percuss::report {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct Outcome {
  int exit_code;
  std::string out, err;
};

Outcome RunReport(const fs::path& scratch, const std::string& arguments,
                  const std::string& environment = "") {
  const fs::path out = scratch / "out.txt", err = scratch / "err.txt";
  const std::string command = environment + " '" PERCUSS_PROGRAM "' report " + arguments + " >'" +
                              out.string() + "' 2>'" + err.string() + "'";
  const int status = std::system(command.c_str());
  return {WEXITSTATUS(status), ReadText(out), ReadText(err)};
}

TEST(ReportCommand, PrintsThePathsOfTheFilesItWrote) {
  const TemporaryFolder folder, scratch;
  SampleRun().Write(folder.Path());
  const Outcome outcome = RunReport(scratch.Path(), "'" + folder.Path().string() + "'");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  std::istringstream lines(outcome.out);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) EXPECT_TRUE(fs::exists(line)) << line;
  EXPECT_GE(count, 10);
}

TEST(ReportCommand, GivesJsonOnStdout) {
  const TemporaryFolder folder, scratch;
  SampleRun run;
  run.trials[1] = FailedTrial("b-stick", "no_answer", "no impact found");
  run.Write(folder.Path());
  const Outcome outcome = RunReport(scratch.Path(), "--json '" + folder.Path().string() + "'");
  EXPECT_EQ(outcome.exit_code, 0);
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["files"][0], (folder.Path() / "report.html").string());
  ASSERT_EQ(json["missing_parts"].size(), 1u);
  EXPECT_EQ(json["missing_parts"][0], "b-stick: no answer: no impact found");
  EXPECT_THAT(outcome.err, HasSubstr("b-stick: no answer: no impact found"));
}

TEST(ReportCommand, SaysWhichPackageTheSheetNeedsAndWritesTheRest) {
  const TemporaryFolder folder, scratch;
  SampleRun().Write(folder.Path());
  WriteText(folder.Path() / "summary.pdf", "of an earlier report");
  const Outcome outcome = RunReport(scratch.Path(), "--pdf '" + folder.Path().string() + "'",
                                    "PATH='" + scratch.Path().string() + "'");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("no summary.pdf: the program chromium could not be started"));
  EXPECT_THAT(outcome.err, HasSubstr("the Debian package chromium"));
  EXPECT_TRUE(fs::exists(folder.Path() / "report.html"));
  EXPECT_FALSE(fs::exists(folder.Path() / "summary.pdf"));
}

TEST(ReportCommand, EndsWithTwoAndOneLineForAFolderWithoutARun) {
  const TemporaryFolder folder, scratch;
  const Outcome outcome = RunReport(scratch.Path(), "'" + folder.Path().string() + "'");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr(folder.Path().string() + ": found none of"));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1);
}

}  // namespace
}  // namespace percuss::report
