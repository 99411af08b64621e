// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/labels/layout_search.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/math/assignment.h"
#include "tracking/labels/marker_triad.h"
#include "tracking/labels/stereo_points.h"
#include "tracking/pose/three_points.h"
#include "tracking/tags/coded_pose.h"

namespace percuss::tracking {
namespace {

/// How well a pose explains the spots.
struct Score {
  int matched = 0;  ///< spots, both views
  int missing = 0;  ///< visible markers without a spot
  double Value() const { return matched - 0.7 * missing; }
};

Score ScorePose(const Views& views, const MarkerLayout& layout,
                const std::array<std::vector<Blob>, 2>& blobs, const BodyPose& pose, double gate_px,
                double min_facing) {
  Score score;
  for (std::size_t side = 0; side < views.size(); ++side) {
    for (std::size_t m = 0; m < layout.p_BM.size(); ++m) {
      if (MarkerFacing(layout, static_cast<int>(m), pose, views[side]) < min_facing) continue;
      const auto projected = ProjectMarker(views[side], layout, static_cast<int>(m), pose);
      if (!projected || !InsideImage(views[side], projected->pixel)) continue;
      const bool hit = std::any_of(blobs[side].begin(), blobs[side].end(), [&](const Blob& blob) {
        return (blob.centre - projected->pixel).squaredNorm() < gate_px * gate_px;
      });
      hit ? ++score.matched : ++score.missing;
    }
  }
  return score;
}

int MarkersInAllViews(const Views& views, const std::array<std::vector<int>, 2>& marker_of_blob) {
  const auto seen = [&](int marker) {
    return views.size() == 1 || std::ranges::count(marker_of_blob[1], marker) > 0;
  };
  return static_cast<int>(std::ranges::count_if(
      marker_of_blob[0], [&](int marker) { return marker >= 0 && seen(marker); }));
}

/// A labelling that a triple of points suggests, refined until its labels no longer change.
struct Hypothesis {
  std::array<std::vector<int>, 2> labels;
  PoseEstimate pose;
  Score score;
};

Hypothesis Refine(const Views& views, const MarkerLayout& layout,
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

/// A distance of the layout, from one marker to another.
struct MarkerPair {
  double distance = 0.0;
  int from = 0, to = 0;
};

/// Three stereo points taken for three markers.
struct Triple {
  std::array<int, 3> point{}, marker{};
};

/// One search: what is given, what is made of it, and the best found so far.
struct LayoutSearch {
  const Views& views;
  const MarkerLayout& layout;
  const std::array<std::vector<Blob>, 2>& blobs;
  const LayoutSearchOptions& options;
  std::span<const MarkerRegion> regions;
  std::vector<StereoPoint> points;
  Eigen::MatrixXd distances;      ///< between markers [m]
  std::vector<MarkerPair> pairs;  ///< both ways, by distance
  Hypothesis best, second;
  int best_markers = 0;
  double best_rough = 0.0;
  int poses_tried = 0;
  std::int64_t work = 0;
  int least_markers = 3;  ///< that a labelling must explain

  const Eigen::Vector3d& Point(int i) const { return points[i].p_W; }
  const Eigen::Vector3d& Marker(int m) const { return layout.p_BM[m]; }
  double Tolerance(double distance) const { return options.distance_tolerance + 0.01 * distance; }
  bool Exhausted() const { return work > options.max_work; }
  bool InSpaceByOneView() const { return views.size() == 1 && !layout.planar; }
};

Eigen::MatrixXd MarkerDistances(const MarkerLayout& layout) {
  const auto count = static_cast<Eigen::Index>(layout.p_BM.size());
  return Eigen::MatrixXd::NullaryExpr(count, count, [&](Eigen::Index from, Eigen::Index to) {
    return (layout.p_BM[from] - layout.p_BM[to]).norm();
  });
}

std::vector<MarkerPair> MarkerPairs(const Eigen::MatrixXd& distances) {
  std::vector<MarkerPair> pairs;
  const int count = static_cast<int>(distances.rows());
  for (int from = 0; from < count; ++from) {
    for (int to = 0; to < count; ++to) {
      if (from != to) pairs.push_back({distances(from, to), from, to});
    }
  }
  std::ranges::sort(pairs, {}, &MarkerPair::distance);
  return pairs;
}

bool MayBe(const LayoutSearch& search, int point, int marker) {
  if (search.layout.planar && search.Point(point).y() != search.Marker(marker).y()) return false;
  const int coded = search.blobs[0][search.points[point].blob[0]].marker;  // that of both views
  if (search.layout.IsCorner(marker) || coded >= 0) return coded == marker;
  if (search.regions.empty()) return true;
  const MarkerRegion& region = search.regions[marker];
  return (search.Point(point) - region.p_W).squaredNorm() < region.radius * region.radius;
}

bool ShareASpot(const LayoutSearch& search, int a, int b) {
  const auto &x = search.points[a].blob, &y = search.points[b].blob;
  return x[0] == y[0] || (search.views.size() > 1 && x[1] == y[1]);
}

/// Whether a labelling says already that the points of a triple are its markers.
bool SaysSo(const LayoutSearch& search, const Hypothesis& hypothesis, const Triple& triple) {
  if (!hypothesis.pose.found) return false;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& blob = search.points[triple.point[i]].blob;
    for (std::size_t side = 0; side < search.views.size(); ++side) {
      if (hypothesis.labels[side][blob[side]] != triple.marker[i]) return false;
    }
  }
  return true;
}

/// Nearly collinear markers leave the turn about their line open.
bool SpansATriangle(const std::array<Eigen::Vector3d, 3>& p) {
  const Eigen::Vector3d a = p[1] - p[0], b = p[2] - p[0], c = p[2] - p[1];
  const double longest = std::max({a.squaredNorm(), b.squaredNorm(), c.squaredNorm()});
  return a.cross(b).norm() >= 0.05 * longest;
}

/// Whether the markers of a triple face all views from where its points are.
bool FacesAllViews(const LayoutSearch& search, const Triple& triple,
                   const Eigen::Quaterniond& q_WB) {
  if (search.layout.Banded()) return true;  // from all around
  const Eigen::Matrix3d R_WB = q_WB.toRotationMatrix();
  return std::ranges::all_of(std::array{0u, 1u, 2u}, [&](std::size_t i) {
    const Eigen::Vector3d normal_W = R_WB * search.layout.normal_B[triple.marker[i]];
    return std::ranges::all_of(search.views, [&](const View& view) {
      return normal_W.dot(view.Centre() - search.Point(triple.point[i])) > 0.0;
    });
  });
}

/// Whether two labellings are of the same body in the same place, but for a spot or two.
bool SamePose(const MarkerLayout& layout, const Hypothesis& a, const Hypothesis& b) {
  const BodyPose &x = a.pose.pose, &y = b.pose.pose;
  return (x.p_WB - y.p_WB).norm() < 0.01 && AttitudeDistance(layout, x.q_WB, y.q_WB) < 0.1;
}

void Keep(Hypothesis hypothesis, LayoutSearch* search) {
  Hypothesis &best = search->best, &second = search->second;
  // One view may see the same spots as the same markers from two sides; the better fit counts, and
  // the motion is the judge.
  if (search->InSpaceByOneView() && best.pose.found && hypothesis.labels == best.labels) {
    if (hypothesis.pose.rms_px < best.pose.rms_px) best = std::move(hypothesis);
    return;
  }
  const auto better = [&](const Hypothesis& other) {
    return !other.pose.found || hypothesis.score.Value() > other.score.Value();
  };
  if (best.pose.found && SamePose(search->layout, hypothesis, best)) {
    if (better(best)) best = std::move(hypothesis);
  } else if (better(best)) {
    second = std::move(best);
    best = std::move(hypothesis);
  } else if (better(second)) {
    second = std::move(hypothesis);
  }
}

/// A rough look at a pose, with a wide gate; what is not far behind the best is refined.
void TryPose(const BodyPose& pose, LayoutSearch* search) {
  const LayoutSearchOptions& options = search->options;
  search->work += 300;
  const auto score_work = static_cast<std::int64_t>(
      search->layout.p_BM.size() * (60 + (search->blobs[0].size() + search->blobs[1].size()) / 5));
  search->work += score_work;
  ++search->poses_tried;
  const Score rough = ScorePose(search->views, search->layout, search->blobs, pose,
                                3.0 * options.gate_px, options.min_facing);
  if (rough.Value() < search->best_rough - 2.0) return;
  const int num_views = static_cast<int>(search->views.size());
  if (rough.matched < num_views * search->least_markers || rough.missing > rough.matched) return;
  search->work += 10 * score_work;
  Hypothesis hypothesis = Refine(search->views, search->layout, search->blobs, pose, options);
  if (!hypothesis.pose.found) return;
  const int markers = MarkersInAllViews(search->views, hypothesis.labels);
  search->best_markers = std::max(search->best_markers, markers);
  if (markers < search->least_markers) return;
  search->best_rough = std::max(search->best_rough, rough.Value());
  Keep(std::move(hypothesis), search);
}

/// Three points whose distances fit: the pose they give.
void TryTriple(const Triple& triple, LayoutSearch* search) {
  if (SaysSo(*search, search->best, triple) || SaysSo(*search, search->second, triple)) return;
  std::array<Eigen::Vector3d, 3> p_B, p_W;
  for (std::size_t i = 0; i < 3; ++i) {
    p_B[i] = search->Marker(triple.marker[i]);
    p_W[i] = search->Point(triple.point[i]);
  }
  const bool planar = search->layout.planar, banded = search->layout.Banded();
  if (!planar && !banded && !SpansATriangle(p_B)) return;
  search->work += 30;
  // Most triples are turned away from a camera. The frames that they span are enough to see that.
  BodyPose pose;
  if (planar) {
    pose = AlignPointsInPlane(p_B, p_W);
  } else if (!banded) {
    pose.q_WB = MarkerTriad<double>(p_W).transpose() * MarkerTriad<double>(p_B);
  }
  if (!FacesAllViews(*search, triple, pose.q_WB)) return;
  if (!planar) pose = AlignPoints(p_B, p_W);
  TryPose(pose, search);
}

struct Neighbour {
  double distance = 0.0;
  int point = 0;
};

/// The points near a point.
struct Neighbourhood {
  std::vector<Neighbour> neighbours;  ///< by distance
  /// The first neighbour that may be as far away as marker `row` is from marker `column`.
  Eigen::MatrixXi first;
};

/// Points that come after a point, within reach.
Neighbourhood Around(int a, double reach, LayoutSearch* search) {
  Neighbourhood around;
  std::vector<Neighbour>& neighbours = around.neighbours;
  search->work += static_cast<std::int64_t>(search->points.size() + search->pairs.size());
  for (int b = a + 1; b < static_cast<int>(search->points.size()); ++b) {
    const double distance = (search->Point(a) - search->Point(b)).norm();
    if (distance < reach && !ShareASpot(*search, a, b)) neighbours.push_back({distance, b});
  }
  std::ranges::sort(neighbours, {}, &Neighbour::distance);
  around.first.resize(search->distances.rows(), search->distances.cols());
  std::size_t first = 0;
  for (const auto& [distance, from, to] : search->pairs) {
    const double least = distance - search->Tolerance(distance);
    while (first < neighbours.size() && neighbours[first].distance < least) ++first;
    around.first(to, from) = static_cast<int>(first);
  }
  return around;
}

/// All triples that begin with point a as marker pair.from and point b as marker pair.to.
void TryPair(int a, int b, const MarkerPair& pair, const Neighbourhood& around,
             LayoutSearch* search) {
  const std::vector<Neighbour>& neighbours = around.neighbours;
  for (int m = 0; m < static_cast<int>(search->layout.p_BM.size()); ++m) {
    if (m == pair.from || m == pair.to) continue;
    const double from_a = search->distances(m, pair.from);
    const double from_b = search->distances(m, pair.to);
    const double most = from_a + search->Tolerance(from_a);
    search->work += 2;
    for (auto third = static_cast<std::size_t>(around.first(m, pair.from));
         third < neighbours.size() && neighbours[third].distance < most; ++third) {
      ++search->work;
      const int c = neighbours[third].point;
      if (c <= b || ShareASpot(*search, b, c) || !MayBe(*search, c, m)) continue;
      const double distance = (search->Point(b) - search->Point(c)).norm();
      if (std::abs(distance - from_b) < search->Tolerance(from_b))
        TryTriple({{a, b, c}, {pair.from, pair.to, m}}, search);
    }
  }
}

void TryAllTriples(LayoutSearch* search) {
  const double longest = search->pairs.back().distance;
  const double reach = longest + search->Tolerance(longest);
  for (int a = 0; a < static_cast<int>(search->points.size()); ++a) {
    const Neighbourhood around = Around(a, reach, search);
    for (const auto& [distance, b] : around.neighbours) {
      // The tolerance is that of the layout's distance, a little wider than that of the measured.
      const double tolerance = 1.02 * search->Tolerance(distance);
      auto pair =
          std::ranges::lower_bound(search->pairs, distance - tolerance, {}, &MarkerPair::distance);
      for (; pair != search->pairs.end() && pair->distance < distance + tolerance; ++pair) {
        if (search->Exhausted()) return;
        if (MayBe(*search, a, pair->from) && MayBe(*search, b, pair->to))
          TryPair(a, b, *pair, around, search);
      }
    }
  }
}

/// Whether each spot may be each marker of the one view, by what is known of where markers are.
std::vector<std::vector<char>> AllowedInOneView(const LayoutSearch& search) {
  const std::vector<Blob>& blobs = search.blobs[0];
  std::vector<std::vector<char>> allowed(blobs.size(),
                                         std::vector<char>(search.layout.p_BM.size(), 1));
  for (std::size_t j = 0; j < blobs.size(); ++j) {
    for (std::size_t m = 0; m < allowed[j].size(); ++m) {
      const int marker = static_cast<int>(m);
      if (search.layout.IsCorner(marker) || blobs[j].marker >= 0)
        allowed[j][m] = blobs[j].marker == marker;
    }
  }
  for (std::size_t m = 0; m < search.regions.size(); ++m) {
    const View& view = search.views[0];
    const auto projected = ProjectPoint(view, search.regions[m].p_W);
    if (!projected) continue;
    const double depth = (view.camera_from_world * search.regions[m].p_W).z();
    const double radius =
        search.options.gate_px + view.camera.intrinsics[0] * search.regions[m].radius / depth;
    for (std::size_t j = 0; j < blobs.size(); ++j)
      allowed[j][m] = allowed[j][m] != 0 &&
                      (blobs[j].centre - projected->pixel).squaredNorm() < radius * radius;
  }
  return allowed;
}

/// Twice the area of the triangle of three spots, above 0 where it goes round clockwise as one sees
/// it (y down) [px^2].
double Turn(const std::vector<Blob>& blobs, const std::array<int, 3>& spots) {
  const Eigen::Vector2d x = blobs[spots[1]].centre - blobs[spots[0]].centre,
                        y = blobs[spots[2]].centre - blobs[spots[0]].centre;
  return x.x() * y.y() - x.y() * y.x();
}

/// Three spots of one view that may be of one body, those first that are farthest apart: they give
/// the best pose.
std::vector<std::array<int, 3>> SpreadTriples(const LayoutSearch& search) {
  const std::vector<Blob>& blobs = search.blobs[0];
  constexpr int kMostSpots = 60;
  const int count = std::min(kMostSpots, static_cast<int>(blobs.size()));
  // So many diameters of a spot may lie between two of them; perspective and what makes spots
  // smaller or larger are allowed for.
  const double diameters = search.pairs.back().distance / search.layout.marker_diameter;
  const auto near = [&](int a, int b) {
    const double area = std::max(blobs[a].area, blobs[b].area);
    if (!std::isfinite(area)) return true;  // tracks of other programs have none
    const double reach = 1.7 * diameters * std::sqrt(4.0 / std::numbers::pi * area);
    return (blobs[a].centre - blobs[b].centre).squaredNorm() < reach * reach;
  };
  std::vector<std::pair<double, std::array<int, 3>>> triples;
  for (int a = 0; a < count; ++a) {
    for (int b = a + 1; b < count; ++b) {
      if (!near(a, b)) continue;
      for (int c = b + 1; c < count; ++c) {
        if (near(a, c) && near(b, c))
          triples.push_back({-std::abs(Turn(blobs, {a, b, c})), {a, b, c}});
      }
    }
  }
  std::ranges::sort(triples, {}, [](const auto& triple) { return triple.first; });
  std::vector<std::array<int, 3>> sorted;
  sorted.reserve(triples.size());
  for (const auto& [area, triple] : triples) sorted.push_back(triple);
  return sorted;
}

/// Whether three markers of one face go round in the picture as they do on the body; markers that
/// face elsewhere may go round either way.
bool GoRoundAlike(const LayoutSearch& search, const Triple& triple) {
  const auto& [a, b, c] = triple.marker;
  const auto& normals = search.layout.normal_B;
  constexpr double kSameFace = 0.99;
  if (normals[a].dot(normals[b]) < kSameFace || normals[a].dot(normals[c]) < kSameFace) return true;
  const double on_body = normals[a].dot(
      (search.Marker(b) - search.Marker(a)).cross(search.Marker(c) - search.Marker(a)));
  // Anticlockwise about the normal that points to the camera; y of the picture points down.
  return on_body * Turn(search.blobs[0], triple.point) <= 0.0;
}

/// Whether a pose shows the three markers to the camera, as large as their spots.
bool ShowsTriple(const LayoutSearch& search, const Triple& triple, const BodyPose& pose) {
  return std::ranges::all_of(std::array{0u, 1u, 2u}, [&](std::size_t i) {
    const int marker = triple.marker[i];
    const double facing = MarkerFacing(search.layout, marker, pose, search.views[0]);
    return facing > 0.0 &&
           CanBe(search.blobs[0][triple.point[i]], search.layout, marker, search.views[0],
                 pose.q_WB * search.Marker(marker) + pose.p_WB, facing);
  });
}

/// Three spots of one view taken for three markers: the poses that they leave.
void TryInOneView(const Triple& triple, const std::vector<Eigen::Vector3d>& directions,
                  LayoutSearch* search) {
  const bool known =
      search->best.pose.found && std::ranges::all_of(std::array{0u, 1u, 2u}, [&](std::size_t i) {
        return search->best.labels[0][triple.point[i]] == triple.marker[i];
      });
  if (known || !GoRoundAlike(*search, triple)) return;
  const View& view = search->views[0];
  std::array<Eigen::Vector3d, 3> seen, p_B;
  for (std::size_t i = 0; i < 3; ++i) {
    seen[i] = directions[triple.point[i]];
    p_B[i] = search->Marker(triple.marker[i]);
  }
  if (!SpansATriangle(p_B)) return;
  search->work += 400;
  const calibration::Pose world_from_camera = view.camera_from_world.Inverse();
  for (const BodyPose& in_camera : PosesOfThreePoints(seen, p_B)) {
    const BodyPose pose{world_from_camera * in_camera.p_WB,
                        Eigen::Quaterniond(world_from_camera.R) * in_camera.q_WB};
    search->work += 30;
    if (ShowsTriple(*search, triple, pose)) TryPose(pose, search);
  }
}

/// All triples of spots of the one view as all triples of markers, as far as the work goes.
void TryAllInOneView(LayoutSearch* search) {
  const std::vector<Blob>& blobs = search->blobs[0];
  std::vector<Eigen::Vector3d> directions;
  for (const Blob& blob : blobs) {
    directions.push_back(
        calibration::Unproject(search->views[0].camera, blob.centre).homogeneous().normalized());
  }
  const auto allowed = AllowedInOneView(*search);
  const int num_markers = static_cast<int>(search->layout.p_BM.size());
  for (const std::array<int, 3>& spots : SpreadTriples(*search)) {
    if (!std::ranges::all_of(spots, [&](int j) { return directions[j].allFinite(); })) continue;
    for (int i = 0; i < num_markers; ++i) {
      if (!allowed[spots[0]][i]) continue;
      for (int k = 0; k < num_markers; ++k) {
        if (k == i || !allowed[spots[1]][k]) continue;
        for (int m = 0; m < num_markers; ++m) {
          if (m == i || m == k || !allowed[spots[2]][m]) continue;
          if (search->Exhausted()) return;
          ++search->work;
          TryInOneView({spots, {i, k, m}}, directions, search);
        }
      }
    }
  }
}

bool ShareALabelledSpot(const Hypothesis& a, const Hypothesis& b) {
  for (std::size_t side = 0; side < 2; ++side) {
    for (std::size_t j = 0; j < a.labels[side].size(); ++j) {
      if (a.labels[side][j] >= 0 && b.labels[side][j] >= 0) return true;
    }
  }
  return false;
}

std::string DescribeFailure(const LayoutSearch& search) {
  std::string reason =
      search.layout.planar ? fmt::format("{} spots, {} of a marker's size in the plane of motion",
                                         search.blobs[0].size(), search.points.size())
      : search.InSpaceByOneView()
          ? fmt::format("{} spots", search.blobs[0].size())
          : fmt::format("{} spots left, {} right, {} stereo pairs", search.blobs[0].size(),
                        search.blobs[1].size(), search.points.size());
  reason += fmt::format(", at most {} of {} markers fit the layout, at least {} needed",
                        search.best_markers, search.layout.p_BM.size(), search.least_markers);
  if (search.Exhausted()) reason += "; too many spots to try them all";
  return reason;
}

/// How many poses that three accidental points gave would explain as many spots as the best does:
/// each further spot is where a marker is expected by chance as often as spots cover the image.
double ExpectedByChance(const LayoutSearch& search) {
  double covered = 0.0;  // of the image, by the gates around the spots
  for (std::size_t side = 0; side < search.views.size(); ++side) {
    const auto& camera = search.views[side].camera;
    covered = std::max(covered, static_cast<double>(search.blobs[side].size()) * std::numbers::pi *
                                    search.options.gate_px * search.options.gate_px / camera.width /
                                    camera.height);
  }
  return (search.poses_tried - 1) *
         std::pow(std::min(covered, 1.0),
                  search.best.score.matched - 3 * static_cast<int>(search.views.size()));
}

/// Why the best labelling cannot be believed; empty if it can.
std::string Rival(const LayoutSearch& search, bool* two_bodies) {
  const Hypothesis &best = search.best, &second = search.second;
  if (!second.pose.found) return {};
  if (!ShareALabelledSpot(best, second)) {
    *two_bodies = second.score.missing <= second.score.matched / 2;
    return *two_bodies ? fmt::format("two bodies with this layout are seen ({} and {} spots)",
                                     best.score.matched, second.score.matched)
                       : "";
  }
  if (second.score.Value() > best.score.Value() - 1.0 &&
      second.pose.rms_px < 2.0 * best.pose.rms_px + 0.05) {
    return fmt::format(
        "two labellings explain the spots equally well ({} and {} spots): the layout looks "
        "symmetric",
        best.score.matched, second.score.matched);
  }
  return {};
}

}  // namespace

bool SizeFits(const Blob& blob, const View& view, const Eigen::Vector3d& p_W,
              double marker_diameter, double facing) {
  const double expected = FaceOnArea(view, p_W, marker_diameter) * std::clamp(facing, 0.1, 1.0);
  return !(blob.area >= 3.0 * expected || blob.area <= expected / 3.0);
}

bool CanBe(const Blob& blob, const MarkerLayout& layout, int marker, const View& view,
           const Eigen::Vector3d& p_W, double facing) {
  if (layout.IsCorner(marker) || blob.marker >= 0) return blob.marker == marker;
  return SizeFits(blob, view, p_W, layout.marker_diameter, facing);
}

std::array<std::vector<int>, 2> LabelByPose(const Views& views, const MarkerLayout& layout,
                                            const std::array<std::vector<Blob>, 2>& blobs,
                                            const BodyPose& pose, double gate_px,
                                            double min_facing) {
  std::array<std::vector<int>, 2> labels;
  const auto num_markers = static_cast<Eigen::Index>(layout.p_BM.size());
  for (std::size_t side = 0; side < views.size(); ++side) {
    labels[side].assign(blobs[side].size(), -1);
    const double none = gate_px * gate_px;
    Eigen::MatrixXd cost = Eigen::MatrixXd::Constant(
        num_markers, static_cast<Eigen::Index>(blobs[side].size()), 1e3 * none);
    for (Eigen::Index m = 0; m < num_markers; ++m) {
      const double facing = MarkerFacing(layout, static_cast<int>(m), pose, views[side]);
      if (facing < min_facing) continue;
      const Eigen::Vector3d p_W = pose.q_WB * layout.p_BM[m] + pose.p_WB;
      const auto projected = ProjectMarker(views[side], layout, static_cast<int>(m), pose);
      if (!projected) continue;
      for (std::size_t j = 0; j < blobs[side].size(); ++j) {
        const double squared = (blobs[side][j].centre - projected->pixel).squaredNorm();
        if (squared < none &&
            CanBe(blobs[side][j], layout, static_cast<int>(m), views[side], p_W, facing)) {
          cost(m, static_cast<Eigen::Index>(j)) = squared;
        }
      }
    }
    const std::vector<int> blob_of_marker = Assign(cost, none);
    for (std::size_t m = 0; m < blob_of_marker.size(); ++m) {
      if (blob_of_marker[m] >= 0) labels[side][blob_of_marker[m]] = static_cast<int>(m);
    }
  }
  return labels;
}

std::vector<MarkerObservation> ObservationsOf(const Views& views, const MarkerLayout& layout,
                                              const std::array<std::vector<Blob>, 2>& blobs,
                                              const std::array<std::vector<int>, 2>& marker_of_blob,
                                              const BodyPose& pose) {
  std::vector<MarkerObservation> observations;
  for (int side = 0; side < static_cast<int>(views.size()); ++side) {
    for (std::size_t j = 0; j < blobs[side].size(); ++j) {
      const int marker = marker_of_blob[side][j];
      if (marker < 0) continue;
      const double floor =
          kCentroidFloorPx / std::max(0.1, MarkerFacing(layout, marker, pose, views[side]));
      observations.push_back(
          {marker, side, blobs[side][j].centre,
           blobs[side][j].covariance + floor * floor * Eigen::Matrix2d::Identity()});
    }
  }
  std::sort(observations.begin(), observations.end(), [](const auto& a, const auto& b) {
    return std::pair(a.marker, a.side) < std::pair(b.marker, b.side);
  });
  return observations;
}

namespace {

std::optional<LabelledFrame> SearchCodes(const Views& views, const MarkerLayout& layout,
                                         const std::array<std::vector<Blob>, 2>& blobs,
                                         const LayoutSearchOptions& options, const BodyPose* near) {
  const std::optional<BodyPose> start = PoseFromCodes(views, layout, blobs, near);
  if (!start) return std::nullopt;
  Hypothesis hypothesis = Refine(views, layout, blobs, *start, options);
  if (!hypothesis.pose.found) return std::nullopt;
  LabelledFrame result;
  result.observations = ObservationsOf(views, layout, blobs, hypothesis.labels, *start);
  const auto corners = std::ranges::count_if(
      result.observations, [&](const auto& seen) { return layout.IsCorner(seen.marker); });
  if (corners < 4) return std::nullopt;
  result.found = true;
  result.work = 1000 * static_cast<std::int64_t>(blobs[0].size() + blobs[1].size());
  result.marker_of_blob = std::move(hypothesis.labels);
  result.pose = std::move(hypothesis.pose);
  return result;
}

LabelledFrame NoTags(const std::array<std::vector<Blob>, 2>& blobs) {
  LabelledFrame result;
  result.work = 1000;
  result.reason = fmt::format("{} corners of tags left, {} right, at least 4 that agree needed",
                              blobs[0].size(), blobs[1].size());
  return result;
}

}  // namespace

LabelledFrame SearchLayout(const Views& views, const MarkerLayout& layout,
                           const std::array<std::vector<Blob>, 2>& blobs,
                           const LayoutSearchOptions& options,
                           std::span<const MarkerRegion> regions, const BodyPose* near) {
  if (std::optional<LabelledFrame> coded = SearchCodes(views, layout, blobs, options, near))
    return *std::move(coded);
  if (layout.first_corner == 0) return NoTags(blobs);
  LayoutSearch search{views, layout, blobs, options, regions, {}, {}, {}, {}, {}};
  const bool one_view = search.InSpaceByOneView();
  // Three spots fit three markers in up to four poses: one more must bear them out.
  search.least_markers = one_view ? std::max(4, options.min_markers) : options.min_markers;
  if (!one_view)
    search.points = layout.planar ? FindPlanePoints(views[0], blobs[0], layout)
                                  : FindStereoPoints(views, blobs, layout.marker_diameter,
                                                     options.max_epipolar_px);
  search.distances = MarkerDistances(layout);
  search.pairs = MarkerPairs(search.distances);
  search.work += static_cast<std::int64_t>(blobs[0].size() * blobs[1].size()) +
                 10 * static_cast<std::int64_t>(search.pairs.size());
  if (one_view) {
    TryAllInOneView(&search);
  } else if (search.points.size() >= 3 && layout.p_BM.size() >= 3) {
    TryAllTriples(&search);
  }

  LabelledFrame result;
  result.work = search.work;
  if (!search.best.pose.found || search.best.score.missing > search.best.score.matched) {
    result.reason = DescribeFailure(search);
    return result;
  }
  if ((search.best.score.missing > 0 || one_view) && ExpectedByChance(search) > 0.05) {
    result.reason = DescribeFailure(search) + ", which may be chance";
    return result;
  }
  result.reason = Rival(search, &result.two_bodies);
  if (!result.reason.empty()) return result;
  result.found = true;
  result.marker_of_blob = search.best.labels;
  result.observations =
      ObservationsOf(views, layout, blobs, search.best.labels, search.best.pose.pose);
  result.pose = search.best.pose;
  return result;
}

}  // namespace percuss::tracking
