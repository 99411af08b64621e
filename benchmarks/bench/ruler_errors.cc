// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/bench/ruler_errors.h"

#include <fmt/core.h>

#include <string>

namespace percuss::benchmarks {
namespace {

namespace fs = std::filesystem;

/// All paths below a node made absolute.
void ResolvePaths(YAML::Node node, const fs::path& folder) {
  if (node.IsScalar()) {
    const std::string text = node.as<std::string>();
    if (text.find('/') != std::string::npos) node = (fs::absolute(folder) / text).string();
  } else {
    for (auto item : node) ResolvePaths(node.IsMap() ? item.second : item, folder);
  }
}

}  // namespace

YAML::Node DrawExperiment(const fs::path& data, const RulerErrors& largest, std::mt19937* random) {
  const auto draw = [&](double size) {
    return std::uniform_real_distribution<double>(-size, size)(*random);
  };
  YAML::Node root = YAML::LoadFile((data / "experiment.yaml").string());
  for (const char* key : {"calibration", "trials"}) ResolvePaths(root[key], data);
  YAML::Node body = root["body"];
  std::size_t longest = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (body["size"][axis].as<double>() > body["size"][longest].as<double>()) longest = axis;
  }
  const auto change = [](YAML::Node node, double by) {
    node = fmt::format("{:.8f}", node.as<double>() + by);
  };
  const double mass_centre = draw(largest.mass_centre);
  for (auto marker : body["markers"]) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      change(marker.second[axis], draw(largest.sticker) + (axis == longest ? mass_centre : 0.0));
  }
  for (std::size_t axis = 0; axis < 3; ++axis) change(body["size"][axis], draw(largest.side));
  change(root["board"]["square"], root["board"]["square"].as<double>() * draw(largest.square));
  return root;
}

}  // namespace percuss::benchmarks
