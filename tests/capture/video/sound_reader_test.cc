// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/video/sound_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "tests/base/temporary_folder.h"
#include "tests/capture/video/written_video.h"

namespace percuss::capture {
namespace {

using ::percuss::testing::TemporaryFolder;
using ::percuss::testing::WriteVideo;
using ::percuss::testing::WrittenVideo;

/// Ten black pictures of 30 per second, from `first` on.
WrittenVideo BlackPictures(std::int64_t first = 0) {
  WrittenVideo video{.width = 16, .height = 16, .time_base = {1, 30}};
  for (std::int64_t k = 0; k < 10; ++k)
    video.packets.push_back({.time = first + k, .bytes = std::string(16 * 16 * 3 / 2, '\0')});
  return video;
}

// Truth: the samples that were written, left and right channel 0.5 and 0 from sample 4800 on: 0.25,
// 0.1 s after the sound began, which is with the first picture.
TEST(ReadSound, HasTheSamplesAtTheirTimes) {
  const TemporaryFolder folder;
  WrittenVideo video = BlackPictures();
  video.sound.assign(2 * 14400, 0);
  for (std::size_t i = 4800; i < 14400; ++i) video.sound[2 * i] = 16384;
  for (const char* name : {"sound.mov", "sound.mkv"}) {
    WriteVideo(folder / name, video);
    const SoundTrack sound = ReadSound(folder / name);
    ASSERT_EQ(sound.reason, "") << name;
    EXPECT_EQ(sound.rate, 48000.0);
    ASSERT_EQ(sound.samples.size(), 14400u);
    const auto first = std::ranges::find(sound.samples, 0.25f);
    EXPECT_NEAR(sound.start + static_cast<double>(first - sound.samples.begin()) / sound.rate, 0.1,
                1e-3);
  }
}

// Pictures begin three frames, 0.1 s, after the sound: it began at -0.1 s.
TEST(ReadSound, CountsTimesFromTheFirstPicture) {
  const TemporaryFolder folder;
  WrittenVideo video = BlackPictures(3);
  video.sound.assign(2 * 14400, 100);
  WriteVideo(folder / "late.mkv", video);
  const SoundTrack sound = ReadSound(folder / "late.mkv");
  ASSERT_EQ(sound.reason, "");
  EXPECT_NEAR(sound.start, -0.1, 1.1e-3);
}

/// The bytes of a number, lowest first.
std::string LowFirst(std::uint32_t number, int bytes) {
  std::string text;
  for (int k = 0; k < bytes; ++k) text += static_cast<char>(number >> (8 * k) & 0xff);
  return text;
}

/// A WAV file after Microsoft's "Multimedia Programming Interface and Data Specifications 1.0".
/// @param format 1: integers, 3: floating point.
std::string Wav(std::uint32_t rate, std::uint32_t channels, std::uint32_t bits,
                std::uint32_t format, const std::string& samples) {
  const std::uint32_t frame = channels * bits / 8;
  const std::string head = LowFirst(format, 2) + LowFirst(channels, 2) + LowFirst(rate, 4) +
                           LowFirst(rate * frame, 4) + LowFirst(frame, 2) + LowFirst(bits, 2);
  const auto size = static_cast<std::uint32_t>(samples.size());
  return "RIFF" + LowFirst(size + 36, 4) + "WAVEfmt " + LowFirst(16, 4) + head + "data" +
         LowFirst(size, 4) + samples;
}

// Truth: 1/4 in every format (8 bits count from 128), from sample 2000 on; the right channel of
// stereo is silent. There are no pictures: times count from the first sample.
TEST(ReadSound, ReadsWavFilesWithoutPictures) {
  const TemporaryFolder folder;
  const auto quarter = [](std::uint32_t bits, std::uint32_t format) {
    if (format == 3) return LowFirst(0x3e800000u, 4);
    if (bits == 8) return LowFirst(128 + 32, 1);
    return LowFirst(1u << (bits - 3), static_cast<int>(bits / 8));
  };
  for (const auto& [bits, format] :
       {std::pair{8u, 1u}, {16u, 1u}, {24u, 1u}, {32u, 1u}, {32u, 3u}}) {
    const std::string silent =
        bits == 8 ? LowFirst(128, 1) : std::string(bits / 8, static_cast<char>(0));
    for (const std::uint32_t channels : {1u, 2u}) {
      std::string samples;
      for (int i = 0; i < 8000; ++i) {
        samples += i < 2000 ? silent : quarter(bits, format);
        if (channels == 2) samples += silent;
      }
      const SoundTrack sound =
          ReadSound(folder.Write("clap.wav", Wav(44100, channels, bits, format, samples)));
      ASSERT_EQ(sound.reason, "") << bits;
      EXPECT_EQ(sound.rate, 44100.0);
      EXPECT_EQ(sound.start, 0.0);
      ASSERT_EQ(sound.samples.size(), 8000u) << bits << " " << channels;
      const float heard = channels == 1 ? 0.25f : 0.125f;
      EXPECT_EQ(sound.samples[1999], 0.0f);
      EXPECT_EQ(sound.samples[2000], heard) << bits;
      EXPECT_EQ(sound.samples[7999], heard) << bits;
    }
  }
}

// Each length of the beginning of a file, and a byte of its head changed: a reason or samples.
TEST(ReadSound, HasAReasonForABrokenWavFile) {
  const TemporaryFolder folder;
  const std::string whole = Wav(44100, 1, 16, 1, std::string(2000, '\1'));
  for (std::size_t length = 0; length <= 44; ++length) {
    const SoundTrack sound = ReadSound(folder.Write("short.wav", whole.substr(0, length)));
    EXPECT_NE(sound.reason, "") << length;
    EXPECT_TRUE(sound.samples.empty());
  }
  for (std::size_t byte = 0; byte < 44; ++byte) {
    for (const char value : {'\0', '\x7f', '\xff'}) {
      std::string damaged = whole;
      damaged[byte] = value;
      const SoundTrack sound = ReadSound(folder.Write("damaged.wav", damaged));
      EXPECT_EQ(sound.reason.empty(), !sound.samples.empty()) << byte;
    }
  }
}

TEST(ReadSound, SaysThatThereIsNone) {
  const TemporaryFolder folder;
  WriteVideo(folder / "mute.mov", BlackPictures());
  EXPECT_EQ(ReadSound(folder / "mute.mov").reason, "the video has no sound");
  EXPECT_EQ(ReadSound(folder / "missing.mov").reason, "no sound: the file cannot be read");
  EXPECT_EQ(ReadSound(folder.Write("broken.mov", "nothing")).reason,
            "no sound: the file cannot be read");
}

}  // namespace
}  // namespace percuss::capture
