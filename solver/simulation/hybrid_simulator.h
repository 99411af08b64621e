// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>

#include "solver/integration/dormand_prince.h"
#include "solver/integration/event_location.h"
#include "solver/simulation/plane_model.h"

namespace percuss::solver::internal {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSunk = 1e-10;  // [m] which a point that starts at the plane must sink to strike
constexpr int kEventsAtOnce = 200;       // without progress in time
constexpr double kEnergyWeight = 1e3;    // of a rise of energy among the errors of a step
constexpr double kShortestStep = 1e-14;  // [s]
constexpr int kMostJams = 20;            // at one instant
constexpr double kNoProgress = 1e-12;    // [s]

/// Flight, impacts and sustained contact of a system that touches (chatterjee2019 3.3.2):
/// integrated from sample to sample, with every touch, release, and change between sliding and
/// sticking located in time.
///
/// The System has State (a vector), Sample and Action (what the simulation holds of them), and
///     Look(state): gaps and normal speeds of all points that may touch; InContact(point)
///     Rate(state): d(state)/dt with the contacts of the last Settle()
///     Strike(state, event, why): one impact of the points that touch, where one approaches
///     StrikeJammed(state, event, why): one of points that friction presses ever more
///     Settle(state, why): finds the points that stay in contact, and stops their normal motion
///     ForceExcess(state): above zero where a contact would have to pull, or to hold beyond mu_s
///     TimeToStopSlip(state, rate), SlipEnds(state), KeepToContact(state), AtRest(state)
/// as PlaneBody and SceneSystem say.
template <class System>
class HybridSimulator {
 public:
  using State = typename System::State;
  using Simulation = SimulationOutput<typename System::Sample, typename System::Action>;

  /// @param system outlives this
  HybridSimulator(System& system, const State& start, const PlaneSimulationOptions& options)
      : options_(options), body_(system), state_(start) {
    start_energy_ = least_energy_ = body_.Energy(state_);
    // Against the kinetic energy that is there or may be there, not the arbitrary zero of height.
    energy_scale_ = body_.KineticEnergy(state_) + body_.WeightTimesSize() +
                    std::abs(body_.PotentialEnergy(state_));
  }

  Simulation Run() {
    Sample(0.0);
    if (!MeetPlane()) return std::move(out_);
    if (options_.record_forces) out_.forces.front() = body_.Forces(state_);
    int num_steps = 0;
    while (time_ < options_.duration && out_.status == PlaneSimulationStatus::kSolved) {
      if (++num_steps > options_.max_steps) {
        Fail(PlaneSimulationStatus::kStepFailed, "more steps than allowed");
        break;
      }
      if (body_.AtRest(state_)) {
        out_.at_rest = true;
        while (NextSample() <= options_.duration) Sample(NextSample());
        break;
      }
      Advance();
    }
    return std::move(out_);
  }

 private:
  double NextSample() const {
    return static_cast<double>(out_.times.size()) * options_.sample_interval;
  }

  void Sample(double time) {
    out_.times.push_back(time);
    out_.states.push_back(body_.SampleOf(state_));
    if (options_.record_forces) out_.forces.push_back(body_.Forces(state_));
    RecordMoment(time, state_);
  }

  void RecordMoment(double time, const State& state) {
    if (!options_.record_moments) return;
    out_.moments.push_back(
        {time, body_.SampleOf(state), body_.KineticEnergy(state), body_.PotentialEnergy(state)});
  }

  void Fail(PlaneSimulationStatus status, const std::string& why) {
    std::ostringstream text;
    text << StatusName(status) << " at t = " << time_ << " s: " << why << "; "
         << body_.Describe(state_);
    out_.status = status;
    out_.reason = text.str();
  }

  void WatchEnergy() {
    if (!body_.Conserves()) return;
    const double energy = body_.Energy(state_);
    out_.energy_gain = std::max(out_.energy_gain, (energy - least_energy_) / energy_scale_);
    least_energy_ = std::min(least_energy_, energy);
  }

  // One impact, if there is one. False where there is none or it has no answer, which `why` tells.
  bool Strike(bool jammed, std::string& why) {
    SimulationEvent<typename System::Action> event{PlaneEventKind::kImpact, time_, 0,
                                                   body_.KineticEnergy(state_), 0.0};
    const auto outcome =
        jammed ? body_.StrikeJammed(state_, event, why) : body_.Strike(state_, event, why);
    if (outcome != System::ImpactOutcome::kDone) return false;
    event.energy_after = body_.KineticEnergy(state_);
    out_.events.push_back(event);
    return true;
  }

  // Impacts until no point approaches. False when the simulation has failed.
  bool StrikeAll() {
    std::string why;
    for (int k = 0; k < kEventsAtOnce && Strike(false, why); ++k) continue;
    if (!why.empty()) Fail(PlaneSimulationStatus::kImpactFailed, why);
    return why.empty();
  }

  // Impacts, then who stays in contact, and how. False when the simulation has failed.
  bool MeetPlane() {
    const double progress = time_ - last_event_time_;
    events_at_once_ = progress > kNoProgress ? 0 : events_at_once_ + 1;
    last_event_time_ = time_;
    if (events_at_once_ > kEventsAtOnce ||
        static_cast<int>(out_.events.size()) >= options_.max_events) {
      Fail(PlaneSimulationStatus::kZeno, "events without progress in time, or more than allowed");
      return false;
    }
    const State struck = state_;
    const std::size_t num_events = out_.events.size();
    const int before = body_.NumContacts();
    double energy = 0.0;
    for (int jams = 0;; ++jams) {
      if (!StrikeAll()) return false;
      energy = body_.KineticEnergy(state_);
      std::string why, no_impact;
      if (body_.Settle(state_, why)) break;
      if (jams < kMostJams && Strike(true, no_impact)) continue;
      Fail(PlaneSimulationStatus::kContactFailed,
           no_impact.empty() ? why : why + "; nor an impact: " + no_impact);
      return false;
    }
    if (out_.events.size() != num_events) {
      RecordMoment(time_, struck);
      RecordMoment(time_, state_);
    }
    if (body_.NumContacts() > before) {
      out_.events.push_back({.kind = PlaneEventKind::kContact,
                             .time = time_,
                             .num_points = body_.NumContacts(),
                             .energy_before = energy,
                             .energy_after = body_.KineticEnergy(state_),
                             .contacts = body_.Modes()});
    }
    WatchEnergy();
    return true;
  }

  // Where the body is after a step of length h from `start`, with the rate there.
  const State& After(const State& start, const State& rate, double h) {
    const auto field = [this](const State& state, State& out) { out = body_.Rate(state); };
    integrator_.Step(field, start, rate, h);
    return integrator_.end();
  }

  // Of the last step, relative to the tolerance. Nothing but an error of integration lets the
  // energy rise.
  double StepError(double start_energy) const {
    const auto scale = 1.0 + integrator_.end().array().abs();
    const double error = (integrator_.error().array().abs() / scale).maxCoeff();
    if (!integrator_.error().allFinite()) return kInfinity;
    if (!body_.Conserves()) return error / options_.tolerance;
    const double rise = (body_.Energy(integrator_.end()) - start_energy) / energy_scale_;
    return std::max(error, kEnergyWeight * rise) / options_.tolerance;
  }

  // The length in (0, high] where a value rises through zero; `end` is left there.
  template <class Value>
  double Locate(const Value& value, const State& start, const State& rate, double high,
                State* end) {
    double low = 0.0, at_low = value(start), at_high = value(*end);
    if (at_low >= 0.0) at_low = -1e-300;
    int side = 0;
    for (int k = 0; k < 80 && high - low > 1e-15 + 1e-14 * time_; ++k) {
      double x = high - at_high * (high - low) / (at_high - at_low);
      if (!(x > low && x < high) || k % 4 == 3) x = 0.5 * (low + high);
      const State middle = After(start, rate, x);
      const double y = value(middle);
      if (y >= 0.0) {
        high = x;
        at_high = y;
        *end = middle;
        if (side == 1) at_low *= 0.5;
        side = 1;
        if (y <= 1e-14) break;
      } else {
        low = x;
        at_low = y;
        if (side == -1) at_high *= 0.5;
        side = -1;
      }
    }
    return high;
  }

  void Advance() {
    const State start = state_;
    const State rate = body_.Rate(start);
    if (body_.failed()) {
      Fail(PlaneSimulationStatus::kContactFailed, body_.failure());
      return;
    }
    // Steps end at the samples.
    const double until = std::min(NextSample(), options_.duration) - time_;
    double h = std::min({step_, options_.max_step, std::max(until, 1e-12)});
    const double slip_time = body_.TimeToStopSlip(start, rate);
    h = std::min(h, std::max(0.9 * slip_time, 1e-9));
    const double asked = h;
    const double start_energy = body_.Energy(start);
    State end;
    for (;;) {
      end = After(start, rate, h);
      const double error = StepError(start_energy);
      if (error <= 1.0) {
        // A step cut short for another reason says nothing about the next.
        const double longer = h * std::clamp(0.9 * std::pow(error + 1e-12, -0.2), 0.3, 4.0);
        step_ = h < asked || asked == step_ ? longer : std::max(step_, longer);
        break;
      }
      h *= std::isfinite(error) ? std::clamp(0.9 * std::pow(error, -0.2), 0.1, 0.8) : 0.1;
      if (!(h > kShortestStep)) {
        MeetJam();
        return;
      }
    }
    const bool whole = h == until;
    double length = LocateTouch(start, rate, h, &end);
    bool event = touched_;
    const auto force = [this](const State& y) { return body_.ForceExcess(y); };
    if (body_.NumContacts() > 0 && force(end) > 0.0) {
      length = Locate(force, start, rate, length, &end);
      event = true;
    }
    state_ = end;
    time_ = whole && length == h ? std::min(NextSample(), options_.duration) : time_ + length;
    if (time_ >= NextSample()) Sample(NextSample());
    body_.KeepToContact(state_);
    WatchEnergy();
    if (body_.SlipEnds(state_)) event = true;
    if (event) ChangeOfContact();
  }

  // The step has shrunk to nothing: friction presses points that slide ever more, up to a jam.
  void MeetJam() {
    std::string why;
    if (body_.NumContacts() > 0 && Strike(true, why)) {
      WatchEnergy();
      MeetPlane();
      return;
    }
    Fail(PlaneSimulationStatus::kStepFailed,
         "the step shrinks to nothing" + (why.empty() ? why : "; nor an impact: " + why));
  }

  void ChangeOfContact() {
    const int before = body_.NumContacts();
    const std::size_t num_events = out_.events.size();
    const double energy = body_.KineticEnergy(state_);
    if (!MeetPlane()) return;
    if (out_.events.size() != num_events || before == 0) return;
    const PlaneEventKind kind =
        body_.NumContacts() < before ? PlaneEventKind::kRelease : PlaneEventKind::kStickSlip;
    out_.events.push_back({.kind = kind,
                           .time = time_,
                           .num_points = body_.NumContacts(),
                           .energy_before = energy,
                           .energy_after = body_.KineticEnergy(state_),
                           .contacts = body_.Modes()});
  }

  // The first touch of a point that is not in contact, at the end of the step or where its gap is
  // least in it; `end` is left there.
  double LocateTouch(const State& start, const State& rate, double h, State* end) {
    const typename System::View first = body_.Look(start);
    typename System::View last = body_.Look(*end);
    double at_last = h;
    touched_ = false;
    for (int i = 0; i < first.gaps.size(); ++i) {
      if (body_.InContact(i)) continue;
      const bool above = first.gaps[i] > 10.0 * kSunk;
      const double offset = above ? 0.0 : kSunk + std::max(0.0, -first.gaps[i]);
      const bool down = last.gaps[i] < -offset && (above || last.speeds[i] < 0.0);
      double high = h;
      if (!down) {
        // A dip inside the step, by the cubic of the gaps and speeds at its ends.
        if (!(first.speeds[i] < 0.0 && last.speeds[i] > 0.0)) continue;
        high = -first.speeds[i] * h / (last.speeds[i] - first.speeds[i]);
        if (!(first.gaps[i] + 0.5 * high * first.speeds[i] < 1e-3 * body_.Size())) continue;
        if (!(body_.Look(After(start, rate, high)).gaps[i] < -offset)) continue;
      }
      // The cubic of gaps and speeds says where, nearly.
      const double rise = (last.gaps[i] - first.gaps[i]) / at_last;
      const std::array<double, 4> cubic = {
          -first.gaps[i] - offset, -first.speeds[i],
          -(3.0 * rise - 2.0 * first.speeds[i] - last.speeds[i]) / at_last,
          -(first.speeds[i] + last.speeds[i] - 2.0 * rise) / (at_last * at_last)};
      const auto near = [&](double x) { return EvaluatePolynomial(cubic, x); };
      const double guess = near(high).value > 0.0 ? RootBetween(near, true, 0.0, high) : high;
      const auto sunk = [&](double x) -> Look {
        *end = After(start, rate, x);
        last = body_.Look(*end);
        at_last = x;
        return {-last.gaps[i] - offset, -last.speeds[i]};
      };
      h = TouchBetween(sunk, guess, high);
      touched_ = true;
    }
    return h;
  }

  // The length in (0, high] where a point comes down through zero, by Newton's method from x, kept
  // in the bracket, to where it has just sunk; `sunk` is called there last.
  template <class Sunk>
  double TouchBetween(const Sunk& sunk, double x, double high) {
    double low = 0.0;
    Look look{-1.0, 0.0};
    for (int k = 0; k < 80; ++k) {
      if (!(x > low && x <= high)) x = 0.5 * (low + high);
      look = sunk(x);
      (look.value < 0.0 ? low : high) = x;
      if (look.value >= 0.0 && look.value <= 1e-14) return x;
      if (high - low <= 1e-15 + 1e-14 * time_) break;
      // A little beyond, so that the last step ends below.
      x -= (look.value - 0.5e-14) / look.slope;
    }
    if (look.value < 0.0) sunk(high);
    return high;
  }

  const PlaneSimulationOptions& options_;
  System& body_;
  DormandPrince<State> integrator_;
  Simulation out_;
  State state_;
  double time_ = 0.0, step_ = 1e-3, last_event_time_ = -kInfinity;
  int events_at_once_ = 0;
  bool touched_ = false;  // in the last step
  double start_energy_ = 0.0, least_energy_ = 0.0, energy_scale_ = 1.0;
};

}  // namespace percuss::solver::internal
