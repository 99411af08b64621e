// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/quality/residual_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "tests/base/kolmogorov.h"

namespace percuss::calibration {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Two cameras 0.3 m apart and a 7 x 5 target of 30 mm squares in eight views, as a stereo
// calibration has them: parameters are f_x, f_y, c_x, c_y, k1, k2 of each camera, the relative pose
// and eight poses of the target. Corners and Jacobian, by differences, at the truth.
constexpr int kViews = 12, kColumns = 7, kRows = 5, kPoints = kColumns * kRows;
constexpr int kParameters = 12 + 6 + 6 * kViews;

Eigen::Vector3d Turned(const double* pose, const Eigen::Vector3d& p) {
  const Eigen::Vector3d axis(pose[0], pose[1], pose[2]);
  const double angle = axis.norm();
  const Eigen::Vector3d turned =
      angle > 0.0 ? Eigen::Vector3d(Eigen::AngleAxisd(angle, axis / angle) * p) : p;
  return turned + Eigen::Vector3d(pose[3], pose[4], pose[5]);
}

Eigen::Vector3d TargetPoint(int k) {
  return {0.03 * (k % kColumns - 3.0), 0.03 * (k / kColumns - 2.0), 0.0};
}

Eigen::Vector2d Pixel(const Eigen::VectorXd& parameters, int camera, int view,
                      const Eigen::Vector3d& point) {
  Eigen::Vector3d p = Turned(&parameters[18 + 6 * view], point);
  if (camera == 1) p = Turned(&parameters[12], p);
  const double* c = &parameters[6 * camera];
  const double x = p.x() / p.z(), y = p.y() / p.z(), r2 = x * x + y * y;
  const double radial = 1.0 + r2 * (c[4] + r2 * c[5]);
  return {c[0] * x * radial + c[2], c[1] * y * radial + c[3]};
}

ResidualSet StereoSet(bool fit_distortion) {
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> u(-1.0, 1.0);
  Eigen::VectorXd truth(kParameters);
  truth.head<18>() << 1000.0, 1005.0, 640.0, 355.0, -0.2, 0.1, 1010.0, 1012.0, 630.0, 362.0, -0.18,
      0.08, 0.0, 0.3, 0.02, -0.3, 0.0, 0.05;
  for (int view = 0; view < kViews; ++view) {
    truth.segment<6>(18 + 6 * view) << 0.6 * u(engine), 0.6 * u(engine), 0.4 * u(engine),
        0.28 * u(engine) + 0.1, 0.17 * u(engine), 0.55 + 0.15 * u(engine);
  }
  ResidualSet set;
  set.image_sizes = {{1280, 720}, {1280, 720}};
  set.jacobian.resize(2 * 2 * kViews * kPoints, kParameters);
  const Eigen::Vector2d end(1279.5, 719.5);
  for (int view = 0; view < kViews; ++view) {
    for (int camera = 0; camera < 2; ++camera) {
      for (int k = 0; k < kPoints; ++k) {
        const auto row = 2 * static_cast<Eigen::Index>(set.corners.size());
        MeasuredResidual corner{.image = view, .camera = camera, .point = k};
        corner.pixel = Pixel(truth, camera, view, TargetPoint(k));
        if (corner.pixel.minCoeff() < -0.5 || (end - corner.pixel).minCoeff() < 0.0) continue;
        for (int j = 0; j < kParameters; ++j) {
          const double step = 1e-5 * std::max(1.0, std::abs(truth[j]));
          Eigen::VectorXd moved = truth;
          moved[j] += step;
          set.jacobian.block<2, 1>(row, j) = Pixel(moved, camera, view, TargetPoint(k));
          moved[j] -= 2.0 * step;
          set.jacobian.block<2, 1>(row, j) -= Pixel(moved, camera, view, TargetPoint(k));
          set.jacobian.block<2, 1>(row, j) /= 2.0 * step;
        }
        for (int axis = 0; axis < 3; ++axis) {
          const Eigen::Vector3d step = 1e-6 * Eigen::Vector3d::Unit(axis);
          corner.pixel_by_target.col(axis) = (Pixel(truth, camera, view, TargetPoint(k) + step) -
                                              Pixel(truth, camera, view, TargetPoint(k) - step)) /
                                             2e-6;
        }
        set.corners.push_back(corner);
      }
    }
  }
  set.jacobian.conservativeResize(2 * static_cast<Eigen::Index>(set.corners.size()), kParameters);
  if (!fit_distortion) {
    for (const int column : {4, 5, 10, 11}) set.jacobian.col(column).setZero();
  }
  return set;
}

// A calibration made linear: measurement errors go in, residuals of the fit come out.
struct LinearCalibration {
  ResidualSet set;
  Eigen::MatrixXd basis;

  explicit LinearCalibration(bool fit_distortion = true) : set(StereoSet(fit_distortion)) {
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(set.jacobian);
    basis = qr.householderQ() * Eigen::MatrixXd::Identity(set.jacobian.rows(), qr.rank());
  }

  Eigen::VectorXd Errors(const std::function<Eigen::Vector2d(const MeasuredResidual&)>& f) const {
    Eigen::VectorXd errors(set.jacobian.rows());
    for (std::size_t i = 0; i < set.corners.size(); ++i) {
      errors.segment<2>(2 * i) = f(set.corners[i]);
    }
    return errors;
  }
  double NumCorners(int camera) const {
    return static_cast<double>(std::count_if(set.corners.begin(), set.corners.end(),
                                             [&](const auto& c) { return c.camera == camera; }));
  }
  Eigen::VectorXd Left(const Eigen::VectorXd& errors) const {
    return errors - basis * (basis.transpose() * errors);
  }
  void SetResiduals(const Eigen::VectorXd& errors) {
    const Eigen::VectorXd residuals = Left(errors);
    for (std::size_t i = 0; i < set.corners.size(); ++i) {
      set.corners[i].residual = residuals.segment<2>(2 * i);
    }
  }
};

Eigen::VectorXd Noise(Eigen::Index size, double sigma, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal(0.0, sigma);
  return Eigen::VectorXd::NullaryExpr(size, [&] { return normal(engine); });
}

// Of one length but another direction in each cell of the raster; first camera only.
Eigen::Vector2d PerCell(const MeasuredResidual& corner, double length_px) {
  if (corner.camera != 0) return {0.0, 0.0};
  const int cell = static_cast<int>((corner.pixel.x() + 0.5) / 160.0) +
                   8 * static_cast<int>((corner.pixel.y() + 0.5) / 120.0);
  return {length_px * std::sin(5.0 * cell), length_px * std::cos(11.0 * cell)};
}

// Outwards, amplitude_px in the image corner, growing with the seventh power of the radius.
Eigen::Vector2d SeventhPower(const MeasuredResidual& corner, double amplitude_px) {
  const Eigen::Vector2d from_centre = corner.pixel - Eigen::Vector2d(639.5, 359.5);
  const double share = from_centre.norm() / Eigen::Vector2d(640.0, 360.0).norm();
  return amplitude_px * std::pow(share, 7) * from_centre.normalized();
}

// Truth: noise alone, of another size than sigma_px says: each p-value is uniform (7 tests at 1 of
// 1000), findings are chance. 200 draws are needed to see it and take some seconds.
TEST(FindResidualPattern, GivesUniformPValuesForNoise) {
  LinearCalibration calibration;
  constexpr int kDraws = 200;
  std::vector<std::vector<double>> p_values(7);
  int findings = 0;
  for (unsigned draw = 0; draw < kDraws; ++draw) {
    calibration.SetResiduals(Noise(calibration.basis.rows(), 0.15, draw));
    const ResidualPattern pattern = FindResidualPattern(calibration.set);
    const double values[] = {pattern.image[0].test.p_value,  pattern.image[1].test.p_value,
                             pattern.radius[0].test.p_value, pattern.radius[1].test.p_value,
                             pattern.target.print.p_value,   pattern.target.bend.p_value,
                             pattern.neighbours.p_value};
    for (std::size_t k = 0; k < 7; ++k) p_values[k].push_back(values[k]);
    findings += static_cast<int>(pattern.findings.size());
    if (draw == 0) {
      EXPECT_EQ(pattern.redundancy,
                2 * static_cast<int>(calibration.set.corners.size()) - kParameters);
      EXPECT_NEAR(pattern.noise_px, 0.15, 4.0 * 0.15 / std::sqrt(2.0 * pattern.redundancy));
    }
  }
  for (std::size_t k = 0; k < 7; ++k)
    EXPECT_LT(testing::KolmogorovDistance(p_values[k]), 1.95) << k;
  EXPECT_LE(findings, 5);  // 1400 tests at 1 of 1000: more than 5 in 1 of 300 runs
}

// Truth: a pattern that is constant in each cell, its size in the residuals computed from the fit
// without noise. The mean of rms_px^2 over 60 draws is its square within 4 standard errors.
TEST(FindResidualPattern, SizeOfAPatternIsUnbiased) {
  LinearCalibration calibration;
  const Eigen::VectorXd pattern =
      calibration.Errors([](const MeasuredResidual& corner) { return PerCell(corner, 0.2); });
  const double truth2 = calibration.Left(pattern).squaredNorm() / calibration.NumCorners(0);
  constexpr int kDraws = 60;
  double sum = 0.0, squares = 0.0;
  for (unsigned draw = 0; draw < kDraws; ++draw) {
    calibration.SetResiduals(pattern + Noise(pattern.size(), 0.1, draw));
    const ResidualPattern found = FindResidualPattern(calibration.set);
    const double square = std::pow(found.image[0].test.rms_px, 2);
    sum += square / kDraws;
    squares += square * square / kDraws;
    EXPECT_TRUE(found.image[0].test.notable);
    EXPECT_GT(found.image[0].test.rms_upper_px, found.image[0].test.rms_px);
  }
  EXPECT_NEAR(sum, truth2, 4.0 * std::sqrt((squares - sum * sum) / kDraws));
}

// Truth: a term of rho^7 in one camera, scaled so that 0.3 px of it are left at most by a fit
// without lens distortion; noise 0.1 px. The bins hold most of what is left, computed without
// noise. A fit with k1 and k2 absorbs the same term: then there is nothing to be found.
TEST(FindResidualPattern, FindsARadialTermThatTheFitLacks) {
  const auto term = [](const MeasuredResidual& corner) {
    return corner.camera == 0 ? SeventhPower(corner, 1.0) : Eigen::Vector2d(0.0, 0.0);
  };
  LinearCalibration pinhole(false), lens(true);
  const Eigen::VectorXd unit = pinhole.Left(pinhole.Errors(term));
  const double largest = unit.reshaped(2, unit.size() / 2).colwise().norm().maxCoeff();
  const Eigen::VectorXd pattern = 0.3 / largest * pinhole.Errors(term);
  const Eigen::VectorXd noise = Noise(pattern.size(), 0.1, 1);

  pinhole.SetResiduals(pattern + noise);
  const ResidualPattern found = FindResidualPattern(pinhole.set);
  const double left = pinhole.Left(pattern).norm() / std::sqrt(pinhole.NumCorners(0));
  EXPECT_LT(found.radius[0].test.p_value, 1e-9);
  EXPECT_GT(found.radius[0].test.rms_px, 0.7 * left);
  EXPECT_LT(found.radius[0].test.rms_px, 1.2 * left);
  EXPECT_GT(found.radius[0].test.rms_upper_px, 0.9 * left);
  EXPECT_TRUE(found.radius[0].test.notable);
  EXPECT_FALSE(found.radius[1].test.notable);
  EXPECT_THAT(found.findings, Contains(HasSubstr("camera 1: residuals of 0.04 px rms depend on the "
                                                 "distance")));

  lens.SetResiduals(pattern + noise);
  const ResidualPattern absorbed = FindResidualPattern(lens.set);
  EXPECT_THAT(absorbed.findings, ElementsAre());
  EXPECT_LT(absorbed.radius[0].test.rms_upper_px, 0.03);
}

// Truth: the bowl. Shift and tilts are the poses': compared without their planes. A point is seen
// some 20 times with 600 px/m: at 0.02 px to 7 um.
TEST(FindResidualPattern, FindsABentTarget) {
  LinearCalibration calibration;
  Eigen::VectorXd height(kPoints);
  Eigen::MatrixXd plane(kPoints, 3);
  for (int k = 0; k < kPoints; ++k) {
    const Eigen::Vector3d p = TargetPoint(k);
    height[k] = 2e-4 * p.squaredNorm() / (0.09 * 0.09 + 0.06 * 0.06);
    plane.row(k) << p.x(), p.y(), 1.0;
  }
  const auto without_plane = [&](const Eigen::VectorXd& z) -> Eigen::VectorXd {
    return z - plane * plane.colPivHouseholderQr().solve(z);
  };
  const Eigen::VectorXd pattern = calibration.Errors([&](const MeasuredResidual& corner) {
    return Eigen::Vector2d(corner.pixel_by_target.col(2) * height[corner.point]);
  });
  calibration.SetResiduals(pattern + Noise(pattern.size(), 0.1, 1));
  const ResidualPattern found = FindResidualPattern(calibration.set);
  EXPECT_LT(found.target.bend.p_value, 1e-9);
  EXPECT_EQ(found.target.bend.degrees_of_freedom, kPoints - 3);
  EXPECT_THAT(found.findings, Contains(HasSubstr("not flat")));

  calibration.SetResiduals(pattern + Noise(pattern.size(), 0.02, 1));
  const TargetPattern sharp = FindResidualPattern(calibration.set).target;
  const Eigen::VectorXd truth = without_plane(height);
  const double rms = truth.norm() / std::sqrt(kPoints);
  EXPECT_GT(rms, 4e-5);
  EXPECT_LT((without_plane(sharp.displacement.row(2).transpose()) - truth).norm(),
            15e-6 * std::sqrt(kPoints));
  EXPECT_NEAR(sharp.bend_rms, rms, 5e-6);
}

// Truth: each point displaced by 0.1 mm rms in x and y. Position, attitude and size of the target
// are free: compared without them. A point is seen some 20 times with 1800 px/m: at 0.02 px to 3
// um.
TEST(FindResidualPattern, FindsAMisprintedTarget) {
  LinearCalibration calibration;
  const Eigen::VectorXd shift = Noise(2 * kPoints, 1e-4, 5);
  Eigen::MatrixXd similarity(2 * kPoints, 4);
  for (int k = 0; k < kPoints; ++k) {
    const Eigen::Vector3d p = TargetPoint(k);
    similarity.middleRows<2>(2 * k) << 1.0, 0.0, p.x(), -p.y(), 0.0, 1.0, p.y(), p.x();
  }
  const auto without_similarity = [&](const Eigen::VectorXd& d) -> Eigen::VectorXd {
    return d - similarity * similarity.colPivHouseholderQr().solve(d);
  };
  const Eigen::VectorXd pattern = calibration.Errors([&](const MeasuredResidual& corner) {
    return Eigen::Vector2d(corner.pixel_by_target.leftCols<2>() *
                           shift.segment<2>(2 * corner.point));
  });
  calibration.SetResiduals(pattern + Noise(pattern.size(), 0.02, 1));
  const ResidualPattern found = FindResidualPattern(calibration.set);
  EXPECT_EQ(found.target.print.degrees_of_freedom, 2 * kPoints - 4);
  EXPECT_THAT(found.findings, Contains(HasSubstr("misprinted")));
  const Eigen::VectorXd truth = without_similarity(shift);
  const Eigen::VectorXd displacement =
      without_similarity(found.target.displacement.topRows<2>().reshaped());
  EXPECT_LT((displacement - truth).norm(), 10e-6 * std::sqrt(kPoints));
  EXPECT_NEAR(found.target.print_rms, truth.norm() / std::sqrt(kPoints), 5e-6);
}

// Truth: waves of 0.1 px in each picture, elsewhere in each, so that only neighbours know of them.
TEST(FindResidualPattern, FindsWhatNeighboursShare) {
  LinearCalibration calibration;
  const Eigen::VectorXd phase = Noise(8 * kViews, 10.0, 9);
  const Eigen::VectorXd pattern = calibration.Errors([&](const MeasuredResidual& corner) {
    const double* p = &phase[4 * (2 * corner.image + corner.camera)];
    const Eigen::Vector2d angle = 0.02 * corner.pixel;
    return Eigen::Vector2d(0.2 * std::sin(angle.x() + p[0]) * std::sin(angle.y() + p[1]),
                           0.2 * std::sin(angle.x() + p[2]) * std::sin(angle.y() + p[3]));
  });
  calibration.SetResiduals(pattern + Noise(pattern.size(), 0.1, 1));
  const ResidualPattern found = FindResidualPattern(calibration.set);
  const double left = calibration.Left(pattern).norm() /
                      std::sqrt(static_cast<double>(calibration.set.corners.size()));
  EXPECT_LT(found.neighbours.p_value, 1e-6);
  // Neighbours are a quarter of a wave apart at most: they share a good part of it.
  EXPECT_GT(found.neighbours.rms_px, 0.5 * left);
  EXPECT_LT(found.neighbours.rms_px, left);
  EXPECT_THAT(found.findings, Contains(HasSubstr("neighbouring corners share")));
}

// With little noise a pattern of 0.02 px is no chance, and does not matter.
TEST(FindResidualPattern, DoesNotMindWhatIsSignificantButSmall) {
  LinearCalibration calibration;
  const Eigen::VectorXd pattern =
      calibration.Errors([](const MeasuredResidual& corner) { return PerCell(corner, 0.02); });
  const double left = calibration.Left(pattern).norm() / std::sqrt(calibration.NumCorners(0));
  calibration.SetResiduals(pattern + Noise(pattern.size(), 0.01, 1));
  const ResidualPattern found = FindResidualPattern(calibration.set);
  EXPECT_LT(found.image[0].test.p_value, 1e-9);
  EXPECT_NEAR(found.image[0].test.rms_px, left, 0.2 * left);
  EXPECT_FALSE(found.image[0].test.notable);
  EXPECT_THAT(found.findings, ElementsAre());
}

// Four corners, nothing fitted, one cell: by hand T = 4 with 2 degrees of freedom, r'r = 4.5,
// p = (0.5 / 4.5)^3. Twice the sigma in all changes nothing.
TEST(FindResidualPattern, AgreesWithAnExampleByHand) {
  ResidualSet set;
  set.image_sizes = {{100, 50}, {100, 50}};
  const double y[] = {0.0, 0.0, 0.5, -0.5};
  for (const double sigma : {1.0, 2.0}) {
    set.corners.clear();
    for (int k = 0; k < 4; ++k) {
      set.corners.push_back({.point = k,
                             .pixel = {20.0 * k + 10.0, 20.0},
                             .residual = {1.0, y[k]},
                             .sigma_px = sigma});
    }
    const ResidualPattern found = FindResidualPattern(set, {.raster_columns = 1, .raster_rows = 1});
    EXPECT_EQ(found.redundancy, 8);
    EXPECT_NEAR(found.noise_px, std::sqrt(4.5 / 8.0), 1e-12);
    const PatternTest& test = found.image[0].test;
    EXPECT_EQ(test.degrees_of_freedom, 2);
    EXPECT_NEAR(test.chi_square, 4.0 * 6.0 / 0.5, 1e-9);
    EXPECT_NEAR(test.p_value, std::pow(0.5 / 4.5, 3), 1e-12);
    EXPECT_NEAR(test.rms_px, std::sqrt((4.0 - 2.0 * 0.5 / 6.0) / 4.0), 1e-12);
    EXPECT_NEAR(found.image[0].mean_x_px(0, 0), 1.0, 1e-12);
    EXPECT_NEAR(found.image[0].mean_y_px(0, 0), 0.0, 1e-12);
    EXPECT_EQ(found.image[0].count(0, 0), 4);
    // The second camera saw nothing; the derivatives by the target were not given.
    EXPECT_EQ(found.image[1].test.degrees_of_freedom, 0);
    EXPECT_TRUE(std::isnan(found.image[1].test.p_value));
    EXPECT_TRUE(std::isnan(found.image[1].mean_x_px(0, 0)));
    EXPECT_TRUE(std::isnan(found.target.bend.rms_px));
    EXPECT_TRUE(found.target.displacement.array().isNaN().all());
    // Three pairs at 20 px: (1 + 0) + (1 + 0) + (1 - 0.25) over 6 products of noise^2 = 4.5 / 8.
    EXPECT_EQ(found.neighbours.num_pairs, 3);
    EXPECT_NEAR(found.neighbours.correlation, 2.75 / (4.5 / 8.0) / 6.0, 1e-12);
  }
}

// Three corners in a row, a shift of all fitted, two pairs. By hand, both axes: tr(A Q) = -4/3,
// tr(A Q A Q) = 8/9, 4 redundant coordinates; residuals (1, 0, -1) in x have q = 0.
TEST(FindResidualPattern, TakesTheCorrelationThatAFitMakesFromThatOfNeighbours) {
  ResidualSet set;
  set.image_sizes = {{100, 50}};
  set.jacobian.resize(6, 2);
  for (int k = 0; k < 3; ++k) {
    set.corners.push_back({.pixel = {20.0 * k + 10.0, 20.0}, .residual = {1.0 - k, 0.0}});
    set.jacobian.middleRows<2>(2 * k).setIdentity();
  }
  const NeighbourCorrelation found = FindResidualPattern(set).neighbours;
  EXPECT_EQ(found.num_pairs, 2);
  EXPECT_NEAR(found.correlation, 1.0 / 3.0, 1e-12);
  EXPECT_NEAR(found.sigma, 1.0 / std::sqrt(27.0), 1e-12);
  EXPECT_NEAR(found.p_value, 0.5 * std::erfc(std::sqrt(1.5)), 1e-12);
}

TEST(FindResidualPattern, HasNothingToSayWithoutCornersOrRedundancy) {
  ResidualSet set;
  set.image_sizes = {{100, 50}};
  const ResidualPattern empty = FindResidualPattern(set);
  EXPECT_TRUE(std::isnan(empty.noise_px));
  EXPECT_TRUE(std::isnan(empty.image[0].test.p_value));
  EXPECT_EQ(empty.neighbours.num_pairs, 0);
  set.corners.resize(3);
  set.jacobian = Eigen::MatrixXd::Identity(6, 6);
  const ResidualPattern fitted = FindResidualPattern(set);
  EXPECT_EQ(fitted.redundancy, 0);
  EXPECT_TRUE(std::isnan(fitted.image[0].test.p_value));
  EXPECT_THAT(fitted.findings, ElementsAre());
}

TEST(FindResidualPattern, RefusesWrongInput) {
  const auto refused = [](const std::function<void(ResidualSet*)>& spoil) {
    ResidualSet set;
    set.image_sizes = {{100, 50}};
    set.corners.resize(3);
    spoil(&set);
    EXPECT_THROW(FindResidualPattern(set), std::invalid_argument);
  };
  refused([](ResidualSet* set) { set->jacobian = Eigen::MatrixXd::Ones(5, 1); });
  refused([](ResidualSet* set) { set->corners[1].camera = 1; });
  refused([](ResidualSet* set) { set->corners[1].point = -1; });
  refused([](ResidualSet* set) { set->corners[1].sigma_px = 0.0; });
  refused([](ResidualSet* set) { set->corners[1].residual.x() = std::nan(""); });
  refused([](ResidualSet* set) { set->image_sizes[0].x() = 0; });
  EXPECT_THROW(FindResidualPattern({}, {.radius_bins = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace percuss::calibration
