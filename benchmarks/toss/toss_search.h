// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "benchmarks/toss/toss_engine.h"

namespace percuss::benchmarks {

/// The least of a function of coefficients within their bounds, by the downhill simplex of J. A.
/// Nelder and R. Mead (The Computer Journal 7, 1965) from their starts: the mean error of tosses
/// has jumps, where one lands on another face, so that derivatives say little.
inline std::vector<double> SearchCoefficients(
    const std::vector<TossCoefficient>& coefficients,
    const std::function<double(const std::vector<double>&)>& function, int max_calls) {
  struct Corner {
    std::vector<double> place;
    double value;
  };
  const std::size_t size = coefficients.size();
  const auto look = [&](std::vector<double> place) {
    for (std::size_t i = 0; i < size; ++i) {
      place[i] = std::clamp(place[i], coefficients[i].lowest, coefficients[i].highest);
    }
    const double value = function(place);
    return Corner{std::move(place), value};
  };
  std::vector<double> start;
  for (const TossCoefficient& coefficient : coefficients) start.push_back(coefficient.start);
  std::vector<Corner> simplex = {look(start)};
  for (std::size_t i = 0; i < size; ++i) {
    std::vector<double> place = start;
    place[i] += coefficients[i].step;
    simplex.push_back(look(place));
  }
  const auto by_value = [](const Corner& a, const Corner& b) { return a.value < b.value; };
  for (int calls = static_cast<int>(size) + 1; calls < max_calls;) {
    std::sort(simplex.begin(), simplex.end(), by_value);
    Corner& worst = simplex.back();
    // From the worst corner through the middle of the others, by `factor` of the way.
    const auto beyond = [&](double factor) {
      std::vector<double> place(size);
      for (std::size_t i = 0; i < size; ++i) {
        double middle = 0.0;
        for (std::size_t k = 0; k < size; ++k) middle += simplex[k].place[i] / double(size);
        place[i] = worst.place[i] + factor * (middle - worst.place[i]);
      }
      ++calls;
      return look(place);
    };
    Corner next = beyond(2.0);
    if (next.value < simplex.front().value) {
      Corner further = beyond(3.0);
      worst = std::min(next, further, by_value);
    } else if (next.value < simplex[size - 1].value) {
      worst = next;
    } else {
      Corner inside = beyond(next.value < worst.value ? 1.5 : 0.5);
      if (inside.value < std::min(next.value, worst.value)) {
        worst = inside;
      } else {
        for (std::size_t k = 1; k <= size; ++k, ++calls) {
          for (std::size_t i = 0; i < size; ++i) {
            simplex[k].place[i] = 0.5 * (simplex[k].place[i] + simplex[0].place[i]);
          }
          simplex[k] = look(simplex[k].place);
        }
      }
    }
  }
  return std::min_element(simplex.begin(), simplex.end(), by_value)->place;
}

}  // namespace percuss::benchmarks
