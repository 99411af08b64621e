// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/tracking/flights/synthetic_motion.h"

#include <Eigen/LU>
#include <array>
#include <cmath>
#include <string>

namespace percuss::tracking {
namespace {

using State = solver::FlightState<double>;

Eigen::Quaterniond Turn(const Eigen::Vector3d& vector) {
  const double angle = vector.norm();
  if (angle == 0.0) return Eigen::Quaterniond::Identity();
  return Eigen::Quaterniond(Eigen::AngleAxisd(angle, vector / angle));
}

Eigen::Vector3d LowestArm(const solver::Shape& shape, const State& state) {
  return state.q_WB *
         solver::SupportPoint(shape, state.q_WB.conjugate() * Eigen::Vector3d(0, 0, -1));
}

/// Impulse along the normal that returns the contact point's normal velocity, with a share of it
/// against the slip.
Eigen::Vector3d BounceImpulse(const solver::Body& body, const State& state,
                              const Eigen::Vector3d& r, const BounceOptions& options) {
  const Eigen::Vector3d u = state.v + state.w.cross(r);
  const Eigen::Vector3d slip(u.x(), u.y(), 0.0);
  Eigen::Vector3d direction = Eigen::Vector3d::UnitZ();
  if (slip.norm() > 1e-9) direction -= options.friction * slip.normalized();
  const State unit =
      AfterImpulse(body, State{state.p_WB, state.q_WB, {0, 0, 0}, {0, 0, 0}}, r, direction);
  const double u_n_per_unit = (unit.v + unit.w.cross(r)).z();
  return -(1.0 + options.restitution) * u.z() / u_n_per_unit * direction;
}

/// When the lowest point comes down to the surface, from above it; `end` if it does not.
double NextContact(const solver::Body& body, const Eigen::Vector3d& gravity, const State& start,
                   double end) {
  const auto height = [&](double time) {
    const State state = solver::PropagateFlight(start, body.inertia, gravity, time);
    return (state.p_WB + LowestArm(body.shape, state)).z();
  };
  constexpr double kStep = 5e-4;
  bool above = false;
  for (double time = kStep; time < end; time += kStep) {
    if (height(time) > 0.0) {
      above = true;
      continue;
    }
    if (!above) continue;
    double low = time - kStep, high = time;
    for (int i = 0; i < 50; ++i) {
      const double middle = 0.5 * (low + high);
      (height(middle) > 0.0 ? low : high) = middle;
    }
    return high;
  }
  return end;
}

}  // namespace

State SyntheticMotion::StateAt(double time) const {
  const Piece* piece = &pieces.front();
  for (const Piece& next : pieces) {
    if (next.begin <= time) piece = &next;
  }
  return piece->state(time);
}

void AddCarry(const Carry& carry, const State& at_release, double release,
              SyntheticMotion* motion) {
  const double begin = motion->pieces.empty() ? -1e9 : motion->pieces.back().begin;
  motion->pieces.push_back(
      {begin, [=](double time) {
         const double s = time - release, f = carry.shake_frequency;
         const double T = carry.slip;
         State state = at_release;
         if (T > 0.0) {
           // The share min(1, -s / T), integrated twice.
           const double held = s > -T ? -s * s * s / (6.0 * T)
                                      : 0.5 * (s + T) * (s + T) - 0.5 * T * (s + T) + T * T / 6.0;
           state.p_WB += s * at_release.v + 0.5 * s * s * carry.gravity +
                         held * (carry.acceleration - carry.gravity);
           state.q_WB =
               Turn(s * at_release.w + held * carry.angular_acceleration) * at_release.q_WB;
           return state;
         }
         state.p_WB += s * at_release.v + 0.5 * s * s * carry.acceleration +
                       (1.0 - std::cos(f * s)) * carry.shake;
         state.q_WB =
             Turn(s * at_release.w + 0.5 * s * s * carry.angular_acceleration) * at_release.q_WB;
         return state;
       }});
}

State AddSlowRelease(const State& at_rest, double begin, double duration,
                     const Eigen::Vector3d& gravity, SyntheticMotion* motion) {
  motion->pieces.push_back({-1e9, [=](double) { return at_rest; }});
  const auto slip = [=](double time) {
    const double s = time - begin;
    State state = at_rest;
    state.p_WB += s * s * s / (6.0 * duration) * gravity;
    state.v = s * s / (2.0 * duration) * gravity;
    return state;
  };
  motion->pieces.push_back({begin, slip});
  return slip(begin + duration);
}

State AfterImpulse(const solver::Body& body, const State& state, const Eigen::Vector3d& r,
                   const Eigen::Vector3d& P) {
  const Eigen::Matrix3d R = state.q_WB.toRotationMatrix();
  State after = state;
  after.v += P / body.mass;
  after.w += R * body.inertia.inverse() * R.transpose() * r.cross(P);
  return after;
}

State WithLowestPointAt(const solver::Shape& shape, double height, State state) {
  state.p_WB.z() = height - LowestArm(shape, state).z();
  return state;
}

void AddFlight(const solver::Body& body, const Eigen::Vector3d& gravity, const State& start,
               double begin, double end, const BounceOptions& options, SyntheticMotion* motion) {
  State state = start;
  double time = begin;
  for (int impact = 0;; ++impact) {
    motion->pieces.push_back({time, [=](double t) {
                                return solver::PropagateFlight(state, body.inertia, gravity,
                                                               t - time);
                              }});
    if (impact == options.max_impacts) return;
    const double flight = NextContact(body, gravity, state, end - time);
    if (flight >= end - time) return;
    TrueImpact truth;
    truth.time = time + flight;
    truth.before = solver::PropagateFlight(state, body.inertia, gravity, flight);
    truth.r = LowestArm(body.shape, truth.before);
    state = AfterImpulse(body, truth.before, truth.r,
                         BounceImpulse(body, truth.before, truth.r, options));
    truth.v_post = state.v;
    truth.w_post = state.w;
    time = truth.time;
    motion->impacts.push_back(truth);
  }
}

capture::MarkedBody MarkedCube() {
  capture::MarkedBody cube;
  cube.body.shape = solver::Box{{0.06, 0.06, 0.06}};
  cube.body.mass = 0.12;
  cube.body.inertia = solver::UniformInertia(cube.body.shape, cube.body.mass);
  cube.marker_diameter = 0.006;
  const std::array<Eigen::Vector2d, 4> corners = {
      {{0.021, 0.019}, {-0.020, 0.022}, {-0.022, -0.018}, {0.017, -0.021}}};
  for (int face = 0; face < 6; ++face) {
    const int axis = face / 2;
    const double side = face % 2 == 0 ? 0.03 : -0.03;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const double stretch = 1.0 - 0.06 * face - 0.03 * static_cast<double>(i);
      Eigen::Vector3d p;
      p[axis] = side;
      p[(axis + 1) % 3] = stretch * corners[i].x();
      p[(axis + 2) % 3] = corners[i].y();
      cube.markers.push_back({"F" + std::to_string(face) + std::to_string(i), p});
    }
  }
  return cube;
}

std::vector<TrackedFrame> Observe(const SyntheticMotion& motion, const capture::MarkedBody& body,
                                  const calibration::RigCalibration& true_calibration,
                                  const calibration::RigCalibration& calibration,
                                  const ObservationOptions& options, std::mt19937* random) {
  return Observe(motion, body, true_calibration, body, calibration, options, random);
}

std::vector<TrackedFrame> Observe(const SyntheticMotion& motion, const capture::MarkedBody& body,
                                  const calibration::RigCalibration& true_calibration,
                                  const capture::MarkedBody& stated_body,
                                  const calibration::RigCalibration& calibration,
                                  const ObservationOptions& options, std::mt19937* random) {
  const MarkerLayout layout = LayoutOf(body), stated = LayoutOf(stated_body);
  const Views true_views = ViewsOf(true_calibration), views = ViewsOf(calibration);
  std::normal_distribution<double> normal(0.0, 1.0);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const auto draw = [&](double sigma) -> Eigen::Vector2d {
    const double x = normal(*random), y = normal(*random);
    return {sigma * x, sigma * y};
  };
  const double keep = std::exp(-1.0 / options.shared_bias_frames);
  std::vector<Eigen::Vector2d> bias;
  for (std::size_t side = 0; side < std::max<std::size_t>(2, true_views.size()); ++side)
    bias.push_back(draw(options.shared_bias_px));
  std::vector<TrackedFrame> frames;
  for (int k = 0; k < options.num_frames; ++k) {
    TrackedFrame frame;
    frame.left_frame = frame.right_frame = k;
    frame.time = k / options.frame_rate;
    const auto pose_of = [&](const State& state) { return BodyPose{state.p_WB, state.q_WB}; };
    const BodyPose at_frame = pose_of(motion.StateAt(frame.time));
    std::vector<BodyPose> pose_at(true_views.size(), at_frame);
    for (std::size_t side = 0; side < std::min(pose_at.size(), options.later.size()); ++side)
      pose_at[side] = pose_of(motion.StateAt(frame.time + options.later[side]));
    for (int m = 0; m < static_cast<int>(layout.p_BM.size()); ++m) {
      for (std::size_t side = 0; side < true_views.size(); ++side) {
        const View& view = true_views[side];
        const BodyPose& pose = pose_at[side];
        const auto m_index = static_cast<std::size_t>(m);
        const bool hidden = uniform(*random) < options.hidden_fraction;
        if (hidden || MarkerFacing(layout, m, pose, view) < options.min_facing) continue;
        const auto projected =
            ProjectDisc(view, pose.q_WB * layout.p_BM[m_index] + pose.p_WB,
                        pose.q_WB * layout.normal_B[m_index], 0.5 * layout.marker_diameter);
        if (!projected || projected->pixel.minCoeff() < 0.0 ||
            projected->pixel.x() > view.camera.width - 1 ||
            projected->pixel.y() > view.camera.height - 1) {
          continue;
        }
        MarkerObservation seen;
        seen.marker = m;
        seen.side = static_cast<int>(side);
        seen.pixel = projected->pixel + bias[side] + draw(options.noise_px);
        seen.covariance = options.noise_px * options.noise_px * Eigen::Matrix2d::Identity();
        frame.observations.push_back(seen);
      }
    }
    frame.pose = EstimatePose(views, stated, frame.observations, at_frame, 0.0);
    frames.push_back(frame);
    for (Eigen::Vector2d& b : bias)
      b = keep * b + draw(std::sqrt(1.0 - keep * keep) * options.shared_bias_px);
  }
  return frames;
}

}  // namespace percuss::tracking
