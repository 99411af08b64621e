// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "synthesis/ball/ball_files.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/text/json_text.h"
#include "capture/video/video_writer.h"
#include "synthesis/ball/ball_clip.h"
#include "synthesis/ball/ball_sound.h"

namespace percuss::synthesis {
namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

ordered_json StateJson(const BallState& state) {
  return {{"position", JsonList(state.p)},
          {"velocity", JsonList(state.v)},
          {"omega", JsonList(state.w)}};
}

ordered_json SpecJson(const BallSpec& spec) {
  return {{"radius", spec.radius},
          {"mass", spec.mass},
          {"inertia_factor", spec.inertia_factor},
          {"drag_coefficient", spec.drag_coefficient},
          {"air_density", spec.air_density},
          {"lift", spec.drag_coefficient > 0.0 && spec.lift},
          {"gravity", JsonList(spec.gravity)},
          {"surface_normal", JsonList(spec.surface_normal)},
          {"mu", spec.mu},
          {"contact_time", spec.contact_time}};
}

ordered_json CameraJson(const Camera& c) {
  const Eigen::Quaterniond q(c.R_CW);
  return {
      {"image_size", {c.width, c.height}},
      {"fx", c.fx},
      {"fy", c.fy},
      {"cx", c.cx},
      {"cy", c.cy},
      {"distortion", {c.k1, c.k2, c.p1, c.p2, c.k3}},
      {"position", JsonList(c.Position())},
      {"world_to_camera", {{"quaternion", {q.w(), q.x(), q.y(), q.z()}}, {"t", JsonList(c.t_CW)}}}};
}

ordered_json BounceJson(const BallSpec& spec, const BounceTruth& bounce) {
  ordered_json json = {{"time", bounce.time},
                       {"time_end", bounce.time_end},
                       {"before", StateJson(bounce.before)},
                       {"after", StateJson(bounce.after)},
                       {"e", bounce.e},
                       {"sticks", bounce.sticks},
                       {"impulse", JsonList(bounce.impulse)},
                       {"dissipated", bounce.dissipated},
                       {"sound_time", nullptr}};
  if (spec.sound) json["sound_time"] = SoundTime(spec, bounce);
  return json;
}

ordered_json FrameJson(const BallClip& clip, int frame) {
  const BallView view = clip.View(frame);
  const BallState state = clip.Motion().At(view.time);
  const Eigen::Quaterniond& q = state.q;
  ordered_json json = {{"index", frame},
                       {"time", clip.FrameTime(frame)},
                       {"row_time", view.time},
                       {"phase", BallPhaseName(view.phase)},
                       {"in_picture", view.inside},
                       {"pixel", JsonList(view.pixel)},
                       {"outline_centre", JsonList(view.outline_centre)},
                       {"radius_px", nullptr},
                       {"position_in_camera", JsonList(view.centre_C)},
                       {"position", JsonList(state.p)},
                       {"velocity", JsonList(state.v)},
                       {"omega", JsonList(state.w)},
                       {"quaternion", {q.w(), q.x(), q.y(), q.z()}}};
  if (view.in_front) json["radius_px"] = view.radius_px;
  if (clip.Spec().shake.amplitude_px > 0.0) {
    const Eigen::AngleAxisd turn(clip.FrameCamera(frame).R_CW *
                                 clip.Spec().camera.R_CW.transpose());
    json["camera_turn"] = JsonList(turn.angle() * turn.axis());
  }
  return json;
}

ordered_json RulerJson(const Camera& camera, const RulerSpec& ruler) {
  const int last = LastMark(ruler);
  const auto pixel = [&](int mark) -> ordered_json {
    const auto at = Project(camera, ruler.position + mark * MarkPitch(ruler) * ruler.direction);
    return at ? JsonList(*at) : ordered_json();
  };
  return {{"marks", last + 1},
          {"mark_distance", MarkPitch(ruler)},
          {"first_px", pixel(0)},
          {"last_px", pixel(last)}};
}

ordered_json TruthJson(const BallClip& clip, Provenance origin) {
  const BallSpec& spec = clip.Spec();
  origin.format = "percuss ball truth 1";
  ordered_json truth = JsonHead(origin.format, origin);
  truth["units"] = "m, kg, s, rad, px";
  truth["name"] = spec.name;
  truth["frame_rate"] = spec.frame_rate;
  truth["exposure"] = spec.exposure;
  truth["line_time"] = spec.line_time;
  truth["camera"] = CameraJson(spec.camera);
  truth["ball"] = SpecJson(spec);
  truth["ruler"] = nullptr;
  if (spec.ruler) truth["ruler"] = RulerJson(spec.camera, *spec.ruler);
  const double depth = (spec.camera.R_CW * spec.start + spec.camera.t_CW).z();
  truth["metres_per_pixel_at_start"] = depth / spec.camera.fx;
  truth["release"] = clip.Motion().release;
  truth["end"] = clip.Motion().end;
  truth["sound_offset"] = nullptr;
  if (spec.sound) truth["sound_offset"] = spec.sound->offset;
  truth["bounces"] = ordered_json::array();
  for (const BounceTruth& bounce : clip.Motion().bounces)
    truth["bounces"].push_back(BounceJson(spec, bounce));
  truth["frames"] = ordered_json::array();
  for (int k = 0; k < clip.FrameCount(); ++k) truth["frames"].push_back(FrameJson(clip, k));
  return truth;
}

void AppendLittleEndian(std::uint32_t value, int bytes, std::string* text) {
  for (int k = 0; k < bytes; ++k) text->push_back(static_cast<char>(value >> (8 * k) & 0xFFU));
}

// RIFF WAVE, PCM of 16 bit, one channel.
std::string WavText(const capture::SoundTrack& sound) {
  const auto rate = static_cast<std::uint32_t>(sound.rate);
  const auto bytes = static_cast<std::uint32_t>(2 * sound.samples.size());
  std::string text = "RIFF";
  AppendLittleEndian(36 + bytes, 4, &text);
  text += "WAVEfmt ";
  AppendLittleEndian(16, 4, &text);
  AppendLittleEndian(1, 2, &text);
  AppendLittleEndian(1, 2, &text);
  AppendLittleEndian(rate, 4, &text);
  AppendLittleEndian(2 * rate, 4, &text);
  AppendLittleEndian(2, 2, &text);
  AppendLittleEndian(16, 2, &text);
  text += "data";
  AppendLittleEndian(bytes, 4, &text);
  for (const float sample : sound.samples) {
    const long value = std::lround(32767.0F * std::clamp(sample, -1.0F, 1.0F));
    AppendLittleEndian(static_cast<std::uint32_t>(value), 2, &text);
  }
  return text;
}

void RequireNewFolder(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder, error) && (!fs::is_directory(folder) || !fs::is_empty(folder, error)))
    throw InputError(
        fmt::format("{}: found {}, allowed a new or empty folder", folder.string(),
                    fs::is_directory(folder) ? "a folder that is not empty" : "a file"));
  fs::create_directories(folder, error);
  if (error) throw InputError(fmt::format("{}: {}", folder.string(), error.message()));
}

}  // namespace

fs::path SynthesizeBall(const BallSpec& spec, const fs::path& folder, Provenance origin,
                        const std::function<void(int, int)>& progress) {
  RequireNewFolder(folder);
  const BallClip clip(spec);
  std::optional<capture::SoundTrack> sound;
  if (spec.sound) sound = MakeBallSound(spec, clip.Motion());
  const bool muxed = sound && spec.sound->in_clip;
  const fs::path file = folder / (muxed ? "clip.mov" : "clip.mp4");
  capture::VideoWriter writer(file, {spec.camera.width, spec.camera.height}, spec.frame_rate,
                              spec.crf, capture::PictureKind::kGrey, muxed ? &*sound : nullptr);
  for (int k = 0; k < clip.FrameCount(); ++k) {
    writer.Write(clip.Frame(k));
    if (progress) progress(k + 1, clip.FrameCount());
  }
  writer.Finish();
  if (sound && spec.sound->in_wav) WriteFileAtomically(folder / "sound.wav", WavText(*sound));
  WriteFileAtomically(folder / "truth.json", JsonText(TruthJson(clip, std::move(origin)), -1));
  return file;
}

}  // namespace percuss::synthesis
