// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/video/video.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/videoio.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/files/files.h"
#include "capture/video/frame_timing.h"
#include "tests/base/temporary_folder.h"
#include "tests/capture/video/written_video.h"

namespace percuss::capture {
namespace {

namespace fs = std::filesystem;
using ::percuss::testing::InputErrorOf;
using ::percuss::testing::TemporaryFolder;
using ::percuss::testing::WriteVideo;
using ::percuss::testing::WrittenVideo;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

fs::path RealVideo() {
  return fs::path(PERCUSS_DATA_DIR) / "bar-drop" / "trials" / "a-slide" / "left.mp4";
}

std::vector<Frame> ReadAll(const fs::path& file, std::optional<double> rate = {}) {
  VideoReader reader(file, {rate});
  std::vector<Frame> frames;
  while (auto frame = reader.Next()) frames.push_back(std::move(*frame));
  return frames;
}

std::string ErrorReading(const fs::path& file, std::optional<double> rate = {}) {
  return InputErrorOf([&] { ReadAll(file, rate); });
}

std::string Jpeg(const cv::Mat& image) {
  std::vector<uchar> bytes;
  cv::imencode(".jpg", image, bytes, {cv::IMWRITE_JPEG_QUALITY, 95});
  return {bytes.begin(), bytes.end()};
}

// A video of one grey value per frame, 120 Hz unless the times are given.
WrittenVideo JpegVideo(const std::vector<int>& grey, cv::Size size = {64, 48}) {
  WrittenVideo video{.codec = AV_CODEC_ID_MJPEG,
                     .format = AV_PIX_FMT_YUVJ420P,
                     .width = size.width,
                     .height = size.height};
  for (std::size_t k = 0; k < grey.size(); ++k) {
    video.packets.push_back(
        {.time = static_cast<std::int64_t>(k), .bytes = Jpeg(cv::Mat(size, CV_8UC1, grey[k]))});
  }
  return video;
}

// Truth: the same video read from its start.
// Phones write 240 pictures a second into a file of 30.
TEST(VideoClock, SlowMotionHasTheTimesOfTheStatedRate) {
  const TemporaryFolder folder;
  WrittenVideo video = JpegVideo({10, 60, 110, 160, 210});
  video.time_base = {1, 30};
  WriteVideo(folder / "slow.mov", video);
  const auto last_time = [&](const VideoClock& clock) {
    VideoReader reader(folder / "slow.mov", clock);
    double time = 0.0;
    while (const auto frame = reader.Next()) time = frame->time;
    return time;
  };
  const auto note = [&](const VideoClock& clock) {
    return VideoReader(folder / "slow.mov", clock).ClockNote();
  };
  EXPECT_NEAR(last_time({}), 4.0 / 30.0, 1e-9);
  EXPECT_NEAR(last_time({240.0}), 4.0 / 240.0, 1e-9);
  EXPECT_NEAR(last_time({239.76}), 4.0 / 239.76, 1e-9);
  EXPECT_NEAR(last_time({240.0, TimeBase::kContainer}), 4.0 / 30.0, 1e-9);
  EXPECT_NEAR(last_time({25.0, TimeBase::kStated}), 4.0 / 25.0, 1e-9);
  EXPECT_EQ(VideoReader(folder / "slow.mov", {240.0}).FrameRate(), 240.0);
  EXPECT_EQ(note({}), "");
  EXPECT_EQ(note({30.0}), "");
  EXPECT_EQ(note({29.97}), "");
  EXPECT_THAT(note({240.0}), HasSubstr("the 240 frames/s of frame_rate count, not the 30 of"));
  EXPECT_THAT(note({240.0, TimeBase::kContainer}), HasSubstr("the 30 frames/s of the file count"));
  // No whole multiple: the file counts, but not in silence.
  EXPECT_NEAR(last_time({100.0}), 4.0 / 30.0, 1e-9);
  EXPECT_THAT(note({100.0}), HasSubstr("the 30 frames/s of the file count, not the 100"));
}

TEST(VideoReader, SkipsToTheFrameThatReadingAllGives) {
  const std::vector<Frame> all = ReadAll(RealVideo());
  for (const int index : {0, 1, 2, 30, 71}) {
    VideoReader reader(RealVideo());
    reader.SkipTo(index);
    for (int k = index; k < std::min(index + 3, 72); ++k) {
      const auto frame = reader.Next();
      ASSERT_TRUE(frame) << k;
      const Frame& truth = all[k];
      EXPECT_EQ(frame->index, k);
      EXPECT_EQ(frame->time, truth.time);
      EXPECT_EQ(cv::norm(frame->luma, truth.luma, cv::NORM_INF), 0.0) << k;
    }
  }
}

// From one image to the next, over images that others are made from and over some that none is.
TEST(VideoReader, SkipsOnAndOnToTheFramesThatReadingAllGives) {
  const std::vector<Frame> all = ReadAll(RealVideo());
  VideoReader reader(RealVideo());
  for (const int index : {3, 4, 7, 9, 30, 32, 33, 52, 71}) {
    reader.SkipTo(index);
    const auto frame = reader.Next();
    ASSERT_TRUE(frame) << index;
    EXPECT_EQ(frame->index, index);
    EXPECT_EQ(frame->time, all[index].time);
    EXPECT_EQ(cv::norm(frame->luma, all[index].luma, cv::NORM_INF), 0.0) << index;
  }
}

TEST(VideoReader, SkipsPastTheEndToNothingAndNeverBack) {
  VideoReader reader(RealVideo());
  reader.SkipTo(40);
  EXPECT_THROW(reader.SkipTo(39), std::invalid_argument);
  reader.SkipTo(90);
  EXPECT_FALSE(reader.Next());
}

TEST(VideoReader, SkipsInImagesByTheirNumber) {
  const TemporaryFolder folder;
  for (int k = 0; k < 5; ++k) {
    cv::imwrite((folder / (std::to_string(k) + ".png")).string(), cv::Mat(8, 8, CV_8UC1, 10 * k));
  }
  VideoReader reader(folder.Path() / "*.png", {100.0});
  reader.SkipTo(3);
  const auto frame = reader.Next();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->index, 3);
  EXPECT_NEAR(frame->time, 0.03, 1e-12);
  EXPECT_EQ(frame->luma.at<uchar>(0, 0), 30);
}

// Truth: README of the data set (120 Hz, 1280 x 720) and truth.json (72 frames).
TEST(VideoReader, ReadsARealVideoWithItsFrameTimes) {
  VideoReader reader(RealVideo());
  EXPECT_EQ(reader.FrameSize(), cv::Size(1280, 720));
  EXPECT_EQ(reader.FrameCount(), 72);
  EXPECT_DOUBLE_EQ(reader.FrameRate(), 120.0);
  EXPECT_EQ(reader.File(), RealVideo());
  int count = 0;
  while (const auto frame = reader.Next()) {
    EXPECT_EQ(frame->index, count);
    EXPECT_NEAR(frame->time, count / 120.0, 1e-9);
    EXPECT_EQ(frame->luma.type(), CV_8UC1);
    EXPECT_EQ(frame->luma.size(), cv::Size(1280, 720));
    ++count;
  }
  EXPECT_EQ(count, 72);
  EXPECT_FALSE(reader.Next().has_value());
}

// Truth: the still image of the same camera and light. Where the scene is the same (all but board
// and bar), a grey value of the still has the same median in the video.
TEST(VideoReader, GreyValuesAreOnTheScaleOfStillImages) {
  const cv::Mat still =
      cv::imread(std::string(PERCUSS_DATA_DIR) + "/bar-drop/calibration/surface/left.png",
                 cv::IMREAD_GRAYSCALE);
  const cv::Mat frame = VideoReader(RealVideo()).Next()->luma;
  for (const int grey : {40, 60, 80, 100}) {
    std::vector<int> seen;
    for (int i = 0; i < still.rows * still.cols; ++i) {
      if (still.data[i] == grey) seen.push_back(frame.data[i]);
    }
    ASSERT_GT(seen.size(), 1000u);
    std::nth_element(seen.begin(), seen.begin() + static_cast<long>(seen.size() / 2), seen.end());
    EXPECT_NEAR(seen[seen.size() / 2], grey, 1.5) << grey;
  }
}

struct RawCase {
  const char* name;
  const char* file;  // Matroska states the range, NUT knows more formats
  AVPixelFormat format;
  AVColorRange range;
  std::size_t other_bytes;  // after the luma plane, per 2x2 block of pixels
  bool studio;              // expected reading
};

class RawVideo : public ::testing::TestWithParam<RawCase> {};

// Truth: the bytes written. Full range comes back as it is, studio range as (Y - 16) 255 / 219.
TEST_P(RawVideo, LumaIsThatOfTheFile) {
  const TemporaryFolder folder;
  const RawCase& raw = GetParam();
  const int width = 34;  // not a multiple of what decoders align to
  const int height = 22;
  WrittenVideo video{.format = raw.format, .range = raw.range, .width = width, .height = height};
  std::mt19937 random(5);
  std::vector<std::string> written;
  for (int k = 0; k < 4; ++k) {
    std::string bytes(static_cast<std::size_t>(width * height), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random() % 256);
    written.push_back(bytes);
    bytes.append(raw.other_bytes * static_cast<std::size_t>(width * height / 4), '\x55');
    video.packets.push_back({.time = k, .bytes = bytes});
  }
  WriteVideo(folder / raw.file, video);

  const std::vector<Frame> frames = ReadAll(folder / raw.file);
  ASSERT_EQ(frames.size(), written.size());
  for (std::size_t k = 0; k < frames.size(); ++k) {
    ASSERT_EQ(frames[k].luma.size(), cv::Size(width, height));
    for (int i = 0; i < width * height; ++i) {
      const int stored = static_cast<uchar>(written[k][i]);
      const int expected =
          raw.studio ? std::clamp<int>(static_cast<int>(std::lround((stored - 16) * 255.0 / 219.0)),
                                       0, 255)
                     : stored;
      ASSERT_EQ(frames[k].luma.at<uchar>(i / width, i % width), expected) << stored;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Formats, RawVideo,
    ::testing::Values(
        RawCase{"Yuv420Full", "raw.mkv", AV_PIX_FMT_YUV420P, AVCOL_RANGE_JPEG, 2, false},
        RawCase{"Yuv420Studio", "raw.mkv", AV_PIX_FMT_YUV420P, AVCOL_RANGE_MPEG, 2, true},
        RawCase{"Yuv420Unstated", "raw.mkv", AV_PIX_FMT_YUV420P, AVCOL_RANGE_UNSPECIFIED, 2, true},
        RawCase{"Yuv422Full", "raw.mkv", AV_PIX_FMT_YUV422P, AVCOL_RANGE_JPEG, 4, false},
        RawCase{"Yuv444Unstated", "raw.nut", AV_PIX_FMT_YUV444P, AVCOL_RANGE_UNSPECIFIED, 8, true},
        RawCase{"Nv12Full", "raw.mkv", AV_PIX_FMT_NV12, AVCOL_RANGE_JPEG, 2, false},
        RawCase{"GreyUnstated", "raw.nut", AV_PIX_FMT_GRAY8, AVCOL_RANGE_UNSPECIFIED, 0, false}),
    [](const auto& info) { return info.param.name; });

struct DeepCase {
  const char* name;
  AVPixelFormat format;
  double black, white;         // stored values of 0 and 255
  std::size_t other_per_luma;  // bytes after the luma plane, per 4 pixels
};

class DeepVideo : public ::testing::TestWithParam<DeepCase> {};

// Truth: the values written; a grey value is good to half a step.
TEST_P(DeepVideo, GreyIsSpreadBetweenBlackAndWhite) {
  const TemporaryFolder folder;
  const DeepCase& deep = GetParam();
  WrittenVideo video{.format = deep.format, .width = 32, .height = 16};
  std::string bytes;
  std::vector<int> stored;
  for (int i = 0; i < 32 * 16; ++i) {
    stored.push_back(static_cast<int>(deep.black + (deep.white - deep.black) * i / 511.0));
    bytes += static_cast<char>(stored.back() & 0xff);
    bytes += static_cast<char>(stored.back() >> 8);
  }
  bytes.append(32 * 16 / 4 * deep.other_per_luma, '\x20');
  video.packets = {{0, bytes}};
  WriteVideo(folder / "deep.nut", video);
  const cv::Mat luma = ReadAll(folder / "deep.nut").at(0).luma;
  for (int i = 0; i < 32 * 16; ++i) {
    ASSERT_NEAR(luma.at<uchar>(i / 32, i % 32),
                255.0 * (stored[i] - deep.black) / (deep.white - deep.black), 0.501);
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, DeepVideo,
                         ::testing::Values(DeepCase{"TenBit", AV_PIX_FMT_YUV420P10LE, 64, 940, 4},
                                           DeepCase{"SixteenBitGrey", AV_PIX_FMT_GRAY16LE, 0, 65535,
                                                    0}),
                         [](const auto& info) { return info.param.name; });

// Truth: the bytes written.
TEST(VideoReader, PackedLumaIsThatOfTheFile) {
  const TemporaryFolder folder;
  WrittenVideo packed{
      .format = AV_PIX_FMT_YUYV422, .range = AVCOL_RANGE_JPEG, .width = 32, .height = 16};
  std::string bytes;
  for (int i = 0; i < 32 * 16; ++i) {
    bytes += static_cast<char>(i % 256);
    bytes += '\x80';
  }
  packed.packets = {{0, bytes}};
  WriteVideo(folder / "packed.mkv", packed);
  const cv::Mat luma = ReadAll(folder / "packed.mkv").at(0).luma;
  for (int i = 0; i < 32 * 16; ++i) EXPECT_EQ(luma.at<uchar>(i / 32, i % 32), i % 256);
}

// Truth: where red, green and blue are equal, grey is that value.
TEST(VideoReader, GreyOfRgbIsFullRange) {
  const TemporaryFolder folder;
  WrittenVideo colour{.format = AV_PIX_FMT_RGB24, .width = 32, .height = 16};
  std::string bytes;
  for (int i = 0; i < 32 * 16; ++i) bytes.append(3, static_cast<char>(i % 256));
  colour.packets = {{0, bytes}};
  WriteVideo(folder / "colour.nut", colour);
  const cv::Mat luma = ReadAll(folder / "colour.nut").at(0).luma;
  for (int i = 0; i < 32 * 16; ++i) EXPECT_NEAR(luma.at<uchar>(i / 32, i % 32), i % 256, 1);
}

// Truth: the time stamps written, unevenly spaced as phones do.
TEST(VideoReader, FrameTimesAreThoseOfTheFile) {
  const TemporaryFolder folder;
  WrittenVideo video = JpegVideo({10, 20, 30, 40});
  video.time_base = {1, 1000};
  const std::vector<std::int64_t> times = {0, 8, 17, 33};
  for (std::size_t k = 0; k < times.size(); ++k) video.packets[k].time = times[k];
  WriteVideo(folder / "uneven.mov", video);
  const std::vector<Frame> frames = ReadAll(folder / "uneven.mov", 30.0);
  ASSERT_EQ(frames.size(), 4u);
  for (std::size_t k = 0; k < times.size(); ++k) {
    EXPECT_NEAR(frames[k].time, static_cast<double>(times[k]) / 1000.0, 1e-9);
  }
}

// A phone held upright stores sideways images and a note to turn them clockwise.
TEST(VideoReader, TurnsPhoneVideosUpright) {
  const TemporaryFolder folder;
  cv::Mat stored(48, 64, CV_8UC1, cv::Scalar(20));
  stored(cv::Rect(0, 0, 16, 16)) = 220;  // top left
  for (const auto& [degrees, size, corner] :
       {std::tuple(90.0, cv::Size(48, 64), cv::Point(44, 3)),
        std::tuple(180.0, cv::Size(64, 48), cv::Point(60, 44)),
        std::tuple(270.0, cv::Size(48, 64), cv::Point(3, 60))}) {
    WrittenVideo video = JpegVideo({0, 0});
    video.clockwise_deg = degrees;
    for (auto& packet : video.packets) packet.bytes = Jpeg(stored);
    const fs::path file = folder / (std::to_string(static_cast<int>(degrees)) + ".mov");
    WriteVideo(file, video);
    VideoReader reader(file);
    EXPECT_EQ(reader.FrameSize(), size) << degrees;
    const cv::Mat luma = reader.Next()->luma;
    EXPECT_NEAR(luma.at<uchar>(corner), 220, 5) << degrees;
    EXPECT_NEAR(luma.at<uchar>(luma.rows / 2, luma.cols / 2), 20, 5) << degrees;
  }
}

// Truth: the time stamps written; the first one is the start.
TEST(VideoReader, TimesCountFromTheFirstFrame) {
  const TemporaryFolder folder;
  WrittenVideo video = JpegVideo({10, 20, 30});
  for (auto& packet : video.packets) packet.time += 60;
  WriteVideo(folder / "late.nut", video);
  const std::vector<Frame> frames = ReadAll(folder / "late.nut");
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[0].time, 0.0);
  EXPECT_NEAR(frames[2].time, 2 / 120.0, 1e-9);
}

// A phone trims a clip by a note (edit list) that skips its beginning; that is no truncation.
// Truth: the same file without the note.
TEST(VideoReader, ReadsATrimmedClip) {
  const TemporaryFolder folder;
  const std::vector<Frame> all = ReadAll(RealVideo());
  std::string file = ReadFile(RealVideo());
  // Version and flags, number of entries, duration, then the start: 12 frames later at 128 ticks.
  const std::size_t start = file.find("elst") + 4 + 4 + 4 + 4;
  ASSERT_EQ(file.substr(start, 4), std::string("\0\0\1\0", 4));
  file.replace(start, 4, std::string("\0\0\7\0", 4));
  VideoReader reader(folder.Write("trimmed.mp4", file));
  EXPECT_EQ(reader.FrameCount(), 60);
  std::size_t count = 0;
  while (const auto frame = reader.Next()) {
    EXPECT_NEAR(frame->time, static_cast<double>(count) / 120.0, 1e-9);
    ASSERT_LT(count + 12, all.size());
    EXPECT_EQ(cv::norm(frame->luma, all[count + 12].luma, cv::NORM_INF), 0.0) << count;
    ++count;
  }
  EXPECT_EQ(count, 60u);
}

// The same where the frames that are skipped are not in the file's list at all.
TEST(VideoReader, ReadsAClipTrimmedToAKeyFrame) {
  const TemporaryFolder folder;
  WrittenVideo video = JpegVideo({10, 20, 30, 40, 50});
  for (auto& packet : video.packets) packet.time -= 2;
  WriteVideo(folder / "trimmed.mp4", video);
  EXPECT_EQ(VideoReader(folder / "trimmed.mp4").FrameCount(), 3);
  const std::vector<Frame> frames = ReadAll(folder / "trimmed.mp4");
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_NEAR(frames[0].luma.at<uchar>(5, 5), 30, 2);
  EXPECT_EQ(frames[0].time, 0.0);
}

TEST(VideoReader, FramesAreTheCallersOwn) {
  const TemporaryFolder folder;
  WriteVideo(folder / "a.mov", JpegVideo({10, 200, 90}));
  const std::vector<Frame> frames = ReadAll(folder / "a.mov");
  EXPECT_NEAR(cv::mean(frames[0].luma)[0], 10, 2);
  EXPECT_NEAR(cv::mean(frames[1].luma)[0], 200, 2);
  EXPECT_NEAR(cv::mean(frames[2].luma)[0], 90, 2);
}

// Bad files. Each message starts with the file; none prints.

TEST(VideoReader, NamesAMissingFile) {
  EXPECT_EQ(ErrorReading("no/such.mp4"), "no/such.mp4: found no such file, allowed a video");
}

TEST(VideoReader, NamesAnEmptyFile) {
  const TemporaryFolder folder;
  const fs::path file = folder.Write("a.mp4", "");
  EXPECT_EQ(ErrorReading(file), file.string() + ": found an empty file, allowed a video");
}

TEST(VideoReader, NamesAFileThatIsNoVideo) {
  const TemporaryFolder folder;
  const fs::path file = folder.Write("a.mp4", "This is a letter to the editor.");
  ::testing::internal::CaptureStderr();
  const std::string message = ErrorReading(file);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_THAT(message, AllOf(StartsWith(file.string() + ": found no readable video ("),
                             HasSubstr("allowed a complete video file")));
}

// A file that only names others (a playlist) is no video, whatever it is called: what is read is
// the file that the user named and nothing else. Truth: the same clip by its own name is a video.
TEST(VideoReader, OpensNoOtherFileThanTheOneNamed) {
  const TemporaryFolder folder;
  WriteVideo(folder / "clip.mkv", JpegVideo({10, 20, 30}));
  ASSERT_EQ(ReadAll(folder / "clip.mkv").size(), 3U);
  const std::string playlists[] = {
      "ffconcat version 1.0\nfile clip.mkv\n",
      "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:1\n#EXTINF:1.0,\nclip.mkv\n"
      "#EXT-X-ENDLIST\n",
      "<?xml version=\"1.0\"?>\n<MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" type=\"static\" "
      "mediaPresentationDuration=\"PT1S\"><Period><AdaptationSet mimeType=\"video/x-matroska\">"
      "<Representation id=\"1\" bandwidth=\"1\"><BaseURL>clip.mkv</BaseURL></Representation>"
      "</AdaptationSet></Period></MPD>\n"};
  for (const std::string& playlist : playlists) {
    const fs::path file = folder.Write("left.mp4", playlist);
    EXPECT_THAT(ErrorReading(file), StartsWith(file.string() + ": found "));
  }
}

// Names that FFmpeg's own programs take for something else than a file.
TEST(VideoReader, NamesAreNamesOfFiles) {
  const TemporaryFolder folder;
  WriteVideo(folder / "clip.mkv", JpegVideo({10, 20, 30}));
  const fs::path before = fs::current_path();
  fs::current_path(folder.Path());
  for (const std::string name : {"concat:clip.mkv|clip.mkv", "pipe:0", "crypto:clip.mkv",
                                 "http://127.0.0.1/clip.mkv", "subfile,,start,0,end,0,,:clip.mkv"})
    EXPECT_EQ(ErrorReading(name), name + ": found no such file, allowed a video");
  for (const std::string name : {"concat:clip.mkv", "pipe:0", "a$(touch trap)|`touch trap`.mkv"}) {
    fs::copy_file("clip.mkv", name);
    EXPECT_EQ(ReadAll(name).size(), 3U) << name;
  }
  EXPECT_FALSE(fs::exists("trap"));
  fs::current_path(before);
}

TEST(VideoReader, NamesASingleImage) {
  const TemporaryFolder folder;
  const fs::path file = folder.Write("a.mp4", Jpeg(cv::Mat(48, 64, CV_8UC1, cv::Scalar(9))));
  EXPECT_EQ(ErrorReading(file), file.string() + ": found a single image, allowed a video");
}

TEST(VideoReader, NamesAFileWithSoundOnly) {
  const TemporaryFolder folder;
  std::string wave(
      "RIFF\x64\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x40\x1f\0\0\1\0\10\0data\x40\0\0\0",
      44);
  wave.append(64, '\x80');
  const fs::path file = folder.Write("a.wav", wave);
  EXPECT_EQ(ErrorReading(file), file.string() + ": found no video in the file, allowed a video");
}

// The header is at the front of this file, so that it opens, and stops half-way.
TEST(VideoReader, NamesTheFrameWhereATruncatedVideoEnds) {
  const TemporaryFolder folder;
  const std::string whole = ReadFile(RealVideo());
  const fs::path file = folder.Write("half.mp4", whole.substr(0, whole.size() / 2));
  ::testing::internal::CaptureStderr();
  const std::string message = ErrorReading(file);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  // Frame 33 of 72 is where the first half of the bytes ends, in the order of storage.
  EXPECT_EQ(message, file.string() +
                         ": frame 33: the video ends here, allowed 72 frames as its header says "
                         "(truncated file?)");
}

TEST(VideoReader, NoticesThatTheLastFrameIsCut) {
  const TemporaryFolder folder;
  const std::string whole = ReadFile(RealVideo());
  const fs::path file = folder.Write("cut.mp4", whole.substr(0, whole.size() - 500));
  EXPECT_THAT(ErrorReading(file), HasSubstr("frame 71: the video ends here, allowed 72 frames"));
}

TEST(VideoReader, NamesAVideoCutInsideItsHeader) {
  const TemporaryFolder folder;
  const fs::path file = folder.Write("cut.mp4", ReadFile(RealVideo()).substr(0, 1000));
  EXPECT_THAT(ErrorReading(file), StartsWith(file.string() + ": found no readable video ("));
}

// Most recorders write the header last: a recording that was interrupted has none.
TEST(VideoReader, NamesARecordingThatWasInterrupted) {
  const TemporaryFolder folder;
  WriteVideo(folder / "whole.mp4", JpegVideo(std::vector<int>(30, 50)));
  const std::string whole = ReadFile(folder / "whole.mp4");
  ASSERT_GT(whole.find("moov"), whole.size() / 2);
  const fs::path file = folder.Write("cut.mp4", whole.substr(0, whole.size() / 2));
  EXPECT_THAT(ErrorReading(file), StartsWith(file.string() + ": found no readable video ("));
}

// The bytes end just where a frame does: only the promise of the header tells.
TEST(VideoReader, NoticesAFileThatEndsBetweenFrames) {
  const TemporaryFolder folder;
  WriteVideo(folder / "whole.avi", JpegVideo(std::vector<int>(30, 50)));
  const std::string whole = ReadFile(folder / "whole.avi");
  const std::size_t last_frame = whole.rfind("00dc", whole.rfind("idx1"));
  ASSERT_NE(last_frame, std::string::npos);
  const fs::path file = folder.Write("cut.avi", whole.substr(0, last_frame));
  EXPECT_EQ(ErrorReading(file), file.string() +
                                    ": frame 29: the video ends here, allowed 30 frames as its "
                                    "header says (truncated file?)");
}

// Matroska rounds times to milliseconds: 12 % of a frame at 120 Hz. Truth: the rate written.
TEST(VideoReader, TellsToWhatTimesAreRounded) {
  const TemporaryFolder folder;
  WriteVideo(folder / "even.mkv", JpegVideo(std::vector<int>(60, 50)));
  VideoReader reader(folder / "even.mkv");
  EXPECT_DOUBLE_EQ(reader.TimeTick(), 1e-3);
  std::vector<double> times;
  while (const auto frame = reader.Next()) times.push_back(frame->time);
  EXPECT_GT(std::abs(times[1] - 1.0 / 120.0), 3e-4);
  times = UnroundedTimes(times, reader.TimeTick(), reader.FrameRate());
  for (std::size_t k = 0; k < times.size(); ++k) {
    EXPECT_NEAR(times[k], static_cast<double>(k) / 120.0, 5e-5) << k;
  }
}

// Matroska promises a duration, not a count.
TEST(VideoReader, NoticesATruncatedMatroskaFile) {
  const TemporaryFolder folder;
  WriteVideo(folder / "whole.mkv", JpegVideo(std::vector<int>(60, 50)));
  EXPECT_EQ(ReadAll(folder / "whole.mkv").size(), 60u);
  const std::string whole = ReadFile(folder / "whole.mkv");
  const fs::path file = folder.Write("cut.mkv", whole.substr(0, whole.size() / 2));
  EXPECT_THAT(ErrorReading(file), HasSubstr("the video ends here after 0.2"));
}

TEST(VideoReader, NamesAFrameThatCannotBeDecoded) {
  const TemporaryFolder folder;
  std::string damaged = ReadFile(RealVideo());
  std::fill_n(damaged.begin() + 700000, 12000, '\0');
  const fs::path file = folder.Write("damaged.mp4", damaged);
  ::testing::internal::CaptureStderr();
  const std::string message = ErrorReading(file);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_THAT(message, AllOf(StartsWith(file.string() + ": near frame 31: cannot be decoded: "),
                             HasSubstr("(damaged file?)")));
}

// A few flipped bytes are enough, wherever they are: the decoder would conceal them with
// neighbouring pixels, which look real and are not.
TEST(VideoReader, NoticesAFewDamagedBytes) {
  const TemporaryFolder folder;
  const std::string whole = ReadFile(RealVideo());
  std::mt19937 random(3);
  for (int k = 0; k < 6; ++k) {
    std::string damaged = whole;
    const std::size_t place = 5000 + random() % (whole.size() - 10000);
    for (std::size_t i = 0; i < 4; ++i) {
      damaged[place + 3 * i] = static_cast<char>(damaged[place + 3 * i] ^ (1 + random() % 255));
    }
    const fs::path file = folder.Write("damaged.mp4", damaged);
    EXPECT_THAT(ErrorReading(file), HasSubstr("cannot be decoded")) << place;
  }
}

TEST(VideoReader, NamesTheFrameWhoseTimeGoesBack) {
  const TemporaryFolder folder;
  WrittenVideo video = JpegVideo({10, 20, 30, 40, 50, 60});
  std::swap(video.packets[3].time, video.packets[4].time);
  video.decode_lead = 1;
  WriteVideo(folder / "back.mov", video);
  EXPECT_EQ(ErrorReading(folder / "back.mov"),
            (folder / "back.mov").string() +
                ": frame 4: found time 0.025000 s after 0.033333 s, allowed rising times");
}

TEST(VideoReader, NamesTheFrameWhoseSizeChanges) {
  const TemporaryFolder folder;
  WrittenVideo video = JpegVideo({10, 20, 30, 40});
  video.packets[2].bytes = Jpeg(cv::Mat(96, 128, CV_8UC1, cv::Scalar(30)));
  WriteVideo(folder / "sizes.mkv", video);
  EXPECT_EQ(ErrorReading(folder / "sizes.mkv"),
            (folder / "sizes.mkv").string() +
                ": frame 2: found 128 x 96 pixels, allowed 64 x 48 as in frame 0");
}

TEST(VideoReader, RawStreamNeedsAFrameRate) {
  const TemporaryFolder folder;
  std::string stream;
  for (const int grey : {10, 20, 30}) stream += Jpeg(cv::Mat(48, 64, CV_8UC1, cv::Scalar(grey)));
  const fs::path file = folder.Write("raw.mjpeg", stream);
  EXPECT_EQ(ErrorReading(file), file.string() +
                                    ": found a video without frame times, allowed only with "
                                    "frame_rate in the experiment file");
  const std::vector<Frame> frames = ReadAll(file, 250.0);
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_DOUBLE_EQ(frames[2].time, 2 / 250.0);
}

TEST(VideoReader, RejectsAFallbackRateThatIsNone) {
  EXPECT_THROW(VideoReader(RealVideo(), {0.0}), std::invalid_argument);
  EXPECT_THROW(VideoReader(RealVideo(), {-120.0}), std::invalid_argument);
}

TEST(VideoReader, ReadsNumberedImagesInOrder) {
  const TemporaryFolder folder;
  for (const int number : {1, 2, 10}) {
    cv::imwrite((folder / ("frame" + std::to_string(number) + ".png")).string(),
                cv::Mat(48, 64, CV_8UC1, cv::Scalar(number)));
  }
  folder.Write("notes.txt", "not a frame");
  for (const fs::path& source : {folder.Path(), folder / "frame*.png"}) {
    VideoReader reader(source, {100.0});
    EXPECT_EQ(reader.FrameCount(), 3);
    EXPECT_DOUBLE_EQ(reader.FrameRate(), 100.0);
    const std::vector<Frame> frames = ReadAll(source, 100.0);
    ASSERT_EQ(frames.size(), 3u);
    EXPECT_EQ(frames[1].luma.at<uchar>(0, 0), 2);
    EXPECT_EQ(frames[2].luma.at<uchar>(0, 0), 10);
    EXPECT_DOUBLE_EQ(frames[2].time, 0.02);
    EXPECT_EQ(ErrorReading(source), source.string() +
                                        ": found images, which carry no frame times, allowed only "
                                        "with frame_rate in the experiment file (a line such "
                                        "as frame_rate: 1000, in Hz)");
  }
}

TEST(VideoReader, NamesABadImageOfASequence) {
  const TemporaryFolder folder;
  for (const int number : {1, 2, 3}) {
    cv::imwrite((folder / ("frame" + std::to_string(number) + ".png")).string(),
                cv::Mat(48, 64, CV_8UC1, cv::Scalar(number)));
  }
  cv::imwrite((folder / "frame2.png").string(), cv::Mat(20, 30, CV_8UC1, cv::Scalar(2)));
  EXPECT_THAT(ErrorReading(folder.Path(), 100.0),
              HasSubstr(": frame 1: found 30 x 20 pixels, allowed 64 x 48 as in frame 0"));
  const std::string png = ReadFile(folder / "frame1.png");
  folder.Write("frame2.png", png.substr(0, 20));
  EXPECT_THAT(ErrorReading(folder.Path(), 100.0), HasSubstr("cannot be decoded"));
  EXPECT_THAT(ErrorReading(folder / "*.tif", 100.0),
              HasSubstr("*.tif: found no image there, allowed at least one frame"));
}

}  // namespace
}  // namespace percuss::capture
