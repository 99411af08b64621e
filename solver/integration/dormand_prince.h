// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>

namespace percuss::solver {

/// Steps of the Runge-Kutta pair of orders 5 and 4 of Dormand and Prince (J. Comput. Appl. Math. 6,
/// 1980), which uses the last stage of a step again as the first of the next. Vectors of dynamic
/// size keep their memory from step to step.
template <class Vector = Eigen::VectorXd>
class DormandPrince {
 public:
  /// One step from `start` with the rate there. rate(state, out) gives the rate of change.
  /// Fills end(), end_rate() and error(), the difference of the two orders.
  template <class Rate>
  void Step(const Rate& rate, const Vector& start, const Vector& start_rate, double h) {
    const auto& a = kMatrix;
    const Vector& k1 = start_rate;
    end_ = start + (h * a[0][0]) * k1;
    rate(end_, k_[0]);
    end_ = start + h * (a[1][0] * k1 + a[1][1] * k_[0]);
    rate(end_, k_[1]);
    end_ = start + h * (a[2][0] * k1 + a[2][1] * k_[0] + a[2][2] * k_[1]);
    rate(end_, k_[2]);
    end_ = start + h * (a[3][0] * k1 + a[3][1] * k_[0] + a[3][2] * k_[1] + a[3][3] * k_[2]);
    rate(end_, k_[3]);
    end_ = start + h * (a[4][0] * k1 + a[4][1] * k_[0] + a[4][2] * k_[1] + a[4][3] * k_[2] +
                        a[4][4] * k_[3]);
    rate(end_, k_[4]);
    end_ = start + h * (a[5][0] * k1 + a[5][2] * k_[1] + a[5][3] * k_[2] + a[5][4] * k_[3] +
                        a[5][5] * k_[4]);
    rate(end_, k_[5]);
    error_ = h * (kError[0] * k1 + kError[2] * k_[1] + kError[3] * k_[2] + kError[4] * k_[3] +
                  kError[5] * k_[4] + kError[6] * k_[5]);
  }

  const Vector& end() const { return end_; }
  const Vector& end_rate() const { return k_[5]; }
  const Vector& error() const { return error_; }

 private:
  static constexpr double kMatrix[6][6] = {
      {1.0 / 5},
      {3.0 / 40, 9.0 / 40},
      {44.0 / 45, -56.0 / 15, 32.0 / 9},
      {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
      {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
      {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
  static constexpr double kError[7] = {35.0 / 384 - 5179.0 / 57600,
                                       0.0,
                                       500.0 / 1113 - 7571.0 / 16695,
                                       125.0 / 192 - 393.0 / 640,
                                       -2187.0 / 6784 + 92097.0 / 339200,
                                       11.0 / 84 - 187.0 / 2100,
                                       -1.0 / 40};

  std::array<Vector, 6> k_;
  Vector end_, error_;
};

}  // namespace percuss::solver
