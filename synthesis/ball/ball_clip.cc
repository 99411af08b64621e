// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "synthesis/ball/ball_clip.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <stdexcept>

#include "synthesis/ball/ball_renderer.h"
#include "synthesis/ball/ball_scene.h"
#include "synthesis/ball/camera_shake.h"
#include "synthesis/scene/fast_sensor.h"
#include "synthesis/scene/sensor.h"

namespace percuss::synthesis {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr std::uint64_t kSceneryGroup = 0, kBallGroup = 1;  // of the seeds of noise

Shutter ShutterAt(const BallSpec& spec, double time, int fineness) {
  return {time, spec.exposure, spec.line_time, fineness};
}

// The widest shift of a corner of the picture over the clip, in whole pixels and one more.
int MarginOf(const BallSpec& spec, const CameraShake& shake, int frames) {
  double widest = 0.0;
  for (int k = 0; k < frames; ++k) {
    const Camera turned = Turned(spec.camera, shake.TurnAt(k / spec.frame_rate));
    for (const double x : {0.0, spec.camera.width - 1.0}) {
      for (const double y : {0.0, spec.camera.height - 1.0}) {
        const Vector2d before = PixelBeforeTurn(spec.camera, turned, {x, y});
        if (!before.allFinite())
          throw std::invalid_argument(
              "BallClip: found a shaking camera that sees more than its lens, allowed a lens whose "
              "image is larger than the sensor");
        widest = std::max(widest, (before - Vector2d(x, y)).norm());
      }
    }
  }
  return static_cast<int>(std::ceil(widest)) + 4;
}

cv::Rect GrownParts(const cv::Rect& area, int parts, const cv::Rect& bounds) {
  return cv::Rect(area.x - parts, area.y - parts, area.width + 2 * parts, area.height + 2 * parts) &
         bounds;
}

}  // namespace

struct BallClip::Impl {
  BallSpec spec;
  BallMotion motion;
  int frames;
  bool shakes;
  CameraShake shake;
  int fineness, margin;
  CoarseRays rays;
  BallScenery scenery;
  BallPattern pattern;
  FastSensor sensor;
  cv::Mat sharp;         // parts of pixels; of a camera that does not shake
  cv::Mat light, sigma;  // pixels, without the ball; of a camera that does not shake
  cv::Mat seen;          // of one that shakes: TurnedPicture

  explicit Impl(const BallSpec& from)
      : spec(from),
        motion(spec),
        frames(static_cast<int>(std::floor(motion.end * spec.frame_rate + 1e-9)) + 1),
        shakes(spec.shake.amplitude_px > 0.0),
        shake(spec),
        fineness(std::max(Fineness(spec.blur_px), shakes ? 2 : 1)),
        margin(shakes ? MarginOf(spec, shake, frames) : 0),
        rays(spec.camera, margin),
        scenery(spec),
        pattern(spec),
        sensor(spec.noise, spec.tone) {
    const cv::Rect area(-fineness * margin, -fineness * margin,
                        fineness * (spec.camera.width + 2 * margin),
                        fineness * (spec.camera.height + 2 * margin));
    sharp = RenderScenery(scenery, rays, spec.camera, area, fineness);
    const cv::Mat blurred = Blurred(sharp, fineness * spec.blur_px, 0.0);
    if (shakes) {
      sharp.release();
      cv::boxFilter(blurred, seen, CV_32F, {fineness, fineness}, {0, 0}, true,
                    cv::BORDER_REPLICATE);
    } else {
      light = Pixels(blurred, fineness);
      sigma = sensor.Sigma(light);
    }
  }

  Camera CameraAt(double time) const {
    return shakes ? Turned(spec.camera, shake.TurnAt(time)) : spec.camera;
  }

  // The part of a picture around ball or shadow, which nothing else covers.
  void DrawPatch(const BallScene& scene, const cv::Rect& changed, std::uint64_t seed,
                 cv::Mat* grey) const {
    const int f = fineness;
    const cv::Rect whole(0, 0, f * spec.camera.width, f * spec.camera.height);
    const cv::Rect needed = GrownParts(changed, f * Reach(), whole);
    cv::Mat parts =
        shakes ? RenderScenery(scenery, rays, scene.camera, needed, f) : sharp(needed).clone();
    DrawShadow(scene, needed, &parts);
    DrawBall(scene, needed, &parts);
    const cv::Mat blurred = Blurred(parts, f * spec.blur_px, 0.0);
    const cv::Mat pixels = Pixels(blurred(changed - needed.tl()).clone(), f);
    cv::Mat place =
        (*grey)(cv::Rect(changed.x / f, changed.y / f, changed.width / f, changed.height / f));
    sensor.Expose(pixels, sensor.Sigma(pixels), seed, &place);
  }

  // Of the blur, in pixels.
  int Reach() const { return static_cast<int>(std::ceil(5.0 * spec.blur_px)) + 1; }
};

BallClip::BallClip(const BallSpec& spec) : impl_(std::make_unique<Impl>(spec)) {}
BallClip::~BallClip() = default;

const BallSpec& BallClip::Spec() const { return impl_->spec; }
const BallMotion& BallClip::Motion() const { return impl_->motion; }
int BallClip::FrameCount() const { return impl_->frames; }
double BallClip::FrameTime(int frame) const { return frame / impl_->spec.frame_rate; }
Camera BallClip::FrameCamera(int frame) const { return impl_->CameraAt(FrameTime(frame)); }

cv::Mat BallClip::Frame(int frame) const {
  const Impl& clip = *impl_;
  const BallSpec& spec = clip.spec;
  const double time = FrameTime(frame);
  const BallScene scene{spec,
                        clip.motion,
                        clip.scenery,
                        clip.pattern,
                        clip.rays,
                        clip.CameraAt(time),
                        ShutterAt(spec, time, clip.fineness)};
  const auto number = static_cast<std::uint64_t>(frame);
  cv::Mat light = clip.light, sigma = clip.sigma;
  if (clip.shakes) {
    light = TurnedPicture(spec.camera, scene.camera, clip.seen, clip.fineness, clip.margin);
    sigma = clip.sensor.Sigma(light);
  }
  cv::Mat grey(light.size(), CV_8UC1);
  clip.sensor.Expose(light, sigma, PictureSeed(spec.seed, kSceneryGroup, 0, number), &grey);
  const int f = clip.fineness;
  const cv::Rect whole(0, 0, f * spec.camera.width, f * spec.camera.height);
  std::vector<cv::Rect> patches;
  for (const cv::Rect& area : {BallArea(scene), ShadowArea(scene)}) {
    if (area.empty()) continue;
    const cv::Rect changed = GrownParts(area, f * clip.Reach(), whole);
    if (!patches.empty() && !(patches[0] & changed).empty()) {
      patches[0] |= changed;
    } else {
      patches.push_back(changed);
    }
  }
  for (std::size_t k = 0; k < patches.size(); ++k) {
    clip.DrawPatch(scene, patches[k], PictureSeed(spec.seed, kBallGroup + k, 0, number), &grey);
  }
  return grey;
}

BallView BallClip::View(int frame) const {
  const BallSpec& spec = impl_->spec;
  const double frame_time = FrameTime(frame);
  const Camera camera = impl_->CameraAt(frame_time);
  const Shutter shutter = ShutterAt(spec, frame_time, 1);
  BallView view;
  view.time = frame_time;
  BallState state = impl_->motion.At(frame_time);
  constexpr int kSteps = 12;  // each shrinks the error by the rows that the ball crosses per row
  for (int k = 0; k < kSteps && spec.line_time > 0.0; ++k) {
    const auto pixel = Project(camera, state.p);
    if (!pixel) break;
    view.time = shutter.RowTime(pixel->y(), camera.height);
    state = impl_->motion.At(view.time);
  }
  view.phase = state.phase;
  const Vector3d centre_C = camera.R_CW * state.p + camera.t_CW;
  const BallOutline outline = OutlineOfBall(camera, centre_C, spec.radius);
  const auto pixel = ProjectInCamera(camera, centre_C);
  if (!outline.in_front || !pixel) return view;
  view.in_front = true;
  view.inside = InImage(camera, outline.lowest) && InImage(camera, outline.highest);
  view.pixel = *pixel;
  view.outline_centre = outline.centre;
  view.radius_px = std::sqrt(outline.area / std::numbers::pi);
  view.centre_C = centre_C;
  return view;
}

}  // namespace percuss::synthesis
