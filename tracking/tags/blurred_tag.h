// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>

namespace percuss::tracking {

/// The print of a tag seen through a Gaussian blur, in cells: x to the right, y down, (0, 0) the
/// top left corner of its black square, (n, n) the bottom right one; what lies around is white.
///
/// A pattern of square cells is a sum of quarter planes, so its blurred share of ink is one of
/// bivariate normal integrals,
///     s(p) = sum_ij W_ij Phi2((x - i) / sqrt(C_xx), (y - j) / sqrt(C_yy); C_xy),
/// with W the mixed second differences of the ink. Blur is diffusion, ds/dC_xy = d2s/dx dy: the
/// integrals with C_xy are expanded about those without, which are products, to second order (K.
/// Pearson's tetrachoric series, 1900). Straight edges, all but the surroundings of the corners of
/// cells, are exact for any C.
class BlurredTag {
 public:
  /// @param cells capture::TagCells: 1 white, 0 black
  explicit BlurredTag(const Eigen::MatrixXd& cells);

  int NumCells() const { return static_cast<int>(cells_.rows()); }
  bool IsWhite(int x, int y) const { return cells_(y, x) > 0.5; }

  struct Share {
    double ink = 0.0;            ///< 0 white, 1 black
    Eigen::Vector2d by_place;    ///< [1/cell]
    Eigen::Matrix2d by_place_2;  ///< second derivatives; dink/dC is half of them
  };
  /// @param blur covariance C [cells^2]
  Share At(const Eigen::Vector2d& place, const Eigen::Matrix2d& blur) const;

 private:
  Eigen::MatrixXd cells_;
  static constexpr int kMostLines = 12;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostLines, kMostLines>
      differences_;  ///< W, x by row
};

}  // namespace percuss::tracking
