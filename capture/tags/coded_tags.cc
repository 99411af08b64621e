// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/tags/coded_tags.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <opencv2/aruco.hpp>
#include <opencv2/core.hpp>
#include <stdexcept>

namespace percuss::capture {
namespace {

namespace aruco = cv::aruco;

cv::Ptr<aruco::Dictionary> DictionaryNamed(const std::string& dictionary) {
  static const std::map<std::string, aruco::PREDEFINED_DICTIONARY_NAME> kNames = {
      {"DICT_4X4_50", aruco::DICT_4X4_50},
      {"DICT_4X4_100", aruco::DICT_4X4_100},
      {"DICT_4X4_250", aruco::DICT_4X4_250},
      {"DICT_4X4_1000", aruco::DICT_4X4_1000},
      {"DICT_5X5_50", aruco::DICT_5X5_50},
      {"DICT_5X5_100", aruco::DICT_5X5_100},
      {"DICT_5X5_250", aruco::DICT_5X5_250},
      {"DICT_5X5_1000", aruco::DICT_5X5_1000},
      {"DICT_6X6_50", aruco::DICT_6X6_50},
      {"DICT_6X6_100", aruco::DICT_6X6_100},
      {"DICT_6X6_250", aruco::DICT_6X6_250},
      {"DICT_6X6_1000", aruco::DICT_6X6_1000},
      {"DICT_7X7_50", aruco::DICT_7X7_50},
      {"DICT_7X7_100", aruco::DICT_7X7_100},
      {"DICT_7X7_250", aruco::DICT_7X7_250},
      {"DICT_7X7_1000", aruco::DICT_7X7_1000},
      {"DICT_ARUCO_ORIGINAL", aruco::DICT_ARUCO_ORIGINAL},
      {"DICT_APRILTAG_16h5", aruco::DICT_APRILTAG_16h5},
      {"DICT_APRILTAG_25h9", aruco::DICT_APRILTAG_25h9},
      {"DICT_APRILTAG_36h10", aruco::DICT_APRILTAG_36h10},
      {"DICT_APRILTAG_36h11", aruco::DICT_APRILTAG_36h11}};
  const auto name = kNames.find(dictionary);
  if (name == kNames.end()) {
    throw std::invalid_argument(
        fmt::format("dictionary {}, needed is one of OpenCV's, such as DICT_5X5_100", dictionary));
  }
  return aruco::getPredefinedDictionary(name->second);
}

}  // namespace

TagReading ReadTags(const cv::Mat& grey, const std::string& dictionary) {
  constexpr double kLeastPerimeter = 48.0;  // [px]
  auto parameters = aruco::DetectorParameters::create();
  parameters->minMarkerPerimeterRate = std::min(parameters->minMarkerPerimeterRate,
                                                kLeastPerimeter / std::max(grey.cols, grey.rows));
  // Of small or blurred tags twice as many are read.
  parameters->errorCorrectionRate = 1.0;
  parameters->perspectiveRemovePixelPerCell = 8;
  parameters->perspectiveRemoveIgnoredMarginPerCell = 0.25;
  std::vector<std::vector<cv::Point2f>> corners, rejected;
  std::vector<int> ids;
  aruco::detectMarkers(grey, DictionaryNamed(dictionary), corners, ids, parameters, rejected);
  TagReading reading;
  reading.num_rejected = static_cast<int>(rejected.size());
  for (std::size_t k = 0; k < ids.size(); ++k) {
    SeenTag tag{.id = ids[k], .corners = {}};
    for (std::size_t c = 0; c < 4; ++c) tag.corners[c] = {corners[k][c].x, corners[k][c].y};
    reading.tags.push_back(tag);
  }
  return reading;
}

Eigen::MatrixXd TagCells(const std::string& dictionary, int id) {
  const cv::Ptr<aruco::Dictionary> tags = DictionaryNamed(dictionary);
  if (id < 0 || id >= tags->bytesList.rows) {
    throw std::invalid_argument(
        fmt::format("tag {} of {}, allowed are 0 to {}", id, dictionary, tags->bytesList.rows - 1));
  }
  const int cells = tags->markerSize + 2;
  cv::Mat picture;
  tags->drawMarker(id, cells, picture, 1);
  Eigen::MatrixXd result(cells, cells);
  for (int row = 0; row < cells; ++row) {
    for (int column = 0; column < cells; ++column)
      result(row, column) = picture.at<unsigned char>(row, column) > 127 ? 1.0 : 0.0;
  }
  return result;
}

}  // namespace percuss::capture
