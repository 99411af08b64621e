// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/inspection/trial_inspection.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <opencv2/imgproc.hpp>
#include <random>
#include <stdexcept>

#include "capture/video/tone.h"
#include "tests/tracking/arcs/synthetic_trial.h"
#include "tracking/spots/spot_scan.h"

namespace percuss::tracking {
namespace {

using ::testing::HasSubstr;

// ----------------------------------------------------------------------------------------
// detection

/// Discs and a bar on a dark ground: what each is is in the test.
cv::Mat DrawnFaults() {
  cv::Mat picture(240, 320, CV_8UC1, cv::Scalar(40));
  const auto disc = [&](int x, int y, int radius, int grey) {
    cv::circle(picture, {x, y}, radius, cv::Scalar(grey), -1);
  };
  disc(60, 60, 5, 200);
  picture(cv::Rect(120, 60, 2, 2)).setTo(255);
  disc(180, 60, 12, 200);
  picture(cv::Rect(40, 120, 40, 4)).setTo(200);
  disc(319, 120, 5, 200);
  disc(180, 160, 5, 48);
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0.0, 1.0);
  for (int y = 0; y < picture.rows; ++y) {
    for (int x = 0; x < picture.cols; ++x)
      picture.at<uchar>(y, x) = cv::saturate_cast<uchar>(picture.at<uchar>(y, x) + noise(random));
  }
  return picture;
}

std::vector<RejectedSpot> RejectedIn(const cv::Mat& picture, const DetectionOptions& options) {
  const ToneTables tone(capture::LightOfGrey({}));
  std::vector<RejectedSpot> rejected;
  const CoarseSpots found =
      DetectCoarseSpots(picture, HalvedPicture(picture), tone, options, &rejected);
  for (const CoarseSpot& spot : found.spots)
    RefineSpot(spot, tone, found.limits, picture.size(), &rejected);
  return rejected;
}

/// The one rejected spot near a place.
RejectedSpot At(const std::vector<RejectedSpot>& rejected, double x, double y) {
  const auto near = [&](const RejectedSpot& spot) {
    return (spot.centre - Eigen::Vector2d(x, y)).norm() < 4.0;
  };
  EXPECT_EQ(std::ranges::count_if(rejected, near), 1) << x << ", " << y;
  const auto spot = std::ranges::find_if(rejected, near);
  return spot == rejected.end() ? RejectedSpot{} : *spot;
}

// Truth: what was drawn.
TEST(DetectCoarseSpots, SaysWhatIsNoSpotAndWhy) {
  const auto rejected = RejectedIn(DrawnFaults(), {.expected_diameter_px = 10.0});
  const RejectedSpot small = At(rejected, 120.5, 60.5), large = At(rejected, 180, 60),
                     bar = At(rejected, 59.5, 121.5), cut = At(rejected, 318, 120),
                     faint = At(rejected, 180, 160);
  EXPECT_EQ(small.fault, SpotFault::kTooSmall);
  EXPECT_EQ(small.value, 4.0);
  EXPECT_NEAR(small.limit, 0.06 * 78.5, 0.1);
  EXPECT_EQ(large.fault, SpotFault::kTooLarge);
  EXPECT_EQ(large.value, 441);  // pixels of a disc that OpenCV draws
  EXPECT_EQ(bar.fault, SpotFault::kNotRound);
  EXPECT_NEAR(bar.value, 10.0, 0.5);
  EXPECT_EQ(cut.fault, SpotFault::kAtBorder);
  EXPECT_EQ(faint.fault, SpotFault::kFaint);
  EXPECT_NEAR(faint.value, 8.0, 2.0);
  EXPECT_EQ(faint.limit, 10.0);
  // The marker is none of these, unless its place must be known better than it can be.
  EXPECT_EQ(rejected.size(), 5u);
  const auto strict =
      RejectedIn(DrawnFaults(), {.expected_diameter_px = 10.0, .max_centroid_sigma_px = 1e-4});
  EXPECT_EQ(At(strict, 60, 60).fault, SpotFault::kUnsure);
  EXPECT_EQ(At(strict, 60, 60).limit, 1e-4);
}

// -------------------------------------------------------------------------------------------
// labels

Blob SpotAt(const Eigen::Vector2d& pixel, const Blob& like) {
  Blob blob = like;
  blob.centre = pixel;
  return blob;
}

/// A trial with a spot of each kind that is no marker.
struct Staged {
  SyntheticTrial trial = MakeSyntheticTrial();
  TrialSpots spots;
  /// [fault]: its place in a left frame
  std::map<std::string, std::pair<int, Eigen::Vector2d>> at;

  Staged() {
    trial.body.markers.push_back({"U", {0.05, 0.0, -0.00625}});  // below the bar
    std::mt19937 random(41);
    spots.views = MakeSpots(trial, {.noise_px = 0.05}, &random);
    const auto blobs = [&](int frame) -> std::vector<Blob>& {
      return spots.views[0].frames[frame].blobs;
    };
    const auto add = [&](const std::string& fault, int frame, const Eigen::Vector2d& pixel) {
      blobs(frame).push_back(SpotAt(pixel, *Nearest(frame, Pixel(frame, 2))));
      at[fault] = {frame, pixel};
    };
    add("off the body", 20, Pixel(20, 2) + Eigen::Vector2d(30.0, 20.0));
    add("beside a marker", 22, Pixel(22, 2) + Eigen::Vector2d(0.8, 0.0));
    add("facing away", 24, Pixel(24, 6));
    Nearest(26, Pixel(26, 3))->area *= 20.0;
    at["wrong size"] = {26, Nearest(26, Pixel(26, 3))->centre};
    // Thirty sigmas from where the flight has the marker, and within what a pose allows.
    Nearest(28, Pixel(28, 1))->centre += Eigen::Vector2d(0.0, 0.85);
    at["against the flight"] = {28, Nearest(28, Pixel(28, 1))->centre};
    std::erase_if(blobs(50),
                  [&](const Blob& blob) { return (blob.centre - Pixel(50, 0)).norm() < 400.0; });
    std::erase_if(spots.views[1].frames[50].blobs, [](const Blob&) { return true; });
    add("no body", 50, Pixel(50, 0) + Eigen::Vector2d(5.0, 5.0));
    spots.views[0].frames[55].blobs.clear();
    spots.views[1].frames.resize(58);  // the left camera went on
    at["one camera only"] = {59, blobs(59).front().centre};
    at["standing still"] = {30, StandingSpot(30)};
    for (std::size_t side = 0; side < 2; ++side)
      spots.views[side].rejected.resize(spots.views[side].frames.size());
    spots.views[0].rejected[32].push_back({{7.0, 8.0}, SpotFault::kTooSmall, 3.0, 5.0});
    at["too small"] = {32, {7.0, 8.0}};
  }

  Eigen::Vector2d Pixel(int frame, int marker) const {
    const solver::FlightState<double> truth = trial.StateAt(frame / trial.frame_rate);
    return OpenCvPixel(trial.calibration, 0,
                       truth.q_WB * trial.body.markers[marker].p_BM + truth.p_WB);
  }
  Blob* Nearest(int frame, const Eigen::Vector2d& pixel) {
    return &*std::ranges::min_element(
        spots.views[0].frames[frame].blobs, {},
        [&](const Blob& blob) { return (blob.centre - pixel).norm(); });
  }
  /// A spot of the frame that was at the same place when the trial began.
  Eigen::Vector2d StandingSpot(int frame) const {
    for (const Blob& blob : spots.views[0].frames[frame].blobs) {
      for (const Blob& before : spots.views[0].frames[0].blobs) {
        if ((blob.centre - before.centre).norm() < 0.5) return blob.centre;
      }
    }
    return Eigen::Vector2d::Zero();
  }
  std::vector<InspectedFrame> Inspect(int every = 10) const {
    capture::Alignment alignment;
    alignment.found = true;
    TrackingOptions options;
    options.labels.keep_unlabelled = true;
    std::string reason;
    const TrackedTrial tracked = LabelSpots(
        {ViewsOf(trial.calibration), LayoutOf(trial.body), trial.body.body.inertia, trial.gravity},
        spots.views, alignment, options, &reason);
    EXPECT_EQ(reason, "");
    return InspectTrial(trial.body, spots, tracked, every);
  }
};

const InspectedSpot* Find(const InspectedFrame& frame, const Eigen::Vector2d& pixel) {
  for (const InspectedSpot& spot : frame.views[0].spots) {
    if ((spot.pixel - pixel).norm() < 1e-9) return &spot;
  }
  return nullptr;
}

// Truth: what was staged.
TEST(InspectTrial, SaysOfEachSpotWhatBecameOfIt) {
  const Staged staged;
  const std::vector<InspectedFrame> frames = staged.Inspect();
  ASSERT_EQ(frames.size(), 60u);
  for (const auto& [fault, where] : staged.at) {
    const InspectedSpot* spot = Find(frames[where.first], where.second);
    ASSERT_NE(spot, nullptr) << fault;
    EXPECT_EQ(spot->fault, fault) << spot->reason << spot->marker;
    EXPECT_TRUE(spot->reason.starts_with(fault)) << spot->reason;
    EXPECT_EQ(spot->marker, "") << fault;
  }
  const auto reason = [&](const std::string& fault) {
    const auto& [frame, pixel] = staged.at.at(fault);
    return Find(frames[frame], pixel)->reason;
  };
  EXPECT_THAT(reason("beside a marker"), HasSubstr(staged.trial.body.markers[2].name));
  EXPECT_THAT(reason("beside a marker"), HasSubstr("0.8 px off"));
  EXPECT_THAT(reason("facing away"), HasSubstr("U would be here"));
  EXPECT_THAT(reason("too small"), HasSubstr("3 px², at least 5 needed"));
}

// Each spot is in the list once: labelled as LabelSpots says, or rejected.
TEST(InspectTrial, LeavesOutNoSpotAndAddsNone) {
  const Staged staged;
  for (const InspectedFrame& frame : staged.Inspect()) {
    for (std::size_t side = 0; side < 2; ++side) {
      const InspectedView& view = frame.views[side];
      if (!view.frame) continue;
      const VideoSpots& video = staged.spots.views[side];
      EXPECT_EQ(view.spots.size(),
                video.frames[*view.frame].blobs.size() + video.rejected[*view.frame].size())
          << *view.frame;
    }
  }
}

TEST(InspectTrial, PicturesEverySoManyLeftFramesAndTheRightOnesBesideThem) {
  const Staged staged;
  int pictured = 0;
  for (const InspectedFrame& frame : staged.Inspect(20)) {
    EXPECT_EQ(frame.pictured, *frame.views[0].frame % 20 == 0);
    pictured += frame.pictured;
  }
  EXPECT_EQ(pictured, 3);
  EXPECT_THROW(InspectTrial({}, {}, {}, 0), std::invalid_argument);
}

// Where nothing has labels one wants to see what was found all the more.
TEST(InspectTrial, ShowsTheSpotsOfATrialWithoutLabels) {
  const Staged staged;
  const auto frames = InspectTrial(staged.trial.body, staged.spots, {}, 10);
  ASSERT_EQ(frames.size(), 60u);
  EXPECT_EQ(Find(frames[20], staged.at.at("off the body").second)->fault, "no body");
  EXPECT_EQ(Find(frames[30], staged.at.at("standing still").second)->fault, "standing still");
  EXPECT_TRUE(frames[20].pictured);
  EXPECT_EQ(frames[20].views[1].frame, 20);
}

// Nothing is kept that nobody asked for.
TEST(LabelSpots, KeepsNoReasonsUnlessAsked) {
  const Staged staged;
  capture::Alignment alignment;
  alignment.found = true;
  std::string reason;
  const TrackedTrial tracked =
      LabelSpots({ViewsOf(staged.trial.calibration), LayoutOf(staged.trial.body),
                  staged.trial.body.body.inertia, staged.trial.gravity},
                 staged.spots.views, alignment, {}, &reason);
  for (const TrackedFrame& frame : tracked.frames) EXPECT_TRUE(frame.unlabelled.empty());
}

}  // namespace
}  // namespace percuss::tracking
