// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/space/space_fit.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>

#include "base/math/statistics.h"
#include "calibration/rig/triangulation.h"
#include "tracking/space/place_flights.h"
#include "tracking/space/space_problem.h"

namespace percuss::tracking {
namespace {

constexpr double kReach = 1e-3;  // on both sides of a contact, beside the exposure [s]
/// What a lamp on one side does to an outline, of its radius; as in fits of one camera.
constexpr double kOutlineCentre = 1.2e-3, kOutlineRadius = 2e-3;

Eigen::Matrix3d WhitenerOf(const Eigen::Matrix3d& covariance) {
  const Eigen::MatrixXd all = covariance;
  return all.llt().matrixL().solve(Eigen::MatrixXd::Identity(3, 3));
}

Eigen::Matrix3d WithFloor(const BallSighting& seen) {
  Eigen::Matrix3d covariance = seen.covariance;
  covariance(0, 0) += std::pow(kOutlineCentre * seen.radius, 2);
  covariance(1, 1) += std::pow(kOutlineCentre * seen.radius, 2);
  covariance(2, 2) += std::pow(kOutlineRadius * seen.radius, 2);
  return covariance;
}

/// What a calibration leaves open, as independent numbers of sigma 1: the rig moves by
/// `directions` x. The world stays where it is; its errors would turn all alike.
Eigen::MatrixXd OpenDirections(const calibration::RigCalibration& rig) {
  const Eigen::Index world = rig.Places().World(), all = world + 6;
  if (rig.covariance.rows() != all) return Eigen::MatrixXd::Zero(all, 0);
  const Eigen::MatrixXd covariance = rig.covariance.topLeftCorner(world, world);
  const Eigen::VectorXd sigma = covariance.diagonal().cwiseMax(0.0).cwiseSqrt();
  const Eigen::VectorXd inverse = sigma.unaryExpr([](double s) { return s > 0.0 ? 1.0 / s : 0.0; });
  const Eigen::MatrixXd correlation = inverse.asDiagonal() * covariance * inverse.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(correlation);
  constexpr double kNothing = 1e-9;  // of the correlation: rounding
  std::vector<Eigen::VectorXd> columns;
  for (Eigen::Index i = 0; i < world; ++i) {
    if (!(solver.eigenvalues()[i] > kNothing)) continue;
    Eigen::VectorXd column = Eigen::VectorXd::Zero(all);
    column.head(world) =
        sigma.cwiseProduct(solver.eigenvectors().col(i)) * std::sqrt(solver.eigenvalues()[i]);
    columns.push_back(column);
  }
  Eigen::MatrixXd directions(all, static_cast<Eigen::Index>(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k)
    directions.col(static_cast<Eigen::Index>(k)) = columns[k];
  return directions;
}

/// The cameras without all that a fit does not need, so that copies are cheap.
calibration::RigCalibration SlimRig(const calibration::RigCalibration& rig) {
  calibration::RigCalibration slim;
  slim.cameras = rig.cameras;
  slim.world_from_first = rig.world_from_first;
  return slim;
}

/// Where outlines of the left camera and those of the right, between two frames on a line, meet.
std::vector<BallPlace> PlacesOf(const SpaceView& left, const SpaceView& right,
                                const calibration::RigCalibration& rig, double offset,
                                std::vector<double>* radii) {
  constexpr double kWidestGap = 2.5;  // frames
  std::vector<double> steps;
  for (std::size_t k = 1; k < right.outlines.size(); ++k)
    steps.push_back(right.outlines[k].time - right.outlines[k - 1].time);
  const double widest = kWidestGap * Median(steps);
  std::vector<BallPlace> places;
  std::size_t next = 1;
  for (const BallSighting& seen : left.outlines) {
    const double time = seen.time - offset;
    while (next < right.outlines.size() && right.outlines[next].time < time) ++next;
    if (next >= right.outlines.size()) break;
    const BallSighting &low = right.outlines[next - 1], &high = right.outlines[next];
    if (time < low.time || high.time - low.time > widest) continue;
    const double share = (time - low.time) / (high.time - low.time);
    const std::array<calibration::Sight, 2> sights = {
        calibration::Sight{{rig.cameras[0].camera, rig.CameraFromWorld(0)}, seen.centre, {}},
        calibration::Sight{{rig.cameras[1].camera, rig.CameraFromWorld(1)},
                           low.centre + share * (high.centre - low.centre),
                           {}}};
    std::array<calibration::Sight, 2> known = sights;
    for (calibration::Sight& one : known) one.covariance.setIdentity();
    const auto point = calibration::Triangulate(known);
    if (!point) continue;
    places.push_back({seen.time, point->p_W, Eigen::Matrix3d::Identity()});
    const double distance = (rig.CameraFromWorld(0) * point->p_W).z();
    radii->push_back(seen.radius * distance / rig.cameras[0].camera.intrinsics[0]);
  }
  return places;
}

/// The two cameras for one set of unknowns.
struct SpaceRig {
  std::array<calibration::Camera, 2> cameras;
  std::array<calibration::Pose, 2> from_world;
  std::array<Eigen::Vector2d, 2> line_time;  ///< [s/px]
  std::array<double, 2> later = {0.0, 0.0};  ///< to be added to a camera's times [s]
  double radius = 0.0;                       ///< [m]

  double TimeOf(const SpaceSight& sight, const Eigen::Vector2d& pixel) const {
    const calibration::Camera& camera = cameras[sight.camera];
    const Eigen::Vector2d middle(0.5 * (camera.width - 1), 0.5 * (camera.height - 1));
    return sight.time + later[sight.camera] + line_time[sight.camera].dot(pixel - middle);
  }
  Eigen::Vector3d Seen(const BallMotionModel& motion, const SpaceSight& sight) const {
    const int c = sight.camera;
    BallImage image{sight.seen.head<2>(), 0.0};
    const int rounds = line_time[c].isZero(0.0) ? 1 : 4;
    for (int round = 0; round < rounds; ++round) {
      const BallState state = motion.At(TimeOf(sight, image.centre));
      const BallState seen{from_world[c] * state.place / radius,
                           from_world[c].R * state.velocity / radius};
      image = ImageOfBall(cameras[c], seen, line_time[c]);
    }
    return {image.centre.x(), image.centre.y(), image.radius};
  }
};

/// Unknowns of the two cameras beside those of the motion: places in the list of unknowns.
struct TwoViewUnknowns {
  double radius_guess = 0.0;
  ValueWithSigma offset;
  std::array<SpaceCamera, 2> cameras;
  calibration::RigCalibration rig;
  Eigen::MatrixXd directions;
  int radius = 0, clock = -1, open = 0;
  std::array<int, 2> line = {-1, -1};

  void AddTo(SpaceUnknowns* unknowns) {
    radius = unknowns->Add(0.0, 0.0);
    if (offset.sigma > 0.0) clock = unknowns->Add(0.0, 1.0);
    for (int c = 0; c < 2; ++c) {
      if (cameras[c].line_time.sigma > 0.0) line[c] = unknowns->Add(0.0, 1.0);
    }
    open = unknowns->Count();
    for (Eigen::Index k = 0; k < directions.cols(); ++k) unknowns->Add(0.0, 1.0);
  }
  double Radius(const Eigen::VectorXd& x) const { return radius_guess * std::exp(x[radius]); }
  double Offset(const Eigen::VectorXd& x) const {
    return offset.value + (clock < 0 ? 0.0 : offset.sigma * x[clock]);
  }
  SpaceRig RigOf(const Eigen::VectorXd& x) const {
    const calibration::RigCalibration moved =
        directions.cols() == 0
            ? rig
            : calibration::Perturbed(rig, directions * x.segment(open, directions.cols()));
    SpaceRig result;
    for (int c = 0; c < 2; ++c) {
      result.cameras[c] = moved.cameras[c].camera;
      result.from_world[c] = moved.CameraFromWorld(c);
      const ValueWithSigma& known = cameras[c].line_time;
      const double line_time = known.value + (line[c] < 0 ? 0.0 : known.sigma * x[line[c]]);
      result.line_time[c] = line_time * cameras[c].roll;
    }
    result.later[1] = Offset(x);
    result.radius = Radius(x);
    return result;
  }
};

void AddOutlines(const SpaceView& view, int camera, double begin, double end,
                 std::vector<SpaceSight>* sights) {
  for (const BallSighting& seen : view.outlines) {
    // What is not between the ends of the flights does not count.
    if (seen.time < begin || seen.time > end) continue;
    SpaceSight& sight = sights->emplace_back();
    sight.time = seen.time;
    sight.seen << seen.centre, seen.radius;
    sight.whiten = WhitenerOf(WithFloor(seen));
    sight.camera = camera;
    sight.group = {2 * camera, 2 * camera, 2 * camera + 1};
    sight.reach = kReach + 0.5 * view.camera.exposure;
  }
}

/// Root mean square of the centres that the fit uses, each coordinate [px].
double CentreRms(const SpaceProblem& problem, const BounceFit& fit, const SpaceRig& rig) {
  const BallMotionModel motion(fit.ball, problem.sights.front().time - 1.0,
                               problem.sights.back().time + 1.0);
  double sum = 0.0;
  for (const int i : fit.used) {
    const SpaceSight& sight = problem.sights[i];
    sum += 0.5 * (sight.seen - rig.Seen(motion, sight)).head<2>().squaredNorm();
  }
  return std::sqrt(sum / static_cast<double>(fit.used.size()));
}

}  // namespace

SpaceFit FitPlaces(std::span<const BallPlace> places, const SpaceSetting& setting) {
  SpaceFit result;
  const PlaceFlights cut = CutPlaces(places);
  if (!cut.reason.empty()) {
    result.fit.reason = cut.reason;
    return result;
  }
  SpaceProblem problem{.sights = {},
                       .unknowns = SpaceUnknowns(GuessBall(places, cut), setting),
                       .forecast = {},
                       .more = [](const Eigen::VectorXd&) { return Eigen::VectorXd(0); }};
  const int first = cut.flights.front().first;
  for (int i = first; i <= cut.flights.back().last; ++i) {
    problem.sights.push_back({.time = places[i].time,
                              .seen = places[i].place,
                              .whiten = WhitenerOf(places[i].covariance),
                              .reach = kReach});
  }
  problem.forecast = [](const Eigen::VectorXd&) {
    return SpaceForecast{
        .seen = [](const BallMotionModel& motion,
                   const SpaceSight& sight) { return motion.At(sight.time).place; },
        .time = [](const SpaceSight& sight) { return sight.time; }};
  };
  std::vector<ValueWithSigma> none;
  result.fit = SolveSpace(problem, &none);
  if (!result.fit.reason.empty()) return result;
  for (int& i : result.fit.used) i += first;
  const BallMotionModel motion(result.fit.ball, places.front().time, places.back().time);
  double sum = 0.0;
  for (const int i : result.fit.used) {
    const double off = (places[i].place - motion.At(places[i].time).place).norm();
    result.fit.residuals.push_back(off);
    sum += off * off / 3.0;
  }
  result.rms = std::sqrt(sum / static_cast<double>(result.fit.used.size()));
  return result;
}

SpaceFit FitTwoViews(const SpaceView& left, const SpaceView& right,
                     const calibration::RigCalibration& rig, const ValueWithSigma& clock_offset,
                     const SpaceSetting& setting) {
  SpaceFit result;
  std::vector<double> radii;
  const std::vector<BallPlace> places = PlacesOf(left, right, rig, clock_offset.value, &radii);
  const PlaceFlights cut = CutPlaces(places);
  if (!cut.reason.empty()) {
    result.fit.reason = "where both cameras see the ball: " + cut.reason;
    return result;
  }
  TwoViewUnknowns views{.radius_guess = Median(radii),
                        .offset = clock_offset,
                        .cameras = {left.camera, right.camera},
                        .rig = SlimRig(rig),
                        .directions = OpenDirections(rig)};
  SpaceProblem problem{.sights = {},
                       .unknowns = SpaceUnknowns(GuessBall(places, cut), setting),
                       .forecast = {},
                       .more = {},
                       .groups = 4,
                       .least_scale = 1.0};
  views.AddTo(&problem.unknowns);
  const double begin = places[cut.flights.front().first].time;
  const double end = places[cut.flights.back().last].time;
  AddOutlines(left, 0, begin, end, &problem.sights);
  AddOutlines(right, 1, begin - clock_offset.value, end - clock_offset.value, &problem.sights);
  problem.forecast = [&](const Eigen::VectorXd& x) {
    const SpaceRig cameras = views.RigOf(x);
    return SpaceForecast{
        .seen = [cameras](const BallMotionModel& motion,
                          const SpaceSight& sight) { return cameras.Seen(motion, sight); },
        .time =
            [cameras](const SpaceSight& sight) {
              return cameras.TimeOf(sight, sight.seen.head<2>());
            }};
  };
  Eigen::VectorXd best;
  problem.more = [&](const Eigen::VectorXd& x) {
    return Eigen::VectorXd(Eigen::Vector2d(views.Radius(x), views.Offset(x)));
  };
  std::vector<ValueWithSigma> more;
  result.fit = SolveSpace(problem, &more, &best);
  if (!result.fit.reason.empty()) return result;
  result.radius = more[0];
  result.clock_offset = more[1];
  result.fit.rms_px = CentreRms(problem, result.fit, views.RigOf(best));
  return result;
}

}  // namespace percuss::tracking
