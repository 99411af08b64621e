// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/scene/scene.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text/json_text.h"
#include "report/overlay/fitted_flights.h"
#include "report/page/base64.h"
#include "report/scene/convex_hull.h"

namespace percuss::report {
namespace {

using json = nlohmann::ordered_json;

constexpr int kSteps = 40;  // of each flight; straight between them to 0.1 mm in most drops

/// To hundredths of a millimetre, and likewise for all else: more is not seen, and takes room.
double Rounded(double value) { return std::round(1e5 * value) / 1e5; }

json ToJson(const Eigen::Vector3d& v) { return {Rounded(v.x()), Rounded(v.y()), Rounded(v.z())}; }

json ToJson(const Flight& state) {
  json numbers = ToJson(state.p_WB);
  const Eigen::Quaterniond& q = state.q_WB;
  for (const double part : {q.w(), q.x(), q.y(), q.z()}) numbers.push_back(Rounded(part));
  return numbers;
}

json BodyJson(const std::vector<Eigen::Vector3d>& outline) {
  json points = json::array(), faces = json::array();
  for (const Eigen::Vector3d& point : outline) points.push_back(ToJson(point));
  for (const Triangle& face : ConvexHullOf(outline)) faces.push_back(face);
  return {{"points", points}, {"faces", faces}};
}

/// A pyramid from the camera's centre to the corners of its picture, without the lens's distortion.
json CameraJson(const calibration::CalibratedCamera& named,
                const calibration::Pose& camera_from_world) {
  constexpr double kDepth = 0.08;  // [m]
  const calibration::Camera& camera = named.camera;
  const calibration::Pose world_from_camera = camera_from_world.Inverse();
  const auto& f = camera.intrinsics;
  json corners = json::array();
  for (const auto& [x, y] : {std::pair{0, 0}, {1, 0}, {1, 1}, {0, 1}}) {
    const Eigen::Vector3d ray((x * camera.width - f[2]) / f[0], (y * camera.height - f[3]) / f[1],
                              1.0);
    corners.push_back(ToJson(world_from_camera * (kDepth * ray)));
  }
  return {{"name", named.name}, {"centre", ToJson(world_from_camera.t)}, {"corners", corners}};
}

/// Cameras, and the boards that calibrated them; of more than there is room for evenly some.
void AddRig(const calibration::RigCalibration& calibration, json* scene) {
  constexpr std::size_t kMostBoards = 60;
  for (std::size_t c = 0; c < calibration.cameras.size(); ++c)
    (*scene)["cameras"].push_back(
        CameraJson(calibration.cameras[c], calibration.CameraFromWorld(c)));
  const std::size_t every = 1 + calibration.views.size() / kMostBoards;
  for (std::size_t k = 0; k < calibration.views.size(); k += every) {
    if (!calibration.views[k].board) continue;
    json corners = json::array();
    for (const Eigen::Vector3d& corner : *calibration.views[k].board)
      corners.push_back(ToJson(corner));
    (*scene)["boards"].push_back(corners);
  }
}

json EmptyScene() {
  return {{"body", {{"points", json::array()}, {"faces", json::array()}}},
          {"cameras", json::array()},
          {"boards", json::array()},
          {"films", json::array()},
          {"impacts", json::array()}};
}

json FlightJson(double from, double to, const auto& state_at) {
  json states = json::array();
  for (int k = 0; k <= kSteps; ++k)
    states.push_back(ToJson(state_at(from + (to - from) * k / kSteps)));
  return states;
}

const ImpulseDiagram* FindImpulse(const RunFolder& run, const std::string& law,
                                  const std::string& impact) {
  const auto of_law = std::ranges::find(
      run.impulses, law, [](const auto& one) -> const std::string& { return one.first; });
  if (of_law == run.impulses.end()) return nullptr;
  const auto found = std::ranges::find(of_law->second, impact, &ImpulseDiagram::trial);
  return found == of_law->second.end() ? nullptr : &*found;
}

json LawJson(const RunFolder& run, const LawFit& law, const TrialFacts& trial,
             const FittedImpact& one) {
  json facts = {{"name", law.law}};
  const ImpactPictures& impact = *one.impact;
  const TrialComparison* comparison = FindComparison(&law, impact.trial);
  constexpr double kInstant = 1e-9;  // [s] after the impact
  if (PredictedAt(trial.pictures, impact, comparison, impact.time + kInstant)) {
    facts["after"] = FlightJson(impact.time + kInstant, one.end, [&](double time) {
      return *PredictedAt(trial.pictures, impact, comparison, time);
    });
  }
  if (const ImpulseDiagram* impulse = FindImpulse(run, law.law, impact.trial)) {
    json path = json::array();
    for (const Eigen::Vector3d& point : impulse->path) path.push_back(ToJson(point));
    facts["impulse"] = path;
    facts["measured_impulse"] = ToJson(impulse->measured);
    facts["friction"] = impulse->friction;
  }
  return facts;
}

/// [time, x, y, z] of each marker in the flights.
json MarkersJson(const TrialFacts& trial, const FittedImpact& one) {
  std::map<std::string, json> markers;
  for (const PoseFacts& pose : trial.poses) {
    if (pose.time < one.begin || pose.time > one.end) continue;
    for (const SightingFacts& seen : pose.sightings) {
      if (!seen.place.allFinite()) continue;
      json place = {Rounded(pose.time - one.impact->time)};
      for (const double part : seen.place) place.push_back(Rounded(part));
      markers.try_emplace(seen.marker, json::array()).first->second.push_back(place);
    }
  }
  json list = json::array();
  for (auto& [name, places] : markers) list.push_back({{"name", name}, {"places", places}});
  return list;
}

json FilmJson(const FilmFacts& film) {
  json times = json::array();
  for (const double time : film.times) times.push_back(Rounded(time));
  return {{"picture", "data:image/jpeg;base64," + Base64(film.jpeg)},
          {"columns", film.columns},
          {"width", film.width},
          {"height", film.height},
          {"times", times}};
}

json ImpactJson(const RunFolder& run, const TrialFacts& trial, const FittedImpact& one,
                const std::string& first) {
  const double time = one.impact->time;
  json laws = json::array();
  if (run.fit) {
    for (const LawFit& law : run.fit->laws) {
      json facts = LawJson(run, law, trial, one);
      laws.insert(law.law == first ? laws.begin() : laws.end(), std::move(facts));
    }
  }
  return {{"name", one.impact->trial},
          {"time", Rounded(time)},
          {"begin", Rounded(one.begin - time)},
          {"end", Rounded(one.end - time)},
          {"contact", ToJson(one.contact)},
          {"normal", ToJson(one.normal)},
          {"before", FlightJson(one.begin, time,
                                [&](double at) { return at < time ? one.At(at) : one.before; })},
          {"after", FlightJson(time, one.end, [&](double at) { return one.At(at); })},
          {"laws", laws},
          {"markers", MarkersJson(trial, one)}};
}

}  // namespace

std::string ViewerScene(const RunFolder& run, const std::vector<TrialFacts>& trials,
                        const std::string& first) {
  json scene = EmptyScene();
  json &impacts = scene["impacts"], &films = scene["films"];
  for (const TrialFacts& trial : trials) {
    if (trial.pictures.outline.empty()) continue;
    if (impacts.empty()) scene["body"] = BodyJson(trial.pictures.outline);
    if (!trial.film.jpeg.empty()) films.push_back(FilmJson(trial.film));
    for (const FittedImpact& one : FittedImpacts(run, trial)) {
      json impact = ImpactJson(run, trial, one, first);
      if (!trial.film.jpeg.empty()) impact["film"] = films.size() - 1;
      impacts.push_back(std::move(impact));
    }
  }
  if (impacts.empty()) return {};
  if (run.calibration) AddRig(*run.calibration, &scene);
  return JsonText(scene, -1);
}

std::string RigScene(const calibration::RigCalibration& calibration) {
  json scene = EmptyScene();
  AddRig(calibration, &scene);
  return JsonText(scene, -1);
}

}  // namespace percuss::report
