// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/quality/view_reports.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace percuss::calibration {
namespace {

// "2 of 54 corners rejected in the left image (corner (3, 1) is off by 1.42 px, ...)"; empty if
// none.
std::string DescribeRejected(const Bundle& bundle, const TargetView& view, int camera,
                             const std::string& name, int columns) {
  constexpr std::size_t kNamed = 4;
  const TargetImage& image = view.images[camera];
  const std::vector<Eigen::Vector2d> residuals = Residuals(bundle, view, camera);
  std::vector<std::size_t> rejected;
  for (std::size_t k = 0; k < residuals.size(); ++k) {
    if (image.used[k] == 0 && image.pixels[k].allFinite()) rejected.push_back(k);
  }
  if (rejected.empty()) return "";
  std::sort(rejected.begin(), rejected.end(), [&](std::size_t a, std::size_t b) {
    return residuals[a].norm() > residuals[b].norm();
  });
  std::string details;
  for (std::size_t n = 0; n < std::min(kNamed, rejected.size()); ++n) {
    const int k = static_cast<int>(rejected[n]);
    details += fmt::format("{}corner ({}, {}) is off by {:.2f} px", n == 0 ? "" : ", ", k % columns,
                           k / columns, residuals[rejected[n]].norm());
  }
  if (rejected.size() > kNamed) details += fmt::format(", {} more", rejected.size() - kNamed);
  return fmt::format("{} of {} corners rejected in the {} image ({})", rejected.size(),
                     CountMeasured(image), name, details);
}

}  // namespace

std::vector<ViewReport> StartReports(const capture::Experiment& experiment,
                                     const BoardImages& images) {
  std::vector<ViewReport> reports;
  for (const BoardView& view : images.views) {
    ViewReport report;
    for (const std::filesystem::path& file : view.files) {
      report.images.push_back({.file = file.empty() ? "" : NameInExperiment(experiment, file)});
    }
    report.reason = images.Reason(view);
    reports.push_back(std::move(report));
  }
  return reports;
}

std::string DescribeOutlier(const ImageSpread& spread, std::size_t view,
                            const std::vector<std::string>& cameras) {
  const double median_of_sigma = std::sqrt(2.0 * std::log(2.0));
  std::string distances;
  for (std::size_t c = 0; c < cameras.size(); ++c) {
    if (std::isnan(spread.sigma_px[view][c])) continue;
    distances +=
        fmt::format("{:.2f} px {}, ", spread.sigma_px[view][c] * median_of_sigma, cameras[c]);
  }
  return fmt::format(
      "does not fit the other views: median distance {}usual is {:.2f} px (did the board or a "
      "camera move between the shots?)",
      distances, spread.median_px * median_of_sigma);
}

void ReportViews(const Bundle& bundle, const std::vector<std::size_t>& places,
                 const std::vector<std::string>& cameras, int columns,
                 std::vector<ViewReport>* reports) {
  for (std::size_t v = 0; v < bundle.views.size(); ++v) {
    ViewReport& report = (*reports)[places[v]];
    report.used = true;
    for (std::size_t c = 0; c < cameras.size(); ++c) {
      const int camera = static_cast<int>(c);
      const TargetImage& image = bundle.views[v].images[c];
      if (image.pixels.empty()) continue;
      report.images[c].num_measured = CountMeasured(image);
      report.images[c].num_used = CountUsed(image);
      report.images[c].rms_px = UsedDistances(bundle, bundle.views[v], camera).Rms();
      const std::string text =
          DescribeRejected(bundle, bundle.views[v], camera, cameras[c], columns);
      if (!text.empty()) report.reason += (report.reason.empty() ? "" : "; ") + text;
    }
  }
}

void PlaceBoards(const Bundle& bundle, const std::vector<std::size_t>& places,
                 const Pose& world_from_first, std::vector<ViewReport>* reports) {
  Eigen::Vector3d low = bundle.board.front(), high = low;
  for (const Eigen::Vector3d& point : bundle.board) {
    low = low.cwiseMin(point);
    high = high.cwiseMax(point);
  }
  low *= bundle.shape.scale;
  high *= bundle.shape.scale;
  for (std::size_t v = 0; v < bundle.views.size(); ++v) {
    const Pose world_from_board = world_from_first * bundle.views[v].board_from_first.Inverse();
    (*reports)[places[v]].board = {
        world_from_board * low, world_from_board * Eigen::Vector3d(high.x(), low.y(), low.z()),
        world_from_board * high, world_from_board * Eigen::Vector3d(low.x(), high.y(), low.z())};
  }
}

}  // namespace percuss::calibration
