// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Laws of nature on random contacts for the laws that integrate over time, and the homogeneity
// table of chatterjee1997 digest 3.5.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "solver/law_registry.h"
#include "solver/solve_impact.h"
#include "tests/solver/law/impact_reference.h"

namespace percuss::solver {
namespace {

constexpr std::array kLaws = {"point-contact",       "hertz",
                              "mindlin-deresiewicz", "ivanov-potential",
                              "split-mass",          "linear-dashpot",
                              "nonlinear-dashpot",   "spring-dashpot",
                              "bilinear-spring-1",   "hertz-plastic",
                              "bilinear-spring-2",   "hunt-crossley",
                              "speed-dependent",     "eigenvector-elements",
                              "stronge-waves",       "boundary-layer",
                              "kelvin-voigt",        "boundary-layer-material",
                              "maw-barber-fawcett"};

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}

  Contact<double> ContactFor(const LawInfo& info) {
    Contact<double> contact = reference::RandomContact(random_, 1.5);
    if (info.domain != LawDomain::kSpatial) reference::MakePlanar(contact);
    return contact;
  }
  std::vector<double> ParametersFor(const LawInfo& info) {
    std::vector<double> parameters;
    for (const ParameterInfo& parameter : info.parameters) {
      const double upper = std::min(parameter.upper, 1.5);
      parameters.push_back(parameter.lower + (upper - parameter.lower) * uniform_(random_));
    }
    parameters[0] = 0.03 + uniform_(random_);
    return parameters;
  }
  double Uniform() { return uniform_(random_); }

 private:
  std::mt19937 random_;
  std::uniform_real_distribution<double> uniform_;
};

class IncrementalLaws : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, IncrementalLaws, testing::ValuesIn(kLaws), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(IncrementalLaws, ObeyTheLawsOfNature) {
  const LawInfo& info = FindLaw(GetParam());
  Draw draw(3);
  for (int i = 0; i < 150; ++i) {
    const Contact<double> contact = draw.ContactFor(info);
    const std::vector<double> parameters = draw.ParametersFor(info);
    const auto result = SolveImpact(info.name, contact, parameters);
    const Eigen::Matrix3d mass = contact.inverse_mass.inverse();
    const double before = 0.5 * contact.velocity.dot(mass * contact.velocity);
    const double after = 0.5 * result.contact_velocity.dot(mass * result.contact_velocity);
    const double scale = result.impulse.norm();
    EXPECT_TRUE(result.impulse.allFinite()) << i;
    EXPECT_LE(after, before * (1.0 + 1e-8)) << i;
    // A layer as soft as this carries momentum itself: with strong coupling the body's change of
    // momentum, not the force, may point into the surface.
    if (!info.name.starts_with("boundary-layer")) {
      EXPECT_GE(result.impulse[2], 0.0) << i;
    }
    EXPECT_GE(result.contact_velocity[2], -1e-9 * contact.velocity.norm()) << i;
    if (info.coulomb) {
      EXPECT_LE(result.impulse.head<2>().norm(), parameters[0] * result.impulse[2] + 1e-9 * scale)
          << i;
    }
    if (info.name != "ivanov-potential") {
      EXPECT_LE(result.energy.friction_work, 1e-9 * before) << i;
    }
    EXPECT_NEAR(result.energy.normal_work + result.energy.friction_work, after - before,
                1e-9 * before)
        << i;
    if (std::isfinite(result.compression_impulse)) {
      EXPECT_NEAR(result.compression_impulse + result.restitution_impulse, result.impulse[2],
                  1e-12 * scale)
          << i;
    }
  }
}

TEST_P(IncrementalLaws, DoNotDependOnTheTangentFrame) {
  const LawInfo& info = FindLaw(GetParam());
  Draw draw(5);
  for (int i = 0; i < 30; ++i) {
    const Contact<double> contact = draw.ContactFor(info);
    const std::vector<double> parameters = draw.ParametersFor(info);
    const Eigen::Matrix3d turn =
        Eigen::AngleAxisd(6.0 * draw.Uniform(), Eigen::Vector3d::UnitZ()).toRotationMatrix();
    Contact<double> turned{turn * contact.inverse_mass * turn.transpose(), turn * contact.velocity};
    turned.inverse_mass = (0.5 * (turned.inverse_mass + turned.inverse_mass.transpose())).eval();
    const Eigen::Vector3d impulse = SolveImpact(info.name, contact, parameters).impulse;
    const Eigen::Vector3d turned_impulse = SolveImpact(info.name, turned, parameters).impulse;
    EXPECT_NEAR((turn * impulse - turned_impulse).norm(), 0.0, 1e-8 * impulse.norm()) << i;
  }
}

// Without friction only A_nn matters. (The elements along eigenvectors push along n, but their
// compliance is that of both.)
TEST_P(IncrementalLaws, WithoutFrictionPushAlongTheNormal) {
  const LawInfo& info = FindLaw(GetParam());
  Draw draw(7);
  for (int i = 0; i < 30; ++i) {
    const Contact<double> contact = draw.ContactFor(info);
    std::vector<double> parameters = draw.ParametersFor(info);
    parameters[0] = 0.0;
    const Eigen::Vector3d impulse = SolveImpact(info.name, contact, parameters).impulse;
    EXPECT_NEAR(impulse.head<2>().norm(), 0.0, 1e-10 * impulse[2]) << i;
    parameters[0] = 1e-7;  // and nothing jumps there
    const Eigen::Vector3d near = SolveImpact(info.name, contact, parameters).impulse;
    EXPECT_NEAR((near - impulse).norm(), 0.0, 1e-5 * impulse.norm()) << i;
  }
}

// law(k V) = k law(V), and V' unchanged where M is scaled.
TEST_P(IncrementalLaws, AreHomogeneousAsTheirParametersSay) {
  const std::string name = GetParam();
  const LawInfo& info = FindLaw(name);
  const bool by_speed = name != "nonlinear-dashpot" && name != "hunt-crossley" &&
                        name != "speed-dependent" && name != "stronge-waves" &&
                        name != "boundary-layer-material";
  // Stiffness against the mass of the contact.
  const bool by_mass = name != "kelvin-voigt" && name != "boundary-layer-material";
  Draw draw(9);
  bool differs = false, mass_differs = false;
  for (int i = 0; i < 30; ++i) {
    const Contact<double> contact = draw.ContactFor(info);
    const std::vector<double> parameters = draw.ParametersFor(info);
    const Eigen::Vector3d impulse = SolveImpact(info.name, contact, parameters).impulse;
    const Contact<double> faster{contact.inverse_mass, 3.0 * contact.velocity};
    const Contact<double> heavier{contact.inverse_mass / 7.0, contact.velocity};
    const Eigen::Vector3d by_faster = SolveImpact(info.name, faster, parameters).impulse / 3.0;
    const Eigen::Vector3d by_heavier = SolveImpact(info.name, heavier, parameters).impulse / 7.0;
    if (by_mass) {
      EXPECT_NEAR((by_heavier - impulse).norm(), 0.0, 1e-8 * impulse.norm()) << i;
    } else if ((by_heavier - impulse).norm() > 1e-3 * impulse.norm()) {
      mass_differs = true;
    }
    if (by_speed) {
      EXPECT_NEAR((by_faster - impulse).norm(), 0.0, 1e-8 * impulse.norm()) << i;
    } else if ((by_faster - impulse).norm() > 1e-3 * impulse.norm()) {
      differs = true;
    }
  }
  EXPECT_NE(differs, by_speed);
  EXPECT_NE(mass_differs, by_mass);
}

// With k and c given, not zeta, restitution of the linear dashpot depends on mass.
TEST(LinearDashpot, DependsOnMassForGivenElements) {
  Contact<double> contact;
  contact.inverse_mass = Eigen::Matrix3d::Identity();
  contact.velocity = {0.2, 0.0, -1.0};
  const auto zeta = [](double mass) { return 0.4 / (2.0 * std::sqrt(mass)); };  // c = 0.4, k = 1
  const auto light = SolveImpact("linear-dashpot", contact, std::array{0.3, zeta(1.0)});
  contact.inverse_mass /= 4.0;
  const auto heavy = SolveImpact("linear-dashpot", contact, std::array{0.3, zeta(4.0)});
  EXPECT_GT(heavy.contact_velocity[2], light.contact_velocity[2] + 0.1);
}

}  // namespace
}  // namespace percuss::solver
