// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/bounces/bounce_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <opencv2/core/types.hpp>

#include "base/text/numbers.h"
#include "report/bounces/bounce_plots.h"
#include "report/page/base64.h"
#include "report/page/document_files.h"

namespace percuss::report {
namespace {

// Of the first screen of a window of 1280 px, as the style sheet has it.
constexpr double kPageWidth = 1144, kBetween = 32, kPhotoWidth = 556, kPhotoHeight = 384,
                 kLowestPlot = 300;

bool HasMetres(const BounceFacts& facts) { return facts.unit == "m"; }

bool HasSigma(const ValueWithSigma& number) {
  return std::isfinite(number.sigma) && number.sigma > 0;
}

Cell MeasuredCell(const ValueWithSigma& number) { return NumberCell(number.value, number.sigma); }

/// Keys of numbers that are not SI say their unit.
Column SpeedColumn(const BounceFacts& facts, const std::string& key, const std::string& header) {
  return HasMetres(facts) ? MeasuredColumn(key, header, "m/s")
                          : MeasuredColumn(key + "_px_per_s", header, "px/s");
}

std::string Joined(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += (text.empty() ? "" : " ") + sentence;
  return text;
}

LargeNumber RestitutionNumber(const BounceFacts& facts) {
  const ValueWithSigma& e = facts.e;
  LargeNumber number{.name = "e", .value = FormatValue(e.value, e.sigma)};
  if (HasSigma(e)) {
    const double half = kSigmasOf95 * e.sigma;
    number.detail =
        fmt::format("95 % interval {} to {} (sigma {}), from {}",
                    FormatValue(e.value - half, e.sigma), FormatValue(e.value + half, e.sigma),
                    FormatSigma(e.sigma), Count(std::ssize(facts.bounces), "bounce"));
  } else {
    number.detail = "no interval: its error is not known";
  }
  return number;
}

/// How wide and high the page shows the picture [px]; zero where its shape is not known.
cv::Size2d ShownSize(const BounceFacts& facts) {
  if (facts.width <= 0 || facts.height <= 0) return {};
  const double scale = std::min(kPhotoWidth / facts.width, kPhotoHeight / facts.height);
  return {scale * facts.width, scale * facts.height};
}

Figure PhotoFigure(const BounceFacts& facts, const std::string& jpeg) {
  const cv::Size2d shown = ShownSize(facts);
  const std::string size =
      shown.empty() ? ""
                    : fmt::format(" width=\"{:.0f}\" height=\"{:.0f}\"", shown.width, shown.height);
  return {.id = "path-picture",
          .caption =
              "The ball in its frames, a colour per flight, faint where not used; contacts "
              "with number and e.",
          .svg = fmt::format("<img class=\"photo\" alt=\"The way of the ball, drawn into the "
                             "picture\"{} src=\"data:image/jpeg;base64,{}\">\n",
                             size, Base64(jpeg))};
}

/// Of the plot of heights: what the picture beside it leaves.
cv::Size PlotSize(const BounceFacts& facts, bool has_picture) {
  const cv::Size2d shown = has_picture ? ShownSize(facts) : cv::Size2d();
  if (shown.empty()) return {900, static_cast<int>(kPhotoHeight)};
  return {static_cast<int>(kPageWidth - kBetween - shown.width),
          static_cast<int>(std::clamp(shown.height, kLowestPlot, kPhotoHeight))};
}

Section ResultSection(const BounceFacts& facts, const std::string& jpeg, bool has_video) {
  Section section{.id = "result", .title = ""};
  if (std::isfinite(facts.e.value)) section.blocks.push_back(RestitutionNumber(facts));
  if (facts.bounces.empty()) {
    section.blocks.push_back(
        Findings{{{Level::kFailure, "", "No bounce was found in this clip."}}});
  }
  std::string verdict = Joined(facts.verdict);
  if (!facts.warnings.empty()) {
    verdict += fmt::format("{}({}, below)", verdict.empty() ? "" : " ",
                           Count(std::ssize(facts.warnings), "warning"));
  }
  if (!verdict.empty()) section.blocks.push_back(Paragraph{verdict});
  Figures figures;
  if (!jpeg.empty()) figures.figures.push_back(PhotoFigure(facts, jpeg));
  const cv::Size plot = PlotSize(facts, !jpeg.empty());
  figures.figures.push_back(BounceHeightFigure(facts, plot.width, plot.height));
  if (jpeg.empty()) figures.figures.back().wide = true;
  section.blocks.push_back(std::move(figures));
  if (has_video) {
    section.blocks.push_back(
        Link{"Video with what was found drawn into each frame", kBounceVideoFile});
  }
  return section;
}

Section ListSection(const std::string& id, const std::string& title, Level level,
                    const std::vector<std::string>& lines) {
  Findings findings;
  for (const std::string& line : lines) findings.findings.push_back({level, "", line});
  return {.id = id, .title = title, .blocks = {findings}};
}

Table BounceTable(const BounceFacts& facts) {
  Table table{
      .id = "bounces",
      .caption = "Bounces",
      .columns = {CountColumn("bounce", "bounce", "-"), MeasuredColumn("time", "time", "s"),
                  MeasuredColumn("e", "e", "-"), SpeedColumn(facts, "speed_before", "speed before"),
                  SpeedColumn(facts, "speed_after", "after"),
                  NumberColumn("impact_angle_deg", "angle", "deg", 3),
                  MeasuredColumn("tangential_ratio", "R_t", "-"),
                  MeasuredColumn("speed_ratio", "R_v", "-"), TextColumn("source", "source")},
      .rows = {},
      .note =
          "e: velocity along the normal of the surface, after by before. Speeds are whole "
          "ones. Angle: between velocity before and surface, 90 is straight down. R_t: "
          "velocity along the surface, after by before. R_v: speed, after by before. ± is "
          "one sigma."};
  for (const BounceFact& bounce : facts.bounces) {
    table.rows.push_back(
        {.cells = {NumberCell(bounce.number), MeasuredCell(bounce.time), MeasuredCell(bounce.e),
                   MeasuredCell(bounce.speed_before), MeasuredCell(bounce.speed_after),
                   NumberCell(bounce.impact_angle_deg), MeasuredCell(bounce.tangential_ratio),
                   MeasuredCell(bounce.speed_ratio), TextCell(bounce.source)}});
  }
  return table;
}

/// Whether one e holds for all bounces.
Findings Agreement(const BounceFacts& facts) {
  constexpr double kClear = 2;  // sigmas
  Findings findings;
  if (facts.bounces.size() > 1) {
    const bool scatters = facts.e_scatter > 0;
    findings.findings.push_back(
        {scatters ? Level::kNote : Level::kOk, "",
         scatters ? fmt::format("Single bounces scatter by {} in e beyond their sigmas; the "
                                "interval of the clip holds that.",
                                FormatSignificant(facts.e_scatter, 2))
                  : "The bounces agree on one e within their sigmas."});
  }
  const ValueWithSigma& slope = facts.e_slope;
  if (std::isfinite(slope.value) && HasSigma(slope)) {
    const bool is_clear = std::abs(slope.value) > kClear * slope.sigma;
    findings.findings.push_back(
        {Level::kNote, "",
         fmt::format("e changes by {} per {}/s of speed{}.", FormatWithSigma(slope), facts.unit,
                     is_clear ? "" : ": no change is seen")});
  }
  return findings;
}

Section BouncesSection(const BounceFacts& facts) {
  Section section{.id = "bounces-section", .title = "Bounces"};
  if (facts.bounces.empty()) {
    section.blocks.push_back(Paragraph{"There are none, so there is no table and no e."});
    return section;
  }
  section.blocks.push_back(BounceTable(facts));
  if (Findings findings = Agreement(facts); !findings.findings.empty())
    section.blocks.push_back(std::move(findings));
  section.blocks.push_back(Figures{{BounceRestitutionFigure(facts)}});
  return section;
}

std::string ScaleInWords(const std::string& source) {
  if (source == "diameter") return "the stated diameter of the ball";
  if (source == "length") return "a stated length in the picture";
  if (source == "gravity") return "gravity and the flights";
  return source;
}

/// Of two scales, in sigmas; NaN where a sigma is not known.
double Apart(const ScaleFact& a, const ScaleFact& b) {
  const double sigma = std::hypot(a.diameter.sigma, b.diameter.sigma);
  return sigma > 0 ? std::abs(a.diameter.value - b.diameter.value) / sigma : kNaN;
}

Section ScaleSection(const BounceFacts& facts) {
  constexpr double kMillimetres = 1000;
  constexpr double kAgree = 2.5;  // sigmas: one pair in eighty differs more by chance
  Section section{.id = "scale", .title = "Scale"};
  if (facts.scales.empty()) {
    section.blocks.push_back(
        Paragraph{"Nothing gives the scale of the clip: lengths are in pixels, speeds in pixels a "
                  "second. e is a ratio and needs none."});
    return section;
  }
  Table table{.id = "scales",
              .caption = "Diameter of the ball that follows from each way to know the scale",
              .columns = {TextColumn("source", "scale from"),
                          MeasuredColumn("diameter", "diameter", "mm", kMillimetres),
                          NumberColumn("difference_sigmas", "from the first", "sigma", 2)}};
  for (const ScaleFact& scale : facts.scales) {
    const bool is_first = &scale == &facts.scales.front();
    table.rows.push_back(
        {.cells = {TextCell(ScaleInWords(scale.source)), MeasuredCell(scale.diameter),
                   NumberCell(is_first ? kNaN : Apart(scale, facts.scales[0]))}});
  }
  double most = 0;
  std::string pair;
  for (std::size_t i = 0; i < facts.scales.size(); ++i) {
    for (std::size_t k = i + 1; k < facts.scales.size(); ++k) {
      const double apart = Apart(facts.scales[i], facts.scales[k]);
      if (!(apart >= most)) continue;
      most = apart;
      pair = ScaleInWords(facts.scales[i].source) + " and " + ScaleInWords(facts.scales[k].source);
    }
  }
  Finding finding{
      .level = Level::kNote,
      .text = "There is one way only, so nothing checks the scale. e does not need it."};
  if (!pair.empty()) {
    const bool agree = most <= kAgree;
    finding.level = agree ? Level::kOk : Level::kWarning;
    finding.text = agree ? fmt::format("They agree: {:.1f} sigma at most.", most)
                         : fmt::format(
                               "They do not agree: {} are {:.1f} sigma apart. A stated length, the "
                               "frame rate, or a ball that does not fly in a plane square to the "
                               "camera would do that. e does not depend on the scale.",
                               pair, most);
  }
  section.blocks.push_back(std::move(table));
  section.blocks.push_back(Findings{{finding}});
  return section;
}

Table ClipTable(const BounceFacts& facts) {
  const auto used =
      std::ranges::count_if(facts.balls, [](const BallFact& ball) { return ball.used; });
  return {
      .id = "clip",
      .caption = "The clip",
      .columns =
          {TextColumn("file", "file"),
           CountColumn("width_px", "width", "px"),
           CountColumn("height_px", "height", "px"),
           NumberColumn("frame_rate", "frame rate", "Hz"),
           {.key = "exposure", .header = "exposure", .unit = "ms", .scale = 1000, .digits = 3},
           CountColumn("frames_with_ball", "with the ball", "frames"),
           CountColumn("frames_used", "used", "frames"),
           NumberColumn("rms_px", "rms about the motion", "px", 2)},
      .rows = {{.cells = {TextCell(facts.clip), NumberCell(facts.width), NumberCell(facts.height),
                          NumberCell(facts.frame_rate), NumberCell(facts.exposure),
                          NumberCell(static_cast<double>(facts.balls.size())),
                          NumberCell(static_cast<double>(used)), NumberCell(facts.rms_px)}}}};
}

Table BallTable(const BounceFacts& facts) {
  const auto height = [&](const std::string& key, const std::string& header) {
    return HasMetres(facts) ? NumberColumn(key, header, "m")
                            : NumberColumn(key + "_px", header, "px");
  };
  Table table{.id = "balls",
              .caption = "The ball in each frame",
              .columns = {CountColumn("frame", "frame", "-"), NumberColumn("time", "time", "s", 5),
                          NumberColumn("x_px", "x", "px", 6), NumberColumn("y_px", "y", "px", 6),
                          NumberColumn("radius_px", "radius", "px"),
                          CountColumn("flight", "flight", "-"), TextColumn("used", "used"),
                          height("height", "height"), height("fitted_height", "as fitted")},
              .rows = {},
              .note =
                  "x to the right, y down, from the centre of the top left pixel. Flight 0 is "
                  "before the first bounce. Height: of the lowest point above the surface."};
  for (const BallFact& ball : facts.balls) {
    table.rows.push_back(
        {.cells = {NumberCell(ball.frame), NumberCell(ball.time), NumberCell(ball.pixel.x()),
                   NumberCell(ball.pixel.y()), NumberCell(ball.radius_px), NumberCell(ball.flight),
                   TextCell(ball.used ? "yes" : "no"), NumberCell(ball.height),
                   NumberCell(ball.fitted_height)}});
  }
  return table;
}

}  // namespace

Document BounceDocument(const BounceFacts& facts, const std::string& picture_jpeg, bool has_video) {
  Document document{.title = "Bounces of " + facts.clip,
                    .subtitle = "Coefficient of restitution from a video of a bouncing ball",
                    .sections = {ResultSection(facts, picture_jpeg, has_video)}};
  if (!facts.warnings.empty()) {
    document.sections.push_back(
        ListSection("warnings", "Warnings", Level::kWarning, facts.warnings));
  }
  document.sections.push_back(BouncesSection(facts));
  document.sections.push_back(ScaleSection(facts));
  if (!facts.notes.empty()) {
    document.sections.push_back(
        ListSection("notes", "What else was found", Level::kNote, facts.notes));
  }
  Section clip{.id = "clip-section", .title = "Clip", .blocks = {ClipTable(facts)}};
  if (!facts.balls.empty()) clip.blocks.push_back(BallTable(facts));
  document.sections.push_back(std::move(clip));
  return document;
}

std::vector<std::filesystem::path> WriteBouncePage(const std::filesystem::path& folder,
                                                   const BounceFacts& facts,
                                                   const std::string& picture_jpeg, bool has_video,
                                                   Provenance provenance) {
  const Document document = BounceDocument(facts, picture_jpeg, has_video);
  provenance.format = "percuss table 1";
  return WriteDocument(folder, document, provenance);
}

}  // namespace percuss::report
