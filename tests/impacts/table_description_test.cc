// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Descriptions of other labs' tables, from the file to the audit. Truth: the README of each set in
// data/, and numbers worked out by hand.

#include "impacts/table_description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "base/error.h"
#include "fitting/audit/audit.h"
#include "fitting/audit/sigma_estimate.h"
#include "fitting/estimate/coefficient_fit.h"
#include "tests/base/temporary_folder.h"

namespace percuss::fitting {
namespace {

using impacts::ImpactTable;
using impacts::TableDescription;
using percuss::testing::TemporaryFolder;
using ::testing::HasSubstr;

constexpr char kHead[] =
    "table: t.csv\n"
    "body: {shape: sphere, radius: 0.1, mass: 2}\n";

class Description : public ::testing::Test {
 protected:
  TableDescription Read(const std::string& rest, const std::string& csv) {
    folder_.Write("t.csv", csv);
    return impacts::ReadTableDescription(folder_.Write("t.yaml", kHead + rest));
  }
  std::string Complaint(const std::string& rest, const std::string& csv) {
    try {
      impacts::ReadDescribedImpacts(Read(rest, csv));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  TemporaryFolder folder_;
};

TEST_F(Description, MapsColumnsUnitsConstantsFormulasAndFilters) {
  const TableDescription description = Read(
      "columns:\n"
      "  trial: [a, b]\n"
      "  vx: {formula: 2 * sin(angle * deg) ^ 2 - -1}\n"
      "  vz: {from: fall, unit: mm/s, scale: -1}\n"
      "  wy: {from: spin, unit: rpm}\n"
      "  vx_post: {formula: (fall + 1) / 1001}\n"
      "  vz_post: {from: up, add: 0.5}\n"
      "  wy_post: {from: spin, unit: deg/s}\n"
      "keep: {flag: 0, angle: {at_least: 20, at_most: 40}}\n"
      "sigma: {velocity: 0.1, angular_velocity: 2}\n",
      "a,b,angle,fall,spin,up,flag\n"
      "p,1,30,1000,60,1.5,0\n"
      "p,2,30,1000,60,1.5,1\n"
      "p,3,50,1000,60,1.5,0\n");
  const ImpactTable table = impacts::ReadDescribedImpacts(description);
  ASSERT_EQ(table.impacts.size(), 1u);
  const impacts::ImpactRecord& record = table.impacts[0];
  EXPECT_EQ(record.trial, "p-1");
  EXPECT_NEAR(record.v.x(), 1.5, 1e-12);  // 2 / 4 + 1
  EXPECT_NEAR(record.v.z(), -1.0, 1e-12);
  EXPECT_NEAR(record.w.y(), 2.0 * std::numbers::pi, 1e-12);
  EXPECT_NEAR(record.v_post.x(), 1.0, 1e-12);
  EXPECT_NEAR(record.v_post.z(), 2.0, 1e-12);
  EXPECT_NEAR(record.w_post.y(), std::numbers::pi / 3.0, 1e-12);
  EXPECT_TRUE(record.r.isApprox(Eigen::Vector3d(0.0, 0.0, -0.1)));  // lowest point of the sphere
  EXPECT_NEAR((*record.covariance)(impacts::kV, impacts::kV), 0.01, 1e-12);
  EXPECT_EQ((*record.covariance)(impacts::kV + 1, impacts::kV + 1), 0.0);  // planar: exact
}

TEST_F(Description, UsesGoodRowsAndNamesTheOthersByRowAndColumn) {
  const ImpactTable table = impacts::ReadDescribedImpacts(
      Read("columns: {vz: a, vz_post: b}\n", "a,b\n-1,0.5\n,0.5\n-1,5000\n-1,0.4\n-1,0.3\n"));
  ASSERT_EQ(table.impacts.size(), 5u);
  EXPECT_EQ(table.impacts[0].reason_unusable, "");
  EXPECT_THAT(table.impacts[1].reason_unusable,
              HasSubstr("row 2 (line 3), column a: vz is missing"));
  EXPECT_THAT(table.impacts[2].reason_unusable,
              HasSubstr("row 3 (line 4), column b: found 5000, allowed -1000 to 1000"));
  const LawFit fit =
      FitCoefficients(table, Read("columns: {vz: a, vz_post: b}\n", "a,b\n-1,1\n").body).front();
  EXPECT_EQ(fit.num_used, 3);
  EXPECT_THAT(fit.trials[2].reason, HasSubstr("column b"));
}

TEST_F(Description, ComplainsInOneLineThatNamesThePlace) {
  const std::string good = "a,b\n-1,0.5\n";
  EXPECT_THAT(Complaint("columns: {vz: a, vz_post: c}\n", good), HasSubstr("column c is missing"));
  EXPECT_THAT(Complaint("columns: {vz: a, vz_pots: b}\n", good),
              HasSubstr("did you mean vz_post?"));
  EXPECT_THAT(Complaint("columns: {vz: a, vz_post: {from: b, unit: deg}}\n", good),
              HasSubstr("allowed m/s"));
  EXPECT_THAT(Complaint("columns: {vz: a, vz_post: {formula: 2 * (a}}\n", good),
              HasSubstr("allowed ')'"));
  EXPECT_THAT(Complaint("columns: {vz: a}\n", good), HasSubstr("no vz_post"));
  EXPECT_THAT(Complaint("columns: {vz: a, vz_post: b, wy: a}\n", good), HasSubstr("no wy_post"));
  EXPECT_THAT(Complaint("columns: {vz: a, vz_post: b}\nkeep: {a: 7}\n", good),
              HasSubstr("none of which `keep` allows"));
  EXPECT_THAT(Complaint("columns: {vz: a, vz_post: b}\n", "a,b\n-5000,1\n-6000,2\n-1,3\n"),
              HasSubstr("2 of 3 values of vz are beyond 1000"));
  EXPECT_THAT(
      Complaint("columns: {vz: a, vz_post: b, qw: b, qx: b, qy: b, qz: b}\n", "a,b\n-1,1\n"),
      HasSubstr("quaternion of norm 2"));
  EXPECT_THAT(Complaint("columns: {vz: a, vz_post: b}\nsigma: {velocity: 0.1}\n", good),
              HasSubstr("angular_velocity"));
}

constexpr char kPrior[] =
    "columns: {vz: a, vz_post: b}\n"
    "sigma: {velocity: 0.1, angular_velocity: 1, rotation: 0.1}\n";

// How the body lay is not in the table: its contact counts as unmeasured, whatever the shape.
TEST_F(Description, ReadsThePriorOfAPoseThatNobodyMeasured) {
  const std::string csv = "a,b,release\n-1,0.5,upright\n-1,0.4,thrown\n-1,0.4,lost\n";
  const TableDescription description =
      Read(std::string(kPrior) +
               "prior:\n"
               "  orientation: {by: release, upright: {turned_about: [0, 0, 1], heading: either},\n"
               "                thrown: any}\n"
               "  normal: {sigma: 0.01, heading: any}\n",
           csv);
  ASSERT_TRUE(description.prior);
  EXPECT_EQ(description.prior->normal.sigma, 0.01);
  EXPECT_EQ(description.prior->normal.heading, impacts::Heading::kAny);
  const ImpactTable table = impacts::ReadDescribedImpacts(description);
  const auto* upright = description.prior->OrientationOf(table.impacts[0]);
  ASSERT_NE(upright, nullptr);
  EXPECT_EQ(*upright->turned_about, Eigen::Vector3d::UnitZ());
  EXPECT_EQ(upright->heading, impacts::Heading::kEither);
  EXPECT_FALSE(upright->any);
  EXPECT_TRUE(description.prior->OrientationOf(table.impacts[1])->any);
  EXPECT_EQ(table.impacts[0].r_sigma, Eigen::Vector3d::Constant(0.1));
  EXPECT_EQ(table.impacts[0].reason_unusable, "");
  EXPECT_THAT(table.impacts[2].reason_unusable,
              HasSubstr("row 3 (line 4), column release: found \"lost\", allowed an entry of "
                        "prior.orientation: thrown, upright"));
  EXPECT_TRUE(Read(std::string(kPrior) + "prior: {orientation: any}\n", csv)
                  .prior->OrientationOf(table.impacts[2])
                  ->any);

  const auto complaint = [&](const std::string& prior) { return Complaint(kPrior + prior, csv); };
  EXPECT_THAT(complaint("prior: {orientation: some}\n"), HasSubstr("allowed stated, any"));
  EXPECT_THAT(complaint("prior: {normal: {sigma: 0.1}}\n"), HasSubstr("prior.orientation"));
  EXPECT_THAT(complaint("prior: {orientation: {turned_about: [0, 0, 2]}}\n"),
              HasSubstr("turned_about"));
  EXPECT_THAT(complaint("prior: {orientation: {heading: north}}\n"),
              HasSubstr("allowed stated, either or any"));
  EXPECT_THAT(complaint("prior: {orientation: {by: release}}\n"), HasSubstr("ENTRY"));
  EXPECT_THAT(complaint("prior: {orientation: {by: colour, red: any}}\n"),
              HasSubstr("prior.orientation.by: found colour"));
  EXPECT_THAT(complaint("prior: {orientation: any, normal: {sigma: -1}}\n"),
              HasSubstr("prior.normal.sigma"));
  EXPECT_THAT(Complaint("columns: {vz: a, vz_post: b}\nprior: {orientation: any}\n", csv),
              HasSubstr("a prior without sigma"));
  EXPECT_THAT(Complaint("columns: {vz: a, vz_post: b, rz: a}\nsigma: {velocity: 0.1, "
                        "angular_velocity: 1}\nprior: {orientation: any}\n",
                        csv),
              HasSubstr("a contact arm beside prior"));
}

AuditFinding Momentum(const std::filesystem::path& file) {
  const TableDescription description = impacts::ReadTableDescription(file);
  ImpactTable table = impacts::ReadDescribedImpacts(description);
  EstimateSigmas(description.body, table);
  for (const AuditFinding& finding :
       AuditImpacts(PrepareImpacts(table, description.body),
                    AuditOptions{.columns = &description.columns, .estimated_sigmas = true})) {
    if (finding.check == "momentum" && finding.trial.empty()) return finding;
  }
  throw std::runtime_error("no finding");
}

// The set's own README: the tangential axis is mirrored against rotation.
TEST(DescribedEllipse, AuditNamesTheMirroredAxisAndWhatToWrite) {
  const std::filesystem::path folder =
      std::filesystem::path(PERCUSS_DATA_DIR) / "planar_ellipse_impacts";
  const AuditFinding published = Momentum(folder / "table_as_published.yaml");
  EXPECT_FALSE(published.ok);
  EXPECT_THAT(published.text, HasSubstr("along x -0.8"));
  EXPECT_THAT(published.text, HasSubstr("with vx of the opposite sign"));
  EXPECT_THAT(published.text,
              HasSubstr("{vx: {from: vx0, scale: -1}, vx_post: {from: vx1, scale: -1}}"));
  EXPECT_TRUE(Momentum(folder / "table.yaml").ok);
}

// An unmeasured spin takes nothing from mu: 1 - mu (1 + e) / tan(angle) gives mu (1 + e) = 0.18.
TEST(DescribedSphere, FitsTheSlidingBranchWithoutTheSpin) {
  const TableDescription description = impacts::ReadTableDescription(
      std::filesystem::path(PERCUSS_DATA_DIR) / "kharaz2001_oblique/table.yaml");
  const LawFit fit =
      FitCoefficients(impacts::ReadDescribedImpacts(description), description.body).front();
  EXPECT_NEAR(fit.parameters[0].best * (1.0 + fit.parameters[1].best), 0.182, 0.004);
  EXPECT_EQ(fit.parameters[0].status, ParameterStatus::kIdentified);
}

}  // namespace
}  // namespace percuss::fitting
