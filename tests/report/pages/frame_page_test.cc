// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/frames/frame_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/page/html.h"
#include "report/page/text_writers.h"
#include "tests/report/page_reader.h"
#include "tests/report/sample_run.h"

namespace percuss::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Two cameras, 120 frames, of which every tenth has pictures; in each two markers on the left, one
/// on the right, one spot that stands still and one that is too small.
TrialFrames MadeUpFrames() {
  TrialFrames trial{
      .trial = "a-slide", .num_markers = 3, .cameras = {{"left", 1280, 720}, {"right", 1280, 720}}};
  for (int k = 0; k < 120; ++k) {
    FrameFacts frame{.time = k / 120.0, .rms_px = 0.05, .motion = "flight", .in_flight = true};
    frame.views[0].frame = k;
    frame.views[1].frame = k + 3;
    if (k % 10 == 0) {
      frame.views[0].picture = "left/000000";
      frame.views[1].picture = "right/000003";
    }
    frame.views[0].spots = {{{100, 200}, "A1"},
                            {{150, 200}, "A2"},
                            {{10, 20}, "", "standing still", "standing still all the time", true},
                            {{30, 40}, "", "too small", "too small: 3 px², at least 5 needed"}};
    frame.views[1].spots = {{{110, 200}, "A1"}};
    trial.frames.push_back(std::move(frame));
  }
  return trial;
}

TEST(FramesPage, ListsAllFramesWithTheirNumbers) {
  const std::string html = ToHtml(FramesDocument(MadeUpFrames()));
  EXPECT_EQ(FindMarkupFault(html), "");
  const TableText table = ReadHtmlTable(html, "frames");
  ASSERT_EQ(table.size(), 121u);  // more than the rows of other tables
  EXPECT_EQ(CellOf(table, {"119"}, "right frame"), "122");
  EXPECT_EQ(CellOf(table, {"119"}, "markers left"), "2");
  EXPECT_EQ(CellOf(table, {"119"}, "markers right"), "1");
  EXPECT_EQ(CellOf(table, {"119"}, "rejected left"), "2");
  EXPECT_EQ(CellOf(table, {"119"}, "rejected right"), "0");
  EXPECT_EQ(CellOf(table, {"119"}, "why"), "1 standing still, 1 too small");
  EXPECT_THAT(html, HasSubstr("The body was found in 120 of 120 frames."));
}

TEST(FramesPage, ShowsEachPictureWithItsMarksAndReasons) {
  const std::string html = ToHtml(FramesDocument(MadeUpFrames()));
  const std::size_t start = html.find("<figure id=\"frame-20\"");
  ASSERT_NE(start, std::string::npos);
  const std::string figure = html.substr(start, html.find("</figure>", start) - start);
  for (const char* part :
       {"loading=\"lazy\"", "src=\"left/000000.jpg\"", "src=\"right/000003.jpg\"",
        "href=\"left/000000-grey.png\"", "href=\"left/000000-binary.png\"",
        "href=\"left/000000-outline.png\"", ">A2</text>", "<li>too small: 3 px², at least 5 needed",
        "Small crosses: 1 standing still.", "2 markers with a label",
        "frame 20, 0.1667 s, flight"}) {
    EXPECT_THAT(figure, HasSubstr(part));
  }
  EXPECT_THAT(html, Not(HasSubstr("id=\"frame-21\"")));
  EXPECT_THAT(html, HasSubstr("href=\"#frame-20\""));
  // Pictures beside the page, and nothing from anywhere else.
  EXPECT_THAT(html, HasSubstr("img-src data: 'self';"));
}

TEST(FramesPage, SaysWhyATrialHasNoLabels) {
  TrialFrames trial = MadeUpFrames();
  trial.failure = "trial a-slide: the marker layout was found in 0 of 120 frames";
  for (FrameFacts& frame : trial.frames) {
    for (FrameView& view : frame.views) {
      for (FrameSpot& spot : view.spots) spot.marker.clear(), spot.fault = "no body";
    }
  }
  const std::string html = ToHtml(FramesDocument(trial));
  EXPECT_THAT(html, HasSubstr("found in 0 of 120 frames"));
  EXPECT_THAT(html, HasSubstr("Rejected in all frames: 600 no body."));
}

TEST(FramesPage, OfOneCameraHasOneColumn) {
  TrialFrames trial = MadeUpFrames();
  trial.cameras.pop_back();
  for (FrameFacts& frame : trial.frames) frame.views[1] = {};
  const std::string html = ToHtml(FramesDocument(trial));
  EXPECT_EQ(FindMarkupFault(html), "");
  const std::string body = html.substr(html.find("<body>"));
  EXPECT_EQ(body.find("right"), std::string::npos);
}

TEST(FramesPage, ShowsNamesAsTheyAre) {
  TrialFrames trial = MadeUpFrames();
  const std::string name = "<img src=x onerror=alert(1)>'\"&../";
  trial.trial = trial.failure = trial.cameras[0].name = name;
  trial.notes = {name};
  trial.frames[0].motion = name;
  trial.frames[0].views[0].spots[0].marker = name;
  trial.frames[0].views[0].spots[3].fault = trial.frames[0].views[0].spots[3].reason = name;
  const Document document = FramesDocument(trial);
  const std::string html = ToHtml(document);
  EXPECT_EQ(FindMarkupFault(html), "");
  EXPECT_EQ(html.find("<img src=x"), std::string::npos);
  EXPECT_THAT(html, HasSubstr("&lt;img src=x onerror=alert(1)&gt;&#39;&quot;&amp;../</text>"));
  const std::string markdown = ToMarkdown(document);
  for (std::size_t at = 0; (at = markdown.find('<', at)) != std::string::npos; ++at)
    EXPECT_EQ(markdown[at - 1], '\\') << markdown.substr(at, 40);
}

TEST(FramesPage, IsWrittenWithTablesBesideIt) {
  const TemporaryFolder folder;
  const auto page = WriteFramesPage(folder.Path(), MadeUpFrames(), {"", "percuss track", {}});
  EXPECT_EQ(page, folder.Path() / "report.html");
  const TableText rejected = ReadCsvTable(ReadText(folder.Path() / "tables/rejected.csv"));
  EXPECT_EQ(rejected.size(), 1u + 2 * 12);  // of the frames with pictures
  EXPECT_EQ(
      CellOf(ReadCsvTable(ReadText(folder.Path() / "tables/frames.csv")), {"7"}, "markers_left"),
      "2");
}

}  // namespace
}  // namespace percuss::report
