// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "synthesis/synthesize.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <string>

#include "base/error.h"
#include "base/parallel.h"
#include "base/text/json_text.h"
#include "capture/video/video_writer.h"
#include "synthesis/files/experiment_yaml.h"
#include "synthesis/files/truth_json.h"
#include "synthesis/scene/board_poses.h"
#include "synthesis/scene/renderer.h"
#include "synthesis/scene/sensor.h"

namespace percuss::synthesis {
namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

constexpr std::uint64_t kBoardGroup = 0, kFirstTrialGroup = 1;  // of the seeds of pictures

void WritePicture(const fs::path& file, const cv::Mat& grey) {
  std::vector<unsigned char> bytes;
  cv::imencode(".png", grey, bytes);
  WriteFileAtomically(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void MakeFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw InputError(fmt::format("{}: {}", folder.string(), error.message()));
}

void RequireEmpty(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) return;
  if (!fs::is_directory(folder, error) || !fs::is_empty(folder, error)) {
    throw InputError(
        fmt::format("{}: found {}, allowed a new or empty folder", folder.string(),
                    fs::is_directory(folder) ? "a folder that is not empty" : "a file"));
  }
}

// Light of one frame brightened, row by row, by the flash.
void AddFlash(const SceneSpec& spec, const Shutter& shutter, cv::Mat* light) {
  for (int y = 0; y < light->rows; ++y) {
    const double share = FlashShare(spec, shutter.RowTime(y, light->rows));
    if (share > 0.0) light->row(y) *= 1.0 + (spec.flash.gain - 1.0) * share;
  }
}

// What all pictures of a camera share. Light is rendered in parts of pixels (Fineness).
struct Stage {
  int fineness;
  Camera camera;  // its pixels are the parts
  PixelRays rays;

  Stage(const SceneSpec& spec, std::size_t side)
      : fineness(Fineness(spec.blur_px)),
        camera(WithFinerPixels(spec.cameras[side], fineness)),
        rays(camera) {}
};

// What stands behind board or body: sharp in parts of pixels, and as the pixels see it.
struct Background {
  cv::Mat sharp, picture;

  Background(const SceneSpec& spec, const Stage& stage, const Camera& camera,
             const std::optional<PostSpec>& post, const std::vector<ReferenceMarker>& markers)
      : sharp(RenderGround(camera, stage.rays, spec.light, post, markers)),
        picture(
            Pixels(Blurred(sharp, stage.fineness * spec.blur_px, stage.fineness * spec.defocus_px),
                   stage.fineness)) {}

  cv::Mat With(const Layer& layer, const SceneSpec& spec, const Stage& stage) const {
    return Composed(layer, sharp, picture, stage.fineness, spec.blur_px, spec.defocus_px);
  }
};

void WriteBoardPicture(const SceneSpec& spec, const Stage& stage, const Background& background,
                       std::size_t side, std::uint64_t number, const BoardPose& pose,
                       const fs::path& file) {
  const Layer print = RenderBoard(stage.camera, stage.rays, spec.board, pose);
  WritePicture(file, Photograph(background.With(print, spec, stage), spec.noise, spec.tone,
                                PictureSeed(spec.seed, kBoardGroup, side, number)));
}

// On the surface; in the planar experiment upright in the plane of motion, its rows running down.
BoardPose SurfaceBoard(const SceneSpec& spec) {
  BoardPose pose;
  if (spec.planar) pose.R << 1, 0, 0, 0, 0, -1, 0, 1, 0;
  return pose;
}

ordered_json WithOrigin(const Provenance& origin) {
  ordered_json inputs = ordered_json::object();
  for (const auto& [file, hash] : origin.input_hashes) inputs[file] = hash;
  return {{"format", origin.format},
          {"program", "percuss " + ProgramVersion()},
          {"command", origin.command},
          {"inputs", inputs}};
}

// The pictures of one trial as one camera stores them, in order.
void RenderClip(const SceneSpec& spec, std::size_t trial_number, std::size_t side,
                const Stage& stage, const std::function<void(const cv::Mat& grey)>& take) {
  const TrialSpec& trial = spec.trials.at(trial_number);
  const Motion motion = PlanMotion(spec, trial);
  const Clip clip = ClipsOf(spec, trial, motion)[side];
  // Rays are those of the lens, however the camera is turned.
  const Camera camera = Turned(stage.camera, trial.camera_turn[side]);
  const Background background(spec, stage, camera, trial.occluder, spec.reference_markers);
  const auto state_at = [&](double time) { return motion.At(time); };
  const double readout =
      0.5 * (spec.exposure + spec.line_time * static_cast<double>(background.picture.rows));
  cv::Mat at_rest;
  for (int k = 0; k < clip.num_frames; ++k) {
    const Shutter shutter{clip.start_time + k / spec.frame_rate, spec.exposure, spec.line_time};
    const bool held = shutter.time + readout < motion.actuator_start;
    cv::Mat light = at_rest;
    if (!held || at_rest.empty()) {
      const Shutter of_parts{shutter.time, shutter.exposure, shutter.line_time, stage.fineness};
      light = background.With(
          RenderBody(camera, stage.rays, spec, trial.occluder, of_parts, state_at), spec, stage);
    }
    if (held) {
      at_rest = light;
      light = light.clone();
    }
    AddFlash(spec, shutter, &light);
    take(Photograph(light, spec.noise, spec.tone,
                    PictureSeed(spec.seed, kFirstTrialGroup + trial_number, side,
                                static_cast<std::uint64_t>(k)),
                    spec.bit_depth));
  }
}

}  // namespace

void Synthesize(const SceneSpec& spec, const fs::path& folder, Provenance origin,
                const SynthesisOptions& options) {
  RequireEmpty(folder);
  const std::vector<BoardPose> boards =
      PlaceBoards(spec.cameras, spec.board, spec.calibration_pairs, spec.seed);
  std::vector<std::string> names;
  for (std::size_t k = 0; k < boards.size(); ++k) names.push_back(fmt::format("{:02}.png", k));

  std::vector<Stage> stages;
  std::vector<Background> grounds;
  for (std::size_t side = 0; side < spec.cameras.size(); ++side) {
    const Stage& stage = stages.emplace_back(spec, side);
    grounds.emplace_back(spec, stage, stage.camera, std::nullopt, std::vector<ReferenceMarker>());
  }

  std::vector<std::function<void()>> jobs;
  for (std::size_t t = 0; t < spec.trials.size(); ++t) {
    const fs::path place = folder / "trials" / spec.trials[t].name;
    MakeFolder(place);
    for (std::size_t side = 0; side < spec.cameras.size(); ++side) {
      const fs::path file =
          place / fmt::format("{}{}", spec.camera_names[side], spec.VideoEnding());
      jobs.emplace_back([&spec, &stages, t, side, file] {
        const Camera& camera = spec.cameras[side];
        capture::VideoWriter writer(
            file, {camera.width, camera.height}, spec.frame_rate, spec.crf,
            spec.bit_depth > 8 ? capture::PictureKind::kDeepGrey : capture::PictureKind::kGrey);
        const auto render = [&](const SceneSpec& seen, const Stage& stage) {
          RenderClip(seen, t, side, stage, [&](const cv::Mat& grey) { writer.Write(grey); });
        };
        if (spec.trials[t].slope) {
          const SceneSpec turned = FromSurface(spec, spec.trials[t]);
          render(turned, Stage(turned, side));
        } else {
          render(spec, stages[side]);
        }
        writer.Finish();
      });
      if (!spec.trials[t].slope) continue;
      const std::uint64_t number = boards.size() + 1 + t;
      const fs::path surface = place / fmt::format("surface-{}.png", spec.camera_names[side]);
      jobs.emplace_back([&spec, t, side, number, surface] {
        const SceneSpec turned = FromSurface(spec, spec.trials[t]);
        const Stage stage(turned, side);
        WriteBoardPicture(turned, stage, Background(turned, stage, stage.camera, std::nullopt, {}),
                          side, number, SurfaceBoard(spec), surface);
      });
    }
  }
  for (std::size_t side = 0; side < spec.cameras.size(); ++side) {
    const auto add = [&](std::size_t number, const BoardPose& pose, const fs::path& file) {
      jobs.emplace_back([&spec, &stages, &grounds, side, number, pose, file] {
        WriteBoardPicture(spec, stages[side], grounds[side], side, number, pose, file);
      });
    };
    for (std::size_t k = 0; k < boards.size(); ++k) {
      add(k, boards[k], folder / "calibration" / spec.camera_names[side] / names[k]);
    }
    add(boards.size(), SurfaceBoard(spec),
        folder / "calibration" / "surface" / fmt::format("{}.png", spec.camera_names[side]));
  }
  std::atomic<int> done = 0;
  const int count = static_cast<int>(jobs.size());
  ParallelFor(count, options.num_threads, [&](int k) {
    jobs[k]();
    if (options.progress) options.progress(++done, count);
  });

  origin.format = "percuss truth 1";
  ordered_json truth = WithOrigin(origin);
  truth.update(ExperimentTruth(spec, boards, names));
  for (const TrialSpec& trial : spec.trials) {
    truth["trials"][trial.name] =
        TrialTruth(FromSurface(spec, trial), trial, PlanMotion(spec, trial));
  }
  WriteFileAtomically(folder / "truth.json", JsonText(truth, -1));
  WriteExperimentYaml(spec, folder);
}

}  // namespace percuss::synthesis
