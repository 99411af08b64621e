// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// `percuss measure` as a user runs it.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

#include "base/files/files.h"
#include "tests/app/commands/command_test.h"

namespace percuss::fitting {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

using MeasureAnswer = percuss::testing::CommandRun;

class MeasureCommand : public percuss::testing::CommandTest {
 protected:
  MeasureAnswer Run(const std::string& arguments) const { return Percuss("measure " + arguments); }

  json Result(const std::string& arguments) {
    const MeasureAnswer answer = Run(arguments + " --json");
    EXPECT_EQ(answer.exit_code, 0) << answer.err;
    return answer.exit_code == 0 ? json::parse(answer.out) : json();
  }
};

TEST_F(MeasureCommand, DropFromTheCommandLine) {
  const std::string readings =
      "drop --drop-height 0.5 0.5 0.5 --rebound-height 0.121 0.118 0.124 --height-sigma 0.001";
  const json answer = Result(readings);
  const json& e = answer.at("results").at(0);
  EXPECT_EQ(answer.at("format"), "percuss measure 1");
  EXPECT_EQ(e.at("coefficient"), "e");
  EXPECT_NEAR(e.at("value"), (std::sqrt(0.242) + std::sqrt(0.236) + std::sqrt(0.248)) / 3.0, 1e-12);
  EXPECT_EQ(e.at("repeats").size(), 3u);
  EXPECT_GT(e.at("scatter_sigma").get<double>(), 0.0);
  EXPECT_GT(e.at("reading_sigma").get<double>(), 0.0);
  EXPECT_LT(e.at("ci95").at(0), e.at("value"));
  const MeasureAnswer text = Run(readings);
  EXPECT_THAT(text.out, HasSubstr("e = sqrt(rebound_height / drop_height)"));
  EXPECT_THAT(text.out, HasSubstr("0.4919"));
  EXPECT_THAT(text.out, HasSubstr("rebound_height read to 0.001 m: 0.0020"));
}

// sun2017 4.4.1, instants and distances as printed; its 0.243 does not follow from them.
TEST_F(MeasureCommand, SlideOfTheThesis) {
  const json answer = Result(
      "slide --angle-deg 20 --start-time 6.345 --first-time 6.429 --second-time 6.578 "
      "--first-distance 0.05 --second-distance 0.15 --gravity 9.81");
  EXPECT_NEAR(answer.at("results").at(0).at("value"), 0.29329, 5e-6);
}

// Poses of a body on a slope of 20 degrees with mu_k = 0.25, from rest at 0.3 s.
TEST_F(MeasureCommand, SlideOfRecordedPoses) {
  const double angle = 20.0 * std::acos(-1.0) / 180.0;
  const double a = 9.80665 * (std::sin(angle) - 0.25 * std::cos(angle));
  std::string poses = "t,x,y,z,qw,qx,qy,qz\n";
  for (int k = 0; k < 120; ++k) {
    const double time = k / 120.0, since = std::max(0.0, time - 0.3);
    const double noise = 1e-5 * ((7 * k) % 11 - 5);
    poses += fmt::format("{:.9f},{:.9f},0,0.01,1,0,0,0\n", time, 0.5 * a * since * since + noise);
  }
  folder_.Write("poses.csv", poses);
  const std::string experiment = fmt::format(
      "body: {{shape: box, size: [0.06, 0.05, 0.02], mass: 0.1}}\n"
      "gravity: [{:.9f}, 0, {:.9f}]\n"
      "trials:\n  - {{poses: poses.csv, kind: slide, sigma: {{position: 3e-5, angle: 1e-3}}}}\n",
      9.80665 * std::sin(angle), -9.80665 * std::cos(angle));
  folder_.Write("lab.yaml", experiment);
  const json answer = Result("slide --video lab.yaml -o slide.json");
  ASSERT_EQ(answer.at("results").size(), 1u);
  const json& mu_k = answer.at("results").at(0);
  EXPECT_EQ(mu_k.at("coefficient"), "mu_k");
  EXPECT_NEAR(mu_k.at("value"), 0.25, 0.0005);
  EXPECT_NEAR(mu_k.at("sigma"), 0.0012, 0.0003);  // gravity_sigma is 0.06 degrees
  EXPECT_EQ(json::parse(ReadFile(folder_ / "slide.json")), answer);
  EXPECT_THAT(answer.at("slides").at(0).at("mu_s_reason"), HasSubstr("the slope does not change"));

  folder_.Write("drop.yaml", experiment.substr(0, experiment.find(", kind: slide")) + "}\n");
  EXPECT_THAT(Run("slide --video drop.yaml").err,
              HasSubstr("drop.yaml: trials: found no slide, allowed at least one"));
  EXPECT_THAT(Run("slide --video lab.yaml --angle-deg 20").err,
              HasSubstr("--angle-deg: found beside --video"));
}

TEST_F(MeasureCommand, TakesNegativeNumbers) {
  const json answer = Result("slide --angle-deg 0 --acceleration -2.5 --gravity 10");
  EXPECT_NEAR(answer.at("results").at(0).at("value"), 0.25, 1e-12);
}

TEST_F(MeasureCommand, TableWithGroups) {
  folder_.Write("readings.csv",
                "group,angle_deg\nrod,14.1\nbar,14.7\nrod,14.3\nbar,\nbar,14.5\nrod,14.2\n");
  const json answer = Result("incline --table readings.csv --angle-sigma-deg 0.1");
  ASSERT_EQ(answer.at("results").size(), 2u);
  EXPECT_EQ(answer.at("results").at(0).at("group"), "rod");
  EXPECT_EQ(answer.at("results").at(0).at("repeats").size(), 3u);
  EXPECT_EQ(answer.at("results").at(1).at("repeats").size(), 2u);
  EXPECT_EQ(answer.at("left_out").at(0), "readings.csv: line 5: no value of angle_deg");
  EXPECT_EQ(answer.at("inputs").at(0).at("sha256"), HashFile(folder_ / "readings.csv"));
  const MeasureAnswer text = Run("incline --table readings.csv");
  EXPECT_THAT(text.err, HasSubstr("not used: readings.csv: line 5: no value of angle_deg"));
  EXPECT_THAT(text.out, HasSubstr("rod"));
}

TEST_F(MeasureCommand, ValueOnTheCommandLineHoldsForAllRows) {
  folder_.Write("readings.csv", "time\n0.91\n0.94\n0.92\n");
  const json answer = Result("slide --angle-deg 20 --distance 0.5 --table readings.csv");
  EXPECT_EQ(answer.at("results").at(0).at("repeats").size(), 3u);
}

TEST_F(MeasureCommand, BadInputEndsWithTwo) {
  const auto complaint = [&](const std::string& arguments) {
    const MeasureAnswer answer = Run(arguments);
    EXPECT_EQ(answer.exit_code, 2) << arguments;
    EXPECT_EQ(answer.out, "") << arguments;
    return answer.err;
  };
  folder_.Write("readings.csv", "angle_deg,colour\n14,red\n");
  folder_.Write("steep.csv", "angle_deg\n14\n140\n");
  folder_.Write("short.csv", "group,angle_deg\n14\n");
  EXPECT_THAT(complaint("incline"), HasSubstr("found no readings, allowed angle_deg; rise + run"));
  EXPECT_THAT(complaint("incline --table readings.csv"),
              HasSubstr("readings.csv: line 1: found column \"colour\", allowed group, angle_deg"));
  EXPECT_THAT(complaint("incline --table steep.csv"),
              HasSubstr("steep.csv: line 3: angle_deg: found 140, allowed from 0 to 89 deg"));
  EXPECT_THAT(complaint("incline --table short.csv"), HasSubstr("found 1 cells, allowed 2"));
  EXPECT_THAT(complaint("incline --angle-deg 14 --table steep.csv"),
              HasSubstr("which is on the command line too"));
  EXPECT_THAT(complaint("drop --drop-height 0.1 --rebound-height 0.4"),
              HasSubstr("drop_height: found 0.1, allowed at least rebound_height"));
  complaint("drop --drop-height high --rebound-height 0.4");
  complaint("bounce");
  complaint("");
}

TEST_F(MeasureCommand, NoUsableRowEndsWithThree) {
  folder_.Write("readings.csv", "angle_deg,group\n,a\n");
  const MeasureAnswer answer = Run("incline --table readings.csv");
  EXPECT_EQ(answer.exit_code, 3);
  EXPECT_THAT(answer.err, HasSubstr("no row can be used"));
}

TEST_F(MeasureCommand, EverythingExplainsItselfWithAnExample) {
  for (const char* what : {"", "incline", "slide", "drop", "puck"}) {
    const MeasureAnswer answer = Run(std::string(what) + " --help");
    EXPECT_EQ(answer.exit_code, 0);
    EXPECT_THAT(answer.out, HasSubstr("Example:  percuss measure "));
  }
}

// ---- Pucks: a head-on disc without spin, 4 flashes at 10 Hz, marks 60 px apart; e = 0.9.

constexpr const char* kHeader =
    "trial,x1_1,y1_1,x2_1,y2_1,x1_2,y1_2,x2_2,y2_2,x1_3,y1_3,x2_3,y2_3,x1_4,y1_4,x2_4,y2_4\n";
constexpr const char* kPuck =
    "puck --mass 0.07 --contact-mass-ratio 0.336 --radius 0.05 --flash-rate 10 --mark-1 -0.03 0 "
    "--mark-2 0.03 0 --scale 0.001 --precision 0.2 ";

TEST_F(MeasureCommand, PuckMarks) {
  folder_.Write("marks.csv", std::string(kHeader) +
                                 "head-on,0,150,60,150,0,100,60,100,0,80,60,80,0,125,60,125\n"
                                 "away,0,100,60,100,0,150,60,150,0,80,60,80,0,125,60,125\n");
  const json answer = Result(std::string(kPuck) + "--table marks.csv");
  ASSERT_EQ(answer.at("results").size(), 1u);
  const json& quantities = answer.at("results").at(0).at("quantities");
  EXPECT_NEAR(quantities.at("restitution").at("value"), 0.9, 1e-12);
  // 2 h (1 + e) / d with h = 0.4 mm, d = 50 mm.
  EXPECT_NEAR(quantities.at("restitution").at("bound"), 2.0 * 0.4 * 1.9 / 50.0, 1e-6);
  EXPECT_NEAR(quantities.at("normal_impulse").at("value"), 0.07 * 0.95, 1e-9);
  EXPECT_NEAR(answer.at("results").at(0).at("contact_mass_ratio"), 0.336, 1e-12);
  EXPECT_THAT(answer.at("left_out").at(0).get<std::string>(),
              HasSubstr("marks.csv: line 3: the contact point moves"));
  const MeasureAnswer text = Run(std::string(kPuck) + "--table marks.csv");
  EXPECT_THAT(text.out, HasSubstr("head-on"));
  EXPECT_THAT(text.out, HasSubstr("Worst case"));
}

// The disc strikes one like it that rests: after 5 cm a flash both move at half of (1 -+ e) of
// that.
TEST_F(MeasureCommand, PuckOnPuck) {
  const auto row = [](double y1, double y2, double y3, double y4) {
    return fmt::format(",0,{0},60,{0},0,{1},60,{1},0,{2},60,{2},0,{3},60,{3}", y1, y2, y3, y4);
  };
  std::string header = kHeader;
  header.pop_back();
  for (int flash = 1; flash <= 4; ++flash)
    header += fmt::format(",x3_{0},y3_{0},x4_{0},y4_{0}", flash);
  // Touch, at y = 100, halfway between the second flash and the third.
  const std::string pair = "pair" + row(175, 125, 98.75, 96.25) + row(0, 0, -23.75, -71.25) + "\n";
  folder_.Write("marks.csv", header + "\n" + pair);
  const std::string command = std::string(kPuck) + "--table marks.csv --other-puck ";
  const json quantities = Result(command).at("results").at(0).at("quantities");
  EXPECT_NEAR(quantities.at("restitution").at("value"), 0.9, 1e-12);
  EXPECT_NEAR(quantities.at("normal_impulse").at("value"), 0.07 * 0.475, 1e-9);
  EXPECT_NEAR(quantities.at("energy_loss").at("value"), 1.0 - 0.81, 1e-12);
  MeasureAnswer answer = Run(command + "--impacts pucks/impacts.json");
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_THAT(ReadFile(folder_ / "pucks/body.yaml"), HasSubstr("mass: 0.035"));
  // Pucks of 5 cm do not meet where a heavier, smaller one lies.
  answer = Run(command + "--other-radius 0.001 --other-mass 0.2");
  EXPECT_EQ(answer.exit_code, 3);
  EXPECT_THAT(answer.err, HasSubstr("the pucks touch after 0.148 s from the second flash"));
  answer = Run(std::string(kPuck) + "--table marks.csv --other-mass 0.2");
  EXPECT_EQ(answer.exit_code, 2);
}

TEST_F(MeasureCommand, PuckComplaints) {
  folder_.Write("marks.csv", "trial,x1_1\na,2\n");
  MeasureAnswer answer = Run(std::string(kPuck) + "--table marks.csv");
  EXPECT_EQ(answer.exit_code, 2);
  EXPECT_THAT(answer.err, HasSubstr("marks.csv: line 1: column y1_1 is missing"));
  answer = Run(std::string(kPuck) + "--table marks.csv --inertia 1e-4");
  EXPECT_EQ(answer.exit_code, 2);
  EXPECT_THAT(answer.err, HasSubstr("found both --inertia and --contact-mass-ratio"));
  folder_.Write("marks.csv",
                std::string(kHeader) + "away,0,100,60,100,0,150,60,150,0,80,60,80,0,125,60,125\n");
  answer = Run(std::string(kPuck) + "--table marks.csv");
  EXPECT_EQ(answer.exit_code, 3);
}

// Marks [mm], picked to 0.2 mm, of the disc above that strikes a plate along x with mu = 0.15 and
// e = 0.9: incidences from 10 to 70 degrees, of which those below 40 stick.
std::string SlidAndStuckPucks(int count) {
  constexpr double kMass = 0.07, kRadius = 0.05, kRatio = 0.336, kMu = 0.15, kE = 0.9;
  constexpr double kInertia = kMass * kRadius * kRadius * kRatio / (1.0 - kRatio);
  std::mt19937 random(5);
  const auto picked = [&](double place) {
    return 1000.0 * place + 0.2 * (2.0 * static_cast<double>(random()) / 4294967296.0 - 1.0);
  };
  std::string table = kHeader;
  for (int k = 0; k < count; ++k) {
    const double theta = (10.0 + 60.0 * k / (count - 1)) * std::acos(-1.0) / 180.0;
    const double side = k % 2 == 0 ? 1.0 : -1.0, spin = 0.3 * k - 1.0;
    const double slip = side * 0.5 * std::sin(theta), approach = 0.5 * std::cos(theta);
    const double normal = kMass * (1.0 + kE) * approach;
    const double friction = -side * std::min(kMu * normal, kRatio * kMass * std::abs(slip));
    // The contact point moves at v_x + R w along the plate.
    const double vx = slip - kRadius * spin;
    const double vx_post = vx + friction / kMass, spin_post = spin + kRadius * friction / kInertia;
    table += fmt::format("p{}", k);
    for (int flash = 0; flash < 4; ++flash) {
      const double time = 0.1 * (flash - 1.45);
      const bool before = time < 0.0;
      const double x = 0.3 + (before ? vx : vx_post) * time;
      const double y = kRadius + (before ? -approach : kE * approach) * time;
      const double angle = 0.4 + (before ? spin : spin_post) * time;
      for (const double place : {-0.03, 0.03}) {
        table += fmt::format(",{:.6f},{:.6f}", picked(x + place * std::cos(angle)),
                             picked(y + place * std::sin(angle)));
      }
    }
    table += "\n";
  }
  return table;
}

TEST_F(MeasureCommand, PuckImpactsAreFitted) {
  folder_.Write("marks.csv", SlidAndStuckPucks(24));
  for (const std::string file : {"impacts.csv", "impacts.json"}) {
    const MeasureAnswer wrote =
        Run(std::string(kPuck) + "--table marks.csv --impacts pucks/" + file);
    ASSERT_EQ(wrote.exit_code, 0) << wrote.err;
    const MeasureAnswer fit = Percuss("fit pucks/" + file + " --law stronge --json");
    ASSERT_EQ(fit.exit_code, 0) << fit.err;
    const json law = json::parse(fit.out).at("laws").at("stronge");
    EXPECT_EQ(law.at("trials_used"), 24);
    EXPECT_GT(law.at("cost_probability"), 0.001);
    for (const auto& [name, truth] : {std::pair{"mu", 0.15}, {"e", 0.9}}) {
      const json& found = law.at("parameters").at(name);
      EXPECT_NEAR(found.at("value"), truth, 3.5 * found.at("sigma").get<double>()) << name;
      EXPECT_LT(found.at("sigma"), 0.002) << name;
    }
    const MeasureAnswer audit = Percuss("audit pucks/" + file);
    EXPECT_EQ(audit.exit_code, 0) << audit.out << audit.err;
    EXPECT_THAT(audit.out, HasSubstr("rotation, velocities, contact arm and"));
  }
}

TEST_F(MeasureCommand, PuckImpactsDoNotReplaceTheBodyOfOthers) {
  folder_.Write("marks.csv", SlidAndStuckPucks(2));
  folder_.Write("body.yaml", "body: {shape: sphere, radius: 0.02, mass: 0.03}\n");
  MeasureAnswer answer = Run(std::string(kPuck) + "--table marks.csv --impacts impacts.csv");
  EXPECT_EQ(answer.exit_code, 2);
  EXPECT_THAT(answer.err, HasSubstr("body.yaml: found another body, allowed none or that of this"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "impacts.csv"));
  answer = Run(std::string(kPuck) + "--table marks.csv --impacts marks.csv");
  EXPECT_EQ(answer.exit_code, 2);
  answer = Run(std::string(kPuck) + "--table marks.csv --impacts impacts.txt");
  EXPECT_EQ(answer.exit_code, 2);
  EXPECT_THAT(answer.err, HasSubstr("allowed a file that ends with .csv or .json"));
}

}  // namespace
}  // namespace percuss::fitting
