// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/initial_estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <opencv2/calib3d.hpp>

#include "calibration/parallel.h"

namespace percuss::calibration {
namespace {

struct Correspondences {
  std::vector<cv::Point3f> board;
  std::vector<cv::Point2f> pixels;
};

Correspondences Measured(const StereoBundle& bundle, const CornerImage& image) {
  Correspondences result;
  for (std::size_t k = 0; k < bundle.board.size(); ++k) {
    if (image.used[k] == 0) continue;
    const Eigen::Vector3f p = bundle.board[k].cast<float>();
    const Eigen::Vector2f pixel = image.pixels[k].cast<float>();
    result.board.emplace_back(p.x(), p.y(), p.z());
    result.pixels.emplace_back(pixel.x(), pixel.y());
  }
  return result;
}

cv::Mat MatrixK(const Camera& camera) {
  const auto& c = camera.intrinsics;
  cv::Mat k = (cv::Mat_<double>(3, 3) << c[0], 0.0, c[2], 0.0, c[1], c[3], 0.0, 0.0, 1.0);
  return k;
}

Pose PoseFromVectors(const cv::Mat& rotation, const cv::Mat& translation) {
  Pose pose;
  const auto* r = rotation.ptr<double>();
  const auto* t = translation.ptr<double>();
  pose.R = RotationFromVector({r[0], r[1], r[2]});
  pose.t = {t[0], t[1], t[2]};
  return pose;
}

// Fills the intrinsics and returns the pose of the board in this camera for each view.
std::vector<Pose> CalibrateAlone(const StereoBundle& bundle, std::size_t side, Camera* camera) {
  std::vector<std::vector<cv::Point3f>> board;
  std::vector<std::vector<cv::Point2f>> pixels;
  for (const StereoView& view : bundle.views) {
    Correspondences measured = Measured(bundle, view.images[side]);
    board.push_back(std::move(measured.board));
    pixels.push_back(std::move(measured.pixels));
  }
  const double longer = std::max(camera->width, camera->height);
  bool usable = false;
  try {
    cv::Mat k, distortion;
    std::vector<cv::Mat> rotations, translations;
    cv::calibrateCamera(
        board, pixels, cv::Size(camera->width, camera->height), k, distortion, rotations,
        translations, cv::CALIB_FIX_K3,
        cv::TermCriteria(cv::TermCriteria::COUNT + cv::TermCriteria::EPS, 30, 1e-9));
    const auto* d = distortion.ptr<double>();
    camera->intrinsics = {k.at<double>(0, 0),
                          k.at<double>(1, 1),
                          k.at<double>(0, 2),
                          k.at<double>(1, 2),
                          d[0],
                          d[1],
                          d[2],
                          d[3],
                          0.0};
    usable = std::all_of(camera->intrinsics.begin(), camera->intrinsics.end(),
                         [](double value) { return std::isfinite(value); }) &&
             camera->intrinsics[0] > 0.1 * longer && camera->intrinsics[0] < 50.0 * longer &&
             camera->intrinsics[1] > 0.1 * longer && camera->intrinsics[1] < 50.0 * longer;
  } catch (const cv::Exception&) {
    usable = false;
  }
  if (!usable) {
    constexpr double kFocalOfWidth = 1.2;  // 45 degrees across
    camera->intrinsics = {kFocalOfWidth * longer,
                          kFocalOfWidth * longer,
                          0.5 * (camera->width - 1),
                          0.5 * (camera->height - 1),
                          0.0,
                          0.0,
                          0.0,
                          0.0,
                          0.0};
  }
  std::vector<Pose> camera_from_board;
  const auto& c = camera->intrinsics;
  const cv::Mat distortion = (cv::Mat_<double>(1, 4) << c[4], c[5], c[6], c[7]);
  for (std::size_t v = 0; v < board.size(); ++v) {
    cv::Mat rotation, translation;
    cv::solvePnP(board[v], pixels[v], MatrixK(*camera), distortion, rotation, translation, false,
                 cv::SOLVEPNP_IPPE);
    cv::solvePnPRefineLM(board[v], pixels[v], MatrixK(*camera), distortion, rotation, translation);
    camera_from_board.push_back(PoseFromVectors(rotation, translation));
  }
  return camera_from_board;
}

// Mean distance of the right corners of a view from where a candidate puts them, cut at a bound so
// that a wrong view costs no more than a bad one.
double Misfit(const StereoBundle& bundle, const StereoView& view) {
  constexpr double kWorst = 30.0;  // [px]
  double sum = 0.0;
  int count = 0;
  for (const Eigen::Vector2d& residual : Residuals(bundle, view, 1)) {
    const double distance = residual.norm();
    sum += distance < kWorst ? distance : kWorst;  // also for NaN
    ++count;
  }
  return sum / count;
}

}  // namespace

void EstimateStart(StereoBundle* bundle, int num_threads) {
  std::array<std::vector<Pose>, 2> camera_from_board;
  ParallelFor(2, num_threads, [&](int k) {
    const auto side = static_cast<std::size_t>(k);
    Camera camera = bundle->cameras[side];
    camera_from_board[side] = CalibrateAlone(*bundle, side, &camera);
    bundle->cameras[side] = camera;
  });
  for (std::size_t v = 0; v < bundle->views.size(); ++v) {
    bundle->views[v].board_from_left = camera_from_board[0][v].Inverse();
  }
  double best = std::numeric_limits<double>::infinity();
  Pose best_pose;
  for (std::size_t v = 0; v < bundle->views.size(); ++v) {
    bundle->right_from_left = camera_from_board[1][v] * bundle->views[v].board_from_left;
    double misfit = 0.0;
    for (const StereoView& view : bundle->views) misfit += Misfit(*bundle, view);
    if (misfit < best) {
      best = misfit;
      best_pose = bundle->right_from_left;
    }
  }
  bundle->right_from_left = best_pose;
}

}  // namespace percuss::calibration
