// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/bench/bench_methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace percuss::fitting {
namespace {

constexpr double kRadians = std::numbers::pi / 180.0;
constexpr double kFastest = 1000.0;  // m/s, and m/s^2: beyond it the unit is wrong

// Bodies that slide down an incline with the acceleration a: mu = tan(angle) - a / (g cos(angle)),
// sun2017 (4.35).
double KineticFriction(double angle_deg, double acceleration, double gravity) {
  const double angle = kRadians * angle_deg;
  return std::tan(angle) - acceleration / (gravity * std::cos(angle));
}

// Acceleration from two distances and times counted from one instant, whatever the speed was then;
// sun2017 (4.38).
double Acceleration(double distance_1, double time_1, double distance_2, double time_2) {
  return 2.0 * (distance_2 * time_1 - distance_1 * time_2) / (time_1 * time_2 * (time_2 - time_1));
}

BenchQuantity Angle(std::string_view meaning, bool may_be_zero) {
  return {.name = "angle_deg",
          .unit = "deg",
          .kind = "angle",
          .lower = 0.0,
          .upper = 89.0,
          .lower_exclusive = !may_be_zero,
          .meaning = meaning};
}

BenchQuantity Length(std::string_view name, std::string_view kind, std::string_view meaning) {
  return {.name = name, .unit = "m", .kind = kind, .upper = 100.0, .meaning = meaning};
}

BenchQuantity Instant(std::string_view name, std::string_view meaning) {
  return {.name = name,
          .unit = "s",
          .kind = "time",
          .lower = -std::numeric_limits<double>::max(),
          .meaning = meaning};
}

BenchQuantity Speed(std::string_view name, std::string_view meaning, bool may_be_zero) {
  return {.name = name,
          .unit = "m/s",
          .kind = "speed",
          .upper = kFastest,
          .lower_exclusive = !may_be_zero,
          .meaning = meaning};
}

std::vector<BenchMethod> InclineMethods() {
  const BenchQuantity rise = Length("rise", "length", "height of the incline at sliding");
  return {
      {"incline",
       "mu_s",
       "tan(angle)",
       {Angle("at which the body begins to slide", true)},
       [](std::span<const double> x, double) { return std::tan(kRadians * x[0]); }},
      {"incline",
       "mu_s",
       "rise / run",
       {rise, Length("run", "length", "horizontal side")},
       [](std::span<const double> x, double) { return x[0] / x[1]; }},
      {"incline",
       "mu_s",
       "rise / sqrt(slope_length^2 - rise^2)",
       {rise, Length("slope_length", "length", "side along the slope")},
       [](std::span<const double> x, double) {
         return x[0] / std::sqrt(x[1] * x[1] - x[0] * x[0]);
       }},
  };
}

std::vector<BenchMethod> SlideMethods() {
  const BenchQuantity angle =
      Angle("of the incline, 0 on a level surface; alone: at constant speed", true);
  const BenchQuantity distance = Length("distance", "distance", "slid down from rest");
  const BenchQuantity stopping = Length("stopping_distance", "distance", "slid down to rest");
  BenchQuantity time{.name = "time", .unit = "s", .kind = "time", .meaning = "from rest"};
  BenchQuantity stopping_time{
      .name = "stopping_time", .unit = "s", .kind = "time", .meaning = "to rest"};
  return {
      {"slide",
       "mu_k",
       "tan(angle)",
       {angle},
       [](std::span<const double> x, double) { return std::tan(kRadians * x[0]); }},
      {"slide",
       "mu_k",
       "tan(angle) - a / (g cos(angle))",
       {angle,
        {.name = "acceleration",
         .unit = "m/s^2",
         .kind = "acceleration",
         .lower = -kFastest,
         .upper = kFastest,
         .lower_exclusive = false,
         .meaning = "a down the incline; negative where the body slows down"}},
       [](std::span<const double> x, double g) { return KineticFriction(x[0], x[1], g); }},
      {"slide",
       "mu_k",
       "tan(angle) - a / (g cos(angle)), a = 2 distance / time^2",
       {angle, distance, time},
       [](std::span<const double> x, double g) {
         return KineticFriction(x[0], 2.0 * x[1] / (x[2] * x[2]), g);
       }},
      {"slide",
       "mu_k",
       "tan(angle) - a / (g cos(angle)), a = -2 stopping_distance / stopping_time^2",
       {angle, stopping, stopping_time},
       [](std::span<const double> x, double g) {
         return KineticFriction(x[0], -2.0 * x[1] / (x[2] * x[2]), g);
       }},
      {"slide",
       "mu_k",
       "tan(angle) - a / (g cos(angle)), a from two distances and times after the start",
       {angle, Instant("start_time", "the body passes the start"),
        Instant("first_time", "it passes the first mark"),
        Instant("second_time", "it passes the second mark"),
        Length("first_distance", "distance", "start to first mark"),
        Length("second_distance", "distance", "start to second mark")},
       [](std::span<const double> x, double g) {
         return KineticFriction(x[0], Acceleration(x[4], x[2] - x[1], x[5], x[3] - x[1]), g);
       }},
  };
}

std::vector<BenchMethod> DropMethods() {
  const BenchQuantity drop = Length("drop_height", "height", "fallen from rest");
  BenchQuantity rebound = Length("rebound_height", "height", "risen to");
  rebound.lower_exclusive = false;
  const BenchQuantity first = Instant("first_sound", "first contact");
  const BenchQuantity second = Instant("second_sound", "second contact");
  return {
      {"drop",
       "e",
       "sqrt(rebound_height / drop_height)",
       {drop, rebound},
       [](std::span<const double> x, double) { return std::sqrt(x[1] / x[0]); }},
      {"drop",
       "e",
       "speed_after / speed_before",
       {Speed("speed_before", "of the fall at the contact", false),
        Speed("speed_after", "of the rebound at the contact", true)},
       [](std::span<const double> x, double) { return x[1] / x[0]; }},
      {"drop",
       "e",
       "(third_sound - second_sound) / (second_sound - first_sound)",
       {first, second, Instant("third_sound", "third contact")},
       [](std::span<const double> x, double) { return (x[2] - x[1]) / (x[1] - x[0]); }},
      {"drop",
       "e",
       "(second_sound - first_sound) sqrt(g / (8 drop_height))",
       {drop, first, second},
       [](std::span<const double> x, double g) {
         return (x[2] - x[1]) * std::sqrt(g / (8.0 * x[0]));
       }},
  };
}

}  // namespace

const std::vector<BenchMethod>& BenchMethods() {
  static const std::vector<BenchMethod> methods = [] {
    std::vector<BenchMethod> all = InclineMethods();
    for (const auto& more : {SlideMethods(), DropMethods()}) {
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }();
  return methods;
}

const BenchMethod& FindBenchMethod(std::string_view measurement,
                                   const std::vector<std::string>& quantities) {
  std::vector<std::string> ways;
  for (const BenchMethod& method : BenchMethods()) {
    if (method.measurement != measurement) continue;
    std::vector<std::string> needed;
    for (const BenchQuantity& quantity : method.quantities) needed.emplace_back(quantity.name);
    if (std::ranges::is_permutation(needed, quantities)) return method;
    ways.push_back(fmt::format("{}", fmt::join(needed, " + ")));
  }
  throw std::invalid_argument(fmt::format(
      "{}: found {}, allowed {}", measurement,
      quantities.empty() ? "no readings" : fmt::format("{}", fmt::join(quantities, " + ")),
      fmt::join(ways, "; ")));
}

}  // namespace percuss::fitting
