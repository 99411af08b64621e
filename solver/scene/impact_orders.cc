// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/scene/impact_orders.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <random>
#include <utility>

namespace percuss::solver {
namespace {

struct Choice {
  int taken, count;
};

// Follows the choices and takes the fastest impact where they end.
class OrderFollower {
 public:
  explicit OrderFollower(std::vector<Choice>* choices) : choices_(*choices) {}

  int Next(int count) {
    if (place_ == choices_.size()) choices_.push_back({0, count});
    const Choice& choice = choices_[place_++];
    probability_ /= choice.count;
    return choice.taken;
  }
  double probability() const { return probability_; }

 private:
  std::vector<Choice>& choices_;
  std::size_t place_ = 0;
  double probability_ = 1.0;
};

// To the next order, the last choice first; false after the last order.
bool Advance(std::vector<Choice>* choices) {
  while (!choices->empty()) {
    Choice& last = choices->back();
    if (++last.taken < last.count) return true;
    choices->pop_back();
  }
  return false;
}

bool IsSame(const SceneSample& a, const SceneSample& b) {
  constexpr double kSame = 1e-9;  // [m/s], [rad/s], and of the velocity
  for (std::size_t k = 0; k < a.bodies.size(); ++k) {
    const FlightState<double>&one = a.bodies[k], &other = b.bodies[k];
    if (!((one.v - other.v).norm() <= kSame * (1.0 + one.v.norm()))) return false;
    if (!((one.w - other.w).norm() <= kSame * (1.0 + one.w.norm()))) return false;
  }
  return true;
}

std::vector<VelocitySpread> SpreadOf(const ImpactOrders& orders) {
  using Eigen::Vector3d;
  if (orders.outcomes.empty()) return {};
  std::vector<VelocitySpread> spreads;
  for (std::size_t k = 0; k < orders.outcomes.front().impact.after.bodies.size(); ++k) {
    const auto moments = [&](auto velocity, Vector3d* mean, Vector3d* sd) {
      Vector3d sum = Vector3d::Zero(), sum_of_squares = Vector3d::Zero();
      for (const OrderedOutcome& outcome : orders.outcomes)
        sum += outcome.probability * velocity(outcome.impact.after.bodies[k]);
      *mean = sum / orders.probability;
      for (const OrderedOutcome& outcome : orders.outcomes) {
        const Vector3d off = velocity(outcome.impact.after.bodies[k]) - *mean;
        sum_of_squares += outcome.probability * off.cwiseAbs2();
      }
      *sd = (sum_of_squares / orders.probability).cwiseSqrt();
    };
    VelocitySpread spread;
    moments([](const FlightState<double>& body) { return body.v; }, &spread.v_mean, &spread.v_sd);
    moments([](const FlightState<double>& body) { return body.w; }, &spread.w_mean, &spread.w_sd);
    spreads.push_back(spread);
  }
  return spreads;
}

}  // namespace

namespace {

void AddOrder(SceneImpact impact, double probability, ImpactOrders* orders) {
  ++orders->num_orders;
  if (impact.status != PlaneSimulationStatus::kSolved) {
    if (orders->num_failed++ == 0) orders->reason = impact.reason;
    return;
  }
  orders->probability += probability;
  const auto same = std::ranges::find_if(orders->outcomes, [&](const OrderedOutcome& outcome) {
    return IsSame(impact.after, outcome.impact.after);
  });
  OrderedOutcome& outcome = same == orders->outcomes.end()
                                ? orders->outcomes.emplace_back(OrderedOutcome{std::move(impact)})
                                : *same;
  ++outcome.num_orders;
  outcome.probability += probability;
}

}  // namespace

ImpactOrders SolveInAllOrders(const SceneModel& model, const PlaneSimulationOptions& options,
                              int max_orders) {
  ImpactOrders orders;
  std::vector<Choice> choices;
  do {
    OrderFollower follower(&choices);
    SceneImpact impact =
        SolveSceneImpact(model, options, [&](int count) { return follower.Next(count); });
    AddOrder(std::move(impact), follower.probability(), &orders);
    orders.complete = !Advance(&choices);
  } while (!orders.complete && orders.num_orders < max_orders);
  if (!orders.complete) {
    orders = {};
    std::mt19937 random(1);
    const auto any = [&](int count) { return static_cast<int>(random() % count); };
    for (int k = 0; k < max_orders; ++k)
      AddOrder(SolveSceneImpact(model, options, any), 1.0 / max_orders, &orders);
  }
  std::ranges::stable_sort(orders.outcomes, std::greater<>(), &OrderedOutcome::probability);
  orders.bodies = SpreadOf(orders);
  return orders;
}

}  // namespace percuss::solver
