// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/impulse_diagram.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/files/files.h"
#include "tests/base/temporary_folder.h"
#include "tests/fitting/synthetic_impacts.h"

namespace percuss::fitting {
namespace {

using Eigen::Vector3d;

constexpr double kMu = 0.25, kE = 0.5;

impacts::ImpactTable ExactTable(std::mt19937& random, int num_trials) {
  impacts::ImpactTable table;
  for (int i = 0; i < num_trials; ++i) {
    impacts::ImpactRecord record = ExactImpact(random, "t" + std::to_string(i), kMu, kE);
    record.covariance = TrackerCovariance(random);
    table.impacts.push_back(record);
  }
  return table;
}

LawFit FitStronge(const impacts::ImpactTable& table) {
  FitOptions options;
  options.laws = {"stronge"};
  return FitCoefficients(table, Bar(), options).front();
}

double Total(const EnergyShares& shares) {
  EXPECT_NEAR(shares[3].value, shares[0].value + shares[1].value + shares[2].value, 1e-15);
  return shares[3].value;
}

// Truth: data that the law made exactly.
TEST(ImpulseDiagrams, OfExactDataEndWhereTheImpulseWasMeasured) {
  std::mt19937 random(5);
  const impacts::ImpactTable table = ExactTable(random, 6);
  const LawFit fit = FitStronge(table);
  const auto diagrams = CalcImpulseDiagrams(PrepareImpacts(table, Bar()), fit);
  ASSERT_EQ(diagrams.size(), 6u);
  for (std::size_t i = 0; i < diagrams.size(); ++i) {
    const ImpulseDiagram& diagram = diagrams[i];
    const impacts::ImpactRecord& record = table.impacts[i];
    EXPECT_EQ(diagram.trial, record.trial);
    const double scale = diagram.measured.norm();
    EXPECT_LT((diagram.measured - Bar().mass * (record.v_post - record.v)).norm(), 1e-12);
    EXPECT_LT((diagram.predicted - diagram.measured).norm(), 1e-4 * scale);
    EXPECT_LT((diagram.path.back() - diagram.predicted).norm(), 1e-9 * scale);
    EXPECT_NEAR(diagram.friction, kMu, 1e-3);
    EXPECT_NEAR(diagram.tangent.norm(), 1.0, 1e-12);
    EXPECT_NEAR(diagram.tangent.dot(diagram.normal), 0.0, 1e-12);
    // Friction pushes first against the slip of the contact point, which is v + w x r.
    Vector3d slip = record.v + record.w.cross(record.r);
    slip -= slip.dot(record.normal) * record.normal;
    EXPECT_LT((diagram.tangent + slip.normalized()).norm(), 1e-12);
    // The contact point after it moves as A says.
    const Vector3d before = record.v + record.w.cross(record.r),
                   after = record.v_post + record.w_post.cross(record.r);
    EXPECT_LT((diagram.contact_velocity - before).norm(), 1e-12);
    EXPECT_LT((before + diagram.inverse_contact_mass * diagram.measured - after).norm(),
              1e-9 * before.norm());
  }
}

// Truth: the world turned.
TEST(ImpulseDiagrams, HaveTheContactInWorldAxes) {
  std::mt19937 random(7);
  impacts::ImpactTable table = ExactTable(random, 4);
  const LawFit fit = FitStronge(table);
  const ImpulseDiagram level = CalcImpulseDiagrams(PrepareImpacts(table, Bar()), fit).front();
  const Eigen::Quaterniond turn = Eigen::Quaterniond(0.8, -0.3, 0.4, 0.2).normalized();
  for (impacts::ImpactRecord& record : table.impacts) {
    record.q_WB = turn * record.q_WB;
    for (Vector3d* vector :
         {&record.normal, &record.r, &record.v, &record.w, &record.v_post, &record.w_post})
      *vector = turn * *vector;
  }
  const ImpulseDiagram turned = CalcImpulseDiagrams(PrepareImpacts(table, Bar()), fit).front();
  const Eigen::Matrix3d R = turn.toRotationMatrix(), A = level.inverse_contact_mass;
  EXPECT_LT((turned.contact_velocity - R * level.contact_velocity).norm(), 1e-12);
  EXPECT_LT((turned.inverse_contact_mass - R * A * R.transpose()).norm(), 1e-9 * A.norm());
}

// Truth: 1/2 m v^2 + 1/2 w I w, and what the comparison says was lost.
TEST(ImpulseDiagrams, SharesAddUpToTheKineticEnergy) {
  std::mt19937 random(6);
  const impacts::ImpactTable table = ExactTable(random, 6);
  const LawFit fit = FitStronge(table);
  const auto diagrams = CalcImpulseDiagrams(PrepareImpacts(table, Bar()), fit);
  for (std::size_t i = 0; i < diagrams.size(); ++i) {
    const TrialComparison& comparison = fit.trials[i];
    const double before = comparison.energy_before.value;
    EXPECT_NEAR(Total(diagrams[i].before), before, 1e-12 * before);
    EXPECT_NEAR(diagrams[i].before[3].sigma, comparison.energy_before.sigma, 1e-9 * before);
    EXPECT_NEAR(diagrams[i].after_measured[3].sigma, comparison.energy_after_measured.sigma,
                1e-9 * before);
    EXPECT_NEAR(Total(diagrams[i].after_measured),
                before * (1.0 - comparison.dissipation_measured.value), 1e-9 * before);
    EXPECT_NEAR(Total(diagrams[i].after_predicted),
                before + comparison.normal_work.value + comparison.friction_work.value,
                1e-9 * before);
  }
}

// Truth: many draws of the stated errors. The scatter of 4000 draws is known to 1.1 %; the second
// order of errors of half a per cent adds less.
TEST(ImpulseDiagrams, SigmasAreTheScatterOfDraws) {
  std::mt19937 random(8);
  const impacts::ImpactTable table = ExactTable(random, 4);
  const LawFit fit = FitStronge(table);
  const ImpulseDiagram stated = CalcImpulseDiagrams(PrepareImpacts(table, Bar()), fit).front();
  constexpr int kDraws = 4000;
  std::array<double, 11> sum{}, squares{};
  for (int draw = 0; draw < kDraws; ++draw) {
    impacts::ImpactTable drawn = table;
    AddError(DrawNormal(random, *table.impacts[0].covariance), drawn.impacts[0]);
    LawFit first = fit;
    first.trials.resize(1);
    first.trials[0].impulse_measured = Bar().mass * (drawn.impacts[0].v_post - drawn.impacts[0].v);
    const ImpulseDiagram diagram = CalcImpulseDiagrams(PrepareImpacts(drawn, Bar()), first).front();
    for (std::size_t k = 0; k < 11; ++k) {
      const double value = k < 3   ? diagram.measured[static_cast<Eigen::Index>(k)]
                           : k < 7 ? diagram.before[k - 3].value
                                   : diagram.after_measured[k - 7].value;
      sum[k] += value;
      squares[k] += value * value;
    }
  }
  for (std::size_t k = 0; k < 11; ++k) {
    const double mean = sum[k] / kDraws;
    const double scatter = std::sqrt(squares[k] / kDraws - mean * mean);
    const auto axis = static_cast<Eigen::Index>(k);
    const double sigma = k < 3   ? std::sqrt(stated.covariance(axis, axis))
                         : k < 7 ? stated.before[k - 3].sigma
                                 : stated.after_measured[k - 7].sigma;
    EXPECT_NEAR(scatter, sigma, 0.05 * sigma) << k;
  }
}

TEST(ImpulseDiagrams, AreWrittenWithNullForWhatIsNotKnown) {
  std::mt19937 random(9);
  const impacts::ImpactTable table = ExactTable(random, 3);
  LawFit fit = FitStronge(table);
  fit.models["e"] = {};  // then the parameters differ from trial to trial
  const percuss::testing::TemporaryFolder folder;
  const auto file = folder / "impulses.json";
  const PreparedImpacts data = PrepareImpacts(table, Bar());
  WriteImpulseDiagrams(
      {fit}, [&](const LawFit& law) { return CalcImpulseDiagrams(data, law); }, {"", "test", {}},
      file);
  const auto json = nlohmann::json::parse(ReadFile(file));
  const auto& first = json["laws"]["stronge"][0];
  EXPECT_EQ(json["format"], "percuss impulses 1");
  EXPECT_TRUE(first["friction"].is_null());
  EXPECT_TRUE(first["path"].empty());
  EXPECT_EQ(first["covariance"].size(), 3u);
  EXPECT_GT(first["energy"]["after_predicted"]["rotation"]["sigma"].get<double>(), 0.0);
  EXPECT_GT(first["energy"]["before"]["normal"]["sigma"].get<double>(), 0.0);
}

}  // namespace
}  // namespace percuss::fitting
