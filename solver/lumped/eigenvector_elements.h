// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "solver/compliant/point_contact.h"
#include "solver/contact/planar_contact.h"
#include "solver/integration/linear_event_integrator.h"

namespace percuss::solver {

/// Two spring-dashpot elements from a massless point on the surface along the directions
///     e_1 = cos(theta) n - sin(theta) t,   e_2 = sin(theta) n + cos(theta) t.
/// If the point moves at u along t, the elements pull it with
///     F_1 = pull_1 + c_1 u sin(theta),   F_2 = pull_2 - c_2 u cos(theta),
/// pull_j = k_j x_j + c_j v_j being the force at u = 0, and the surface answers with
///     F_N = -(F_1 cos(theta) + F_2 sin(theta)),   F_T = F_2 cos(theta) - F_1 sin(theta)
/// (F_N along n, F_T against t, both on the point).
template <typename T>
struct EigenvectorElements {
  T sine, cosine;            ///< of theta
  std::array<T, 2> damping;  ///< c_1, c_2 > 0

  struct Reaction {
    T normal, tangential;
  };

  Reaction ReactionAt(const T& u, const std::array<T, 2>& pull) const {
    const T f1 = pull[0] + damping[0] * u * sine, f2 = pull[1] - damping[1] * u * cosine;
    return {-(f1 * cosine + f2 * sine), f2 * cosine - f1 * sine};
  }

  /// The velocity at which F_T = sign mu F_N. With a negative `Slope` slip is not unique.
  T SlipVelocity(int sign, const T& mu, const std::array<T, 2>& pull) const {
    const T m = mu * static_cast<double>(sign);
    return (pull[1] * (cosine + m * sine) - pull[0] * (sine - m * cosine)) / Slope(sign, mu);
  }
  T Slope(int sign, const T& mu) const {
    const T m = mu * static_cast<double>(sign);
    return damping[1] * cosine * (cosine + m * sine) + damping[0] * sine * (sine - m * cosine);
  }
};

/// Every velocity u at which the massless point of EigenvectorElements can move under Coulomb
/// friction: u = 0 with |F_T| <= mu F_N, or u != 0 with F_T = sign(u) mu F_N; F_N > 0. There may be
/// none, one or several.
///
/// Source: chatterjee1997 8.5.1.
std::vector<double> ContactPointVelocities(const EigenvectorElements<double>& elements, double mu,
                                           const std::array<double, 2>& pull);

/// Contact elements along the eigenvectors of the contact mass, planar. Element 1 lies along the
/// eigenvector of the larger mass lambda_1: for a free body against a wall the line from the
/// contact to the mass centre. k_2 = stiffness_ratio k_1, c_j = 2 zeta_j sqrt(k_j lambda_j);
/// contact ends with F_N = 0. Homogeneous in velocity and mass.
///
/// The velocity of the massless contact point may jump and need not be unique. The law stays in its
/// mode (stick, slip either way) as long as that is possible; otherwise, and at touch, it takes
/// stick first, then slip in the direction of the body's motion. If the point cannot touch at all
/// at first, the answer is NaN.
///
/// Source: chatterjee1997 8.5.
struct EigenvectorElementsLaw {
  static const LawInfo& Info();

  /// @param parameters mu, zeta_1, zeta_2, stiffness_ratio
  /// @param choices if given, receives the velocities that the contact point could have had along
  /// PlaneOf(contact) at the first time there were several, rising [m/s]; empty if there never were
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters,
                        std::vector<double>* choices = nullptr) const;
};

namespace internal {

template <typename T>
class EigenvectorSystem {
 public:
  static constexpr std::size_t kSize = 4, kEvents = 4;
  enum Index : std::size_t { kStretch = 0, kImpulse = 2 };
  enum Event : std::size_t { kEnd, kFrictionChange, kOtherFrictionChange, kTurn };
  using State = std::array<T, kSize>;
  using Elements = EigenvectorElements<T>;

  /// @param contact with nn = 1 and u_n = -1
  EigenvectorSystem(const PlanarContact<T>& contact, std::span<const T> parameters)
      : contact_(contact), mu_(parameters[0]), stiffness_{T(1), parameters[3]} {
    using std::atan2;
    using std::cos;
    using std::sin;
    using std::sqrt;
    const T difference = contact.nn - contact.tt;
    const T spread = sqrt(difference * difference + T(4) * contact.tn * contact.tn + T(1e-300));
    const T mean = T(0.5) * (contact.nn + contact.tt);
    // The light direction is at half this angle from n towards t, the heavy one across.
    T theta(-0.5 * std::numbers::pi);
    if (Value(spread) > 1e-14) theta -= T(0.5) * atan2(T(2) * contact.tn, difference);
    elements_.sine = sin(theta);
    elements_.cosine = cos(theta);
    const std::array<T, 2> mass = {T(1) / (mean - T(0.5) * spread),
                                   T(1) / (mean + T(0.5) * spread)};
    for (std::size_t j = 0; j < 2; ++j) {
      elements_.damping[j] = T(2) * parameters[1 + j] * sqrt(stiffness_[j] * mass[j]);
    }
  }

  int slip_sign = 0;
  bool expanding = false;

  const Elements& elements() const { return elements_; }
  const T& mu() const { return mu_; }

  std::array<T, 2> Pull(const State& z, double one = 1.0) const {
    return PullAt(z, AlongElements(z, one));
  }
  T PointVelocity(const std::array<T, 2>& pull) const {
    return slip_sign == 0 ? T(0) : elements_.SlipVelocity(slip_sign, mu_, pull);
  }
  typename Elements::Reaction Reaction(const State& z, double one = 1.0) const {
    const std::array<T, 2> pull = Pull(z, one);
    return elements_.ReactionAt(PointVelocity(pull), pull);
  }

  State Rate(const State& z, double one) const {
    const std::array<T, 2> v = AlongElements(z, one), pull = PullAt(z, v);
    const T u = PointVelocity(pull);
    const auto reaction = elements_.ReactionAt(u, pull);
    return {v[0] + u * elements_.sine, v[1] - u * elements_.cosine, -reaction.tangential,
            reaction.normal};
  }

  /// That of friction.
  std::pair<T, T> Power(const State& z, double one) const {
    const std::array<T, 2> pull = Pull(z, one);
    const T u = PointVelocity(pull);
    return {u, -elements_.ReactionAt(u, pull).tangential};
  }

  bool IsPossible(std::size_t event) const {
    return event != kOtherFrictionChange || slip_sign == 0;
  }

  T Event(std::size_t event, const State& z, double one) const {
    if (event == kTurn) {
      const T u_n = NormalVelocity(z, one);
      return expanding ? T(-u_n) : u_n;
    }
    const std::array<T, 2> pull = Pull(z, one);
    const T u = PointVelocity(pull);
    if (event == kFrictionChange && slip_sign != 0) return u * static_cast<double>(-slip_sign);
    const auto reaction = elements_.ReactionAt(u, pull);
    if (event == kEnd) return -reaction.normal;
    const T limit = mu_ * reaction.normal;
    return event == kFrictionChange ? T(reaction.tangential - limit)
                                    : T(-reaction.tangential - limit);
  }

 private:
  T NormalVelocity(const State& z, double one) const {
    return contact_.u_n * one + contact_.tn * z[kImpulse] + contact_.nn * z[kImpulse + 1];
  }
  std::array<T, 2> AlongElements(const State& z, double one) const {
    const T t = contact_.u_t * one + contact_.tt * z[kImpulse] + contact_.tn * z[kImpulse + 1];
    const T n = NormalVelocity(z, one);
    return {n * elements_.cosine - t * elements_.sine, n * elements_.sine + t * elements_.cosine};
  }
  std::array<T, 2> PullAt(const State& z, const std::array<T, 2>& v) const {
    return {stiffness_[0] * z[0] + elements_.damping[0] * v[0],
            stiffness_[1] * z[1] + elements_.damping[1] * v[1]};
  }

  PlanarContact<T> contact_;
  T mu_;
  std::array<T, 2> stiffness_;
  Elements elements_;
};

/// One impact, followed from event to event. Units as in PointContactModel with k_1 = 1.
template <typename T>
class EigenvectorContact {
 public:
  EigenvectorContact(const PlanarContact<T>& contact, std::span<const T> parameters,
                     std::span<const double> values)
      : first_slip_(Value(contact.u_t)),
        integrator_(
            System(contact, parameters),
            EigenvectorSystem<double>({Value(contact.tt), Value(contact.tn), Value(contact.nn),
                                       Value(contact.u_t), Value(contact.u_n)},
                                      values),
            State{T(0), T(0), T(0), T(0)}) {}

  bool Solve() {
    const int along = first_slip_ < 0.0 ? -1 : 1;
    if (!Choose({0, along, -along})) return false;
    for (int step = 0; step < ContactOptions{}.max_steps && !integrator_.failed(); ++step) {
      if (choices_.empty()) {
        if (auto candidates = Candidates(); candidates.size() > 1) choices_ = std::move(candidates);
      }
      const std::size_t event = integrator_.Step();
      if (event == System::kTurn) Turn();
      if (event == System::kEnd) return true;
      const bool changes =
          event == System::kFrictionChange || event == System::kOtherFrictionChange;
      if (changes && !ChangeFriction()) return true;
    }
    return false;
  }

  const std::array<T, 4>& state() const { return integrator_.state(); }
  const T& friction_work() const { return integrator_.work(); }
  const ModeSequence& modes() const { return modes_; }
  const T& compression_impulse() const { return compression_impulse_; }
  const std::vector<double>& choices() const { return choices_; }

 private:
  using System = EigenvectorSystem<T>;
  using State = typename System::State;

  void Turn() {
    const bool expanding = integrator_.values().expanding;
    compression_impulse_ += state()[System::kImpulse + 1] * (expanding ? -1.0 : 1.0);
    integrator_.ChangeSystem([&](auto& system) { system.expanding = !expanding; });
  }

  std::vector<double> Candidates() const {
    const auto& system = integrator_.values();
    return ContactPointVelocities(system.elements(), system.mu(),
                                  system.Pull(Value(integrator_.state())));
  }

  void SetMode(int sign) {
    integrator_.ChangeSystem([&](auto& system) { system.slip_sign = sign; });
    if (sign == 0) {
      modes_.push_back(ContactMode::kStick);
    } else {
      const bool first = modes_.empty() || (modes_.back() == ContactMode::kSlip && sign == sign_);
      modes_.push_back(first ? ContactMode::kSlip : ContactMode::kReverseSlip);
    }
    sign_ = sign;
  }

  // At the border of stick and slip along `sign` the other one takes over, unless slip is not
  // unique there: then beyond the border there is neither. False if contact ends.
  bool ChangeFriction() {
    const auto& system = integrator_.values();
    const bool slips = system.slip_sign != 0;
    const double tangential = system.Reaction(Value(integrator_.state())).tangential;
    const int sign = slips ? system.slip_sign : (tangential > 0.0 ? 1 : -1);
    if (system.elements().Slope(sign, system.mu()) > 0.0) {
      const int after_slip = system.mu() > 0.0 ? 0 : -sign;
      SetMode(slips ? after_slip : sign);
      return true;
    }
    return Choose({-sign});
  }

  // The first of these modes that is possible; false if none is.
  bool Choose(std::initializer_list<int> signs) {
    const std::vector<double> candidates = Candidates();
    for (const int sign : signs) {
      for (const double u : candidates) {
        if ((u > 0.0) - (u < 0.0) != sign) continue;
        SetMode(sign);
        return true;
      }
    }
    return false;
  }

  double first_slip_;
  LinearEventIntegrator<EigenvectorSystem, T> integrator_;
  ModeSequence modes_;
  T compression_impulse_ = T(0);
  int sign_ = 0;
  std::vector<double> choices_;
};

/// One contact: impulses, friction work and modes are set.
template <typename T>
ImpactResult<T> EigenvectorElementsContact(const Contact<T>& contact,
                                           const Eigen::Vector2d& tangent,
                                           std::span<const T> parameters,
                                           std::vector<double>* choices) {
  using System = EigenvectorSystem<T>;
  PlanarContact<T> planar = InPlane(contact, tangent);
  const T mass = T(1) / planar.nn, speed = -planar.u_n;
  planar = {planar.tt * mass, planar.tn * mass, T(1), planar.u_t / speed, T(-1)};
  const std::array<double, 4> values = {Value(parameters[0]), Value(parameters[1]),
                                        Value(parameters[2]), Value(parameters[3])};
  EigenvectorContact<T> motion(planar, parameters, values);
  if (!motion.Solve()) return NoAnswer<T>();
  const auto& z = motion.state();
  const T unit = mass * speed;
  ImpactResult<T> result;
  result.impulse.template head<2>() = tangent.template cast<T>() * (z[System::kImpulse] * unit);
  result.impulse[2] = z[System::kImpulse + 1] * unit;
  result.compression_impulse = motion.compression_impulse() * unit;
  result.energy.friction_work = motion.friction_work() * unit * speed;
  result.modes = motion.modes();
  if (choices != nullptr && choices->empty()) {
    for (const double u : motion.choices()) choices->push_back(u * Value(speed));
    std::ranges::sort(*choices);
  }
  return result;
}

}  // namespace internal

template <typename T>
ImpactResult<T> EigenvectorElementsLaw::Solve(const Contact<T>& contact,
                                              std::span<const T> parameters,
                                              std::vector<double>* choices) const {
  constexpr int kMostContacts = 2000;
  const Contact<double> values{Value(contact.inverse_mass), Value(contact.velocity)};
  if (!values.inverse_mass.allFinite() || !values.velocity.allFinite()) return NoAnswer<T>();
  const auto tangent = PlaneOf(values);
  if (!tangent) return NoAnswer<T>();
  if (choices != nullptr) choices->clear();
  ImpactResult<T> result;
  Contact<T> next = contact;
  for (int k = 0; Value(next.velocity[2]) < 1e-12 * values.velocity[2]; ++k) {
    if (k == kMostContacts) return NoAnswer<T>();
    const auto once = internal::EigenvectorElementsContact(next, *tangent, parameters, choices);
    result.impulse += once.impulse;
    result.compression_impulse += once.compression_impulse;
    result.energy.friction_work += once.energy.friction_work;
    for (const ContactMode mode : once.modes) result.modes.push_back(mode);
    next.velocity = contact.velocity + contact.inverse_mass * result.impulse;
  }
  result.contact_velocity = next.velocity;
  result.restitution_impulse = result.impulse[2] - result.compression_impulse;
  result.energy.normal_work = TotalWork(contact, result) - result.energy.friction_work;
  return result;
}

}  // namespace percuss::solver
