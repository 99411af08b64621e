// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/video/sound_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

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
    EXPECT_NEAR(sound.frame_rate, 30.0, 0.01);
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
