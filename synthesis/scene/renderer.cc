// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "synthesis/scene/renderer.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <opencv2/core.hpp>

#include "capture/tags/coded_tags.h"
#include "synthesis/camera/ray_casting.h"

namespace percuss::synthesis {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kPaper = 0.6, kInk = 0.02;
constexpr int kEdgeSamples = 8;  // per direction, of a pixel on an edge

Vector3d Along(const Vector2d& ray) { return {ray.x(), ray.y(), 1.0}; }

// ---- ground -------------------------------------------------------------------------------------

// A number from -1 to 1 for each lattice point.
double LatticeValue(std::int64_t i, std::int64_t j) {
  auto h = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15U ^
           static_cast<std::uint64_t>(j) * 0xC2B2AE3D27D4EB4FU;
  h = (h ^ (h >> 29)) * 0xBF58476D1CE4E5B9U;
  h = (h ^ (h >> 32)) * 0x94D049BB133111EBU;
  return static_cast<double>((h ^ (h >> 31)) >> 11) * 0x1.0p-52 - 1.0;
}

// Smooth noise from -1 to 1 with spots of size 1.
double Spots(double x, double y) {
  const double i = std::floor(x), j = std::floor(y);
  const double a = x - i, b = y - j;
  const double u = a * a * (3.0 - 2.0 * a), v = b * b * (3.0 - 2.0 * b);
  const auto at = [&](int di, int dj) {
    return LatticeValue(static_cast<std::int64_t>(i) + di, static_cast<std::int64_t>(j) + dj);
  };
  return (1.0 - v) * ((1.0 - u) * at(0, 0) + u * at(1, 0)) +
         v * ((1.0 - u) * at(0, 1) + u * at(1, 1));
}

double GroundLight(const LightSpec& light, const Vector2d& p) {
  constexpr double kCoarse = 0.03, kFine = 0.006;  // sizes of the spots [m]
  const double slope = (p.x() + p.y()) / std::sqrt(2.0 * (1.0 + p.squaredNorm()));
  const double spots = 0.6 * Spots(p.x() / kCoarse, p.y() / kCoarse) +
                       0.4 * Spots(p.x() / kFine + 0.5, p.y() / kFine + 0.5);
  return light.ground * (1.0 + light.gradient * slope + light.texture * spots);
}

// ---- posed solids -------------------------------------------------------------------------------

// A solid as one camera sees it at one instant. Ray distances count in units of camera z, so that
// those of several solids compare.
struct PosedSolid {
  solver::Shape shape;
  Matrix3d R_BC;
  Vector3d eye_B;

  PosedSolid(solver::Shape solid, const Camera& camera, const Matrix3d& R_WB, const Vector3d& p_WB)
      : shape(std::move(solid)),
        R_BC((camera.R_CW * R_WB).transpose()),
        eye_B(R_WB.transpose() * (camera.Position() - p_WB)) {}

  std::optional<RayHit> Cast(const Vector3d& direction_C) const {
    return CastRay(shape, eye_B, R_BC * direction_C);
  }
};

PosedSolid PosedPost(const PostSpec& post, const Camera& camera) {
  return {solver::Cylinder{post.radius, post.height}, camera, Matrix3d::Identity(),
          Vector3d(post.position.x(), post.position.y(), 0.5 * post.height)};
}

struct Disc {
  Vector3d centre, normal;  // body axes, or W
  double radius = 0.0, light = 0.0;

  // Of a ray, in lengths of its direction; nothing if it misses or comes from behind.
  std::optional<double> Meet(const Vector3d& eye, const Vector3d& direction) const {
    const double rate = normal.dot(direction);
    if (!(rate < 0.0)) return {};
    const double distance = normal.dot(centre - eye) / rate;
    const Vector3d place = eye + distance * direction - centre;
    if (!(distance > 0.0) || !(place.squaredNorm() < radius * radius)) return {};
    return distance;
  }
};

// A printed tag with a white margin of one cell around its black square, body axes.
struct PrintedTag {
  Vector3d corner, right, down, normal;  // corner: top left of the black square; steps of one cell
  Eigen::MatrixXd cells;

  // Whether a place of the surface is white of the print (1), black (0), or neither (-1).
  int At(const Vector3d& place) const {
    constexpr double kFlat = 1e-5;  // [m]
    const Vector3d away = place - corner;
    if (std::abs(away.dot(normal)) > kFlat) return -1;
    const double a = away.dot(right) / right.squaredNorm(), b = away.dot(down) / down.squaredNorm();
    const auto n = static_cast<double>(cells.rows());
    if (a < -1.0 || b < -1.0 || a > n + 1.0 || b > n + 1.0) return -1;
    if (a < 0.0 || b < 0.0 || a >= n || b >= n) return 1;
    return cells(static_cast<Eigen::Index>(b), static_cast<Eigen::Index>(a)) > 0.5 ? 1 : 0;
  }
};

std::vector<PrintedTag> PrintedTagsOf(const capture::MarkedBody& body) {
  std::vector<PrintedTag> prints;
  for (const capture::CodedTag& tag : body.coded.tags) {
    PrintedTag print;
    print.cells = capture::TagCells(body.coded.dictionary, tag.id);
    const auto n = static_cast<double>(print.cells.rows());
    print.corner = body.markers[tag.first_marker].p_BM;
    print.right = (body.markers[tag.first_marker + 1].p_BM - print.corner) / n;
    print.down = (body.markers[tag.first_marker + 3].p_BM - print.corner) / n;
    print.normal = tag.normal_B;
    prints.push_back(print);
  }
  return prints;
}

// What a face with this normal sends of its reflectance; normal and lamp in the same axes.
double Shade(const LightSpec& light, const Vector3d& normal, const Vector3d& lamp) {
  return light.ambient + (1.0 - light.ambient) * std::max(0.0, normal.dot(lamp));
}

// Body, markers and post at one instant; Cast() is what a pixel sample sees.
class PosedBody {
 public:
  PosedBody(const Camera& camera, const SceneSpec& spec, const std::vector<PrintedTag>& tags,
            const std::optional<PostSpec>& post, const State& state)
      : light_(spec.light),
        tags_(tags),
        solid_(spec.body.body.shape, camera, state.q_WB.toRotationMatrix(), state.p_WB),
        lamp_B_(state.q_WB.conjugate() * spec.light.lamp),
        bands_(spec.body.HasBands()) {
    for (int k = 0; k < spec.body.NumDots(); ++k) {
      const Vector3d normal = capture::MarkerNormal(spec.body, k);
      discs_.push_back({spec.body.markers[k].p_BM, normal, 0.5 * spec.body.marker_diameter,
                        light_.marker * Shade(light_, normal, lamp_B_)});
    }
    if (post) post_ = PosedPost(*post, camera);
  }

  Sample operator()(const Vector2d& ray) const {
    const Vector3d direction = Along(ray);
    const Vector3d direction_B = solid_.R_BC * direction;
    const std::optional<RayHit> body = CastRay(solid_.shape, solid_.eye_B, direction_B);
    double nearest = std::numeric_limits<double>::infinity();
    Sample sample;
    if (body) {
      nearest = body->distance;
      sample = {body->face, light_.body * Shade(light_, body->normal, lamp_B_)};
    }
    if (body && bands_) {
      const int band = BandAt(solid_.eye_B + body->distance * direction_B, body->normal);
      if (band >= 0)
        sample = {kFirstMarker + band, light_.marker * Shade(light_, body->normal, lamp_B_)};
    }
    if (body) PrintOn(solid_.eye_B + body->distance * direction_B, &sample);
    constexpr double kStuck = 1e-6;  // a marker lies on its face, to rounding
    for (std::size_t k = 0; k < discs_.size() && !bands_; ++k) {
      const std::optional<double> distance = discs_[k].Meet(solid_.eye_B, direction_B);
      if (!distance || *distance > nearest * (1.0 + kStuck)) continue;
      nearest = *distance;
      sample = {kFirstMarker + static_cast<int>(k), discs_[k].light};
    }
    if (sample.thing == Sample::kNothing || !post_) return sample;
    const std::optional<RayHit> post = post_->Cast(direction);
    if (!post || post->distance > nearest) return sample;
    return {kPost, light_.post};
  }

  static constexpr int kPost = 1 << 20, kFirstMarker = (1 << 20) + 1;
  // Black of the first tag, its white, black of the second one, ...
  static constexpr int kFirstTag = 1 << 21;

 private:
  void PrintOn(const Vector3d& place, Sample* sample) const {
    for (std::size_t k = 0; k < tags_.size(); ++k) {
      const int white = tags_[k].At(place);
      if (white < 0) continue;
      *sample = {kFirstTag + 2 * static_cast<int>(k) + white,
                 (white > 0 ? light_.marker : kInk) * Shade(light_, tags_[k].normal, lamp_B_)};
    }
  }

  // Tape as wide as a marker's diameter, wound round the side of the body.
  int BandAt(const Vector3d& place, const Vector3d& normal) const {
    if (std::abs(normal.z()) > 0.5) return -1;
    for (std::size_t k = 0; k < discs_.size(); ++k) {
      if (std::abs(place.z() - discs_[k].centre.z()) < discs_[k].radius) return static_cast<int>(k);
    }
    return -1;
  }

  LightSpec light_;
  const std::vector<PrintedTag>& tags_;
  PosedSolid solid_;
  Vector3d lamp_B_;
  bool bands_;
  std::vector<Disc> discs_;
  std::optional<PosedSolid> post_;
};

// ---- where things are in the picture ------------------------------------------------------------

// Points whose convex hull holds body and markers, body axes.
std::vector<Vector3d> HullPoints(const capture::MarkedBody& body) {
  Vector3d lowest, highest;
  for (int axis = 0; axis < 3; ++axis) {
    highest[axis] = solver::SupportPoint(body.body.shape, Vector3d::Unit(axis))[axis];
    lowest[axis] = solver::SupportPoint(body.body.shape, -Vector3d::Unit(axis))[axis];
  }
  const double radius = 0.5 * body.marker_diameter;
  for (const capture::Marker& marker : body.markers) {
    highest = highest.cwiseMax((marker.p_BM.array() + radius).matrix());
    lowest = lowest.cwiseMin((marker.p_BM.array() - radius).matrix());
  }
  std::vector<Vector3d> points;
  for (int k = 0; k < 8; ++k) {
    points.emplace_back((k & 1) != 0 ? highest.x() : lowest.x(),
                        (k & 2) != 0 ? highest.y() : lowest.y(),
                        (k & 4) != 0 ? highest.z() : lowest.z());
  }
  return points;
}

// A rectangle that grows around pixels.
struct Bounds {
  Vector2d lowest = Vector2d::Constant(1e9), highest = Vector2d::Constant(-1e9);

  void Include(const Vector2d& pixel, double margin) {
    lowest = lowest.cwiseMin((pixel.array() - margin).matrix());
    highest = highest.cwiseMax((pixel.array() + margin).matrix());
  }
  cv::Rect In(const Camera& camera) const {
    const cv::Rect image(0, 0, camera.width, camera.height);
    if (!(lowest.array() <= highest.array()).all()) return {};
    const Vector2d low = lowest.cwiseMax(-2.0);
    const Vector2d high = highest.cwiseMin(Vector2d(camera.width + 2.0, camera.height + 2.0));
    if (!(low.array() <= high.array()).all()) return {};
    const cv::Point first(static_cast<int>(std::floor(low.x())),
                          static_cast<int>(std::floor(low.y())));
    const cv::Point last(static_cast<int>(std::ceil(high.x())) + 1,
                         static_cast<int>(std::ceil(high.y())) + 1);
    return cv::Rect(first, last) & image;
  }
};

std::vector<Vector2d> ProjectAll(const Camera& camera, const std::vector<Vector3d>& points_B,
                                 const State& state) {
  std::vector<Vector2d> pixels;
  for (const Vector3d& p_B : points_B) {
    // A point that has no image is far outside of it.
    pixels.push_back(Project(camera, state.p_WB + state.q_WB * p_B)
                         .value_or(Vector2d(2.0 * camera.width, 2.0 * camera.height)));
  }
  return pixels;
}

// The rectangle around a marker; empty where it has no image.
cv::Rect MarkerArea(const Camera& camera, const Vector3d& p_W, double diameter) {
  const std::optional<Vector2d> pixel = Project(camera, p_W);
  if (!pixel) return {};
  const double depth = (camera.R_CW * p_W + camera.t_CW).z();
  Bounds bounds;
  bounds.Include(*pixel, 0.65 * diameter * std::max(camera.fx, camera.fy) / depth + 1.5);
  return bounds.In(camera);
}

std::vector<cv::Rect> MarkerAreas(const Camera& camera, const capture::MarkedBody& body,
                                  const State& state) {
  std::vector<cv::Rect> areas;
  for (int k = 0; k < body.NumDots(); ++k) {
    const capture::Marker& marker = body.markers[k];
    const double reach = body.HasBands() ? 1.85 : 1.0;  // across, a band is as thick as the rod
    areas.push_back(
        MarkerArea(camera, state.p_WB + state.q_WB * marker.p_BM, reach * body.marker_diameter));
  }
  return areas;
}

double LargestShift(const std::vector<Vector2d>& a, const std::vector<Vector2d>& b) {
  double largest = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) largest = std::max(largest, (a[k] - b[k]).norm());
  return largest;
}

// Where the body is at any time of the readout, and how far it moves during one exposure [px].
struct Extent {
  cv::Rect area;
  double motion_px = 0.0;
};

Extent ExtentOf(const Camera& camera, const SceneSpec& spec, const Shutter& shutter,
                const std::function<State(double)>& state_at) {
  const std::vector<Vector3d> points = HullPoints(spec.body);
  constexpr int kTimes = 9;
  const int height = camera.height / shutter.parts;
  const double first = shutter.RowTime(0, height) - 0.5 * shutter.exposure;
  const double last = shutter.RowTime(height - 1, height) + 0.5 * shutter.exposure;
  Bounds bounds;
  std::vector<Vector2d> before;
  double step_px = 0.0;
  for (int k = 0; k < kTimes; ++k) {
    const State state = state_at(first + (last - first) * k / (kTimes - 1));
    std::vector<Vector2d> pixels = ProjectAll(camera, points, state);
    if (!before.empty()) step_px = std::max(step_px, LargestShift(before, pixels));
    before = std::move(pixels);
    for (const Vector2d& pixel : before) bounds.Include(pixel, 3.0 + step_px);
  }
  Extent extent{bounds.In(camera), 0.0};
  extent.motion_px =
      LargestShift(ProjectAll(camera, points, state_at(shutter.time - 0.5 * shutter.exposure)),
                   ProjectAll(camera, points, state_at(shutter.time + 0.5 * shutter.exposure)));
  return extent;
}

}  // namespace

Layer::Layer(const cv::Rect& place)
    : area(place),
      light(cv::Mat::zeros(place.size(), CV_32FC1)),
      uncovered(place.size(), CV_32FC1, cv::Scalar(1.0)) {}

cv::Mat RenderGround(const Camera& camera, const PixelRays& rays, const LightSpec& light,
                     const std::optional<PostSpec>& post,
                     const std::vector<ReferenceMarker>& markers) {
  const Vector3d eye = camera.Position();
  std::optional<PosedSolid> posed_post;
  if (post) posed_post = PosedPost(*post, camera);
  std::vector<Disc> discs;
  std::vector<cv::Rect> fine;
  for (const ReferenceMarker& marker : markers) {
    discs.push_back({marker.position, marker.normal, 0.5 * marker.diameter,
                     light.marker * Shade(light, marker.normal, light.lamp)});
    fine.push_back(MarkerArea(camera, marker.position, marker.diameter));
  }
  constexpr int kGround = 0, kAbove = 1, kPost = 2, kMarker = 3;
  const auto cast = [&](const Vector2d& ray) -> Sample {
    if (posed_post && posed_post->Cast(Along(ray))) return {kPost, light.post};
    const Vector3d direction = camera.R_CW.transpose() * Along(ray);
    for (const Disc& disc : discs) {
      if (disc.Meet(eye, direction)) return {kMarker, disc.light};
    }
    if (!(direction.z() < -1e-3)) return {kAbove, light.ground};
    const Vector3d place = eye - (eye.z() / direction.z()) * direction;
    return {kGround, GroundLight(light, place.head<2>())};
  };
  Layer layer({0, 0, camera.width, camera.height});
  AddRows(rays, cast, 0, camera.height, fine, kEdgeSamples, 1.0, &layer);
  return layer.light;
}

namespace {

// What is printed on a board, by places in squares from its first point, y down: 1 ink, 0 paper.
using BoardPrint = std::function<bool(double, double)>;

BoardPrint ChessboardPrint(const capture::Board& board) {
  const int columns = board.columns + 1, rows = board.rows + 1;  // of squares
  return [=](double x, double y) {
    const double a = x + 1.0, b = y + 1.0;  // from the outer corner
    const bool printed = a >= 0.0 && b >= 0.0 && a < columns && b < rows;
    return printed && (static_cast<int>(a) + static_cast<int>(b)) % 2 == 0;
  };
}

// Tags numbered from the bottom left one, a black square at each corner of each, as Kalibr has it.
BoardPrint AprilGridPrint(const capture::Board& board) {
  const int columns = board.columns / 2, rows = board.rows / 2;
  std::vector<Eigen::MatrixXd> cells;
  for (int id = 0; id < columns * rows; ++id)
    cells.push_back(capture::TagCells(board.dictionary, id));
  const double gap = board.spacing, pitch = 1.0 + gap;
  return [=](double x, double y) {
    const int a = static_cast<int>(std::floor((x + gap) / pitch)),
              b = static_cast<int>(std::floor((y + gap) / pitch));
    if (a < 0 || b < 0 || a > columns || b > rows) return false;
    const double u = x - a * pitch, v = y - b * pitch;
    if (u < 0.0 || v < 0.0) return u < 0.0 && v < 0.0;
    if (a == columns || b == rows) return false;
    const Eigen::MatrixXd& tag = cells[static_cast<std::size_t>((rows - 1 - b) * columns + a)];
    const auto n = static_cast<double>(tag.rows());
    return tag(static_cast<Eigen::Index>(v * n), static_cast<Eigen::Index>(u * n)) < 0.5;
  };
}

}  // namespace

Layer RenderBoard(const Camera& camera, const PixelRays& rays, const capture::Board& board,
                  const BoardPose& pose) {
  const Matrix3d R_GC = (camera.R_CW * pose.R).transpose();
  const Vector3d eye = pose.R.transpose() * (camera.Position() - pose.t);
  const double square = board.square;
  const BoardExtent extent = BoardExtentOf(board);
  const BoardPrint is_ink = board.type == capture::Board::Type::kAprilGrid ? AprilGridPrint(board)
                                                                           : ChessboardPrint(board);
  constexpr int kPaperThing = 0, kInkThing = 1;
  const auto cast = [&](const Vector2d& ray) -> Sample {
    const Vector3d direction = R_GC * Along(ray);
    const double distance = -eye.z() / direction.z();
    if (!(distance > 0.0)) return {};
    const Vector2d place = (eye + distance * direction).head<2>() / square;
    const double x = place.x(), y = -place.y(), beyond = extent.beyond;
    if (x < -beyond || y < -beyond || x > extent.points.x() + beyond ||
        y > extent.points.y() + beyond) {
      return {};
    }
    return is_ink(x, y) ? Sample{kInkThing, kInk} : Sample{kPaperThing, kPaper};
  };
  // Lines bend in the picture, so not only the corners of the paper.
  Bounds bounds;
  constexpr int kSteps = 12;
  const Vector2d paper = extent.points.array() + 2.0 * extent.beyond;
  for (int i = 0; i <= kSteps; ++i) {
    for (int j = 0; j <= kSteps; ++j) {
      const Vector3d p_G(square * (i * paper.x() / kSteps - extent.beyond),
                         -square * (j * paper.y() / kSteps - extent.beyond), 0.0);
      const std::optional<Vector2d> pixel = Project(camera, pose.R * p_G + pose.t);
      if (pixel) bounds.Include(*pixel, 3.0);
    }
  }
  Layer layer(bounds.In(camera));
  AddRows(rays, cast, layer.area.y, layer.area.br().y, {}, kEdgeSamples, 1.0, &layer);
  return layer;
}

Layer RenderBody(const Camera& camera, const PixelRays& rays, const SceneSpec& spec,
                 const std::optional<PostSpec>& post, const Shutter& shutter,
                 const std::function<State(double)>& state_at) {
  const Extent extent = ExtentOf(camera, spec, shutter, state_at);
  Layer layer(extent.area);
  if (extent.area.empty()) return layer;
  // Times whose pictures are about a pixel apart: their steps vanish in the mean over a pixel. The
  // rest of kEdgeSamples^2 samples lie side by side.
  const int num_times = std::clamp(static_cast<int>(std::ceil(1.25 * extent.motion_px)), 1, 64);
  const int num_samples =
      std::clamp(static_cast<int>(std::ceil(kEdgeSamples / std::sqrt(num_times))), 3, kEdgeSamples);
  const int first = extent.area.y, last = extent.area.br().y;
  const std::vector<PrintedTag> tags = PrintedTagsOf(spec.body);
  for (int k = 0; k < num_times; ++k) {
    const double share = (k + 0.5) / num_times - 0.5;
    for (int y = first, next = last; y < last; y = next) {
      const int row = y / shutter.parts;
      if (shutter.line_time != 0.0) next = std::min((row + 1) * shutter.parts, last);
      const double time = shutter.RowTime(row, camera.height / shutter.parts);
      const State state = state_at(time + share * shutter.exposure);
      AddRows(rays, PosedBody(camera, spec, tags, post, state), y, next,
              MarkerAreas(camera, spec.body, state), num_samples, 1.0 / num_times, &layer);
    }
  }
  return layer;
}

namespace {

// The middle of what is seen of a band, along the way that its normal there takes.
MarkerSight LookAtBand(const Camera& camera, const SceneSpec& spec,
                       const std::optional<PostSpec>& post, const State& state, std::size_t marker,
                       bool* covered_by_post) {
  const Vector3d centre = state.p_WB + state.q_WB * spec.body.markers[marker].p_BM;
  const Vector3d axis = state.q_WB * Vector3d::UnitZ();
  const Vector3d towards = (camera.Position() - centre).normalized();
  const Vector3d outwards = (towards - towards.dot(axis) * axis).normalized();
  const double radius = solver::SupportPoint(spec.body.body.shape, Vector3d::UnitX()).x();
  MarkerSight sight;
  sight.pixel = Project(camera, centre + 0.25 * std::numbers::pi * radius * outwards);
  sight.facing = towards.dot(outwards);
  const Vector3d p_C = camera.R_CW * (centre + radius * outwards) + camera.t_CW;
  const std::vector<PrintedTag> no_tags;
  const Sample sample = PosedBody(camera, spec, no_tags, post, state)(p_C.head<2>() / p_C.z());
  sight.covered = sample.thing != PosedBody::kFirstMarker + static_cast<int>(marker);
  *covered_by_post = sample.thing == PosedBody::kPost;
  return sight;
}

// The corner of a tag, and whether the black inside of it is seen.
MarkerSight LookAtCorner(const Camera& camera, const SceneSpec& spec,
                         const std::optional<PostSpec>& post, const State& state,
                         const capture::CodedTag& tag, std::size_t marker, bool* covered_by_post) {
  const std::vector<PrintedTag> tags = PrintedTagsOf(spec.body);
  const Vector3d& p_BM = spec.body.markers[marker].p_BM;
  const std::size_t opposite = tag.first_marker + (marker - tag.first_marker + 2) % 4;
  const Vector3d inside = p_BM + 0.01 * (spec.body.markers[opposite].p_BM - p_BM);
  const Vector3d p_W = state.p_WB + state.q_WB * p_BM;
  const Vector3d p_C = camera.R_CW * (state.p_WB + state.q_WB * inside) + camera.t_CW;
  const Sample sample = PosedBody(camera, spec, tags, post, state)(p_C.head<2>() / p_C.z());
  const auto index = &tag - spec.body.coded.tags.data();
  *covered_by_post = sample.thing == PosedBody::kPost;
  return {.pixel = Project(camera, p_W),
          .facing = (state.q_WB * tag.normal_B).dot((camera.Position() - p_W).normalized()),
          .covered = sample.thing != PosedBody::kFirstTag + 2 * static_cast<int>(index)};
}

}  // namespace

MarkerSight LookAtMarker(const Camera& camera, const SceneSpec& spec,
                         const std::optional<PostSpec>& post, const State& state,
                         std::size_t marker, bool* covered_by_post) {
  if (spec.body.HasBands()) return LookAtBand(camera, spec, post, state, marker, covered_by_post);
  for (const capture::CodedTag& tag : spec.body.coded.tags) {
    const auto first = static_cast<std::size_t>(tag.first_marker);
    if (marker >= first && marker < first + 4)
      return LookAtCorner(camera, spec, post, state, tag, marker, covered_by_post);
  }
  const Vector3d& p_BM = spec.body.markers[marker].p_BM;
  const Vector3d normal = solver::OutwardNormal(spec.body.body.shape, p_BM);
  const Vector3d p_W = state.p_WB + state.q_WB * p_BM;
  MarkerSight sight;
  sight.pixel = Project(camera, p_W);
  sight.facing = (state.q_WB * normal).dot((camera.Position() - p_W).normalized());
  const std::vector<PrintedTag> tags = PrintedTagsOf(spec.body);
  const PosedBody posed(camera, spec, tags, post, state);
  const Vector3d along = normal.unitOrthogonal(), across = normal.cross(along);
  constexpr int kPlaces = 12;
  *covered_by_post = false;
  for (int k = 0; k <= kPlaces; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / kPlaces;
    const double radius = k == kPlaces ? 0.0 : 0.499 * spec.body.marker_diameter;
    const Vector3d place_B = p_BM + radius * (std::cos(angle) * along + std::sin(angle) * across);
    const Vector3d p_C = camera.R_CW * (state.p_WB + state.q_WB * place_B) + camera.t_CW;
    const Sample sample = posed(p_C.head<2>() / p_C.z());
    if (sample.thing != PosedBody::kFirstMarker + static_cast<int>(marker)) sight.covered = true;
    if (sample.thing == PosedBody::kPost) *covered_by_post = true;
  }
  return sight;
}

}  // namespace percuss::synthesis
