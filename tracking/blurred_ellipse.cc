// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/blurred_ellipse.h"

#include <Eigen/LU>
#include <array>

namespace percuss::tracking {
namespace {

/// t_k(x) = constant + x^T matrix x, and the same of its derivatives: coefficients of 1, x^2, x y
/// and y^2.
using Quadratic = Eigen::Vector4d;

Quadratic QuadraticOf(double constant, const Eigen::Matrix2d& matrix) {
  return {constant, matrix(0, 0), matrix(0, 1) + matrix(1, 0), matrix(1, 1)};
}

/// t_1, t_2, t_3 below one another, and their derivatives by the shape and blur parameters.
struct Coefficients {
  Eigen::Matrix<double, 12, 1> value;
  Eigen::Matrix<double, 12, 6> by;
  std::array<Eigen::Matrix2d, 3> matrix;
};

Coefficients CoefficientsOf(const Eigen::Matrix2d& shape, const Eigen::Matrix2d& B) {
  const Eigen::Matrix2d Q = shape.inverse();
  const Eigen::Matrix2d QB = Q * B, QBQ = QB * Q, QBQB = QB * QB, QBQBQ = QB * QBQ;
  Coefficients c;
  c.matrix = {Q, 2.0 * QBQ, 3.0 * QBQBQ};
  c.value << QuadraticOf(QB.trace(), c.matrix[0]), QuadraticOf(QBQB.trace(), c.matrix[1]),
      QuadraticOf((QB * QBQB).trace(), c.matrix[2]);
  Eigen::Matrix2d unit[3];
  unit[0] << 1, 0, 0, 0;
  unit[1] << 0, 1, 1, 0;
  unit[2] << 0, 0, 0, 1;
  for (int k = 0; k < 3; ++k) {
    // Product rule; the transpose is the same term from the other side.
    const auto twice = [](const Eigen::Matrix2d& m) -> Eigen::Matrix2d {
      return m + m.transpose();
    };
    const Eigen::Matrix2d dQ = -Q * unit[k] * Q, dQB = dQ * B;
    c.by.col(k) << QuadraticOf(dQB.trace(), dQ),
        QuadraticOf(2.0 * (dQB * QB).trace(), 2.0 * twice(dQB * Q)),
        QuadraticOf(3.0 * (dQB * QBQB).trace(),
                    3.0 * (twice(dQB * QBQ) + QB * dQ * QB.transpose()));
    const Eigen::Matrix2d QdB = Q * unit[k];
    c.by.col(3 + k) << QuadraticOf(QdB.trace(), Eigen::Matrix2d::Zero()),
        QuadraticOf(2.0 * (QdB * QB).trace(), 2.0 * QdB * Q),
        QuadraticOf(3.0 * (QdB * QBQB).trace(), 3.0 * twice(QdB * QBQ));
  }
  return c;
}

}  // namespace

void EvaluateEllipse(const BlurredEllipse& ellipse, const Eigen::ArrayXf& x_image,
                     const Eigen::ArrayXf& y_image, EllipseShare* result) {
  const Coefficients coefficients = CoefficientsOf(ellipse.shape, ellipse.blur);
  const Eigen::Index n = x_image.size();
  const auto cx = static_cast<float>(ellipse.centre.x()),
             cy = static_cast<float>(ellipse.centre.y());
  const Eigen::ArrayXf x = x_image - cx, y = y_image - cy;
  const Eigen::ArrayXf xx = x * x, xy = x * y, yy = y * y;
  const Eigen::Matrix<float, 12, 1> q = coefficients.value.cast<float>();
  const Eigen::ArrayXf t1 = q[0] + q[1] * xx + q[2] * xy + q[3] * yy;
  const Eigen::ArrayXf t2 = q[4] + q[5] * xx + q[6] * xy + q[7] * yy;
  const Eigen::ArrayXf t3 = q[8] + q[9] * xx + q[10] * xy + q[11] * yy;

  const Eigen::ArrayXf over1 = t1.inverse(), over2 = t2.inverse();
  const Eigen::ArrayXf h_by_3 = (-2.0f / 3.0f) * t1 * over2 * over2;
  // Beyond the tips of an ellipse no wider than its blur, h would run through 0.
  constexpr float kLeastPower = 0.05f;
  const Eigen::ArrayXf free = 1.0f + h_by_3 * t3;
  const Eigen::ArrayXf h = free.max(kLeastPower);
  const Eigen::ArrayXf log1 = t1.log();
  const Eigen::ArrayXf power = (-h * log1).exp();
  const Eigen::ArrayXf curve = t2 * over1 * over1;
  const Eigen::ArrayXf height = power - 1.0f - curve * h * (h - 1.0f);
  const Eigen::ArrayXf scale = t1 * (0.5f * over2).sqrt() / h;
  const Eigen::ArrayXf z = (height * scale).max(-6.0f).min(6.0f);

  // Phi by a logistic curve of a cubic, right to 2e-4.
  constexpr float kLinear = 1.5976f, kCubic = 0.07056f;
  const Eigen::ArrayXf z2 = z * z;
  result->share = (1.0f + (-z * (kLinear + kCubic * z2)).exp()).inverse();
  const Eigen::ArrayXf density =
      result->share * (1.0f - result->share) * (kLinear + 3.0f * kCubic * z2);

  const Eigen::ArrayXf z_by_h =
      (free > kLeastPower)
          .select(density * (scale * (-log1 * power - curve * (2.0f * h - 1.0f)) - z / h), 0.0f);
  const Eigen::ArrayXf by1 =
      density * (scale * over1 * (-h * power + 2.0f * curve * h * (h - 1.0f)) + z * over1) +
      z_by_h * h_by_3 * t3 * over1;
  const Eigen::ArrayXf by2 =
      density * (-scale * h * (h - 1.0f) * over1 * over1 - 0.5f * z * over2) -
      2.0f * z_by_h * h_by_3 * t3 * over2;
  const Eigen::ArrayXf by3 = z_by_h * h_by_3;

  result->by.resize(n, kNumEllipseParameters);
  const auto& m = coefficients.matrix;
  const auto f = [](double value) { return static_cast<float>(-2.0 * value); };
  result->by.col(kCentreX) = x * (f(m[0](0, 0)) * by1 + f(m[1](0, 0)) * by2 + f(m[2](0, 0)) * by3) +
                             y * (f(m[0](0, 1)) * by1 + f(m[1](0, 1)) * by2 + f(m[2](0, 1)) * by3);
  result->by.col(kCentreY) = x * (f(m[0](0, 1)) * by1 + f(m[1](0, 1)) * by2 + f(m[2](0, 1)) * by3) +
                             y * (f(m[0](1, 1)) * by1 + f(m[1](1, 1)) * by2 + f(m[2](1, 1)) * by3);
  for (int k = 0; k < 6; ++k) {
    const Eigen::Matrix<float, 12, 1> d = coefficients.by.col(k).cast<float>();
    result->by.col(kShapeXX + k) = by1 * (d[0] + d[1] * xx + d[2] * xy + d[3] * yy) +
                                   by2 * (d[4] + d[5] * xx + d[6] * xy + d[7] * yy) +
                                   by3 * (d[8] + d[9] * xx + d[10] * xy + d[11] * yy);
  }
}

}  // namespace percuss::tracking
