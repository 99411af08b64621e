// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <opencv2/core/mat.hpp>
#include <string>
#include <vector>

namespace percuss::testing {

/// What a high-speed camera recorded, to be written as its maker writes it.
struct MadeRecording {
  std::vector<cv::Mat> pictures;  ///< CV_16UC1, values as they are stored
  int stored_bits = 16;           ///< that a pixel takes: 8, 10 (.cine), 12, 16
  int depth = 12;                 ///< that the camera fills of them, from below
  double rate = 1000.0;           ///< [Hz], whole
  std::vector<double> times;      ///< [s] since 1970 of a .cine; empty: without the block of times
  double exposure = 20e-6;        ///< [s]
  int black = 0, white = 0;       ///< of a .cine; not stated where white is 0
};

/// A .cine (Vision Research, Cine File Format) of version 1 with a SETUP of 10384 bytes.
std::string CineBytes(const MadeRecording& recording);

/// The pictures alone, one after the other.
std::string MrawBytes(const MadeRecording& recording);
/// The headers of a .mraw, with the keys of real ones.
std::string CihxText(const MadeRecording& recording);
std::string CihText(const MadeRecording& recording);

/// Writes a little-endian number into a text.
void PutNumber(std::string* bytes, std::size_t at, std::uint64_t number, int size);

}  // namespace percuss::testing
