// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/diagnosis/diagnosis.h"

#include <gmock/gmock.h>

#include "tests/pipeline/diagnosis/laboratory.h"

namespace percuss::pipeline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> KindsOf(const Diagnosis& diagnosis) {
  std::vector<std::string> kinds;
  for (const Hypothesis& one : diagnosis.explanations) kinds.push_back(one.kind);
  return kinds;
}

TEST(Diagnosis, OfARightFileIsEmptyAndTriesNothing) {
  const Diagnosis diagnosis = Laboratory().DiagnoseFile({});
  EXPECT_THAT(diagnosis.complaints, IsEmpty());
  EXPECT_EQ(diagnosis.tried, 0);
  EXPECT_FALSE(diagnosis.IsKnown());
}

TEST(Diagnosis, NamesTheSquareOfAnotherBoard) {
  Laboratory laboratory;
  const Diagnosis diagnosis = laboratory.DiagnoseFile({.square = "0.025"});
  ASSERT_THAT(KindsOf(diagnosis), ElementsAre("square of the board"));
  EXPECT_TRUE(diagnosis.IsKnown());
  EXPECT_EQ(diagnosis.explanations[0].write, "square: 0.023");
  const capture::Experiment mended = laboratory.Read(diagnosis);
  EXPECT_EQ(mended.board.square, 0.023);
  const auto lines = DiagnosisLines(mended, diagnosis);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], HasSubstr("board.square (line 1) is 0.025"));
}

TEST(Diagnosis, NamesAMirroredLayoutByAllAxesThatMakeTheSameImpacts) {
  Laboratory laboratory;
  const Diagnosis diagnosis = laboratory.DiagnoseFile({.y = -1.0});
  EXPECT_THAT(KindsOf(diagnosis),
              ElementsAre("mirrored layout", "mirrored layout", "mirrored layout"));
  EXPECT_TRUE(diagnosis.IsKnown());
  EXPECT_THAT(DiagnosisLines(laboratory.Read(diagnosis), diagnosis).back(),
              HasSubstr("it makes no difference"));
}

TEST(Diagnosis, NamesADiameterThatIsTypedTwice) {
  const Diagnosis diagnosis = Laboratory().DiagnoseFile({.diameter = "0.016"});
  ASSERT_THAT(KindsOf(diagnosis), ElementsAre("marker diameter"));
  EXPECT_EQ(diagnosis.explanations[0].write, "marker_diameter: 0.008");
}

TEST(Diagnosis, NamesExchangedVideos) {
  const Diagnosis diagnosis = Laboratory().DiagnoseFile({.left = "right.mp4", .right = "left.mp4"});
  ASSERT_THAT(KindsOf(diagnosis), ElementsAre("exchanged cameras"));
  EXPECT_EQ(diagnosis.explanations[0].edits[0].value, "left.mp4");
}

TEST(Diagnosis, NamesTheDirectionOfGravity) {
  const Diagnosis diagnosis = Laboratory().DiagnoseFile({.gravity = "[0, -9.80665, 0]"});
  ASSERT_THAT(KindsOf(diagnosis), ElementsAre("direction of gravity"));
  EXPECT_EQ(diagnosis.explanations[0].write, "gravity: [0, 0, -9.80665]");
}

TEST(Diagnosis, NamesTheSlopeThatWasForgotten) {
  Laboratory laboratory;
  const Diagnosis diagnosis = laboratory.DiagnoseFile({.gravity = "[2.04, 0, -9.592]"});
  ASSERT_THAT(KindsOf(diagnosis), ElementsAre("slope"));
  EXPECT_LT((laboratory.Read(diagnosis).trials[0].gravity - Eigen::Vector3d(0, 0, -9.80665)).norm(),
            0.15);
}

TEST(Diagnosis, NamesAMarkerThatIsElsewhere) {
  const Diagnosis diagnosis = Laboratory().DiagnoseFile({.third = "[-0.0215, -0.0155, 0.00625]"});
  ASSERT_THAT(KindsOf(diagnosis), ElementsAre("place of a marker"));
  EXPECT_EQ(diagnosis.explanations[0].write, "A3: [-0.0215, 0.0155, 0.00625]");
}

TEST(Diagnosis, NamesAMarkerThatCameOff) {
  Laboratory laboratory;
  laboratory.LoseMarker(2);
  const Diagnosis diagnosis = laboratory.DiagnoseFile({});
  ASSERT_THAT(KindsOf(diagnosis), ElementsAre("lost marker"));
  EXPECT_EQ(diagnosis.explanations[0].write, "no A3");
}

TEST(Diagnosis, NamesTheOrderOfTheLengths) {
  const Diagnosis diagnosis = Laboratory().DiagnoseFile({.size = "[0.0515, 0.3065, 0.0125]"});
  ASSERT_THAT(KindsOf(diagnosis), ElementsAre("order of the lengths"));
  EXPECT_EQ(diagnosis.explanations[0].write, "size: [0.3065, 0.0515, 0.0125]");
}

TEST(Diagnosis, NamesTheOrderOfTheMoments) {
  // Of the homogeneous box, the first two exchanged.
  const Diagnosis diagnosis =
      Laboratory().DiagnoseFile({.body = "inertia: [1.450685e-3, 4.329771e-5, 1.489165e-3], "});
  ASSERT_THAT(KindsOf(diagnosis), ElementsAre("order of the moments"));
  EXPECT_TRUE(diagnosis.IsKnown());
}

TEST(Diagnosis, NamesMomentsThatAreTooLarge) {
  const Diagnosis diagnosis =
      Laboratory().DiagnoseFile({.body = "inertia: [8.659542e-5, 2.90137e-3, 2.97833e-3], "});
  ASSERT_THAT(KindsOf(diagnosis), ElementsAre("moments of inertia"));
  EXPECT_EQ(NameOf(diagnosis.explanations[0].path), "body.inertia");
}

TEST(Diagnosis, NamesNoLineWhereTwoAreWrong) {
  const Diagnosis diagnosis =
      Laboratory().DiagnoseFile({.square = "0.025", .gravity = "[0, -9.80665, 0]", .y = -1.0});
  EXPECT_THAT(diagnosis.complaints, Not(IsEmpty()));
  EXPECT_THAT(diagnosis.explanations, IsEmpty());
  EXPECT_FALSE(diagnosis.IsKnown());
}

}  // namespace
}  // namespace percuss::pipeline
