// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Names and texts of a user's files through the whole program: they are shown as they are, end no
// element, name no file outside of OUT and are never run. Source of truth: the texts themselves,
// and a folder in which nothing but OUT may appear.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/files/files.h"
#include "report/page/viewer_html.h"
#include "tests/app/program.h"
#include "tests/app/replaced.h"
#include "tests/app/run/campaign.h"
#include "tests/base/temporary_folder.h"
#include "tests/report/page_reader.h"

namespace percuss {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::Replaced;

// Unlike a matcher, does not print the whole page when it fails.
bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::set<std::string> NamesIn(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

// One drop, rendered once for each test.
class UntrustedText : public ::testing::Test {
 protected:
  void SetUp() override {
    testing::SynthesizeDrops(1, folder_ / "drops");
    experiment_ = ReadFile(folder_ / "drops/experiment.yaml");
    names_ = NamesIn(folder_.Path());
  }

  testing::ProgramRun Run(const std::vector<std::string>& arguments) const {
    return testing::RunPercuss(arguments, folder_.Path());
  }

  testing::TemporaryFolder folder_;
  std::string experiment_;
  std::set<std::string> names_;  // of what is there before a run
};

TEST_F(UntrustedText, IsShownAndNotRun) {
  // Names of files: all that a file system allows, and FFmpeg's, gnuplot's and the shell's signs.
  const std::string left = "concat:$(touch trap)|`touch trap`;'&<b>\"@0@%d.mp4";
  const std::string right = "-i http:;!touch trap\n<script>alert(1)<script>.mp4";
  fs::rename(folder_ / "drops/trials/drop-0/left.mp4", folder_ / ("drops/" + left));
  fs::rename(folder_ / "drops/trials/drop-0/right.mp4", folder_ / ("drops/" + right));
  std::string text = Replaced(
      experiment_, "name: campaign",
      R"(name: "</title><script>alert('x')</script>`touch trap` & \"q\" '\nset output 'trap'\n|x|")");
  text = Replaced(text, "trials/drop-0/left.mp4",
                  R"("concat:$(touch trap)|`touch trap`;'&<b>\"@0@%d.mp4")");
  text = Replaced(text, "trials/drop-0/right.mp4",
                  R"("-i http:;!touch trap\n<script>alert(1)<script>.mp4")");
  const std::string file = "e <b>`touch trap`$(touch trap)'\"&.yaml", out = "o <b>`touch trap`'\"&";
  folder_.Write("drops/" + file, text);
  const testing::ProgramRun run = Run({"run", "drops/" + file, "-o", out, "--law", "stronge"});
  ASSERT_EQ(run.exit_code, 0) << run.err;

  names_.insert(out);
  EXPECT_EQ(NamesIn(folder_.Path()), names_);
  EXPECT_EQ(NamesIn(folder_ / out / "tracks"), std::set<std::string>{"drop-0"});
  const std::string html = ReadFile(folder_ / out / "report.html");
  EXPECT_EQ(report::FindMarkupFault(html), "");
  // The two scripts of the viewer: what it shows, and the program that is the same on any page.
  const auto without_viewer = [](const std::string& page) {
    return Replaced(Replaced(page, "<script type=\"application/json\">", ""),
                    "<script>" + report::ViewerScript({report::ViewerKind::kDrops}), "");
  };
  const std::string body = without_viewer(html);
  for (const char* markup : {"<script", "<b>", "No plot"})
    EXPECT_FALSE(Has(body, markup)) << markup;
  EXPECT_TRUE(Has(html,
                  "<title>Impact coefficients of "
                  "&lt;/title&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"));
  const std::string calibration = ReadFile(folder_ / out / "calibration.html");
  EXPECT_EQ(report::FindMarkupFault(calibration), "");
  for (const char* markup : {"<script", "<b>"})
    EXPECT_FALSE(Has(without_viewer(calibration), markup)) << markup;
  EXPECT_TRUE(Has(calibration, "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"));
  const std::string markdown = ReadFile(folder_ / out / "report.md");
  EXPECT_FALSE(Has(markdown, "\n|x|"));
  EXPECT_TRUE(Has(markdown, R"(\</title\>\<script\>alert('x')\</script\>\`touch trap\`)"));
  for (std::size_t at = 0; (at = markdown.find('<', at)) != std::string::npos; ++at) {
    if (markdown.rfind("```", at) != std::string::npos) break;  // letter by letter from here on
    EXPECT_EQ(markdown[at - 1], '\\') << markdown.substr(at, 40);
  }
}

TEST_F(UntrustedText, NamesNoFileOutsideOfTheResults) {
  for (const std::string name : {"../x", "/tmp/percuss-x", "..", ".", ".steps", "a/../../x", "x/y",
                                 "", "a\\0b", "a\\nb", "~", "-\\e[31m", "$(touch trap)", "a b"}) {
    SCOPED_TRACE(name);
    folder_.Write("drops/experiment.yaml", Replaced(experiment_, "drop-0", '"' + name + '"'));
    const testing::ProgramRun run = Run({"run", "drops/experiment.yaml", "-o", "out"});
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_THAT(run.err, AllOf(HasSubstr("trials[#1].name"), HasSubstr("allowed a plain name")));
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_EQ(run.err.find('\x1b'), std::string::npos);
    EXPECT_EQ(NamesIn(folder_.Path()), names_);
  }
}

// What a terminal takes for an order stays where it is.
TEST_F(UntrustedText, MessagesHoldNoOrdersForTheTerminal) {
  const testing::ProgramRun run = Run({"impact", "a\x1b[31m\n\x07.json"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.err, "percuss: a [31m  .json: cannot be read: No such file or directory\n");
}

// Names that the program itself gives to files in OUT and OUT/.steps, and the longest one.
TEST_F(UntrustedText, NamesOfTheProgramsOwnFilesAreFreeForTrials) {
  const std::string longest(100, 'n');
  for (const std::string& name : std::vector<std::string>{"calibrate", "fit", "report", "lock",
                                                          "pictures", "run.json", "-o", longest}) {
    SCOPED_TRACE(name);
    folder_.Write("drops/experiment.yaml", Replaced(experiment_, "name: drop-0", "name: " + name));
    const testing::ProgramRun run =
        Run({"run", "drops/experiment.yaml", "-o", "out", "--law", "stronge"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_TRUE(fs::exists(folder_ / "out/tracks" / name / "impacts.json"));
    const testing::ProgramRun again =
        Run({"run", "drops/experiment.yaml", "-o", "out", "--law", "stronge"});
    EXPECT_THAT(again.err, HasSubstr("track: unchanged"));
  }
}

}  // namespace
}  // namespace percuss
