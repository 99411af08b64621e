// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/timing.h"
#include "benchmarks/tracking/tracking_table.h"
#include "calibration/calibrate.h"
#include "capture/experiment/experiment.h"
#include "capture/video/synchronisation.h"
#include "capture/video/tone.h"
#include "capture/video/video.h"
#include "tests/tracking/spots/all_spots.h"
#include "tracking/labels/marker_tracking.h"
#include "tracking/spots/marker_detection.h"
#include "tracking/spots/spot_scan.h"

namespace percuss::benchmarks {
namespace {

namespace fs = std::filesystem;
using Videos = std::array<fs::path, 2>;

double Milliseconds(const auto& function) { return 1e-6 * Nanoseconds(function); }

bool FfmpegIsInstalled() {
  return std::system("ffmpeg -version > /dev/null 2>&1") == 0;  // NOLINT: the user's own shell
}

/// Both videos decoded and thrown away, at once or one after the other [ms].
double FfmpegToNull(const Videos& videos, bool at_once) {
  const auto command = [](const fs::path& video) {
    return fmt::format("ffmpeg -v error -nostdin -i '{}' -f null -", video.string());
  };
  const std::string both =
      at_once ? fmt::format("{} & {}; wait", command(videos[0]), command(videos[1]))
              : fmt::format("{}; {}", command(videos[0]), command(videos[1]));
  return Milliseconds([&] {
    if (std::system(both.c_str()) != 0) throw std::runtime_error("ffmpeg failed: " + both);
  });
}

void Decode(const fs::path& video) {
  capture::VideoReader reader(video);
  while (reader.NextStored()) {
  }
}

/// Both videos through our own reader, a thread each, and thrown away [ms].
double DecodeAlone(const Videos& videos) {
  return Milliseconds([&] {
    std::thread right(Decode, videos[1]);
    Decode(videos[0]);
    right.join();
  });
}

/// Time of one thread at one video [ms per frame].
struct FrameCost {
  double decode = 0.0, scan = 0.0, measure_and_rest = 0.0;
};

FrameCost CostPerFrame(const fs::path& video, const tracking::DetectionOptions& options) {
  const auto light = capture::LightOfStudioGrey({});
  FrameCost cost;
  capture::VideoReader reader(video);
  int count = 0;
  while (true) {
    std::optional<capture::StoredFrame> frame;
    cost.decode += Milliseconds([&] { frame = reader.NextStored(); });
    if (!frame) break;
    cv::Mat halved;
    const double scan = Milliseconds([&] {
      halved = tracking::HalvedPicture(frame->luma);
      tracking::ScanForSpots(frame->luma, halved,
                             {.diameter_px = options.expected_diameter_px,
                              .min_contrast_grey = options.min_contrast_grey});
    });
    cost.scan += scan;
    cost.measure_and_rest +=
        Milliseconds([&] { tracking::DetectBlobs(frame->luma, halved, light, options); }) - scan;
    ++count;
  }
  return {cost.decode / count, cost.scan / count, cost.measure_and_rest / count};
}

BoundRow Row(const std::string& name, const std::string& unit, double measured) {
  BoundRow row{name, unit};
  row.measured = measured;
  return row;
}

/// Time from the spots of both videos to labels [ms]; the cameras are genlocked and show a flash.
double LabelTime(const capture::Experiment& experiment, const capture::Trial& trial,
                 const calibration::RigCalibration& calibration,
                 const std::array<tracking::VideoSpots, 2>& spots) {
  const tracking::TrackedBody body{tracking::ViewsOf(calibration),
                                   tracking::LayoutOf(experiment.body, false),
                                   experiment.body.body.inertia, trial.gravity};
  std::array<std::vector<double>, 2> times;
  for (std::size_t side = 0; side < 2; ++side)
    for (const tracking::FrameBlobs& frame : spots[side].frames) times[side].push_back(frame.time);
  const capture::Alignment alignment = capture::AlignByFlash(
      spots[0].mean_grey, spots[1].mean_grey, times[0], times[1], /*genlocked=*/true);
  std::string reason;
  const double time =
      Milliseconds([&] { tracking::LabelSpots(body, spots, alignment, {}, &reason); });
  if (!reason.empty()) throw std::runtime_error(trial.name + ": " + reason);
  return time;
}

/// Processor time of one thread from two files to labelled markers over that of decoding them.
double OneThreadRatio(const capture::Experiment& experiment, const capture::Trial& trial,
                      const calibration::RigCalibration& calibration) {
  tracking::TrackingOptions options;
  options.num_threads = 1;
  const double ours = ProcessorNanoseconds(
      [&] { tracking::TrackMarkers(experiment, trial, calibration, options); });
  return ours / ProcessorNanoseconds([&] {
           Decode(trial.left);
           Decode(trial.right);
         });
}

/// One trial of an experiment: everything from two files to labelled markers, against decoding.
BoundSection MeasureTrial(const capture::Experiment& experiment, const capture::Trial& trial,
                          const calibration::RigCalibration& calibration, bool ffmpeg) {
  constexpr int kRepetitions = 9;
  const Videos videos = {trial.left, trial.right};
  std::vector<double> ours, reader, at_once, in_turn, over_reader, over_ffmpeg, one_thread;
  const auto track = [&] { tracking::TrackMarkers(experiment, trial, calibration); };
  track();  // files into memory
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    ours.push_back(Milliseconds(track));
    reader.push_back(DecodeAlone(videos));
    over_reader.push_back(ours.back() / reader.back());
    one_thread.push_back(OneThreadRatio(experiment, trial, calibration));
    if (!ffmpeg) continue;
    at_once.push_back(FfmpegToNull(videos, true));
    in_turn.push_back(FfmpegToNull(videos, false));
    over_ffmpeg.push_back(ours.back() / at_once.back());
  }
  BoundSection section;
  section.heading = fmt::format("{}, {}: both videos, median of {} runs in turn", experiment.name,
                                trial.name, kRepetitions);
  section.rows.push_back(Row("detection and tracking", "ms", Quantile(ours, 0.5)));
  section.rows.push_back(
      Row("detection and tracking / decoding, own reader, processor time, 1 thread", "",
          Quantile(one_thread, 0.5)));
  section.rows.back().highest = 1.3;
  section.rows.push_back(
      Row("decoding alone, own reader, both at once", "ms", Quantile(reader, 0.5)));
  section.rows.push_back(
      Row("detection and tracking / decoding, own reader", "", Quantile(over_reader, 0.5)));
  if (ffmpeg) {
    section.rows.push_back(
        Row("decoding alone, ffmpeg to null, both at once", "ms", Quantile(at_once, 0.5)));
    section.rows.push_back(
        Row("decoding alone, ffmpeg to null, one after the other", "ms", Quantile(in_turn, 0.5)));
    section.rows.push_back(Row("detection and tracking / ffmpeg to null, both at once", "",
                               Quantile(over_ffmpeg, 0.5)));
    section.rows.back().highest = 1.5;
    section.remarks.push_back(
        "speed: ffmpeg to null is `ffmpeg -v error -nostdin -i VIDEO -f null -`, a process for "
        "each "
        "video, threads by its default, the start of the program included");
  } else {
    section.remarks.push_back(
        "speed: not measured against ffmpeg: the program is not installed (Debian package ffmpeg)");
  }

  tracking::DetectionOptions options;
  options.expected_diameter_px = tracking::ExpectedMarkerDiameter(tracking::ViewsOf(calibration),
                                                                  experiment.body.marker_diameter);
  const FrameCost cost = CostPerFrame(trial.left, options);
  section.rows.push_back(Row("left video, one thread, per frame: decoding", "ms", cost.decode));
  section.rows.push_back(Row("  scanning for spots", "ms", cost.scan));
  section.rows.push_back(Row("  noise and measurement of spots", "ms", cost.measure_and_rest));
  std::array<tracking::VideoSpots, 2> spots;
  const double spots_time = Milliseconds([&] {
    for (std::size_t side = 0; side < 2; ++side)
      spots[side] = tracking::FindSpots(videos[side], experiment.clock, experiment.tone, options);
  });
  section.rows.push_back(
      Row("both videos one after the other: spots of all frames", "ms", spots_time));
  section.rows.push_back(
      Row("  labels of all spots", "ms", LabelTime(experiment, trial, calibration, spots)));
  return section;
}

}  // namespace

std::vector<BoundSection> MeasureTrackingSpeed(const std::filesystem::path& data) {
  const bool ffmpeg = FfmpegIsInstalled();
  std::vector<BoundSection> sections;
  for (const char* set : {"bar-drop", "cube-drop"}) {
    const capture::Experiment experiment = capture::ReadExperiment(data / set / "experiment.yaml");
    const calibration::RigCalibration calibration = calibration::CalibrateRig(experiment);
    sections.push_back(MeasureTrial(experiment, experiment.trials.front(), calibration, ffmpeg));
  }
  return sections;
}

}  // namespace percuss::benchmarks
