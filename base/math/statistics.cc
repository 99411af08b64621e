// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/math/statistics.h"

#include <fmt/core.h>

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <stdexcept>
#include <string_view>

#include "base/nan.h"

namespace percuss {
namespace {

// No detour over long double, which takes twice the time to compile and to run.
using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
constexpr Policy kPolicy;

void RequireProbability(std::string_view function, double probability) {
  if (probability > 0.0 && probability < 1.0) return;
  throw std::invalid_argument(
      fmt::format("{}: probability = {}, allowed between 0 and 1", function, probability));
}

void RequireDof(std::string_view function, int dof, int least) {
  if (dof >= least) return;
  throw std::invalid_argument(
      fmt::format("{}: dof = {}, allowed {} or more", function, dof, least));
}

}  // namespace

double Median(std::vector<double> values) {
  if (values.empty()) return kNaN;
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double NormalCdf(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

double IncompleteBeta(double a, double b, double x) {
  if (std::isnan(x)) return x;
  return boost::math::ibeta(a, b, std::clamp(x, 0.0, 1.0), kPolicy);
}

double ChiSquareSurvival(double chi_square, int dof) {
  if (!(chi_square >= 0.0)) {
    throw std::invalid_argument(
        fmt::format("ChiSquareSurvival: chi_square = {}, allowed 0 or more", chi_square));
  }
  RequireDof("ChiSquareSurvival", dof, 0);
  if (dof == 0) return 1.0;
  if (std::isinf(chi_square)) return 0.0;
  return boost::math::gamma_q(0.5 * dof, 0.5 * chi_square, kPolicy);
}

double ChiSquareQuantile(double probability, int dof) {
  RequireProbability("ChiSquareQuantile", probability);
  RequireDof("ChiSquareQuantile", dof, 1);
  return 2.0 * boost::math::gamma_p_inv(0.5 * dof, probability, kPolicy);
}

// P(|T| > t) = I_x(dof / 2, 1/2) with x = dof / (dof + t^2).
double StudentTwoSidedQuantile(double probability, int dof) {
  RequireProbability("StudentTwoSidedQuantile", probability);
  RequireDof("StudentTwoSidedQuantile", dof, 1);
  double rest = 0.0;  // 1 - x
  const double x = boost::math::ibeta_inv(0.5 * dof, 0.5, 1.0 - probability, &rest, kPolicy);
  return std::sqrt(dof * rest / x);
}

// P(F <= f) = I_x(n / 2, d / 2) with x = n f / (n f + d).
double FisherQuantile(double probability, int numerator_dof, int denominator_dof) {
  RequireProbability("FisherQuantile", probability);
  RequireDof("FisherQuantile", std::min(numerator_dof, denominator_dof), 1);
  double rest = 0.0;  // 1 - x
  const double x = boost::math::ibeta_inv(0.5 * numerator_dof, 0.5 * denominator_dof, probability,
                                          &rest, kPolicy);
  return denominator_dof * x / (numerator_dof * rest);
}

}  // namespace percuss
