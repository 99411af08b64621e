// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: the rules of the glTF 2.0 specification (Khronos, 2021), and a made-up run.

#include "report/gltf/run_gltf.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "tests/report/plate_run.h"

namespace percuss::report {
namespace {

using Json = nlohmann::json;
using Eigen::Quaterniond;
using Eigen::Vector3d;

/// A file that is taken apart by the book.
struct Parsed {
  Json document;
  std::string numbers;

  explicit Parsed(const std::string& file) {
    EXPECT_EQ(file.substr(0, 4), "glTF");
    EXPECT_EQ(Word(file, 4), 2u);
    EXPECT_EQ(Word(file, 8), file.size());
    const std::size_t json_size = Word(file, 12);
    EXPECT_EQ(file.substr(16, 4), "JSON");
    EXPECT_EQ(json_size % 4, 0u);
    document = Json::parse(file.substr(20, json_size));
    const std::size_t bin = 20 + json_size;
    EXPECT_EQ(file.substr(bin + 4, 4), std::string("BIN\0", 4));
    EXPECT_EQ(Word(file, bin) % 4, 0u);
    EXPECT_EQ(bin + 8 + Word(file, bin), file.size());
    numbers = file.substr(bin + 8);
  }

  static std::uint32_t Word(const std::string& file, std::size_t at) {
    std::uint32_t word = 0;
    std::memcpy(&word, file.data() + at, sizeof word);
    return word;
  }

  /// Rows of an accessor.
  std::vector<std::vector<float>> Rows(int accessor) const {
    const Json& a = document["accessors"][accessor];
    const Json& view = document["bufferViews"][a["bufferView"].get<int>()];
    const std::size_t width = a["type"] == "SCALAR" ? 1 : a["type"] == "VEC3" ? 3 : 4;
    std::vector<std::vector<float>> rows(a["count"].get<std::size_t>(), std::vector<float>(width));
    std::size_t at = view["byteOffset"].get<std::size_t>();
    for (auto& row : rows) {
      std::memcpy(row.data(), numbers.data() + at, 4 * width);
      at += 4 * width;
    }
    return rows;
  }

  const Json& Node(const std::string& name) const {
    for (const Json& node : document["nodes"]) {
      if (node["name"] == name) return node;
    }
    ADD_FAILURE() << "no node " << name;
    return document["nodes"][0];
  }
};

Quaterniond RotationOf(const Json& node) {
  const auto q = node["rotation"].get<std::vector<double>>();
  return {q[3], q[0], q[1], q[2]};
}

Vector3d PlaceOf(const Json& node) {
  const auto p = node["translation"].get<std::vector<double>>();
  return {p[0], p[1], p[2]};
}

/// The plate's drop with thickness, turns, a marker and a camera.
RunFolder FallingPlate() {
  RunFolder run = MadeUpRun();
  TrialFacts& trial = run.trials[0];
  trial.pictures.outline.clear();
  for (const double x : {-0.02, 0.02}) {
    for (const double y : {-0.01, 0.01}) {
      for (const double z : {-0.005, 0.005}) trial.pictures.outline.push_back({x, y, z});
    }
  }
  for (std::size_t k = 0; k < trial.poses.size(); ++k) {
    PoseFacts& pose = trial.poses[k];
    pose.x = 0.01 * static_cast<double>(k);
    pose.y = -0.3;
    pose.z = 0.5 - 0.02 * static_cast<double>(k);
    pose.orientation = Eigen::AngleAxisd(0.5 * static_cast<double>(k), Vector3d(1, 2, 2) / 3.0);
    if (pose.orientation.w() < 0.0) pose.orientation.coeffs() *= -1.0;  // as files may have it
    pose.sightings[0].place =
        pose.orientation * Vector3d(0.015, -0.004, 0.005) + Vector3d(pose.x, pose.y, pose.z);
  }
  run.calibration.emplace();
  calibration::CalibratedCamera& camera = run.calibration->cameras.emplace_back();
  camera.name = "left";
  camera.camera = {.width = 1280, .height = 720, .intrinsics = {1000.0, 900.0, 640.0, 360.0}};
  calibration::Pose& world = run.calibration->world_from_first;
  world.R << 1, 0, 0, 0, 0, 1, 0, -1, 0;  // looks along y, its y down
  world.t = {0.1, -2.0, 0.4};
  return run;
}

TEST(RunGltf, FollowsTheSpecification) {
  const Parsed file(RunGltf(FallingPlate()));
  const Json& document = file.document;
  EXPECT_EQ(document["asset"]["version"], "2.0");
  ASSERT_EQ(document["buffers"].size(), 1u);
  const auto size = document["buffers"][0]["byteLength"].get<std::size_t>();
  EXPECT_LE(size, file.numbers.size());
  EXPECT_LT(file.numbers.size(), size + 4);
  for (std::size_t i = 0; i < document["accessors"].size(); ++i) {
    const Json& accessor = document["accessors"][i];
    const Json& view = document["bufferViews"][accessor["bufferView"].get<int>()];
    EXPECT_EQ(view["byteOffset"].get<int>() % 4, 0);
    EXPECT_LE(view["byteOffset"].get<std::size_t>() + view["byteLength"].get<std::size_t>(), size);
    EXPECT_EQ(accessor["componentType"], 5126);
    const auto rows = file.Rows(static_cast<int>(i));
    EXPECT_EQ(rows.size() * rows[0].size() * 4, view["byteLength"].get<std::size_t>());
    for (std::size_t c = 0; c < rows[0].size(); ++c) {
      float least = rows[0][c], greatest = rows[0][c];
      for (const auto& row : rows) {
        ASSERT_TRUE(std::isfinite(row[c]));
        least = std::min(least, row[c]);
        greatest = std::max(greatest, row[c]);
      }
      EXPECT_EQ(accessor["min"][c].get<float>(), least);
      EXPECT_EQ(accessor["max"][c].get<float>(), greatest);
    }
  }
  // Each node but the root is the child of one other.
  std::set<int> children;
  for (const Json& node : document["nodes"]) {
    if (!node.contains("children")) continue;
    EXPECT_FALSE(node["children"].empty());
    for (const Json& child : node["children"])
      EXPECT_TRUE(children.insert(child.get<int>()).second);
  }
  EXPECT_EQ(children.size() + 1, document["nodes"].size());
  EXPECT_FALSE(children.contains(document["scenes"][0]["nodes"][0].get<int>()));
  for (const Json& node : document["nodes"]) {
    if (node.contains("rotation")) {
      EXPECT_NEAR(RotationOf(node).norm(), 1.0, 1e-6);
    }
  }
  for (const Json& animation : document["animations"]) {
    for (const Json& sampler : animation["samplers"]) {
      const auto times = file.Rows(sampler["input"]);
      EXPECT_GE(times[0][0], 0.0f);
      for (std::size_t k = 1; k < times.size(); ++k) EXPECT_GT(times[k][0], times[k - 1][0]);
      EXPECT_EQ(file.Rows(sampler["output"]).size(), times.size());
    }
  }
}

TEST(RunGltf, MovesTheBodyAsPosesHaveIt) {
  const RunFolder run = FallingPlate();
  const Parsed file(RunGltf(run));
  const Json& animation = file.document["animations"][0];
  EXPECT_EQ(animation["name"], "a");
  const int body = animation["channels"][0]["target"]["node"];
  EXPECT_EQ(file.document["nodes"][body]["name"], "a body");
  const auto of = [&](const std::string& path) {
    for (const Json& channel : animation["channels"]) {
      if (channel["target"]["path"] == path)
        return animation["samplers"][channel["sampler"].get<int>()];
    }
    return Json();
  };
  const auto times = file.Rows(of("translation")["input"]),
             places = file.Rows(of("translation")["output"]),
             turns = file.Rows(of("rotation")["output"]);
  const std::vector<PoseFacts>& poses = run.trials[0].poses;
  ASSERT_EQ(times.size(), poses.size());
  Quaterniond before = Quaterniond::Identity();
  for (std::size_t k = 0; k < poses.size(); ++k) {
    EXPECT_FLOAT_EQ(times[k][0], static_cast<float>(poses[k].time));
    EXPECT_FLOAT_EQ(places[k][0], static_cast<float>(poses[k].x));
    EXPECT_FLOAT_EQ(places[k][1], static_cast<float>(poses[k].y));
    EXPECT_FLOAT_EQ(places[k][2], static_cast<float>(poses[k].z));
    const Quaterniond q(turns[k][3], turns[k][0], turns[k][1], turns[k][2]);
    EXPECT_NEAR(q.angularDistance(poses[k].orientation), 0.0, 1e-3);
    EXPECT_GT(q.dot(before), 0.0) << "the shorter way round";
    before = q;
  }
  // y points up in glTF: the body begins 0.5 m above the surface.
  const Vector3d up = RotationOf(file.Node("world")) * Vector3d(0, 0, 0.5);
  EXPECT_LT((up - Vector3d(0, 0.5, 0)).norm(), 1e-6);
  EXPECT_LT((PlaceOf(file.Node("a A1")) - Vector3d(0.015, -0.004, 0.005)).norm(), 1e-6);
}

TEST(RunGltf, BeginsAtZeroAndSaysByHowMuchItMoved) {
  RunFolder run = FallingPlate();
  for (PoseFacts& pose : run.trials[0].poses) pose.time -= 1.0;
  const Parsed file(RunGltf(run));
  const Json& animation = file.document["animations"][0];
  EXPECT_EQ(file.Rows(animation["samplers"][0]["input"])[0][0], 0.0f);
  EXPECT_NEAR(animation["extras"]["time_offset"].get<double>(), 1.0 - kFirst * kInterval, 1e-12);
}

TEST(RunGltf, HasTheBodyAsAClosedSurfaceAroundItsVolume) {
  const Parsed file(RunGltf(FallingPlate()));
  const Json& mesh = file.document["meshes"][file.Node("a body")["mesh"].get<int>()];
  const Json& primitive = mesh["primitives"][0];
  const auto places = file.Rows(primitive["attributes"]["POSITION"]),
             normals = file.Rows(primitive["attributes"]["NORMAL"]);
  ASSERT_EQ(places.size(), 36u) << "twelve triangles";
  ASSERT_EQ(normals.size(), 36u);
  double volume = 0.0;
  for (std::size_t k = 0; k < places.size(); k += 3) {
    const auto corner = [&](std::size_t i) {
      return Vector3d(places[k + i][0], places[k + i][1], places[k + i][2]);
    };
    volume += corner(0).dot(corner(1).cross(corner(2))) / 6.0;
    const Vector3d normal(normals[k][0], normals[k][1], normals[k][2]);
    EXPECT_NEAR(normal.norm(), 1.0, 1e-6);
    EXPECT_GT(normal.dot(corner(0)), 0.0) << "outwards";
  }
  EXPECT_NEAR(volume, 0.04 * 0.02 * 0.01, 1e-10);
}

// A camera of glTF looks along -z of its node with y up; a point at the edge of the picture is half
// the yfov off.
TEST(RunGltf, LooksThroughTheCamerasAsCalibrated) {
  const Parsed file(RunGltf(FallingPlate()));
  const Json& node = file.Node("left");
  const Json& camera = file.document["cameras"][node["camera"].get<int>()];
  EXPECT_EQ(camera["type"], "perspective");
  EXPECT_NEAR(camera["perspective"]["yfov"].get<double>(), 2.0 * std::atan(360.0 / 900.0), 1e-12);
  EXPECT_NEAR(camera["perspective"]["aspectRatio"].get<double>(), 1.28 / 0.8, 1e-12);
  EXPECT_LT((PlaceOf(node) - Vector3d(0.1, -2.0, 0.4)).norm(), 1e-6);
  EXPECT_LT((RotationOf(node) * Vector3d(0, 0, -1) - Vector3d(0, 1, 0)).norm(), 1e-6);
  EXPECT_LT((RotationOf(node) * Vector3d(0, 1, 0) - Vector3d(0, 0, 1)).norm(), 1e-6);
}

TEST(RunGltf, SaysWhereThereIsNothingToShow) {
  RunFolder run = FallingPlate();
  run.trials[0].poses.clear();
  EXPECT_THROW(RunGltf(run), DataError);
  run.trials.clear();
  EXPECT_THROW(RunGltf(run), DataError);
}

}  // namespace
}  // namespace percuss::report
