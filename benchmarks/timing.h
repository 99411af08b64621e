// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <ctime>
#include <limits>
#include <vector>

namespace percuss::benchmarks {

/// Time of a call in nanoseconds.
template <class Function>
double Nanoseconds(const Function& function) {
  const auto start = std::chrono::steady_clock::now();
  function();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

/// Processor time of a call in nanoseconds, that of all threads of this program: what else the
/// machine does matters little.
template <class Function>
double ProcessorNanoseconds(const Function& function) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  function();
  return now() - start;
}

/// The time [ns] of solve(k) for each k < count: the least of several repetitions of a loop that
/// is long against the clock.
template <class Solve>
std::vector<double> TimePerProblem(std::size_t count, const Solve& solve) {
  constexpr double kLoopTime = 2000.0;  // [ns]
  constexpr double kLongCall = 1e5;     // [ns], not worth many repetitions
  std::vector<double> times;
  for (std::size_t k = 0; k < count; ++k) {
    solve(k);
    const double once = Nanoseconds([&] { solve(k); });
    const int loop = static_cast<int>(std::clamp(kLoopTime / once, 1.0, 100.0));
    const int repetitions = once > kLongCall ? 2 : 7;
    double least = std::numeric_limits<double>::infinity();
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      least = std::min(least, Nanoseconds([&] {
                                for (int i = 0; i < loop; ++i) solve(k);
                              }) / loop);
    }
    times.push_back(least);
  }
  return times;
}

/// Not-a-numbers count as largest; NaN of nothing.
inline double Quantile(std::vector<double> values, double share) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  for (double& value : values) {
    if (std::isnan(value)) value = std::numeric_limits<double>::infinity();
  }
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(
                                          share * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

}  // namespace percuss::benchmarks
