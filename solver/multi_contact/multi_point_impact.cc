// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/multi_contact/multi_point_impact.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <Eigen/QR>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "solver/multi_contact/force_distribution.h"
#include "solver/multi_contact/impact_event.h"

namespace percuss::solver {
namespace {

constexpr double kGain = 1e-9;  // of energies that have to cancel

[[noreturn]] void Refuse(const std::string& field, double value, const std::string& allowed) {
  std::ostringstream text;
  text << field << " is " << value << "; it must be " << allowed;
  throw std::invalid_argument(text.str());
}

void Require(bool holds, const std::string& field, double value, const std::string& allowed) {
  if (!holds) Refuse(field, value, allowed);
}

void ValidateOptions(const MultiImpactOptions& options, int num_rows, int num_points) {
  const bool by_points = !options.restitution_by_points.empty();
  const auto& values = by_points ? options.restitution_by_points : options.restitution;
  Require(!values.empty(), "number of restitution coefficients", 0.0, "at least 1");
  for (const double e : values) {
    Require(e >= -1.0 && e <= 1.0, "restitution", e, "from -1 to 1");
  }
  Require(options.rest_speed > 0.0, "rest_speed", options.rest_speed, "above 0 [m/s]");
  Require(options.tolerance > 0.0, "tolerance", options.tolerance, "above 0");
  Require(options.max_events > 0, "max_events", options.max_events, "at least 1");
  Require(options.reference_point >= -1 && options.reference_point < num_points, "reference_point",
          options.reference_point, "-1 or one of the points");
  Require(num_rows == 2 || options.normal_work == NormalWork::kIntegral, "rows per point", num_rows,
          "2 with NormalWork::kSplitEnergy");
}

// Rows per point.
int Validate(const MultiImpactProblem& problem, const MultiImpactOptions& options) {
  const auto num_points = static_cast<Eigen::Index>(problem.points.size());
  Require(num_points > 0, "number of points", 0.0, "at least 1");
  const Eigen::Index size = problem.speeds.size(), rows = problem.jacobian.rows();
  Require(rows == 2 * num_points || rows == 3 * num_points, "rows of jacobian",
          static_cast<double>(rows), "2 or 3 per point");
  Require(problem.jacobian.cols() == size, "columns of jacobian",
          static_cast<double>(problem.jacobian.cols()), "the number of speeds");
  Require(problem.mass.rows() == size && problem.mass.cols() == size, "rows of mass",
          static_cast<double>(problem.mass.rows()), "the number of speeds, as its columns");
  Require(problem.mass.allFinite() && problem.jacobian.allFinite() && problem.speeds.allFinite(),
          "mass, jacobian or speeds", std::nan(""), "finite");
  for (const ImpactPoint& point : problem.points) {
    Require(point.mu >= 0.0 && std::isfinite(point.mu), "mu", point.mu, "at least 0 and finite");
    Require(point.position.allFinite() && point.frame.allFinite(), "position or frame",
            std::nan(""), "finite");
  }
  const int num_rows = static_cast<int>(rows / num_points);
  ValidateOptions(options, num_rows, static_cast<int>(num_points));
  return num_rows;
}

double RestitutionOf(const MultiImpactOptions& options, std::size_t event, std::size_t num_points) {
  const bool by_points = !options.restitution_by_points.empty();
  const auto& values = by_points ? options.restitution_by_points : options.restitution;
  const std::size_t place = std::min(by_points ? num_points - 1 : event, values.size() - 1);
  return num_points == 1 ? std::abs(values[place]) : values[place];
}

// Rows of some points out of all.
std::vector<int> RowsOf(const std::vector<int>& points, int num_rows) {
  std::vector<int> rows;
  for (const int point : points) {
    for (int k = 0; k < num_rows; ++k) rows.push_back(point * num_rows + k);
  }
  return rows;
}

// The matrix S of (3.11), W_n = u^T S u: from K = (J^+)^T A J^+ with the columns of tangents and
// normals apart.
Eigen::MatrixXd SplitEnergy(const Eigen::MatrixXd& mass, const Eigen::MatrixXd& jacobian,
                            int num_rows) {
  const Eigen::MatrixXd inverse = jacobian.completeOrthogonalDecomposition().pseudoInverse();
  Eigen::MatrixXd split = inverse.transpose() * mass * inverse;
  for (Eigen::Index i = 0; i < split.rows(); ++i) {
    for (Eigen::Index j = 0; j < split.cols(); ++j) {
      const bool row_normal = i % num_rows == num_rows - 1, normal = j % num_rows == num_rows - 1;
      if (!normal) split(i, j) = 0.0;
      if (normal && row_normal) split(i, j) *= 0.5;
    }
  }
  return split;
}

class Collision {
 public:
  Collision(const MultiImpactProblem& problem, const MultiImpactOptions& options, int num_rows)
      : problem_(problem), options_(options), num_rows_(num_rows), llt_(problem.mass) {}

  MultiImpactSummary Solve() {
    MultiImpactSummary& out = summary_;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    out.velocity = problem_.jacobian * problem_.speeds;
    if (problem_.drift.size() > 0) out.velocity -= problem_.drift;
    out.impulse = Eigen::VectorXd::Zero(out.velocity.size());
    out.speeds = Eigen::VectorXd::Constant(problem_.speeds.size(), nan);
    out.energy_after = nan;
    out.energy_before = 0.5 * problem_.speeds.dot(problem_.mass * problem_.speeds);
    const auto pivots = llt_.matrixLLT().diagonal();
    if (llt_.info() != Eigen::Success ||
        !(pivots.minCoeff() > 1e-10 * pivots.cwiseAbs().maxCoeff())) {
      std::ostringstream text;
      text << "the mass matrix with diagonal (" << problem_.mass.diagonal().transpose()
           << ") is not positive definite";
      Fail(MultiImpactStatus::kSingularMass, text.str());
      return std::move(summary_);
    }
    // Of a few speeds: row by row, without the blocks that pay for large matrices.
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> root =
        problem_.jacobian.transpose();
    const Eigen::MatrixXd& lower = llt_.matrixLLT();
    for (Eigen::Index i = 0; i < root.rows(); ++i) {
      for (Eigen::Index j = 0; j < i; ++j) root.row(i) -= lower(i, j) * root.row(j);
      root.row(i) /= lower(i, i);
    }
    inverse_mass_ = root.transpose().lazyProduct(root);
    if (Events()) Finish();
    return std::move(summary_);
  }

 private:
  void Fail(MultiImpactStatus status, const std::string& reason) {
    summary_.status = status;
    summary_.reason = std::string(StatusName(status)) + ": " + reason;
  }

  std::vector<int> PointsSlowerThan(double speed) const {
    std::vector<int> points;
    for (int i = 0; i < static_cast<int>(problem_.points.size()); ++i) {
      if (summary_.velocity[i * num_rows_ + num_rows_ - 1] < speed) points.push_back(i);
    }
    return points;
  }

  bool Events() {
    // Points at rest take part in the first event.
    std::vector<int> points = PointsSlowerThan(-options_.rest_speed);
    if (!points.empty()) points = PointsSlowerThan(options_.rest_speed);
    while (!points.empty()) {
      if (static_cast<int>(summary_.events.size()) >= options_.max_events) {
        std::ostringstream text;
        text << "points still approach after " << options_.max_events
             << " events, contact velocity (" << summary_.velocity.transpose() << ") m/s";
        Fail(MultiImpactStatus::kTooManyEvents, text.str());
        return false;
      }
      if (!RunEvent(points)) return false;
      points = PointsSlowerThan(-options_.rest_speed);
    }
    return true;
  }

  bool RunEvent(const std::vector<int>& points) {
    const std::vector<int> rows = RowsOf(points, num_rows_);
    std::vector<ImpactPoint> chosen;
    for (const int point : points) chosen.push_back(problem_.points[point]);
    const ForceDistribution distribution(inverse_mass_(rows, rows), std::move(chosen),
                                         options_.force_rows, options_.drop_pulling_points);
    const double e = RestitutionOf(options_, summary_.events.size(), points.size());
    const auto reference = std::find(points.begin(), points.end(), options_.reference_point);
    const std::size_t place = reference == points.end()
                                  ? points.size() - 1
                                  : static_cast<std::size_t>(reference - points.begin());
    const Eigen::MatrixXd split =
        options_.normal_work == NormalWork::kSplitEnergy
            ? SplitEnergy(problem_.mass, problem_.jacobian(rows, Eigen::all), num_rows_)
            : Eigen::MatrixXd();
    ImpactEventIntegration event(distribution, summary_.velocity(rows), split, e,
                                 static_cast<int>(place), options_);
    const MultiImpactStatus status = event.Run();
    if (status != MultiImpactStatus::kSolved) {
      std::ostringstream text;
      text << "event " << summary_.events.size() + 1 << " at points";
      for (const int point : points) text << ' ' << point;
      Fail(status, text.str() + ": " + event.State());
      return false;
    }
    Record(points, rows, e, event);
    return true;
  }

  void Record(const std::vector<int>& points, const std::vector<int>& rows, double e,
              const ImpactEventIntegration& event) {
    ImpactEvent record;
    record.points = points;
    record.restitution = e;
    record.impulse = record.compression_impulse = Eigen::VectorXd::Zero(summary_.velocity.size());
    record.impulse(rows) = event.impulse();
    record.compression_impulse(rows) = event.compression_impulse();
    record.compression_work = event.compression_work();
    record.phases = event.phases();
    record.path = event.path();
    record.stuck_beyond_friction = event.stuck_beyond_friction();
    const Eigen::VectorXd change = inverse_mass_ * record.impulse;
    // P . (u + u') / 2 is the change of the kinetic energy.
    double work = 0.0;
    for (const int row : rows) {
      work += record.impulse[row] * (summary_.velocity[row] + 0.5 * change[row]);
    }
    if (options_.separated_points == SeparatedPoints::kFrozen) {
      for (const int row : rows) summary_.velocity[row] += change[row];
    } else {
      summary_.velocity += change;
    }
    record.energy.normal_work = event.normal_work();
    record.energy.friction_work = work - event.normal_work();
    record.velocity = summary_.velocity;
    summary_.impulse += record.impulse;
    summary_.energy.normal_work += record.energy.normal_work;
    summary_.energy.friction_work += record.energy.friction_work;
    summary_.events.push_back(std::move(record));
  }

  void Finish() {
    if (options_.separated_points == SeparatedPoints::kFrozen && summary_.events.size() > 1) {
      // No motion of the body has these contact velocities; the nearest one.
      Eigen::VectorXd moved = summary_.velocity;
      if (problem_.drift.size() > 0) moved += problem_.drift;
      summary_.speeds = problem_.jacobian.completeOrthogonalDecomposition().solve(moved);
    } else {
      summary_.speeds =
          problem_.speeds + llt_.solve(problem_.jacobian.transpose() * summary_.impulse);
    }
    summary_.energy_after = 0.5 * summary_.speeds.dot(problem_.mass * summary_.speeds);
    RefuseGain();
  }

  // With rows of a face whose speeds are not those of a rigid face no way of sharing holds.
  void RefuseGain() {
    const bool printed = options_.separated_points == SeparatedPoints::kFrozen ||
                         options_.normal_work == NormalWork::kSplitEnergy ||
                         options_.event_end == EventEnd::kPoisson;
    const EnergyLedger<double>& energy = summary_.energy;
    const double gain = energy.normal_work + energy.friction_work;
    const double scale =
        summary_.energy_before + std::abs(energy.normal_work) + std::abs(energy.friction_work);
    if (printed || !(gain > kGain * scale)) return;
    std::ostringstream text;
    text << "the impulses would add " << gain
         << " J; the slip of points of one plane and body must be that of a rigid face";
    Fail(MultiImpactStatus::kNoDistribution, text.str());
    summary_.speeds.setConstant(std::numeric_limits<double>::quiet_NaN());
    summary_.energy_after = std::numeric_limits<double>::quiet_NaN();
  }

  const MultiImpactProblem& problem_;
  const MultiImpactOptions& options_;
  const int num_rows_;
  const Eigen::LLT<Eigen::MatrixXd> llt_;
  Eigen::MatrixXd inverse_mass_;
  MultiImpactSummary summary_;
};

}  // namespace

std::string_view StatusName(MultiImpactStatus status) {
  switch (status) {
    case MultiImpactStatus::kSolved:
      return "solved";
    case MultiImpactStatus::kSingularMass:
      return "singular mass";
    case MultiImpactStatus::kNoDistribution:
      return "no distribution of force";
    case MultiImpactStatus::kEndlessEvent:
      return "endless event";
    case MultiImpactStatus::kTooManyEvents:
      return "too many events";
  }
  return "";
}

MultiImpactOptions PublishedOptions() {
  MultiImpactOptions options;
  options.force_rows = ForceRows::kLocalComponents;
  options.normal_work = NormalWork::kSplitEnergy;
  options.event_end = EventEnd::kPoisson;
  options.separated_points = SeparatedPoints::kFrozen;
  options.drop_pulling_points = false;
  return options;
}

MultiImpactSummary SolveMultiImpact(const MultiImpactProblem& problem,
                                    const MultiImpactOptions& options) {
  const int num_rows = Validate(problem, options);
  return Collision(problem, options, num_rows).Solve();
}

MultiImpactProblem BodyImpact(const Body& body, const Eigen::Matrix3d& R_WB,
                              const Eigen::Vector3d& v, const Eigen::Vector3d& w,
                              const std::vector<ImpactPoint>& points) {
  MultiImpactProblem problem;
  problem.mass = Eigen::MatrixXd::Zero(6, 6);
  problem.mass.topLeftCorner<3, 3>() = body.mass * Eigen::Matrix3d::Identity();
  problem.mass.bottomRightCorner<3, 3>() = R_WB * body.inertia * R_WB.transpose();
  problem.speeds.resize(6);
  problem.speeds << v, w;
  problem.jacobian.resize(3 * static_cast<Eigen::Index>(points.size()), 6);
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      const Eigen::Vector3d axis = points[i].frame.col(k);
      problem.jacobian.row(static_cast<Eigen::Index>(3 * i) + k) << axis.transpose(),
          points[i].position.cross(axis).transpose();
    }
  }
  problem.points = points;
  return problem;
}

}  // namespace percuss::solver
