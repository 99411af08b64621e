// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/thesis/thesis_comparison.h"

#include <fmt/core.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <numbers>

#include "calibration/bundle/outliers.h"
#include "calibration/thesis/thesis_chain.h"
#include "calibration/thesis/thesis_stereo.h"

namespace percuss::calibration {
namespace {

thesis::View ViewOf(const TargetImage& image, std::size_t num_points) {
  const Eigen::Vector2d unseen =
      Eigen::Vector2d::Constant(std::numeric_limits<double>::quiet_NaN());
  thesis::View view(num_points, unseen);
  for (std::size_t k = 0; k < image.pixels.size(); ++k) {
    if (image.used[k] != 0) view[k] = image.pixels[k];
  }
  return view;
}

thesis::Calibration CalibrateOne(const Bundle& bundle, std::size_t camera) {
  thesis::Target target;
  for (const Eigen::Vector3d& p : bundle.board) target.emplace_back(p.head<2>());
  std::vector<thesis::View> views;
  for (const TargetView& view : bundle.views) {
    views.push_back(ViewOf(view.images[camera], target.size()));
  }
  return thesis::Calibrate(target, views,
                           {bundle.cameras[camera].width, bundle.cameras[camera].height},
                           {.skew = false});
}

double MeanError(const Bundle& bundle, std::size_t camera) {
  double sum = 0.0;
  int count = 0;
  for (const TargetView& view : bundle.views) {
    const std::vector<Eigen::Vector2d> residuals =
        Residuals(bundle, view, static_cast<int>(camera));
    for (std::size_t k = 0; k < residuals.size(); ++k) {
      if (view.images[camera].used[k] == 0) continue;
      sum += residuals[k].norm();
      ++count;
    }
  }
  return sum / count;
}

void AddCamera(const std::string& name, const thesis::Calibration& calibration,
               const Camera& camera, double joint_error_px, ThesisComparison* comparison) {
  const thesis::Intrinsics& t = calibration.intrinsics;
  const auto& c = camera.intrinsics;
  const auto add = [&](const char* quantity, double by_thesis, double joint) {
    comparison->rows.push_back({fmt::format("{} {}", name, quantity), by_thesis, joint});
  };
  add("f_x [px]", t.f_x, c[0]);
  add("f_y [px]", t.f_y, c[1]);
  add("c_x [px]", t.c_x, c[2]);
  add("c_y [px]", t.c_y, c[3]);
  add("k1", t.k1, c[4]);
  add("k2", t.k2, c[5]);
  add("mean error [px]", calibration.overall_mean_error_px, joint_error_px);
}

void AddPair(const RigCalibration& rig, std::size_t second, const thesis::Pose& relative,
             double spread, ThesisComparison* comparison) {
  const Pose& joint = rig.cameras[second].from_first;
  const std::string pair =
      fmt::format("{} to {}", rig.cameras.front().name, rig.cameras[second].name);
  const auto degrees = [](const Eigen::Matrix3d& R) {
    return std::abs(Eigen::AngleAxisd(R).angle()) * 180.0 / std::numbers::pi;
  };
  comparison->rows.push_back(
      {pair + " baseline [mm]", 1e3 * relative.t.norm(), 1e3 * joint.t.norm()});
  comparison->rows.push_back({pair + " angle [deg]", degrees(relative.R), degrees(joint.R)});
  comparison->rows.push_back({pair + " spread over the views [mm]", 1e3 * spread, 0.0});
}

}  // namespace

ThesisComparison CompareWithThesis(const Bundle& bundle, const RigCalibration& rig) {
  ThesisComparison comparison;
  std::vector<thesis::Calibration> calibrations;
  for (std::size_t c = 0; c < bundle.cameras.size(); ++c) {
    const std::string& name = rig.cameras[c].name;
    if (bundle.cameras[c].lens == LensModel::kFisheye) {
      comparison.reason = fmt::format("the lens of the {} camera is a fisheye", name);
      return comparison;
    }
    calibrations.push_back(CalibrateOne(bundle, c));
    if (!calibrations.back().reason.empty()) {
      comparison.reason = fmt::format("{} camera: {}", name, calibrations.back().reason);
      comparison.rows.clear();
      return comparison;
    }
    AddCamera(name, calibrations.back(), bundle.cameras[c], MeanError(bundle, c), &comparison);
    comparison.tables += thesis::CameraTable(
        name, {calibrations.back().intrinsics, calibrations.back().poses.back()});
  }
  for (std::size_t c = 1; c < bundle.cameras.size(); ++c) {
    const thesis::RelativePoses relative =
        thesis::RelativePosesOfViews(calibrations[0].poses, calibrations[c].poses);
    AddPair(rig, c, relative.mean, relative.translation_spread, &comparison);
    comparison.tables += thesis::StereoTable(
        {calibrations[0].intrinsics, calibrations[c].intrinsics},
        {calibrations[0].overall_mean_error_px, calibrations[c].overall_mean_error_px},
        relative.mean);
  }
  return comparison;
}

}  // namespace percuss::calibration
