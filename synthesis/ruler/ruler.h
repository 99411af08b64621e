// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

namespace percuss::synthesis {

/// A ruler that stands in the scene: a strip with marks that begin near one of its edges. Those of
/// millimetres are longer every 5th and 10th, those of sixteenths of an inch every 2nd, 4th, 8th
/// and 16th; centimetres and inches are numbered.
struct RulerSpec {
  enum class Unit { kMillimetre, kInch };
  Eigen::Vector3d position = {0.35, 0.0, 0.01};          ///< foot of the first mark, W [m]
  Eigen::Vector3d direction = Eigen::Vector3d::UnitZ();  ///< of the marks' feet, W, unit
  double length = 0.3;                                   ///< from the first mark to the last [m]
  Unit unit = Unit::kMillimetre;
  double face = 0.7;   ///< reflectance of the strip
  double mark = 0.05;  ///< of marks and numbers
};

/// From one mark to the next [m].
double MarkPitch(const RulerSpec& spec);
/// The last mark, counted from 0.
int LastMark(const RulerSpec& spec);

/// A ruler turned about its direction to face a camera.
struct RulerFace {
  RulerSpec spec;
  Eigen::Vector3d eye, along, across, normal;  ///< W; marks point along `across`
};
/// @throws std::invalid_argument for a ruler that points at the camera.
RulerFace FaceOf(const RulerSpec& spec, const Eigen::Vector3d& eye);

/// What a ray sees of a ruler.
struct RulerPoint {
  double covered = 0.0;                             ///< share of the ray that meets the ruler
  double light = 0.0;                               ///< of that share
  Eigen::Vector3d place = Eigen::Vector3d::Zero();  ///< W [m]
};
/// @param direction in W, of length 1 along the camera's axis
/// @param part distance between neighbouring rays at that length, over which light is averaged
RulerPoint SeeRuler(const RulerFace& ruler, const Eigen::Vector3d& direction, double part);

}  // namespace percuss::synthesis
