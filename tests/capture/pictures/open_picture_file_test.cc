// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/pictures/open_picture_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <random>
#include <string>
#include <vector>

#include "capture/pictures/mraw_file.h"
#include "capture/video/video.h"
#include "capture/video/video_stream.h"
#include "tests/base/temporary_folder.h"
#include "tests/capture/pictures/made_recording.h"

namespace percuss::capture {
namespace {

namespace fs = std::filesystem;
using ::percuss::testing::CihText;
using ::percuss::testing::CihxText;
using ::percuss::testing::CineBytes;
using ::percuss::testing::InputErrorOf;
using ::percuss::testing::MadeRecording;
using ::percuss::testing::MrawBytes;
using ::percuss::testing::PutNumber;
using ::percuss::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::size_t kSetup = 84;  // place of SETUP in CineBytes

// Three pictures whose rows, columns and frames all differ.
MadeRecording Made(int stored_bits, int depth) {
  MadeRecording made{.pictures = {}, .stored_bits = stored_bits, .depth = depth, .times = {}};
  std::mt19937 random(7);
  std::uniform_int_distribution<int> grey(0, (1 << std::min(depth, stored_bits)) - 1);
  for (int k = 0; k < 3; ++k) {
    cv::Mat picture(10, 16, CV_16UC1);
    for (int i = 0; i < 160; ++i)
      picture.at<std::uint16_t>(i / 16, i % 16) = static_cast<std::uint16_t>(grey(random));
    made.pictures.push_back(picture);
  }
  return made;
}

void ExpectPictures(VideoReader* reader, const MadeRecording& made, const GreyLevels& levels) {
  for (const cv::Mat& picture : made.pictures) {
    const auto frame = reader->NextStored();
    ASSERT_TRUE(frame);
    cv::Mat luma;
    frame->luma.convertTo(luma, CV_16U);
    EXPECT_EQ(frame->luma.depth(), made.stored_bits == 8 ? CV_8U : CV_16U);
    EXPECT_EQ(cv::norm(luma, picture, cv::NORM_INF), 0.0);
    EXPECT_EQ(frame->levels, levels);
  }
  EXPECT_FALSE(reader->NextStored());
}

struct PictureDepth {
  int stored_bits, depth;
};

class EveryDepth : public ::testing::TestWithParam<PictureDepth> {};

// Truth: the values written.
TEST_P(EveryDepth, OfACineIsThatOfTheCamera) {
  const TemporaryFolder folder;
  const auto [stored_bits, depth] = GetParam();
  const MadeRecording made = Made(stored_bits, depth);
  VideoReader reader(folder.Write("a.cine", CineBytes(made)));
  EXPECT_EQ(reader.FrameCount(), 3);
  ExpectPictures(&reader, made, LevelsOfBits(depth));
}

// Truth: the values written.
TEST_P(EveryDepth, OfAnMrawIsThatOfTheCamera) {
  const TemporaryFolder folder;
  const auto [stored_bits, depth] = GetParam();
  const MadeRecording made = Made(stored_bits, depth);
  folder.Write("a.mraw", MrawBytes(made));
  folder.Write("a.cihx", CihxText(made));
  folder.Write("b.mraw", MrawBytes(made));
  folder.Write("b.cih", CihText(made));
  for (const char* name : {"a.mraw", "a.cihx", "b.mraw", "b.cih"}) {
    VideoReader reader(folder / name);
    ExpectPictures(&reader, made, LevelsOfBits(depth));
    EXPECT_NEAR(reader.Camera().exposure.value_or(0.0), 20e-6, 1e-12) << name;
    EXPECT_EQ(reader.FrameRate(), 1000.0);
  }
}

INSTANTIATE_TEST_SUITE_P(Depths, EveryDepth,
                         ::testing::Values(PictureDepth{8, 8}, PictureDepth{12, 12},
                                           PictureDepth{16, 10}, PictureDepth{16, 12},
                                           PictureDepth{16, 14}, PictureDepth{16, 16}),
                         [](const auto& info) {
                           return fmt::format("{}In{}", info.param.depth, info.param.stored_bits);
                         });

// Truth: FFmpeg, which reads 8 and 16 bits on its own.
TEST(CineFile, IsReadAsFfmpegReadsIt) {
  const TemporaryFolder folder;
  for (const int bits : {8, 16}) {
    const fs::path file = folder.Write("a.cine", CineBytes(Made(bits, bits)));
    VideoReader ours(file);
    VideoStream theirs(file);
    for (int k = 0; k < 3; ++k) {
      const auto seen = ours.NextStored();
      const auto expected = theirs.Read();
      ASSERT_TRUE(seen && expected);
      EXPECT_EQ(cv::norm(seen->luma, expected->luma, cv::NORM_INF), 0.0) << bits << ", " << k;
    }
  }
}

// Truth: values of the table in the Cine File Format; four pixels lie in five bytes.
TEST(CineFile, TenBitsStandForTwelve) {
  const TemporaryFolder folder;
  MadeRecording made{
      .pictures = {cv::Mat(1, 8, CV_16UC1)}, .stored_bits = 10, .depth = 10, .times = {}};
  const std::vector<int> codes = {0, 1, 144, 512, 800, 1014, 1015, 1023};
  const std::vector<int> values = {2, 5, 139, 998, 2468, 4064, 4095, 4095};
  for (int x = 0; x < 8; ++x)
    made.pictures[0].at<std::uint16_t>(0, x) = static_cast<std::uint16_t>(codes[x]);
  const auto frame = VideoReader(folder.Write("a.cine", CineBytes(made))).NextStored();
  for (int x = 0; x < 8; ++x) EXPECT_EQ(frame->luma.at<std::uint16_t>(0, x), values[x]) << x;
  EXPECT_EQ(frame->levels, (GreyLevels{64, 4064}));
}

// Truth: the stamps written, one frame missing and none quite even; the rate says another thing.
TEST(CineFile, StampsOfTheCameraAreTheTimes) {
  const TemporaryFolder folder;
  MadeRecording made = Made(16, 12);
  made.times = {1405334289.99912, 1405334290.00012, 1405334290.00212};
  VideoReader reader(folder.Write("a.cine", CineBytes(made)), {2000.0});
  for (const double time : made.times) EXPECT_NEAR(reader.Next()->time, time - made.times[0], 5e-7);
  EXPECT_NEAR(reader.Camera().exposure.value_or(0.0), 20e-6, 1e-12);
  EXPECT_THAT(reader.ClockNote(), HasSubstr("the 1000 frames/s of the file count"));
  VideoReader stated(folder / "a.cine", {2000.0, TimeBase::kStated});
  stated.SkipTo(2);
  EXPECT_NEAR(stated.Next()->time, 0.5 * (made.times[2] - made.times[0]), 5e-7);
}

TEST(CineFile, WithoutStampsHasTheTimesOfItsRate) {
  const TemporaryFolder folder;
  VideoReader reader(folder.Write("a.cine", CineBytes(Made(12, 12))));
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(reader.Next()->time, 1e-3 * k, 1e-12);
}

TEST(CineFile, BlackAndWhiteAreThoseOfTheHeader) {
  const TemporaryFolder folder;
  MadeRecording made = Made(12, 12);
  made.black = 64;
  made.white = 4064;
  const auto frame = VideoReader(folder.Write("a.cine", CineBytes(made))).NextStored();
  EXPECT_EQ(frame->levels, (GreyLevels{64, 4064}));
}

// A header may promise anything: one line that names file and field, and no memory for it.
TEST(CineFile, NamesTheFieldThatCannotBe) {
  const TemporaryFolder folder;
  MadeRecording made = Made(16, 12);
  made.times = {1.0, 1.001, 1.002};
  const std::string good = CineBytes(made);
  const auto error = [&](std::size_t at, std::uint64_t number, int size) {
    std::string bytes = good;
    PutNumber(&bytes, at, number, size);
    const fs::path file = folder.Write("a.cine", bytes);
    return InputErrorOf([&] {
      VideoReader reader(file);
      while (reader.Next()) {
      }
    });
  };
  EXPECT_THAT(error(20, 1'000'000'000, 4),
              AllOf(HasSubstr("a.cine: ImageCount: found 1000000000, allowed 1 to")));
  EXPECT_THAT(error(48, 0, 4), HasSubstr("a.cine: biWidth: found 0, allowed 1 to 32768"));
  EXPECT_THAT(error(52, 0, 4), HasSubstr("a.cine: biHeight: found 0, allowed 1 to 32768"));
  EXPECT_THAT(error(58, 13, 2), HasSubstr("a.cine: biBitCount: found 13, allowed 8 or 16"));
  EXPECT_THAT(error(60, 5, 4), HasSubstr("a.cine: biCompression: found 5, allowed 0, 256"));
  EXPECT_THAT(error(4, 1, 2), HasSubstr("a.cine: Compression: found 1, allowed 0 or 2"));
  EXPECT_THAT(error(6, 2, 2), HasSubstr("a.cine: Version: found 2, allowed 1"));
  EXPECT_THAT(error(0, 0x4141, 2), HasSubstr("a.cine: Type: found 16705, allowed 18755 (CI)"));
  EXPECT_THAT(error(28, 0xFFFFFF00, 4), HasSubstr("a.cine: found"));
  EXPECT_THAT(error(kSetup + 768, 0, 4), HasSubstr("SETUP.FrameRate: found 0, allowed above 0"));
  EXPECT_THAT(error(kSetup + 896, 40, 4), HasSubstr("SETUP.RealBPP: found 40, allowed 8 to 16"));
  EXPECT_THAT(error(20, 2, 4), HasSubstr("times of the frames (tagged block 1002): found 32, "
                                         "allowed 24 bytes for 2 frames"));
  EXPECT_THAT(error(48, 15, 4), HasSubstr("a.cine: frame 0: ImageSize: found 320, allowed 300"));
  EXPECT_THAT(InputErrorOf([&] {
                VideoReader reader(folder.Write("b.cine", good.substr(0, good.size() - 5)));
                while (reader.Next()) {
                }
              }),
              HasSubstr("b.cine: found"));
}

TEST(MrawFile, FramesAreAsFarApartAsTheyWereSaved) {
  const TemporaryFolder folder;
  const MadeRecording made = Made(12, 12);
  std::string header = CihText(made);
  header.replace(header.find("Save Step : 1"), 13, "Save Step : 4");
  folder.Write("a.cih", header);
  VideoReader reader(folder.Write("a.mraw", MrawBytes(made)));
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(reader.Next()->time, 4e-3 * k, 1e-12);
}

// Truth: 12 bits at the higher end of 16 are 16 times as large.
TEST(MrawFile, EffectiveBitsMayLieAtTheHigherEnd) {
  const TemporaryFolder folder;
  const MadeRecording made = Made(16, 12);
  MadeRecording higher = made;
  for (cv::Mat& picture : higher.pictures) picture = cv::Mat(16 * picture);
  std::string header = CihText(made);
  header.replace(header.find("Lower"), 5, "Higher");
  folder.Write("a.cih", header);
  VideoReader reader(folder.Write("a.mraw", MrawBytes(higher)));
  ExpectPictures(&reader, made, LevelsOfBits(12));
}

// A run is done again when either of them changes.
TEST(MrawFile, IsMadeOfPicturesAndHeader) {
  const TemporaryFolder folder;
  for (const char* name : {"a.mraw", "a.cihx", "b.mp4"}) folder.Write(name, "");
  const std::vector<fs::path> both = {folder / "a.mraw", folder / "a.cihx"};
  EXPECT_EQ(FilesOfRecording(folder / "a.mraw"), both);
  EXPECT_EQ(FilesOfRecording(folder / "a.cihx"), both);
  EXPECT_EQ(FilesOfRecording(folder / "b.mp4"), std::vector<fs::path>{folder / "b.mp4"});
}

TEST(MrawFile, NamesWhatIsMissingOrCannotBe) {
  const TemporaryFolder folder;
  const MadeRecording made = Made(12, 12);
  const fs::path file = folder.Write("a.mraw", MrawBytes(made));
  const auto error = [&] { return InputErrorOf([&] { VideoReader reader(file); }); };
  EXPECT_THAT(error(), HasSubstr("a.mraw: found no a.cihx beside it, allowed with one, or with "
                                 "a.cih: it says how large the pictures are"));
  const auto with = [&](const std::string& key, const std::string& line) {
    std::string header = CihText(made);
    const std::size_t begin = header.find("\n" + key) + 1;
    header.replace(begin, header.find('\n', begin) - begin, line);
    folder.Write("a.cih", header);
    return error();
  };
  EXPECT_THAT(with("Image Width", ""), HasSubstr("a.cih: Image Width: found nothing, allowed a "
                                                 "whole number from 1 to 32768"));
  EXPECT_THAT(with("Image Height", "Image Height : 0"), HasSubstr("a.cih: Image Height: found 0"));
  EXPECT_THAT(with("Color Bit", "Color Bit : 36"), HasSubstr("a.cih: Color Bit: found 36, allowed "
                                                             "8, 12 or 16"));
  EXPECT_THAT(with("Record Rate", "Record Rate(fps) : 0"),
              HasSubstr("a.cih: Record Rate(fps): found 0, allowed a number above 0"));
  EXPECT_THAT(with("EffectiveBit Side", "EffectiveBit Side : Left"),
              HasSubstr("EffectiveBit Side: found Left, allowed Lower or Higher"));
  EXPECT_THAT(with("Total Frame", "Total Frame : 1000000000"),
              HasSubstr("a.cih: Total Frame: found 1000000000, allowed a whole number from 1 to"));
  EXPECT_THAT(with("Total Frame", "Total Frame : 4"),
              HasSubstr("a.mraw: found 720 bytes, allowed 960: 4 frames of 16 x 10 pixels of 12 "
                        "bits, as a.cih says"));
  folder.Write("b.cihx", CihxText(made));
  EXPECT_THAT(InputErrorOf([&] { VideoReader reader(folder / "b.cihx"); }),
              HasSubstr("b.cihx: found no b.mraw beside it"));
}

TEST(MrawFile, NamesWhatIsWrongInItsXml) {
  const TemporaryFolder folder;
  const MadeRecording made = Made(12, 12);
  const fs::path file = folder.Write("a.mraw", MrawBytes(made));
  const auto with = [&](const std::string& text, const std::string& instead) {
    std::string header = CihxText(made);
    header.replace(header.find(text), text.size(), instead);
    folder.Write("a.cihx", header);
    return InputErrorOf([&] { VideoReader reader(file); });
  };
  EXPECT_THAT(with("<width>16<", "<width>0<"),
              HasSubstr("a.cihx: imageDataInfo/resolution/width: found 0, allowed a whole number "
                        "from 1 to 32768"));
  EXPECT_THAT(with("<totalFrame>3</totalFrame>", "<!-- <totalFrame>3</totalFrame> -->"),
              HasSubstr("a.cihx: frameInfo/totalFrame: found nothing, allowed a whole number"));
  EXPECT_THAT(with("</effectiveBit>", "</effective>"),
              HasSubstr("a.cihx: line 20: found no XML: Start-end tags mismatch"));
  EXPECT_THAT(with("</cih>", ""), HasSubstr("a.cihx: line 34: found no XML: "));
  EXPECT_THAT(with("<cih>", "<cif>"),
              HasSubstr("a.cihx: found no <cih>, allowed XML from <cih> to </cih>"));
}

// Truth: the values written; 12 bits lie at the lower end, and white is what is stated.
TEST(TiffFile, HasOnePagePerFrame) {
  const TemporaryFolder folder;
  const MadeRecording made = Made(16, 12);
  const fs::path file = folder / "a.tif";
  cv::imwritemulti(file.string(), made.pictures);
  VideoReader reader(file, {.frame_rate = 500.0, .bit_depth = 12});
  EXPECT_EQ(reader.FrameCount(), 3);
  ExpectPictures(&reader, made, LevelsOfBits(12));
  VideoReader times(file, {500.0});
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(times.Next()->time, 2e-3 * k, 1e-12);
  EXPECT_THAT(InputErrorOf([&] { VideoReader none(file); }),
              HasSubstr("a.tif: found images, which carry no frame times, allowed only with "
                        "frame_rate in the experiment file (a line such as frame_rate: 1000"));
  EXPECT_THAT(
      InputErrorOf([&] { VideoReader shallow(file, {.frame_rate = 500.0, .bit_depth = 9}); }),
      AllOf(HasSubstr("a.tif: found a grey value of"),
            HasSubstr("allowed at most 511 with bit_depth: 9")));
}

TEST(TiffFile, NamesAFileThatEndsEarly) {
  const TemporaryFolder folder;
  cv::imwritemulti((folder / "a.tif").string(), Made(16, 12).pictures);
  const auto size = fs::file_size(folder / "a.tif");
  for (const double part : {0.05, 0.5, 0.8}) {
    fs::copy_file(folder / "a.tif", folder / "b.tif", fs::copy_options::overwrite_existing);
    fs::resize_file(folder / "b.tif", static_cast<std::uintmax_t>(part * double(size)));
    int frames = 0;
    const std::string error = InputErrorOf([&] {
      VideoReader reader(folder / "b.tif", {500.0});
      while (reader.Next()) ++frames;
    });
    EXPECT_TRUE(frames < 3) << part;
    EXPECT_THAT(error, HasSubstr("b.tif: ")) << part;
  }
}

// Truth: the values written, in the order of the numbers.
TEST(VideoReader, ImagesOfSixteenBitsKeepThem) {
  const TemporaryFolder folder;
  const MadeRecording made = Made(16, 12);
  for (std::size_t k = 0; k < 3; ++k)
    cv::imwrite((folder / fmt::format("{}.png", 9 + k)).string(), made.pictures[k]);
  VideoReader reader(folder / "*.png", {.frame_rate = 500.0, .bit_depth = 12});
  ExpectPictures(&reader, made, LevelsOfBits(12));
  const auto shown = VideoReader(folder.Path(), {.frame_rate = 500.0, .bit_depth = 12}).Next();
  for (int i = 0; i < 160; ++i) {
    EXPECT_NEAR(shown->luma.at<uchar>(i / 16, i % 16),
                made.pictures[0].at<std::uint16_t>(i / 16, i % 16) * 255.0 / 4095.0, 0.501);
  }
}

}  // namespace
}  // namespace percuss::capture
