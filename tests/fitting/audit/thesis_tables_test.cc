// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Tables 4.4 to 4.9 of sun2017 as data/sun2017/bar.yaml and rod.yaml read them: impulses and
// energies against a separate computation from the printed numbers
// (derived_impulse_and_energy_check.csv, thesis axes x, y down, z).

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "base/files/files.h"
#include "fitting/estimate/comparison.h"
#include "impacts/table_description.h"
#include "tests/fitting/thesis_predictions.h"
#include "tests/solver/law/table.h"

namespace percuss::fitting {
namespace {

const std::string kThesisData = PERCUSS_DATA_DIR "/sun2017/";

/// Moments of inertia of Table 4.1 [kg m^2] in the axes of the description, whose z is the long
/// axis: Y of the rod, X of the bar.
Eigen::Vector3d TableInertia(const std::string& object, const std::string& ending) {
  const Table objects(kThesisData + "objects_table4_1.csv");
  const std::size_t row = object == "rod" ? 0 : 1;
  EXPECT_EQ(objects.Text(row, "object"), object);
  const auto moment = [&](const char* axes) {
    return 1e-6 * objects.Number(row, std::string("I") + axes + ending);
  };
  if (object == "rod") return {moment("XX"), moment("ZZ"), moment("YY")};
  return {moment("ZZ"), moment("YY"), moment("XX")};
}

// What is printed of the rod's own axis is wrong by 500 times.
TEST(ThesisTables, BodiesAreThoseOfTable41) {
  for (const std::string object : {"rod", "bar"}) {
    const solver::Body body = impacts::ReadTableDescription(kThesisData + object + ".yaml").body;
    const Eigen::Vector3d computed = body.inertia.diagonal();
    const Eigen::Vector3d truth = TableInertia(object, "_recomputed_kg_mm2");
    for (int axis = 0; axis < 3; ++axis)
      EXPECT_NEAR(computed[axis], truth[axis], 6e-4 * truth[axis]) << object << axis;
  }
}

/// From the thesis axes (x, y down, z) to W.
Eigen::Vector3d FromThesisAxes(double x, double y, double z) { return {x, z, -y}; }

// With the printed moments; of a rod the one about its axis plays no part. The states after are as
// measured and as the thesis computed them; the long axis is taken as vertical for the angular
// impulse dH, which no contact impulse J at an arm could give where cos(J, dH) is not 0, or
// |dH|/|J| longer than the body.
TEST(ThesisTables, ImpulsesAndEnergiesOfTheMeasuredStates) {
  const Table truth(kThesisData + "derived_impulse_and_energy_check.csv");
  for (const std::string object : {"rod", "bar"}) {
    impacts::TableDescription description =
        impacts::ReadTableDescription(kThesisData + object + ".yaml");
    description.body.inertia = TableInertia(object, "_kg_mm2").asDiagonal();
    const PreparedImpacts data =
        PrepareImpacts(impacts::ReadDescribedImpacts(description), description.body);
    const Table states(kThesisData + object + "_impacts.csv");
    const auto computed = [&](std::size_t row, const std::string& quantity) {
      const auto along = [&](const char* axis) {
        const char* unit = quantity == "v" ? "_m_s" : "_rad_s";
        return states.Number(row, "comp_post_" + quantity + axis + unit);
      };
      return FromThesisAxes(along("x"), along("y"), along("z"));
    };
    // The separate computation has 0.0038 kg mm^2 of the rod's own axis as 3.8; not 1.9, as it is.
    Eigen::Vector3d moments = description.body.inertia.diagonal();
    if (object == "rod") moments[2] *= 1e3;
    int compared = 0;
    for (std::size_t row = 0; row < truth.size(); ++row) {
      if (truth.Text(row, "object") != object) continue;
      const auto impact = std::ranges::find(data.impacts, truth.Text(row, "experiment"),
                                            [](const Impact& one) { return one.record.trial; });
      ASSERT_NE(impact, data.impacts.end());
      const impacts::ImpactRecord& record = impact->record;
      const std::string& source = truth.Text(row, "source");
      SCOPED_TRACE(object + record.trial + source);
      const auto state = static_cast<std::size_t>(record.trial[0] - 'A');
      ASSERT_EQ(states.Text(state, "experiment"), record.trial);
      const bool measured = source == "exp";
      const Eigen::Vector3d v_post = measured ? record.v_post : computed(state, "v"),
                            w_post = measured ? record.w_post : computed(state, "w");
      const Eigen::Vector3d J = description.body.mass * (v_post - record.v);
      EXPECT_NEAR(J.x(), truth.Number(row, "Jx_N_s"), 6e-6);
      EXPECT_NEAR(-J.z(), truth.Number(row, "Jy_N_s"), 6e-6);
      EXPECT_NEAR(J.y(), truth.Number(row, "Jz_N_s"), 6e-6);
      EXPECT_NEAR(std::acos(J.z() / J.norm()) * 180.0 / M_PI,
                  truth.Number(row, "angle_J_from_minus_y_deg"), 6e-3);
      EXPECT_NEAR(J.head<2>().norm() / std::abs(J.z()),
                  truth.Number(row, "tangential_over_normal_if_normal_is_y"), 6e-5);
      const Eigen::Vector3d dH = moments.cwiseProduct(w_post - record.w);
      EXPECT_NEAR(dH.x(), truth.Number(row, "dHx_kg_m2_s"), 6e-7);
      EXPECT_NEAR(-dH.z(), truth.Number(row, "dHy_kg_m2_s"), 6e-7);
      EXPECT_NEAR(dH.y(), truth.Number(row, "dHz_kg_m2_s"), 6e-7);
      EXPECT_NEAR(J.dot(dH) / (J.norm() * dH.norm()), truth.Number(row, "cos_angle_J_dH"), 6e-5);
      EXPECT_NEAR(dH.norm() / J.norm(), truth.Number(row, "lever_arm_dH_over_J_m"), 6e-5);
      Vector6d before, after;
      before << record.v, record.w;
      after << v_post, w_post;
      const double energy_before = CalcKineticEnergy(impact->geometry, before).value,
                   energy_after = CalcKineticEnergy(impact->geometry, after).value;
      EXPECT_NEAR(energy_before, truth.Number(row, "KE_pre_J"), 1e-4);
      EXPECT_NEAR(energy_after, truth.Number(row, "KE_post_J"), 1e-4);
      EXPECT_NEAR(100.0 * (1.0 - energy_after / energy_before),
                  truth.Number(row, "dissipation_recomputed_pct"), 0.06);
      EXPECT_NEAR(100.0 * (1.0 - v_post.squaredNorm() / record.v.squaredNorm()),
                  truth.Number(row, "dissipation_recomputed_translation_only_pct"), 0.051);
      // The longest arm that a contact can have. The digest takes the rod for a line, without the
      // 0.07 mm that its radius adds.
      const double longest = object == "rod"
                                 ? 0.5 * std::get<solver::Cylinder>(description.body.shape).length
                                 : 0.5 * std::get<solver::Box>(description.body.shape).size.norm();
      EXPECT_NEAR(longest, truth.Number(row, "R_max_m"), 5.1e-5);
      if (measured) {
        EXPECT_NEAR(100.0 * CalcMeasuredDissipation(*impact).value,
                    truth.Number(row, "dissipation_recomputed_pct"), 0.06);
      }
      ++compared;
    }
    EXPECT_EQ(compared, 12) << object;
  }
}

// Errors of the computed loss over the measured one, both as printed: Table 2.5 (what is retained),
// and 4.6 and 4.9. The largest are of reverse slip.
TEST(ThesisTables, RelativeErrorsOfDissipation) {
  const Table plane(kThesisData + "table2_5_2d_validation.csv");
  double least = 100.0, largest = 0.0, stronge = 0.0;
  for (std::size_t row = 0; row < plane.size(); ++row) {
    const double measured = plane.Number(row, "energy_pct_experiment");
    for (const std::string law : {"newton", "stronge", "poisson"}) {
      const double error =
          100.0 * std::abs(plane.Number(row, "energy_pct_" + law) / measured - 1.0);
      EXPECT_NEAR(error, plane.Number(row, "rel_err_" + law + "_pct_derived"), 5.1e-3)
          << row << law;
      least = std::min(least, error);
      largest = std::max(largest, error);
      if (law == "stronge") stronge = std::max(stronge, error);
    }
  }
  EXPECT_NEAR(least, 0.91, 0.0101);  // 2.10 prints 0.91, where 0.902 follows
  EXPECT_NEAR(largest, 9.02, 5.1e-3);
  EXPECT_NEAR(stronge, 5.94, 5.1e-3);

  const Table truth(kThesisData + "derived_impulse_and_energy_check.csv");
  const double printed[2][6] = {{.49, 1.73, 5.63, .61, .49, 4.40},
                                {1.70, 2.30, 4.42, .85, 2.03, 5.13}};
  double of_reverse = 100.0, of_others = 0.0;
  for (const int body : {0, 1}) {
    const std::string object = body == 0 ? "rod" : "bar";
    const Table states(kThesisData + object + "_impacts.csv");
    ASSERT_EQ(states.size(), 6u);
    for (std::size_t run = 0; run < states.size(); ++run) {
      const double measured = states.Number(run, "dissipation_exp_pct");
      const double error =
          100.0 * std::abs(states.Number(run, "dissipation_comp_pct") / measured - 1.0);
      EXPECT_NEAR(error, printed[body][run], 5.1e-3) << object << run;
      double& bound = states.Text(run, "mode_printed") == "RSliding" ? of_reverse : of_others;
      bound = &bound == &of_reverse ? std::min(bound, error) : std::max(bound, error);
      for (std::size_t row = 0; row < truth.size(); ++row) {
        if (truth.Text(row, "object") != object ||
            truth.Text(row, "experiment") != states.Text(run, "experiment"))
          continue;
        EXPECT_NEAR(error, truth.Number(row, "relative_error_printed_exp_vs_comp_pct"), 5.1e-3);
      }
    }
  }
  EXPECT_NEAR(of_reverse, 4.40, 5.1e-3);
  EXPECT_NEAR(of_others, 2.30, 5.1e-3);
}

// The counts of docs/thesis-tables.md: its table is this computation.
TEST(ThesisTables, PageCountsWhatLiesInThePredictions) {
  const std::filesystem::path data = PERCUSS_DATA_DIR;
  const ThesisCount plate = CountInside(PredictThesis(data, "")),
                    body = CountInside(PredictThesis(data, "_tilted"));
  const std::string page = ReadFile(data / "../docs/thesis-tables.md");
  const auto expect = [&](const std::string& row, int of_plate, int of_body) {
    EXPECT_THAT(page,
                ::testing::HasSubstr(fmt::format("\n| {} | {} | {} |\n", row, of_plate, of_body)));
  };
  expect("losses that follow from the printed velocities, of 12", plate.recomputed,
         body.recomputed);
  expect("losses that are printed as measured, of 12", plate.printed, body.printed);
  expect("losses that are printed as computed, of 12", plate.computed, body.computed);
  expect("measured velocities, of 72", plate.velocities, body.velocities);
  expect("computed velocities, of 72", plate.computed_velocities, body.computed_velocities);
  expect("impulses that some pose of the prior explains, of 12", plate.explained, body.explained);
  expect("losses from the printed velocities, given these impulses", plate.given_impulse,
         body.given_impulse);
}

// Rods E and F, as upright as their rows have them, gain energy, and the impulse of E allows no
// pose in which the law could follow. The bar's C, on a plate of 70 degrees, has no such pose at
// all: the printed impulse lies far from the normal.
TEST(ThesisTables, ShowWhatCannotBe) {
  const auto predictions = PredictThesis(PERCUSS_DATA_DIR, "");
  const auto of = [&](const std::string& object, const std::string& trial) {
    for (const ThesisPrediction& one : predictions)
      if (one.object == object && one.predicted.trial == trial) return one.predicted;
    return PosePrediction{};
  };
  EXPECT_LT(of("rod", "E").prediction.dissipation.measured, 0.0);
  EXPECT_LT(of("rod", "F").prediction.dissipation.measured, 0.0);
  EXPECT_FALSE(IsInside(of("rod", "E").given_impulse.dissipation));
  EXPECT_EQ(of("bar", "C").given_impulse.num_draws, 0.0);
  EXPECT_TRUE(IsInside(of("rod", "A").prediction.dissipation));
  EXPECT_TRUE(IsInside(of("bar", "A").prediction.dissipation));
}

}  // namespace
}  // namespace percuss::fitting
