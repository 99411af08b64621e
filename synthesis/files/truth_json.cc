// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "synthesis/files/truth_json.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "solver/solve_impact.h"

namespace percuss::synthesis {
namespace {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector2d;
using Eigen::Vector3d;
using nlohmann::ordered_json;

ordered_json Json(const Vector3d& v) { return {v.x(), v.y(), v.z()}; }
ordered_json Json(const Quaterniond& q) { return {q.w(), q.x(), q.y(), q.z()}; }
ordered_json Json(const Matrix3d& m) {
  ordered_json rows = ordered_json::array();
  for (int row = 0; row < 3; ++row) rows.push_back(Json(Vector3d(m.row(row).transpose())));
  return rows;
}
ordered_json PoseJson(const Matrix3d& R, const Vector3d& t) {
  return {{"R", Json(R)}, {"t", Json(t)}};
}

ordered_json LensJson(const Camera& c) {
  return {{"fx", c.fx}, {"fy", c.fy}, {"cx", c.cx}, {"cy", c.cy}, {"k1", c.k1},
          {"k2", c.k2}, {"p1", c.p1}, {"p2", c.p2}, {"k3", c.k3}};
}

ordered_json StereoJson(const Camera& left, const Camera& right) {
  const Matrix3d R = right.R_CW * left.R_CW.transpose();
  const Vector3d t = right.t_CW - R * left.t_CW;
  ordered_json stereo = PoseJson(R, t);
  stereo["angle_deg"] = Eigen::AngleAxisd(R).angle() * 180.0 / std::numbers::pi;
  stereo["baseline"] = t.norm();
  return stereo;
}

ordered_json BodyJson(const capture::MarkedBody& body) {
  ordered_json json;
  if (const auto* box = std::get_if<solver::Box>(&body.body.shape)) json["size"] = Json(box->size);
  json["shape"] = solver::ShapeName(body.body.shape);
  json["mass"] = body.body.mass;
  const bool principal = body.body.inertia.isDiagonal(1e-12);
  json["inertia"] =
      principal ? Json(Vector3d(body.body.inertia.diagonal())) : Json(body.body.inertia);
  for (const capture::Marker& marker : body.markers) {
    json["markers"][marker.name] = Json(marker.p_BM);
  }
  if (body.NumDots() > 0) json["marker_diameter"] = body.marker_diameter;
  return json;
}

ordered_json ParametersJson(const TrialSpec& trial) {
  ordered_json json = ordered_json::object();
  const solver::LawInfo& info = solver::FindLaw(trial.law);
  for (std::size_t k = 0; k < info.parameters.size(); ++k) {
    json[std::string(info.parameters[k].name)] = trial.parameters.at(k);
  }
  return json;
}

// Sliding to the end, stopped, or sliding at the end more than 90 degrees from how it began.
const char* ModeOf(const ImpactTruth& impact) {
  const Vector2d before = impact.contact_velocity_before.head<2>();
  const Vector2d after = impact.contact_velocity_after.head<2>();
  if (after.norm() < 1e-9 * (before.norm() + 1e-9)) return "stick";
  return before.dot(after) < 0.0 ? "reverse" : "slide";
}

ordered_json SideJson(const State& state, const Vector3d& contact_velocity) {
  return {
      {"v", Json(state.v)}, {"omega", Json(state.w)}, {"contact_velocity", Json(contact_velocity)}};
}

ordered_json ImpactJson(const SceneSpec& spec, const ImpactTruth& impact) {
  const State& before = impact.before;
  const solver::ImpactResult<double>& result = impact.result;
  const Vector2d energy_before = KineticEnergy(spec.body.body, before);
  const Vector2d energy_after = KineticEnergy(spec.body.body, impact.after);
  const double lost = energy_before.sum() - energy_after.sum();
  const double work = result.energy.normal_work + result.energy.friction_work;
  ordered_json modes = ordered_json::array();
  for (const solver::ContactMode mode : result.modes) modes.push_back(solver::ModeName(mode));
  return {{"position", Json(before.p_WB)},
          {"quaternion", Json(before.q_WB)},
          {"rotation", Json(before.q_WB.toRotationMatrix())},
          {"contact_point", Json(impact.contact_point)},
          {"contact_offset", Json(impact.contact_offset)},
          {"contact_corner_body", Json(Vector3d(before.q_WB.conjugate() * impact.contact_offset))},
          {"pre", SideJson(before, impact.contact_velocity_before)},
          {"post", SideJson(impact.after, impact.contact_velocity_after)},
          {"impulse", Json(result.impulse)},
          {"impulse_at_max_compression", result.compression_impulse},
          {"work_normal", result.energy.normal_work},
          {"work_tangential", result.energy.friction_work},
          {"energy_before", energy_before.sum()},
          {"energy_after", energy_after.sum()},
          {"energy_before_trans_rot", {energy_before[0], energy_before[1]}},
          {"energy_after_trans_rot", {energy_after[0], energy_after[1]}},
          {"dissipated_fraction", lost / energy_before.sum()},
          {"energy_residual", -lost - work},
          {"newton_e", -impact.contact_velocity_after.z() / impact.contact_velocity_before.z()},
          {"poisson_e", result.restitution_impulse / result.compression_impulse},
          {"impulse_ratio", result.impulse.head<2>().norm() / result.impulse.z()},
          {"mode", ModeOf(impact)},
          {"modes", modes}};
}

// The time at which the row is exposed in which the marker is then seen.
double SightTime(const SceneSpec& spec, const Camera& camera, const Motion& motion,
                 const Vector3d& p_BM, double frame_time) {
  const Shutter shutter{frame_time, spec.exposure, spec.line_time};
  double time = frame_time;
  constexpr int kSteps = 12;  // each shrinks the error by the rows that the marker crosses per row
  for (int k = 0; k < kSteps && spec.line_time > 0.0; ++k) {
    const State state = motion.At(time);
    const auto pixel = Project(camera, state.p_WB + state.q_WB * p_BM);
    if (!pixel) break;
    time = shutter.RowTime(pixel->y(), camera.height);
  }
  return time;
}

struct FrameTruth {
  ordered_json json;
  std::vector<std::string> hidden_by_post;
};

FrameTruth DescribeFrame(const SceneSpec& spec, const TrialSpec& trial, const Motion& motion,
                         const Camera& camera, int index, double time) {
  constexpr double kEdgeOn = 0.208;  // sine of 12 degrees
  const State state = motion.At(time);
  FrameTruth frame;
  ordered_json world, pixels, visible;
  for (std::size_t k = 0; k < spec.body.markers.size(); ++k) {
    const capture::Marker& marker = spec.body.markers[k];
    const State seen = motion.At(SightTime(spec, camera, motion, marker.p_BM, time));
    bool behind_post = false;
    const MarkerSight sight = LookAtMarker(camera, spec, trial.occluder, seen, k, &behind_post);
    world[marker.name] = Json(Vector3d(state.p_WB + state.q_WB * marker.p_BM));
    if (sight.pixel) {
      pixels[marker.name] = {sight.pixel->x(), sight.pixel->y()};
    } else {
      pixels[marker.name] = nullptr;
    }
    visible[marker.name] =
        sight.pixel && InImage(camera, *sight.pixel) && !sight.covered && sight.facing > kEdgeOn;
    if (behind_post) frame.hidden_by_post.push_back(marker.name);
  }
  const Vector3d normal = state.q_WB * capture::MarkerNormal(spec.body, 0);
  frame.json = {{"index", index},
                {"time", time},
                {"phase", motion.Phase(time)},
                {"position", Json(state.p_WB)},
                {"quaternion", Json(state.q_WB)},
                {"velocity", Json(state.v)},
                {"omega", Json(state.w)},
                {"face_lit", normal.dot(spec.light.lamp)},
                {"flash", FlashShare(spec, time)},
                {"markers_world", world},
                {"markers_px", pixels},
                {"visible", visible}};
  return frame;
}

ordered_json PostJson(const PostSpec& post) {
  return {{"cylinder_base_centre", {post.position.x(), post.position.y(), 0.0}},
          {"radius", post.radius},
          {"height", post.height}};
}

}  // namespace

std::vector<Clip> ClipsOf(const SceneSpec& spec, const TrialSpec& trial, const Motion& motion) {
  std::vector<Clip> clips;
  for (const double start : trial.start_frames) {
    Clip& clip = clips.emplace_back();
    clip.start_time = start / spec.frame_rate;
    clip.num_frames =
        static_cast<int>(std::floor((motion.end - clip.start_time) * spec.frame_rate)) + 1;
  }
  return clips;
}

double FlashShare(const SceneSpec& spec, double time) {
  const double first =
      std::max(time - 0.5 * spec.exposure, spec.flash.time - 0.5 * spec.flash.duration);
  const double last =
      std::min(time + 0.5 * spec.exposure, spec.flash.time + 0.5 * spec.flash.duration);
  return std::clamp((last - first) / spec.exposure, 0.0, 1.0);
}

ordered_json ExperimentTruth(const SceneSpec& spec, const std::vector<BoardPose>& boards,
                             const std::vector<std::string>& board_images) {
  ordered_json truth = {{"units", "m, kg, s, rad, px"},
                        {"frame_rate", spec.frame_rate},
                        {"exposure", spec.exposure},
                        {"line_time", spec.line_time},
                        {"image_size", {spec.cameras[0].width, spec.cameras[0].height}}};
  // The law's parameters where all trials share them: mu, e, ...
  const TrialSpec& first = spec.trials.front();
  const bool one_law = std::all_of(spec.trials.begin(), spec.trials.end(), [&](const auto& trial) {
    return trial.law == first.law && trial.parameters == first.parameters;
  });
  if (one_law) {
    truth["law"] = first.law;
    truth.update(ParametersJson(first));
  }
  for (std::size_t c = 0; c < spec.cameras.size(); ++c)
    truth["cameras"][spec.camera_names[c]] = LensJson(spec.cameras[c]);
  for (std::size_t c = 0; c < spec.cameras.size(); ++c) {
    if (c == 1) truth["stereo"] = StereoJson(spec.cameras[0], spec.cameras[1]);
    truth["world_to_" + spec.camera_names[c]] =
        PoseJson(spec.cameras[c].R_CW, spec.cameras[c].t_CW);
  }
  truth["body"] = BodyJson(spec.body);
  for (const ReferenceMarker& marker : spec.reference_markers)
    truth["reference_points"][marker.name] = Json(marker.position);
  // Axes of the file: x along the columns, y along the rows, z into the board.
  const Matrix3d flip = Vector3d(1.0, -1.0, -1.0).asDiagonal();
  truth["calibration_board_poses"] = ordered_json::array();
  for (std::size_t k = 0; k < boards.size(); ++k) {
    truth["calibration_board_poses"].push_back(
        {{"image", board_images.at(k)},
         {"board_to_world",
          {{"position", Json(boards[k].t)},
           {"quaternion", Json(Quaterniond(boards[k].R * flip))}}}});
  }
  return truth;
}

namespace {

ordered_json SlideJson(const SlideSpec& slide, const Motion& motion) {
  return {{"mu_k", slide.mu_k},
          {"mu_s", slide.tilt_rate > 0.0 ? ordered_json(slide.mu_s) : ordered_json(nullptr)},
          {"start", motion.slide_start},
          {"start_speed", slide.start_speed},
          {"tilt_rate", slide.tilt_rate}};
}

ordered_json DropTruth(const SceneSpec& spec, const TrialSpec& trial, const Motion& motion) {
  ordered_json truth = {{"gravity", Json(trial.gravity)},
                        {"law", trial.law},
                        {"parameters", ParametersJson(trial)},
                        {"time_of_flash", spec.flash.time},
                        {"time_actuator_start", motion.actuator_start},
                        {"time_release", motion.release},
                        {"time_of_impact", motion.impact_time},
                        {"time_second_contact", motion.second_contact},
                        {"impact", ImpactJson(spec, motion.impact)}};
  return truth;
}

}  // namespace

ordered_json TrialTruth(const SceneSpec& spec, const TrialSpec& trial, const Motion& motion) {
  ordered_json truth = trial.slide ? ordered_json{{"gravity", Json(trial.gravity)},
                                                  {"time_of_flash", spec.flash.time},
                                                  {"slide", SlideJson(*trial.slide, motion)}}
                                   : DropTruth(spec, trial, motion);
  if (trial.slope) truth["surface_to_world"] = Json(Quaterniond(WorldFromSurface(trial)));
  for (std::size_t c = 1; c < spec.cameras.size(); ++c) {
    truth["time_offset_" + spec.camera_names[c] + "_minus_left"] =
        trial.start_frames[c] / spec.frame_rate;
  }
  for (std::size_t c = 0; c < spec.cameras.size(); ++c) {
    if (trial.camera_turn[c].isZero()) continue;
    truth["camera_turn_deg"][spec.camera_names[c]] =
        Json(Vector3d(trial.camera_turn[c] * 180.0 / std::numbers::pi));
  }
  truth["occluder"] = nullptr;
  if (trial.occluder) truth["occluder"] = PostJson(*trial.occluder);
  const std::vector<Clip> clips = ClipsOf(spec, trial, motion);
  for (std::size_t c = 0; c < spec.cameras.size(); ++c) {
    const std::string& name = spec.camera_names[c];
    const double start = clips[c].start_time;
    const Camera camera = spec.CameraOf(trial, c);
    const auto frame_of = [&](double time) { return (time - start) * spec.frame_rate; };
    ordered_json frames = ordered_json::array(), occluded = ordered_json::array();
    for (int k = 0; k < clips[c].num_frames; ++k) {
      FrameTruth frame = DescribeFrame(spec, trial, motion, camera, k, start + k / spec.frame_rate);
      frames.push_back(std::move(frame.json));
      for (const std::string& marker : frame.hidden_by_post) occluded.push_back({k, marker});
    }
    if (trial.occluder) truth["occluder"]["occluded_" + name] = occluded;
    truth["cameras"][name] = {{"start_time", start},
                              {"start_time_frames", start * spec.frame_rate},
                              {"n_frames", clips[c].num_frames},
                              {"flash_frame", frame_of(spec.flash.time)},
                              {"frames", frames}};
    if (trial.slide) continue;
    truth["cameras"][name].update({{"impact_frame", frame_of(motion.impact_time)},
                                   {"second_contact_frame", frame_of(motion.second_contact)}});
  }
  return truth;
}

}  // namespace percuss::synthesis
