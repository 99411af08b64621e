// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/command_list.h"

#include <CLI/CLI.hpp>

namespace percuss::app {
namespace {

OptionFacts FactsOf(const CLI::Option& option) {
  const std::vector<std::string>& names = option.get_lnames();
  OptionFacts facts{.name = names.empty() ? option.get_name() : "--" + names.front(),
                    .positional = option.get_positional(),
                    .required = option.get_required(),
                    .flag = option.get_items_expected_max() == 0,
                    .least_values = option.get_items_expected_min(),
                    .most_values = option.get_items_expected_max(),
                    .values = option.get_type_name(),
                    .meaning = option.get_description(),
                    .standard = option.get_default_str()};
  return facts;
}

void AddFacts(const CLI::App& command, const std::string& name, std::vector<CommandFacts>& all) {
  const auto every = [](const CLI::App*) { return true; };
  const std::vector<const CLI::App*> parts = command.get_subcommands(every);
  for (const CLI::App* part : parts) AddFacts(*part, name + " " + part->get_name(), all);
  if (!parts.empty()) return;
  CommandFacts facts{.name = name, .meaning = command.get_description(), .options = {}};
  for (const CLI::Option* option : command.get_options()) {
    if (option != command.get_help_ptr()) facts.options.push_back(FactsOf(*option));
  }
  all.push_back(std::move(facts));
}

}  // namespace

std::vector<Command> AddCommands(CLI::App& program, const CommonOptions& common) {
  return {
      MakeRunCommand(program, common),     MakeCalibrateCommand(program, common),
      MakeTrackCommand(program, common),   MakeFitCommand(program, common),
      MakeAuditCommand(program, common),   MakeReportCommand(program, common),
      MakeImpactCommand(program, common),  MakeSimulateCommand(program, common),
      MakeSweepCommand(program, common),   MakeSynthesizeCommand(program, common),
      MakeConvertCommand(program, common), MakeMeasureCommand(program, common),
      MakeBounceCommand(program, common),  MakeWatchCommand(program, common),
      MakeLawsCommand(program, common),
  };
}

std::vector<CommandFacts> ListCommands() {
  CLI::App program(kProgramSummary, "percuss");
  const std::vector<Command> commands = AddCommands(program, {});
  std::vector<CommandFacts> all;
  for (const Command& command : commands)
    AddFacts(*command.subcommand, command.subcommand->get_name(), all);
  return all;
}

}  // namespace percuss::app
