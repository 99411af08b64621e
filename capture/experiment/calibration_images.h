// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/yaml_field.h"
#include "capture/experiment/lens_model.h"

namespace percuss::capture {

/// The calibration target; lengths in metres.
struct Board {
  enum class Type { kChessboard, kCharuco, kCircles, kAsymmetricCircles, kAprilGrid };
  Type type = Type::kChessboard;
  int columns = 0;  ///< inner corners, circles in one row, or twice the tags in one
  int rows = 0;     ///< inner corners along the other side, rows of circles, or twice those of tags
  /// Edge of a square or tag; distance of neighbouring circle centres in a row; for asymmetric
  /// circles the distance of rows, which is half the distance of neighbours in a row.
  double square = 0.0;
  double square_sigma = 0.0;  ///< standard deviation of `square`: 0.1 % if not stated [m]
  bool square_sigma_stated = false;
  double marker = 0.0;          ///< side of an ArUco marker (ChArUco)
  std::string dictionary = {};  ///< of ArUco markers or tags, OpenCV's name such as DICT_5X5_100
  /// Whether a ChArUco board begins with a marker, as OpenCV printed it before 4.6 where the rows
  /// of squares are even; if not given, the picture must tell.
  std::optional<bool> legacy_pattern = {};
  double diameter = 0.0;  ///< of a disc (circles)
  double spacing = 0.0;   ///< between neighbouring tags, over their edge (AprilGrid)
};

/// Number of markers in one of OpenCV's predefined ArUco dictionaries, by its name; 0 for others.
int NumArucoMarkers(std::string_view dictionary);

/// One camera and its pictures of the board.
struct CalibrationCamera {
  std::string name;  ///< "left", "right", or as listed under `cameras`
  LensModel lens = LensModel::kBrown;
  /// Equal places of all cameras are one view; or one video in which the board is waved.
  std::vector<std::filesystem::path> images;
  std::filesystem::path surface;  ///< empty if this camera does not see the surface
  std::string name_in_file = {};  ///< of a CalibrationFile; empty where it is not stated
};

/// Two points a known distance apart, as pixels in one picture of each camera that sees them.
struct PixelDistance {
  double distance = 0.0;  ///< [m]
  double sigma = 0.0;     ///< [m]
  /// [camera] pixels of both ends; nothing for a camera that does not see them.
  std::vector<std::optional<std::array<Eigen::Vector2d, 2>>> ends;
};

/// The calibration of another program, in place of pictures of the board.
struct CalibrationFile {
  std::vector<std::filesystem::path> files;  ///< of one calibration; none: there are pictures
  std::optional<double> unit = {};           ///< metres of one unit of length of the file
  /// Standard deviation of a projected coordinate by the calibration's errors [px].
  std::optional<double> sigma_px = {};
};

struct CalibrationImages {
  std::vector<CalibrationCamera> cameras;  ///< as many images each, none with a file
  CalibrationFile file;
  std::vector<PixelDistance> known_distances;

  bool FromVideos() const;  ///< whether `images` are a video of each camera
};

/// Whether the name of a file ends like that of a video (.mp4, .mov, ...) in any case.
bool IsVideoName(const std::filesystem::path& file);

/// Reads `board` of an experiment file.
/// @throws InputError naming the field
Board ReadBoard(const YamlField& field);

/// Reads `calibration` of an experiment file: patterns expanded, sorted by name, files that exist.
/// @param planar one camera looks at a motion in a plane
/// @throws InputError naming the field
CalibrationImages ReadCalibrationImages(const YamlField& field, bool planar);

/// Keys of a trial, whatever recorded it.
inline constexpr std::string_view kTrialKeys[] = {"name",  "kind",    "gravity",
                                                  "group", "surface", "slope"};

/// @throws InputError where a camera that trials name has no plain name, or that of another key
///   beside it
void CheckCameraName(const YamlField& camera, const std::string& name);

/// Names of the cameras of `calibration`, in order: left and right where it does not say; nothing
/// of it is checked.
std::vector<std::string> CameraNames(const YamlField& calibration);

}  // namespace percuss::capture
