// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/reference/reference_check.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/math/statistics.h"
#include "calibration/rig/parameter_derivatives.h"
#include "calibration/rig/view.h"
#include "tracking/reference/reference_causes.h"
#include "tracking/spots/stereo_spots.h"

namespace percuss::tracking {
namespace {

using Eigen::Matrix2d;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;

/// A point in the picture of a camera as it should be.
struct Expected {
  Vector2d pixel;
  Eigen::Matrix<double, 2, 3> by_point;
  Eigen::Matrix<double, 2, Eigen::Dynamic> by_rig;
  Matrix2d covariance;   ///< of what is stated and of the way a disc may face [px^2]
  double face_on = 0.0;  ///< area of the disc [px^2]
};

/// What all steps of the check share.
class Check {
 public:
  Check(std::span<const capture::ReferencePoint> points, const calibration::RigCalibration& rig,
        const MatrixXd& rig_covariance)
      : points_(points), rig_(rig), rig_covariance_(rig_covariance), views_(ViewsOf(rig)) {}

  ReferenceCheck Run(std::span<const std::vector<StillSpot>> still) {
    for (const capture::ReferencePoint& point : points_) {
      result_.points.push_back(
          {.name = point.name, .sights = std::vector<ReferenceSight>(views_.size())});
    }
    for (std::size_t camera = 0; camera < views_.size(); ++camera) Match(camera, still[camera]);
    FillCovariance();
    CompareAll();
    for (std::size_t i = 0; i < points_.size(); ++i) ComparePlace(i);
    for (const ReferencePlace& place : result_.points) {
      for (const ReferenceSight& sight : place.sights) {
        if (!sight.reason.empty())
          result_.warnings.push_back(
              fmt::format("reference point {}: {}", place.name, sight.reason));
      }
    }
    if (result_.p < kReferenceChance) {
      PictureResiduals pictures{.seen = {}, .residual = residual_, .covariance = covariance_};
      for (const Seen& seen : seen_)
        pictures.seen.push_back({seen.point, seen.camera, seen.expected.by_point});
      result_.finding = ExplainResiduals(points_, rig_, pictures, result_.p);
      result_.warnings.push_back(result_.finding);
    }
    return std::move(result_);
  }

 private:
  /// One sight that was found; its residual is in rows 2 k and 2 k + 1.
  struct Seen {
    std::size_t point, camera;
    Expected expected;
    Matrix2d pixel_covariance;
  };

  std::string CameraName(std::size_t camera) const { return rig_.cameras[camera].name; }

  std::optional<Expected> Expect(std::size_t point, std::size_t camera) const {
    const capture::ReferencePoint& stated = points_[point];
    if (!calibration::Sees(rig_, camera, stated.p_W)) return {};
    const auto projected = ProjectPoint(views_[camera], stated.p_W);
    const double depth = (views_[camera].camera_from_world * stated.p_W).z();
    const double radius = 0.5 * stated.diameter;
    const double facing =
        views_[camera].camera.intrinsics[0] * radius * radius / (2.0 * depth * depth);
    Expected expected{projected->pixel,
                      projected->by_point,
                      calibration::PixelByParameters(rig_, camera, stated.p_W),
                      {},
                      FaceOnArea(views_[camera], stated.p_W, stated.diameter)};
    expected.covariance =
        stated.sigma * stated.sigma * expected.by_point * expected.by_point.transpose() +
        facing * facing / 3.0 * Matrix2d::Identity();
    return expected;
  }

  void Match(std::size_t camera, const std::vector<StillSpot>& still) {
    std::vector<std::optional<Expected>> expected;
    std::vector<double> gates;
    std::vector<std::tuple<double, std::size_t, std::size_t>> pairs;  // distance, point, spot
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const auto& here = expected.emplace_back(Expect(i, camera));
      gates.push_back(0.02 * views_[camera].camera.width);
      if (!here) continue;
      const Matrix2d covariance =
          here->covariance + here->by_rig * rig_covariance_ * here->by_rig.transpose();
      gates.back() = std::max(gates.back(), 4.0 * std::sqrt(covariance.trace()));
      for (std::size_t k = 0; k < still.size(); ++k) {
        const double distance = (still[k].pixel - here->pixel).norm();
        const double share = still[k].area / here->face_on;
        if (distance < gates.back() && share > 0.1 && share < 2.5)
          pairs.emplace_back(distance, i, k);
      }
    }
    std::ranges::sort(pairs);
    std::vector<const StillSpot*> spot_of(points_.size(), nullptr);
    std::vector<bool> taken(still.size(), false);
    for (const auto& [distance, i, k] : pairs) {
      if (spot_of[i] || taken[k]) continue;
      taken[k] = true;
      spot_of[i] = &still[k];
    }
    for (std::size_t i = 0; i < points_.size(); ++i) {
      ReferenceSight& sight = result_.points[i].sights[camera];
      if (const StillSpot* spot = spot_of[i]) {
        sight.pixel = spot->pixel;
        sight.residual = spot->pixel - expected[i]->pixel;
        sight.frames = spot->frames;
        seen_.push_back({i, camera, *expected[i], spot->covariance});
        continue;
      }
      sight.reason =
          expected[i] ? fmt::format(
                            "no spot of its size stands still within {:.0f} px of where the {} "
                            "camera should see it: check its position, its diameter, and whether "
                            "something hides it or the camera was moved",
                            gates[i], CameraName(camera))
                      : fmt::format("the {} camera does not see this place: check its position",
                                    CameraName(camera));
    }
  }

  void FillCovariance() {
    const auto size = 2 * std::ssize(seen_);
    residual_.resize(size);
    covariance_.setZero(size, size);
    for (std::size_t a = 0; a < seen_.size(); ++a) {
      const Seen& one = seen_[a];
      residual_.segment<2>(2 * a) = result_.points[one.point].sights[one.camera].residual;
      const double sigma = points_[one.point].sigma;
      for (std::size_t b = 0; b < seen_.size(); ++b) {
        const Seen& other = seen_[b];
        Matrix2d block = one.expected.by_rig * rig_covariance_ * other.expected.by_rig.transpose();
        if (a == b) {
          block += one.expected.covariance + one.pixel_covariance;
        } else if (one.point == other.point) {
          block += sigma * sigma * one.expected.by_point * other.expected.by_point.transpose();
        }
        covariance_.block<2, 2>(2 * a, 2 * b) = block;
      }
      result_.points[one.point].sights[one.camera].sigma =
          covariance_.block<2, 2>(2 * a, 2 * a).diagonal().cwiseSqrt();
    }
  }

  void CompareAll() {
    for (std::size_t camera = 0; camera < views_.size(); ++camera) {
      CameraResiduals& own = result_.cameras.emplace_back();
      own.name = CameraName(camera);
      std::vector<int> rows;
      for (int a = 0; a < std::ssize(seen_); ++a) {
        if (seen_[a].camera != camera) continue;
        ++own.points;
        rows.insert(rows.end(), {2 * a, 2 * a + 1});
      }
      if (rows.empty()) continue;
      const VectorXd residual = residual_(rows);
      const MatrixXd covariance = covariance_(rows, rows);
      own.rms_px = std::sqrt(residual.squaredNorm() / own.points);
      own.chi2 = residual.dot(covariance.llt().solve(residual));
      own.p = ChiSquareSurvival(own.chi2, 2 * own.points);
    }
    result_.dof = static_cast<int>(residual_.size());
    if (result_.dof == 0) return;
    result_.chi2 = residual_.dot(covariance_.llt().solve(residual_));
    result_.p = ChiSquareSurvival(result_.chi2, result_.dof);
  }

  void ComparePlace(std::size_t i) {
    std::vector<const Seen*> seen;  // left before right
    for (const Seen& one : seen_) {
      if (one.point == i) seen.push_back(&one);
    }
    if (seen.size() != views_.size()) return;
    const auto pixel = [&](std::size_t camera) { return result_.points[i].sights[camera].pixel; };
    const bool one_camera = views_.size() == 1;
    const int axis = rig_.planar ? 1 : 2;  // what one camera takes from the stated place
    const capture::ReferencePoint& point = points_[i];
    std::vector<calibration::Sight> sights;
    for (std::size_t c = 0; c < views_.size(); ++c)
      sights.push_back({views_[c], pixel(c), seen[c]->pixel_covariance});
    std::optional<TriangulatedPoint> found =
        one_camera
            ? PointInPlane(views_[0], pixel(0), seen[0]->pixel_covariance, point.p_W[axis], axis)
            : calibration::Triangulate(sights);
    if (!found) return;
    const auto by_rig = calibration::PointByParameters(rig_, point.p_W);
    Matrix3d covariance = found->covariance + by_rig * rig_covariance_ * by_rig.transpose();
    if (one_camera) {
      // Whoever states a wrong y, or z, has the other two coordinates found elsewhere.
      const Eigen::Matrix<double, 2, 3> J = seen[0]->expected.by_point;
      Matrix2d by_place;
      by_place << J.col(0), J.col(3 - axis);
      const Vector2d slope = -by_place.inverse() * J.col(axis);
      Vector3d by_stated = Vector3d::Zero();
      by_stated[0] = slope.x();
      by_stated[3 - axis] = slope.y();
      covariance += point.sigma * point.sigma * by_stated * by_stated.transpose();
      found->p_W[axis] = kNaN;
    }
    const Matrix3d of_stated = point.sigma * point.sigma * Matrix3d::Identity();
    result_.points[i].in_world = ComparePlaces(point.p_W, of_stated, found->p_W, covariance);
    if (one_camera) return;
    const calibration::Pose& X_CW = views_[0].camera_from_world;
    result_.points[i].in_camera = ComparePlaces(X_CW * point.p_W, of_stated, X_CW * found->p_W,
                                                X_CW.R * covariance * X_CW.R.transpose());
  }

  std::span<const capture::ReferencePoint> points_;
  const calibration::RigCalibration& rig_;
  const MatrixXd& rig_covariance_;
  Views views_;
  ReferenceCheck result_;
  std::vector<Seen> seen_;  ///< by cameras
  VectorXd residual_;
  MatrixXd covariance_;
};

}  // namespace

ReferenceCheck CheckReferencePoints(std::span<const capture::ReferencePoint> points,
                                    const calibration::RigCalibration& rig,
                                    const MatrixXd& rig_covariance,
                                    std::span<const std::vector<StillSpot>> still) {
  return Check(points, rig, rig_covariance).Run(still);
}

}  // namespace percuss::tracking
