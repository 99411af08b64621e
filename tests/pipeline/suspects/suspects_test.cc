// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>

#include <random>

#include "pipeline/judgement/hypothesis.h"
#include "pipeline/suspects/distance_match.h"
#include "pipeline/suspects/free_fall.h"
#include "pipeline/suspects/typed_number.h"
#include "tests/base/temporary_folder.h"
#include "tests/tracking/arcs/synthetic_trial.h"

namespace percuss::pipeline {
namespace {

TEST(TypedNumber, IsAsAPersonWouldTypeAndNoMoreThanWasMeasured) {
  EXPECT_EQ(RoundNumber(0.02296, 0.00007), 0.023);
  EXPECT_EQ(RoundNumber(0.02296, 0.000001), 0.02296);
  EXPECT_EQ(RoundNumber(0.02544, 0.00003), 0.0254);
  EXPECT_EQ(RoundNumber(-9.803, 0.01), -9.8);
  EXPECT_EQ(RoundNumber(118.9, 1.0), 120.0);
  EXPECT_EQ(RoundNumber(0.0003, 0.0005), 0.0);
  EXPECT_EQ(NumberText(RoundNumber(0.02296, 0.00007)), "0.023");
  EXPECT_EQ(VectorText({0.0, -0.0, -9.80665}), "[0, 0, -9.80665]");
}

TEST(Hypothesis, NamesItsLineAsMessagesOfTheFileDo) {
  const testing::TemporaryFolder folder;
  const auto file = folder.Write("e.yaml", "board:\n  square: 1\ntrials:\n  - name: a\n");
  EXPECT_EQ(NameOf({"trials", "0", "name"}), "trials[#1].name");
  EXPECT_EQ(LineOf(file, {"board", "square"}), 2);
  EXPECT_EQ(LineOf(file, {"trials", "0", "name"}), 4);
  EXPECT_EQ(LineOf(file, {"board", "rows"}), 2);  // its map begins there
}

TEST(YamlEdits, AreReadAsIfTheyWereTyped) {
  const testing::TemporaryFolder folder;
  const auto file = folder.Write("e.yaml", "a: {b: [1, 2, 3]}\nc: [x, y]\nd: 1\n");
  const std::vector<YamlEdit> edits = {
      {{"a", "b", "1"}, "-2.5"}, {{"c", "0"}, ""}, {{"e"}, "4"}, {{"d"}, ""}};
  const YamlField root = YamlField::ReadFile(file, edits);
  EXPECT_EQ(root["a"]["b"].Numbers(3, {}), (std::vector<double>{1.0, -2.5, 3.0}));
  EXPECT_EQ(root["c"].CanonicalText(), "[y]");
  EXPECT_FALSE(root["d"].Given());
  EXPECT_EQ(root["e"].Integer(0, 9), 4);
}

tracking::RigidGroup GroupOf(const tracking::MarkerLayout& layout, const std::vector<int>& markers,
                             double factor) {
  tracking::RigidGroup group;
  const auto count = static_cast<Eigen::Index>(markers.size());
  group.distances.setZero(count, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    group.tracks.push_back(static_cast<int>(i));
    for (Eigen::Index j = 0; j < count; ++j) {
      group.distances(i, j) = factor * (layout.p_BM[markers[i]] - layout.p_BM[markers[j]]).norm();
    }
  }
  return group;
}

TEST(DistanceMatch, FindsTheFactorOfAllDistances) {
  const tracking::MarkerLayout layout = LayoutOf(tracking::MakeSyntheticTrial());
  for (const double factor : {25.0 / 23.0, 1.0 / 2.54, 10.0}) {
    const auto matches = MatchDistances(GroupOf(layout, {4, 0, 3, 1, 5}, factor), layout);
    ASSERT_EQ(matches.size(), 1u) << factor;
    EXPECT_EQ(matches[0].matched, 5);
    EXPECT_NEAR(matches[0].scale * factor, 1.0, 1e-9);
    EXPECT_THAT(matches[0].marker_of, ::testing::ElementsAre(4, 0, 3, 1, 5));
  }
}

TEST(DistanceMatch, SaysNothingOfThreeMarkersOrAnotherBody) {
  const tracking::MarkerLayout layout = LayoutOf(tracking::MakeSyntheticTrial());
  EXPECT_TRUE(MatchDistances(GroupOf(layout, {0, 1, 2}, 1.1), layout).empty());
  tracking::MarkerLayout other = layout;
  for (std::size_t k = 0; k < other.p_BM.size(); ++k)
    other.p_BM[k] += Eigen::Vector3d(0.0, 0.02 * std::pow(-1.0, static_cast<double>(k)), 0.0);
  EXPECT_TRUE(MatchDistances(GroupOf(other, {0, 1, 2, 3, 4, 5}, 1.0), layout).empty());
}

TEST(FreeFall, IsThatOfTheFlightsAndNotOfTheRestOrTheImpact) {
  std::mt19937 random(3);
  tracking::SyntheticTrial trial = tracking::MakeSyntheticTrial();
  trial.gravity = {2.0, 0.5, -9.6};
  const FreeFall fall = MeasureFreeFall(MakeTrackedFrames(trial, 0.1, &random));
  ASSERT_TRUE(fall.found);
  EXPECT_LT((fall.acceleration - trial.gravity).norm(), 0.25);
  EXPECT_LT((fall.acceleration - trial.gravity).norm(), 5.0 * fall.sigma);
  EXPECT_FALSE(MeasureFreeFall({}).found);
}

}  // namespace
}  // namespace percuss::pipeline
