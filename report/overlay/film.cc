// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/overlay/film.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "base/text/json_text.h"

namespace percuss::report {
namespace {

constexpr int kPictureWidth = 240;  // of one view [px]
constexpr int kColumns = 6, kJpegQuality = 60;

}  // namespace

cv::Rect RegionOfFlights(const std::vector<FittedImpact>& impacts, const TrialPictures& body,
                         const calibration::View& view, const cv::Rect& place) {
  constexpr int kSteps = 8;
  constexpr double kSpace = 0.15;  // of the size
  constexpr double kLeast = 0.8;   // width over height
  Eigen::AlignedBox2d box;
  for (const FittedImpact& one : impacts) {
    for (int k = 0; k <= kSteps; ++k) {
      const Flight state = one.At(one.begin + (one.end - one.begin) * k / kSteps);
      for (const Eigen::Vector2d& pixel : OutlineInPicture(state, body, view)) box.extend(pixel);
    }
  }
  if (box.isEmpty()) return place;
  const double scale = static_cast<double>(place.height) / view.camera.height;
  const Eigen::Vector2d space = Eigen::Vector2d::Constant(kSpace * box.sizes().maxCoeff());
  const Eigen::Vector2d low = scale * (box.min() - space), high = scale * (box.max() + space);
  const double wider = std::max(0.0, 0.5 * (kLeast * (high - low).y() - (high - low).x()));
  const cv::Rect region(cv::Point(cvFloor(low.x() - wider), cvFloor(low.y())) + place.tl(),
                        cv::Point(cvCeil(high.x() + wider), cvCeil(high.y())) + place.tl());
  return (region & place).empty() ? place : region & place;
}

void AddPicture(double time, const cv::Mat& overlay, Film* film) {
  std::vector<cv::Mat> small;
  for (const cv::Rect& region : film->regions) {
    const double height = static_cast<double>(kPictureWidth) * region.height / region.width;
    cv::resize(overlay(region), small.emplace_back(),
               cv::Size(kPictureWidth, std::max(cvRound(height), 1)), 0, 0, cv::INTER_AREA);
  }
  film->times.push_back(time);
  cv::vconcat(small, film->pictures.emplace_back());
}

void WriteFilm(const Film& film, const Provenance& provenance,
               const std::filesystem::path& folder) {
  if (film.pictures.empty()) return;
  const cv::Size size = film.pictures.front().size();
  const int count = static_cast<int>(film.pictures.size());
  const int columns = std::min(kColumns, count), rows = (count + columns - 1) / columns;
  cv::Mat all = cv::Mat::zeros(rows * size.height, columns * size.width, CV_8UC3);
  for (int k = 0; k < count; ++k) {
    const cv::Rect place({k % columns * size.width, k / columns * size.height}, size);
    film.pictures[k].copyTo(all(place));
  }
  std::vector<uchar> bytes;
  cv::imencode(".jpg", all, bytes, {cv::IMWRITE_JPEG_QUALITY, kJpegQuality});
  WriteFileAtomically(folder / "film.jpg",
                      {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  nlohmann::ordered_json facts = JsonHead("percuss film 1", provenance);
  facts["columns"] = columns;
  facts["width"] = size.width;
  facts["height"] = size.height;
  facts["times"] = film.times;
  WriteFileAtomically(folder / "film.json", JsonText(facts, 1));
}

}  // namespace percuss::report
