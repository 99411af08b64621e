// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <memory>
#include <string>
#include <vector>

// Programs that simulate a cube thrown on a plane. C++17 and no header of Percuss, as in peers.h.
namespace percuss::benchmarks {

struct TossCube {
  double edge = 0.0, mass = 0.0;  ///< [m], [kg]
  double inertia = 0.0;           ///< about every axis through the mass centre [kg m^2]
  Eigen::Vector3d mass_centre = Eigen::Vector3d::Zero();  ///< from the middle, body axes [m]
};

struct TossPose {
  Eigen::Vector3d p = Eigen::Vector3d::Zero();            ///< of the point of the body meant [m]
  Eigen::Quaterniond q = Eigen::Quaterniond::Identity();  ///< body to world
};

/// A throw above the plane z = 0.
struct TossThrow {
  TossPose pose;                                      ///< of the mass centre
  Eigen::Vector3d v = Eigen::Vector3d::Zero();        ///< of the mass centre [m/s]
  Eigen::Vector3d w = Eigen::Vector3d::Zero();        ///< world axes [rad/s]
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();  ///< [m/s^2]
  int count = 0;                                      ///< poses wanted, the first at the throw
  double interval = 0.0;                              ///< between them [s]
};

/// A number that is fitted to recorded tosses.
struct TossCoefficient {
  std::string name;
  double start, step;      ///< of the search
  double lowest, highest;  ///< allowed
};

class TossEngine {
 public:
  virtual ~TossEngine() = default;
  /// Safe to call from several threads at once.
  /// @returns poses of the mass centre, fewer than wanted where the simulation failed
  virtual std::vector<TossPose> Simulate(const std::vector<double>& coefficients,
                                         const TossThrow& start) const = 0;
};

/// An engine by its name, for any cube.
struct TossEngineMaker {
  std::string name;
  std::vector<TossCoefficient> coefficients;
  std::unique_ptr<TossEngine> (*make)(const TossCube&);
};

TossEngineMaker PercussTosses();
// Only where the library is installed.
TossEngineMaker BulletTosses();
TossEngineMaker MujocoTosses();

}  // namespace percuss::benchmarks
