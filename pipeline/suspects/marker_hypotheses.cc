// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "pipeline/suspects/evidence.h"
#include "pipeline/suspects/typed_number.h"
#include "solver/body/rigid_body.h"
#include "tracking/bench/bench_files.h"
#include "tracking/labels/stereo_points.h"

namespace percuss::pipeline {
namespace {

using Eigen::Vector3d;
using tracking::TrackedFrame;

/// Spots of a frame that are no marker yet, as points of the body.
std::vector<Vector3d> UnnamedPoints(const TrackedFrame& frame, const tracking::TrialSpots& spots,
                                    const tracking::Views& views, double marker_diameter) {
  std::array<std::vector<tracking::Blob>, 2> unnamed;
  for (int side = 0; side < 2; ++side) {
    const auto number = static_cast<std::size_t>(side == 0 ? frame.left_frame : frame.right_frame);
    if (!frame.has_picture[side] || number >= spots.views[side].frames.size()) continue;
    for (const tracking::Blob& blob : spots.views[side].frames[number].blobs) {
      const bool named =
          std::ranges::any_of(frame.observations, [&](const tracking::MarkerObservation& seen) {
            return seen.side == side && (seen.pixel - blob.centre).norm() < 0.5;
          });
      if (!named) unnamed[side].push_back(blob);
    }
  }
  std::vector<Vector3d> points;
  const tracking::BodyPose& pose = frame.pose.pose;
  constexpr double kMaxEpipolarPx = 1.5;
  for (const tracking::StereoPoint& point :
       tracking::FindStereoPoints(views, unnamed, marker_diameter, kMaxEpipolarPx))
    points.push_back(pose.q_WB.conjugate() * (point.p_W - pose.p_WB));
  return points;
}

/// A point that moves with the body and has no name.
struct Unnamed {
  Vector3d p_B = Vector3d::Zero();
  double sigma = 0.0;  ///< of each coordinate
};

std::optional<Unnamed> FindUnnamed(const Evidence& evidence) {
  const tracking::Views views = tracking::ViewsOf(evidence.calibration);
  const double reach = 1.5 * solver::BoundingRadius(evidence.typed.body.body.shape);
  std::vector<Vector3d> points;
  std::size_t frames = 0;
  for (const tracking::TrialResult& result : evidence.judgement.trials) {
    if (!IsLabelled(result)) continue;
    const capture::Trial& trial =
        *std::ranges::find(evidence.typed.trials, result.trial, &capture::Trial::name);
    const tracking::TrialSpots& spots = evidence.recordings->SpotsOf(evidence.typed, trial, views);
    for (const TrackedFrame& frame : result.tracked.frames) {
      if (!frame.pose.found) continue;
      ++frames;
      for (const Vector3d& p_B :
           UnnamedPoints(frame, spots, views, evidence.typed.body.marker_diameter)) {
        if (p_B.norm() < reach) points.push_back(p_B);
      }
    }
  }
  // What stands still beside the body, or belongs to another body, is elsewhere in every frame.
  constexpr double kApart = 0.002, kShare = 0.2;
  const auto near = [&](const Vector3d& centre) {
    std::vector<Vector3d> found;
    for (const Vector3d& p : points) {
      if ((p - centre).norm() < kApart) found.push_back(p);
    }
    return found;
  };
  std::vector<Vector3d> most;
  for (std::size_t i = 0; i < points.size(); i += 1 + points.size() / 500) {
    std::vector<Vector3d> found = near(points[i]);
    if (found.size() > most.size()) most = std::move(found);
  }
  if (static_cast<double>(most.size()) < std::max(8.0, kShare * static_cast<double>(frames)))
    return {};
  Unnamed unnamed;
  for (const Vector3d& p : most) unnamed.p_B += p / static_cast<double>(most.size());
  double squares = 0.0;
  for (const Vector3d& p : most) squares += (p - unnamed.p_B).squaredNorm() / 3.0;
  // Centroids of neighbouring frames err alike: as a guess ten of them are one.
  unnamed.sigma = std::sqrt(squares / static_cast<double>(most.size()) /
                            std::max(1.0, static_cast<double>(most.size()) / 10.0));
  return unnamed;
}

/// Typed coordinates with those replaced that are off, by a number that a ruler reads.
Vector3d Corrected(const Vector3d& typed, const Vector3d& measured, double sigma) {
  constexpr double kRuler = 0.0005, kOff = 0.002;  // [m]
  Vector3d corrected = typed;
  for (int axis = 0; axis < 3; ++axis) {
    if (std::abs(measured[axis] - typed[axis]) < std::max(kOff, 4.0 * sigma)) continue;
    const double doubt = std::hypot(0.5 * kRuler, sigma);
    const bool sign = std::abs(measured[axis] + typed[axis]) < std::max(0.001, 3.0 * sigma);
    corrected[axis] = sign ? -typed[axis] : RoundNumber(measured[axis], doubt);
  }
  return corrected;
}

void AddPlace(const Evidence& evidence, const capture::Marker& marker, const Vector3d& measured_B,
              double sigma, std::vector<Hypothesis>* hypotheses) {
  const std::vector<std::string> path = {"body", "markers", marker.name};
  const std::vector<double> numbers = TypedNumbers(evidence.typed.file, path);
  const Vector3d typed(numbers.at(0), numbers.at(1), numbers.at(2));
  // The file may count from elsewhere than from the mass centre.
  const Vector3d measured = measured_B + typed - marker.p_BM;
  const Vector3d place = Corrected(typed, measured, sigma);
  if (place == typed) return;
  hypotheses->push_back(
      {.kind = "place of a marker",
       .path = path,
       .found = fmt::format("is {}, but the cameras see it at ({:.1f}, {:.1f}, {:.1f}) mm",
                            VectorText(typed), 1e3 * measured.x(), 1e3 * measured.y(),
                            1e3 * measured.z()),
       .write = fmt::format("{}: {}", marker.name, VectorText(place)),
       .edits = {{path, VectorText(place)}}});
}

/// Of the trial: what the flights move a marker by, more than all of them.
void AddSurprises(const Evidence& evidence, std::vector<Hypothesis>* hypotheses) {
  const tracking::BenchEstimate& bench = evidence.judgement.bench;
  if (bench.num_impacts == 0) return;
  const tracking::BenchParameters places = evidence.judgement.stated.Parameters();
  const auto& markers = evidence.typed.body.markers;
  Vector3d shift = Vector3d::Zero();
  for (int k = 0; k < places.num_markers; ++k)
    shift += bench.change.segment<3>(places.Marker(k)) / places.num_markers;
  constexpr double kSigmas = 3.5;  // as tracking::Surprises
  for (int k = 0; k < places.num_markers; ++k) {
    const Vector3d moved = bench.change.segment<3>(places.Marker(k)) - shift;
    if (moved.cwiseAbs().maxCoeff() < kSigmas * evidence.typed.body.sigma.marker) continue;
    AddPlace(evidence, markers[k], markers[k].p_BM + moved, 0.3 * evidence.typed.body.sigma.marker,
             hypotheses);
  }
}

}  // namespace

void SuspectMarkers(const Evidence& evidence, std::vector<Hypothesis>* hypotheses) {
  if (std::ranges::none_of(evidence.judgement.trials, IsLabelled)) return;
  const auto& markers = evidence.typed.body.markers;
  const std::optional<Unnamed> unnamed = FindUnnamed(evidence);
  for (std::size_t k = 0; k < markers.size(); ++k) {
    const std::optional<std::size_t> first = MissingFrom(evidence.judgement.presence, k);
    if (!first) continue;
    if (unnamed) AddPlace(evidence, markers[k], unnamed->p_B, unnamed->sigma, hypotheses);
    constexpr std::size_t kFewest = 3;
    if (!unnamed && markers.size() > kFewest) {
      hypotheses->push_back(
          {.kind = "lost marker",
           .path = {"body", "markers", markers[k].name},
           .found = fmt::format("is nowhere to be seen from trial {} on: it came off, or was never "
                                "there",
                                evidence.judgement.trials[*first].trial),
           .write = fmt::format("no {}", markers[k].name),
           .edits = {{{"body", "markers", markers[k].name}, ""}}});
    }
  }
  AddSurprises(evidence, hypotheses);
}

}  // namespace percuss::pipeline
