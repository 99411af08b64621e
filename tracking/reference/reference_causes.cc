// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/reference/reference_causes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "base/math/geometry.h"
#include "base/math/statistics.h"

namespace percuss::tracking {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

/// What was found, and what to do.
struct Cause {
  std::string found, advice;
};

class Explainer {
 public:
  Explainer(std::span<const capture::ReferencePoint> points, const calibration::RigCalibration& rig,
            const PictureResiduals& pictures)
      : points_(points), rig_(rig), pictures_(pictures), root_(pictures.covariance) {}

  std::optional<Cause> TurnedCamera(std::size_t camera) const {
    const std::vector<std::size_t> sights =
        SightsOf([&](const SeenPoint& seen) { return seen.camera == camera; });
    if (sights.empty()) return {};
    const bool several = sights.size() > 1;
    // A turn about the way to a single point does not show.
    MatrixXd A = MatrixXd::Zero(pictures_.residual.size(), several ? 3 : 2);
    std::vector<std::string> names;
    const calibration::Pose X_CW = rig_.CameraFromWorld(camera);
    for (const std::size_t k : sights) {
      const capture::ReferencePoint& point = points_[pictures_.seen[k].point];
      const Vector3d p_C = X_CW * point.p_W;
      const Eigen::Matrix<double, 2, 3> by_turn =
          pictures_.seen[k].by_point * X_CW.R.transpose() * -Skew(p_C);
      A.middleRows<2>(2 * k) = by_turn.leftCols(A.cols());
      names.push_back(point.name);
    }
    const std::optional<VectorXd> x = Fit(A);
    if (!x) return {};
    const double shift_px = std::sqrt((A * *x).squaredNorm() / static_cast<double>(sights.size()));
    return Cause{
        fmt::format("{} camera looks elsewhere than at calibration: reference {} {} {} off by "
                    "{:.1f} px, as if it had been turned by {:.2f} degrees",
                    rig_.cameras[camera].name, several ? "points" : "point", fmt::join(names, ", "),
                    several ? "are" : "is", shift_px, x->norm() * 180.0 / std::numbers::pi),
        "calibrate again as the cameras stand now, or leave this trial out"};
  }

  std::optional<Cause> MisplacedPoint(std::size_t point) const {
    const std::vector<std::size_t> sights =
        SightsOf([&](const SeenPoint& seen) { return seen.point == point; });
    if (sights.empty()) return {};
    // One picture does not show how far away a point is.
    const bool in_space = sights.size() > 1;
    MatrixXd A = MatrixXd::Zero(pictures_.residual.size(), in_space ? 3 : 2);
    for (const std::size_t k : sights) {
      if (in_space) {
        A.middleRows<2>(2 * k) = pictures_.seen[k].by_point;
      } else {
        A.middleRows<2>(2 * k).setIdentity();
      }
    }
    const std::optional<VectorXd> x = Fit(A);
    if (!x) return {};
    const std::string& name = points_[point].name;
    return Cause{in_space ? fmt::format("reference point {} lies {:.1f} mm from where it is stated",
                                        name, 1e3 * x->norm())
                          : fmt::format("reference point {} is seen {:.1f} px from where it should "
                                        "be",
                                        name, x->norm()),
                 fmt::format("measure it again (reference_points.{})", name)};
  }

 private:
  std::vector<std::size_t> SightsOf(const auto& belongs) const {
    std::vector<std::size_t> sights;
    for (std::size_t k = 0; k < pictures_.seen.size(); ++k) {
      if (belongs(pictures_.seen[k])) sights.push_back(k);
    }
    return sights;
  }

  /// The x of residual = A x + what chance gives; nothing if more is left than chance gives.
  std::optional<VectorXd> Fit(const MatrixXd& A) const {
    const MatrixXd white = root_.matrixL().solve(A);
    const VectorXd r = root_.matrixL().solve(pictures_.residual);
    const VectorXd x = (white.transpose() * white).ldlt().solve(white.transpose() * r);
    const auto dof = static_cast<int>(A.rows() - A.cols());
    if (ChiSquareSurvival((r - white * x).squaredNorm(), dof) < kReferenceChance) return {};
    return x;
  }

  std::span<const capture::ReferencePoint> points_;
  const calibration::RigCalibration& rig_;
  const PictureResiduals& pictures_;
  Eigen::LLT<MatrixXd> root_;
};

}  // namespace

std::string ExplainResiduals(std::span<const capture::ReferencePoint> points,
                             const calibration::RigCalibration& rig,
                             const PictureResiduals& pictures, double p) {
  const Explainer explainer(points, rig, pictures);
  std::vector<std::string> found, advice;
  const auto add = [&](const std::optional<Cause>& cause) {
    if (!cause) return;
    found.push_back(cause->found);
    if (std::ranges::find(advice, cause->advice) == advice.end()) advice.push_back(cause->advice);
  };
  for (std::size_t camera = 0; camera < rig.cameras.size(); ++camera)
    add(explainer.TurnedCamera(camera));
  for (std::size_t i = 0; i < points.size(); ++i) add(explainer.MisplacedPoint(i));
  const std::string chance = p < 1e-99 ? "p < 1e-99" : fmt::format("p = {:.0e}", p);
  if (found.empty()) {
    return fmt::format(
        "reference points are off by {:.1f} px ({}), and neither one camera that turned "
        "nor one point that lies elsewhere explains it: check from where they were measured, and "
        "whether both cameras or the surface were moved since calibration",
        std::sqrt(pictures.residual.squaredNorm() / static_cast<double>(pictures.seen.size())),
        chance);
  }
  return fmt::format("{} ({}): {}", fmt::join(found, "; or "), chance, fmt::join(advice, "; or "));
}

}  // namespace percuss::tracking
