// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// percuss_multi_contact DATA [TOPIC]...: impacts at several points and simulation on a plane
// against the tables of chatterjee2019 (and what follows from its equations), and their time. See
// RunTopics.

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "benchmarks/bound_table.h"
#include "benchmarks/impacts/random_scenes.h"
#include "benchmarks/timing.h"
#include "benchmarks/topics.h"
#include "solver/multi_contact/slip_transition.h"
#include "solver/restitution/visco_elastoplastic.h"
#include "solver/simulation/constrained_dynamics.h"
#include "solver/simulation/plane_simulation.h"
#include "tests/solver/multi_contact/multi_contact_setups.h"

namespace percuss::benchmarks {
namespace {

namespace setups = solver::testing;
using solver::MultiImpactOptions;
using solver::MultiImpactProblem;
using solver::MultiImpactSummary;

BoundRow Near(const char* name, const char* unit, double measured, double truth, double tolerance) {
  return {name, unit, measured, truth - tolerance, truth + tolerance};
}

MultiImpactSummary Collide(const MultiImpactProblem& problem, std::vector<double> restitution,
                           bool frozen = false) {
  MultiImpactOptions options;
  options.restitution = std::move(restitution);
  if (frozen) options.separated_points = solver::SeparatedPoints::kFrozen;
  return SolveMultiImpact(problem, options);
}

void AddFlatBlock(std::vector<BoundRow>& rows) {
  const MultiImpactSummary smooth = Collide(setups::FlatBlock(0.0), {-0.8, 0.6667}, true);
  rows.push_back(Near("T1 v_n1, no friction", "m/s", smooth.velocity[1], 0.1, 1e-3));
  rows.push_back(Near("T1 v_n2", "m/s", smooth.velocity[3], 0.6, 1e-3));
  rows.push_back(Near("T1 p_nc", "N s", smooth.events[0].compression_impulse[3], 0.625, 1e-3));
  rows.push_back(Near("T1 W_nc", "J", smooth.events[0].compression_work, -0.3125, 1e-3));
  rows.push_back(Near("T1 p_nf", "N s", smooth.events[0].impulse[3], 0.125, 1e-3));
  const MultiImpactSummary rough = Collide(setups::FlatBlock(0.35), {-0.863, 0.623}, true);
  rows.push_back(Near("T2 v_n1, friction", "m/s", rough.velocity[1], 0.1, 1e-3));
  rows.push_back(Near("T2 v_n2", "m/s", rough.velocity[3], 0.6, 1e-3));
  rows.push_back(Near("T2 v_n2 after event 1", "m/s", rough.events[0].velocity[3], -0.96303, 1e-5));
  // T4: e of event 1 so that v_n1 = 0.1, e of event 2 so that v_n2 = 0.6, by secants.
  for (const double mu : {0.0, 0.35}) {
    double e = -0.9, step = 0.05;
    const auto miss = [&](double x) {
      return Collide(setups::FlatBlock(mu), {x, 0.6}, true).velocity[1] - 0.1;
    };
    for (int k = 0; k < 20; ++k) {
      const double at = miss(e), slope = (miss(e + step) - at) / step;
      step = -at / slope;
      if (std::abs(step) < 1e-10) break;
      e += step;
      step = 1e-6;
    }
    const double second =
        0.6 / -Collide(setups::FlatBlock(mu), {e, 0.6}, true).events[0].velocity[3];
    rows.push_back(Near(mu > 0.0 ? "T4 e_1 from v_n1, mu 0.35" : "T4 e_1 from v_n1, mu 0", "", e,
                        mu > 0.0 ? -0.863 : -0.8, 1e-3));
    rows.push_back(Near("T4 e_2", "", second, mu > 0.0 ? 0.623 : 0.6667, 1e-3));
  }
}

void AddCornerBall(std::vector<BoundRow>& rows) {
  MultiImpactOptions options = solver::PublishedOptions();
  options.restitution = {0.5};
  options.reference_point = 0;
  const MultiImpactSummary ball = SolveMultiImpact(setups::CornerBall(), options);
  rows.push_back(Near("T3 v_t1, published mode", "m/s", ball.velocity[0], -10.397, 1e-3));
  rows.push_back(Near("T3 v_n1", "m/s", ball.velocity[1], 4.893, 1e-3));
  rows.push_back(Near("T3 v_n2", "m/s", ball.velocity[3], 5.504, 1e-3));
  rows.push_back(Near("T3 spin", "rad/s", ball.speeds[2], -9.786, 1e-3));
  rows.push_back(Near("T3 p_nc", "N s", ball.events[0].compression_impulse[1], 7.6090, 1e-4));
  rows.push_back(Near("T3 p_nf", "N s", ball.events[0].impulse[1], 11.4135, 1e-4));
}

void AddSteelBlock(std::vector<BoundRow>& rows) {
  const double m = 0.6 * 0.8 * 0.4 * 7825, inertia = m * (0.64 + 0.16) / 12.0;
  solver::ImpactPoint edge = setups::FloorPoint(-0.24641, -0.37321, 0.35);
  edge.mu_s = 0.6;
  const MultiImpactSummary first =
      Collide(setups::PlanarBodyImpact(m, inertia, {1.0, -3.50681, 0.0}, {edge}), {0.5});
  const solver::ImpactEvent& event = first.events[0];
  rows.push_back(Near("T5 p at stop", "N s", event.phases[1].impulse, 610.57, 0.061));
  rows.push_back(Near("T5 p_nc", "N s", event.compression_impulse[1], 3550.89, 0.355));
  rows.push_back(Near("T5 W_nc", "J", event.compression_work, -5569.69, 0.557));
  rows.push_back(Near("T5 p_nf", "N s", event.impulse[1], 5348.47, 0.535));
  rows.push_back(Near("T5 energy after", "J", first.energy_after, 5705.1, 0.571));
}

void AddTransitions(std::vector<BoundRow>& rows) {
  solver::SlipResponse response;
  response << 1.89, -0.15, 0.40, -0.15, 3.25, 0.60;
  const auto outgoing = solver::OutgoingIsocline(response, 0.2);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  rows.push_back(Near("T6 direction", "rad", outgoing ? outgoing->angle : nan, 0.79248, 1e-5));
  rows.push_back(Near("T6 ds/dp", "1/kg", outgoing ? outgoing->speed_rate : nan, 0.22216, 1e-5));
  const MultiImpactProblem face = setups::FaceSample(0.05, {0, 0, -1}, {0, 0, 0});
  const solver::ForceDistribution distribution(
      face.jacobian * face.mass.inverse() * face.jacobian.transpose(), face.points,
      solver::ForceRows::kWorld, true);
  const auto slip = OutgoingSlip(distribution, true);
  const double truth[] = {11.93371, 7.06087, 1.0857};
  const char* names[] = {"T6 face, u_1", "T6 face, u_2", "T6 face, turn"};
  for (int k = 0; k < 3; ++k) {
    rows.push_back(Near(names[k], "1/kg", slip ? (*slip)[k] : nan, truth[k], 1e-4));
  }
  // T7: the closed form against the rows themselves.
  const MultiImpactProblem turning = setups::FaceSample(0.35, {1, 0.3, -1}, {0, 0, 2});
  const solver::ForceDistribution sliding(
      turning.jacobian * turning.mass.inverse() * turning.jacobian.transpose(), turning.points,
      solver::ForceRows::kWorld, true);
  const Eigen::VectorXd velocity = turning.jacobian * turning.speeds;
  std::vector<solver::PointMode> modes(4, solver::PointMode::kSlip);
  Eigen::VectorXd shares;
  sliding.Solve(velocity, modes, shares);
  rows.push_back({"T7 rows of sliding face, rest", "",
                  (sliding.Rows(velocity, modes) * shares).norm(), 0.0, 1e-10});
}

void AddBlockOfManyPoints(std::vector<BoundRow>& rows) {
  const solver::Body block = setups::BoxBody({1.5, 1.5, 1.0}, 2.5);
  const Eigen::Matrix3d R = Eigen::AngleAxisd(-0.2, Eigen::Vector3d::UnitX()).toRotationMatrix();
  double work[2] = {1e300, -1e300}, share = 0.0;
  double first = 0.0;
  for (const int count : {2, 3, 4, 5}) {
    std::vector<solver::ImpactPoint> points;
    for (int k = 0; k < count; ++k) {
      points.push_back(setups::SpatialPoint(
          R * Eigen::Vector3d(-0.75 + 1.5 * k / (count - 1), 0.75, -0.5), 0.2, 0.2));
    }
    const MultiImpactSummary summary =
        Collide(BodyImpact(block, R, {0, 0, -4.11}, {0, 0, 0}, points), {0.5});
    work[0] = std::min(work[0], summary.events[0].compression_work);
    work[1] = std::max(work[1], summary.events[0].compression_work);
    if (count == 2) first = summary.impulse[2];
    share = std::max(share, std::abs(summary.impulse[2] / first - 2.0 / count));
  }
  rows.push_back(Near("T8 W_nc of the first event", "J", work[0], -9.6320, 1e-3));
  rows.push_back({"T8 spread of W_nc over 2 to 5 points", "J", work[1] - work[0], 0.0, 1e-6});
  rows.push_back({"T8 share of a point against 2/n", "", share, 0.0, 1e-6});
}

void AddEnergy(std::vector<BoundRow>& rows) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  double gain = -1.0, failed = 0.0;
  const auto vector = [&](double scale) {
    const double x = unit(random), y = unit(random), z = unit(random);
    return Eigen::Vector3d(scale * x, scale * y, scale * z);
  };
  for (int trial = 0; trial < 2000; ++trial) {
    const double mu = 0.5 * (1.0 + unit(random));
    const Eigen::Vector3d v = vector(1.0) - 1.5 * Eigen::Vector3d::UnitZ(), w = vector(5.0);
    const double e = unit(random), later = std::abs(unit(random));
    const MultiImpactSummary summary = Collide(setups::FaceSample(mu, v, w), {e, later});
    if (summary.status != solver::MultiImpactStatus::kSolved) {
      failed += 1.0;
      continue;
    }
    gain = std::max(gain, summary.energy_after / summary.energy_before - 1.0);
  }
  rows.push_back({"T10 largest rise of energy, 2000 faces", "", gain, -1.0, 1e-9});
  rows.push_back({"T10 faces without answer", "", failed, 0.0, 0.0});
}

void AddSingles(std::vector<BoundRow>& rows) {
  const MultiImpactSummary slip = Collide(
      setups::PlanarBodyImpact(1.0, 0.02, {5.0, -1.0, 2.0}, {setups::FloorPoint(0.05, -0.1, 0.1)}),
      {0.6});
  rows.push_back(Near("T11 v_n+ = 0.6 of 0.9", "m/s", slip.velocity[1], 0.54, 1e-12));
  solver::EquationsOfMotion particle;
  particle.mass = Eigen::Matrix2d::Identity();
  particle.bias = Eigen::Vector2d(0.0, 9.81);
  particle.speeds = Eigen::Vector2d(1.0, 0.0);
  solver::ContactConstraints floor;
  floor.jacobian = Eigen::Matrix2d::Identity();
  floor.acceleration_bias = Eigen::Vector2d::Zero();
  floor.points.resize(1);
  floor.points[0].slip_direction = Eigen::VectorXd::Ones(1);
  floor.points[0].mu = 0.3;
  floor.points[0].state = solver::ContactState::kSlip;
  rows.push_back(Near("T13 sliding particle", "m/s^2",
                      SolveContact(particle, floor).acceleration[0], -2.943, 1e-12));
}

solver::PlaneContactModel MultiPoint(double mu, double e) {
  solver::PlaneContactModel model;
  model.mu = mu;
  model.impact.restitution_by_points = {e};
  return model;
}

void AddSimulations(std::vector<BoundRow>& rows) {
  const Eigen::Vector3d gravity(0, 0, -9.81);
  solver::PlaneSimulationOptions options;
  const auto first_impact = [](const solver::PlaneSimulation& simulation) {
    for (const solver::PlaneEvent& event : simulation.events) {
      if (event.kind == solver::PlaneEventKind::kImpact) return event.time;
    }
    return std::numeric_limits<double>::quiet_NaN();
  };
  solver::FlightState<double> start;
  start.p_WB.z() = 1.5;
  start.q_WB = Eigen::AngleAxisd(-0.2, Eigen::Vector3d::UnitX());
  rows.push_back(Near("T8 first touch", "s",
                      first_impact(SimulateOnPlane(setups::BoxBody({1.5, 1.5, 1.0}, 2.5), start,
                                                   gravity, MultiPoint(0.2, 0.5), options)),
                      0.41896, 1e-5));
  const double angle = 15.0 * M_PI / 180.0;
  start.q_WB = Eigen::AngleAxisd(angle, Eigen::Vector3d::UnitX());
  start.p_WB.z() = 0.1 * std::sin(angle) + 0.025 * std::cos(angle);
  rows.push_back({"T15 pivot fall", "s",
                  first_impact(SimulateOnPlane(setups::BoxBody({0.1, 0.2, 0.05}, 0.25), start,
                                               gravity, MultiPoint(2.0, 0.5), options)),
                  0.085, 0.091});
  solver::Body ball;
  ball.shape = solver::Sphere{0.5};
  ball.mass = 1.0;
  ball.inertia = UniformInertia(ball.shape, 1.0);
  start = {};
  start.p_WB.z() = 1.5;
  rows.push_back(
      Near("T17 free fall of the ball", "s",
           first_impact(SimulateOnPlane(ball, start, {0, 0, -9.8}, MultiPoint(0.0, 0.5), options)),
           0.45175, 1e-5));
}

std::vector<BoundSection> MeasureTables(const std::filesystem::path&) {
  BoundSection section{"Acceptance tests of chatterjee2019", {}, {}};
  AddFlatBlock(section.rows);
  AddCornerBall(section.rows);
  AddSteelBlock(section.rows);
  AddTransitions(section.rows);
  AddBlockOfManyPoints(section.rows);
  AddEnergy(section.rows);
  AddSingles(section.rows);
  AddSimulations(section.rows);
  section.remarks.push_back(
      "T12 and T14 are in tests/solver/multi_contact/multi_point_impact_test.cc alone.");
  return {section};
}

std::vector<BoundSection> MeasureSpeed(const std::filesystem::path&) {
  BoundSection section{"Time", {}, {}};
  std::mt19937 random(5);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  MultiImpactOptions options;
  options.restitution = {0.5};
  std::vector<double> times;
  const solver::Body block = setups::BoxBody({0.1, 0.2, 0.05}, 0.25);
  // The block of B4 on its four lower corners, and a body that is not symmetric about them.
  for (const bool symmetric : {true, false}) {
    std::vector<MultiImpactProblem> problems;
    double num_events = 0.0;
    for (int k = 0; k < 100; ++k) {
      const double x = unit(random), y = unit(random), a = unit(random), b = unit(random);
      const Eigen::Vector3d v(x, y, -1.5), w(2.0 * a, 2.0 * b, 2.0 * x * y);
      problems.push_back(setups::FaceSample(0.3, v, w));
      if (symmetric) {
        std::vector<solver::ImpactPoint> corners;
        for (const double s : {-0.05, 0.05}) {
          for (const double t : {-0.1, 0.1}) {
            corners.push_back(setups::SpatialPoint({s, t, -0.025}, 0.3, 0.3));
          }
        }
        problems.back() = BodyImpact(block, Eigen::Matrix3d::Identity(), v, w, corners);
      }
      num_events += static_cast<double>(SolveMultiImpact(problems[k], options).events.size());
    }
    times = TimePerProblem(problems.size(),
                           [&](std::size_t k) { SolveMultiImpact(problems[k], options); });
    const std::string name = symmetric ? "block on 4 points" : "unsymmetric body on 4 points";
    section.rows.push_back(
        {name + ", median of 100", "us", 1e-3 * Quantile(times, 0.5), 0.0, 20.0});
    section.rows.push_back({name + ", 90 %", "us", 1e-3 * Quantile(times, 0.9)});
    section.rows.push_back({name + ", events", "", num_events / 100.0});
  }

  const solver::Body cube = setups::BoxBody({0.1, 0.1, 0.1}, 0.4);
  std::vector<solver::FlightState<double>> starts;
  for (int k = 0; k < 10; ++k) {
    solver::FlightState<double> start;
    start.p_WB.z() = 0.3;
    start.q_WB = Eigen::Quaterniond(1.0, unit(random), unit(random), unit(random)).normalized();
    start.v = {unit(random), unit(random), 0.0};
    start.w = 5.0 * Eigen::Vector3d(unit(random), unit(random), unit(random));
    starts.push_back(start);
  }
  double gain = 0.0, failed = 0.0;
  times = TimePerProblem(starts.size(), [&](std::size_t k) {
    const solver::PlaneSimulation simulation =
        SimulateOnPlane(cube, starts[k], {0, 0, -9.81}, MultiPoint(0.2, 0.4));
    gain = std::max(gain, simulation.energy_gain);
    failed += simulation.status == solver::PlaneSimulationStatus::kSolved ? 0.0 : 1.0;
  });
  section.rows.push_back(
      {"one second of a bouncing box, median of 10", "ms", 1e-6 * Quantile(times, 0.5), 0.0, 5.0});
  section.rows.push_back(
      {"one second of a bouncing box, slowest", "ms", 1e-6 * Quantile(times, 1.0)});
  section.rows.push_back({"largest rise of energy in them", "", gain, 0.0, 1e-9});
  section.rows.push_back({"boxes without answer", "", failed, 0.0, 0.0});
  return {section};
}

}  // namespace
}  // namespace percuss::benchmarks

int main(int argc, char** argv) {
  using namespace percuss::benchmarks;
  return RunTopics(
      "percuss_multi_contact",
      {{"tables", MeasureTables}, {"speed", MeasureSpeed}, {"scenes", MeasureRandomScenes, true}},
      argc, argv);
}
