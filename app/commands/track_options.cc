// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/commands/track_options.h"

#include <CLI/CLI.hpp>

namespace percuss::app {

void AddTrackOptions(CLI::App* subcommand, std::string* states, int* jobs) {
  subcommand
      ->add_option(
          "--states", *states,
          "How velocities at the impact are found: arcs (two flights fitted to the pixels), "
          "rts (Kalman smoother) or houbolt (differences of four frames, as in a thesis), "
          "the last two for comparison")
      ->check(CLI::IsMember({"arcs", "rts", "houbolt"}))
      ->type_name("NAME")
      ->capture_default_str();
  subcommand->add_option("--jobs", *jobs, "Threads, and trials processed at a time")
      ->check(CLI::Range(1, 256))
      ->type_name("N")
      ->capture_default_str();
}

}  // namespace percuss::app
