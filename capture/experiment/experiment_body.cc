// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/experiment/experiment_body.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <initializer_list>
#include <numbers>
#include <system_error>
#include <utility>
#include <vector>

#include "base/files/files.h"
#include "base/files/plain_name.h"
#include "capture/experiment/mesh_file.h"

namespace percuss::capture {
namespace fs = std::filesystem;
using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

Vector3d ReadVector3(const YamlField& field, const Range& range) {
  const std::vector<double> values = field.Numbers(3, range);
  return {values[0], values[1], values[2]};
}

fs::path Resolve(const YamlField& field, const fs::path& path) {
  return (field.File().parent_path() / path).lexically_normal();
}

fs::path ReadExistingFile(const YamlField& field, std::string_view allowed) {
  const fs::path path = Resolve(field, field.Text(allowed));
  std::error_code error;
  if (!fs::exists(path, error)) {
    field.Throw(fmt::format("{}, which does not exist", path.string()), allowed);
  }
  if (!fs::is_regular_file(path, error)) {
    field.Throw(fmt::format("{}, which is not a file", path.string()), allowed);
  }
  return path;
}

std::vector<fs::path> ReadPattern(const YamlField& field, std::string_view allowed) {
  const fs::path pattern = Resolve(field, field.Text(allowed));
  std::vector<fs::path> files = ExpandPattern(pattern);
  std::erase_if(files, [](const fs::path& file) { return !fs::is_regular_file(file); });
  if (files.empty()) {
    field.Throw(fmt::format("{}, which no file matches", pattern.string()), allowed);
  }
  return files;
}

Range MarkerDiameterRange(const solver::Shape& shape) {
  return {.lowest = 0.0,
          .highest = solver::BoundingRadius(shape),
          .lowest_included = false,
          .unit = "m"};
}

namespace {

constexpr Range kFlatness{.lowest = 0.0, .highest = 0.1, .unit = "m"};
constexpr Range kMass{.lowest = 0.0, .highest = 1e5, .lowest_included = false, .unit = "kg"};
constexpr Range kInertia{.lowest = 0.0, .lowest_included = false, .unit = "kg m^2"};
constexpr Range kScale{.lowest = 0.0, .highest = 1000.0, .lowest_included = false};
// Markers may stand on pins, but not farther out than this, in radii of the body.
constexpr double kMaxMarkerDistance = 2.0;
// Three places make a pose, a fourth checks it.
constexpr int kMinUnplaced = 4, kMaxUnplaced = 100;

// Checks that there is a body of this inertia: symmetric, positive, the sum of two principal
// values not below the third, and no mass farther out than the shape reaches.
void CheckInertia(const YamlField& field, const solver::Body& body) {
  const Matrix3d& inertia = body.inertia;
  const double scale = inertia.cwiseAbs().maxCoeff();
  if (!((inertia - inertia.transpose()).cwiseAbs().maxCoeff() <= 1e-9 * scale)) {
    field.Throw("a matrix that is not symmetric", "a symmetric 3x3 matrix [kg m^2]");
  }
  const Eigen::SelfAdjointEigenSolver<Matrix3d> solver(inertia, Eigen::EigenvaluesOnly);
  const Vector3d principal = solver.eigenvalues();  // ascending
  const std::string found = fmt::format("principal values {:.4g}, {:.4g}, {:.4g}", principal[0],
                                        principal[1], principal[2]);
  if (!(principal[0] > 0.0)) field.Throw(found, "positive values [kg m^2]");
  if (principal[0] + principal[1] < principal[2] * (1.0 - 1e-6)) {
    field.Throw(found, "values of which the two smaller add up to at least the largest");
  }
  const double radius = solver::BoundingRadius(body.shape);
  const double most = body.mass * radius * radius;
  if (principal[2] > most * (1.0 + 1e-6)) {
    field.Throw(found, fmt::format("at most {:.4g} [kg m^2], with all mass at the point of the "
                                   "shape that is farthest from the centre",
                                   most));
  }
}

void ReadInertia(const YamlField& field, solver::Body& body) {
  static constexpr std::string_view kAllowed =
      "3 principal values [Ixx, Iyy, Izz] or a 3x3 matrix [kg m^2]";
  const std::vector<YamlField> rows = field.Items(kAllowed);
  if (rows.size() != 3) field.Throw(kAllowed);
  if (rows.front().IsList()) {
    for (int i = 0; i < 3; ++i) {
      body.inertia.row(i) = ReadVector3(rows[i], {.unit = "kg m^2"});
    }
  } else {
    body.inertia = ReadVector3(field, kInertia).asDiagonal();
  }
  CheckInertia(field, body);
}

solver::ConvexMesh MeshOf(const solver::Box& box) {
  solver::ConvexMesh mesh;  // corner i is on the far side along axis k if bit k of i is set
  for (int i = 0; i < 8; ++i) {
    const Vector3d far(i & 1, (i >> 1) & 1, (i >> 2) & 1);
    mesh.vertices.push_back(box.size.cwiseProduct(far - Vector3d::Constant(0.5)));
  }
  for (int k = 0; k < 3; ++k) {
    const int along = 1 << k, right = 1 << (k + 1) % 3, up = 1 << (k + 2) % 3;
    mesh.triangles.push_back({along, along + right, along + right + up});
    mesh.triangles.push_back({along, along + right + up, along + up});
    mesh.triangles.push_back({0, right + up, right});
    mesh.triangles.push_back({0, up, right + up});
  }
  return mesh;
}

// The mass centre of a body that is not homogeneous: the shape becomes a mesh about it.
void MoveMassCentre(const YamlField& field, solver::Shape& shape, Vector3d& p_FBcm) {
  const Vector3d centre = ReadVector3(field, {.unit = "m"});
  const auto* box = std::get_if<solver::Box>(&shape);
  solver::ConvexMesh mesh = box != nullptr ? MeshOf(*box) : std::get<solver::ConvexMesh>(shape);
  for (Vector3d& vertex : mesh.vertices) vertex += p_FBcm - centre;
  for (const auto& [a, b, c] : mesh.triangles) {
    const Vector3d& corner = mesh.vertices[a];
    const Vector3d outward = (mesh.vertices[b] - corner).cross(mesh.vertices[c] - corner);
    if (outward.dot(corner) <= 0.0) {
      field.Throw(fmt::format("({:.4g}, {:.4g}, {:.4g}), which is outside", centre.x(), centre.y(),
                              centre.z()),
                  "a place inside the shape [m]");
    }
  }
  p_FBcm = centre;
  shape = std::move(mesh);
}

// One number: all principal values are scaled alike, so that the one about body y (for a planar
// ellipse that about the axis it turns about) becomes m k^2.
void ReadRadiusOfGyration(const YamlField& field, solver::Body& body) {
  const double k = field.Number(kLength);
  body.inertia *= body.mass * k * k / body.inertia(1, 1);
  CheckInertia(field, body);
}

solver::Shape ReadShape(const YamlField& field, Vector3d& p_FBcm) {
  static constexpr std::string_view kAllowedShapes =
      "sphere, box, cylinder, capsule, ellipsoid, ellipse or mesh";
  const std::string shape = field["shape"].Text(kAllowedShapes);
  const auto allow = [&](std::initializer_list<std::string_view> lengths) {
    std::vector<std::string_view> keys = {"shape"};
    keys.insert(keys.end(), lengths);
    for (const std::string_view key : {"mass", "inertia", "radius_of_gyration", "flatness",
                                       "markers", "marker_diameter", "sigma"}) {
      keys.push_back(key);
    }
    field.AllowKeys(keys);
  };
  if (shape == "sphere") {
    allow({"radius", "diameter"});
    if (!field["diameter"].Given()) return solver::Sphere{field["radius"].Number(kLength)};
    if (field["radius"].Given()) field["diameter"].Throw("both radius and diameter", "one of them");
    return solver::Sphere{0.5 * field["diameter"].Number(kLength)};
  }
  if (shape == "box") {
    allow({"size", "mass_centre"});
    return solver::Box{ReadVector3(field["size"], kLength)};
  }
  if (shape == "cylinder") {
    allow({"radius", "length"});
    return solver::Cylinder{field["radius"].Number(kLength), field["length"].Number(kLength)};
  }
  if (shape == "capsule") {
    allow({"radius", "length"});
    return solver::Capsule{field["radius"].Number(kLength), field["length"].Number(kLength)};
  }
  if (shape == "ellipsoid") {
    allow({"semi_axes"});
    return solver::Ellipsoid{ReadVector3(field["semi_axes"], kLength)};
  }
  if (shape == "ellipse") {
    allow({"semi_axes"});
    const std::vector<double> axes = field["semi_axes"].Numbers(2, kLength);
    return solver::Ellipse{Vector2d(axes[0], axes[1])};
  }
  if (shape == "mesh") {
    allow({"file", "scale", "mass_centre"});
    const double scale = field["scale"].Given() ? field["scale"].Number(kScale) : 1.0;
    const fs::path path = ReadExistingFile(field["file"], "a convex mesh in an OBJ file");
    MeshFile mesh = ReadConvexMesh(path, scale);
    p_FBcm = mesh.p_FBcm;
    const double radius = solver::BoundingRadius(mesh.mesh);
    if (radius > kLength.highest) {
      field["file"].Throw(
          fmt::format("{}, which reaches {:.4g} m from its mass centre", path.string(), radius),
          fmt::format("at most {:g} m (for a file in millimetres add scale: 0.001)",
                      kLength.highest));
    }
    return std::move(mesh.mesh);
  }
  field["shape"].Throw(kAllowedShapes);
}

bool IsTags(const std::string& name, const YamlField& place) {
  return name == "tags" && place.IsMap();
}

std::vector<Marker> ReadMarkers(const YamlField& field, const solver::Shape& shape,
                                const Vector3d& p_FBcm) {
  const double reach = kMaxMarkerDistance * solver::BoundingRadius(shape);
  std::vector<Marker> markers;
  for (const auto& [name, place] : field.Entries("a map of names to places, A1: [x, y, z]")) {
    if (IsTags(name, place)) continue;
    const Vector3d p = ReadVector3(place, {.unit = "m"}) - p_FBcm;
    if (!(p.norm() <= reach)) {
      place.Throw(fmt::format("a place {:.4g} m from the mass centre", p.norm()),
                  fmt::format("at most {:.4g} [m], twice the reach of the body", reach));
    }
    if (!IsPlainName(name)) place.Throw("the name " + name, kPlainNameText);
    for (const Marker& other : markers) {
      if ((other.p_BM - p).norm() == 0.0) {
        place.Throw("the place of marker " + other.name, "one place for each marker");
      }
    }
    markers.push_back({.name = name, .p_BM = p});
  }
  return markers;
}

/// `{count: 6}` or `[A1, A2, A3]`; nothing for a map of names to places.
std::optional<UnplacedMarkers> ReadUnplacedMarkers(const YamlField& field) {
  UnplacedMarkers unplaced;
  if (field.IsList()) {
    for (const YamlField& item : field.Items("names of markers")) {
      unplaced.names.push_back(item.PlainName());
      if (std::ranges::count(unplaced.names, unplaced.names.back()) > 1)
        item.Throw("the name " + unplaced.names.back() + " again", "each name once");
    }
    unplaced.count = static_cast<int>(unplaced.names.size());
    if (unplaced.count < kMinUnplaced || unplaced.count > kMaxUnplaced) {
      field.Throw(fmt::format("{} names", unplaced.count),
                  fmt::format("from {} to {}", kMinUnplaced, kMaxUnplaced));
    }
    return unplaced;
  }
  if (!field.IsMap() || !field["count"].IsScalar()) return std::nullopt;
  field.AllowKeys({"count"});
  unplaced.count = field["count"].Integer(kMinUnplaced, kMaxUnplaced);
  return unplaced;
}

double LongestSide(const solver::Shape& shape) {
  double longest = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    const Vector3d direction = Vector3d::Unit(axis);
    longest = std::max(longest, (solver::SupportPoint(shape, direction) -
                                 solver::SupportPoint(shape, -direction))[axis]);
  }
  return longest;
}

/// Half a thousandth of a hair: places are typed.
bool OnAxis(const Marker& marker) { return marker.p_BM.head<2>().norm() < 1e-8; }

BodySigmas ReadSigmas(const YamlField& field, const solver::Body& body) {
  const double reach = solver::BoundingRadius(body.shape);
  BodySigmas sigma;
  sigma.mass_centre = 0.01 * LongestSide(body.shape);
  sigma.mass = 0.01 * body.mass;
  if (!field.Given()) return sigma;
  field.AllowKeys({"marker", "mass_centre", "inertia", "length", "mass", "tilt_deg", "spin"});
  const auto read = [&](std::string_view key, double highest, std::string_view unit, double factor,
                        double* value) {
    if (!field[key].Given()) return;
    *value = factor * field[key].Number({.lowest = 0.0, .highest = highest, .unit = unit});
    sigma.stated.emplace_back(key);
  };
  // A ruler that is off by a tenth of the body is another mistake than these are for.
  read("marker", 0.1 * reach, "m", 1.0, &sigma.marker);
  read("mass_centre", 0.5 * reach, "m", 1.0, &sigma.mass_centre);
  read("inertia", 0.5, "of the moment", 1.0, &sigma.inertia);
  read("length", reach, "m", 1.0, &sigma.length);
  read("mass", body.mass, "kg", 1.0, &sigma.mass);
  read("spin", 1e4, "rad/s", 1.0, &sigma.spin);
  read("tilt_deg", 45.0, "deg", std::numbers::pi / 180.0, &sigma.tilt);
  return sigma;
}

/// Tape wound round a rod has its place on the axis. Then all markers must be of that kind: the
/// turn about the axis is not followed, so that round markers beside it would be no help.
void CheckBands(const YamlField& field, const MarkedBody& marked) {
  const bool round = std::holds_alternative<solver::Cylinder>(marked.body.shape) ||
                     std::holds_alternative<solver::Capsule>(marked.body.shape);
  const auto on_axis = std::ranges::count_if(marked.markers, OnAxis);
  if (round && marked.NumDots() > 0 && on_axis > 0 && on_axis < std::ssize(marked.markers)) {
    field["markers"].Throw(fmt::format("{} of {} markers on the axis of the {}", on_axis,
                                       marked.markers.size(), solver::ShapeName(marked.body.shape)),
                           "all of them there, as tape wound round it, or none");
  }
  if (marked.HasBands()) {
    const Eigen::Matrix3d& I = marked.body.inertia;
    const Eigen::Matrix3d off = I - Eigen::Matrix3d(I.diagonal().asDiagonal());
    if (std::abs(I(0, 0) - I(1, 1)) > 1e-6 * I(0, 0) || off.norm() > 1e-6 * I(0, 0)) {
      field["inertia"].Throw("moments that differ across the axis",
                             "Ixx equal to Iyy where the markers are bands about z");
    }
  } else if (field["sigma"]["spin"].Given()) {
    field["sigma"]["spin"].Throw("a spin of a body whose turning the markers show",
                                 "none, but where all markers are bands on the axis");
  }
}

}  // namespace

bool MarkedBody::HasBands() const {
  const bool round = std::holds_alternative<solver::Cylinder>(body.shape) ||
                     std::holds_alternative<solver::Capsule>(body.shape);
  return round && !markers.empty() && coded.tags.empty() && std::ranges::all_of(markers, OnAxis);
}

MarkedBody ReadBody(const YamlField& field) {
  if (!field.IsMap()) field.Throw("a map with shape, its lengths and mass");
  MarkedBody marked;
  Vector3d p_FBcm = Vector3d::Zero();
  marked.body.shape = ReadShape(field, p_FBcm);
  std::optional<solver::Box> stated_box;
  if (const auto* box = std::get_if<solver::Box>(&marked.body.shape)) stated_box = *box;
  if (field["mass_centre"].Given()) {
    MoveMassCentre(field["mass_centre"], marked.body.shape, p_FBcm);
    marked.p_PB = p_FBcm;
    if (!field["inertia"].Given()) {
      field["inertia"].Throw("none beside mass_centre", "the inertia about the mass centre");
    }
  }
  marked.p_FB = p_FBcm;
  marked.body.mass = field["mass"].Number(kMass);
  if (!field["mass_centre"].Given()) {
    marked.body.inertia = solver::UniformInertia(marked.body.shape, marked.body.mass);
  }
  if (field["inertia"].Given() && field["radius_of_gyration"].Given()) {
    field["radius_of_gyration"].Throw("both inertia and radius_of_gyration", "one of them");
  }
  if (field["inertia"].Given()) ReadInertia(field["inertia"], marked.body);
  if (field["radius_of_gyration"].Given()) {
    ReadRadiusOfGyration(field["radius_of_gyration"], marked.body);
  }
  if (field["flatness"].Given()) marked.body.flatness = field["flatness"].Number(kFlatness);
  CheckInertia(field, marked.body);  // of a thread or a sheet, too
  marked.sigma = ReadSigmas(field["sigma"], marked.body);
  if (field["diameter"].Given()) marked.sigma.length *= 0.5;  // of the radius; stated is the other
  if (field["markers"].Given()) {
    marked.unplaced = ReadUnplacedMarkers(field["markers"]);
    if (!marked.unplaced) {
      marked.markers = ReadMarkers(field["markers"], marked.body.shape, p_FBcm);
      const YamlField tags = field["markers"]["tags"];
      if (tags.IsMap()) ReadTags(tags, stated_box ? &*stated_box : nullptr, p_FBcm, &marked);
    }
    if (field["marker_diameter"].Given()) {
      marked.marker_diameter =
          field["marker_diameter"].Number(MarkerDiameterRange(marked.body.shape));
    }
    CheckBands(field, marked);
  } else if (field["marker_diameter"].Given()) {
    field["markers"].Throw("markers, because marker_diameter is given");
  }
  return marked;
}

MarkedBody ReadBody(const fs::path& file) {
  const YamlField root = YamlField::ReadFile(file);
  return ReadBody(root["body"].Given() ? root["body"] : root);
}

}  // namespace percuss::capture
