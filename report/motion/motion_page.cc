// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/motion/motion_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text/numbers.h"
#include "report/motion/motion_scene.h"

namespace percuss::report {
namespace {

/// "ball on floor", each pair once.
std::string WhoStruck(const MotionImpact& impact) {
  std::vector<std::string> pairs;
  for (const MotionImpulse& one : impact.impulses) {
    std::string pair = one.on + " on " + one.from;
    if (std::ranges::find(pairs, pair) == pairs.end()) pairs.push_back(std::move(pair));
  }
  std::string text;
  for (const std::string& pair : pairs) text += (text.empty() ? "" : ", ") + pair;
  return text;
}

double LargestImpulse(const MotionImpact& impact) {
  double largest = 0.0;
  for (const MotionImpulse& one : impact.impulses) largest = std::max(largest, one.impulse.norm());
  return largest;
}

/// What the points did, each sequence of modes once: "slip; slip, stick".
std::string ModesOf(const MotionImpact& impact) {
  std::vector<std::string> all;
  for (const MotionImpulse& one : impact.impulses) {
    if (!one.modes.empty() && std::ranges::find(all, one.modes) == all.end())
      all.push_back(one.modes);
  }
  return fmt::format("{}", fmt::join(all, "; "));
}

/// The largest over the points; not a number where no point has one.
double Largest(const MotionImpact& impact, double MotionImpulse::*member) {
  double largest = std::numeric_limits<double>::quiet_NaN();
  for (const MotionImpulse& one : impact.impulses) largest = std::fmax(largest, one.*member);
  return largest;
}

bool SaysDuration(const MotionImpact& impact) {
  return std::isfinite(Largest(impact, &MotionImpulse::duration));
}

// The page has no files beside it: what the table does not show, --json prints.
Table ImpactTable(const std::vector<MotionImpact>& impacts) {
  Table table{
      .id = "impacts",
      .caption = "Who struck, when, and how hard",
      .columns = {NumberColumn("time", "time", "s", 5), TextColumn("pair", "who struck"),
                  CountColumn("points", "points", "-"), TextColumn("modes", "mode of points"),
                  NumberColumn("impulse", "largest impulse", "N s", 4),
                  NumberColumn("energy_before", "kinetic energy before", "J", 4),
                  NumberColumn("energy_after", "after", "J", 4)}};
  const bool durations = std::ranges::any_of(impacts, SaysDuration);
  if (durations) {
    table.columns.push_back(NumberColumn("duration", "duration", "s", 4));
    table.columns.push_back(NumberColumn("compression", "largest compression", "m", 4));
  }
  const std::size_t shown = std::min(impacts.size(), kMostRows);
  for (std::size_t k = 0; k < shown; ++k) {
    const MotionImpact& impact = impacts[k];
    table.rows.push_back(
        {.cells = {NumberCell(impact.time), TextCell(WhoStruck(impact)),
                   NumberCell(impact.num_points), TextCell(ModesOf(impact)),
                   NumberCell(LargestImpulse(impact)), NumberCell(impact.energy_before),
                   NumberCell(impact.energy_after)}});
    if (!durations) continue;
    for (const auto member : {&MotionImpulse::duration, &MotionImpulse::compression})
      table.rows.back().cells.push_back(NumberCell(Largest(impact, member)));
  }
  if (shown < impacts.size()) {
    table.note = fmt::format("The first {} of {}; percuss simulate --json prints all.", shown,
                             Count(std::ssize(impacts), "impact"));
  }
  return table;
}

std::string InBrief(const MotionFacts& motion) {
  std::string text =
      motion.bodies.size() == 1 ? "1 body" : fmt::format("{} bodies", motion.bodies.size());
  if (!motion.joints.empty()) text += ", " + Count(std::ssize(motion.joints), "joint");
  if (!motion.springs.empty()) text += ", " + Count(std::ssize(motion.springs), "spring");
  return fmt::format("{}: {} in {:.6g} s{}", text, Count(std::ssize(motion.impacts), "impact"),
                     motion.times.empty() ? 0.0 : motion.times.back(),
                     motion.at_rest ? ", then rest" : "");
}

}  // namespace

Document MotionDocument(const MotionFacts& motion) {
  Document document{.title = "Motion of " + motion.name, .subtitle = InBrief(motion)};
  document.sections.push_back(
      {.id = "motion",
       .blocks = {
           Viewer{.id = "viewer", .scene = MotionScene(motion), .kind = ViewerKind::kMotion}}});
  if (!motion.impacts.empty())
    document.sections.push_back(
        {.id = "impacts-section", .title = "Impacts", .blocks = {ImpactTable(motion.impacts)}});
  return document;
}

}  // namespace percuss::report
