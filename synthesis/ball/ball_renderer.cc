// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "synthesis/ball/ball_renderer.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace percuss::synthesis {
namespace {

using Eigen::Matrix2d;
using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

// Share of a unit square on the inner side of a straight edge: the middle of the square is
// `distance` inside, `normal` of any length.
double CoveredShare(double distance, const Vector2d& normal) {
  double a = std::abs(normal.x()), b = std::abs(normal.y());
  const double length = std::sqrt(a * a + b * b);
  if (a < b) std::swap(a, b);
  if (!(length > 0.0)) return distance > 0.0 ? 1.0 : 0.0;
  a /= length, b /= length;
  const double reach = 0.5 * (a + b), s = std::abs(distance);
  double share = 1.0;
  if (s < 0.5 * (a - b)) {
    share = 0.5 + s / a;
  } else if (s < reach) {
    share = 1.0 - (reach - s) * (reach - s) / (2.0 * a * b);
  }
  return distance > 0.0 ? share : 1.0 - share;
}

Vector3d InCamera(const Camera& camera, const Vector3d& p_W) {
  return camera.R_CW * p_W + camera.t_CW;
}

// Times over the exposure of a picture, first to last row; more of them than the ball turns.
std::vector<double> TimesOf(const BallScene& scene, int count) {
  const Shutter& shutter = scene.shutter;
  const int height = scene.camera.height;
  const double first = shutter.RowTime(0, height) - 0.5 * shutter.exposure;
  const double last = shutter.RowTime(height - 1, height) + 0.5 * shutter.exposure;
  std::vector<double> times;
  for (int k = 0; k < count; ++k) times.push_back(first + (last - first) * k / (count - 1));
  return times;
}

cv::Rect PartsAround(const BallScene& scene, const Vector2d& lowest, const Vector2d& highest) {
  const int f = scene.shutter.parts;
  const double width = scene.camera.width, height = scene.camera.height;
  if (!(lowest.x() < width && lowest.y() < height && highest.x() > -1.0 && highest.y() > -1.0))
    return {};
  const auto whole = [](double value, double most) {
    return static_cast<int>(std::clamp(std::floor(value), 0.0, most));
  };
  const cv::Point first(whole(lowest.x() - 1.0, width), whole(lowest.y() - 1.0, height));
  const cv::Point last(whole(highest.x() + 3.0, width), whole(highest.y() + 3.0, height));
  return {f * first.x, f * first.y, f * (last.x - first.x), f * (last.y - first.y)};
}

// How many instants make up the exposure: no further apart than the standard deviation s of the
// blur, which leaves exp(-2 pi^2) of the ripple.
int InstantCount(const BallScene& scene) {
  const BallSpec& spec = scene.spec;
  const double half = 0.5 * scene.shutter.exposure;
  double way = 0.0;
  Vector2d before = Vector2d::Zero();
  for (int k = 0; k < 3; ++k) {
    const BallState state = scene.motion.At(scene.shutter.time + (k - 1) * half);
    const Vector3d p_C = InCamera(scene.camera, state.p);
    const Vector2d pixel = ProjectInCamera(scene.camera, p_C).value_or(Vector2d::Zero());
    if (k > 0) way += (pixel - before).norm();
    before = pixel;
    if (k == 1 && scene.pattern.Any() && p_C.z() > 0.0)
      way += state.w.norm() * spec.radius * 2.0 * half * scene.camera.fx / p_C.z();
  }
  constexpr double kMost = 200.0;
  return static_cast<int>(std::clamp(std::ceil(way / std::max(spec.blur_px, 0.25)), 1.0, kMost));
}

// The ball as the rays of one camera meet it at one instant.
class PosedBall {
 public:
  // by_part: rays per part of a pixel.
  PosedBall(const BallScene& scene, const BallState& state, const Matrix2d& by_part)
      : spec_(scene.spec),
        pattern_(scene.pattern),
        by_part_(by_part),
        centre_(InCamera(scene.camera, state.p)),
        lamp_(scene.camera.R_CW * scene.spec.light.lamp),
        up_(scene.camera.R_CW * scene.spec.surface_normal),
        R_BC_((scene.camera.R_CW * state.q.toRotationMatrix()).transpose()),
        beyond_(centre_.squaredNorm() - spec_.radius * spec_.radius),
        surface_(up_.dot(scene.camera.t_CW)),
        middle_(centre_.head<2>() / centre_.z()),
        sunk_(scene.spec.surface_normal.dot(state.p) < spec_.radius * (1.0 - 1e-9)) {
    const double near = std::max(centre_.z() - spec_.radius, 1e-9);
    const double reach = 1.2 * spec_.radius / near * (1.0 + middle_.squaredNorm());
    reach2_ = std::pow(reach + 2.0 * by_part.col(0).norm(), 2);
  }

  // Covered share and light of a part of a pixel.
  double See(const Vector2d& ray, double* light) const {
    if ((ray - middle_).squaredNorm() > reach2_) return 0.0;  // most rays miss by far
    const double b = ray.x() * centre_.x() + ray.y() * centre_.y() + centre_.z();
    const double rr = ray.squaredNorm() + 1.0;
    const double inside = b * b - rr * beyond_;  // above 0 where the ray meets the ball
    // In parts: a quadratic form whose second derivative is -2, as R^2 - rho^2 of a circle.
    const double unit = beyond_ * std::abs(by_part_.determinant());
    const Vector2d slope = by_part_.transpose() * (b * centre_.head<2>() - beyond_ * ray) / unit;
    const double rho = slope.norm();
    const double root = std::sqrt(std::max(inside / unit + rho * rho, 0.0));
    // The outline bends back from its tangent, by 1 / (24 rho) on average over a part.
    const double distance = root - rho - 1.0 / (24.0 * std::max(rho, 1.0));
    if (distance < -0.75) return 0.0;
    double share = distance > 0.75 ? 1.0 : CoveredShare(distance, slope);
    if (!(share > 0.0)) return 0.0;
    const double depth = (b - std::sqrt(std::max(inside, 0.0))) / rr;
    const Vector3d place(depth * ray.x(), depth * ray.y(), depth);
    const Vector3d normal = (place - centre_).normalized();
    const double part = depth * by_part_.col(0).norm();
    if (sunk_) share *= std::clamp(0.5 + (up_.dot(place) - surface_) / part, 0.0, 1.0);
    const BallLight& lights = spec_.light;
    const double lit = lights.ambient + (1.0 - lights.ambient) * std::max(0.0, normal.dot(lamp_));
    double reflectance = lights.ball;
    if (pattern_.Any()) {
      const double facing = std::max(-normal.dot(place) / place.norm(), 0.15);
      const double on = pattern_.ShareAt(R_BC_ * normal, part / facing);
      reflectance += on * (spec_.texture.reflectance - reflectance);
    }
    *light = lit * reflectance;
    return share;
  }

 private:
  const BallSpec& spec_;
  const BallPattern& pattern_;
  Matrix2d by_part_;
  Vector3d centre_, lamp_, up_;
  Matrix3d R_BC_;
  double beyond_, surface_;
  Vector2d middle_;
  double reach2_;  // square of a distance from there within which the outline and two parts are
  bool sunk_;
};

}  // namespace

BallOutline OutlineOfBall(const Camera& camera, const Vector3d& centre_C, double radius) {
  BallOutline outline;
  const double distance = centre_C.norm();
  if (!(distance > radius)) return outline;
  const double sine = radius / distance, cosine = std::sqrt(1.0 - sine * sine);
  const Vector3d axis = centre_C / distance;
  const Vector3d u = axis.unitOrthogonal(), v = axis.cross(u);
  constexpr int kSides = 360;
  constexpr double kAngle = 2.0 * std::numbers::pi / kSides;
  std::vector<Vector2d> points;
  for (int k = 0; k < kSides; ++k) {
    const Vector3d side = std::cos(k * kAngle) * u + std::sin(k * kAngle) * v;
    const auto pixel = ProjectInCamera(camera, cosine * axis + sine * side);
    if (!pixel) return outline;
    points.push_back(*pixel);
  }
  outline.in_front = true;
  outline.lowest = outline.highest = points[0];
  const Vector2d origin = points[0];
  for (int k = 0; k < kSides; ++k) {
    const Vector2d a = points[k] - origin, b = points[(k + 1) % kSides] - origin;
    const double twice = a.x() * b.y() - a.y() * b.x();
    outline.area += 0.5 * twice;
    outline.centre += twice / 6.0 * (a + b);
    outline.lowest = outline.lowest.cwiseMin(points[k]);
    outline.highest = outline.highest.cwiseMax(points[k]);
  }
  outline.centre = origin + outline.centre / outline.area;
  outline.area =
      std::abs(outline.area) * kAngle / std::sin(kAngle);  // of the curve, not its chords
  return outline;
}

cv::Rect BallArea(const BallScene& scene) {
  Vector2d lowest = Vector2d::Constant(1e9), highest = -lowest;
  Vector2d before = Vector2d::Zero();
  constexpr int kTimes = 9;
  double step = 0.0;
  for (const double time : TimesOf(scene, kTimes)) {
    const Vector3d p_C = InCamera(scene.camera, scene.motion.At(time).p);
    const BallOutline outline = OutlineOfBall(scene.camera, p_C, scene.spec.radius);
    if (!outline.in_front) continue;
    if (highest.x() >= lowest.x()) step = std::max(step, (outline.centre - before).norm());
    before = outline.centre;
    lowest = lowest.cwiseMin(outline.lowest);
    highest = highest.cwiseMax(outline.highest);
  }
  if (!(highest.x() >= lowest.x())) return {};
  // A bounce between two of these times leaves their rectangle by less than a step.
  return PartsAround(scene, lowest.array() - step, highest.array() + step);
}

cv::Rect ShadowArea(const BallScene& scene) {
  const BallSpec& spec = scene.spec;
  const Vector3d& n = spec.surface_normal;
  const double slant = n.dot(spec.light.lamp);
  if (!(spec.light.shadow > 0.0) || !(slant > 0.05)) return {};
  Vector2d lowest = Vector2d::Constant(1e9), highest = -lowest;
  constexpr int kTimes = 5, kSides = 16;
  for (const double time : TimesOf(scene, kTimes)) {
    const Vector3d centre = scene.motion.At(time).p;
    const double along = n.dot(centre) / slant;
    const double reach = (spec.radius + along * std::tan(spec.light.lamp_radius)) * 1.1;
    const Vector3d u = spec.light.lamp.unitOrthogonal(), v = spec.light.lamp.cross(u);
    for (int k = 0; k < kSides; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / kSides;
      const Vector3d side = centre + reach * (std::cos(angle) * u + std::sin(angle) * v);
      const Vector3d place = side - n.dot(side) / slant * spec.light.lamp;
      const auto pixel = Project(scene.camera, place);
      if (!pixel) continue;
      lowest = lowest.cwiseMin(*pixel);
      highest = highest.cwiseMax(*pixel);
    }
  }
  if (!(highest.x() >= lowest.x())) return {};
  return PartsAround(scene, lowest.array() - 4.0, highest.array() + 4.0);
}

void DrawShadow(const BallScene& scene, const cv::Rect& area, cv::Mat* light) {
  const cv::Rect shadow = ShadowArea(scene) & area;
  const Matrix3d R_WC = scene.camera.R_CW.transpose();
  const int f = scene.shutter.parts;
  const double part = 1.0 / (f * std::max(scene.camera.fx, scene.camera.fy));
  const int count = std::clamp(InstantCount(scene), 1, 8);
  std::vector<Vector3d> centres(static_cast<std::size_t>(count));
  for (int y = shadow.y; y < shadow.br().y; ++y) {
    const double row_time = scene.shutter.RowTime(y / f, scene.camera.height);
    for (int k = 0; k < count; ++k) {
      centres[k] = scene.motion.At(row_time + scene.shutter.exposure * ((k + 0.5) / count - 0.5)).p;
    }
    auto* to = light->ptr<float>(y - area.y);
    for (int x = shadow.x; x < shadow.br().x; ++x) {
      const Vector2d ray = scene.rays.At((x + 0.5) / f - 0.5, (y + 0.5) / f - 0.5);
      const SceneryPoint seen = scene.scenery.See(R_WC * Vector3d(ray.x(), ray.y(), 1.0), part);
      if (!(seen.ground > 0.0)) continue;
      double taken = 0.0;
      for (const Vector3d& centre : centres) taken += ShadowAt(scene.spec, centre, seen.place);
      to[x - area.x] *=
          static_cast<float>(1.0 - scene.spec.light.shadow * seen.ground * taken / count);
    }
  }
}

void DrawBall(const BallScene& scene, const cv::Rect& area, cv::Mat* light) {
  const cv::Rect ball = BallArea(scene) & area;
  if (ball.empty()) return;
  const int f = scene.shutter.parts;
  const auto ray_of = [&](double x, double y) {
    return scene.rays.At((x + 0.5) / f - 0.5, (y + 0.5) / f - 0.5);
  };
  const Vector2d middle(ball.x + 0.5 * ball.width, ball.y + 0.5 * ball.height);
  Matrix2d by_part;
  constexpr double kSpan = 8.0;
  by_part.col(0) =
      (ray_of(middle.x() + kSpan, middle.y()) - ray_of(middle.x(), middle.y())) / kSpan;
  by_part.col(1) =
      (ray_of(middle.x(), middle.y() + kSpan) - ray_of(middle.x(), middle.y())) / kSpan;
  const int count = InstantCount(scene);
  std::vector<PosedBall> balls;
  double posed_at = NAN;
  for (int y = ball.y; y < ball.br().y; ++y) {
    const double row_time = scene.shutter.RowTime(y / f, scene.camera.height);
    if (row_time != posed_at) {
      balls.clear();
      for (int k = 0; k < count; ++k) {
        balls.emplace_back(
            scene, scene.motion.At(row_time + scene.shutter.exposure * ((k + 0.5) / count - 0.5)),
            by_part);
      }
      posed_at = row_time;
    }
    auto* to = light->ptr<float>(y - area.y);
    for (int x = ball.x; x < ball.br().x; ++x) {
      const Vector2d ray = ray_of(x, y);
      double covered = 0.0, sent = 0.0;
      for (const PosedBall& posed : balls) {
        double value = 0.0;
        const double share = posed.See(ray, &value);
        covered += share;
        sent += share * value;
      }
      if (!(covered > 0.0)) continue;
      float& at = to[x - area.x];
      at = static_cast<float>((sent + (count - covered) * at) / count);
    }
  }
}

}  // namespace percuss::synthesis
