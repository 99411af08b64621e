// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Source of truth: chatterjee1997 digest AT9, AT11 and 4.6, sun2017 digest 2.2, and the tables
// derived from both; laws against the curves they must follow when nothing but the normal matters.

#include "solver/restitution/restitution_curves.h"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "solver/law_registry.h"
#include "solver/restitution/hertz.h"
#include "solver/solve_impact.h"
#include "tests/solver/law/table.h"

namespace percuss::solver {
namespace {

const std::string kData = std::string(PERCUSS_DATA_DIR) + "/chatterjee1997/";

TEST(RestitutionCurves, MatchTheTable) {
  const Table table(kData + "derived_restitution_curves.csv");
  ASSERT_GT(table.size(), 30u);
  for (std::size_t row = 0; row < table.size(); ++row) {
    const double x = table.Number(row, "value");
    const bool nonlinear = table.Text(row, "parameter") == "a";
    const double exact =
        nonlinear ? RestitutionOfNonlinearDashpot(x) : RestitutionOfLinearDashpot(x);
    EXPECT_NEAR(exact, table.Number(row, "e_exact"), 6e-11) << row;
  }
}

TEST(RestitutionCurves, HaveTheirLimits) {
  for (const double a : {1e-6, 1e-4}) {
    EXPECT_NEAR(RestitutionOfNonlinearDashpot(a), 1.0 - 2.0 * a / 3.0 + 4.0 * a * a / 9.0,
                a * a * a + 1e-15);
  }
  for (const double a : {25.0, 1e3, 1e6}) {
    EXPECT_NEAR(a * RestitutionOfNonlinearDashpot(a), 1.0, 1e-9);
  }
  EXPECT_EQ(RestitutionOfNonlinearDashpot(0.0), 1.0);
  EXPECT_DOUBLE_EQ(RestitutionOfLinearDashpot(1.0), std::exp(-2.0));
  for (const double side : {-1.0, 1.0}) {  // both forms meet the series
    const double inside = RestitutionOfLinearDashpot(1.0 + side * 0.999e-4);
    const double outside = RestitutionOfLinearDashpot(1.0 + side * 1.001e-4);
    const double slope = -4.0 / 3.0 * std::exp(-2.0);
    EXPECT_NEAR((outside - inside) / (side * 2e-7), slope, 1e-4);
  }
  EXPECT_NEAR(4.0 * 1e8 * RestitutionOfLinearDashpot(1e4), 1.0, 1e-6);
}

// The thesis fits both curves by fractions, to within 1.5 and 6 %.
TEST(RestitutionCurves, AreNearTheFitsOfTheThesis) {
  for (double x = 1e-3; x < 1e3; x *= 1.05) {
    EXPECT_NEAR(1.0 / (std::exp(-0.4 * x) + x) / RestitutionOfNonlinearDashpot(x), 1.0, 0.015);
    EXPECT_NEAR(1.0 / (1.0 + 2.5 * x + 4.0 * x * x) / RestitutionOfLinearDashpot(x), 1.0, 0.06);
  }
}

double HeadOn(std::string_view law, double parameter, double speed = 1.0) {
  Contact<double> contact;
  contact.inverse_mass = Eigen::Vector3d(3.0, 3.0, 1.7).asDiagonal();
  contact.velocity = {0.0, 0.0, -speed};
  return SolveImpact(law, contact, std::array{0.3, parameter}).contact_velocity[2] / speed;
}

// Sun2017 (1.12), (1.13), as its digest has the numbers.
TEST(RestitutionCurves, HuntCrossleyIsThatOfSunsDigest) {
  EXPECT_NEAR(HeadOn("hunt-crossley", 0.05), 0.952370, 1e-6);
  EXPECT_NEAR(HeadOn("hunt-crossley", 0.1), 0.909016, 1e-6);
  EXPECT_NEAR(HeadOn("hunt-crossley", 0.2), 0.832870, 1e-6);
}

TEST(RestitutionCurves, AreThoseOfTheLawsHeadOn) {
  EXPECT_NEAR(HeadOn("spring-dashpot", 0.1), 0.72925, 5e-6);
  for (const double x : {0.05, 0.3, 0.8, 0.98}) {  // sun2017 (1.9), to the end of compression
    EXPECT_NEAR(HeadOn("spring-dashpot", x),
                std::exp(-std::numbers::pi * x / std::sqrt(1.0 - x * x)), 1e-9);
  }
  for (const double x : {0.05, 0.5, 1.0, 3.0, 20.0}) {
    EXPECT_NEAR(HeadOn("linear-dashpot", x), RestitutionOfLinearDashpot(x), 1e-9);
    EXPECT_NEAR(HeadOn("nonlinear-dashpot", x), RestitutionOfNonlinearDashpot(x), 1e-9);
    EXPECT_NEAR(HeadOn("nonlinear-dashpot", x, 2.5), RestitutionOfNonlinearDashpot(2.5 * x), 1e-9);
    EXPECT_NEAR(HeadOn("hunt-crossley", x), RestitutionOfNonlinearDashpot(1.5 * x), 1e-9);
  }
  Contact<double> contact;
  contact.inverse_mass = Eigen::Matrix3d::Identity();
  contact.velocity = {0.0, 0.0, -2.0};
  const auto e = [&](double alpha, double m) {
    return SolveImpact("speed-dependent", contact, std::array{0.3, alpha, m}).contact_velocity[2] /
           2.0;
  };
  EXPECT_NEAR(e(0.2, 0.25), 1.0 - 0.2 * std::pow(2.0, 0.25), 1e-12);
  EXPECT_NEAR(e(0.2, 0.0), 0.8, 1e-12);
  EXPECT_NEAR(e(0.9, 2.0), 0.0, 1e-12);
}

TEST(ElasticContact, MatchesTheDigest) {
  EXPECT_NEAR(HertzMaximumCompression(1.0, 1.0, 1e5), 0.0109336, 5e-8);
  EXPECT_NEAR(MindlinStiffnessRatio(0.5), 2.0 / 3.0, 1e-15);
  EXPECT_EQ(MindlinStiffnessRatio(0.0), 1.0);
}

// The disks of chatterjee1997 11.3.2: Delrin of 2.7 GPa and 1400 kg/m^3, 6.4 mm thick, radii 4.95
// and 0.5 cm at the contact.
constexpr double kDiskModulus = 2700e6 / (1.0 - 0.3 * 0.3);

/// Of the contact of a long cylinder against its axis [m] (Johnson, 5.6): half-width
/// a = sqrt(4 P' R / (pi E*)), P' / (pi E*) (2 ln(4 R / a) - 1), P' the force over the thickness.
double CylinderCompression(double force) {
  const double radius = 0.0495, load = force / 0.0064 / (std::numbers::pi * kDiskModulus);
  return load * (2.0 * std::log(4.0 * radius / std::sqrt(4.0 * load * radius)) - 1.0);
}
/// Of both, the disk and the Hertz contact of its rim.
double DiskCompression(double force) {
  const double k = EllipticHertzStiffness(kDiskModulus, 0.0495, 0.005);
  return std::pow(force / k, 2.0 / 3.0) + CylinderCompression(force);
}

// Digest 4.6: tangents [N/m] and the line fitted to 10 to 100 N, near which the thesis finds 2e6
// N/m; how far a wave runs in the 0.5 ms of an impact at 0.5 m/s, and (V/c)^(1/5).
TEST(ElasticContact, DiskIsAsStiffAsTheDigestSays) {
  // At 50 N it is 2.255e6, not 2.26e6.
  for (const auto& [force, expected] :
       {std::pair{10.0, 1.51e6}, {50.0, 2.255e6}, {100.0, 2.66e6}, {200.0, 3.12e6}}) {
    const double step = 1e-4 * force;
    const double tangent =
        2.0 * step / (DiskCompression(force + step) - DiskCompression(force - step));
    EXPECT_NEAR(tangent, expected, 5.1e3) << force;
  }
  Eigen::MatrixX2d line(91, 2);
  Eigen::VectorXd forces(91);
  for (int k = 0; k <= 90; ++k) {
    forces[k] = 10.0 + k;
    line.row(k) << 1.0, DiskCompression(forces[k]);
  }
  const Eigen::Vector2d fit = line.colPivHouseholderQr().solve(forces);
  EXPECT_NEAR(fit[1], 2.24e6, 5.1e3);
  const double wave = std::sqrt(2.7e9 / 1400.0);
  EXPECT_NEAR(wave, 1389.0, 0.51);
  EXPECT_NEAR(0.5e-3 * wave / 0.0982, 7.1, 0.051);
  EXPECT_NEAR(std::pow(0.5 / wave, 0.2), 0.205, 5.1e-4);
}

TEST(ElasticContact, CompressesTheDiskAsInTheTable) {
  const double modulus = kDiskModulus;
  const Table table(kData + "derived_disk_compression.csv");
  ASSERT_EQ(table.size(), 13u);
  for (std::size_t row = 0; row < table.size(); ++row) {
    const double force = table.Number(row, "force_N");
    const double k = EllipticHertzStiffness(modulus, 0.0495, 0.005);
    const double expected = table.Number(row, "hertz3D_compression_m");
    // Six digits are printed.
    EXPECT_NEAR(std::pow(force / k, 2.0 / 3.0) / expected, 1.0, 6e-6) << force;
    EXPECT_NEAR(CylinderCompression(force) / table.Number(row, "cylinder2D_half_compression_m"),
                1.0, 6e-6);
    EXPECT_NEAR(DiskCompression(force) / table.Number(row, "sum_m"), 1.0, 6e-6) << force;
  }
  // A sphere is the limit of equal radii.
  EXPECT_NEAR(EllipticHertzStiffness(modulus, 0.01 * (1 + 1e-5), 0.01) /
                  EllipticHertzStiffness(modulus, 0.01, 0.01),
              1.0, 1e-5);
}

}  // namespace
}  // namespace percuss::solver
