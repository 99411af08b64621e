// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: made-up facts, and the colours of bounce_drawing.h.

#include "report/bounces/bounce_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/videoio.hpp>

#include "capture/video/video.h"
#include "report/bounces/bounce_drawing.h"
#include "report/bounces/bounce_picture.h"
#include "report/bounces/bounce_video.h"
#include "report/page/html.h"
#include "report/page/text_writers.h"
#include "tests/report/made_up_bounces.h"
#include "tests/report/page_reader.h"
#include "tests/report/sample_run.h"

namespace percuss::report {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

cv::Mat Ground(int width, int height) { return {height, width, CV_8UC1, cv::Scalar(90)}; }

std::string PageOf(const BounceFacts& facts) { return ToHtml(BounceDocument(facts, "jpeg", true)); }

// Without the style sheet, which names classes that the page may not use.
std::string BodyOf(const std::string& html) { return html.substr(html.find("<body>")); }

/// The least distance of colours between a pixel near the place and the colour.
double ColourDistance(const cv::Mat& picture, const cv::Point2d& place, const cv::Scalar& colour) {
  double least = 1e9;
  for (int y = -1; y <= 1; ++y) {
    for (int x = -1; x <= 1; ++x) {
      const cv::Point at(static_cast<int>(std::lround(place.x)) + x,
                         static_cast<int>(std::lround(place.y)) + y);
      const auto seen = picture.at<cv::Vec3b>(at);
      least =
          std::min(least, cv::norm(cv::Vec3d(seen) - cv::Vec3d(colour[0], colour[1], colour[2])));
    }
  }
  return least;
}

const BallFact& BallOf(const BounceFacts& facts, int flight, std::size_t after) {
  std::size_t seen = 0;
  for (const BallFact& ball : facts.balls) {
    if (ball.flight == flight && seen++ == after) return ball;
  }
  throw std::logic_error("no such ball");
}

// ------------------------------------------------------------------------------------------ page

TEST(BouncePage, BeginsWithTheNumberItsIntervalAndTheVerdict) {
  const BounceFacts facts = MadeUpBounces(640, 360);
  const std::string html = BodyOf(PageOf(facts));
  EXPECT_EQ(FindMarkupFault(PageOf(facts)), "");
  // 0.8012 -+ 1.96 * 0.0021, to the digits of the sigma.
  const std::string large = html.substr(html.find("class=\"large\""), 300);
  EXPECT_THAT(large, HasSubstr("<i>e</i> = 0.8012"));
  EXPECT_THAT(large, HasSubstr("95 % interval 0.7971 to 0.8053"));
  EXPECT_THAT(large, HasSubstr("3 bounces"));
  EXPECT_THAT(html, HasSubstr("keeps 80 % of its speed"));
  EXPECT_LT(html.find("keeps 80 %"), html.find("base64,anBlZw=="));
  EXPECT_LT(html.find("base64,anBlZw=="), html.find("id=\"height-plot\""));
  EXPECT_LT(html.find("id=\"height-plot\""), html.find("give more light"));
  EXPECT_LT(html.find("give more light"), html.find("id=\"bounces\""));
  EXPECT_THAT(html, HasSubstr("href=\"overlay.mp4\""));
  EXPECT_THAT(html, HasSubstr("bends straight lines"));
  EXPECT_THAT(html, Not(HasSubstr("No plot")));
}

TEST(BouncePage, ListsTheBouncesWithTheirSigmas) {
  const TableText table = ReadHtmlTable(PageOf(MadeUpBounces(640, 360)), "bounces");
  ASSERT_EQ(table.size(), 4u);
  // Equal texts below each other are hidden; numbers never are.
  EXPECT_THAT(PageOf(MadeUpBounces(640, 360)), Not(HasSubstr("class=\"repeat\"")));
  EXPECT_EQ(CellOf(table, {"1"}, "e [-]"), "0.7960 ± 0.0030");
  EXPECT_EQ(CellOf(table, {"3"}, "e [-]"), "0.8040 ± 0.0090");
  // sqrt(2 * 9.81 * 0.4) = 2.801
  EXPECT_EQ(CellOf(table, {"1"}, "speed before [m/s]"), "2.8014 ± 0.0040");
  EXPECT_EQ(CellOf(table, {"1"}, "angle"), "84.2");
  EXPECT_EQ(CellOf(table, {"1"}, "R_t"), "–");
  EXPECT_EQ(CellOf(table, {"2"}, "source"), "both");
}

TEST(BouncePage, SaysWhetherTheScalesAgree) {
  BounceFacts facts = MadeUpBounces(640, 360);
  std::string html = BodyOf(PageOf(facts));
  // 0.2 mm apart, hypot(0.1, 0.3) = 0.316: 0.6 sigma.
  EXPECT_THAT(html, HasSubstr("They agree: 0.6 sigma at most."));
  EXPECT_EQ(CellOf(ReadHtmlTable(html, "scales"), {"gravity and the flights"}, "diameter"),
            "40.20 ± 0.30");
  facts.scales[1].diameter = {0.0420, 0.0003};
  html = BodyOf(PageOf(facts));
  EXPECT_THAT(html, HasSubstr("They do not agree: the stated diameter of the ball and gravity and "
                              "the flights are 6.3 sigma apart"));
  facts.scales.pop_back();
  EXPECT_THAT(BodyOf(PageOf(facts)), HasSubstr("nothing checks the scale"));
}

TEST(BouncePage, WithoutAScaleSpeaksOfPixels) {
  BounceFacts facts = MadeUpBounces(640, 360);
  facts.unit = "px";
  facts.scales.clear();
  const std::string html = BodyOf(PageOf(facts));
  EXPECT_THAT(html, Not(HasSubstr("m/s")));
  EXPECT_EQ(CellOf(ReadHtmlTable(html, "bounces"), {"1"}, "speed before [px/s]"),
            "2.8014 ± 0.0040");
  EXPECT_THAT(html, HasSubstr("height [px]"));
  EXPECT_THAT(html, HasSubstr("speed before [px/s]"));
  EXPECT_THAT(html, HasSubstr("per px/s of speed"));
  EXPECT_THAT(html, HasSubstr("Nothing gives the scale"));
}

TEST(BouncePage, ShowsTextsOfFilesAsTheyAre) {
  BounceFacts facts = MadeUpBounces(640, 360);
  facts.clip = "<b>.mp4";
  facts.verdict = {"<i>verdict</i>"};
  facts.warnings = {"<u>warning</u>"};
  facts.notes = {"<s>note</s>"};
  facts.bounces[0].source = "<q>";
  facts.scales[0].source = "<em>";
  const std::string html = PageOf(facts);
  EXPECT_EQ(FindMarkupFault(html), "");
  EXPECT_THAT(html, HasSubstr("<title>Bounces of &lt;b&gt;.mp4</title>"));
  for (const char* markup : {"<b>", "<i>verdict", "<u>", "<s>", "<q>", "<em>"})
    EXPECT_THAT(html, Not(HasSubstr(markup)));
  EXPECT_THAT(ToMarkdown(BounceDocument(facts, "", false)), HasSubstr("\\<b\\>.mp4"));
}

TEST(BouncePage, SaysThatThereWasNoBounce) {
  BounceFacts facts = MadeUpBounces(640, 360);
  facts.bounces.clear();
  facts.e = {};
  const std::string html = PageOf(facts);
  EXPECT_EQ(FindMarkupFault(html), "");
  EXPECT_THAT(BodyOf(html), HasSubstr("No bounce was found in this clip."));
  EXPECT_THAT(BodyOf(html), Not(HasSubstr("class=\"large\"")));
  EXPECT_THAT(BodyOf(html), Not(HasSubstr("nan")));
  EXPECT_THAT(BodyOf(html), HasSubstr("id=\"height-plot\""));
}

TEST(BouncePage, NothingAtAllIsAPageToo) {
  const std::string html = ToHtml(BounceDocument({}, "", false));
  EXPECT_EQ(FindMarkupFault(html), "");
  EXPECT_THAT(html, HasSubstr("No bounce was found"));
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_THAT(html, Not(HasSubstr("overlay.mp4")));
}

TEST(BouncePage, IsWrittenWithItsTables) {
  const TemporaryFolder folder;
  const BounceFacts facts = MadeUpBounces(640, 360);
  const std::vector<fs::path> files =
      WriteBouncePage(folder.Path(), facts, "jpeg", false, {"", "percuss bounce x", {}});
  for (const fs::path& file : files) EXPECT_TRUE(fs::exists(file)) << file;
  EXPECT_EQ(files.front(), folder.Path() / "report.html");
  const TableText bounces = ReadCsvTable(ReadText(folder.Path() / "tables/bounces.csv"));
  ASSERT_EQ(bounces.size(), 4u);
  EXPECT_EQ(bounces[0][3], "e");
  EXPECT_EQ(bounces[0][4], "sigma_e");
  EXPECT_DOUBLE_EQ(std::stod(bounces[1][3]), 0.796);
  EXPECT_EQ(ReadCsvTable(ReadText(folder.Path() / "tables/balls.csv")).size(),
            facts.balls.size() + 1);
  EXPECT_THAT(ReadText(folder.Path() / "tables/bounces.json"), HasSubstr("percuss bounce x"));
  EXPECT_THAT(ReadText(folder.Path() / "report.md"), HasSubstr("**e = 0.8012**"));
}

// --------------------------------------------------------------------------------------- picture

constexpr double kSame = 60;  // of colours: a thin line is blended with what is behind

TEST(BouncePicture, OutlinesHaveTheColourOfTheirFlight) {
  for (const cv::Size size : {cv::Size(320, 240), cv::Size(1080, 1920), cv::Size(3840, 2160)}) {
    const BounceFacts facts = MadeUpBounces(size.width, size.height);
    const cv::Mat picture = DrawBouncePicture(facts, Ground(size.width, size.height));
    EXPECT_EQ(std::max(picture.cols, picture.rows), size.width == 320 ? 960 : 1920);
    const BounceCanvas canvas{.scale = static_cast<double>(picture.cols) / size.width};
    for (const int flight : {0, 1, 2}) {
      // Alone: there is no other colour beside.
      BounceFacts alone = facts;
      alone.balls = {BallOf(facts, flight, 0)};
      const BallFact& ball = alone.balls[0];
      ASSERT_TRUE(ball.used);
      const cv::Scalar& own = flight == 1 ? kOddFlightColour : kEvenFlightColour;
      const cv::Scalar& other = flight == 1 ? kEvenFlightColour : kOddFlightColour;
      const cv::Point2d left = canvas.Place(ball.pixel - Eigen::Vector2d(ball.radius_px, 0));
      const cv::Mat one = DrawBouncePicture(alone, Ground(size.width, size.height));
      EXPECT_LT(ColourDistance(one, left, own), kSame) << size << " flight " << flight;
      EXPECT_GT(ColourDistance(one, left, other), kSame) << size << " flight " << flight;
      // And with all others it is still there.
      EXPECT_LT(ColourDistance(picture, left, own), kSame) << size << " flight " << flight;
    }
    // The surface, at the left edge where no ball comes: some of its dashes.
    int dashes = 0;
    for (int x = 2; x < picture.cols / 10; ++x) {
      const cv::Point2d place(x, canvas.Place(facts.surface_from).y);
      dashes += ColourDistance(picture, place, kSurfaceColour) < kSame ? 1 : 0;
    }
    EXPECT_GT(dashes, picture.cols / 40) << size;
    // The contacts.
    for (const BounceFact& bounce : facts.bounces) {
      const cv::Point2d contact = canvas.Place(bounce.pixel + Eigen::Vector2d(0, bounce.radius_px));
      EXPECT_LT(ColourDistance(picture, contact, kContactColour), kSame) << size;
    }
  }
}

TEST(BouncePicture, FramesNotUsedAreFaint) {
  BounceFacts facts = MadeUpBounces(960, 540);
  facts.bounces.clear();
  facts.balls = {BallOf(facts, 0, 0)};
  const BallFact& ball = facts.balls[0];
  const cv::Point2d left(ball.pixel.x() - ball.radius_px, ball.pixel.y());
  const cv::Mat ground = Ground(960, 540);
  EXPECT_LT(ColourDistance(DrawBouncePicture(facts, ground), left, kEvenFlightColour), kSame);
  facts.balls[0].used = false;
  const cv::Mat faint = DrawBouncePicture(facts, ground);
  EXPECT_GT(ColourDistance(faint, left, kEvenFlightColour), kSame);
  // Between the ground, darkened, and the colour.
  EXPECT_LT(ColourDistance(faint, left, 0.4 * kEvenFlightColour + 0.6 * cv::Scalar::all(63)), 30);
}

// Bounces at one place, as of a ball that is dropped straight down, are read one by one.
TEST(BouncePicture, TextsDoNotCoverEachOther) {
  for (const cv::Size size : {cv::Size(320, 240), cv::Size(1080, 1920)}) {
    BounceFacts facts = MadeUpBounces(size.width, size.height);
    const BounceFact first = facts.bounces[0];
    facts.bounces.assign(8, first);
    const BounceCanvas canvas =
        MakeCanvas(Ground(size.width, size.height), ScaleBetween(size, 960, 1920));
    const std::vector<PlacedText> texts = PlaceBounceTexts(facts, canvas);
    const cv::Rect whole({0, 0}, canvas.picture.size());
    ASSERT_EQ(texts.size(), 8u);
    EXPECT_EQ(texts[0].text, "1: 0.7960");
    for (std::size_t i = 0; i < texts.size(); ++i) {
      EXPECT_EQ(texts[i].box & whole, texts[i].box) << size << i;
      for (std::size_t k = 0; k < i; ++k) EXPECT_EQ((texts[i].box & texts[k].box).area(), 0);
    }
  }
}

TEST(BouncePicture, IsWrittenAsAFile) {
  const TemporaryFolder folder;
  const BounceFacts facts = MadeUpBounces(320, 240);
  const cv::Mat ground = Ground(320, 240);
  for (const char* name : {"a.jpg", "a.png"}) {
    WriteBouncePicture(facts, ground, folder.Path() / name);
    EXPECT_EQ(cv::imread((folder.Path() / name).string()).size(), cv::Size(960, 720));
  }
  EXPECT_THROW(WriteBouncePicture(facts, ground, folder.Path() / "a.txt"), std::invalid_argument);
  EXPECT_THROW(DrawBouncePicture(facts, cv::Mat()), std::invalid_argument);
  EXPECT_THROW(DrawBouncePicture(facts, cv::Mat(9, 9, CV_8UC3)), std::invalid_argument);
}

TEST(BouncePicture, NothingIsDrawnWhereNothingIsKnown) {
  BounceFacts facts;
  EXPECT_EQ(DrawBouncePicture(facts, Ground(640, 480)).size(), cv::Size(960, 720));
  facts = MadeUpBounces(640, 480);
  facts.surface_from = facts.surface_to = {kNaN, kNaN};
  for (BallFact& ball : facts.balls) ball.pixel = {kNaN, kNaN};
  for (BounceFact& bounce : facts.bounces) bounce = {.number = 1};
  EXPECT_FALSE(DrawBouncePicture(facts, Ground(640, 480)).empty());
}

// ----------------------------------------------------------------------------------------- video

constexpr int kFrames = 300, kBefore = 30;

/// A clip in which frame 0 of the facts is frame kBefore.
fs::path WriteVideoOf(BounceFacts facts, cv::Size size, const fs::path& file) {
  for (BallFact& ball : facts.balls) {
    ball.frame += kBefore;
    ball.time += kBefore / facts.frame_rate;
  }
  for (BounceFact& bounce : facts.bounces) bounce.time.value += kBefore / facts.frame_rate;
  WriteBounceVideo(
      facts,
      [&](const FrameVisitor& visit) {
        for (int k = 0; k < kFrames; ++k)
          visit(k, k / facts.frame_rate, Ground(size.width, size.height));
      },
      file);
  return file;
}

TEST(BounceVideo, ShowsTheFlightsWithALittleBeforeAndAfter) {
  const TemporaryFolder folder;
  const BounceFacts facts = MadeUpBounces(640, 360);
  const fs::path file = WriteVideoOf(facts, {640, 360}, folder.Path() / "overlay.mp4");
  int last_used = 0;
  for (const BallFact& ball : facts.balls)
    if (ball.used) last_used = ball.frame;
  capture::VideoReader reader(file);
  EXPECT_DOUBLE_EQ(reader.FrameRate(), 25);
  EXPECT_EQ(reader.FrameSize().width, 640);
  EXPECT_GT(reader.FrameSize().height, 360);
  int count = 0;
  while (reader.Next()) ++count;
  EXPECT_EQ(count, last_used + 12 + 12 + 1);

  // The ball of frame 5, after 12 pictures without it.
  cv::VideoCapture capture(file.string());
  cv::Mat picture;
  for (int k = 0; k <= 12 + 5; ++k) ASSERT_TRUE(capture.read(picture));
  const BallFact& ball = facts.balls[5];
  const cv::Point2d left(ball.pixel.x() - ball.radius_px, ball.pixel.y());
  const auto blueness = [&](const cv::Point2d& at) {
    int most = -255;
    for (int x = -1; x <= 1; ++x) {
      const auto seen = picture.at<cv::Vec3b>(cv::Point(at) + cv::Point(x, 0));
      most = std::max(most, seen[0] - seen[2]);
    }
    return most;
  };
  EXPECT_GT(blueness(left), 40);
  const BallFact& far = facts.balls[40];
  EXPECT_LT(blueness({far.pixel.x() - far.radius_px, far.pixel.y()}), 20);
}

TEST(BounceVideo, FitsTheScreenAtAnySize) {
  const TemporaryFolder folder;
  for (const cv::Size size : {cv::Size(1080, 1920), cv::Size(1921, 1081), cv::Size(321, 241)}) {
    const fs::path file =
        WriteVideoOf(MadeUpBounces(size.width, size.height), size, folder.Path() / "overlay.mp4");
    const cv::Size made = capture::VideoReader(file).FrameSize();
    EXPECT_LE(std::max(made.width, made.height), 1280) << size;
    EXPECT_GE(std::max(made.width, made.height), 640) << size;
    EXPECT_EQ(made.width % 2 + made.height % 2, 0) << size;
  }
}

TEST(BounceVideo, ShowsAllFramesOfAClipWithoutABall) {
  const TemporaryFolder folder;
  const fs::path file = WriteVideoOf({.frame_rate = 100}, {320, 240}, folder.Path() / "o.mp4");
  capture::VideoReader reader(file);
  int count = 0;
  while (reader.Next()) ++count;
  EXPECT_EQ(count, kFrames);
}

TEST(BounceVideo, IsNoneWithoutFrames) {
  const TemporaryFolder folder;
  WriteBounceVideo(
      MadeUpBounces(640, 360), [](const FrameVisitor&) {}, folder.Path() / "o.mp4");
  EXPECT_FALSE(fs::exists(folder.Path() / "o.mp4"));
}

}  // namespace
}  // namespace percuss::report
