// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "solver/integration/event_location.h"
#include "solver/law/impact_law.h"
#include "solver/law/restitution_hypothesis.h"
#include "solver/rigid/planar_impact.h"
#include "solver/rigid/settling_slip.h"
#include "solver/rigid/slip_motion.h"
#include "solver/rigid/turning_slip.h"
#include "solver/rigid/uncoupled_impact.h"

namespace percuss::solver {

namespace internal {

/// One impact, followed by the normal impulse from event to event.
template <typename T>
class DarbouxKeller {
 public:
  DarbouxKeller(const Contact<T>& contact, const T& mu, double mu_static, const T& e,
                RestitutionHypothesis restitution)
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
  enum class Outcome { kImpactEnds, kMotionEnds, kStartAgain };
  static constexpr int kMaxSegments = 2000;  // two or three are usual
  template <class Motion>
  static constexpr bool kIsStraight =
      std::is_same_v<decltype(std::declval<const Motion&>().NormalVelocity()), Quadratic>;
  static constexpr double kSettlingAngle = 0.22;  // [rad] farther away the series seldom converges

  // Slip until it stops or the impact ends; what comes after a stop is decided in LeaveRest.
  void Slip() {
    modes_.push_back(ContactMode::kSlip);
    const double first_speed = first_slip_.norm();
    const double scale = SlipRateScale(values_);
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
      const bool straight = std::abs(rates.turn) <= 1e-14 * scale;
      const bool all_but_stopped = speed <= 1e-13 * first_speed && rates.growth < 0.0;
      const double angle_left = -rates.turn / rates.turn_slope;
      const bool settles = rates.turn_slope < 0.0 && std::abs(angle_left) < kSettlingAngle;
      // The remnant of a turn enters a straight slip to first order, so that 1e-8 is left of it
      // squared; the other factor keeps turn linear in the angle.
      const bool settled =
          settles && std::abs(rates.turn) * scale <= 1e-8 * rates.turn_slope * rates.turn_slope;
      if (straight || all_but_stopped || settled) {
        const StraightSlip<T> motion(
            a_, state_, settled && !straight ? NearestSteadyDirection(values_, along) : along);
        if (FollowToStop(motion)) return;
        continue;
      }
      if (settles && rates.growth < 0.0 && !fresh_) {
        const Eigen::Vector2d steady = NearestSteadyDirection(values_, along);
        const SlipRates at_steady = RatesAlong(values_, steady);
        const double side = along.x() * steady.y() - along.y() * steady.x();
        // A stop far ahead would drown what happens before it in rounding.
        const bool stops_soon = at_steady.growth < 0.05 * at_steady.turn_slope;
        if (at_steady.turn_slope < 0.0 && stops_soon && side * rates.turn > 0.0) {
          const SettlingSlip<T> motion(a_, state_, steady);
          if (motion.Converges()) {
            if (FollowToStop(motion)) return;
            continue;
          }
        }
      }
      fresh_ = false;
      const TurningSlip<T> motion(a_, state_);
      if (Follow(motion) == Outcome::kMotionEnds) state_ = motion.At(T(motion.Length()));
    }
  }

  // A slip that lasts to its stop, or for ever. False if it is to start again in between.
  template <class Motion>
  bool FollowToStop(const Motion& motion) {
    const Outcome outcome = Follow(motion);
    if (outcome == Outcome::kMotionEnds && std::isfinite(motion.Length())) {
      state_ = motion.AtStop();
      LeaveRest(ContactMode::kReverseSlip);
    }
    return outcome != Outcome::kStartAgain;
  }

  // Without slip the contact sticks if friction can hold it; otherwise slip leaves in its one
  // diverging direction and never stops again.
  void LeaveRest(ContactMode slip_mode) {
    if (mu_static_ >= CriticalFriction(values_) * (1.0 - 1e-14)) {
      modes_.push_back(ContactMode::kStick);
      while (Follow(Stick<T>(a_, state_)) == Outcome::kStartAgain) {
      }
    } else {
      modes_.push_back(slip_mode);
      const Eigen::Vector2d along = ResumedSlipDirection(values_);
      while (Follow(StraightSlip<T>(a_, state_, along)) == Outcome::kStartAgain) {
      }
    }
  }

  // Moves from event to event along a motion.
  template <class Motion>
  Outcome Follow(const Motion& motion) {
    const auto u_n = motion.NormalVelocity();
    const Place end{motion.Length(), u_n(motion.Length())};
    double x = 0.0;
    while (++segments_ < kMaxSegments) {
      const Event event = FindEvent(motion, u_n, end, &x);
      if (event == Event::kNone) return Outcome::kMotionEnds;
      if (event == Event::kRestitutionEnd) {
        const double slope = Watch(motion, [&](const auto& watched) { return watched(x).slope; });
        MoveTo(motion, x, slope, [this](const auto& at) { return T(Progress(at) - Target()); });
        CloseStage(restitution_impulse_, restitution_work_);
        done_ = true;
        return Outcome::kImpactEnds;
      }
      MoveTo(motion, x, u_n(x).slope, [](const auto& at) { return at.u_n; });
      state_.u_n = T(0);
      if (event == Event::kRecompression) {
        CloseStage(restitution_impulse_, restitution_work_);
        compressing_ = true;
        continue;
      }
      CloseStage(compression_impulse_, compression_work_);
      compression_mode_ = modes_.back();
      compressing_ = false;
      if (Value(e_) == 0.0) {
        if constexpr (kIsAutodiff<T>) AddFirstRestitution();
        done_ = true;
        return Outcome::kImpactEnds;
      }
      // A small work of restitution would drown in the rounding of that of compression.
      if (restitution_ == RestitutionHypothesis::kStronge && Value(e_) < 0.01) {
        state_.work = stage_start_work_ = T(0);
        fresh_ = true;
        return Outcome::kStartAgain;
      }
    }
    return Outcome::kMotionEnds;
  }

  // The first event on a motion from *x to its end, and its place. Normal velocity may turn round
  // once within a motion whose slip turns; each monotonic piece is searched by itself.
  template <class Motion, class NormalVelocity>
  Event FindEvent(const Motion& motion, const NormalVelocity& u_n, const Place& to,
                  double* x) const {
    Place from{*x, u_n(*x)};
    if constexpr (!kIsStraight<Motion>) {
      const bool falls_first = from.at.slope < 0.0;
      if (falls_first != (to.at.slope < 0.0)) {
        double low = from.x, high = to.x;
        for (int k = 0; k < 50; ++k) {
          const double middle = 0.5 * (low + high);
          ((u_n(middle).slope < 0.0) == falls_first ? low : high) = middle;
        }
        const Place turn{high, u_n(high)};
        const Event first = FindEventBetween(motion, u_n, from, turn, x);
        if (first != Event::kNone) return first;
        from = turn;
      }
    }
    return FindEventBetween(motion, u_n, from, to, x);
  }

  template <class Motion, class NormalVelocity>
  Event FindEventBetween(const Motion& motion, const NormalVelocity& u_n, const Place& from,
                         const Place& to, double* x) const {
    if (compressing_) {
      if (!(to.at.value >= 0.0 && from.at.value < to.at.value)) return Event::kNone;
      // Rounding may leave an event that falls on the end of a motion to the start of the next.
      *x = from.at.value < 0.0 ? RootBetween(u_n, true, from, to) : from.x;
      return Event::kCompressionEnd;
    }
    const bool falls = to.at.value < 0.0;
    const double limit = falls ? RootBetween(u_n, false, from, to) : to.x;
    const bool ends = Watch(motion, [&](const auto& watched) {
      const auto gap = Less(watched, Value(Target()));
      const Place first{from.x, gap(from.x)}, last{limit, gap(limit)};
      if (first.at.value >= 0.0) {
        *x = first.x;
        return true;
      }
      if (!(last.at.value >= 0.0)) return false;
      *x = RootBetween(gap, true, first, last);
      return true;
    });
    if (ends) return Event::kRestitutionEnd;
    if (!falls) return Event::kNone;
    *x = limit;
    return Event::kRecompression;
  }

  // What the restitution law watches, and the value at which restitution ends. Impulse and work
  // count from the start of this stage on, should there have been an earlier one.
  T Progress(const ImpulseState<T>& at) const {
    switch (restitution_) {
      case RestitutionHypothesis::kNewton:
        return at.u_n;
      case RestitutionHypothesis::kPoisson:
        return at.p;
      case RestitutionHypothesis::kStronge:
        return at.work;
    }
    return T(0);
  }
  T Target() const {
    switch (restitution_) {
      case RestitutionHypothesis::kNewton:
        return -e_ * contact_.velocity[2];
      case RestitutionHypothesis::kPoisson:
        return stage_start_p_ + e_ * compression_impulse_ - restitution_impulse_;
      case RestitutionHypothesis::kStronge:
        return stage_start_work_ - e_ * e_ * compression_work_ - restitution_work_;
    }
    return T(0);
  }

  // Calls f with the function of the place on a motion that the restitution law watches.
  template <class Motion, class Function>
  auto Watch(const Motion& motion, const Function& f) const {
    if (restitution_ == RestitutionHypothesis::kNewton) return f(motion.NormalVelocity());
    if (restitution_ == RestitutionHypothesis::kPoisson) return f(motion.Impulse());
    return f(motion.Work());
  }

  // To the event at x, where `residual` vanishes, with a step of Newton's method. It gives the
  // place of the event its derivatives, and puts right what a straight slip's remnant of a turn
  // moves.
  template <class Motion, class Residual>
  void MoveTo(const Motion& motion, double x, double slope, const Residual& residual) {
    state_ = motion.At(T(x));
    if constexpr (kIsAutodiff<T> || kIsStraight<Motion>) {
      if (slope != 0.0) state_ = motion.At(T(x) - residual(state_) / slope);
    }
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
    if (restitution_ == RestitutionHypothesis::kNewton) extra = -e_ * contact_.velocity[2] / rise;
    if (restitution_ == RestitutionHypothesis::kStronge) {
      extra = e_ * sqrt(T(-2.0) * compression_work_ / rise);
    }
    state_.p += extra;
    state_.j += ratio * extra;
    CloseStage(restitution_impulse_, restitution_work_);
  }

  ImpactResult<T> Result(bool began_at_rest) const {
    if (!done_) return NoAnswer<T>();  // only for arguments that are not finite
    ImpactResult<T> result;
    result.impulse << state_.j, state_.p;
    result.compression_impulse = compression_impulse_;
    result.restitution_impulse = restitution_impulse_;
    result.energy.normal_work = compression_work_ + restitution_work_;
    SetVelocityAndFrictionWork(contact_, result);
    result.modes = modes_;
    result.sun_case = SunCase(began_at_rest);
    return result;
  }

  // Numbering of sun2017 Tables 2.2 and 3.1. The letter says which tangential velocities changed
  // sign over a stop: a the second, b the first, c both; none where the motion is planar.
  std::string_view SunCase(bool began_at_rest) const {
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
    const bool first = !planar && first_slip_[0] * last_slip[0] < 0.0;
    const bool second = !planar && first_slip_[1] * last_slip[1] < 0.0;
    constexpr std::array<std::array<std::string_view, 4>, 2> kCases = {
        {{"4", "4a", "4b", "4c"}, {"2", "2a", "2b", "2c"}}};
    return kCases[changed_in_compression][(first ? 2 : 0) + (second ? 1 : 0)];
  }

  const Contact<T>& contact_;
  ContactBlocks<T> a_;
  ContactBlocks<double> values_;
  double mu_static_;
  T e_;
  RestitutionHypothesis restitution_;

  ImpulseState<T> state_;
  Eigen::Vector2d first_slip_;
  ModeSequence modes_;
  ContactMode compression_mode_ = ContactMode::kSlip;  // in which compression ended
  bool compressing_ = true;
  // Impulse and work are counted from zero: events may be so near that only a motion expanded about
  // its start, not one about its stop, is accurate enough.
  bool fresh_ = true;
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
/// ends at u_n = 0 and restitution as `RestitutionHypothesis` says. Should u_n fall to zero again
/// during restitution (slip has turned into a jamming direction), compression goes on and the
/// impulses and works of each stage add up.
///
/// Straight slip and sticking are solved in closed form; slip that turns by Taylor series in
/// int dp / |u_t|, in which the stop is no singularity. The error of the impulse is a few hundred
/// roundings for a well-conditioned A. With an autodiff T the derivatives are those of the exact
/// solution, event places included; they do not exist on the border between two modes.
///
/// Parameters mu >= 0 and 0 <= e <= 1 are not checked here (SolveImpact does). Arguments that are
/// not finite give NaN.
///
/// Source: sun2017 (1.6), (1.7), Table 3.1; chatterjee1997 5.2.4.
template <RestitutionHypothesis kRestitution>
struct DarbouxKellerLaw {
  static constexpr RestitutionHypothesis kHypothesis = kRestitution;
  static const LawInfo& Info();

  /// @param parameters mu, e and, if given, mu_s
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const {
    const T& mu = parameters[0];
    const T& e = parameters[1];
    const double mu_static = Value(parameters[parameters.size() > 2 ? 2 : 0]);
    if constexpr (!kIsAutodiff<T>) {
      if (internal::SlipsUncoupled(contact)) return internal::SolveUncoupledImpact(contact, mu, e);
    }
    if (!HasDerivatives(contact)) {  // they would leave the plane
      Eigen::Vector2d tangent;
      if (internal::SlipsInPlane({Value(contact.inverse_mass), Value(contact.velocity)},
                                 &tangent)) {
        return Spatial(
            contact, tangent,
            SolvePlanarImpact(InPlane(contact, tangent), mu, mu_static, e, kRestitution));
      }
    }
    return internal::DarbouxKeller<T>(contact, mu, mu_static, e, kRestitution).Solve();
  }
};

using NewtonLaw = DarbouxKellerLaw<RestitutionHypothesis::kNewton>;
using PoissonLaw = DarbouxKellerLaw<RestitutionHypothesis::kPoisson>;
using StrongeLaw = DarbouxKellerLaw<RestitutionHypothesis::kStronge>;

template <>
const LawInfo& NewtonLaw::Info();
template <>
const LawInfo& PoissonLaw::Info();
template <>
const LawInfo& StrongeLaw::Info();

}  // namespace percuss::solver
