// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/gltf/run_gltf.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "report/gltf/glb_file.h"
#include "report/scene/convex_hull.h"

namespace percuss::report {
namespace {

namespace fs = std::filesystem;
using Eigen::Quaterniond;
using Eigen::Vector3d;
using json = nlohmann::ordered_json;

void Append(const Vector3d& v, std::vector<float>* numbers) {
  for (const double part : v) numbers->push_back(static_cast<float>(part));
}

json VectorJson(const Vector3d& v) {
  return {static_cast<float>(v.x()), static_cast<float>(v.y()), static_cast<float>(v.z())};
}

/// x, y, z, w as glTF has them.
json RotationJson(const Quaterniond& q) {
  return {static_cast<float>(q.x()), static_cast<float>(q.y()), static_cast<float>(q.z()),
          static_cast<float>(q.w())};
}

/// The document in work.
class Scene {
 public:
  enum Material { kBody, kMarker, kSurface, kPath };

  Scene() {
    document_ = {{"asset", {{"version", "2.0"}, {"generator", "percuss"}}},
                 {"scene", 0},
                 {"scenes", json::array({json{{"nodes", {0}}}})},
                 {"nodes", json::array()},
                 {"meshes", json::array()},
                 {"materials", json::array()}};
    const auto material = [&](const char* name, std::array<double, 4> colour) {
      document_["materials"].push_back(
          {{"name", name},
           {"pbrMetallicRoughness",
            {{"baseColorFactor", colour}, {"metallicFactor", 0.0}, {"roughnessFactor", 0.7}}},
           {"doubleSided", true}});
    };
    material("body", {0.35, 0.45, 0.6, 1.0});
    material("marker", {1.0, 0.85, 0.2, 1.0});
    material("surface", {0.7, 0.7, 0.7, 1.0});
    material("path", {0.85, 0.2, 0.15, 1.0});
    AddNode({{"name", "world"},
             {"rotation", RotationJson(Quaterniond(
                              Eigen::AngleAxisd(-0.5 * std::acos(-1.0), Vector3d::UnitX())))}});
  }

  /// @return its number, to be given to AddChild
  int AddNode(json node) {
    document_["nodes"].push_back(std::move(node));
    return static_cast<int>(document_["nodes"].size()) - 1;
  }
  void AddChild(int parent, int child) { document_["nodes"][parent]["children"].push_back(child); }

  /// Flat triangles, anticlockwise from outside.
  int AddTriangles(const char* name, const std::vector<Vector3d>& points,
                   const std::vector<Triangle>& triangles, Material material) {
    std::vector<float> places, normals;
    for (const Triangle& triangle : triangles) {
      const Vector3d &a = points[triangle[0]], &b = points[triangle[1]], &c = points[triangle[2]];
      const Vector3d normal = (b - a).cross(c - a).normalized();
      for (const Vector3d* corner : {&a, &b, &c}) {
        Append(*corner, &places);
        Append(normal, &normals);
      }
    }
    const int position = numbers_.Add(places, 3, GlbNumbers::Use::kVertices);
    const int normal = numbers_.Add(normals, 3, GlbNumbers::Use::kVertices);
    return AddMesh(name, {{"POSITION", position}, {"NORMAL", normal}}, 4, material);
  }

  int AddLine(const char* name, const std::vector<Vector3d>& points) {
    std::vector<float> places;
    for (const Vector3d& point : points) Append(point, &places);
    const int position = numbers_.Add(places, 3, GlbNumbers::Use::kVertices);
    return AddMesh(name, {{"POSITION", position}}, 3, kPath);
  }

  void AddCamera(const calibration::CalibratedCamera& named, const calibration::Pose& from_world) {
    const calibration::Camera& camera = named.camera;
    const auto& f = camera.intrinsics;
    const double wide = camera.width / f[0], high = camera.height / f[1];
    document_["cameras"].push_back(
        {{"name", named.name},
         {"type", "perspective"},
         {"perspective",
          {{"yfov", 2.0 * std::atan(0.5 * high)}, {"aspectRatio", wide / high}, {"znear", 0.01}}},
         {"extras",
          {{"width_px", camera.width}, {"height_px", camera.height}, {"intrinsics", f}}}});
    // Ours look along z with y down; those of glTF along -z with y up.
    Eigen::Matrix3d turn = from_world.R.transpose();
    turn.rightCols<2>() *= -1.0;
    const int node = AddNode({{"name", named.name},
                              {"camera", document_["cameras"].size() - 1},
                              {"translation", VectorJson(from_world.Inverse().t)},
                              {"rotation", RotationJson(Quaterniond(turn))}});
    AddChild(0, node);
  }

  void Animate(const std::string& name, int node, const std::vector<PoseFacts>& poses) {
    std::vector<float> times, places, turns;
    Quaterniond before = Quaterniond::Identity();
    const double offset = std::max(0.0, -poses.front().time);
    for (const PoseFacts& pose : poses) {
      times.push_back(static_cast<float>(pose.time + offset));
      Append({pose.x, pose.y, pose.z}, &places);
      // Of q and -q, which turn alike, the nearer one: what is between is interpolated.
      Quaterniond q = pose.orientation;
      if (q.dot(before) < 0.0) q.coeffs() *= -1.0;
      before = q;
      for (const double part : q.coeffs()) turns.push_back(static_cast<float>(part));
    }
    const auto use = GlbNumbers::Use::kAnimation;
    const int input = numbers_.Add(times, 1, use), place = numbers_.Add(places, 3, use),
              turn = numbers_.Add(turns, 4, use);
    const auto sampler = [&](int output) {
      return json{{"input", input}, {"output", output}, {"interpolation", "LINEAR"}};
    };
    const auto channel = [&](int which, const char* path) {
      return json{{"sampler", which}, {"target", {{"node", node}, {"path", path}}}};
    };
    json animation = {
        {"name", name},
        {"samplers", json::array({sampler(place), sampler(turn)})},
        {"channels", json::array({channel(0, "translation"), channel(1, "rotation")})}};
    if (offset > 0.0) animation["extras"] = {{"time_offset", offset}};
    document_["animations"].push_back(std::move(animation));
  }

  std::string File() && { return numbers_.File(std::move(document_)); }

 private:
  int AddMesh(const char* name, json attributes, int mode, Material material) {
    document_["meshes"].push_back(
        {{"name", name},
         {"primitives", json::array({json{{"attributes", std::move(attributes)},
                                          {"mode", mode},
                                          {"material", static_cast<int>(material)}}})}});
    return static_cast<int>(document_["meshes"].size()) - 1;
  }

  json document_;
  GlbNumbers numbers_;
};

/// Those with a place, at times that rise as float32.
std::vector<PoseFacts> UsablePoses(const TrialFacts& trial) {
  std::vector<PoseFacts> poses;
  for (const PoseFacts& pose : trial.poses) {
    if (!std::isfinite(pose.time) || !std::isfinite(pose.x + pose.y + pose.z)) continue;
    if (!poses.empty() && static_cast<float>(pose.time) <= static_cast<float>(poses.back().time))
      continue;
    poses.push_back(pose);
  }
  return poses;
}

/// Mean place of each marker in body axes [m].
std::map<std::string, Vector3d> MarkersOf(const std::vector<PoseFacts>& poses) {
  std::map<std::string, std::pair<Vector3d, int>> sums;
  for (const PoseFacts& pose : poses) {
    for (const SightingFacts& seen : pose.sightings) {
      if (!seen.place.allFinite()) continue;
      auto& [sum, count] = sums.try_emplace(seen.marker, Vector3d::Zero(), 0).first->second;
      sum += pose.orientation.conjugate() * (seen.place - Vector3d(pose.x, pose.y, pose.z));
      ++count;
    }
  }
  std::map<std::string, Vector3d> means;
  for (const auto& [name, sum] : sums) means[name] = sum.first / sum.second;
  return means;
}

int AddMarkerMesh(Scene* scene) {
  constexpr double kRadius = 0.003;  // [m], to be seen
  std::vector<Vector3d> corners;
  for (int axis = 0; axis < 3; ++axis) {
    corners.push_back(kRadius * Vector3d::Unit(axis));
    corners.push_back(-kRadius * Vector3d::Unit(axis));
  }
  return scene->AddTriangles("marker", corners, ConvexHullOf(corners), Scene::kMarker);
}

/// What all paths pass over, and a margin.
int AddSurface(const std::vector<std::vector<PoseFacts>>& trials, Scene* scene) {
  constexpr double kMargin = 0.2;  // [m]
  Eigen::AlignedBox2d box;
  for (const std::vector<PoseFacts>& poses : trials) {
    for (const PoseFacts& pose : poses) box.extend(Eigen::Vector2d(pose.x, pose.y));
  }
  const Eigen::Vector2d a = box.min().array() - kMargin, b = box.max().array() + kMargin;
  const std::vector<Vector3d> corners = {
      {a.x(), a.y(), 0.0}, {b.x(), a.y(), 0.0}, {b.x(), b.y(), 0.0}, {a.x(), b.y(), 0.0}};
  return scene->AddTriangles("surface", corners, {{0, 1, 2}, {0, 2, 3}}, Scene::kSurface);
}

void AddTrial(const TrialFacts& trial, const std::vector<PoseFacts>& poses, int marker_mesh,
              Scene* scene) {
  const std::vector<Vector3d>& outline = trial.pictures.outline;
  const int group = scene->AddNode({{"name", trial.name}});
  scene->AddChild(0, group);
  const PoseFacts& first = poses.front();
  const int body = scene->AddNode(
      {{"name", trial.name + " body"},
       {"mesh", scene->AddTriangles("body", outline, ConvexHullOf(outline), Scene::kBody)},
       {"translation", VectorJson({first.x, first.y, first.z})},
       {"rotation", RotationJson(first.orientation)}});
  scene->AddChild(group, body);
  for (const auto& [name, place] : MarkersOf(poses)) {
    scene->AddChild(body, scene->AddNode({{"name", trial.name + " " + name},
                                          {"mesh", marker_mesh},
                                          {"translation", VectorJson(place)}}));
  }
  if (poses.size() < 2) return;
  std::vector<Vector3d> path;
  for (const PoseFacts& pose : poses) path.emplace_back(pose.x, pose.y, pose.z);
  scene->AddChild(group, scene->AddNode({{"name", trial.name + " path"},
                                         {"mesh", scene->AddLine("path", path)}}));
  scene->Animate(trial.name, body, poses);
}

}  // namespace

std::string RunGltf(const RunFolder& run) {
  std::vector<TrialFacts> shown;
  std::vector<std::vector<PoseFacts>> poses;
  for (const TrialFacts& trial : run.trials) {
    TrialFacts facts = trial;
    if (facts.pictures.outline.empty()) ReadShownFacts(&facts);
    std::vector<PoseFacts> usable = UsablePoses(facts);
    if (usable.empty() || ConvexHullOf(facts.pictures.outline).empty()) continue;
    shown.push_back(std::move(facts));
    poses.push_back(std::move(usable));
  }
  if (shown.empty()) {
    throw DataError(
        fmt::format("{}: found no trial with an impact and poses of a body", run.path.string()));
  }
  Scene scene;
  scene.AddChild(0, scene.AddNode({{"name", "surface"}, {"mesh", AddSurface(poses, &scene)}}));
  for (std::size_t c = 0; run.calibration && c < run.calibration->cameras.size(); ++c)
    scene.AddCamera(run.calibration->cameras[c], run.calibration->CameraFromWorld(c));
  const int marker_mesh = AddMarkerMesh(&scene);
  for (std::size_t i = 0; i < shown.size(); ++i) AddTrial(shown[i], poses[i], marker_mesh, &scene);
  return std::move(scene).File();
}

std::string RunGltf(const fs::path& folder) {
  const fs::path plain = folder.lexically_normal();
  const fs::path trial = plain.has_filename() ? plain : plain.parent_path();
  if (!fs::exists(trial / "trial.json")) return RunGltf(ReadRunFolder(trial));
  RunFolder run = ReadRunFolder(trial.parent_path().parent_path());
  std::erase_if(run.trials, [&](const TrialFacts& one) { return one.name != trial.filename(); });
  run.path = trial;
  return RunGltf(run);
}

}  // namespace percuss::report
