// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/pictures.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "base/text/json_text.h"
#include "calibration/rig/view.h"
#include "capture/video/video.h"
#include "solver/body/flight.h"
#include "solver/body/shape_outline.h"

namespace percuss::tracking {
namespace {

using json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::array<const char*, 3> kMoments = {"before", "at", "after"};

json ToJson(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

json ToJson(const BodyPose& pose) {
  const Eigen::Quaterniond& q = pose.q_WB;
  return {{"position", ToJson(pose.p_WB)}, {"orientation", {q.w(), q.x(), q.y(), q.z()}}};
}

/// The frame that a camera and both of left and right took, with a pose, nearest to a time; nothing
/// farther away than half the interval that the caller looks for.
const TrackedFrame* FrameNear(const TrackedTrial& tracked, std::size_t side, double time,
                              double within) {
  const TrackedFrame* nearest = nullptr;
  for (std::size_t k = 0; k < tracked.frames.size(); ++k) {
    const TrackedFrame& frame = tracked.frames[k];
    if (!frame.pose.found || !frame.has_picture[0] || !frame.has_picture[1]) continue;
    if (FrameOf(tracked, k, side) < 0) continue;
    const double distance = std::abs(frame.time - time);
    if (distance <= within && (!nearest || distance < std::abs(nearest->time - time)))
      nearest = &frame;
  }
  return nearest;
}

/// The pose of a frame taken to another time near to it, with the velocities of its flight.
BodyPose PoseAt(const TrackedFrame& frame, double time, const impacts::ImpactRecord& impact,
                const Eigen::Matrix3d& inertia_B) {
  const BodyPose& pose = frame.pose.pose;
  if (time == frame.time) return pose;
  const bool before = time < impact.time;
  solver::FlightState<double> state{.p_WB = pose.p_WB, .q_WB = pose.q_WB};
  state.v = (before ? impact.v : impact.v_post) + (frame.time - impact.time) * impact.gravity;
  state.w = before ? impact.w : impact.w_post;
  state = solver::PropagateFlight<double>(state, inertia_B, impact.gravity, time - frame.time);
  return {state.p_WB, state.q_WB};
}

double FrameInterval(const std::vector<TrackedFrame>& frames) {
  return (frames.back().time - frames.front().time) /
         std::max<double>(1.0, static_cast<double>(frames.size()) - 1.0);
}

/// The part of the image that shows the body in all these frames.
cv::Rect RegionOf(const std::vector<const TrackedFrame*>& frames,
                  const std::vector<Eigen::Vector3d>& outline, const View& view, double margin) {
  Eigen::Vector2d low = Eigen::Vector2d::Constant(std::numeric_limits<double>::infinity());
  Eigen::Vector2d high = -low;
  for (const TrackedFrame* frame : frames) {
    for (const Eigen::Vector3d& point : outline) {
      const auto seen = ProjectPoint(view, frame->pose.pose.q_WB * point + frame->pose.pose.p_WB);
      if (!seen) continue;
      low = low.cwiseMin(seen->pixel);
      high = high.cwiseMax(seen->pixel);
    }
  }
  const cv::Rect image(0, 0, view.camera.width, view.camera.height);
  if (!low.allFinite() || !high.allFinite()) return image;
  const double border = margin * (high - low).maxCoeff();
  const auto floor = [&](double value) { return static_cast<int>(std::floor(value - border)); };
  const auto ceil = [&](double value) { return static_cast<int>(std::ceil(value + border)); };
  const cv::Rect body(cv::Point(floor(low.x()), floor(low.y())),
                      cv::Point(ceil(high.x()) + 1, ceil(high.y()) + 1));
  const cv::Rect region = body & image;
  return region.area() > 0 ? region : image;
}

json MarkersJson(const TrackedFrame& frame, int side, const capture::MarkedBody& body) {
  json markers = json::array();
  for (const MarkerObservation& seen : frame.observations) {
    if (seen.side != side) continue;
    markers.push_back(
        {{"name", body.markers[seen.marker].name}, {"pixel", {seen.pixel.x(), seen.pixel.y()}}});
  }
  return markers;
}

void SavePicture(const cv::Mat& luma, const cv::Rect& region, const PictureOptions& options,
                 const fs::path& file) {
  cv::Mat part = luma(region & cv::Rect(0, 0, luma.cols, luma.rows));
  if (part.cols > options.max_width) {
    const double scale = static_cast<double>(options.max_width) / part.cols;
    cv::Mat smaller;
    cv::resize(part, smaller, {}, scale, scale, cv::INTER_AREA);
    part = smaller;
  }
  std::vector<uchar> bytes;
  cv::imencode(".jpg", part, bytes, {cv::IMWRITE_JPEG_QUALITY, options.jpeg_quality});
  WriteFileAtomically(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

/// Pictures of one impact by one camera.
struct Strip {
  int impact = 0;  ///< of the trial, from 0
  int side = 0;
  std::string camera;
  const TrialImpact* result = nullptr;
  std::array<const TrackedFrame*, 3> frames{};  ///< before, at, after; nullptr where there is none
};

void WriteStrip(const Strip& strip, const TrackedTrial& tracked, const View& view,
                const std::vector<Eigen::Vector3d>& outline, const capture::Experiment& experiment,
                const fs::path& folder, const PictureOptions& options, capture::VideoReader* reader,
                json* pictures) {
  std::vector<const TrackedFrame*> shown;
  std::copy_if(strip.frames.begin(), strip.frames.end(), std::back_inserter(shown),
               [](const TrackedFrame* frame) { return frame != nullptr; });
  const cv::Rect region = RegionOf(shown, outline, view, options.margin);
  int last = -1;
  for (std::size_t m = 0; m < strip.frames.size(); ++m) {
    if (!strip.frames[m]) continue;
    const TrackedFrame& frame = *strip.frames[m];
    const int index = FrameOf(tracked, static_cast<std::size_t>(&frame - tracked.frames.data()),
                              static_cast<std::size_t>(strip.side));
    if (index <= last) continue;  // the video has the same picture for both
    last = index;
    reader->SkipTo(index);
    const auto picture = reader->Next();
    if (!picture) continue;
    const std::string name =
        fmt::format("{}-{}-{}.jpg", strip.impact + 1, strip.camera, kMoments[m]);
    SavePicture(picture->luma, region, options, folder / name);
    const double time = ExposureTime(frame, strip.side, strip.result->fit.clock_offset[strip.side]);
    const BodyPose pose = PoseAt(frame, time, strip.result->record, experiment.body.body.inertia);
    pictures->push_back({{"file", name},
                         {"camera", strip.camera},
                         {"moment", kMoments[m]},
                         {"frame", index},
                         {"time", time},
                         {"region_px", {region.x, region.y, region.width, region.height}},
                         {"markers", MarkersJson(frame, strip.side, experiment.body)},
                         {"pose", ToJson(pose)}});
  }
}

}  // namespace

void WritePictures(const capture::Experiment& experiment, const capture::Trial& trial,
                   const TrialResult& result, const calibration::RigCalibration& calibration,
                   const Provenance& provenance, const fs::path& folder,
                   const PictureOptions& options) {
  RemoveOutdated(folder);
  if (result.impacts.empty()) return;
  const Views views = trial.FromVideos() ? ViewsOf(calibration) : Views();
  const std::vector<TrackedFrame>& frames = result.tracked.frames;
  const std::vector<Eigen::Vector3d> outline = solver::OutlinePoints(experiment.body.body.shape);
  const double interval = FrameInterval(frames), apart = std::max(options.interval, interval);

  json impacts = json::array();
  for (std::size_t i = 0; i < result.impacts.size(); ++i) {
    const impacts::ImpactRecord& record = result.impacts[i].record;
    impacts.push_back({{"trial", record.trial},
                       {"time", record.time},
                       {"pose", ToJson(BodyPose{record.p_WB, record.q_WB})},
                       {"gravity", ToJson(record.gravity)},
                       {"pictures", json::array()}});
  }
  const std::size_t num_impacts =
      std::min(result.impacts.size(), static_cast<std::size_t>(options.max_impacts));
  for (std::size_t c = 0; c < views.size(); ++c) {
    if (trial.Video(c).empty()) continue;
    capture::VideoReader reader(trial.Video(c), experiment.clock);
    double next = -std::numeric_limits<double>::infinity();  // no picture twice, nor backwards
    for (std::size_t i = 0; i < num_impacts; ++i) {
      const double time = result.impacts[i].record.time;
      if (time - 1.5 * apart < next) continue;
      next = time + 1.5 * apart;
      Strip strip{.impact = static_cast<int>(i),
                  .side = static_cast<int>(c),
                  .camera = calibration.cameras[c].name,
                  .result = &result.impacts[i],
                  .frames = {}};
      for (int m = 0; m < 3; ++m) {
        strip.frames[m] = FrameNear(result.tracked, c, time + (m - 1) * apart, 0.75 * interval);
      }
      WriteStrip(strip, result.tracked, views[c], outline, experiment, folder, options, &reader,
                 &impacts[i]["pictures"]);
    }
  }
  json points = json::array(), inertia = json::array();
  for (const Eigen::Vector3d& point : outline) points.push_back(ToJson(point));
  for (int row = 0; row < 3; ++row) {
    inertia.push_back(ToJson(Eigen::Vector3d(experiment.body.body.inertia.row(row))));
  }
  json document = JsonHead(provenance.format, provenance);
  document.update({{"outline", points}, {"inertia", inertia}, {"impacts", impacts}});
  WriteFileAtomically(folder / "pictures.json", JsonText(document, 1));
}

}  // namespace percuss::tracking
