// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <cmath>

#include "report/sections/sections.h"

namespace percuss::report {
namespace {

using fitting::GroupPrecision;
using fitting::RepeatabilityStudy;

constexpr double kLimit = 2.8;  // 1.96 sqrt(2): 95 of 100 differences of two results are smaller

Table PrecisionTable(const std::vector<RepeatabilityStudy>& studies) {
  Table table{
      .id = "repeatability",
      .caption = "Repeatability and reproducibility (ASTM E691)",
      .columns = {TextColumn("column", "groups by"), TextColumn("parameter", "parameter"),
                  CountColumn("groups", "groups", "-"), CountColumn("results", "results", "-"),
                  NumberColumn("mean", "mean of the groups", "-"),
                  NumberColumn("repeatability", "repeatability s_r", "-", 3),
                  NumberColumn("between", "between groups s_L", "-", 3),
                  NumberColumn("reproducibility", "reproducibility s_R", "-", 3),
                  NumberColumn("repeatability_limit", "limit r", "-", 3),
                  NumberColumn("reproducibility_limit", "limit R", "-", 3),
                  CountColumn("left_out", "impacts left out", "-")},
      .note =
          "Each impact gives one result: the law fitted to it alone. Standard deviations of "
          "results within a group, of group means beyond that, and of both together; two "
          "results of one group (of two groups) differ by less than r (R) in 95 of 100 cases. "
          "Left out: impacts without a group, or that do not identify the parameter."};
  for (const RepeatabilityStudy& study : studies) {
    int results = 0;
    for (const GroupPrecision& group : study.precision.groups) results += group.count;
    table.rows.push_back(
        {.cells = {
             TextCell(study.column), TextCell(study.parameter),
             NumberCell(static_cast<double>(study.precision.groups.size())), NumberCell(results),
             RoundedCell(study.precision.mean, study.precision.reproducibility),
             NumberCell(study.precision.repeatability), NumberCell(study.precision.between),
             NumberCell(study.precision.reproducibility),
             NumberCell(kLimit * study.precision.repeatability),
             NumberCell(kLimit * study.precision.reproducibility), NumberCell(study.left_out)}});
  }
  return table;
}

std::string Verdict(const RepeatabilityStudy& study, const GroupPrecision& group) {
  const bool far = std::abs(group.h) > study.precision.h_critical,
             wide = group.k > group.k_critical;
  if (far && wide) return "mean and scatter differ from the others";
  if (far) return "mean differs from the others";
  if (wide) return "scatters more than the others";
  return "like the others";
}

Table GroupTable(const std::vector<RepeatabilityStudy>& studies) {
  Table table{
      .id = "repeatability-groups",
      .caption = "Consistency of the groups: h and k (ASTM E691)",
      .columns = {TextColumn("column", "groups by"), TextColumn("parameter", "parameter"),
                  TextColumn("group", "group"), CountColumn("results", "results", "-"),
                  NumberColumn("mean", "mean", "-"),
                  NumberColumn("sigma", "standard deviation", "-", 3),
                  NumberColumn("h", "h", "-", 3), NumberColumn("h_critical", "critical h", "-", 3),
                  NumberColumn("k", "k", "-", 3), NumberColumn("k_critical", "critical k", "-", 3),
                  TextColumn("verdict", "verdict")},
      .note =
          "h: how far the mean of a group is from that of all, in standard deviations of the "
          "means. k: its scatter over that within all groups. By chance h or k is beyond the "
          "critical value in 5 of 1000 cases."};
  for (const RepeatabilityStudy& study : studies) {
    for (const GroupPrecision& group : study.precision.groups) {
      table.rows.push_back(
          {.cells = {TextCell(study.column), TextCell(study.parameter), TextCell(group.name),
                     NumberCell(group.count),
                     RoundedCell(group.mean, study.precision.repeatability),
                     NumberCell(group.sigma), NumberCell(group.h),
                     NumberCell(study.precision.h_critical), NumberCell(group.k),
                     NumberCell(group.k_critical), TextCell(Verdict(study, group))},
           .starts_group = &group == &study.precision.groups.front()});
    }
  }
  return table;
}

}  // namespace

std::vector<Block> RepeatabilityBlocks(const fitting::FitReport& fit) {
  if (fit.repeatability.empty()) return {};
  return {Heading{.text = "Repeatability between groups of trials, law " +
                          fit.repeatability.front().law},
          PrecisionTable(fit.repeatability), GroupTable(fit.repeatability)};
}

}  // namespace percuss::report
