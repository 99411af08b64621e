// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Cholesky>
#include <algorithm>
#include <random>
#include <vector>

#include "solver/law/impact_law.h"
#include "tests/solver/law/impact_reference.h"

namespace percuss::solver {

enum class Motion { kSpatial, kPlanar, kUncoupled };

class RandomImpacts {
 public:
  explicit RandomImpacts(unsigned seed) : random_(seed) {}

  double Uniform(double low = 0.0, double high = 1.0) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  Contact<double> Next(Motion motion) {
    Contact<double> contact = reference::RandomContact(random_, Uniform(0.0, 3.0));
    Eigen::Matrix3d& a = contact.inverse_mass;
    if (motion != Motion::kSpatial) reference::MakePlanar(contact);
    if (motion == Motion::kUncoupled) a(0, 2) = a(2, 0) = 0.0;
    return contact;
  }
  /// Friction exponentially distributed with mean 1/2; all else within its bounds.
  std::vector<double> Parameters(const LawInfo& law) {
    std::vector<double> parameters;
    double left = 1.0;  // for the shares s_1, s_2
    for (const ParameterInfo& info : law.parameters) {
      double value = Uniform(std::max(info.lower, -1.0), std::min(info.upper, 1.0));
      if (info.name == "mu") value = std::exponential_distribution<double>(2.0)(random_);
      if (info.name.starts_with("s_")) left -= value *= left;
      parameters.push_back(value);
    }
    return parameters;
  }

 private:
  std::mt19937 random_;
};

/// Kinetic energy of a contact [J].
inline double Energy(const Contact<double>& contact, const Eigen::Vector3d& u) {
  return 0.5 * u.dot(contact.inverse_mass.llt().solve(u));
}

}  // namespace percuss::solver
