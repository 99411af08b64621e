// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>

#include "base/text/yaml_field.h"
#include "synthesis/scene/scene_spec.h"

// Keys that descriptions of experiments and of clips of a ball share. What is not given stays as it
// is; all throw InputError naming file, key, value and what is allowed.
namespace percuss::synthesis {

void ReadNumber(const YamlField& field, const Range& range, double* value);

template <int kSize>
void ReadVector(const YamlField& field, const Range& range,
                Eigen::Matrix<double, kSize, 1>* value) {
  if (!field.Given()) return;
  const std::vector<double> numbers = field.Numbers(kSize, range);
  for (int i = 0; i < kSize; ++i) (*value)[i] = numbers[i];
}

/// A vector of any length but 0, made a unit vector.
void ReadDirection(const YamlField& field, const Range& range, Eigen::Vector3d* direction);

/// [width, height].
void ReadImageSize(const YamlField& field, std::array<int, 2>* size);

/// Where a camera stands and what its lens is like.
struct CameraFields {
  Eigen::Vector3d position = Eigen::Vector3d::Zero(), target = Eigen::Vector3d::Zero();  ///< W [m]
  double roll_deg = 0.0;
  Eigen::Vector2d focal_length = Eigen::Vector2d::Zero();     ///< [px]; one number for both
  Eigen::Vector2d principal_point = Eigen::Vector2d::Zero();  ///< [px]
  Eigen::Matrix<double, 5, 1> distortion = Eigen::Matrix<double, 5, 1>::Zero();  ///< k1 k2 p1 p2 k3
};
/// @param place of positions and targets
void ReadCameraFields(const YamlField& field, const Range& place, CameraFields* fields);

/// @param margin beyond the outermost pixels that the lens must fill, too [px]
Camera CameraOf(const YamlField& field, const CameraFields& fields, const std::array<int, 2>& size,
                double margin = 0.0);

void ReadTone(const YamlField& field, capture::Tone::Kind* tone);
void ReadNoise(const YamlField& field, std::optional<NoiseSpec>* noise);
void ReadCompression(const YamlField& field, std::optional<int>* crf);

}  // namespace percuss::synthesis
