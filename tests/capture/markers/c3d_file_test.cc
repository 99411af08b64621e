// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// C3D files composed by the user guide in written_c3d.cc, and one by Vicon Nexus.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "capture/markers/marker_file.h"
#include "tests/base/temporary_folder.h"
#include "tests/capture/markers/written_c3d.h"

namespace percuss::capture {
namespace {

using Eigen::Vector3d;
using ::percuss::testing::InputErrorOf;
using ::percuss::testing::TemporaryFolder;
using ::percuss::testing::WrittenC3d;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Processor = WrittenC3d::Processor;

constexpr Processor kMachines[] = {Processor::kIntel, Processor::kDec, Processor::kMips};

// Coordinates and fourth words that every machine holds exactly. In the second frame the first
// point has a negative residual, the second one three zeros.
const std::vector<std::vector<std::array<double, 4>>> kFrames = {
    {{16, -32, 48, 0}, {-1000, 2000, 3000, 513}},
    {{1, 2, 3, -1}, {0, 0, 0, 0}},
    {{0, 0, 8, 0}, {-7, 5, -32000, 0}}};

WrittenC3d C3dSample(Processor machine = Processor::kIntel, bool floats = true) {
  return {machine, floats, kFrames};
}

MarkerTrajectories Read(const TemporaryFolder& folder, const WrittenC3d& c3d,
                        const ReadMarkersOptions& options = {}) {
  return ReadMarkers(folder.Write("trial.c3d", c3d.Bytes()), options);
}

std::string ErrorOf(const TemporaryFolder& folder, const WrittenC3d& c3d) {
  return InputErrorOf([&] { Read(folder, c3d); });
}

void ExpectSamplePositions(const MarkerTrajectories& read, double metres) {
  ASSERT_EQ(read.positions.size(), 3u);
  for (std::size_t f = 0; f < 3; ++f) {
    ASSERT_EQ(read.positions[f].size(), 2u);
    for (std::size_t m = 0; m < 2; ++m) {
      if (f == 1) {
        EXPECT_TRUE(IsMissing(read.positions[f][m]));
        continue;
      }
      const auto& stored = kFrames[f][m];
      const Vector3d expected = metres * Vector3d(stored[0], stored[1], stored[2]);
      EXPECT_LT((read.positions[f][m] - expected).norm(), 1e-15 * expected.norm());
    }
  }
}

TEST(ReadC3d, FloatsOfEveryMachine) {
  const TemporaryFolder folder;
  for (const Processor machine : kMachines) {
    const MarkerTrajectories read = Read(folder, C3dSample(machine, true));
    EXPECT_THAT(read.markers, ElementsAre("A1", "head:B"));
    EXPECT_EQ(read.frame_rate, 50.0);
    EXPECT_THAT(read.times, ElementsAre(0.0, 0.02, 0.04));
    ExpectSamplePositions(read, 1e-3);  // the scale does not apply to floats
  }
}

TEST(ReadC3d, ScaledIntegersOfEveryMachine) {
  const TemporaryFolder folder;
  for (const Processor machine : kMachines) {
    ExpectSamplePositions(Read(folder, C3dSample(machine, false)), 0.0625e-3);
  }
}

// Bytes of VAX F_floating numbers from the definition: 1 = 0.5 x 2^1 has exponent 129 and no
// further bits; the sign and the exponent come in the second byte, the exponent's last bit in the
// first.
TEST(ReadC3d, DecFloatsByTheirDefinition) {
  const TemporaryFolder folder;
  WrittenC3d c3d = C3dSample(Processor::kDec, true);
  std::string bytes = c3d.Bytes();
  bytes.replace(4 * 512, 12, std::string("\x80\x40\0\0\x40\xC1\0\0\0\0\0\0", 12));  // 1, -3, 0
  const MarkerTrajectories read = ReadMarkers(folder.Write("dec.c3d", bytes));
  EXPECT_LT((read.positions[0][0] - Vector3d(1e-3, -3e-3, 0)).norm(), 1e-15);
}

TEST(ReadC3d, SkipsAnalogSamples) {
  const TemporaryFolder folder;
  for (const bool floats : {true, false}) {
    WrittenC3d c3d = C3dSample(Processor::kIntel, floats);
    c3d.analog_samples = 12;  // 3 channels, 4 samples in each frame
    c3d.SetNumbers(2, "USED", 2, {3});
    c3d.SetNumbers(2, "RATE", 4, {200});
    ExpectSamplePositions(Read(folder, c3d), floats ? 1e-3 : 0.0625e-3);
    c3d.Remove("USED");  // both: the header still has the counts
    ExpectSamplePositions(Read(folder, c3d), floats ? 1e-3 : 0.0625e-3);
    c3d.SetNumbers(2, "USED", 2, {5});
    EXPECT_THAT(ErrorOf(folder, c3d), HasSubstr("analog samples per frame: found 12"));
  }
}

TEST(ReadC3d, Units) {
  const TemporaryFolder folder;
  WrittenC3d c3d = C3dSample();
  for (const auto& [unit, metres] : {std::pair("cm", 1e-2), {"m", 1.0}, {"MM", 1e-3}}) {
    c3d.SetText(1, "UNITS", {unit});
    ExpectSamplePositions(Read(folder, c3d), metres);
  }
  c3d.SetText(1, "UNITS", {"inch"});
  EXPECT_THAT(ErrorOf(folder, c3d), HasSubstr("POINT:UNITS: found \"inch\", allowed mm, cm or m"));
  c3d.Remove("UNITS");
  EXPECT_THAT(ErrorOf(folder, c3d), HasSubstr("POINT:UNITS: found \"\""));
}

TEST(ReadC3d, LabelsOverSeveralParameters) {
  const TemporaryFolder folder;
  WrittenC3d c3d = C3dSample();
  c3d.SetText(1, "LABELS", {"A1"});
  c3d.SetText(1, "LABELS2", {"B1"});
  EXPECT_THAT(Read(folder, c3d).markers, ElementsAre("A1", "B1"));
  c3d.Remove("LABELS2");
  EXPECT_THAT(Read(folder, c3d).markers, ElementsAre("A1", "unlabelled_2"));
  c3d.SetText(1, "LABELS", {"A1", "A1"});
  EXPECT_THAT(ErrorOf(folder, c3d), HasSubstr("found \"A1\" twice"));
}

TEST(ReadC3d, LeavesOutPointsThatAreNoPositions) {
  const TemporaryFolder folder;
  WrittenC3d c3d = C3dSample();
  c3d.SetText(1, "ANGLES", {"A1", "other"});
  const MarkerTrajectories read = Read(folder, c3d);
  EXPECT_THAT(read.markers, ElementsAre("head:B"));
  EXPECT_EQ(read.positions[0][0].x(), -1.0);
  c3d.SetText(1, "FORCES", {"head:B"});
  EXPECT_THAT(ErrorOf(folder, c3d), HasSubstr("POINT:LABELS"));
}

TEST(ReadC3d, FrameCountsAndFirstFrame) {
  const TemporaryFolder folder;
  WrittenC3d c3d = C3dSample();
  c3d.header_first_frame = 11;
  EXPECT_DOUBLE_EQ(Read(folder, c3d).times[0], 10 / 50.0);
  // TRIAL goes before the header; two words, the low one first.
  c3d.SetNumbers(3, "ACTUAL_START_FIELD", 2, {2, 1});
  c3d.SetNumbers(3, "ACTUAL_END_FIELD", 2, {4, 1});
  EXPECT_DOUBLE_EQ(Read(folder, c3d).times[0], 65537 / 50.0);
  EXPECT_EQ(Read(folder, c3d).times.size(), 3u);
  // Fields of the trial before it was cropped to three frames do not count.
  c3d.SetNumbers(3, "ACTUAL_END_FIELD", 2, {200, 1});
  EXPECT_EQ(Read(folder, c3d).times.size(), 3u);
  c3d.SetNumbers(1, "FRAMES", 4, {2});
  EXPECT_EQ(Read(folder, c3d).times.size(), 2u);
  c3d.SetNumbers(1, "LONG_FRAMES", 4, {1});
  EXPECT_EQ(Read(folder, c3d).times.size(), 1u);
}

// More frames than 16 bits count, written by us with POINT:FRAMES full.
TEST(WriteC3d, MoreThan65535Frames) {
  const TemporaryFolder folder;
  MarkerTrajectories trajectories{
      .frame_rate = 1000, .markers = {"A"}, .times = {}, .positions = {}};
  for (int i = 0; i < 70001; ++i) {
    trajectories.times.push_back((i + 5) / 1000.0);
    trajectories.positions.push_back({Vector3d(1, 2, i)});
  }
  WriteMarkers(trajectories, folder / "long.c3d");
  const MarkerTrajectories read = ReadMarkers(folder / "long.c3d");
  ASSERT_EQ(read.times.size(), 70001u);
  EXPECT_EQ(read.times.front(), 0.005);
  EXPECT_EQ(read.times.back(), 70.005);
  EXPECT_DOUBLE_EQ(read.positions.back()[0].z(), 70000.0);
}

// 600 long names need several LABELS.
TEST(WriteC3d, ManyMarkers) {
  const TemporaryFolder folder;
  MarkerTrajectories trajectories{
      .frame_rate = 100, .markers = {}, .times = {0}, .positions = {{}}};
  for (int i = 0; i < 600; ++i) {
    trajectories.markers.push_back("marker_" + std::string(120, 'x') + std::to_string(i));
    trajectories.positions[0].push_back(Vector3d(i, -i, 1));
  }
  WriteMarkers(trajectories, folder / "many.c3d");
  const MarkerTrajectories read = ReadMarkers(folder / "many.c3d");
  EXPECT_EQ(read.markers, trajectories.markers);
  EXPECT_EQ(read.positions[0][599], Vector3d(599, -599, 1));
  trajectories.markers[0] = std::string(256, 'x');
  EXPECT_THROW(WriteMarkers(trajectories, folder / "bad.c3d"), std::invalid_argument);
}

TEST(WriteC3d, RefusesTimesThatFrameNumbersCannotSay) {
  const TemporaryFolder folder;
  MarkerTrajectories trajectories{.frame_rate = 100,
                                  .markers = {"A"},
                                  .times = {0.01, 0.02},
                                  .positions = {{Vector3d(1, 2, 3)}, {Vector3d(1, 2, 3)}}};
  WriteMarkers(trajectories, folder / "good.c3d");
  for (const std::vector<double>& times :
       {std::vector<double>{-0.02, -0.01}, {0.0, 0.02}, {0.005, 0.015}}) {
    trajectories.times = times;
    EXPECT_THROW(WriteMarkers(trajectories, folder / "bad.c3d"), std::invalid_argument);
  }
}

// A point at the very origin must not come back as missing.
TEST(WriteC3d, KeepsAPointAtTheOrigin) {
  const TemporaryFolder folder;
  WriteMarkers(
      {.frame_rate = 100, .markers = {"A"}, .times = {0.0}, .positions = {{Vector3d::Zero()}}},
      folder / "zero.c3d");
  EXPECT_LT(ReadMarkers(folder / "zero.c3d").positions[0][0].norm(), 1e-30);
}

TEST(ReadC3d, SaysWhichFieldIsWrong) {
  const TemporaryFolder folder;
  const auto with = [&](const std::string& name, int type, double number) {
    WrittenC3d c3d = C3dSample();
    c3d.SetNumbers(1, name, type, {number});
    return ErrorOf(folder, c3d);
  };
  EXPECT_THAT(with("USED", 2, 0), AllOf(HasSubstr("trial.c3d"), HasSubstr("POINT:USED: found 0")));
  EXPECT_THAT(with("USED", 2, 65535), HasSubstr("POINT:FRAMES: found 96 bytes from byte 2049 on"));
  EXPECT_THAT(with("USED", 4, NAN), HasSubstr("POINT:USED: found nan"));
  EXPECT_THAT(with("FRAMES", 2, 4), HasSubstr("allowed 4 frames of 32 bytes"));
  EXPECT_THAT(with("FRAMES", 2, 0), HasSubstr("POINT:FRAMES: found 0"));
  EXPECT_THAT(with("LONG_FRAMES", 4, 1e30), HasSubstr("POINT:FRAMES"));
  EXPECT_THAT(with("DATA_START", 2, 0), HasSubstr("POINT:DATA_START: found block 0"));
  EXPECT_THAT(with("DATA_START", 2, 60000), HasSubstr("found 0 bytes from byte"));
  EXPECT_THAT(with("SCALE", 4, 0), HasSubstr("POINT:SCALE: found 0"));
  EXPECT_THAT(with("RATE", 4, -50), HasSubstr("POINT:RATE: found -50"));
  EXPECT_THAT(with("RATE", 4, INFINITY), HasSubstr("POINT:RATE: found inf"));
  EXPECT_THAT(with("UNITS", 2, 5), HasSubstr("POINT:UNITS: found numbers, allowed text"));

  WrittenC3d c3d = C3dSample();
  c3d.parameters.front().dimensions = {255, 255, 255, 255, 255, 255, 255};
  EXPECT_THAT(ErrorOf(folder, c3d), HasSubstr("the end of the file after"));
  c3d.parameters.front().dimensions.push_back(1);
  EXPECT_THAT(ErrorOf(folder, c3d), HasSubstr("found 8 dimensions, allowed 7 or fewer"));
  c3d = C3dSample();
  c3d.frames[0][0][1] = INFINITY;
  EXPECT_THAT(ErrorOf(folder, c3d), HasSubstr("byte 2049: found an infinite coordinate"));
  c3d.frames[0][0][1] = NAN;
  EXPECT_TRUE(IsMissing(Read(folder, c3d).positions[0][0]));

  const std::string bytes = C3dSample().Bytes();
  const auto patched = [&](std::size_t at, char byte) {
    std::string copy = bytes;
    copy[at] = byte;
    return InputErrorOf([&] { ReadMarkers(folder.Write("trial.c3d", copy)); });
  };
  EXPECT_THAT(patched(0, 1), HasSubstr("byte 1 (parameter section): found block 1"));
  EXPECT_THAT(patched(1, 0x51), HasSubstr("byte 2: found 0x51, allowed 0x50"));
  EXPECT_THAT(patched(515, 90), HasSubstr("byte 516 (processor): found 90"));
}

TEST(ReadC3d, CutOffAnywhereIsAnError) {
  const TemporaryFolder folder;
  for (const bool floats : {true, false}) {
    WrittenC3d c3d = C3dSample(Processor::kIntel, floats);
    for (int i = 0; i < 6; ++i) c3d.frames.insert(c3d.frames.end(), kFrames.begin(), kFrames.end());
    c3d.SetNumbers(1, "FRAMES", 2, {21});
    const std::string bytes = c3d.Bytes();
    ASSERT_EQ(Read(folder, c3d).times.size(), 21u);
    for (std::size_t size = 0; size < bytes.size(); size += 64) {
      const auto file = folder.Write("cut.c3d", bytes.substr(0, size));
      EXPECT_THAT(InputErrorOf([&] { ReadMarkers(file); }),
                  AllOf(HasSubstr("cut.c3d"), HasSubstr("found")))
          << size;
    }
    // --partial: what is there.
    const auto file = folder.Write("cut.c3d", bytes.substr(0, bytes.size() - 1));
    EXPECT_EQ(ReadMarkers(file, {.partial = true}).times.size(), 20u);
  }
}

// Bytes at random places: an answer or an InputError, nothing else (sanitizers see the rest).
TEST(ReadC3d, SurvivesAnyBytes) {
  const TemporaryFolder folder;
  const std::string bytes = C3dSample().Bytes();
  std::mt19937 random(3);
  int num_errors = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::string copy = bytes;
    for (int k = 0; k < 3; ++k) {
      copy[random() % (k == 0 ? copy.size() : 1024)] = static_cast<char>(random());
    }
    num_errors +=
        InputErrorOf([&] { ReadMarkers(folder.Write("any.c3d", copy)); }) == "(no InputError)" ? 0
                                                                                               : 1;
  }
  EXPECT_GT(num_errors, 20);
  EXPECT_LT(num_errors, 380);
}

}  // namespace
}  // namespace percuss::capture
