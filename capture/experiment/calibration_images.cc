// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/experiment/calibration_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <numbers>

#include "base/files/plain_name.h"
#include "capture/experiment/motion_source.h"

namespace percuss::capture {
namespace fs = std::filesystem;

namespace {

// Wide; it is there to catch millimetres.
constexpr Range kSquare{.lowest = 0.0, .highest = 1.0, .lowest_included = false, .unit = "m"};

// A pattern, a single file, or a list of them.
std::vector<fs::path> ReadImages(const YamlField& field) {
  static constexpr std::string_view kAllowed =
      "image files: a pattern such as calibration/left/*.png, or a list; or one video";
  if (field.IsList()) {
    std::vector<fs::path> images;
    for (const YamlField& item : field.Items(kAllowed)) {
      images.push_back(ReadExistingFile(item, "an image file"));
    }
    if (images.empty()) field.Throw(kAllowed);
    return images;
  }
  return ReadPattern(field, kAllowed);
}

constexpr std::string_view kDefaultDictionary = "DICT_5X5_100";

Board::Type ReadBoardType(const YamlField& field) {
  static const std::map<std::string, Board::Type> kTypes = {
      {"chessboard", Board::Type::kChessboard},
      {"charuco", Board::Type::kCharuco},
      {"circles", Board::Type::kCircles},
      {"asymmetric_circles", Board::Type::kAsymmetricCircles},
      {"aprilgrid", Board::Type::kAprilGrid}};
  static constexpr std::string_view kAllowed =
      "chessboard, charuco, circles, asymmetric_circles or aprilgrid";
  const auto type = kTypes.find(field.Text(kAllowed));
  if (type == kTypes.end()) field.Throw(kAllowed);
  return type->second;
}

// A length below another one.
double ReadLengthBelow(const YamlField& field, double bound, std::string_view bound_name) {
  const std::string allowed =
      fmt::format("a number above 0 and below {} {:.6g} [m]", bound_name, bound);
  if (!field.Given()) field.Throw(allowed);
  const double length = field.Number({.lowest = 0.0, .lowest_included = false, .unit = "m"});
  if (!(length < bound)) field.Throw(allowed);
  return length;
}

// @return how many markers it has
int ReadDictionary(const YamlField& dictionary, std::string_view usual, Board& board) {
  static constexpr std::string_view kAllowed =
      "a dictionary of ArUco markers by its name in OpenCV: DICT_4X4_50 (or 5X5, 6X6, 7X7; 50, "
      "100, 250, 1000), DICT_ARUCO_ORIGINAL, DICT_APRILTAG_16h5 (or 25h9, 36h10, 36h11)";
  board.dictionary = dictionary.Given() ? dictionary.Text(kAllowed) : std::string(usual);
  const int available = NumArucoMarkers(board.dictionary);
  if (available == 0) dictionary.Throw(kAllowed);
  return available;
}

// Kalibr's keys are tagCols, tagRows, tagSize and tagSpacing.
void ReadAprilGrid(const YamlField& field, Board& board) {
  const int columns = field["columns"].Integer(1, 100), rows = field["rows"].Integer(1, 100);
  board.columns = 2 * columns;
  board.rows = 2 * rows;
  const YamlField spacing = field["spacing"];
  constexpr double kKalibr = 0.3;
  board.spacing = spacing.Given() ? spacing.Number({.lowest = 0.05, .highest = 0.95}) : kKalibr;
  const YamlField dictionary = field["dictionary"];
  const int available = ReadDictionary(dictionary, "DICT_APRILTAG_36h11", board);
  if (columns * rows < 2) field["columns"].Throw("a board of one tag", "at least two tags");
  if (available < columns * rows) {
    dictionary.Throw(
        fmt::format("{}, which has {} tags", board.dictionary, available),
        fmt::format("at least the {} tags of a board of {} x {}", columns * rows, columns, rows));
  }
}

void ReadCharuco(const YamlField& field, Board& board) {
  board.marker = ReadLengthBelow(field["marker"], board.square, "square");
  const YamlField dictionary = field["dictionary"];
  const int available = ReadDictionary(dictionary, kDefaultDictionary, board);
  const int needed = (board.columns + 1) * (board.rows + 1) / 2;
  if (available < needed) {
    dictionary.Throw(fmt::format("{}, which has {} markers", board.dictionary, available),
                     fmt::format("at least the {} markers of a board of {} x {} inner corners",
                                 needed, board.columns, board.rows));
  }
  if (field["legacy_pattern"].Given()) board.legacy_pattern = field["legacy_pattern"].Flag();
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

// `lens: rational` for all cameras, or a map of camera names.
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

// One video of each camera, and not the same one, or images of each.
void CheckVideos(const YamlField& field, const CalibrationCamera& camera,
                 const CalibrationCamera& first) {
  const auto videos = std::ranges::count_if(camera.images, IsVideoName);
  if (videos > 0 && camera.images.size() > 1) {
    field.Throw(fmt::format("{} files for the {} camera, {} of them videos", camera.images.size(),
                            camera.name, videos),
                "images, or one video");
  }
  if (IsVideoName(camera.images.front()) != IsVideoName(first.images.front())) {
    field.Throw(
        fmt::format("{} for the {} camera and {} for the {} camera", first.images.front().string(),
                    first.name, camera.images.front().string(), camera.name),
        "images of all cameras, or a video of each");
  }
  if (videos > 0 && &camera != &first && camera.images == first.images) {
    field.Throw(camera.images.front().string() + " again", "a video of each camera");
  }
}

// Keys left and right (left alone: one camera), or `cameras`, a map of any names.
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
    if (planar && cameras.size() > 1) {
      field["cameras"].Throw(fmt::format("{} cameras with planar: true", cameras.size()),
                             "one camera if planar is true");
    }
  } else {
    add("left", field["left"]);
    if (field["right"].Given()) {
      if (planar) field["right"].Throw("no right camera where planar is true");
      add("right", field["right"]);
    }
  }
  if (cameras.size() > 2 && IsVideoName(cameras.front().images.front())) {
    field["cameras"].Throw(fmt::format("videos of {} cameras", cameras.size()),
                           "images, or videos of one camera or two");
  }
  for (const CalibrationCamera& camera : cameras) {
    const CalibrationCamera& first = cameras.front();
    CheckVideos(field, camera, first);
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

// `unit: mm`, or metres of one unit of length.
double ReadUnit(const YamlField& field) {
  static const std::map<std::string, double> kUnits = {
      {"m", 1.0}, {"cm", 0.01}, {"mm", 0.001}, {"in", 0.0254}};
  static constexpr std::string_view kAllowed =
      "m, cm, mm, in, or the metres of one unit of length, a number above 0 and at most 1000";
  const std::string text = field.Text(kAllowed);
  const auto unit = kUnits.find(text);
  if (unit != kUnits.end()) return unit->second;
  if (text.find_first_not_of("+-.0123456789eE") != std::string::npos) field.Throw(kAllowed);
  return field.Number(
      {.lowest = 0.0, .highest = 1000.0, .lowest_included = false, .unit = "metres"});
}

// `file: rig.toml`, or a list of the files of one calibration; `left` and `right`, or the map
// `cameras`, then hold names of cameras in it.
void ReadCalibrationFile(const YamlField& field, bool planar, CalibrationImages* images) {
  static constexpr std::string_view kAllowed =
      "the file of a calibration (docs/foreign-calibrations.md), or a list of its files";
  if (planar) {
    field.AllowKeys({"file", "left", "surface", "unit", "sigma_px"});
  } else {
    field.AllowKeys({"file", "left", "right", "cameras", "surface", "unit", "sigma_px"});
  }
  const YamlField file = field["file"];
  if (file.IsList()) {
    for (const YamlField& item : file.Items(kAllowed))
      images->file.files.push_back(ReadExistingFile(item, kAllowed));
    if (images->file.files.empty()) file.Throw(kAllowed);
  } else {
    images->file.files = ReadPattern(file, kAllowed);
    const fs::path& first = images->file.files.front();
    if (first.filename() == "cameras.txt")  // of a COLMAP model, whose poses stand beside it
      images->file.files.push_back(first.parent_path() / "images.txt");
  }
  static constexpr std::string_view kName = "the name of a camera in calibration.file";
  if (field["cameras"].Given()) {
    for (const char* side : {"left", "right"}) {
      if (field[side].Given()) field[side].Throw("all cameras in one place, under cameras");
    }
    for (const auto& [name, in_file] :
         field["cameras"].Entries("a map of names to those of cameras in calibration.file")) {
      if (!IsPlainName(name)) in_file.Throw("the name " + name, kPlainNameText);
      images->cameras.push_back(
          {.name = name, .images = {}, .surface = {}, .name_in_file = in_file.Text(kName)});
    }
    if (images->cameras.empty()) field["cameras"].Throw("at least one camera");
  }
  // One camera where the surface is seen by one.
  const bool listed = !images->cameras.empty();
  const bool one_camera = planar || !field["surface"]["right"].Given();
  if (one_camera && field["right"].Given())
    field["right"].Throw("a right camera without surface.right", "both or none");
  for (const char* side : {"left", "right"}) {
    if (listed || (one_camera && !images->cameras.empty())) break;
    CalibrationCamera& camera = images->cameras.emplace_back();
    camera.name = side;
    if (field[side].Given()) camera.name_in_file = field[side].Text(kName);
  }
  if (field["unit"].Given()) images->file.unit = ReadUnit(field["unit"]);
  if (field["sigma_px"].Given()) {
    images->file.sigma_px = field["sigma_px"].Number(
        {.lowest = 0.0, .highest = 10.0, .lowest_included = false, .unit = "px"});
  }
}

}  // namespace

bool CalibrationImages::FromVideos() const {
  return !cameras.empty() && !cameras.front().images.empty() &&
         IsVideoName(cameras.front().images.front());
}

bool IsVideoName(const fs::path& file) {
  static constexpr std::string_view kEndings[] = {
      ".mp4",  ".mov", ".m4v", ".avi", ".mkv",   ".webm", ".mts",  ".m2ts", ".ts",   ".mpg",
      ".mpeg", ".3gp", ".wmv", ".flv", ".mjpeg", ".h264", ".h265", ".hevc", ".cine", ".mraw"};
  std::string ending = file.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::ranges::find(kEndings, ending) != std::end(kEndings);
}

int NumArucoMarkers(std::string_view dictionary) {
  static const std::map<std::string_view, int> kOthers = {{"DICT_ARUCO_ORIGINAL", 1024},
                                                          {"DICT_APRILTAG_16h5", 30},
                                                          {"DICT_APRILTAG_25h9", 35},
                                                          {"DICT_APRILTAG_36h10", 2320},
                                                          {"DICT_APRILTAG_36h11", 587}};
  for (const std::string_view bits : {"4X4", "5X5", "6X6", "7X7"}) {
    for (const int count : {50, 100, 250, 1000}) {
      if (dictionary == fmt::format("DICT_{}_{}", bits, count)) return count;
    }
  }
  const auto other = kOthers.find(dictionary);
  return other == kOthers.end() ? 0 : other->second;
}

Board ReadBoard(const YamlField& field) {
  // The type comes first: it says which keys there are.
  const bool typed = field.IsMap() && field["type"].Given();
  Board board;
  if (typed) board.type = ReadBoardType(field["type"]);
  const bool charuco = board.type == Board::Type::kCharuco;
  const bool asymmetric = board.type == Board::Type::kAsymmetricCircles;
  const bool circles = asymmetric || board.type == Board::Type::kCircles;
  std::vector<std::string_view> keys = {"type", "columns", "rows", "square", "sigma"};
  if (charuco) keys.insert(keys.end(), {"marker", "dictionary", "legacy_pattern"});
  if (circles) keys.push_back("diameter");
  const bool tags = board.type == Board::Type::kAprilGrid;
  if (tags) keys.insert(keys.end(), {"spacing", "dictionary"});
  field.AllowKeys(keys);
  if (!typed) board.type = ReadBoardType(field["type"]);

  if (tags) {
    ReadAprilGrid(field, board);
  } else {
    board.columns = field["columns"].Integer(2, 200);
    board.rows = field["rows"].Integer(2, 200);
  }
  board.square = field["square"].Number(kSquare);
  board.square_sigma_stated = field["sigma"].Given();
  board.square_sigma =
      board.square_sigma_stated
          ? field["sigma"].Number({.lowest = 0.0, .highest = 0.1 * board.square, .unit = "m"})
          : 0.001 * board.square;
  if (charuco) ReadCharuco(field, board);
  if (circles) {
    const double nearest = asymmetric ? std::numbers::sqrt2 * board.square : board.square;
    board.diameter =
        ReadLengthBelow(field["diameter"], nearest, "the distance of neighbouring centres,");
  }
  return board;
}

CalibrationImages ReadCalibrationImages(const YamlField& field, bool planar) {
  CalibrationImages images;
  if (field.IsMap() && field["file"].Given()) {
    ReadCalibrationFile(field, planar, &images);
  } else {
    field.AllowKeys({"left", "right", "cameras", "surface", "lens", "known_distances", "file"});
    images.cameras = ReadCameras(field, planar);
    ReadLenses(field["lens"], images.cameras);
  }
  const YamlField surface = field["surface"];
  std::vector<std::string_view> names;
  for (const CalibrationCamera& camera : images.cameras) names.push_back(camera.name);
  surface.AllowKeys(names);
  static constexpr std::string_view kAllowed =
      "an image file, or a video, of the board on the impact surface";
  // Of many cameras some may look elsewhere; one or two must both see the surface. What is not
  // known of the cameras of a file is stated by the pictures of all.
  const bool all_needed = images.cameras.size() <= 2 || !images.file.files.empty();
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

void CheckCameraName(const YamlField& camera, const std::string& name) {
  if (!IsPlainName(name)) camera.Throw("the name " + name, kPlainNameText);
  const auto among = [&](const auto& keys) {
    return std::ranges::find(keys, name) != std::end(keys);
  };
  static constexpr std::string_view kBesideCameras[] = {"distance", "sigma"};
  if (among(kTrialKeys) || among(kMotionKeys) || among(kBesideCameras))
    camera.Throw("the name " + name, "a name that is no other key beside those of cameras");
}

std::vector<std::string> CameraNames(const YamlField& calibration) {
  if (calibration.IsMap() && calibration["cameras"].IsMap()) {
    std::vector<std::string> names;
    for (const auto& [name, entry] : calibration["cameras"].Entries("a map")) names.push_back(name);
    return names;
  }
  const auto given = [](const YamlField& of, const char* side) {
    return of.IsMap() && of[side].Given();
  };
  const bool of_file = given(calibration, "file");
  const YamlField images = of_file ? calibration["surface"] : calibration;
  const bool one_camera =
      calibration.IsMap() && !given(images, "right") && (of_file || given(images, "left"));
  if (one_camera) return {"left"};
  return {"left", "right"};
}

}  // namespace percuss::capture
