// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/bounces/bounce_scale.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/text/numbers.h"
#include "calibration/rig/camera.h"

namespace percuss::pipeline {
namespace {

constexpr double kUsualGravity = 9.807, kUsualGravitySigma = 0.02;  // on Earth [m/s^2]
constexpr double kDiffer = 3.3;                                     // sigmas
/// What lenses that are not sharp and the compression of videos do to all radii alike [px].
constexpr double kRadiusBias = 0.1;
/// A ruler stands before or behind the ball by a diameter or so.
constexpr double kRulerDepth = 2.0;  // radii

double RelativeSigma(const ValueWithSigma& one) { return one.sigma / one.value; }

/// Of the radius in pixels, which measures all lengths in radii, where all outlines err alike.
double RelativeBias(const tracking::BounceFit& fit) {
  return kRadiusBias * fit.ball.first_contact.z() / fit.ball.camera.intrinsics[0];
}

ScaleReading ByGravity(const ValueWithSigma& g, const tracking::BounceFit& fit, bool typed) {
  const double radius = g.value / fit.gravity.value;
  const double relative =
      std::hypot(RelativeSigma(g), RelativeSigma(fit.gravity), RelativeBias(fit));
  return {"gravity", {radius, radius * relative}, typed};
}

ScaleReading ByLength(const char* source, const KnownLength& known,
                      const tracking::BounceFit& fit) {
  const calibration::Camera& camera = fit.ball.camera;
  const double distance = fit.ball.first_contact.z();
  const Eigen::Vector3d from = calibration::Unproject(camera, known.from).homogeneous();
  const Eigen::Vector3d to = calibration::Unproject(camera, known.to).homogeneous();
  const auto radii_at = [&](double ratio) {
    return 2.0 * distance / (1.0 + ratio) * (ratio * to - from).norm();
  };
  const double ratio = known.depth_ratio.value, radii = radii_at(ratio);
  const double radius = known.length.value / radii;
  const double leans = std::max(std::abs(radii_at(ratio + known.depth_ratio.sigma) / radii - 1.0),
                                std::abs(radii_at(ratio - known.depth_ratio.sigma) / radii - 1.0));
  const double pixels = (known.to - known.from).norm();
  // The distance in radii is f over the ball's radius in pixels, which cancels the focal length.
  const double relative =
      std::hypot(std::hypot(RelativeSigma(known.length), leans),
                 std::hypot(known.picked / pixels, kRulerDepth / distance), RelativeBias(fit));
  return {source, {radius, radius * relative}, true};
}

std::string MarksText(const tracking::FoundRuler& ruler) {
  return fmt::format("{} marks from {:.0f},{:.0f} to {:.0f},{:.0f}", ruler.intervals + 1,
                     ruler.from.x(), ruler.from.y(), ruler.to.x(), ruler.to.y());
}

}  // namespace

double NearestUsualRate(double rate) {
  constexpr std::array<double, 22> kRates = {15,  24,  25,  30,   48,   50,  60,  90,
                                             100, 120, 200, 240,  250,  300, 400, 480,
                                             500, 600, 960, 1000, 1920, 2000};
  for (const double usual : kRates) {
    if (std::abs(rate / usual - 1.0) < 0.04) return usual;
  }
  return rate;
}

std::optional<KnownLength> LengthOfRuler(const tracking::FoundRuler& ruler,
                                         const RulerRequest& request,
                                         std::vector<std::string>* warnings) {
  if (!ruler.reason.empty()) {
    warnings->push_back("--ruler: " + ruler.reason);
    return {};
  }
  const auto& stated = request.mark_distance;
  if (!stated && !std::isfinite(ruler.mark_distance)) {
    warnings->push_back(fmt::format(
        "--ruler: found {}, whose long ones do not tell the unit: state how far apart marks are "
        "[m], such as --ruler 0.001",
        MarksText(ruler)));
    return {};
  }
  const double distance = stated ? stated->value : ruler.mark_distance;
  if (stated && std::abs(ruler.mark_distance / distance - 1.0) > 0.01)
    warnings->push_back(
        fmt::format("--ruler says that marks are {:.4g} mm apart, but their long ones are those of "
                    "a ruler with marks each {:.4g} mm",
                    1e3 * distance, 1e3 * ruler.mark_distance));
  constexpr double kPrinted = 0.001;
  const double printed = stated && stated->sigma > 0.0 ? RelativeSigma(*stated) : kPrinted;
  const double length = distance * ruler.intervals;
  return KnownLength{{length, printed * length},
                     ruler.from,
                     ruler.to,
                     ruler.pitch.sigma * ruler.intervals,
                     ruler.depth_ratio};
}

std::string RulerLine(const tracking::FoundRuler& ruler, const TypedScale& typed) {
  if (!ruler.reason.empty()) return {};
  if (typed.ruler)
    return fmt::format("ruler: {}, {:.4g} mm and {} px apart", MarksText(ruler),
                       1e3 * typed.ruler->length.value / ruler.intervals,
                       FormatWithSigma(ruler.pitch));
  if (!std::isfinite(ruler.mark_distance)) return {};
  return fmt::format(
      "a ruler seems to stand in the picture ({}, {:.4g} mm apart): --ruler takes it "
      "as the scale",
      MarksText(ruler), 1e3 * ruler.mark_distance);
}

BounceScale ScaleOf(const TypedScale& typed, const tracking::BounceFit& fit, double frame_rate,
                    const std::string& says) {
  BounceScale scale;
  if (typed.diameter)
    scale.readings.push_back(
        {"diameter", {0.5 * typed.diameter->value, 0.5 * typed.diameter->sigma}, true});
  if (typed.length) scale.readings.push_back(ByLength("length", *typed.length, fit));
  if (typed.ruler) scale.readings.push_back(ByLength("ruler", *typed.ruler, fit));
  const ValueWithSigma usual{kUsualGravity, kUsualGravitySigma};
  const ScaleReading gravity =
      ByGravity(typed.gravity.value_or(usual), fit, typed.gravity.has_value());

  // What does not need the frame rate.
  double weights = 0.0, sum = 0.0;
  for (const ScaleReading& one : scale.readings) {
    const double w = 1.0 / std::pow(RelativeSigma(one.radius), 2);
    weights += w;
    sum += w * std::log(one.radius.value);
  }
  bool rate_is_wrong = false;
  if (weights > 0.0) {
    const double other = std::exp(sum / weights);
    const double relative = std::hypot(RelativeSigma(gravity.radius), 1.0 / std::sqrt(weights));
    // g_seen = g / c^2, so that the radius by gravity is c^2 times too large.
    const double slowdown = std::sqrt(gravity.radius.value / other);
    scale.slowdown = {slowdown, 0.5 * slowdown * relative};
    if (std::abs(slowdown - 1.0) > kDiffer * scale.slowdown.sigma &&
        std::abs(slowdown - 1.0) > 0.03) {
      rate_is_wrong = true;
      const double rate = NearestUsualRate(frame_rate * slowdown);
      scale.warnings.push_back(fmt::format(
          "gravity says {:.4g} frames/s, {} {:.4g}: with --fps {:.4g} times and speeds "
          "are right (or the {} is wrong by a factor of {:.3g})",
          rate, says, frame_rate, rate, scale.readings.front().source, slowdown * slowdown));
    }
  }
  scale.readings.push_back(gravity);
  for (std::size_t i = 0; i < scale.readings.size(); ++i) {
    for (std::size_t j = i + 1; j < scale.readings.size(); ++j) {
      const ScaleReading &one = scale.readings[i], &other = scale.readings[j];
      if (rate_is_wrong && other.source == "gravity") continue;
      const double apart = std::log(one.radius.value / other.radius.value);
      const double sigma = std::hypot(RelativeSigma(one.radius), RelativeSigma(other.radius));
      if (std::abs(apart) < kDiffer * sigma) continue;
      scale.warnings.push_back(fmt::format(
          "the {} gives a ball of {:.2f} mm, the {} one of {:.2f} mm: they differ by {:.1f} sigmas",
          one.source, 2e3 * one.radius.value, other.source, 2e3 * other.radius.value,
          std::abs(apart) / sigma));
    }
  }
  // Gravity joins only where nothing speaks against the frame rate.
  if (gravity.typed && !rate_is_wrong) {
    const double w = 1.0 / std::pow(RelativeSigma(gravity.radius), 2);
    weights += w;
    sum += w * std::log(gravity.radius.value);
  }
  if (weights > 0.0) {
    const double radius = std::exp(sum / weights);
    scale.radius = {radius, radius / std::sqrt(weights)};
  }
  return scale;
}

}  // namespace percuss::pipeline
