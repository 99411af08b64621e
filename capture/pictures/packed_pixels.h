// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace percuss::capture {

/// Grey values of 12 bits, two in three bytes, the first one in the high bits (Photron MRAW with a
/// "Color Bit" of 12, Phantom .cine with a compression of 1024).
/// @param bytes 3/2 times as many as `grey`, which is even
void UnpackTwelve(std::span<const std::uint8_t> bytes, std::span<std::uint16_t> grey);

/// Grey values of 10 bits, four in five bytes, the first one in the high bits (Phantom .cine with a
/// compression of 256), and the 12 bits that they stand for: the camera stores brighter ones in
/// wider steps, black at 64 and white at 4064 (Vision Research, Cine File Format).
/// @param bytes 5/4 times as many as `grey`, which is a multiple of four
void UnpackTen(std::span<const std::uint8_t> bytes, std::span<std::uint16_t> grey);

}  // namespace percuss::capture
