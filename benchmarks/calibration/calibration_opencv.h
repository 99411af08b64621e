// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <filesystem>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "calibration/bundle/bundle.h"
#include "capture/experiment/experiment.h"

// OpenCV's calibration of a stereo rig from chessboards, as its users run it.
namespace percuss::benchmarks {

/// How cv::stereoCalibrate is called.
enum class OpenCvSettings {
  kFiveTerms,  ///< k1 k2 p1 p2 k3, all free; started by cv::calibrateCamera of each camera
  kSample,     ///< as the sample program stereo_calib: one focal length, k1 k2 k6 alone
};

/// Corners of all pairs, found as the sample does: findChessboardCorners (adaptive threshold,
/// normalised), in the picture enlarged twice where that fails, then cornerSubPix in windows of
/// half size 11. Pairs in which a board is not found are left out.
struct OpenCvCorners {
  cv::Size image_size;
  std::vector<std::vector<cv::Point3f>> board;                  ///< [pair]
  std::array<std::vector<std::vector<cv::Point2f>>, 2> pixels;  ///< [camera][pair]
};
OpenCvCorners FindOpenCvCorners(const capture::Experiment& experiment);

/// Corners of a bundle in OpenCV's form, of all pairs in which every corner is measured.
OpenCvCorners ToOpenCv(const calibration::Bundle& bundle);

struct OpenCvStereo {
  std::array<cv::Mat, 2> matrix, distortion;
  cv::Mat R, t, E, F;
  double rms_px = 0.0;  ///< of point distances
};
OpenCvStereo CalibrateWithOpenCv(const OpenCvCorners& corners, OpenCvSettings settings);

/// The corners as a bundle with the calibrated cameras; the poses are open.
calibration::Bundle ToBundle(const OpenCvCorners& corners, const OpenCvStereo& stereo);

/// Distances of all corners of views that took no part in the calibration, by the folds and with
/// the pose fit of CrossValidate.
std::vector<double> HeldOutByOpenCv(const OpenCvCorners& corners, OpenCvSettings settings,
                                    int num_folds, double huber_px);

/// All that the sample does without windows and files: corners, calibration, epipolar check,
/// rectification with its maps.
/// @returns Mean distance of the corners from the epipolar lines of their partners, both images
/// added [px].
double RunOpenCvSample(const capture::Experiment& experiment);

}  // namespace percuss::benchmarks
