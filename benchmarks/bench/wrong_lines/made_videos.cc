// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/bench/wrong_lines/made_videos.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "capture/video/video.h"
#include "capture/video/video_writer.h"

namespace percuss::benchmarks {
namespace {

namespace fs = std::filesystem;

nlohmann::json TruthOf(const fs::path& data) {
  return nlohmann::json::parse(std::ifstream(data / "truth.json"));
}

/// Where each pixel of the turned camera's picture was in that of the other.
cv::Mat Sources(const calibration::Camera& camera, const Eigen::Vector3d& turn) {
  const Eigen::Matrix3d R = calibration::RotationFromVector(turn);
  cv::Mat map(camera.height, camera.width, CV_32FC2);
  for (int y = 0; y < camera.height; ++y) {
    for (int x = 0; x < camera.width; ++x) {
      const Eigen::Vector2d ray = calibration::Unproject(camera, {x, y});
      const Eigen::Vector2d pixel = calibration::Project(camera, R * ray.homogeneous());
      map.at<cv::Vec2f>(y, x) = {static_cast<float>(pixel.x()), static_cast<float>(pixel.y())};
    }
  }
  return map;
}

void ChangeVideo(const fs::path& from, const fs::path& to,
                 const std::function<cv::Mat(int, const cv::Mat&)>& change) {
  capture::VideoReader reader(from);
  constexpr int kFine = 10;  // as good as lossless beside the noise
  capture::VideoWriter writer(to, reader.FrameSize(), reader.FrameRate(), kFine);
  while (const auto frame = reader.Next()) writer.Write(change(frame->index, frame->luma));
  writer.Finish();
}

}  // namespace

calibration::Camera CameraOf(const fs::path& data, const std::string& side) {
  const nlohmann::json truth = TruthOf(data), lens = truth.at("cameras").at(side);
  calibration::Camera camera{.width = truth.at("image_size").at(0),
                             .height = truth.at("image_size").at(1)};
  int place = 0;
  for (const char* name : {"fx", "fy", "cx", "cy", "k1", "k2", "p1", "p2", "k3"})
    camera.intrinsics[place++] = lens.at(name);
  return camera;
}

void TurnPicture(const fs::path& from, const calibration::Camera& camera,
                 const Eigen::Vector3d& turn, const fs::path& to) {
  cv::Mat turned;
  cv::remap(cv::imread(from.string(), cv::IMREAD_GRAYSCALE), turned, Sources(camera, turn), {},
            cv::INTER_CUBIC, cv::BORDER_REPLICATE);
  cv::imwrite(to.string(), turned);
}

void TurnVideo(const fs::path& from, const calibration::Camera& camera, const Eigen::Vector3d& turn,
               const fs::path& to) {
  const cv::Mat map = Sources(camera, turn);
  ChangeVideo(from, to, [&](int, const cv::Mat& luma) {
    cv::Mat turned;
    cv::remap(luma, turned, map, {}, cv::INTER_CUBIC, cv::BORDER_REPLICATE);
    return turned;
  });
}

void TakeMarkerOff(const fs::path& data, const std::string& trial, const std::string& side,
                   const std::string& marker, int first, const fs::path& to) {
  const nlohmann::json truth = TruthOf(data);
  const nlohmann::json frames = truth.at("trials").at(trial).at("cameras").at(side).at("frames");
  const double focal = truth.at("cameras").at(side).at("fx");
  const double diameter = truth.at("body").at("marker_diameter");
  ChangeVideo(data / "trials" / trial / (side + ".mp4"), to, [&](int index, const cv::Mat& luma) {
    const nlohmann::json& frame = frames.at(index);
    if (index < first || !frame.at("visible").at(marker).get<bool>()) return luma;
    const std::vector<double> p = frame.at("markers_px").at(marker);
    const double nearest = 0.7;  // [m] from the cameras: a disc that is large enough everywhere
    const int radius = static_cast<int>(std::ceil(0.5 * diameter * focal / nearest + 3.0));
    // The body is the darkest there is about a marker.
    const cv::Rect around =
        cv::Rect(static_cast<int>(p[0]) - radius, static_cast<int>(p[1]) - radius, 2 * radius + 1,
                 2 * radius + 1) &
        cv::Rect(0, 0, luma.cols, luma.rows);
    std::vector<unsigned char> levels;
    for (int y = around.y; y < around.br().y; ++y)
      for (int x = around.x; x < around.br().x; ++x) levels.push_back(luma.at<unsigned char>(y, x));
    std::ranges::sort(levels);
    if (levels.empty()) return luma;
    cv::Mat without = luma.clone();
    cv::circle(without,
               cv::Point(static_cast<int>(std::lround(p[0])), static_cast<int>(std::lround(p[1]))),
               radius - 2, cv::Scalar(levels[levels.size() / 10]), cv::FILLED, cv::LINE_AA);
    return without;
  });
}

}  // namespace percuss::benchmarks
