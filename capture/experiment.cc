// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/experiment.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <stdexcept>

#include "capture/error.h"
#include "capture/files.h"
#include "capture/mesh_file.h"
#include "capture/yaml_field.h"

namespace percuss::capture {
namespace fs = std::filesystem;
using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

namespace {

// The bounds are wide; they are there to catch millimetres, grams and swapped signs.
constexpr Range kLength{.lowest = 0.0, .highest = 10.0, .lowest_included = false, .unit = "m"};
constexpr Range kSquare{.lowest = 0.0, .highest = 1.0, .lowest_included = false, .unit = "m"};
constexpr Range kMass{.lowest = 0.0, .highest = 1000.0, .lowest_included = false, .unit = "kg"};
constexpr Range kInertia{.lowest = 0.0, .lowest_included = false, .unit = "kg m^2"};
constexpr Range kFrameRate{.lowest = 0.0, .highest = 1e6, .lowest_included = false, .unit = "Hz"};
constexpr Range kExposure{.lowest = 0.0, .highest = 1.0, .lowest_included = false, .unit = "s"};
constexpr Range kGamma{.lowest = 1.0, .highest = 4.0};
constexpr Range kScale{.lowest = 0.0, .highest = 1000.0, .lowest_included = false};
constexpr double kMinGravity = 1.5;   // [m/s^2]; the Moon has 1.6
constexpr double kMaxGravity = 30.0;  // [m/s^2]; Jupiter has 25
constexpr int kMinMarkers = 3;        // for a pose
// Markers may stand on pins, but not farther out than this, in radii of the body.
constexpr double kMaxMarkerDistance = 2.0;

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

/// A pattern, a single file, or a list of them.
std::vector<fs::path> ReadImages(const YamlField& field) {
  static constexpr std::string_view kAllowed =
      "image files: a pattern such as calibration/left/*.png, or a list";
  if (field.IsList()) {
    std::vector<fs::path> images;
    for (const YamlField& item : field.Items(kAllowed)) {
      images.push_back(ReadExistingFile(item, "an image file"));
    }
    if (images.empty()) field.Throw(kAllowed);
    return images;
  }
  const fs::path pattern = Resolve(field, field.Text(kAllowed));
  std::vector<fs::path> images = ExpandPattern(pattern);
  std::erase_if(images, [](const fs::path& image) { return !fs::is_regular_file(image); });
  if (images.empty()) {
    field.Throw(fmt::format("{}, which no file matches", pattern.string()), kAllowed);
  }
  return images;
}

Vector3d ReadGravity(const YamlField& field) {
  const Vector3d gravity = ReadVector3(field, {.unit = "m/s^2"});
  const double size = gravity.norm();
  if (!(size >= kMinGravity && size <= kMaxGravity)) {
    field.Throw(fmt::format("a vector of length {:g}", size),
                fmt::format("a length from {:g} to {:g} [m/s^2]", kMinGravity, kMaxGravity));
  }
  if (gravity.z() > 0.0) {
    field.Throw("gravity away from the surface",
                "a z component of at most 0 (z points out of the surface)");
  }
  return gravity;
}

constexpr std::string_view kDefaultDictionary = "DICT_5X5_100";

Board::Type ReadBoardType(const YamlField& field) {
  static const std::map<std::string, Board::Type> kTypes = {
      {"chessboard", Board::Type::kChessboard},
      {"charuco", Board::Type::kCharuco},
      {"circles", Board::Type::kCircles},
      {"asymmetric_circles", Board::Type::kAsymmetricCircles}};
  static constexpr std::string_view kAllowed = "chessboard, charuco, circles or asymmetric_circles";
  const auto type = kTypes.find(field.Text(kAllowed));
  if (type == kTypes.end()) field.Throw(kAllowed);
  return type->second;
}

/// A length below another one.
double ReadLengthBelow(const YamlField& field, double bound, std::string_view bound_name) {
  const std::string allowed =
      fmt::format("a number above 0 and below {} {:.6g} [m]", bound_name, bound);
  if (!field.Given()) field.Throw(allowed);
  const double length = field.Number({.lowest = 0.0, .lowest_included = false, .unit = "m"});
  if (!(length < bound)) field.Throw(allowed);
  return length;
}

void ReadCharuco(const YamlField& field, Board& board) {
  board.marker = ReadLengthBelow(field["marker"], board.square, "square");
  const YamlField dictionary = field["dictionary"];
  static constexpr std::string_view kAllowed =
      "a dictionary of ArUco markers by its name in OpenCV: DICT_4X4_50 (or 5X5, 6X6, 7X7; 50, "
      "100, 250, 1000), DICT_ARUCO_ORIGINAL, DICT_APRILTAG_16h5 (or 25h9, 36h10, 36h11)";
  board.dictionary =
      dictionary.Given() ? dictionary.Text(kAllowed) : std::string(kDefaultDictionary);
  const int available = NumArucoMarkers(board.dictionary);
  if (available == 0) dictionary.Throw(kAllowed);
  const int needed = (board.columns + 1) * (board.rows + 1) / 2;
  if (available < needed) {
    dictionary.Throw(fmt::format("{}, which has {} markers", board.dictionary, available),
                     fmt::format("at least the {} markers of a board of {} x {} inner corners",
                                 needed, board.columns, board.rows));
  }
  if (const YamlField legacy = field["legacy_pattern"]; legacy.Given()) {
    static constexpr std::string_view kAllowedWords = "true or false";
    const std::string word = legacy.Text(kAllowedWords);
    if (word != "true" && word != "false") legacy.Throw(kAllowedWords);
    board.legacy_pattern = word == "true";
  }
}

Board ReadBoard(const YamlField& field) {
  // The type comes first: it says which keys there are.
  const bool typed = field.IsMap() && field["type"].Given();
  Board board;
  if (typed) board.type = ReadBoardType(field["type"]);
  const bool charuco = board.type == Board::Type::kCharuco;
  const bool asymmetric = board.type == Board::Type::kAsymmetricCircles;
  const bool circles = asymmetric || board.type == Board::Type::kCircles;
  std::vector<std::string_view> keys = {"type", "columns", "rows", "square"};
  if (charuco) keys.insert(keys.end(), {"marker", "dictionary", "legacy_pattern"});
  if (circles) keys.push_back("diameter");
  field.AllowKeys(keys);
  if (!typed) board.type = ReadBoardType(field["type"]);

  board.columns = field["columns"].Integer(2, 200);
  board.rows = field["rows"].Integer(2, 200);
  board.square = field["square"].Number(kSquare);
  if (charuco) ReadCharuco(field, board);
  if (circles) {
    const double nearest = asymmetric ? std::numbers::sqrt2 * board.square : board.square;
    board.diameter =
        ReadLengthBelow(field["diameter"], nearest, "the distance of neighbouring centres,");
  }
  return board;
}

Tone ReadTone(const YamlField& field) {
  if (!field.Given()) return {};
  const std::string text = field.Text("srgb, linear, or a gamma from 1 to 4");
  if (text == "srgb") return {.kind = Tone::Kind::kSrgb};
  if (text == "linear") return {.kind = Tone::Kind::kLinear};
  if (text.find_first_not_of("+-.0123456789eE") != std::string::npos) {
    field.Throw("srgb, linear, or a gamma from 1 to 4");
  }
  return {.kind = Tone::Kind::kGamma, .gamma = field.Number(kGamma)};
}

LensModel ReadLens(const YamlField& field) {
  static constexpr std::string_view kAllowed = "brown, rational or fisheye";
  if (!field.Given()) return LensModel::kBrown;
  const std::string text = field.Text(kAllowed);
  for (const LensModelName& entry : kLensModelNames) {
    if (entry.name == text) return entry.lens;
  }
  field.Throw(kAllowed);
}

/// `lens: rational` for all cameras, or a map of camera names.
void ReadLenses(const YamlField& field, std::vector<CalibrationCamera>& cameras) {
  if (field.IsMap()) {
    std::vector<std::string_view> names;
    for (const CalibrationCamera& camera : cameras) names.push_back(camera.name);
    field.AllowKeys(names);
  }
  for (CalibrationCamera& camera : cameras) {
    camera.lens = ReadLens(field.IsMap() ? field[camera.name] : field);
  }
}

/// Keys left and right (left alone if planar), or `cameras`, a map of any names.
std::vector<CalibrationCamera> ReadCameras(const YamlField& field, bool planar) {
  std::vector<CalibrationCamera> cameras;
  const auto add = [&](const std::string& name, const YamlField& images) {
    cameras.push_back({.name = name, .lens = {}, .images = ReadImages(images), .surface = {}});
  };
  if (field["cameras"].Given()) {
    static constexpr std::string_view kAllowed =
        "a map of camera names to images, such as left: calibration/left/*.png";
    for (const std::string_view side : {"left", "right"}) {
      if (field[side].Given()) field[side].Throw("all cameras in one place, under cameras");
    }
    for (const auto& [name, images] : field["cameras"].Entries(kAllowed)) {
      if (!IsPlainName(name)) images.Throw("the name " + name, kPlainNameText);
      add(name, images);
    }
    if (cameras.empty()) field["cameras"].Throw(kAllowed);
    if (planar != (cameras.size() == 1)) {
      field["cameras"].Throw(fmt::format("{} cameras with planar: {}", cameras.size(), planar),
                             "one camera if planar is true, otherwise two or more");
    }
  } else {
    add("left", field["left"]);
    if (!planar) add("right", field["right"]);
    if (planar && field["right"].Given()) {
      field["right"].Throw("no right camera where planar is true");
    }
  }
  for (const CalibrationCamera& camera : cameras) {
    const CalibrationCamera& first = cameras.front();
    if (camera.images.size() == first.images.size()) continue;
    field.Throw(fmt::format("{} {} and {} {} images", first.images.size(), first.name,
                            camera.images.size(), camera.name),
                fmt::format("as many {} as {} images: those in the same place show one position "
                            "of the board",
                            first.name, camera.name));
  }
  return cameras;
}

PixelDistance ReadKnownDistance(const YamlField& field,
                                const std::vector<CalibrationCamera>& cameras) {
  std::vector<std::string_view> keys = {"distance", "sigma"};
  for (const CalibrationCamera& camera : cameras) keys.push_back(camera.name);
  field.AllowKeys(keys);
  PixelDistance known{.distance = field["distance"].Number(kLength),
                      .sigma = field["sigma"].Number(kLength),
                      .ends = {}};
  static constexpr std::string_view kAllowed = "two pixels, [[x, y], [x, y]]";
  int num_seen = 0;
  for (const CalibrationCamera& camera : cameras) {
    known.ends.emplace_back();
    const YamlField pixels = field[camera.name];
    if (!pixels.Given()) continue;
    const std::vector<YamlField> ends = pixels.Items(kAllowed);
    if (ends.size() != 2) pixels.Throw(kAllowed);
    auto& seen = known.ends.back().emplace();
    for (std::size_t end = 0; end < 2; ++end) {
      const std::vector<double> pixel = ends[end].Numbers(2, {.unit = "px"});
      seen[end] = {pixel[0], pixel[1]};
    }
    ++num_seen;
  }
  if (num_seen < 2) {
    field.Throw(fmt::format("the pixels of {} cameras", num_seen),
                "pixels of at least 2 cameras, which fix the two points in space");
  }
  return known;
}

CalibrationImages ReadCalibrationImages(const YamlField& field, bool planar) {
  field.AllowKeys({"left", "right", "cameras", "surface", "lens", "known_distances"});
  CalibrationImages images;
  images.cameras = ReadCameras(field, planar);
  ReadLenses(field["lens"], images.cameras);
  const YamlField surface = field["surface"];
  std::vector<std::string_view> names;
  for (const CalibrationCamera& camera : images.cameras) names.push_back(camera.name);
  surface.AllowKeys(names);
  static constexpr std::string_view kAllowed = "an image file of the board on the impact surface";
  // Of many cameras some may look elsewhere; one or two must both see the surface.
  const bool all_needed = images.cameras.size() <= 2;
  bool seen = false;
  for (CalibrationCamera& camera : images.cameras) {
    const YamlField file = surface[camera.name];
    if (!file.Given() && !all_needed) continue;
    camera.surface = ReadExistingFile(file, kAllowed);
    seen = true;
  }
  if (!seen) surface.Throw("the surface image of at least one camera");
  if (field["known_distances"].Given()) {
    for (const YamlField& item : field["known_distances"].Items("a list of known distances")) {
      images.known_distances.push_back(ReadKnownDistance(item, images.cameras));
    }
  }
  return images;
}

/// Checks that there is a body of this inertia: symmetric, positive, the sum of two principal
/// values not below the third, and no mass farther out than the shape reaches.
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
      body.inertia.row(i) = ReadVector3(rows[static_cast<std::size_t>(i)], {.unit = "kg m^2"});
    }
  } else {
    body.inertia = ReadVector3(field, kInertia).asDiagonal();
  }
  CheckInertia(field, body);
}

/// One number: all principal values are scaled alike, so that the one about body y (for a planar
/// ellipse that about the axis it turns about) becomes m k^2.
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
    for (const std::string_view key :
         {"mass", "inertia", "radius_of_gyration", "markers", "marker_diameter"}) {
      keys.push_back(key);
    }
    field.AllowKeys(keys);
  };
  if (shape == "sphere") {
    allow({"radius"});
    return solver::Sphere{field["radius"].Number(kLength)};
  }
  if (shape == "box") {
    allow({"size"});
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
    allow({"file", "scale"});
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

std::vector<Marker> ReadMarkers(const YamlField& field, const solver::Shape& shape,
                                const Vector3d& p_FBcm) {
  const double reach = kMaxMarkerDistance * solver::BoundingRadius(shape);
  std::vector<Marker> markers;
  for (const auto& [name, place] : field.Entries("a map of names to places, A1: [x, y, z]")) {
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

Trial ReadTrial(const YamlField& field, const Vector3d& gravity, bool planar) {
  field.AllowKeys({"name", "left", "right", "gravity"});
  static constexpr std::string_view kAllowed = "a video file";
  Trial trial;
  trial.name = field["name"].PlainName();
  trial.gravity = field["gravity"].Given() ? ReadGravity(field["gravity"]) : gravity;
  trial.left = Resolve(field, field["left"].Text(kAllowed));
  if (planar) {
    if (field["right"].Given()) field["right"].Throw("no right video where planar is true");
    return trial;
  }
  trial.right = Resolve(field, field["right"].Text(kAllowed));
  if (trial.left == trial.right) {
    field["right"].Throw(trial.right.string() + " again", "another video than left");
  }
  return trial;
}

}  // namespace

int NumArucoMarkers(std::string_view dictionary) {
  static const std::map<std::string_view, int> kOthers = {
      {"DICT_ARUCO_ORIGINAL", 1024}, {"DICT_APRILTAG_16h5", 30},   {"DICT_APRILTAG_25h9", 35},
      {"DICT_APRILTAG_36h10", 2320}, {"DICT_APRILTAG_36h11", 587},
  };
  for (const std::string_view bits : {"4X4", "5X5", "6X6", "7X7"}) {
    for (const int count : {50, 100, 250, 1000}) {
      if (dictionary == fmt::format("DICT_{}_{}", bits, count)) return count;
    }
  }
  const auto other = kOthers.find(dictionary);
  return other == kOthers.end() ? 0 : other->second;
}

Experiment ReadExperiment(const fs::path& file) {
  const YamlField root = YamlField::ReadFile(file);
  root.AllowKeys({"name", "frame_rate", "exposure", "tone", "board", "planar", "calibration",
                  "gravity", "body", "trials"});

  Experiment experiment;
  experiment.file = file;
  experiment.name = root["name"].Given() ? root["name"].Text("a name") : file.stem().string();
  if (root["frame_rate"].Given()) experiment.frame_rate = root["frame_rate"].Number(kFrameRate);
  if (root["exposure"].Given()) {
    experiment.exposure = root["exposure"].Number(kExposure);
    if (experiment.frame_rate && *experiment.exposure * *experiment.frame_rate > 1.0) {
      root["exposure"].Throw(fmt::format("at most one frame, 1 / frame_rate = {:.4g} [s]",
                                         1.0 / *experiment.frame_rate));
    }
  }
  experiment.tone = ReadTone(root["tone"]);
  experiment.board = ReadBoard(root["board"]);
  experiment.planar = root["planar"].Given() && root["planar"].Flag();
  experiment.calibration = ReadCalibrationImages(root["calibration"], experiment.planar);
  experiment.body = ReadBody(root["body"]);
  if (experiment.body.markers.size() < kMinMarkers) {
    root["body"]["markers"].Throw(
        fmt::format("{} markers", experiment.body.markers.size()),
        fmt::format("at least {}: a map of names to places, A1: [x, y, z]", kMinMarkers));
  }

  const Vector3d gravity =
      root["gravity"].Given() ? ReadGravity(root["gravity"]) : Vector3d(0.0, 0.0, -9.80665);
  for (const YamlField& item : root["trials"].Items("a list of trials")) {
    const Trial trial = ReadTrial(item, gravity, experiment.planar);
    if (std::any_of(experiment.trials.begin(), experiment.trials.end(),
                    [&](const Trial& other) { return other.name == trial.name; })) {
      item["name"].Throw(trial.name + " a second time", "each name once");
    }
    experiment.trials.push_back(trial);
  }
  if (experiment.trials.empty()) root["trials"].Throw("at least one trial");
  return experiment;
}

MarkedBody ReadBody(const YamlField& field) {
  if (!field.IsMap()) field.Throw("a map with shape, its lengths and mass");
  MarkedBody marked;
  Vector3d p_FBcm = Vector3d::Zero();
  marked.body.shape = ReadShape(field, p_FBcm);
  marked.body.mass = field["mass"].Number(kMass);
  marked.body.inertia = solver::UniformInertia(marked.body.shape, marked.body.mass);
  if (field["inertia"].Given() && field["radius_of_gyration"].Given()) {
    field["radius_of_gyration"].Throw("both inertia and radius_of_gyration", "one of them");
  }
  if (field["inertia"].Given()) ReadInertia(field["inertia"], marked.body);
  if (field["radius_of_gyration"].Given()) {
    ReadRadiusOfGyration(field["radius_of_gyration"], marked.body);
  }
  if (field["markers"].Given()) {
    marked.markers = ReadMarkers(field["markers"], marked.body.shape, p_FBcm);
    const double reach = solver::BoundingRadius(marked.body.shape);
    marked.marker_diameter = field["marker_diameter"].Number(
        {.lowest = 0.0, .highest = reach, .lowest_included = false, .unit = "m"});
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
