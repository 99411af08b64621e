// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/impact_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "capture/error.h"

namespace percuss::tracking {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kMaxSpeed = 1000.0;           // m/s
constexpr double kMaxAngularVelocity = 1.0e5;  // rad/s
constexpr double kMaxContactArm = 100.0;       // m
constexpr double kUnitNormTolerance = 1.0e-3;
constexpr char kFormat[] = "percuss impacts 1";

// A column of the table, where it lives in a record, where its error lives in the error vector
// (-1: nowhere) and the largest magnitude that can be right.
struct Column {
  std::string_view name;
  double (*get)(const ImpactRecord&);
  void (*set)(ImpactRecord&, double);
  int error_index;
  double limit;
};

// clang-format off
#define PERCUSS_VECTOR_COLUMN(name, member, axis, error_index, limit)            \
  Column{name, [](const ImpactRecord& r) { return r.member[axis]; },             \
         [](ImpactRecord& r, double value) { r.member[axis] = value; }, error_index, limit}
#define PERCUSS_QUATERNION_COLUMN(name, member)                                  \
  Column{name, [](const ImpactRecord& r) { return r.q_WB.member(); },            \
         [](ImpactRecord& r, double value) { r.q_WB.member() = value; }, -1, 2.0}

const std::array kColumns = {
    PERCUSS_QUATERNION_COLUMN("qw", w), PERCUSS_QUATERNION_COLUMN("qx", x),
    PERCUSS_QUATERNION_COLUMN("qy", y), PERCUSS_QUATERNION_COLUMN("qz", z),
    PERCUSS_VECTOR_COLUMN("rx", r, 0, -1, kMaxContactArm),
    PERCUSS_VECTOR_COLUMN("ry", r, 1, -1, kMaxContactArm),
    PERCUSS_VECTOR_COLUMN("rz", r, 2, -1, kMaxContactArm),
    PERCUSS_VECTOR_COLUMN("vx", v, 0, kV + 0, kMaxSpeed),
    PERCUSS_VECTOR_COLUMN("vy", v, 1, kV + 1, kMaxSpeed),
    PERCUSS_VECTOR_COLUMN("vz", v, 2, kV + 2, kMaxSpeed),
    PERCUSS_VECTOR_COLUMN("wx", w, 0, kW + 0, kMaxAngularVelocity),
    PERCUSS_VECTOR_COLUMN("wy", w, 1, kW + 1, kMaxAngularVelocity),
    PERCUSS_VECTOR_COLUMN("wz", w, 2, kW + 2, kMaxAngularVelocity),
    PERCUSS_VECTOR_COLUMN("vx_post", v_post, 0, kVPost + 0, kMaxSpeed),
    PERCUSS_VECTOR_COLUMN("vy_post", v_post, 1, kVPost + 1, kMaxSpeed),
    PERCUSS_VECTOR_COLUMN("vz_post", v_post, 2, kVPost + 2, kMaxSpeed),
    PERCUSS_VECTOR_COLUMN("wx_post", w_post, 0, kWPost + 0, kMaxAngularVelocity),
    PERCUSS_VECTOR_COLUMN("wy_post", w_post, 1, kWPost + 1, kMaxAngularVelocity),
    PERCUSS_VECTOR_COLUMN("wz_post", w_post, 2, kWPost + 2, kMaxAngularVelocity),
    PERCUSS_VECTOR_COLUMN("nx", normal, 0, -1, 2.0),
    PERCUSS_VECTOR_COLUMN("ny", normal, 1, -1, 2.0),
    PERCUSS_VECTOR_COLUMN("nz", normal, 2, -1, 2.0)};

#undef PERCUSS_VECTOR_COLUMN
#undef PERCUSS_QUATERNION_COLUMN
// clang-format on

// Columns of standard deviations: name and index in the error vector; -1, -2, -3: contact arm
// x, y, z.
struct SigmaColumn {
  std::string name;
  int error_index;
};

std::vector<SigmaColumn> SigmaColumns() {
  std::vector<SigmaColumn> columns;
  constexpr std::array<std::string_view, 3> kAxes = {"x", "y", "z"};
  for (int axis = 0; axis < 3; ++axis) {
    columns.push_back({fmt::format("sigma_rot_{}", kAxes[axis]), kRotation + axis});
  }
  for (int axis = 0; axis < 3; ++axis) {
    columns.push_back({fmt::format("sigma_r{}", kAxes[axis]), -1 - axis});
  }
  for (const Column& column : kColumns) {
    if (column.error_index >= 0) {
      columns.push_back({fmt::format("sigma_{}", column.name), column.error_index});
    }
  }
  return columns;
}

const Column* FindColumn(std::string_view name) {
  const auto found =
      std::ranges::find_if(kColumns, [&](const Column& column) { return column.name == name; });
  return found == kColumns.end() ? nullptr : &*found;
}

// ---------------------------------------------------------------------------------------- checks

void CheckMagnitude(const std::string& where, std::string_view column, double value, double limit) {
  if (std::isnan(value)) return;
  if (!(std::abs(value) <= limit)) {
    throw InputError(fmt::format("{}, column {}: found {}, allowed -{} to {}", where, column, value,
                                 limit, limit));
  }
}

void CheckAndNormalize(const std::string& where, ImpactRecord& record) {
  const double quaternion_norm = record.q_WB.norm();
  if (!std::isnan(quaternion_norm)) {
    if (std::abs(quaternion_norm - 1.0) > kUnitNormTolerance) {
      throw InputError(fmt::format(
          "{}, columns qw,qx,qy,qz: found a quaternion of norm {:.6g}, allowed 1 within {}", where,
          quaternion_norm, kUnitNormTolerance));
    }
    // A quaternion that is of unit norm up to rounding stays bit for bit what the file said.
    if (std::abs(quaternion_norm - 1.0) > 1e-12) record.q_WB.normalize();
  }
  const double normal_norm = record.normal.norm();
  if (!std::isnan(normal_norm)) {
    if (std::abs(normal_norm - 1.0) > kUnitNormTolerance) {
      throw InputError(
          fmt::format("{}, columns nx,ny,nz: found a normal of norm {:.6g}, allowed 1 within {}",
                      where, normal_norm, kUnitNormTolerance));
    }
    if (std::abs(normal_norm - 1.0) > 1e-12) record.normal.normalize();
  }
}

// ------------------------------------------------------------------------------------- CSV text

std::string Quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

struct CsvRow {
  int line = 0;
  std::vector<std::string> cells;
};

std::string Trimmed(std::string text) {
  const auto is_space = [](unsigned char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_space(static_cast<unsigned char>(text.back()))) text.pop_back();
  text.erase(text.begin(), std::ranges::find_if_not(text, is_space));
  return text;
}

// RFC 4180 with comment lines (`#` first) and blank lines left out.
std::vector<CsvRow> ParseCsv(const std::filesystem::path& file, const std::string& text) {
  std::vector<CsvRow> rows;
  size_t at = 0;
  if (text.starts_with("\xEF\xBB\xBF")) at = 3;  // byte order mark of spreadsheet programs
  int line = 1;
  while (at < text.size()) {
    if (text[at] == '#' || text[at] == '\n' || text[at] == '\r') {
      while (at < text.size() && text[at] != '\n') ++at;
      ++at;
      ++line;
      continue;
    }
    CsvRow row{.line = line, .cells = {}};
    std::string cell;
    bool quoted = false;
    bool was_quoted = false;
    const auto finish_cell = [&] {
      row.cells.push_back(was_quoted ? cell : Trimmed(cell));
      cell.clear();
      was_quoted = false;
    };
    while (at < text.size()) {
      const char c = text[at++];
      if (quoted) {
        if (c == '"' && at < text.size() && text[at] == '"') {
          cell += '"';
          ++at;
        } else if (c == '"') {
          quoted = false;
        } else {
          if (c == '\n') ++line;
          cell += c;
        }
      } else if (c == '"' && Trimmed(cell).empty()) {
        quoted = was_quoted = true;
        cell.clear();
      } else if (c == ',') {
        finish_cell();
      } else if (c == '\n') {
        break;
      } else if (c != '\r') {
        cell += c;
      }
    }
    if (quoted) {
      throw InputError(
          fmt::format("{}: line {}: found a quote that is never closed", file.string(), row.line));
    }
    finish_cell();
    ++line;
    rows.push_back(std::move(row));
  }
  return rows;
}

double ParseNumber(const std::string& where, std::string_view column, const std::string& cell) {
  if (cell.empty() || cell == "nan" || cell == "NaN" || cell == "NA") return kNaN;
  const char* begin = cell.data();
  const char* end = begin + cell.size();
  if (*begin == '+') ++begin;
  double value = kNaN;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stop != end) {
    throw InputError(
        fmt::format("{}, column {}: found \"{}\", allowed a number", where, column, cell));
  }
  if (std::isinf(value)) {
    throw InputError(
        fmt::format("{}, column {}: found {}, allowed a finite number", where, column, cell));
  }
  return value;
}

// ------------------------------------------------------------------------------------------ CSV

// What the header of a table says about each cell.
struct CsvHeader {
  enum class Kind { kTrial, kValue, kSigma, kTime, kTimeSigma, kWarnings, kExtra };
  struct Entry {
    Kind kind = Kind::kExtra;
    std::string name;
    const Column* column = nullptr;  // kValue
    int error_index = 0;             // kSigma, as in SigmaColumn
  };
  std::vector<Entry> entries;

  bool Has(std::string_view name) const {
    return std::ranges::any_of(entries, [&](const Entry& entry) { return entry.name == name; });
  }
};

CsvHeader ReadHeader(const std::filesystem::path& file, const CsvRow& row) {
  using Kind = CsvHeader::Kind;
  const std::vector<SigmaColumn> sigma_columns = SigmaColumns();
  CsvHeader header;
  for (const std::string& name : row.cells) {
    if (!name.empty() && header.Has(name)) {
      throw InputError(
          fmt::format("{}: line {}: found column {} twice", file.string(), row.line, name));
    }
    CsvHeader::Entry entry{.kind = Kind::kExtra, .name = name};
    const auto sigma = std::ranges::find_if(
        sigma_columns, [&](const SigmaColumn& column) { return column.name == name; });
    if (name == "trial") {
      entry.kind = Kind::kTrial;
    } else if (name == "time") {
      entry.kind = Kind::kTime;
    } else if (name == "time_sigma") {
      entry.kind = Kind::kTimeSigma;
    } else if (name == "warnings") {
      entry.kind = Kind::kWarnings;
    } else if (const Column* column = FindColumn(name)) {
      entry.kind = Kind::kValue;
      entry.column = column;
    } else if (sigma != sigma_columns.end()) {
      entry.kind = Kind::kSigma;
      entry.error_index = sigma->error_index;
    } else if (name == "sigma_qw" || name == "sigma_qx" || name == "sigma_qy" ||
               name == "sigma_qz") {
      throw InputError(fmt::format(
          "{}: line {}: found column {}, allowed sigma_rot_x, sigma_rot_y, sigma_rot_z (rotation "
          "about the world axes, rad)",
          file.string(), row.line, name));
    }
    header.entries.push_back(entry);
  }
  for (const std::string_view required : {"trial", "rz", "vz", "vz_post"}) {
    if (!header.Has(required)) {
      throw InputError(
          fmt::format("{}: line {}: column {} is missing; trial, rz, vz and vz_post are needed",
                      file.string(), row.line, required));
    }
  }
  for (const std::string_view before : {"vx", "vy", "wx", "wy", "wz"}) {
    const std::string after = fmt::format("{}_post", before);
    if (header.Has(before) != header.Has(after)) {
      throw InputError(fmt::format("{}: line {}: column {} is missing although {} is there",
                                   file.string(), row.line,
                                   header.Has(before) ? after : std::string(before),
                                   header.Has(before) ? std::string(before) : after));
    }
  }
  const auto all_or_none = [&](std::initializer_list<std::string_view> names) {
    const auto present =
        std::ranges::count_if(names, [&](std::string_view name) { return header.Has(name); });
    if (present == 0 || present == static_cast<std::ptrdiff_t>(names.size())) return present > 0;
    for (const std::string_view name : names) {
      if (!header.Has(name)) {
        throw InputError(
            fmt::format("{}: line {}: column {} is missing although others of its "
                        "group are there",
                        file.string(), row.line, name));
      }
    }
    return true;
  };
  all_or_none({"qw", "qx", "qy", "qz"});
  all_or_none({"nx", "ny", "nz"});
  return header;
}

ImpactRecord ReadRow(const std::string& where, const CsvHeader& header, const CsvRow& row) {
  using Kind = CsvHeader::Kind;
  ImpactRecord record;
  ImpactCovariance covariance = ImpactCovariance::Zero();
  bool states_a_sigma = false;
  for (size_t i = 0; i < header.entries.size(); ++i) {
    const CsvHeader::Entry& entry = header.entries[i];
    const std::string& cell = row.cells[i];
    switch (entry.kind) {
      case Kind::kTrial:
        record.trial = cell;
        break;
      case Kind::kValue: {
        const double value = ParseNumber(where, entry.name, cell);
        CheckMagnitude(where, entry.name, value, entry.column->limit);
        entry.column->set(record, value);
        break;
      }
      case Kind::kSigma: {
        const double sigma = ParseNumber(where, entry.name, cell);
        if (sigma < 0.0) {
          throw InputError(
              fmt::format("{}, column {}: found {}, allowed 0 or more", where, entry.name, cell));
        }
        if (entry.error_index >= 0) {
          covariance(entry.error_index, entry.error_index) = sigma * sigma;
          states_a_sigma |= !cell.empty();
        } else if (!cell.empty()) {
          record.r_sigma[-1 - entry.error_index] = sigma;
        }
        break;
      }
      case Kind::kTime:
        record.time = ParseNumber(where, entry.name, cell);
        break;
      case Kind::kTimeSigma:
        record.time_sigma = ParseNumber(where, entry.name, cell);
        break;
      case Kind::kWarnings: {
        size_t begin = 0;
        while (begin < cell.size()) {
          const size_t end = std::min(cell.find("; ", begin), cell.size());
          record.warnings.push_back(cell.substr(begin, end - begin));
          begin = end + 2;
        }
        break;
      }
      case Kind::kExtra:
        record.extra[entry.name] = cell;
        break;
    }
  }
  if (states_a_sigma) record.covariance = covariance;
  CheckAndNormalize(where, record);
  return record;
}

ImpactTable ReadCsv(const std::filesystem::path& file) {
  const std::vector<CsvRow> rows = ParseCsv(file, capture::ReadFile(file));
  if (rows.empty()) {
    throw InputError(fmt::format("{}: found no header line, allowed a table that starts with one",
                                 file.string()));
  }
  const CsvHeader header = ReadHeader(file, rows.front());
  ImpactTable table;
  std::set<std::string> names;
  for (size_t i = 1; i < rows.size(); ++i) {
    const CsvRow& row = rows[i];
    const std::string where = fmt::format("{}: row {} (line {})", file.string(), i, row.line);
    if (row.cells.size() != header.entries.size()) {
      throw InputError(fmt::format("{}: found {} cells, allowed {} as in the header", where,
                                   row.cells.size(), header.entries.size()));
    }
    ImpactRecord record = ReadRow(where, header, row);
    if (record.trial.empty()) {
      throw InputError(fmt::format("{}, column trial: found nothing, allowed a name", where));
    }
    if (!names.insert(record.trial).second) {
      throw InputError(fmt::format("{}, column trial: found \"{}\" again, allowed each name once",
                                   where, record.trial));
    }
    table.impacts.push_back(std::move(record));
  }
  if (table.impacts.empty()) {
    throw InputError(
        fmt::format("{}: found no row below the header, allowed one or more", file.string()));
  }
  return table;
}

// ----------------------------------------------------------------------------------------- JSON

Json NumberJson(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json VectorJson(const Eigen::Ref<const Eigen::VectorXd>& vector) {
  Json json = Json::array();
  for (const double value : vector) json.push_back(NumberJson(value));
  return json;
}

Json MatrixJson(const Eigen::Ref<const Eigen::MatrixXd>& matrix) {
  Json json = Json::array();
  for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
    json.push_back(VectorJson(matrix.row(row).transpose()));
  }
  return json;
}

// Reads fields of one JSON object; every complaint names file, place and field.
class JsonReader {
 public:
  JsonReader(std::string where, const Json& json) : where_(std::move(where)), json_(json) {
    if (!json_.is_object()) {
      throw InputError(fmt::format("{}: found {}, allowed an object", where_, json_.type_name()));
    }
  }

  bool Has(const char* field) const { return json_.contains(field) && !json_.at(field).is_null(); }

  const Json& At(const char* field) const {
    if (!json_.contains(field)) throw InputError(fmt::format("{}: {} is missing", where_, field));
    return json_.at(field);
  }

  std::string Text(const char* field) const {
    const Json& json = At(field);
    if (!json.is_string()) Complain(field, json.dump(), "a text");
    return json.get<std::string>();
  }

  double Number(const char* field) const { return ToNumber(field, At(field)); }

  Eigen::VectorXd Vector(const char* field, Eigen::Index size) const {
    const Json& json = At(field);
    if (!json.is_array() || static_cast<Eigen::Index>(json.size()) != size) {
      Complain(field, Shape(json), fmt::format("a list of {} numbers", size));
    }
    Eigen::VectorXd vector(size);
    for (Eigen::Index i = 0; i < size; ++i) {
      vector[i] = ToNumber(field, json.at(static_cast<size_t>(i)));
    }
    return vector;
  }

  // columns < 0: as many as the first row has.
  Eigen::MatrixXd Matrix(const char* field, Eigen::Index rows, Eigen::Index columns) const {
    const Json& json = At(field);
    if (!json.is_array() || static_cast<Eigen::Index>(json.size()) != rows) {
      Complain(field, Shape(json), fmt::format("{} rows", rows));
    }
    if (columns < 0) {
      columns =
          rows > 0 && json.at(0).is_array() ? static_cast<Eigen::Index>(json.at(0).size()) : 0;
    }
    Eigen::MatrixXd matrix(rows, columns);
    for (Eigen::Index row = 0; row < rows; ++row) {
      const Json& values = json.at(static_cast<size_t>(row));
      if (!values.is_array() || static_cast<Eigen::Index>(values.size()) != columns) {
        Complain(field, fmt::format("row {} with {}", row + 1, Shape(values)),
                 fmt::format("{} numbers in each row", columns));
      }
      for (Eigen::Index column = 0; column < columns; ++column) {
        matrix(row, column) = ToNumber(field, values.at(static_cast<size_t>(column)));
      }
    }
    return matrix;
  }

  [[noreturn]] void Complain(const char* field, const std::string& found,
                             const std::string& allowed) const {
    throw InputError(fmt::format("{}, {}: found {}, allowed {}", where_, field, found, allowed));
  }

 private:
  static std::string Shape(const Json& json) {
    return json.is_array() ? fmt::format("a list of {}", json.size()) : json.dump();
  }

  double ToNumber(const char* field, const Json& json) const {
    if (json.is_null()) return kNaN;
    if (!json.is_number()) Complain(field, json.dump(), "a number");
    return json.get<double>();
  }

  std::string where_;
  const Json& json_;
};

Json RecordJson(const ImpactRecord& record) {
  Json json;
  json["trial"] = record.trial;
  json["time"] = NumberJson(record.time);
  json["time_sigma"] = NumberJson(record.time_sigma);
  json["position"] = VectorJson(record.p_WB);
  json["orientation"] = VectorJson(
      Eigen::Vector4d(record.q_WB.w(), record.q_WB.x(), record.q_WB.y(), record.q_WB.z()));
  json["contact_arm"] = VectorJson(record.r);
  json["contact_arm_sigma"] = VectorJson(record.r_sigma);
  json["normal"] = VectorJson(record.normal);
  json["gravity"] = VectorJson(record.gravity);
  json["v"] = VectorJson(record.v);
  json["w"] = VectorJson(record.w);
  json["v_post"] = VectorJson(record.v_post);
  json["w_post"] = VectorJson(record.w_post);
  if (record.covariance) json["covariance"] = MatrixJson(*record.covariance);
  if (record.calibration_sensitivity.size() > 0) {
    json["calibration_sensitivity"] = MatrixJson(record.calibration_sensitivity);
  }
  json["warnings"] = record.warnings;
  if (!record.extra.empty()) json["extra"] = record.extra;
  return json;
}

void CheckVector(const std::string& where, const char* field, const Eigen::Vector3d& value,
                 double limit) {
  for (int axis = 0; axis < 3; ++axis) {
    CheckMagnitude(where, fmt::format("{}[{}]", field, axis), value[axis], limit);
  }
}

ImpactRecord ReadRecord(const std::string& where, const Json& json,
                        Eigen::Index calibration_parameters) {
  const JsonReader reader(where, json);
  ImpactRecord record;
  record.trial = reader.Text("trial");
  if (reader.Has("time")) record.time = reader.Number("time");
  if (reader.Has("time_sigma")) record.time_sigma = reader.Number("time_sigma");
  if (reader.Has("position")) record.p_WB = reader.Vector("position", 3);
  const Eigen::Vector4d q = reader.Vector("orientation", 4);
  record.q_WB = Eigen::Quaterniond(q[0], q[1], q[2], q[3]);
  record.r = reader.Vector("contact_arm", 3);
  if (reader.Has("contact_arm_sigma")) record.r_sigma = reader.Vector("contact_arm_sigma", 3);
  if (reader.Has("normal")) record.normal = reader.Vector("normal", 3);
  if (reader.Has("gravity")) record.gravity = reader.Vector("gravity", 3);
  record.v = reader.Vector("v", 3);
  record.w = reader.Vector("w", 3);
  record.v_post = reader.Vector("v_post", 3);
  record.w_post = reader.Vector("w_post", 3);
  CheckVector(where, "contact_arm", record.r, kMaxContactArm);
  CheckVector(where, "v", record.v, kMaxSpeed);
  CheckVector(where, "v_post", record.v_post, kMaxSpeed);
  CheckVector(where, "w", record.w, kMaxAngularVelocity);
  CheckVector(where, "w_post", record.w_post, kMaxAngularVelocity);
  if ((record.r_sigma.array() < 0.0).any()) {
    reader.Complain("contact_arm_sigma", fmt::format("{}", record.r_sigma.minCoeff()), "0 or more");
  }
  if (reader.Has("covariance")) {
    record.covariance = reader.Matrix("covariance", kImpactDimension, kImpactDimension);
    const double least = record.covariance->diagonal().minCoeff();
    if (least < 0.0)
      reader.Complain("covariance", fmt::format("a variance of {}", least), "0 or more");
  }
  if (reader.Has("calibration_sensitivity")) {
    record.calibration_sensitivity =
        reader.Matrix("calibration_sensitivity", kImpactDimension, calibration_parameters);
  }
  if (reader.Has("warnings")) {
    for (const Json& warning : reader.At("warnings")) {
      if (!warning.is_string()) reader.Complain("warnings", warning.dump(), "a list of texts");
      record.warnings.push_back(warning.get<std::string>());
    }
  }
  if (reader.Has("extra")) {
    if (!reader.At("extra").is_object()) {
      reader.Complain("extra", reader.At("extra").dump(), "an object of texts");
    }
    for (const auto& [key, value] : reader.At("extra").items()) {
      if (!value.is_string()) reader.Complain("extra", value.dump(), "an object of texts");
      record.extra[key] = value.get<std::string>();
    }
  }
  CheckAndNormalize(where, record);
  return record;
}

ImpactTable ReadJson(const std::filesystem::path& file) {
  Json json;
  try {
    json = Json::parse(capture::ReadFile(file));
  } catch (const Json::parse_error& error) {
    throw InputError(
        fmt::format("{}: found broken JSON at byte {}, allowed a file written by "
                    "percuss track or run",
                    file.string(), error.byte));
  }
  const JsonReader reader(file.string(), json);
  const std::string format = reader.Text("format");
  if (format != kFormat) reader.Complain("format", "\"" + format + "\"", kFormat);
  ImpactTable table;
  if (reader.Has("calibration_covariance")) {
    const auto size = static_cast<Eigen::Index>(reader.At("calibration_covariance").size());
    table.calibration_covariance = reader.Matrix("calibration_covariance", size, size);
  }
  const Json& impacts = reader.At("impacts");
  if (!impacts.is_array() || impacts.empty()) {
    reader.Complain("impacts", impacts.is_array() ? "an empty list" : impacts.dump(),
                    "one impact or more");
  }
  std::set<std::string> names;
  for (size_t i = 0; i < impacts.size(); ++i) {
    const std::string where = fmt::format("{}: impact {}", file.string(), i + 1);
    const Eigen::Index parameters =
        table.calibration_covariance.size() > 0 ? table.calibration_covariance.rows() : -1;
    ImpactRecord record = ReadRecord(where, impacts.at(i), parameters);
    if (record.trial.empty() || !names.insert(record.trial).second) {
      throw InputError(fmt::format("{}, trial: found \"{}\"{}, allowed each name once", where,
                                   record.trial, record.trial.empty() ? "" : " again"));
    }
    table.impacts.push_back(std::move(record));
  }
  return table;
}

std::string CsvNumber(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

}  // namespace

void WriteImpactsCsv(const ImpactTable& table, const capture::Provenance& provenance,
                     const std::filesystem::path& file) {
  const bool has_covariance = std::ranges::any_of(
      table.impacts, [](const ImpactRecord& record) { return record.covariance.has_value(); });
  const bool has_arm_sigma = std::ranges::any_of(
      table.impacts, [](const ImpactRecord& record) { return record.r_sigma.norm() > 0.0; });
  std::vector<SigmaColumn> sigma_columns = SigmaColumns();
  std::erase_if(sigma_columns, [&](const SigmaColumn& column) {
    return column.error_index < 0 ? !has_arm_sigma : !has_covariance;
  });
  std::set<std::string> extra;
  for (const ImpactRecord& record : table.impacts) {
    for (const auto& [name, value] : record.extra) extra.insert(name);
  }
  std::string text = fmt::format("# {}, percuss {}: {}\n#", kFormat, capture::ProgramVersion(),
                                 provenance.command);
  for (const auto& [input, hash] : provenance.input_hashes) {
    text += fmt::format(" {} sha256:{}", input, hash);
  }
  text += "\ntrial";
  for (const Column& column : kColumns) text += fmt::format(",{}", column.name);
  for (const SigmaColumn& column : sigma_columns) text += "," + column.name;
  text += ",time,time_sigma,warnings";
  for (const std::string& name : extra) text += "," + Quoted(name);
  text += "\n";
  for (const ImpactRecord& record : table.impacts) {
    text += Quoted(record.trial);
    for (const Column& column : kColumns) text += "," + CsvNumber(column.get(record));
    for (const SigmaColumn& column : sigma_columns) {
      double sigma = kNaN;
      if (column.error_index < 0) {
        sigma = record.r_sigma[-1 - column.error_index];
      } else if (record.covariance) {
        sigma = std::sqrt((*record.covariance)(column.error_index, column.error_index));
      }
      text += "," + CsvNumber(sigma);
    }
    std::string warnings;
    for (const std::string& warning : record.warnings) {
      warnings += (warnings.empty() ? "" : "; ") + warning;
    }
    text += fmt::format(",{},{},{}", CsvNumber(record.time), CsvNumber(record.time_sigma),
                        Quoted(warnings));
    for (const std::string& name : extra) {
      const auto found = record.extra.find(name);
      text += "," + (found == record.extra.end() ? std::string() : Quoted(found->second));
    }
    text += "\n";
  }
  capture::WriteFileAtomically(file, text);
}

std::string ImpactsJson(const ImpactTable& table, const capture::Provenance& provenance) {
  Json json;
  json["format"] = kFormat;
  json["program"] = "percuss " + capture::ProgramVersion();
  json["command"] = provenance.command;
  json["inputs"] = Json::array();
  for (const auto& [input, hash] : provenance.input_hashes) {
    json["inputs"].push_back({{"file", input}, {"sha256", hash}});
  }
  json["error_order"] = "position, rotation (small vector in world axes), v, w, v_post, w_post";
  json["impacts"] = Json::array();
  for (const ImpactRecord& record : table.impacts) json["impacts"].push_back(RecordJson(record));
  if (table.calibration_covariance.size() > 0) {
    json["calibration_covariance"] = MatrixJson(table.calibration_covariance);
  }
  return json.dump(1) + "\n";
}

void WriteImpactsJson(const ImpactTable& table, const capture::Provenance& provenance,
                      const std::filesystem::path& file) {
  capture::WriteFileAtomically(file, ImpactsJson(table, provenance));
}

ImpactTable ReadImpacts(const std::filesystem::path& file) {
  std::string ending = file.extension().string();
  std::ranges::transform(ending, ending.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == ".csv") return ReadCsv(file);
  if (ending == ".json") return ReadJson(file);
  throw InputError(fmt::format("{}: found the ending \"{}\", allowed .csv or .json", file.string(),
                               file.extension().string()));
}

}  // namespace percuss::tracking
