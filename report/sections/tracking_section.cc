// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "report/overlay/frame_strips.h"
#include "report/sections/sections.h"
#include "report/sections/words.h"

namespace percuss::report {
namespace {

namespace fs = std::filesystem;

/// One camera needs no flash, nor anything else to pair frames: columns from the first to the last.
constexpr std::size_t kFirstOfPairs = 3, kEndOfPairs = 7;

template <typename T>
void LeaveOutPairs(std::vector<T>* columns) {
  columns->erase(columns->begin() + kFirstOfPairs, columns->begin() + kEndOfPairs);
}

void AddTrialRows(const TrialFacts& trial, bool in_pairs, const RowSink& add) {
  const FlashFacts flash = trial.flash.value_or(FlashFacts{});
  const AlignmentFacts alignment = trial.alignment.value_or(AlignmentFacts{});
  const auto if_flash = [&](double value) { return NumberCell(trial.flash ? value : kNaN); };
  const std::vector<TrialImpactFacts> none(1);
  for (const TrialImpactFacts& impact : trial.impacts.empty() ? none : trial.impacts) {
    Row row{.cells = {TextCell(trial.name), TextCell(TrialStatusInWords(trial.status)),
                      NumberCell(trial.frames), if_flash(flash.left_frame),
                      if_flash(flash.right_frame), NumberCell(alignment.lag_frames),
                      TextCell(fmt::format("{}", fmt::join(alignment.rests_on, ", "))),
                      NumberCell(impact.time.value, impact.time.sigma), NumberCell(impact.frame),
                      NumberCell(trial.marker_scale.value, trial.marker_scale.sigma),
                      NumberCell(impact.obliquity[0]), NumberCell(impact.obliquity[1]),
                      TextCell(trial.message)}};
    if (!in_pairs) LeaveOutPairs(&row.cells);
    add(row);
  }
}

Table TrialTable(const RunFolder& run) {
  const std::vector<TrialFacts>& trials = run.trials;
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
  const bool in_pairs = std::ranges::any_of(
      trials, [](const TrialFacts& trial) { return trial.alignment.has_value(); });
  if (!in_pairs) {
    table.caption = "Impact";
    LeaveOutPairs(&table.columns);
  }
  SetRows(
      [&trials, in_pairs](const RowSink& add) {
        for (const TrialFacts& trial : trials) AddTrialRows(trial, in_pairs, add);
      },
      &table, TabledRows(run));
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

void AddArcRows(const TrialFacts& trial, const TrialImpactFacts& impact, const RowSink& add) {
  bool first = true;
  const auto add_row = [&](Row row) {
    row.starts_group = std::exchange(first, false);
    add(row);
  };
  if (impact.before) add_row(ArcRow(trial, "before", *impact.before));
  if (impact.after) add_row(ArcRow(trial, "after", *impact.after));
  if (std::isfinite(impact.stated_gravity[2]))
    add_row(StatedGravityRow(trial, impact.stated_gravity));
}

Table ArcTable(const RunFolder& run) {
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
  SetRows(
      [&run](const RowSink& add) {
        for (const TrialFacts& trial : run.trials) {
          for (const TrialImpactFacts& impact : trial.impacts) AddArcRows(trial, impact, add);
        }
      },
      &table, TabledRows(run));
  return table;
}

// How the velocities were found, where it is not by the two arcs.
void AddStates(const RunFolder& run, std::vector<Block>* blocks) {
  const std::vector<TrialFacts>& trials = run.trials;
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
  SetRows(
      [&trials](const RowSink& add) {
        for (const TrialFacts& trial : trials) {
          for (const InnovationFacts& facts : trial.innovations) {
            add({.cells = {TextCell(trial.name), TextCell(facts.side),
                           NumberCell(facts.mean_square), NumberCell(facts.low),
                           NumberCell(facts.high)}});
          }
        }
      },
      &table, TabledRows(run));
  if (!table.rows.empty()) blocks->push_back(table);
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

PlaceOfTrial PlacesOfTrials(const RunFolder& run) {
  std::vector<std::string> addresses(run.trials.size());
  for (const std::size_t place : FiguredTrials(run))
    addresses[place] = "#" + IdOfTrial(static_cast<int>(place) + 1);
  for (const std::size_t place : TrialsWithPages(run)) {
    const fs::path file = run.trials[place].folder / kPageOfDrop;
    if (fs::exists(file))
      addresses[place] = UrlOf(file.lexically_relative(run.path).generic_string());
  }
  return [addresses, trials = TrialsByImpact(run.trials),
          marked = MarkedImpacts(run)](const std::string& impact) -> std::optional<std::string> {
    if (marked && !marked->contains(impact)) return std::nullopt;
    const auto place = trials.Find(impact);
    return place ? addresses[*place] : "";
  };
}

RowChoice TabledRows(const RunFolder& run) {
  const auto tabled = TabledTrials(run);
  if (!tabled) return {};
  return {.is_shown = [tabled](const Row& row) { return tabled->contains(row.cells[0].text); },
          .words = "of trials that failed or that the first law explains worst"};
}

Section TrackingSection(const RunFolder& run) {
  Section section{.id = "trials-section", .title = "Impact by impact"};
  if (run.trials.empty()) {
    section.blocks.push_back(Paragraph{"Nothing is known about the trials: tracks is missing."});
    return section;
  }
  section.blocks = {TrialTable(run)};
  if (Table arcs = ArcTable(run);
      !arcs.rows.empty() || std::ranges::any_of(run.trials, HasMarkerImages))
    section.blocks.push_back(std::move(arcs));
  AddStates(run, &section.blocks);
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
