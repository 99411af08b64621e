// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/arcs/shared_offsets.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace percuss::tracking {
namespace {

/// The sightings of one view in one frame. With A the derivative of their rows by the offset and
/// A^T A = L L^T, the columns of `directions`, A L^-T, are orthonormal, and the rows' components
/// along them are L^T b + e.
struct Image {
  double time = 0.0;  ///< [s]
  std::vector<Eigen::Index> rows;
  Eigen::Matrix<double, Eigen::Dynamic, 2> directions;
  Eigen::Matrix2d by_offset;  ///< L^T
};

/// Images that tell of their offset, in order of time.
std::vector<Image> ImagesOf(std::span<const ArcFrame> frames, int view) {
  std::vector<Image> images;
  Eigen::Index row = 0;
  for (const ArcFrame& frame : frames) {
    Image image;
    image.time = frame.time;
    std::vector<Eigen::Matrix2d> by_offset;
    for (const Sighting& sighting : frame.sightings) {
      const Eigen::Index size = sighting.whitening.rows();
      if (SourceOf(sighting) == view && sighting.weight > 0.0) {
        image.rows.insert(image.rows.end(), {row, row + 1});
        by_offset.push_back(sighting.weight * sighting.whitening);
      }
      row += size;
    }
    if (by_offset.empty()) continue;
    Eigen::Matrix<double, Eigen::Dynamic, 2> A(2 * static_cast<Eigen::Index>(by_offset.size()), 2);
    for (std::size_t i = 0; i < by_offset.size(); ++i)
      A.middleRows<2>(2 * static_cast<Eigen::Index>(i)) = by_offset[i];
    const Eigen::LLT<Eigen::Matrix2d> factor(A.transpose() * A);
    image.by_offset = factor.matrixU();
    image.directions = factor.matrixU().solve<Eigen::OnTheRight>(A);
    images.push_back(std::move(image));
  }
  return images;
}

/// Two rows for each image; those of one image are adjacent in memory.
using Components = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using TwoRows = Eigen::Matrix<double, 2, Eigen::Dynamic, Eigen::RowMajor>;

auto TwoRowsOf(Components* components, std::size_t image) {
  return components->middleRows<2>(2 * static_cast<Eigen::Index>(image));
}

/// Components of the images' rows along their directions.
Components ComponentsOf(const std::vector<Image>& images,
                        const Eigen::Ref<const Eigen::MatrixXd>& rows) {
  Components components(2 * std::ssize(images), rows.cols());
  for (std::size_t k = 0; k < images.size(); ++k)
    TwoRowsOf(&components, k) = images[k].directions.transpose() * rows(images[k].rows, Eigen::all);
  return components;
}

/// Replaces components by normalised innovations. Returns the logarithm of the determinant of
/// their covariance.
double Normalise(const std::vector<Image>& images, const SharedOffset& offset,
                 Components* components) {
  const double variance = offset.sigma_px * offset.sigma_px;
  TwoRows mean = TwoRows::Zero(2, components->cols());
  Eigen::Matrix2d covariance = variance * Eigen::Matrix2d::Identity();
  double log_determinant = 0.0;
  for (std::size_t k = 0; k < images.size(); ++k) {
    const Image& image = images[k];
    if (k > 0) {
      const double keep = std::exp(-(image.time - images[k - 1].time) / offset.correlation_time);
      mean *= keep;
      covariance *= keep * keep;
      covariance.diagonal().array() += (1.0 - keep * keep) * variance;
    }
    auto z = TwoRowsOf(components, k);
    const Eigen::Matrix2d& H = image.by_offset;
    z -= H * mean;
    const Eigen::Matrix2d S = H * covariance * H.transpose() + Eigen::Matrix2d::Identity();
    const Eigen::LLT<Eigen::Matrix2d> factor(S);
    const Eigen::Matrix2d gain = factor.solve(H * covariance).transpose();
    mean += gain * z;
    covariance -= (gain * H * covariance).eval();
    factor.matrixL().solveInPlace(z);
    log_determinant += 2.0 * std::log(factor.matrixLLT().diagonal().prod());
  }
  return log_determinant;
}

/// The images of one view and the components of a matrix's rows.
struct ViewRows {
  std::vector<Image> images;
  Components components;
  double mean_sigma = 0.0;  ///< of the mean of an image's pixels, root mean square [px]
  double interval = std::numeric_limits<double>::infinity();  ///< the shortest between images [s]
};

ViewRows RowsOf(std::span<const ArcFrame> frames, int index, const Eigen::MatrixXd& rows) {
  ViewRows view;
  view.images = ImagesOf(frames, index);
  view.components = ComponentsOf(view.images, rows);
  double variances = 0.0;
  for (std::size_t k = 0; k < view.images.size(); ++k) {
    variances += 0.5 * view.images[k].by_offset.inverse().squaredNorm();
    if (k > 0)
      view.interval = std::min(view.interval, view.images[k].time - view.images[k - 1].time);
  }
  view.mean_sigma = std::sqrt(variances / static_cast<double>(view.images.size()));
  return view;
}

/// Numbers among the residuals that count.
Eigen::Index NumCounted(std::span<const ArcFrame> frames) {
  Eigen::Index count = 0;
  for (const ArcFrame& frame : frames) {
    for (const Sighting& sighting : frame.sightings)
      count += sighting.weight > 0.0 ? sighting.whitening.rows() : 0;
  }
  return count;
}

/// Normal matrix of the columns J, G, r (lower triangle), and the logarithm of the determinant of
/// cov(A b + e). Those of several views add up.
struct Normal {
  Eigen::MatrixXd matrix;
  double log_determinant = 0.0;
};

/// Adds or takes away the products of some rows.
template <typename Rows>
void AddSquare(const Rows& rows, double sign, Normal* normal) {
  normal->matrix.selfadjointView<Eigen::Lower>().rankUpdate(rows.transpose(), sign);
}

/// What the components of one view's images add for some offset.
Normal NormalOf(const ViewRows& view, const SharedOffset& offset) {
  Components components = view.components;
  const Eigen::Index columns = components.cols();
  Normal normal{Eigen::MatrixXd::Zero(columns, columns),
                Normalise(view.images, offset, &components)};
  AddSquare(components, 1.0, &normal);
  return normal;
}

struct Likelihood {
  double log = -std::numeric_limits<double>::infinity();
  double noise_variance = 1.0;  ///< s^2
};

/// Logarithm of the restricted likelihood, its maximum over s. Of the Cholesky factor of
/// (J, G, r)^T (J, G, r) the last number, squared, is what is left of r^T r, and those before make
/// the determinant of the rest.
/// @param normal with the prior of u. Becomes that factor.
Likelihood RestrictedLikelihood(double num_rows, int num_unknowns, Normal* normal) {
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(normal->matrix);
  const double freedom = num_rows - num_unknowns;
  Likelihood likelihood;
  if (factor.info() != Eigen::Success || !(freedom > 0.0)) return likelihood;
  const auto diagonal = normal->matrix.diagonal();
  const double squares = std::pow(diagonal[diagonal.size() - 1], 2);
  likelihood.noise_variance = squares / freedom;
  likelihood.log = -0.5 * (normal->log_determinant + freedom * std::log(squares)) -
                   diagonal.head(diagonal.size() - 1).array().log().sum();
  return likelihood;
}

/// Ratios of sigma to MeanSigma, and correlation times in intervals; see EstimateSharedOffsets.
constexpr std::array<double, 10> kRatios = {0.2, 0.4, 0.7, 1.0, 1.5, 2.2, 3.3, 5.0, 8.0, 13.0};
constexpr std::array<double, 4> kIntervals = {1.0, 2.5, 6.0, 15.0};
constexpr double kNone = 0.5;          ///< prior probability that there are no offsets
constexpr std::size_t kMinImages = 8;  ///< of a view; fewer say nothing of offsets

/// One ratio for each view, places in kRatios, and the prior weight among all choices.
struct Choice {
  std::vector<std::size_t> ratios;
  double weight = 1.0;
};

/// Mass of a half-Cauchy distribution between the ratios' geometric means.
double HalfCauchyMass(std::size_t ratio) {
  const auto border = [](std::size_t upper) {
    return std::sqrt(kRatios[upper - 1] * kRatios[upper]);
  };
  const double below = ratio == 0 ? 0.0 : std::atan(border(ratio));
  const double above =
      ratio + 1 == kRatios.size() ? 0.5 * std::numbers::pi : std::atan(border(ratio + 1));
  return (above - below) / (0.5 * std::numbers::pi);
}

std::vector<Choice> Choices(int num_views) {
  std::vector<Choice> choices(1);
  for (int view = 0; view < num_views; ++view) {
    std::vector<Choice> longer;
    for (const Choice& choice : choices) {
      for (std::size_t ratio = 0; ratio < kRatios.size(); ++ratio) {
        longer.push_back(choice);
        longer.back().ratios.push_back(ratio);
        longer.back().weight *= HalfCauchyMass(ratio);
        if (view > 0) {
          const double unlike = std::log(kRatios[ratio] / kRatios[choice.ratios.back()]);
          longer.back().weight *= std::exp(-2.0 * std::abs(unlike));
        }
      }
    }
    choices = std::move(longer);
  }
  double sum = 0.0;
  for (const Choice& choice : choices) sum += choice.weight;
  for (Choice& choice : choices) choice.weight /= sum;
  return choices;
}

/// Weighted means over the grid.
class GridMean {
 public:
  explicit GridMean(std::size_t num_views) : variances_(num_views, 0.0) {}

  void Add(double log_weight, const std::vector<SharedOffset>& offsets, double noise_variance) {
    if (!std::isfinite(log_weight)) return;
    // Weights count in relation to the largest one so far.
    if (log_weight > log_largest_) {
      const double shrink = std::exp(log_largest_ - log_weight);
      for (double* sum : {&weights_, &log_time_, &variance_}) *sum *= shrink;
      for (double& sum : variances_) sum *= shrink;
      log_largest_ = log_weight;
    }
    const double weight = std::exp(log_weight - log_largest_);
    weights_ += weight;
    for (std::size_t view = 0; view < offsets.size(); ++view) {
      const double variance =
          weight * std::min(1.0, noise_variance) * std::pow(offsets[view].sigma_px, 2);
      variances_[view] += variance;
      variance_ += variance;
      log_time_ += variance * std::log(offsets[view].correlation_time);
    }
  }

  std::vector<SharedOffset> Value() const {
    std::vector<SharedOffset> offsets(variances_.size());
    if (!(variance_ > 0.0)) return offsets;
    for (std::size_t view = 0; view < offsets.size(); ++view)
      offsets[view] = {std::sqrt(variances_[view] / weights_), std::exp(log_time_ / variance_)};
    return offsets;
  }

 private:
  double log_largest_ = -std::numeric_limits<double>::infinity();
  double weights_ = 0.0, log_time_ = 0.0, variance_ = 0.0;
  std::vector<double> variances_;
};

}  // namespace

void WhitenSharedOffsets(std::span<const ArcFrame> frames, std::span<const SharedOffset> offsets,
                         Eigen::Ref<Eigen::MatrixXd> rows) {
  for (std::size_t view = 0; view < offsets.size(); ++view) {
    if (offsets[view].sigma_px == 0.0) continue;
    const std::vector<Image> images = ImagesOf(frames, static_cast<int>(view));
    const Components before = ComponentsOf(images, rows);
    Components change = before;
    Normalise(images, offsets[view], &change);
    change -= before;
    for (std::size_t k = 0; k < images.size(); ++k)
      rows(images[k].rows, Eigen::all) += images[k].directions * TwoRowsOf(&change, k);
  }
}

Eigen::MatrixXd CovarianceOfOffsets(std::span<const ArcFrame> frames,
                                    std::span<const SharedOffset> offsets,
                                    const Eigen::MatrixXd& weights) {
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(weights.cols(), weights.cols());
  for (std::size_t view = 0; view < offsets.size(); ++view) {
    const std::vector<Image> images = ImagesOf(frames, static_cast<int>(view));
    Components components = ComponentsOf(images, weights);
    const double variance = offsets[view].sigma_px * offsets[view].sigma_px;
    TwoRows earlier = TwoRows::Zero(2, weights.cols());  // sum, weighted by the correlation
    for (std::size_t k = 0; k < images.size(); ++k) {
      if (k > 0) {
        const double apart = images[k].time - images[k - 1].time;
        earlier *= std::exp(-apart / offsets[view].correlation_time);
      }
      const TwoRows by_offset =
          images[k].by_offset.transpose() * TwoRowsOf(&components, k);  // A^T X
      const Eigen::MatrixXd cross = by_offset.transpose() * (earlier + 0.5 * by_offset);
      covariance += variance * (cross + cross.transpose());
      earlier += by_offset;
    }
  }
  return covariance;
}

std::vector<SharedOffset> EstimateSharedOffsets(std::span<const ArcFrame> frames, int num_views,
                                                const Eigen::MatrixXd& rows, int num_unknowns) {
  const auto count = static_cast<std::size_t>(num_views);
  const Eigen::Index columns = rows.cols();
  Eigen::MatrixXd ordered(rows.rows(), columns);
  ordered << rows.rightCols(columns - 1), rows.col(0);
  std::vector<ViewRows> views;
  Normal within{Eigen::MatrixXd::Zero(columns, columns), 0.0};
  AddSquare(ordered, 1.0, &within);
  within.matrix.diagonal().segment(num_unknowns, columns - 1 - num_unknowns).array() += 1.0;
  for (int view = 0; view < num_views; ++view) {
    views.push_back(RowsOf(frames, view, ordered));
    if (views.back().images.size() < kMinImages) return std::vector<SharedOffset>(count);
    AddSquare(views.back().components, -1.0, &within);
  }
  const auto num_rows = static_cast<double>(NumCounted(frames));
  GridMean mean(count);
  Normal normal;
  const auto try_offsets = [&](const std::vector<SharedOffset>& offsets, double weight,
                               const std::vector<const Normal*>& of_views) {
    normal = within;
    for (const Normal* of_view : of_views) {
      normal.matrix += of_view->matrix;
      normal.log_determinant += of_view->log_determinant;
    }
    const Likelihood likelihood = RestrictedLikelihood(num_rows, num_unknowns, &normal);
    mean.Add(std::log(weight) + likelihood.log, offsets, likelihood.noise_variance);
  };

  std::vector<Normal> none;
  std::vector<const Normal*> of_views;
  for (const ViewRows& view : views) none.push_back(NormalOf(view, {}));
  for (const Normal& normal : none) of_views.push_back(&normal);
  try_offsets(std::vector<SharedOffset>(count), kNone, of_views);
  const std::vector<Choice> choices = Choices(num_views);
  for (const double intervals : kIntervals) {
    std::vector<std::vector<Normal>> normals(count);  // by view and ratio
    const auto offset = [&](std::size_t view, std::size_t ratio) -> SharedOffset {
      return {kRatios[ratio] * views[view].mean_sigma, intervals * views[view].interval};
    };
    for (std::size_t view = 0; view < count; ++view) {
      for (std::size_t ratio = 0; ratio < kRatios.size(); ++ratio)
        normals[view].push_back(NormalOf(views[view], offset(view, ratio)));
    }
    for (const Choice& choice : choices) {
      std::vector<SharedOffset> offsets;
      for (std::size_t view = 0; view < count; ++view) {
        offsets.push_back(offset(view, choice.ratios[view]));
        of_views[view] = &normals[view][choice.ratios[view]];
      }
      try_offsets(offsets, (1.0 - kNone) * choice.weight / kIntervals.size(), of_views);
    }
  }
  return mean.Value();
}

}  // namespace percuss::tracking
