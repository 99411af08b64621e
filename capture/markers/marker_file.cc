// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/markers/marker_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <stdexcept>

#include "base/error.h"
#include "base/files/files.h"
#include "capture/markers/marker_formats.h"

namespace percuss::capture {
namespace fs = std::filesystem;
using Eigen::Vector3d;

namespace {

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

std::string Extension(const fs::path& file) { return LowerCase(file.extension().string()); }

void CheckShape(const MarkerTrajectories& trajectories) {
  const auto fail = [](std::string_view field, const std::string& found, std::string_view allowed) {
    throw std::invalid_argument(
        fmt::format("marker trajectories: {}: found {}, allowed {}", field, found, allowed));
  };
  const std::size_t num_markers = trajectories.markers.size();
  if (num_markers == 0) fail("markers", "none", "1 or more");
  const std::set<std::string> names(trajectories.markers.begin(), trajectories.markers.end());
  if (names.size() != num_markers) fail("markers", "a name twice", "distinct names");
  if (names.contains("")) fail("markers", "an empty name", "names");
  if (trajectories.times.empty()) fail("times", "none", "1 or more");
  if (trajectories.positions.size() != trajectories.times.size()) {
    fail("positions", fmt::format("{} frames", trajectories.positions.size()),
         fmt::format("{}, as many as times", trajectories.times.size()));
  }
  double last = -INFINITY;
  for (const double time : trajectories.times) {
    if (!(time > last) || !std::isfinite(time)) {
      fail("times", fmt::format("{} after {}", time, last), "increasing times");
    }
    last = time;
  }
  for (const auto& frame : trajectories.positions) {
    if (frame.size() != num_markers) {
      fail("positions", fmt::format("{} markers", frame.size()),
           fmt::format("{} in every frame", num_markers));
    }
    for (const Vector3d& position : frame) {
      if (!IsMissing(position) && !position.allFinite()) {
        fail("positions", fmt::format("({}, {}, {})", position.x(), position.y(), position.z()),
             "three finite coordinates or three NaN");
      }
    }
  }
}

}  // namespace

bool IsMissing(const Vector3d& position) {
  return std::isnan(position.x()) && std::isnan(position.y()) && std::isnan(position.z());
}

std::optional<double> MetresPerUnit(std::string_view unit) {
  const std::string name = LowerCase(unit);
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
  };
  if (is_one_of({"mm", "millimeters", "millimetres"})) return 1e-3;
  if (is_one_of({"cm", "centimeters", "centimetres"})) return 1e-2;
  if (is_one_of({"m", "meters", "metres"})) return 1.0;
  return std::nullopt;
}

void RequireDistinctMarkers(const fs::path& file, const std::vector<std::string>& markers) {
  std::set<std::string_view> names;
  for (const std::string& marker : markers) {
    if (names.insert(marker).second) continue;
    throw InputError(fmt::format("{}: markers: found \"{}\" twice, allowed distinct names",
                                 file.string(), marker));
  }
}

MarkerTrajectories ReadMarkers(const fs::path& file, const ReadMarkersOptions& options) {
  const std::string content = ReadFile(file);
  const std::string extension = Extension(file);
  if (content.starts_with("PathFileType")) return ReadTrc(file, content, options);
  // A file of text does not start with a control character followed by a P.
  const bool looks_like_c3d =
      content.size() > 1 && static_cast<unsigned char>(content[0]) < ' ' && content[1] == 'P';
  if (looks_like_c3d || extension == ".c3d") return ReadC3d(file, content, options);
  if (extension == ".trc") return ReadTrc(file, content, options);
  if (extension == ".csv") return ReadMarkerCsv(file, content, options);
  throw InputError(
      fmt::format("{}: found the extension \"{}\" and a content that is neither TRC nor C3D, "
                  "allowed .trc, .c3d or .csv",
                  file.string(), extension));
}

bool CanWriteMarkers(const fs::path& file) {
  const std::string extension = Extension(file);
  return extension == ".trc" || extension == ".c3d" || extension == ".csv";
}

void WriteMarkers(const MarkerTrajectories& trajectories, const fs::path& file) {
  if (!CanWriteMarkers(file)) {
    throw std::invalid_argument(
        fmt::format("{}: found the extension \"{}\", allowed .trc, .c3d or .csv", file.string(),
                    file.extension().string()));
  }
  CheckShape(trajectories);
  const std::string extension = Extension(file);
  if (extension == ".trc") {
    WriteFileAtomically(file, TrcText(trajectories, file.filename().string()));
  } else if (extension == ".c3d") {
    WriteFileAtomically(file, C3dBytes(trajectories));
  } else {
    WriteFileAtomically(file, MarkerCsvText(trajectories));
  }
}

void TurnUpToZ(char up, MarkerTrajectories& trajectories) {
  if (up != 'x' && up != 'y' && up != 'z') {
    throw std::invalid_argument(fmt::format("up: found '{}', allowed x, y or z", up));
  }
  if (up == 'z') return;
  for (auto& frame : trajectories.positions) {
    for (Vector3d& p : frame) {
      p = up == 'y' ? Vector3d(p.x(), -p.z(), p.y()) : Vector3d(p.y(), p.z(), p.x());
    }
  }
}

}  // namespace percuss::capture
