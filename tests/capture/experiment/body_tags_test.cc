// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "capture/experiment/experiment_body.h"
#include "tests/base/temporary_folder.h"

namespace percuss::capture {
namespace {

using ::testing::HasSubstr;

/// A box with the tags of `places`.
class BodyTags : public ::testing::Test {
 protected:
  MarkedBody Read(const std::string& places, const std::string& more = "") {
    return ReadBody(folder_.Write(
        "body.yaml", "shape: box\nsize: [0.3, 0.05, 0.02]\nmass: 0.2\n" + more +
                         "markers:\n  A1: [0.1, 0.02, 0.01]\n  tags:\n    dictionary: DICT_4X4_50\n"
                         "    size: 0.03\n    places: " +
                         places + "\nmarker_diameter: 0.008\n"));
  }
  std::string Message(const std::string& places) {
    try {
      Read(places);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }
  testing::TemporaryFolder folder_;
};

Eigen::Vector3d Corner(const MarkedBody& body, int tag, int k) {
  return body.markers[body.coded.tags[tag].first_marker + k].p_BM;
}

TEST_F(BodyTags, CornersFollowDotsAndAreNamedByTheirTag) {
  const MarkedBody body = Read("[{id: 7, face: +z, centre: [-0.1, 0.005]}, {id: 3, face: -z}]");
  ASSERT_EQ(body.markers.size(), 9U);
  EXPECT_EQ(body.NumDots(), 1);
  EXPECT_EQ(body.coded.dictionary, "DICT_4X4_50");
  ASSERT_EQ(body.coded.tags.size(), 2U);
  EXPECT_EQ(body.coded.tags[0].first_marker, 1);
  EXPECT_EQ(body.markers[1].name, "tag7.1");
  EXPECT_EQ(body.markers[8].name, "tag3.4");
  // Read from above with y up: top left, top right, bottom right, bottom left.
  EXPECT_LT((Corner(body, 0, 0) - Eigen::Vector3d(-0.115, 0.02, 0.01)).norm(), 1e-12);
  EXPECT_LT((Corner(body, 0, 1) - Eigen::Vector3d(-0.085, 0.02, 0.01)).norm(), 1e-12);
  EXPECT_LT((Corner(body, 0, 2) - Eigen::Vector3d(-0.085, -0.01, 0.01)).norm(), 1e-12);
  // From below, y up: x runs to the left.
  EXPECT_LT((Corner(body, 1, 0) - Eigen::Vector3d(0.015, 0.015, -0.01)).norm(), 1e-12);
  for (int k = 5; k < 9; ++k)
    EXPECT_LT((MarkerNormal(body, k) + Eigen::Vector3d::UnitZ()).norm(), 1e-12);
}

/// Whatever the face and the turn, the print is seen from outside, not in a mirror.
TEST_F(BodyTags, CornersRunClockwiseSeenFromOutside) {
  for (const std::string face : {"+x", "-x", "+y", "-y", "+z", "-z"}) {
    for (const std::string turn : {"0", "90", "-35"}) {
      const MarkedBody body =
          Read("[{id: 0, size: 0.01, face: " + face + ", turn_deg: " + turn + "}]");
      const Eigen::Vector3d right = Corner(body, 0, 1) - Corner(body, 0, 0),
                            down = Corner(body, 0, 3) - Corner(body, 0, 0);
      const Eigen::Vector3d outwards = down.cross(right).normalized();
      EXPECT_GT(outwards.dot(MarkerNormal(body, 1)), 0.999) << face;
      EXPECT_GT(outwards.dot(0.5 * (Corner(body, 0, 0) + Corner(body, 0, 2)).normalized()), 0.49);
      EXPECT_NEAR(right.norm(), 0.01, 1e-12);
      if (turn == "0") {
        const Eigen::Vector3d up =
            face[1] == 'z' ? Eigen::Vector3d::UnitY() : Eigen::Vector3d::UnitZ();
        EXPECT_GT(-down.normalized().dot(up), 0.999) << face;
      }
    }
  }
}

TEST_F(BodyTags, ThreeWaysToSayWhereATagIsAgree) {
  const MarkedBody body = Read(
      "[{id: 1, face: +y, centre: [0.02, 0], size: 0.016, turn_deg: 90},"
      " {id: 2, centre: [0.02, 0.025, 0], normal: [0, 1, 0], up: [1, 0, 0], size: 0.016},"
      " {id: 3, corners: [[0.028, 0.025, -0.008], [0.028, 0.025, 0.008], [0.012, 0.025, 0.008],"
      " [0.012, 0.025, -0.008]], size: 0.016}]");
  for (int k = 0; k < 4; ++k) {
    EXPECT_LT((Corner(body, 0, k) - Corner(body, 1, k)).norm(), 1e-12) << k;
    EXPECT_LT((Corner(body, 0, k) - Corner(body, 2, k)).norm(), 1e-12) << k;
  }
}

TEST_F(BodyTags, PlacesCountFromTheMiddleOfTheBoxAlsoWhereTheMassCentreIsElsewhere) {
  const MarkedBody body =
      Read("[{id: 1, face: +z}]", "mass_centre: [0.01, 0, 0]\ninertia: [1e-4, 1.6e-3, 1.6e-3]\n");
  EXPECT_LT((Corner(body, 0, 0) - Eigen::Vector3d(-0.025, 0.015, 0.01)).norm(), 1e-12);
}

TEST_F(BodyTags, NamesWhatIsWrong) {
  EXPECT_THAT(Message("[{id: 50, face: +z}]"),
              HasSubstr("markers.tags.places[#1].id (line 9): found 50, allowed a whole number "
                        "from 0 to 49"));
  EXPECT_THAT(Message("[{id: 4, face: +z}, {id: 4, face: -z}]"),
              HasSubstr("places[#2].id (line 9): found tag 4 again, allowed each tag once"));
  EXPECT_THAT(Message("[{id: 4, face: +y}]"),
              HasSubstr("places[#1].id (line 9): found a tag of 0.03 m that reaches 0.015 m from "
                        "the middle of face +y along z, allowed at most 0.01 [m]"));
  EXPECT_THAT(Message("[{id: 4, face: +z, size: 0.06}]"),
              HasSubstr("places[#1].size (line 9): found a tag of 0.06 m"));
  EXPECT_THAT(
      Message("[{id: 4, face: +z, centre: [0.14, 0]}]"),
      HasSubstr("reaches 0.155 m from the middle of face +z along x, allowed at most 0.15"));
  EXPECT_THAT(Message("[{id: 4, face: top}]"),
              HasSubstr("places[#1].face (line 9): found top, allowed +x, -x, +y, -y, +z or -z"));
  EXPECT_THAT(Message("[{id: 4}]"), HasSubstr("found a tag without a place, allowed face; or"));
  EXPECT_THAT(Message("[{id: 4, centre: [0, 0, 0.01], normal: [0, 0, 1], up: [0, 0, 2]}]"),
              HasSubstr("places[#1].up (line 9): found a direction along the normal"));
  EXPECT_THAT(
      Message("[{id: 4, corners: [[0, 0, 0], [0, 0.03, 0], [0.03, 0, 0], [0.03, 0.03, 0]]}]"),
      HasSubstr("places[#1].corners (line 9): found corner 1 with an edge of"));
  EXPECT_THAT(Message("[{id: 4, centre: [0, 0, 0.01], normal: [0, 0, -1], up: [0, 1, 0]}]"),
              HasSubstr("found a tag that faces the mass centre, allowed one that faces outwards"));
  EXPECT_THAT(Message("[]"), HasSubstr("places (line 9): found 0 tags, allowed 1 to 100"));
  EXPECT_THAT(Message("[{id: 4, face: +z, spin: 3}]"), HasSubstr("found an unknown key"));
  const auto body =
      folder_.Write("body.yaml",
                    "shape: box\nsize: [0.3, 0.05, 0.02]\nmass: 0.2\nmarkers:\n"
                    "  tags: {dictionary: DICT_4X4_60, size: 0.03, places: [{id: 1, face: +z}]}\n");
  try {
    ReadBody(body);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("markers.tags.dictionary (line 5): found DICT_4X4_60, "
                                        "allowed a dictionary of tags by its name in OpenCV"));
  }
}

}  // namespace
}  // namespace percuss::capture
