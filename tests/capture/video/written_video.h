// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

extern "C" {
#include <libavcodec/codec_id.h>
#include <libavutil/pixfmt.h>
#include <libavutil/rational.h>
}

namespace percuss::testing {

/// A video file made of ready packets, so that a test knows every byte and time stamp in it.
struct WrittenVideo {
  AVCodecID codec = AV_CODEC_ID_RAWVIDEO;
  AVPixelFormat format = AV_PIX_FMT_YUV420P;
  AVColorRange range = AVCOL_RANGE_UNSPECIFIED;
  int width = 0;
  int height = 0;
  double clockwise_deg = 0.0;  ///< turn that a player applies
  bool mirrored = false;       ///< left to right, before that
  AVRational time_base = {1, 120};
  int decode_lead = 0;  ///< how long before its time a packet may have to be decoded, in time_base
  struct Packet {
    std::int64_t time = 0;  ///< in time_base
    std::string bytes;
  };
  std::vector<Packet> packets = {};
  std::vector<std::pair<std::string, std::string>> keys = {};  ///< metadata of the file
  std::vector<std::int16_t> sound = {};  ///< two channels in turn, 48 kHz, from time 0 on
};

/// The container follows the file's extension. @throws std::runtime_error if FFmpeg refuses.
void WriteVideo(const std::filesystem::path& file, const WrittenVideo& video);

/// Adds a metadata key to the first track of a MOV or MP4 file whose header comes last.
/// @param type of the bytes: 1 text, 21 and 22 whole numbers, 23 float (QuickTime File Format)
void AddTrackKey(const std::filesystem::path& file, const std::string& key, int type,
                 const std::string& bytes);

}  // namespace percuss::testing
