// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <string>

namespace percuss::pipeline {

/// The number with the fewest digits within two sigmas of a measured one, as a person would type
/// it: 0.02296 +- 0.00007 is 0.023. No digit is beyond what was measured.
double RoundNumber(double measured, double sigma);

/// As short as it can be read back: 0.023.
std::string NumberText(double value);
std::string VectorText(const Eigen::Vector3d& vector);  ///< [0, 0, -9.81]

}  // namespace percuss::pipeline
