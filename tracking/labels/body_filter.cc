// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/labels/body_filter.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "base/math/assignment.h"
#include "base/math/geometry.h"
#include "capture/video/synchronisation.h"
#include "tracking/labels/layout_search.h"

namespace percuss::tracking {

using enum impacts::ImpactIndex;

namespace {

using State = solver::FlightState<double>;
using ByState = Eigen::Matrix<double, 2, kFlightDimension>;

/// When a sighting was exposed.
double TimeOf(const MarkerObservation& observation, double frame_time) {
  return std::isnan(observation.time) ? frame_time : observation.time;
}

BodyPose PoseOf(const State& state) { return {state.p_WB, state.q_WB}; }

struct Sighting {
  Eigen::Vector2d pixel;
  ByState by_state;
};

/// Where a view sees a marker `delay` seconds after the time of `state`, and how that depends on
/// the state.
std::optional<Sighting> Predict(const TrackedBody& body, const State& state, int marker, int side,
                                double delay) {
  const State later = BodyAfter(body, state, delay);
  const Eigen::Vector3d arm = later.q_WB * body.layout.p_BM[marker];
  const auto projected = ProjectMarker(body.views[side], body.layout, marker, PoseOf(later));
  if (!projected) return std::nullopt;
  Sighting sighting{projected->pixel, {}};
  sighting.by_state.middleCols<3>(kPosition) = projected->by_point;
  sighting.by_state.middleCols<3>(kRotation) = -projected->by_point * Skew(arm);
  // Over so short a time, errors of the velocities add up in a straight line.
  sighting.by_state.middleCols<3>(kV) = delay * sighting.by_state.middleCols<3>(kPosition);
  sighting.by_state.middleCols<3>(kW) = delay * sighting.by_state.middleCols<3>(kRotation);
  return sighting;
}

/// A sighting against a state; all zero but the noise where the state puts it behind the camera.
struct Comparison {
  Eigen::Vector2d error = Eigen::Vector2d::Zero();
  ByState by_state = ByState::Zero();
  Eigen::Matrix2d noise = Eigen::Matrix2d::Identity();
};

std::vector<Comparison> Compare(const TrackedBody& body, const State& state, double time,
                                std::span<const MarkerObservation> observations,
                                double noise_scale) {
  std::vector<Comparison> comparisons;
  for (const MarkerObservation& observation : observations) {
    Comparison& comparison = comparisons.emplace_back();
    comparison.noise = noise_scale * noise_scale * observation.covariance;
    const auto sighting = Predict(body, state, observation.marker, observation.side,
                                  TimeOf(observation, time) - time);
    if (!sighting) continue;
    comparison.error = observation.pixel - sighting->pixel;
    comparison.by_state = sighting->by_state;
  }
  return comparisons;
}

/// L with L L^T = P, which may be singular.
FlightCovariance SquareRoot(const FlightCovariance& P) {
  const Eigen::LDLT<FlightCovariance> parts(P);
  const FlightCovariance root =
      parts.matrixL() * FlightCovariance(parts.vectorD().cwiseMax(0.0).cwiseSqrt().asDiagonal());
  return parts.transpositionsP().transpose() * root;
}

/// Assign for costs of pairs (prediction, spot). @return the marker of each spot, or -1
std::vector<int> LabelsOf(const std::vector<MarkerPrediction>& predictions,
                          const Eigen::MatrixXd& cost, double cost_of_none) {
  const std::vector<int> blob_of_prediction = Assign(cost, cost_of_none);
  std::vector<int> labels(cost.cols(), -1);
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    if (blob_of_prediction[i] >= 0) labels[blob_of_prediction[i]] = predictions[i].marker;
  }
  return labels;
}

}  // namespace

bool SizeFits(const TrackedBody& body, const State& state, int side,
              const MarkerPrediction& prediction, const Blob& blob) {
  const Eigen::Vector3d p_W = state.q_WB * body.layout.p_BM[prediction.marker] + state.p_WB;
  return CanBe(blob, body.layout, prediction.marker, body.views[side], p_W, prediction.facing);
}

FlightEstimate StartBodyFilter(double time, const PoseEstimate& pose,
                               const BodyFilterOptions& options) {
  FlightEstimate estimate;
  estimate.time = time;
  estimate.state.p_WB = pose.pose.p_WB;
  estimate.state.q_WB = pose.pose.q_WB;
  estimate.covariance.topLeftCorner<6, 6>() = pose.covariance;
  estimate.covariance.diagonal().segment<3>(kV).setConstant(options.struck_velocity *
                                                            options.struck_velocity);
  estimate.covariance.diagonal().segment<3>(kW).setConstant(options.struck_angular_velocity *
                                                            options.struck_angular_velocity);
  return estimate;
}

FlightEstimate PredictBody(const TrackedBody& body, const FlightEstimate& estimate, double time,
                           MotionModel model, const BodyFilterOptions& options) {
  FlightEstimate start = estimate;
  if (model == MotionModel::kStruck) {
    start.covariance.diagonal().segment<3>(kV).array() +=
        options.struck_velocity * options.struck_velocity;
    start.covariance.diagonal().segment<3>(kW).array() +=
        options.struck_angular_velocity * options.struck_angular_velocity;
  }
  const bool planar = body.layout.planar;
  const Eigen::Matrix3d inertia_B = FlightInertia(body.inertia_B, planar);
  if (planar) HoldInPlane(&start.covariance);
  FlightEstimate end = Fly(start, time, inertia_B, body.gravity,
                           model == MotionModel::kFlight ? options.flight : options.driven);
  if (planar) HoldInPlane(&end.covariance);
  return end;
}

State BodyAfter(const TrackedBody& body, const State& state, double delay) {
  if (delay == 0.0) return state;
  return solver::PropagateFlight(state, body.inertia_B, body.gravity, delay);
}

std::vector<MarkerPrediction> PredictMarkers(const TrackedBody& body,
                                             const FlightEstimate& estimate, int side,
                                             const Exposure& exposure, double min_facing) {
  const View& view = body.views[side];
  const BodyPose pose = PoseOf(BodyAfter(body, estimate.state, exposure.after));
  std::vector<MarkerPrediction> predictions;
  for (int marker = 0; marker < static_cast<int>(body.layout.p_BM.size()); ++marker) {
    const double facing = MarkerFacing(body.layout, marker, pose, view);
    if (facing < min_facing) continue;
    double delay = exposure.after;
    auto sighting = Predict(body, estimate.state, marker, side, delay);
    // The row decides the time, and the time the row: each round brings it closer by a factor of
    // the image speed in rows per line time, 1/20 for fast markers.
    for (int round = 0; round < 3 && sighting && exposure.line_time != 0.0; ++round) {
      delay = exposure.Delay(sighting->pixel.y(), view);
      sighting = Predict(body, estimate.state, marker, side, delay);
    }
    if (!sighting || !InsideImage(view, sighting->pixel)) continue;
    predictions.push_back(
        {marker, delay, sighting->pixel,
         sighting->by_state * estimate.covariance * sighting->by_state.transpose(), facing});
  }
  return predictions;
}

std::optional<MarkerPrediction> PredictMarker(const TrackedBody& body,
                                              const FlightEstimate& estimate, int marker,
                                              int side) {
  const auto sighting = Predict(body, estimate.state, marker, side, 0.0);
  if (!sighting) return std::nullopt;
  return MarkerPrediction{
      marker, 0.0, sighting->pixel,
      sighting->by_state * estimate.covariance * sighting->by_state.transpose(),
      MarkerFacing(body.layout, marker, PoseOf(estimate.state), body.views[side])};
}

std::vector<int> AssignMarkers(const TrackedBody& body, const FlightEstimate& estimate, int side,
                               const Exposure& exposure, std::span<const Blob> blobs,
                               const AssignmentGate& gate) {
  constexpr double kImpossible = 1e6, kCostOfNone = 1e5;
  const std::vector<MarkerPrediction> predictions =
      PredictMarkers(body, estimate, side, exposure, gate.min_facing);
  Eigen::MatrixXd cost =
      Eigen::MatrixXd::Constant(static_cast<Eigen::Index>(predictions.size()),
                                static_cast<Eigen::Index>(blobs.size()), kImpossible);
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const MarkerPrediction& prediction = predictions[i];
    const double floor = kCentroidFloorPx / std::max(0.1, prediction.facing);
    for (std::size_t j = 0; j < blobs.size(); ++j) {
      const Eigen::Vector2d error = blobs[j].centre - prediction.pixel;
      const Eigen::Matrix2d spread =
          prediction.covariance +
          gate.noise_scale * gate.noise_scale *
              (blobs[j].covariance + floor * floor * Eigen::Matrix2d::Identity());
      const double distance = error.dot(spread.inverse() * error);
      if (distance > gate.squared || !SizeFits(body, estimate.state, side, prediction, blobs[j]))
        continue;
      // Negative log-likelihood, so that an unsure prediction does not win over a sure one.
      cost(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          distance + std::log(spread.determinant());
    }
  }
  return LabelsOf(predictions, cost, kCostOfNone);
}

std::vector<int> AssignNearest(const TrackedBody& body, const State& state, int side,
                               const Exposure& exposure, std::span<const Blob> blobs,
                               double min_facing, double gate_px) {
  const std::vector<MarkerPrediction> predictions =
      PredictMarkers(body, {0.0, state, FlightCovariance::Zero()}, side, exposure, min_facing);
  const double none = gate_px * gate_px;
  Eigen::MatrixXd cost =
      Eigen::MatrixXd::Constant(static_cast<Eigen::Index>(predictions.size()),
                                static_cast<Eigen::Index>(blobs.size()), 1e3 * none);
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    for (std::size_t j = 0; j < blobs.size(); ++j) {
      const double squared = (blobs[j].centre - predictions[i].pixel).squaredNorm();
      if (squared < none && SizeFits(body, state, side, predictions[i], blobs[j]))
        cost(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = squared;
    }
  }
  return LabelsOf(predictions, cost, none);
}

FilterUpdate UpdateBody(const TrackedBody& body, const FlightEstimate& predicted,
                        std::span<const MarkerObservation> observations, double noise_scale) {
  constexpr int kIterations = 4;
  FilterUpdate update{predicted, 0.0, static_cast<int>(2 * observations.size())};
  if (observations.empty()) return update;
  // With P = L L^T and N = sum H^T R^-1 H over the sightings, the covariance becomes
  // L (1 + L^T N L)^-1 L^T: twelve by twelve, however many sightings there are.
  const FlightCovariance L = SquareRoot(predicted.covariance);
  State& state = update.estimate.state;
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    const FlightError back = Between(state, predicted.state);
    FlightCovariance information = FlightCovariance::Zero();
    FlightError gradient = FlightError::Zero();
    double weighted = 0.0;
    for (const auto& [error, H, R] :
         Compare(body, state, predicted.time, observations, noise_scale)) {
      const Eigen::Vector2d innovation = error - H * back;
      const Eigen::Matrix<double, kFlightDimension, 2> weighing = H.transpose() * R.inverse();
      information += weighing * H;
      gradient += weighing * innovation;
      weighted += innovation.dot(R.inverse() * innovation);
    }
    const FlightCovariance inner = FlightCovariance::Identity() + L.transpose() * information * L;
    update.estimate.covariance = L * inner.llt().solve(FlightCovariance(L.transpose()));
    const FlightError step = update.estimate.covariance * gradient;
    update.innovation_squared = weighted - gradient.dot(step);
    state = Moved(state, back + step);
  }
  return update;
}

std::vector<double> DistancesFrom(const TrackedBody& body, const FlightEstimate& predicted,
                                  std::span<const MarkerObservation> observations,
                                  double noise_scale) {
  std::vector<double> distances;
  for (const auto& [error, H, R] :
       Compare(body, predicted.state, predicted.time, observations, noise_scale)) {
    const Eigen::Matrix2d spread = H * predicted.covariance * H.transpose() + R;
    distances.push_back(error.dot(spread.inverse() * error));
  }
  return distances;
}

PoseEstimate EstimatePoseAt(const TrackedBody& body, const FlightEstimate& guess,
                            std::span<const MarkerObservation> observations, double huber_px) {
  std::vector<MarkerObservation> moved(observations.begin(), observations.end());
  Eigen::Matrix<double, 6, 6> information = Eigen::Matrix<double, 6, 6>::Zero(),
                              by_delay = Eigen::Matrix<double, 6, 6>::Zero();
  for (MarkerObservation& seen : moved) {
    const double delay = TimeOf(seen, guess.time) - guess.time;
    const auto now = Predict(body, guess.state, seen.marker, seen.side, 0.0);
    const auto then = Predict(body, guess.state, seen.marker, seen.side, delay);
    if (!now || !then) continue;
    seen.pixel += now->pixel - then->pixel;
    const auto J = now->by_state.leftCols<6>();
    const Eigen::Matrix<double, 6, 6> share = J.transpose() * seen.covariance.inverse() * J;
    information += share;
    by_delay += delay * share;
  }
  PoseEstimate estimate =
      EstimatePose(body.views, body.layout, moved, PoseOf(guess.state), huber_px);
  if (estimate.found && !by_delay.isZero()) {
    const Eigen::Matrix<double, 6, 6> by_velocity = information.ldlt().solve(by_delay);
    estimate.covariance +=
        by_velocity * guess.covariance.bottomRightCorner<6, 6>() * by_velocity.transpose();
  }
  return estimate;
}

FlightEstimate EstimateVelocities(const TrackedBody& body, const FlightEstimate& guess,
                                  std::span<const MarkerObservation> observations,
                                  std::span<const Eigen::Vector2d> travel) {
  constexpr double kSigmaPx = 0.5, kRejectPx = 1.0;
  using Matrix6 = Eigen::Matrix<double, 6, 6>;
  const Matrix6 prior = guess.covariance.bottomRightCorner<6, 6>().inverse();
  FlightEstimate estimate = guess;
  for (int round = 0; round < 3; ++round) {
    Matrix6 information = prior;
    Eigen::Matrix<double, 6, 1> gradient = Eigen::Matrix<double, 6, 1>::Zero();
    for (std::size_t i = 0; i < observations.size(); ++i) {
      const MarkerObservation& seen = observations[i];
      const double delay = TimeOf(seen, guess.time) - guess.time;
      const auto now = Predict(body, estimate.state, seen.marker, seen.side, 0.0);
      const auto then = Predict(body, estimate.state, seen.marker, seen.side, delay);
      if (!now || !then) continue;
      const Eigen::Vector2d error = travel[i] - (then->pixel - now->pixel);
      if (round > 0 && error.norm() > kRejectPx) continue;
      const auto J = then->by_state.rightCols<6>();
      information += J.transpose() * J / (kSigmaPx * kSigmaPx);
      gradient += J.transpose() * error / (kSigmaPx * kSigmaPx);
    }
    const Eigen::Matrix<double, 6, 1> step = information.ldlt().solve(gradient);
    estimate.state.v += step.head<3>();
    estimate.state.w += step.tail<3>();
    estimate.covariance.bottomRightCorner<6, 6>() = information.inverse();
  }
  return estimate;
}

}  // namespace percuss::tracking
