// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <opencv2/core.hpp>
#include <vector>

#include "base/files/files.h"
#include "report/overlay/fitted_flights.h"

namespace percuss::report {

/// Small pictures of a trial, those of all views below each other, for a page that shows them in
/// step with the motion.
struct Film {
  std::vector<cv::Rect> regions{};  ///< of each view, what is shown of the overlay
  std::vector<double> times{};      ///< [s]
  std::vector<cv::Mat> pictures{};  ///< CV_8UC3, one per time, all of one size
};

inline constexpr int kMostFilmPictures = 24;

/// Where a view shows the body in its flights, with some space around; all of the view where there
/// are none. @param place of the view in the overlay
cv::Rect RegionOfFlights(const std::vector<FittedImpact>& impacts, const TrialPictures& body,
                         const calibration::View& view, const cv::Rect& place);

/// @param overlay CV_8UC3
void AddPicture(double time, const cv::Mat& overlay, Film* film);

/// All pictures beside each other in film.jpg, with film.json (docs/file-formats.md) in the same
/// folder. Nothing where there is no picture.
void WriteFilm(const Film& film, const Provenance& provenance, const std::filesystem::path& folder);

}  // namespace percuss::report
