// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/usage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <regex>
#include <string_view>
#include <vector>

#include "base/text/yaml_field.h"

namespace percuss::app {
namespace {

/// The command that was typed, as far as it is one, and its words: "percuss measure roll".
struct TypedCommand {
  const CLI::App* app;
  std::string words;
};

TypedCommand FindTypedCommand(const CLI::App& program) {
  TypedCommand typed{&program, program.get_name()};
  while (!typed.app->get_subcommands().empty()) {
    typed.app = typed.app->get_subcommands().front();
    typed.words += " " + typed.app->get_name();
  }
  return typed;
}

bool IsOption(const std::string& word) { return word.size() > 1 && word[0] == '-' && word != "--"; }

/// The known word that is nearest, or one of which `word` is a part.
std::string Perhaps(std::string_view word, const std::vector<std::string>& known) {
  std::string_view meant = NearestWord(word, {known.begin(), known.end()});
  const std::string_view part = word.substr(std::min(word.find_first_not_of('-'), word.size()));
  const auto longer = std::ranges::find_if(
      known, [&](const std::string& one) { return one.find(part) != std::string::npos; });
  if (meant.empty() && part.size() > 2 && longer != known.end()) meant = *longer;
  return meant.empty() ? "" : fmt::format(" (perhaps {}?)", meant);
}

std::string MessageOfCommand(const TypedCommand& typed, const std::string& word,
                             const std::vector<std::string>& known) {
  std::error_code error;
  if (std::filesystem::exists(word, error)) {
    return fmt::format(
        "{}: found a file or folder where a command belongs; '{} --help' lists those", word,
        typed.words);
  }
  return fmt::format("{}: found no such command{}; '{} --help' lists all", word,
                     Perhaps(word, known), typed.words);
}

std::string MessageOfOption(const TypedCommand& typed, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> known;
  for (const CLI::Option* option : typed.app->get_options()) {
    for (const std::string& one : option->get_lnames()) known.push_back("--" + one);
  }
  if (std::ranges::find(known, name) != known.end()) {
    return fmt::format("{}: found before the command, allowed after '{}'", name, typed.words);
  }
  return fmt::format("{}: found no such option of '{}'{}; '{} --help' lists all", name, typed.words,
                     Perhaps(name, known), typed.words);
}

/// As it is typed: FILE, or -o OUT.
std::string TextOf(const CLI::Option& option) {
  if (option.get_positional()) {
    const std::string type = option.get_type_name();
    const bool says_nothing = type.empty() || type == "TEXT";  // the type of all strings
    const std::string name = says_nothing ? option.get_name() : type;
    const bool several = option.get_items_expected_max() > 1;
    return several && name.find("...") == std::string::npos ? name + "..." : name;
  }
  const std::string name = option.get_snames().empty() ? "--" + option.get_lnames().front()
                                                       : "-" + option.get_snames().front();
  return name + " " + option.get_type_name();
}

/// What the library says of a value, in our words; the rest as it is.
std::string InOurWords(const std::string& text) {
  static const std::regex range("(.+): Value (.*) not in range (.+)");
  static const std::regex set(R"((.+): (.*) not in \{(.+)\})");
  static const std::regex none(R"((.+): 1 required ([^:]+).* missing)");
  static const std::regex often(R"((.+): At Most (\d+) required but received (\d+))");
  static const std::regex zeros(R"(\.000000\b)"), endless(R"(allowed (.+) to 17976931\d+)");
  std::string ours = std::regex_replace(text, set, "$1: found $2, allowed one of $3");
  ours = std::regex_replace(ours, range, "$1: found $2, allowed $3");
  ours = std::regex_replace(ours, none, "$1: found no $2 after it");
  ours = std::regex_replace(ours, often, "$1: found $3 times, allowed $2");
  ours = std::regex_replace(ours, zeros, "");
  return std::regex_replace(ours, endless, "allowed above $1");
}

/// Files first, then options.
std::vector<const CLI::Option*> RequiredOptions(const CLI::App& command) {
  std::vector<const CLI::Option*> options =
      command.get_options([](const CLI::Option* option) { return option->get_required(); });
  std::stable_partition(options.begin(), options.end(),
                        [](const CLI::Option* option) { return option->get_positional(); });
  return options;
}

std::string MessageOfMissing(const TypedCommand& typed, const std::string& otherwise) {
  std::vector<std::string> required, missing;
  for (const CLI::Option* option : RequiredOptions(*typed.app)) {
    required.push_back(TextOf(*option));
    if (option->count() == 0) missing.push_back(required.back());
  }
  if (missing.empty())
    return fmt::format("{}; '{} --help' explains", InOurWords(otherwise), typed.words);
  return fmt::format("found no {}, allowed '{} {}'; '{} --help' explains",
                     fmt::join(missing, " and no "), typed.words, fmt::join(required, " "),
                     typed.words);
}

/// The first line of --help: what must be typed, as it is typed.
class UsageLine : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* command, std::string name) const override {
    if (!command->get_subcommands([](const CLI::App*) { return true; }).empty())
      return CLI::Formatter::make_usage(command, std::move(name));
    for (const CLI::Option* option : RequiredOptions(*command)) name += " " + TextOf(*option);
    for (const CLI::Option* option : command->get_options())
      if (option->get_positional() && !option->get_required())
        name += fmt::format(" [{}]", TextOf(*option));
    return fmt::format("Usage: {} [OPTIONS]\n", name);
  }
};

}  // namespace

void ExplainUsage(CLI::App& program) { program.formatter(std::make_shared<UsageLine>()); }

std::string UsageMessage(const CLI::App& program, const CLI::ParseError& error) {
  const TypedCommand typed = FindTypedCommand(program);
  const std::vector<std::string> unknown = program.remaining(/*recurse=*/true);
  std::vector<std::string> commands;
  for (const CLI::App* command : typed.app->get_subcommands([](const CLI::App*) { return true; }))
    commands.push_back(command->get_name());
  // What follows a word that should be a command are options of no command.
  if (!commands.empty() && !unknown.empty() && !IsOption(unknown.front()))
    return MessageOfCommand(typed, unknown.front(), commands);
  const auto option = std::ranges::find_if(unknown, IsOption);
  if (option != unknown.end()) return MessageOfOption(typed, *option);
  if (!commands.empty()) {
    return fmt::format("found no command after '{}', allowed one of {}", typed.words,
                       fmt::join(commands, ", "));
  }
  if (!unknown.empty()) {
    return fmt::format("{}: found a word too many; '{} --help' lists what it takes",
                       unknown.front(), typed.words);
  }
  return MessageOfMissing(typed, error.what());
}

}  // namespace percuss::app
