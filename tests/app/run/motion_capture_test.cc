// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Recordings of other groups go through `percuss track` as they were published. No truth is known
// of them; what is checked is that nearly all drops are answered, that the others are named, and
// that the ground never pulls.

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <sstream>

#include "capture/experiment/experiment.h"
#include "impacts/impact_files.h"
#include "tests/app/program.h"
#include "tests/base/temporary_folder.h"

namespace percuss {
namespace {

namespace fs = std::filesystem;

void ExpectNearlyAllAnswered(const std::string& data) {
  const fs::path file = fs::path(PERCUSS_DATA_DIR) / data / "experiment.yaml";
  const testing::TemporaryFolder folder;
  const auto run = testing::RunPercuss({"track", file.string(), "-o", "out"}, folder.Path());
  EXPECT_EQ(run.exit_code, 3) << "some drops cannot be answered";

  std::size_t refused = 0;
  std::istringstream lines(run.err);
  for (std::string line; std::getline(lines, line);) refused += line.starts_with("percuss: trial ");
  const auto impacts = impacts::ReadImpacts(folder / "out/impacts.json").impacts;
  std::set<std::string> answered;
  for (const impacts::ImpactRecord& impact : impacts) {
    answered.insert(impact.trial.substr(0, impact.trial.find('-')));
    EXPECT_GT(impact.v_post.z(), impact.v.z()) << impact.trial;
    EXPECT_TRUE(impact.covariance->allFinite()) << impact.trial;
  }
  const std::size_t num_trials = capture::ReadExperiment(file).trials.size();
  EXPECT_EQ(answered.size() + refused, num_trials);
  EXPECT_GT(static_cast<double>(answered.size()), 0.85 * static_cast<double>(num_trials));
}

TEST(MotionCaptureThroughTrack, CubeTossesAreAnswered) { ExpectNearlyAllAnswered("cube_toss"); }

TEST(MotionCaptureThroughTrack, PlanarSquaresAreAnswered) {
  ExpectNearlyAllAnswered("planar_square_drops");
}

}  // namespace
}  // namespace percuss
