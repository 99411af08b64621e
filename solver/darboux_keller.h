// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "solver/impact_law.h"
#include "solver/slip_motion.h"

namespace percuss::solver {

/// What ends restitution; subscripts c and r are the stages of compression and restitution.
enum class Restitution {
  kNewton,   ///< u_n' = -e u_n
  kPoisson,  ///< P_r = e P_c
  kStronge   ///< W_r = e^2 |W_c|, W = int u_n dP_n
};

namespace internal {

/// The root of a power series in [low, high] when it rises or falls through zero there and is
/// monotonic. Up to degree two `high` may be infinite; the root is then the first one above zero.
template <std::size_t kTerms>
double Root(const std::array<double, kTerms>& series, double low, double high);

template <std::size_t kTerms>
double Evaluate(const std::array<double, kTerms>& series, double x) {
  double sum = series[kTerms - 1];
  for (std::size_t k = kTerms - 1; k-- > 0;) sum = sum * x + series[k];
  return sum;
}

template <std::size_t kTerms>
double EvaluateSlope(const std::array<double, kTerms>& series, double x) {
  double sum = 0.0;
  for (std::size_t k = kTerms - 1; k > 0; --k) {
    sum = sum * x + static_cast<double>(k) * series[k];
  }
  return sum;
}

template <std::size_t kTerms>
double Root(const std::array<double, kTerms>& series, double low, double high) {
  if constexpr (kTerms == 2) {
    return -series[0] / series[1];
  } else if constexpr (kTerms == 3) {
    const double discriminant = series[1] * series[1] - 4.0 * series[0] * series[2];
    return -2.0 * series[0] / (series[1] + std::sqrt(std::max(0.0, discriminant)));
  } else {
    const double at_high = Evaluate(series, high);
    double x = 0.5 * (low + high);
    for (int k = 0; k < 200; ++k) {
      const double value = Evaluate(series, x);
      ((value < 0.0) == (at_high < 0.0) ? high : low) = x;
      double next = x - value / EvaluateSlope(series, x);
      if (!(next > low && next < high)) next = 0.5 * (low + high);
      if (std::abs(next - x) <= 1e-16 * std::abs(next)) return next;
      x = next;
    }
    return x;
  }
}

/// One impact, followed by the normal impulse from event to event.
template <typename T>
class DarbouxKeller {
 public:
  DarbouxKeller(const Contact<T>& contact, const T& mu, double mu_static, const T& e,
                Restitution restitution)
      : contact_(contact),
        a_(contact.inverse_mass, mu),
        values_(Value(contact.inverse_mass), Value(mu)),
        mu_static_(mu_static),
        e_(e),
        restitution_(restitution) {
    state_.slip = contact.velocity.template head<2>();
    state_.u_n = contact.velocity[2];
    first_slip_ = Value(state_.slip);
  }

  ImpactResult<T> Solve() {
    // Slower than rounding of a velocity computed from v + w x r is no slip.
    const bool at_rest = first_slip_.norm() <= 1e-12 * Value(contact_.velocity).norm();
    if (at_rest) {
      for (int i = 0; i < 2; ++i) state_.slip[i] -= first_slip_[i];  // only derivatives are left
      LeaveRest(ContactMode::kSlip);
    } else {
      Slip();
    }
    return Result(at_rest);
  }

 private:
  enum class Event { kNone, kCompressionEnd, kRecompression, kRestitutionEnd };
  static constexpr int kMaxSegments = 2000;  // about ten are usual

  // Slip until it stops or the impact ends; what comes after a stop is decided in LeaveRest.
  void Slip() {
    EnterMode(ContactMode::kSlip);
    const double first_speed = first_slip_.norm();
    while (!done_ && ++segments_ < kMaxSegments) {
      const Eigen::Vector2d slip = Value(state_.slip);
      const double speed = slip.norm();
      if (speed <= 1e-15 * first_speed) {  // an event fell on the stop
        state_.slip.setZero();
        LeaveRest(ContactMode::kReverseSlip);
        return;
      }
      const Eigen::Vector2d along = slip / speed;
      const SlipRates rates = RatesAlong(values_, along);
      const bool straight = std::abs(rates.turn) <= 1e-14 * rates.scale;
      const bool all_but_stopped = speed <= 1e-13 * first_speed && rates.growth < 0.0;
      // The remnant of a turn enters a straight slip to first order, so that 1e-8 is left of it
      // squared; the other factor keeps turn linear in the angle.
      const bool settled = rates.turn_slope < 0.0 && std::abs(rates.turn) * rates.scale <=
                                                         1e-8 * rates.turn_slope * rates.turn_slope;
      if (straight || all_but_stopped || settled) {
        const StraightSlip<T> motion(
            a_, state_, settled && !straight ? NearestSteadyDirection(values_, along) : along);
        if (Follow(motion)) continue;
        if (!std::isfinite(motion.Length())) return;
        state_ = motion.AtStop();
        LeaveRest(ContactMode::kReverseSlip);
        return;
      }
      const CurvedSlip<T> motion(a_, state_);
      if (!Follow(motion)) state_ = motion.At(T(motion.Length()));
    }
  }

  // Without slip the contact sticks if friction can hold it; otherwise slip leaves in its one
  // diverging direction and never stops again.
  void LeaveRest(ContactMode slip_mode) {
    const bool sticks = mu_static_ >= CriticalFriction(values_) * (1.0 - 1e-14);
    EnterMode(sticks ? ContactMode::kStick : slip_mode);
    const Eigen::Vector2d along =
        sticks ? Eigen::Vector2d(0.0, 0.0) : ResumedSlipDirection(values_);
    while (!done_ && ++segments_ < kMaxSegments) {
      const bool event =
          sticks ? Follow(Stick<T>(a_, state_)) : Follow(StraightSlip<T>(a_, state_, along));
      if (!event) return;
    }
  }

  void EnterMode(ContactMode mode) { modes_.push_back(mode); }

  // Moves on to the first event on a motion; false if there is none before its end.
  template <class Motion>
  bool Follow(const Motion& motion) {
    const auto [event, x] = FirstEvent(motion);
    if (event == Event::kNone) return false;
    if (event == Event::kRestitutionEnd) {
      const double slope =
          WithGap(motion, [at = x](const auto& gap) { return EvaluateSlope(gap, at); });
      MoveTo(motion, x, slope, [this](const auto& at) { return T(Progress(at) - Target()); });
      CloseStage(restitution_impulse_, restitution_work_);
      done_ = true;
      return true;
    }
    MoveTo(motion, x, EvaluateSlope(motion.NormalVelocity(), x),
           [](const auto& at) { return at.u_n; });
    state_.u_n = T(0);
    if (event == Event::kRecompression) {
      CloseStage(restitution_impulse_, restitution_work_);
      compressing_ = true;
      return true;
    }
    CloseStage(compression_impulse_, compression_work_);
    compression_mode_ = modes_.back();
    compressing_ = false;
    if (Value(e_) == 0.0) {
      if constexpr (kIsAutodiff<T>) AddFirstRestitution();
      done_ = true;
    }
    return true;
  }

  // Normal velocity may turn round once within a motion, where slip turns; each monotonic piece is
  // searched by itself.
  template <class Motion>
  std::pair<Event, double> FirstEvent(const Motion& motion) const {
    const auto u_n = motion.NormalVelocity();
    double from = 0.0;
    double to = motion.Length();
    if constexpr (std::is_same_v<Motion, CurvedSlip<T>>) {
      std::array<double, CurvedSlip<T>::kOrder> slope;
      for (std::size_t k = 0; k < slope.size(); ++k) {
        slope[k] = static_cast<double>(k + 1) * u_n[k + 1];
      }
      if ((slope[0] < 0.0) != (Evaluate(slope, to) < 0.0)) {
        const double turning = Root(slope, from, to);
        const auto first = FirstEventIn(motion, from, turning);
        if (first.first != Event::kNone) return first;
        from = turning;
      }
    }
    return FirstEventIn(motion, from, to);
  }

  template <class Motion>
  std::pair<Event, double> FirstEventIn(const Motion& motion, double from, double to) const {
    const auto u_n = motion.NormalVelocity();
    const double u_n_end = Evaluate(u_n, to);
    if (compressing_) {
      const bool ends =
          u_n_end >= 0.0 && EvaluateSlope(u_n, 0.5 * (from + std::min(to, 1e300))) > 0.0;
      if (ends) return {Event::kCompressionEnd, std::max(from, Root(u_n, from, to))};
      return {Event::kNone, to};
    }
    const bool falls = u_n_end < 0.0;
    const double limit = falls ? Root(u_n, from, to) : to;
    const double end = WithGap(motion, [&](const auto& gap) {
      // Rounding may leave an event that falls on the end of a motion to the start of the next.
      if (Evaluate(gap, from) >= 0.0) return from;
      return Evaluate(gap, limit) >= 0.0 ? Root(gap, from, limit) : -1.0;
    });
    if (end >= 0.0) return {Event::kRestitutionEnd, end};
    if (falls) return {Event::kRecompression, limit};
    return {Event::kNone, to};
  }

  // What the restitution law watches, and the value at which restitution ends. Impulse and work
  // count from the start of this stage on, should there have been an earlier one.
  T Progress(const ImpulseState<T>& at) const {
    switch (restitution_) {
      case Restitution::kNewton:
        return at.u_n;
      case Restitution::kPoisson:
        return at.p;
      case Restitution::kStronge:
        return at.work;
    }
    return T(0);
  }
  T Target() const {
    switch (restitution_) {
      case Restitution::kNewton:
        return -e_ * contact_.velocity[2];
      case Restitution::kPoisson:
        return stage_start_p_ + e_ * compression_impulse_ - restitution_impulse_;
      case Restitution::kStronge:
        return stage_start_work_ - e_ * e_ * compression_work_ - restitution_work_;
    }
    return T(0);
  }

  // Calls f with the power series of Progress - Target along a motion.
  template <class Motion, class Function>
  double WithGap(const Motion& motion, const Function& f) const {
    const double target = Value(Target());
    const auto apply = [&](auto series) {
      series[0] -= target;
      return f(series);
    };
    switch (restitution_) {
      case Restitution::kNewton:
        return apply(motion.NormalVelocity());
      case Restitution::kPoisson:
        return apply(motion.Impulse());
      case Restitution::kStronge:
        return apply(motion.Work());
    }
    return 0.0;
  }

  // To the event at x, where `residual` vanishes. The step of Newton's method in T gives the place
  // of the event its derivatives.
  template <class Motion, class Residual>
  void MoveTo(const Motion& motion, double x, double slope, const Residual& residual) {
    state_ = motion.At(T(x));
    if (slope == 0.0) return;
    state_ = motion.At(T(x) - residual(state_) / slope);
  }

  void CloseStage(T& impulse, T& work) {
    impulse += state_.p - stage_start_p_;
    work += state_.work - stage_start_work_;
    stage_start_p_ = state_.p;
    stage_start_work_ = state_.work;
  }

  // At e = 0 restitution has no length, but its impulse has a derivative by e.
  void AddFirstRestitution() {
    using std::sqrt;
    const bool sticks = modes_.back() == ContactMode::kStick;
    Vector2<T> ratio = -(a_.tt.inverse() * a_.tn);
    if (!sticks) ratio = -a_.mu * state_.slip / sqrt(state_.slip.squaredNorm());
    const T rise = a_.nn + a_.tn.dot(ratio);
    T extra = e_ * compression_impulse_;
    if (restitution_ == Restitution::kNewton) extra = -e_ * contact_.velocity[2] / rise;
    if (restitution_ == Restitution::kStronge) {
      extra = e_ * sqrt(T(-2.0) * compression_work_ / rise);
    }
    state_.p += extra;
    state_.j += ratio * extra;
    CloseStage(restitution_impulse_, restitution_work_);
  }

  ImpactResult<T> Result(bool began_at_rest) const {
    ImpactResult<T> result;
    if (!done_) {  // only for arguments that are not finite
      const T nan = T(std::numeric_limits<double>::quiet_NaN());
      result.impulse.setConstant(nan);
      result.contact_velocity.setConstant(nan);
      result.compression_impulse = result.restitution_impulse = nan;
      result.energy = {nan, nan};
      return result;
    }
    result.impulse << state_.j, state_.p;
    result.contact_velocity = contact_.velocity + contact_.inverse_mass * result.impulse;
    result.compression_impulse = compression_impulse_;
    result.restitution_impulse = restitution_impulse_;
    result.energy.normal_work = compression_work_ + restitution_work_;
    const Eigen::Matrix<T, 3, 1> twice_mean = contact_.velocity + result.contact_velocity;
    result.energy.friction_work =
        T(0.5) * result.impulse.dot(twice_mean) - result.energy.normal_work;
    result.modes = modes_;
    result.sun_case = SunCase(began_at_rest);
    return result;
  }

  // Numbering of sun2017 Tables 2.2 and 3.1. The letter says which tangential velocities changed
  // sign over a stop: a the second, b the first, c both; none where the motion is planar.
  std::string SunCase(bool began_at_rest) const {
    const ContactMode last = modes_.back();
    if (began_at_rest) return last == ContactMode::kStick ? "5" : "6";
    const bool changed_in_compression = compression_mode_ != ContactMode::kSlip;
    if (last == ContactMode::kSlip) return "0";
    if (last == ContactMode::kStick) return changed_in_compression ? "1" : "3";
    const Eigen::Vector2d last_slip = Value(state_.slip);
    const auto moves = [](double component, const Eigen::Vector2d& slip) {
      return std::abs(component) > 1e-12 * slip.norm();
    };
    const bool planar = !(moves(first_slip_[0], first_slip_) || moves(last_slip[0], last_slip)) ||
                        !(moves(first_slip_[1], first_slip_) || moves(last_slip[1], last_slip));
    const bool first = first_slip_[0] * last_slip[0] < 0.0;
    const bool second = first_slip_[1] * last_slip[1] < 0.0;
    std::string number = changed_in_compression ? "2" : "4";
    if (!planar && (first || second)) number += first && second ? "c" : (first ? "b" : "a");
    return number;
  }

  const Contact<T>& contact_;
  ContactBlocks<T> a_;
  ContactBlocks<double> values_;
  double mu_static_;
  T e_;
  Restitution restitution_;

  ImpulseState<T> state_;
  Eigen::Vector2d first_slip_;
  ModeSequence modes_;
  ContactMode compression_mode_ = ContactMode::kSlip;  // in which compression ended
  bool compressing_ = true;
  bool done_ = false;
  int segments_ = 0;
  T compression_impulse_ = T(0), restitution_impulse_ = T(0);
  T compression_work_ = T(0), restitution_work_ = T(0);
  T stage_start_p_ = T(0), stage_start_work_ = T(0);
};

}  // namespace internal

/// Rigid-body impact at one point with Coulomb friction, integrated over the normal impulse
/// (Darboux, Keller; in the plane this is Routh's construction):
///     dj/dp = -mu u_t / |u_t| while the contact slips,   u = u_0 + A (j, p).
/// Slip that stops sticks if mu_s >= |A_tt^-1 A_tn|; otherwise it resumes in the one direction in
/// which it can grow. The static coefficient mu_s >= mu is used in this decision only, so that the
/// impulse of a contact that sticks may leave the cone of mu; it is mu if not given. Compression
/// ends at u_n = 0 and restitution as `Restitution` says. Should u_n fall to zero again during
/// restitution (slip has turned into a jamming direction), compression goes on and the impulses and
/// works of each stage add up.
///
/// Straight slip and sticking are solved in closed form; slip that turns by Taylor series in
/// int dp / |u_t|, in which the stop is no singularity. The error of the impulse is a few hundred
/// roundings for a well-conditioned A. With an autodiff T the derivatives are those of the exact
/// solution, event places included; they do not exist on the border between two modes.
///
/// Parameters mu >= 0 and 0 <= e <= 1 are not checked here (SolveImpact does). Arguments that are
/// not finite give NaN.
///
/// Source: sun2017 digest 2.3, 2.4, 2.11, 2.12; chatterjee1997 digest 3.11.
template <Restitution kRestitution>
struct DarbouxKellerLaw {
  static const LawInfo& Info();

  /// @param parameters mu, e and, if given, mu_s
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const {
    const double mu_static = Value(parameters[parameters.size() > 2 ? 2 : 0]);
    return internal::DarbouxKeller<T>(contact, parameters[0], mu_static, parameters[1],
                                      kRestitution)
        .Solve();
  }
};

using NewtonLaw = DarbouxKellerLaw<Restitution::kNewton>;
using PoissonLaw = DarbouxKellerLaw<Restitution::kPoisson>;
using StrongeLaw = DarbouxKellerLaw<Restitution::kStronge>;

template <>
const LawInfo& NewtonLaw::Info();
template <>
const LawInfo& PoissonLaw::Info();
template <>
const LawInfo& StrongeLaw::Info();

}  // namespace percuss::solver
