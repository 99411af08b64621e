// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "base/text/json_field.h"
#include "calibration/rig/camera.h"

/// What files of cameras have in common. All throw InputError in the form of JsonField.
namespace percuss::calibration {

/// All numbers of a list, or of a list of lists, one row after the other.
std::vector<double> FlatNumbers(const JsonField& field);
/// The same as a matrix of a size, from a list of rows or from one list of all of them.
Eigen::MatrixXd MatrixOf(const JsonField& field, int rows, int columns);
Eigen::Vector3d Vector3Of(const JsonField& field);

/// fx, fy, cx, cy of [[fx, 0, cx], [0, fy, cy], [0, 0, 1]]. A skew is refused.
void SetPinhole(const JsonField& field, const Eigen::Matrix3d& K, Camera* camera);
void SetPinhole(const JsonField& field, double fx, double fy, double cx, double cy, Camera* camera);

/// Coefficients in OpenCV's order k1 k2 p1 p2 [k3 [k4 k5 k6 [s1 s2 s3 s4 [tx ty]]]], or k1 to k4 of
/// a fisheye. Terms from s1 on are refused unless they are 0.
void SetDistortion(const JsonField& field, const std::vector<double>& coefficients, bool fisheye,
                   Camera* camera);

/// Width and height, whole numbers from 1.
void SetSize(const JsonField& field, double width, double height, Camera* camera);

/// A rotation as the file has it, rounded to some digits: the nearest rotation.
Eigen::Matrix3d RotationOf(const JsonField& field, const Eigen::Matrix3d& R);

/// The vector of a rotation, shorter than pi (Rodrigues).
Eigen::Vector3d VectorOf(const Eigen::Matrix3d& R);

/// Distortion coefficients that the lens model has.
std::span<const double> DistortionOf(const Camera& camera);

}  // namespace percuss::calibration
