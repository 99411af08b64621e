// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/multi_contact/quadratic_system.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/SVD>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

namespace percuss::solver {
namespace {

constexpr int kDegree = 4;
constexpr int kMonomials = 15;
constexpr double kReal = 1e-4;      // of an eigenvalue's imaginary part; Newton's steps follow
constexpr double kResidual = 1e-9;  // of the sum of the terms
constexpr double kSame = 1e-6;

// Place of u_2^i u_3^j, i + j <= 4.
int Place(int i, int j) {
  int place = 0;
  for (int k = 0; k < i; ++k) place += kDegree + 1 - k;
  return place + j;
}

// Coefficients of u_1^0, u_1^1, u_1^2 of a monomial in (u_2, u_3).
struct Term {
  int i, j;
  std::array<double, 3> coefficients;
};

std::array<Term, 6> Terms(const Eigen::Matrix4d& Q) {
  return {{{2, 0, {Q(1, 1), 0, 0}},
           {0, 2, {Q(2, 2), 0, 0}},
           {1, 1, {2 * Q(1, 2), 0, 0}},
           {1, 0, {2 * Q(1, 3), 2 * Q(0, 1), 0}},
           {0, 1, {2 * Q(2, 3), 2 * Q(0, 2), 0}},
           {0, 0, {Q(3, 3), 2 * Q(0, 3), Q(0, 0)}}}};
}

// M_0, M_1, M_2: each monomial is reached by the polynomial whose leading part divides it.
std::array<Eigen::MatrixXd, 3> MacaulayMatrices(const std::vector<Eigen::Matrix4d>& quadratics) {
  std::array<Eigen::MatrixXd, 3> matrices;
  for (Eigen::MatrixXd& matrix : matrices) matrix.setZero(kMonomials, kMonomials);
  for (int i = 0; i <= kDegree; ++i) {
    for (int j = 0; i + j <= kDegree; ++j) {
      const int which = i >= 2 ? 0 : j >= 2 ? 1 : 2;
      const int shift_i = which == 0 ? i - 2 : i, shift_j = which == 1 ? j - 2 : j;
      for (const Term& term : Terms(quadratics[which])) {
        const int column = Place(term.i + shift_i, term.j + shift_j);
        for (int power = 0; power < 3; ++power) {
          matrices[power](Place(i, j), column) += term.coefficients[power];
        }
      }
    }
  }
  return matrices;
}

double Value(const Eigen::Matrix4d& Q, const Eigen::Vector3d& u) {
  const Eigen::Vector4d x = u.homogeneous();
  return x.dot(Q * x);
}

Eigen::Vector3d Polished(const std::vector<Eigen::Matrix4d>& quadratics, Eigen::Vector3d u) {
  for (int k = 0; k < 20; ++k) {
    Eigen::Matrix3d slopes;
    Eigen::Vector3d values;
    for (int i = 0; i < 3; ++i) {
      values[i] = Value(quadratics[i], u);
      slopes.row(i) = 2.0 * (quadratics[i] * u.homogeneous()).head<3>();
    }
    const Eigen::Vector3d step = slopes.fullPivLu().solve(values);
    if (!step.allFinite()) break;
    u -= step;
    if (step.norm() <= 1e-15 * (1.0 + u.norm())) break;
  }
  return u;
}

bool Solves(const std::vector<Eigen::Matrix4d>& quadratics, const Eigen::Vector3d& u) {
  if (!u.allFinite()) return false;
  const Eigen::Vector4d x = u.homogeneous().cwiseAbs();
  for (const Eigen::Matrix4d& Q : quadratics) {
    if (!(std::abs(Value(Q, u)) <= kResidual * x.dot(Q.cwiseAbs() * x))) return false;
  }
  return true;
}

}  // namespace

std::vector<Eigen::Vector3d> CommonRoots(const std::vector<Eigen::Matrix4d>& quadratics) {
  if (quadratics.size() < 3) {
    throw std::invalid_argument("number of quadratics is " + std::to_string(quadratics.size()) +
                                "; it must be at least 3");
  }
  // In turned axes no root is at infinity in u_2 or u_3 by the choice of axes alone.
  Eigen::Matrix4d turn = Eigen::Matrix4d::Identity();
  turn.topLeftCorner<3, 3>() << 0.36, 0.48, -0.8, -0.8, 0.6, 0.0, 0.48, 0.64, 0.6;
  std::vector<Eigen::Matrix4d> turned;
  for (const Eigen::Matrix4d& Q : quadratics) turned.push_back(turn.transpose() * Q * turn);
  const std::array<Eigen::MatrixXd, 3> M = MacaulayMatrices(turned);
  Eigen::MatrixXd left = Eigen::MatrixXd::Zero(2 * kMonomials, 2 * kMonomials), right = left;
  left.topRightCorner(kMonomials, kMonomials).setIdentity();
  left.bottomLeftCorner(kMonomials, kMonomials) = -M[0];
  left.bottomRightCorner(kMonomials, kMonomials) = -M[1];
  right.topLeftCorner(kMonomials, kMonomials).setIdentity();
  right.bottomRightCorner(kMonomials, kMonomials) = M[2];
  // left x = u right x as an ordinary problem: (left - s right)^-1 right x = x / (u - s) for any s
  // that is no root; roots at infinity become 0.
  constexpr double kShift = 0.3719;
  const Eigen::MatrixXd shifted = left - kShift * right;
  const Eigen::MatrixXd pencil = Eigen::PartialPivLU<Eigen::MatrixXd>(shifted).solve(right);
  std::vector<Eigen::Vector3d> roots;
  if (!pencil.allFinite()) return roots;
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(pencil, false);
  if (solver.info() != Eigen::Success) return roots;
  for (int k = 0; k < 2 * kMonomials; ++k) {
    const std::complex<double> value = kShift + 1.0 / solver.eigenvalues()[k];
    if (!std::isfinite(value.real()) ||
        !(std::abs(value.imag()) <= kReal * (1 + std::abs(value)))) {
      continue;
    }
    const double u1 = value.real();
    const Eigen::MatrixXd polynomial = M[0] + u1 * (M[1] + u1 * M[2]);
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(polynomial, Eigen::ComputeFullV);
    const Eigen::VectorXd null = svd.matrixV().col(kMonomials - 1);
    const double one = null[Place(0, 0)];
    if (one == 0.0) continue;
    const Eigen::Vector3d start(u1, null[Place(1, 0)] / one, null[Place(0, 1)] / one);
    const Eigen::Vector3d root = Polished(turned, start);
    if (!Solves(turned, root)) continue;
    const Eigen::Vector3d u = turn.topLeftCorner<3, 3>() * root;
    bool known = false;
    for (const Eigen::Vector3d& other : roots) {
      known = known || (other - u).norm() <= kSame * (1.0 + u.norm());
    }
    if (!known) roots.push_back(u);
  }
  return roots;
}

}  // namespace percuss::solver
