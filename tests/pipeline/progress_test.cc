// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/progress.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <vector>

namespace percuss::pipeline {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

TEST(Progress, ALineShowsHowFarAndHowLong) {
  EXPECT_EQ(ProgressLine("track a: decoding", 0.0, kUnknown),
            "track a: decoding [                    ]   0 %");
  EXPECT_EQ(ProgressLine("fit", 0.4, 11.2), "fit [========            ]  40 %, 12 s left");
  EXPECT_EQ(ProgressLine("fit", 1.0, 0.0), "fit [====================] 100 %, 0 s left");
  EXPECT_EQ(ProgressLine("fit", 0.5, 600.0), "fit [==========          ]  50 %, 10 min left");
  EXPECT_EQ(ProgressLine("fit", 0.01, 9000.0), "fit [                    ]   1 %, 2.5 h left");
  EXPECT_EQ(ProgressLine("fit", 1.2, kUnknown), "fit [====================] 100 %");
}

// A step that reports a hundred times a second.
TEST(Progress, ALogTellsOfLongStepsAndEverMoreSeldom) {
  using std::chrono::milliseconds;
  const LogPace::Time start(std::chrono::hours(100));
  LogPace pace;
  std::vector<double> told;
  for (milliseconds t{0}; t < std::chrono::minutes(5); t += milliseconds(10)) {
    if (pace.IsDue(start, start + t)) told.push_back(1e-3 * static_cast<double>(t.count()));
  }
  EXPECT_EQ(told, (std::vector<double>{5, 15, 35, 75, 135, 195, 255}));
  const auto later = std::chrono::minutes(10);
  EXPECT_FALSE(LogPace().IsDue(start + later, start + later + milliseconds(4999)));
}

}  // namespace
}  // namespace percuss::pipeline
