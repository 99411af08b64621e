// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

struct AVFormatContext;

namespace percuss::capture {

struct CloseContainer {
  void operator()(AVFormatContext* context) const;
};
using Container = std::unique_ptr<AVFormatContext, CloseContainer>;

/// A file opened with FFmpeg at its beginning. It may read itself and no other file: a playlist
/// that is named as a video could otherwise have any file of the machine opened, and addresses of
/// the network.
/// @param status what FFmpeg says where the result is nullptr: below 0.
Container OpenContainer(const std::filesystem::path& file, int* status = nullptr);

}  // namespace percuss::capture
