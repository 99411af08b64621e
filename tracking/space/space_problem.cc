// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/space/space_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/math/least_squares.h"
#include "base/math/statistics.h"
#include "tracking/bounces/bounce_numbers.h"

namespace percuss::tracking {
namespace {

constexpr double kOutlier = 4.5;  // sigmas
constexpr int kMostIterations = 20;
constexpr double kLeastScale = 1e-7;  // the last digit of a table of metres

/// A problem at one state of affairs: which sights count, and the factors of their sigmas.
class SpaceSolver {
 public:
  explicit SpaceSolver(const SpaceProblem& problem)
      : problem_(problem), scales_(Eigen::VectorXd::Ones(problem.groups)) {
    begin_ = end_ = problem.sights.front().time;
    for (const SpaceSight& sight : problem.sights) {
      begin_ = std::min(begin_, sight.time);
      end_ = std::max(end_, sight.time);
    }
  }

  BallMotionModel MotionOf(const BouncingBall& ball) const {
    constexpr double kMargin = 0.1;  // for clocks and shutters [s]
    return {ball, begin_ - kMargin, end_ + kMargin};
  }
  Eigen::Vector3d Residual(const BallMotionModel& motion, const SpaceForecast& forecast,
                           const SpaceSight& sight) const {
    Eigen::Vector3d off = sight.seen - forecast.seen(motion, sight);
    for (int k = 0; k < 3; ++k) off[k] /= scales_[sight.group[k]];
    return sight.whiten * off;
  }
  Eigen::VectorXd Residuals(const Eigen::VectorXd& x) const {
    const BallMotionModel motion = MotionOf(problem_.unknowns.BallOf(x));
    const SpaceForecast forecast = problem_.forecast(x);
    const Eigen::VectorXd prior = problem_.unknowns.PriorResiduals(x);
    const auto count = static_cast<Eigen::Index>(used.size());
    Eigen::VectorXd all(3 * count + prior.size());
    for (Eigen::Index k = 0; k < count; ++k)
      all.segment<3>(3 * k) = Residual(motion, forecast, problem_.sights[used[k]]);
    all.tail(prior.size()) = prior;
    return all;
  }

  /// Takes the sights away from contacts, sets the factors of their sigmas to what they show, and
  /// leaves out what lies off. @return whether nothing changed
  bool Settle(const Eigen::VectorXd& x) {
    const BouncingBall ball = problem_.unknowns.BallOf(x);
    const BallMotionModel motion = MotionOf(ball);
    const SpaceForecast forecast = problem_.forecast(x);
    const std::vector<int> before = std::exchange(used, AwayFromContacts(ball, motion, forecast));
    const Eigen::VectorXd scales = MedianScales(motion, forecast);
    const bool same = ((scales - scales_).array().abs() < 0.1 * scales_.array()).all();
    scales_ = scales;
    std::erase_if(used, [&](int i) {
      return Residual(motion, forecast, problem_.sights[i]).norm() > kOutlier;
    });
    return same && used == before;
  }

  /// The last factors, by the sum of squares of what is left, freed of what the unknowns took, and
  /// widened by the autocorrelation. @return the latter, of variances
  double FinishScales(const Eigen::VectorXd& x) {
    const BallMotionModel motion = MotionOf(problem_.unknowns.BallOf(x));
    const SpaceForecast forecast = problem_.forecast(x);
    const Eigen::VectorXd first = SquareScales(motion, forecast);
    scales_ = first;
    double inflation = 1.0;
    for (int camera = -1; camera < 2; ++camera) {
      std::vector<Eigen::Vector3d> columns;
      for (const int i : used) {
        const SpaceSight& sight = problem_.sights[i];
        if (sight.camera == camera) columns.push_back(Residual(motion, forecast, sight));
      }
      if (columns.empty()) continue;
      Eigen::MatrixXd all(camera < 0 ? 3 : 2, static_cast<Eigen::Index>(columns.size()));
      for (Eigen::Index k = 0; k < all.cols(); ++k) all.col(k) = columns[k].head(all.rows());
      inflation = std::max(inflation, SharedInflation(all));
    }
    scales_ *= std::sqrt(inflation);
    return inflation;
  }

  Eigen::VectorXd NumbersOf(const Eigen::VectorXd& x) const {
    const BouncingBall ball = problem_.unknowns.BallOf(x);
    const BallMotionModel motion = MotionOf(ball);
    const auto& contacts = motion.Contacts();
    const Eigen::VectorXd more = problem_.more(x);
    const auto own = kNumBounceNumbers * static_cast<Eigen::Index>(contacts.size());
    Eigen::VectorXd numbers(own + 3 + more.size());
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      numbers.segment<kNumBounceNumbers>(kNumBounceNumbers * static_cast<Eigen::Index>(k)) =
          NumbersOfBounce(EstimateOf(contacts[k], ball.normal));
    }
    numbers.segment<3>(own) << ball.gravity.norm(), ball.drag, ball.dwell;
    numbers.tail(more.size()) = more;
    return numbers;
  }

  double Scale(int group) const { return scales_[group]; }

  std::vector<int> used;

 private:
  std::vector<int> AwayFromContacts(const BouncingBall& ball, const BallMotionModel& motion,
                                    const SpaceForecast& forecast) const {
    std::vector<int> kept;
    for (std::size_t i = 0; i < problem_.sights.size(); ++i) {
      const SpaceSight& sight = problem_.sights[i];
      const double time = forecast.time(sight);
      const bool touches = std::ranges::any_of(motion.Contacts(), [&](const BallContact& contact) {
        return time > contact.time - sight.reach && time < contact.time + ball.dwell + sight.reach;
      });
      if (!touches && time < motion.Landing() - sight.reach) kept.push_back(static_cast<int>(i));
    }
    return kept;
  }
  /// Squared lengths of the whitened residuals, by group; those of the factors as they are.
  struct GroupSquares {
    std::vector<double> lengths;
    int coordinates = 0;  ///< of each
  };
  std::vector<GroupSquares> Squares(const BallMotionModel& motion,
                                    const SpaceForecast& forecast) const {
    std::vector<GroupSquares> squares(problem_.groups);
    for (const int i : used) {
      const SpaceSight& sight = problem_.sights[i];
      const Eigen::Vector3d r = Residual(motion, forecast, sight);
      for (int g = 0; g < problem_.groups; ++g) {
        double sum = 0.0;
        int coordinates = 0;
        for (int k = 0; k < 3; ++k) {
          if (sight.group[k] != g) continue;
          sum += r[k] * r[k];
          ++coordinates;
        }
        if (coordinates == 0) continue;
        squares[g].lengths.push_back(sum);
        squares[g].coordinates = coordinates;
      }
    }
    return squares;
  }
  /// By lengths rather than coordinates: a track in a plane has coordinates without any error.
  Eigen::VectorXd MedianScales(const BallMotionModel& motion, const SpaceForecast& forecast) const {
    constexpr std::array<double, 3> kMedians = {0.4549, 1.3863, 2.3660};  // of chi-squares
    Eigen::VectorXd scales = scales_;
    const std::vector<GroupSquares> squares = Squares(motion, forecast);
    for (int g = 0; g < problem_.groups; ++g) {
      if (squares[g].lengths.empty()) continue;
      scales[g] *= std::sqrt(Median(squares[g].lengths) / kMedians[squares[g].coordinates - 1]);
    }
    return scales.cwiseMax(std::max(problem_.least_scale, kLeastScale));
  }
  Eigen::VectorXd SquareScales(const BallMotionModel& motion, const SpaceForecast& forecast) const {
    Eigen::VectorXd scales = scales_;
    const std::vector<GroupSquares> squares = Squares(motion, forecast);
    const auto measured = static_cast<double>(3 * used.size());
    // Unknowns take a share of all squares; those that are known before take less than one each.
    const double free = problem_.unknowns.Free() / measured;
    for (int g = 0; g < problem_.groups; ++g) {
      const std::vector<double>& lengths = squares[g].lengths;
      if (lengths.empty()) continue;
      const double sum = std::accumulate(lengths.begin(), lengths.end(), 0.0);
      const double count = static_cast<double>(lengths.size()) * squares[g].coordinates;
      scales[g] *= std::sqrt(sum / (count * (1.0 - free)));
    }
    return scales.cwiseMax(std::max(problem_.least_scale, kLeastScale));
  }

  const SpaceProblem& problem_;
  Eigen::VectorXd scales_;
  double begin_ = 0.0, end_ = 0.0;
};

/// Moves to the best fit in rounds: with sigmas as wide as the residuals of a first guess, what is
/// known before holds contact time and drag near, and each round makes the sigmas smaller.
LeastSquares SolveInRounds(const SpaceProblem& problem, SpaceSolver* solver, BounceFit* fit) {
  constexpr int kMostRounds = 12;
  const auto residuals = [&](const Eigen::VectorXd& at) { return solver->Residuals(at); };
  LeastSquares solution{.x = problem.unknowns.Start(), .covariance = {}};
  const auto too_few = [&] {
    return 3 * static_cast<int>(solver->used.size()) <= problem.unknowns.Free() + 3;
  };
  bool settled = false;
  for (int round = 0; round < kMostRounds && !settled; ++round) {
    settled = solver->Settle(solution.x);
    if (too_few()) {
      fit->reason =
          fmt::format("{} places of {} lie on the flights, allowed at least {}",
                      solver->used.size(), problem.sights.size(), problem.unknowns.Free() / 3 + 2);
      return solution;
    }
    solution = SolveLeastSquares(residuals, solution.x, kMostIterations);
  }
  fit->inflation = solver->FinishScales(solution.x);
  return SolveLeastSquares(residuals, solution.x, kMostIterations);
}

}  // namespace

BounceFit SolveSpace(const SpaceProblem& problem, std::vector<ValueWithSigma>* more,
                     Eigen::VectorXd* best) {
  BounceFit fit;
  SpaceSolver solver(problem);
  LeastSquares solution = SolveInRounds(problem, &solver, &fit);
  if (!fit.reason.empty()) return fit;
  solution.x = SolveWithin([&](const Eigen::VectorXd& at) { return solver.Residuals(at); },
                           solution.x, problem.unknowns.Possible(), kMostIterations);
  if (best != nullptr) *best = solution.x;
  fit.ball = problem.unknowns.BallOf(solution.x);
  fit.contacts = solver.MotionOf(fit.ball).Contacts();
  for (const BallContact& contact : fit.contacts) {
    const BounceEstimate& bounce = fit.bounces.emplace_back(EstimateOf(contact, fit.ball.normal));
    if (!(bounce.normal_before > 0.0 && bounce.normal_after > 0.0 && std::isfinite(bounce.time))) {
      fit.reason = "the frames do not show that the ball flies up from every bounce";
      return fit;
    }
  }
  const Eigen::MatrixXd by_unknowns =
      Jacobian([&](const Eigen::VectorXd& at) { return solver.NumbersOf(at); }, solution.x);
  fit.covariance = by_unknowns * solution.covariance * by_unknowns.transpose();
  fit.shared = SharedErrorsOf(by_unknowns, solution.covariance, problem.unknowns.Shared());
  const Eigen::VectorXd numbers = solver.NumbersOf(solution.x);
  const auto own = kNumBounceNumbers * static_cast<Eigen::Index>(fit.bounces.size());
  const auto number = [&](Eigen::Index i) {
    return ValueWithSigma{numbers[i], std::sqrt(fit.covariance(i, i))};
  };
  fit.gravity = number(own);
  fit.drag = number(own + 1);
  fit.dwell = number(own + 2);
  for (Eigen::Index i = own + 3; i < numbers.size(); ++i) more->push_back(number(i));
  fit.used = solver.used;
  fit.noise_scale = solver.Scale(0) / std::sqrt(fit.inflation);
  if (!fit.covariance.allFinite())
    fit.reason =
        "too few frames in flight: they do not tell the speeds before and after each bounce";
  return fit;
}

}  // namespace percuss::tracking
