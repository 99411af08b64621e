// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/space/place_flights.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/math/statistics.h"
#include "tracking/bounces/first_guess.h"

namespace percuss::tracking {
namespace {

constexpr int kFewest = 5;           // places of a flight: a cubic passes through four
constexpr double kFloor = 0.002;     // of the extent
constexpr double kPiece = 40.0;      // cost of a piece: far above the chi-square of its 12 numbers
constexpr double kAlike = 0.35;      // of accelerations: drag adds up to a fifth or so
constexpr double kSpike = 8.0;       // sigmas
constexpr std::size_t kMost = 2000;  // places that are cut at once; of more, every n-th

/// A place against the cubic through its two neighbours on each side: its distance, and the sigma
/// of that for places of sigma 1.
struct CubicGap {
  Eigen::Vector3d gap = Eigen::Vector3d::Zero();
  double sigma = 1.0;
};

CubicGap GapAt(std::span<const BallPlace> places, std::span<const int> some, std::size_t at) {
  constexpr std::array<int, 4> kNeighbours = {-2, -1, 1, 2};
  CubicGap result{.gap = places[some[at]].place, .sigma = 1.0};
  double squares = 1.0;
  for (const int i : kNeighbours) {
    double weight = 1.0;
    const double t = places[some[at + i]].time;
    for (const int j : kNeighbours) {
      const double other = places[some[at + j]].time;
      if (j != i) weight *= (places[some[at]].time - other) / (t - other);
    }
    result.gap -= weight * places[some[at + i]].place;
    squares += weight * weight;
  }
  result.sigma = std::sqrt(squares);
  return result;
}

/// The sigma of places that their cubics show, each coordinate.
double SigmaOf(std::span<const BallPlace> places, std::span<const int> some) {
  std::vector<double> squares;
  for (std::size_t k = 2; k + 2 < some.size(); ++k) {
    const CubicGap gap = GapAt(places, some, k);
    squares.push_back(gap.gap.squaredNorm() / (gap.sigma * gap.sigma));
  }
  return std::sqrt(Median(squares) / 2.366);  // median of a chi-square of 3 degrees of freedom
}

/// Leaves out single places that lie far off their neighbours' cubic, the worst of each five.
std::vector<int> WithoutSpikes(std::span<const BallPlace> places, const std::vector<int>& some,
                               double sigma) {
  std::vector<double> off(some.size(), 0.0);
  for (std::size_t k = 2; k + 2 < some.size(); ++k) {
    const CubicGap gap = GapAt(places, some, k);
    off[k] = gap.gap.norm() / gap.sigma / sigma;
  }
  std::vector<int> kept;
  for (std::size_t k = 0; k < some.size(); ++k) {
    const std::size_t from = k < 2 ? 0 : k - 2, to = std::min(some.size(), k + 3);
    const double worst = *std::max_element(off.begin() + static_cast<std::ptrdiff_t>(from),
                                           off.begin() + static_cast<std::ptrdiff_t>(to));
    if (off[k] < kSpike || off[k] < worst) kept.push_back(some[k]);
  }
  return kept;
}

/// Sums of one piece after another: 1, t, ..., t^6; t^k p; p . p, about a middle.
struct PieceSums {
  std::array<double, 7> powers{};
  Eigen::Matrix<double, 4, 3> moments = Eigen::Matrix<double, 4, 3>::Zero();
  double squares = 0.0;

  void Add(double t, const Eigen::Vector3d& p) {
    double power = 1.0;
    for (int k = 0; k < 7; ++k, power *= t) {
      powers[k] += power;
      if (k < 4) moments.row(k) += power * p.transpose();
    }
    squares += p.squaredNorm();
  }
  /// Squared distances from the cubic of best fit.
  double Cost() const {
    if (powers[0] < 4.5) return 0.0;
    Eigen::Matrix4d normal;
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) normal(i, j) = powers[i + j];
    const Eigen::Matrix<double, 4, 3> solved = normal.ldlt().solve(moments);
    return std::max(0.0, squares - solved.cwiseProduct(moments).sum());
  }
};

/// First and last of each piece, as places in `some`.
std::vector<FlightRange> Pieces(std::span<const BallPlace> places, std::span<const int> some,
                                double sigma) {
  const auto count = static_cast<int>(some.size());
  std::vector<double> best(count + 1, std::numeric_limits<double>::infinity());
  std::vector<int> from(count + 1, 0);
  best[0] = 0.0;
  for (int begin = 0; begin < count; ++begin) {
    PieceSums sums;
    const BallPlace& first = places[some[begin]];
    // A fit grows worse with each place: beyond what a cut on the way would cost none is better.
    for (int end = begin; end < count; ++end) {
      const BallPlace& one = places[some[end]];
      sums.Add((one.time - first.time) / 0.3, (one.place - first.place) / sigma);
      const double cost = best[begin] + kPiece + sums.Cost();
      if (cost < best[end + 1]) {
        best[end + 1] = cost;
        from[end + 1] = begin;
      }
      if (cost > best[begin] + 60.0 * kPiece && end > begin + 8) break;
    }
  }
  std::vector<FlightRange> pieces;
  for (int end = count; end > 0; end = from[end]) pieces.push_back({from[end], end - 1});
  std::ranges::reverse(pieces);
  return pieces;
}

/// About `origin`; the acceleration is given or fitted.
struct SpaceParabola {
  FreeFlight flight;
  Eigen::Vector3d acceleration = Eigen::Vector3d::Zero();
};

SpaceParabola ParabolaThrough(std::span<const BallPlace> places, const FlightRange& flight,
                              double origin, const Eigen::Vector3d* acceleration) {
  const int unknowns = acceleration == nullptr ? 3 : 2;
  Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(unknowns, unknowns);
  Eigen::MatrixXd moments = Eigen::MatrixXd::Zero(unknowns, 3);
  for (int i = flight.first; i <= flight.last; ++i) {
    const double t = places[i].time - origin;
    Eigen::VectorXd row(unknowns);
    row.head<2>() << 1.0, t;
    Eigen::Vector3d p = places[i].place;
    if (acceleration == nullptr) {
      row[2] = 0.5 * t * t;
    } else {
      p -= 0.5 * t * t * *acceleration;
    }
    normal += row * row.transpose();
    moments += row * p.transpose();
  }
  const Eigen::MatrixXd solved = normal.ldlt().solve(moments);
  SpaceParabola line{{solved.row(0).transpose(), solved.row(1).transpose()}, {}};
  line.acceleration =
      acceleration == nullptr ? Eigen::Vector3d(solved.row(2).transpose()) : *acceleration;
  return line;
}

/// Successive pieces whose accelerations are like that of `seed` and that meet between their ends.
std::vector<FlightRange> RunAround(std::span<const BallPlace> places,
                                   const std::vector<FlightRange>& pieces,
                                   const std::vector<Eigen::Vector3d>& accelerations,
                                   std::size_t seed) {
  const Eigen::Vector3d& a = accelerations[seed];
  const Eigen::Vector3d up = -a.normalized();
  const auto alike = [&](std::size_t k) {
    return (accelerations[k] - a).norm() < kAlike * a.norm();
  };
  const auto follows = [&](std::size_t k) {
    const FlightRange &one = pieces[k], &next = pieces[k + 1];
    const double from = places[one.last].time, to = places[next.first].time;
    const FreeFlight before = ParabolaThrough(places, one, from, &a).flight;
    const FreeFlight after = ParabolaThrough(places, next, from, &a).flight;
    const double rise = (after.velocity - before.velocity).dot(up);
    const double meet = MeetingTime(before, after, up), margin = 0.01 + 0.5 * (to - from);
    return rise > 0.0 && meet > -margin && meet < to - from + margin;
  };
  std::size_t first = seed, last = seed;
  while (first > 0 && alike(first - 1) && follows(first - 1)) --first;
  while (last + 1 < pieces.size() && alike(last + 1) && follows(last)) ++last;
  return {pieces.begin() + static_cast<std::ptrdiff_t>(first),
          pieces.begin() + static_cast<std::ptrdiff_t>(last) + 1};
}

double SpanOf(std::span<const BallPlace> places, const std::vector<FlightRange>& flights) {
  double sum = 0.0;
  for (const FlightRange& flight : flights)
    sum += places[flight.last].time - places[flight.first].time;
  return sum;
}

}  // namespace

PlaceFlights CutPlaces(std::span<const BallPlace> places) {
  PlaceFlights cut;
  if (places.size() < 2 * kFewest) {
    cut.reason = fmt::format("found {} places, allowed at least {}", places.size(), 2 * kFewest);
    return cut;
  }
  const std::size_t every = (places.size() + kMost - 1) / kMost;
  std::vector<int> some;
  Eigen::Vector3d low = places[0].place, high = low;
  for (std::size_t i = 0; i < places.size(); i += every) {
    some.push_back(static_cast<int>(i));
    low = low.cwiseMin(places[i].place);
    high = high.cwiseMax(places[i].place);
  }
  double sigma = std::hypot(SigmaOf(places, some), kFloor * (high - low).norm());
  some = WithoutSpikes(places, some, sigma);

  std::vector<FlightRange> pieces;
  std::vector<Eigen::Vector3d> accelerations;
  for (const FlightRange& piece : Pieces(places, some, sigma)) {
    if (piece.last - piece.first + 1 < kFewest) continue;
    const FlightRange flight{some[piece.first], some[piece.last]};
    const double middle = 0.5 * (places[flight.first].time + places[flight.last].time);
    pieces.push_back(flight);
    accelerations.push_back(ParabolaThrough(places, flight, middle, nullptr).acceleration);
  }
  for (std::size_t seed = 0; seed < pieces.size(); ++seed) {
    const std::vector<FlightRange> run = RunAround(places, pieces, accelerations, seed);
    if (run.size() < 2 || SpanOf(places, run) <= SpanOf(places, cut.flights)) continue;
    cut.flights = run;
    cut.gravity.setZero();
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      if (pieces[k].first < run.front().first || pieces[k].last > run.back().last) continue;
      const double weight = SpanOf(places, {pieces[k]}) / SpanOf(places, run);
      cut.gravity += weight * accelerations[k];
    }
  }
  if (cut.flights.empty()) {
    cut.reason = fmt::format(
        "found {} smooth pieces of motion, allowed at least 2 flights of {} places or more with "
        "one common acceleration and a bounce between them",
        pieces.size(), kFewest);
  }
  return cut;
}

BouncingBall GuessBall(std::span<const BallPlace> places, const PlaceFlights& cut) {
  const double origin = places[cut.flights[0].last].time;
  std::vector<FreeFlight> lines;
  for (const FlightRange& flight : cut.flights)
    lines.push_back(ParabolaThrough(places, flight, origin, &cut.gravity).flight);
  return BallThrough(lines, cut.gravity, origin);
}

}  // namespace percuss::tracking
