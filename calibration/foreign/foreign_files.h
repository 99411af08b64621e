// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/foreign/foreign_rig.h"

/// Calibrations of other programs (docs/foreign-calibrations.md): OpenCV (YAML, XML; ROS), Kalibr,
/// mrcal, COLMAP, MATLAB (JSON), Anipose, Pose2Sim and Caliscope (TOML), Qualisys (XML), DLT.
namespace percuss::calibration {

/// Whether files are calibrations of another program, by name and first look, for commands that
/// take other files, too.
bool IsForeignRig(const std::filesystem::path& file);

/// Reads one calibration from its files: mostly one; OpenCV's intrinsics and extrinsics, mrcal's
/// and single cameras of DLT: several. A folder is that of a COLMAP model.
/// @throws InputError naming file, field, value and what is allowed, for broken files, and for lens
/// models and terms that Camera does not have.
ForeignRig ReadForeignRig(const std::vector<std::filesystem::path>& files,
                          const ForeignOptions& options = {});

struct NamedText {
  std::filesystem::path file;
  std::string text;
};

/// The names of formats that can be written: "opencv", "kalibr", "mrcal", "colmap", "anipose",
/// "pose2sim", "dlt".
std::vector<std::string_view> WritableFormats();

/// The files of a rig in a format, lengths in metres; COLMAP's and mrcal's are several: `file` is a
/// folder, or a name to which that of the camera is added. @throws std::invalid_argument for
/// another format, saying which there are, and for what the format cannot hold, naming camera and
/// term.
std::vector<NamedText> ForeignTexts(const ForeignRig& rig, std::string_view format,
                                    const std::filesystem::path& file);

/// The format that the name of a file means: ".cameramodel", a ".toml", ".xml", ".csv"; none for
/// others, such as .yaml, which OpenCV and Kalibr share.
std::string_view FormatOfName(const std::filesystem::path& file);

/// Whether a format can hold a lens; and the nearest lens that it can: focal lengths, centre and
/// those coefficients that the format has, fitted to all pixels of the picture.
bool CanHold(std::string_view format, const Camera& camera);
struct NearestLens {
  Camera camera;
  double largest_px = 0.0;  ///< largest difference of the pixel of a ray, over the picture
};
NearestLens NearestLensFor(std::string_view format, const Camera& camera);

/// The rig with the nearest lenses that a format can hold, and a note for each that is another.
ForeignRig WithNearestLenses(ForeignRig rig, std::string_view format);

}  // namespace percuss::calibration
