// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/experiment/trial_surface.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <numbers>
#include <vector>

#include "capture/experiment/experiment_body.h"

namespace percuss::capture {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;
// Beyond it bodies fall past the plate.
constexpr Range kAngle{.lowest = -89.0, .highest = 89.0, .unit = "deg"};
constexpr Range kSigma{.lowest = 0.0, .highest = 10.0, .unit = "deg"};
// A protractor that is read to half a degree either way: 0.5 / sqrt(3).
constexpr double kDefaultSigmaDeg = 0.29;

Eigen::Vector3d ReadAxis(const YamlField& field, bool planar) {
  static constexpr std::string_view kAllowed =
      "x, y, or two numbers: the direction in the surface about which the plate was turned";
  if (!field.Given()) return Eigen::Vector3d::UnitY();
  Eigen::Vector3d axis = Eigen::Vector3d::Zero();
  if (field.IsList()) {
    const std::vector<double> numbers = field.Numbers(2, {});
    axis.head<2>() << numbers[0], numbers[1];
    if (!(axis.norm() > 0.0)) field.Throw(kAllowed);
    axis.normalize();
  } else {
    const std::string word = field.Text(kAllowed);
    if (word != "x" && word != "y") field.Throw(kAllowed);
    axis = word == "x" ? Eigen::Vector3d::UnitX() : Eigen::Vector3d::UnitY();
  }
  if (planar && axis != Eigen::Vector3d::UnitY())
    field.Throw("another axis", "y where planar is true");
  return axis;
}

TrialSurface ReadSlope(const YamlField& field, bool planar) {
  field.AllowKeys({"angle_deg", "axis", "sigma"});
  const double angle_deg = field["angle_deg"].Number(kAngle);
  const double sigma_deg =
      field["sigma"].Given() ? field["sigma"].Number(kSigma) : kDefaultSigmaDeg;
  const Slope slope{angle_deg * kDegree, ReadAxis(field["axis"], planar), sigma_deg * kDegree};
  return {fmt::format("slope of {:g} deg about ({:.4g}, {:.4g})", angle_deg, slope.axis.x(),
                      slope.axis.y()),
          {},
          slope};
}

TrialSurface ReadPictures(const YamlField& field, std::span<const std::string> cameras) {
  static constexpr std::string_view kAllowed =
      "an image file, or a video, of the board on the surface of this trial";
  field.AllowKeys(std::vector<std::string_view>(cameras.begin(), cameras.end()));
  TrialSurface surface;
  for (std::size_t c = 0; c < cameras.size(); ++c) {
    std::filesystem::path& picture = surface.pictures.emplace_back();
    if (c > 1 && !field[cameras[c]].Given()) continue;
    const std::string file = field[cameras[c]].Text(kAllowed);
    picture = Resolve(field, file);
    surface.name += (c > 0 ? ", " : "") + file;
  }
  return surface;
}

}  // namespace

Eigen::Vector3d Slope::Normal() const {
  return Eigen::AngleAxisd(angle, axis) * Eigen::Vector3d::UnitZ();
}

std::optional<TrialSurface> ReadTrialSurface(const YamlField& trial, bool planar,
                                             std::span<const std::string> cameras) {
  const YamlField surface = trial["surface"], slope = trial["slope"];
  if (surface.Given() && slope.Given())
    slope.Throw("a slope with a surface", "one of them: pictures show the slope");
  if (slope.Given()) return ReadSlope(slope, planar);
  if (!surface.Given()) return {};
  if (cameras.empty())
    surface.Throw("surface pictures without videos", "a slope, or trajectories in axes of its own");
  return ReadPictures(surface, cameras);
}

}  // namespace percuss::capture
