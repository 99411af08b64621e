// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/bench/bench_measurements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <stdexcept>

#include "base/files/files.h"
#include "base/math/statistics.h"
#include "base/text/csv_rows.h"

namespace percuss::fitting {
namespace {

using ::testing::HasSubstr;

constexpr double kThesisGravity = 9.81;

BenchMeasurement Measure(std::string_view measurement,
                         const std::map<std::string, Readings>& readings,
                         double gravity = kThesisGravity) {
  std::vector<std::string> names;
  for (const auto& [name, values] : readings) names.push_back(name);
  return MeasureOnBench(FindBenchMethod(measurement, names), readings, gravity);
}

std::string Complaint(std::string_view measurement, const std::map<std::string, Readings>& readings,
                      double gravity = 9.81) {
  try {
    Measure(measurement, readings, gravity);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no complaint";
}

// A number of friction_restitution_measurements.csv, by object and symbol (the first such row).
double Printed(const std::string& object, const std::string& symbol) {
  const std::string file = PERCUSS_DATA_DIR "/sun2017/friction_restitution_measurements.csv";
  for (const CsvRow& row : ParseCsv(file, ReadFile(file))) {
    if (row.cells[0] == object && row.cells[2] == symbol) return std::stod(row.cells[3]);
  }
  throw std::runtime_error("no row " + object + " " + symbol);
}

std::map<std::string, Readings> ThesisSlide() {
  return {{"angle_deg", {{20.0}}},
          {"start_time", {{Printed("bar", "t0")}}},
          {"first_time", {{Printed("bar", "t1")}}},
          {"second_time", {{Printed("bar", "t2")}}},
          {"first_distance", {{1e-3 * Printed("bar", "S1")}}},
          {"second_distance", {{1e-3 * Printed("bar", "S2")}}}};
}

// ---- Numbers of sun2017 4.4

// The printed values 0.251 and 0.262 follow from the angles in the formula; the read angle of the
// rod is 14.0, and the sides of the triangle give other numbers.
TEST(BenchMeasurements, StaticFrictionOfTheThesis) {
  EXPECT_NEAR(Measure("incline", {{"angle_deg", {{14.1}}}}).value, 0.25118, 5e-6);
  EXPECT_NEAR(Measure("incline", {{"angle_deg", {{14.1}}}}).value, Printed("rod", "mu_s"), 5e-4);
  EXPECT_NEAR(Measure("incline", {{"angle_deg", {{Printed("rod", "theta")}}}}).value, 0.2493, 5e-5);
  EXPECT_NEAR(Measure("incline", {{"angle_deg", {{Printed("bar", "theta")}}}}).value, 0.26235,
              5e-6);
  EXPECT_NEAR(Measure("incline", {{"angle_deg", {{14.7}}}}).value, Printed("bar", "mu_s"), 5e-4);
  const auto sides = [](const std::string& object) {
    return Measure("incline", {{"rise", {{1e-3 * Printed(object, "a")}}},
                               {"slope_length", {{1e-3 * Printed(object, "c")}}}})
        .value;
  };
  EXPECT_NEAR(sides("rod"), 0.2553, 5e-5);
  EXPECT_NEAR(sides("bar"), 0.2611, 5e-5);
}

// The inputs give a = 0.652 as printed but 0.293, not the printed 0.243, which would need 17.36
// deg.
TEST(BenchMeasurements, KineticFrictionOfTheThesisDoesNotFollowFromItsInputs) {
  std::map<std::string, Readings> slide = ThesisSlide();
  EXPECT_NEAR(Measure("slide", slide).value, 0.29329, 5e-6);
  EXPECT_NEAR(Measure("slide", {{"angle_deg", {{20.0}}}, {"acceleration", {{0.65153}}}}).value,
              0.29329, 5e-6);
  slide["angle_deg"].values = {17.36};
  EXPECT_NEAR(Measure("slide", slide).value, Printed("bar", "mu_k"), 5e-4);
}

// Effects of the thesis' instrument tolerances, one at a time, recomputed independently.
TEST(BenchMeasurements, SensitivitiesOfTheThesisSlide) {
  const double base = Measure("slide", ThesisSlide()).value;
  const auto effect = [&](const std::string& name, double change) {
    std::map<std::string, Readings> slide = ThesisSlide();
    slide[name].values[0] += change;
    return Measure("slide", slide).value - base;
  };
  EXPECT_NEAR(effect("first_distance", 0.0005), 0.0087, 5e-5);
  EXPECT_NEAR(effect("second_distance", 0.0005), -0.0031, 5e-5);
  EXPECT_NEAR(effect("first_time", 1.0 / 240.0), -0.0442, 5e-5);
  EXPECT_NEAR(effect("second_time", 1.0 / 240.0), 0.0179, 5e-5);
  EXPECT_NEAR(effect("angle_deg", 0.5), 0.0097, 5e-5);
}

// With the thesis' own reading errors (at most +-half a division) the interval of 0.293 holds 0.243
// and the static 0.262: the test cannot tell them apart.
TEST(BenchMeasurements, IntervalOfTheThesisSlide) {
  std::map<std::string, Readings> slide = ThesisSlide();
  const double third = 1.0 / std::sqrt(3.0);
  slide["angle_deg"].sigma = 0.5 * third;
  for (const char* name : {"first_distance", "second_distance"}) slide[name].sigma = 5e-4 * third;
  for (const char* name : {"start_time", "first_time", "second_time"}) {
    slide[name].sigma = third / 240.0;
  }
  const BenchMeasurement mu = Measure("slide", slide);
  double sum = 0.0;
  for (const auto& [name, readings] : slide) {
    const double h = 1e-3 * readings.sigma;
    std::map<std::string, Readings> above = slide, below = slide;
    above[name].values[0] += h;
    below[name].values[0] -= h;
    sum += std::pow((Measure("slide", above).value - Measure("slide", below).value) / 2e-3, 2);
  }
  EXPECT_NEAR(mu.sigma, std::sqrt(sum), 1e-6);
  EXPECT_NEAR(mu.ci95[1] - mu.value, 1.959964 * mu.sigma, 1e-6);
  EXPECT_LT(mu.ci95[0], 0.243);
  EXPECT_LT(mu.ci95[0], 0.262);
  EXPECT_THAT(mu.warning, HasSubstr("one repeat"));
}

TEST(BenchMeasurements, RestitutionOfTheThesis) {
  const auto drop = [](const std::string& object) {
    return Measure("drop", {{"speed_before", {{Printed(object, "v_y")}}},
                            {"speed_after", {{-Printed(object, "v_y_post")}}}})
        .value;
  };
  EXPECT_NEAR(drop("rod"), 0.29225, 5e-6);
  EXPECT_NEAR(drop("rod"), Printed("rod", "e_n"), 5e-4);
  EXPECT_NEAR(drop("bar"), 0.45814, 5e-6);
  EXPECT_NEAR(drop("bar"), Printed("bar", "e_n"), 5e-4);
}

// ---- The other ways, from motions of known coefficient

TEST(BenchMeasurements, EveryWayFindsTheCoefficientOfAnExactMotion) {
  const double g = 9.80665, angle = 25.0, mu = 0.3, e = 0.7;
  const double radians = angle * std::numbers::pi / 180.0;
  const double a = g * (std::sin(radians) - mu * std::cos(radians));
  EXPECT_NEAR(
      Measure("slide",
              {{"angle_deg", {{angle}}}, {"distance", {{0.5 * a * 0.16}}}, {"time", {{0.4}}}}, g)
          .value,
      mu, 1e-12);
  const double v0 = 1.7;
  const auto at = [&](double t) { return v0 * t + 0.5 * a * t * t; };
  EXPECT_NEAR(Measure("slide",
                      {{"angle_deg", {{angle}}},
                       {"start_time", {{2.0}}},
                       {"first_time", {{2.2}}},
                       {"second_time", {{2.5}}},
                       {"first_distance", {{at(0.2)}}},
                       {"second_distance", {{at(0.5)}}}},
                      g)
                  .value,
              mu, 1e-12);
  // On a level surface from 1.7 m/s to rest.
  const double stop = v0 / (mu * g);
  EXPECT_NEAR(Measure("slide",
                      {{"angle_deg", {{0.0}}},
                       {"stopping_distance", {{0.5 * v0 * stop}}},
                       {"stopping_time", {{stop}}}},
                      g)
                  .value,
              mu, 1e-12);
  EXPECT_NEAR(
      Measure("slide", {{"angle_deg", {{std::atan(mu) / std::numbers::pi * 180.0}}}}, g).value, mu,
      1e-12);
  EXPECT_NEAR(Measure("incline", {{"rise", {{0.3}}}, {"run", {{1.0}}}}, g).value, mu, 1e-12);

  const double height = 0.4;
  const double first = 2.0 * e * std::sqrt(2.0 * height / g);  // flight between the contacts
  EXPECT_NEAR(
      Measure("drop", {{"drop_height", {{height}}}, {"rebound_height", {{e * e * height}}}}, g)
          .value,
      e, 1e-12);
  EXPECT_NEAR(Measure("drop",
                      {{"drop_height", {{height}}},
                       {"first_sound", {{1.0}}},
                       {"second_sound", {{1.0 + first}}}},
                      g)
                  .value,
              e, 1e-12);
  EXPECT_NEAR(Measure("drop",
                      {{"first_sound", {{1.0}}},
                       {"second_sound", {{1.0 + first}}},
                       {"third_sound", {{1.0 + first + e * first}}}},
                      g)
                  .value,
              e, 1e-12);
}

// ---- Intervals

TEST(BenchMeasurements, ScatterAndReadingErrorsAreShownApart) {
  const BenchMeasurement e = Measure("drop", {{"drop_height", {{0.5}, 0.001}},
                                              {"rebound_height", {{0.121, 0.118, 0.124}, 0.001}}});
  ASSERT_EQ(e.repeats.size(), 3u);
  // e = sqrt(h'/h): de/dh' = e / (2 h'), de/dh = -e / (2 h).
  EXPECT_NEAR(e.readings[0].sigma, e.value / (2.0 * 0.5) * 0.001, 1e-6);
  EXPECT_NEAR(e.readings[1].sigma, e.value / (2.0 * 0.121) * 0.001, 2e-6);
  EXPECT_NEAR(e.reading_sigma, std::hypot(e.readings[0].sigma, e.readings[1].sigma), 1e-12);
  const double a = std::sqrt(0.242), b = std::sqrt(0.236), c = std::sqrt(0.248);
  const double mean = (a + b + c) / 3.0;
  const double s2 = (std::pow(a - mean, 2) + std::pow(b - mean, 2) + std::pow(c - mean, 2)) / 2.0;
  EXPECT_NEAR(e.value, mean, 1e-12);
  EXPECT_NEAR(e.scatter_sigma, std::sqrt(s2 / 3.0), 1e-12);
  EXPECT_NEAR(e.sigma, std::hypot(e.scatter_sigma, e.reading_sigma), 1e-12);
  EXPECT_EQ(e.warning, "");
}

TEST(BenchMeasurements, LimitsOfTheHalfWidth) {
  for (const int dof : {1, 2, 3, 10}) {
    EXPECT_NEAR(HalfWidth95(0.3, dof, 0.0), 0.3 * StudentTwoSidedQuantile(0.95, dof), 1e-9);
    EXPECT_NEAR(HalfWidth95(0.0, dof, 0.2), 0.2 * 1.959964, 1e-6);
  }
  EXPECT_NEAR(HalfWidth95(0.0, 0, 0.2), 0.2 * 1.959964, 1e-6);
}

// Probability that |scatter + known error| stays inside, by integration over the distribution of
// the estimated scatter (chi with dof degrees of freedom); true variance 1, `share` of it known.
double Coverage(int dof, double share) {
  constexpr int kSteps = 4000;
  const double longest = std::sqrt(dof) + 7.0;
  double inside = 0.0, all = 0.0;
  for (int i = 0; i < kSteps; ++i) {
    const double chi = (i + 0.5) / kSteps * longest;
    const double density = std::pow(chi, dof - 1) * std::exp(-0.5 * chi * chi);
    const double half = HalfWidth95(chi * std::sqrt((1.0 - share) / dof), dof, std::sqrt(share));
    inside += density * std::erf(half / std::numbers::sqrt2);
    all += density;
  }
  return inside / all;
}

TEST(BenchMeasurements, HalfWidthCoversWhateverTheMixture) {
  for (const int dof : {1, 2, 3, 4, 7, 9, 19}) {
    const double below = dof == 1 ? 0.004 : 0.003;
    const double above = dof == 1 ? 0.011 : 0.003;
    for (const double share : {0.0, 0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.99}) {
      const double coverage = Coverage(dof, share);
      EXPECT_GE(coverage, 0.95 - below) << dof << " " << share;
      EXPECT_LE(coverage, 0.95 + above) << dof << " " << share;
    }
  }
}

// 5000 experiments each, from reading to interval.
struct Case {
  int repeats;
  double scatter;  // of one repeat, relative to the reading
  double common;
};

class BenchCoverage : public ::testing::TestWithParam<Case> {};

TEST_P(BenchCoverage, IntervalsHoldTheTruthNinetyFiveTimesInAHundred) {
  constexpr int kDraws = 5000;
  const double bound = 3.0 * std::sqrt(0.95 * 0.05 / kDraws);
  const Case& test = GetParam();
  std::mt19937 random(20);
  std::normal_distribution<double> normal;
  int incline = 0, drop = 0, slide = 0;
  const double g = 9.80665, mu = 0.27, e = 0.46;
  const auto read = [&](double truth, bool scatters) {
    Readings readings{.values = {}, .sigma = test.common * truth};
    const double shared = readings.sigma * normal(random);
    for (int i = 0; i < (scatters ? test.repeats : 1); ++i) {
      const double own = scatters ? test.scatter * truth * normal(random) : 0.0;
      readings.values.push_back(truth + shared + own);
    }
    return readings;
  };
  const auto holds = [](const BenchMeasurement& result, double truth) {
    return result.ci95[0] <= truth && truth <= result.ci95[1] ? 1 : 0;
  };
  for (int draw = 0; draw < kDraws; ++draw) {
    const double critical = std::atan(mu) * 180.0 / std::numbers::pi;
    incline += holds(Measure("incline", {{"angle_deg", read(critical, true)}}), mu);
    drop += holds(Measure("drop", {{"drop_height", read(0.5, false)},
                                   {"rebound_height", read(0.5 * e * e, true)}}),
                  e);
    const double a = g * (std::sin(0.4) - mu * std::cos(0.4));
    slide += holds(Measure("slide",
                           {{"angle_deg", read(0.4 * 180.0 / std::numbers::pi, false)},
                            {"distance", read(0.5, false)},
                            {"time", read(std::sqrt(1.0 / a), true)}},
                           g),
                   mu);
  }
  EXPECT_NEAR(static_cast<double>(incline) / kDraws, 0.95, bound);
  EXPECT_NEAR(static_cast<double>(drop) / kDraws, 0.95, bound);
  EXPECT_NEAR(static_cast<double>(slide) / kDraws, 0.95, bound);
}

INSTANTIATE_TEST_SUITE_P(Repeats, BenchCoverage,
                         ::testing::Values(Case{1, 0.0, 0.01}, Case{2, 0.01, 0.0},
                                           Case{3, 0.01, 0.0}, Case{3, 0.01, 0.005},
                                           Case{5, 0.01, 0.01}, Case{20, 0.01, 0.002}),
                         [](const auto& info) {
                           return "Case" + std::to_string(info.index) + "Repeats" +
                                  std::to_string(info.param.repeats);
                         });

// ---- Bounds

TEST(BenchMeasurements, ComplaintsQuoteFieldValueAndBound) {
  EXPECT_EQ(Complaint("incline", {{"angle_deg", {{95.0}}}}),
            "angle_deg: found 95, allowed from 0 to 89 deg");
  EXPECT_EQ(Complaint("incline", {{"rise", {{0.3}}}, {"slope_length", {{0.2}}}}),
            "slope_length: found 0.2, allowed more than rise, which is 0.3");
  EXPECT_EQ(Complaint("incline", {{"rise", {{0.3}}}}),
            "incline: found rise, allowed angle_deg; rise + run; rise + slope_length");
  EXPECT_EQ(Complaint("drop", {{"drop_height", {{0.3}}}, {"rebound_height", {{0.4}}}}),
            "drop_height: found 0.3, allowed at least rebound_height, which is 0.4");
  EXPECT_EQ(
      Complaint("drop", {{"drop_height", {{0.3, 0.3, 0.3}}}, {"rebound_height", {{0.1, 0.1}}}}),
      "rebound_height: found 2 readings, allowed 1 or 3 as of drop_height");
  EXPECT_EQ(Complaint("drop", {{"drop_height", {{0.3}, -1.0}}, {"rebound_height", {{0.1}}}}),
            "sigma of drop_height: found -1, allowed 0 or more");
  EXPECT_EQ(Complaint("drop", {{"drop_height", {{0.0}}}, {"rebound_height", {{0.1}}}}),
            "drop_height: found 0, allowed above 0 to 100 m");
  EXPECT_EQ(Complaint("drop", {{"drop_height", {{0.5}}}, {"rebound_height", {}}}),
            "rebound_height: found no reading, allowed one or more");
  EXPECT_EQ(Complaint("slide", {{"angle_deg", {{5.0}}}, {"acceleration", {{3.0}}}}),
            "mu_k: found -0.2195 from angle_deg 5, acceleration 3, allowed 0 or more");
  EXPECT_EQ(Complaint("slide", {{"angle_deg", {{5.0}}}, {"acceleration", {{NAN}}}}),
            "acceleration: found nan, allowed from -1000 to 1000 m/s^2");
  EXPECT_EQ(
      Complaint("drop",
                {{"first_sound", {{1.0}}}, {"second_sound", {{0.5}}}, {"third_sound", {{2.0}}}}),
      "second_sound: found 0.5, allowed more than first_sound, which is 1");
  EXPECT_EQ(Complaint("incline", {{"angle_deg", {{5.0}}}}, -9.8),
            "gravity: found -9.8, allowed above 0 m/s^2");
}

TEST(BenchMeasurements, IntervalsStayInsideTheBoundsOfTheCoefficient) {
  const BenchMeasurement high =
      Measure("drop", {{"drop_height", {{0.5}, 0.01}}, {"rebound_height", {{0.49}, 0.01}}});
  EXPECT_EQ(high.ci95[1], 1.0);
  const BenchMeasurement low = Measure("incline", {{"angle_deg", {{0.5}, 1.0}}});
  EXPECT_EQ(low.ci95[0], 0.0);
}

TEST(BenchMeasurements, SaysWhenTheIntervalIsEmptyOfMeaning) {
  const BenchMeasurement bare = Measure("incline", {{"angle_deg", {{14.0}}}});
  EXPECT_THAT(bare.warning, HasSubstr("no interval"));
  EXPECT_TRUE(std::isnan(bare.sigma) && std::isnan(bare.ci95[0]) && std::isnan(bare.ci95[1]));
  EXPECT_THAT(Measure("incline", {{"angle_deg", {{14.0, 14.0}, 0.3}}}).warning,
              HasSubstr("all repeats alike"));
}

}  // namespace
}  // namespace percuss::fitting
