// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <Eigen/SVD>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "calibration/thesis/thesis_chain.h"

namespace percuss::calibration::thesis {
namespace {

// Of singular values, relative to the largest: below it, exact data is degenerate.
constexpr double kRankTolerance = 1e-9;

struct Pairs {
  std::vector<Eigen::Vector2d> from, to;
};

Pairs MeasuredPoints(const Target& target, const View& view) {
  Pairs pairs;
  for (std::size_t k = 0; k < target.size(); ++k) {
    if (!view[k].allFinite()) continue;
    pairs.from.push_back(target[k]);
    pairs.to.push_back(view[k]);
  }
  return pairs;
}

// The similarity that moves the centroid to 0 and the rms distance from it to sqrt(2).
Eigen::Matrix3d Normalisation(const std::vector<Eigen::Vector2d>& points) {
  Eigen::Vector2d centroid = Eigen::Vector2d::Zero();
  for (const auto& p : points) centroid += p / static_cast<double>(points.size());
  double square = 0.0;
  for (const auto& p : points) square += (p - centroid).squaredNorm();
  const double scale = std::sqrt(2.0 * static_cast<double>(points.size()) / square);
  Eigen::Matrix3d T;
  T << scale, 0.0, -scale * centroid.x(), 0.0, scale, -scale * centroid.y(), 0.0, 0.0, 1.0;
  return T;
}

void Apply(const Eigen::Matrix3d& T, std::vector<Eigen::Vector2d>* points) {
  for (auto& p : *points) p = (T * p.homogeneous()).hnormalized();
}

// Sum of squared residuals of a homography; with system, that of the Gauss-Newton step of its
// first eight elements (row by row), the ninth being fixed.
struct NormalEquations {
  Eigen::Matrix<double, 8, 8> matrix = Eigen::Matrix<double, 8, 8>::Zero();
  Eigen::Matrix<double, 8, 1> right = Eigen::Matrix<double, 8, 1>::Zero();
};

double SumOfSquares(const Eigen::Matrix3d& H, const Pairs& pairs, NormalEquations* system) {
  double sum = 0.0;
  for (std::size_t k = 0; k < pairs.from.size(); ++k) {
    const Eigen::Vector3d p = pairs.from[k].homogeneous();
    const Eigen::Vector3d q = H * p;
    const Eigen::Vector2d projected = q.hnormalized();
    const Eigen::Vector2d residual = pairs.to[k] - projected;
    sum += residual.squaredNorm();
    if (system == nullptr) continue;
    Eigen::Matrix<double, 2, 8> J = Eigen::Matrix<double, 2, 8>::Zero();
    J.block<1, 3>(0, 0) = p.transpose() / q.z();
    J.block<1, 3>(1, 3) = p.transpose() / q.z();
    J.block<2, 2>(0, 6) = -projected * p.head<2>().transpose() / q.z();
    system->matrix += J.transpose() * J;
    system->right += J.transpose() * residual;
  }
  return sum;
}

// Gauss-Newton with halved steps on the squared distances in the image.
void Refine(const Pairs& pairs, Eigen::Matrix3d* H) {
  constexpr int kMaxIterations = 30;
  constexpr double kSmallestScale = 1e-3;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    NormalEquations system;
    const double before = SumOfSquares(*H, pairs, &system);
    const Eigen::Matrix<double, 8, 1> step = system.matrix.ldlt().solve(system.right);
    double scale = 1.0;
    for (; scale > kSmallestScale; scale *= 0.5) {
      Eigen::Matrix3d moved = *H;
      for (int i = 0; i < 8; ++i) moved(i / 3, i % 3) += scale * step[i];
      if (SumOfSquares(moved, pairs, nullptr) < before) {
        *H = moved;
        break;
      }
    }
    if (scale <= kSmallestScale || step.norm() < 1e-15) return;
  }
}

// The homography to - H from of a view, H (0,0,1) positive at the centroid of the target; none if
// the points do not determine it.
std::optional<Eigen::Matrix3d> Homography(Pairs pairs) {
  const int num_points = static_cast<int>(pairs.from.size());
  if (num_points < 4) return std::nullopt;
  const Eigen::Matrix3d from = Normalisation(pairs.from), to = Normalisation(pairs.to);
  if (!from.allFinite() || !to.allFinite()) return std::nullopt;
  Apply(from, &pairs.from);
  Apply(to, &pairs.to);

  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(std::max(2 * num_points, 9), 9);
  for (int k = 0; k < num_points; ++k) {
    const Eigen::RowVector3d p = pairs.from[k].homogeneous().transpose();
    A.block<1, 3>(2 * k, 0) = p;
    A.block<1, 3>(2 * k, 6) = -pairs.to[k].x() * p;
    A.block<1, 3>(2 * k + 1, 3) = p;
    A.block<1, 3>(2 * k + 1, 6) = -pairs.to[k].y() * p;
  }
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(A, Eigen::ComputeThinV);
  if (!(svd.singularValues()[7] > kRankTolerance * svd.singularValues()[0])) return std::nullopt;
  const Eigen::Matrix<double, 9, 1> h = svd.matrixV().col(8);
  // h[8] is the depth of the centroid, in units of those around it: zero for nothing one can see.
  if (!(std::abs(h[8]) > kRankTolerance)) return std::nullopt;
  Eigen::Matrix3d H = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(h.data());
  H /= h[8];
  Refine(pairs, &H);
  // Points in general position do not fall on a line.
  if (!(std::abs(H.determinant()) > kRankTolerance)) return std::nullopt;
  return to.inverse() * H * from;
}

// Coefficients of h_i' B h_j in (B11, B22, B33, B13, B23, B12).
Eigen::Matrix<double, 1, 6> ConicRow(const Eigen::Matrix3d& H, int i, int j) {
  const Eigen::Vector3d a = H.col(i), b = H.col(j);
  Eigen::Matrix<double, 1, 6> row;
  row << a[0] * b[0], a[1] * b[1], a[2] * b[2], a[0] * b[2] + a[2] * b[0],
      a[1] * b[2] + a[2] * b[1], a[0] * b[1] + a[1] * b[0];
  return row;
}

// Upper triangular (column form) K with K(2,2) = 1 from homographies into normalised pixels.
Eigen::Matrix3d SolveConic(const std::vector<Eigen::Matrix3d>& homographies, bool skew,
                           std::string* reason) {
  const int num_unknowns = skew ? 6 : 5;  // B12 is last: it is zero without skew
  const int num_rows = 2 * static_cast<int>(homographies.size());
  // Zero rows below fill up to the number of unknowns, so that the null vector is the last of V.
  Eigen::MatrixXd equations = Eigen::MatrixXd::Zero(std::max(num_rows, num_unknowns), num_unknowns);
  for (std::size_t v = 0; v < homographies.size(); ++v) {
    const Eigen::Matrix3d H = homographies[v] / homographies[v].norm();
    equations.row(2 * v) = ConicRow(H, 0, 1).head(num_unknowns);
    equations.row(2 * v + 1) = (ConicRow(H, 0, 0) - ConicRow(H, 1, 1)).head(num_unknowns);
  }
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(equations, Eigen::ComputeThinV);
  if (!(svd.singularValues()[num_unknowns - 2] > kRankTolerance * svd.singularValues()[0])) {
    *reason = "the boards are parallel to each other: tilt them in different directions";
    return {};
  }
  Eigen::Matrix<double, 6, 1> b = Eigen::Matrix<double, 6, 1>::Zero();
  b.head(num_unknowns) = svd.matrixV().col(num_unknowns - 1);
  if (b[0] < 0.0) b = -b;
  Eigen::Matrix3d B;
  B << b[0], b[5], b[3], b[5], b[1], b[4], b[3], b[4], b[2];
  const Eigen::LLT<Eigen::Matrix3d> cholesky(B);
  if (cholesky.info() != Eigen::Success) {
    *reason =
        "no camera agrees with the views (the image of the absolute conic is not positive "
        "definite): the boards are nearly parallel, or corners are wrong";
    return {};
  }
  // B = L L' is proportional to K^-T K^-1.
  const Eigen::Matrix3d K = Eigen::Matrix3d(cholesky.matrixU()).inverse();
  return K / K(2, 2);
}

Pose PoseFromHomography(const Eigen::Matrix3d& K, const Eigen::Matrix3d& H) {
  const Eigen::Matrix3d A = K.inverse() * H;
  const double scale = 2.0 / (A.col(0).norm() + A.col(1).norm());
  Eigen::Matrix3d R;
  R.leftCols<2>() = scale * A.leftCols<2>();
  R.col(2) = R.col(0).cross(R.col(1));
  return {.R = NearestRotation(R).transpose(), .t = scale * A.col(2).transpose()};
}

void Check(const Target& target, const std::vector<View>& views, ImageSize image) {
  if (image.width < 1 || image.height < 1) {
    throw std::invalid_argument(
        fmt::format("ImageSize: {} x {}, at least 1 x 1 is needed", image.width, image.height));
  }
  for (std::size_t v = 0; v < views.size(); ++v) {
    if (views[v].size() != target.size()) {
      throw std::invalid_argument(fmt::format("views[{}]: {} pixels for {} points of the target", v,
                                              views[v].size(), target.size()));
    }
  }
}

}  // namespace

Eigen::Matrix3d NearestRotation(const Eigen::Matrix3d& matrix) {
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(matrix, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const double sign = (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0.0 ? -1.0 : 1.0;
  return svd.matrixU() * Eigen::Vector3d(1.0, 1.0, sign).asDiagonal() * svd.matrixV().transpose();
}

ClosedForm ClosedFormIntrinsics(const Target& target, const std::vector<View>& views,
                                ImageSize image, const Options& options) {
  Check(target, views, image);
  ClosedForm result;
  result.poses.resize(views.size());
  // Pixels of order one from the image centre: keeps the equations of the conic well scaled, and a
  // skew of zero zero.
  const double half = 0.25 * (image.width + image.height);
  Eigen::Matrix3d from_normalised;
  from_normalised << half, 0.0, 0.5 * (image.width - 1), 0.0, half, 0.5 * (image.height - 1), 0.0,
      0.0, 1.0;
  std::vector<Eigen::Matrix3d> homographies;
  std::vector<std::size_t> used;
  for (std::size_t v = 0; v < views.size(); ++v) {
    const auto H = Homography(MeasuredPoints(target, views[v]));
    if (!H) continue;
    homographies.push_back(from_normalised.inverse() * *H);
    used.push_back(v);
  }
  const std::size_t needed = options.skew ? 3 : 2;
  if (used.size() < needed) {
    result.reason = fmt::format("{} views with four or more corners in general position, {} {}",
                                used.size(), needed, "are needed");
    return result;
  }
  const Eigen::Matrix3d K_normalised = SolveConic(homographies, options.skew, &result.reason);
  if (!result.reason.empty()) return result;
  const Eigen::Matrix3d K = from_normalised * K_normalised;
  result.intrinsics = {.f_x = K(0, 0),
                       .f_y = K(1, 1),
                       .skew = options.skew ? K(0, 1) : 0.0,
                       .c_x = K(0, 2),
                       .c_y = K(1, 2),
                       .k1 = 0.0,
                       .k2 = 0.0};
  for (std::size_t i = 0; i < used.size(); ++i) {
    result.poses[used[i]] = PoseFromHomography(K_normalised, homographies[i]);
  }
  return result;
}

}  // namespace percuss::calibration::thesis
