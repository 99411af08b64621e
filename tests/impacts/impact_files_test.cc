// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "impacts/impact_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/base/temporary_folder.h"

namespace percuss::impacts {

using enum ImpactIndex;

namespace {

using percuss::testing::InputErrorOf;
using percuss::testing::TemporaryFolder;
using ::testing::HasSubstr;

const Provenance kProvenance{.format = "percuss impacts 1",
                             .command = "percuss track experiment.yaml",
                             .input_hashes = {{"experiment.yaml", "89ab"}}};

Eigen::MatrixXd Random(std::mt19937& random, Eigen::Index rows, Eigen::Index columns) {
  std::normal_distribution<double> normal;
  Eigen::MatrixXd matrix(rows, columns);
  for (double& entry : matrix.reshaped()) entry = normal(random);
  return matrix;
}

ImpactTable SampleTable() {
  std::mt19937 random(1);
  ImpactTable table;
  const Eigen::MatrixXd root = Random(random, 30, 30);
  table.calibration_covariance = root * root.transpose() / 3.0;
  table.sources = {{"cameras", kNaN, "", true, Random(random, 30, 7)},
                   {"gravity", 0.1 / 3.0, "m/s^2", false, Random(random, 30, 3)}};
  for (const char* name : {"a-slide", "with, comma \"quoted\""}) {
    ImpactRecord record;
    record.trial = name;
    record.time = 0.37 + 1.0 / 3.0;
    record.time_sigma = 1e-5 / 3.0;
    record.p_WB = Random(random, 3, 1);
    record.q_WB = Eigen::Quaterniond(Eigen::Vector4d(Random(random, 4, 1))).normalized();
    record.r = Random(random, 3, 1);
    record.normal = Random(random, 3, 1).normalized();
    record.v = Random(random, 3, 1);
    record.w = Random(random, 3, 1);
    record.v_post = Random(random, 3, 1);
    record.w_post = Random(random, 3, 1);
    record.gravity = Eigen::Vector3d(2.03892, 0.0, -9.59235);
    const Eigen::MatrixXd mix =
        Random(random, impacts::kImpactDimension, impacts::kImpactDimension);
    record.covariance = mix * mix.transpose();
    record.calibration_sensitivity = Random(random, impacts::kImpactDimension, 30);
    record.pixel_noise_px = 0.1 / 3.0;
    record.warnings = {"one marker only", "few frames"};
    record.extra = {{"operator", "Ann, Ben"}, {"room", "3"}};
    table.impacts.push_back(record);
  }
  table.impacts[1].covariance.reset();
  table.impacts[1].calibration_sensitivity.resize(0, 0);
  table.impacts[1].time_sigma = std::nan("");
  table.impacts[1].pixel_noise_px = std::nan("");
  return table;
}

void ExpectSameStates(const ImpactRecord& a, const ImpactRecord& b) {
  EXPECT_EQ(a.trial, b.trial);
  EXPECT_EQ(a.q_WB.coeffs(), b.q_WB.coeffs());
  EXPECT_EQ(a.r, b.r);
  EXPECT_EQ(a.normal, b.normal);
  EXPECT_EQ(a.v, b.v);
  EXPECT_EQ(a.w, b.w);
  EXPECT_EQ(a.v_post, b.v_post);
  EXPECT_EQ(a.w_post, b.w_post);
  EXPECT_EQ(a.time, b.time);
  EXPECT_EQ(std::isnan(a.time_sigma), std::isnan(b.time_sigma));
  EXPECT_EQ(a.warnings, b.warnings);
  EXPECT_EQ(a.extra, b.extra);
}

TEST(ImpactsJson, RoundTripIsExact) {
  const TemporaryFolder folder;
  const ImpactTable table = SampleTable();
  WriteImpactsJson(table, kProvenance, folder / "impacts.json");
  const ImpactTable read = ReadImpacts(folder / "impacts.json");
  ASSERT_EQ(read.impacts.size(), 2u);
  EXPECT_EQ(read.calibration_covariance, table.calibration_covariance);
  ASSERT_EQ(read.sources.size(), 2u);
  EXPECT_EQ(read.sources[0].name, "cameras");
  EXPECT_TRUE(std::isnan(read.sources[0].size));
  EXPECT_TRUE(read.sources[0].stated);
  EXPECT_EQ(read.sources[1].root, table.sources[1].root);
  EXPECT_EQ(read.sources[1].size, 0.1 / 3.0);
  EXPECT_EQ(read.sources[1].unit, "m/s^2");
  EXPECT_FALSE(read.sources[1].stated);
  for (std::size_t i = 0; i < 2; ++i) {
    ExpectSameStates(read.impacts[i], table.impacts[i]);
    EXPECT_EQ(read.impacts[i].p_WB, table.impacts[i].p_WB);
    EXPECT_EQ(read.impacts[i].gravity, table.impacts[i].gravity);
  }
  EXPECT_EQ(*read.impacts[0].covariance, *table.impacts[0].covariance);
  EXPECT_EQ(read.impacts[0].calibration_sensitivity, table.impacts[0].calibration_sensitivity);
  EXPECT_EQ(read.impacts[0].pixel_noise_px, table.impacts[0].pixel_noise_px);
  EXPECT_FALSE(read.impacts[1].covariance.has_value());
  EXPECT_EQ(read.impacts[1].calibration_sensitivity.size(), 0);
  EXPECT_TRUE(std::isnan(read.impacts[1].pixel_noise_px));
  const auto json = nlohmann::json::parse(ReadFile(folder / "impacts.json"));
  EXPECT_EQ(json.at("format"), "percuss impacts 1");
  EXPECT_EQ(json.at("command"), "percuss track experiment.yaml");
  EXPECT_EQ(json.at("inputs").at(0).at("sha256"), "89ab");
}

// States come back to the last bit; of the covariance only the diagonal fits into a table.
TEST(ImpactsCsv, RoundTripKeepsStatesAndSigmas) {
  const TemporaryFolder folder;
  const ImpactTable table = SampleTable();
  WriteImpactsCsv(table, kProvenance, folder / "impacts.csv");
  const ImpactTable read = ReadImpacts(folder / "impacts.csv");
  ASSERT_EQ(read.impacts.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) ExpectSameStates(read.impacts[i], table.impacts[i]);
  EXPECT_FALSE(read.impacts[1].covariance.has_value());
  ASSERT_TRUE(read.impacts[0].covariance.has_value());
  const ImpactCovariance covariance = *read.impacts[0].covariance;
  for (int i = kRotation; i < impacts::kImpactDimension; ++i) {
    const double variance = (*table.impacts[0].covariance)(i, i);
    EXPECT_NEAR(covariance(i, i), variance, 1e-14 * variance);
  }
  EXPECT_EQ(covariance(kV, kW), 0.0);
}

TEST(ImpactsCsv, KeepsTheSigmaOfAMeasuredContactArm) {
  const TemporaryFolder folder;
  ImpactTable table = SampleTable();
  for (ImpactRecord& record : table.impacts) record.covariance.reset();
  table.impacts[0].r_sigma = {0.001, 0.0, 0.002};
  WriteImpactsCsv(table, kProvenance, folder / "impacts.csv");
  const ImpactTable read = ReadImpacts(folder / "impacts.csv");
  EXPECT_EQ(read.impacts[0].r_sigma, table.impacts[0].r_sigma);
  EXPECT_FALSE(read.impacts[0].covariance.has_value());
}

TEST(ImpactsCsv, PlanarTablesLeaveOutWhatIsZero) {
  const TemporaryFolder folder;
  const auto file = folder.Write("impacts.csv",
                                 "\xEF\xBB\xBF# measured in May\r\n"
                                 "trial, rx, rz, vx, vz, wy, vx_post, vz_post, wy_post, lamp\r\n"
                                 "one, 0.01, -0.02, +0.5, -2e0, 3, 0.1, 1.5, -4, red\r\n"
                                 "\r\n"
                                 "two, 0.01, -0.02, , -2, 3, nan, 1.5, -4, blue\r\n");
  const ImpactTable table = ReadImpacts(file);
  ASSERT_EQ(table.impacts.size(), 2u);
  const ImpactRecord& one = table.impacts[0];
  EXPECT_EQ(one.trial, "one");
  EXPECT_EQ(one.r, Eigen::Vector3d(0.01, 0.0, -0.02));
  EXPECT_EQ(one.v, Eigen::Vector3d(0.5, 0.0, -2.0));
  EXPECT_EQ(one.w_post, Eigen::Vector3d(0.0, -4.0, 0.0));
  EXPECT_EQ(one.normal, Eigen::Vector3d::UnitZ());
  EXPECT_EQ(one.q_WB.coeffs(), Eigen::Quaterniond::Identity().coeffs());
  EXPECT_FALSE(one.covariance.has_value());
  EXPECT_EQ(one.extra.at("lamp"), "red");
  // A missing measurement is no error of the file.
  EXPECT_TRUE(std::isnan(table.impacts[1].v.x()));
  EXPECT_TRUE(std::isnan(table.impacts[1].v_post.x()));
}

TEST(ImpactsCsv, KeepsSoundRowsBesideBrokenOnes) {
  const TemporaryFolder folder;
  const ImpactTable table = ReadImpacts(folder.Write("impacts.csv",
                                                     "trial,rz,vz,vz_post\n"
                                                     "a,-0.1,fast,1\n"
                                                     "b,-0.1,-1,0.5\n"
                                                     "c,-0.1,-1\n"));
  ASSERT_EQ(table.impacts.size(), 3u);
  EXPECT_EQ(table.impacts[0].trial, "a");
  EXPECT_THAT(table.impacts[0].reason_unusable, HasSubstr("row 1 (line 2), column vz"));
  EXPECT_EQ(table.impacts[1].reason_unusable, "");
  EXPECT_EQ(table.impacts[1].v.z(), -1.0);
  EXPECT_EQ(table.impacts[2].trial, "c");
  EXPECT_THAT(table.impacts[2].reason_unusable, HasSubstr("row 3 (line 4): found 3 cells"));
}

TEST(ImpactsCsv, NamesWhatIsBroken) {
  const TemporaryFolder folder;
  const auto complaint = [&](const std::string& content) {
    const auto file = folder.Write("impacts.csv", content);
    return InputErrorOf([&] { ReadImpacts(file); });
  };
  const std::string header = "trial,rz,vz,vz_post\n";
  EXPECT_THAT(complaint(""), HasSubstr("no header line"));
  EXPECT_THAT(complaint(header), HasSubstr("no row below the header"));
  EXPECT_THAT(complaint("trial,rz,vz\n"), HasSubstr("line 1: column vz_post is missing"));
  EXPECT_THAT(complaint("trial,rz,vz,vz_post,wx\n"),
              HasSubstr("column wx_post is missing although wx is there"));
  EXPECT_THAT(complaint("trial,rz,vz,vz_post,qw,qx,qy\n"), HasSubstr("column qz is missing"));
  EXPECT_THAT(complaint("trial,rz,vz,vz_post,vz\n"), HasSubstr("column vz twice"));
  EXPECT_THAT(complaint("trial,rz,vz,vz_post,sigma_qw\n"), HasSubstr("allowed sigma_rot_x"));
  EXPECT_THAT(
      complaint(header + "a,-0.1,fast,1\n"),
      HasSubstr("impacts.csv: row 1 (line 2), column vz: found \"fast\", allowed a number"));
  EXPECT_THAT(complaint(header + "a,-0.1,-1 m,1\n"), HasSubstr("found \"-1 m\""));
  EXPECT_THAT(complaint(header + "a,-0.1,-1,inf\n"), HasSubstr("allowed a finite number"));
  EXPECT_THAT(complaint(header + "a,-0.1,-1500,1\n"),
              HasSubstr("found -1500, allowed -1000 to 1000"));
  EXPECT_THAT(complaint(header + "a,-0.1,-1\n"),
              HasSubstr("row 1 (line 2): found 3 cells, allowed 4"));
  EXPECT_THAT(complaint(header + "a,-0.1,-1,1\n# note\na,-0.1,-1,1\n"),
              HasSubstr("row 2 (line 4), column trial: found \"a\" again"));
  EXPECT_THAT(complaint(header + ",-0.1,-1,1\n"), HasSubstr("column trial: found nothing"));
  EXPECT_THAT(complaint(header + "\"a,-0.1,-1,1\n"), HasSubstr("never closed"));
  EXPECT_THAT(complaint("trial,rz,vz,vz_post,qw,qx,qy,qz\na,-0.1,-1,1,2,0,0,0\n"),
              HasSubstr("quaternion of norm 2, allowed 1 within 0.001"));
  EXPECT_THAT(complaint("trial,rz,vz,vz_post,nx,ny,nz\na,-0.1,-1,1,0,0,0.9\n"),
              HasSubstr("normal of norm 0.9"));
  EXPECT_THAT(complaint("trial,rz,vz,vz_post,sigma_vz\na,-0.1,-1,1,-0.01\n"),
              HasSubstr("column sigma_vz: found -0.01, allowed 0 or more"));
}

TEST(ImpactsJson, NamesWhatIsBroken) {
  const TemporaryFolder folder;
  WriteImpactsJson(SampleTable(), kProvenance, folder / "good.json");
  const auto good = nlohmann::json::parse(ReadFile(folder / "good.json"));
  const auto complaint = [&](const std::string& content) {
    const auto file = folder.Write("impacts.json", content);
    return InputErrorOf([&] { ReadImpacts(file); });
  };
  const auto changed = [&](const auto& change) {
    nlohmann::json json = good;
    change(json["impacts"][1]);
    return complaint(json.dump());
  };
  const auto reason = [&](const auto& change) {
    nlohmann::json json = good;
    change(json["impacts"][1]);
    const ImpactTable table = ReadImpacts(folder.Write("impacts.json", json.dump()));
    EXPECT_EQ(table.impacts.size(), good["impacts"].size());
    EXPECT_EQ(table.impacts[0].reason_unusable, "");
    EXPECT_EQ(table.impacts[1].trial, good["impacts"][1]["trial"]);
    return table.impacts[1].reason_unusable;
  };
  using Json = nlohmann::json;
  EXPECT_THAT(complaint("{\"format\": "),
              HasSubstr("impacts.json: line 1, column 12: this is not valid JSON"));
  EXPECT_THAT(complaint("[1]"), HasSubstr("allowed an object"));
  EXPECT_THAT(
      complaint("{\"format\": \"percuss fit 1\"}"),
      HasSubstr("impacts.json: format: found \"percuss fit 1\", allowed percuss impacts 1"));
  EXPECT_THAT(complaint("{\"format\": \"percuss impacts 1\", \"impacts\": []}"),
              HasSubstr("found an empty list"));
  EXPECT_THAT(reason([](Json& impact) { impact.erase("v"); }), HasSubstr("impact 2: v is missing"));
  EXPECT_THAT(reason([](Json& impact) { impact["v"] = "fast"; }),
              HasSubstr("impact 2: v: found \"fast\", allowed a list of 3 numbers"));
  EXPECT_THAT(reason([](Json& impact) { impact["v"][1] = 2000; }),
              HasSubstr("column v[1]: found 2000"));
  EXPECT_THAT(reason([](Json& impact) { impact["covariance"] = {{1.0}}; }),
              HasSubstr("covariance: found a list of 1, allowed 18 rows"));
  EXPECT_THAT(changed([](Json& impact) { impact["trial"] = "a-slide"; }),
              HasSubstr("impact 2: trial: found \"a-slide\" again"));
  EXPECT_THAT(changed([](Json& impact) { impact["trial"] = ""; }),
              HasSubstr("impact 2: trial: found nothing, allowed a name"));
  EXPECT_THAT(changed([](Json& impact) { impact.erase("trial"); }),
              HasSubstr("impact 2: trial is missing"));
  nlohmann::json all_broken = good;
  for (Json& impact : all_broken["impacts"]) impact.erase("v");
  EXPECT_THAT(complaint(all_broken.dump()), HasSubstr("impact 1: v is missing"));
  EXPECT_THAT(reason([](Json& impact) {
                impact["orientation"] = {1, 1, 0, 0};
              }),
              HasSubstr("quaternion of norm 1.41"));
}

TEST(ReadImpacts, RejectsOtherFiles) {
  const TemporaryFolder folder;
  EXPECT_THAT(InputErrorOf([&] { ReadImpacts(folder / "impacts.xlsx"); }),
              HasSubstr("allowed .csv or .json"));
  EXPECT_THAT(InputErrorOf([&] { ReadImpacts(folder / "none.csv"); }), HasSubstr("none.csv"));
}

}  // namespace
}  // namespace percuss::impacts
