// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/tracking/arcs/synthetic_trial.h"

#include <algorithm>
#include <opencv2/calib3d.hpp>

#include "tracking/labels/layout_search.h"

namespace percuss::tracking {
namespace {

calibration::Pose LookAt(const Eigen::Vector3d& eye, const Eigen::Vector3d& target) {
  const Eigen::Vector3d z = (target - eye).normalized();
  const Eigen::Vector3d x = z.cross(Eigen::Vector3d::UnitZ()).normalized();
  Eigen::Matrix3d R;
  R << x.transpose(), z.cross(x).transpose(), z.transpose();
  return {R, -R * eye};
}

/// Where a marker is seen at a time: a disc's image centre, so that the truth is the model's (the
/// shift itself is tested in view_test.cc).
Eigen::Vector2d DiscPixel(const SyntheticTrial& trial, const MarkerLayout& layout,
                          const Views& views, int marker, int side, double time) {
  const solver::FlightState<double> state = trial.StateAt(time);
  const View& view = views[static_cast<std::size_t>(side)];
  const auto m = static_cast<std::size_t>(marker);
  const Eigen::Vector3d p_C = view.camera_from_world * (state.q_WB * layout.p_BM[m] + state.p_WB);
  const Eigen::Vector3d seen_C =
      DiscImageCentre<double>(p_C, view.camera_from_world.R * (state.q_WB * layout.normal_B[m]),
                              0.5 * layout.marker_diameter);
  return OpenCvPixel(trial.calibration, side, view.camera_from_world.Inverse() * seen_C);
}

}  // namespace

SyntheticTrial MakeSyntheticTrial() {
  SyntheticTrial trial;
  calibration::RigCalibration& calibration = trial.calibration;
  calibration.cameras = {
      {.name = "left",
       .camera = {.width = 1280,
                  .height = 720,
                  .intrinsics = {1060.0, 1061.0, 652.0, 348.0, -0.21, 0.08, 0.001, -0.0008}},
       .from_first = {}},
      {.name = "right",
       .camera = {.width = 1280,
                  .height = 720,
                  .intrinsics = {1010.0, 1008.0, 621.0, 371.0, -0.15, 0.05, -0.0006, 0.0009}},
       .from_first = {}}};
  const int size = calibration::NumRigParameters(2);
  calibration.covariance = Eigen::MatrixXd::Zero(size, size);
  const calibration::Pose left = LookAt({-0.15, -0.95, 0.55}, {0.05, 0.0, 0.15});
  const calibration::Pose right = LookAt({0.20, -0.97, 0.52}, {0.05, 0.0, 0.15});
  calibration.world_from_first = left.Inverse();
  calibration.cameras[1].from_first = right * left.Inverse();

  trial.body.body.shape = solver::Box{{0.3065, 0.0515, 0.0125}};
  trial.body.body.mass = 0.185;
  trial.body.body.inertia = solver::UniformInertia(trial.body.body.shape, trial.body.body.mass);
  trial.body.marker_diameter = 0.008;
  const double z = 0.00625;
  trial.body.markers = {{"A1", {-0.139, 0.0125, z}},  {"A2", {-0.087, -0.014, z}},
                        {"A3", {-0.0215, 0.0155, z}}, {"A4", {0.034, -0.011, z}},
                        {"A5", {0.0985, 0.0135, z}},  {"A6", {0.1375, -0.015, z}}};
  // The marked face looks at the cameras, the bar leans on its lower right corner.
  trial.before.q_WB = Eigen::AngleAxisd(0.7, Eigen::Vector3d::UnitY()) *
                      Eigen::AngleAxisd(1.25, Eigen::Vector3d::UnitX()) *
                      Eigen::Quaterniond::Identity();
  const Eigen::Vector3d down_B = trial.before.q_WB.conjugate() * Eigen::Vector3d(0, 0, -1);
  const Eigen::Vector3d lowest =
      trial.before.q_WB * solver::SupportPoint(trial.body.body.shape, down_B);
  trial.before.p_WB = Eigen::Vector3d(0.03, -0.02, -lowest.z());
  trial.before.v = Eigen::Vector3d(0.41, 0.06, -2.0);
  trial.before.w = Eigen::Vector3d(-0.8, 1.7, 0.6);
  trial.v_post = Eigen::Vector3d(0.28, 0.02, 0.55);
  trial.w_post = Eigen::Vector3d(-2.2, -6.1, 1.3);
  return trial;
}

SyntheticTrial MakeFourCameraTrial() {
  SyntheticTrial trial = MakeSyntheticTrial();
  calibration::RigCalibration& calibration = trial.calibration;
  const calibration::Pose world_from_left = calibration.world_from_first;
  const auto add = [&](const char* name, const calibration::Camera& like,
                       const Eigen::Vector3d& eye) {
    calibration.cameras.push_back({name, like, LookAt(eye, {0.05, 0.0, 0.15}) * world_from_left});
  };
  add("third", calibration.cameras[1].camera, {-0.55, -0.75, 0.62});
  add("fourth", calibration.cameras[0].camera, {0.62, -0.78, 0.45});
  const int size = calibration::NumRigParameters(4);
  calibration.covariance = Eigen::MatrixXd::Zero(size, size);
  trial.further_offsets = {0.31 / trial.frame_rate, -0.18 / trial.frame_rate};
  return trial;
}

SyntheticTrial MakePlanarTrial() {
  SyntheticTrial trial = MakeSyntheticTrial();
  trial.planar = true;
  calibration::RigCalibration& calibration = trial.calibration;
  calibration.cameras.resize(1);
  calibration.planar = true;
  const int size = calibration::NumRigParameters(1);
  calibration.covariance = Eigen::MatrixXd::Zero(size, size);
  calibration.world_from_first = LookAt({0.02, -1.05, 0.21}, {0.05, 0.0, 0.15}).Inverse();

  trial.body.body.shape = solver::Box{{0.30, 0.012, 0.016}};
  trial.body.body.inertia = solver::UniformInertia(trial.body.body.shape, trial.body.body.mass);
  const double y = -0.006;
  trial.body.markers = {
      {"A", {-0.14, y, 0}}, {"B", {-0.05, y, 0}}, {"C", {0.065, y, 0}}, {"D", {0.135, y, 0}}};
  trial.before.q_WB = Eigen::AngleAxisd(0.7, Eigen::Vector3d::UnitY());
  const Eigen::Vector3d down_B = trial.before.q_WB.conjugate() * Eigen::Vector3d(0, 0, -1);
  const Eigen::Vector3d lowest =
      trial.before.q_WB * solver::SupportPoint(trial.body.body.shape, down_B);
  trial.before.p_WB = Eigen::Vector3d(0.03, 0.0, -lowest.z());
  trial.before.v = Eigen::Vector3d(0.41, 0.0, -2.0);
  trial.before.w = Eigen::Vector3d(0.0, 1.7, 0.0);
  trial.v_post = Eigen::Vector3d(0.28, 0.0, 0.55);
  trial.w_post = Eigen::Vector3d(0.0, -6.1, 0.0);
  return trial;
}

MarkerLayout LayoutOf(const SyntheticTrial& trial) { return LayoutOf(trial.body, trial.planar); }

solver::FlightState<double> SyntheticTrial::StateAt(double time) const {
  const Eigen::Matrix3d& inertia = body.body.inertia;
  if (time >= impact_time) {
    solver::FlightState<double> after = before;
    after.v = v_post;
    after.w = w_post;
    return solver::PropagateFlight(after, inertia, gravity, time - impact_time);
  }
  solver::FlightState<double> state =
      solver::PropagateFlight(before, inertia, gravity, std::max(time, release_time) - impact_time);
  if (time < release_time) state.v = state.w = Eigen::Vector3d::Zero();
  return state;
}

Eigen::Vector2d OpenCvPixel(const calibration::RigCalibration& calibration, int side,
                            const Eigen::Vector3d& p_W) {
  const auto camera = static_cast<std::size_t>(side);
  const Eigen::Vector3d p_C = calibration.CameraFromWorld(camera) * p_W;
  const auto& k = calibration.cameras[camera].camera.intrinsics;
  const cv::Matx33d K(k[0], 0, k[2], 0, k[1], k[3], 0, 0, 1);
  const std::vector<double> distortion(k.begin() + 4, k.begin() + 9);
  std::vector<cv::Point2d> pixels;
  cv::projectPoints(std::vector<cv::Point3d>{{p_C.x(), p_C.y(), p_C.z()}}, cv::Vec3d(0, 0, 0),
                    cv::Vec3d(0, 0, 0), K, distortion, pixels);
  return {pixels[0].x, pixels[0].y};
}

std::vector<VideoSpots> MakeSpotsOfAll(const SyntheticTrial& trial, const SpotOptions& options,
                                       std::mt19937* random) {
  const MarkerLayout layout = LayoutOf(trial);
  const Views views = ViewsOf(trial.calibration);
  std::normal_distribution<double> noise(0.0, options.noise_px > 0.0 ? options.noise_px : 1.0);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::vector<VideoSpots> spots(views.size());
  for (int side = 0; side < static_cast<int>(views.size()); ++side) {
    VideoSpots& video = spots[static_cast<std::size_t>(side)];
    std::vector<Eigen::Vector2d> clutter;
    for (int i = 0; options.clutter && i < 10; ++i)
      clutter.push_back({1280 * uniform(*random), 720 * uniform(*random)});
    for (int k = 0; k < trial.num_frames; ++k) {
      FrameBlobs frame;
      frame.time = k / trial.frame_rate;
      const auto add = [&](const Eigen::Vector2d& pixel, double area) {
        Blob blob;
        blob.centre = pixel;
        if (options.noise_px > 0.0) blob.centre += Eigen::Vector2d{noise(*random), noise(*random)};
        blob.covariance = options.noise_px * options.noise_px * Eigen::Matrix2d::Identity();
        blob.area = area;
        blob.contrast = 0.5;
        frame.blobs.push_back(blob);
      };
      const double middle_row = frame.time + trial.OffsetOf(side);
      for (std::size_t m = 0; m < layout.p_BM.size(); ++m) {
        if (uniform(*random) < options.hidden_fraction) continue;
        const View& view = views[static_cast<std::size_t>(side)];
        solver::FlightState<double> state = trial.StateAt(middle_row);
        const auto seen = [&] {
          return OpenCvPixel(trial.calibration, side, state.q_WB * layout.p_BM[m] + state.p_WB);
        };
        // The row decides the time, and the time the row.
        for (int round = 0; trial.line_time > 0.0 && round < 5; ++round)
          state = trial.StateAt(middle_row +
                                capture::RowDelay(seen().y(), view.camera.height, trial.line_time));
        const double facing =
            MarkerFacing(layout, static_cast<int>(m), {state.p_WB, state.q_WB}, view);
        if (facing < 0.1) continue;
        const Eigen::Vector2d pixel = seen();
        if (pixel.x() < 0 || pixel.y() < 0 || pixel.x() > 1279 || pixel.y() > 719) continue;
        add(pixel, 50.0 * facing);
      }
      for (const Eigen::Vector2d& pixel : clutter) add(pixel, 40.0);
      std::shuffle(frame.blobs.begin(), frame.blobs.end(), *random);
      video.frames.push_back(frame);
      video.mean_grey.push_back(60.0);
    }
  }
  return spots;
}

std::array<VideoSpots, 2> MakeSpots(const SyntheticTrial& trial, const SpotOptions& options,
                                    std::mt19937* random) {
  std::vector<VideoSpots> all = MakeSpotsOfAll(trial, options, random);
  all.resize(2);
  return {std::move(all[0]), std::move(all[1])};
}

std::vector<TrackedFrame> MakeTrackedFrames(const SyntheticTrial& trial, double noise_px,
                                            std::mt19937* random) {
  const MarkerLayout layout = LayoutOf(trial);
  const Views views = ViewsOf(trial.calibration);
  std::normal_distribution<double> noise(0.0, noise_px);
  std::vector<TrackedFrame> frames;
  for (int k = 0; k < trial.num_frames; ++k) {
    TrackedFrame frame;
    frame.left_frame = frame.right_frame = k;
    frame.time = k / trial.frame_rate;
    const solver::FlightState<double> state = trial.StateAt(frame.time);
    for (int m = 0; m < static_cast<int>(layout.p_BM.size()); ++m) {
      for (int side = 0; side < static_cast<int>(views.size()); ++side) {
        const double middle_row = frame.time + trial.OffsetOf(side);
        double time = middle_row;
        Eigen::Vector2d pixel = DiscPixel(trial, layout, views, m, side, time);
        // The row decides the time, and the time the row.
        for (int round = 0; trial.line_time > 0.0 && round < 5; ++round) {
          const double height = views[static_cast<std::size_t>(side)].camera.height;
          time = middle_row + trial.line_time * (pixel.y() - 0.5 * (height - 1.0));
          pixel = DiscPixel(trial, layout, views, m, side, time);
        }
        frame.observations.push_back({m, side,
                                      pixel + Eigen::Vector2d{noise(*random), noise(*random)},
                                      noise_px * noise_px * Eigen::Matrix2d::Identity(), time});
      }
    }
    std::vector<MarkerObservation> at_frame_time = frame.observations;
    for (MarkerObservation& o : at_frame_time) {
      o.pixel += DiscPixel(trial, layout, views, o.marker, o.side, frame.time) -
                 DiscPixel(trial, layout, views, o.marker, o.side, o.time);
    }
    frame.pose = EstimatePose(views, layout, at_frame_time, {state.p_WB, state.q_WB}, 0.0);
    frames.push_back(frame);
  }
  return frames;
}

TrackedTrial LabelTrial(const SyntheticTrial& trial, const std::array<VideoSpots, 2>& spots,
                        std::string* reason) {
  const TrackedBody body{ViewsOf(trial.calibration), LayoutOf(trial), trial.body.body.inertia,
                         trial.gravity};
  capture::Alignment alignment;
  alignment.found = body.views.size() > 1;
  return LabelSpots(body, spots, alignment, {}, reason);
}

double WorstLabel(const SyntheticTrial& trial, double time,
                  const std::vector<MarkerObservation>& observations) {
  double worst = 0.0;
  const solver::FlightState<double> truth = trial.StateAt(time);
  for (const MarkerObservation& o : observations) {
    const Eigen::Vector3d& p_BM = trial.body.markers[static_cast<std::size_t>(o.marker)].p_BM;
    const Eigen::Vector2d pixel =
        OpenCvPixel(trial.calibration, o.side, truth.q_WB * p_BM + truth.p_WB);
    worst = std::max(worst, (pixel - o.pixel).norm());
  }
  return worst;
}

}  // namespace percuss::tracking
