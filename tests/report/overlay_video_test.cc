// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: the scene, made up so that 1 mm is 1 pixel, and the colours of
// overlay_drawing.h.

#include "report/overlay/overlay_video.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/videoio.hpp>

#include "capture/video/video_writer.h"
#include "tests/report/plate_run.h"
#include "tests/report/sample_run.h"
#include "tests/report/view_from_above.h"

namespace percuss::report {
namespace {

namespace fs = std::filesystem;

fs::path WriteVideo(const fs::path& folder) {
  capture::VideoWriter writer(folder / "left.mp4", {640, 480}, 1 / kInterval, 10);
  for (int k = 0; k < kFrames; ++k) writer.Write(cv::Mat(480, 640, CV_8UC1, cv::Scalar(60)));
  writer.Finish();
  return folder / "left.mp4";
}

std::vector<cv::Mat> ReadColours(const fs::path& file) {
  cv::VideoCapture capture(file.string());
  std::vector<cv::Mat> pictures;
  for (cv::Mat picture; capture.read(picture);) pictures.push_back(picture.clone());
  return pictures;
}

// The most red or blue that is near a place, beyond the other: a line is a pixel wide, its colour
// two.
int Red(const cv::Mat& picture, cv::Point place) {
  int most = -255;
  for (int y = -1; y <= 1; ++y) {
    for (int x = -1; x <= 1; ++x) {
      const auto colour = picture.at<cv::Vec3b>(place + cv::Point(x, y));
      most = std::max(most, colour[2] - colour[0]);
    }
  }
  return most;
}
int Blue(const cv::Mat& picture, cv::Point place) {
  int most = -255;
  for (int y = -1; y <= 1; ++y) {
    for (int x = -1; x <= 1; ++x) {
      const auto colour = picture.at<cv::Vec3b>(place + cv::Point(x, y));
      most = std::max(most, colour[0] - colour[2]);
    }
  }
  return most;
}

constexpr int kClear = 40;  // grey values

TEST(OverlayVideo, ShowsBodyMarkersAndPrediction) {
  const TemporaryFolder folder;
  const RunFolder run = MadeUpRun();
  const TrialVideos videos{.files = {WriteVideo(folder.Path())}};
  const fs::path file = folder.Path() / "overlay.mp4";
  ASSERT_EQ(WriteOverlayVideo(run, run.trials[0], OneView(), videos, file), "");
  const std::vector<cv::Mat> pictures = ReadColours(file);
  ASSERT_EQ(pictures.size(), static_cast<std::size_t>(kLast - kFirst + 1));
  EXPECT_EQ(pictures[0].cols, 640);
  EXPECT_GT(pictures[0].rows, 480);  // lines of text below

  // Four frames before the impact the plate is 40 mm to the left: its left edge at 319.5 - 60.
  const cv::Mat& before = pictures[kImpact - 4 - kFirst];
  EXPECT_GT(Blue(before, {260, 235}), kClear);
  EXPECT_LT(Blue(before, {260, 200}), kClear);
  EXPECT_LT(Red(before, {320, 150}), kClear);
  // The ring of the marker, 8 px around it.
  EXPECT_GT(Red(before, {100 - 8, 50 + kImpact - 4}), kClear);

  // Four frames after it the plate is there again; the law has it 40 px higher, its upper edge at
  // 239.5 - 50, dashed: some of it.
  const cv::Mat& after = pictures[kImpact + 4 - kFirst];
  EXPECT_GT(Blue(after, {260, 235}), kClear);
  int red = 0;
  for (int x = 302; x < 338; ++x) red += Red(after, {x, 190}) > kClear ? 1 : 0;
  EXPECT_GT(red, 10);
  EXPECT_LT(red, 34);
}

// In its flights the plate, 40 x 20 px, is from 85 + 20 px left of the place of the impact to 20 px
// right of it: cut to that with 0.15 of the length all around, a picture shows 162.5 x 57.5 px.
TEST(OverlayVideo, LeavesAFilmOfTheFlights) {
  const TemporaryFolder folder;
  const RunFolder run = MadeUpRun();
  const TrialVideos videos{.files = {WriteVideo(folder.Path())}};
  WriteOverlayVideo(run, run.trials[0], OneView(), videos, folder.Path() / "overlay.mp4");
  const FilmFacts film = ReadFilm(folder.Path() / "film.json");
  ASSERT_EQ(film.times.size(), static_cast<std::size_t>(kLast - kFirst + 1));
  EXPECT_NEAR(film.times.front(), kFirst * kInterval, 1e-12);
  EXPECT_NEAR(film.times.back(), kLast * kInterval, 1e-12);
  const double scale = film.width / 162.5;  // the region has whole pixels
  EXPECT_NEAR(film.height, 57.5 * scale, 2 * scale);
  const cv::Mat all =
      cv::imdecode(std::vector<char>(film.jpeg.begin(), film.jpeg.end()), cv::IMREAD_COLOR);
  EXPECT_EQ(all.cols, film.columns * film.width);
  EXPECT_EQ(all.rows, 3 * film.height);
  // The left end of the plate's lower edge, a bright line on a ground of 60, as it goes on by 10 px
  // a frame. (Near the right end stands the letter of an axis.)
  for (const int before : {4, 2}) {
    const int at = kImpact - before - kFirst;
    const cv::Rect place(at % film.columns * film.width, at / film.columns * film.height,
                         film.width, film.height);
    cv::Mat grey;
    cv::cvtColor(all(place), grey, cv::COLOR_BGR2GRAY);
    const int row = cvRound((0.5 * 57.5 + 10) * scale);
    const auto is_line = [&](int x) {
      double brightest = 0;
      cv::minMaxLoc(grey.rowRange(row - 1, row + 2).col(x), nullptr, &brightest);
      return brightest > 60 + kClear;
    };
    int left = 0;
    while (left < film.width && !is_line(left)) ++left;
    EXPECT_NEAR(left, (18.75 + 85 - 10 * before) * scale, 4) << before;
  }
}

TEST(OverlayVideo, TheFilmAloneIsThatBesideTheVideo) {
  const TemporaryFolder folder;
  const RunFolder run = MadeUpRun();
  const TrialVideos videos{.files = {WriteVideo(folder.Path())}};
  fs::create_directories(folder.Path() / "alone");
  WriteOverlayVideo(run, run.trials[0], OneView(), videos, folder.Path() / "overlay.mp4");
  ASSERT_EQ(WriteFilmAlone(run, run.trials[0], OneView(), videos, folder.Path() / "alone"), "");
  for (const char* name : {"film.jpg", "film.json"})
    EXPECT_EQ(ReadText(folder.Path() / "alone" / name), ReadText(folder.Path() / name)) << name;
  EXPECT_FALSE(fs::exists(folder.Path() / "alone/overlay.mp4"));
}

TEST(OverlayVideo, TheSameInputGivesTheSameBytes) {
  const TemporaryFolder folder;
  const RunFolder run = MadeUpRun();
  const TrialVideos videos{.files = {WriteVideo(folder.Path())}};
  for (const char* name : {"1.mp4", "2.mp4"})
    WriteOverlayVideo(run, run.trials[0], OneView(), videos, folder.Path() / name);
  EXPECT_EQ(ReadText(folder.Path() / "1.mp4"), ReadText(folder.Path() / "2.mp4"));
}

TEST(OverlayVideo, LargeViewsAreReducedAndStandSideBySide) {
  const TemporaryFolder folder;
  RunFolder run = MadeUpRun();
  for (PoseFacts& pose : run.trials[0].poses) {
    pose.exposed.push_back({.frame = pose.frame, .time = pose.time});
  }
  std::vector<NamedView> views = OneView();
  views.push_back(views[0]);
  const fs::path video = WriteVideo(folder.Path());
  const fs::path file = folder.Path() / "overlay.mp4";
  OverlayOptions options;
  options.max_width = 640;
  ASSERT_EQ(WriteOverlayVideo(run, run.trials[0], views, {.files = {video, video}}, file, options),
            "");
  const std::vector<cv::Mat> pictures = ReadColours(file);
  ASSERT_FALSE(pictures.empty());
  EXPECT_EQ(pictures[0].cols, 640);
  // The left edge of the plate at half the size, in both halves.
  const cv::Mat& before = pictures[kImpact - 4 - kFirst];
  EXPECT_GT(Blue(before, {130, 117}), kClear);
  EXPECT_GT(Blue(before, {320 + 130, 117}), kClear);
}

// Four views in two rows. The third camera took no video: its part is black but for what is drawn.
TEST(OverlayVideo, MoreThanTwoViewsStandInRowsOfTwo) {
  const TemporaryFolder folder;
  RunFolder run = MadeUpRun();
  for (PoseFacts& pose : run.trials[0].poses) {
    pose.exposed.resize(2, {.frame = pose.frame, .time = pose.time});
    pose.exposed.push_back({});
    pose.exposed.push_back({.frame = pose.frame, .time = pose.time});
  }
  const std::vector<NamedView> views(4, OneView()[0]);
  const fs::path video = WriteVideo(folder.Path());
  const fs::path file = folder.Path() / "overlay.mp4";
  OverlayOptions options;
  options.max_width = 640;
  ASSERT_EQ(WriteOverlayVideo(run, run.trials[0], views, {.files = {video, video, {}, video}}, file,
                              options),
            "");
  const std::vector<cv::Mat> pictures = ReadColours(file);
  ASSERT_FALSE(pictures.empty());
  const int height = views[0].view.camera.height * 320 / views[0].view.camera.width;
  EXPECT_EQ(pictures[0].cols, 640);
  EXPECT_GT(pictures[0].rows, 2 * height);
  const cv::Mat& before = pictures[kImpact - 4 - kFirst];
  for (const cv::Point corner : {cv::Point(0, 0), cv::Point(320, 0), cv::Point(320, height)})
    EXPECT_GT(Blue(before, corner + cv::Point(130, 117)), kClear) << corner;
}

TEST(OverlayVideo, SaysWhyThereIsNone) {
  const TemporaryFolder folder;
  RunFolder run = MadeUpRun();
  const fs::path file = folder.Path() / "overlay.mp4";
  EXPECT_NE(WriteOverlayVideo(run, run.trials[0], {}, {}, file), "");
  run.trials[0].poses.clear();
  EXPECT_EQ(WriteOverlayVideo(run, run.trials[0], OneView(), {}, file), "there are no poses");
  EXPECT_FALSE(fs::exists(file));
}

}  // namespace
}  // namespace percuss::report
