// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// SLEAP's analysis HDF5 (sleap.ai, "Exporting the results"; sleap-io, analysis_h5): `tracks` is
// tracks x 2 x nodes x frames, a column-major array of frames x nodes x 2 x tracks; `point_scores`
// is tracks x nodes x frames. sleap-io can write other orders, and says them in `dims`; without
// transposing both are as they are in memory.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/error.h"
#include "capture/tracks/hdf5_file.h"
#include "capture/tracks/track_table.h"
#include "capture/tracks/work_apart.h"

namespace percuss::capture {
namespace {

constexpr std::array<std::string_view, 4> kUsualAxes = {"track", "xy", "node", "frame"};

/// Place of each axis of `tracks`.
struct AxisPlaces {
  std::size_t track = 0, xy = 1, node = 2, frame = 3;
};

bool Fit(const AxisPlaces& places, const std::vector<std::size_t>& sizes, std::size_t num_nodes) {
  return sizes.size() == 4 && sizes[places.xy] == 2 && sizes[places.node] == num_nodes;
}

// `dims` is a list of JSON: ["track", "xy", "node", "frame"].
AxisPlaces ReadAxes(const Hdf5File& file, const std::vector<std::size_t>& sizes,
                    std::size_t num_nodes) {
  const std::string dims = file.TextAttribute("tracks", "dims");
  if (dims.empty()) {
    const AxisPlaces usual, in_memory{.track = 3, .xy = 2, .node = 1, .frame = 0};
    return !Fit(usual, sizes, num_nodes) && Fit(in_memory, sizes, num_nodes) ? in_memory : usual;
  }
  std::array<std::size_t, 4> at{};
  for (std::size_t i = 0; i < at.size(); ++i)
    at[i] = dims.find(fmt::format("\"{}\"", kUsualAxes[i]));
  if (std::ranges::find(at, std::string::npos) != at.end() || std::ranges::count(dims, ',') != 3)
    file.Throw("tracks.dims", dims, R"(an order of "track", "xy", "node", "frame")");
  const auto rank = [&](std::size_t i) {
    return static_cast<std::size_t>(
        std::ranges::count_if(at, [&](std::size_t other) { return other < at[i]; }));
  };
  return {rank(0), rank(1), rank(2), rank(3)};
}

// Where a number of one track stands in a slice: strides of the axes that are left.
struct Strides {
  std::size_t xy = 0, node = 0, frame = 0;
};

Strides StridesOf(const AxisPlaces& places, const std::vector<std::size_t>& sizes, bool scores) {
  const auto stride = [&](std::size_t axis) {
    std::size_t product = 1;
    for (std::size_t i = axis + 1; i < sizes.size(); ++i) {
      if (i != places.track && !(scores && i == places.xy)) product *= sizes[i];
    }
    return product;
  };
  return {stride(places.xy), stride(places.node), stride(places.frame)};
}

std::string SizesText(const std::vector<std::size_t>& sizes) {
  return fmt::format("{}", fmt::join(sizes, " x "));
}

void RequireSleap(const Hdf5File& file, const TrackSource& source) {
  const std::string path = file.File().string();
  if (file.HasAttribute("PYTABLES_FORMAT_VERSION")) {
    throw InputError(fmt::format(
        "{}: found a table of pandas, as DeepLabCut writes it; allowed is its CSV: DeepLabCut "
        "writes it with save_as_csv, or by analyze_videos_converth5_to_csv",
        path));
  }
  if (file.Has("tracks") && file.Has("node_names")) {
    if (!source.format || *source.format == TrackFormat::kSleap) return;
    throw InputError(fmt::format("{}: found HDF5 of SLEAP, allowed format: sleap, or none", path));
  }
  throw InputError(fmt::format(
      "{}: found {}, allowed SLEAP's analysis HDF5 (Export Analysis HDF5, or sleap-convert "
      "--format analysis), or a CSV",
      path, file.Has("pred_points") ? "a project of SLEAP" : "HDF5 without tracks and node_names"));
}

std::vector<std::string> ReadNodes(const Hdf5File& file) {
  const std::vector<std::string> nodes = file.ReadTexts("node_names");
  std::vector<std::string> sorted = nodes;
  std::ranges::sort(sorted);
  if (nodes.empty() || sorted.front().empty())
    file.Throw("node_names", "a node without a name", "names");
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end()) file.Throw("node_names", *twice + " twice", "each name once");
  return nodes;
}

std::size_t PlaceOfTrack(const Hdf5File& file, const TrackSource& source, std::size_t num_tracks) {
  std::vector<std::string> names;
  if (file.Has("track_names")) names = file.ReadTexts("track_names");
  if (names.empty() && num_tracks == 1) return 0;  // one body, which was not tracked
  if (names.size() != num_tracks) {
    file.Throw("track_names", fmt::format("{} names", names.size()),
               fmt::format("the {} of tracks", num_tracks));
  }
  const std::string chosen = ChooseTrack(file.File(), source, names);
  return static_cast<std::size_t>(std::ranges::find(names, chosen) - names.begin());
}

/// One track of a file.
struct SleapTrack {
  std::vector<std::string> nodes;
  std::vector<double> numbers;  ///< of each node of each frame: x, y, score
};

SleapTrack ReadTrack(const std::filesystem::path& path, const TrackSource& source) {
  const Hdf5File file(path);
  RequireSleap(file, source);
  const std::vector<std::size_t> sizes = file.SizesOf("tracks");
  SleapTrack result{.nodes = ReadNodes(file), .numbers = {}};
  const std::size_t num_nodes = result.nodes.size();
  const AxisPlaces places = ReadAxes(file, sizes, num_nodes);
  if (!Fit(places, sizes, num_nodes)) {
    file.Throw(
        "tracks", SizesText(sizes),
        fmt::format("tracks x 2 x nodes x frames, with the {} nodes of node_names", num_nodes));
  }
  const std::size_t track = PlaceOfTrack(file, source, sizes[places.track]);
  const std::vector<double> pixels = file.ReadSlice("tracks", places.track, track);
  std::vector<double> scores;
  if (file.Has("point_scores")) {
    std::vector<std::size_t> expected = sizes;
    expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(places.xy));
    const std::vector<std::size_t> found = file.SizesOf("point_scores");
    if (found != expected)
      file.Throw("point_scores", SizesText(found), SizesText(expected) + ", as of tracks");
    const std::size_t axis = places.track - (places.track > places.xy ? 1 : 0);
    scores = file.ReadSlice("point_scores", axis, track);
  }
  const Strides of_pixels = StridesOf(places, sizes, false);
  const Strides of_scores = StridesOf(places, sizes, true);
  result.numbers.reserve(sizes[places.frame] * num_nodes * 3);
  for (std::size_t frame = 0; frame < sizes[places.frame]; ++frame) {
    for (std::size_t node = 0; node < num_nodes; ++node) {
      const std::size_t at = frame * of_pixels.frame + node * of_pixels.node;
      const std::size_t score = frame * of_scores.frame + node * of_scores.node;
      result.numbers.insert(result.numbers.end(),
                            {pixels[at], pixels[at + of_pixels.xy],
                             scores.empty() ? TrackPoint::kNone : scores[score]});
    }
  }
  return result;
}

// From one process to the other: each name with a NUL at its end, an empty one, the numbers.
std::string Packed(const SleapTrack& track) {
  std::string bytes;
  for (const std::string& node : track.nodes) bytes += node + '\0';
  bytes += '\0';
  bytes.append(reinterpret_cast<const char*>(track.numbers.data()),
               track.numbers.size() * sizeof(double));
  return bytes;
}

std::optional<SleapTrack> Unpacked(std::string_view bytes) {
  SleapTrack track;
  for (;;) {
    const std::size_t end = bytes.find('\0');
    if (end == std::string_view::npos) return {};
    const std::string_view node = bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
    if (node.empty()) break;
    track.nodes.emplace_back(node);
  }
  const std::size_t of_frame = 3 * track.nodes.size() * sizeof(double);
  if (of_frame == 0 || bytes.size() % of_frame != 0) return {};
  track.numbers.resize(bytes.size() / sizeof(double));
  std::memcpy(track.numbers.data(), bytes.data(), bytes.size());
  return track;
}

}  // namespace

std::vector<TrackPoint> ReadSleapAnalysis(const std::filesystem::path& path,
                                          const TrackSource& source) {
  // Some ten times what it takes.
  const auto longest = static_cast<int>(2 + std::filesystem::file_size(path) / 10'000'000);
  const std::optional<std::string> bytes =
      WorkApart([&] { return Packed(ReadTrack(path, source)); }, longest);
  const std::optional<SleapTrack> track = bytes ? Unpacked(*bytes) : std::nullopt;
  if (!track) ThrowDamaged(path);
  const std::size_t num_nodes = track->nodes.size();
  std::vector<TrackPoint> points;
  for (std::size_t k = 0; k < track->numbers.size() / 3; ++k) {
    const std::size_t frame = k / num_nodes;
    points.push_back({.where = fmt::format("{}: frame {}", path.string(), frame),
                      .name = track->nodes[k % num_nodes],
                      .frame = static_cast<double>(frame),
                      .x = track->numbers[3 * k],
                      .y = track->numbers[3 * k + 1],
                      .likelihood = track->numbers[3 * k + 2]});
  }
  return points;
}

}  // namespace percuss::capture
