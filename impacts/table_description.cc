// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "impacts/table_description.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "capture/experiment/experiment.h"
#include "impacts/impact_columns.h"

namespace percuss::impacts {
namespace {

constexpr std::string_view kAxes[] = {"x", "y", "z"};
constexpr std::string_view kAngle = "angle_y";

Dimension DimensionOf(const ImpactColumn& column) {
  if (column.name.front() == 'v') return Dimension::kVelocity;
  if (column.name.front() == 'w') return Dimension::kAngularVelocity;
  return column.name.front() == 'r' ? Dimension::kLength : Dimension::kNumber;
}

// Names of sigma columns must live as long as the quantities that refer to them.
const std::vector<ImpactSigmaColumn>& SigmaColumns() {
  static const std::vector<ImpactSigmaColumn> columns = ImpactSigmaColumns();
  return columns;
}

std::vector<TableQuantity> Quantities() {
  std::vector<TableQuantity> quantities = {{"trial", Dimension::kText},
                                           {"time", Dimension::kTime},
                                           {kAngle, Dimension::kAngle},
                                           {kReportedDissipation, Dimension::kNumber}};
  for (const ImpactColumn& column : ImpactColumns()) {
    quantities.push_back({column.name, DimensionOf(column)});
  }
  for (const ImpactSigmaColumn& column : SigmaColumns()) {
    const bool rotation = column.name.starts_with("sigma_rot");
    const ImpactColumn* of = FindImpactColumn(std::string_view(column.name).substr(6));
    quantities.push_back({column.name, rotation ? Dimension::kAngle : DimensionOf(*of)});
  }
  return quantities;
}

bool Maps(const TableDescription& description, std::string_view quantity) {
  return description.columns.Find(quantity) != nullptr;
}

bool Unmeasured(const TableDescription& description, std::string_view quantity) {
  const TableColumn* column = description.columns.Find(quantity);
  return column != nullptr && column->unmeasured;
}

// Complaints about what is mapped and what is not.
void CheckColumns(const YamlField& field, const TableDescription& description) {
  const auto require = [&](std::string_view needed, std::string_view because) {
    if (Maps(description, needed)) return;
    field.Throw(fmt::format("no {}", needed), fmt::format("{} with {}", needed, because));
  };
  for (const std::string_view needed : {"vz", "vz_post"}) require(needed, "every table");
  for (const char kind : {'v', 'w'}) {
    for (const std::string_view axis : kAxes) {
      const std::string before = fmt::format("{}{}", kind, axis);
      const std::string after = before + "_post";
      if (Maps(description, before))
        require(after, fmt::format("{} (or {}: unmeasured)", before, after));
      if (Maps(description, after)) require(before, after);
    }
  }
  const std::initializer_list<std::initializer_list<std::string_view>> groups = {
      {"qw", "qx", "qy", "qz"}, {"nx", "ny", "nz"}};
  for (const auto& group : groups) {
    for (const std::string_view one : group) {
      for (const std::string_view other : group) {
        if (Maps(description, one)) require(other, one);
      }
    }
  }
  if (Maps(description, kAngle) && Maps(description, "qw")) {
    field[kAngle].Throw("both angle_y and qw..qz", "one of them");
  }
  for (const TableColumn& column : description.columns.columns) {
    const bool may = column.quantity.ends_with("_post") || column.quantity.front() == 'r';
    if (!column.unmeasured) continue;
    if (!may || column.quantity.starts_with("reported")) {
      field[column.quantity].Throw("unmeasured", "that for r and what comes after the impact");
    }
    if (!description.sigma) {
      field[column.quantity].Throw("unmeasured without sigma",
                                   "it beside `sigma: {velocity: ..., angular_velocity: ...}`");
    }
  }
  const bool arm = Maps(description, "rx") || Maps(description, "ry") || Maps(description, "rz");
  if (description.prior && arm) {
    field.Throw("a contact arm beside prior", "none: the contact is the lowest point in any pose");
  }
  const bool turned = Maps(description, kAngle) || Maps(description, "qw");
  if (!arm && !turned && !description.prior &&
      !std::holds_alternative<solver::Sphere>(description.body.shape)) {
    field.Throw("neither a contact arm nor an orientation",
                "rx, ry, rz (from the mass centre to the contact point), or angle_y, or qw..qz, or "
                "a prior of the orientation");
  }
}

void ReadSigma(const YamlField& field, TableDescription& description) {
  static constexpr std::string_view kAllowed =
      "estimate, or {velocity: NUMBER, angular_velocity: NUMBER} in m/s and rad/s";
  if (!field.Given()) return;
  if (!field.IsMap()) {
    if (field.Text(kAllowed) != "estimate") field.Throw(kAllowed);
    description.estimate_sigma = true;
    return;
  }
  field.AllowKeys({"velocity", "angular_velocity", "contact_arm", "rotation"});
  const auto read = [&](std::string_view key, double highest, bool needed) {
    if (!needed && !field[key].Given()) return 0.0;
    return field[key].Number({.lowest = 0.0, .highest = highest, .lowest_included = !needed});
  };
  description.sigma =
      StatedSigmas{.velocity = read("velocity", kMaxSpeed, true),
                   .angular_velocity = read("angular_velocity", kMaxAngularVelocity, true),
                   .contact_arm = read("contact_arm", kMaxContactArm, false),
                   .rotation = read("rotation", 3.2, false)};
}

// Puts the row's numbers into a record; the first missing or impossible one makes it unusable.
class RowReader {
 public:
  RowReader(const TableDescription& description, const TableRow& row)
      : description_(description), row_(row) {}

  ImpactRecord Read() {
    record_.trial = std::to_string(row_.row);
    record_.normal = description_.normal;
    for (std::size_t i = 0; i < description_.columns.columns.size(); ++i) {
      SetQuantity(description_.columns.columns[i], row_.numbers[i], row_.texts[i]);
    }
    try {
      CheckAndNormalize(Where(), record_);
    } catch (const InputError& impossible) {
      Refuse(impossible.what());
    }
    SetContactArm();
    SetCovariance();
    return std::move(record_);
  }

 private:
  std::string Where() const { return fmt::format("row {} (line {})", row_.row, row_.line); }

  void Refuse(const std::string& reason) {
    if (record_.reason_unusable.empty()) record_.reason_unusable = reason;
  }

  void SetQuantity(const TableColumn& column, double number, const std::string& text) {
    if (column.is_text) {
      record_.trial = text;
      return;
    }
    const std::string source = column.from.empty() ? column.quantity : column.from.front();
    if (column.quantity == kReportedDissipation) {
      if (!std::isnan(number)) record_.extra[kReportedDissipation] = fmt::format("{}", number);
      return;
    }
    if (column.unmeasured) return;
    if (std::isnan(number)) {
      Refuse(fmt::format("{}, column {}: {} is missing", Where(), source, column.quantity));
    }
    if (column.quantity == "time") {
      record_.time = number;
    } else if (column.quantity == kAngle) {
      record_.q_WB = Eigen::AngleAxisd(number, Eigen::Vector3d::UnitY());
    } else if (const ImpactColumn* known = FindImpactColumn(column.quantity)) {
      try {
        CheckMagnitude(Where(), source, number, known->limit);
      } catch (const InputError& impossible) {
        Refuse(impossible.what());
      }
      known->Set(number, record_);
    } else {
      SetSigma(column.quantity, source, number);
    }
  }

  void SetSigma(const std::string& quantity, const std::string& source, double sigma) {
    if (sigma < 0.0) {
      Refuse(fmt::format("{}, column {}: found {}, allowed 0 or more", Where(), source, sigma));
    }
    const auto column = std::ranges::find(SigmaColumns(), quantity, &ImpactSigmaColumn::name);
    if (column->error_index < 0) {
      record_.r_sigma[-1 - column->error_index] = sigma;
    } else {
      row_sigmas_[column->error_index] = sigma;
    }
  }

  void SetContactArm() {
    const auto maps = [&](std::string_view name) { return Maps(description_, name); };
    if (description_.prior) {  // not measured, wherever it is
      record_.r_sigma.setConstant(solver::BoundingRadius(description_.body.shape));
      return;
    }
    if (!maps("rx") && !maps("ry") && !maps("rz") && record_.q_WB.coeffs().allFinite() &&
        record_.normal.allFinite()) {
      record_.r = record_.q_WB * solver::SupportPoint(description_.body.shape,
                                                      -(record_.q_WB.conjugate() * record_.normal));
    }
    const double radius = solver::BoundingRadius(description_.body.shape);
    for (int axis = 0; axis < 3; ++axis) {
      const std::string name = fmt::format("r{}", kAxes[axis]);
      if (Unmeasured(description_, name)) record_.r_sigma[axis] = radius;
      if (description_.sigma && maps(name) && !Unmeasured(description_, name) &&
          !maps("sigma_" + name)) {
        record_.r_sigma[axis] = description_.sigma->contact_arm;
      }
    }
  }

  void SetCovariance() {
    if (!description_.sigma && row_sigmas_.empty()) return;
    ImpactCovariance covariance = ImpactCovariance::Zero();
    const bool planar = !Maps(description_, "wx") && !Maps(description_, "wz");
    if (description_.sigma) {
      const StatedSigmas& sigma = *description_.sigma;
      for (int axis = 0; axis < 3; ++axis) {
        if (axis == 1 || !planar) {
          covariance(kRotation + axis, kRotation + axis) = sigma.rotation * sigma.rotation;
        }
      }
      for (const ImpactColumn& column : ImpactColumns()) {
        if (column.error_index < 0 || !Maps(description_, column.name)) continue;
        double s = column.name.front() == 'v' ? sigma.velocity : sigma.angular_velocity;
        if (Unmeasured(description_, column.name)) s = kUnmeasuredSigma;
        covariance(column.error_index, column.error_index) = s * s;
      }
    }
    for (const auto& [index, sigma] : row_sigmas_) covariance(index, index) = sigma * sigma;
    record_.covariance = covariance;
  }

  const TableDescription& description_;
  const TableRow& row_;
  ImpactRecord record_;
  std::map<int, double> row_sigmas_;  // by index in the error vector
};

// What the description does not map stays with the impact: the surface, the body, a remark.
void KeepOtherColumns(const TableDescription& description, const std::vector<std::string>& header,
                      const TableRow& row, ImpactRecord& record) {
  for (std::size_t i = 0; i < header.size(); ++i) {
    const bool mapped =
        std::ranges::any_of(description.columns.columns, [&](const TableColumn& column) {
          return !column.is_text && std::ranges::find(column.from, header[i]) != column.from.end();
        });
    if (!mapped) record.extra.emplace(header[i], row.cells[i]);
  }
}

// The prior of the orientation must have an entry for each impact.
void CheckPrior(const TableDescription& description, const TableRow& row, ImpactRecord& record) {
  if (!description.prior) return;
  if (const OrientationPrior* prior = description.prior->OrientationOf(record)) {
    constexpr double kAnyVariance = std::numbers::pi * std::numbers::pi / 3.0;  // even in +-pi
    if (prior->any && record.covariance)
      record.covariance->diagonal().segment<3>(kRotation).setConstant(kAnyVariance);
    return;
  }
  const std::string& by = description.prior->by;
  if (!record.extra.contains(by)) {
    throw InputError(
        fmt::format("{}: prior.orientation.by: found {}, allowed a column that is not mapped",
                    description.columns.table.string(), by));
  }
  std::string allowed;
  for (const auto& [entry, prior] : description.prior->orientations)
    allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", entry);
  if (record.reason_unusable.empty()) {
    record.reason_unusable = fmt::format(
        "row {} (line {}), column {}: found \"{}\", allowed an entry of prior.orientation: {}",
        row.row, row.line, by, record.extra.at(by), allowed);
  }
}

// A column most of whose values cannot be right is in another unit.
void CheckUnits(const TableDescription& description, const MappedTable& table) {
  for (std::size_t i = 0; i < description.columns.columns.size(); ++i) {
    const TableColumn& column = description.columns.columns[i];
    const ImpactColumn* known = FindImpactColumn(column.quantity);
    if (known == nullptr || column.unmeasured) continue;
    const auto impossible = std::ranges::count_if(
        table.rows, [&](const TableRow& row) { return std::abs(row.numbers[i]) > known->limit; });
    if (2 * impossible <= std::ssize(table.rows)) continue;
    throw InputError(fmt::format(
        "{}: column {}: {} of {} values of {} are beyond {}; allowed are SI units, or a unit in "
        "the description",
        description.columns.table.string(), column.from.empty() ? "" : column.from.front(),
        impossible, table.rows.size(), column.quantity, known->limit));
  }
}

}  // namespace

TableDescription ReadTableDescription(const std::filesystem::path& file) {
  const YamlField root = YamlField::ReadFile(file);
  std::vector<std::string_view> keys(std::begin(kTableKeys), std::end(kTableKeys));
  keys.insert(keys.end(), {"body", "normal", "sigma", "name", "prior", "coefficients"});
  root.AllowKeys(keys);
  static constexpr std::string_view kKind = "impacts (poses: percuss track)";
  if (root["kind"].Given() && root["kind"].Text(kKind) != "impacts") root["kind"].Throw(kKind);
  TableDescription description;
  description.columns = ReadTableColumns(root, Quantities());
  description.body = capture::ReadBody(root["body"]).body;
  ReadSigma(root["sigma"], description);
  if (root["normal"].Given()) {
    description.normal = capture::ReadVector3(root["normal"], {.lowest = -1.0, .highest = 1.0});
    if (std::abs(description.normal.norm() - 1.0) > 1e-3) root["normal"].Throw("a unit vector");
    description.normal.normalize();
  }
  if (root["prior"].Given()) {
    description.prior = ReadPosePriors(root["prior"]);
    if (!description.sigma) {
      root["prior"].Throw("a prior without sigma",
                          "it beside `sigma: {velocity: ..., angular_velocity: ...}`");
    }
  }
  CheckColumns(root["columns"], description);
  return description;
}

ImpactTable ReadDescribedImpacts(const TableDescription& description) {
  const MappedTable mapped = ReadMappedTable(description.columns);
  CheckUnits(description, mapped);
  ImpactTable table;
  std::set<std::string> names;
  for (const TableRow& row : mapped.rows) {
    ImpactRecord record = RowReader(description, row).Read();
    KeepOtherColumns(description, mapped.header, row, record);
    CheckPrior(description, row, record);
    if (record.trial.empty() || !names.insert(record.trial).second) {
      throw InputError(fmt::format(
          "{}: row {} (line {}), trial: found \"{}\"{}, allowed a name for each row, once",
          description.columns.table.string(), row.row, row.line, record.trial,
          record.trial.empty() ? "" : " again"));
    }
    table.impacts.push_back(std::move(record));
  }
  if (std::ranges::none_of(table.impacts, [](const ImpactRecord& record) {
        return record.reason_unusable.empty();
      })) {
    throw InputError(fmt::format("{}: {}", description.columns.table.string(),
                                 table.impacts.front().reason_unusable));
  }
  return table;
}

bool IsTableDescription(const std::filesystem::path& file) {
  const std::string ending = file.extension().string();
  return ending == ".yaml" || ending == ".yml";
}

}  // namespace percuss::impacts
