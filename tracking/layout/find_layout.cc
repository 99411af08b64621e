// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/layout/find_layout.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"
#include "base/math/geometry.h"
#include "base/parallel.h"
#include "capture/video/tone.h"
#include "solver/body/shape_lengths.h"
#include "tracking/layout/body_frame.h"
#include "tracking/layout/layout_trials.h"
#include "tracking/layout/outline_fit.h"
#include "tracking/layout/shape_symmetry.h"

namespace percuss::tracking {
namespace {

/// What all steps share.
struct Finder {
  const capture::Experiment& experiment;
  const LayoutFinderOptions& options;
  const Views views;
  std::vector<LayoutTrial> trials = {};
  capture::MarkedBody body = {};             ///< with the markers as they stand
  std::vector<PlacedMarker> markers = {};    ///< the same
  std::vector<BodyFrame> other_frames = {};  ///< hypotheses beside the first, from its frame

  void Say(const char* step, double fraction) const {
    if (options.progress) options.progress(step, fraction);
  }
  /// Two markers are not nearer than their diameter.
  double SamePlace() const { return 0.75 * experiment.body.marker_diameter; }
};

/// The markers of the body, numbered.
void SetMarkers(Finder* finder) {
  finder->body = finder->experiment.body;
  finder->body.unplaced.reset();
  for (const PlacedMarker& marker : finder->markers) {
    finder->body.markers.push_back(
        {.name = fmt::format("A{}", finder->body.markers.size() + 1), .p_BM = marker.p});
  }
}

void MoveMarkers(const BodyPose& X, std::vector<PlacedMarker>* markers) {
  for (PlacedMarker& marker : *markers) {
    marker.p = X.q_WB * marker.p + X.p_WB;
    marker.towards = X.q_WB * marker.towards;
  }
}

/// Spots and tracks of all trials; those without either are left out. Returns why, of the last one.
std::string FollowAll(Polarity polarity, Finder* finder) {
  const std::vector<capture::Trial> trials = TrialsForLayout(finder->experiment, finder->options);
  const auto count = static_cast<int>(trials.size());
  std::vector<LayoutTrial> followed(trials.size());
  std::vector<std::string> reasons(trials.size());
  const int at_once = std::min(count, finder->options.num_threads);
  ParallelFor(count, at_once, [&](int k) {
    TrackingOptions options;
    options.num_threads = std::max(1, finder->options.num_threads / at_once);
    options.detection.polarity = polarity;
    followed[k].trial = trials[k];
    try {
      const TrialSpots spots =
          FindTrialSpots(finder->experiment, trials[k], finder->views, options);
      followed[k].unnamed =
          FollowTrialSpots(finder->experiment, trials[k], finder->views, spots, options);
      reasons[k] = followed[k].unnamed.reason;
    } catch (const InputError& error) {
      reasons[k] = error.what();  // the trial itself will say so
    } catch (const DataError& error) {
      reasons[k] = error.what();
    }
  });
  finder->trials.clear();
  std::string reason;
  for (std::size_t k = 0; k < trials.size(); ++k) {
    if (reasons[k].empty()) {
      finder->trials.push_back(std::move(followed[k]));
    } else {
      reason = reasons[k];
    }
  }
  return reason;
}

/// The configuration of most markers, over all trials, and which trial shows it.
std::string BestConfiguration(const Finder& finder, Configuration* best, std::size_t* trial) {
  std::string reason;
  for (std::size_t k = 0; k < finder.trials.size(); ++k) {
    Configuration found = ConfigurationOf(finder.views, finder.trials[k].unnamed);
    if (!found.reason.empty()) {
      reason = fmt::format("trial {}: {}", finder.trials[k].trial.name, found.reason);
    } else if (found.markers.size() > best->markers.size()) {
      *best = std::move(found);
      *trial = k;
    }
  }
  return best->markers.empty() ? reason : std::string();
}

FrameSigmas SigmasOf(const capture::MarkedBody& body) {
  // What is held as typed cannot be held here: nothing was.
  const double least = 1e-4;
  return {std::max(least, body.sigma.marker), std::max(least, body.sigma.mass_centre)};
}

/// The frame of the body from all that is known but its outline; the markers go there.
void FindFrame(const std::vector<PoseSequence>& sequences, Finder* finder) {
  const FlightMotion motion = FindFlightMotion(sequences);
  if (motion.spins.empty()) {
    throw DataError(fmt::format(
        "{}: body.markers: {} markers move as one body, but in no trial does it fly freely: check "
        "gravity and frame_rate",
        finder->experiment.file.string(), finder->markers.size()));
  }
  std::vector<BodyFrame> frames = FindBodyFrames(finder->experiment.body.body, finder->markers,
                                                 motion, SigmasOf(finder->experiment.body));
  MoveMarkers(frames.front().X_BM, &finder->markers);
  const Eigen::Matrix3d turn = [&] {
    std::vector<Eigen::Vector3d> places;
    for (const PlacedMarker& marker : finder->markers) places.push_back(marker.p);
    return ConventionalRotation(finder->experiment.body.body.shape, places);
  }();
  MoveMarkers({Eigen::Vector3d::Zero(), Eigen::Quaterniond(turn)}, &finder->markers);
  finder->other_frames.assign(frames.begin() + 1, frames.end());
  const BodyPose X_FM{turn * frames.front().X_BM.p_WB,
                      Eigen::Quaterniond(turn) * frames.front().X_BM.q_WB};
  for (BodyFrame& other : finder->other_frames) {
    // From the frame that was taken to this one.
    const Eigen::Quaterniond q = other.X_BM.q_WB * X_FM.q_WB.conjugate();
    other.X_BM = {other.X_BM.p_WB - q * X_FM.p_WB, q};
  }
  SetMarkers(finder);
}

/// Poses of the configuration in its trial, before there are labels.
PoseSequence PosesOfConfiguration(const Configuration& configuration, const LayoutTrial& trial) {
  double radius = 0.0;
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  for (const PlacedMarker& marker : configuration.markers)
    mean += marker.p / static_cast<double>(configuration.markers.size());
  for (const PlacedMarker& marker : configuration.markers)
    radius = std::max(radius, (marker.p - mean).norm());
  PoseSequence sequence{trial.trial.gravity, {}};
  for (std::size_t k = 0; k < configuration.poses.size(); ++k) {
    if (!configuration.poses[k]) continue;
    // The point that is known well is the middle of the markers.
    TimedPose seen{.time = trial.unnamed.instants[k].time, .pose = *configuration.poses[k]};
    seen.rotation_sigma = 2e-4 / radius;
    seen.sigma = 2e-4;
    sequence.poses.push_back(seen);
  }
  return sequence;
}

void LabelAll(Finder* finder) {
  const auto count = static_cast<int>(finder->trials.size());
  ParallelFor(count, std::min(count, finder->options.num_threads),
              [&](int k) { LabelWith(finder->body, finder->views, &finder->trials[k]); });
}

/// Markers that are on no list yet and lie where a marker may be.
std::vector<PlacedMarker> FurtherMarkers(const Finder& finder) {
  std::vector<Eigen::Vector3d> known;
  for (const PlacedMarker& marker : finder.markers) known.push_back(marker.p);
  std::vector<PlacedMarker> more;
  for (const LayoutTrial& trial : finder.trials) {
    Merge(MarkersBeside(finder.views, trial.unnamed, trial.tracked, known, finder.SamePlace()),
          finder.SamePlace(), &more);
  }
  // Two spots that are no point give one off the surface, or on the far side of the body.
  const solver::Shape& shape = finder.body.body.shape;
  const double near = 6.0 * SigmasOf(finder.body).surface;
  std::erase_if(more, [&](const PlacedMarker& marker) {
    return std::abs(solver::SurfaceDistance(shape, marker.p)) > near ||
           solver::OutwardNormal(shape, marker.p).dot(marker.towards) < 0.0;
  });
  return more;
}

/// Labels, places and frame in turn until no marker is added and none moves.
void GrowLayout(Finder* finder) {
  constexpr int kMaxRounds = 8;
  int settled = 0;
  for (int round = 0; round < kMaxRounds && settled < 2; ++round) {
    finder->Say("layout", static_cast<double>(round) / kMaxRounds);
    LabelAll(finder);
    const std::vector<PlacedMarker> more = FurtherMarkers(*finder);
    const std::vector<PlacedMarker> before = finder->markers;
    RefinePlaces(finder->views, finder->trials, finder->body, &finder->markers);
    double moved = 0.0;
    for (std::size_t m = 0; m < before.size(); ++m)
      moved = std::max(moved, (before[m].p - finder->markers[m].p).norm());
    finder->markers.insert(finder->markers.end(), more.begin(), more.end());
    std::vector<PoseSequence> sequences;
    for (const LayoutTrial& trial : finder->trials)
      sequences.push_back(PosesOf(trial.tracked.frames, trial.trial.gravity));
    FindFrame(sequences, finder);
    constexpr double kAtRest = 3e-5;  // [m]
    settled = more.empty() && moved < kAtRest ? settled + 1 : 0;
  }
}

/// Takes out what was seen too rarely, and the least seen of more than there are.
void ChooseMarkers(Finder* finder, std::vector<std::string>* warnings) {
  const capture::UnplacedMarkers& stated = *finder->experiment.body.unplaced;
  constexpr int kMinSightings = 12;  // six frames of two cameras
  std::erase_if(finder->markers,
                [&](const PlacedMarker& marker) { return marker.sightings < kMinSightings; });
  std::ranges::stable_sort(finder->markers, std::greater<>(), &PlacedMarker::sightings);
  const std::size_t found = finder->markers.size();
  const auto count = static_cast<std::size_t>(stated.count);
  if (found > count) {
    warnings->push_back(fmt::format(
        "{} spots move with the body where {} markers are stated: the {} that were seen most are "
        "taken; if all are markers, write {{count: {}}}",
        found, count, count, found));
    finder->markers.resize(count);
  } else if (found < count) {
    warnings->push_back(fmt::format(
        "{} of {} markers were found: the others were seen in too few frames of free flight", found,
        count));
  }
  SetMarkers(finder);
}

/// The order of names: along the longest side of the shape, then along the others.
void SortByPlace(Finder* finder) {
  const solver::Shape& shape = finder->body.body.shape;
  std::array<int, 3> axes = {0, 1, 2};
  std::ranges::stable_sort(axes, std::greater<>(), [&](int axis) {
    return solver::SupportPoint(shape, Eigen::Vector3d::Unit(axis))[axis];
  });
  std::ranges::sort(finder->markers, [&](const PlacedMarker& a, const PlacedMarker& b) {
    for (const int axis : axes) {
      if (a.p[axis] != b.p[axis]) return a.p[axis] < b.p[axis];
    }
    return false;
  });
  SetMarkers(finder);
  const std::vector<std::string>& names = finder->experiment.body.unplaced->names;
  for (std::size_t m = 0; m < std::min(names.size(), finder->body.markers.size()); ++m)
    finder->body.markers[m].name = names[m];
}

std::vector<BodyPicture> ReadAllPictures(const Finder& finder) {
  constexpr int kPictures = 64;  // of both cameras: beyond this edges tell what they told already
  const auto count = static_cast<int>(finder.trials.size());
  const int each = std::clamp(kPictures / (2 * count), 2, 12);
  std::vector<std::vector<BodyPicture>> of_trial(finder.trials.size());
  ParallelFor(count, std::min(count, finder.options.num_threads), [&](int k) {
    of_trial[k] =
        ReadBodyPictures(finder.experiment, finder.body, finder.views, finder.trials[k], k, each);
  });
  std::vector<BodyPicture> pictures;
  for (std::vector<BodyPicture>& some : of_trial)
    std::ranges::move(some, std::back_inserter(pictures));
  return pictures;
}

/// The outline in the frame that was taken, and in those that explain the rest as well.
OutlineFit BestOutline(const std::vector<BodyPicture>& pictures, Finder* finder) {
  const auto light = capture::LightOfGrey(finder->experiment.tone);
  const auto fit = [&](const BodyPose& X_BF) {
    std::vector<BodyPicture> moved = pictures;
    OutlineKnowledge knowledge{{}, SigmasOf(finder->body).surface, finder->body.sigma.length};
    for (BodyPicture& picture : moved) {
      const Eigen::Quaterniond q_FB = X_BF.q_WB.conjugate();
      picture.pose.p_WB -= picture.pose.q_WB * (q_FB * X_BF.p_WB);
      picture.pose.q_WB = picture.pose.q_WB * q_FB;
    }
    for (const PlacedMarker& marker : finder->markers)
      knowledge.p_BM.push_back(X_BF.q_WB * marker.p + X_BF.p_WB);
    return FitOutline(finder->body.body.shape, moved, finder->views, light, knowledge);
  };
  BodyPose best_frame;
  OutlineFit best = fit(best_frame);
  for (const BodyFrame& other : finder->other_frames) {
    const OutlineFit one = fit(other.X_BM);
    if (!one.reason.empty() || (best.reason.empty() && best.share > one.share)) continue;
    best = one;
    best_frame = other.X_BM;
  }
  MoveMarkers(best_frame, &finder->markers);
  return best;
}

/// A ruler's error of each marker but where that would move all of them as one, and the frame's.
Eigen::MatrixXd PlacesCovariance(const std::vector<PlacedMarker>& markers, double marker_sigma,
                                 const Eigen::Matrix<double, 6, 6>& frame) {
  const auto size = static_cast<Eigen::Index>(3 * markers.size());
  Eigen::MatrixXd modes(size, 6);
  for (std::size_t m = 0; m < markers.size(); ++m)
    modes.middleRows<3>(static_cast<Eigen::Index>(3 * m)) << Skew(markers[m].p),
        -Eigen::Matrix3d::Identity();
  const Eigen::MatrixXd onto = modes.completeOrthogonalDecomposition().pseudoInverse();
  const Eigen::MatrixXd apart = Eigen::MatrixXd::Identity(size, size) - modes * onto;
  return marker_sigma * marker_sigma * apart * apart.transpose() +
         modes * frame * modes.transpose();
}

}  // namespace

std::vector<capture::Trial> TrialsForLayout(const capture::Experiment& experiment,
                                            const LayoutFinderOptions& options) {
  std::vector<capture::Trial> drops = experiment.trials;
  std::erase_if(
      drops, [](const capture::Trial& trial) { return trial.kind != capture::Trial::Kind::kDrop; });
  const auto all = static_cast<int>(drops.size());
  const int count = std::min(all, options.max_trials);
  std::vector<capture::Trial> trials;
  for (int i = 0; i < count; ++i)
    trials.push_back(drops[static_cast<std::size_t>((2 * i + 1) * all / (2 * count))]);
  return trials;
}

FoundLayout FindLayout(const capture::Experiment& experiment,
                       const calibration::RigCalibration& calibration,
                       const LayoutFinderOptions& options) {
  if (!InertiaHasSymmetry(experiment.body.body)) {
    throw InputError(
        fmt::format("{}: body.inertia: found one without the symmetry of the shape, allowed for "
                    "markers without "
                    "places is one that looks the same wherever the shape does",
                    experiment.file.string()));
  }
  Finder finder{experiment, options, PairOf(ViewsOf(calibration))};
  const auto fail = [&](const std::string& reason) {
    throw DataError(
        fmt::format("{}: body.markers: no places found: {}; measure them and write a "
                    "map of names to places, A1: [x, y, z]",
                    experiment.file.string(), reason));
  };
  Configuration configuration;
  std::size_t trial = 0;
  std::string reason;
  for (const Polarity polarity : {Polarity::kBright, Polarity::kDark}) {
    finder.Say("layout: following markers", 0.0);
    reason = FollowAll(polarity, &finder);
    if (finder.trials.empty()) continue;
    reason = BestConfiguration(finder, &configuration, &trial);
    if (reason.empty()) break;
  }
  if (!reason.empty() || configuration.markers.empty()) fail(reason);
  finder.markers = configuration.markers;
  FindFrame({PosesOfConfiguration(configuration, finder.trials[trial])}, &finder);
  GrowLayout(&finder);
  FoundLayout found;
  ChooseMarkers(&finder, &found.warnings);
  if (finder.markers.size() < 4)
    fail(fmt::format("{} markers were seen often enough, at least 4 are needed",
                     finder.markers.size()));
  LabelAll(&finder);
  finder.Say("layout: outline", 0.0);
  const std::vector<BodyPicture> pictures = ReadAllPictures(finder);
  const OutlineFit outline = BestOutline(pictures, &finder);
  if (!outline.reason.empty()) fail(outline.reason);
  const Eigen::Quaterniond q_BO = outline.X_OB.q_WB.conjugate();
  MoveMarkers({-(q_BO * outline.X_OB.p_WB), q_BO}, &finder.markers);
  SortByPlace(&finder);
  found.body = finder.body;
  found.body.marker_covariance =
      PlacesCovariance(finder.markers, SigmasOf(finder.body).surface, outline.covariance);
  found.pictures = static_cast<int>(pictures.size());
  found.outline_rms_px = outline.rms_px;
  found.rotation_sigma = std::sqrt(outline.covariance.topLeftCorner<3, 3>().trace() / 3.0);
  found.shift_sigma = std::sqrt(outline.covariance.bottomRightCorner<3, 3>().trace() / 3.0);
  for (const PlacedMarker& marker : finder.markers) found.sightings.push_back(marker.sightings);
  return found;
}

}  // namespace percuss::tracking
