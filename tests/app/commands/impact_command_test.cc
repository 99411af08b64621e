// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// `percuss impact` and `percuss laws` as a user runs them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "solver/law/impact_law.h"
#include "solver/solve_impact.h"
#include "tests/app/commands/command_test.h"

namespace percuss {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

class ImpactCommand : public testing::CommandTest {
 protected:
  json ImpactAnswer(const std::string& request) const {
    const testing::CommandRun run = Percuss("impact -", request);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return json::parse(run.out);
  }
  // Exit 2 and one line.
  std::string Complaint(const std::string& request) const {
    const testing::CommandRun run = Percuss("impact -", request);
    EXPECT_EQ(run.exit_code, 2) << request;
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(std::ranges::count(run.err, '\n'), 1) << run.err;
    return run.err;
  }
};
using LawsCommand = testing::CommandTest;

// Closed form: J_n = (1 + e) |u_n| / (A_nn - mu A_tn), first row of the golden table.
TEST_F(ImpactCommand, SolvesAContact) {
  const json answer = ImpactAnswer(R"({"parameters": {"mu": 0.195, "e": 0.395},
      "contact": {"inverse_mass": [[2.5, 0, 1.5], [0, 1, 0], [1.5, 0, 2.5]],
                  "velocity": [1.70710678, 0, -1.0]}})");
  const double normal = 1.395 / (2.5 - 0.195 * 1.5);
  EXPECT_EQ(answer["law"], "stronge");
  EXPECT_NEAR(answer["impulse"][2], normal, 1e-12);
  EXPECT_NEAR(answer["impulse"][0], -0.195 * normal, 1e-12);
  EXPECT_EQ(answer["modes"], json({"slip"}));
  EXPECT_EQ(answer["case"], "0");
  const json& energy = answer["energy"];
  EXPECT_NEAR(energy["before"].get<double>() - energy["after"].get<double>(),
              energy["dissipated"].get<double>(), 1e-12);
  EXPECT_NEAR(energy["dissipated"].get<double>(),
              -energy["normal_work"].get<double>() - energy["friction_work"].get<double>(), 1e-12);
}

// Experiment B of sun2017's Table 2.5, whose friction Table 2.1 takes for sliding; the derived
// limits are (2.33) and |A_tn| / A_tt. Off the plane there is no whole-impact criterion.
TEST_F(ImpactCommand, SaysAtWhichFrictionTheImpactChanges) {
  const std::string contact = R"("contact": {"inverse_mass": [[2.5, 0, 1.5], [0, 1, 0],
      [1.5, 0, 2.5]], "velocity": [1.0, )";
  const auto friction = [&](const std::string& mu, const std::string& sideways) {
    return ImpactAnswer(R"({"parameters": {"e": 0.395, "mu": )" + mu + "}, " + contact + sideways +
                        ", -1.0]}}")["friction"];
  };
  const json slides = friction("0.195", "0");
  EXPECT_NEAR(slides["critical"], 0.6, 1e-12);
  EXPECT_NEAR(slides["sliding"], 0.9208, 5e-5);
  EXPECT_EQ(slides["predicted"], "slides");
  EXPECT_EQ(friction("0.95", "0")["predicted"], "sticks");
  const json in_space = friction("0.195", "0.4");
  EXPECT_NEAR(in_space["critical"], 0.6, 1e-12);
  EXPECT_TRUE(in_space["sliding"].is_null());
  EXPECT_EQ(in_space["predicted"], "");
}

// A ball on a slope falls straight down on it: closed form, in the frame of
// the slope.
TEST_F(ImpactCommand, SolvesABodyOnASlope) {
  const json answer = ImpactAnswer(R"({"law": "newton", "parameters": {"mu": 0.05, "e": 0.6},
      "body": {"shape": "sphere", "radius": 0.1, "mass": 2.0},
      "velocity": [0, 0, -3], "normal": [0.6, 0, 0.8]})");
  const double v_n = -3 * 0.8, v_t = 3 * 0.6;                      // along t = (0.8, 0, -0.6)
  const double normal = 2.0 * 1.6 * -v_n, along = -0.05 * normal;  // slips: 1.8 > 3.5 mu (1+e) 2.4
  ASSERT_GT(v_t, 3.5 * 0.05 * 1.6 * -v_n);
  EXPECT_NEAR(answer["impulse"][0], 0.6 * normal + 0.8 * along, 1e-12);
  EXPECT_NEAR(answer["impulse"][1], 0.0, 1e-12);
  EXPECT_NEAR(answer["impulse"][2], 0.8 * normal - 0.6 * along, 1e-12);
  EXPECT_NEAR(answer["velocity"][2], -3 + 0.4 * normal - 0.3 * along, 1e-12);
  EXPECT_NEAR(answer["contact_point"][0], -0.06, 1e-15);
  // I w' = r x P with r = -0.1 n; the torque is about +y.
  EXPECT_NEAR(answer["angular_velocity"][1], 0.1 * 0.05 * normal / (0.4 * 2.0 * 0.01), 1e-11);
  const json& energy = answer["energy"];
  EXPECT_NEAR(energy["before"].get<double>(), 9.0, 1e-12);
  EXPECT_NEAR(energy["dissipated"].get<double>(),
              -energy["normal_work"].get<double>() - energy["friction_work"].get<double>(), 1e-12);
}

TEST_F(ImpactCommand, TakesOrientationInertiaAndContactPoint) {
  const std::string shared = R"("parameters": {"mu": 0.3, "e": 0.5}, "velocity": [0.4, 0.1, -1.5],
      "angular_velocity": [1, 2, 3], "orientation": [0.9689, 0, 0.2474, 0])";
  const json plain = ImpactAnswer("{" + shared + R"(, "body":
      {"shape": "box", "size": [0.3, 0.05, 0.0125], "mass": 0.185}})");
  const std::string point = plain["contact_point"].dump();
  const json same = ImpactAnswer("{" + shared + R"(, "contact_point": )" + point + R"(, "body":
      {"shape": "box", "size": [0.3, 0.05, 0.0125], "mass": 0.185, "inertia":
       [)" + std::to_string(1) + "e-6, 1e-6, 1e-6]}}");
  EXPECT_EQ(same["contact_point"], plain["contact_point"]);
  EXPECT_NE(same["impulse"], plain["impulse"]);
}

TEST_F(ImpactCommand, AnswersAListWithAList) {
  const json answer = ImpactAnswer(R"([
      {"parameters": {"mu": 0, "e": 0.5}, "contact": {"inverse_mass": [[1,0,0],[0,1,0],[0,0,2]],
       "velocity": [0, 0, -1]}},
      {"law": "poisson", "parameters": {"mu": 0, "e": 1}, "contact":
       {"inverse_mass": [[1,0,0],[0,1,0],[0,0,2]], "velocity": [0, 0, -1]}}])");
  ASSERT_EQ(answer.size(), 2u);
  EXPECT_NEAR(answer[0]["impulse"][2], 0.75, 1e-15);
  EXPECT_NEAR(answer[1]["impulse"][2], 1.0, 1e-15);
}

TEST_F(ImpactCommand, NamesFieldValueAndBound) {
  const std::string contact =
      R"("contact": {"inverse_mass": [[1,0,0],[0,1,0],[0,0,2]], "velocity": [0, 0, -1]})";
  EXPECT_THAT(Complaint(R"({"parameters": {"mu": -0.1, "e": 0.5}, )" + contact + "}"),
              AllOf(HasSubstr("parameters.mu"), HasSubstr("-0.1"), HasSubstr("at least 0")));
  EXPECT_THAT(Complaint(R"([{"parameters": {"mu": 0.1, "e": 0.5}, )" + contact +
                        R"(}, {"parameters": {"mu": 0.1, "e": 1.5}, )" + contact + "}]"),
              AllOf(HasSubstr("[#2].parameters.e"), HasSubstr("1.5"), HasSubstr("at most 1")));
  EXPECT_THAT(Complaint(R"({"parameters": {"mu": 0.1}, )" + contact + "}"),
              AllOf(HasSubstr("parameters.e"), HasSubstr("nothing")));
  EXPECT_THAT(Complaint(R"({"parameters": {"mu": 0.1, "e": 0.5, "mus": 1}, )" + contact + "}"),
              AllOf(HasSubstr("parameters.mus"), HasSubstr("unknown key"), HasSubstr("mu, e")));
  EXPECT_THAT(Complaint(R"({"law": "newtn", )" + contact + "}"),
              AllOf(HasSubstr("law"), HasSubstr("newtn"), HasSubstr("newton, poisson, stronge")));
  EXPECT_THAT(Complaint(R"({"parameters": {"mu": 0.1, "e": 0.5}})"),
              HasSubstr("neither contact nor body"));
  EXPECT_THAT(
      Complaint(R"({"parameters": {"mu": 0.1, "e": 0.5}, "normal": [0,0,1], )" + contact + "}"),
      AllOf(HasSubstr("normal"), HasSubstr("only beside body")));
}

TEST_F(ImpactCommand, RejectsBadContacts) {
  const std::string head = R"({"parameters": {"mu": 0.1, "e": 0.5}, "contact": )";
  EXPECT_THAT(Complaint(head + R"({"inverse_mass": [[1,0,0],[0,1,0],[0,0,2]],
                                   "velocity": [0, 0, 1.25]}})"),
              AllOf(HasSubstr("1.25"), HasSubstr("below 0")));
  EXPECT_THAT(Complaint(head + R"({"inverse_mass": [[1,0,0],[0,-1,0],[0,0,2]],
                                   "velocity": [0, 0, -1]}})"),
              HasSubstr("positive definite"));
  EXPECT_THAT(Complaint(head + R"({"inverse_mass": [[1,0],[0,1],[0,0]], "velocity": [0, 0, -1]}})"),
              AllOf(HasSubstr("contact.inverse_mass[#1]"), HasSubstr("3 numbers")));
  EXPECT_THAT(Complaint(head + R"({"inverse_mass": [[1,0,0],[0,1,0],[0,0,2]],
                                   "velocity": [0, "fast", -1]}})"),
              AllOf(HasSubstr("contact.velocity[#2]"), HasSubstr("fast")));
}

TEST_F(ImpactCommand, RejectsBadBodies) {
  const auto complaint = [&](const std::string& body, const std::string& more = "") {
    return Complaint(R"({"parameters": {"mu": 0.1, "e": 0.5}, "velocity": [0,0,-1], "body": )" +
                     body + more + "}");
  };
  EXPECT_THAT(complaint(R"({"shape": "cube", "mass": 1})"),
              AllOf(HasSubstr("body.shape"), HasSubstr("cube"), HasSubstr("sphere, box")));
  EXPECT_THAT(complaint(R"({"shape": "box", "size": [1, 0, 1], "mass": 1})"),
              AllOf(HasSubstr("body.size[#2]"), HasSubstr("above 0")));
  EXPECT_THAT(complaint(R"({"shape": "sphere", "radius": 0.1, "mass": -2})"),
              AllOf(HasSubstr("body.mass"), HasSubstr("-2")));
  EXPECT_THAT(complaint(R"({"shape": "sphere", "size": [1,1,1], "mass": 1})"),
              AllOf(HasSubstr("body.size"), HasSubstr("unknown key"), HasSubstr("radius")));
  EXPECT_THAT(complaint(R"({"shape": "sphere", "radius": 1, "mass": 1, "inertia": [1, 1, -1]})"),
              HasSubstr("not positive definite"));
  EXPECT_THAT(complaint(R"({"shape": "sphere", "radius": 1, "mass": 1})",
                        R"(, "orientation": [2, 0, 0, 0])"),
              AllOf(HasSubstr("orientation"), HasSubstr("length 2")));
  EXPECT_THAT(
      complaint(R"({"shape": "sphere", "radius": 1, "mass": 1})", R"(, "normal": [0, 0, 0])"),
      AllOf(HasSubstr("normal"), HasSubstr("not zero")));
  EXPECT_THAT(complaint(R"({"shape": "mesh", "file": "no-such.obj", "mass": 1})"),
              HasSubstr("no-such.obj"));
}

TEST_F(ImpactCommand, RejectsWhatIsNotARequest) {
  EXPECT_THAT(Complaint("{\n\"law\"; 3}"), HasSubstr("line 2, column 6: this is not valid JSON"));
  EXPECT_THAT(Complaint("3"), HasSubstr("allowed"));
  EXPECT_THAT(Complaint(R"({"parameters": {"mu": 1e999}})"),
              HasSubstr("number overflow parsing '1e999'"));
  const testing::CommandRun missing = Percuss("impact /no/such/request.json");
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("/no/such/request.json"));
  EXPECT_EQ(Percuss("impact").exit_code, 2);
}

TEST_F(ImpactCommand, ExplainsItselfWithAnExample) {
  const testing::CommandRun help = Percuss("impact --help");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, HasSubstr("percuss impact request.json"));
  // The request in the help is a good one.
  const std::size_t from = help.out.find("  {\"law\"");
  const std::size_t to = help.out.find("-1.5]}", from) + 6;
  EXPECT_EQ(ImpactAnswer(help.out.substr(from, to - from))["modes"], json({"slip"}));
}

TEST_F(LawsCommand, PrintsATableAndJson) {
  const testing::CommandRun table = Percuss("laws");
  EXPECT_EQ(table.exit_code, 0);
  EXPECT_THAT(table.out, AllOf(HasSubstr("stronge"), HasSubstr("0 to 1"),
                               HasSubstr("can create kinetic energy")));
  const json laws = json::parse(Percuss("laws --json").out);
  ASSERT_EQ(laws.size(), solver::Laws().size());
  EXPECT_EQ(laws[2]["name"], "stronge");
  EXPECT_EQ(laws[2]["parameters"][1]["upper"], 1.0);
  EXPECT_TRUE(laws[2]["parameters"][0]["upper"].is_null());
}

}  // namespace
}  // namespace percuss
