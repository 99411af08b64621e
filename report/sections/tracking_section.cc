// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "report/overlay/frame_strips.h"
#include "report/sections/sections.h"
#include "report/sections/words.h"

namespace percuss::report {
namespace {

namespace fs = std::filesystem;

/// One camera needs no flash, nor anything else to pair frames.
void LeaveOutAlignment(const std::vector<TrialFacts>& trials, Table* table) {
  if (std::any_of(trials.begin(), trials.end(),
                  [](const TrialFacts& trial) { return trial.alignment.has_value(); })) {
    return;
  }
  constexpr int kFirst = 3, kEnd = 7;
  table->caption = "Impact";
  table->columns.erase(table->columns.begin() + kFirst, table->columns.begin() + kEnd);
  for (Row& row : table->rows)
    row.cells.erase(row.cells.begin() + kFirst, row.cells.begin() + kEnd);
}

Table TrialTable(const std::vector<TrialFacts>& trials) {
  const auto count = [](const char* key, const char* header) {
    return CountColumn(key, header, "frames");
  };
  Table table{
      .id = "trials",
      .caption = "Synchronisation and impact",
      .columns = {
          TextColumn("trial", "trial"), TextColumn("status", "status"), count("frames", "length"),
          CountColumn("flash_left_frame", "flash, left", "frame"),
          CountColumn("flash_right_frame", "flash, right", "frame"),
          NumberColumn("lag_frames", "lag of the right camera", "frames"),
          TextColumn("rests_on", "lag by"), MeasuredColumn("impact_time", "impact", "s"),
          NumberColumn("impact_frame", "impact", "frame"),
          MeasuredColumn("marker_scale", "scale by the markers", "-"),
          NumberColumn("obliquity_left", "obliquity, left", "°", 2),
          NumberColumn("obliquity_right", "right", "°", 2), TextColumn("message", "message")}};
  if (std::ranges::any_of(trials, HasMarkerImages)) {
    table.note =
        "Times are on the clock of the left camera, frames are numbered in its video. The scale is "
        "the stated over the measured distance of markers: 1 if board and body are as stated. "
        "Obliquity is the angle at which a camera saw the markers, 0 face on: the median over both "
        "flights.";
  }
  for (const TrialFacts& trial : trials) {
    const FlashFacts flash = trial.flash.value_or(FlashFacts{});
    const AlignmentFacts alignment = trial.alignment.value_or(AlignmentFacts{});
    const auto if_flash = [&](double value) { return NumberCell(trial.flash ? value : kNaN); };
    const std::vector<TrialImpactFacts> none(1);
    for (const TrialImpactFacts& impact : trial.impacts.empty() ? none : trial.impacts) {
      table.rows.push_back(
          {.cells = {TextCell(trial.name), TextCell(TrialStatusInWords(trial.status)),
                     NumberCell(trial.frames), if_flash(flash.left_frame),
                     if_flash(flash.right_frame), NumberCell(alignment.lag_frames),
                     TextCell(fmt::format("{}", fmt::join(alignment.rests_on, ", "))),
                     NumberCell(impact.time.value, impact.time.sigma), NumberCell(impact.frame),
                     NumberCell(trial.marker_scale.value, trial.marker_scale.sigma),
                     NumberCell(impact.obliquity[0]), NumberCell(impact.obliquity[1]),
                     TextCell(trial.message)}});
    }
  }
  LeaveOutAlignment(trials, &table);
  return table;
}

Row ArcRow(const TrialFacts& trial, const std::string& side, const ArcFacts& arc) {
  Row row{.cells = {TextCell(trial.name), TextCell(side), NumberCell(arc.first_frame),
                    NumberCell(arc.last_frame), NumberCell(arc.frames),
                    NumberCell(arc.observations), NumberCell(arc.rms_px)}};
  for (const Measured& g : arc.gravity) row.cells.push_back(NumberCell(g.value, g.sigma));
  return row;
}

Row StatedGravityRow(const TrialFacts& trial, const std::array<double, 3>& gravity) {
  Row row{.cells = {TextCell(trial.name), TextCell("as stated")}};
  row.cells.resize(7);
  for (const double g : gravity) row.cells.push_back(NumberCell(g));
  return row;
}

Table ArcTable(const std::vector<TrialFacts>& trials) {
  Table table{
      .id = "arcs",
      .caption = "Flight arcs",
      .columns = {TextColumn("trial", "trial"), TextColumn("arc", "arc"),
                  CountColumn("first_frame", "first", "frame"),
                  CountColumn("last_frame", "last", "frame"),
                  CountColumn("frames", "length", "frames"),
                  CountColumn("observations", "observations", "marker images"),
                  NumberColumn("rms_px", "residual, rms", "px", 3)},
      .note =
          "g is measured from the arc alone: its size checks length scale and frame rate, its "
          "direction checks the surface frame. The arcs use g as stated in the experiment file."};
  for (const char* axis : {"x", "y", "z"}) {
    table.columns.push_back(
        MeasuredColumn(std::string("g") + axis, std::string("g") + axis, "m/s²"));
  }
  for (const TrialFacts& trial : trials) {
    for (const TrialImpactFacts& impact : trial.impacts) {
      const std::size_t first = table.rows.size();
      if (impact.before) table.rows.push_back(ArcRow(trial, "before", *impact.before));
      if (impact.after) table.rows.push_back(ArcRow(trial, "after", *impact.after));
      if (std::isfinite(impact.stated_gravity[2])) {
        table.rows.push_back(StatedGravityRow(trial, impact.stated_gravity));
      }
      if (first < table.rows.size()) table.rows[first].starts_group = true;
    }
  }
  return table;
}

// How the velocities were found, where it is not by the two arcs.
void AddStates(const std::vector<TrialFacts>& trials, std::vector<Block>* blocks) {
  const auto other = std::find_if(trials.begin(), trials.end(),
                                  [](const TrialFacts& trial) { return trial.states != "arcs"; });
  if (other == trials.end()) return;
  blocks->push_back(Paragraph{fmt::format(
      "The velocities just before and just after the impact are those of the method {}, which is "
      "there to compare with: the arcs below give the instant and the pose alone.",
      other->states)});
  Table table{.id = "innovations",
              .caption = "Innovations of the filter",
              .columns = {TextColumn("trial", "trial"), TextColumn("side", "flight"),
                          NumberColumn("mean_square", "mean square", "-", 3),
                          NumberColumn("low", "95 of 100 lie above", "-", 3),
                          NumberColumn("high", "and below", "-", 3)}};
  for (const TrialFacts& trial : trials) {
    for (const InnovationFacts& facts : trial.innovations) {
      table.rows.push_back(
          {.cells = {TextCell(trial.name), TextCell(facts.side), NumberCell(facts.mean_square),
                     NumberCell(facts.low), NumberCell(facts.high)}});
    }
  }
  if (!table.rows.empty()) blocks->push_back(table);
}

/// Later impacts of a trial carry its name and a number.
bool IsImpactOf(const std::string& impact, const std::string& trial) {
  if (!impact.starts_with(trial)) return false;
  const std::string rest = impact.substr(trial.size());
  return rest.empty() || (rest.starts_with('-') && rest.size() > 1 &&
                          rest.find_first_not_of("0123456789", 1) == std::string::npos);
}

std::string IdOfTrial(int number) { return fmt::format("trial-{}", number); }

void AddTrial(const RunFolder& run, const TrialFacts& trial, int number,
              const std::vector<NamedView>& views, std::vector<Block>* blocks) {
  blocks->push_back(Heading{.text = trial.name, .id = IdOfTrial(number)});
  if (trial.status != "ok") {
    blocks->push_back(
        Findings{{{Level::kFailure, TrialStatusInWords(trial.status), trial.message}}});
  }
  if (!trial.warnings.empty()) {
    Findings warnings;
    for (const std::string& text : trial.warnings) {
      warnings.findings.push_back({Level::kWarning, "", text});
    }
    blocks->push_back(warnings);
  }
  const LawFit* law = run.fit && !run.fit->laws.empty() ? &run.fit->laws.front() : nullptr;
  Figures strips = FrameStrips(trial, number, law, views);
  if (!strips.figures.empty()) blocks->push_back(std::move(strips));
  if (!trial.page.empty())
    blocks->push_back(Link{"The bounces of this clip, and the path of the ball", trial.page});
  if (!trial.ball.empty()) {
    if (!trial.overlay_video.empty())
      blocks->push_back(
          Link{"Video with the ball as it was found in every frame", trial.overlay_video});
    return;
  }
  if (!trial.overlay_video.empty()) {
    blocks->push_back(Link{"Video of the trial in slow motion, with markers, body and flights",
                           trial.overlay_video});
  }
  if (trial.poses.empty()) {
    blocks->push_back(Paragraph{"There are no poses to plot."});
    return;
  }
  Figures figures{ImpulseFigures(run.impulses, trial.name, number)};
  for (Figure& figure : TrialFigures(trial, number)) figures.figures.push_back(std::move(figure));
  blocks->push_back(std::move(figures));
}

}  // namespace

double VelocityError(const RunFolder& run, const std::string& trial) {
  if (!run.fit || run.fit->laws.empty()) return 0;
  double worst = 0;
  for (const TrialComparison& one : run.fit->laws.front().trials) {
    if (IsImpactOf(one.trial, trial)) worst = std::fmax(worst, one.velocity_error);
  }
  return worst;
}

std::vector<std::size_t> FiguredTrials(const RunFolder& run) {
  constexpr std::size_t kMostTrials = 12;  // a page has room for so many
  std::vector<std::size_t> places(run.trials.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  if (places.size() <= kMostTrials) return places;
  std::vector<double> weight;
  for (const TrialFacts& trial : run.trials) {
    weight.push_back(trial.status == "ok" ? VelocityError(run, trial.name)
                                          : std::numeric_limits<double>::infinity());
  }
  std::ranges::stable_sort(places, std::greater<>(), [&](std::size_t k) { return weight[k]; });
  places.resize(kMostTrials);
  std::ranges::sort(places);
  return places;
}

PlaceOfTrial PlacesOfTrials(const RunFolder& run) {
  std::vector<std::pair<std::string, std::string>> places;  // name, address
  for (const std::size_t place : FiguredTrials(run))
    places.emplace_back(run.trials[place].name, "#" + IdOfTrial(static_cast<int>(place) + 1));
  for (const std::size_t place : TrialsWithPages(run)) {
    const fs::path file = run.trials[place].folder / kPageOfDrop;
    if (fs::exists(file)) {
      places.emplace_back(run.trials[place].name,
                          UrlOf(file.lexically_relative(run.path).generic_string()));
    }
  }
  return [places](const std::string& impact) -> std::string {
    const auto found = std::ranges::find_if(
        places, [&](const auto& place) { return IsImpactOf(impact, place.first); });
    return found != places.end() ? found->second : "";
  };
}

Section TrackingSection(const RunFolder& run) {
  Section section{.id = "trials-section", .title = "Impact by impact"};
  if (run.trials.empty()) {
    section.blocks.push_back(Paragraph{"Nothing is known about the trials: tracks is missing."});
    return section;
  }
  section.blocks = {TrialTable(run.trials)};
  if (Table arcs = ArcTable(run.trials);
      !arcs.rows.empty() || std::ranges::any_of(run.trials, HasMarkerImages))
    section.blocks.push_back(std::move(arcs));
  AddStates(run.trials, &section.blocks);
  for (Block& block : RatioBlocks(run)) section.blocks.push_back(std::move(block));
  const std::vector<std::size_t> shown = FiguredTrials(run);
  if (shown.size() < run.trials.size()) {
    section.blocks.push_back(Paragraph{fmt::format(
        "Pictures and plots follow for {} of the {} trials: those that failed, then those "
        "with the largest velocity error of the first law.",
        shown.size(), run.trials.size())});
  }
  std::vector<TrialFacts> trials;
  for (const std::size_t place : shown) {
    trials.push_back(run.trials[place]);
    ReadShownFacts(&trials.back());
  }
  const bool has_pictures = std::ranges::any_of(
      trials, [](const TrialFacts& trial) { return !trial.pictures.impacts.empty(); });
  const std::vector<NamedView> views = has_pictures ? ViewsOf(run) : std::vector<NamedView>();
  for (std::size_t k = 0; k < shown.size(); ++k) {
    AddTrial(run, trials[k], static_cast<int>(shown[k]) + 1, views, &section.blocks);
  }
  return section;
}

}  // namespace percuss::report
