// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/yaml_field.h"
#include "solver/body/rigid_body.h"

// The body of an experiment file, and what the readers of its sections share.
namespace percuss::capture {

struct Marker {
  std::string name;
  Eigen::Vector3d p_BM = Eigen::Vector3d::Zero();  ///< centre in body axes [m]
};

/// A printed square with a code (ArUco, AprilTag) on the body. The corners of its black square are
/// four markers, points whose names a picture tells: clockwise from the top left one of the print.
struct CodedTag {
  int id = 0;
  int first_marker = 0;  ///< place of its top left corner in MarkedBody::markers
  double size = 0.0;     ///< edge of the black square [m]
  Eigen::Vector3d normal_B = Eigen::Vector3d::UnitZ();  ///< outwards, unit length
};
struct CodedTags {
  std::string dictionary;  ///< OpenCV's name such as DICT_4X4_50
  std::vector<CodedTag> tags;
};

/// Standard deviations of what was measured with ruler and scales, each number by itself. What is
/// not stated has a default, that of a ruler: it is never 0 but where 0 is stated.
struct BodySigmas {
  double marker = 0.0005;    ///< of each coordinate of a marker's place [m]
  double mass_centre = 0.0;  ///< of each coordinate; 1 % of the longest side of the shape [m]
  double inertia = 0.01;     ///< of each moment, in proportion
  double length = 0.0005;    ///< of every length of the shape [m]
  double mass = 0.0;         ///< 1 % [kg]
  double spin = 5.0;         ///< about the axis of bands, which nothing shows, before [rad/s]
  double tilt = 3.5e-4;      ///< of the surface against the stated normal, each way [rad]
  std::vector<std::string> stated = {};  ///< keys of those that are no defaults
};

/// Markers whose places nobody measured: the videos show them.
struct UnplacedMarkers {
  int count = 0;
  std::vector<std::string> names = {};  ///< empty, or as many as there are
};

/// The body that is dropped, with its markers.
struct MarkedBody {
  solver::Body body;
  BodySigmas sigma;
  std::vector<Marker> markers;  ///< dots, then corners of tags; none while `unplaced` is there
  CodedTags coded;
  std::optional<UnplacedMarkers> unplaced = {};
  /// Of the places of all markers against the shape [m^2], three numbers each, where they were
  /// found in the videos; empty where they were typed (`sigma` holds then).
  Eigen::MatrixXd marker_covariance = {};
  Eigen::Vector3d p_FB = Eigen::Vector3d::Zero();  ///< mass centre in the axes of a mesh's file
  /// Mass centre from the point whose places a table of poses gives, body axes [m]: not 0 where
  /// `mass_centre` is stated.
  Eigen::Vector3d p_PB = Eigen::Vector3d::Zero();
  double marker_diameter = 0.0;  ///< [m]
  /// Of the centre of the shape from the mass centre, body axes [m]: 0 as stated, else estimated.
  Eigen::Vector3d surface_shift = Eigen::Vector3d::Zero();

  /// Whether the markers are bands, tape wound round a rod: all places are on the axis of a
  /// cylinder or capsule.
  bool HasBands() const;
  /// The first of `markers` are dots (or bands), the others corners of tags.
  int NumDots() const {
    return static_cast<int>(markers.size()) - 4 * static_cast<int>(coded.tags.size());
  }
};

/// Outward normal of the surface under a marker, body axes: that of its tag, else of the shape.
Eigen::Vector3d MarkerNormal(const MarkedBody& body, int marker);

/// The `body:` section alone, in a file of its own or inside an experiment file.
MarkedBody ReadBody(const std::filesystem::path& file);
MarkedBody ReadBody(const YamlField& field);  ///< the map with shape, its lengths and mass

/// The bounds are wide; they are there to catch millimetres, grams and swapped signs.
inline constexpr Range kLength{
    .lowest = 0.0, .highest = 10.0, .lowest_included = false, .unit = "m"};

inline constexpr Range kFrameRate{
    .lowest = 0.0, .highest = 1e6, .lowest_included = false, .unit = "Hz"};

Eigen::Vector3d ReadVector3(const YamlField& field, const Range& range);

/// A path of the file, which is relative to the folder of the file.
std::filesystem::path Resolve(const YamlField& field, const std::filesystem::path& path);
std::filesystem::path ReadExistingFile(const YamlField& field, std::string_view allowed);

/// A file, or those that a pattern with `*` or `?` matches: one at least.
std::vector<std::filesystem::path> ReadPattern(const YamlField& field, std::string_view allowed);

Range MarkerDiameterRange(const solver::Shape& shape);

/// `markers.tags`: appends tags, and their corners to the markers.
/// @param box as stated, if the shape is one; its middle is the origin of the places
/// @param p_FBcm mass centre in the axes of the places
void ReadTags(const YamlField& field, const solver::Box* box, const Eigen::Vector3d& p_FBcm,
              MarkedBody* body);

}  // namespace percuss::capture
