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
      {"asymmetric_circles", Board::Type::kAsymmetricCircles}};
  static constexpr std::string_view kAllowed = "chessboard, charuco, circles or asymmetric_circles";
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

}  // namespace

bool CalibrationImages::FromVideos() const {
  return !cameras.empty() && !cameras.front().images.empty() &&
         IsVideoName(cameras.front().images.front());
}

bool IsVideoName(const fs::path& file) {
  static constexpr std::string_view kEndings[] = {
      ".mp4", ".mov",  ".m4v", ".avi", ".mkv", ".webm",  ".mts",  ".m2ts", ".ts",
      ".mpg", ".mpeg", ".3gp", ".wmv", ".flv", ".mjpeg", ".h264", ".h265", ".hevc"};
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
  field.AllowKeys(keys);
  if (!typed) board.type = ReadBoardType(field["type"]);

  board.columns = field["columns"].Integer(2, 200);
  board.rows = field["rows"].Integer(2, 200);
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
  field.AllowKeys({"left", "right", "cameras", "surface", "lens", "known_distances"});
  CalibrationImages images;
  images.cameras = ReadCameras(field, planar);
  ReadLenses(field["lens"], images.cameras);
  const YamlField surface = field["surface"];
  std::vector<std::string_view> names;
  for (const CalibrationCamera& camera : images.cameras) names.push_back(camera.name);
  surface.AllowKeys(names);
  static constexpr std::string_view kAllowed =
      "an image file, or a video, of the board on the impact surface";
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

bool HasOneCamera(const YamlField& calibration) {
  if (!calibration.IsMap()) return false;
  const YamlField cameras = calibration["cameras"];
  if (cameras.Given()) return cameras.IsMap() && cameras.Entries("a map").size() == 1;
  return calibration["left"].Given() && !calibration["right"].Given();
}

}  // namespace percuss::capture
