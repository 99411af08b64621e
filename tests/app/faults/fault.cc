// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/app/faults/fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "base/files/files.h"

namespace percuss::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKindNames[] = {"none", "once", "from-then", "read-only",
                                      "half", "kill", "read",      "grow"};

// Name below the folder to its content, but for .steps, which knows the times of files.
std::map<std::string, std::string> ContentsOf(const fs::path& folder) {
  std::map<std::string, std::string> contents;
  if (!fs::exists(folder)) return contents;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = fs::relative(entry.path(), folder).string();
    if (entry.is_regular_file() && !name.starts_with(".steps/"))
      contents[name] = ReadFile(entry.path());
  }
  return contents;
}

std::string Whole(const std::string& name, const std::string& content) {
  return HashText(fs::path(name).filename().string() + "\n" + content);
}

// A report of a run that failed says so: it is none of those of before. It must have its end.
bool IsWholeReport(const std::string& name, const std::string& content) {
  if (name.ends_with(".html")) return content.ends_with("</html>\n");
  if (name.ends_with(".md") || name.ends_with(".csv")) return content.ends_with("\n");
  if (name.ends_with(".json")) return nlohmann::json::accept(content);
  return false;
}

bool IsOfReport(const std::string& name) {
  return name.starts_with("report.") || name.starts_with("tables/") || name == "calibration.html";
}

// It says what failed.
bool IsOfFailedTrial(const std::string& name, const std::string& content) {
  return name.ends_with("trial.json") && nlohmann::json::accept(content) &&
         content.find("\"status\": \"ok\"") == std::string::npos;
}

// What is made of all trials; where one failed, of the others.
bool IsOfAllTrials(const std::string& name) {
  return name == "bench.json" || name == "diagnosis.json";
}

// The name that a call is about, and not the one under which the file begins.
std::string FileOf(const std::string& call) {
  const std::string name = fs::path(call.substr(call.find(' ') + 1)).filename().string();
  return std::regex_replace(name, std::regex(R"(^\.(.*)\.\d+-\d+\.part$)"), "$1");
}

bool IsUnfinished(const std::string& name) { return name.ends_with(".part"); }

}  // namespace

std::string NameOf(const Fault& fault) {
  return fmt::format("{} at {} ({})", kKindNames[static_cast<int>(fault.kind)], fault.at,
                     std::strerror(fault.error));
}

FaultedRun RunWithFault(const std::vector<std::string>& arguments, const fs::path& working_folder,
                        const fs::path& fault_folder, const Fault& fault, const fs::path& keep) {
  const TemporaryFolder own;
  std::vector<std::string> words = {
      "/usr/bin/env",
      "LD_PRELOAD=" PERCUSS_FAILING_CALLS,
      "PERCUSS_FAULT_FOLDER=" + fs::weakly_canonical(fault_folder).string(),
      fmt::format("PERCUSS_FAULT_KIND={}", kKindNames[static_cast<int>(fault.kind)]),
      fmt::format("PERCUSS_FAULT_AT={}", fault.at),
      fmt::format("PERCUSS_FAULT_ERRNO={}", fault.error),
      fmt::format("PERCUSS_FAULT_CLOCK={}", fault.clock_shift),
      "PERCUSS_FAULT_LOG=" + (own / "calls").string(),
      "PERCUSS_FAULT_KEEP=" + keep.string(),
      PERCUSS_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  FaultedRun faulty{RunProgram(std::move(words), working_folder), {}, {}};
  std::ifstream calls(own / "calls");
  for (std::string call; std::getline(calls, call);) {
    if (call.starts_with("! ")) faulty.failed.push_back(call = call.substr(2));
    faulty.calls.push_back(call);
  }
  return faulty;
}

FaultyRuns::FaultyRuns(const fs::path& folder, const std::string& experiment,
                       const std::string& former, const std::vector<std::string>& options)
    : folder_(folder),
      out_(folder / "faulty/out"),
      expected_(folder / "undisturbed/out"),
      experiment_(experiment),
      options_(options) {
  const auto run_former = [&](const fs::path& out) {
    const ProgramRun run = RunPercuss({"run", former, "-o", out.string(), "--jobs", "1"}, folder_);
    if (run.exit_code != 0) throw std::runtime_error(run.err);
  };
  if (!former.empty()) {
    former_ = folder / "former";
    run_former(former_);
    for (const auto& [name, content] : ContentsOf(former_)) whole_.insert(Whole(name, content));
  }
  // In the folder of the faulty ones: all that the program knows of it is the same.
  const fs::path keep = folder / "kept";
  fs::create_directories(keep);
  fs::create_directories(out_.parent_path());
  if (!former_.empty()) fs::copy(former_, out_, fs::copy_options::recursive);
  const FaultedRun undisturbed = RunWithFault(Arguments(), folder_, out_.parent_path(), {}, keep);
  if (undisturbed.run.exit_code != 0) throw std::runtime_error(undisturbed.run.err);
  calls_ = undisturbed.calls;
  fs::create_directories(expected_.parent_path());
  fs::rename(out_, expected_);
  std::vector<std::string> named;
  std::ranges::copy_if(calls_, std::back_inserter(named),
                       [](const std::string& call) { return call.starts_with("rename "); });
  for (std::size_t i = 0; i < named.size(); ++i)
    whole_.insert(Whole(FileOf(named[i]), ReadFile(keep / std::to_string(i + 1))));
  for (const auto& [name, content] : ContentsOf(expected_)) {
    if (!whole_.contains(Whole(name, content)))
      throw std::runtime_error(name + ": got its name otherwise than by rename()");
  }
  reads_ = RunWithFault(Arguments(), folder_, folder_ / fs::path(experiment_).parent_path(),
                        {.kind = FaultKind::kRead})
               .calls;
  fs::remove_all(out_);
}

std::vector<std::string> FaultyRuns::Arguments() const {
  std::vector<std::string> arguments = {"run", experiment_, "-o", "faulty/out", "--jobs", "1"};
  arguments.insert(arguments.end(), options_.begin(), options_.end());
  return arguments;
}

std::vector<std::string> FaultyRuns::ComplaintsAbout(const Fault& fault,
                                                     const FaultedRun& faulty) const {
  std::vector<std::string> complaints;
  const ProgramRun& run = faulty.run;
  if (fault.kind == FaultKind::kKill) {
    if (run.exit_code != 128 + SIGKILL)
      complaints.push_back(fmt::format("killed, and its exit code was {}", run.exit_code));
    return complaints;
  }
  if (run.exit_code >= 128)
    complaints.push_back(fmt::format("ended by a signal: {}", run.exit_code));
  if (faulty.failed.empty()) {
    if (run.exit_code != 0) complaints.push_back("failed without a fault: " + run.err);
    return complaints;
  }
  // A fault at something that was not needed has no consequences; else the message says what.
  const std::string& call = faulty.failed.front();
  // Where many calls fail, one of them is told; a folder that goes with all in it is named as a
  // whole.
  const bool named = std::ranges::any_of(faulty.failed, [&](const std::string& failed) {
    const std::string folder = fs::path(failed).parent_path().filename().string();
    return run.err.find(FileOf(failed)) != std::string::npos ||
           (failed.starts_with("unlink ") && run.err.find(folder) != std::string::npos);
  });
  const bool said = named && run.err.find(std::strerror(fault.error)) != std::string::npos;
  if (!said && run.exit_code != 0)
    complaints.push_back(fmt::format("{}: exit {}, and says: {}", call, run.exit_code, run.err));
  if (!said && run.exit_code == 0) {
    const auto found = ContentsOf(out_), expected = ContentsOf(expected_);
    if (found != expected) complaints.push_back(call + ": says nothing, and files are others");
  }
  return complaints;
}

std::vector<std::string> FaultyRuns::Complaints(const Fault& fault) const {
  fs::remove_all(out_);
  if (!former_.empty()) fs::copy(former_, out_, fs::copy_options::recursive);
  const fs::path watched =
      fault.kind == FaultKind::kRead ? fs::path(experiment_).parent_path() : fs::path("faulty");
  const FaultedRun faulty = RunWithFault(Arguments(), folder_, folder_ / watched, fault);
  std::vector<std::string> complaints = ComplaintsAbout(fault, faulty);
  const auto left = ContentsOf(out_);
  const bool trial_failed = std::ranges::any_of(
      left, [](const auto& file) { return IsOfFailedTrial(file.first, file.second); });
  for (const auto& [name, content] : left) {
    if (IsUnfinished(name)) {
      const bool may_stay = fault.kind == FaultKind::kKill || fault.kind == FaultKind::kReadOnly;
      const auto is_unlink = [](const std::string& call) { return call.starts_with("unlink "); };
      if (!may_stay && std::ranges::none_of(faulty.failed, is_unlink))
        complaints.push_back(name + ": is left");
      continue;
    }
    if (whole_.contains(Whole(name, content))) continue;
    if (IsOfReport(name) && IsWholeReport(name, content)) continue;
    if (IsOfFailedTrial(name, content)) continue;
    if (trial_failed && IsOfAllTrials(name) && nlohmann::json::accept(content)) continue;
    complaints.push_back(name + ": is neither of before nor whole");
  }
  const ProgramRun again = RunPercuss(Arguments(), folder_);
  if (again.exit_code != 0) complaints.push_back("again: " + again.err);
  const auto found = ContentsOf(out_), expected = ContentsOf(expected_);
  for (const auto& [name, content] : expected) {
    const auto at = found.find(name);
    if (at == found.end())
      complaints.push_back("again: " + name + ": is missing");
    else if (at->second != content)
      complaints.push_back("again: " + name + ": differs");
  }
  for (const auto& [name, content] : found)
    if (!expected.contains(name)) complaints.push_back("again: " + name + ": is left");
  return complaints;
}

}  // namespace percuss::testing
