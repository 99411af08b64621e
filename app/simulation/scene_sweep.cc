// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/simulation/scene_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/simulation/scene_file.h"
#include "base/error.h"
#include "base/parallel.h"
#include "capture/experiment/experiment_body.h"
#include "solver/scene/scene_simulation.h"

namespace percuss::app {
namespace {

constexpr std::size_t kMostPoints = 1'000'000;

struct SceneAxis {
  std::string input;
  std::vector<std::string> path;  // as of YamlEdit
  std::vector<double> values;
};

/// The entry of a list that `word` means: its number from 1, its name, or x, y, z of three numbers.
std::string EntryOf(const std::vector<YamlField>& items, const std::string& word) {
  for (std::size_t k = 0; k < items.size(); ++k) {
    if (items[k].IsMap() && items[k]["name"].Given() && items[k]["name"].Text("a name") == word)
      return std::to_string(k);
  }
  if (word.size() == 1 && word[0] >= 'x' && word[0] <= 'z' && items.size() == 3)
    return std::to_string(word[0] - 'x');
  const bool number = !word.empty() && word.size() < 7 &&
                      std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
  const int place = number ? std::atoi(word.c_str()) : 0;
  if (place < 1 || place > static_cast<int>(items.size())) return "";
  return std::to_string(place - 1);
}

/// "bodies.block.start.position.x" in the file of the scene.
std::vector<std::string> PathOf(const YamlField& field, const YamlField& scene) {
  const std::string text =
      field.Text("the path of a number of the scene, as bodies.NAME.body.mass");
  std::vector<std::string> path;
  std::vector<YamlField> chain = {scene};  // assigning a field would change the file
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('.', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    const YamlField& at = chain.back();
    if (at.IsList()) {
      const std::vector<YamlField> items = at.Items("a list");
      const std::string entry = EntryOf(items, word);
      if (entry.empty())
        field.Throw(text, fmt::format("behind \"{}\" the name or the number of an entry",
                                      text.substr(0, begin)));
      path.push_back(entry);
      chain.push_back(items[std::stoul(entry)]);
    } else {
      if (!at.IsMap() || !at[word].Given())
        field.Throw(text, fmt::format("a number that the scene has; it has no {} in \"{}\"", word,
                                      text.substr(0, begin)));
      path.push_back(word);
      chain.push_back(YamlField(at[word]));
    }
    begin = end + 1;
  }
  chain.back().Number({});  // says what is wrong where it is none
  return path;
}

SceneAxis ReadAxis(const YamlField& field, const YamlField& scene) {
  if (!field.IsMap()) field.Throw("a map with input, from, to, steps");
  field.AllowKeys({"input", "from", "to", "steps"});
  SceneAxis axis{.input = field["input"].Text("the path of a number of the scene"),
                 .path = PathOf(field["input"], scene)};
  const double from = field["from"].Number({}), to = field["to"].Number({});
  const int steps = field["steps"].Integer(1, 1'000'000);
  for (int k = 0; k <= steps; ++k) axis.values.push_back(from + (to - from) * k / steps);
  return axis;
}

std::string HeaderOf(const std::vector<SceneAxis>& axes, const solver::SceneModel& model) {
  std::string header;
  for (const SceneAxis& axis : axes) header += axis.input + ",";
  header += "impacts,at_rest,first_impact,energy_lost";
  for (const solver::SceneBody& body : model.bodies) {
    for (const char* name : {"x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz"})
      header += fmt::format(",{}_{}", body.name, name);
  }
  return header + ",reason\n";
}

std::string RowOf(const solver::SceneSimulation& simulation) {
  double lost = 0.0, first = std::nan("");
  int impacts = 0;
  for (const auto& event : simulation.events) {
    if (event.kind != solver::PlaneEventKind::kImpact) continue;
    ++impacts;
    if (impacts == 1) first = event.time;
    lost += event.energy_before - event.energy_after;
  }
  std::string row = fmt::format("{},{},{},{:.12g}", impacts, simulation.at_rest ? 1 : 0,
                                std::isnan(first) ? "" : fmt::format("{:.12g}", first), lost);
  for (const solver::FlightState<double>& s : simulation.states.back().bodies) {
    for (const Eigen::Vector3d* vector : {&s.p_WB, &s.v, &s.w})
      row += fmt::format(",{:.12g},{:.12g},{:.12g}", vector->x(), vector->y(), vector->z());
  }
  return row + ",";
}

}  // namespace

SceneSweepSummary SweepScene(const YamlField& root, int num_threads, std::string* table) {
  root.AllowKeys({"scene", "sweep"});
  const std::filesystem::path file =
      capture::ReadExistingFile(root["scene"], "the file of a scene");
  const YamlField scene = YamlField::ReadFile(file);
  if (!IsSceneFile(scene)) root["scene"].Throw("the file of a scene: a list of bodies");
  const solver::SceneModel model = ReadSceneFile(scene).model;
  constexpr const char* kAxes = "a list of one or two axes: {input, from, to, steps}";
  std::vector<SceneAxis> axes;
  for (const YamlField& axis : root["sweep"].Items(kAxes)) axes.push_back(ReadAxis(axis, scene));
  if (axes.empty() || axes.size() > 2) root["sweep"].Throw(kAxes);
  const std::size_t inner = axes.size() > 1 ? axes[1].values.size() : 1;
  const std::size_t count = axes[0].values.size() * inner;
  if (count > kMostPoints)
    root["sweep"].Throw(fmt::format("{} points", count), fmt::format("{} at most", kMostPoints));
  std::vector<std::string> rows(count);
  std::vector<char> solved(count, 0);
  ParallelFor(static_cast<int>(count), num_threads, [&](int point) {
    std::string& row = rows[point];
    std::vector<YamlEdit> edits;
    for (std::size_t a = 0; a < axes.size(); ++a) {
      const std::size_t place = a + 1 < axes.size() ? point / inner : point % inner;
      const double value = axes[a].values[axes.size() > 1 ? place : point];
      edits.push_back({axes[a].path, fmt::format("{:.17g}", value)});
      row += fmt::format("{:.12g},", value);
    }
    try {
      const SceneFile changed = ReadSceneFile(YamlField::ReadFile(file, edits));
      const solver::SceneSimulation simulation =
          solver::SimulateScene(changed.model, changed.options);
      if (simulation.status == solver::PlaneSimulationStatus::kSolved) {
        row += RowOf(simulation) + "\n";
        solved[point] = 1;
        return;
      }
      row += std::string(4 + 9 * model.bodies.size(), ',') + "\"" + simulation.reason + "\"\n";
    } catch (const std::invalid_argument& error) {
      row += std::string(4 + 9 * model.bodies.size(), ',') + "\"" + error.what() + "\"\n";
    }
  });
  *table = HeaderOf(axes, model);
  for (const std::string& row : rows) *table += row;
  return {count, static_cast<std::size_t>(std::ranges::count(solved, 1))};
}

}  // namespace percuss::app
