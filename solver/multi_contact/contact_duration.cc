// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/multi_contact/contact_duration.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "solver/integration/dormand_prince.h"
#include "solver/restitution/hertz.h"

namespace percuss::solver {
namespace {

using Eigen::VectorXd;

constexpr int kRestitutionSteps = 2000;
constexpr int kMaxSteps = 100000;
constexpr double kTolerance = 1e-10;

// The recorded event over the sum of the normal impulses.
class Path {
 public:
  Path(const MultiImpactProblem& problem, const MultiImpactSummary& summary, int event)
      : knots_(summary.events[event].path),
        num_points_(static_cast<int>(summary.events[event].points.size())) {
    const std::vector<int>& points = summary.events[event].points;
    num_rows_ = static_cast<int>(problem.jacobian.rows() /
                                 static_cast<Eigen::Index>(problem.points.size()));
    std::vector<int> rows;
    for (const int point : points) {
      for (int k = 0; k < num_rows_; ++k) rows.push_back(point * num_rows_ + k);
    }
    const Eigen::MatrixXd jacobian = problem.jacobian(rows, Eigen::all);
    inverse_mass_ = jacobian * problem.mass.llt().solve(jacobian.transpose());
    VectorXd before;
    if (event > 0) {
      before = summary.events[event - 1].velocity;
    } else {
      before = problem.jacobian * problem.speeds;
      if (problem.drift.size() > 0) before -= problem.drift;
    }
    start_ = before(rows);
    for (const ImpactPathKnot& knot : knots_) {
      double sum = 0.0;
      for (int i = 0; i < num_points_; ++i) sum += knot.impulse[Normal(i)];
      places_.push_back(sum);
    }
  }

  int Normal(int point) const { return point * num_rows_ + num_rows_ - 1; }
  int num_points() const { return num_points_; }
  int num_rows() const { return num_rows_; }
  double End() const { return places_.back(); }
  double EndWork() const { return knots_.back().work; }
  const VectorXd& start() const { return start_; }
  const Eigen::MatrixXd& inverse_mass() const { return inverse_mass_; }

  struct Look {
    VectorXd velocity, shares;  // u, and C = dP/dp
    double work;
  };
  Look At(double place) const {
    auto next = std::upper_bound(places_.begin(), places_.end(), place);
    next = std::clamp(next, places_.begin() + 1, places_.end() - 1);
    auto k = static_cast<std::size_t>(next - places_.begin());
    while (k + 1 < places_.size() && !(places_[k] > places_[k - 1])) ++k;
    const double length = places_[k] - places_[k - 1], along = place - places_[k - 1];
    Look look;
    look.shares = (knots_[k].impulse - knots_[k - 1].impulse) / length;
    look.velocity = start_ + inverse_mass_ * (knots_[k - 1].impulse + along * look.shares);
    const VectorXd halfway = look.velocity - (0.5 * along) * (inverse_mass_ * look.shares);
    look.work = knots_[k - 1].work;
    for (int i = 0; i < num_points_; ++i) {
      look.work += along * halfway[Normal(i)] * look.shares[Normal(i)];
    }
    return look;
  }

 private:
  const std::vector<ImpactPathKnot>& knots_;
  int num_points_, num_rows_ = 3;
  Eigen::MatrixXd inverse_mass_;
  VectorXd start_;
  std::vector<double> places_;
};

class Augmentation {
 public:
  Augmentation(const Path& path, const ViscoElastoplasticLaw& law) : path_(path), law_(law) {}

  ContactDuration Solve(const std::vector<double>& resting_forces) {
    double fastest = 0.0;
    for (int i = 0; i < path_.num_points(); ++i) {
      const double speed = path_.start()[path_.Normal(i)];
      if (speed < fastest) {
        fastest = speed;
        out_.independent = i;
      }
    }
    if (out_.independent < 0) {
      out_.status = DurationStatus::kNoApproach;
      out_.reason = "no point of the event approaches";
      return out_;
    }
    normal_ = path_.Normal(out_.independent);
    state_ = VectorXd::Zero(1 + path_.num_points());
    if (!Compress(-fastest)) {
      out_.status = DurationStatus::kStepFailed;
      std::ostringstream text;
      text << "the point approaching at " << -fastest << " m/s is not compressed after " << time_
           << " s";
      out_.reason = text.str();
      return out_;
    }
    Restitute();
    Recover(resting_forces);
    return out_;
  }

 private:
  struct Sample {
    double time, place, force;  // force of the independent point
    VectorXd deformation;
  };

  double LoadingForce(const VectorXd& state, const Path::Look& look) const {
    return law_.LoadingForce(state[1 + out_.independent], -look.velocity[normal_]);
  }

  // d(place)/dt = f_n / C_n, d(delta)/dt = -u_n.
  void Rate(const VectorXd& state, VectorXd& rate) const {
    const Path::Look look = path_.At(state[0]);
    rate.resize(state.size());
    rate[0] = std::max(0.0, LoadingForce(state, look)) / look.shares[normal_];
    for (int i = 0; i < path_.num_points(); ++i) rate[1 + i] = -look.velocity[path_.Normal(i)];
  }

  void AddSample(double force) {
    samples_.push_back({time_, state_[0], force, state_.tail(state_.size() - 1)});
  }

  bool Compress(double speed) {
    const auto rate_of = [this](const VectorXd& y, VectorXd& out) { Rate(y, out); };
    const double mass = 1.0 / path_.inverse_mass()(normal_, normal_);
    const double depth =
        HertzMaximumCompression(mass, speed, HertzStiffness(law_.plane_modulus, law_.radius));
    VectorXd scale = VectorXd::Constant(state_.size(), depth);
    scale[0] = path_.End();
    double h = 1e-3 * depth / speed;
    VectorXd rate(state_.size());
    AddSample(LoadingForce(state_, path_.At(0.0)));
    for (int step = 0; step < kMaxSteps; ++step) {
      Rate(state_, rate);
      h = std::min(h, 0.02 * depth / speed);
      integrator_.Step(rate_of, state_, rate, h);
      const double error =
          (integrator_.error().array().abs() / scale.array()).maxCoeff() / kTolerance;
      const bool small = h < 1e-9 * depth / speed;  // at a knot of the path
      if (error > 1.0 && !small) {
        h *= std::clamp(0.9 * std::pow(error, -0.2), 0.1, 0.8);
        continue;
      }
      const auto past_end = [&](const VectorXd& y) {
        return y[0] >= path_.End() || path_.At(y[0]).velocity[normal_] >= 0.0;
      };
      const bool done = past_end(integrator_.end());
      double length = h;
      if (done) {
        double low = 0.0, high = h;
        for (int k = 0; k < 60; ++k) {
          length = 0.5 * (low + high);
          integrator_.Step(rate_of, state_, rate, length);
          (past_end(integrator_.end()) ? high : low) = length;
        }
      }
      time_ += length;
      state_ = integrator_.end();
      AddSample(std::max(0.0, LoadingForce(state_, path_.At(state_[0]))));
      if (done) return true;
      h *= std::clamp(0.9 * std::pow(error + 1e-12, -0.2), 0.3, 5.0);
    }
    return false;
  }

  // (7.29), over place = end - (end - start) s^(5/2), with which dt/ds stays finite as f_n goes to
  // 0.
  void Restitute() {
    const Path::Look compressed = path_.At(state_[0]);
    out_.compression_time = time_;
    out_.compression_force = law_.StaticForce(state_[1 + out_.independent]);
    out_.compression_work = compressed.work;
    const double start = state_[0], length = path_.End() - start;
    if (!(length > 0.0) || !(path_.EndWork() > compressed.work)) return;
    const double ds = 1.0 / kRestitutionSteps;
    for (int k = 0; k < kRestitutionSteps; ++k) {
      const double s = 1.0 - (k + 0.5) * ds;
      const Path::Look look = path_.At(path_.End() - length * s * s * std::sqrt(s));
      const double force =
          RestitutionForce(out_.compression_force, look.work, compressed.work, path_.EndWork());
      const double dt = 2.5 * length * s * std::sqrt(s) * ds * look.shares[normal_] / force;
      for (int i = 0; i < path_.num_points(); ++i) {
        state_[1 + i] -= look.velocity[path_.Normal(i)] * dt;
      }
      time_ += dt;
      const double end = s - 0.5 * ds;
      state_[0] = path_.End() - length * end * end * std::sqrt(std::max(0.0, end));
      const double now = k + 1 == kRestitutionSteps
                             ? 0.0
                             : RestitutionForce(out_.compression_force, path_.At(state_[0]).work,
                                                compressed.work, path_.EndWork());
      AddSample(now);
    }
  }

  void Recover(const std::vector<double>& resting_forces) {
    const auto num_times = static_cast<Eigen::Index>(samples_.size());
    const int num_points = path_.num_points(), num_rows = path_.num_rows();
    out_.deformation.resize(num_times, num_points);
    out_.normal_force.resize(num_times, num_points);
    out_.force.resize(num_times, num_points * num_rows);
    for (Eigen::Index k = 0; k < num_times; ++k) {
      out_.times.push_back(samples_[k].time);
      out_.deformation.row(k) = samples_[k].deformation;
    }
    for (int i = 0; i < num_points; ++i) {
      Eigen::Index turn = 0;
      const double most = out_.deformation.col(i).maxCoeff(&turn);
      const double last = out_.deformation(num_times - 1, i);
      const bool approaches = path_.start()[path_.Normal(i)] < 0.0;
      const double resting =
          static_cast<std::size_t>(i) < resting_forces.size() ? resting_forces[i] : 0.0;
      const double peak = approaches ? law_.StaticForce(most) : resting;
      for (Eigen::Index k = 0; k < num_times; ++k) {
        const Path::Look look = path_.At(samples_[k].place);
        double normal = samples_[k].force;
        if (i != out_.independent) {
          const double d = out_.deformation(k, i);
          normal = approaches && k <= turn
                       ? std::max(0.0, law_.LoadingForce(d, -look.velocity[path_.Normal(i)]))
                       : (most > last ? UnloadingForce(peak, d, most, last) : 0.0);
        }
        out_.normal_force(k, i) = normal;
        const double share = look.shares[path_.Normal(i)];
        for (int row = 0; row < num_rows; ++row) {
          out_.force(k, i * num_rows + row) =
              share > 0.0 ? look.shares[i * num_rows + row] / share * normal : 0.0;
        }
      }
    }
  }

  const Path& path_;
  const ViscoElastoplasticLaw& law_;
  ContactDuration out_;
  DormandPrince<> integrator_;
  VectorXd state_;
  int normal_ = 0;
  double time_ = 0.0;
  std::vector<Sample> samples_;
};

}  // namespace

ContactDuration AugmentEvent(const MultiImpactProblem& problem, const MultiImpactSummary& summary,
                             int event, const ViscoElastoplasticLaw& law,
                             const std::vector<double>& resting_forces) {
  if (event < 0 || event >= static_cast<int>(summary.events.size())) {
    throw std::invalid_argument("event is " + std::to_string(event) + "; it must be one of the " +
                                std::to_string(summary.events.size()) + " of the summary");
  }
  if (summary.events[event].path.size() < 2) {
    throw std::invalid_argument(
        "path of the event has fewer than 2 knots; solve the impact with record_path");
  }
  const Path path(problem, summary, event);
  return Augmentation(path, law).Solve(resting_forces);
}

ContactPeaks PeaksOf(const ContactDuration& duration, int point) {
  if (duration.status != DurationStatus::kSolved) return kUnknownPeaks;
  const auto compression = duration.deformation.col(point);
  return {duration.times.back(), duration.normal_force.col(point).maxCoeff(),
          compression.maxCoeff(), compression[compression.size() - 1]};
}

}  // namespace percuss::solver
