// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/multi_contact/impact_event.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace percuss::solver {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNearlyStopped = 1e-7;  // slip from where the way to rest is straight
constexpr double kAroundRest = 1e-5;     // slip at which steps may give up
constexpr double kRounding = 1e-9;       // of the rate of work
constexpr double kHeld = 1e-10;          // change of velocity that counts as none, of the largest
constexpr double kLocated = 1e-10;       // of the values at the ends of a step
constexpr double kPathStep = 1e-3;       // of the impulse, where a path is recorded
constexpr int kFaceSteps = 5000;
constexpr double kShortFaceStep = 1e-4;  // of the longest: a point passes through rest

}  // namespace

ImpactEventIntegration::ImpactEventIntegration(const ForceDistribution& distribution,
                                               const Eigen::VectorXd& velocity,
                                               const Eigen::MatrixXd& split_energy,
                                               double restitution, int reference,
                                               const MultiImpactOptions& options)
    : distribution_(distribution),
      options_(options),
      start_velocity_(velocity),
      split_energy_(split_energy),
      restitution_(restitution),
      reference_(reference),
      num_rows_(distribution.NumRows()),
      num_points_(distribution.NumPoints()),
      face_(distribution) {}

MultiImpactStatus ImpactEventIntegration::Run() {
  if (restitution_ >= 0.0) return Pass(Goal::kRestitution);
  const MultiImpactStatus status = Pass(Goal::kCompression);
  if (status != MultiImpactStatus::kSolved) return status;
  return Pass(Goal::kInsideCompression);
}

void ImpactEventIntegration::Reset() {
  const Eigen::Index size = start_velocity_.size();
  impulse_ = Eigen::VectorXd::Zero(size);
  velocity_ = motion_ = start_velocity_;
  shares_ = scratch_ = velocity_rate_ = Eigen::VectorXd::Zero(size);
  modes_.assign(num_points_, PointMode::kSlip);
  speed_scale_ = start_velocity_.cwiseAbs().maxCoeff();
  work_ = step_ = 0.0;
  num_steps_ = 0;
  leaving_ = straight_ = compressed_ = false;
  resumed_at_ = -kInfinity;
  phases_.clear();
  path_.clear();
  RecordKnot();
  stuck_beyond_friction_ = false;
}

std::string ImpactEventIntegration::State() const {
  std::ostringstream text;
  text << "impulse (" << impulse_.transpose() << ") N s, contact velocity ("
       << velocity_.transpose() << ") m/s, normal work " << work_ << " J";
  return text.str();
}

MultiImpactStatus ImpactEventIntegration::Pass(Goal goal) {
  goal_ = goal;
  Reset();
  const std::vector<int> at_rest = PointsAtRest();
  if (num_rows_ == 2) {
    for (int i = 0; i < num_points_; ++i) motion_[2 * i] = velocity_[2 * i] < 0.0 ? -1.0 : 1.0;
  }
  if (!at_rest.empty() && !ResolveStopped(at_rest)) return MultiImpactStatus::kNoDistribution;
  for (int phase = 0; phase < options_.max_phases; ++phase) {
    if (!StartPhase()) return MultiImpactStatus::kNoDistribution;
    const Outcome outcome = ConstantPhase() ? AdvanceLinear() : AdvanceFace();
    if (outcome == Outcome::kEnd) return MultiImpactStatus::kSolved;
    if (outcome == Outcome::kNoDistribution) return MultiImpactStatus::kNoDistribution;
    if (outcome == Outcome::kEndless) return MultiImpactStatus::kEndlessEvent;
    if (outcome != Outcome::kStopped) continue;
    if (!ResolveStopped(PointsAtRest())) return MultiImpactStatus::kNoDistribution;
  }
  return MultiImpactStatus::kEndlessEvent;
}

// C at the start of a phase, and a first, straight step where slip starts from rest.
bool ImpactEventIntegration::StartPhase() {
  const Eigen::VectorXd& motion = num_rows_ == 2 || leaving_ ? motion_ : velocity_;
  if (!distribution_.Solve(motion, modes_, shares_)) return false;
  velocity_rate_.noalias() = distribution_.inverse_mass() * shares_;
  if (impulse_scale_ == 0.0) {
    impulse_scale_ = speed_scale_ / velocity_rate_.cwiseAbs().maxCoeff();
    work_rate_scale_ = std::abs(WorkOf(velocity_)) + kRounding * speed_scale_;
  }
  phases_.push_back({ReferenceImpulse(), modes_});
  if (leaving_ && num_rows_ == 3 && !ConstantPhase()) {
    const double length = 1e-9 * impulse_scale_;
    TakeLinearStep(length, length * WorkOf(velocity_));
  }
  leaving_ = false;
  return true;
}

// Slip from rest in the direction in which it keeps it (of a face: in which it translates and turns
// in proportion) goes on so. Where friction is nearly enough to hold it, it is too slow for steps
// to follow how fast it would come back to that direction.
bool ImpactEventIntegration::ConstantPhase() const {
  if (num_rows_ == 2 || straight_) return true;
  for (int i = 0; i < num_points_; ++i) {
    if (modes_[i] == PointMode::kSlip && distribution_.points()[i].mu > 0.0) return false;
  }
  return true;
}

// d(W_n)/dp at a velocity, by the work integral.
double ImpactEventIntegration::WorkOf(const Eigen::VectorXd& velocity) const {
  double work = 0.0;
  for (int i = 0; i < num_points_; ++i) work += velocity[Normal(i)] * shares_[Normal(i)];
  return work;
}

void ImpactEventIntegration::RecordKnot() {
  if (options_.record_path) path_.push_back({impulse_, work_});
}

void ImpactEventIntegration::TakeLinearStep(double length, double work) {
  impulse_ += length * shares_;
  velocity_ = start_velocity_;
  velocity_.noalias() += distribution_.inverse_mass() * impulse_;
  work_ += work;
  RecordKnot();
}

// Marks ends of compression, and says whether the event is at its end already.
ImpactEventIntegration::Outcome ImpactEventIntegration::CheckWork(double work_rate) {
  const double rounding = kRounding * work_rate_scale_;
  if (!compressed_ && work_rate >= -rounding) {
    compressed_ = true;
    // W_nc is the least of all minima so far, (3.13).
    const bool lowest = !has_compression_ || work_ < compression_work_;
    if (goal_ != Goal::kInsideCompression && lowest) {
      has_compression_ = true;
      compression_work_ = work_;
      compression_impulse_ = impulse_;
      compression_reference_ = ReferenceImpulse();
    }
    if (goal_ == Goal::kCompression) return Outcome::kEnd;
  } else if (compressed_ && work_rate < -rounding) {
    compressed_ = false;
  }
  const bool may_end = goal_ == Goal::kInsideCompression || compressed_;
  return may_end && EndValue(ReferenceImpulse(), work_) >= 0.0 ? Outcome::kEnd : Outcome::kOn;
}

// Rises through zero where the event ends.
double ImpactEventIntegration::EndValue(double reference_impulse, double work) const {
  if (options_.event_end == EventEnd::kPoisson) {
    return reference_impulse - (1.0 + restitution_) * compression_reference_;
  }
  const double target = (1.0 - restitution_ * restitution_) * compression_work_;
  return goal_ == Goal::kInsideCompression ? target - work : work - target;
}

double ImpactEventIntegration::LengthToEnd(double linear, double square) const {
  if (options_.event_end == EventEnd::kPoisson) {
    const double share = shares_[Normal(reference_)];
    const double left = (1.0 + restitution_) * compression_reference_ - ReferenceImpulse();
    return share > 0.0 ? left / share : kInfinity;
  }
  const double target = (1.0 - restitution_ * restitution_) * compression_work_;
  const double missing = target - work_;  // of square L^2 + linear L = missing
  const double discriminant = linear * linear + 4.0 * square * missing;
  if (discriminant < 0.0) return kInfinity;
  const double root = std::copysign(std::sqrt(discriminant), missing);
  const double sum = linear + root;
  return sum != 0.0 ? std::max(0.0, 2.0 * missing / sum) : kInfinity;
}

double ImpactEventIntegration::LengthToStop(const Eigen::VectorXd& rate) const {
  double length = kInfinity;
  for (int i = 0; i < num_points_; ++i) {
    const ImpactPoint& point = distribution_.points()[i];
    if (num_rows_ == 3 || modes_[i] != PointMode::kSlip) continue;
    if (!(point.mu > 0.0 || point.StaticFriction() > 0.0)) continue;
    const double slip = velocity_[2 * i];
    if (std::abs(slip) <= kRest * speed_scale_ || !(slip * rate[2 * i] < 0.0)) continue;
    length = std::min(length, -slip / rate[2 * i]);
  }
  return length;
}

ImpactEventIntegration::Outcome ImpactEventIntegration::AdvanceLinear() {
  velocity_rate_.noalias() = distribution_.inverse_mass() * shares_;
  for (;;) {
    double linear = WorkOf(velocity_), square = 0.5 * WorkOf(velocity_rate_);
    if (split_energy_.size() > 0) {
      // (3.11) is velocity^T split velocity over the whole of the event.
      linear = velocity_.dot((split_energy_ + split_energy_.transpose()) * velocity_rate_);
      square = velocity_rate_.dot(split_energy_ * velocity_rate_);
    }
    const Outcome now = CheckWork(linear);
    if (now != Outcome::kOn) return now;
    const double to_stop = LengthToStop(velocity_rate_);
    const double to_compression =
        !compressed_ && square > 0.0 ? -linear / (2.0 * square) : kInfinity;
    const bool may_end =
        goal_ == Goal::kInsideCompression || (goal_ == Goal::kRestitution && compressed_);
    const double to_end = may_end ? LengthToEnd(linear, square) : kInfinity;
    const double length = std::min({to_stop, to_compression, to_end});
    if (!std::isfinite(length)) {
      // A corner in a corner that sticks at both sides is held: no impulse moves it any more.
      const double moves = velocity_rate_.cwiseAbs().maxCoeff() * impulse_scale_;
      return compressed_ && moves <= kHeld * speed_scale_ ? Outcome::kEnd : Outcome::kEndless;
    }
    TakeLinearStep(length, length * (linear + length * square));
    if (to_end <= length) return Outcome::kEnd;
    if (to_stop <= length) return Outcome::kStopped;
  }
}

// ---------------------------------------------------------------- slip that turns

double ImpactEventIntegration::Rate(const Eigen::VectorXd& state, Eigen::VectorXd& rate) {
  const Eigen::Index size = impulse_.size();
  rate.resize(size + 1);
  scratch_ = start_velocity_;
  scratch_.noalias() += distribution_.inverse_mass() * state.head(size);
  if (!distribution_.Solve(scratch_, modes_, shares_)) {
    rate.setConstant(std::numeric_limits<double>::quiet_NaN());
    return rate[size];
  }
  rate.head(size) = shares_;
  rate[size] = WorkOf(scratch_);
  return rate[size];
}

// The slip that comes to rest next: of a face as a whole, else of one point.
ImpactEventIntegration::SlipToStop ImpactEventIntegration::NextStop(
    const Eigen::VectorXd& velocity_rate) const {
  SlipToStop next{kInfinity, kInfinity, -1};
  double sum = 0.0, sum_rate = 0.0;
  for (int i = 0; i < num_points_; ++i) {
    if (modes_[i] != PointMode::kSlip) continue;
    const auto slip = velocity_.segment<2>(3 * i);
    const double speed = slip.norm();
    const double rate = speed > 0.0 ? slip.dot(velocity_rate.segment<2>(3 * i)) / speed : 0.0;
    sum += speed;
    sum_rate += rate;
    if (rate < 0.0 && -speed / rate < next.length) next = {speed, -speed / rate, i};
  }
  if (!distribution_.Coplanar()) return next;
  return {sum, sum_rate < 0.0 ? -sum / sum_rate : kInfinity, -1};
}

// The length in (0, high] where the value rises through zero, by secants kept in the bracket; the
// integrator, which comes with its step at `high`, is left there.
template <class Value>
double ImpactEventIntegration::Locate(const Value& value, const Eigen::VectorXd& start,
                                      const Eigen::VectorXd& rate, double at_low, double high) {
  const auto field = [this](const Eigen::VectorXd& state, Eigen::VectorXd& out) {
    Rate(state, out);
  };
  double low = 0.0, last = 0.0, at_last = at_low, x = high, y = value();
  const double small = kLocated * (std::abs(at_low) + std::abs(y));
  for (int k = 0; k < 60 && std::abs(y) > small && high - low > 1e-15 * high; ++k) {
    (y > 0.0 ? high : low) = x;
    double next = x - y * (x - last) / (y - at_last);
    if (!(next > low && next < high) || k % 8 == 7) next = 0.5 * (low + high);
    last = x;
    at_last = y;
    x = next;
    integrator_.Step(field, start, rate, x);
    y = value();
  }
  return x;
}

// What rounding and the straight last step have left.
void ImpactEventIntegration::StopSlip(int point) {
  impulse_ += point < 0 ? distribution_.StoppingImpulse(velocity_)
                        : distribution_.StoppingImpulse(velocity_, point);
  velocity_ = start_velocity_;
  velocity_.noalias() += distribution_.inverse_mass() * impulse_;
}

// A face by series; what these cannot pass, a point that comes through rest alone, by steps.
ImpactEventIntegration::Outcome ImpactEventIntegration::AdvanceFace() {
  bool all_slip = face_.applies() && !options_.record_path;
  for (const PointMode mode : modes_) all_slip = all_slip && mode == PointMode::kSlip;
  if (!all_slip) return AdvanceTurning();
  double longest = 0.0;
  for (int step = 0; step < kFaceSteps; ++step) {
    double slip = 0.0;
    for (int i = 0; i < num_points_; ++i) slip += velocity_.segment<2>(3 * i).norm();
    // Near rest the velocities matter by their direction.
    const double error = std::min(options_.tolerance * speed_scale_, 1e-4 * slip);
    if (!face_.Expand(velocity_, error)) break;
    longest = std::max(longest, face_.Length());
    if (face_.Length() < kShortFaceStep * longest) break;
    const Outcome now = CheckWork(face_.WorkRate());
    if (now != Outcome::kOn) return now;
    if (slip <= kNearlyStopped * speed_scale_) {
      if (!distribution_.Solve(velocity_, modes_, shares_)) return Outcome::kNoDistribution;
      velocity_rate_.noalias() = distribution_.inverse_mass() * shares_;
      const SlipToStop next = NextStop(velocity_rate_);
      if (next.length < kInfinity) {
        TakeLinearStep(next.length, next.length * WorkOf(velocity_));
        StopSlip(next.point);
        return Outcome::kStopped;
      }
    }
    double tau = face_.Length();
    if (!compressed_ && face_.WorkRateAt(tau).value >= 0.0) {
      const auto work_rate = [&](double x) { return face_.WorkRateAt(x); };
      tau = internal::RootBetween(work_rate, true, 0.0, tau);
    }
    const bool may_end =
        goal_ == Goal::kInsideCompression || (goal_ == Goal::kRestitution && compressed_);
    const auto end_value = [&](double x) -> internal::Look {
      if (options_.event_end == EventEnd::kPoisson) {
        const internal::Look more = face_.NormalImpulseAt(reference_, x);
        return {EndValue(ReferenceImpulse() + more.value, work_), more.slope};
      }
      const internal::Look more = face_.WorkAt(x);
      const bool rises = goal_ != Goal::kInsideCompression;
      return {EndValue(ReferenceImpulse(), work_ + more.value), rises ? more.slope : -more.slope};
    };
    const bool ends = may_end && end_value(tau).value >= 0.0;
    if (ends) tau = internal::RootBetween(end_value, true, 0.0, tau);
    work_ += face_.WorkAt(tau).value;
    impulse_ += face_.ImpulseAt(tau);
    velocity_ = start_velocity_;
    velocity_.noalias() += distribution_.inverse_mass() * impulse_;
    if (ends) return Outcome::kEnd;
  }
  return AdvanceTurning();
}

ImpactEventIntegration::Outcome ImpactEventIntegration::AdvanceTurning() {
  const Eigen::Index size = impulse_.size();
  const auto field = [this](const Eigen::VectorXd& y, Eigen::VectorXd& out) { Rate(y, out); };
  Eigen::VectorXd state(size + 1), rate(size + 1);
  state << impulse_, work_;
  Rate(state, rate);
  if (step_ == 0.0) step_ = 0.05 * impulse_scale_;
  const auto take = [&] {
    state = integrator_.end();
    impulse_ = state.head(size);
    work_ = state[size];
    Rate(state, rate);
    velocity_ = scratch_;
    RecordKnot();
  };
  while (num_steps_++ < options_.max_steps) {
    if (!rate.allFinite()) return Outcome::kNoDistribution;
    const Outcome now = CheckWork(rate[size]);
    if (now != Outcome::kOn) return now;
    velocity_rate_.noalias() = distribution_.inverse_mass() * rate.head(size);
    const SlipToStop next = NextStop(velocity_rate_);
    const auto come_to_rest = [&] {
      shares_ = rate.head(size);
      TakeLinearStep(next.length, next.length * rate[size]);
      StopSlip(next.point);
      return Outcome::kStopped;
    };
    const bool stopping = next.length < kInfinity;
    if (stopping && next.speed <= kNearlyStopped * speed_scale_) return come_to_rest();
    if (options_.record_path) step_ = std::min(step_, kPathStep * impulse_scale_);
    double h = std::min(step_, 0.9 * next.length);
    const double asked = h;
    double error = kInfinity;
    for (;;) {
      integrator_.Step(field, state, rate, h);
      velocity_rate_.noalias() = distribution_.inverse_mass() * integrator_.error().head(size);
      error = velocity_rate_.cwiseAbs().maxCoeff() / (options_.tolerance * speed_scale_);
      if (error <= 1.0) break;
      h *= std::isfinite(error) ? std::clamp(0.9 * std::pow(error, -0.2), 0.1, 0.8) : 0.1;
      if (h > 1e-13 * impulse_scale_) continue;
      // Around rest the direction of slip may turn faster than steps can follow.
      const bool around_rest = stopping && next.speed <= kAroundRest * speed_scale_;
      return around_rest ? come_to_rest() : Outcome::kEndless;
    }
    // A step cut short before a stop says nothing about the one after it.
    if (h < asked || asked == step_) {
      step_ = h * std::clamp(0.9 * std::pow(error + 1e-12, -0.2), 0.3, 5.0);
    }
    const auto work_rate = [&] { return integrator_.end_rate()[size]; };
    const auto end_value = [&] {
      return EndValue(integrator_.end()[Normal(reference_)], integrator_.end()[size]);
    };
    if (!compressed_ && work_rate() >= 0.0) h = Locate(work_rate, state, rate, rate[size], h);
    const bool may_end =
        goal_ == Goal::kInsideCompression || (goal_ == Goal::kRestitution && compressed_);
    if (may_end && end_value() >= 0.0) {
      Locate(end_value, state, rate, EndValue(ReferenceImpulse(), work_), h);
      take();
      return Outcome::kEnd;
    }
    take();
  }
  return Outcome::kEndless;
}

}  // namespace percuss::solver
