// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/estimate/best_of_law.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "solver/solve_impact.h"

namespace percuss::fitting {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::span<const double> SpanOf(const Eigen::VectorXd& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

struct BestFound {
  Eigen::VectorXd parameters;
  double excess = kInfinity;
};

// All around where there are few parameters, else along each of them.
std::vector<Eigen::VectorXd> Neighbours(const solver::LawInfo& law, const Eigen::VectorXd& at,
                                        double step) {
  constexpr Eigen::Index kFew = 3;
  std::vector<Eigen::VectorXd> neighbours = {at};
  for (Eigen::Index i = 0; i < at.size(); ++i) {
    const solver::ParameterInfo& info = law.parameters[i];
    const double change = step * std::max(std::abs(at[i]), std::max(info.typical, 0.1));
    const std::size_t count = at.size() <= kFew ? neighbours.size() : 1;
    for (std::size_t k = 0; k < count; ++k) {
      for (const double sign : {-1.0, 1.0}) {
        neighbours.push_back(neighbours[k]);
        double& moved = neighbours.back()[i];
        moved = std::clamp(moved + sign * change, info.lower, info.upper);
      }
    }
  }
  return neighbours;
}

// Where a mode changes the excess has a kink that holds up a search by derivatives: looks around,
// closer and closer.
BestFound CrossKinks(const solver::LawInfo& law,
                     const std::function<double(const Eigen::VectorXd&)>& excess_of,
                     BestFound from) {
  constexpr double kFirst = 0.1, kLast = 1e-3;  // of an ordinary size
  constexpr int kMaxRounds = 50;
  double step = kFirst;
  for (int round = 0; round < kMaxRounds && step >= kLast; ++round) {
    const double before = from.excess;
    for (const Eigen::VectorXd& next : Neighbours(law, from.parameters, step)) {
      const double excess = excess_of(next);
      if (excess < from.excess) from = {next, excess};
    }
    if (!(from.excess < before)) step *= 0.5;
  }
  return from;
}

// The search of one law for one impact.
class ImpulseSearch {
 public:
  ImpulseSearch(const solver::LawInfo& law, const solver::Contact<double>& contact,
                const Eigen::Vector3d& target)
      : law_(law), solve_(solver::FindLawFunction(law.name)), contact_(contact), target_(target) {
    root_ = Eigen::LLT<Eigen::Matrix3d>(contact.inverse_mass).matrixU();
  }

  // What stands for zero: rounding of the velocities before.
  double Negligible() const {
    const Eigen::Vector3d momentum =
        contact_.inverse_mass.llt().solve(contact_.velocity);  // that would stop the contact point
    return 1e-12 * momentum.dot(contact_.velocity);
  }

  double Excess(const Eigen::VectorXd& parameters) const {
    const Eigen::Vector3d impulse = solve_(contact_, SpanOf(parameters)).impulse;
    return Finite((root_ * (impulse - target_)).squaredNorm());
  }

  BestFound MinimizeFrom(Eigen::VectorXd at) const {
    constexpr int kMaxIterations = 20;
    constexpr double kSmallGain = 1e-4;  // of the excess: its root is wanted to four digits
    constexpr double kMostDamping = 1e6;
    double damping = 1e-3;
    double least = Excess(at);
    const double negligible = Negligible();
    for (int i = 0; i < kMaxIterations && least > negligible; ++i) {
      const LawDerivatives law = DifferentiateLawByParameters(law_.name, contact_, SpanOf(at));
      if (!law.parameters.allFinite()) break;
      const Eigen::MatrixXd jacobian = root_ * law.parameters;
      const Eigen::Vector3d residual = root_ * (law.impulse - target_);
      double gain = 0.0;
      while (!(gain > 0.0) && damping < kMostDamping) {
        const Eigen::VectorXd next = Step(jacobian, residual, at, damping);
        const double excess = Excess(next);
        if (excess < least) {
          gain = least - excess;
          least = excess;
          at = next;
          damping *= 0.1;
        } else {
          damping *= 10.0;
        }
      }
      if (gain <= kSmallGain * least) break;
    }
    return {std::move(at), least};
  }

 private:
  static double Finite(double value) { return value < kInfinity ? value : kInfinity; }

  // A parameter at its bound that the step would carry over it stays; the others step without it.
  Eigen::VectorXd Step(const Eigen::MatrixXd& jacobian, const Eigen::Vector3d& residual,
                       const Eigen::VectorXd& at, double damping) const {
    const Eigen::VectorXd gradient = jacobian.transpose() * residual;
    Eigen::MatrixXd normal = jacobian.transpose() * jacobian;
    const double scale = std::max(normal.diagonal().maxCoeff(), 1e-300);
    Eigen::VectorXd descent = -gradient;
    for (Eigen::Index i = 0; i < at.size(); ++i) {
      const solver::ParameterInfo& info = law_.parameters[i];
      const bool held =
          (at[i] <= info.lower && descent[i] < 0.0) || (at[i] >= info.upper && descent[i] > 0.0);
      if (held) {
        normal.row(i).setZero();
        normal.col(i).setZero();
        descent[i] = 0.0;
      }
      normal(i, i) += damping * std::max(normal(i, i), 1e-6 * scale) + (held ? scale : 0.0);
    }
    Eigen::VectorXd next = at + normal.ldlt().solve(descent);
    for (Eigen::Index i = 0; i < at.size(); ++i) {
      const solver::ParameterInfo& info = law_.parameters[i];
      next[i] = std::clamp(next[i], info.lower, info.upper);
    }
    return next;
  }

  const solver::LawInfo& law_;
  solver::LawFunction solve_;
  const solver::Contact<double>& contact_;
  const Eigen::Vector3d& target_;
  Eigen::Matrix3d root_;
};

}  // namespace

double CalcLeastExcess(const solver::LawInfo& law, const solver::Contact<double>& contact,
                       const Eigen::Vector3d& free_impulse, const Eigen::VectorXd& start,
                       const std::vector<Eigen::VectorXd>& grid) {
  constexpr std::size_t kNumStarts = 5;
  const ImpulseSearch search(law, contact, free_impulse);
  BestFound least = search.MinimizeFrom(start);
  const double negligible = search.Negligible();
  if (least.excess <= negligible) return least.excess;
  std::vector<std::pair<double, const Eigen::VectorXd*>> points;
  points.reserve(grid.size());
  for (const Eigen::VectorXd& point : grid) points.emplace_back(search.Excess(point), &point);
  const std::size_t num_starts = std::min(kNumStarts, points.size());
  std::ranges::partial_sort(points, points.begin() + static_cast<std::ptrdiff_t>(num_starts), {},
                            &std::pair<double, const Eigen::VectorXd*>::first);
  for (std::size_t i = 0; i < num_starts && least.excess > negligible; ++i) {
    const BestFound found = search.MinimizeFrom(*points[i].second);
    if (found.excess < least.excess) least = found;
  }
  if (least.excess <= negligible) return least.excess;
  return CrossKinks(
             law, [&](const Eigen::VectorXd& at) { return search.Excess(at); }, least)
      .excess;
}

double CalcLeastError(const solver::LawInfo& law,
                      const std::function<double(const Eigen::VectorXd&)>& error,
                      const Eigen::VectorXd& start, const std::vector<Eigen::VectorXd>& grid) {
  const auto finite = [&](const Eigen::VectorXd& parameters) {
    const double found = error(parameters);
    return found < kInfinity ? found : kInfinity;
  };
  BestFound least{start, finite(start)};
  for (const Eigen::VectorXd& point : grid) {
    const double found = finite(point);
    if (found < least.excess) least = {point, found};
  }
  return CrossKinks(law, finite, least).excess;
}

}  // namespace percuss::fitting
