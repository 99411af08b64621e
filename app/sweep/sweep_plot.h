// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "app/sweep/sweep.h"

namespace percuss::app {

/// The script that draws a sweep as SVG on the plotting program's standard output: over two axes a
/// map of the cases in fixed colours with a key, or of the dissipated energy with a colour bar;
/// over one axis the dissipated energy, coloured by case. Points without an impact stay white.
std::string SweepPlotScript(const SweepSpec& spec, const SweepResult& result);

}  // namespace percuss::app
