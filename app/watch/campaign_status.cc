// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/watch/campaign_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text/json_field.h"
#include "base/text/json_text.h"
#include "base/text/numbers.h"
#include "fitting/result/fit_files.h"
#include "report/sections/words.h"

namespace percuss::app {
namespace {

namespace fs = std::filesystem;
using TrialState = TrialStatus::State;
using StepState = StepStatus::State;

CoefficientStatus CoefficientOf(const std::string& name, const std::string& meaning, double value,
                                double sigma) {
  return {name, meaning, FormatValue(value, sigma), FormatSigma(sigma)};
}

CoefficientStatus CoefficientOf(const fitting::ParameterEstimate& one) {
  return {one.name, report::ParameterInWords(one.name), report::ValueInWords(one),
          fitting::IsKnown(one) ? FormatSigma(one.sigma) : ""};
}

/// The first of these files that is there, below OUT.
std::string LinkTo(const fs::path& out, const fs::path& results,
                   std::initializer_list<const char*> names) {
  for (const char* name : names) {
    std::error_code error;
    if (fs::is_regular_file(out / results / name, error)) return (results / name).generic_string();
  }
  return "";
}

const char* NameOf(TrialState state) {
  switch (state) {
    case TrialState::kFailed:
      return "failed";
    case TrialState::kWorking:
      return "in work";
    case TrialState::kWaiting:
      return "waiting";
    case TrialState::kDone:
      return "done";
  }
  return "";
}

const char* NameOf(StepState state) {
  return state == StepState::kDone ? "done" : state == StepState::kWorking ? "in work" : "open";
}

}  // namespace

const ResultReader::Result& ResultReader::TrialResult(const fs::path& file) {
  Result& result = results_[file];
  const double changed_at = ChangedAt(file);
  if (changed_at == result.changed_at) return result;
  result = {.changed_at = changed_at, .ok = false, .text = ""};
  if (changed_at == 0.0) return result;
  try {
    const JsonField trial = JsonField::ReadFile(file);
    result.ok = trial.At("status").Text() == "ok";
    result.text = trial.TextOr("message", "");
    const auto warnings = std::ssize(trial.TextsOrNone("warnings"));
    if (result.ok && warnings > 0) result.text = Count(warnings, "warning") + " in the report";
  } catch (const InputError& error) {
    result.text = error.what();
  }
  return result;
}

TrialStatus ResultReader::TrialOf(const LandedTrial& trial, const WorkState& work) {
  TrialStatus status{.name = trial.name, .state = TrialState::kWorking, .text = "", .link = ""};
  const Result& result = TrialResult(out_ / trial.results / "trial.json");
  if (result.changed_at >= trial.changed_at || (work.settled && result.changed_at > 0.0)) {
    status.state = result.ok ? TrialState::kDone : TrialState::kFailed;
    status.text = result.text;
    if (result.ok) status.link = LinkTo(out_, trial.results, {"report.html", "overlay.mp4"});
  } else if (work.settled) {
    status.state = TrialState::kWaiting;
    status.text = "the run ended before its turn";
  } else if (ChangedAt(out_ / trial.results / "labels.json") >= trial.changed_at) {
    status.text = "tracked; its states follow with those of the others";
  } else {
    status.text = "not tracked yet";
  }
  return status;
}

TrialStatus ResultReader::ClipOf(const LandedTrial& clip, const WorkState& work) {
  TrialStatus status{.name = clip.name, .state = TrialState::kWorking, .text = "", .link = ""};
  const auto found = batch_.clips.find(clip.name);
  if (found != batch_.clips.end() && (batch_.changed_at >= clip.changed_at || work.settled)) {
    status.state = found->second.ok ? TrialState::kDone : TrialState::kFailed;
    status.text = found->second.text;
  } else if (work.settled) {
    status.state = TrialState::kWaiting;
    status.text = "the run ended before its turn";
  } else if (ChangedAt(out_ / clip.results / "bounce.json") >= clip.changed_at) {
    status.state = TrialState::kDone;
  } else {
    status.text = "not measured yet";
  }
  if (status.state == TrialState::kDone) status.link = LinkTo(out_, clip.results, {"report.html"});
  return status;
}

void ResultReader::ReadFit() {
  const fs::path file = out_ / "fit.json";
  const double changed_at = ChangedAt(file);
  if (changed_at == fit_.changed_at) return;
  fit_ = {.changed_at = changed_at, .law = "", .coefficients = {}};
  if (changed_at == 0.0) return;
  try {
    const fitting::FitReport fit = fitting::ReadFit(file);
    if (fit.laws.empty()) return;
    const fitting::LawFit& best = fitting::BestLaw(fit.laws);
    fit_.law = best.law;
    for (const fitting::ParameterEstimate& one : best.parameters)
      fit_.coefficients.push_back(CoefficientOf(one));
  } catch (const InputError&) {
    // Of another version; the run writes it again.
  }
}

void ResultReader::ReadBatch() {
  const fs::path file = out_ / "batch.json";
  const double changed_at = ChangedAt(file);
  if (changed_at == batch_.changed_at) return;
  batch_ = {.changed_at = changed_at, .clips = {}, .coefficients = {}};
  if (changed_at == 0.0) return;
  try {
    const JsonField root = JsonField::ReadFile(file);
    if (const auto e = root.Find("e")) {
      batch_.coefficients.push_back(CoefficientOf("e", "restitution coefficient, mean of all clips",
                                                  e->At("value").Number(),
                                                  e->At("sigma").Number()));
    }
    for (const JsonField& clip : root.At("clips").Elements()) {
      Result& result = batch_.clips[fs::path(clip.At("clip").Text()).filename().string()];
      result.text = clip.TextOr("reason", "");
      result.ok = result.text.empty();
      if (!result.ok) continue;
      const JsonField e = clip.At("e");
      result.text = fmt::format("{}, e = {}", Count(clip.At("bounces").Count(), "bounce"),
                                FormatWithSigma(e.At("value").Number(), e.At("sigma").Number()));
    }
  } catch (const InputError&) {
    // As above.
  }
}

std::vector<StepStatus> ResultReader::StepsOf(const FolderLook& look, const WorkState& work,
                                              const CampaignStatus& status) const {
  const auto count = [&](TrialState state) {
    return std::ranges::count(status.trials, state, &TrialStatus::state);
  };
  const auto ended = count(TrialState::kDone) + count(TrialState::kFailed);
  const auto landed = std::ssize(look.landed);
  std::string trials = fmt::format("{} of {} done", count(TrialState::kDone), status.trials.size());
  if (count(TrialState::kFailed) > 0)
    trials += fmt::format(", {} failed", count(TrialState::kFailed));
  // A step is done where its file is not older than what it is made of.
  std::vector<StepStatus> steps;
  bool before_done = true;
  const auto add = [&](const char* name, bool done, std::string text) {
    const StepState state = before_done && done           ? StepState::kDone
                            : before_done && work.running ? StepState::kWorking
                                                          : StepState::kOpen;
    before_done = before_done && done;
    steps.push_back({name, state, std::move(text)});
  };
  const auto is_newer = [&](const char* name, double than) {
    const double at = ChangedAt(out_ / name);
    return at > 0.0 && (at >= than || work.settled);
  };
  if (look.calibration_changed_at)
    add("Calibration", is_newer("calibration.json", *look.calibration_changed_at), "");
  add(look.clips ? "Clips" : "Trials", landed > 0 && ended == landed, trials);
  if (look.clips) {
    add("Mean of all clips", is_newer("batch.json", 0.0), "");
    return steps;
  }
  double newest = 0.0;
  for (const auto& [file, result] : results_) newest = std::max(newest, result.changed_at);
  add("Fit", is_newer("fit.json", newest), "");
  add("Report", is_newer("report.html", fit_.changed_at), "");
  return steps;
}

CampaignStatus ResultReader::StatusOf(const FolderLook& look, const WorkState& work) {
  CampaignStatus status{.name = look.name, .running = work.running};
  if (work.running) status.activity = work.activity;
  look.clips ? ReadBatch() : ReadFit();
  for (const LandedTrial& trial : look.landed)
    status.trials.push_back(look.clips ? ClipOf(trial, work) : TrialOf(trial, work));
  for (const pipeline::WaitingTrial& trial : look.waiting)
    status.trials.push_back({trial.name, TrialState::kWaiting, trial.reason, ""});
  std::ranges::stable_sort(status.trials, {}, &TrialStatus::state);
  status.steps = StepsOf(look, work, status);
  status.coefficients = look.clips ? batch_.coefficients : fit_.coefficients;
  status.law = look.clips ? "" : fit_.law;
  status.problem = look.problem;
  if (status.problem.empty() && !work.running) {
    // What a trial says of itself is not said twice.
    const bool said = std::ranges::any_of(status.trials, [&](const TrialStatus& trial) {
      return trial.state == TrialState::kFailed && !trial.text.empty() &&
             work.complaint.find(trial.text) != std::string::npos;
    });
    if (!said) status.problem = work.complaint;
  }
  status.report_written = ChangedAt(out_ / "report.html");
  if (status.report_written > 0.0) status.report = "report.html";
  return status;
}

std::string StatusJson(const CampaignStatus& status) {
  nlohmann::ordered_json json = {{"name", status.name},
                                 {"running", status.running},
                                 {"activity", status.activity},
                                 {"problem", status.problem},
                                 {"law", status.law},
                                 {"report", status.report},
                                 {"report_written", status.report_written}};
  for (const char* list : {"steps", "trials", "coefficients"})
    json[list] = nlohmann::ordered_json::array();
  for (const StepStatus& step : status.steps)
    json["steps"].push_back(
        {{"name", step.name}, {"state", NameOf(step.state)}, {"text", step.text}});
  for (const TrialStatus& trial : status.trials) {
    json["trials"].push_back({{"name", trial.name},
                              {"state", NameOf(trial.state)},
                              {"text", trial.text},
                              {"link", trial.link}});
  }
  for (const CoefficientStatus& one : status.coefficients) {
    json["coefficients"].push_back(
        {{"name", one.name}, {"meaning", one.meaning}, {"value", one.value}, {"sigma", one.sigma}});
  }
  return JsonText(json, 1);
}

}  // namespace percuss::app
