// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "capture/pictures/picture_file.h"

namespace percuss::capture {

/// The header of a Phantom .cine (Vision Research, Cine File Format; offsets of the fields as in
/// the structures CINEFILEHEADER, BITMAPINFOHEADER and SETUP).
struct CineHeader {
  Recording about;
  bool grey = true;                   ///< else of a colour camera: mosaic, or red green blue
  int bits = 16;                      ///< that a pixel takes in the file: 8, 10, 12 or 16
  bool bottom_up = true;              ///< the first row stored is the lowest
  bool mirrored = false;              ///< shown left to right
  std::vector<std::uint64_t> places;  ///< of the frames [byte]
};

/// Times are those that the camera stamped on the frames (tagged block 1002, TIME64 in units of
/// 2^-32 s, whose two lowest bits are no time), from the first; without that block the rate counts,
/// dFrameRate where it is there, else FrameRate. Exposure is ShutterNs. Black and white are
/// BlackLevel and WhiteLevel, where they are there and make sense, else the ends of RealBPP bits.
/// @throws InputError naming file and field: no .cine, or one of another version; what does not fit
///   into the file; a size or a rate of zero.
CineHeader ReadCineHeader(const std::filesystem::path& file);

/// The pictures; nothing for a colour camera, whose files FFmpeg reads.
/// @throws InputError as above.
std::unique_ptr<PictureFile> OpenCine(const std::filesystem::path& file);

}  // namespace percuss::capture
