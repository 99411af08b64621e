// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Truth: pixels written by libhdf5 in the layout of SLEAP's analysis HDF5; and files that are
// broken in one place.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "base/files/files.h"
#include "capture/tracks/hdf5_file.h"
#include "capture/tracks/pixel_tracks.h"
#include "tests/base/temporary_folder.h"
#include "tests/capture/tracks/written_hdf5.h"

namespace percuss::capture {
namespace {

namespace fs = std::filesystem;
using Eigen::Vector2d;
using ::percuss::testing::InputErrorOf;
using ::percuss::testing::WriteHdf5;
using ::percuss::testing::WrittenDataset;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kUnseen = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kTracks = 2, kNodes = 3, kFrames = 4;

// The pixel of a node of a track; node 1 of track 1 is not seen in frame 2.
Vector2d PixelAt(std::size_t track, std::size_t node, std::size_t frame) {
  if (track == 1 && node == 1 && frame == 2) return Vector2d::Constant(kUnseen);
  return {10.25 + 100.0 * static_cast<double>(track) + static_cast<double>(frame),
          20.5 + 30.0 * static_cast<double>(node) + 2.0 * static_cast<double>(frame)};
}

// The score of node 2 is low in frame 3; a user labelled frame 0, which has no scores.
double ScoreAt(std::size_t node, std::size_t frame) {
  if (frame == 0) return kUnseen;
  return node == 2 && frame == 3 ? 0.1 : 0.9;
}

/// An array over named axes, filled in the order in which they are listed, the last the fastest.
WrittenDataset Array(const std::string& name, const std::vector<std::string>& axes,
                     const std::map<std::string, std::size_t>& sizes,
                     const std::function<double(std::map<std::string, std::size_t>&)>& value) {
  WrittenDataset array{.name = name};
  std::size_t count = 1;
  for (const std::string& axis : axes) {
    array.sizes.push_back(sizes.at(axis));
    count *= sizes.at(axis);
  }
  for (std::size_t k = 0; k < count; ++k) {
    std::map<std::string, std::size_t> at;
    std::size_t rest = k;
    for (std::size_t i = axes.size(); i-- > 0;) {
      at[axes[i]] = rest % array.sizes[i];
      rest /= array.sizes[i];
    }
    array.numbers.push_back(value(at));
  }
  return array;
}

std::vector<WrittenDataset> Layout(const std::vector<std::string>& axes = {"track", "xy", "node",
                                                                           "frame"}) {
  const std::map<std::string, std::size_t> sizes = {
      {"track", kTracks}, {"xy", 2}, {"node", kNodes}, {"frame", kFrames}};
  std::vector<std::string> of_scores = axes;
  std::erase(of_scores, "xy");
  return {Array("tracks", axes, sizes,
                [](auto& at) {
                  return PixelAt(at["track"], at["node"], at["frame"])[static_cast<int>(at["xy"])];
                }),
          Array("point_scores", of_scores, sizes,
                [](auto& at) { return ScoreAt(at["node"], at["frame"]); }),
          {.name = "node_names", .sizes = {kNodes}, .texts = {"nose", "a", "tail"}},
          {.name = "track_names", .sizes = {kTracks}, .texts = {"one", "other"}}};
}

class SleapAnalysis : public ::testing::Test {
 protected:
  PixelTracks Read(const std::vector<WrittenDataset>& datasets, TrackSource source = {},
                   const std::string& root_attribute = "") const {
    source.files = {folder_ / "d1.analysis.h5"};
    WriteHdf5(source.files[0], datasets, root_attribute);
    return ReadPixelTracks(source, 100.0, {1280, 720});
  }
  std::string ErrorOf(const std::vector<WrittenDataset>& datasets,
                      const TrackSource& source = {.track = "other"},
                      const std::string& root_attribute = "") const {
    return InputErrorOf([&] { Read(datasets, source, root_attribute); });
  }
  void ExpectSample(const PixelTracks& read, std::size_t track) const {
    ASSERT_THAT(read.names, ElementsAre("nose", "a", "tail"));
    ASSERT_EQ(read.frames.size(), kFrames);
    EXPECT_EQ(read.unlikely, 1) << "below 0.2 where nothing is stated";
    for (std::size_t k = 0; k < kFrames; ++k) {
      EXPECT_NEAR(read.frames[k].time, 0.01 * static_cast<double>(k), 1e-12);
      std::map<std::size_t, Vector2d> seen;
      for (const auto& one : read.frames[k].sightings)
        seen[static_cast<std::size_t>(one.track)] = one.pixel;
      for (std::size_t node = 0; node < kNodes; ++node) {
        const Vector2d exact = PixelAt(track, node, k);
        ASSERT_EQ(seen.contains(node), exact.allFinite() && !(ScoreAt(node, k) < 0.2));
        if (seen.contains(node)) {
          EXPECT_EQ(seen[node], exact);
        }
      }
    }
  }
  testing::TemporaryFolder folder_;
};

TEST_F(SleapAnalysis, HasThePixelsOfATrack) {
  ExpectSample(Read(Layout(), {.track = "other"}), 1);
  ExpectSample(Read(Layout(), {.format = TrackFormat::kSleap, .track = "one"}), 0);
  const PixelTracks all = Read(Layout(), {.track = "other", .least_likelihood = 0.0});
  EXPECT_EQ(all.unlikely, 0);
  EXPECT_EQ(all.frames[3].sightings.size(), 3U);
}

TEST_F(SleapAnalysis, MayHaveItsAxesInAnyOrderThatItStates) {
  std::vector<std::string> axes = {"frame", "node", "track", "xy"};
  do {
    std::vector<WrittenDataset> sample = Layout(axes);
    sample[0].dims =
        "[\"" + axes[0] + "\", \"" + axes[1] + "\", \"" + axes[2] + "\",\"" + axes[3] + "\"]";
    ExpectSample(Read(sample, {.track = "other"}), 1);
  } while (std::next_permutation(axes.begin(), axes.end()));
  ExpectSample(Read(Layout({"frame", "node", "xy", "track"}), {.track = "other"}), 1);
}

TEST_F(SleapAnalysis, MayHaveNoScoresAndNoNamesOfTracks) {
  std::vector<WrittenDataset> sample = Layout();
  sample.erase(sample.begin() + 1);  // old versions
  for (WrittenDataset& one : sample) one.variable_texts = !one.texts.empty();
  EXPECT_EQ(Read(sample, {.track = "other"}).unlikely, 0);
  // One body without a track: what h5py writes of an empty list.
  sample.back() = {.name = "track_names", .sizes = {0}};
  sample[0].sizes[0] = 1;
  sample[0].numbers.resize(sample[0].numbers.size() / 2);
  sample[0].as_float32 = true;
  EXPECT_EQ(Read(sample).frames[2].sightings[1].pixel, PixelAt(0, 1, 2));
  EXPECT_EQ(Read(sample, {.track = "any"}).frames.size(), kFrames) << "as of the CSV";
}

TEST_F(SleapAnalysis, SaysWhatIsBroken) {
  const auto with = [](int place, const std::function<void(WrittenDataset&)>& change) {
    std::vector<WrittenDataset> sample = Layout();
    change(sample[static_cast<std::size_t>(place)]);
    return sample;
  };
  EXPECT_THAT(ErrorOf(Layout(), {}), HasSubstr("track: found none, allowed one of one, other"));
  EXPECT_THAT(ErrorOf(with(0,
                           [](auto& one) {
                             one.sizes = {kTracks, 2, kNodes * kFrames};
                           })),
              AllOf(HasSubstr("d1.analysis.h5: tracks: found 2 x 2 x 12"),
                    HasSubstr("allowed tracks x 2 x nodes x frames, with the 3 nodes")));
  EXPECT_THAT(ErrorOf(with(0,
                           [](auto& one) {
                             one.sizes = {2, 2, kFrames, kNodes};
                           })),
              HasSubstr("tracks: found 2 x 2 x 4 x 3"));
  EXPECT_THAT(ErrorOf(with(0, [](auto& one) { one.dims = R"(["frame", "frame", "xy", "node"])"; })),
              HasSubstr("tracks.dims"));
  EXPECT_THAT(ErrorOf(with(0,
                           [](auto& one) {
                             one = {.name = "tracks", .sizes = {2}, .texts = {"a", "b"}};
                           })),
              HasSubstr("tracks: found 2,"));
  EXPECT_THAT(ErrorOf(with(1,
                           [](auto& one) {
                             one.sizes = {kTracks, kFrames, kNodes};
                           })),
              HasSubstr("point_scores: found 2 x 4 x 3, allowed 2 x 3 x 4"));
  EXPECT_THAT(ErrorOf(with(1,
                           [](auto& one) {
                             one.texts.assign(24, "x");
                             one.numbers.clear();
                           })),
              HasSubstr("point_scores: found another type, allowed numbers"));
  EXPECT_THAT(ErrorOf(with(2,
                           [](auto& one) {
                             one.texts.clear();
                             one.numbers = {1, 2, 3};
                           })),
              HasSubstr("node_names: found another type, allowed texts"));
  EXPECT_THAT(ErrorOf(with(2,
                           [](auto& one) {
                             one.sizes = {1, 3};
                           })),
              HasSubstr("node_names: found 2 axes"));
  EXPECT_THAT(ErrorOf(with(3, [](auto& one) { one.sizes = {1}, one.texts = {"one"}; })),
              HasSubstr("track_names: found 1 names, allowed the 2 of tracks"));
  EXPECT_THAT(ErrorOf(with(0, [](auto& one) { one.numbers[36] = kUnseen; })),
              HasSubstr("d1.analysis.h5: frame 0: found"));
  EXPECT_THAT(ErrorOf(with(2, [](auto& one) { one.texts[1] = "tail"; })),
              HasSubstr("node_names: found tail twice"));
  EXPECT_THAT(ErrorOf(with(2, [](auto& one) { one.texts[1] = ""; })),
              HasSubstr("node_names: found a node without a name"));
  EXPECT_THAT(ErrorOf(with(2, [](auto& one) { one.name = "names"; })),
              HasSubstr("found HDF5 without tracks and node_names"));
  EXPECT_THAT(ErrorOf({{.name = "pred_points", .sizes = {1}, .numbers = {0.0}}}),
              HasSubstr("a project of SLEAP"));
  EXPECT_THAT(ErrorOf(Layout(), {.format = TrackFormat::kDeepLabCut}),
              HasSubstr("allowed format: sleap"));
  EXPECT_THAT(ErrorOf(Layout(), {}, "PYTABLES_FORMAT_VERSION"),
              AllOf(HasSubstr("as DeepLabCut writes it"), HasSubstr("its CSV")));
}

TEST_F(SleapAnalysis, TakesNothingOfOtherFiles) {
  const fs::path file = folder_ / "links.h5";
  testing::WriteHdf5WithLinks(file);
  WriteHdf5(folder_ / "other.h5", Layout());
  EXPECT_THAT(InputErrorOf([&] {
                ReadPixelTracks({.files = {file}}, 100.0, {1280, 720});
              }),
              HasSubstr("tracks: found a link"));
  const Hdf5File open(file);
  EXPECT_THAT(InputErrorOf([&] { open.ReadTexts("node_names"); }), HasSubstr("found a group"));
  EXPECT_THAT(InputErrorOf([&] { open.SizesOf("scores"); }), HasSubstr("found nothing"));
}

TEST_F(SleapAnalysis, ClaimsOfHugeSizesAreRefusedBeforeMemoryIsTaken) {
  std::vector<WrittenDataset> sample = Layout();
  sample[0] = {.name = "tracks", .sizes = {kTracks, 2, kNodes, 1U << 30U}, .chunk = {1, 1, 1, 9}};
  EXPECT_THAT(ErrorOf(sample), HasSubstr("tracks: found more numbers, allowed at most"));
  sample[0].chunk = {1, 1, 1, 1U << 24U};
  EXPECT_THAT(ErrorOf(sample), HasSubstr("tracks: found a chunk of more than 64 MiB"));
}

TEST_F(SleapAnalysis, TruncatedAnywhereItIsOneLine) {
  const fs::path whole = folder_ / "whole.h5", cut = folder_ / "cut.h5";
  WriteHdf5(whole, Layout());
  const std::string bytes = ReadFile(whole);
  for (std::size_t length = 8; length < bytes.size(); length += 61) {
    WriteFileAtomically(cut, bytes.substr(0, length));
    const std::string error = InputErrorOf([&] {
      ReadPixelTracks({.files = {cut}, .track = "one"}, 100.0, {1280, 720});
    });
    EXPECT_THAT(error, HasSubstr("cut.h5: found a damaged HDF5 file")) << length;
  }
}

}  // namespace
}  // namespace percuss::capture
