// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/slides/slide_fit.h"

#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>

#include "base/math/geometry.h"
#include "base/math/statistics.h"
#include "tracking/slides/least_squares.h"

namespace percuss::tracking {

const char* SlideStartName(SlideStart start) {
  switch (start) {
    case SlideStart::kFromRest:
      return "from-rest";
    case SlideStart::kKnocked:
      return "knocked";
    case SlideStart::kMoving:
      return "moving";
  }
  return "moving";
}

namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kOnceInThousand = 10.8;  ///< chi-square with one degree of freedom
constexpr double kRestBefore = 1.0;       ///< of the rest before the start that is fitted [s]
constexpr double kTurnBefore = 0.75;      ///< likewise, of a plate that turns [s]
constexpr int kMostOrders = 6;
constexpr int kFewestSliding = 6;

/// What the frames show, as Predict says it.
struct Shown {
  PlateAxes axes;
  std::vector<double> times;
  VectorXd values;
  std::vector<Eigen::Matrix3d> whitening;  ///< per frame: L^-1, L L^T the covariance
  std::vector<double> sideways;            ///< place along e [m]
  std::vector<double> sideways_sigma;
  double turn_error = 0.0;
};

/// The axes: u along the way. Of a plate that turns e is its axis, so that gravity pulls along u in
/// the end.
PlateAxes AxesOf(std::span<const TrackedFrame> frames, const std::vector<int>& places,
                 const std::vector<Vector3d>& turns, bool tilting, const SlideSetting& setting) {
  PlateAxes axes;
  axes.n = setting.normal.normalized();
  if (tilting) {
    // The mean turn, each with its size as weight: small ones have no direction.
    const Vector3d largest = *std::ranges::max_element(
        turns, {}, [](const Vector3d& turn) { return turn.squaredNorm(); });
    Vector3d sum = Vector3d::Zero();
    for (const Vector3d& turn : turns) sum += turn.dot(largest) * turn;
    axes.e = InPlate(sum, axes.n).normalized();
    axes.u = axes.e.cross(axes.n);
    const Vector3d gravity = RotationFromVector(-largest) * setting.gravity;
    if (axes.u.dot(gravity) < 0.0) axes.u = -axes.u, axes.e = -axes.e;
    return axes;
  }
  const std::size_t ends = std::min<std::size_t>(3, places.size() / 2);
  Vector3d moved = Vector3d::Zero();
  for (std::size_t i = 0; i < ends; ++i) {
    moved +=
        frames[places[places.size() - 1 - i]].pose.pose.p_WB - frames[places[i]].pose.pose.p_WB;
  }
  axes.u = InPlate(moved, axes.n).normalized();
  axes.e = axes.n.cross(axes.u);
  return axes;
}

/// How far the plate had turned before it turned, from turns whose zero is the attitude of the
/// first frame with its error: the level b of b + r h + q h^2, h = max(0, t - t1), with the t1 that
/// fits the first 3 degrees best.
double TurnAtFirst(std::span<const TrackedFrame> frames, const std::vector<int>& places,
                   const std::vector<double>& turns, const Vector3d& axis, double* error) {
  const double limit = 3.0 * kSlideDegree;
  std::size_t count = 0;
  while (count < turns.size() && (count < 8 || std::abs(turns[count]) < limit)) ++count;
  const auto rows = static_cast<Eigen::Index>(count);
  Eigen::MatrixXd design(rows, 3);
  VectorXd seen(rows);
  double best = std::numeric_limits<double>::infinity(), level = 0.0;
  for (std::size_t first = 0; first + 5 < count; ++first) {
    for (std::size_t i = 0; i < count; ++i) {
      const TrackedFrame& frame = frames[places[i]];
      const double weight =
          1.0 / std::sqrt(axis.dot(frame.pose.covariance.bottomRightCorner<3, 3>() * axis) + 1e-14);
      const double after = std::max(0.0, frame.time - frames[places[first]].time);
      design.row(static_cast<Eigen::Index>(i)) << weight, weight * after, weight * after * after;
      seen[static_cast<Eigen::Index>(i)] = weight * turns[i];
    }
    const Eigen::Matrix3d normal = design.transpose() * design;
    const Vector3d right = design.transpose() * seen;
    const Vector3d x = normal.ldlt().solve(right);
    const double chi2 = (seen - design * x).squaredNorm();
    if (!(chi2 < best)) continue;
    best = chi2;
    level = x[0];
    const double scale = std::max(1.0, chi2 / std::max(1.0, static_cast<double>(rows) - 4.0));
    *error = std::sqrt(scale * normal.inverse()(0, 0));
  }
  return level;
}

/// @param places of the run
Shown Show(std::span<const TrackedFrame> frames, const SlidingRun& run,
           const std::vector<int>& places, const SlideSetting& setting) {
  Shown shown;
  const bool tilting = run.tilting;
  const std::vector<Vector3d> all_turns = TurnsOf(frames, run.frames);
  std::vector<Vector3d> turns;
  for (std::size_t i = 0; i < run.frames.size() && turns.size() < places.size(); ++i) {
    if (run.frames[i] == places[turns.size()]) turns.push_back(all_turns[i]);
  }
  shown.axes = AxesOf(frames, places, turns, tilting, setting);
  const auto& [u, n, e] = shown.axes;
  double turn_at_first = 0.0;
  if (tilting) {
    std::vector<double> all;
    for (const Vector3d& turn : all_turns) all.push_back(e.dot(turn));
    turn_at_first = TurnAtFirst(frames, run.frames, all, e, &shown.turn_error);
  }
  const int per_frame = tilting ? 3 : 1;
  shown.values.resize(per_frame * static_cast<Eigen::Index>(places.size()));
  for (std::size_t i = 0; i < places.size(); ++i) {
    const PoseEstimate& pose = frames[places[i]].pose;
    Eigen::Matrix<double, 3, 6> by_pose = Eigen::Matrix<double, 3, 6>::Zero();
    by_pose.block<1, 3>(0, 0) = u.transpose();
    by_pose.block<1, 3>(1, 0) = n.transpose();
    by_pose.block<1, 3>(2, 3) = e.transpose();
    Eigen::Matrix3d covariance = by_pose * pose.covariance * by_pose.transpose();
    // Poses of other systems may come without any, and those of a plane are known exactly in parts.
    covariance.diagonal() += Vector3d(1e-14, 1e-14, 1e-14);
    // Lower triangles: that of the first number alone is the first of three.
    shown.whitening.push_back(covariance.llt().matrixL().solve(Eigen::Matrix3d::Identity()));
    const Vector3d& p = pose.pose.p_WB;
    const Vector3d all(u.dot(p), n.dot(p), e.dot(turns[i]) - turn_at_first + setting.turn_error);
    shown.values.segment(per_frame * static_cast<Eigen::Index>(i), per_frame) = all.head(per_frame);
    shown.times.push_back(frames[places[i]].time);
    shown.sideways.push_back(e.dot(p));
    shown.sideways_sigma.push_back(
        std::sqrt(e.dot(pose.covariance.topLeftCorner<3, 3>() * e) + 1e-14));
  }
  return shown;
}

VectorXd Residuals(const SlideModel& model, const VectorXd& x, const Shown& shown) {
  VectorXd residuals = shown.values - Predict(model, x, shown.times);
  const int per_frame = model.PerFrame();
  for (std::size_t i = 0; i < shown.times.size(); ++i) {
    const Eigen::Matrix3d& whitening = shown.whitening[i];
    if (per_frame == 1) {
      residuals[static_cast<Eigen::Index>(i)] *= whitening(0, 0);
    } else {
      auto part = residuals.segment<3>(3 * static_cast<Eigen::Index>(i));
      part = (whitening * part).eval();
    }
  }
  return residuals;
}

LeastSquares Solve(const SlideModel& model, const VectorXd& start, const Shown& shown,
                   int iterations, const std::vector<int>& free = {}) {
  return SolveLeastSquares([&](const VectorXd& x) { return Residuals(model, x, shown); }, start,
                           iterations, free);
}

/// A fit of one model.
struct Candidate {
  SlideModel model;
  LeastSquares solution;
};

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
Candidate FitModel(const SlideModel& model, const Shown& shown, int grid) {
  const double first = shown.times.front(), span = shown.times.back() - first;
  LeastSquares best;
  if (!model.rests) {
    best = Solve(model, FirstGuess(model, shown, first), shown, 30);
    return {model, best};
  }
  std::vector<int> free = {model.Friction()};
  if (!model.Turns()) free.push_back(model.Place());
  if (model.knocked) free.push_back(model.StartSpeed());
  for (int i = 1; i < grid; ++i) {
    const VectorXd guess = FirstGuess(model, shown, first + span * i / grid);
    const LeastSquares held = Solve(model, guess, shown, 4, free);
    if (held.chi2 < best.chi2) best = held;
  }
  return {model, Solve(model, best.x, shown, 40)};
}

/// What the forces at the start are.
struct AtStart {
  double angle = 0.0, ratio = 0.0, acceleration = 0.0, downhill = 0.0;
};
AtStart StartOf(const SlideModel& model, const VectorXd& x) {
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

/// The best of the ways to start.
Candidate FitStarts(const Shown& shown, bool tilting, const SlideSetting& setting,
                    SlideStart* start) {
  SlideModel model = PlainModel(shown, tilting, setting);
  constexpr int kGrid = 48;
  const Candidate from_rest = FitModel(model, shown, kGrid);
  model.knocked = true;
  const Candidate knocked = FitModel(model, shown, kGrid);
  const auto dof = static_cast<double>(shown.values.size() - knocked.solution.x.size());
  const double scale = std::max(
      1e-30, std::min(from_rest.solution.chi2, knocked.solution.chi2) / std::max(1.0, dof));
  const bool jumps = from_rest.solution.chi2 - knocked.solution.chi2 > kOnceInThousand * scale &&
                     IsPushed(knocked.model, knocked.solution.x, shown);
  const Candidate& rested = jumps ? knocked : from_rest;
  *start = jumps ? SlideStart::kKnocked : SlideStart::kFromRest;
  if (tilting) return rested;
  model.rests = false;
  const Candidate moving = FitModel(model, shown, kGrid);
  const bool rest_seen = shown.times.size() > 2 &&
                         rested.model.StartTimeOf(rested.solution.x) > shown.times[2] &&
                         moving.solution.chi2 - rested.solution.chi2 > kOnceInThousand * scale;
  if (rest_seen) return rested;
  *start = SlideStart::kMoving;
  return moving;
}

/// Frames from some time before the start on.
std::vector<int> FromShortlyBefore(double start, double before, const std::vector<int>& places,
                                   std::span<const TrackedFrame> frames) {
  std::vector<int> kept;
  for (const int place : places) {
    if (frames[place].time >= start - before) kept.push_back(place);
  }
  return kept;
}

/// Those of `kept` but for frames that are far from the fit to `places`: wrong labels. More than
/// one in twenty is no accident.
std::vector<int> WithoutOutliers(const VectorXd& residuals, int per_frame,
                                 const std::vector<int>& places, const std::vector<int>& kept) {
  std::vector<double> sizes;
  for (std::size_t i = 0; i < places.size(); ++i) {
    sizes.push_back(residuals.segment(per_frame * static_cast<Eigen::Index>(i), per_frame).norm());
  }
  const double gate = 8.0 * std::max(Median(sizes), 1e-12);
  std::vector<int> outliers;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (sizes[i] >= gate) outliers.push_back(places[i]);
  }
  if (20 * outliers.size() > places.size()) return kept;
  std::vector<int> rest;
  std::ranges::set_difference(kept, outliers, std::back_inserter(rest));
  return rest;
}

/// By how much errors that neighbouring frames share widen variances: 1 + 2 sum rho_k, summed while
/// rho_k is positive and beyond two standard errors (Geyer 1992, as InflationOverFrames).
double InflationOf(const VectorXd& residuals, int per_frame) {
  const Eigen::Index count = residuals.size() / per_frame;
  const double variance = residuals.squaredNorm() / static_cast<double>(residuals.size());
  double inflation = 1.0;
  for (Eigen::Index lag = 1; lag < count / 4 && variance > 0.0; ++lag) {
    const Eigen::Index pairs = (count - lag) * per_frame;
    const double rho =
        residuals.head(pairs).dot(residuals.tail(pairs)) / (static_cast<double>(pairs) * variance);
    if (rho < 2.0 / std::sqrt(static_cast<double>(pairs))) break;
    inflation += 2.0 * rho;
  }
  return inflation;
}

/// Slope of the way sideways over the way along, weighted least squares.
double SidewaysSlope(const std::vector<double>& ways, const Shown& shown, double* sigma) {
  double w = 0.0, ws = 0.0, wss = 0.0, wy = 0.0, wsy = 0.0;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const double weight = 1.0 / (shown.sideways_sigma[i] * shown.sideways_sigma[i]);
    w += weight;
    ws += weight * ways[i];
    wss += weight * ways[i] * ways[i];
    wy += weight * shown.sideways[i];
    wsy += weight * ways[i] * shown.sideways[i];
  }
  const double determinant = w * wss - ws * ws;
  *sigma = std::sqrt(w / determinant);
  return (w * wsy - ws * wy) / determinant;
}

/// The model whose friction may change, from the solution of that without.
Candidate WithChange(const SlideModel& model, const VectorXd& x, const Shown& shown) {
  SlideModel changing = model;
  changing.changes = true;
  VectorXd start(changing.Size());
  start << x, 0.0;
  return {changing, Solve(changing, start, shown, 15)};
}

SlideValues ValuesOf(const SlideModel& model, const VectorXd& x, const Shown& shown, double change,
                     double* direction_sigma = nullptr) {
  const AtStart at = StartOf(model, x);
  double sigma = 0.0;
  const double slope = SidewaysSlope(SlideWays(model, x, shown.times), shown, &sigma);
  if (direction_sigma) *direction_sigma = sigma;
  // On a plate that is nearly level nothing is downhill.
  const bool sloped = std::tan(at.angle) > 0.05;
  return {x[model.Friction()],
          at.angle,
          at.ratio,
          at.acceleration,
          model.StartTimeOf(x),
          model.knocked ? x[model.StartSpeed()] : 0.0,
          sloped ? std::atan(slope) - at.downhill : kNaN,
          change};
}

/// Standard deviations of the values by the pixels, the unknowns having this covariance.
void SetNoise(const SlideModel& model, const VectorXd& x, const Eigen::MatrixXd& covariance,
              SlideEstimate* estimate) {
  const auto sigma_of = [&](const auto& value) {
    VectorXd gradient(x.size());
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      const double step = 1e-3 * std::sqrt(std::max(covariance(i, i), 1e-24));
      VectorXd high = x, low = x;
      high[i] += step;
      low[i] -= step;
      gradient[i] = (value(high) - value(low)) / (2.0 * step);
    }
    return std::sqrt(gradient.dot(covariance * gradient));
  };
  const auto at_start = [&](double AtStart::*member) {
    return sigma_of([&](const VectorXd& y) { return StartOf(model, y).*member; });
  };
  estimate->mu_k.noise_sigma = std::sqrt(covariance(model.Friction(), model.Friction()));
  estimate->angle.noise_sigma = model.Turns() ? at_start(&AtStart::angle) : 0.0;
  estimate->start_ratio.noise_sigma = model.Turns() ? at_start(&AtStart::ratio) : 0.0;
  estimate->acceleration.noise_sigma = at_start(&AtStart::acceleration);
  estimate->start_time.noise_sigma =
      model.rests ? std::sqrt(covariance(model.StartTime(), model.StartTime())) : 0.0;
  estimate->start_speed.noise_sigma =
      model.knocked ? std::sqrt(covariance(model.StartSpeed(), model.StartSpeed())) : 0.0;
}

void SetPoints(const SlideFit& fit, const Shown& shown, std::span<const TrackedFrame> frames,
               SlideEstimate* estimate) {
  const std::vector<double> ways = SlideWays(fit.model, fit.x, shown.times);
  double squares = 0.0;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const PlateState plate = PlateAt(fit.model, fit.x, shown.times[i]);
    double way = 0.0;
    if (fit.model.Turns()) {
      // Turned back to where the plate lay at first.
      const auto seen = shown.values.segment<3>(3 * static_cast<Eigen::Index>(i));
      const double along = seen[0] - fit.x[fit.model.Axis()],
                   above = seen[1] - fit.x[fit.model.Axis() + 1];
      way = along * std::cos(plate.turn) - above * std::sin(plate.turn) - fit.x[fit.model.Place()];
    } else {
      way = shown.values[static_cast<Eigen::Index>(i)] - fit.x[fit.model.Place()];
    }
    squares += (way - ways[i]) * (way - ways[i]);
    estimate->points.push_back(
        {.frame = frames[fit.frames[i]].left_frame,
         .time = shown.times[i],
         .s = way,
         .fitted = ways[i],
         .angle = std::atan2(std::hypot(plate.along, fit.model.gravity.dot(shown.axes.e)),
                             plate.normal)});
  }
  estimate->rms = std::sqrt(squares / static_cast<double>(ways.size()));
  estimate->path = ways.back();
  estimate->first_frame = estimate->points.front().frame;
  estimate->last_frame = estimate->points.back().frame;
  estimate->frames = static_cast<int>(ways.size());
}

/// mu_s, or why there is none.
void SetStaticFriction(const SlideFit& fit, SlideEstimate* estimate) {
  const double ratio = estimate->start_ratio.value;
  const PlateState plate = PlateAt(fit.model, fit.x, fit.model.StartTimeOf(fit.x));
  constexpr double kSlowest = 0.5 * kSlideDegree;  // [rad/s]: a slope that does not change any more
  const bool turning = plate.rate > kSlowest;
  if (estimate->start == SlideStart::kMoving) {
    estimate->mu_s_reason = "the body moves in all frames: its start is not seen";
  } else if (estimate->start == SlideStart::kKnocked) {
    estimate->mu_s_reason = fmt::format(
        "the body starts with {:.3f} m/s, it was pushed: mu_s is at least {:.4f} if it rested "
        "unaided before",
        estimate->start_speed.value, ratio);
  } else if (!turning) {
    estimate->mu_s_reason = fmt::format(
        "the slope does not change: mu_s is at least {0:.4f} if the body rested unaided before "
        "something set it in motion, at most {0:.4f} if it was held and let go",
        ratio);
  } else {
    estimate->mu_s = estimate->start_ratio;
  }
}

/// Why a fit says nothing, or nothing.
std::string NoSlide(const SlideFit& fit, const Shown& shown) {
  const double start = fit.model.StartTimeOf(fit.x);
  const auto sliding = std::ranges::count_if(shown.times, [&](double t) { return t > start; });
  if (sliding < kFewestSliding) {
    return fmt::format("the body slides in {} frames, of at least {}", sliding, kFewestSliding);
  }
  if (!fit.model.Turns()) return {};
  const double turned =
      PlateAt(fit.model, fit.x, start).turn - PlateAt(fit.model, fit.x, shown.times.front()).turn;
  if (std::abs(turned) < kSlideDegree || start < shown.times[2]) {
    return fmt::format(
        "the plate turns by {:.1f} deg before the body slides, of at least 1: its axis is not seen",
        turned / kSlideDegree);
  }
  return {};
}

}  // namespace

namespace {

/// Fits the starts to the run, then again to what lies shortly before the best start.
Candidate FitRun(std::span<const TrackedFrame> frames, const SlideSetting& setting, SlideFit* fit,
                 Shown* shown) {
  const bool tilting = fit->run.tilting;
  const double before = tilting ? kTurnBefore : kRestBefore;
  // A turn by hand is no polynomial for longer.
  constexpr double kLongest = 2.5;  // [s]
  fit->frames = fit->run.frames;
  if (tilting) {
    fit->frames = FromShortlyBefore(frames[fit->frames.back()].time, kLongest, fit->frames, frames);
  }
  *shown = Show(frames, fit->run, fit->frames, setting);
  Candidate best = FitStarts(*shown, tilting, setting, &fit->estimate.start);
  const double start = best.model.StartTimeOf(best.solution.x);
  std::vector<int> kept = FromShortlyBefore(start, before, fit->run.frames, frames);
  kept = WithoutOutliers(Residuals(best.model, best.solution.x, *shown), best.model.PerFrame(),
                         fit->frames, kept);
  if (kept == fit->frames) return best;
  fit->frames = kept;
  *shown = Show(frames, fit->run, fit->frames, setting);
  return FitStarts(*shown, tilting, setting, &fit->estimate.start);
}

}  // namespace

SlideFit FitSlide(std::span<const TrackedFrame> frames, const SlideSetting& setting) {
  SlideFit fit;
  SlideEstimate& estimate = fit.estimate;
  fit.run = FindSlidingRun(frames, setting);
  estimate.reason = estimate.mu_s_reason = fit.run.reason;
  estimate.tilting = fit.run.tilting;
  if (!estimate.usable()) return fit;
  Shown shown;
  const Candidate best = FitRun(frames, setting, &fit, &shown);
  fit.model = best.model;
  fit.x = best.solution.x;
  estimate.reason = estimate.mu_s_reason = NoSlide(fit, shown);
  if (!estimate.usable()) return fit;

  const VectorXd residuals = Residuals(fit.model, fit.x, shown);
  const auto dof = std::max<double>(1.0, static_cast<double>(residuals.size() - fit.x.size()));
  estimate.noise_scale = std::sqrt(std::max(1.0, best.solution.chi2 / dof));
  estimate.correlation_inflation = InflationOf(residuals, fit.model.PerFrame());
  const double variance_factor =
      estimate.noise_scale * estimate.noise_scale * estimate.correlation_inflation;
  SetPoints(fit, shown, frames, &estimate);
  fit.model.path = estimate.path;
  const Candidate changing = WithChange(fit.model, fit.x, shown);
  const int change = changing.model.Change();
  double direction_sigma = 0.0;
  const SlideValues values =
      ValuesOf(fit.model, fit.x, shown, changing.solution.x[change], &direction_sigma);
  for (std::size_t i = 0; i < values.size(); ++i) (estimate.*kSlideNumbers[i]).value = values[i];
  SetNoise(fit.model, fit.x, variance_factor * best.solution.covariance, &estimate);
  estimate.direction.noise_sigma = std::sqrt(variance_factor) * direction_sigma;
  estimate.friction_change.noise_sigma =
      std::sqrt(variance_factor * changing.solution.covariance(change, change));
  if (estimate.tilting) {
    // All turns are counted from the attitude at first, which has an error of its own.
    SlideSetting turned = setting;
    turned.turn_error = std::sqrt(variance_factor) * shown.turn_error;
    const SlideValues by_turn = RefitSlide(fit, frames, turned);
    for (std::size_t i = 0; i < values.size(); ++i) {
      double& sigma = (estimate.*kSlideNumbers[i]).noise_sigma;
      sigma = std::hypot(sigma, by_turn[i] - values[i]);
    }
  }
  SetStaticFriction(fit, &estimate);
  return fit;
}

SlideValues RefitSlide(const SlideFit& fit, std::span<const TrackedFrame> frames,
                       const SlideSetting& setting) {
  const Shown shown = Show(frames, fit.run, fit.frames, setting);
  SlideModel model = fit.model;
  model.axes = shown.axes;
  model.gravity = setting.gravity;
  const VectorXd x = Solve(model, fit.x, shown, 4).x;
  const Candidate changing = WithChange(model, x, shown);
  return ValuesOf(model, x, shown, changing.solution.x[changing.model.Change()]);
}

}  // namespace percuss::tracking
