// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// `percuss simulate` as a user runs it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "tests/app/commands/command_test.h"

namespace percuss {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Simulated : testing::CommandRun {
  std::string table;
};

class SimulateCommand : public testing::CommandTest {
 protected:
  Simulated Simulate(const std::string& yaml, const std::string& more = "") const {
    std::filesystem::remove(folder_ / "poses.csv");
    folder_.Write("body.yaml", yaml);
    const testing::CommandRun run = Percuss("simulate body.yaml -o poses.csv " + more);
    return {run, run.exit_code == 0 ? ReadFile(folder_ / "poses.csv") : ""};
  }
};

std::vector<std::vector<double>> Numbers(const std::string& table) {
  std::istringstream lines(table);
  std::string line, cell;
  std::getline(lines, line);
  std::vector<std::vector<double>> rows;
  while (std::getline(lines, line)) {
    rows.emplace_back();
    std::istringstream cells(line);
    while (std::getline(cells, cell, ',')) rows.back().push_back(std::stod(cell));
  }
  return rows;
}

const char kBall[] = R"(
body: {shape: sphere, radius: 0.1, mass: 0.5}
start: {position: [0, 0, 1.1], velocity: [1, 0, 0]}
gravity: [0, 0, -9.81]
parameters: {mu: 0, e: 0.5}
duration: 1.0
frame_rate: 50
)";

// Truth: the parabola of flight, and the height e^2 h of the first rebound.
TEST_F(SimulateCommand, WritesPosesOfABouncingBall) {
  const Simulated run = Simulate(kBall, "--json");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.table.substr(0, run.table.find('\n')), "t,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz");
  const auto rows = Numbers(run.table);
  ASSERT_EQ(rows.size(), 51u);
  for (const std::vector<double>& row : rows) {
    EXPECT_NEAR(row[1], row[0], 1e-9);
    EXPECT_NEAR(row[4], 1.0, 1e-12);
    if (row[0] < 0.45) {
      EXPECT_NEAR(row[3], 1.1 - 0.5 * 9.81 * row[0] * row[0], 1e-9);
    }
  }
  const auto events = nlohmann::json::parse(run.out);
  EXPECT_NEAR(events["events"][0]["time"].get<double>(), std::sqrt(2.0 / 9.81), 1e-9);
  EXPECT_LE(events["energy_gain"].get<double>(), 1e-9);
  double top = 0.0;
  for (const std::vector<double>& row : rows) {
    if (row[0] > 0.46) top = std::max(top, row[3]);
  }
  EXPECT_NEAR(top, 0.1 + 0.25, 1e-3);
}

TEST_F(SimulateCommand, TakesLawsOfASingleContact) {
  std::string yaml = kBall;
  yaml += "law: newton\n";
  const Simulated newton = Simulate(yaml), plain = Simulate(kBall);
  ASSERT_EQ(newton.exit_code, 0) << newton.err;
  const auto a = Numbers(newton.table), b = Numbers(plain.table);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k][3], b[k][3], 1e-8);
}

// Truth: without friction a ball keeps e of its speed at the wall, and flies on.
TEST_F(SimulateCommand, BouncesOffAWall) {
  std::string yaml = kBall;
  yaml += "surfaces: [{normal: [0, 0, 1]}, {normal: [-2, 0, 0], point: [0.3, 0, 5]}]\n";
  const Simulated run = Simulate(yaml);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const auto& row : Numbers(run.table)) {
    const double t = row[0];  // meets the wall at x = 0.2
    EXPECT_NEAR(row[1], t < 0.2 ? t : 0.2 - 0.5 * (t - 0.2), 1e-8) << t;
  }
  yaml.replace(yaml.find("point: [0.3"), 11, "point: [0.05");
  const Simulated within = Simulate(yaml);
  EXPECT_EQ(within.exit_code, 2);
  EXPECT_THAT(within.err, AllOf(HasSubstr("start.position"), HasSubstr("before surface 2"),
                                HasSubstr("at least 0.1 m")));
}

// A ball without friction: each impulse is (1 + e) m v, and at rest the floor holds its weight.
TEST_F(SimulateCommand, WritesImpulsesAndForces) {
  std::string yaml = kBall;
  yaml.replace(yaml.find("duration: 1.0"), 13, "duration: 4.0");
  const Simulated run = Simulate(yaml, "--json --forces forces.csv");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto events = nlohmann::json::parse(run.out)["events"];
  const double speed = std::sqrt(2.0 * 9.81);
  const auto& first = events[0]["impulses"];
  ASSERT_EQ(first.size(), 1u);
  EXPECT_NEAR(first[0]["impulse"][2], 0.5 * 1.5 * speed, 1e-6);
  EXPECT_NEAR(first[0]["position"][2], 0.0, 1e-9);
  EXPECT_EQ(first[0]["surface"], 1);
  const auto forces = Numbers(ReadFile(folder_ / "forces.csv"));
  ASSERT_FALSE(forces.empty());
  EXPECT_NEAR(forces.back()[0], 4.0, 1e-9);
  EXPECT_NEAR(forces.back()[7], 0.5 * 9.81, 1e-6);
}

// Truth: chatterjee2019 T9, a sphere on a plane at 4.43 m/s; tolerances are the printed digits.
TEST_F(SimulateCommand, SaysHowLongAnImpactLastsAndHowDeepItIs) {
  const std::string shared = R"(
gravity: [0, 0, -9.81]
parameters: {mu: 0.35, e: 0.5}
material: {first: {youngs_modulus: 206e9, poissons_ratio: 0.3, yield_strength: 350e6, radius: 0.5},
           second: {youngs_modulus: 102e9, poissons_ratio: 0.4, yield_strength: 120e6},
           hardness: 290, damping: 0.1}
duration: 0.5
)";
  const double height = 4.43 * 4.43 / (2 * 9.81);
  const auto start = [](double z, double speed) {
    return "start: {position: [0, 0, " + std::to_string(z) + "], velocity: [0, 0, " +
           std::to_string(speed) + "]}";
  };
  const std::string ball = "body: {shape: sphere, radius: 0.5, mass: 1}";
  const std::string bodies = "bodies:\n  - {name: ball, " + ball + ", ";
  for (const std::string& yaml :
       {ball + "\n" + start(0.5 + height, 0) + shared,
        bodies + start(0.5 + height, 0) + "}\nsurfaces: [{name: floor, normal: [0, 0, 1]}]" +
            shared,
        // The same as a floor that comes up sees it.
        bodies + start(0.5 + height, 2) +
            "}\nsurfaces: [{name: floor, normal: [0, 0, 1], velocity: [0, 0, 2]}]" + shared}) {
    const Simulated run = Simulate(yaml, "--json --page page.html");
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const auto impulse = nlohmann::json::parse(run.out)["events"][0]["impulses"][0];
    const auto& force = impulse["force"];
    EXPECT_NEAR(force["duration"], 1.331e-4, 1e-7);
    EXPECT_NEAR(force["compression"], 2.420e-4, 1e-7);
    EXPECT_NEAR(force["permanent_indentation"], 1.693e-4, 1e-7);
    EXPECT_GE(force["largest"].get<double>(), 8.438e4 - 20.0);
    EXPECT_EQ(impulse["modes"], nlohmann::json::parse(R"(["stick"])"));
    EXPECT_THAT(ReadFile(folder_ / "page.html"),
                AllOf(HasSubstr("largest compression"), HasSubstr(">stick<")));
  }
  std::string printed = ball + "\n" + start(0.5 + height, 0) + shared;
  printed.replace(printed.find("damping: 0.1"), 12, "damping: 0.1, published: true");
  const auto impulse =
      nlohmann::json::parse(Simulate(printed, "--json").out)["events"][0]["impulses"][0];
  EXPECT_NEAR(impulse["force"]["duration"], 9.07e-5, 5e-8);
}

// Truth: half a period of the mass on its spring, pi sqrt(m/k), and v sqrt(m/k) deep.
TEST_F(SimulateCommand, FollowsALawWithAForceOverTime) {
  std::string yaml = kBall;
  yaml.replace(yaml.find("parameters: {mu: 0, e: 0.5}"), 27,
               "law: kelvin-voigt\nparameters: {mu: 0, k: 2e5, c: 0}");
  const Simulated run = Simulate(yaml, "--json");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto force = nlohmann::json::parse(run.out)["events"][0]["impulses"][0]["force"];
  const double period = std::sqrt(0.5 / 2e5), speed = std::sqrt(2 * 9.81);
  EXPECT_NEAR(force["duration"].get<double>(), std::numbers::pi * period, 1e-8);
  EXPECT_NEAR(force["compression"].get<double>(), speed * period, 1e-8);
  yaml = kBall;
  const Simulated plain = Simulate(yaml + "law: stronge\n", "--json");
  EXPECT_FALSE(nlohmann::json::parse(plain.out)["events"][0]["impulses"][0].contains("force"));
  const Simulated stiff = Simulate(yaml + "law: stronge\nstiffness: 2e5\n", "--json");
  ASSERT_EQ(stiff.exit_code, 2);
  EXPECT_THAT(stiff.err, HasSubstr("stiffness"));
  EXPECT_EQ(Simulate(yaml + "law: bilinear-spring-1\nstiffness: 2e5\n").exit_code, 0);
}

// Truth: a ball that spins at w ends its slip in the impact where 7/2 mu (1 + e) v_n > w r.
TEST_F(SimulateCommand, SaysWhetherPointsSlipOrStick) {
  const double speed = std::sqrt(2 * 9.81);
  for (const double share : {0.9, 1.1}) {
    std::string yaml = kBall;
    const double w = share * 3.5 * 0.2 * 1.5 * speed / 0.1;
    yaml.replace(yaml.find("velocity: [1, 0, 0]"), 19,
                 "angular_velocity: [0, " + std::to_string(w) + ", 0]");
    yaml.replace(yaml.find("mu: 0,"), 6, "mu: 0.2,");
    for (const std::string& law : {std::string("multi-point"), std::string("stronge")}) {
      const Simulated run = Simulate(yaml + "law: " + law + "\n", "--json");
      ASSERT_EQ(run.exit_code, 0) << run.err;
      const auto modes = nlohmann::json::parse(run.out)["events"][0]["impulses"][0]["modes"];
      EXPECT_EQ(modes, nlohmann::json::parse(share < 1 ? R"(["slip", "stick"])" : R"(["slip"])"))
          << law;
    }
  }
}

// A box thrown along the floor slides until v / (mu g), then lies still.
TEST_F(SimulateCommand, SaysWhichContactsSlideOrHold) {
  const Simulated run = Simulate(R"(
body: {shape: box, size: [0.1, 0.1, 0.02], mass: 0.5}
start: {position: [0, 0, 0.01], velocity: [1, 0, 0]}
gravity: [0, 0, -9.81]
parameters: {mu: 0.4, e: 0}
duration: 0.5
)",
                                 "--json");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto events = nlohmann::json::parse(run.out)["events"];
  EXPECT_EQ(events.front()["kind"], "contact");
  for (const auto& mode : events.front()["modes"]) EXPECT_EQ(mode, "slip");
  EXPECT_EQ(events.back()["kind"], "stick-slip");
  EXPECT_NEAR(events.back()["time"], 1.0 / (0.4 * 9.81), 1e-5);
  EXPECT_EQ(events.back()["modes"].size(), 4u);
  for (const auto& mode : events.back()["modes"]) EXPECT_EQ(mode, "stick");
}

TEST_F(SimulateCommand, NamesFieldValueAndBound) {
  const auto complaint = [&](std::string yaml, const std::string& from, const std::string& to) {
    yaml.replace(yaml.find(from), from.size(), to);
    const Simulated run = Simulate(yaml);
    EXPECT_EQ(run.exit_code, 2) << to;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "poses.csv"));
    return run.err;
  };
  EXPECT_THAT(complaint(kBall, "1.1]", "0.05]"),
              AllOf(HasSubstr("start.position"), HasSubstr("0.1")));
  EXPECT_THAT(complaint(kBall, "e: 0.5", "e: 1.5"),
              AllOf(HasSubstr("parameters.e"), HasSubstr("1.5")));
  EXPECT_THAT(complaint(kBall, "duration: 1.0", "duration: -1"), HasSubstr("duration"));
  EXPECT_THAT(complaint(kBall, "frame_rate", "framerate"),
              AllOf(HasSubstr("framerate"), HasSubstr("frame_rate")));
  EXPECT_THAT(complaint(kBall, "gravity: [0, 0, -9.81]", "law: newtn"), HasSubstr("newtn"));
  EXPECT_THAT(complaint(kBall, "gravity", "stiffness: 1e5\ngravity"),
              AllOf(HasSubstr("stiffness"), HasSubstr("allowed material")));
  EXPECT_THAT(complaint(kBall, "gravity", "law: newton\nmaterial: {hardness: 290}\ngravity"),
              AllOf(HasSubstr("material"), HasSubstr("newton")));
  const std::string flat = "{youngs_modulus: 206e9, poissons_ratio: 0.3, yield_strength: 350e6}, ";
  EXPECT_THAT(complaint(kBall, "gravity",
                        "material: {first: " + flat + "second: " + flat +
                            "hardness: 290, damping: 0}\ngravity"),
              AllOf(HasSubstr("material"), HasSubstr("found no radius")));
  EXPECT_THAT(complaint(kBall, "gravity", "material: {first: {youngs_modulus: 0}}\ngravity"),
              AllOf(HasSubstr("material.first.youngs_modulus"), HasSubstr("found 0, allowed"),
                    HasSubstr("at least 1 and at most 1e+15 [Pa]")));
}

// Poses at the impact lie between those of the table, at the ball's height.
TEST_F(SimulateCommand, WritesTheMotionAsOnePage) {
  const Simulated run = Simulate(kBall, "--page page.html");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string html = ReadFile(folder_ / "page.html");
  EXPECT_THAT(html, AllOf(HasSubstr("Motion of body.yaml"), HasSubstr("data-kind=\"motion\""),
                          HasSubstr("script-src 'sha256-"), Not(HasSubstr("http://")),
                          Not(HasSubstr("https://"))));
  const std::string start = "<script type=\"application/json\">";
  const std::size_t from = html.find(start) + start.size();
  const auto scene = nlohmann::json::parse(html.substr(from, html.find("</script>", from) - from));
  const double fall = std::sqrt(2.0 / 9.81);
  ASSERT_FALSE(scene["impacts"].empty());
  EXPECT_NEAR(scene["impacts"][0]["time"], fall, 1e-9);
  std::size_t moment = 0;
  while (scene["times"][moment] < scene["impacts"][0]["time"]) ++moment;
  EXPECT_NEAR(scene["times"][moment], fall, 1e-9);
  EXPECT_NEAR(scene["bodies"][0]["poses"][moment][2], 0.1, 1e-5);
}

// The file in the help is a good one.
TEST_F(SimulateCommand, ExplainsItselfWithAnExample) {
  const std::string help = Percuss("simulate --help").out;
  EXPECT_THAT(help, HasSubstr("percuss simulate body.yaml -o poses.csv"));
  const std::size_t from = help.find("  body: {"), to = help.find("Optional:");
  std::istringstream lines(help.substr(from, to - from));
  std::string yaml, line;
  while (std::getline(lines, line)) yaml += line.size() > 2 ? line.substr(2) + "\n" : "\n";
  const Simulated run = Simulate(yaml);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("223 poses"));
}

// ---------------------------------------------------------------- scenes

const char kPendulum[] = R"(
bodies:
  - name: arm
    body: {mass: 1, inertia: [0.01, 0.01, 0.01]}
    start: {position: [0, 0, -0.5]}
  - name: ball
    body: {shape: sphere, radius: 0.1, mass: 2}
    start: {position: [1, 0, -0.9], velocity: [-1, 0, 0]}
joints:
  - {name: hinge, type: revolute, bodies: [ground, arm], point: [0, 0, 0], axis: [0, 1, 0], rate: 0.5}
surfaces:
  - {name: floor, normal: [0, 0, 1], point: [0, 0, -1], mu: 0}
gravity: [0, 0, -9.81]
parameters: {mu: 0.3, e: 0.5}
duration: 0.5
)";

// The ball slides on the smooth floor; the arm swings as a physical pendulum.
TEST_F(SimulateCommand, WritesBodiesJointsAndForcesOfAScene) {
  const Simulated run = Simulate(kPendulum, "--json --joints joints.csv --forces forces.csv");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.table.substr(0, run.table.find('\n')),
            "t,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz");
  EXPECT_THAT(run.table, HasSubstr("\n0.5,ball,0.5,0,-0.9,"));
  const auto joints = Numbers(ReadFile(folder_ / "joints.csv"));
  ASSERT_EQ(joints.size(), 51u);
  // Small swings: angle = rate/omega sin(omega t), omega^2 = m g l / (I + m l^2).
  const double omega = std::sqrt(9.81 * 0.5 / 0.26);
  EXPECT_NEAR(joints.back()[1], 0.5 / omega * std::sin(omega * 0.5), 2e-4);
  EXPECT_THAT(ReadFile(folder_ / "forces.csv"), HasSubstr("0.5,ball,floor,0.5,0,-1,0,0,19.62"));
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_LE(json["energy_gain"].get<double>(), 1e-9);
}

TEST_F(SimulateCommand, NamesWhatASceneCannotHave) {
  const auto complaint = [&](const std::string& from, const std::string& to) {
    std::string yaml = kPendulum;
    yaml.replace(yaml.find(from), from.size(), to);
    const Simulated run = Simulate(yaml);
    EXPECT_EQ(run.exit_code, 2) << to;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    return run.err;
  };
  EXPECT_THAT(complaint("type: revolute", "type: hinge"),
              AllOf(HasSubstr("joints[#1].type"), HasSubstr("revolute, prismatic")));
  EXPECT_THAT(complaint("[ground, arm]", "[ground, leg]"), HasSubstr("found leg"));
  EXPECT_THAT(complaint("name: ball", "name: arm"), HasSubstr("a name that nothing else"));
  EXPECT_THAT(complaint("rate: 0.5", "rest_angle: 0.5"), HasSubstr("rest_angle"));
  EXPECT_THAT(complaint("joints:", "forces: [{body: ground, force: [1, 0, 0]}]\njoints:"),
              AllOf(HasSubstr("forces[#1].body"), HasSubstr("found ground")));
  EXPECT_THAT(complaint("joints:", "forces: [{body: arm, force: [1, 0]}]\njoints:"),
              HasSubstr("forces[#1].force"));
  EXPECT_THAT(complaint("point: [0, 0, -1]", "point: [0, 0, -0.95]"),
              HasSubstr("bodies.ball starts 0.05 m deep in surfaces.floor"));
  EXPECT_THAT(complaint("joints:", "constraints: [\"arm.x + q.y\"]\njoints:"), HasSubstr("q.y"));
  EXPECT_THAT(complaint("inertia: [0.01, 0.01, 0.01]", "inertia: [0.01, 0.01, 0.1]"),
              HasSubstr("bodies[#1].body.inertia"));
}

/// A scene of data/scenes: its events, and its table without the names of bodies.
struct KnownScene {
  nlohmann::json events;
  std::vector<std::vector<double>> poses;
};

class SceneFiles : public testing::CommandTest {
 protected:
  KnownScene Run(const std::string& name) const {
    const std::string file = std::string(PERCUSS_DATA_DIR) + "/scenes/" + name + ".yaml";
    const testing::CommandRun run = Percuss("simulate " + file + " -o poses.csv --json");
    EXPECT_EQ(run.exit_code, 0) << run.err;
    std::istringstream lines(ReadFile(folder_ / "poses.csv"));
    std::string table, line;
    std::getline(lines, line);
    for (table = "header\n"; std::getline(lines, line);) {
      const std::size_t first = line.find(','), second = line.find(',', first + 1);
      table += line.substr(0, first) + line.substr(second) + "\n";
    }
    const auto json = nlohmann::json::parse(run.out);
    EXPECT_LE(json["energy_gain"].get<double>(), 1e-9);
    return {json["events"], Numbers(table)};
  }
};

// The files state their answers.
TEST_F(SceneFiles, CornerTurnsEachComponentRound) {
  const KnownScene corner = Run("corner");
  const auto& last = corner.poses.back();
  EXPECT_NEAR(last[8], -0.6 * 4.0, 1e-8);
  EXPECT_NEAR(last[9], -0.6 * 3.0, 1e-8);
  EXPECT_NEAR(last[10], 0.6 * 4.43, 1e-8);
}

// The file says: two outcomes, each the other's mirror image.
TEST_F(SceneFiles, ThreeBallsEndInOneOfTwoWays) {
  const std::string file = std::string(PERCUSS_DATA_DIR) + "/scenes/three-balls.yaml";
  const testing::CommandRun run = Percuss("impact " + file + " --orders");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  ASSERT_EQ(json["outcomes"].size(), 2U);
  const auto speed = [&](int outcome, int body) -> double {
    return json["outcomes"][outcome]["bodies"][body]["velocity"][0];
  };
  for (int body = 0; body < 3; ++body) EXPECT_NEAR(speed(0, body), -speed(1, 2 - body), 1e-12);
  EXPECT_NEAR(json["bodies"][1]["velocity"]["mean"][0], 0.0, 1e-12);
  EXPECT_NEAR(json["bodies"][1]["velocity"]["sd"][0], std::abs(speed(0, 1)), 1e-12);
  EXPECT_GT(std::abs(speed(0, 1)), 0.05);
  EXPECT_NEAR(json["probability"], 1.0, 1e-12);
  folder_.Write("request.json", "{}");
  EXPECT_EQ(Percuss("impact request.json --orders").exit_code, 2);
}

TEST_F(SceneFiles, DimerFeelsItsReducedMass) {
  const KnownScene dimer = Run("dimer");
  const double height = 0.5 - 0.05, speed = std::sqrt(2.0 * 9.81 * height);
  const double impulse = dimer.events[0]["impulses"][0]["impulse"][2];
  EXPECT_NEAR(impulse, 1.5 * speed * 0.2 / 1.75, 1e-9);
  // The other mass was slowed by (1 + e) v / 7: its velocity from the motion at 0.31 s, soon after
  // the impact, in the attitude of the impact.
  int checked = 0;
  for (const auto& row : dimer.poses) {
    if (row[0] < 0.305 || row[0] > 0.315) continue;
    const double falls_for = row[0] - std::sqrt(2.0 * height / 9.81);
    const double lever = 0.1 * std::cos(std::numbers::pi / 6.0);
    const double upper = row[10] + 9.81 * falls_for - std::abs(row[12]) * lever;
    EXPECT_NEAR(upper, -speed + 1.5 * speed / 7.0, 1e-8);
    ++checked;
  }
  EXPECT_EQ(checked, 1);
}

TEST_F(SceneFiles, RockingBlockLosesWhatTheThesisSays) {
  const KnownScene block = Run("rocking-block");
  const auto& flush = block.events[1];
  EXPECT_EQ(flush["points"], 4);
  const double before = flush["energy_before"], after = flush["energy_after"];
  EXPECT_NEAR(after / before, 0.9433, 1e-4);
  const double about_edge = 503.0 * (0.23 * 0.23 + 1.0) / 3.0;  // m (b^2 + h^2) / 3
  const double spin = std::sqrt(2.0 * before / about_edge);
  for (const auto& row : block.poses) {
    if (row[0] > 0.316 && row[0] < 0.335) {
      EXPECT_NEAR(std::abs(row[12]) / spin, 0.8827, 1e-4);
    }
  }
}

TEST_F(SceneFiles, SteelBlockStrikesWithBothEdges) {
  const KnownScene block = Run("steel-block");
  std::vector<nlohmann::json> impacts;
  for (const nlohmann::json& event : block.events) {
    if (event["kind"] == "impact") impacts.push_back(event);
  }
  ASSERT_EQ(impacts.size(), 3u);
  for (const auto& [index, time] : {std::pair{0, 0.35747}, {1, 0.48723}, {2, 0.73110}}) {
    EXPECT_NEAR(impacts[index]["time"], time, 5.1e-6);
    EXPECT_EQ(impacts[index]["points"], 2);
  }
  // Of the block's motion, without its fall: digest 3.8.
  EXPECT_NEAR(impacts[0]["energy_before"], 9989.2, 0.051);
  EXPECT_NEAR(impacts[0]["energy_after"], 5705.1, 0.051);
}

TEST_F(SceneFiles, CradleHandsTheSpeedOn) {
  const KnownScene cradle = Run("cradle");
  const auto impact = std::ranges::find_if(
      cradle.events, [](const nlohmann::json& event) { return event["kind"] == "impact"; });
  ASSERT_NE(impact, cradle.events.end());
  EXPECT_EQ((*impact)["impulses"].size(), 4u);
  EXPECT_NEAR((*impact)["energy_after"].get<double>(), 0.1 * 9.81 * 0.1, 1e-9);
  const auto& b = cradle.poses[cradle.poses.size() - 4];
  EXPECT_NEAR(std::abs(b[8]) + std::abs(b[10]), 0.0, 1e-6);
}

TEST_F(SimulateCommand, ImpactAndSweepTakeAScene) {
  folder_.Write("hit.yaml", R"(
bodies:
  - {name: a, body: {shape: sphere, radius: 0.1, mass: 1}, start: {position: [0, 0, 0], velocity: [2, 0, 0]}}
  - {name: b, body: {shape: sphere, radius: 0.1, mass: 3}, start: {position: [0.2, 0, 0]}}
gravity: [0, 0, 0]
parameters: {mu: 0.3, e: 0.5}
duration: 1
)");
  const testing::CommandRun impact = Percuss("impact hit.yaml");
  ASSERT_EQ(impact.exit_code, 0) << impact.err;
  const auto json = nlohmann::json::parse(impact.out);
  EXPECT_NEAR(json["impulses"][0]["impulse"][0].get<double>(), -1.5 * 2.0 * 0.75, 1e-12);
  EXPECT_NEAR(json["bodies"][1]["velocity"][0].get<double>(), 0.75, 1e-12);

  folder_.Write("spec.yaml", R"(
scene: hit.yaml
sweep:
  - {input: bodies.b.body.mass, from: 1, to: 3, steps: 1}
  - {input: bodies.a.start.velocity.x, from: 1, to: 2, steps: 2}
)");
  const testing::CommandRun sweep = Percuss("sweep spec.yaml -o out.csv");
  ASSERT_EQ(sweep.exit_code, 0) << sweep.err;
  const auto rows = Numbers(ReadFile(folder_ / "out.csv"));
  ASSERT_EQ(rows.size(), 6u);
  for (const auto& row : rows) {
    const double mass = row[0], speed = row[1], together = mass / (1.0 + mass);
    EXPECT_NEAR(row[5], 0.5 * together * speed * speed * 0.75, 1e-9);  // energy_lost
  }
  folder_.Write("wrong.yaml",
                "scene: hit.yaml\nsweep: [{input: bodies.c.mass, from: 0, to: 1, steps: 1}]\n");
  EXPECT_THAT(Percuss("sweep wrong.yaml -o out.csv").err,
              HasSubstr("the name or the number of an entry"));
}

}  // namespace
}  // namespace percuss
