// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/command.h"
#include "base/files/folder_lock.h"
#include "base/parallel.h"
#include "base/text/json_text.h"
#include "report/report.h"

namespace percuss::app {
namespace {

struct ReportArguments {
  std::string run_folder;
  bool pdf = false;
  bool json = false;
};

std::string ToJson(const report::ReportSummary& summary) {
  nlohmann::ordered_json json;
  json["files"] = nlohmann::json::array();
  for (const auto& file : summary.files_written) json["files"].push_back(file.string());
  json["missing_parts"] = summary.missing_parts;
  json["missing_pdf"] = summary.missing_pdf;
  return JsonText(json, 2);
}

int RunReport(const ReportArguments& arguments, const CommonOptions& common) {
  std::optional<FolderLock> alone;
  if (std::filesystem::is_directory(arguments.run_folder)) alone.emplace(arguments.run_folder);
  const report::ReportSummary summary = report::WriteReport(
      arguments.run_folder,
      {.command = common.command_line, .pdf = arguments.pdf, .num_threads = AllCores()});
  for (const std::string& part : summary.missing_parts) {
    fmt::print(stderr, "percuss: {}\n", part);
  }
  if (!summary.missing_pdf.empty())
    fmt::print(stderr, "percuss: no summary.pdf: {}\n", summary.missing_pdf);
  if (arguments.json) {
    fmt::print("{}", ToJson(summary));
  } else {
    for (const auto& file : summary.files_written) fmt::print("{}\n", file.string());
  }
  return summary.missing_pdf.empty() ? kExitOk : kExitBadInput;
}

}  // namespace

Command MakeReportCommand(CLI::App& program, const CommonOptions& common) {
  CLI::App* subcommand = program.add_subcommand(
      "report", "Write the report of a run again: report.html, report.md, tables/*.csv and *.json");
  subcommand->footer(
      "Example:  percuss report out/bar-drop --pdf\n"
      "Exit 2: bad input, or no summary.pdf though it was asked for; the rest is written then.");
  const auto arguments = std::make_shared<ReportArguments>();
  subcommand->add_option("OUT", arguments->run_folder, "folder that 'percuss run' wrote")
      ->required();
  subcommand->add_flag("--pdf", arguments->pdf,
                       "write summary.pdf, too: the first screen of the report on one sheet of A4. "
                       "Chromium prints it (Debian package chromium)");
  subcommand->add_flag("--json", arguments->json, "print the list of files as JSON");
  return {subcommand, [arguments, common] { return RunReport(*arguments, common); }};
}

}  // namespace percuss::app
