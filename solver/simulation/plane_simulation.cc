// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/simulation/plane_simulation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "solver/integration/dormand_prince.h"
#include "solver/integration/event_location.h"
#include "solver/simulation/plane_body.h"

namespace percuss::solver {
namespace {

using Eigen::Vector3d;
using State = PlaneBody::State;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSunk = 1e-10;  // [m] which a point that starts at the plane must sink to strike
constexpr int kEventsAtOnce = 200;       // without progress in time
constexpr double kEnergyWeight = 1e3;    // of a rise of energy among the errors of a step
constexpr double kShortestStep = 1e-14;  // [s]
constexpr int kMostJams = 20;            // at one instant
constexpr double kNoProgress = 1e-12;    // [s]

void Require(bool holds, const char* field, double value, const char* allowed) {
  if (holds) return;
  std::ostringstream text;
  text << field << " is " << value << "; it must be " << allowed;
  throw std::invalid_argument(text.str());
}

class Simulator {
 public:
  Simulator(const Body& body, const FlightState<double>& start, const Vector3d& gravity,
            const PlaneContactModel& model, const PlaneSimulationOptions& options)
      : options_(options), body_(body, gravity, model, options) {
    state_ = PlaneBody::Pack(start);
    const double lowest = body_.Look(state_).gaps.minCoeff();
    Require(lowest >= -options.contact_tolerance, "gap between the planes and the nearest point",
            lowest, "at least 0 [m]");
    start_energy_ = least_energy_ = body_.Energy(state_);
    // Against the kinetic energy that is there or may be there, not the arbitrary zero of height.
    energy_scale_ = body_.KineticEnergy(state_) + body_.WeightTimesSize() +
                    std::abs(body_.PotentialEnergy(state_));
  }

  PlaneSimulation Run() {
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
    out_.states.push_back(PlaneBody::Unpack(state_));
    if (options_.record_forces) out_.forces.push_back(body_.Forces(state_));
  }

  void Fail(PlaneSimulationStatus status, const std::string& why) {
    const FlightState<double> s = PlaneBody::Unpack(state_);
    std::ostringstream text;
    text << StatusName(status) << " at t = " << time_ << " s: " << why << "; position ("
         << s.p_WB.transpose() << ") m, orientation (" << s.q_WB.w() << ' '
         << s.q_WB.vec().transpose() << "), velocity (" << s.v.transpose()
         << ") m/s, angular velocity (" << s.w.transpose() << ") rad/s";
    out_.status = status;
    out_.reason = text.str();
  }

  void WatchEnergy() {
    const double energy = body_.Energy(state_);
    out_.energy_gain = std::max(out_.energy_gain, (energy - least_energy_) / energy_scale_);
    least_energy_ = std::min(least_energy_, energy);
  }

  // One impact, if there is one. False where there is none or it has no answer, which `why` tells.
  bool Strike(bool jammed, std::string& why) {
    PlaneEvent event{PlaneEventKind::kImpact, time_, 0, body_.KineticEnergy(state_), 0.0};
    const PlaneBody::ImpactOutcome outcome =
        jammed ? body_.StrikeJammed(state_, event, why) : body_.Strike(state_, event, why);
    if (outcome != PlaneBody::ImpactOutcome::kDone) return false;
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
    if (body_.NumContacts() > before) {
      out_.events.push_back({PlaneEventKind::kContact, time_, body_.NumContacts(), energy,
                             body_.KineticEnergy(state_)});
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
    out_.events.push_back({kind, time_, body_.NumContacts(), energy, body_.KineticEnergy(state_)});
  }

  // The first touch of a point that is not in contact, at the end of the step or where its gap is
  // least in it; `end` is left there.
  double LocateTouch(const State& start, const State& rate, double h, State* end) {
    const PlaneBody::View first = body_.Look(start);
    PlaneBody::View last = body_.Look(*end);
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
      const auto near = [&](double x) { return internal::EvaluatePolynomial(cubic, x); };
      const double guess =
          near(high).value > 0.0 ? internal::RootBetween(near, true, 0.0, high) : high;
      const auto sunk = [&](double x) -> internal::Look {
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
    internal::Look look{-1.0, 0.0};
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
  PlaneBody body_;
  DormandPrince<State> integrator_;
  PlaneSimulation out_;
  State state_;
  double time_ = 0.0, step_ = 1e-3, last_event_time_ = -kInfinity;
  int events_at_once_ = 0;
  bool touched_ = false;  // in the last step
  double start_energy_ = 0.0, least_energy_ = 0.0, energy_scale_ = 1.0;
};

}  // namespace

std::string_view KindName(PlaneEventKind kind) {
  switch (kind) {
    case PlaneEventKind::kImpact:
      return "impact";
    case PlaneEventKind::kContact:
      return "contact";
    case PlaneEventKind::kRelease:
      return "release";
    case PlaneEventKind::kStickSlip:
      return "stick-slip";
  }
  return "";
}

std::string_view StatusName(PlaneSimulationStatus status) {
  switch (status) {
    case PlaneSimulationStatus::kSolved:
      return "solved";
    case PlaneSimulationStatus::kImpactFailed:
      return "impact failed";
    case PlaneSimulationStatus::kContactFailed:
      return "contact failed";
    case PlaneSimulationStatus::kZeno:
      return "Zeno sequence";
    case PlaneSimulationStatus::kStepFailed:
      return "integration failed";
  }
  return "";
}

PlaneSimulation SimulateOnPlane(const Body& body, const FlightState<double>& start,
                                const Vector3d& gravity_W, const PlaneContactModel& model,
                                const PlaneSimulationOptions& options) {
  Require(options.duration > 0.0, "duration", options.duration, "above 0 [s]");
  Require(options.sample_interval > 0.0, "sample_interval", options.sample_interval, "above 0 [s]");
  Require(options.rest_speed > 0.0, "rest_speed", options.rest_speed, "above 0 [m/s]");
  Require(model.mu >= 0.0, "mu", model.mu, "at least 0");
  Require(!model.planes.empty(), "number of planes", 0.0, "at least 1");
  for (const ContactPlane& plane : model.planes) {
    const double skew =
        (plane.frame.transpose() * plane.frame - Eigen::Matrix3d::Identity()).norm();
    Require(skew < 1e-9, "skewness of the axes of a plane", skew, "0");
  }
  Require(start.p_WB.allFinite() && start.v.allFinite() && start.w.allFinite() &&
              gravity_W.allFinite() && std::abs(start.q_WB.norm() - 1.0) < 1e-6,
          "norm of the orientation, or another entry of the state,", start.q_WB.norm(),
          "1, and all finite");
  return Simulator(body, start, gravity_W, model, options).Run();
}

}  // namespace percuss::solver
