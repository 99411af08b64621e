// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/arcs/impact_arcs.h"

#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "tracking/arcs/arc_audit.h"
#include "tracking/arcs/arc_noise.h"
#include "tracking/arcs/arc_problem.h"
#include "tracking/flights/torque_free.h"
#include "tracking/pose/flight_estimate.h"
#include "tracking/pose/mirror_image.h"

namespace percuss::tracking {

using enum impacts::ImpactIndex;

namespace {

/// Columns of the derivatives that the fit moves.
std::vector<int> UnknownColumns(const ArcFitOptions& options, int num_cameras) {
  std::vector<int> columns;
  if (options.planar) {
    const int i = kImpactColumn;
    columns = {kTimeColumn, i + kPosition, i + kPosition + 2, i + kRotation + 1, i + kV,
               i + kV + 2,  i + kW + 1,    i + kVPost,        i + kVPost + 2,    i + kWPost + 1};
  } else {
    columns.resize(kGravityColumn);
    std::iota(columns.begin(), columns.end(), 0);
  }
  for (int camera = 0; camera < num_cameras; ++camera) {
    const bool exact =
        camera == 0 || (camera == 1 ? options.clock.exact : options.clock.others_exact);
    if (!exact) columns.push_back(ClockColumn(camera));
    if (options.line_time_sigma > 0.0) columns.push_back(LineColumn(camera));
    if (!exact) columns.push_back(RateColumn(camera));
  }
  return columns;
}

std::vector<int> GravityColumns(bool planar) {
  const int i = kGravityColumn;
  if (planar) return {i, i + 2, i + 3, i + 5};
  return {i, i + 1, i + 2, i + 3, i + 4, i + 5};
}

ArcUnknowns StartOf(const ImpactGuess& guess, bool planar, bool banded) {
  ArcUnknowns x;
  x.before = guess.state;
  x.v_post = guess.v_post;
  x.w_post = guess.w_post;
  if (planar) {
    for (Eigen::Vector3d* v : {&x.before.v, &x.v_post}) v->y() = 0.0;
    for (Eigen::Vector3d* w : {&x.before.w, &x.w_post}) *w = {0.0, w->y(), 0.0};
  }
  if (banded) {
    const Eigen::Vector3d axis = x.before.q_WB * Eigen::Vector3d::UnitZ();
    for (Eigen::Vector3d* w : {&x.before.w, &x.w_post}) *w -= axis.dot(*w) * axis;
  }
  return x;
}

std::vector<int> MarkersSeen(const TrackedFrame& frame) {
  std::vector<int> markers;
  for (const MarkerObservation& seen : frame.observations) markers.push_back(seen.marker);
  return markers;
}

/// Motions that may look like a start in the one view (MirroredMotions).
std::vector<ArcUnknowns> MirroredStarts(const ArcUnknowns& start, const SightingModel& model,
                                        const TrackedFrame& last_before,
                                        const TrackedFrame& first_after) {
  const auto& [p, q, v, w] = start.before;
  std::vector<ArcUnknowns> starts;
  for (const ImpactMotion& motion : MirroredMotions(
           model.views.front(), model.layout, MarkersSeen(last_before), MarkersSeen(first_after),
           {start.before, {p, q, start.v_post, start.w_post}})) {
    ArcUnknowns& mirrored = starts.emplace_back(start);
    mirrored.before = motion.before;
    mirrored.v_post = motion.after.v;
    mirrored.w_post = motion.after.w;
  }
  return starts;
}

/// The step from one motion to another in one view, without the times of the camera.
Eigen::VectorXd StepBetween(const ArcUnknowns& from, const ArcUnknowns& to) {
  const int i = kImpactColumn;
  Eigen::VectorXd step = Eigen::VectorXd::Zero(NumArcColumns(1));
  step[kTimeColumn] = to.time - from.time;
  step.segment<3>(i + kPosition) = to.before.p_WB - from.before.p_WB;
  step.segment<3>(i + kRotation) = RotationVector(to.before.q_WB * from.before.q_WB.conjugate());
  step.segment<3>(i + kV) = to.before.v - from.before.v;
  step.segment<3>(i + kW) = to.before.w - from.before.w;
  step.segment<3>(i + kVPost) = to.v_post - from.v_post;
  step.segment<3>(i + kWPost) = to.w_post - from.w_post;
  return step;
}

/// The fit in work: which frames take part, and where it stands.
class ArcFit {
 public:
  ArcFit(std::span<const TrackedFrame> frames, const ImpactGuess& guess, const ArcProblem& problem,
         const ArcFitOptions& options)
      : frames_(frames), guess_(guess), problem_(problem), options_(options) {
    x_ = StartOf(guess, options.planar, problem.model.layout.Banded());
    const double frame_interval = (frames.back().time - frames.front().time) /
                                  std::max<double>(1.0, static_cast<double>(frames.size()) - 1.0);
    exclusion_ = options.impact_exclusion * options.exposure.value_or(frame_interval);
    smeared_ = {static_cast<int>(frames.size()), -1};
    // Outer ends move in from where the segmentation put them, if the impact leaves that many
    // frames, then out again as far as the fit carries.
    const auto spares = [&](const FlightArc& arc) {
      return arc.last - arc.first > options.min_frames;
    };
    first_ = guess.before.first + spares(guess.before);
    last_ = guess.after.last - spares(guess.after);
  }

  /// Solves, and moves the outer ends, until both agree. Returns why not, or nothing.
  std::string Run() {
    ChooseMotion();
    for (int round = 0; round < 3; ++round) {
      if (Collect() < options_.min_frames) return TooFewFrames();
      if (!SolveRobustly()) return kNotConverged;
      if (options_.smeared && !LeaveOutSmeared()) return kNotConverged;
      if (!MoveEnds()) break;
    }
    GiveUpOuterFrames();
    if (Collect() < options_.min_frames) return TooFewFrames();
    if (!SolveRobustly()) return kNotConverged;
    if (FramesExplained() < options_.min_frames) return TooFewExplained();
    return HasRival() ? kHasRival : "";
  }

  const std::vector<ArcFrame>& ArcFrames() const { return arc_frames_; }
  const ArcUnknowns& States() const { return x_; }
  int Rejected() const { return rejected_; }

 private:
  static constexpr const char* kNotConverged = "the fit of the two flight arcs did not converge";

  std::string TooFewFrames() const {
    return fmt::format(
        "too few frames with a pose in free flight: left frames {} to {}, at least {} needed on "
        "each side of the impact",
        FrameAt(first_).left_frame, FrameAt(last_).left_frame, options_.min_frames);
  }

  static constexpr const char* kHasRival =
      "two motions, mirror images of each other in the one view, explain the sightings about as "
      "well: nearer to the camera, or less face on, they differ";

  std::string TooFewExplained() const {
    return fmt::format(
        "the two flights found miss the markers in most frames: left frames {} to {}, at least {} "
        "needed on each side of the impact in which they do not",
        FrameAt(first_).left_frame, FrameAt(last_).left_frame, options_.min_frames);
  }

  const TrackedFrame& FrameAt(int k) const { return frames_[k]; }

  ArcFrame MakeFrame(int k, int arc) const {
    return MakeArcFrame(problem_.model, frames_, k, arc,
                        {guess_.time + x_.time, exclusion_, options_.min_facing});
  }

  /// Takes the frames from first to last; returns how many the shorter arc has.
  int Collect() {
    arc_frames_.clear();
    std::array<int, 2> count{};
    for (const int arc : {0, 1}) {
      for (int k = first_; k <= last_; ++k) {
        if (!FrameAt(k).pose.found) continue;
        if (arc == 0 ? k >= smeared_[0] : k <= smeared_[1]) continue;
        ArcFrame frame = MakeFrame(k, arc);
        if (frame.sightings.empty()) continue;
        arc_frames_.push_back(std::move(frame));
        ++count[arc];
      }
    }
    return std::min(count[0], count[1]);
  }

  bool SolveRobustly() {
    Linearisation unweighted;
    for (int round = 0; round < 3; ++round) {
      if (!Solve(problem_, arc_frames_, &x_, &unweighted)) return false;
      Reweigh();
    }
    return Solve(problem_, arc_frames_, &x_, &unweighted);
  }

  /// Size of a typical residual, blind to outliers.
  double RobustScale() const {
    return std::sqrt(std::max(1.0, TypicalSquare(Residuals(problem_, arc_frames_, x_))));
  }

  /// How many frames of the shorter arc keep half of their sightings or more.
  int FramesExplained() const {
    std::array<int, 2> count{};
    for (const ArcFrame& frame : arc_frames_) {
      const auto kept =
          std::ranges::count_if(frame.sightings, [](const Sighting& s) { return s.weight > 0.0; });
      count[frame.arc] += 2 * kept >= std::ssize(frame.sightings);
    }
    return std::min(count[0], count[1]);
  }

  /// Solves for the frames at hand from a start. Returns the sum of the squares of the residuals,
  /// of large ones as Reweigh will have it; nothing if it does not converge.
  std::optional<double> SolveFor(ArcUnknowns* x) const {
    Linearisation unweighted;
    if (!Solve(problem_, arc_frames_, x, &unweighted)) return {};
    double cost = 0.0;
    for (const ArcResidual& residual : Residuals(problem_, arc_frames_, *x)) {
      const double size = SizeInSigmas(residual, 1.0), bend = options_.huber_sigmas;
      cost += size < bend ? size * size : bend * (2.0 * size - bend);
    }
    return cost;
  }

  /// Motions that may look like this one.
  std::vector<ArcUnknowns> LookAlikes(const ArcUnknowns& x) const {
    if (problem_.model.views.size() != 1 || options_.planar) return {};
    return MirroredStarts(x, problem_.model, FrameAt(guess_.before.last),
                          FrameAt(guess_.after.first));
  }

  /// Goes from the guess to the motion that it leads to, and on to one that looks like it while one
  /// comes nearer to the sightings by more than rounding does.
  void ChooseMotion() {
    if (LookAlikes(x_).empty() || Collect() < options_.min_frames) return;
    constexpr double kNearer = 1.0;
    double least = std::numeric_limits<double>::infinity();
    std::vector<ArcUnknowns> starts = {x_};
    while (!starts.empty()) {
      bool nearer = false;
      for (ArcUnknowns& x : starts) {
        const std::optional<double> cost = SolveFor(&x);
        if (!cost || *cost > least - kNearer) continue;
        least = *cost;
        x_ = x;
        nearer = true;
      }
      const bool first = starts.size() == 1;
      starts.clear();
      if (nearer || first) starts = LookAlikes(x_);
    }
  }

  /// Whether a motion that looks like this one, but is none that its covariance holds, is no less
  /// than a thousandth as likely.
  bool HasRival() const {
    const std::vector<ArcUnknowns> others = LookAlikes(x_);
    if (others.empty()) return false;
    ArcUnknowns own = x_;
    const double cost = SolveFor(&own).value_or(std::numeric_limits<double>::infinity());
    const double least_apart = std::pow(RobustScale(), 2) * 2.0 * std::log(1000.0);
    const Eigen::MatrixXd J = Linearise(problem_, arc_frames_, own).jacobian;
    return std::ranges::any_of(others, [&](ArcUnknowns x) {
      const std::optional<double> other = SolveFor(&x);
      return other && *other - cost < least_apart &&
             (J * StepBetween(own, x)).squaredNorm() > least_apart;
    });
  }

  void Reweigh() {
    const std::vector<ArcResidual> residuals = Residuals(problem_, arc_frames_, x_);
    const double scale = std::sqrt(std::max(1.0, TypicalSquare(residuals)));
    rejected_ = 0;
    auto residual = residuals.begin();
    for (ArcFrame& frame : arc_frames_) {
      for (Sighting& sighting : frame.sightings) {
        const double size = SizeInSigmas(*residual++, scale);
        if (size > options_.reject_sigmas) {
          sighting.weight = 0.0;
          ++rejected_;
        } else {
          sighting.weight =
              size > options_.huber_sigmas ? std::sqrt(options_.huber_sigmas / size) : 1.0;
        }
      }
    }
  }

  /// Just after the release, and just before whatever ends the second flight, a trace of it hides
  /// in the noise: one frame more goes, where the arc can spare it.
  void GiveUpOuterFrames() {
    Collect();
    for (int i = 0; i < options_.drop_at_release; ++i) {
      if (first_ > 0 && Count(0) > options_.min_frames)
        first_ = std::min(first_ + 1, guess_.before.last);
      if (last_ + 1 < static_cast<int>(frames_.size()) && Count(1) > options_.min_frames)
        last_ = std::max(last_ - 1, guess_.after.first);
      Collect();
    }
  }

  int Count(int arc) const {
    return static_cast<int>(std::ranges::count(arc_frames_, arc, &ArcFrame::arc));
  }

  /// Takes off the worst of the frames at the four ends of the arcs and solves again, until all
  /// belong to their arcs or none can be spared: a bad frame at one end of a short arc makes that
  /// at the other look bad. False if a solve fails.
  bool LeaveOutSmeared() {
    struct End {
      double square = 0.0;
      int frame = 0, arc = 0;
      bool inner = false;
    };
    while (true) {
      if (Collect() < options_.min_frames) return true;
      Linearisation unweighted;
      if (!Solve(problem_, arc_frames_, &x_, &unweighted)) return false;
      End worst;
      for (const std::size_t i :
           {std::size_t{0}, FirstAfter() - 1, FirstAfter(), arc_frames_.size() - 1}) {
        const std::array frame = {arc_frames_[i]};
        const int arc = frame[0].arc;
        const double square = TypicalSquare(Residuals(problem_, frame, x_));
        if (Count(arc) > options_.min_frames && square > worst.square)
          worst = {square, frame[0].frame, arc, i == FirstAfter() - 1 || i == FirstAfter()};
      }
      if (worst.square < std::pow(RobustScale(), 2) * options_.frame_mean_square) return true;
      if (worst.inner) {
        smeared_[worst.arc] = worst.frame;
      } else {
        (worst.arc == 0 ? first_ : last_) = worst.arc == 0 ? worst.frame + 1 : worst.frame - 1;
      }
    }
  }

  /// Place of the second arc's first frame.
  std::size_t FirstAfter() const { return static_cast<std::size_t>(Count(0)); }

  /// Moves the outer ends by what the fit says of the frames there; false if both stay. Smeared
  /// arcs keep the least number of frames: beside an impact and with another one behind, short
  /// flights have no frame that the fit explains to the last digit.
  bool MoveEnds() {
    const double square = std::pow(RobustScale(), 2) * options_.frame_mean_square;
    const auto usable = [&](int k) { return FrameAt(k).pose.found; };
    const auto belongs = [&](int k, int arc) {
      const std::array frame = {MakeFrame(k, arc)};
      return TypicalSquare(Residuals(problem_, frame, x_)) < square;
    };
    const int old_first = first_, old_last = last_, end = static_cast<int>(frames_.size());
    std::array<int, 2> spare = {end, end};
    if (options_.smeared) spare = {Count(0) - options_.min_frames, Count(1) - options_.min_frames};
    const auto goes = [&](int k, int arc) {
      return !usable(k) || (spare[arc]-- > 0 && !belongs(k, arc));
    };
    while (first_ < guess_.before.last && goes(first_, 0)) ++first_;
    while (last_ > guess_.after.first && goes(last_, 1)) --last_;
    if (first_ == old_first) {
      while (first_ > 0 && (!usable(first_ - 1) || belongs(first_ - 1, 0))) --first_;
    }
    if (last_ == old_last) {
      while (last_ + 1 < end && (!usable(last_ + 1) || belongs(last_ + 1, 1))) ++last_;
    }
    return first_ != old_first || last_ != old_last;
  }

  std::span<const TrackedFrame> frames_;
  const ImpactGuess& guess_;
  const ArcProblem& problem_;
  const ArcFitOptions& options_;
  double exclusion_ = 0.0;  ///< [s]
  /// Frames from the first to the second of these are left out, see LeaveOutSmeared.
  std::array<int, 2> smeared_{};
  ArcUnknowns x_;
  int first_ = 0, last_ = 0;  ///< outer ends, places in the list of frames
  std::vector<ArcFrame> arc_frames_;
  int rejected_ = 0;
};

/// Covariance of all columns about the solution, with zeros for those that were held, and one
/// Gauss-Newton step.
struct Spread {
  bool determined = false;
  Eigen::MatrixXd covariance;               ///< pixels and calibration
  Eigen::MatrixXd calibration_sensitivity;  ///< of the columns
  Eigen::VectorXd step;
};

/// @param linear each sighting whitened by itself
/// @param variance of the whitened residuals
Spread SpreadOf(const Linearisation& linear, const std::vector<int>& unknowns,
                std::span<const ArcFrame> frames, std::span<const SharedOffset> offsets,
                double variance, const Eigen::MatrixXd& calibration_covariance) {
  Spread spread;
  const Eigen::MatrixXd J = linear.jacobian(Eigen::all, unknowns);
  const Eigen::LDLT<Eigen::MatrixXd> solver(J.transpose() * J);
  if (solver.info() != Eigen::Success || !(solver.vectorD().minCoeff() > 0.0)) return spread;
  const auto count = static_cast<Eigen::Index>(unknowns.size());
  const Eigen::MatrixXd alone = solver.solve(Eigen::MatrixXd::Identity(count, count));
  const Eigen::Index columns = linear.jacobian.cols();
  spread.covariance.setZero(columns, columns);
  spread.covariance(unknowns, unknowns) =
      variance * (alone + alone * CovarianceOfOffsets(frames, offsets, J) * alone);
  spread.step.setZero(columns);
  spread.step(unknowns) = -solver.solve(J.transpose() * linear.residuals);
  spread.calibration_sensitivity.setZero(columns, linear.by_calibration.cols());
  if (linear.by_calibration.cols() > 0) {
    spread.calibration_sensitivity(unknowns, Eigen::all) =
        -solver.solve(J.transpose() * linear.by_calibration);
    spread.covariance += spread.calibration_sensitivity * calibration_covariance *
                         spread.calibration_sensitivity.transpose();
  }
  spread.determined = true;
  return spread;
}

/// What the residuals tell of the errors of the sightings, once states and calibration are taken
/// from them.
struct ArcNoise {
  std::vector<SharedOffset> offsets;
  double scale = 1.0;
  double correlation_inflation = 1.0;
  /// What markers of an image share is in the covariance by itself unless one view sees a plane.
  double variance = 1.0;
};

ArcNoise FindNoise(const Linearisation& linear, const ArcProblem& problem,
                   std::span<const ArcFrame> frames, const std::vector<ArcResidual>& residuals,
                   const ArcFitOptions& options) {
  const auto num_views = static_cast<int>(problem.model.views.size());
  const auto num_unknowns = static_cast<int>(problem.unknowns.size());
  Eigen::MatrixXd rows = ResidualsAndColumns(linear, problem.unknowns, problem.model.covariance);
  const auto beyond_calibration = [&] {
    return Unweighted(BeyondCalibration(rows, num_unknowns), residuals);
  };
  ArcNoise noise;
  // In a single view an offset of all markers is a shift of the body; what it does from frame to
  // frame is no motion of a body all the same, and six unknowns are moved by it.
  const bool shares = num_views > 1 || !options.planar;
  if (shares) {
    noise.offsets = options.shared_offsets
                        ? *options.shared_offsets
                        : EstimateSharedOffsets(frames, num_views, rows, num_unknowns);
  }
  noise.correlation_inflation = CorrelationInflation(beyond_calibration());
  WhitenSharedOffsets(frames, noise.offsets, rows);
  const std::vector<ArcResidual> whitened = beyond_calibration();
  noise.scale = NoiseScale(whitened, num_unknowns);
  noise.variance = std::max(1.0, noise.scale * noise.scale) *
                   (shares ? InflationOverFrames(whitened) : noise.correlation_inflation);
  return noise;
}

/// One Gauss-Newton step with both gravities free; the model is linear in them. A gravity that is
/// not the stated one is no noise: that is what is left after the step.
void AuditGravity(const Linearisation& linear, ArcProblem problem, std::span<const ArcFrame> frames,
                  const std::vector<ArcResidual>& residuals, const ArcFitOptions& options,
                  std::array<ArcSummary, 2>* arcs) {
  for (const int column : GravityColumns(options.planar)) problem.unknowns.push_back(column);
  const ArcNoise noise = FindNoise(linear, problem, frames, residuals, options);
  const Spread spread = SpreadOf(linear, problem.unknowns, frames, noise.offsets, noise.variance,
                                 problem.model.covariance);
  for (int arc = 0; arc < 2 && spread.determined; ++arc) {
    ArcSummary& summary = (*arcs)[arc];
    const int place = kGravityColumn + 3 * arc;
    summary.gravity = problem.gravity + spread.step.segment<3>(place);
    summary.gravity_covariance = spread.covariance.block<3, 3>(place, place);
  }
}

/// Distance of a sighting from where it was expected, not whitened: pixels or metres.
double DistanceOf(const Sighting& sighting, const SightingVector& residual) {
  const SightingVector error = sighting.whitening.triangularView<Eigen::Lower>().solve(residual);
  return SourceOf(sighting) == kPoseSource ? error.head<3>().norm() : error.norm();
}

void Summarise(std::span<const TrackedFrame> frames, const std::vector<ArcFrame>& arc_frames,
               const std::vector<ArcResidual>& residuals, std::array<ArcSummary, 2>* arcs) {
  std::array<double, 2> squares_px{}, squares_m{};
  std::array<int, 2> pixels{};
  auto residual = residuals.begin();
  for (const ArcFrame& frame : arc_frames) {
    const auto arc = static_cast<std::size_t>(frame.arc);
    ArcSummary& summary = (*arcs)[arc];
    const int left_frame = frames[frame.frame].left_frame;
    if (summary.frames++ == 0) summary.first_frame = left_frame;
    summary.last_frame = left_frame;
    for (const Sighting& sighting : frame.sightings) {
      const double distance = DistanceOf(sighting, (residual++)->value);
      if (sighting.weight == 0.0) continue;
      const bool pixel = SourceOf(sighting) >= 0;
      (pixel ? squares_px : squares_m)[arc] += distance * distance;
      pixels[arc] += pixel;
      ++summary.observations;
    }
  }
  for (std::size_t arc = 0; arc < 2; ++arc) {
    ArcSummary& summary = (*arcs)[arc];
    const int others = summary.observations - pixels[arc];
    if (pixels[arc] > 0) summary.rms_px = std::sqrt(squares_px[arc] / pixels[arc]);
    if (others > 0) summary.rms_m = std::sqrt(squares_m[arc] / others);
  }
}

}  // namespace

double PixelNoise(const ImpactFit& fit) {
  double sum = 0.0;
  int coordinates = 0;
  for (const ArcSummary& arc : fit.arcs) {
    sum += arc.observations * arc.rms_px * arc.rms_px;
    coordinates += 2 * arc.observations;
  }
  return sum > 0.0 ? std::sqrt(sum / coordinates) : std::numeric_limits<double>::quiet_NaN();
}

ImpactFit FitImpactArcs(std::span<const TrackedFrame> frames, const ImpactGuess& guess,
                        const MarkerLayout& layout, const Eigen::Matrix3d& inertia_B,
                        const Eigen::Vector3d& gravity,
                        const calibration::RigCalibration& calibration,
                        const ArcFitOptions& options) {
  ImpactFit fit;
  if (!options.clock.exact && calibration.cameras.size() < 2) {
    throw std::invalid_argument(fmt::format(
        "ArcFitOptions.clock.exact: found false with {} cameras, allowed true unless there are 2 "
        "or more",
        calibration.cameras.size()));
  }
  const bool whole_bench = options.bench_covariance.size() > 0;
  const SightingModel model(layout, calibration, whole_bench ? &options.bench_covariance : nullptr);
  FittedArcs& arcs = fit.arcs_fitted;
  arcs.guess_time = guess.time;
  arcs.planar = options.planar;
  arcs.unknowns = UnknownColumns(options, static_cast<int>(calibration.cameras.size()));
  arcs.clock_sigma = options.clock.sigma;
  arcs.spin = options.spin;
  ArcProblem problem = ProblemOf(arcs, model, inertia_B, gravity);
  problem.line_time_sigma = options.line_time_sigma;
  ArcFit work(frames, guess, problem, options);
  fit.reason = work.Run();
  fit.rejected = work.Rejected();
  if (!fit.reason.empty()) return fit;

  arcs.frames = work.ArcFrames();
  arcs.solution = work.States();
  const ArcUnknowns& x = arcs.solution;
  const std::vector<ArcResidual> residuals = Residuals(problem, arcs.frames, x);
  Summarise(frames, arcs.frames, residuals, &fit.arcs);
  const double rms_px = std::max(fit.arcs[0].rms_px, fit.arcs[1].rms_px);
  if (rms_px > options.max_rms_px) {
    fit.reason = fmt::format(
        "the motion is no free flight: two flights miss the markers by {:.1f} and {:.1f} px (rms), "
        "allowed {:.2g} px; are gravity, frame rate and body as stated?",
        fit.arcs[0].rms_px, fit.arcs[1].rms_px, options.max_rms_px);
    return fit;
  }
  const Linearisation linear = Linearise(problem, arcs.frames, x);
  if (!options.clock.exact && std::abs(x.clock[1]) <= options.exact_clock) {
    // What sightings share and noise beyond what they state, which take longest to find, add to it.
    const Spread least = SpreadOf(linear, problem.unknowns, {}, {}, 1.0, model.covariance);
    fit.clock_is_exact =
        least.determined &&
        std::abs(x.clock[1]) <= 3.0 * std::sqrt(least.covariance(ClockColumn(1), ClockColumn(1)));
    if (fit.clock_is_exact) return fit;
  }
  const ArcNoise noise = FindNoise(linear, problem, arcs.frames, residuals, options);
  arcs.shared_offsets = problem.shared_offsets = noise.offsets;
  fit.noise_scale = noise.scale;
  fit.correlation_inflation = noise.correlation_inflation;
  arcs.variance = std::max(1.0, noise.scale * noise.scale) * noise.correlation_inflation;
  const Spread spread = SpreadOf(linear, problem.unknowns, arcs.frames, arcs.shared_offsets,
                                 noise.variance, model.covariance);
  if (!spread.determined) {
    fit.reason =
        "the frames do not determine the flight before and after the impact: more frames or more "
        "markers are needed on both sides of it";
    return fit;
  }
  fit.usable = true;
  fit.time = guess.time + x.time;
  fit.time_sigma = std::sqrt(spread.covariance(kTimeColumn, kTimeColumn));
  fit.before = x.before;
  fit.v_post = x.v_post;
  fit.w_post = x.w_post;
  fit.covariance = spread.covariance.block<impacts::kImpactDimension, impacts::kImpactDimension>(
      kImpactColumn, kImpactColumn);
  fit.calibration_sensitivity =
      spread.calibration_sensitivity.middleRows<impacts::kImpactDimension>(kImpactColumn);
  if (layout.Banded() && !options.planar) {
    const Eigen::Vector3d axis = x.before.q_WB * Eigen::Vector3d::UnitZ();
    const Eigen::Matrix3d across = Eigen::Matrix3d::Identity() - axis * axis.transpose();
    Eigen::Matrix<double, impacts::kImpactDimension, impacts::kImpactDimension> keep =
        Eigen::Matrix<double, impacts::kImpactDimension, impacts::kImpactDimension>::Identity();
    keep.block<3, 3>(kRotation, kRotation) = across;
    fit.covariance = keep * fit.covariance * keep.transpose();
    fit.calibration_sensitivity = keep * fit.calibration_sensitivity;
  }
  fit.clock_offset = x.clock;
  fit.clock_rate = x.clock_rate;
  fit.line_time = x.line_time;
  for (std::size_t c = 0; c < calibration.cameras.size(); ++c) {
    fit.clock_sigma[c] = std::sqrt(spread.covariance(ClockColumn(c), ClockColumn(c)));
    fit.line_time_sigma[c] = std::sqrt(spread.covariance(LineColumn(c), LineColumn(c)));
  }
  std::optional<Eigen::Vector3d> unseen_axis;
  if (problem.spin) unseen_axis = x.before.q_WB * Eigen::Vector3d::UnitZ();
  fit.pose_jump =
      FindPoseJump(problem, arcs.frames, linear, noise.variance, model.covariance, unseen_axis);
  if (options.planar) {
    fit.out_of_plane = AuditPlane(problem, inertia_B, arcs.frames, x, residuals, model.covariance);
  }

  if (options.audit_gravity)
    AuditGravity(linear, problem, arcs.frames, residuals, options, &fit.arcs);
  return fit;
}

}  // namespace percuss::tracking
