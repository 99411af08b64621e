// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/tags/tag_fit.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/math/statistics.h"

namespace percuss::tracking {
namespace {

using Corners = std::array<Eigen::Vector2d, 4>;

// Order of the parameters: corners (8), blur xx, xy, yy, white, black, slope (2).
constexpr int kBlur = 8, kWhite = 11, kBlack = 12, kSlope = 13, kNumTagParameters = 15;
using TagVector = Eigen::Matrix<double, kNumTagParameters, 1>;
using TagMatrix = Eigen::Matrix<double, kNumTagParameters, kNumTagParameters>;

constexpr double kMarginCells = 0.5;  // the blurred edge of the paper lies beyond

/// The projective map from cells to pixels by its corners, and how it changes with them.
struct TagMap {
  Eigen::Matrix3d pixel_of_cell, cell_of_pixel;
  std::array<Eigen::Matrix3d, 8> by_corner;  ///< of pixel_of_cell

  TagMap(const Corners& corners, double cells) : TagMap(Fit(corners, cells)) {
    constexpr double kStep = 1e-3;  // [px]
    for (int k = 0; k < 8; ++k) {
      Corners above = corners, below = corners;
      above[k / 2][k % 2] += kStep;
      below[k / 2][k % 2] -= kStep;
      by_corner[k] = (Fit(above, cells) - Fit(below, cells)) / (2.0 * kStep);
    }
  }

  /// The map whose last entry is 1.
  static Eigen::Matrix3d Fit(const Corners& corners, double cells) {
    const double x[4] = {0.0, cells, cells, 0.0}, y[4] = {0.0, 0.0, cells, cells};
    Eigen::MatrixXd rows(8, 8);
    Eigen::VectorXd right(8);
    for (int k = 0; k < 4; ++k) {
      const Eigen::Vector2d& p = corners[k];
      rows.row(2 * k) << x[k], y[k], 1, 0, 0, 0, -x[k] * p.x(), -y[k] * p.x();
      rows.row(2 * k + 1) << 0, 0, 0, x[k], y[k], 1, -x[k] * p.y(), -y[k] * p.y();
      right.segment<2>(2 * k) = p;
    }
    const Eigen::VectorXd h = rows.partialPivLu().solve(right);
    Eigen::Matrix3d map;
    map << h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7], 1.0;
    return map;
  }

 private:
  explicit TagMap(const Eigen::Matrix3d& map) : pixel_of_cell(map), cell_of_pixel(map.inverse()) {}
};

struct TagPixel {
  double x, y, grey;
};

/// One residual with its derivatives.
struct TagRow {
  TagVector by;
  double residual, weight;
};

Corners CornersOf(const TagVector& p) {
  return {p.segment<2>(0), p.segment<2>(2), p.segment<2>(4), p.segment<2>(6)};
}

Eigen::Matrix2d BlurOf(const TagVector& p) {
  Eigen::Matrix2d blur;
  blur << p[kBlur], p[kBlur + 1], p[kBlur + 1], p[kBlur + 2];
  return blur;
}

Eigen::Vector2d Middle(const Corners& corners) {
  return 0.25 * (corners[0] + corners[1] + corners[2] + corners[3]);
}

/// Pixels of a tag and of its margin.
std::vector<TagPixel> PixelsAround(const cv::Mat& luma, const Corners& corners, double cells) {
  const TagMap map(corners, cells);
  Eigen::Vector2d low = corners[0], high = corners[0];
  for (const double a : {-kMarginCells, cells + kMarginCells}) {
    for (const double b : {-kMarginCells, cells + kMarginCells}) {
      const Eigen::Vector2d corner = (map.pixel_of_cell * Eigen::Vector3d(a, b, 1.0)).hnormalized();
      low = low.cwiseMin(corner);
      high = high.cwiseMax(corner);
    }
  }
  const int x0 = std::max(0, static_cast<int>(std::floor(low.x()))),
            y0 = std::max(0, static_cast<int>(std::floor(low.y()))),
            x1 = std::min(luma.cols - 1, static_cast<int>(std::ceil(high.x()))),
            y1 = std::min(luma.rows - 1, static_cast<int>(std::ceil(high.y())));
  std::vector<TagPixel> pixels;
  for (int y = y0; y <= y1; ++y) {
    const auto* row = luma.ptr<unsigned char>(y);
    for (int x = x0; x <= x1; ++x) {
      const Eigen::Vector2d cell = (map.cell_of_pixel * Eigen::Vector3d(x, y, 1.0)).hnormalized();
      if ((cell.array() < -kMarginCells).any() || (cell.array() > cells + kMarginCells).any())
        continue;
      pixels.push_back(
          {static_cast<double>(x), static_cast<double>(y), static_cast<double>(row[x])});
    }
  }
  return pixels;
}

void LineariseTag(const std::vector<TagPixel>& pixels, const ToneTables& tone,
                  const BlurredTag& tag, const TagVector& p, std::vector<TagRow>* rows) {
  const Corners corners = CornersOf(p);
  const TagMap map(corners, tag.NumCells());
  const Eigen::Matrix2d blur = BlurOf(p);
  const Eigen::Vector2d middle = Middle(corners);
  rows->resize(pixels.size());
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const TagPixel& pixel = pixels[i];
    const Eigen::Vector3d cell_h = map.cell_of_pixel * Eigen::Vector3d(pixel.x, pixel.y, 1.0);
    const Eigen::Vector2d cell = cell_h.hnormalized();
    // d cell / d pixel, and how a corner moves the pixel of a fixed cell.
    const Eigen::Matrix2d by_pixel = (map.cell_of_pixel.topLeftCorner<2, 2>() -
                                      cell * map.cell_of_pixel.bottomLeftCorner<1, 2>()) /
                                     cell_h.z();
    const BlurredTag::Share share = tag.At(cell, by_pixel * blur * by_pixel.transpose());
    const Eigen::Vector2d away(pixel.x - middle.x(), pixel.y - middle.y());
    const double lamp = 1.0 + away.dot(p.segment<2>(kSlope));
    const double even = p[kWhite] + (p[kBlack] - p[kWhite]) * share.ink;
    const ToneTables::GreyAndSlope grey = tone.Grey(static_cast<float>(even * lamp));
    TagRow& row = (*rows)[i];
    row.residual = tone.Within(static_cast<float>(pixel.grey)) - grey.grey;
    const double by_ink = grey.slope * lamp * (p[kBlack] - p[kWhite]);
    const Eigen::RowVector2d by_shift = -by_ink * share.by_place.transpose() * by_pixel;
    const double w = map.pixel_of_cell.row(2).dot(Eigen::Vector3d(cell.x(), cell.y(), 1.0));
    for (int k = 0; k < 8; ++k) {
      const Eigen::Vector3d moved = map.by_corner[k] * Eigen::Vector3d(cell.x(), cell.y(), 1.0);
      row.by[k] = by_shift.dot(
          Eigen::Vector2d(moved.x() - pixel.x * moved.z(), moved.y() - pixel.y * moved.z()) / w);
    }
    const Eigen::Matrix2d by_blur =
        0.5 * by_ink * by_pixel.transpose() * share.by_place_2 * by_pixel;
    row.by[kBlur] = by_blur(0, 0);
    row.by[kBlur + 1] = 2.0 * by_blur(0, 1);
    row.by[kBlur + 2] = by_blur(1, 1);
    row.by[kWhite] = grey.slope * lamp * (1.0 - share.ink);
    row.by[kBlack] = grey.slope * lamp * share.ink;
    row.by.segment<2>(kSlope) = grey.slope * even * away;
  }
}

/// Weights by residual, those of Cauchy's distribution with the scale that most pixels show.
/// @return that scale
double WeighRows(double grey_noise, std::vector<TagRow>* rows) {
  std::vector<double> sizes;
  for (const TagRow& row : *rows) sizes.push_back(std::abs(row.residual));
  constexpr double kSigmaOfMedian = 1.4826, kWide = 3.0;
  const double scale = std::max(grey_noise, kSigmaOfMedian * Median(std::move(sizes)));
  for (TagRow& row : *rows) {
    const double far = row.residual / (kWide * scale);
    row.weight = 1.0 / (1.0 + far * far);
  }
  return scale;
}

double CostOf(const std::vector<TagRow>& before, const std::vector<TagRow>& rows) {
  double cost = 0.0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    cost += before[i].weight * rows[i].residual * rows[i].residual;
  return cost;
}

/// No sharper than a pixel is wide, in any direction.
void HoldBlur(TagVector* p) {
  constexpr double kLeast = 0.09;  // [px^2]
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> parts(Eigen::MatrixXd(BlurOf(*p)));
  const Eigen::Matrix2d held = parts.eigenvectors() *
                               parts.eigenvalues().cwiseMax(kLeast).asDiagonal() *
                               parts.eigenvectors().transpose();
  p->segment<3>(kBlur) << held(0, 0), held(0, 1), held(1, 1);
}

/// White and black, as the pixels that should be one of them show.
TagVector StartOf(const std::vector<TagPixel>& pixels, const ToneTables& tone,
                  const BlurredTag& tag, const Corners& corners) {
  TagVector p = TagVector::Zero();
  for (int k = 0; k < 4; ++k) p.segment<2>(2 * k) = corners[k];
  p.segment<3>(kBlur) << 0.7, 0.0, 0.7;
  const TagMap map(corners, tag.NumCells());
  std::array<std::vector<double>, 2> light;
  for (const TagPixel& pixel : pixels) {
    const Eigen::Vector2d cell =
        (map.cell_of_pixel * Eigen::Vector3d(pixel.x, pixel.y, 1.0)).hnormalized();
    const double ink = tag.At(cell, 0.01 * Eigen::Matrix2d::Identity()).ink;
    light[ink > 0.5].push_back(tone.Light(static_cast<unsigned char>(pixel.grey)));
  }
  for (int k = 0; k < 2; ++k) p[kWhite + k] = light[k].empty() ? 0.0 : Median(light[k]);
  return p;
}

/// By how much covariances of single corners must be multiplied, see TagFit::covariances: the
/// largest ratio of what they say, taken as independent, to what all together say, of the six
/// numbers of an affine map.
double Overstatement(const Eigen::MatrixXd& covariance, const Corners& corners) {
  const Eigen::Vector2d middle = Middle(corners);
  Eigen::MatrixXd affine = Eigen::MatrixXd::Zero(8, 6);
  for (int k = 0; k < 4; ++k) {
    const Eigen::Vector2d away = (corners[k] - middle).normalized();
    for (int i = 0; i < 2; ++i) affine.row(2 * k + i).segment<3>(3 * i) << 1, away.x(), away.y();
  }
  Eigen::MatrixXd alone = Eigen::MatrixXd::Zero(8, 8);
  for (int k = 0; k < 4; ++k)
    alone.block<2, 2>(2 * k, 2 * k) = covariance.block<2, 2>(2 * k, 2 * k).inverse();
  const Eigen::MatrixXd together = affine.transpose() * covariance.llt().solve(affine);
  const Eigen::MatrixXd ratio = together.llt().solve(affine.transpose() * alone * affine);
  const Eigen::EigenSolver<Eigen::MatrixXd> parts(ratio, false);
  return std::max(1.0, parts.eigenvalues().real().maxCoeff());
}

/// Share of the variance of the grey values that the model leaves, of pixels by their weights.
double Unexplained(const std::vector<TagPixel>& pixels, const std::vector<TagRow>& rows) {
  double sum = 0.0, squares = 0.0, left = 0.0, weights = 0.0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    sum += rows[i].weight * pixels[i].grey;
    squares += rows[i].weight * pixels[i].grey * pixels[i].grey;
    left += rows[i].weight * rows[i].residual * rows[i].residual;
    weights += rows[i].weight;
  }
  return left / std::max(squares - sum * sum / weights, 1e-9);
}

/// Share of the cells whose middles are not what is printed there.
double WrongCells(const std::vector<TagPixel>& pixels, const ToneTables& tone,
                  const BlurredTag& tag, const TagVector& p) {
  const int n = tag.NumCells();
  const Corners corners = CornersOf(p);
  const TagMap map(corners, n);
  Eigen::ArrayXXd sums = Eigen::ArrayXXd::Zero(n, n), counts = sums;
  for (const TagPixel& pixel : pixels) {
    const Eigen::Vector2d cell =
        (map.cell_of_pixel * Eigen::Vector3d(pixel.x, pixel.y, 1.0)).hnormalized();
    const Eigen::Array2i at = cell.array().floor().cast<int>();
    constexpr double kMiddle = 0.3;  // half its size [cells]
    if ((at < 0).any() || (at >= n).any() ||
        ((cell.array() - at.cast<double>() - 0.5).abs() > kMiddle).any()) {
      continue;
    }
    const double lamp =
        1.0 + (Eigen::Vector2d(pixel.x, pixel.y) - Middle(corners)).dot(p.segment<2>(kSlope));
    sums(at.x(), at.y()) += tone.Light(static_cast<unsigned char>(pixel.grey)) / lamp;
    counts(at.x(), at.y()) += 1.0;
  }
  const double half = 0.5 * (p[kWhite] + p[kBlack]);
  int wrong = 0, seen = 0;
  for (int x = 0; x < n; ++x) {
    for (int y = 0; y < n; ++y) {
      if (counts(x, y) == 0.0) continue;
      ++seen;
      wrong += (sums(x, y) > half * counts(x, y)) != tag.IsWhite(x, y);
    }
  }
  return static_cast<double>(wrong) / std::max(seen, 1);
}

}  // namespace

TagFit FitTag(const cv::Mat& luma, const ToneTables& tone, double grey_noise, const BlurredTag& tag,
              const std::array<Eigen::Vector2d, 4>& start) {
  TagFit fit;
  const double cells = tag.NumCells();
  const std::vector<TagPixel> pixels = PixelsAround(luma, start, cells);
  if (static_cast<int>(pixels.size()) < 4 * kNumTagParameters) {
    fit.reason = fmt::format("{} pixels", pixels.size());
    return fit;
  }
  TagVector p = StartOf(pixels, tone, tag, start);
  std::vector<TagRow> rows, trial_rows;
  LineariseTag(pixels, tone, tag, p, &rows);
  constexpr int kMaxIterations = 25, kSettled = 8;
  constexpr double kLastStep = 2e-3;  // [px]
  double damping = 1e-3, scale = 0.0;
  bool converged = false;
  TagMatrix normal;
  for (int iteration = 0; iteration < kMaxIterations && !converged && damping < 1e6; ++iteration) {
    // Weights follow the residuals at first; from then on they stay, so that the fit comes to rest.
    if (iteration < kSettled) scale = WeighRows(grey_noise, &rows);
    normal.setZero();
    TagVector right = TagVector::Zero();
    for (const TagRow& row : rows) {
      normal.selfadjointView<Eigen::Lower>().rankUpdate(row.by, row.weight);
      right += row.weight * row.residual * row.by;
    }
    normal = normal.selfadjointView<Eigen::Lower>();
    TagMatrix damped = normal;
    damped.diagonal() *= 1.0 + damping;
    TagVector step = damped.ldlt().solve(right);
    if (!step.allFinite()) break;
    const double longest = step.head<8>().cwiseAbs().maxCoeff();
    step *= std::min(1.0, 1.0 / std::max(longest, 1e-12));  // [px], the linear range
    TagVector trial = p + step;
    HoldBlur(&trial);
    LineariseTag(pixels, tone, tag, trial, &trial_rows);
    if (CostOf(rows, trial_rows) <= CostOf(rows, rows)) {
      for (std::size_t i = 0; i < rows.size(); ++i) trial_rows[i].weight = rows[i].weight;
      p = trial;
      std::swap(rows, trial_rows);
      damping = std::max(0.1 * damping, 1e-9);
      converged = iteration > 2 && longest < kLastStep;
    } else {
      converged = longest < kLastStep;
      damping *= 10.0;
    }
  }
  fit.corners = CornersOf(p);
  fit.blur = BlurOf(p);
  fit.contrast = p[kWhite] - p[kBlack];
  const double cell_px = (start[2] - start[0]).norm() / (std::numbers::sqrt2 * cells);
  double moved = 0.0;
  for (int k = 0; k < 4; ++k) moved = std::max(moved, (fit.corners[k] - start[k]).norm());
  constexpr double kMostMoved = 1.0;         // [cells]; then it is another edge
  constexpr double kMostUnexplained = 0.12;  // of a smear or a finger over half of the tag
  constexpr double kMostWrong = 0.08;        // of another print of 4X4 it is a ninth at least
  const double unexplained = Unexplained(pixels, rows);
  if (!converged) {
    fit.reason = "no rest";
  } else if (!(moved < std::max(kMostMoved * cell_px, 1.5))) {
    fit.reason = fmt::format("a corner moved by {:.2f} px", moved);
  } else if (!(fit.contrast > 0.0) || !(unexplained < kMostUnexplained)) {
    fit.reason = fmt::format("{:.0f} % of the picture are not the print", 100.0 * unexplained);
  } else if (const double wrong = WrongCells(pixels, tone, tag, p); wrong > kMostWrong) {
    fit.reason = fmt::format("{:.0f} % of the cells are of another print", 100.0 * wrong);
  }
  if (!fit.reason.empty()) return fit;
  double squares = 0.0, weights = 0.0;
  for (const TagRow& row : rows) {
    squares += row.weight * row.residual * row.residual;
    weights += row.weight;
  }
  const double variance = std::max(squares / (weights - kNumTagParameters), 1.0 / 12.0);
  fit.misfit = scale * scale / (grey_noise * grey_noise);
  const Eigen::MatrixXd covariance =
      variance * normal.ldlt().solve(TagMatrix::Identity()).topLeftCorner<8, 8>();
  if (!covariance.allFinite() || !(covariance.diagonal().minCoeff() > 0.0)) {
    fit.reason = "the corners are not determined";
    return fit;
  }
  const double factor = Overstatement(covariance, fit.corners);
  for (int k = 0; k < 4; ++k) fit.covariances[k] = factor * covariance.block<2, 2>(2 * k, 2 * k);
  fit.found = true;
  return fit;
}

}  // namespace percuss::tracking
