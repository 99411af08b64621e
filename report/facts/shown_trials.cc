// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/facts/shown_trials.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <numeric>

namespace percuss::report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostTrials = 12;  // a page has room for so many

/// `a` of `a-2`; empty without such an ending.
std::string_view WithoutNumber(std::string_view impact) {
  const std::size_t dash = impact.find_last_not_of("0123456789");
  const bool has_number =
      dash != std::string_view::npos && impact[dash] == '-' && dash + 1 < impact.size();
  return has_number ? impact.substr(0, dash) : std::string_view();
}

const std::vector<TrialComparison>& ImpactsOfFirstLaw(const RunFolder& run) {
  static const std::vector<TrialComparison> kNone;
  return run.fit && !run.fit->laws.empty() ? run.fit->laws.front().trials : kNone;
}

/// The largest velocity error of the impacts of each trial by the first law of the fit [-]; 0
/// without.
std::vector<double> VelocityErrors(const RunFolder& run) {
  std::vector<double> errors(run.trials.size(), 0.0);
  const TrialsByImpact trials(run.trials);
  for (const TrialComparison& one : ImpactsOfFirstLaw(run)) {
    if (const auto place = trials.Find(one.trial))
      errors[*place] = std::fmax(errors[*place], one.velocity_error);
  }
  return errors;
}

std::unordered_set<std::string> WorstImpacts(const RunFolder& run, std::size_t most) {
  std::vector<const TrialComparison*> impacts;
  for (const TrialComparison& impact : ImpactsOfFirstLaw(run)) impacts.push_back(&impact);
  std::ranges::stable_sort(impacts, std::greater<>(), [](const TrialComparison* impact) {
    return std::isnan(impact->velocity_error) ? -1.0 : impact->velocity_error;
  });
  if (impacts.size() > most) impacts.resize(most);
  std::unordered_set<std::string> names;
  for (const TrialComparison* impact : impacts) names.insert(impact->trial);
  return names;
}

std::vector<std::size_t> AllPlaces(const RunFolder& run) {
  std::vector<std::size_t> places(run.trials.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  return places;
}

}  // namespace

TrialsByImpact::TrialsByImpact(const std::vector<TrialFacts>& trials) {
  for (std::size_t k = 0; k < trials.size(); ++k) places_.try_emplace(trials[k].name, k);
}

std::optional<std::size_t> TrialsByImpact::Find(std::string_view impact) const {
  auto found = places_.find(impact);
  if (found == places_.end()) found = places_.find(WithoutNumber(impact));
  if (found == places_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::unordered_set<std::string>> MarkedImpacts(const RunFolder& run) {
  if (ImpactsOfFirstLaw(run).size() <= kMostMarks) return std::nullopt;
  return WorstImpacts(run, kMostMarks);
}

std::optional<std::unordered_set<std::string>> TabledTrials(const RunFolder& run) {
  constexpr std::size_t kMostOfAKind = 60;  // a table has room for so many
  if (ImpactsOfFirstLaw(run).size() <= kMostMarks && run.trials.size() <= kMostMarks)
    return std::nullopt;
  std::unordered_set<std::string> names = WorstImpacts(run, kMostOfAKind);
  const TrialsByImpact trials(run.trials);
  for (const std::string& impact : std::vector(names.begin(), names.end())) {
    if (const auto place = trials.Find(impact)) names.insert(run.trials[*place].name);
  }
  std::size_t num_failed = 0;
  for (const TrialFacts& trial : run.trials) {
    if (trial.status != "ok" && num_failed++ < kMostOfAKind) names.insert(trial.name);
  }
  return names;
}

std::vector<std::size_t> FiguredTrials(const RunFolder& run) {
  std::vector<std::size_t> places = AllPlaces(run);
  if (places.size() <= kMostTrials) return places;
  std::vector<double> weights = VelocityErrors(run);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (run.trials[k].status != "ok") weights[k] = std::numeric_limits<double>::infinity();
  }
  std::ranges::stable_sort(places, std::greater<>(), [&](std::size_t k) { return weights[k]; });
  places.resize(kMostTrials);
  std::ranges::sort(places);
  return places;
}

std::vector<std::size_t> ViewedTrials(const RunFolder& run) {
  std::vector<std::size_t> places = AllPlaces(run);
  std::erase_if(places, [&](std::size_t k) { return run.trials[k].status != "ok"; });
  if (places.size() <= kMostTrials) return places;
  const std::vector<double> errors = VelocityErrors(run);
  std::ranges::stable_sort(places, std::greater<>(), [&](std::size_t k) { return errors[k]; });
  std::vector<std::size_t> some;
  for (std::size_t k = 0; k < kMostTrials; ++k)
    some.push_back(places[k * (places.size() - 1) / (kMostTrials - 1)]);
  return some;
}

std::vector<std::size_t> TrialsWithPages(const RunFolder& run) {
  const std::vector<std::size_t> figured = FiguredTrials(run);
  std::vector<bool> has_page(run.trials.size(), true);
  if (const auto marked = MarkedImpacts(run)) {
    has_page.assign(run.trials.size(), false);
    const TrialsByImpact trials(run.trials);
    for (const std::string& impact : *marked) {
      if (const auto place = trials.Find(impact)) has_page[*place] = true;
    }
  }
  std::vector<std::size_t> places = AllPlaces(run);
  std::erase_if(places, [&](std::size_t k) {
    return run.trials[k].status != "ok" || !has_page[k] ||
           std::ranges::find(figured, k) != figured.end();
  });
  return places;
}

void ReadImpulses(RunFolder* run) {
  const fs::path file = run->path / "impulses.json";
  if (!run->fit || run->fit->num_laws_left > 0 || !fs::exists(file)) return;
  std::vector<bool> is_shown(run->trials.size());
  for (const auto& places : {FiguredTrials(*run), ViewedTrials(*run), TrialsWithPages(*run)}) {
    for (const std::size_t place : places) is_shown[place] = true;
  }
  const TrialsByImpact trials(run->trials);
  run->impulses = fitting::ReadImpulseDiagrams(file, [&](const std::string& impact) {
    const auto place = trials.Find(impact);
    return place && is_shown[*place];
  });
  for (auto& [law, diagrams] : run->impulses) diagrams.shrink_to_fit();
}

}  // namespace percuss::report
