// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/tracking/arcs/simulated_impact.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <numeric>

#include "tests/tracking/arcs/synthetic_trial.h"
#include "tracking/arcs/arc_problem.h"

namespace percuss::tracking {
namespace {

using State = solver::FlightState<double>;

struct SimulatedImpactDrop {
  capture::MarkedBody body;
  SyntheticMotion motion;
  double release = 0.0;
  double end = 0.0;
};

/// Whether a body is above the surface from its impact to a time; one that comes down flat would
/// strike it with its other end at once.
bool FliesClear(const SimulatedImpactDrop& drop, double end) {
  constexpr double kStep = 2e-3;
  for (double time = drop.motion.impacts[0].time + kStep; time < end; time += kStep) {
    const State state = drop.motion.StateAt(time);
    if (LowestHeight(drop.body.body.shape, {state.p_WB, state.q_WB}) < 0.0) return false;
  }
  return true;
}

/// Draws motions until one strikes the surface and flies on for long enough.
SimulatedImpactDrop DrawDrop(bool cube, double min_flight, double slip,
                             const Eigen::Vector3d& gravity, std::mt19937* random) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto draw = [&](double size) -> Eigen::Vector3d {
    const double x = uniform(*random), y = uniform(*random), z = uniform(*random);
    return {size * x, size * y, size * z};
  };
  const SyntheticTrial bar = MakeSyntheticTrial();
  for (;;) {
    SimulatedImpactDrop drop;
    drop.body = cube ? MarkedCube() : bar.body;
    drop.release = 0.10 + 0.01 * uniform(*random);
    State start;
    // Drawn one by one, since a compiler may evaluate the arguments of a call in any order.
    if (cube) {
      const double w = uniform(*random), z = uniform(*random), y = uniform(*random);
      const double x = uniform(*random);
      start.q_WB = Eigen::Quaterniond(w, x, y, z).normalized();
    } else {
      const double pitch = 0.9 * uniform(*random);
      const double yaw = 0.4 * uniform(*random);
      start.q_WB = Eigen::AngleAxisd(yaw, Eigen::Vector3d::UnitZ()) *
                   Eigen::AngleAxisd(pitch, Eigen::Vector3d::UnitY()) *
                   Eigen::AngleAxisd(1.25, Eigen::Vector3d::UnitX());
    }
    start.p_WB = draw(0.03);
    start.v = draw(0.3);
    start.w = draw(2.0);
    start = WithLowestPointAt(drop.body.body.shape, 0.15 + 0.03 * uniform(*random), start);
    Carry carry{.acceleration = draw(3.0), .slip = slip, .gravity = gravity};
    if (slip > 0.0) carry.angular_acceleration = 10.0 * carry.acceleration;  // to 30 rad/s^2
    AddCarry(carry, start, drop.release, &drop.motion);
    const BounceOptions once{
        .max_impacts = 1, .restitution = 0.6 + 0.2 * uniform(*random), .friction = 0.2};
    AddFlight(drop.body.body, gravity, start, drop.release, 0.6, once, &drop.motion);
    if (drop.motion.impacts.empty()) continue;
    const double impact = drop.motion.impacts[0].time;
    if (!FliesClear(drop, impact + min_flight)) continue;
    SyntheticMotion twice;
    AddFlight(drop.body.body, gravity, start, drop.release, 0.6,
              {.max_impacts = 2, .restitution = once.restitution, .friction = 0.2}, &twice);
    drop.end = twice.impacts.size() > 1 ? twice.impacts[1].time : 0.6;
    if (drop.end - impact > min_flight && FliesClear(drop, drop.end)) return drop;
  }
}

SimulatedImpact::Vector ErrorOf(const ImpactFit& fit, const TrueImpact& truth) {
  const Eigen::AngleAxisd turn(fit.before.q_WB * truth.before.q_WB.conjugate());
  SimulatedImpact::Vector error;
  error << fit.time - truth.time, fit.before.p_WB - truth.before.p_WB, turn.angle() * turn.axis(),
      fit.before.v - truth.before.v, fit.before.w - truth.before.w, fit.v_post - truth.v_post,
      fit.w_post - truth.w_post;
  return error;
}

/// Inverse of the Fisher information at the truth, of all frames in free flight whose exposure does
/// not hold the impact, with the prior of the calibration.
SimulatedImpact::Matrix BoundOf(const SimulatedImpactDrop& drop,
                                std::span<const TrackedFrame> frames,
                                const calibration::RigCalibration& calibration,
                                const Eigen::Vector3d& gravity, double exclusion,
                                double min_facing) {
  const MarkerLayout layout = LayoutOf(drop.body);
  const SightingModel model(layout, calibration);
  const TrueImpact& truth = drop.motion.impacts[0];
  std::vector<int> columns(SimulatedImpact::kSize);
  std::iota(columns.begin(), columns.end(), 0);
  const ArcProblem problem{model, drop.body.body.inertia, gravity, truth.time, columns};
  std::vector<ArcFrame> arc_frames;
  for (const int arc : {0, 1}) {
    for (std::size_t k = 0; k < frames.size(); ++k) {
      if (!frames[k].pose.found || frames[k].time < drop.release || frames[k].time > drop.end)
        continue;
      ArcFrame frame = MakeArcFrame(model, frames, static_cast<int>(k), arc,
                                    {truth.time, exclusion, min_facing});
      if (!frame.sightings.empty()) arc_frames.push_back(std::move(frame));
    }
  }
  ArcUnknowns x;
  x.before = truth.before;
  x.v_post = truth.v_post;
  x.w_post = truth.w_post;
  const Linearisation linear = Linearise(problem, arc_frames, x);
  const Eigen::MatrixXd J = linear.jacobian.leftCols<SimulatedImpact::kSize>();
  const Eigen::LDLT<Eigen::MatrixXd> solver(J.transpose() * J);
  const Eigen::MatrixXd sensitivity = -solver.solve(J.transpose() * linear.by_calibration);
  return solver.solve(Eigen::MatrixXd::Identity(J.cols(), J.cols())) +
         sensitivity * calibration.covariance * sensitivity.transpose();
}

}  // namespace

Eigen::VectorXd CalibrationSigmas(int num_cameras) {
  const calibration::ParameterPlaces places{.num_cameras = num_cameras};
  Eigen::VectorXd sigmas = Eigen::VectorXd::Zero(calibration::NumRigParameters(num_cameras));
  for (int camera = 0; camera < num_cameras; ++camera) {
    sigmas.segment<8>(places.Intrinsics(camera)) << 0.1, 0.1, 0.1, 0.1, 2e-4, 4e-4, 2e-5, 2e-5;
    if (camera > 0)
      sigmas.segment<6>(places.CameraPose(camera)) << 3e-5, 3e-5, 3e-5, 2e-5, 2e-5, 2e-5;
  }
  sigmas.segment<6>(places.World()) << 1e-4, 1e-4, 1e-4, 5e-5, 5e-5, 5e-5;
  return sigmas;
}

SimulatedImpact SimulateImpact(unsigned seed, const SimulationOptions& options) {
  std::mt19937 random(seed);
  const Eigen::Vector3d gravity(0, 0, -9.80665);
  ObservationOptions observation;
  observation.frame_rate = 60.0 * static_cast<double>(1u << (seed / 2 % 3));
  const double min_flight = std::max(0.12, 11.0 / observation.frame_rate);
  const SimulatedImpactDrop drop =
      DrawDrop(seed % 2 == 0, min_flight, options.slip, gravity, &random);
  calibration::RigCalibration calibration = MakeFourCameraTrial().calibration;
  const int num_drawn = std::max(2, options.num_cameras);
  calibration.cameras.resize(static_cast<std::size_t>(num_drawn));
  const Eigen::VectorXd sigmas = CalibrationSigmas(num_drawn);
  calibration.covariance.setZero(sigmas.size(), sigmas.size());
  Eigen::VectorXd shift(sigmas.size());
  std::normal_distribution<double> normal(0.0, 1.0);
  for (Eigen::Index i = 0; i < shift.size(); ++i) shift[i] = sigmas[i] * normal(random);
  if (!options.calibration_errors) shift.setZero();
  if (options.calibration_errors) calibration.covariance = sigmas.cwiseAbs2().asDiagonal();
  if (options.num_cameras == 1) {
    constexpr calibration::ParameterPlaces kTwo{.num_cameras = 2};
    std::vector<int> left(calibration::kNumIntrinsics);
    std::iota(left.begin(), left.end(), kTwo.Intrinsics(0));
    for (int k = 0; k < 6; ++k) left.push_back(kTwo.World() + k);
    calibration.cameras.resize(1);
    calibration.covariance = calibration.covariance(left, left).eval();
    shift = shift(left).eval();
  }

  observation.num_frames = static_cast<int>((drop.end + 0.02) * observation.frame_rate);
  observation.noise_px = 0.03 + 0.01 * static_cast<double>(seed / 6 % 4);
  observation.hidden_fraction = 0.1;
  observation.shared_bias_px = options.shared_bias_px;
  observation.shared_bias_frames = options.shared_bias_frames;
  if (options.clock_sigma_frames > 0.0) {
    observation.later.resize(calibration.cameras.size());
    for (std::size_t c = 1; c < calibration.cameras.size(); ++c)
      observation.later[c] = options.clock_sigma_frames / observation.frame_rate * normal(random);
  }
  const auto frames = Observe(drop.motion, drop.body, calibration::Perturbed(calibration, shift),
                              calibration, observation, &random);

  SimulatedImpact result;
  const SegmentationOptions segmentation;
  std::vector<FlightArc> arcs = FindFlightArcs(frames, gravity, segmentation);
  AddClearFlights(frames, drop.body.body.shape, gravity, segmentation, &arcs);
  const auto guesses =
      FindImpacts(frames, arcs, drop.body.body.shape, gravity, segmentation, &result.failure);
  if (guesses.empty()) return result;
  result.failure.clear();
  result.later = observation.later;
  ArcFitOptions fit_options = options.fit;
  fit_options.exposure = 1e-3;
  fit_options.clock.exact = fit_options.clock.others_exact = options.clock_sigma_frames == 0.0;
  fit_options.min_frames = segmentation.min_clear_frames;
  result.fit = FitImpactArcs(frames, guesses[0], LayoutOf(drop.body), drop.body.body.inertia,
                             gravity, calibration, fit_options);
  result.failure = result.fit.reason;
  if (!result.fit.usable) return result;
  result.error = ErrorOf(result.fit, drop.motion.impacts[0]);
  result.covariance(0, 0) = result.fit.time_sigma * result.fit.time_sigma;
  result.covariance.bottomRightCorner<impacts::kImpactDimension, impacts::kImpactDimension>() =
      result.fit.covariance;
  result.bound =
      BoundOf(drop, frames, calibration, gravity,
              fit_options.impact_exclusion * *fit_options.exposure, fit_options.min_facing);
  return result;
}

}  // namespace percuss::tracking
