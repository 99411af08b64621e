// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// The tags of a body: body.markers.tags of an experiment file.

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "capture/experiment/calibration_images.h"
#include "capture/experiment/experiment_body.h"

namespace percuss::capture {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr Range kPlace{.unit = "m"};
constexpr int kMaxTags = 100;

/// Middle of the print and its axes as one reads it: to the right and up; normal towards the
/// reader.
struct Print {
  Vector3d centre = Vector3d::Zero(), right = Vector3d::UnitX(), up = Vector3d::UnitY();
  Vector3d Normal() const { return right.cross(up); }
};

/// Face of a box by the axis that its normal follows.
struct Face {
  int axis = 0;
  double sign = 1.0;
  std::string name;
};

Face ReadFace(const YamlField& field, const solver::Box* box) {
  static constexpr std::string_view kFaces = "+x, -x, +y, -y, +z or -z";
  if (box == nullptr)
    field.Throw("a face of a shape that is no box", "centre, normal and up; or corners");
  const std::string name = field.Text(kFaces);
  const bool named =
      name.size() == 2 && (name[0] == '+' || name[0] == '-') && name[1] >= 'x' && name[1] <= 'z';
  if (!named) field.Throw(kFaces);
  return {name[1] - 'x', name[0] == '+' ? 1.0 : -1.0, name};
}

/// The tag lies in its face, within its edges.
void CheckFits(const YamlField& entry, const solver::Box& box, const Face& face, const Print& print,
               double size) {
  for (int axis = 0; axis < 3; ++axis) {
    if (axis == face.axis) continue;
    const double reach = 0.5 * size * (std::abs(print.right[axis]) + std::abs(print.up[axis]));
    const double room = 0.5 * box.size[axis] - std::abs(print.centre[axis]);
    if (reach <= room * (1.0 + 1e-9)) continue;
    const char name = static_cast<char>('x' + axis);
    entry[entry["size"].Given() ? "size" : "id"].Throw(
        fmt::format("a tag of {:g} m that reaches {:.4g} m from the middle of face {} along {}",
                    size, std::abs(print.centre[axis]) + reach, face.name, name),
        fmt::format("at most {:.4g} [m], half the edge of the box", 0.5 * box.size[axis]));
  }
}

Print PrintOnFace(const YamlField& entry, const solver::Box* box, double size) {
  entry.AllowKeys({"id", "size", "face", "centre", "turn_deg"});
  const Face face = ReadFace(entry["face"], box);
  const Vector3d normal = face.sign * Vector3d::Unit(face.axis);
  Print print;
  print.centre = 0.5 * face.sign * box->size[face.axis] * Vector3d::Unit(face.axis);
  if (entry["centre"].Given()) {
    const std::vector<double> place = entry["centre"].Numbers(2, kPlace);
    print.centre[face.axis == 0 ? 1 : 0] = place[0];
    print.centre[face.axis == 2 ? 1 : 2] = place[1];
  }
  const double turn =
      entry["turn_deg"].Given()
          ? entry["turn_deg"].Number({.lowest = -360.0, .highest = 360.0, .unit = "deg"})
          : 0.0;
  const Vector3d up = face.axis == 2 ? Vector3d::UnitY() : Vector3d::UnitZ();
  constexpr double kRadians = 0.017453292519943295;
  print.up = Eigen::AngleAxisd(kRadians * turn, normal) * up;
  print.right = print.up.cross(normal);
  CheckFits(entry, *box, face, print, size);
  return print;
}

Vector3d ReadDirection(const YamlField& field) {
  const Vector3d direction = ReadVector3(field, {});
  if (!(direction.norm() > 1e-6)) field.Throw("a direction, not zero");
  return direction.normalized();
}

Print PrintAt(const YamlField& entry) {
  entry.AllowKeys({"id", "size", "centre", "normal", "up"});
  Print print;
  print.centre = ReadVector3(entry["centre"], kPlace);
  const Vector3d normal = ReadDirection(entry["normal"]), up = ReadDirection(entry["up"]);
  print.right = up.cross(normal);
  if (!(print.right.norm() > 0.1)) {
    entry["up"].Throw("a direction along the normal", "one within the plane of the tag");
  }
  print.right.normalize();
  print.up = normal.cross(print.right);
  return print;
}

/// Clockwise from the top left one, as the print is read.
using Corners = std::array<Vector3d, 4>;

Corners CornersOf(const Print& print, double size) {
  const Vector3d right = 0.5 * size * print.right, up = 0.5 * size * print.up;
  return {print.centre - right + up, print.centre + right + up, print.centre + right - up,
          print.centre - right - up};
}

Corners ReadCorners(const YamlField& entry, double size) {
  entry.AllowKeys({"id", "size", "corners"});
  static constexpr std::string_view kAllowed =
      "4 places [x, y, z]: top left, top right, bottom right, bottom left of the print";
  const std::vector<YamlField> items = entry["corners"].Items(kAllowed);
  if (items.size() != 4) entry["corners"].Throw(fmt::format("{} places", items.size()), kAllowed);
  Corners corners;
  for (std::size_t k = 0; k < 4; ++k) corners[k] = ReadVector3(items[k], kPlace);
  constexpr double kUneven = 0.1;  // of the size: a ruler's error is far less, a swap far more
  for (std::size_t k = 0; k < 4; ++k) {
    const double edge = (corners[(k + 1) % 4] - corners[k]).norm();
    const double diagonal = (corners[(k + 2) % 4] - corners[k]).norm();
    if (std::abs(edge - size) < kUneven * size &&
        std::abs(diagonal - std::sqrt(2.0) * size) < kUneven * size) {
      continue;
    }
    entry["corners"].Throw(
        fmt::format("corner {} with an edge of {:.4g} m and a diagonal of {:.4g} m", k + 1, edge,
                    diagonal),
        fmt::format("a square of {:g} m, within a tenth of it; in the order {}", size, kAllowed));
  }
  return corners;
}

Corners ReadPlace(const YamlField& entry, const solver::Box* box, double size) {
  const bool face = entry["face"].Given(), corners = entry["corners"].Given();
  if (face) return CornersOf(PrintOnFace(entry, box, size), size);
  if (corners) return ReadCorners(entry, size);
  if (!entry["normal"].Given())
    entry.Throw("a tag without a place", "face; or centre, normal and up; or corners");
  return CornersOf(PrintAt(entry), size);
}

std::string ReadDictionary(const YamlField& field) {
  static constexpr std::string_view kAllowed =
      "a dictionary of tags by its name in OpenCV: DICT_4X4_50 (or 5X5, 6X6, 7X7; 50, 100, 250, "
      "1000), DICT_ARUCO_ORIGINAL, DICT_APRILTAG_16h5 (or 25h9, 36h10, 36h11)";
  const std::string name = field.Text(kAllowed);
  if (NumArucoMarkers(name) == 0) field.Throw(kAllowed);
  return name;
}

}  // namespace

void ReadTags(const YamlField& field, const solver::Box* box, const Vector3d& p_FBcm,
              MarkedBody* body) {
  field.AllowKeys({"dictionary", "size", "places"});
  CodedTags& coded = body->coded;
  coded.dictionary = ReadDictionary(field["dictionary"]);
  const Range sizes = MarkerDiameterRange(body->body.shape);
  const int available = NumArucoMarkers(coded.dictionary);
  const double reach = 2.0 * solver::BoundingRadius(body->body.shape);
  static constexpr std::string_view kAllowed = "a list of tags, - {id: 0, face: +z}";
  const std::vector<YamlField> entries = field["places"].Items(kAllowed);
  if (entries.empty() || entries.size() > kMaxTags)
    field["places"].Throw(fmt::format("{} tags", entries.size()), fmt::format("1 to {}", kMaxTags));
  for (const YamlField& entry : entries) {
    if (!entry.IsMap()) entry.Throw(kAllowed);
    CodedTag tag;
    tag.id = entry["id"].Integer(0, available - 1);
    for (const CodedTag& other : coded.tags) {
      if (other.id == tag.id)
        entry["id"].Throw(fmt::format("tag {} again", tag.id), "each tag once");
    }
    tag.size = (entry["size"].Given() ? entry["size"] : field["size"]).Number(sizes);
    tag.first_marker = static_cast<int>(body->markers.size());
    const Corners corners = ReadPlace(entry, box, tag.size);
    tag.normal_B = (corners[2] - corners[0]).cross(corners[1] - corners[3]).normalized();
    if (!(tag.normal_B.dot(0.5 * (corners[0] + corners[2]) - p_FBcm) > 0.0)) {
      entry.Throw("a tag that faces the mass centre",
                  "one that faces outwards: its corners run clockwise seen from outside");
    }
    for (int k = 0; k < 4; ++k) {
      const Vector3d p_BM = corners[k] - p_FBcm;
      if (!(p_BM.norm() <= reach)) {
        entry.Throw(fmt::format("a corner {:.4g} m from the mass centre", p_BM.norm()),
                    fmt::format("at most {:.4g} [m], twice the reach of the body", reach));
      }
      const std::string name = fmt::format("tag{}.{}", tag.id, k + 1);
      if (std::ranges::find(body->markers, name, &Marker::name) != body->markers.end())
        entry.Throw("a marker of the name " + name + " beside the tag", "another name for it");
      body->markers.push_back({.name = name, .p_BM = p_BM});
    }
    coded.tags.push_back(tag);
  }
}

Vector3d MarkerNormal(const MarkedBody& body, int marker) {
  for (const CodedTag& tag : body.coded.tags) {
    if (marker >= tag.first_marker && marker < tag.first_marker + 4) return tag.normal_B;
  }
  return solver::OutwardNormal(body.body.shape, body.markers[marker].p_BM - body.surface_shift);
}

}  // namespace percuss::capture
