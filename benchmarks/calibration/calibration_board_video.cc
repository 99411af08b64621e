// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <limits>
#include <opencv2/imgcodecs.hpp>
#include <vector>

#include "base/parallel.h"
#include "benchmarks/calibration/calibration_table.h"
#include "calibration/calibrate.h"
#include "calibration/rig/parameter_derivatives.h"
#include "calibration/rig/triangulation.h"
#include "tests/base/temporary_folder.h"
#include "tests/calibration/board_video/waved_board.h"
#include "tests/calibration/targets/board_renderer.h"

namespace percuss::benchmarks {
namespace {

using calibration::BoardHold;
using calibration::Filming;
using calibration::Pose;
using calibration::RigCalibration;
using calibration::WavedRig;
using calibration::Waving;
using testing::TemporaryFolder;

constexpr int kDraws = 2;
constexpr int kHolds = 14;
constexpr double kDistance = 0.8;  // [m]
constexpr const char* kSides[] = {"left", "right"};

BoardHold Surface() {
  return {.turn = 0.1, .tilt = {-0.7, 0.05, 0.0}, .centre = {0.05, 0.03, kDistance}};
}

Waving Still(const BoardHold& hold) {
  return {.holds = {hold}, .period = 1.0, .rest = 1.0, .tremor = 0.0};
}

capture::Experiment ExperimentOf(const WavedRig& rig, const TemporaryFolder& folder) {
  capture::Experiment experiment;
  experiment.file = folder / "experiment.yaml";
  experiment.board = rig.board;
  for (const char* side : kSides) {
    experiment.calibration.cameras.push_back(
        {.name = side, .images = {}, .surface = folder / fmt::format("surface-{}.png", side)});
  }
  return experiment;
}

// Errors of the places of points before the cameras, in W: as stated, and as they are.
struct PlaceErrors {
  double sigma_squares = 0.0, error_squares = 0.0;
  int count = 0;

  double Sigma() const { return std::sqrt(sigma_squares / count); }
  double Error() const { return std::sqrt(error_squares / count); }
};

void AddPlaces(const WavedRig& rig, const RigCalibration& found, PlaceErrors* errors) {
  const BoardHold surface = Surface();
  const Pose world_from_first =
      calibration::BoardInFront(rig.board, surface.turn, surface.tilt, surface.centre).Inverse();
  for (const double x : {-0.1, 0.05, 0.2}) {
    for (const double y : {-0.08, 0.0, 0.08}) {
      for (const double z : {0.7, 0.8, 0.9}) {
        const Eigen::Vector3d p_first(x, y, z), p_W = world_from_first * p_first;
        std::vector<calibration::Sight> sights;
        for (std::size_t c = 0; c < 2; ++c) {
          sights.push_back(
              {.view = {found.cameras[c].camera, found.CameraFromWorld(c)},
               .pixel = calibration::Project(rig.cameras[c], rig.camera_from_first[c] * p_first),
               .covariance = Eigen::Matrix2d::Identity()});
        }
        const auto point = calibration::Triangulate(sights);
        if (!point) continue;
        const auto jacobian = calibration::PointByParameters(found, p_W);
        errors->sigma_squares += (jacobian * found.covariance * jacobian.transpose()).trace();
        errors->error_squares += (point->p_W - p_W).squaredNorm();
        ++errors->count;
      }
    }
  }
}

}  // namespace

BoundSection MeasureBoardVideo(int num_threads) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const WavedRig rig = calibration::MakeWavedRig(640, 360);
  PlaceErrors videos, stills;
  double seconds = 0.0, filmed = 0.0;
  int num_views = 0;
  for (std::uint32_t draw = 0; draw < kDraws; ++draw) {
    const TemporaryFolder folder;
    const Waving waving{.holds = calibration::RandomHolds(kHolds, kDistance, 100 + draw)};
    const Filming filming{
        .start = {0.0, 0.313 + 0.2 * draw}, .exposure = 1.0 / 120.0, .noise_grey = 2.5};
    capture::Experiment experiment = ExperimentOf(rig, folder);
    ParallelFor(2, num_threads, [&](int c) {
      const auto camera = static_cast<std::size_t>(c);
      auto& files = experiment.calibration.cameras[camera];
      files.images = {folder / fmt::format("{}.mp4", kSides[c])};
      const int num_frames =
          static_cast<int>((waving.Duration() - filming.start[camera]) * filming.rate[camera]);
      calibration::FilmBoard(rig, camera, waving, filming, num_frames, files.images[0]);
      cv::imwrite(files.surface.string(),
                  calibration::FilmFrame(rig, camera, Still(Surface()), filming, 0.0, 9999 + draw));
    });
    filmed = waving.Duration();
    RigCalibration found;
    const std::clock_t before = std::clock();
    found = calibration::CalibrateRig(experiment, {.num_threads = num_threads});
    seconds = std::max(seconds, static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
    AddPlaces(rig, found, &videos);
    num_views = found.quality.num_views - 1;

    const std::vector<BoardHold> holds = calibration::RandomHolds(num_views, kDistance, 200 + draw);
    for (auto& camera : experiment.calibration.cameras) camera.images.assign(holds.size(), {});
    ParallelFor(2 * num_views, num_threads, [&](int k) {
      const auto camera = static_cast<std::size_t>(k % 2), view = static_cast<std::size_t>(k / 2);
      const auto file = folder / fmt::format("{}-{:02}.png", kSides[camera], view);
      cv::imwrite(file.string(),
                  calibration::FilmFrame(rig, camera, Still(holds[view]), filming, 0.0,
                                         static_cast<std::uint32_t>(1000 * (draw + 1) + k)));
      experiment.calibration.cameras[camera].images[view] = file;
    });
    AddPlaces(rig, calibration::CalibrateRig(experiment, {.num_threads = num_threads}), &stills);
  }
  BoundSection section{
      fmt::format("board waved for {:.0f} s before two cameras of 640 x 360 px, clocks unknown, {} "
                  "draws, over as many stills ({} in the last)",
                  filmed, kDraws, num_views),
      {},
      {}};
  const auto add = [&](const char* name, const char* unit, double value, double bound) {
    section.rows.push_back({name, unit, value, -kInfinity, bound});
  };
  add("sigma of a marker's place, videos", "mm", 1e3 * videos.Sigma(), kInfinity);
  add("sigma of a marker's place, stills", "mm", 1e3 * stills.Sigma(), kInfinity);
  add("sigma, videos over stills", "", videos.Sigma() / stills.Sigma(), 1.3);
  add("rms error of a marker's place, videos", "mm", 1e3 * videos.Error(), kInfinity);
  add("rms error of a marker's place, stills", "mm", 1e3 * stills.Error(), kInfinity);
  add("rms error over sigma, videos", "", videos.Error() / videos.Sigma(), 2.0);
  add("processor time of all threads from videos to verdict, at most", "s", seconds, 40.0);
  return section;
}

}  // namespace percuss::benchmarks
