// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/commands/fit_options.h"

#include <CLI/CLI.hpp>

namespace percuss::app {

void AddFitChoices(CLI::App* subcommand, pipeline::FitChoices* choices) {
  subcommand
      ->add_option("--law", choices->laws,
                   "Impact law to fit (see percuss laws), may be repeated; or all")
      ->type_name("NAME")
      ->capture_default_str();
  subcommand
      ->add_option("--model", choices->models,
                   "How a parameter depends on the approach speed of the contact point, may be "
                   "repeated; MODEL is one of " +
                       fitting::ParameterModelNames() +
                       ": a + b u, a u^b or 1 - a u^b of the normal or tangential speed u [m/s]")
      ->type_name("PARAMETER=MODEL");
  subcommand
      ->add_option("--group", choices->group,
                   "Column of the table, or group of the trials (surface, body), in whose groups "
                   "the parameters differ; all of them, or those named")
      ->type_name("COLUMN[:PARAMETER,...]");
  subcommand->add_flag("--scatter", choices->scatter,
                       "Estimate how much the parameters differ from impact to impact, and what to "
                       "expect of the next one");
  subcommand->add_flag("--robust", choices->robust,
                       "Huber's loss on whole impacts: a few that do not fit count little");
  subcommand
      ->add_option("--bootstrap", choices->bootstrap,
                   "Replicates of a trial bootstrap, for percentile intervals beside the others; "
                   "200 or more are useful")
      ->type_name("NUMBER")
      ->check(CLI::Range(0, 100000));
}

}  // namespace percuss::app
