// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/bench/tone.h"

#include <fmt/core.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <stdexcept>

#include "base/text/csv_rows.h"
#include "base/text/json_field.h"
#include "tests/app/program.h"
#include "tests/base/temporary_folder.h"

namespace percuss::benchmarks {
namespace {

namespace fs = std::filesystem;

/// [row][column] of a table; missing cells are NaN, texts stay out.
using Table = std::map<std::string, std::map<std::string, double>>;

/// @param keys columns that together name a row.
Table ReadTable(const fs::path& file, const std::vector<std::string>& keys) {
  std::ifstream stream(file);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  const std::vector<CsvRow> rows = ParseCsv(file, text);
  const std::vector<std::string>& names = rows.at(0).cells;
  Table table;
  for (std::size_t k = 1; k < rows.size(); ++k) {
    std::string key;
    std::map<std::string, double> values;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string& cell = rows[k].cells.at(i);
      if (std::ranges::find(keys, names[i]) != keys.end()) {
        key += cell + ' ';
      } else if (cell.find_first_not_of("+-.0123456789e") == std::string::npos) {
        values[names[i]] = ParseCsvNumber(file.string(), names[i], cell);
      }
    }
    table[key] = values;
  }
  return table;
}

/// Differences of two runs, each over the sigma of the second.
struct Change {
  double largest = 0.0, squares = 0.0;
  int count = 0;

  double Rms() const { return std::sqrt(squares / count); }

  void Add(const Table& run, const Table& right, const std::string& name,
           const std::string& sigma) {
    for (const auto& [key, values] : right) {
      const auto other = run.find(key);
      if (other == run.end()) continue;
      const double size = std::abs(other->second.at(name) - values.at(name)) / values.at(sigma);
      if (!std::isfinite(size)) continue;
      largest = std::max(largest, size);
      squares += size * size;
      ++count;
    }
  }
};

/// Runs a data set with a tone and returns where the results are.
fs::path RunWith(const fs::path& folder, const std::string& tone) {
  YAML::Node root = YAML::LoadFile((folder / "experiment.yaml").string());
  root["tone"] = tone;
  const fs::path file = folder / fmt::format("tone-{}.yaml", tone);
  const fs::path out = folder / fmt::format("out-{}", tone);
  std::ofstream(file) << YAML::Dump(root);
  const testing::ProgramRun run = testing::RunPercuss({"run", file.string(), "-o", out.string()});
  if (run.exit_code != 0) throw std::runtime_error(run.err);
  return out;
}

double ChangeOf(const fs::path& run, const fs::path& right, const char* coefficient) {
  const auto read = [&](const fs::path& out) {
    return JsonField::ReadFile(out / "fit.json")
        .At("laws")
        .At("stronge")
        .At("parameters")
        .At(coefficient);
  };
  const JsonField truth = read(right);
  return std::abs(read(run).At("value").Number() - truth.At("value").Number()) /
         truth.At("sigma").Number();
}

BoundSection MeasureOne(const fs::path& data) {
  const testing::TemporaryFolder folder;
  for (const char* part : {"calibration", "trials", "experiment.yaml"})
    fs::copy(data / part, folder / part, fs::copy_options::recursive);
  const fs::path right = RunWith(folder.Path(), "srgb");
  BoundSection section{
      fmt::format("{}: a tone that is another than sRGB", data.filename().string()), {}, {}};
  for (const char* tone : {"linear", "1.4", "1.8", "2.2", "2.6", "3.2", "4"}) {
    const fs::path run = RunWith(folder.Path(), tone);
    Change centres, velocities;
    for (const auto& trial : fs::directory_iterator(right / "tracks")) {
      const fs::path file = fs::path("tracks") / trial.path().filename() / "markers.csv";
      if (!fs::exists(right / file) || !fs::exists(run / file)) continue;
      const Table mine = ReadTable(run / file, {"frame", "marker"}),
                  theirs = ReadTable(right / file, {"frame", "marker"});
      for (const std::string side : {"left", "right"}) {
        for (const char* axis : {"_x_px", "_y_px"})
          centres.Add(mine, theirs, side + axis, side + "_sigma_px");
      }
    }
    const Table mine = ReadTable(run / "impacts.csv", {"trial"}),
                theirs = ReadTable(right / "impacts.csv", {"trial"});
    for (const std::string after : {"", "_post"}) {
      for (const char* name : {"vx", "vy", "vz", "wx", "wy", "wz"})
        velocities.Add(mine, theirs, name + after, "sigma_" + (name + after));
    }
    const bool common =
        tone == std::string("1.8") || tone == std::string("2.2") || tone == std::string("2.6");
    const auto add = [&](const char* name, double measured, double highest) {
      BoundRow row{
          fmt::format("{} {}",
                      tone == std::string("linear") ? "linear:" : fmt::format("gamma {}:", tone),
                      name),
          "sigma", measured};
      if (common) row.highest = highest;
      section.rows.push_back(row);
    };
    add("centres of spots move by, rms", centres.Rms(), 0.3);
    add("velocities, rms", velocities.Rms(), 0.2);
    add("velocities, largest", velocities.largest, 0.5);
    add("mu", ChangeOf(run, right, "mu"), 0.25);
    add("e", ChangeOf(run, right, "e"), 0.25);
  }
  return section;
}

}  // namespace

std::vector<BoundSection> MeasureTone(const fs::path& data) {
  return {MeasureOne(data / "bar-drop"), MeasureOne(data / "cube-drop")};
}

}  // namespace percuss::benchmarks
