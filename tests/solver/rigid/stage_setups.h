// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "solver/body/rigid_body.h"
#include "tests/solver/law/impact_reference.h"
#include "tests/solver/rigid/thesis_frame.h"

// Set-ups and comparisons of sun2017 that several tests share.
namespace percuss::solver {

inline constexpr double kPi = std::numbers::pi;
inline constexpr double kThird = 1.0 / 3.0;
inline constexpr double kDegree = kPi / 180.0;

// Planar body with m = R = 1 and I = a, r at the angle gamma from the upward normal.
inline ThesisImpact Planar(double p, double gamma, double mu, double e, double a = kThird,
                           double spin = 0.0) {
  return {.inertia = a * Eigen::Matrix3d::Identity(),
          .r = {std::sin(gamma), std::cos(gamma), 0.0},
          .v = {p, -1.0, 0.0},
          .w = {0.0, 0.0, spin},
          .mu = mu,
          .e = e};
}

// Rod of section 3.7.2 in the x-y plane; given_vx has the thesis' sign (its v_y is +1).
inline ThesisImpact PlanarRod(double beta, double given_vx, double mu, double e) {
  const Eigen::Vector3d r = 0.5 * Eigen::Vector3d(std::cos(beta), -std::sin(beta), 0.0);
  return {.inertia = ThesisRodInertia(r), .r = r, .v = {-given_vx, -1.0, 0.0}, .mu = mu, .e = e};
}

// A bar of section 3.7.3, of given sides, turned by theta, that touches at the angle beta.
// given_v has the thesis' signs.
inline ThesisImpact Bar(const Eigen::Vector3d& sides, double mass, double theta, double beta,
                        const Eigen::Vector3d& given_v, double mu, double e) {
  Eigen::Matrix3d axes;  // rows: body axes
  axes << std::cos(theta), std::sin(theta), 0, -std::sin(theta), std::cos(theta), 0, 0, 0, 1;
  return {.mass = mass,
          .inertia = axes.transpose() * UniformInertia(Box{sides}, mass) * axes,
          .r = 0.5 * sides.norm() * Eigen::Vector3d(std::cos(beta), -std::sin(beta), 0.0),
          .v = -given_v,
          .mu = mu,
          .e = e};
}

// Where the case by a law changes from `before` to `after` between low and high.
inline double Border(std::string_view law, double low, double high, std::string_view before,
                     std::string_view after, const std::function<ThesisImpact(double)>& make) {
  EXPECT_EQ(Solve(make(low), law).result.sun_case, before);
  EXPECT_EQ(Solve(make(high), law).result.sun_case, after);
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    (Solve(make(middle), law).result.sun_case == before ? low : high) = middle;
  }
  return low;
}

struct Section {
  std::string_view sun_case;
  double from;
};

// Cases along a line, with the first place where each was found.
inline std::vector<Section> Sections(double low, double high, double step,
                                     const std::function<std::string_view(double)>& sun_case) {
  std::vector<Section> sections;
  for (int k = 0; low + k * step <= high + 1e-9; ++k) {
    const std::string_view here = sun_case(low + k * step);
    if (sections.empty() || sections.back().sun_case != here) {
      sections.push_back({here, low + k * step});
    }
  }
  return sections;
}

inline void ExpectSections(const std::vector<Section>& found, const std::vector<Section>& expected,
                           double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_EQ(found[k].sun_case, expected[k].sun_case) << k;
    EXPECT_NEAR(found[k].from, expected[k].from, tolerance) << k;
  }
}

inline Contact<double> RandomPlanarContact(std::mt19937& random) {
  std::uniform_real_distribution<double> uniform;
  Contact<double> contact = reference::RandomContact(random, 2.0);
  reference::MakePlanar(contact);
  contact.velocity[0] = 2.0 * uniform(random) - 1.0;
  return contact;
}

// The same contact with the tangents turned by an angle.
inline Contact<double> Turned(const Contact<double>& contact, double angle) {
  const Eigen::Matrix3d turn =
      Eigen::AngleAxisd(angle, Eigen::Vector3d::UnitZ()).toRotationMatrix();
  return {turn * contact.inverse_mass * turn.transpose(), turn * contact.velocity};
}

inline std::string_view WithoutLetter(std::string_view sun_case) { return sun_case.substr(0, 1); }

}  // namespace percuss::solver
