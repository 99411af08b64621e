// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/labels/body_labels.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace percuss::tracking {

using enum impacts::ImpactIndex;

namespace {

/// Flight frames after a start or a change that settle the velocities.
constexpr int kSettlingFrames = 3;

/// A sighting this near to where the body's pose has its marker is of that marker.
constexpr double kSurePx = 0.5;

int NumMarkers(std::span<const MarkerObservation> observations) {
  int count = 0;  // observations are sorted by marker
  for (std::size_t i = 0; i < observations.size(); ++i)
    count += i == 0 || observations[i].marker != observations[i - 1].marker;
  return count;
}

BodyPose PoseOf(const FlightEstimate& estimate) {
  return {estimate.state.p_WB, estimate.state.q_WB};
}

double Variance(const MarkerObservation& observation) {
  return 0.5 * observation.covariance.trace();
}

/// 99.99 % point of chi-square (E. Wilson, M. Hilferty, PNAS 17, 1931).
double ChiSquareLimit(int degrees_of_freedom) {
  const double spread = 2.0 / (9.0 * degrees_of_freedom);
  return degrees_of_freedom * std::pow(1.0 - spread + 3.72 * std::sqrt(spread), 3);
}

/// Variance that each sighting's distance from the pose should have per coordinate: its own less
/// what the pose took of it.
std::vector<double> ResidualVariances(const TrackedBody& body, double time,
                                      const InstantLabels& labels) {
  FlightEstimate estimate;
  estimate.time = time;
  estimate.state.p_WB = labels.pose.pose.p_WB;
  estimate.state.q_WB = labels.pose.pose.q_WB;
  estimate.covariance.topLeftCorner<6, 6>() = labels.pose.covariance;
  std::vector<double> variances;
  for (const MarkerObservation& seen : labels.observations) {
    const auto prediction = PredictMarker(body, estimate, seen.marker, seen.side);
    const double own = Variance(seen);
    variances.push_back(prediction ? std::max(0.1 * own, own - 0.5 * prediction->covariance.trace())
                                   : own);
  }
  return variances;
}

/// By how much the sigmas of the spots are wrong, from the residuals of the poses: the median over
/// a frame's sightings, so that a sighting or two may be wrong, averaged over the frames.
class NoiseScale {
 public:
  void Add(const TrackedBody& body, double time, const InstantLabels& labels) {
    const std::size_t count = labels.observations.size();
    const int dof = labels.pose.degrees_of_freedom;
    if (!labels.pose.found || dof < static_cast<int>(count)) return;
    const std::vector<double> variances = ResidualVariances(body, time, labels);
    std::vector<double> squares;
    for (std::size_t i = 0; i < count; ++i) {
      const double error = labels.pose.error_px[i];
      squares.push_back(0.5 * error * error / variances[i]);
    }
    std::ranges::sort(squares);
    const double median = 0.5 * (squares[(count - 1) / 2] + squares[count / 2]);
    // Half of a chi-square with two degrees of freedom; the mean of the median of so many.
    sum_ += median / (std::log(2.0) + 0.5 / static_cast<double>(count));
    ++frames_;
  }
  double Value() const { return std::sqrt(sum_ / frames_); }

 private:
  // Begins as if ten frames had shown the sigmas to be right.
  double sum_ = 10.0;
  int frames_ = 10;
};

struct Labeller {
  const TrackedBody& body;
  std::span<const StereoSpots> instants;
  const LabelOptions& options;
  BodyLabels result;
  NoiseScale noise;
  double innovation_sum = 0.0;
  int innovation_count = 0;
  std::int64_t work = 0;
  std::vector<std::optional<FlightEstimate>> estimates;  ///< of the filter, where it saw the body

  const StereoSpots& Spots(int k) const { return instants[k]; }
  InstantLabels& Labels(int k) { return result.instants[k]; }
};

/// Where a walk through the instants is.
struct Walk {
  FlightEstimate estimate;
  int flight_frames = 0;  ///< in a row that gravity alone explained
};

/// Sightings of the spots of an instant that have labels.
std::vector<MarkerObservation> SightingsOf(const Labeller& labeller, int k,
                                           const std::array<std::vector<int>, 2>& marker_of_blob,
                                           const BodyPose& pose) {
  const TrackedBody& body = labeller.body;
  const StereoSpots& spots = labeller.Spots(k);
  std::vector<MarkerObservation> sightings =
      ObservationsOf(body.views, body.layout, spots.blobs, marker_of_blob, pose);
  for (MarkerObservation& sighting : sightings) {
    if (!spots.exposure[sighting.side].AtInstant())
      sighting.time = spots.TimeOf(sighting.pixel, sighting.side, body.views);
  }
  return sightings;
}

/// Whether sightings say more than the six numbers of a pose.
bool CheckEachOther(const Labeller& labeller, std::span<const MarkerObservation> sightings) {
  return NumMarkers(sightings) >= labeller.options.search.min_markers && sightings.size() > 3;
}

/// Labels from a first guess of pose and velocities: labels by projection, pose from labels, three
/// times.
bool LabelAround(const Labeller& labeller, int k, FlightEstimate guess, InstantLabels* labels) {
  const TrackedBody& body = labeller.body;
  const LabelOptions& options = labeller.options;
  const StereoSpots& spots = labeller.Spots(k);
  double gate = options.search.gate_px;
  for (int round = 0; round < 3; ++round) {
    std::array<std::vector<int>, 2> marker_of_blob;
    for (int side = 0; side < static_cast<int>(body.views.size()); ++side) {
      marker_of_blob[side] = AssignNearest(body, guess.state, side, spots.exposure[side],
                                           spots.blobs[side], options.min_facing, gate);
    }
    labels->observations = SightingsOf(labeller, k, marker_of_blob, PoseOf(guess));
    if (!CheckEachOther(labeller, labels->observations)) return false;
    labels->pose = EstimatePoseAt(body, guess, labels->observations, 0.3);
    if (!labels->pose.found) {
      // The robust weights converge slowly where many residuals lie about their threshold.
      guess.state.p_WB = labels->pose.pose.p_WB;
      guess.state.q_WB = labels->pose.pose.q_WB;
      labels->pose = EstimatePoseAt(body, guess, labels->observations, 0.0);
    }
    if (!labels->pose.found) return false;
    guess.state.p_WB = labels->pose.pose.p_WB;
    guess.state.q_WB = labels->pose.pose.q_WB;
    gate = options.reject_px;
  }
  return labels->pose.rms_px < options.reject_px;
}

/// Whether half of what should be seen well is labelled, in the views that have a picture.
bool EnoughSeen(const Labeller& labeller, int k, const FlightEstimate& estimate,
                std::size_t num_labelled) {
  std::size_t expected = 0;
  for (int side = 0; side < static_cast<int>(labeller.body.views.size()); ++side) {
    if (labeller.Spots(k).blobs[side].empty()) continue;
    expected += PredictMarkers(labeller.body, estimate, side, labeller.Spots(k).exposure[side],
                               labeller.options.search.min_facing)
                    .size();
  }
  return 2 * num_labelled >= expected;
}

/// The sightings that agree with the pose that they gave.
std::vector<MarkerObservation> Inliers(const InstantLabels& labels, double gate,
                                       double noise_scale) {
  std::vector<MarkerObservation> inliers;
  for (std::size_t i = 0; i < labels.observations.size(); ++i) {
    const double error = labels.pose.error_px[i] / noise_scale;
    if (error * error < gate * Variance(labels.observations[i]))
      inliers.push_back(labels.observations[i]);
  }
  return inliers;
}

/// Labels of one instant with what the filter makes of them.
struct Attempt {
  InstantLabels labels;
  FilterUpdate update;
  bool agrees = false;  ///< with the prediction
  bool enough = false;  ///< EnoughSeen
};

/// Sightings within the gates of a prediction.
std::vector<MarkerObservation> Gated(const Labeller& labeller, int k,
                                     const FlightEstimate& predicted) {
  std::array<std::vector<int>, 2> marker_of_blob;
  const StereoSpots& spots = labeller.Spots(k);
  const AssignmentGate gate{labeller.options.min_facing, labeller.options.gate,
                            labeller.noise.Value()};
  for (int side = 0; side < static_cast<int>(labeller.body.views.size()); ++side) {
    marker_of_blob[side] = AssignMarkers(labeller.body, predicted, side, spots.exposure[side],
                                         spots.blobs[side], gate);
  }
  return SightingsOf(labeller, k, marker_of_blob, PoseOf(predicted));
}

/// Takes labels away from sightings that fit the pose, but not the motion: something else beside a
/// hidden marker. That is not within kSurePx, where centroids that a neighbour pulls can be.
void RemoveUnpredicted(const Labeller& labeller, const FlightEstimate& predicted,
                       InstantLabels* labels) {
  const std::vector<double> distances =
      DistancesFrom(labeller.body, predicted, labels->observations, labeller.noise.Value());
  InstantLabels kept;
  kept.pose = labels->pose;
  kept.pose.error_px.clear();
  const double limit = labeller.options.reject_sigmas * labeller.options.reject_sigmas;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    const MarkerObservation& seen = labels->observations[i];
    if (distances[i] > limit && labels->pose.error_px[i] > kSurePx) {
      if (labeller.options.keep_unlabelled) {
        kept.unlabelled.push_back({UnlabelledSpot::Reason::kAgainstMotion, seen.side, seen.pixel,
                                   seen.marker, labels->pose.error_px[i]});
      }
      continue;
    }
    kept.observations.push_back(seen);
    kept.pose.error_px.push_back(labels->pose.error_px[i]);
  }
  *labels = std::move(kept);
}

/// Whether the gates of a prediction alone say which spot is which marker.
bool IsSure(const Labeller& labeller, int k, const FlightEstimate& predicted) {
  const double limit = labeller.options.max_blind_gate_px;
  for (int side = 0; side < static_cast<int>(labeller.body.views.size()); ++side) {
    const Exposure& exposure = labeller.Spots(k).exposure[side];
    for (const MarkerPrediction& prediction :
         PredictMarkers(labeller.body, predicted, side, exposure, labeller.options.min_facing)) {
      if (labeller.options.gate * prediction.covariance.trace() > limit * limit) return false;
    }
  }
  return true;
}

/// Labels the spots that lie where a prediction has them.
Attempt FollowPrediction(const Labeller& labeller, int k, const FlightEstimate& predicted,
                         MotionModel model) {
  Attempt attempt;
  const std::vector<MarkerObservation> gated = Gated(labeller, k, predicted);
  if (gated.empty()) return attempt;
  const double noise = labeller.noise.Value();
  attempt.update = UpdateBody(labeller.body, predicted, gated, noise);
  attempt.agrees = model != MotionModel::kFlight ||
                   attempt.update.innovation_squared < ChiSquareLimit(attempt.update.coordinates);
  if (LabelAround(labeller, k, attempt.update.estimate, &attempt.labels)) {
    const std::size_t labelled = attempt.labels.observations.size();
    if (model == MotionModel::kFlight) {
      // A sighting in ten may be off; more says that the motion is.
      attempt.agrees = attempt.agrees && 10 * gated.size() + 5 >= 9 * labelled;
      if (attempt.agrees) RemoveUnpredicted(labeller, predicted, &attempt.labels);
    } else {
      attempt.update = UpdateBody(labeller.body, predicted,
                                  Inliers(attempt.labels, labeller.options.gate, noise), noise);
    }
  } else {
    // Too few markers for a pose: nothing but the motion speaks for their labels.
    attempt.agrees = attempt.agrees && model == MotionModel::kFlight &&
                     !CheckEachOther(labeller, gated) && IsSure(labeller, k, predicted);
    attempt.labels = {gated, {}};
  }
  attempt.enough =
      EnoughSeen(labeller, k, attempt.update.estimate, attempt.labels.observations.size());
  return attempt;
}

/// Where a struck body's markers may be.
std::vector<MarkerRegion> RegionsOf(const Labeller& labeller, const FlightEstimate& predicted) {
  std::vector<MarkerRegion> regions;
  for (const Eigen::Vector3d& p_BM : labeller.body.layout.p_BM) {
    const Eigen::Vector3d arm = predicted.state.q_WB * p_BM;
    const double variance =
        predicted.covariance.block<3, 3>(kPosition, kPosition).trace() +
        arm.squaredNorm() * predicted.covariance.block<3, 3>(kRotation, kRotation).trace();
    regions.push_back({predicted.state.p_WB + arm, 0.003 + 3.0 * std::sqrt(variance)});
  }
  return regions;
}

/// SearchLayout for the time of an instant: each spot is taken there by its own motion.
LabelledFrame SearchInstant(const Labeller& labeller, int k,
                            std::span<const MarkerRegion> regions = {}) {
  const StereoSpots& spots = labeller.Spots(k);
  std::array<std::vector<Blob>, 2> blobs = spots.blobs;
  for (std::size_t side = 0; side < 2; ++side) {
    for (std::size_t j = 0; j < spots.travel[side].size(); ++j) {
      if (spots.travel[side][j].allFinite()) blobs[side][j].centre -= spots.travel[side][j];
    }
  }
  return SearchLayout(labeller.body.views, labeller.body.layout, blobs, labeller.options.search,
                      regions);
}

FlightEstimate WithPose(const FlightEstimate& estimate, const PoseEstimate& pose) {
  FlightEstimate moved = estimate;
  moved.state.p_WB = pose.pose.p_WB;
  moved.state.q_WB = pose.pose.q_WB;
  moved.covariance.topLeftCorner<6, 6>() = pose.covariance;
  return moved;
}

/// What a search found, with the velocities that the travel of the spots shows.
FlightEstimate StartAt(const Labeller& labeller, int k, const LabelledFrame& found) {
  const StereoSpots& spots = labeller.Spots(k);
  const FlightEstimate start = StartBodyFilter(spots.time, found.pose, labeller.options.filter);
  std::vector<MarkerObservation> sightings;
  std::vector<Eigen::Vector2d> travel;
  for (int side = 0; side < 2; ++side) {
    const auto s = static_cast<std::size_t>(side);
    for (std::size_t j = 0; j < spots.travel[s].size(); ++j) {
      if (found.marker_of_blob[s][j] < 0 || !spots.travel[s][j].allFinite()) continue;
      const Eigen::Vector2d& pixel = spots.blobs[s][j].centre;
      sightings.push_back({.marker = found.marker_of_blob[s][j],
                           .side = side,
                           .pixel = pixel,
                           .time = spots.TimeOf(pixel, side, labeller.body.views)});
      travel.push_back(spots.travel[s][j]);
    }
  }
  return EstimateVelocities(labeller.body, start, sightings, travel);
}

/// Looks for the layout, near a prediction if there is one.
Attempt Search(Labeller* labeller, int k, const FlightEstimate* predicted) {
  Attempt attempt;
  const TrackedBody& body = labeller->body;
  const LabelOptions& options = labeller->options;
  if (labeller->work > options.max_work) return attempt;
  const auto regions = predicted ? RegionsOf(*labeller, *predicted) : std::vector<MarkerRegion>{};
  const LabelledFrame found = SearchInstant(*labeller, k, regions);
  labeller->work += found.work;
  if (!found.found) return attempt;
  FlightEstimate start = StartAt(*labeller, k, found);
  if (!LabelAround(*labeller, k, start, &attempt.labels)) return attempt;
  start = WithPose(start, attempt.labels.pose);
  attempt.update.estimate = start;
  if (predicted) {
    const double scale = labeller->noise.Value();
    attempt.update =
        UpdateBody(body, *predicted, Inliers(attempt.labels, options.gate, scale), scale);
  }
  attempt.enough = EnoughSeen(*labeller, k, start, attempt.labels.observations.size());
  attempt.agrees = true;
  return attempt;
}

/// Why a spot is none of the markers of a body whose state is known.
UnlabelledSpot Explain(const Labeller& labeller, int k, const FlightEstimate& estimate, int side,
                       const Blob& blob, std::span<const MarkerObservation> labelled) {
  using enum UnlabelledSpot::Reason;
  constexpr double kAnySide = -2.0;  // below each cosine
  UnlabelledSpot spot{.reason = kOff, .side = side, .pixel = blob.centre};
  std::optional<MarkerPrediction> nearest;
  for (const MarkerPrediction& prediction :
       PredictMarkers(labeller.body, estimate, side, labeller.Spots(k).exposure[side], kAnySide)) {
    const double distance = (prediction.pixel - blob.centre).norm();
    if (nearest && distance >= spot.distance_px) continue;
    nearest = prediction;
    spot.marker = prediction.marker;
    spot.distance_px = distance;
  }
  if (!nearest || spot.distance_px > labeller.options.reject_px) return spot;
  const bool taken = std::ranges::any_of(labelled, [&](const MarkerObservation& seen) {
    return seen.side == side && seen.marker == spot.marker;
  });
  if (nearest->facing < labeller.options.min_facing) {
    spot.reason = kFacesAway;
  } else if (taken) {
    spot.reason = kTaken;
  } else if (!SizeFits(labeller.body, estimate.state, side, *nearest, blob)) {
    spot.reason = kSize;
  }
  return spot;
}

/// Explain for all spots of an instant that have no label.
void ExplainUnlabelled(const Labeller& labeller, int k, const FlightEstimate& estimate,
                       InstantLabels* labels) {
  if (!labeller.options.keep_unlabelled) return;
  const auto known = [](const auto& seen, int side, const Blob& blob) {
    return std::ranges::any_of(
        seen, [&](const auto& one) { return one.side == side && one.pixel == blob.centre; });
  };
  for (int side = 0; side < static_cast<int>(labeller.body.views.size()); ++side) {
    for (const Blob& blob : labeller.Spots(k).blobs[side]) {
      if (known(labels->observations, side, blob) || known(labels->unlabelled, side, blob))
        continue;
      labels->unlabelled.push_back(
          Explain(labeller, k, estimate, side, blob, labels->observations));
    }
  }
}

void Accept(Labeller* labeller, int k, Attempt attempt, Walk* walk) {
  labeller->noise.Add(labeller->body, labeller->Spots(k).time, attempt.labels);
  const FlightEstimate& estimate = attempt.update.estimate;
  ExplainUnlabelled(*labeller, k,
                    attempt.labels.pose.found ? WithPose(estimate, attempt.labels.pose) : estimate,
                    &attempt.labels);
  labeller->Labels(k) = std::move(attempt.labels);
  walk->estimate = attempt.update.estimate;
  labeller->estimates[k] = walk->estimate;
}

/// An instant that gravity alone explains.
void AcceptFlight(Labeller* labeller, int k, Attempt attempt, Walk* walk) {
  if (++walk->flight_frames > kSettlingFrames) {
    labeller->innovation_sum += attempt.update.innovation_squared;
    labeller->innovation_count += attempt.update.coordinates;
    labeller->result.filter.flights.push_back({k, k});
  }
  Accept(labeller, k, std::move(attempt), walk);
}

void LabelNext(Labeller* labeller, int k, Walk* walk) {
  const BodyFilterOptions& filter = labeller->options.filter;
  const auto predict = [&](MotionModel model) {
    return PredictBody(labeller->body, walk->estimate, labeller->Spots(k).time, model, filter);
  };
  const auto accept_change = [&](Attempt attempt) {
    if (walk->flight_frames > kSettlingFrames) labeller->result.filter.changes.push_back(k);
    walk->flight_frames = 0;
    Accept(labeller, k, std::move(attempt), walk);
  };
  Attempt flight =
      FollowPrediction(*labeller, k, predict(MotionModel::kFlight), MotionModel::kFlight);
  if (flight.agrees && flight.enough) return AcceptFlight(labeller, k, std::move(flight), walk);
  Attempt driven =
      FollowPrediction(*labeller, k, predict(MotionModel::kDriven), MotionModel::kDriven);
  if (driven.agrees && driven.enough) return accept_change(std::move(driven));

  labeller->result.filter.searches.push_back(k);
  const FlightEstimate struck = predict(MotionModel::kStruck);
  Attempt found = Search(labeller, k, &struck);
  if (!found.enough) found = Search(labeller, k, nullptr);
  if (found.agrees && found.enough) return accept_change(std::move(found));
  // Most markers are hidden. The others may check each other; where they do not, it takes a flight
  // that is known well.
  if (flight.agrees && (flight.labels.pose.found || walk->flight_frames > kSettlingFrames)) {
    AcceptFlight(labeller, k, std::move(flight), walk);
  } else if (driven.agrees && driven.labels.pose.found) {
    accept_change(std::move(driven));
  }
}

/// The instant to start from: the layout is searched in instants spread ever more densely over the
/// trial until it is found.
struct Seed {
  int instant = -1;
  std::size_t num_labels = 0;
  FlightEstimate start;
};

Seed FindSeed(Labeller* labeller) {
  const int count = static_cast<int>(labeller->instants.size());
  Seed seed;
  std::string last_reason;
  std::vector<bool> done(labeller->instants.size());
  int tried = 0, found = 0, two_bodies = 0;
  for (int stride = std::max(1, count / 2); seed.instant < 0; stride /= 2) {
    for (int k = stride / 2; k < count; k += stride) {
      if (labeller->work > labeller->options.max_work) break;
      if (done[k]) continue;
      done[k] = true;
      const LabelledFrame frame = SearchInstant(*labeller, k);
      labeller->work += frame.work;
      ++tried;
      found += frame.found;
      two_bodies += frame.two_bodies;
      if (!frame.found) last_reason = frame.reason;
      if (frame.found && frame.observations.size() > seed.num_labels)
        seed = {k, frame.observations.size(), StartAt(*labeller, k, frame)};
    }
    if (stride == 1 || labeller->work > labeller->options.max_work) break;
  }
  if (seed.instant < 0 || two_bodies > found) {
    labeller->result.reason = fmt::format(
        "the marker layout was found in {} of {} frames{}; {}", found, tried,
        tried < count ? fmt::format(" that were tried ({} in all)", count) : "", last_reason);
    seed.instant = -1;
  }
  return seed;
}

/// From the seed to one end.
void WalkFrom(Labeller* labeller, const Seed& seed, int direction) {
  Walk walk{WithPose(seed.start, labeller->Labels(seed.instant).pose), 0};
  for (int k = seed.instant + direction; k >= 0 && k < static_cast<int>(labeller->instants.size());
       k += direction) {
    LabelNext(labeller, k, &walk);
  }
}

/// A second chance for instants that came too early, when the velocity was not known yet: from
/// their neighbours, in both directions.
void FillGaps(Labeller* labeller, int direction) {
  const int count = static_cast<int>(labeller->instants.size());
  for (int i = 1; i < count; ++i) {
    const int k = direction > 0 ? i : count - 1 - i;
    const auto& neighbour = labeller->estimates[k - direction];
    if (!labeller->Labels(k).observations.empty() || !neighbour) continue;
    Walk walk{*neighbour, 0};
    LabelNext(labeller, k, &walk);
  }
}

/// Single instants become runs.
std::vector<std::pair<int, int>> Runs(std::vector<std::pair<int, int>> instants) {
  std::ranges::sort(instants);
  std::vector<std::pair<int, int>> runs;
  for (const auto& [first, last] : instants) {
    if (!runs.empty() && first <= runs.back().second + 1) {
      runs.back().second = last;
    } else {
      runs.push_back({first, last});
    }
  }
  return runs;
}

}  // namespace

BodyLabels LabelBody(const TrackedBody& body, std::span<const StereoSpots> instants,
                     const LabelOptions& given) {
  LabelOptions options = given;
  // One view has no points in space whose distances would leave few hypotheses.
  if (body.views.size() == 1 && !body.layout.planar) options.max_work *= 10;
  Labeller labeller{body, instants, options, {}, {}, 0.0, 0, 0, {}};
  labeller.result.instants.resize(instants.size());
  labeller.estimates.resize(instants.size());
  const Seed seed = FindSeed(&labeller);
  if (seed.instant < 0) return labeller.result;
  InstantLabels& start = labeller.Labels(seed.instant);
  if (!LabelAround(labeller, seed.instant, seed.start, &start)) {
    labeller.result.reason =
        fmt::format("the marker layout fits the spots no better than {:.2f} px", start.pose.rms_px);
    if (body.layout.planar) labeller.result.reason += "; does the motion leave the plane?";
    return labeller.result;
  }
  labeller.noise.Add(body, labeller.Spots(seed.instant).time, start);
  ExplainUnlabelled(labeller, seed.instant, WithPose(seed.start, start.pose), &start);
  for (const int direction : {+1, -1}) WalkFrom(&labeller, seed, direction);
  for (const int direction : {+1, -1}) FillGaps(&labeller, direction);
  FilterSummary& filter = labeller.result.filter;
  filter.noise_scale = labeller.noise.Value();
  filter.innovations = SummariseInnovations(labeller.innovation_sum, labeller.innovation_count);
  filter.flights = Runs(std::move(filter.flights));
  std::ranges::sort(filter.changes);
  std::ranges::sort(filter.searches);
  filter.searches.erase(std::unique(filter.searches.begin(), filter.searches.end()),
                        filter.searches.end());
  return labeller.result;
}

}  // namespace percuss::tracking
