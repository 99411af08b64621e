// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <opencv2/core/types.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/math/common_value.h"
#include "base/value_with_sigma.h"
#include "calibration/rig/camera.h"
#include "capture/video/video.h"
#include "pipeline/bounces/bounce_options.h"
#include "tracking/bounces/bounce_fit.h"

namespace percuss::pipeline {

/// In which direction of the upright picture the shutter rolls: in that of the stored rows, where
/// the file states how its pictures are turned. Else it is guessed from the size: along the short
/// side of the sensor, down the picture of a camera held level, and across that of one held
/// upright.
Eigen::Vector2d RollOf(const cv::Size& size, const capture::PictureTurn& turn);

/// What a video says of its camera, with a warning where it states a rate of its own.
capture::RecordedCamera CameraOfClip(const capture::VideoReader& reader,
                                     const capture::VideoClock& clock);

/// Focal length [px] of a video by that of its camera for 36 x 24 mm film.
///
/// The latter compares diagonals of angle of view (CIPA DCG-001), and those of photos: sensors of
/// phones are 4:3, f = f35 / 43.27 mm times the diagonal of the 4:3 picture about that of the
/// video. What stabilisers cut off makes f longer by up to a fifth, as files count it or not: 1.05
/// +- 10 %.
ValueWithSigma FocalOf35mm(double focal_35mm, const cv::Size& size);

/// A focal length, before the ball is looked at, and who says so.
struct FocalPrior {
  ValueWithSigma focal;  ///< [px]
  std::string source;    ///< such as "26 mm in the file"
};

/// By the calibration, else as stated, else by the file, else by the size.
FocalPrior FocalBefore(const cv::Size& size, const std::optional<calibration::Camera>& lens,
                       const BounceOptions& options);

/// One line: what the motion made of it.
std::string FocalLine(const FocalPrior& before, const ValueWithSigma& after);

/// Of frames, or of rows of a table, at these times [Hz].
double RateOf(const std::vector<double>& times);

/// k of the deceleration k v^2 [1/m], where diameter and mass are known.
std::optional<ValueWithSigma> DragOf(const BounceOptions& options);

/// e of all bounces by their covariance.
CommonValue MeanOfBounces(const tracking::BounceFit& fit);

/// By how much that is off where a SharedError is off by its sigma; zeros where the fit tells none.
Eigen::VectorXd SharedErrorsOfMean(const tracking::BounceFit& fit);

}  // namespace percuss::pipeline
