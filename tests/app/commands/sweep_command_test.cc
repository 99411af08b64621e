// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// `percuss sweep` as a user runs it. Its numbers against `percuss impact` and the tables of
// sun2017.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/commands/command_test.h"
#include "tests/solver/law/table.h"

namespace percuss {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

class SweepCommand : public testing::CommandTest {
 protected:
  testing::CommandRun Sweep(const std::string& spec, const std::string& more = "") const {
    folder_.Write("spec.yaml", spec);
    return Percuss("sweep spec.yaml -o sweep.csv " + more);
  }
  Table Rows(const std::string& spec) const {
    const testing::CommandRun run = Sweep(spec);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return Table((folder_ / "sweep.csv").string());
  }
  // Exit 2, one line, and no file.
  std::string Complaint(const std::string& spec) const {
    const testing::CommandRun run = Sweep(spec);
    EXPECT_EQ(run.exit_code, 2) << spec << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_THAT(run.err, HasSubstr("spec.yaml"));
    EXPECT_FALSE(fs::exists(folder_ / "sweep.csv"));
    return run.err;
  }
  json Impact(const std::string& request) const {
    const testing::CommandRun run = Percuss("impact -", request);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return json::parse(run.out);
  }
};

std::string Joined(const json& modes) {
  std::string joined;
  for (const json& mode : modes) {
    joined += (joined.empty() ? "" : "+") + mode.get<std::string>();
  }
  return joined;
}

void ExpectVector(const json& expected, const Table& rows, std::size_t row,
                  const std::vector<std::string>& columns) {
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(rows.Number(row, columns[k]), expected[k].get<double>(), 1e-11) << columns[k];
  }
}

void ExpectEnergies(const json& energy, const Table& rows, std::size_t row) {
  EXPECT_NEAR(rows.Number(row, "dissipation"),
              energy["dissipated"].get<double>() / energy["before"].get<double>(), 1e-11);
  EXPECT_NEAR(rows.Number(row, "normal_work"), energy["normal_work"].get<double>(), 1e-11);
  EXPECT_NEAR(rows.Number(row, "friction_work"), energy["friction_work"].get<double>(), 1e-11);
}

TEST_F(SweepCommand, SolvesWhatImpactSolvesForABody) {
  const std::string body = R"({shape: box, size: [0.3, 0.05, 0.0125], mass: 0.185})";
  const Table rows =
      Rows("law: poisson\nparameters: {e: 0.5}\nbody: " + body +
           "\norientation: [0.966, 0, 0.259, 0]\nvelocity: [0.4, 0.1, -1.5]\nangular_velocity: [1, "
           "2, 3]\n"
           "normal: [0.1, 0, 1]\nsweep:\n  - {input: mu, from: 0.1, to: 0.5, steps: 2}\n"
           "  - {input: vx, from: -1, to: 1, step: 0.5}\n");
  ASSERT_EQ(rows.size(), 15u);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const json answer =
        Impact(R"({"law": "poisson", "parameters": {"mu": )" + rows.Text(row, "mu") +
               R"(, "e": 0.5}, "body": {"shape": "box", "size": [0.3, 0.05, 0.0125], "mass": 0.185},
        "orientation": [0.966, 0, 0.259, 0], "angular_velocity": [1, 2, 3], "normal": [0.1, 0, 1],
        "velocity": [)" +
               rows.Text(row, "vx") + ", 0.1, -1.5]}");
    EXPECT_EQ(rows.Text(row, "case"), answer["case"]);
    EXPECT_EQ(rows.Text(row, "modes"), Joined(answer["modes"]));
    ExpectVector(answer["impulse"], rows, row, {"impulse_x", "impulse_y", "impulse_z"});
    ExpectVector(answer["contact_velocity"], rows, row,
                 {"contact_velocity_x", "contact_velocity_y", "contact_velocity_z"});
    ExpectVector(answer["velocity"], rows, row, {"vx_post", "vy_post", "vz_post"});
    ExpectVector(answer["angular_velocity"], rows, row, {"wx_post", "wy_post", "wz_post"});
    ExpectEnergies(answer["energy"], rows, row);
  }
}

TEST_F(SweepCommand, SolvesWhatImpactSolvesForAContact) {
  const Table rows = Rows(
      "parameters: {mu: 0.4, e: 0.6}\n"
      "contact: {inverse_mass: [[2.5, 0.1, 1.5], [0.1, 1, 0], [1.5, 0, 2.5]], velocity: [0, 0.3, "
      "-1]}\n"
      "sweep: [{input: velocity_t1, from: -1, to: 1, steps: 4, also: {inverse_mass_23: {factor: "
      "0.2}}}]\n");
  ASSERT_EQ(rows.size(), 5u);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::string coupling = rows.Text(row, "inverse_mass_23");
    const json answer = Impact(R"({"parameters": {"mu": 0.4, "e": 0.6}, "contact": {"inverse_mass":
        [[2.5, 0.1, 1.5], [0.1, 1, )" +
                               coupling + "], [1.5, " + coupling + R"(, 2.5]], "velocity": [)" +
                               rows.Text(row, "velocity_t1") + ", 0.3, -1]}}");
    ExpectVector(answer["impulse"], rows, row, {"impulse_t1", "impulse_t2", "impulse_n"});
    ExpectVector(answer["contact_velocity"], rows, row,
                 {"contact_velocity_t1", "contact_velocity_t2", "contact_velocity_n"});
    ExpectEnergies(answer["energy"], rows, row);
  }
}

// A turn about a world axis is a turn of the orientation.
TEST_F(SweepCommand, TurnsABody) {
  const std::string shared =
      "parameters: {mu: 0.3, e: 0.5}\nbody: {shape: box, size: [0.3, 0.05, 0.0125], mass: 0.185}\n"
      "velocity: [0.4, 0, -1.5]\n";
  const Table turned = Rows(shared + "sweep: [{input: turn_y, from: 0.2, to: 0.6, steps: 2}]\n");
  const Table oriented = Rows(shared + "orientation: [" + std::to_string(std::cos(0.2)) + ", 0, " +
                              std::to_string(std::sin(0.2)) +
                              ", 0]\nsweep: [{input: vx, from: 0.4, to: 0.5, steps: 1}]\n");
  EXPECT_NEAR(turned.Number(1, "impulse_z"), oriented.Number(0, "impulse_z"), 1e-6);
}

// Golden rows of sun2017's planar table, by its own inputs.
TEST_F(SweepCommand, ReproducesThePlanarGoldenTable) {
  const Table golden(std::string(PERCUSS_DATA_DIR) + "/sun2017/derived_golden_2d.csv");
  for (const std::size_t k : {std::size_t{0}, std::size_t{8}, std::size_t{11}, std::size_t{20}}) {
    const Table rows =
        Rows("law: " + golden.Text(k, "cor_law") + "\nparameters: {mu: " + golden.Text(k, "mu") +
             ", e: " + golden.Text(k, "e") + "}\nplanar_rod: {p: " + golden.Text(k, "vx0") +
             ", lambda: " + golden.Text(k, "lambda0") + "}\nsweep: [{input: gamma, from: " +
             std::to_string(golden.Number(k, "gamma_deg") * M_PI / 180.0 - 1e-9) +
             ", to: 7, steps: 1}]\n");
    EXPECT_EQ(rows.Text(0, "case"), golden.Text(k, "case"));
    EXPECT_NEAR(rows.Number(0, "vx_post"), golden.Number(k, "vx1"), 1e-5);
    EXPECT_NEAR(rows.Number(0, "vy_post"), golden.Number(k, "vy1"), 1e-5);
    EXPECT_NEAR(rows.Number(0, "wz_post"), golden.Number(k, "lambda1"), 1e-5);
    EXPECT_NEAR(rows.Number(0, "dissipation"), golden.Number(k, "dissipation_fraction"), 1e-5);
  }
}

// sun2017 (2.33) for experiment A at three angles of its rod: the second and third are what tells
// sticking from reversal there.
TEST_F(SweepCommand, HasTheFrictionThatChangesTheCourse) {
  const Table rows = Rows(
      "law: stronge\nparameters: {mu: 0.195, e: 0.395}\nplanar_rod: {p: 0.258}\n"
      "sweep: [{input: gamma, from: 1.83259571459405, to: 3.40339204138894, steps: 3}]\n");
  EXPECT_NEAR(rows.Number(0, "sliding_friction"), 1.0843, 5e-5);   // 105 degrees
  EXPECT_NEAR(rows.Number(3, "sliding_friction"), -0.1442, 5e-5);  // 195
  EXPECT_NEAR(rows.Number(3, "critical_friction"), 0.1974, 5e-5);
}

// Rows of sun2017's bar table, in the thesis' sign.
TEST_F(SweepCommand, ReproducesTheBarGoldenTable) {
  const Table golden(std::string(PERCUSS_DATA_DIR) + "/sun2017/derived_golden_3d_bar.csv");
  for (std::size_t k = 0; k < golden.size(); ++k) {
    const Table rows = Rows(
        "law: stronge\nparameters: {mu: 0.6, e: 0.4}\nbar: {beta: 2.094395102393, gamma: "
        "2.617993877991, delta: 1.570796326795, theta3: -0.523598775598, mass: 0.185, length1: " +
        golden.Text(k, "L1_m") + ", length2: " + golden.Text(k, "L2_m") +
        ", length3: " + golden.Text(k, "L3_m") + ", vz: " + golden.Text(k, "given_vz") +
        "}\nsweep: [{input: vx, from: " + golden.Text(k, "given_vx") + ", to: 3, steps: 1}]\n");
    EXPECT_EQ(rows.Text(0, "case"), golden.Text(k, "case"));
    EXPECT_NEAR(rows.Number(0, "vx_post"), -golden.Number(k, "phys_vx1"), 1e-6);
    EXPECT_NEAR(rows.Number(0, "vz_post"), -golden.Number(k, "phys_vz1"), 1e-6);
    EXPECT_NEAR(rows.Number(0, "wx_post"), -golden.Number(k, "phys_wx1"), 1e-6);
    EXPECT_NEAR(rows.Number(0, "wz_post"), -golden.Number(k, "phys_wz1"), 1e-6);
    EXPECT_NEAR(rows.Number(0, "dissipation"), golden.Number(k, "dissipation_fraction"), 1e-6);
  }
}

// Rows of sun2017's table of rods, which lie at all angles: the axis of the rod, body y, points
// from the contact to the centre, whatever theta1 is. In the thesis' sign.
TEST_F(SweepCommand, ReproducesTheRodGoldenTableByEulerAngles) {
  const Table golden(std::string(PERCUSS_DATA_DIR) + "/sun2017/derived_golden_3d_rod.csv");
  ASSERT_EQ(golden.size(), 30u);
  for (std::size_t k = 0; k < golden.size(); ++k) {
    const Eigen::Vector3d r(golden.Number(k, "rx"), golden.Number(k, "ry"), golden.Number(k, "rz"));
    const Eigen::Vector3d direction = r.normalized();
    const double theta1 = 0.7 - 0.1 * static_cast<double>(k);
    const Eigen::Vector3d axis = Eigen::AngleAxisd(-theta1, Eigen::Vector3d::UnitY()) * -direction;
    const double theta3 = std::asin(-axis.x()), theta2 = std::atan2(axis.z(), axis.y());
    const auto given = [&](const char* name) { return fmt::format("{}", -golden.Number(k, name)); };
    const Table rows =
        Rows(fmt::format("law: {}\nparameters: {{mu: {}, e: {}}}\nrod: {{beta: {}, gamma: {}, "
                         "delta: {}, theta1: {}, "
                         "theta2: {}, theta3: {}, vy: {}, vz: {}, wx: {}, wy: {}, wz: {}}}\n"
                         "sweep: [{{input: vx, from: {}, to: 3, steps: 1}}]\n",
                         golden.Text(k, "cor_law"), golden.Text(k, "mu"), golden.Text(k, "e"),
                         std::acos(direction.x()), std::acos(direction.y()),
                         std::acos(direction.z()), theta1, theta2, theta3, given("vy0"),
                         given("vz0"), given("wx0"), given("wy0"), given("wz0"), given("vx0")));
    EXPECT_EQ(rows.Text(0, "case").substr(0, 1), golden.Text(k, "case")) << k;
    for (const auto& [ours, theirs] : {std::pair("vx_post", "vx1"),
                                       {"vy_post", "vy1"},
                                       {"vz_post", "vz1"},
                                       {"wx_post", "wx1"},
                                       {"wy_post", "wy1"},
                                       {"wz_post", "wz1"}}) {
      EXPECT_NEAR(rows.Number(0, ours), -golden.Number(k, theirs), 2e-6) << k << ours;
    }
    EXPECT_NEAR(rows.Number(0, "dissipation"), golden.Number(k, "dissipation_fraction"), 1e-6) << k;
  }
}

// A body of the rod's inertia, turned by the same angles, is the rod; its theta1..3 can be swept.
TEST_F(SweepCommand, SweepsEulerAnglesOfABody) {
  const std::string shared = "parameters: {mu: 0.3, e: 0.5}\n";
  const std::string angles = "sweep: [{input: theta2, from: 0.2, to: 0.6, steps: 4}]\n";
  const Table rod =
      Rows(shared +
           "rod: {beta: 2.0943951023932, gamma: 2.61799387799149, delta: 1.5707963267949, "
           "theta1: 0.5, theta3: -0.4, vx: 0.8, vz: -0.2}\n" +
           angles);
  const Table body =
      Rows(shared +
           "body: {shape: box, size: [0.1, 1, 0.1], mass: 1, inertia: [0.0836111111111111, "
           "5.55555555555556e-4, 0.0836111111111111]}\n"
           "euler_angles: [0.5, 0, -0.4]\nnormal: [0, 1, 0]\nvelocity: [-0.8, -1, 0.2]\n"
           "contact_point: [-0.25, -0.433012701892219, 0]\n" +
           angles);
  ASSERT_EQ(rod.size(), 5u);
  for (std::size_t row = 0; row < rod.size(); ++row) {
    for (const char* column : {"vx_post", "vy_post", "vz_post", "wx_post", "wy_post", "wz_post"})
      EXPECT_NEAR(body.Number(row, column), -rod.Number(row, column), 1e-9) << column;
  }
}

TEST_F(SweepCommand, LinksInputs) {
  const Table rows = Rows(ReadFile(std::string(PERCUSS_DATA_DIR) + "/sun2017/sweeps/fig3-16.yaml"));
  ASSERT_EQ(rows.size(), 315u);
  std::string sequence;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    EXPECT_NEAR(rows.Number(row, "gamma"), 1.5 * M_PI - rows.Number(row, "beta"), 1e-12);
    EXPECT_NEAR(rows.Number(row, "theta3"), 0.5 * M_PI - rows.Number(row, "beta"), 1e-12);
    const std::string& here = rows.Text(row, "case");
    if (row == 0 || here != rows.Text(row - 1, "case")) sequence += here + " ";
  }
  EXPECT_EQ(sequence, "0 4c 2c 1 3 0 ");
}

TEST_F(SweepCommand, GivesTheSameBytesWithAnyNumberOfThreads) {
  const std::string spec =
      "parameters: {mu: 0.4, e: 0.4}\nplanar_rod: {}\nsweep:\n"
      "  - {input: gamma, from: 1.6, to: 4.7, steps: 150}\n  - {input: p, from: 0, to: 1, steps: "
      "120}\n";
  ASSERT_EQ(Sweep(spec, "--jobs 1").exit_code, 0);
  const std::string one = ReadFile(folder_ / "sweep.csv");
  ASSERT_EQ(Sweep(spec, "--jobs 2").exit_code, 0);
  EXPECT_EQ(one, ReadFile(folder_ / "sweep.csv"));
  ASSERT_EQ(Sweep(spec).exit_code, 0);
  EXPECT_EQ(one, ReadFile(folder_ / "sweep.csv"));
  EXPECT_EQ(std::count(one.begin(), one.end(), '\n'), 1 + 151 * 121);
}

// What moves a body is not placed again: the order of the axes must not be seen in the answers.
TEST_F(SweepCommand, AxesInEitherOrderGiveTheSameAnswers) {
  const std::string place_of_contact =
      "contact: {inverse_mass: [[3, 0.2, 0.4], [0.2, 2, -0.3], [0.4, -0.3, 4]], velocity: [1, 0.5, "
      "-1]}\n";
  struct Case {
    std::string set_up, place, motion;
  };
  const std::vector<Case> cases = {
      {place_of_contact, "inverse_mass_11, from: 2, to: 4, steps: 4",
       "velocity_t1, from: -1, to: 1, steps: 3"},
      {"body: {shape: box, size: [0.1, 0.2, 0.3], mass: 2}\nvelocity: [1, 0.2, -2]\n",
       "turn_x, from: 0.3, to: 1.2, steps: 4", "wy, from: -3, to: 3, steps: 3"},
      {"planar_rod: {}\n", "gamma, from: 1.6, to: 4.7, steps: 4", "p, from: 0, to: 1, steps: 3"},
      {"ball: {}\n", "radius, from: 0.5, to: 2, steps: 4", "vx, from: 0, to: 1, steps: 3"}};
  for (const Case& sweep : cases) {
    const auto rows_of = [&](const std::string& outer, const std::string& inner) {
      const std::string spec = "law: stronge\nparameters: {mu: 0.3, e: 0.5}\n" + sweep.set_up +
                               "sweep:\n  - {input: " + outer + "}\n  - {input: " + inner + "}\n";
      Rows(spec);
      std::ifstream stream(folder_ / "sweep.csv");
      std::vector<std::string> rows;
      for (std::string line; std::getline(stream, line);) rows.push_back(line);
      return rows;
    };
    const std::vector<std::string> one = rows_of(sweep.place, sweep.motion);
    const std::vector<std::string> other = rows_of(sweep.motion, sweep.place);
    ASSERT_EQ(one.size(), 21U) << sweep.set_up;
    ASSERT_EQ(other.size(), 21U) << sweep.set_up;
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t j = 0; j < 4; ++j) {
        const std::string& row = one[1 + 4 * i + j];
        const std::string& same = other[1 + 5 * j + i];
        const auto answer = [](const std::string& line) {
          return line.substr(line.find(',', line.find(',') + 1));
        };
        EXPECT_EQ(answer(row), answer(same)) << row;
      }
    }
  }
}

TEST_F(SweepCommand, SaysWhyAPointIsNoImpact) {
  // The last cell of each row; all rows have as many cells as the header.
  const auto reasons = [&](const std::string& spec) {
    Rows(spec);
    std::ifstream stream(folder_ / "sweep.csv");
    std::vector<std::string> last;
    std::ptrdiff_t commas = -1;
    for (std::string line; std::getline(stream, line);) {
      const std::ptrdiff_t here = std::count(line.begin(), line.end(), ',');
      if (commas >= 0) {
        EXPECT_EQ(here, commas) << line;
        last.push_back(line.substr(line.rfind(',') + 1));
      }
      commas = here;
    }
    return last;
  };
  using Reasons = std::vector<std::string>;
  const std::string separates = "the contact does not approach";
  const std::string head = "parameters: {mu: 0.4, e: 0.4}\nball: {}\nsweep:\n";
  EXPECT_EQ(reasons(head + "  - {input: vy, from: -1, to: 1, steps: 2}\n"),
            (Reasons{separates, separates, ""}));
  EXPECT_EQ(
      reasons("law: sun-planar\nparameters: {mu: 0.4, e: 0.4}\ncontact: {inverse_mass: [[2, 0, "
              "1], [0, 2, 0], [1, 0, 2]], velocity: [0.5, 0, -1]}\n"
              "sweep: [{input: velocity_t2, from: 0, to: 1, steps: 1}]\n"),
      (Reasons{"", "the motion is not planar"}));
  fs::remove(folder_ / "sweep.csv");
  const testing::CommandRun none = Sweep(head + "  - {input: vy, from: -2, to: -1, steps: 2}\n");
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_THAT(none.err, HasSubstr(separates));
  EXPECT_FALSE(fs::exists(folder_ / "sweep.csv"));
}

TEST_F(SweepCommand, NamesFieldValueAndBound) {
  const std::string rod = "planar_rod: {gamma: 3}\n";
  const std::string axis = "sweep: [{input: p, from: 0, to: 1, steps: 2}]\n";
  const std::string parameters = "parameters: {mu: 0.4, e: 0.4}\n";
  EXPECT_THAT(Complaint("law: strong\n" + parameters + rod + axis),
              AllOf(HasSubstr("law"), HasSubstr("strong"), HasSubstr("perhaps stronge?")));
  EXPECT_THAT(Complaint("lwa: stronge\n" + parameters + rod + axis),
              AllOf(HasSubstr("lwa"), HasSubstr("law")));
  EXPECT_THAT(Complaint("parameters: {mu: -0.1, e: 0.4}\n" + rod + axis),
              AllOf(HasSubstr("parameters.mu"), HasSubstr("-0.1"), HasSubstr("at least 0")));
  EXPECT_THAT(Complaint("parameters: {mu: 0.1}\n" + rod + axis), HasSubstr("nothing for e"));
  EXPECT_THAT(Complaint(parameters + axis), HasSubstr("no set-up"));
  EXPECT_THAT(Complaint(parameters + rod + "ball: {}\n" + axis), HasSubstr("planar_rod and ball"));
  EXPECT_THAT(Complaint(parameters + "planar_rod: {gama: 3}\n" + axis),
              AllOf(HasSubstr("planar_rod.gama"), HasSubstr("gamma")));
  EXPECT_THAT(Complaint(parameters + "planar_rod: {gamma: 3, inertia_ratio: 0}\n" + axis),
              AllOf(HasSubstr("inertia_ratio"), HasSubstr("above 0")));
  EXPECT_THAT(Complaint(parameters + rod + "sweep: [{input: q, from: 0, to: 1, steps: 2}]\n"),
              AllOf(HasSubstr("input"), HasSubstr("gamma, p, lambda")));
  EXPECT_THAT(Complaint(parameters + rod + "sweep: [{input: e, from: 0, to: 1.5, steps: 2}]\n"),
              AllOf(HasSubstr("e = 1.5"), HasSubstr("at most 1")));
  EXPECT_THAT(Complaint(parameters + rod + "sweep: [{input: p, from: 0, to: 1}]\n"),
              HasSubstr("neither steps nor step"));
  EXPECT_THAT(Complaint(parameters + rod + "sweep: [{input: p, from: 0, to: 1, step: -1}]\n"),
              AllOf(HasSubstr("step"), HasSubstr("-1")));
  EXPECT_THAT(Complaint(parameters + rod + "sweep: []\n"), HasSubstr("one or two axes"));
  EXPECT_THAT(Complaint(parameters + rod +
                        "sweep: [{input: p, from: 0, to: 1, steps: 1, also: {p: {factor: 1}}}]\n"),
              HasSubstr("second time"));
  EXPECT_THAT(
      Complaint(parameters +
                "planar_rod: {gamma: 3, p: 0.1}\n"
                "sweep: [{input: mu, from: 0, to: 1, steps: 1, also: {mu_s: {factor: 0.9}}}]\n"),
      AllOf(HasSubstr("mu_s = 0.9"), HasSubstr("mu = 1")));
  EXPECT_THAT(Complaint(parameters + rod + "velocity: [0, 0, 1]\n" + axis),
              AllOf(HasSubstr("velocity"), HasSubstr("only beside body")));
  EXPECT_THAT(Complaint(parameters + rod + axis + "plot: energy\n"),
              AllOf(HasSubstr("plot"), HasSubstr("energy"), HasSubstr("dissipation")));
  EXPECT_THAT(Complaint(parameters + rod +
                        "sweep: [{input: p, from: 0, to: 1, steps: 9999}, {input: gamma, from: 0, "
                        "to: 1, steps: 9999}]\n"),
              AllOf(HasSubstr("100000000 points"), HasSubstr("at most 2000000")));
  EXPECT_EQ(Percuss("sweep no-such.yaml -o x.csv").exit_code, 2);
  EXPECT_EQ(Percuss("sweep spec.yaml").exit_code, 2);
}

TEST_F(SweepCommand, DrawsMapsAndCurves) {
  const std::string shared =
      "parameters: {mu: 0.4, e: 0.4}\nplanar_rod: {gamma: 3}\nsweep:\n"
      "  - {input: gamma, from: 1.6, to: 4.7, steps: 60}\n";
  const std::string second = "  - {input: p, from: 0.1, to: 1, steps: 60}\n";
  ASSERT_EQ(Sweep(shared + second + "title: Rod's map\n", "--plot map.svg").exit_code, 0);
  EXPECT_THAT(
      ReadFile(folder_ / "map.svg"),
      AllOf(HasSubstr("gamma [rad]"), HasSubstr("p [-]"), HasSubstr("sticks in compression"),
            HasSubstr("reverses in restitution"), HasSubstr("map"), HasSubstr("<image")));
  ASSERT_EQ(Sweep(shared + second + "plot: dissipation\n", "--plot map.svg").exit_code, 0);
  EXPECT_THAT(ReadFile(folder_ / "map.svg"),
              HasSubstr("dissipated [% of the kinetic energy before]"));
  ASSERT_EQ(Sweep("parameters: {mu: 0.4, e: 0.4}\nplanar_rod: {p: 0.3}\nsweep:\n"
                  "  - {input: gamma, from: 1.6, to: 4.7, steps: 60}\n",
                  "--plot curve.svg")
                .exit_code,
            0);
  EXPECT_THAT(ReadFile(folder_ / "curve.svg"), HasSubstr("slides"));
  EXPECT_EQ(Sweep(shared + second, "--plot sweep.csv").exit_code, 2);
}

// A title is text, for gnuplot and for whoever reads the picture.
TEST_F(SweepCommand, TakesNoOrdersFromATitle) {
  const std::string title =
      "`touch trap`' ; system('touch trap') @x ${x} <script>alert(1)</script> & \\\"q\\\" \\\\";
  ASSERT_EQ(Sweep("parameters: {mu: 0.4, e: 0.4}\nplanar_rod: {p: 0.3}\nsweep:\n"
                  "  - {input: gamma, from: 1.6, to: 4.7, steps: 9}\ntitle: \"" +
                      title + "\\nset output 'trap'\\n!touch trap\"\n",
                  "--plot curve.svg")
                .exit_code,
            0);
  EXPECT_FALSE(fs::exists(folder_ / "trap"));
  const std::string svg = ReadFile(folder_ / "curve.svg");
  EXPECT_THAT(svg, HasSubstr("`touch trap`' ; system('touch trap') @x ${x} "
                             "&lt;script>alert(1)&lt;/script> &amp; \"q\" \\ set output "
                             "'trap' !touch trap"));
}

TEST_F(SweepCommand, SummarisesAsJson) {
  const testing::CommandRun run =
      Sweep(ReadFile(std::string(PERCUSS_DATA_DIR) + "/sun2017/sweeps/fig3-14.yaml"), "--json");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json summary = json::parse(run.out);
  EXPECT_EQ(summary["points"], 1681);
  EXPECT_EQ(summary["cases"], json({{"0", 66}, {"1", 1025}, {"2b", 246}, {"4b", 344}}));
  EXPECT_NEAR(summary["dissipation"][1].get<double>(), 0.301, 5e-4);
}

TEST_F(SweepCommand, ExplainsItselfWithAnExample) {
  const testing::CommandRun help = Percuss("sweep --help");
  EXPECT_EQ(help.exit_code, 0);
  const std::size_t from = help.out.find("  law: stronge");
  const std::size_t to = help.out.find("\nwhat hits");
  ASSERT_NE(from, std::string::npos);
  ASSERT_NE(to, std::string::npos);
  std::string spec = help.out.substr(from, to - from);
  const std::size_t given = spec.find("{p: 0.3}");  // p is swept as well: a value given is no error
  EXPECT_NE(given, std::string::npos);
  EXPECT_EQ(Sweep(spec).exit_code, 0);
}

}  // namespace
}  // namespace percuss
