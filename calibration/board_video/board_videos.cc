// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/board_video/board_videos.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "calibration/board_video/board_track.h"
#include "calibration/board_video/corner_instants.h"
#include "calibration/board_video/surface_video.h"
#include "calibration/board_video/video_pairing.h"
#include "calibration/board_video/view_choice.h"
#include "calibration/bundle/initial_estimate.h"
#include "capture/video/synchronisation.h"

namespace percuss::calibration {
namespace {

namespace fs = std::filesystem;

constexpr int kLeastSightings = 10;      // for a motion, and for a choice
constexpr std::size_t kNumViews = 30;    // more hardly help: what is left is common to all frames
constexpr std::size_t kRoughViews = 14;  // for a lens that is good enough to pair by
constexpr double kCornerPx = 0.1;        // what corners of a board at rest scatter
// By how much the times of two corners are unknown: with an unknown rolling shutter of 10 ms or so
// those of different rows, else by the jitter of the clocks [s].
constexpr double kUnknownRows = 3e-3, kKnownRows = 2e-4;
constexpr double kSearchShare = 0.7;  // of the time, for the progress

// Adds up the progress of cameras that are looked at in parallel.
class SharedProgress {
 public:
  SharedProgress(std::size_t count, std::function<void(double)> report)
      : done_(count, 0.0), report_(std::move(report)) {}

  std::function<void(double)> Part(std::size_t place, double first, double last) {
    return [this, place, first, last](double share) {
      const std::lock_guard lock(mutex_);
      done_[place] = first + share * (last - first);
      double sum = 0.0;
      for (const double part : done_) sum += part;
      if (report_) report_(sum / static_cast<double>(done_.size()));
    };
  }

 private:
  std::mutex mutex_;
  std::vector<double> done_;
  std::function<void(double)> report_;
};

BoardVideo VideoOf(const capture::Experiment& experiment, const fs::path& file) {
  return {file, experiment.board, experiment.tone, experiment.clock};
}

double LineTime(const capture::Experiment& experiment, std::size_t camera) {
  return camera < experiment.line_time.size() ? experiment.line_time[camera] : 0.0;
}

TimedPoints Timed(const BoardSighting& sighting, int height, double line_time) {
  TimedPoints points{.time = sighting.time, .points = sighting.corners.pixels};
  if (line_time == 0.0) return points;
  for (const Eigen::Vector2d& pixel : points.points) {
    points.delays.push_back(capture::RowDelay(pixel.y(), height, line_time));
  }
  return points;
}

// One camera with its video: the board in pixels, and as rays of a lens that is roughly known.
struct Watcher {
  BoardVideo video;
  BoardTrack track;
  double line_time = 0.0;
  std::vector<TimedPoints> pixels;
  Camera camera;
  RayTrack rays;

  double MaxGap() const { return 2.5 * track.step * track.Interval(); }
  double HalfWidth() const { return 0.5 * camera.width / camera.intrinsics[0]; }
};

TargetImage ImageOf(const BoardCorners& corners) {
  TargetImage image{.pixels = corners.pixels, .used = {}, .centroids = corners.pixels};
  for (const Eigen::Vector2d& pixel : image.pixels) {
    image.used.push_back(static_cast<char>(pixel.allFinite()));
  }
  return image;
}

// Views for the rough lens, chosen as if it were a pinhole.
std::vector<std::size_t> RoughViews(const Watcher& watcher,
                                    const std::vector<Eigen::Vector3d>& board) {
  const Eigen::Vector2d middle(0.5 * watcher.track.width, 0.5 * watcher.track.height);
  std::vector<Candidate> candidates;
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < watcher.pixels.size(); ++k) {
    std::vector<Eigen::Vector2d> rays = watcher.pixels[k].points;
    for (Eigen::Vector2d& ray : rays) ray = (ray - middle) / watcher.track.width;
    const auto at = PointsAt(watcher.pixels, watcher.pixels[k].time, watcher.MaxGap());
    const double speed = at ? SpeedOf(*at) : std::numeric_limits<double>::quiet_NaN();
    Candidate candidate{.place = ViewCoordinates(rays, board, 0.5),
                        .error_px = std::isfinite(speed) ? speed * kUnknownRows : kCornerPx};
    if (candidate.place.size() == 0) continue;
    candidates.push_back(std::move(candidate));
    places.push_back(k);
  }
  std::vector<std::size_t> views;
  for (const std::size_t k : ChooseViews(candidates, kRoughViews, kCornerPx)) {
    views.push_back(places[k]);
  }
  return views;
}

void EstimateRoughLens(const capture::Experiment& experiment, LensModel lens, Watcher* watcher) {
  Bundle bundle{.board = TargetPoints(experiment.board),
                .shape = {},
                .cameras = {{.width = watcher->track.width,
                             .height = watcher->track.height,
                             .lens = lens,
                             .intrinsics = {}}},
                .camera_from_first = {Pose{}},
                .views = {},
                .distances = {},
                .model = {}};
  for (const std::size_t k : RoughViews(*watcher, bundle.board)) {
    bundle.views.push_back(
        {.images = {ImageOf(watcher->track.sightings[k].corners)}, .board_from_first = {}});
  }
  EstimateStart(&bundle, PossibleOrders(experiment.board, true), 1);
  watcher->camera = bundle.cameras.front();
  watcher->rays = {.frames = watcher->pixels,
                   .focal_px = watcher->camera.intrinsics[0],
                   .max_gap = watcher->MaxGap()};
  for (TimedPoints& frame : watcher->rays.frames) {
    for (Eigen::Vector2d& point : frame.points) {
      if (point.allFinite()) point = Unproject(watcher->camera, point);
    }
  }
}

Watcher Watch(const capture::Experiment& experiment, std::size_t place,
              const std::function<void(double)>& progress) {
  const capture::CalibrationCamera& camera = experiment.calibration.cameras[place];
  Watcher watcher{.video = VideoOf(experiment, camera.images.front()),
                  .track = {},
                  .line_time = LineTime(experiment, place),
                  .pixels = {},
                  .camera = {},
                  .rays = {}};
  watcher.track = FollowBoard(watcher.video, kLeastSightings, progress);
  for (const BoardSighting& sighting : watcher.track.sightings) {
    watcher.pixels.push_back(Timed(sighting, watcher.track.height, watcher.line_time));
  }
  EstimateRoughLens(experiment, camera.lens, &watcher);
  return watcher;
}

// The instants of the first camera's frames that are worth most, with those of the other one.
std::vector<double> ChooseInstants(const std::vector<Watcher>& watchers,
                                   const VideoPairing& pairing,
                                   const std::vector<Eigen::Vector3d>& board) {
  std::vector<Candidate> candidates;
  std::vector<double> instants;
  for (const TimedPoints& frame : watchers.front().rays.frames) {
    Candidate candidate;
    for (std::size_t c = 0; c < watchers.size(); ++c) {
      const Watcher& watcher = watchers[c];
      const double time = c == 0 ? frame.time : pairing.RightTime(frame.time);
      const auto at = PointsAt(watcher.rays.frames, time, watcher.rays.max_gap);
      const Eigen::VectorXd place =
          at ? ViewCoordinates(at->points, board, watcher.HalfWidth()) : Eigen::VectorXd();
      const double speed = at ? watcher.rays.focal_px * SpeedOf(*at) : 0.0;
      if (place.size() == 0 || !std::isfinite(speed)) {
        candidate.place = {};
        break;
      }
      const double unknown = watcher.line_time == 0.0 ? kUnknownRows : kKnownRows;
      candidate.error_px = std::hypot(candidate.error_px, speed * unknown);
      Eigen::VectorXd joined(candidate.place.size() + place.size());
      joined << candidate.place, place;
      candidate.place = joined;
    }
    if (candidate.place.size() == 0) continue;
    candidates.push_back(std::move(candidate));
    instants.push_back(frame.time);
  }
  std::vector<double> chosen;
  for (const std::size_t k : ChooseViews(candidates, kNumViews, kCornerPx)) {
    chosen.push_back(instants[k]);
  }
  return chosen;
}

// Two frames before an instant and two after it; the frame itself counts as after.
std::vector<int> FramesAbout(const BoardTrack& track, double time) {
  constexpr double kSame = 1e-9;  // [s]
  const auto after = std::ranges::lower_bound(track.times, time - kSame) - track.times.begin();
  std::vector<int> frames;
  for (std::ptrdiff_t k = after - 2; k < after + 2; ++k) {
    if (k >= 0 && k < std::ssize(track.times)) frames.push_back(static_cast<int>(k));
  }
  return frames;
}

// The place of an instant among the frames, with its fraction.
double FrameNumber(const BoardTrack& track, double time) {
  const auto after = std::ranges::lower_bound(track.times, time - 1e-9) - track.times.begin();
  if (after == 0) return 0.0;
  if (after == std::ssize(track.times)) return static_cast<double>(after - 1);
  const double before = track.times[static_cast<std::size_t>(after - 1)];
  const double next = track.times[static_cast<std::size_t>(after)];
  return static_cast<double>(after - 1) + (time - before) / (next - before);
}

fs::path NameOf(const BoardTrack& track, double time) {
  const double number = FrameNumber(track, time);
  const double whole = std::round(number);
  return track.file.string() + (std::abs(number - whole) < 0.005
                                    ? fmt::format(" frame {:.0f}", whole)
                                    : fmt::format(" frame {:.2f}", number));
}

// The corners of one camera at the instants, from full-size frames.
std::vector<BoardCorners> MeasureAt(const Watcher& watcher, const std::vector<double>& times,
                                    const std::function<void(double)>& progress) {
  std::set<int> needed;
  for (const double time : times) {
    for (const int frame : FramesAbout(watcher.track, time)) needed.insert(frame);
  }
  const std::map<int, BoardSighting> found =
      MeasureFrames(watcher.video, {needed.begin(), needed.end()}, progress);
  std::vector<TimedPoints> points;
  std::vector<const BoardCorners*> corners;
  for (const auto& [frame, sighting] : found) {
    points.push_back(Timed(sighting, watcher.track.height, watcher.line_time));
    corners.push_back(&sighting.corners);
  }
  std::vector<BoardCorners> results;
  for (const double time : times) {
    BoardCorners& result = results.emplace_back();
    const auto at = PointsAt(points, time, 2.5 * watcher.track.Interval());
    if (!at) {
      result.reason = "the board is not found in the frames about it";
      continue;
    }
    const auto near = std::ranges::lower_bound(points, time - 1e-9, {}, &TimedPoints::time);
    result = *corners[static_cast<std::size_t>(std::min(near, points.end() - 1) - points.begin())];
    result.pixels = at->points;
    for (std::size_t k = 0; k < result.pixels.size(); ++k) {
      result.covariances_px2[k] *= at->noise * at->noise;
      if (!result.pixels[k].allFinite()) {
        result.covariances_px2[k].setConstant(std::numeric_limits<double>::quiet_NaN());
      }
    }
  }
  return results;
}

void CheckSize(const fs::path& file, int width, int height, const std::string& camera,
               std::array<int, 2>* size) {
  if ((*size)[0] == 0) *size = {width, height};
  if (*size == std::array{width, height}) return;
  throw InputError(fmt::format(
      "{}: video size {} x {} px, allowed is {} x {} px as in the other pictures of the {} camera",
      file.string(), width, height, (*size)[0], (*size)[1], camera));
}

VideoPairing Pair(const std::vector<Watcher>& watchers) {
  if (watchers.size() < 2) return {.found = true, .reason = {}};
  VideoPairing pairing = PairVideos(watchers[0].rays, watchers[1].rays);
  if (pairing.found) return pairing;
  throw DataError(fmt::format("calibration: {} and {} cannot be paired: {}",
                              watchers[0].video.file.string(), watchers[1].video.file.string(),
                              pairing.reason));
}

void AddWavedBoard(const capture::Experiment& experiment, int num_threads,
                   const std::function<void(double)>& progress, BoardImages* images) {
  const std::size_t count = experiment.calibration.cameras.size();
  SharedProgress shared(count, progress);
  std::vector<Watcher> watchers(count);
  ParallelFor(static_cast<int>(count), num_threads, [&](int c) {
    const auto camera = static_cast<std::size_t>(c);
    watchers[camera] = Watch(experiment, camera, shared.Part(camera, 0.0, kSearchShare));
  });
  for (std::size_t c = 0; c < count; ++c) {
    const BoardTrack& track = watchers[c].track;
    CheckSize(track.file, track.width, track.height, images->cameras[c], &images->sizes[c]);
  }
  const VideoPairing pairing = Pair(watchers);
  const std::vector<double> instants =
      ChooseInstants(watchers, pairing, TargetPoints(experiment.board));
  std::vector<BoardView> views(instants.size());
  for (BoardView& view : views) {
    view.files.resize(count);
    view.corners.resize(count);
  }
  ParallelFor(static_cast<int>(count), num_threads, [&](int c) {
    const auto camera = static_cast<std::size_t>(c);
    std::vector<double> times = instants;
    if (c > 0)
      std::ranges::transform(times, times.begin(), [&](double t) { return pairing.RightTime(t); });
    std::vector<BoardCorners> corners =
        MeasureAt(watchers[camera], times, shared.Part(camera, kSearchShare, 1.0));
    for (std::size_t v = 0; v < views.size(); ++v) {
      views[v].files[camera] = NameOf(watchers[camera].track, times[v]);
      views[v].corners[camera] = std::move(corners[v]);
    }
  });
  images->views.insert(images->views.end() - 1, std::make_move_iterator(views.begin()),
                       std::make_move_iterator(views.end()));
}

void AddSurfaceVideos(const capture::Experiment& experiment, int num_threads, BoardImages* images) {
  const auto& cameras = experiment.calibration.cameras;
  BoardView& surface = images->views.back();
  ParallelFor(static_cast<int>(cameras.size()), num_threads, [&](int c) {
    const auto camera = static_cast<std::size_t>(c);
    const fs::path& file = cameras[camera].surface;
    if (file.empty() || !capture::IsVideoName(file)) return;
    RestingBoard board = MeasureRestingBoard(VideoOf(experiment, file));
    CheckSize(file, board.width, board.height, images->cameras[camera], &images->sizes[camera]);
    surface.files[camera] =
        file.string() +
        (board.num_used > 0 ? fmt::format(" mean of {} frames", board.num_used) : "");
    surface.corners[camera] = std::move(board.corners);
  });
}

}  // namespace

void AddBoardVideos(const capture::Experiment& experiment, int num_threads,
                    const std::function<void(double)>& progress, BoardImages* images) {
  AddSurfaceVideos(experiment, num_threads, images);
  if (experiment.calibration.FromVideos()) {
    AddWavedBoard(experiment, num_threads, progress, images);
  }
}

}  // namespace percuss::calibration
