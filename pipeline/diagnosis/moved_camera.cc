// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/diagnosis/moved_camera.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "pipeline/diagnosis/camera_turn.h"
#include "pipeline/judgement/changed_calibration.h"
#include "pipeline/judgement/hypothesis.h"
#include "pipeline/suspects/evidence.h"

namespace percuss::pipeline {
namespace {

/// What stood still in the pictures of both cameras.
using StillScene = std::array<std::vector<Eigen::Vector2d>, 2>;

StillScene SceneOf(const capture::Experiment& typed, const capture::Trial& trial,
                   const tracking::Views& views, Recordings* recordings) {
  StillScene scene;
  try {
    const tracking::TrialSpots& spots = recordings->SpotsOf(typed, trial, views);
    for (std::size_t side = 0; side < 2; ++side) scene[side] = StaticPixels(spots.views[side]);
  } catch (const InputError&) {  // its message says so
  }
  return scene;
}

capture::Experiment WithTrials(const capture::Experiment& typed, const std::vector<bool>& keep) {
  capture::Experiment some = typed;
  some.trials.clear();
  for (std::size_t k = 0; k < keep.size(); ++k) {
    if (keep[k]) some.trials.push_back(typed.trials[k]);
  }
  return some;
}

/// The trials in which this camera is turned against the first one that is in order.
struct Turned {
  std::vector<bool> trials;
  CameraTurn turn;  ///< of the first of them
};

std::optional<Turned> FindTurned(const std::vector<StillScene>& scenes,
                                 const std::vector<bool>& in_order, std::size_t side,
                                 const calibration::Camera& camera) {
  const auto first = std::ranges::find(in_order, true) - in_order.begin();
  Turned turned{std::vector<bool>(in_order.size(), false), {}};
  constexpr double kMovedPx = 1.5;  // spots are known to tenths
  for (std::size_t k = 0; k < scenes.size(); ++k) {
    if (in_order[k]) continue;
    const auto turn = FindCameraTurn(camera, scenes[first][side], scenes[k][side]);
    if (!turn || turn->moved_px < kMovedPx) return {};
    // Who knocks a camera twice has two lines to write.
    const double again = (turn->R - turned.turn.R).norm() * camera.intrinsics[0];
    if (turned.turn.matched > 0 && again > 2.0 * kMovedPx) return {};
    if (turned.turn.matched == 0) turned.turn = *turn;
    turned.trials[k] = true;
  }
  return turned;
}

Hypothesis LeaveOut(const capture::Experiment& typed, const std::string& camera,
                    const Turned& turned) {
  std::vector<std::string> names;
  std::vector<int> places;
  for (std::size_t k = 0; k < turned.trials.size(); ++k) {
    if (!turned.trials[k]) continue;
    names.push_back(typed.trials[k].name);
    places.push_back(PlaceInFile(typed, typed.trials[k].name));
  }
  Hypothesis hypothesis{
      .kind = "moved camera",
      .path = {"trials"},
      .found =
          fmt::format("has {} filmed after the {} camera was moved: what stands still is {:.1f} "
                      "px from where it was",
                      fmt::join(names, ", "), camera, turned.turn.moved_px),
      .write =
          fmt::format("{} into a file of their own, with pictures of the board that were taken "
                      "then",
                      fmt::join(names, ", ")),
      .edits = {}};
  if (std::ranges::count(places, -1) > 0) return hypothesis;
  if (places.size() == 1) hypothesis.path = {"trials", std::to_string(places.front())};
  std::ranges::sort(places, std::greater<>());  // from the end, as places move up
  for (const int place : places)
    hypothesis.edits.push_back({{"trials", std::to_string(place)}, ""});
  return hypothesis;
}

}  // namespace

std::optional<MovedCamera> FindMovedCamera(const capture::Experiment& typed,
                                           const calibration::RigCalibration& calibration,
                                           const Judgement& as_typed, Recordings* recordings) {
  const std::vector<bool>& in_order = as_typed.in_order;
  const auto good = std::ranges::count(in_order, true);
  if (good == 0 || good == std::ssize(in_order)) return {};
  const tracking::Views views = tracking::ViewsOf(calibration);
  std::vector<StillScene> scenes;
  for (const capture::Trial& trial : typed.trials)
    scenes.push_back(SceneOf(typed, trial, views, recordings));
  for (std::size_t side = 0; side < 2; ++side) {
    const calibration::Camera& camera = views[side].camera;
    const std::optional<Turned> turned = FindTurned(scenes, in_order, side, camera);
    if (!turned) continue;
    const double sigma = 0.2 / camera.intrinsics[0];  // of what the spots err by together [rad]
    Judgement judgement =
        Judge(WithTrials(typed, turned->trials),
              WithCameraTurned(calibration, side, turned->turn.R, sigma), recordings);
    if (!judgement.complaints.empty()) continue;
    if (!Judge(WithTrials(typed, in_order), calibration, recordings).complaints.empty()) continue;
    return MovedCamera{LeaveOut(typed, calibration.cameras[side].name, *turned),
                       std::move(judgement)};
  }
  return {};
}

}  // namespace percuss::pipeline
