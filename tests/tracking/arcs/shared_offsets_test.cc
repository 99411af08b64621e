// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/arcs/shared_offsets.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <random>

namespace percuss::tracking {
namespace {

constexpr double kInterval = 0.01;            ///< between images [s]
constexpr double kSharedOffsetsNoise = 0.05;  ///< of a pixel [px]

/// Images of two views in turns, each of so many markers.
std::vector<ArcFrame> Frames(int num_frames, int num_markers) {
  std::vector<ArcFrame> frames;
  for (int k = 0; k < num_frames; ++k) {
    ArcFrame frame{k, k * kInterval, k < num_frames / 2 ? 0 : 1, {}};
    for (int m = 0; m < num_markers; ++m) {
      for (const int side : {0, 1}) {
        frame.sightings.push_back({MarkerObservation{.marker = m, .side = side}, 0.0,
                                   SightingMatrix::Identity(2, 2) / kSharedOffsetsNoise, 1.0});
      }
    }
    frames.push_back(frame);
  }
  return frames;
}

/// Derivative of the weighted, whitened rows of one view by the offset of each frame, 2 columns a
/// frame.
Eigen::MatrixXd ByOffsets(const std::vector<ArcFrame>& frames, int view) {
  Eigen::Index num_rows = 0;
  for (const ArcFrame& frame : frames)
    num_rows += 2 * static_cast<Eigen::Index>(frame.sightings.size());
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(num_rows, 2 * static_cast<Eigen::Index>(frames.size()));
  Eigen::Index row = 0, column = 0;
  for (const ArcFrame& frame : frames) {
    for (const Sighting& sighting : frame.sightings) {
      if (SourceOf(sighting) == view)
        A.block<2, 2>(row, column) = sighting.weight * sighting.whitening;
      row += 2;
    }
    column += 2;
  }
  return A;
}

/// cov(b) of one view, from its definition.
Eigen::MatrixXd OffsetCovariance(const std::vector<ArcFrame>& frames, const SharedOffset& offset) {
  const auto count = static_cast<Eigen::Index>(frames.size());
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(2 * count, 2 * count);
  for (Eigen::Index i = 0; i < count; ++i) {
    for (Eigen::Index j = 0; j < count; ++j) {
      const double apart = std::abs(frames[static_cast<std::size_t>(i)].time -
                                    frames[static_cast<std::size_t>(j)].time);
      covariance.block<2, 2>(2 * i, 2 * j) = std::pow(offset.sigma_px, 2) *
                                             std::exp(-apart / offset.correlation_time) *
                                             Eigen::Matrix2d::Identity();
    }
  }
  return covariance;
}

Eigen::MatrixXd Covariance(const std::vector<ArcFrame>& frames,
                           const std::vector<SharedOffset>& offsets) {
  const Eigen::Index size = ByOffsets(frames, 0).rows();
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Identity(size, size);
  for (int view = 0; view < static_cast<int>(offsets.size()); ++view) {
    const Eigen::MatrixXd A = ByOffsets(frames, view);
    covariance +=
        A * OffsetCovariance(frames, offsets[static_cast<std::size_t>(view)]) * A.transpose();
  }
  return covariance;
}

Eigen::VectorXd Draw(Eigen::Index size, std::mt19937* random) {
  std::normal_distribution<double> normal(0.0, 1.0);
  return Eigen::VectorXd::NullaryExpr(size, [&] { return normal(*random); });
}

// Truth: the covariance written out. What whitens it leaves the identity; here with unlike sigmas,
// correlated pixels, robust weights, an outlier, a frame that is missing and one without a view.
TEST(WhitenSharedOffsets, LeavesUnitCovariance) {
  std::vector<ArcFrame> frames = Frames(9, 3);
  frames.erase(frames.begin() + 4);
  frames[2].sightings[3].weight = 0.6;
  frames[3].sightings[0].weight = 0.0;
  frames[5].sightings[1].whitening << 30.0, 0.0, 7.0, 11.0;
  std::erase_if(frames[6].sightings, [](const Sighting& s) { return SourceOf(s) == 1; });
  const std::vector<SharedOffset> offsets = {{0.04, 0.03}, {0.1, 0.005}};
  const Eigen::MatrixXd covariance = Covariance(frames, offsets);
  // One more row, that of a clock's prior, stays.
  Eigen::MatrixXd whitening =
      Eigen::MatrixXd::Identity(covariance.rows() + 1, covariance.rows() + 1);
  WhitenSharedOffsets(frames, offsets, whitening);
  const Eigen::MatrixXd inner = whitening.topLeftCorner(covariance.rows(), covariance.rows());
  const Eigen::MatrixXd white = inner * covariance * inner.transpose();
  EXPECT_LT((white - Eigen::MatrixXd::Identity(white.rows(), white.cols())).norm(), 1e-10);
  EXPECT_EQ(whitening(covariance.rows(), covariance.rows()), 1.0);
  EXPECT_EQ(whitening.bottomRows<1>().head(covariance.rows()).norm(), 0.0);
}

// Truth: the covariance written out.
TEST(CovarianceOfOffsets, IsThatOfTheWeightedSums) {
  std::vector<ArcFrame> frames = Frames(9, 3);
  frames.erase(frames.begin() + 4);
  frames[2].sightings[3].weight = 0.6;
  frames[5].sightings[1].whitening << 30.0, 0.0, 7.0, 11.0;
  const std::vector<SharedOffset> offsets = {{0.04, 0.03}, {0.1, 0.005}};
  const Eigen::MatrixXd all = Covariance(frames, offsets);
  std::mt19937 random(5);
  Eigen::MatrixXd weights(all.rows(), 3);
  for (Eigen::Index i = 0; i < 3; ++i) weights.col(i) = Draw(all.rows(), &random);
  const Eigen::MatrixXd expected =
      weights.transpose() * all * weights - weights.transpose() * weights;
  EXPECT_LT((CovarianceOfOffsets(frames, offsets, weights) - expected).norm(),
            1e-12 * expected.norm());
}

TEST(WhitenSharedOffsets, ChangesNothingWithoutOffsets) {
  const std::vector<ArcFrame> frames = Frames(5, 3);
  std::mt19937 random(1);
  const Eigen::VectorXd rows = Draw(60, &random);
  for (const std::vector<SharedOffset>& none :
       {std::vector<SharedOffset>{}, std::vector<SharedOffset>(2)}) {
    Eigen::VectorXd whitened = rows;
    WhitenSharedOffsets(frames, none, whitened);
    EXPECT_EQ(whitened, rows);
  }
}

/// A motion of each view, as an arc shows it: place, velocity and acceleration.
Eigen::MatrixXd Motions(const std::vector<ArcFrame>& frames) {
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(ByOffsets(frames, 0).rows(), 12);
  for (int view = 0; view < 2; ++view) {
    const Eigen::MatrixXd A = ByOffsets(frames, view);
    for (Eigen::Index k = 0; k < static_cast<Eigen::Index>(frames.size()); ++k) {
      const double t = 2.0 * static_cast<double>(k) / static_cast<double>(frames.size() - 1) - 1.0;
      for (int power = 0; power < 3; ++power)
        J.middleCols<2>(6 * view + 2 * power) += std::pow(t, power) * A.middleCols<2>(2 * k);
    }
  }
  return J;
}

/// What draws of residuals with known offsets give.
struct Estimates {
  std::vector<SharedOffset> mean = {{0.0, 0.0}, {0.0, 0.0}};  ///< of variances, of log times
  double mean_square = 0.0;  ///< of the errors of the motions over their sigmas
  double inflation = 0.0;    ///< of the motions' variances, beyond those of white noise
};

Estimates EstimateDraws(const std::vector<SharedOffset>& truth, unsigned seed) {
  constexpr int kDraws = 60;
  const std::vector<ArcFrame> frames = Frames(48, 6);
  const Eigen::MatrixXd J = Motions(frames);
  const Eigen::MatrixXd white = (J.transpose() * J).inverse();
  std::vector<Eigen::MatrixXd> roots;
  for (int view = 0; view < 2; ++view) {
    const SharedOffset& offset = truth[static_cast<std::size_t>(view)];
    roots.push_back(offset.sigma_px == 0.0
                        ? Eigen::MatrixXd::Zero(J.rows(), 96)
                        : Eigen::MatrixXd(ByOffsets(frames, view) *
                                          OffsetCovariance(frames, offset).llt().matrixL()));
  }
  std::mt19937 random(seed);
  Estimates estimates;
  for (int draw = 0; draw < kDraws; ++draw) {
    Eigen::MatrixXd rows(J.rows(), 1 + J.cols());
    rows << Draw(J.rows(), &random), J;
    for (const Eigen::MatrixXd& root : roots) rows.col(0) += root * Draw(root.cols(), &random);
    const auto offsets = EstimateSharedOffsets(frames, 2, rows, static_cast<int>(J.cols()));
    for (std::size_t view = 0; view < 2; ++view) {
      estimates.mean[view].sigma_px += std::pow(offsets[view].sigma_px, 2) / kDraws;
      estimates.mean[view].correlation_time += std::log(offsets[view].correlation_time) / kDraws;
    }
    WhitenSharedOffsets(frames, offsets, rows);
    const Eigen::MatrixXd G = rows.rightCols(J.cols());
    const Eigen::MatrixXd covariance = (G.transpose() * G).inverse();
    const Eigen::VectorXd error = covariance * G.transpose() * rows.col(0);
    estimates.mean_square += error.dot(G.transpose() * G * error) / 12.0 / kDraws;
    estimates.inflation += covariance.diagonal().cwiseQuotient(white.diagonal()).mean() / kDraws;
  }
  for (SharedOffset& offset : estimates.mean)
    offset = {std::sqrt(offset.sigma_px), std::exp(offset.correlation_time)};
  return estimates;
}

// Truth: the offsets that the residuals were drawn with, as large as the error of an image's mean
// and larger. One flight of 48 images tells a sigma to some 30 % and a correlation time to a factor
// of 2; means over the draws must come back within that, and the errors of the motions must be as
// large as stated: 720 of them, some 240 independent.
TEST(EstimateSharedOffsets, FindsKnownOffsets) {
  const std::vector<SharedOffset> truth = {{0.05, 4.0 * kInterval}, {0.025, 4.0 * kInterval}};
  const Estimates found = EstimateDraws(truth, 2);
  for (std::size_t view = 0; view < 2; ++view) {
    EXPECT_NEAR(found.mean[view].sigma_px / truth[view].sigma_px, 1.0, 0.3) << view;
    EXPECT_NEAR(std::log(found.mean[view].correlation_time / truth[view].correlation_time), 0.0,
                std::log(2.0))
        << view;
  }
  EXPECT_NEAR(found.mean_square, 1.0, 4.0 * std::sqrt(2.0 / 240.0));
  EXPECT_GT(found.inflation, 3.0);
}

// Truth: no offsets. What cannot be excluded widens the intervals of the constants most, for which
// an offset of a third of the error of an image's mean counts threefold; on average sigmas must
// grow by less than a fifth.
TEST(EstimateSharedOffsets, LeavesIntervalsAloneWithoutOffsets) {
  const Estimates found = EstimateDraws({{0.0, 1.0}, {0.0, 1.0}}, 3);
  for (const SharedOffset& offset : found.mean)
    EXPECT_LT(offset.sigma_px, 0.5 * kSharedOffsetsNoise / 2.45);
  EXPECT_LT(found.mean_square, 1.0 + 4.0 * std::sqrt(2.0 / 720.0));
  EXPECT_LT(found.inflation, 1.2 * 1.2);
}

TEST(EstimateSharedOffsets, FindsNoneInTooFewImages) {
  const std::vector<ArcFrame> frames = Frames(7, 6);
  std::mt19937 random(4);
  Eigen::MatrixXd rows(168, 13);
  rows << Draw(168, &random), Motions(frames);
  for (const SharedOffset& offset : EstimateSharedOffsets(frames, 2, rows, 12))
    EXPECT_EQ(offset.sigma_px, 0.0);
}

}  // namespace
}  // namespace percuss::tracking
