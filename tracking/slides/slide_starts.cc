// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/slides/slide_starts.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

namespace percuss::tracking {
namespace {

using Eigen::VectorXd;

constexpr double kOnceInThousand = 10.8;  ///< chi-square with one degree of freedom
constexpr int kMostOrders = 6;

/// Coefficients of the turn as a polynomial of this order, least squares.
VectorXd TurnPolynomial(const Shown& shown, int order, double* chi2) {
  const auto count = static_cast<Eigen::Index>(shown.times.size());
  Eigen::MatrixXd powers(count, order + 1);
  VectorXd turns(count);
  const double half = 0.5 * (shown.times.back() - shown.times.front());
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const double tau = (shown.times[k] - shown.times.front()) / half - 1.0;
    const double weight = shown.whitening[k](2, 2);
    for (int j = 0; j <= order; ++j) powers(i, j) = weight * std::pow(tau, j);
    turns[i] = weight * shown.values[3 * i + 2];
  }
  const VectorXd coefficients = powers.colPivHouseholderQr().solve(turns);
  *chi2 = (turns - powers * coefficients).squaredNorm();
  return coefficients;
}

/// The order from which on the turn is no longer a chance better with one or two more.
int TurnOrder(const Shown& shown) {
  std::vector<double> chi2;
  for (int order = 0; order <= kMostOrders + 2; ++order) {
    double value = 0.0;
    TurnPolynomial(shown, order, &value);
    chi2.push_back(value);
  }
  const double scale = std::max(
      1.0, chi2.back() / std::max<double>(1.0, static_cast<double>(shown.times.size()) - 9.0));
  for (int order = 1; order < kMostOrders; ++order) {
    if (chi2[order] - chi2[order + 2] < kOnceInThousand * scale) return order;
  }
  return kMostOrders;
}

VectorXd FirstGuess(const SlideModel& model, const Shown& shown, double start_time) {
  VectorXd x = VectorXd::Zero(model.Size());
  const auto last = static_cast<Eigen::Index>(shown.times.size() - 1);
  const int per_frame = model.PerFrame();
  if (model.Turns()) {
    double chi2 = 0.0;
    x.segment(model.Turn(0), model.turn_order + 1) = TurnPolynomial(shown, model.turn_order, &chi2);
    // The axis: p = c + R(turn) r while the body rests.
    Eigen::MatrixXd design(2 * (last + 1), 4);
    VectorXd seen = VectorXd::Zero(2 * (last + 1));
    design.setZero();
    for (Eigen::Index i = 0; i <= last; ++i) {
      if (shown.times[static_cast<std::size_t>(i)] > start_time) break;
      const double cosine = std::cos(shown.values[3 * i + 2]),
                   sine = std::sin(shown.values[3 * i + 2]);
      design.middleRows<2>(2 * i) << cosine, sine, 1.0, 0.0, -sine, cosine, 0.0, 1.0;
      seen.segment<2>(2 * i) = shown.values.segment<2>(3 * i);
    }
    x.segment<4>(model.Place()) = design.colPivHouseholderQr().solve(seen);
  } else {
    x[model.Place()] = shown.values[0];
  }
  const PlateState plate = PlateAt(model, x, start_time);
  const double way = shown.values[per_frame * last] - shown.values[0];
  const double duration = std::max(shown.times[static_cast<std::size_t>(last)] - start_time, 1e-3);
  if (model.rests) x[model.StartTime()] = start_time;
  if (model.knocked) x[model.StartSpeed()] = way / duration;
  // Without speed it has to gain some; with one it first keeps it.
  const double gained = model.knocked ? 0.0 : 2.0 * std::max(way, 1e-3) / (duration * duration);
  x[model.Friction()] = (plate.along - gained) / std::max(plate.normal, 0.1);
  return x;
}

/// The model from start times on a grid, then from the best of them.
/// @param grid how many
SlideCandidate FitModel(const SlideModel& model, const Shown& shown, int grid) {
  const double first = shown.times.front(), span = shown.times.back() - first;
  LeastSquares best;
  if (!model.rests) {
    best = SolveSlide(model, FirstGuess(model, shown, first), shown, 30);
    return {model, best};
  }
  std::vector<int> free = {model.Friction()};
  if (!model.Turns()) free.push_back(model.Place());
  if (model.knocked) free.push_back(model.StartSpeed());
  for (int i = 1; i < grid; ++i) {
    const VectorXd guess = FirstGuess(model, shown, first + span * i / grid);
    const LeastSquares held = SolveSlide(model, guess, shown, 4, free);
    if (held.chi2 < best.chi2) best = held;
  }
  return {model, SolveSlide(model, best.x, shown, 40)};
}

/// Whether the body starts with more speed than it gains in four frames afterwards. Less is not
/// told from a start at rest some frames earlier: errors that change slowly bend a slow start.
bool IsPushed(const SlideModel& knocked, const VectorXd& x, const Shown& shown) {
  const double frame = (shown.times.back() - shown.times.front()) /
                       static_cast<double>(std::max<std::size_t>(1, shown.times.size() - 1));
  return x[knocked.StartSpeed()] > 4.0 * frame * std::max(0.0, StartOf(knocked, x).acceleration);
}

SlideModel PlainModel(const Shown& shown, bool tilting, const SlideSetting& setting) {
  SlideModel model;
  model.axes = shown.axes;
  model.gravity = setting.gravity;
  model.first_time = shown.times.front();
  model.last_time = shown.times.back();
  if (tilting) model.turn_order = TurnOrder(shown);
  return model;
}

}  // namespace

LeastSquares SolveSlide(const SlideModel& model, const VectorXd& start, const Shown& shown,
                        int iterations, const std::vector<int>& free) {
  return SolveLeastSquares([&](const VectorXd& x) { return SlideResiduals(model, x, shown); },
                           start, iterations, free);
}

SlideAtStart StartOf(const SlideModel& model, const VectorXd& x) {
  const PlateState plate = PlateAt(model, x, model.StartTimeOf(x));
  const double speed = model.knocked ? x[model.StartSpeed()] : 0.0;
  const double from_axis = model.Turns() ? x[model.Place()] : 0.0;
  const double above_axis = model.Turns() ? x[model.Place() + 1] : 0.0;
  const SlideForces forces = ForcesAt(plate, from_axis, above_axis, speed);
  const SlideForces resting = ForcesAt(plate, from_axis, above_axis, 0.0);
  const double sideways = model.gravity.dot(model.axes.e);
  return {.angle = std::atan2(std::hypot(plate.along, sideways), plate.normal),
          .ratio = std::hypot(resting.tangential, sideways) / resting.normal,
          .acceleration = forces.tangential - x[model.Friction()] * forces.normal,
          .downhill = std::atan(sideways / plate.along)};
}

SlideCandidate FitStarts(const Shown& shown, bool tilting, const SlideSetting& setting,
                         SlideStart* start) {
  SlideModel model = PlainModel(shown, tilting, setting);
  constexpr int kGrid = 48;
  const SlideCandidate from_rest = FitModel(model, shown, kGrid);
  model.knocked = true;
  const SlideCandidate knocked = FitModel(model, shown, kGrid);
  const auto dof = static_cast<double>(shown.values.size() - knocked.solution.x.size());
  const double scale = std::max(
      1e-30, std::min(from_rest.solution.chi2, knocked.solution.chi2) / std::max(1.0, dof));
  const bool jumps = from_rest.solution.chi2 - knocked.solution.chi2 > kOnceInThousand * scale &&
                     IsPushed(knocked.model, knocked.solution.x, shown);
  const SlideCandidate& rested = jumps ? knocked : from_rest;
  *start = jumps ? SlideStart::kKnocked : SlideStart::kFromRest;
  if (tilting) return rested;
  model.rests = false;
  const SlideCandidate moving = FitModel(model, shown, kGrid);
  const bool rest_seen = shown.times.size() > 2 &&
                         rested.model.StartTimeOf(rested.solution.x) > shown.times[2] &&
                         moving.solution.chi2 - rested.solution.chi2 > kOnceInThousand * scale;
  if (rest_seen) return rested;
  *start = SlideStart::kMoving;
  return moving;
}

}  // namespace percuss::tracking
