// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <thread>

#include "app/command.h"
#include "app/watch/campaign_status.h"
#include "app/watch/child_run.h"
#include "app/watch/folder_look.h"
#include "app/watch/watch_server.h"
#include "base/error.h"
#include "base/files/files.h"
#include "base/files/folder_lock.h"
#include "pipeline/run_steps.h"

namespace percuss::app {
namespace {

namespace fs = std::filesystem;

struct WatchArguments {
  std::string folder, output;
  std::vector<std::string> options;
  int port = 8765;
  bool once = false;
};

/// Which clips were measured before by an equal command, so that they are not measured again; the
/// run of a campaign knows that by itself.
class MeasuredClips {
 public:
  explicit MeasuredClips(const fs::path& out)
      : record_(out / ".watch/clips"), results_(out / "batch.json") {}

  /// The exit code of that command; nothing if there was none.
  std::optional<int> Find(const std::string& fingerprint) const {
    if (!fs::exists(record_) || !fs::exists(results_)) return std::nullopt;
    for (const int code : {kExitOk, kExitBadInput, kExitNoAnswer}) {
      if (ReadFile(record_) == Text(fingerprint, code)) return code;
    }
    return std::nullopt;
  }
  void Remember(const std::string& fingerprint, int exit_code) const {
    WriteFileAtomically(record_, Text(fingerprint, exit_code));
  }

 private:
  static std::string Text(const std::string& fingerprint, int exit_code) {
    return fmt::format("{} {}\n", HashText(fingerprint), exit_code);
  }
  fs::path record_, results_;
};

/// Why no run can begin in a folder: another one is at work in it. Empty if one can.
std::string WhyBusy(const fs::path& out) {
  try {
    const FolderLock free(out);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

/// Trials of the campaign that were not tracked yet.
std::ptrdiff_t CountNew(const FolderLook& look, const fs::path& out) {
  if (look.clips) return 0;
  return std::ranges::count_if(look.landed, [&](const LandedTrial& trial) {
    return !fs::exists(out / trial.results / "trial.json");
  });
}

/// Runs percuss on what lies in the folder, again whenever that has changed.
class Processing {
 public:
  explicit Processing(const WatchArguments& arguments)
      : arguments_(arguments), out_(arguments.output), measured_(arguments.output) {}

  void BeginIfDue(const FolderLook& look) {
    if (look.clips && begun_.empty()) {
      if (const std::optional<int> before = measured_.Find(FingerprintOf(look))) {
        begun_ = FingerprintOf(look);
        exit_code_ = *before;
      }
    }
    if (run_.IsRunning() || IsUpToDate(look)) return;
    complaint_ = WhyBusy(out_);
    if (!complaint_.empty()) return;
    begun_ = FingerprintOf(look);
    std::vector<std::string> words = look.command;
    // Many at once are taken in parts, each as large as all before it: the report grows.
    constexpr std::ptrdiff_t kFirst = 8;
    num_new_ = CountNew(look, out_);
    const std::ptrdiff_t part = std::max(kFirst, std::ssize(look.landed) - num_new_);
    is_part_ = num_new_ > part;
    if (is_part_) words.push_back(std::to_string(part));
    words.insert(words.end(), {"-o", arguments_.output});
    words.insert(words.end(), arguments_.options.begin(), arguments_.options.end());
    run_.Start(words);
  }

  /// For the end of what is at work, at most so long; just so long where nothing is.
  void Wait(const FolderLook& look, std::chrono::milliseconds pause) {
    if (!run_.IsRunning()) return std::this_thread::sleep_for(pause);
    const std::optional<int> ended = run_.Wait(pause);
    if (!ended) return;
    exit_code_ = *ended;
    complaint_ = *ended == kExitOk ? "" : run_.Complaint();
    if (!complaint_.empty() && complaint_ != said_) fmt::print(stderr, "watch: {}\n", complaint_);
    said_ = complaint_;
    if (look.clips && *ended <= kExitNoAnswer) measured_.Remember(begun_, *ended);
    if (is_part_ && CountNew(look, out_) < num_new_) begun_ = "";
  }

  /// Whether nothing is at work, and nothing that the folder holds would be.
  bool IsUpToDate(const FolderLook& look) const {
    return !run_.IsRunning() && (look.command.empty() || begun_ == FingerprintOf(look));
  }
  WorkState State(const FolderLook& look) const {
    return {.running = run_.IsRunning(),
            .settled = !run_.IsRunning() && begun_ == FingerprintOf(look),
            .activity = run_.LastLine(),
            .complaint = complaint_};
  }
  int ExitCode() const { return exit_code_; }

 private:
  std::string FingerprintOf(const FolderLook& look) const {
    return fmt::format("{}\n{}\n{}", ProgramVersion(), fmt::join(arguments_.options, "\n"),
                       look.fingerprint);
  }

  const WatchArguments& arguments_;
  fs::path out_;
  MeasuredClips measured_;
  ChildRun run_;
  std::string begun_;             // fingerprint of what is, or was last, in work
  std::string complaint_, said_;  // why that ended; what was printed of it
  bool is_part_ = false;          // of the trials
  std::ptrdiff_t num_new_ = 0;    // trials, when that began
  int exit_code_ = kExitOk;
};

int RunWatch(const WatchArguments& arguments) {
  constexpr std::chrono::seconds kPause(1);
  const fs::path out = arguments.output;
  FolderLook look = LookAt(arguments.folder);
  pipeline::CheckOutputFolder(out);
  const FolderLock alone(out / ".watch");
  std::optional<WatchServer> server;
  if (!arguments.once) {
    server.emplace(arguments.port, out);
    fmt::print("Watching {}: http://127.0.0.1:{}/ (Ctrl-C ends it; nothing is lost)\n",
               arguments.folder, server->Port());
    std::fflush(stdout);
  }
  ResultReader results(out);
  Processing processing(arguments);
  for (;; look = LookAt(arguments.folder)) {
    if (arguments.once && !look.problem.empty()) throw InputError(look.problem);
    processing.BeginIfDue(look);
    if (server) server->Publish(StatusJson(results.StatusOf(look, processing.State(look))));
    const bool more = std::ranges::any_of(look.waiting, &pipeline::WaitingTrial::writing);
    if (arguments.once && !more && processing.IsUpToDate(look)) return processing.ExitCode();
    processing.Wait(look, kPause);
  }
}

}  // namespace

Command MakeWatchCommand(CLI::App& program, const CommonOptions&) {
  CLI::App* subcommand =
      program.add_subcommand("watch", "A page that follows a campaign while its videos come in.");
  const auto arguments = std::make_shared<WatchArguments>();
  subcommand
      ->add_option("FOLDER", arguments->folder,
                   "Folder with experiment.yaml, or with clips of a ball; or an experiment file")
      ->required()
      ->type_name("");
  subcommand
      ->add_option("-o,--output", arguments->output, "Folder for all results; made if missing")
      ->required()
      ->type_name("OUT");
  subcommand
      ->add_option("--port", arguments->port,
                   "Of the page, which only this machine sees: http://127.0.0.1:PORT/. 0: any that "
                   "is free")
      ->check(CLI::Range(0, 65535))
      ->type_name("PORT")
      ->capture_default_str();
  subcommand->add_flag("--once", arguments->once, "Process what is there and end, without a page");
  subcommand
      ->add_option("RUN_OPTIONS", arguments->options,
                   "After --: options of percuss run, or of percuss bounce for clips of a ball")
      ->type_name("");
  subcommand->footer(
      "Example:  percuss watch my-drops -o results\n"
      "          percuss watch clips -o balls -- --diameter 0.040\n"
      "Open the address that it prints in a browser. Copy videos into the folder: each trial is\n"
      "processed once its videos have not changed for two seconds. New trials need no line in\n"
      "experiment.yaml if their videos are named like those of its trials: trials/NEW/left.mp4\n"
      "and right.mp4 beside trials/OLD/left.mp4 and right.mp4.\n"
      "Ctrl-C ends it. The same command goes on from there; what is done is not done again.");
  return {subcommand, [arguments] { return RunWatch(*arguments); }};
}

}  // namespace percuss::app
