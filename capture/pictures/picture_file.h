// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <opencv2/core/mat.hpp>
#include <optional>
#include <vector>

#include "capture/pictures/grey_levels.h"

// Files of high-speed and scientific cameras, which hold their pictures one after the other.
namespace percuss::capture {

/// What such a file says of its pictures.
struct Recording {
  cv::Size size;
  int num_frames = 0;
  GreyLevels levels{};
  std::optional<double> frame_rate{};  ///< [Hz]; none: the file does not say
  std::vector<double> times{};  ///< [s] of each frame from the first, as the camera stamped it;
                                ///< empty: it did not, and the rate counts
  std::optional<double> exposure{};  ///< [s]
};

/// Pictures of one size that can be read in any order.
class PictureFile {
 public:
  virtual ~PictureFile() = default;
  const Recording& About() const { return about_; }
  /// CV_8UC1 or CV_16UC1, the caller's own.
  /// @throws InputError naming file and frame, where it cannot be read.
  virtual cv::Mat Read(int frame) = 0;

 protected:
  Recording about_;
};

/// Opens a file by its name: Phantom .cine of a camera without colours (OpenCine), Photron .mraw,
/// .cihx or .cih (OpenMraw), .tif or .tiff (OpenTiff). Nothing for all others.
/// @param bit_depth of the grey values in a TIFF of 16 bits; none: 16
/// @throws InputError naming file and field.
std::unique_ptr<PictureFile> OpenPictureFile(const std::filesystem::path& file,
                                             std::optional<int> bit_depth);

/// The times that a camera stamped on the frames of a file which OpenPictureFile leaves to FFmpeg
/// (a .cine of a colour camera), as in Recording; empty of all others.
/// @throws InputError as OpenPictureFile.
std::vector<double> StampedTimes(const std::filesystem::path& file);

/// The levels of pictures of images: 8 bits, or of deeper ones the stated number.
/// @throws InputError naming the file where a value is above that, or where there are neither 8 nor
///   16 bits.
GreyLevels LevelsOfImage(const cv::Mat& luma, std::optional<int> bit_depth,
                         const std::filesystem::path& file);

}  // namespace percuss::capture
