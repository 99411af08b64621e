// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Truth: the same pixels in every format, each in the conventions of the program that writes it;
// and files that are broken in one place.

#include "capture/tracks/pixel_tracks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>

#include "tests/base/temporary_folder.h"
#include "tests/capture/tracks/written_tracks.h"

namespace percuss::capture {
namespace {

using Eigen::Vector2d;
using ::percuss::testing::InputErrorOf;
using ::percuss::testing::TemporaryFolder;
using ::percuss::testing::WrittenTracks;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::array<int, 2> kSize = {1280, 720};

/// Two points in four frames; B is not seen in frame 1.
WrittenTracks Sample() {
  WrittenTracks tracks{.frame_rate = 100.0, .names = {"A1", "B"}, .pixels = {}};
  for (int k = 0; k < 4; ++k) {
    tracks.pixels.push_back({Vector2d(10.25 + k, 20.5), Vector2d(1279.0, 719.0 - 2.0 * k)});
  }
  tracks.pixels[1][1].reset();
  return tracks;
}

class PixelTracksText : public ::testing::Test {
 protected:
  PixelTracks Read(const std::string& content, TrackSource source = {},
                   std::optional<double> frame_rate = 100.0) const {
    source.files = {folder_.Write("tracks.csv", content)};
    if (source.camera.empty()) source.camera = "1";
    return ReadPixelTracks(source, frame_rate, kSize);
  }
  std::string ErrorOf(const std::string& content, const TrackSource& source = {},
                      std::optional<double> frame_rate = 100.0) const {
    return InputErrorOf([&] { Read(content, source, frame_rate); });
  }
  void ExpectSample(const PixelTracks& read, const std::vector<std::string>& names) const {
    const WrittenTracks truth = Sample();
    ASSERT_EQ(read.names, names);
    ASSERT_EQ(read.frames.size(), truth.pixels.size());
    for (std::size_t k = 0; k < truth.pixels.size(); ++k) {
      EXPECT_NEAR(read.frames[k].time, 0.01 * static_cast<double>(k), 1e-12);
      std::map<int, Vector2d> seen;
      for (const PixelTracks::Sighting& one : read.frames[k].sightings) seen[one.track] = one.pixel;
      for (int m = 0; m < 2; ++m) {
        ASSERT_EQ(seen.contains(m), truth.pixels[k][m].has_value()) << k << " " << m;
        if (seen.contains(m)) {
          EXPECT_LT((seen[m] - *truth.pixels[k][m]).norm(), 1e-9);
        }
      }
    }
  }

  TemporaryFolder folder_;
};

TEST_F(PixelTracksText, ReadsTheSamePixelsFromEveryFormat) {
  const WrittenTracks sample = Sample();
  ExpectSample(Read(testing::DeepLabCutText(sample)), {"A1", "B"});
  ExpectSample(Read(testing::SleapText(sample)), {"A1", "B"});
  ExpectSample(Read(testing::TrackerText(sample)), {"A1", "B"});
  ExpectSample(Read(testing::TrackMateText(sample)), {"0", "1"});
  ExpectSample(Read(testing::LongText(sample)), {"A1", "B"});
  WrittenTracks other = sample;
  for (auto& frame : other.pixels) frame[0] = Vector2d(1.0, 2.0);
  const std::vector<WrittenTracks> both = {other, sample};
  ExpectSample(Read(testing::DltdvText(both), {.camera = "2"}), {"pt1", "pt2"});
  ExpectSample(Read(testing::DltdvText(both, 720), {.camera = "2", .y_up = true}), {"pt1", "pt2"});
}

TEST_F(PixelTracksText, TakesTheCentreOfTheFirstPixelAsStated) {
  const PixelTracks read =
      Read("frame,marker,x,y\n0,A,-9.5,4.5\n", {.y_up = true, .first_pixel = Vector2d(-10.0, 5.0)});
  EXPECT_EQ(read.frames[0].sightings[0].pixel, Vector2d(0.5, 0.5));
  const PixelTracks up = Read("frame,marker,x,y\n0,A,3,0\n", {.y_up = true});
  EXPECT_EQ(up.frames[0].sightings[0].pixel, Vector2d(3.0, 719.0));
}

TEST_F(PixelTracksText, CountsTimes) {
  const std::string rounded = "time,marker,x,y\n5.000,A,1,1\n5.008,A,2,1\n5.025,A,4,1\n";
  const PixelTracks as_written = Read(rounded, {.offset = 0.5}, std::nullopt);
  ASSERT_EQ(as_written.frames.size(), 3u);
  EXPECT_DOUBLE_EQ(as_written.frames[1].time, 5.508);
  const PixelTracks at_frames = Read(rounded, {.frame_rate = 120.0});
  ASSERT_EQ(at_frames.frames.size(), 4u) << "a frame without sightings is one";
  EXPECT_DOUBLE_EQ(at_frames.frames[3].time, 3.0 / 120.0);
  EXPECT_TRUE(at_frames.frames[2].sightings.empty());
  EXPECT_THAT(ErrorOf(rounded, {.frame_rate = 100.0}),
              AllOf(HasSubstr("line 4"), HasSubstr("2.50 frames after the first")));
  EXPECT_THAT(ErrorOf("frame,marker,x,y\n0,A,1,1\n", {}, std::nullopt),
              HasSubstr("allowed with frame_rate"));
}

TEST_F(PixelTracksText, LeavesOutWhatIsUnlikelyOrOutside) {
  const std::string text =
      "frame,marker,x,y,likelihood,sigma\n0,A,1,2,0.5,0.3\n0,B,3,4,0.9,0.7\n"
      "1,A,2000,2,1,0.2\n1,B,3,4,,0.2\n";
  const PixelTracks all = Read(text);
  EXPECT_EQ(all.outside, 1);
  EXPECT_EQ(all.frames[0].sightings.size(), 2u);
  EXPECT_DOUBLE_EQ(all.frames[0].sightings[1].sigma_px, 0.7);
  const PixelTracks likely = Read(text, {.least_likelihood = 0.6});
  EXPECT_EQ(likely.unlikely, 1);
  EXPECT_EQ(likely.frames[0].sightings.size(), 1u);
  EXPECT_EQ(likely.frames[1].sightings.size(), 1u) << "no likelihood says nothing";
  const PixelTracks network = Read(testing::DeepLabCutText(Sample()));
  EXPECT_EQ(network.unlikely, 1) << "below 0.6 where nothing is stated";
}

TEST_F(PixelTracksText, ReadsCamerasOfOneFile) {
  const std::string text = "camera,frame,marker,x,y\nleft,0,A,1,2\nright,0,A,3,4\n";
  EXPECT_EQ(Read(text, {.camera = "2"}).frames[0].sightings[0].pixel, Vector2d(3, 4));
  EXPECT_EQ(Read(text, {.camera = "left"}).frames[0].sightings[0].pixel, Vector2d(1, 2));
  EXPECT_THAT(ErrorOf(text, {.camera = "top"}), HasSubstr("found no sighting"));
}

TEST_F(PixelTracksText, PutsFilesOfOneCameraTogether) {
  const TrackSource source{
      .files = {folder_.Write("A.txt", "t\tpixelx\tpixely\n0\t1.5\t2.5\n"),
                folder_.Write("b.txt", "mass B\nt,pixelx,pixely\n0,3.5,4.5\n")},
      .camera = "1"};
  const PixelTracks read = ReadPixelTracks(source, std::nullopt, kSize);
  EXPECT_THAT(read.names, ElementsAre("A", "mass B"));
  ASSERT_EQ(read.frames.size(), 1u);
  EXPECT_EQ(read.frames[0].sightings[1].pixel, Vector2d(3, 4));
}

TEST_F(PixelTracksText, ChoosesOneBodyOfSeveral) {
  const std::string network =
      "scorer,n,n,n,n,n,n\nindividuals,one,one,one,two,two,two\nbodyparts,A,A,A,A,A,A\n"
      "coords,x,y,likelihood,x,y,likelihood\n0,1,2,1,3,4,1\n";
  EXPECT_EQ(Read(network, {.track = "two"}).frames[0].sightings[0].pixel, Vector2d(3, 4));
  EXPECT_THAT(ErrorOf(network), HasSubstr("track: found none, allowed one of one, two"));
  const std::string sleap =
      "track,frame_idx,instance.score,A.x,A.y,A.score\na,0,0.9,1,2,0.9\nb,0,0.9,3,4,0.9\n"
      "b,0,,5,6,\n";
  EXPECT_EQ(Read(sleap, {.track = "b"}).frames[0].sightings[0].pixel, Vector2d(5, 6))
      << "what a user labelled counts more than a prediction";
  EXPECT_THAT(ErrorOf(sleap, {.track = "c"}), HasSubstr("track: found c, allowed one of a, b"));
}

TEST_F(PixelTracksText, SaysWhereAFileIsBroken) {
  const std::string network =
      "scorer,n,n,n\nbodyparts,A,A,A\ncoords,x,y,likelihood\n0,1,2,1\n1,1,2,1\n";
  const auto with = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_THAT(ErrorOf(with(network, "1,1,2,1", "1,1,x,1")),
              AllOf(HasSubstr("tracks.csv: line 5"), HasSubstr("A y")));
  EXPECT_THAT(ErrorOf(with(network, "1,1,2,1", "1,1,,1")), HasSubstr("found x of A without y"));
  EXPECT_THAT(ErrorOf(with(network, "1,1,2,1", "1,1,2")), HasSubstr("3 cells, allowed 4"));
  EXPECT_THAT(ErrorOf(with(network, "1,1,2,1", "img.png,1,2,1")), HasSubstr("line 5"));
  EXPECT_THAT(ErrorOf(with(network, "1,1,2,1", "1.5,1,2,1")), HasSubstr("whole numbers from 0"));
  EXPECT_THAT(ErrorOf(with(network, "1,1,2,1", "9000000,1,2,1")), HasSubstr("at most 1000000"));
  EXPECT_THAT(ErrorOf(with(network, "x,y,like", "x,x,like")), HasSubstr("each once"));
  EXPECT_THAT(ErrorOf(with(network, "bodyparts", "parts")), HasSubstr("bodyparts and coords"));
  EXPECT_THAT(ErrorOf("pt1_cam1_X,pt1_cam1_Z\n1,1\n"), HasSubstr("X and Y"));
  EXPECT_THAT(ErrorOf("pt1_cam1_X,pt1_cam1_Y\n1,1\n", {.camera = "3"}), HasSubstr("pt1_cam3_X"));
  EXPECT_THAT(ErrorOf("pt1_cam1_X\n1\n"), HasSubstr("pt1 without y"));
  EXPECT_THAT(ErrorOf("frame_idx,A.x,A.y\n0,1,2\n0,1,2\n"), HasSubstr("frame 0 a second time"));
  EXPECT_THAT(ErrorOf(with(testing::TrackMateText(Sample()), "(pixel)", "(micron)")),
              HasSubstr("POSITION_X in (micron)"));
  EXPECT_THAT(ErrorOf("t,x,y\n0,1,2\n"),
              HasSubstr("allowed are pixelx and pixely, or first_pixel"));
  EXPECT_THAT(ErrorOf("t;pixelx;pixely\n0,1;1;two\n"),
              HasSubstr("found \"two\", allowed a number"));
  EXPECT_THAT(ErrorOf("frame,marker,x,y,sigma\n0,A,1,2,0\n"), HasSubstr("sigma 0, allowed"));
  EXPECT_THAT(
      ErrorOf("frame,marker,x,y\n0,A,5000,1\n1,A,5001,1\n"),
      AllOf(HasSubstr("line 2: pixel (5000.0, 1.0), and 1 more of 2"), HasSubstr("first_pixel")));
  EXPECT_THAT(ErrorOf("frame,marker,x,y\n"), HasSubstr("found"));
  EXPECT_THAT(ErrorOf("a,b\n1,2\n"), HasSubstr("DeepLabCut (scorer), DLTdv"));
  EXPECT_THAT(ErrorOf(""), HasSubstr("found no row"));
}

}  // namespace
}  // namespace percuss::capture
