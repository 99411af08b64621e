// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/bench/bench_measurements.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "base/math/statistics.h"

namespace percuss::fitting {
namespace {

void CheckReading(const BenchQuantity& quantity, double value) {
  const bool above = quantity.lower_exclusive ? value > quantity.lower : value >= quantity.lower;
  if (std::isfinite(value) && above && value <= quantity.upper) return;
  const bool bounded_below = quantity.lower > -std::numeric_limits<double>::max();
  throw std::invalid_argument(fmt::format(
      "{}: found {}, allowed {}{} {}", quantity.name, value,
      !bounded_below
          ? "a finite number in"
          : fmt::format("{} {}", quantity.lower_exclusive ? "above" : "from", quantity.lower),
      bounded_below && std::isfinite(quantity.upper) ? fmt::format(" to {}", quantity.upper) : "",
      quantity.unit));
}

// A reading that must exceed another one of the same repeat.
void CheckOrder(const BenchMethod& method, std::span<const double> x, std::string_view smaller,
                std::string_view larger, bool may_be_equal) {
  const auto place = [&](std::string_view name) {
    return std::ranges::find(method.quantities, name, &BenchQuantity::name) -
           method.quantities.begin();
  };
  const auto i = static_cast<size_t>(place(smaller));
  const auto j = static_cast<size_t>(place(larger));
  if (i == x.size() || j == x.size()) return;
  if (x[i] < x[j] || (may_be_equal && x[i] == x[j])) return;
  throw std::invalid_argument(fmt::format("{}: found {}, allowed {} {}, which is {}", larger, x[j],
                                          may_be_equal ? "at least" : "more than", smaller, x[i]));
}

double Coefficient(const BenchMethod& method, std::span<const double> x, double gravity) {
  CheckOrder(method, x, "rise", "slope_length", false);
  CheckOrder(method, x, "rebound_height", "drop_height", true);
  CheckOrder(method, x, "speed_after", "speed_before", true);
  CheckOrder(method, x, "first_sound", "second_sound", false);
  CheckOrder(method, x, "second_sound", "third_sound", false);
  CheckOrder(method, x, "start_time", "first_time", false);
  CheckOrder(method, x, "first_time", "second_time", false);
  CheckOrder(method, x, "first_distance", "second_distance", false);
  const double value = method.Calculate(x, gravity);
  const double upper = method.coefficient == "e" ? 1.0 : std::numeric_limits<double>::infinity();
  if (value >= 0.0 && value <= upper) return value;
  std::string inputs;
  for (size_t i = 0; i < x.size(); ++i) {
    inputs += fmt::format("{}{} {}", i == 0 ? "" : ", ", method.quantities[i].name, x[i]);
  }
  throw std::invalid_argument(fmt::format("{}: found {:.4g} from {}, allowed 0 {}",
                                          method.coefficient, value, inputs,
                                          std::isfinite(upper) ? "to 1" : "or more"));
}

// Rows of readings, one per repeat; single readings are spread over all.
std::vector<std::vector<double>> Repeats(const BenchMethod& method,
                                         const std::map<std::string, Readings>& readings) {
  size_t num_repeats = 1;
  std::string_view longest;
  for (const BenchQuantity& quantity : method.quantities) {
    const auto found = readings.find(std::string(quantity.name));
    if (found == readings.end() || found->second.values.empty()) {
      throw std::invalid_argument(
          fmt::format("{}: found no reading, allowed one or more", quantity.name));
    }
    const Readings& read = found->second;
    if (!(read.sigma >= 0.0) || !std::isfinite(read.sigma)) {
      throw std::invalid_argument(
          fmt::format("sigma of {}: found {}, allowed 0 or more", quantity.name, read.sigma));
    }
    for (const double value : read.values) CheckReading(quantity, value);
    const size_t count = read.values.size();
    if (count > 1 && num_repeats > 1 && count != num_repeats) {
      throw std::invalid_argument(fmt::format("{}: found {} readings, allowed 1 or {} as of {}",
                                              quantity.name, count, num_repeats, longest));
    }
    if (count > num_repeats) {
      num_repeats = count;
      longest = quantity.name;
    }
  }
  std::vector<std::vector<double>> repeats(num_repeats);
  for (const BenchQuantity& quantity : method.quantities) {
    const std::vector<double>& values = readings.at(std::string(quantity.name)).values;
    for (size_t i = 0; i < num_repeats; ++i) {
      repeats[i].push_back(values.size() == 1 ? values[0] : values[i]);
    }
  }
  return repeats;
}

// Derivative of the mean coefficient by an error that one quantity has in all repeats.
double CommonDerivative(const BenchMethod& method, std::vector<std::vector<double>> repeats,
                        size_t quantity, double gravity) {
  double sum = 0.0;
  for (std::vector<double>& x : repeats) {
    const double centre = x[quantity];
    // Stays on the allowed side of zero.
    const double step = centre != 0.0 ? 1e-6 * std::abs(centre) : 1e-9;
    x[quantity] = centre + step;
    const double above = method.Calculate(x, gravity);
    if (centre == 0.0) {
      x[quantity] = centre;
      sum += (above - method.Calculate(x, gravity)) / step;
    } else {
      x[quantity] = centre - step;
      sum += (above - method.Calculate(x, gravity)) / (2.0 * step);
    }
  }
  return sum / static_cast<double>(repeats.size());
}

}  // namespace

BenchMeasurement MeasureOnBench(const BenchMethod& method,
                                const std::map<std::string, Readings>& readings, double gravity) {
  if (!(gravity > 0.0) || !std::isfinite(gravity)) {
    throw std::invalid_argument(fmt::format("gravity: found {}, allowed above 0 m/s^2", gravity));
  }
  const std::vector<std::vector<double>> repeats = Repeats(method, readings);
  const auto count = static_cast<double>(repeats.size());
  BenchMeasurement result;
  result.coefficient = method.coefficient;
  for (const auto& repeat : repeats) {
    result.repeats.push_back(Coefficient(method, repeat, gravity));
  }
  result.value = std::accumulate(result.repeats.begin(), result.repeats.end(), 0.0) / count;
  const int dof = static_cast<int>(repeats.size()) - 1;
  if (dof > 0) {
    double sum = 0.0;
    for (const double one : result.repeats) sum += (one - result.value) * (one - result.value);
    result.scatter_sigma = std::sqrt(sum / dof / count);
  }
  for (size_t i = 0; i < method.quantities.size(); ++i) {
    const std::string name(method.quantities[i].name);
    const double stated = readings.at(name).sigma;
    const double sigma = std::abs(CommonDerivative(method, repeats, i, gravity)) * stated;
    result.readings.push_back({name, stated, stated > 0.0 ? sigma : 0.0});
    result.reading_sigma = std::hypot(result.reading_sigma, result.readings.back().sigma);
  }
  result.sigma = std::hypot(result.scatter_sigma, result.reading_sigma);
  const double half = HalfWidth95(result.scatter_sigma, dof, result.reading_sigma);
  result.ci95 = {std::max(0.0, result.value - half), result.value + half};
  if (method.coefficient == "e") result.ci95[1] = std::min(1.0, result.ci95[1]);
  if (result.sigma == 0.0) {
    result.warning = "no scatter and no reading error stated: no interval";
    result.sigma = std::numeric_limits<double>::quiet_NaN();
    result.ci95 = {result.sigma, result.sigma};
  } else if (dof == 0) {
    result.warning = "one repeat: the interval holds the stated reading errors only";
  } else if (result.scatter_sigma == 0.0) {
    result.warning = "all repeats alike: the interval holds the stated reading errors only";
  }
  return result;
}

namespace {

// The quantile is found by a search, which is slow for thousands of intervals.
double StudentQuantile95(int dof) {
  static const auto common = [] {
    std::array<double, 31> quantiles{};
    for (int i = 1; i <= 30; ++i) quantiles[i] = StudentTwoSidedQuantile(0.95, i);
    return quantiles;
  }();
  return dof <= 30 ? common[dof] : StudentTwoSidedQuantile(0.95, dof);
}

}  // namespace

double HalfWidth95(double scatter_sigma, int dof, double known_sigma) {
  const double z2 = kChiSquare95;
  const double b2 = known_sigma * known_sigma;
  if (dof == 0 || scatter_sigma == 0.0) return std::sqrt(z2 * b2);
  struct Shape {
    double c, k, q;
  };
  const Shape shape = dof == 1   ? Shape{0.0, 0.12, 10.0}
                      : dof == 2 ? Shape{1.0, 0.5, 2.0}
                                 : Shape{1.0, 0.6, 1.0};
  const double s2 = scatter_sigma * scatter_sigma;
  const double t = StudentQuantile95(dof);
  const double weight = std::exp(-std::pow(shape.k * b2 / s2, shape.q));
  return std::sqrt(z2 * (b2 + shape.c * s2) + (t * t - shape.c * z2) * s2 * weight);
}

}  // namespace percuss::fitting
