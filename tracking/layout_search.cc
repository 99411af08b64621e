// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/layout_search.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tracking/assignment.h"

namespace percuss::tracking {
namespace {

struct StereoCandidate {
  std::array<int, 2> blob{};
  Eigen::Vector3d p_W = Eigen::Vector3d::Zero();
};

/// Area in pixels that a marker's disc covers at a point, seen face on.
double FaceOnArea(const View& view, const Eigen::Vector3d& p_W, double marker_diameter) {
  const double depth = (view.camera_from_world * p_W).z();
  const double diameter_px = view.camera.intrinsics[0] * marker_diameter / depth;
  return 0.25 * std::numbers::pi * diameter_px * diameter_px;
}

/// Half-way outlines of blurred or dim discs differ from the disc itself; a factor of three tells
/// clutter only.
bool SizeFits(double blob_area, double disc_area, double facing) {
  const double expected = disc_area * std::clamp(facing, 0.1, 1.0);
  return blob_area < 3.0 * expected && blob_area > expected / 3.0;
}

std::vector<StereoCandidate> FindStereoCandidates(const StereoViews& views,
                                                  const MarkerLayout& layout,
                                                  const std::array<std::vector<Blob>, 2>& blobs,
                                                  double max_epipolar_px) {
  std::vector<StereoCandidate> candidates;
  for (std::size_t i = 0; i < blobs[0].size(); ++i) {
    for (std::size_t j = 0; j < blobs[1].size(); ++j) {
      const Eigen::Matrix2d equal = Eigen::Matrix2d::Identity();
      const auto point =
          Triangulate(views, {blobs[0][i].centre, blobs[1][j].centre}, {equal, equal});
      if (!point || point->error_px > max_epipolar_px) continue;
      const double left_area = FaceOnArea(views[0], point->p_W, layout.marker_diameter);
      const double right_area = FaceOnArea(views[1], point->p_W, layout.marker_diameter);
      if (blobs[0][i].area > 3.0 * left_area || blobs[1][j].area > 3.0 * right_area) continue;
      if (blobs[0][i].area < 0.03 * left_area || blobs[1][j].area < 0.03 * right_area) continue;
      candidates.push_back({{static_cast<int>(i), static_cast<int>(j)}, point->p_W});
    }
  }
  return candidates;
}

/// How well a pose explains the spots.
struct Score {
  int matched = 0;  ///< spots, both views
  int missing = 0;  ///< visible markers without a spot
  double Value() const { return matched - 0.7 * missing; }
};

Score ScorePose(const StereoViews& views, const MarkerLayout& layout,
                const std::array<std::vector<Blob>, 2>& blobs, const BodyPose& pose, double gate_px,
                double min_facing) {
  Score score;
  for (std::size_t side = 0; side < 2; ++side) {
    for (std::size_t m = 0; m < layout.p_BM.size(); ++m) {
      const double facing = MarkerFacing(layout, static_cast<int>(m), pose, views[side]);
      if (facing < min_facing) continue;
      const Eigen::Vector3d p_W = pose.q_WB * layout.p_BM[m] + pose.p_WB;
      const auto projected = ProjectPoint(views[side], p_W);
      if (!projected) continue;
      const Eigen::Vector2d& pixel = projected->pixel;
      if (pixel.x() < 0 || pixel.y() < 0 || pixel.x() > views[side].camera.width - 1 ||
          pixel.y() > views[side].camera.height - 1) {
        continue;
      }
      const bool hit = std::any_of(blobs[side].begin(), blobs[side].end(), [&](const Blob& blob) {
        return (blob.centre - pixel).squaredNorm() < gate_px * gate_px;
      });
      hit ? ++score.matched : ++score.missing;
    }
  }
  return score;
}

int MarkersInBothViews(const std::array<std::vector<int>, 2>& marker_of_blob) {
  int count = 0;
  for (const int left : marker_of_blob[0]) {
    if (left >= 0 && std::find(marker_of_blob[1].begin(), marker_of_blob[1].end(), left) !=
                         marker_of_blob[1].end()) {
      ++count;
    }
  }
  return count;
}

/// A labelling that a triple of points suggests, refined until its labels no longer change.
struct Hypothesis {
  std::array<std::vector<int>, 2> labels;
  PoseEstimate pose;
  Score score;
};

Hypothesis Refine(const StereoViews& views, const MarkerLayout& layout,
                  const std::array<std::vector<Blob>, 2>& blobs, const BodyPose& start,
                  const LayoutSearchOptions& options) {
  Hypothesis hypothesis;
  BodyPose pose = start;
  double gate = 2.5 * options.gate_px;
  for (int round = 0; round < 4; ++round) {
    auto labels = LabelByPose(views, layout, blobs, pose, gate, options.min_facing);
    const bool settled = round > 1 && labels == hypothesis.labels;
    hypothesis.labels = std::move(labels);
    if (settled) break;
    const std::vector<MarkerObservation> observations =
        ObservationsOf(views, layout, blobs, hypothesis.labels, pose);
    hypothesis.pose = EstimatePose(views, layout, observations, pose, 0.5 * options.gate_px);
    if (!hypothesis.pose.found) return hypothesis;
    pose = hypothesis.pose.pose;
    gate = options.gate_px;
  }
  hypothesis.score = ScorePose(views, layout, blobs, pose, options.gate_px, options.min_facing);
  return hypothesis;
}

bool SameLabels(const Hypothesis& a, const Hypothesis& b) { return a.labels == b.labels; }

}  // namespace

std::array<std::vector<int>, 2> LabelByPose(const StereoViews& views, const MarkerLayout& layout,
                                            const std::array<std::vector<Blob>, 2>& blobs,
                                            const BodyPose& pose, double gate_px,
                                            double min_facing) {
  std::array<std::vector<int>, 2> labels;
  const auto num_markers = static_cast<Eigen::Index>(layout.p_BM.size());
  for (std::size_t side = 0; side < 2; ++side) {
    labels[side].assign(blobs[side].size(), -1);
    const double none = gate_px * gate_px;
    Eigen::MatrixXd cost = Eigen::MatrixXd::Constant(
        num_markers, static_cast<Eigen::Index>(blobs[side].size()), 1e3 * none);
    for (Eigen::Index m = 0; m < num_markers; ++m) {
      const double facing = MarkerFacing(layout, static_cast<int>(m), pose, views[side]);
      if (facing < min_facing) continue;
      const Eigen::Vector3d p_W = pose.q_WB * layout.p_BM[static_cast<std::size_t>(m)] + pose.p_WB;
      const auto projected = ProjectPoint(views[side], p_W);
      if (!projected) continue;
      const double disc_area = FaceOnArea(views[side], p_W, layout.marker_diameter);
      for (std::size_t j = 0; j < blobs[side].size(); ++j) {
        const double squared = (blobs[side][j].centre - projected->pixel).squaredNorm();
        if (squared < none && SizeFits(blobs[side][j].area, disc_area, facing)) {
          cost(m, static_cast<Eigen::Index>(j)) = squared;
        }
      }
    }
    const std::vector<int> blob_of_marker = Assign(cost, none);
    for (std::size_t m = 0; m < blob_of_marker.size(); ++m) {
      if (blob_of_marker[m] >= 0)
        labels[side][static_cast<std::size_t>(blob_of_marker[m])] = static_cast<int>(m);
    }
  }
  return labels;
}

std::vector<MarkerObservation> ObservationsOf(const StereoViews& views, const MarkerLayout& layout,
                                              const std::array<std::vector<Blob>, 2>& blobs,
                                              const std::array<std::vector<int>, 2>& marker_of_blob,
                                              const BodyPose& pose) {
  std::vector<MarkerObservation> observations;
  for (int side = 0; side < 2; ++side) {
    const auto s = static_cast<std::size_t>(side);
    for (std::size_t j = 0; j < blobs[s].size(); ++j) {
      const int marker = marker_of_blob[s][j];
      if (marker < 0) continue;
      const double floor =
          kCentroidFloorPx / std::max(0.1, MarkerFacing(layout, marker, pose, views[s]));
      observations.push_back(
          {marker, side, blobs[s][j].centre,
           blobs[s][j].covariance + floor * floor * Eigen::Matrix2d::Identity()});
    }
  }
  std::sort(observations.begin(), observations.end(), [](const auto& a, const auto& b) {
    return std::pair(a.marker, a.side) < std::pair(b.marker, b.side);
  });
  return observations;
}

LabelledFrame SearchLayout(const StereoViews& views, const MarkerLayout& layout,
                           const std::array<std::vector<Blob>, 2>& blobs,
                           const LayoutSearchOptions& options) {
  LabelledFrame result;
  const std::vector<StereoCandidate> points =
      FindStereoCandidates(views, layout, blobs, options.max_epipolar_px);
  const int num_points = static_cast<int>(points.size());
  const int num_markers = static_cast<int>(layout.p_BM.size());
  const auto describe = [&](int best_markers) {
    return fmt::format(
        "{} spots left, {} right, {} stereo pairs, at most {} of {} markers fit the layout, at "
        "least {} needed",
        blobs[0].size(), blobs[1].size(), num_points, best_markers, num_markers,
        options.min_markers);
  };
  if (num_points < 3 || num_markers < 3) {
    result.reason = describe(0);
    return result;
  }

  const auto fits = [&](int a, int b, int m1, int m2) {
    const double measured =
        (points[static_cast<std::size_t>(a)].p_W - points[static_cast<std::size_t>(b)].p_W).norm();
    const double known =
        (layout.p_BM[static_cast<std::size_t>(m1)] - layout.p_BM[static_cast<std::size_t>(m2)])
            .norm();
    return std::abs(measured - known) < options.distance_tolerance + 0.01 * known;
  };
  const auto share_a_blob = [&](int a, int b) {
    const auto &x = points[static_cast<std::size_t>(a)].blob,
               &y = points[static_cast<std::size_t>(b)].blob;
    return x[0] == y[0] || x[1] == y[1];
  };

  Hypothesis best, second;
  int best_markers = 0;
  double best_rough = 0.0;
  for (int a = 0; a < num_points; ++a) {
    for (int b = a + 1; b < num_points; ++b) {
      if (share_a_blob(a, b)) continue;
      for (int m1 = 0; m1 < num_markers; ++m1) {
        for (int m2 = 0; m2 < num_markers; ++m2) {
          if (m1 == m2 || !fits(a, b, m1, m2)) continue;
          for (int c = b + 1; c < num_points; ++c) {
            if (share_a_blob(a, c) || share_a_blob(b, c)) continue;
            for (int m3 = 0; m3 < num_markers; ++m3) {
              if (m3 == m1 || m3 == m2 || !fits(a, c, m1, m3) || !fits(b, c, m2, m3)) continue;
              const std::array<Eigen::Vector3d, 3> p_B = {
                  layout.p_BM[static_cast<std::size_t>(m1)],
                  layout.p_BM[static_cast<std::size_t>(m2)],
                  layout.p_BM[static_cast<std::size_t>(m3)]};
              // What the best labelling says already needs no second look.
              const auto known = [&](int point, int marker) {
                const auto& blob = points[static_cast<std::size_t>(point)].blob;
                return best.labels[0][static_cast<std::size_t>(blob[0])] == marker &&
                       best.labels[1][static_cast<std::size_t>(blob[1])] == marker;
              };
              if (best.pose.found && known(a, m1) && known(b, m2) && known(c, m3)) continue;
              // Nearly collinear markers leave the turn about their line open.
              const double area = (p_B[1] - p_B[0]).cross(p_B[2] - p_B[0]).norm();
              const double longest = std::max(
                  {(p_B[1] - p_B[0]).norm(), (p_B[2] - p_B[0]).norm(), (p_B[2] - p_B[1]).norm()});
              if (area < 0.05 * longest * longest) continue;
              const std::array<Eigen::Vector3d, 3> p_W = {points[static_cast<std::size_t>(a)].p_W,
                                                          points[static_cast<std::size_t>(b)].p_W,
                                                          points[static_cast<std::size_t>(c)].p_W};
              const BodyPose pose = AlignPoints(p_B, p_W);
              bool facing = true;
              for (const int m : {m1, m2, m3}) {
                for (const View& view : views)
                  facing = facing && MarkerFacing(layout, m, pose, view) > 0.0;
              }
              if (!facing) continue;
              // A rough look with a wide gate first; only what is not far behind the best is
              // refined.
              const Score rough =
                  ScorePose(views, layout, blobs, pose, 3.0 * options.gate_px, options.min_facing);
              if (rough.Value() < best_rough - 2.0) continue;
              if (rough.matched < 2 * options.min_markers || rough.missing > rough.matched)
                continue;
              Hypothesis hypothesis = Refine(views, layout, blobs, pose, options);
              if (!hypothesis.pose.found) continue;
              const int markers = MarkersInBothViews(hypothesis.labels);
              best_markers = std::max(best_markers, markers);
              if (markers < options.min_markers) continue;
              best_rough = std::max(best_rough, rough.Value());
              if (SameLabels(hypothesis, best)) continue;
              if (!best.pose.found || hypothesis.score.Value() > best.score.Value()) {
                second = best;
                best = std::move(hypothesis);
              } else if (!second.pose.found || hypothesis.score.Value() > second.score.Value()) {
                second = std::move(hypothesis);
              }
            }
          }
        }
      }
    }
  }

  if (!best.pose.found || best.score.missing > best.score.matched) {
    result.reason = describe(best_markers);
    return result;
  }
  if (second.pose.found && second.score.Value() > best.score.Value() - 1.0 &&
      second.pose.rms_px < 2.0 * best.pose.rms_px + 0.05 &&
      second.pose.pose.q_WB.angularDistance(best.pose.pose.q_WB) > 0.1) {
    result.reason = fmt::format(
        "two labellings explain the spots equally well ({} and {} spots): the layout looks "
        "symmetric",
        best.score.matched, second.score.matched);
    return result;
  }
  result.found = true;
  result.marker_of_blob = best.labels;
  result.observations = ObservationsOf(views, layout, blobs, best.labels, best.pose.pose);
  result.pose = best.pose;
  return result;
}

}  // namespace percuss::tracking
