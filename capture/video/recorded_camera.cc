// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/video/recorded_camera.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <opencv2/core.hpp>
#include <string_view>

namespace percuss::capture {
namespace {

std::string Lowered(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return text;
}

// What a file says, to be shown: one line of ASCII.
std::string Shown(std::string_view text) {
  constexpr std::size_t kMost = 80;
  std::string shown(text.substr(0, kMost));
  std::ranges::replace_if(
      shown, [](char c) { return c < ' ' || c > '~'; }, '?');
  return shown;
}

// A number, and its unit or nothing after it.
std::optional<double> NumberOf(std::string_view text, std::string_view unit) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return {};
  std::string_view rest(end, text.data() + text.size());
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  if (!rest.empty() && rest != unit) return {};
  return value;
}

struct Sense {
  double least, most;
  std::string_view unit;
  const char* option;  // that states it by hand
};

void Take(const std::pair<std::string, std::string>& key, const Sense& sense,
          std::optional<double>* value, std::vector<std::string>* warnings) {
  const std::optional<double> number = NumberOf(key.second, sense.unit);
  if (number && *number >= sense.least && *number <= sense.most) {
    if (!*value) *value = number;
    return;
  }
  warnings->push_back(fmt::format(
      "{}: found {} in the file, allowed {:g} to {:g} {}: not used, {} states it by hand",
      Shown(key.first), Shown(key.second), sense.least, sense.most, sense.unit, sense.option));
}

}  // namespace

PictureTurn TurnOf(const std::array<std::int32_t, 9>& matrix) {
  double a = matrix[0], b = matrix[1];
  const double c = matrix[3], d = matrix[4];
  const double determinant = a * d - b * c;
  if (determinant == 0.0) return {};
  PictureTurn turn{.stated = true, .mirrored = determinant < 0.0};
  if (turn.mirrored) {
    a = -a;
    b = -b;
  }
  const long quarters = std::lround(std::atan2(b - c, a + d) / (0.5 * std::numbers::pi));
  turn.quarters = static_cast<int>((quarters + 4) % 4);
  return turn;
}

cv::Mat Upright(const cv::Mat& stored, const PictureTurn& turn) {
  cv::Mat picture = stored;
  if (turn.mirrored) {
    cv::Mat mirrored;
    cv::flip(picture, mirrored, 1);
    picture = mirrored;
  }
  if (turn.quarters == 0) return picture;
  cv::Mat turned;
  cv::rotate(picture, turned,
             turn.quarters == 1   ? cv::ROTATE_90_CLOCKWISE
             : turn.quarters == 2 ? cv::ROTATE_180
                                  : cv::ROTATE_90_COUNTERCLOCKWISE);
  return turned;
}

Eigen::Vector2d RowDirection(const PictureTurn& turn) {
  // Down, then clockwise: to the left, up, to the right. Mirroring leaves it.
  switch (turn.quarters) {
    case 1:
      return -Eigen::Vector2d::UnitX();
    case 2:
      return -Eigen::Vector2d::UnitY();
    case 3:
      return Eigen::Vector2d::UnitX();
    default:
      return Eigen::Vector2d::UnitY();
  }
}

RecordedCamera CameraOf(const MetadataKeys& keys) {
  RecordedCamera camera;
  std::string maker, model;
  for (const auto& key : keys) {
    const std::string name = Lowered(key.first);
    const auto has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
    if (has("focal") && has("35mm"))
      Take(key, {5.0, 2000.0, "mm", "--focal-35mm"}, &camera.focal_35mm, &camera.warnings);
    if (name == "com.android.capture.fps")
      Take(key, {0.01, 1e6, "Hz", "--fps"}, &camera.capture_rate, &camera.warnings);
    if (name == "make" || name.ends_with(".make") || name.ends_with(".manufacturer"))
      maker = key.second;
    if (name == "model" || name.ends_with("quicktime.model") || name.ends_with("android.model"))
      model = key.second;
  }
  const std::string gap = maker.empty() || model.empty() ? "" : " ";
  camera.model = Shown(model.starts_with(maker) ? model : maker + gap + model);
  return camera;
}

}  // namespace percuss::capture
