// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/judgement/slips.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "base/math/covariance_root.h"
#include "base/math/statistics.h"
#include "base/text/numbers.h"

namespace percuss::pipeline {
namespace {

/// What was typed in units of its own uncertainty: p = root k, k of unit variance as typed.
struct Whitened {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> root;
  Eigen::VectorXd k;     ///< as flights and heights show it
  Eigen::MatrixXd left;  ///< covariance of k

  Slip Along(const Eigen::VectorXd& u) const {
    const Eigen::VectorXd v = root.solve(u);
    const double known = v.squaredNorm() - v.dot(left * v);
    // Beyond rounding, where the data say nothing of it.
    if (!(known > 1e-9 * v.squaredNorm())) return {};
    return {v.dot(k) / known, 1.0 / std::sqrt(known)};
  }
};

Whitened Whiten(const tracking::Bench& stated, const tracking::BenchEstimate& estimate,
                const ContactHeights& heights) {
  Eigen::VectorXd change = estimate.change;
  Eigen::MatrixXd left = estimate.bench.covariance;
  if (heights.num_impacts > 0) {
    const HeightsExplained explained = heights.Explain(left);
    change -= explained.change;
    left = explained.covariance;
  }
  Whitened whitened{
      Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(CovarianceRoot(stated.covariance)),
      {},
      {}};
  whitened.k = whitened.root.solve(change);
  const Eigen::MatrixXd half = whitened.root.solve(left);
  whitened.left = whitened.root.solve(half.transpose());
  return whitened;
}

}  // namespace

double Slips::LargestChiSquare() const {
  double largest = inertia.ChiSquare();
  for (const Slip& length : lengths) largest = std::max(largest, length.ChiSquare());
  return largest;
}

Slips MeasureSlips(const tracking::Bench& stated, const tracking::BenchEstimate& estimate,
                   const ContactHeights& heights) {
  const tracking::BenchParameters places = stated.Parameters();
  const Eigen::MatrixXd& C = stated.covariance;
  Slips slips;
  slips.lengths.resize(static_cast<std::size_t>(places.num_lengths));
  const Eigen::Index size = estimate.change.size();
  if (estimate.num_impacts == 0 || !estimate.converged || size != C.rows()) return slips;
  if (heights.num_impacts > 0 && heights.NumShared() != size) return slips;
  const Whitened whitened = Whiten(stated, estimate, heights);
  for (int i = 0; i < places.num_lengths; ++i) {
    const int place = places.Length() + i;
    // Its covariances say what follows from it.
    if (C(place, place) > 0.0) slips.lengths[i] = whitened.Along(C.col(place) / C(place, place));
  }
  if (C(places.Inertia(), places.Inertia()) > 0.0) {
    Eigen::VectorXd all = Eigen::VectorXd::Zero(size);
    all.segment<3>(places.Inertia()).setOnes();
    slips.inertia = whitened.Along(all);
  }
  return slips;
}

std::vector<std::string> SlipComplaints(const Slips& slips) {
  constexpr double kChance = 1e-3;
  const double each = kChance / (1.0 + static_cast<double>(slips.lengths.size()));
  std::vector<std::string> complaints;
  const auto ask = [&](const Slip& slip, const std::string& line) {
    if (ChiSquareSurvival(slip.ChiSquare(), 1) < each) complaints.push_back(line);
  };
  for (std::size_t i = 0; i < slips.lengths.size(); ++i) {
    const Slip& slip = slips.lengths[i];
    ask(slip, fmt::format("length {} of the shape: impulses and contacts ask for {} mm more", i + 1,
                          FormatWithSigma(1e3 * slip.by, 1e3 * slip.sigma)));
  }
  ask(slips.inertia,
      fmt::format("moments of inertia: the impulses ask for {} % more",
                  FormatWithSigma(100.0 * slips.inertia.by, 100.0 * slips.inertia.sigma)));
  return complaints;
}

}  // namespace percuss::pipeline
