// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/multi_contact/slip_transition.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace percuss::solver {
namespace {

constexpr double kRealTolerance = 1e-4;  // of a root's imaginary part: double roots part so far

double Evaluate(const std::array<double, 5>& c, double u) {
  return (((c[0] * u + c[1]) * u + c[2]) * u + c[3]) * u + c[4];
}

double Polished(const std::array<double, 5>& c, double u) {
  for (int k = 0; k < 3; ++k) {
    const double slope = ((4 * c[0] * u + 3 * c[1]) * u + 2 * c[2]) * u + c[3];
    const double step = slope != 0.0 ? Evaluate(c, u) / slope : 0.0;
    if (!(std::abs(step) < 1e-3 * (1.0 + std::abs(u)))) break;
    u -= step;
  }
  return u;
}

// Real roots of c_0 u^4 + ... with |c_0| not small against the others.
std::vector<double> CompanionRoots(const std::array<double, 5>& c) {
  Eigen::MatrixXd companion = Eigen::MatrixXd::Zero(4, 4);
  for (int k = 0; k < 4; ++k) {
    if (k > 0) companion(k, k - 1) = 1.0;
    companion(k, 3) = -c[4 - k] / c[0];
  }
  const Eigen::VectorXcd eigenvalues =
      Eigen::EigenSolver<Eigen::MatrixXd>(companion, false).eigenvalues();
  std::vector<double> roots;
  for (const std::complex<double>& root : eigenvalues) {
    if (std::abs(root.imag()) <= kRealTolerance * (1.0 + std::abs(root))) {
      roots.push_back(Polished(c, root.real()));
    }
  }
  return roots;
}

Isocline IsoclineAt(const SlipResponse& response, double mu, double angle) {
  const Eigen::Vector2d direction(std::cos(angle), std::sin(angle));
  const Eigen::Vector3d impulse(-mu * direction.x(), -mu * direction.y(), 1.0);
  return {angle, direction.dot(response * impulse)};
}

// s d(phi)/dP_n for slip along an angle: zero on an isocline.
double Turning(const SlipResponse& response, double mu, double angle) {
  const Eigen::Vector2d direction(std::cos(angle), std::sin(angle));
  const Eigen::Vector3d impulse(-mu * direction.x(), -mu * direction.y(), 1.0);
  return Eigen::Vector2d(-direction.y(), direction.x()).dot(response * impulse);
}

// Both directions of a line with this tangent, where they are isoclines. A double root of the
// quartic, two opposite isoclines, is a simple one of the turning rate.
void AddDirections(const SlipResponse& response, double mu, const Eigen::Vector2d& line,
                   std::vector<Isocline>& isoclines) {
  constexpr double kNear = 1e-3;
  const double scale = response.norm();
  for (const double sign : {1.0, -1.0}) {
    const double start = std::atan2(sign * line.y(), sign * line.x());
    double angle = start;
    for (int k = 0; k < 5; ++k) {
      const double h = 1e-6;
      const double slope =
          (Turning(response, mu, angle + h) - Turning(response, mu, angle - h)) / (2.0 * h);
      const double step = slope != 0.0 ? Turning(response, mu, angle) / slope : 0.0;
      if (!(std::abs(step) < kNear)) break;
      angle -= step;
    }
    if (std::abs(angle - start) > kNear) continue;
    if (std::abs(Turning(response, mu, angle)) > 1e-9 * scale) continue;
    const bool known = std::any_of(isoclines.begin(), isoclines.end(), [&](const Isocline& other) {
      return std::abs(std::remainder(other.angle - angle, 2.0 * std::numbers::pi)) < 1e-7;
    });
    if (!known) isoclines.push_back(IsoclineAt(response, mu, angle));
  }
}

}  // namespace

SlipResponse IsoclineMatrix(const SlipResponse& response) {
  SlipResponse Q;
  Q << response.row(1), -response.row(0);
  return Q;
}

std::array<double, 5> IsoclineQuartic(const SlipResponse& Q, double mu) {
  const double b = Q(0, 1) + Q(1, 0), mu2 = mu * mu;
  return {
      Q(1, 2) * Q(1, 2) - mu2 * Q(1, 1) * Q(1, 1), 2 * Q(0, 2) * Q(1, 2) - 2 * mu2 * Q(1, 1) * b,
      Q(0, 2) * Q(0, 2) + Q(1, 2) * Q(1, 2) - mu2 * (b * b + 2 * Q(0, 0) * Q(1, 1)),
      2 * Q(0, 2) * Q(1, 2) - 2 * mu2 * b * Q(0, 0), Q(0, 2) * Q(0, 2) - mu2 * Q(0, 0) * Q(0, 0)};
}

std::vector<Isocline> Isoclines(const SlipResponse& response, double mu) {
  const SlipResponse Q = IsoclineMatrix(response);
  std::array<double, 5> c = IsoclineQuartic(Q, mu);
  std::vector<Isocline> isoclines;
  const double largest = std::abs(*std::max_element(
      c.begin(), c.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }));
  if (!(largest > 0.0)) return isoclines;
  // The polynomial of 1/u has the same coefficients backwards.
  const bool swapped = std::abs(c[0]) < std::abs(c[4]);
  if (swapped) std::reverse(c.begin(), c.end());
  if (std::abs(c[0]) <= 1e-14 * largest) c[0] = 1e-14 * largest;
  for (const double u : CompanionRoots(c)) {
    const Eigen::Vector2d line = swapped ? Eigen::Vector2d(u, 1.0) : Eigen::Vector2d(1.0, u);
    AddDirections(response, mu, line, isoclines);
  }
  return isoclines;
}

std::optional<Isocline> OutgoingIsocline(const SlipResponse& response, double mu) {
  std::optional<Isocline> best;
  for (const Isocline& isocline : Isoclines(response, mu)) {
    const bool outgoing = isocline.speed_rate > 0.0;
    // The loss to second order is mu times the speed gained.
    if (outgoing && (!best || isocline.speed_rate < best->speed_rate)) best = isocline;
  }
  return best;
}

namespace {

// Tangential motion of a face as (u_x, u_y, turn), and back.
class FaceMotion {
 public:
  explicit FaceMotion(const ForceDistribution& distribution)
      : distribution_(distribution),
        modes_(distribution.NumPoints(), PointMode::kSlip),
        inverse_(distribution.face_motion().completeOrthogonalDecomposition().pseudoInverse()) {}

  Eigen::Index Size() const { return inverse_.rows(); }

  // The rate of slip that slip in the direction of `motion` has; C in `shares`.
  bool Rate(const Eigen::VectorXd& motion, Eigen::VectorXd& rate, Eigen::VectorXd& shares) {
    const Eigen::VectorXd slip = distribution_.face_motion() * motion;
    if (!distribution_.Solve(slip, modes_, shares)) return false;
    rate = inverse_ * (distribution_.inverse_mass() * shares);
    return rate.allFinite();
  }

 private:
  const ForceDistribution& distribution_;
  std::vector<PointMode> modes_;
  Eigen::MatrixXd inverse_;
};

// Newton's method on motion - Rate(motion) with differences.
bool Converge(FaceMotion& face, Eigen::VectorXd& motion, Eigen::VectorXd& shares) {
  const Eigen::Index size = face.Size();
  Eigen::VectorXd rate(size), moved(size);
  Eigen::MatrixXd jacobian(size, size);
  for (int k = 0; k < 40; ++k) {
    const double scale = motion.norm();
    if (!(scale > 0.0) || !face.Rate(motion, rate, shares)) return false;
    const Eigen::VectorXd residual = motion - rate;
    if (residual.norm() <= 1e-12 * rate.norm()) return true;
    for (Eigen::Index j = 0; j < size; ++j) {
      Eigen::VectorXd near = motion;
      const double step = 1e-7 * scale;
      near[j] += step;
      if (!face.Rate(near, moved, shares)) return false;
      jacobian.col(j) = (near - moved - residual) / step;
    }
    motion -= jacobian.fullPivLu().solve(residual);
    if (!motion.allFinite()) return false;
  }
  return face.Rate(motion, rate, shares) && (motion - rate).norm() <= 1e-9 * rate.norm();
}

}  // namespace

std::optional<Eigen::VectorXd> OutgoingSlip(const ForceDistribution& distribution,
                                            bool per_reference_impulse) {
  if (distribution.NumRows() != 3 || !distribution.Coplanar()) return std::nullopt;
  FaceMotion face(distribution);
  const Eigen::Index size = face.Size();
  Eigen::VectorXd shares, rate;
  constexpr int kStarts = 9;  // along, against and between the axes
  for (int k = 0; k < kStarts; ++k) {
    Eigen::VectorXd motion = Eigen::VectorXd::Zero(size);
    const double angle = 0.3 + k * 2.399963;  // the golden angle spreads them evenly
    motion[0] = std::cos(angle);
    motion[1] = std::sin(angle);
    // Each start once through the map, so that its size and turn are of the right order.
    if (!face.Rate(motion, rate, shares)) continue;
    motion = rate;
    if (!Converge(face, motion, shares)) continue;
    if (per_reference_impulse) motion /= shares[shares.size() - 1];
    return motion;
  }
  return std::nullopt;
}

}  // namespace percuss::solver
