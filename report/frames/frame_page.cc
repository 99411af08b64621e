// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/frames/frame_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text/numbers.h"
#include "report/page/document_files.h"
#include "report/page/html_parts.h"

namespace percuss::report {
namespace {

std::size_t NumLabelled(const FrameView& view) {
  return static_cast<std::size_t>(std::ranges::count_if(
      view.spots, [](const FrameSpot& spot) { return !spot.marker.empty(); }));
}

/// How many spots were rejected for each fault.
using FaultCounts = std::map<std::string, int>;

void AddFaults(const FrameView& view, FaultCounts* counts) {
  for (const FrameSpot& spot : view.spots) {
    if (spot.marker.empty()) ++(*counts)[spot.fault];
  }
}

std::string InWords(const FaultCounts& counts) {
  std::vector<std::pair<int, std::string>> sorted;
  for (const auto& [fault, count] : counts) sorted.emplace_back(-count, fault);
  std::ranges::sort(sorted);
  std::string text;
  for (const auto& [minus_count, fault] : sorted)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", -minus_count, fault);
  return text;
}

/// Where the page shows the pictures of a frame.
std::string PlaceOf(const FrameFacts& frame) {
  const auto& [left, right] = frame.views;
  if (left.frame) return fmt::format("frame-{}", *left.frame);
  return fmt::format("right-frame-{}", right.frame.value_or(0));
}

std::string NameOf(const FrameFacts& frame) {
  const auto& [left, right] = frame.views;
  if (left.frame) return fmt::format("frame {}", *left.frame);
  return fmt::format("frame {} of the other camera", right.frame.value_or(0));
}

bool HasPicture(const FrameFacts& frame) {
  return std::ranges::any_of(frame.views,
                             [](const FrameView& view) { return !view.picture.empty(); });
}

// ----------------------------------------------------------------------------- over the frames

constexpr double kLineWidth = 920, kLineLeft = 60, kLineRight = 10, kHalfHeight = 60,
                 kLineMiddle = 74;

/// Markers with a label as a stair over the frames, of the left camera upwards, of the right one
/// downwards.
std::string StairPath(const TrialFrames& trial, std::size_t view, double step) {
  const double per_marker = (view == 0 ? -1 : 1) * kHalfHeight /
                            static_cast<double>(std::max<std::size_t>(1, trial.num_markers));
  std::string path = fmt::format("M{} {}", kLineLeft, kLineMiddle);
  for (const FrameFacts& frame : trial.frames) {
    path += fmt::format(
        "V{:.1f}h{:.3f}",
        kLineMiddle + per_marker * static_cast<double>(NumLabelled(frame.views[view])), step);
  }
  return path + fmt::format("V{}z", kLineMiddle);
}

Figure TimelineFigure(const TrialFrames& trial) {
  Figure figure{.id = "markers-over-frames",
                .caption =
                    "Markers with a label in each frame, of the left camera upwards, of the right "
                    "one downwards. Bar below: flight. Dots lead to pictures.",
                .wide = true};
  if (trial.cameras.size() == 1) {
    figure.caption =
        "Markers with a label in each frame. Bar below: flight. Dots lead to pictures.";
  }
  if (trial.frames.empty()) {
    figure.problem = kNoNumbers;
    return figure;
  }
  const double step =
      (kLineWidth - kLineLeft - kLineRight) / static_cast<double>(trial.frames.size());
  const double depth = trial.cameras.size() > 1 ? kHalfHeight : 0;
  const double bottom = kLineMiddle + depth, dots = bottom + 20;
  std::string svg = fmt::format(
      "<svg class=\"plot\" viewBox=\"0 0 {} {}\" role=\"group\" aria-label=\"Markers with a label "
      "in each frame\">\n",
      kLineWidth, bottom + 46);
  const auto at = [&](std::size_t k) { return kLineLeft + step * static_cast<double>(k); };
  for (std::size_t k = 0; k < trial.frames.size(); ++k) {
    if (!trial.frames[k].in_flight) continue;
    const std::size_t first = k;
    while (k + 1 < trial.frames.size() && trial.frames[k + 1].in_flight) ++k;
    svg += fmt::format(
        "<rect class=\"shade\" x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\"/>\n", at(first),
        bottom + 4, at(k + 1) - at(first), 6);
  }
  for (std::size_t view = 0; view < trial.cameras.size(); ++view) {
    const double y = view == 0 ? kLineMiddle - kHalfHeight : bottom;
    svg += fmt::format(
        "<path class=\"stair\" d=\"{}\"/>\n<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>"
        "<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>\n",
        StairPath(trial, view, step), kLineLeft - 6, y + 4, trial.num_markers, kLineLeft,
        kLineWidth - kLineRight, y, y);
  }
  for (std::size_t k = 0; k < trial.frames.size(); ++k) {
    const FrameFacts& frame = trial.frames[k];
    if (!HasPicture(frame)) continue;
    svg += fmt::format(
        "<a class=\"blue\" href=\"#{}\"><title>{}, {:.4f} s</title><circle class=\"mark\" "
        "cx=\"{:.1f}\" cy=\"{}\" r=\"4\"/></a>\n",
        PlaceOf(frame), NameOf(frame), frame.time, at(k) + 0.5 * step, dots);
  }
  figure.svg = svg + fmt::format(
                         "<text x=\"{}\" y=\"{}\">{:.3f} s</text><text x=\"{}\" y=\"{}\" "
                         "text-anchor=\"end\">{:.3f} s</text>\n</svg>\n",
                         kLineLeft, bottom + 40, trial.frames.front().time, kLineWidth - kLineRight,
                         bottom + 40, trial.frames.back().time);
  return figure;
}

// ------------------------------------------------------------------------------------ the pictures

/// The marks over a picture: circles with names; crosses with the numbers of the list below it.
std::string MarksSvg(const FrameView& view, const TrialFrames::Camera& camera) {
  const double unit = camera.width / 100.0;  // letters stay readable where the page is narrow
  std::string marks;
  int number = 0;
  for (const FrameSpot& spot : view.spots) {
    const double x = spot.pixel.x() + 0.5, y = spot.pixel.y() + 0.5;
    if (!spot.marker.empty()) {
      marks += fmt::format(
          "<circle class=\"marker\" cx=\"{0:.1f}\" cy=\"{1:.1f}\" r=\"{2:.1f}\"/><text "
          "class=\"name-of\" x=\"{3:.1f}\" y=\"{4:.1f}\" font-size=\"{5:.1f}\">{6}</text>",
          x, y, unit, x + 1.3 * unit, y - 0.6 * unit, 2.4 * unit, EscapeHtml(spot.marker));
      continue;
    }
    const double size = spot.common ? 0.6 * unit : 1.2 * unit;
    marks += fmt::format(
        "<path class=\"{}\" d=\"M{:.1f} {:.1f}l{:.1f} {:.1f}m0 {:.1f}l{:.1f} {:.1f}\"/>",
        spot.common ? "common" : "rejected", x - 0.5 * size, y - 0.5 * size, size, size, -size,
        -size, size);
    if (spot.common) continue;
    marks += fmt::format(
        "<text class=\"number-of\" x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.1f}\">{}</text>",
        x + 0.9 * unit, y + 2.2 * unit, 2.0 * unit, ++number);
  }
  return marks;
}

std::string RejectedHtml(const FrameView& view) {
  std::string html;
  FaultCounts common;
  for (const FrameSpot& spot : view.spots) {
    if (!spot.marker.empty()) continue;
    if (spot.common) {
      ++common[spot.fault];
    } else {
      html += fmt::format("<li>{}</li>\n", EscapeHtml(spot.reason));
    }
  }
  if (!html.empty()) html = "<ol tabindex=\"0\">\n" + html + "</ol>\n";
  if (!common.empty())
    html += fmt::format("<p>Small crosses: {}.</p>\n", EscapeHtml(InWords(common)));
  return html;
}

std::string ViewHtml(const FrameView& view, const TrialFrames::Camera& camera) {
  const std::string name = EscapeHtml(camera.name);
  if (view.picture.empty()) {
    return fmt::format(
        "<div class=\"picture\"><p class=\"moment\">{} camera: no frame of this "
        "time.</p></div>\n",
        name);
  }
  const std::string start = UrlOf(view.picture);
  return fmt::format(
      "<div class=\"picture\"><div class=\"frame\"><img loading=\"lazy\" alt=\"{0} camera, frame "
      "{1}\" width=\"{2}\" height=\"{3}\" src=\"{4}.jpg\"><svg viewBox=\"0 0 {2} {3}\" "
      "aria-hidden=\"true\">{5}</svg></div>\n<p class=\"moment\">{0} camera, frame {1}: {6} with a "
      "label{7}. As files: <a href=\"{4}-grey.png\">grey</a>, <a "
      "href=\"{4}-binary.png\">binary</a>, <a href=\"{4}-outline.png\">outlined</a>.</p>\n{8}"
      "</div>\n",
      name, view.frame.value_or(-1), camera.width, camera.height, start, MarksSvg(view, camera),
      Count(static_cast<long long>(NumLabelled(view)), "marker"),
      view.repeats ? "; it repeats the picture before" : "", RejectedHtml(view));
}

Figure FrameFigure(const TrialFrames& trial, const FrameFacts& frame) {
  std::string html = "<div class=\"sides\">\n";
  for (std::size_t view = 0; view < trial.cameras.size(); ++view)
    html += ViewHtml(frame.views[view], trial.cameras[view]);
  return {.id = PlaceOf(frame),
          .caption = fmt::format("{}, {:.4f} s{}{}", NameOf(frame), frame.time,
                                 frame.motion.empty() ? "" : ", ", frame.motion),
          .svg = html + "</div>\n",
          .wide = true};
}

// ---------------------------------------------------------------------------------- the tables

Cell FrameCell(const FrameView& view) {
  return view.frame ? NumberCell(*view.frame) : TextCell("–");
}

Table FrameTable(const TrialFrames& trial) {
  constexpr std::size_t kMostFrames = 2000;
  Table table{.id = "frames",
              .caption = "All frames",
              .columns = {},
              .rows = {},
              .note = "Rms: of the labelled spots about the body's pose.",
              .most_rows = kMostFrames};
  for (const TrialFrames::Camera& camera : trial.cameras)
    table.columns.push_back(CountColumn("frame_" + camera.name, camera.name + " frame", "-"));
  table.columns.push_back(NumberColumn("time", "time", "s", 5));
  for (const char* what : {"markers", "rejected"}) {
    for (const TrialFrames::Camera& camera : trial.cameras) {
      table.columns.push_back(CountColumn(fmt::format("{}_{}", what, camera.name),
                                          fmt::format("{} {}", what, camera.name), "-"));
    }
  }
  table.columns.push_back(NumberColumn("rms_px", "rms", "px", 2));
  table.columns.push_back(TextColumn("motion", "motion"));
  table.columns.push_back(TextColumn("why", "why rejected"));
  for (const FrameFacts& frame : trial.frames) {
    Row row;
    FaultCounts counts;
    for (std::size_t v = 0; v < trial.cameras.size(); ++v) {
      row.cells.push_back(FrameCell(frame.views[v]));
      AddFaults(frame.views[v], &counts);
    }
    row.cells.push_back(NumberCell(frame.time));
    for (std::size_t v = 0; v < trial.cameras.size(); ++v)
      row.cells.push_back(NumberCell(static_cast<double>(NumLabelled(frame.views[v]))));
    for (std::size_t v = 0; v < trial.cameras.size(); ++v) {
      row.cells.push_back(NumberCell(
          static_cast<double>(frame.views[v].spots.size() - NumLabelled(frame.views[v]))));
    }
    row.cells.push_back(NumberCell(frame.rms_px));
    row.cells.push_back(TextCell(frame.motion));
    row.cells.push_back(TextCell(InWords(counts)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Of the frames that have pictures, so that --enhanced-every says how many there are.
Table RejectedTable(const TrialFrames& trial) {
  Table table{.id = "rejected",
              .caption = "Rejected spots of the frames with pictures",
              .columns = {TextColumn("camera", "camera"), CountColumn("frame", "frame", "-"),
                          NumberColumn("x_px", "x", "px", 6), NumberColumn("y_px", "y", "px", 6),
                          TextColumn("fault", "fault"), TextColumn("reason", "reason")}};
  for (const FrameFacts& frame : trial.frames) {
    for (std::size_t v = 0; v < trial.cameras.size(); ++v) {
      const FrameView& view = frame.views[v];
      if (view.picture.empty()) continue;
      for (const FrameSpot& spot : view.spots) {
        if (!spot.marker.empty()) continue;
        table.rows.push_back(
            {.cells = {TextCell(trial.cameras[v].name), FrameCell(view), NumberCell(spot.pixel.x()),
                       NumberCell(spot.pixel.y()), TextCell(spot.fault), TextCell(spot.reason)}});
      }
    }
  }
  return table;
}

Findings FramesInWords(const TrialFrames& trial) {
  Findings findings;
  std::size_t labelled = 0, lone = 0;
  FaultCounts counts;
  for (const FrameFacts& frame : trial.frames) {
    bool any = false;
    lone += trial.cameras.size() > 1 &&
            frame.views[0].frame.has_value() != frame.views[1].frame.has_value();
    for (const FrameView& view : frame.views) {
      any = any || NumLabelled(view) > 0;
      AddFaults(view, &counts);
    }
    labelled += any;
  }
  if (trial.failure.empty()) {
    findings.findings.push_back(
        {labelled == trial.frames.size() ? Level::kOk : Level::kNote, "",
         fmt::format("The body was found in {} of {}{}.", labelled,
                     Count(std::ssize(trial.frames), "frame"),
                     lone == 0 ? "" : fmt::format("; {} of them are of one camera alone", lone))});
  } else {
    findings.findings.push_back({Level::kFailure, "", trial.failure});
  }
  for (const std::string& note : trial.notes) findings.findings.push_back({Level::kNote, "", note});
  const std::string rejected = InWords(counts);
  findings.findings.push_back(
      {Level::kNote, "",
       "Rejected in all frames: " + (rejected.empty() ? "nothing" : rejected) + "."});
  return findings;
}

}  // namespace

Document FramesDocument(const TrialFrames& trial) {
  Figures pictures;
  for (const FrameFacts& frame : trial.frames) {
    if (HasPicture(frame)) pictures.figures.push_back(FrameFigure(trial, frame));
  }
  return {.title = "Frames of trial " + trial.trial,
          .subtitle = "What was found in each frame of its videos, and what was left out",
          .sections =
              {{.id = "result", .blocks = {FramesInWords(trial), Figures{{TimelineFigure(trial)}}}},
               {.id = "pictures",
                .title = "Frames with pictures",
                .blocks =
                    {Paragraph{
                         "Circles with names: spots that have the label of a marker. Crosses with "
                         "numbers: rejected spots, with the reason in the list below. Small "
                         "crosses: what stands still, is too small or too faint. What has no mark "
                         "does not stand out of its ground by half of what a marker must."},
                     pictures}},
               {.id = "frames-section", .title = "All frames", .blocks = {FrameTable(trial)}},
               {.id = "rejected-section",
                .title = "Rejected spots as a table",
                .blocks = {RejectedTable(trial)}}},
          .has_picture_files = true};
}

std::filesystem::path WriteFramesPage(const std::filesystem::path& folder, const TrialFrames& trial,
                                      Provenance provenance) {
  provenance.format = "percuss table 1";
  return WriteDocument(folder, FramesDocument(trial), provenance).front();
}

}  // namespace percuss::report
