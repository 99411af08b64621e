// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>

#include "calibration/rig/rig_calibration.h"
#include "solver/body/rigid_body.h"

namespace percuss::tracking {

/// Places of what all trials of an experiment share and nobody knows exactly, as errors of what was
/// stated:
///   cameras and surface: calibration::ParameterPlaces,
///   marker k: its place from the mass centre, body axes [m], at Marker(k),
///   inertia: the symmetric S (xx, yy, zz, xy, xz, yz) of I = L (1 + S) L^T, L L^T the stated
///     inertia over the mass (of a free flight only its ratios show),
///   gravity in W [m/s^2],
///   contact: shift of the body's surface from the mass centre, body axes [m],
///   line time of each camera's rolling shutter [s] at LineTime(camera): capture::RowDelay,
///   lengths of the shape [m]: solver::NumLengths,
///   surfaces that trials have of their own: a small rotation of the plane at Tilt(surface).
struct BenchParameters {
  int num_cameras = 2;
  int num_markers = 0;
  int num_lengths = 0;
  int num_surfaces = 0;

  constexpr int NumRig() const { return calibration::NumRigParameters(num_cameras); }
  constexpr int Marker(int k) const { return NumRig() + 3 * k; }
  constexpr int Inertia() const { return Marker(num_markers); }
  constexpr int Gravity() const { return Inertia() + 6; }
  constexpr int Surface() const { return Gravity() + 3; }
  constexpr int LineTime(int camera) const { return Surface() + 3 + camera; }
  constexpr int Length() const { return LineTime(num_cameras); }
  constexpr int Tilt(int surface) const { return Length() + num_lengths + 3 * surface; }
  constexpr int Size() const { return Tilt(num_surfaces); }
};

/// A point of the body's surface that touched, in body axes [m].
struct ContactOnBody {
  Eigen::Vector3d p_B = Eigen::Vector3d::Zero();      ///< from the mass centre
  Eigen::Matrix<double, 3, Eigen::Dynamic> by_bench;  ///< its derivative by BenchParameters
};

/// @param down_B direction of the surface, body axes: along it a smooth shape touches
ContactOnBody MakeContactOnBody(const BenchParameters& places, const solver::Shape& shape,
                                const Eigen::Vector3d& p_B, const Eigen::Vector3d& surface_shift,
                                const Eigen::Vector3d& down_B);

}  // namespace percuss::tracking
