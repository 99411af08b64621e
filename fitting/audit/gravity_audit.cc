// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/audit/gravity_audit.h"

#include <fmt/core.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/math/statistics.h"
#include "base/text/numbers.h"

namespace percuss::fitting {
namespace {

constexpr double kDegrees = 180.0 / std::numbers::pi;

/// Inverse on the axes that were measured, and how many these are.
struct Weight {
  Eigen::Matrix3d matrix = Eigen::Matrix3d::Zero();
  int rank = 0;
};

Weight Invert(const Eigen::Matrix3d& covariance) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(covariance);
  Weight weight;
  for (int i = 0; i < 3; ++i) {
    const double variance = solver.eigenvalues()[i];
    if (!(variance > 1e-12 * solver.eigenvalues()[2])) continue;
    const Eigen::Vector3d axis = solver.eigenvectors().col(i);
    weight.matrix += axis * axis.transpose() / variance;
    ++weight.rank;
  }
  return weight;
}

double Square(const Eigen::Vector3d& error, const Weight& weight) {
  return error.dot(weight.matrix * error);
}

std::vector<FlightGravity> Measured(std::span<const FlightGravity> flights) {
  std::vector<FlightGravity> measured;
  for (const FlightGravity& flight : flights) {
    if (flight.measured.allFinite() && flight.covariance.allFinite() &&
        flight.covariance.trace() > 0.0 && flight.stated.norm() > 0.0) {
      measured.push_back(flight);
    }
  }
  return measured;
}

/// Root of the median of squared lengths in sigmas over that of a chi-square (the cube of Wilson
/// and Hilferty), at least 1.
double Scatter(std::vector<double> squares, int rank) {
  const auto middle = squares.begin() + static_cast<std::ptrdiff_t>(squares.size() / 2);
  std::nth_element(squares.begin(), middle, squares.end());
  const double median = rank * std::pow(1.0 - 2.0 / (9.0 * rank), 3);
  return std::sqrt(std::max(1.0, *middle / median));
}

double Angle(const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
  return std::atan2(a.cross(b).norm(), a.dot(b));
}

AuditFinding PooledFinding(const PooledGravity& pooled) {
  const Weight weight = Invert(pooled.covariance);
  AuditFinding finding;
  finding.check = "gravity";
  finding.probability = ChiSquareSurvival(Square(pooled.error, weight), weight.rank);
  finding.ok = finding.probability > 0.01;
  const double g = pooled.stated_size;
  finding.text = fmt::format(
      "All {} flights together show gravity of {} m/s^2 where {:.3f} is stated, {} degrees from "
      "the "
      "stated direction.",
      pooled.flights, FormatWithSigma(pooled.scale * g, pooled.scale_sigma * g), g,
      FormatWithSigma(kDegrees * pooled.tilt, kDegrees * pooled.tilt_sigma));
  if (finding.ok) return finding;
  const double excess = pooled.scale - 1.0;
  if (std::abs(excess) > 3.0 * pooled.scale_sigma) {
    finding.text += fmt::format(
        " Length scale times frame rate squared is {} % too {}: all velocities are as much off if "
        "it "
        "is the lengths, half as much if it is the frame rate.",
        FormatWithSigma(100.0 * std::abs(excess), 100.0 * pooled.scale_sigma),
        excess > 0.0 ? "large" : "small");
  }
  if (pooled.tilt > 3.0 * pooled.tilt_sigma) {
    finding.text += fmt::format(
        " Gravity along x and y is off by {:.3f} and {:.3f} m/s^2: check the slope of the surface.",
        pooled.error.x(), pooled.error.y());
  }
  return finding;
}

AuditFinding FlightFinding(const FlightGravity& flight, const PooledGravity& pooled, bool common,
                           std::size_t num_flights) {
  const Eigen::Matrix3d covariance = pooled.scatter * pooled.scatter * flight.covariance;
  const Weight weight = Invert(common ? covariance : flight.covariance);
  const Eigen::Vector3d expected =
      common ? Eigen::Vector3d(flight.stated + pooled.error) : flight.stated;
  const Eigen::Vector3d down = flight.stated.normalized();
  AuditFinding finding;
  finding.check = "gravity";
  finding.trial = flight.trial;
  finding.probability = ChiSquareSurvival(Square(flight.measured - expected, weight), weight.rank);
  finding.ok = finding.probability > 0.01 / static_cast<double>(num_flights);
  finding.text = fmt::format(
      "The flight {} the impact shows gravity of {} m/s^2, {:.2f} degrees from the "
      "stated direction; stated {:.3f} m/s^2{}.",
      flight.arc,
      FormatWithSigma(flight.measured.norm(), std::sqrt(down.dot(flight.covariance * down))),
      kDegrees * Angle(flight.measured, flight.stated), flight.stated.norm(),
      common ? fmt::format(", all flights {:.3f}", expected.norm()) : "");
  if (!finding.ok) finding.text += " Check frame rate, board size and the slope of the surface.";
  return finding;
}

}  // namespace

PooledGravity PoolGravity(std::span<const FlightGravity> given) {
  constexpr double kHuberSigmas = 2.0;
  const std::vector<FlightGravity> flights = Measured(given);
  PooledGravity pooled;
  pooled.flights = static_cast<int>(flights.size());
  if (flights.empty()) return pooled;
  std::vector<Weight> weights;
  int rank = 0;
  for (const FlightGravity& flight : flights) {
    weights.push_back(Invert(flight.covariance));
    rank = std::max(rank, weights.back().rank);
    pooled.stated += flight.stated / static_cast<double>(flights.size());
    pooled.stated_size += flight.stated.norm() / static_cast<double>(flights.size());
  }
  std::vector<double> robust(flights.size(), 1.0);
  for (int round = 0; round < 20; ++round) {
    Eigen::Matrix3d information = Eigen::Matrix3d::Zero();
    Eigen::Vector3d right_side = Eigen::Vector3d::Zero();
    for (std::size_t i = 0; i < flights.size(); ++i) {
      information += robust[i] * weights[i].matrix;
      right_side += robust[i] * weights[i].matrix * (flights[i].measured - flights[i].stated);
    }
    const Eigen::Matrix3d inverse = Invert(information).matrix;
    pooled.error = inverse * right_side;
    std::vector<double> squares;
    for (std::size_t i = 0; i < flights.size(); ++i) {
      squares.push_back(Square(flights[i].measured - flights[i].stated - pooled.error, weights[i]));
    }
    pooled.scatter = Scatter(squares, rank);
    pooled.covariance = pooled.scatter * pooled.scatter * inverse;
    for (std::size_t i = 0; i < flights.size(); ++i) {
      const double sigmas = std::sqrt(squares[i] / rank) / pooled.scatter;
      robust[i] = sigmas > kHuberSigmas ? kHuberSigmas / sigmas : 1.0;
    }
  }
  const double g = pooled.stated.norm();
  const Eigen::Vector3d down = pooled.stated / g;
  pooled.scale = 1.0 + pooled.error.dot(down) / g;
  pooled.scale_sigma = std::sqrt(down.dot(pooled.covariance * down)) / g;
  const Eigen::Matrix3d across = Eigen::Matrix3d::Identity() - down * down.transpose();
  pooled.tilt = (across * pooled.error).norm() / (g * pooled.scale);
  pooled.tilt_sigma =
      std::sqrt((across * pooled.covariance * across).trace() / std::max(1, rank - 1)) / g;
  return pooled;
}

std::vector<AuditFinding> AuditGravity(std::span<const FlightGravity> given) {
  const std::vector<FlightGravity> flights = Measured(given);
  std::vector<AuditFinding> findings;
  if (flights.empty()) return findings;
  const PooledGravity pooled = PoolGravity(flights);
  findings.push_back(PooledFinding(pooled));
  const bool common = !findings.front().ok;
  for (const FlightGravity& flight : flights)
    findings.push_back(FlightFinding(flight, pooled, common, flights.size()));
  return findings;
}

}  // namespace percuss::fitting
