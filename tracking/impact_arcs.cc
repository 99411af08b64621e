// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/impact_arcs.h"

#include <ceres/ceres.h>
#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace percuss::tracking {
namespace {

constexpr int kStates = 19;    // time, position, rotation, v, w, v_post, w_post
constexpr int kGravities = 6;  // one per arc, in the audit
constexpr calibration::ParameterPlaces kPlaces{.num_cameras = 2};
constexpr int kCalibration = calibration::NumRigParameters(kPlaces.num_cameras);
using CalibrationVector = Eigen::Matrix<double, kCalibration, 1>;

/// The unknowns, as Ceres holds them.
struct Unknowns {
  double time = 0.0;  ///< after the guess [s]
  Eigen::Vector3d p;
  Eigen::Quaterniond q;
  std::array<Eigen::Vector3d, 2> v, w;                        ///< before, after
  std::array<Eigen::Vector3d, 2> gravity;                     ///< before, after
  CalibrationVector calibration = CalibrationVector::Zero();  ///< deviation from the estimate
};

/// One sighting with its whitening: weight * (measured - projected).
struct Sighting {
  MarkerObservation observation;
  Eigen::Matrix2d whitening =
      Eigen::Matrix2d::Identity();  ///< inverse Cholesky factor of the covariance
  double weight = 1.0;              ///< robust weight, square root
};

struct ArcFrame {
  int frame = 0;  ///< place in the list of frames
  double time = 0.0;
  int arc = 0;  ///< 0 before, 1 after
  std::vector<Sighting> sightings;
};

template <typename T>
Eigen::Matrix<T, 3, 1> RotateBySmall(const T* d, const Eigen::Matrix<T, 3, 1>& p) {
  // First order in d is enough: it is evaluated at d = 0, for its derivative alone.
  const Eigen::Matrix<T, 3, 1> turn(d[0], d[1], d[2]);
  return p + turn.cross(p);
}

/// Whitened residuals of one frame,
///     r = weight L^-1 (measured - Project(X_CW (q(t) p_BM + p(t)))),
/// with p(t), q(t) flown from the impact to the frame.
class FrameResidual {
 public:
  FrameResidual(const ArcFrame& frame, double guess_time, const MarkerLayout& layout,
                const Eigen::Matrix3d& inertia_B, const calibration::RigCalibration& calibration)
      : frame_(frame),
        since_guess_(frame.time - guess_time),
        layout_(layout),
        inertia_B_(inertia_B),
        calibration_(calibration),
        views_(ViewsOf(calibration)) {}

  template <typename T>
  bool operator()(const T* time, const T* p, const T* q, const T* v, const T* w, const T* gravity,
                  T* residual) const {
    std::vector<Eigen::Matrix<T, 3, 1>> points, normals;
    Fly(time, p, q, v, w, gravity, &points, &normals);
    for (std::size_t i = 0; i < frame_.sightings.size(); ++i) {
      const auto side = static_cast<std::size_t>(frame_.sightings[i].observation.side);
      const View& view = views_[side];
      const Eigen::Matrix<T, 3, 3> R_CW = view.camera_from_world.R.template cast<T>();
      const Eigen::Matrix<T, 3, 1> p_C =
          DiscImageCentre<T>(R_CW * points[i] + view.camera_from_world.t.template cast<T>(),
                             R_CW * normals[i], 0.5 * layout_.marker_diameter);
      std::array<T, calibration::kNumIntrinsics> intrinsics;
      for (std::size_t k = 0; k < intrinsics.size(); ++k)
        intrinsics[k] = T(view.camera.intrinsics[k]);
      Whiten(i, calibration::Project(view.camera.lens, intrinsics.data(), p_C), residual + 2 * i);
    }
    return true;
  }

  /// The same with the calibration as a variable, in the order of calibration::ParameterPlaces.
  template <typename T>
  bool operator()(const T* time, const T* p, const T* q, const T* v, const T* w, const T* gravity,
                  const T* c, T* residual) const {
    std::vector<Eigen::Matrix<T, 3, 1>> points, normals;
    Fly(time, p, q, v, w, gravity, &points, &normals);
    for (std::size_t i = 0; i < frame_.sightings.size(); ++i) {
      const int side = frame_.sightings[i].observation.side;
      const View& view = views_[static_cast<std::size_t>(side)];
      const T* intrinsics_step = c + kPlaces.Intrinsics(side);
      std::array<T, calibration::kNumIntrinsics> intrinsics;
      for (std::size_t k = 0; k < intrinsics.size(); ++k) {
        intrinsics[k] = T(view.camera.intrinsics[k]) + intrinsics_step[k];
      }
      // p_W = exp(d) R p_L + t + dt   =>   p_L = R^T exp(-d) (p_W - t - dt)
      const calibration::Pose& X_WL = calibration_.world_from_first;
      const T* world = c + kPlaces.World();
      const Eigen::Matrix<T, 3, 1> t_WL =
          X_WL.t.template cast<T>() + Eigen::Matrix<T, 3, 1>(world[3], world[4], world[5]);
      const std::array<T, 3> back = {-world[0], -world[1], -world[2]};
      Eigen::Matrix<T, 3, 1> p_C =
          X_WL.R.transpose().template cast<T>() *
          RotateBySmall(back.data(), Eigen::Matrix<T, 3, 1>(points[i] - t_WL));
      if (side == 1) {
        const calibration::Pose& X_RL = calibration_.cameras[1].from_first;
        const T* step = c + kPlaces.CameraPose(1);
        p_C = RotateBySmall(step, Eigen::Matrix<T, 3, 1>(X_RL.R.template cast<T>() * p_C)) +
              X_RL.t.template cast<T>() + Eigen::Matrix<T, 3, 1>(step[3], step[4], step[5]);
      }
      // The disc's shift is microns, so its own dependence on the calibration does not matter.
      const Eigen::Matrix<T, 3, 1> n_C = view.camera_from_world.R.template cast<T>() * normals[i];
      p_C = DiscImageCentre<T>(p_C, n_C, 0.5 * layout_.marker_diameter);
      Whiten(i, calibration::Project(view.camera.lens, intrinsics.data(), p_C), residual + 2 * i);
    }
    return true;
  }

 private:
  /// World positions and normals of the sighted markers at the frame's time.
  template <typename T>
  void Fly(const T* time, const T* p, const T* q, const T* v, const T* w, const T* gravity,
           std::vector<Eigen::Matrix<T, 3, 1>>* points,
           std::vector<Eigen::Matrix<T, 3, 1>>* normals) const {
    using Vector3 = Eigen::Matrix<T, 3, 1>;
    solver::FlightState<T> state;
    state.p_WB = Vector3(p[0], p[1], p[2]);
    state.q_WB = Eigen::Quaternion<T>(q[3], q[0], q[1], q[2]);
    state.v = Vector3(v[0], v[1], v[2]);
    state.w = Vector3(w[0], w[1], w[2]);
    const Vector3 g(gravity[0], gravity[1], gravity[2]);
    const solver::FlightState<T> then =
        solver::PropagateFlight<T>(state, inertia_B_, g, T(since_guess_) - time[0]);
    const Eigen::Matrix<T, 3, 3> R = then.q_WB.toRotationMatrix();
    for (const Sighting& sighting : frame_.sightings) {
      const auto m = static_cast<std::size_t>(sighting.observation.marker);
      points->push_back(R * layout_.p_BM[m].template cast<T>() + then.p_WB);
      normals->push_back(R * layout_.normal_B[m].template cast<T>());
    }
  }

  template <typename T>
  void Whiten(std::size_t i, const Eigen::Matrix<T, 2, 1>& projected, T* residual) const {
    const Sighting& sighting = frame_.sightings[i];
    const Eigen::Matrix2d whitening = sighting.weight * sighting.whitening;
    const T dx = T(sighting.observation.pixel.x()) - projected.x(),
            dy = T(sighting.observation.pixel.y()) - projected.y();
    residual[0] = whitening(0, 0) * dx + whitening(0, 1) * dy;
    residual[1] = whitening(1, 0) * dx + whitening(1, 1) * dy;
  }

  const ArcFrame& frame_;
  double since_guess_;
  const MarkerLayout& layout_;
  const Eigen::Matrix3d& inertia_B_;
  const calibration::RigCalibration& calibration_;
  StereoViews views_;
};

/// Everything that stays the same over the rounds of one fit.
struct Setting {
  std::span<const TrackedFrame> frames;
  const MarkerLayout& layout;
  const Eigen::Matrix3d& inertia_B;
  const calibration::RigCalibration& calibration;
  double guess_time;
  double min_facing;
  StereoViews views;
};

ArcFrame MakeArcFrame(const Setting& setting, int k, int arc) {
  const TrackedFrame& tracked = setting.frames[static_cast<std::size_t>(k)];
  ArcFrame frame{k, tracked.time, arc, {}};
  for (const MarkerObservation& observation : tracked.observations) {
    const View& view = setting.views[static_cast<std::size_t>(observation.side)];
    if (MarkerFacing(setting.layout, observation.marker, tracked.pose.pose, view) <
        setting.min_facing)
      continue;
    Sighting sighting{observation, Eigen::Matrix2d::Identity(), 1.0};
    const Eigen::Matrix2d factor = observation.covariance.llt().matrixL();
    sighting.whitening = factor.triangularView<Eigen::Lower>().solve(Eigen::Matrix2d::Identity());
    frame.sightings.push_back(sighting);
  }
  return frame;
}

/// Whitened residuals of a frame without the robust weights: two per sighting.
std::vector<double> Residuals(const Setting& setting, ArcFrame frame, const Unknowns& x) {
  for (Sighting& sighting : frame.sightings) sighting.weight = 1.0;
  std::vector<double> residuals(2 * frame.sightings.size());
  const FrameResidual cost(frame, setting.guess_time, setting.layout, setting.inertia_B,
                           setting.calibration);
  const auto arc = static_cast<std::size_t>(frame.arc);
  cost(&x.time, x.p.data(), x.q.coeffs().data(), x.v[arc].data(), x.w[arc].data(),
       x.gravity[arc].data(), residuals.data());
  return residuals;
}

/// Mean squared error of a typical sighting: the median of the squared lengths, over the median 2
/// ln 2 of a chi-square with two degrees of freedom. A frame that has left the arc shifts all its
/// sightings; single outliers do not count.
double TypicalSquare(const std::vector<double>& residuals) {
  std::vector<double> squares;
  for (std::size_t i = 0; i + 1 < residuals.size(); i += 2) {
    squares.push_back(residuals[i] * residuals[i] + residuals[i + 1] * residuals[i + 1]);
  }
  if (squares.empty()) return std::numeric_limits<double>::infinity();
  const auto middle = squares.begin() + static_cast<std::ptrdiff_t>(squares.size() / 2);
  std::nth_element(squares.begin(), middle, squares.end());
  return *middle / (2.0 * std::numbers::ln2);
}

bool Solve(const Setting& setting, const std::vector<ArcFrame>& arc_frames, Unknowns* x) {
  ceres::Problem problem;
  for (const ArcFrame& frame : arc_frames) {
    if (frame.sightings.empty()) continue;
    const auto arc = static_cast<std::size_t>(frame.arc);
    problem.AddResidualBlock(
        new ceres::AutoDiffCostFunction<FrameResidual, ceres::DYNAMIC, 1, 3, 4, 3, 3, 3>(
            new FrameResidual(frame, setting.guess_time, setting.layout, setting.inertia_B,
                              setting.calibration),
            static_cast<int>(2 * frame.sightings.size())),
        nullptr, &x->time, x->p.data(), x->q.coeffs().data(), x->v[arc].data(), x->w[arc].data(),
        x->gravity[arc].data());
  }
  problem.SetManifold(x->q.coeffs().data(), new ceres::EigenQuaternionManifold);
  for (Eigen::Vector3d& gravity : x->gravity) problem.SetParameterBlockConstant(gravity.data());
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.max_num_iterations = 50;
  options.function_tolerance = 1e-12;
  options.parameter_tolerance = 1e-12;
  options.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  x->q.normalize();
  return summary.IsSolutionUsable();
}

/// Rms of the whitened residuals per degree of freedom, weights included.
double NoiseScale(const Setting& setting, const std::vector<ArcFrame>& arc_frames,
                  const Unknowns& x) {
  double sum = 0.0, count = -kStates;
  for (const ArcFrame& frame : arc_frames) {
    const std::vector<double> residuals = Residuals(setting, frame, x);
    for (std::size_t i = 0; i < frame.sightings.size(); ++i) {
      const double weight = frame.sightings[i].weight;
      sum += weight * weight *
             (residuals[2 * i] * residuals[2 * i] + residuals[2 * i + 1] * residuals[2 * i + 1]);
      if (weight > 0.0) count += 2.0;
    }
  }
  return std::sqrt(sum / std::max(count, 1.0));
}

/// Size of a typical whitened residual over all frames, blind to outliers.
double RobustNoiseScale(const Setting& setting, const std::vector<ArcFrame>& arc_frames,
                        const Unknowns& x) {
  std::vector<double> all;
  for (const ArcFrame& frame : arc_frames) {
    const std::vector<double> residuals = Residuals(setting, frame, x);
    all.insert(all.end(), residuals.begin(), residuals.end());
  }
  return std::sqrt(TypicalSquare(all));
}

/// Residual pairs of one kind: their mean product over their mean square.
struct Correlation {
  double products = 0.0, squares = 0.0;
  int pairs = 0;
  void Add(const Eigen::Vector2d& a, const Eigen::Vector2d& b) {
    products += a.dot(b);
    squares += 0.5 * (a.squaredNorm() + b.squaredNorm());
    ++pairs;
  }
  /// 0 where there are too few pairs to tell.
  double Value() const { return pairs < 20 || squares == 0.0 ? 0.0 : products / squares; }
};

/// By how much errors that sightings share (compression, shading, lens) make averages worse than
/// white noise would: the product of two factors.
///   - over frames: 1 + 2 sum rho_k, with rho_k the autocorrelation of a marker's residuals at a
///   lag of k frames, summed
///     while it stays positive (initial positive sequence: C. J. Geyer, Practical Markov Chain
///     Monte Carlo, Statistical Science 7(4), 1992);
///   - over markers of one image: 1 + (n - 1) rho, with rho the correlation between markers and n
///   their mean number
///     (design effect of a cluster sample: L. Kish, Survey Sampling, 1965, 5.4).
/// Correlations are pooled over markers, cameras and coordinates.
double CorrelationInflation(const Setting& setting, const std::vector<ArcFrame>& arc_frames,
                            const Unknowns& x) {
  constexpr int kMaxLag = 8;
  std::map<std::array<int, 3>, std::map<int, Eigen::Vector2d>>
      series;  // arc, marker, side -> frame -> residual
  Correlation between_markers;
  double sightings = 0.0, images = 0.0;
  for (const ArcFrame& frame : arc_frames) {
    const std::vector<double> residuals = Residuals(setting, frame, x);
    std::array<std::vector<Eigen::Vector2d>, 2> image;
    for (std::size_t i = 0; i < frame.sightings.size(); ++i) {
      if (frame.sightings[i].weight < 1.0) continue;
      const MarkerObservation& observation = frame.sightings[i].observation;
      const Eigen::Vector2d residual(residuals[2 * i], residuals[2 * i + 1]);
      series[{frame.arc, observation.marker, observation.side}][frame.frame] = residual;
      image[static_cast<std::size_t>(observation.side)].push_back(residual);
    }
    for (const auto& side : image) {
      if (side.empty()) continue;
      sightings += static_cast<double>(side.size());
      images += 1.0;
      for (std::size_t a = 0; a < side.size(); ++a) {
        for (std::size_t b = a + 1; b < side.size(); ++b) between_markers.Add(side[a], side[b]);
      }
    }
  }
  double over_frames = 1.0;
  for (int lag = 1; lag <= kMaxLag; ++lag) {
    Correlation at_lag;
    for (const auto& [key, values] : series) {
      for (const auto& [frame, value] : values) {
        const auto later = values.find(frame + lag);
        if (later != values.end()) at_lag.Add(value, later->second);
      }
    }
    if (at_lag.Value() <= 0.0) break;
    over_frames += 2.0 * at_lag.Value();
  }
  const double over_markers = 1.0 + std::max(0.0, sightings / std::max(images, 1.0) - 1.0) *
                                        std::max(0.0, between_markers.Value());
  return over_frames * over_markers;
}

void Reweigh(const Setting& setting, const ArcFitOptions& options, double scale, const Unknowns& x,
             std::vector<ArcFrame>* arc_frames, int* rejected) {
  *rejected = 0;
  for (ArcFrame& frame : *arc_frames) {
    const std::vector<double> residuals = Residuals(setting, frame, x);
    for (std::size_t i = 0; i < frame.sightings.size(); ++i) {
      const double size = std::hypot(residuals[2 * i], residuals[2 * i + 1]) / scale;
      Sighting& sighting = frame.sightings[i];
      if (size > options.reject_sigmas) {
        sighting.weight = 0.0;
        ++*rejected;
      } else {
        sighting.weight =
            size > options.huber_sigmas ? std::sqrt(options.huber_sigmas / size) : 1.0;
      }
    }
  }
}

/// Jacobian over all unknowns: states (rotation as a small vector in W axes), gravity of both arcs,
/// calibration.
struct Linearisation {
  Eigen::VectorXd residuals;
  Eigen::MatrixXd by_state, by_gravity, by_calibration;
};

Linearisation Linearise(const Setting& setting, const std::vector<ArcFrame>& arc_frames,
                        Unknowns x) {
  ceres::Problem problem;
  for (const ArcFrame& frame : arc_frames) {
    if (frame.sightings.empty()) continue;
    const auto arc = static_cast<std::size_t>(frame.arc);
    problem.AddResidualBlock(new ceres::AutoDiffCostFunction<FrameResidual, ceres::DYNAMIC, 1, 3, 4,
                                                             3, 3, 3, kCalibration>(
                                 new FrameResidual(frame, setting.guess_time, setting.layout,
                                                   setting.inertia_B, setting.calibration),
                                 static_cast<int>(2 * frame.sightings.size())),
                             nullptr, &x.time, x.p.data(), x.q.coeffs().data(), x.v[arc].data(),
                             x.w[arc].data(), x.gravity[arc].data(), x.calibration.data());
  }
  problem.SetManifold(x.q.coeffs().data(), new ceres::EigenQuaternionManifold);
  ceres::Problem::EvaluateOptions options;
  options.parameter_blocks = {
      &x.time,       x.p.data(),    x.q.coeffs().data(), x.v[0].data(),       x.w[0].data(),
      x.v[1].data(), x.w[1].data(), x.gravity[0].data(), x.gravity[1].data(), x.calibration.data()};
  std::vector<double> residuals;
  ceres::CRSMatrix sparse;
  problem.Evaluate(options, nullptr, &residuals, nullptr, &sparse);
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(sparse.num_rows, sparse.num_cols);
  for (int row = 0; row < sparse.num_rows; ++row) {
    for (int k = sparse.rows[static_cast<std::size_t>(row)];
         k < sparse.rows[static_cast<std::size_t>(row) + 1]; ++k) {
      J(row, sparse.cols[static_cast<std::size_t>(k)]) = sparse.values[static_cast<std::size_t>(k)];
    }
  }
  J.middleCols<3>(4) *= 0.5;  // Ceres' quaternion step is half the rotation vector
  Linearisation out;
  out.residuals = Eigen::Map<const Eigen::VectorXd>(residuals.data(),
                                                    static_cast<Eigen::Index>(residuals.size()));
  out.by_state = J.leftCols<kStates>();
  out.by_gravity = J.middleCols<kGravities>(kStates);
  out.by_calibration = J.rightCols<kCalibration>();
  return out;
}

}  // namespace

ImpactFit FitImpactArcs(std::span<const TrackedFrame> frames, const ImpactGuess& guess,
                        const MarkerLayout& layout, const Eigen::Matrix3d& inertia_B,
                        const Eigen::Vector3d& gravity,
                        const calibration::RigCalibration& calibration,
                        const ArcFitOptions& options) {
  ImpactFit fit;
  const Setting setting{
      frames, layout, inertia_B, calibration, guess.time, options.min_facing, ViewsOf(calibration)};
  const double frame_interval = (frames.back().time - frames.front().time) /
                                std::max<double>(1.0, static_cast<double>(frames.size()) - 1.0);
  const double exclusion = options.impact_exclusion * options.exposure.value_or(frame_interval);

  Unknowns x;
  x.p = guess.state.p_WB;
  x.q = guess.state.q_WB;
  x.v = {guess.state.v, guess.v_post};
  x.w = {guess.state.w, guess.w_post};
  x.gravity = {gravity, gravity};

  // Outer ends move in from where the segmentation put them, then out again as far as the fit
  // carries.
  int first = std::min(guess.before.first + 1, guess.before.last),
      last = std::max(guess.after.last - 1, guess.after.first);
  std::vector<ArcFrame> arc_frames;
  const auto collect = [&] {
    arc_frames.clear();
    std::array<int, 2> count{};
    for (int k = first; k <= last; ++k) {
      const TrackedFrame& frame = frames[static_cast<std::size_t>(k)];
      if (!frame.pose.found) continue;
      const double since_impact = frame.time - guess.time - x.time;
      if (std::abs(since_impact) < exclusion) continue;
      const int arc = since_impact < 0.0 ? 0 : 1;
      arc_frames.push_back(MakeArcFrame(setting, k, arc));
      ++count[static_cast<std::size_t>(arc)];
    }
    return std::min(count[0], count[1]);
  };
  const auto solve_robustly = [&] {
    for (int round = 0; round < 3; ++round) {
      if (!Solve(setting, arc_frames, &x)) return false;
      const double scale = std::max(1.0, RobustNoiseScale(setting, arc_frames, x));
      Reweigh(setting, options, scale, x, &arc_frames, &fit.rejected);
    }
    return Solve(setting, arc_frames, &x);
  };
  const auto belongs = [&](int k, int arc, double scale) {
    const ArcFrame frame = MakeArcFrame(setting, k, arc);
    return TypicalSquare(Residuals(setting, frame, x)) < options.frame_mean_square * scale * scale;
  };

  for (int round = 0; round < 3; ++round) {
    if (collect() < options.min_frames) {
      fit.reason = fmt::format(
          "too few frames with a pose in free flight: left frames {} to {}, at least {} needed on "
          "each side of the impact",
          frames[static_cast<std::size_t>(first)].left_frame,
          frames[static_cast<std::size_t>(last)].left_frame, options.min_frames);
      return fit;
    }
    if (!solve_robustly()) {
      fit.reason = "the fit of the two flight arcs did not converge";
      return fit;
    }
    const double scale = std::max(1.0, RobustNoiseScale(setting, arc_frames, x));
    const int old_first = first, old_last = last;
    const int middle = guess.before.last;
    const auto usable = [&](int k) { return frames[static_cast<std::size_t>(k)].pose.found; };
    while (first < middle && (!usable(first) || !belongs(first, 0, scale))) ++first;
    while (last > guess.after.first && (!usable(last) || !belongs(last, 1, scale))) --last;
    if (first == old_first) {
      while (first > 0 && (!usable(first - 1) || belongs(first - 1, 0, scale))) --first;
    }
    if (last == old_last) {
      while (last + 1 < static_cast<int>(frames.size()) &&
             (!usable(last + 1) || belongs(last + 1, 1, scale)))
        ++last;
    }
    if (first == old_first && last == old_last) break;
  }
  // Just after the release, and just before whatever ends the second flight, a trace of it hides in
  // the noise.
  if (first > 0) first = std::min(first + options.drop_at_release, guess.before.last);
  if (last + 1 < static_cast<int>(frames.size()))
    last = std::max(last - options.drop_at_release, guess.after.first);
  if (collect() < options.min_frames || !solve_robustly()) {
    fit.reason = "the fit of the two flight arcs did not converge";
    return fit;
  }

  const Linearisation linear = Linearise(setting, arc_frames, x);
  fit.noise_scale = NoiseScale(setting, arc_frames, x);
  fit.correlation_inflation = CorrelationInflation(setting, arc_frames, x);
  const double variance =
      std::max(1.0, fit.noise_scale * fit.noise_scale) * fit.correlation_inflation;
  const Eigen::MatrixXd normal = linear.by_state.transpose() * linear.by_state;
  const Eigen::LDLT<Eigen::MatrixXd> solver(normal);
  if (solver.info() != Eigen::Success || !(solver.vectorD().minCoeff() > 0.0)) {
    fit.reason = "the frames do not determine the two flight arcs (singular normal matrix)";
    return fit;
  }
  const Eigen::MatrixXd sensitivity =
      -solver.solve(linear.by_state.transpose() * linear.by_calibration);
  const Eigen::MatrixXd covariance =
      variance * solver.solve(Eigen::MatrixXd::Identity(kStates, kStates)) +
      sensitivity * calibration.covariance * sensitivity.transpose();
  fit.usable = true;
  fit.time = guess.time + x.time;
  fit.time_sigma = std::sqrt(covariance(0, 0));
  fit.before = {x.p, x.q, x.v[0], x.w[0]};
  fit.v_post = x.v[1];
  fit.w_post = x.w[1];
  fit.covariance = covariance.bottomRightCorner<kImpactDimension, kImpactDimension>();
  fit.calibration_sensitivity = sensitivity.bottomRows<kImpactDimension>();

  // Gravity audit: one Gauss-Newton step with both gravities free; the model is linear in them.
  Eigen::MatrixXd extended(linear.by_state.rows(), kStates + kGravities);
  extended << linear.by_state, linear.by_gravity;
  const Eigen::LDLT<Eigen::MatrixXd> extended_solver(extended.transpose() * extended);
  const Eigen::VectorXd step = -extended_solver.solve(extended.transpose() * linear.residuals);
  const Eigen::MatrixXd extended_sensitivity =
      -extended_solver.solve(extended.transpose() * linear.by_calibration);
  const Eigen::MatrixXd extended_covariance =
      variance *
          extended_solver.solve(Eigen::MatrixXd::Identity(extended.cols(), extended.cols())) +
      extended_sensitivity * calibration.covariance * extended_sensitivity.transpose();

  for (int arc = 0; arc < 2; ++arc) {
    ArcSummary& summary = fit.arcs[static_cast<std::size_t>(arc)];
    double squares = 0.0;
    for (const ArcFrame& frame : arc_frames) {
      if (frame.arc != arc) continue;
      const int left_frame = frames[static_cast<std::size_t>(frame.frame)].left_frame;
      if (summary.frames++ == 0) summary.first_frame = left_frame;
      summary.last_frame = left_frame;
      const std::vector<double> residuals = Residuals(setting, frame, x);
      for (std::size_t i = 0; i < frame.sightings.size(); ++i) {
        if (frame.sightings[i].weight == 0.0) continue;
        const Eigen::Vector2d error_px =
            frame.sightings[i].whitening.triangularView<Eigen::Lower>().solve(
                Eigen::Vector2d(residuals[2 * i], residuals[2 * i + 1]));
        squares += error_px.squaredNorm();
        ++summary.observations;
      }
    }
    summary.rms_px = std::sqrt(squares / std::max(summary.observations, 1));
    summary.gravity = gravity + step.segment<3>(kStates + 3 * arc);
    summary.gravity_covariance =
        extended_covariance.block<3, 3>(kStates + 3 * arc, kStates + 3 * arc);
  }
  return fit;
}

}  // namespace percuss::tracking
