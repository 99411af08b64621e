// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/model/prepared_impacts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "tests/fitting/synthetic_impacts.h"

namespace percuss::fitting {
namespace {

using ::testing::HasSubstr;

// The equations of motion themselves: mass times change of velocity is the impulse, and its moment
// about the mass centre changes the angular momentum.
TEST(PrepareImpacts, VelocityPerImpulseFulfilsTheEquationsOfMotion) {
  std::mt19937 random(5);
  const PreparedImpacts data = PrepareImpacts(NoisySlidingTable(random, 0.3, 0.6, 5, true), Bar());
  ASSERT_EQ(data.impacts.size(), 5u);
  const Eigen::Vector3d impulse(0.1, -0.2, 0.7);  // [N s], contact frame
  for (const Impact& impact : data.impacts) {
    EXPECT_EQ(impact.reason_unusable, "");
    ASSERT_TRUE(impact.complete);
    const Vector6d jump = impact.geometry.velocity_per_impulse * impulse;
    const Eigen::Vector3d force = impact.geometry.frame * impulse;
    EXPECT_LT((data.body.mass * jump.head<3>() - force).norm(), 1e-12);
    EXPECT_LT((impact.geometry.inertia_W * jump.tail<3>() - impact.record.r.cross(force)).norm(),
              1e-12);
  }
}

TEST(PrepareImpacts, SaysWhyAnImpactIsUnusableAndLeavesItsGeometryZero) {
  std::mt19937 random(6);
  impacts::ImpactTable table = NoisySlidingTable(random, 0.3, 0.6, 4, false);
  table.impacts[0].v_post.y() = std::nan("");
  table.impacts[1].v.z() = 3.0;
  table.impacts[2].r_sigma.setConstant(1.0);
  table.impacts[3].reason_unusable = "row 4: no number";
  const PreparedImpacts data = PrepareImpacts(table, Bar());
  EXPECT_EQ(data.impacts[0].reason_unusable, "vy_post is missing");
  EXPECT_THAT(data.impacts[1].reason_unusable, HasSubstr("does not approach"));
  EXPECT_EQ(data.impacts[2].reason_unusable, "the contact point was not measured");
  EXPECT_EQ(data.impacts[3].reason_unusable, "row 4: no number");
  for (const int incomplete : {0, 3}) {
    EXPECT_FALSE(data.impacts[incomplete].complete);
    EXPECT_TRUE(data.impacts[incomplete].geometry.inertia_W.isZero(0.0));
  }
  EXPECT_TRUE(data.impacts[1].complete);
}

TEST(PrepareImpacts, RefusesAnAssumedSigmaOfZero) {
  try {
    PrepareImpacts({}, Bar(), {.velocity = 0.0});
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "assumed velocity sigma: found 0, allowed above 0 and finite");
  }
}

}  // namespace
}  // namespace percuss::fitting
