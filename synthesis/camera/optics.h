// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>
#include <vector>

// Cameras of the synthetic experiments. Written apart from calibration/rig/camera.h, from the
// formulas alone, so that an error in one of the two shows.
namespace percuss::synthesis {

/// A camera with Brown's lens (D. C. Brown, Close-range camera calibration, 1971; terms as OpenCV
/// orders them). Camera axes: x right, y down, z forward; pixel (0, 0) is the centre of the
/// top-left pixel. With x = X/Z, y = Y/Z, r^2 = x^2 + y^2:
///     x_d = x (1 + k1 r^2 + k2 r^4 + k3 r^6) + 2 p1 x y + p2 (r^2 + 2 x^2)
///     y_d = y (1 + k1 r^2 + k2 r^4 + k3 r^6) + p1 (r^2 + 2 y^2) + 2 p2 x y
///     u = fx x_d + cx,  v = fy y_d + cy
struct Camera {
  int width = 0;
  int height = 0;
  double fx = 0.0, fy = 0.0, cx = 0.0, cy = 0.0;            ///< [px]
  double k1 = 0.0, k2 = 0.0, p1 = 0.0, p2 = 0.0, k3 = 0.0;  ///< as OpenCV orders them
  Eigen::Matrix3d R_CW = Eigen::Matrix3d::Identity();       ///< p_C = R_CW p_W + t_CW
  Eigen::Vector3d t_CW = Eigen::Vector3d::Zero();           ///< [m]

  Eigen::Vector3d Position() const { return -R_CW.transpose() * t_CW; }  ///< in W [m]
};

/// The same camera with each pixel divided into fineness x fineness ones.
Camera WithFinerPixels(Camera camera, int fineness);

/// The camera turned about its centre by a rotation vector in its axes [rad].
Camera Turned(Camera camera, const Eigen::Vector3d& rotation);

/// Rotation of a camera at `position` that looks at `target` (both in W), its x axis level in W and
/// then turned by `roll` [rad] about its z axis.
/// @throws std::invalid_argument if it looks straight up or down, or at itself.
Eigen::Matrix3d LookAt(const Eigen::Vector3d& position, const Eigen::Vector3d& target, double roll);

/// (x_d, y_d) of (x, y).
Eigen::Vector2d Distort(const Camera& camera, const Eigen::Vector2d& ray);

/// Pixel of a point in camera axes. Nothing behind the camera, or so far aside that the lens
/// polynomial folds back.
std::optional<Eigen::Vector2d> ProjectInCamera(const Camera& camera, const Eigen::Vector3d& p_C);
std::optional<Eigen::Vector2d> Project(const Camera& camera, const Eigen::Vector3d& p_W);

/// The ray (x, y) whose image is a pixel: Newton's method on Distort, to 1e-13. Nothing if there is
/// none near the axis.
std::optional<Eigen::Vector2d> RayOf(const Camera& camera, const Eigen::Vector2d& pixel);

/// Whether a pixel lies in the image, at least `margin` [px] from its outermost pixel centres.
bool InImage(const Camera& camera, const Eigen::Vector2d& pixel, double margin = 0.0);

/// Rays through the corners of all pixels; inside a pixel they are interpolated bilinearly, which
/// is off by less than 1e-3 px for lenses of ordinary distortion.
class PixelRays {
 public:
  /// @throws std::invalid_argument if a pixel has no ray.
  explicit PixelRays(const Camera& camera);
  /// Ray of the top-left corner of pixel (x, y), x from 0 to width, y from 0 to height.
  const Eigen::Vector2d& Corner(int x, int y) const {
    return corners_[static_cast<std::size_t>(y) * static_cast<std::size_t>(stride_) +
                    static_cast<std::size_t>(x)];
  }

 private:
  int stride_ = 0;
  std::vector<Eigen::Vector2d> corners_;
};

}  // namespace percuss::synthesis
