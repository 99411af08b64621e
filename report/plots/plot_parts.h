// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <string>

#include "report/facts/run_folder.h"

namespace percuss::report {

/// At most `longest` bytes of the text, its end as "..." where more would follow.
std::string Shortened(const std::string& text, std::size_t longest);

/// Range of numbers; those that are not finite do not count.
struct Extent {
  double low = kNaN, high = kNaN;

  void Include(double value);
  bool IsEmpty() const { return !(low <= high); }
  double Length() const { return high - low; }
};

/// 1, 2 or 5 times a power of ten, for two to five steps: more labels would touch in narrow plots.
double NiceStep(double range);

}  // namespace percuss::report
