// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/audit/error_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "base/files/files.h"
#include "base/math/covariance_root.h"
#include "base/text/csv_rows.h"
#include "solver/body/inertia_errors.h"
#include "tests/fitting/synthetic_impacts.h"

namespace percuss::fitting {
namespace {

using impacts::ImpactRecord;
using ::testing::HasSubstr;

// One sliding impact of the bar with a tracker's covariance and a calibration.
struct OneImpact {
  explicit OneImpact(int seed) : random(seed) {
    table.calibration_covariance = CalibrationCovariance();
    ImpactRecord record = ExactImpactInMode(random, "t", 0.26, 0.55, solver::ContactMode::kSlip);
    record.calibration_sensitivity = CalibrationSensitivity(record);
    record.covariance = TrackerCovariance(random) + record.calibration_sensitivity *
                                                        table.calibration_covariance *
                                                        record.calibration_sensitivity.transpose();
    table.impacts = {record};
    errors = CalcImpactErrors(record, MakeErrorModel(table, {}));
  }
  const ImpactRecord& record() const { return table.impacts.front(); }

  std::mt19937 random;
  solver::Body body = Bar();
  impacts::ImpactTable table;
  ImpactErrors errors;
};

const ErrorBudgetRow& Row(const std::vector<ErrorBudgetRow>& rows, const std::string& source) {
  for (const ErrorBudgetRow& row : rows) {
    if (row.source == source) return row;
  }
  throw std::runtime_error("no row " + source);
}

// A sphere that slides one way: e = 0.4 and an impulse ratio of 0.2, by hand.
TEST(ErrorBudget, ValuesOfASlidingSphere) {
  solver::Body body{.shape = solver::Sphere{0.03}, .mass = 0.1, .inertia = {}};
  body.inertia = solver::UniformInertia(body.shape, body.mass);
  ImpactRecord record;
  record.r = {0.0, 0.0, -0.03};
  record.v = {3.0, 0.0, -2.0};
  record.v_post = {3.0 - 0.2 * 2.8, 0.0, 0.8};
  const double spin = 0.1 * 0.2 * 2.8 * 0.03 / (0.4 * 0.1 * 0.03 * 0.03);
  record.w_post = {0.0, spin, 0.0};
  const BudgetValues values = CalcBudgetValues(record, body);
  EXPECT_NEAR(values[kBudgetRestitution], 0.4, 1e-12);
  EXPECT_NEAR(values[kBudgetImpulseRatio], 0.2, 1e-12);
  const double lost = 0.05 * (13.0 - 2.44 * 2.44 - 0.64) - 0.5 * 0.4 * 0.1 * 0.0009 * spin * spin;
  EXPECT_NEAR(values[kBudgetDissipation], lost, 1e-12);
  EXPECT_NEAR(values[kBudgetDissipatedShare], lost / 0.65, 1e-12);
}

// Where the slip turns during the impact the ratio stays below mu.
TEST(ErrorBudget, ImpulseRatioOfATurningSlipIsAtMostMu) {
  for (const int seed : {1, 2, 3, 4, 5}) {
    const OneImpact one(seed);
    EXPECT_LE(CalcBudgetValues(one.record(), one.body)[kBudgetImpulseRatio], 0.26 + 1e-9);
  }
}

TEST(ErrorBudget, GradientAgreesWithFiniteDifferences) {
  for (const int seed : {2, 3, 4}) {
    const OneImpact one(seed);
    const BudgetGradient gradient = CalcBudgetGradient(one.record(), one.body);
    const double step = 1e-6;
    for (int i = 0; i < kErrorDimension; ++i) {
      const auto moved = [&](double change) {
        ImpactRecord record = one.record();
        solver::Body body = one.body;
        if (i < kArm) {
          AddError(change * Eigen::VectorXd::Unit(impacts::kImpactDimension, i), record);
        } else if (i < kInertia) {
          record.r[i - kArm] += change;
        } else {
          body.inertia =
              solver::MovedInertia(body.inertia, change * solver::InertiaError::Unit(i - kInertia));
        }
        return CalcBudgetValues(record, body);
      };
      const BudgetValues above = moved(step), below = moved(-step);
      for (int k = 0; k < kNumBudgetQuantities; ++k) {
        const double difference = (above[k] - below[k]) / (2.0 * step);
        EXPECT_NEAR(gradient(i, k), difference, 1e-6 * (1.0 + std::abs(difference)))
            << i << " " << kBudgetQuantityNames[k];
      }
    }
  }
}

// On a sphere the contact point stays where it is when the body turns.
TEST(ErrorBudget, RotationOfASphereDoesNotMatter) {
  OneImpact one(5);
  one.body = {.shape = solver::Sphere{0.03}, .mass = 0.1, .inertia = Eigen::Matrix3d::Zero()};
  one.body.inertia = solver::UniformInertia(one.body.shape, one.body.mass);
  ImpactRecord record = one.record();
  record.r = -0.03 * record.normal;
  const BudgetGradient gradient = CalcBudgetGradient(record, one.body);
  EXPECT_LT(gradient.middleRows<3>(impacts::kRotation).cwiseAbs().maxCoeff(), 1e-6);
}

// Pixels and calibration together are the covariance of the record.
TEST(ErrorBudget, PixelsAndCalibrationAddUpToTheCovariance) {
  const OneImpact one(6);
  const ErrorBudget budget =
      CalcErrorBudget(PrepareImpact(one.record(), one.errors, one.body), one.body, {});
  const BudgetGradient gradient = CalcBudgetGradient(one.record(), one.body);
  for (int k = 0; k < kNumBudgetQuantities; ++k) {
    const Eigen::VectorXd g = gradient.col(k).head<impacts::kImpactDimension>();
    const double total = std::sqrt(g.dot(*one.record().covariance * g));
    const double pixels = Row(budget.rows, "pixels").sigma[k];
    const double calibration = Row(budget.rows, "calibration").sigma[k];
    EXPECT_NEAR(std::hypot(pixels, calibration), total, 1e-6 * total);
    EXPECT_NEAR(budget.sigma[k], total, 1e-6 * total);
    EXPECT_GT(calibration, 0.0);
    double share = 0.0;
    for (const ErrorBudgetRow& row : budget.rows) share += row.share[k];
    EXPECT_NEAR(share, 1.0, 1e-9);
  }
}

// What is typed of a bench has rows of its own, and what these leave one more: together they are
// what all trials share.
TEST(ErrorBudget, SourcesAndTheRestAddUpToWhatIsShared) {
  OneImpact one(8);
  ImpactRecord& record = one.table.impacts.front();
  const Eigen::Index size = one.table.calibration_covariance.rows();
  record.body_sensitivity = 1e-3 * Eigen::MatrixXd::Ones(impacts::kBodyDimension, size);
  const ErrorModel model = MakeErrorModel(one.table, {});
  one.errors = CalcImpactErrors(record, model);
  const auto budget = [&](const std::vector<impacts::SharedSource>& sources) {
    return CalcErrorBudget(PrepareImpact(record, one.errors, one.body), one.body, {}, sources);
  };
  const ErrorBudget together = budget({});
  const Eigen::MatrixXd root = CovarianceRoot(one.table.calibration_covariance);
  const Eigen::Index half = root.cols() / 2;
  const ErrorBudget apart = budget(
      {{"gravity", 0.01, "m/s^2", false, model.RootByK(root.leftCols(half))},
       {"inertia", 0.01, "", true, model.RootByK(0.6 * root.rightCols(root.cols() - half))}});
  for (int k = 0; k < kNumBudgetQuantities; ++k) {
    const double shared = Row(together.rows, "bench: what the flights leave of it").sigma[k];
    const double gravity = Row(apart.rows, "gravity (default, nobody stated it)").sigma[k];
    const double inertia = Row(apart.rows, "inertia").sigma[k];
    const double rest = Row(apart.rows, "pixels of all trials, through cameras and body").sigma[k];
    EXPECT_GT(gravity, 0.0);
    EXPECT_NEAR(rest, 0.8 / 0.6 * inertia, 1e-6 * shared);
    EXPECT_NEAR(std::hypot(gravity, inertia, rest), shared, 1e-6 * shared);
    EXPECT_NEAR(apart.sigma[k], together.sigma[k], 1e-9 * together.sigma[k]);
  }
}

TEST(ErrorBudget, SigmaIsTheScatterOfDraws) {
  OneImpact one(7);
  const ErrorBudget budget =
      CalcErrorBudget(PrepareImpact(one.record(), one.errors, one.body), one.body, {});
  constexpr int kDraws = 4000;
  BudgetValues squares{};
  for (int draw = 0; draw < kDraws; ++draw) {
    ImpactRecord record = one.record();
    AddError(DrawNormal(one.random, *one.record().covariance), record);
    const BudgetValues values = CalcBudgetValues(record, one.body);
    for (size_t k = 0; k < values.size(); ++k) {
      squares[k] += std::pow(values[k] - budget.value[k], 2) / kDraws;
    }
  }
  // Sampling: 3 / sqrt(2 * 4000) = 0.034; the rest is second order.
  for (size_t k = 0; k < squares.size(); ++k) {
    EXPECT_NEAR(std::sqrt(squares[k]) / budget.sigma[k], 1.0, 0.05) << k;
  }
}

// ---- Tolerances

TEST(ErrorBudget, MassScalesTheEnergyAlone) {
  const OneImpact one(8);
  const ErrorBudget budget =
      CalcErrorBudget(PrepareImpact(one.record(), one.errors, one.body), one.body, {.mass = 0.001});
  const BudgetValues& sigma = Row(budget.rows, "mass").sigma;
  EXPECT_NEAR(sigma[kBudgetRestitution], 0.0, 1e-12);
  EXPECT_NEAR(sigma[kBudgetImpulseRatio], 0.0, 1e-12);
  EXPECT_NEAR(sigma[kBudgetDissipatedShare], 0.0, 1e-9);
  EXPECT_NEAR(sigma[kBudgetDissipation],
              std::abs(budget.value[kBudgetDissipation]) * 0.001 / one.body.mass, 1e-9);
}

// A bar of other lengths with the same velocities, recomputed from its corner and inertia.
TEST(ErrorBudget, DimensionsMoveCornerAndInertia) {
  const OneImpact one(9);
  const double tolerance = 2e-4;
  const ErrorBudget budget = CalcErrorBudget(PrepareImpact(one.record(), one.errors, one.body),
                                             one.body, {.dimension = tolerance});
  BudgetValues squares{};
  for (int axis = 0; axis < 3; ++axis) {
    const auto values = [&](double change) {
      solver::Body body = one.body;
      auto& box = std::get<solver::Box>(body.shape);
      const double scale = 1.0 + change / box.size[axis];
      box.size[axis] *= scale;
      const Eigen::Vector3d s2 = box.size.cwiseAbs2();
      body.inertia =
          (body.mass / 12.0 * Eigen::Vector3d(s2.y() + s2.z(), s2.x() + s2.z(), s2.x() + s2.y()))
              .asDiagonal();
      ImpactRecord record = one.record();
      Eigen::Vector3d r_B = record.q_WB.conjugate() * record.r;
      r_B[axis] *= scale;
      record.r = record.q_WB * r_B;
      return CalcBudgetValues(record, body);
    };
    const BudgetValues above = values(1e-5), below = values(-1e-5);
    for (size_t k = 0; k < squares.size(); ++k) {
      squares[k] += std::pow((above[k] - below[k]) / 2e-5 * tolerance, 2);
    }
  }
  const BudgetValues& sigma = Row(budget.rows, "dimensions").sigma;
  for (size_t k = 0; k < squares.size(); ++k) {
    EXPECT_NEAR(sigma[k], std::sqrt(squares[k]), 1e-5 * std::sqrt(squares[k]) + 1e-12) << k;
  }
  EXPECT_GT(sigma[kBudgetRestitution], 0.0);
}

TEST(ErrorBudget, MeasuredInertiaDoesNotFollowTheDimensions) {
  OneImpact one(10);
  one.body.inertia *= 1.02;
  ImpactRecord record = one.record();
  record.r.setZero();  // nothing but the inertia could change the energy
  const ErrorBudget budget =
      CalcErrorBudget(PrepareImpact(record, one.errors, one.body), one.body, {.dimension = 1e-3});
  EXPECT_EQ(Row(budget.rows, "dimensions").sigma[kBudgetDissipation], 0.0);
}

// For a tilt about an axis in the surface the parts of dv along n and t trade places.
TEST(ErrorBudget, TiltChangesTheImpulseRatio) {
  const OneImpact one(11);
  const double tilt = 2e-3;
  const ErrorBudget budget =
      CalcErrorBudget(PrepareImpact(one.record(), one.errors, one.body), one.body, {.tilt = tilt});
  const double ratio = budget.value[kBudgetImpulseRatio];
  // d|tan(angle to n)| = (1 + ratio^2) d(angle), only for the tilt in the plane of the impulse.
  EXPECT_NEAR(Row(budget.rows, "surface tilt").sigma[kBudgetImpulseRatio],
              (1.0 + ratio * ratio) * tilt, 1e-8);
  EXPECT_EQ(Row(budget.rows, "surface tilt").sigma[kBudgetDissipation], 0.0);
}

TEST(ErrorBudget, ContactPointMeasuredByItselfHasItsRow) {
  OneImpact one(12);
  one.table.impacts.front().r_sigma.setConstant(1e-3);
  one.errors = CalcImpactErrors(one.record(), MakeErrorModel(one.table, {}));
  const ErrorBudget budget =
      CalcErrorBudget(PrepareImpact(one.record(), one.errors, one.body), one.body, {});
  const BudgetGradient gradient = CalcBudgetGradient(one.record(), one.body);
  const ErrorBudgetRow& row = Row(budget.rows, "contact point");
  EXPECT_NEAR(row.size, 1e-3, 1e-12);
  EXPECT_NEAR(row.sigma[kBudgetRestitution],
              1e-3 * gradient.col(kBudgetRestitution).segment<3>(kArm).norm(), 1e-12);
}

// ---- The thesis' list

TEST(ErrorBudget, ThesisListIsAsPrinted) {
  const OneImpact one(13);
  const ErrorBudget budget =
      CalcErrorBudget(PrepareImpact(one.record(), one.errors, one.body), one.body, {});
  const std::string file = PERCUSS_DATA_DIR "/sun2017/uncertainty_sources.csv";
  const auto rows = ParseCsv(file, ReadFile(file));
  ASSERT_EQ(budget.thesis.size(), rows.size() - 1);
  for (size_t i = 0; i < budget.thesis.size(); ++i) {
    const auto& cells = rows[i + 1].cells;
    EXPECT_EQ(budget.thesis[i].source, cells[0]);
    EXPECT_EQ(budget.thesis[i].unit, cells[3]);
    const double size = ParseCsvNumber(file, "value", cells[2]);
    if (std::isnan(size)) {
      EXPECT_TRUE(std::isnan(budget.thesis[i].size));
    } else {
      EXPECT_NEAR(budget.thesis[i].size, size, 1e-15);
    }
  }
}

TEST(ErrorBudget, ThesisSizesAreCarriedThroughTheImpact) {
  const OneImpact one(14);
  const double third = 1.0 / std::sqrt(3.0);
  ImpactRecord seen = one.record();
  seen.pixel_noise_px = 0.05;
  const ErrorBudget budget =
      CalcErrorBudget(PrepareImpact(seen, one.errors, one.body), one.body,
                      {.dimension = 5e-4 * third, .tilt = 0.5 * std::numbers::pi / 180.0 * third});
  for (int k = 0; k < kNumBudgetQuantities; ++k) {
    EXPECT_NEAR(Row(budget.thesis, "length ruler").sigma[k],
                Row(budget.rows, "dimensions").sigma[k], 1e-12);
    EXPECT_NEAR(Row(budget.thesis, "angle ruler").sigma[k],
                Row(budget.rows, "surface tilt").sigma[k], 1e-12);
    const double pixels = Row(budget.rows, "pixels").sigma[k];
    EXPECT_NEAR(Row(budget.thesis, "image resolution").sigma[k], 10.0 * third * pixels, 1e-12);
    EXPECT_NEAR(Row(budget.thesis, "blurred marker centroid").sigma[k], 30.0 * third * pixels,
                1e-12);
    EXPECT_TRUE(std::isnan(Row(budget.thesis, "laser level").sigma[k]));
  }
  // An instant wrong by dt: v and v' both by g dt.
  ImpactRecord late = one.record();
  late.v += late.gravity * 1e-6;
  late.v_post += late.gravity * 1e-6;
  const BudgetValues moved = CalcBudgetValues(late, one.body);
  EXPECT_NEAR(
      Row(budget.thesis, "frame time").sigma[kBudgetRestitution],
      std::abs(moved[kBudgetRestitution] - budget.value[kBudgetRestitution]) / 1e-6 * third / 240.0,
      1e-6);
  const ErrorBudget unknown_noise =
      CalcErrorBudget(PrepareImpact(one.record(), one.errors, one.body), one.body, {});
  EXPECT_TRUE(std::isnan(Row(unknown_noise.thesis, "image resolution").sigma[0]));
}

// ---- Bounds

TEST(ErrorBudget, ComplaintsQuoteFieldValueAndBound) {
  const OneImpact one(15);
  const auto complaint = [&](const ImpactRecord& record, const BodyTolerances& tolerances) {
    try {
      CalcErrorBudget(PrepareImpact(record, one.errors, one.body), one.body, tolerances);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("no complaint");
  };
  EXPECT_EQ(complaint(one.record(), {.mass = -1.0}),
            "mass tolerance: found -1, allowed 0 kg or more");
  EXPECT_EQ(complaint(one.record(), {.dimension = NAN}),
            "dimension tolerance: found nan, allowed 0 m or more");
  ImpactRecord noiseless = one.record();
  noiseless.pixel_noise_px = 0.0;
  EXPECT_EQ(complaint(noiseless, {}), "pixel_noise_px: found 0, allowed above 0");
  ImpactRecord leaving = one.record();
  leaving.v.z() = 5.0;
  EXPECT_THAT(complaint(leaving, {}), HasSubstr("along the normal before the impact, allowed"));
}

// By hand: root mean squares, and means of values; what one impact does not know counts for the
// others.
TEST(ErrorBudget, AveragesImpacts) {
  const OneImpact one(8), other(9);
  ImpactRecord sharp = one.record(), blurred = other.record();
  sharp.pixel_noise_px = 0.03;
  blurred.pixel_noise_px = 0.04;
  ErrorBudget a =
      CalcErrorBudget(PrepareImpact(sharp, one.errors, one.body), one.body, {.mass = 0.001});
  ErrorBudget b = CalcErrorBudget(PrepareImpact(blurred, other.errors, other.body), other.body,
                                  {.mass = 0.001});
  const auto mean_of = [](const std::vector<ErrorBudget>& budgets) {
    MeanErrorBudget mean;
    for (const ErrorBudget& budget : budgets) mean.Add(budget);
    return mean.Mean();
  };
  ErrorBudget shorter = a;
  shorter.rows.pop_back();
  const ErrorBudget mean = mean_of({a, shorter, b}).value();
  EXPECT_EQ(mean.num_impacts, 2);
  const auto rms = [](double x, double y) { return std::sqrt(0.5 * (x * x + y * y)); };
  EXPECT_NEAR(Row(mean.rows, "pixels").size, rms(0.03, 0.04), 1e-12);
  EXPECT_TRUE(std::isnan(Row(mean.rows, "calibration").size));
  for (int k = 0; k < kNumBudgetQuantities; ++k) {
    EXPECT_NEAR(mean.value[k], 0.5 * (a.value[k] + b.value[k]), 1e-12);
    EXPECT_NEAR(mean.sigma[k], rms(a.sigma[k], b.sigma[k]), 1e-12);
    EXPECT_NEAR(Row(mean.rows, "mass").sigma[k],
                rms(Row(a.rows, "mass").sigma[k], Row(b.rows, "mass").sigma[k]), 1e-12);
    double share = 0.0;
    for (const ErrorBudgetRow& row : mean.rows) share += row.share[k];
    EXPECT_NEAR(share, 1.0, 1e-9);
  }
  b.sigma[kBudgetImpulseRatio] = std::nan("");
  EXPECT_NEAR(mean_of({a, b})->sigma[kBudgetImpulseRatio], a.sigma[kBudgetImpulseRatio], 1e-12);
  EXPECT_FALSE(mean_of({}));
}

}  // namespace
}  // namespace percuss::fitting
