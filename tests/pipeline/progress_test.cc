// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/progress.h"

#include <gtest/gtest.h>

#include <limits>

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

}  // namespace
}  // namespace percuss::pipeline
