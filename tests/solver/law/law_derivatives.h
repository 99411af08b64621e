// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tests/solver/law/law_jets.h"

// Derivatives of impact laws by automatic differentiation against differences.
namespace percuss::solver {

inline constexpr std::size_t kContactInputs = 9;

/// All inputs of a law in one list: u (3), lower triangle of A by rows (6), parameters.
inline std::vector<double> Pack(const Contact<double>& contact,
                                std::span<const double> parameters) {
  const Eigen::Matrix3d& a = contact.inverse_mass;
  const Eigen::Vector3d& u = contact.velocity;
  std::vector<double> x = {u[0], u[1], u[2], a(0, 0), a(1, 0), a(1, 1), a(2, 0), a(2, 1), a(2, 2)};
  x.insert(x.end(), parameters.begin(), parameters.end());
  return x;
}

/// Each input with the derivative 1 by itself.
inline std::vector<LawJet> ToJets(const std::vector<double>& x) {
  std::vector<LawJet> jets;
  for (const double value : x) jets.emplace_back(value, static_cast<int>(jets.size()));
  return jets;
}

/// A law by name for packed inputs.
template <typename T>
ImpactResult<T> SolvePacked(std::string_view law, const std::vector<T>& x) {
  Contact<T> contact;
  std::size_t k = 0;
  for (int i = 0; i < 3; ++i) contact.velocity[i] = x[k++];
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j <= i; ++j) contact.inverse_mass(i, j) = contact.inverse_mass(j, i) = x[k++];
  }
  return SolveByName(law, contact, std::span<const T>(x).subspan(kContactInputs));
}

/// The size of an output's derivatives.
inline double LargestDerivative(const LawJet& output) { return output.v.cwiseAbs().maxCoeff(); }

/// The largest error of the derivatives of `exact` by some inputs against central differences of
/// fourth order, each relative to the scale of its output; of several steps the best, so that
/// neither truncation nor rounding decides. Negative if the differences cross a border between
/// modes, where no derivative exists.
/// @param at called with inputs near x; gives the outputs, or nothing beyond a border.
template <std::size_t kOutputs, class At>
double WorstDerivativeError(const std::vector<double>& x, std::span<const int> inputs,
                            const std::array<LawJet, kOutputs>& exact,
                            const std::array<double, kOutputs>& scale, const At& at) {
  double worst = 0.0;
  for (const int k : inputs) {
    double best = std::numeric_limits<double>::infinity();
    for (const double h : {1e-3, 3e-4, 1e-4, 3e-5, 1e-5}) {
      const auto moved = [&](double steps) {
        std::vector<double> y = x;
        y[static_cast<std::size_t>(k)] += steps * h;
        return std::optional<std::array<double, kOutputs>>(at(y));
      };
      const auto p2 = moved(2), p1 = moved(1), m1 = moved(-1), m2 = moved(-2);
      if (!(p2 && p1 && m1 && m2)) return -1.0;
      double error = 0.0;
      for (std::size_t m = 0; m < kOutputs; ++m) {
        const double difference =
            (8.0 * ((*p1)[m] - (*m1)[m]) - ((*p2)[m] - (*m2)[m])) / (12.0 * h);
        error = std::max(error, std::abs(difference - exact[m].v[k]) / scale[m]);
      }
      best = std::min(best, error);
    }
    worst = std::max(worst, best);
  }
  return worst;
}

}  // namespace percuss::solver
