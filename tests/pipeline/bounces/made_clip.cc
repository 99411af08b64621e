// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/pipeline/bounces/made_clip.h"

#include <algorithm>
#include <cmath>
#include <opencv2/core/matx.hpp>
#include <opencv2/imgproc.hpp>

#include "tracking/ball/moving_things.h"

namespace percuss::testing {

tracking::ClipFrames MadeClip::Frames() const {
  return [this](const tracking::VisitFrame& visit) {
    for (std::size_t k = 0; k < pictures.size(); ++k)
      visit(static_cast<int>(k), times[k], pictures[k]);
  };
}

MadeClip MadeClip::Cut(int first, int last) const {
  MadeClip part;
  for (int k = first; k <= last; ++k) {
    part.times.push_back(times[k] - times[first]);
    part.pictures.push_back(pictures[k]);
  }
  return part;
}

synthesis::BallSpec SmallBall() {
  synthesis::BallSpec spec;
  spec.frame_rate = 60.0;
  spec.exposure = 0.003;
  spec.bounces = 2;
  spec.start = {-0.25, 0.0, 0.4};
  spec.velocity = {0.3, 0.0, 0.0};
  spec.hold = 0.1;
  spec.target = {0.0, 0.0, 0.22};
  spec.camera = synthesis::BallCamera(640, 360, 560.0, {0.0, -1.1, 0.3}, spec.target);
  return spec;
}

MadeClip Rendered(const synthesis::BallSpec& spec) {
  const synthesis::BallClip rendered(spec);
  MadeClip clip;
  for (int k = 0; k < rendered.FrameCount(); ++k) {
    clip.times.push_back(rendered.FrameTime(k));
    clip.pictures.push_back(rendered.Frame(k));
  }
  return clip;
}

MadeClip Together(const MadeClip& one, const MadeClip& other) {
  const cv::Mat ground = tracking::MedianPicture(other.pictures);
  MadeClip both;
  for (std::size_t k = 0; k < std::min(one.pictures.size(), other.pictures.size()); ++k) {
    cv::Mat sum, first, second;
    cv::addWeighted(one.pictures[k], 1.0, other.pictures[k], 1.0, 0.0, sum, CV_16S);
    cv::subtract(sum, ground, sum, cv::noArray(), CV_16S);
    cv::absdiff(one.pictures[k], ground, first);
    cv::absdiff(other.pictures[k], ground, second);
    cv::Mat picture;
    sum.convertTo(picture, CV_8U);
    other.pictures[k].copyTo(picture, (first > 12) & (second > 12));
    both.times.push_back(one.times[k]);
    both.pictures.push_back(picture);
  }
  return both;
}

MadeClip Turned(const MadeClip& large, double focal, const cv::Size& size,
                const std::function<Eigen::Vector2d(double time)>& shift) {
  const auto camera = [&](const cv::Size& picture) {
    return cv::Matx33d(focal, 0.0, 0.5 * (picture.width - 1), 0.0, focal,
                       0.5 * (picture.height - 1), 0.0, 0.0, 1.0);
  };
  MadeClip seen;
  for (std::size_t k = 0; k < large.pictures.size(); ++k) {
    const Eigen::Vector2d angle = shift(large.times[k]) / focal;
    const double sx = std::sin(angle.x()), cx = std::cos(angle.x()), sy = std::sin(angle.y()),
                 cy = std::cos(angle.y());
    const cv::Matx33d pan(cx, 0.0, sx, 0.0, 1.0, 0.0, -sx, 0.0, cx);
    const cv::Matx33d tilt(1.0, 0.0, 0.0, 0.0, cy, sy, 0.0, -sy, cy);
    const cv::Matx33d large_from_seen =
        camera(large.pictures[k].size()) * pan * tilt * camera(size).inv();
    cv::Mat picture;
    cv::warpPerspective(large.pictures[k], picture, large_from_seen, size,
                        cv::INTER_CUBIC | cv::WARP_INVERSE_MAP);
    seen.times.push_back(large.times[k]);
    seen.pictures.push_back(picture);
  }
  return seen;
}

}  // namespace percuss::testing
