// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/calibration/calibration_opencv.h"

#include <opencv2/calib3d.hpp>
#include <opencv2/core/eigen.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>

#include "benchmarks/calibration/calibration_photographs.h"

namespace percuss::benchmarks {
namespace {

using Corners = std::vector<cv::Point2f>;

Corners FindCorners(const cv::Mat& image, const cv::Size& size) {
  Corners corners;
  for (const int scale : {1, 2}) {
    cv::Mat enlarged = image;
    if (scale > 1) cv::resize(image, enlarged, {}, scale, scale);
    if (!cv::findChessboardCorners(enlarged, size, corners,
                                   cv::CALIB_CB_ADAPTIVE_THRESH | cv::CALIB_CB_NORMALIZE_IMAGE)) {
      continue;
    }
    for (cv::Point2f& corner : corners) corner /= static_cast<float>(scale);
    cv::cornerSubPix(image, corners, {11, 11}, {-1, -1},
                     {cv::TermCriteria::COUNT + cv::TermCriteria::EPS, 30, 0.01});
    return corners;
  }
  return {};
}

// The pairs whose place is in the fold, or is not.
OpenCvCorners Part(const OpenCvCorners& corners, int fold, int num_folds, bool inside) {
  OpenCvCorners part;
  part.image_size = corners.image_size;
  for (std::size_t v = 0; v < corners.board.size(); ++v) {
    if ((static_cast<int>(v) % num_folds == fold) != inside) continue;
    part.board.push_back(corners.board[v]);
    for (std::size_t c = 0; c < 2; ++c) part.pixels[c].push_back(corners.pixels[c][v]);
  }
  return part;
}

void CalibrateFiveTerms(const OpenCvCorners& corners, OpenCvStereo* stereo) {
  const cv::TermCriteria criteria(cv::TermCriteria::COUNT + cv::TermCriteria::EPS, 200, 1e-9);
  for (std::size_t c = 0; c < 2; ++c) {
    cv::calibrateCamera(corners.board, corners.pixels[c], corners.image_size, stereo->matrix[c],
                        stereo->distortion[c], cv::noArray(), cv::noArray(), 0, criteria);
  }
  stereo->rms_px = cv::stereoCalibrate(
      corners.board, corners.pixels[0], corners.pixels[1], stereo->matrix[0], stereo->distortion[0],
      stereo->matrix[1], stereo->distortion[1], corners.image_size, stereo->R, stereo->t, stereo->E,
      stereo->F, cv::CALIB_USE_INTRINSIC_GUESS, criteria);
}

void CalibrateAsSample(const OpenCvCorners& corners, OpenCvStereo* stereo) {
  for (std::size_t c = 0; c < 2; ++c) {
    stereo->matrix[c] =
        cv::initCameraMatrix2D(corners.board, corners.pixels[c], corners.image_size, 0);
  }
  stereo->rms_px = cv::stereoCalibrate(
      corners.board, corners.pixels[0], corners.pixels[1], stereo->matrix[0], stereo->distortion[0],
      stereo->matrix[1], stereo->distortion[1], corners.image_size, stereo->R, stereo->t, stereo->E,
      stereo->F,
      cv::CALIB_FIX_ASPECT_RATIO + cv::CALIB_ZERO_TANGENT_DIST + cv::CALIB_USE_INTRINSIC_GUESS +
          cv::CALIB_SAME_FOCAL_LENGTH + cv::CALIB_RATIONAL_MODEL + cv::CALIB_FIX_K3 +
          cv::CALIB_FIX_K4 + cv::CALIB_FIX_K5,
      {cv::TermCriteria::COUNT + cv::TermCriteria::EPS, 100, 1e-5});
}

double EpipolarError(const OpenCvCorners& corners, const OpenCvStereo& stereo) {
  double sum = 0.0;
  std::size_t count = 0;
  for (std::size_t v = 0; v < corners.board.size(); ++v) {
    std::array<Corners, 2> pixels;
    std::array<std::vector<cv::Vec3f>, 2> lines;
    for (std::size_t c = 0; c < 2; ++c) {
      cv::undistortPoints(corners.pixels[c][v], pixels[c], stereo.matrix[c], stereo.distortion[c],
                          cv::noArray(), stereo.matrix[c]);
      cv::computeCorrespondEpilines(pixels[c], static_cast<int>(c) + 1, stereo.F, lines[c]);
    }
    for (std::size_t c = 0; c < 2; ++c) {
      for (std::size_t k = 0; k < pixels[c].size(); ++k) {
        const cv::Vec3f& line = lines[1 - c][k];
        sum += std::abs(pixels[c][k].x * line[0] + pixels[c][k].y * line[1] + line[2]);
      }
    }
    count += pixels[0].size();
  }
  return sum / static_cast<double>(count);
}

void Rectify(const OpenCvStereo& stereo, const cv::Size& size) {
  std::array<cv::Mat, 2> R, P;
  cv::Mat Q;
  std::array<cv::Rect, 2> valid;
  cv::stereoRectify(stereo.matrix[0], stereo.distortion[0], stereo.matrix[1], stereo.distortion[1],
                    size, stereo.R, stereo.t, R[0], R[1], P[0], P[1], Q, cv::CALIB_ZERO_DISPARITY,
                    1.0, size, &valid[0], &valid[1]);
  for (std::size_t c = 0; c < 2; ++c) {
    cv::Mat map_x, map_y;
    cv::initUndistortRectifyMap(stereo.matrix[c], stereo.distortion[c], R[c], P[c], size, CV_16SC2,
                                map_x, map_y);
  }
}

}  // namespace

OpenCvCorners FindOpenCvCorners(const capture::Experiment& experiment) {
  const cv::Size size(experiment.board.columns, experiment.board.rows);
  std::vector<cv::Point3f> board;
  for (int j = 0; j < size.height; ++j) {
    for (int i = 0; i < size.width; ++i) {
      board.emplace_back(static_cast<float>(i * experiment.board.square),
                         static_cast<float>(j * experiment.board.square), 0.0F);
    }
  }
  OpenCvCorners corners;
  const auto& cameras = experiment.calibration.cameras;
  for (std::size_t v = 0; v <= cameras[0].images.size(); ++v) {
    std::array<Corners, 2> found;
    for (std::size_t c = 0; c < 2; ++c) {
      const auto& file = v < cameras[c].images.size() ? cameras[c].images[v] : cameras[c].surface;
      const cv::Mat image = cv::imread(file.string(), cv::IMREAD_GRAYSCALE);
      if (image.empty()) throw std::runtime_error(file.string() + ": cannot be read");
      corners.image_size = image.size();
      found[c] = FindCorners(image, size);
      if (found[c].empty()) break;
    }
    if (found[0].empty() || found[1].empty()) continue;
    corners.board.push_back(board);
    for (std::size_t c = 0; c < 2; ++c) corners.pixels[c].push_back(found[c]);
  }
  return corners;
}

OpenCvCorners ToOpenCv(const calibration::Bundle& bundle) {
  OpenCvCorners corners;
  corners.image_size = {bundle.cameras[0].width, bundle.cameras[0].height};
  std::vector<cv::Point3f> board;
  for (const Eigen::Vector3d& p : bundle.board) {
    const Eigen::Vector3f q = p.cast<float>();
    board.emplace_back(q.x(), q.y(), q.z());
  }
  for (const calibration::TargetView& view : bundle.views) {
    std::array<Corners, 2> pixels;
    for (std::size_t c = 0; c < 2; ++c) {
      for (const Eigen::Vector2d& pixel : view.images[c].pixels) {
        if (!pixel.allFinite()) break;
        const Eigen::Vector2f q = pixel.cast<float>();
        pixels[c].emplace_back(q.x(), q.y());
      }
    }
    if (pixels[0].size() != board.size() || pixels[1].size() != board.size()) continue;
    corners.board.push_back(board);
    for (std::size_t c = 0; c < 2; ++c) corners.pixels[c].push_back(pixels[c]);
  }
  return corners;
}

OpenCvStereo CalibrateWithOpenCv(const OpenCvCorners& corners, OpenCvSettings settings) {
  OpenCvStereo stereo;
  if (settings == OpenCvSettings::kFiveTerms) {
    CalibrateFiveTerms(corners, &stereo);
  } else {
    CalibrateAsSample(corners, &stereo);
  }
  return stereo;
}

calibration::Bundle ToBundle(const OpenCvCorners& corners, const OpenCvStereo& stereo) {
  calibration::Bundle bundle;
  for (const cv::Point3f& p : corners.board[0]) bundle.board.emplace_back(p.x, p.y, p.z);
  for (std::size_t c = 0; c < 2; ++c) {
    const cv::Mat_<double> K = stereo.matrix[c], distortion = stereo.distortion[c].reshape(1, 1);
    calibration::Camera camera{.width = corners.image_size.width,
                               .height = corners.image_size.height,
                               .lens = distortion.cols > 5 ? calibration::LensModel::kRational
                                                           : calibration::LensModel::kBrown,
                               .intrinsics = {K(0, 0), K(1, 1), K(0, 2), K(1, 2)}};
    // Beyond the eighth OpenCV may append zeros of lens models that are not asked for.
    for (int k = 0; k < std::min(distortion.cols, 8); ++k) {
      camera.intrinsics[static_cast<std::size_t>(4 + k)] = distortion(0, k);
    }
    bundle.cameras.push_back(camera);
    bundle.camera_from_first.emplace_back();
  }
  cv::cv2eigen(stereo.R, bundle.camera_from_first[1].R);
  cv::cv2eigen(stereo.t, bundle.camera_from_first[1].t);
  for (std::size_t v = 0; v < corners.board.size(); ++v) {
    calibration::TargetView& view = bundle.views.emplace_back();
    for (std::size_t c = 0; c < 2; ++c) {
      calibration::TargetImage& image = view.images.emplace_back();
      for (const cv::Point2f& pixel : corners.pixels[c][v]) {
        image.pixels.emplace_back(pixel.x, pixel.y);
        image.used.push_back(1);
      }
    }
  }
  return bundle;
}

std::vector<double> HeldOutByOpenCv(const OpenCvCorners& corners, OpenCvSettings settings,
                                    int num_folds, double huber_px) {
  std::vector<double> distances;
  for (int fold = 0; fold < num_folds; ++fold) {
    const OpenCvStereo stereo =
        CalibrateWithOpenCv(Part(corners, fold, num_folds, false), settings);
    calibration::Bundle held_out = ToBundle(Part(corners, fold, num_folds, true), stereo);
    FitPoses(&held_out, huber_px);
    const std::vector<double> part = AllDistances(held_out);
    distances.insert(distances.end(), part.begin(), part.end());
  }
  return distances;
}

double RunOpenCvSample(const capture::Experiment& experiment) {
  const OpenCvCorners corners = FindOpenCvCorners(experiment);
  const OpenCvStereo stereo = CalibrateWithOpenCv(corners, OpenCvSettings::kSample);
  const double error = EpipolarError(corners, stereo);
  Rectify(stereo, corners.image_size);
  return error;
}

}  // namespace percuss::benchmarks
