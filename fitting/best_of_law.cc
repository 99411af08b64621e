// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/best_of_law.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <limits>
#include <utility>

namespace percuss::fitting {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::span<const double> AsSpan(const Eigen::VectorXd& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
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
    const Eigen::Vector3d impulse = solve_(contact_, AsSpan(parameters)).impulse;
    return Finite((root_ * (impulse - target_)).squaredNorm());
  }

  double MinimizeFrom(Eigen::VectorXd at) const {
    constexpr int kMaxIterations = 20;
    constexpr double kSmallGain = 1e-4;  // of the excess: its root is wanted to four digits
    double damping = 1e-3;
    double least = Excess(at);
    const double negligible = Negligible();
    for (int i = 0; i < kMaxIterations && least > negligible; ++i) {
      const LawDerivatives law = DifferentiateLawByParameters(law_.name, contact_, AsSpan(at));
      if (!law.parameters.allFinite()) break;
      const Eigen::MatrixXd jacobian = root_ * law.parameters;
      const Eigen::Vector3d residual = root_ * (law.impulse - target_);
      double gain = 0.0;
      for (; gain <= 0.0 && damping<1e6; damping *= gain> 0.0 ? 0.1 : 10.0) {
        const Eigen::VectorXd next = Step(jacobian, residual, at, damping);
        const double excess = Excess(next);
        if (!(excess < least)) continue;
        gain = least - excess;
        least = excess;
        at = next;
      }
      if (gain <= kSmallGain * least) break;
    }
    return least;
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
      const solver::ParameterInfo& info = law_.parameters[static_cast<std::size_t>(i)];
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
      const solver::ParameterInfo& info = law_.parameters[static_cast<std::size_t>(i)];
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
  constexpr std::size_t kNumStarts = 2;
  const ImpulseSearch search(law, contact, free_impulse);
  double least = search.MinimizeFrom(start);
  const double negligible = search.Negligible();
  if (least <= negligible) return least;
  std::vector<std::pair<double, const Eigen::VectorXd*>> points;
  points.reserve(grid.size());
  for (const Eigen::VectorXd& point : grid) points.emplace_back(search.Excess(point), &point);
  const std::size_t num_starts = std::min(kNumStarts, points.size());
  std::ranges::partial_sort(points, points.begin() + static_cast<std::ptrdiff_t>(num_starts), {},
                            &std::pair<double, const Eigen::VectorXd*>::first);
  for (std::size_t i = 0; i < num_starts && least > negligible; ++i) {
    least = std::min(least, search.MinimizeFrom(*points[i].second));
  }
  return least;
}

}  // namespace percuss::fitting
