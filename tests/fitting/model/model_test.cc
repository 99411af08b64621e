// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <array>
#include <vector>

#include "base/math/geometry.h"
#include "fitting/model/error_model.h"
#include "fitting/model/impact_model.h"
#include "fitting/model/prepared_impacts.h"
#include "fitting/model/search_grid.h"
#include "fitting/model/shared_law_problem.h"
#include "solver/solve_impact.h"
#include "tests/fitting/synthetic_impacts.h"

namespace percuss::fitting {
namespace {

using impacts::ImpactRecord;

constexpr std::array kParameters = {0.26, 0.55};

Vector6d Predict(const ImpactRecord& record, const solver::Body& body,
                 const std::array<double, 2>& parameters = kParameters) {
  const ImpactGeometry geometry = CalcGeometry(record, body);
  return geometry.before +
         geometry.velocity_per_impulse * LawImpulse("stronge", geometry.contact, parameters);
}

// Truth: central differences of the prediction itself, state by state. The step 1e-6 leaves an
// error of about 1e-9 of derivatives of size 1 to 100.
TEST(LinearizeImpact, AgreesWithNumericDifferences) {
  std::mt19937 random(11);
  const solver::Body body = Bar();
  for (int i = 0; i < 10; ++i) {
    const ImpactRecord record = ExactImpact(random, "a", 0.26, 0.55);
    const ImpactLinearization model =
        LinearizeImpact("stronge", record, CalcGeometry(record, body), kParameters);
    EXPECT_LT((model.after - Predict(record, body)).norm(), 1e-12);
    constexpr double kStep = 1e-6;
    const auto numeric = [&](int index) -> Vector6d {
      ImpactRecord plus = record, minus = record;
      Eigen::VectorXd error = Eigen::VectorXd::Zero(impacts::kImpactDimension);
      error[index] = kStep;
      AddError(error, plus);
      AddError(-error, minus);
      return (Predict(plus, body) - Predict(minus, body)) / (2.0 * kStep);
    };
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_LT((numeric(impacts::kRotation + axis) - model.rotation.col(axis)).norm(), 1e-5);
      EXPECT_LT((numeric(impacts::kV + axis) - model.v.col(axis)).norm(), 1e-5);
      EXPECT_LT((numeric(impacts::kW + axis) - model.w.col(axis)).norm(), 1e-5);
      ImpactRecord plus = record, minus = record;
      plus.r[axis] += kStep;
      minus.r[axis] -= kStep;
      const Vector6d by_arm = (Predict(plus, body) - Predict(minus, body)) / (2.0 * kStep);
      EXPECT_LT((by_arm - model.arm.col(axis)).norm(), 1e-4);
    }
    for (size_t k = 0; k < 2; ++k) {
      std::array<double, 2> plus = kParameters, minus = kParameters;
      plus[k] += kStep;
      minus[k] -= kStep;
      const Vector6d by_parameter =
          (Predict(record, body, plus) - Predict(record, body, minus)) / (2.0 * kStep);
      EXPECT_LT((by_parameter - model.parameters.col(static_cast<Eigen::Index>(k))).norm(), 1e-5);
    }
  }
}

// Truth: the same errors through all derivatives.
TEST(PrepareImpact, LeavesOutDerivativesByWhatNoErrorMoves) {
  std::mt19937 random(12);
  struct Case {
    std::vector<int> own, shared;  // of the error vector
    MovedInputs moved;
  };
  using impacts::kRotation, impacts::kV, impacts::kW;
  const std::vector<Case> cases = {
      {{}, {}, {false, {false, false, false}}},
      {{kV, kV + 1, kV + 2, kW, kW + 1, kW + 2}, {}, {false, {true, true, true}}},
      {{kV, kV + 2, kW + 1}, {}, {false, {true, false, true}}},
      {{kV + 2}, {}, {false, {false, false, true}}},
      {{}, {kV}, {false, {true, false, false}}},
      {{kV + 2}, {kW}, {false, {false, true, true}}},
      {{kRotation + 1}, {}, {}},
      {{}, {kArm}, {}},
      {{}, {kInertia + 5}, {}}};
  for (const char* law : {"stronge", "boundary-layer-material"}) {
    for (const Case& one : cases) {
      ImpactErrors errors;
      ErrorCovariance own = ErrorCovariance::Zero();
      for (const int row : one.own) own(row, row) = 0.5 + row;
      errors.own = own;
      errors.shared = ErrorSensitivity::Zero(kErrorDimension, std::ssize(one.shared));
      for (const int row : one.shared) errors.shared(row, 0) = 2.0 + row;
      const Impact impact = PrepareImpact(ExactImpact(random, "a", 0.26, 0.55), errors, Bar());
      EXPECT_EQ(impact.geometry.moved.inverse_mass, one.moved.inverse_mass);
      EXPECT_EQ(impact.geometry.moved.velocity, one.moved.velocity);
      Impact all = impact;
      all.geometry.moved = {};
      const Eigen::VectorXd parameters = TypicalParameters(solver::FindLaw(law));
      const auto moved_by = [&](const Impact& of) {
        std::vector<SharedLawProblem::WorkDerivatives> works;
        const auto jacobian = SharedLawProblem(solver::FindLaw(law), {&of})
                                  .CalcErrorJacobians(parameters, &works)
                                  .front();
        Eigen::Matrix<double, 7, kErrorDimension> by_errors;
        by_errors << jacobian, works.front().by_errors;
        return by_errors;
      };
      const auto some = moved_by(impact), truth = moved_by(all);
      EXPECT_LT((some * own - truth * own).norm(), 1e-9 * truth.norm());
      EXPECT_LT((some * errors.shared - truth * errors.shared).norm(), 1e-9 * truth.norm());
    }
  }
}

// Truth: the lowest point of a sphere stays below its centre however it turns; a corner goes along.
TEST(ContactArmPerRotation, KnowsThatASphereRolls) {
  ImpactRecord record;
  record.q_WB = Eigen::Quaterniond(0.8, 0.2, -0.4, 0.4).normalized();
  record.r = Eigen::Vector3d(0.0, 0.0, -0.03);
  solver::Body ball;
  ball.shape = solver::Sphere{0.03};
  ball.mass = 0.1;
  ball.inertia = solver::UniformInertia(ball.shape, ball.mass);
  EXPECT_LT(ContactArmPerRotation(record, ball).norm(), 1e-8);
  EXPECT_LT((ContactArmPerRotation(record, Bar()) + Skew(record.r)).norm(), 1e-15);
}

// Truth: the joint covariance written out as one dense matrix.
TEST(JointWhitening, EqualsTheDenseCovariance) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  constexpr int kTrials = 4;
  constexpr int kShared = 3;
  std::vector<Eigen::Matrix<double, 6, 6>> own;
  std::vector<Eigen::Matrix<double, 6, Eigen::Dynamic>> shared;
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(6 * kTrials, 6 * kTrials);
  Eigen::MatrixXd stacked(6 * kTrials, kShared);
  for (int i = 0; i < kTrials; ++i) {
    Eigen::Matrix<double, 6, 6> root;
    for (double& entry : root.reshaped()) entry = normal(random);
    own.push_back(root * root.transpose() + 0.1 * Eigen::Matrix<double, 6, 6>::Identity());
    Eigen::Matrix<double, 6, Eigen::Dynamic> common(6, kShared);
    for (double& entry : common.reshaped()) entry = 2.0 * normal(random);
    shared.push_back(common);
    dense.block<6, 6>(6 * i, 6 * i) = own.back();
    stacked.middleRows<6>(6 * i) = common;
  }
  dense += stacked * stacked.transpose();
  const JointWhitening whitening(kTrials, [&](std::size_t i) {
    return ResidualErrors{own[i], shared[i]};
  });
  const Eigen::MatrixXd map = whitening.Apply(Eigen::MatrixXd::Identity(6 * kTrials, 6 * kTrials));
  EXPECT_LT((map.transpose() * map - dense.inverse()).norm(), 1e-9 * dense.inverse().norm());
  EXPECT_NEAR(whitening.log_determinant(), std::log(dense.determinant()), 1e-8);
  EXPECT_LT((whitening.ApplyTransposed(map) - dense.inverse()).norm(),
            1e-9 * dense.inverse().norm());
  // In other axes of what is shared, the same sensitivities.
  Eigen::MatrixXd from_own(6 * kTrials, kShared), sum = Eigen::MatrixXd::Zero(kShared, kShared);
  for (int i = 0; i < kTrials; ++i) {
    const Eigen::MatrixXd one = whitening.OwnShared(i);
    from_own.middleRows<6>(6 * i) = one;
    stacked.middleRows<6>(6 * i) = whitening.ApplyOwn(i, shared[i]);
    sum += one.transpose() * one;
  }
  EXPECT_LT((from_own * from_own.transpose() - stacked * stacked.transpose()).norm(), 1e-10);
  EXPECT_LT((sum.diagonal().cwiseSqrt() - whitening.spread()).norm(), 1e-10);
}

// A planar table: the components without any uncertainty carry no information and no weight.
TEST(JointWhitening, LeavesOutExactComponents) {
  Eigen::Matrix<double, 6, 6> covariance = Eigen::Matrix<double, 6, 6>::Zero();
  covariance.diagonal() << 4.0, 0.0, 9.0, 0.0, 0.25, 0.0;
  const JointWhitening whitening(1, [&](std::size_t) {
    return ResidualErrors{covariance, Eigen::Matrix<double, 6, Eigen::Dynamic>(6, 0)};
  });
  EXPECT_EQ(whitening.rows(), 3);
  EXPECT_TRUE(whitening.singular_trials().empty());
  Vector6d residual;
  residual << 2.0, 7.0, 3.0, 7.0, 0.5, 7.0;
  EXPECT_NEAR(whitening.Apply(residual).squaredNorm(), 3.0, 1e-12);
}

TEST(PackedCovariance, IsTheMatrix) {
  EXPECT_EQ(PackedCovariance().Full(), ErrorCovariance(ErrorCovariance::Zero()));
  std::mt19937 random(4);
  ErrorCovariance own = ErrorCovariance::Zero();
  own.topLeftCorner<18, 18>() = TrackerCovariance(random);
  own.topLeftCorner<18, 18>().triangularView<Eigen::StrictlyUpper>() =
      own.topLeftCorner<18, 18>().transpose();
  EXPECT_EQ(PackedCovariance(own).Full(), own);
  own.diagonal().segment<3>(kArm) << 1.0, 0.0, 3.0;
  EXPECT_EQ(PackedCovariance(own).Full(), own);
  own(kErrorDimension - 1, 2) = own(2, kErrorDimension - 1) = 1e-9;
  EXPECT_EQ(PackedCovariance(own).Full(), own);
}

// Own errors are what is left of the stated total after the calibration has had its share.
TEST(CalcImpactErrors, SplitsTheTotalIntoOwnAndShared) {
  std::mt19937 random(3);
  impacts::ImpactTable table;
  table.calibration_covariance = CalibrationCovariance();
  table.impacts.push_back(ExactImpact(random, "a", 0.26, 0.55));
  ImpactRecord& record = table.impacts.front();
  const impacts::ImpactCovariance pixels = TrackerCovariance(random);
  record.calibration_sensitivity = CalibrationSensitivity(record);
  record.covariance = pixels + record.calibration_sensitivity * table.calibration_covariance *
                                   record.calibration_sensitivity.transpose();
  const ErrorModel model = MakeErrorModel(table, {});
  const ImpactErrors errors = CalcImpactErrors(record, model);
  EXPECT_EQ(errors.reason_unusable, "");
  EXPECT_LT((errors.own.Full().topLeftCorner<18, 18>() - pixels).norm(), 1e-12 * pixels.norm());
  EXPECT_LT((errors.Total().topLeftCorner<18, 18>() - *record.covariance).norm(),
            1e-12 * pixels.norm());

  *record.covariance = pixels;  // less than the calibration alone
  record.calibration_sensitivity *= 100.0;
  EXPECT_NE(CalcImpactErrors(record, model).reason_unusable.find("calibration alone"),
            std::string::npos);
}

}  // namespace
}  // namespace percuss::fitting
