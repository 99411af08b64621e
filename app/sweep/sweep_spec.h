// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "app/sweep/sweep_setup.h"
#include "solver/law/impact_law.h"

namespace percuss::app {

/// An input that follows the axis: offset + factor * value.
struct SweepLink {
  std::size_t input;
  double offset, factor;
};

struct SweepAxis {
  std::size_t input;
  double from, to;  ///< first and last value
  std::size_t count;
  std::vector<SweepLink> links;

  double At(std::size_t index) const {
    if (count == 1) return from;
    return from + (to - from) * (static_cast<double>(index) / static_cast<double>(count - 1));
  }
  /// Sets the input of this axis and those linked to it.
  void Set(double value, std::vector<double>& values) const {
    values[input] = value;
    for (const SweepLink& link : links) values[link.input] = link.offset + link.factor * value;
  }
};

/// What SPEC.yaml says, checked: every value that the axes reach is within its bounds.
struct SweepSpec {
  solver::LawInfo law;
  SweepSetup setup;
  std::vector<SweepInput> inputs;  ///< those of the set-up, then the parameters of the law
  std::size_t num_parameters = 0;  ///< of them, at the end
  std::vector<SweepAxis> axes;     ///< one or two
  std::string plot = "case";       ///< or dissipation
  std::string title;

  std::size_t NumPoints() const { return axes[0].count * (axes.size() > 1 ? axes[1].count : 1); }
};

/// @throws InputError with one line that names file, field, value and what is allowed.
SweepSpec ReadSweep(const std::filesystem::path& file);

}  // namespace percuss::app
