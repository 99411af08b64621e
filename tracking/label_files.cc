// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/label_files.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/text/json_schema.h"
#include "tracking/reference/reference_schema.h"

namespace percuss::capture {

void Describe(auto& file, MaybeConst<Alignment> auto& alignment) {
  file("found", alignment.found);
  file("left_flash_frame", alignment.left_flash_frame);
  file("right_flash_frame", alignment.right_flash_frame);
  file("flash_lag_frames", alignment.flash_lag_frames);
  file("lag_frames", alignment.lag_frames);
  file("rests_on", alignment.rests_on);
  file("time_offset", alignment.time_offset);
  file("sub_frame_offset", alignment.sub_frame_offset);
  file("offset_time", alignment.offset_time);
  file("heard", alignment.sound.found);
  file.If(alignment.sound.found, "sound_offset", alignment.sound.offset);
  file("sound_reason", alignment.sound.reason);
}

void Describe(auto& file, MaybeConst<FrameTiming> auto& timing) {
  file("interval", timing.interval);
  file("jitter", timing.jitter);
  file("shortest", timing.shortest);
  file("longest", timing.longest);
  file("variable_rate", timing.variable_rate);
  file("num_dropped", timing.num_dropped);
  file.If(timing.first_after_gap.has_value(), "first_after_gap", timing.first_after_gap);
  file("repeated", timing.repeated);
}

}  // namespace percuss::capture

namespace percuss::tracking {

inline std::string_view NameOf(Polarity polarity) {
  return polarity == Polarity::kBright ? "bright" : "dark";
}
inline std::vector<Polarity> AllValues(Polarity) { return {Polarity::kBright, Polarity::kDark}; }

void Describe(auto& file, MaybeConst<MarkerObservation> auto& seen) {
  file("marker", seen.marker);
  file("camera", seen.side);
  file.Require(seen.side >= 0 && seen.side < static_cast<int>(capture::kMostCameras), "camera",
               "the place of a camera");
  file("pixel", seen.pixel);
  file("covariance", seen.covariance);
  file.If(std::isfinite(seen.time), "time", seen.time);
}

void Describe(auto& file, MaybeConst<PoseEstimate> auto& estimate) {
  file("position", estimate.pose.p_WB);
  file("orientation_xyzw", estimate.pose.q_WB.coeffs());
  file("covariance", estimate.covariance);
  file("rms_px", estimate.rms_px);
  file("error_px", estimate.error_px);
  file("degrees_of_freedom", estimate.degrees_of_freedom);
}

void Describe(auto& file, MaybeConst<TrackedFrame> auto& frame) {
  file("left_frame", frame.left_frame);
  file("right_frame", frame.right_frame);
  file("time", frame.time);
  file("has_picture", frame.has_picture);
  file("observations", frame.observations);
  file("pose_found", frame.pose.found);
  if (frame.pose.found) file("pose", frame.pose);
}

void Describe(auto& file, MaybeConst<Innovations> auto& innovations) {
  file.If(std::isfinite(innovations.mean_square), "mean_square", innovations.mean_square);
  file("count", innovations.count);
  file.If(std::isfinite(innovations.low), "low", innovations.low);
  file.If(std::isfinite(innovations.high), "high", innovations.high);
}

void Describe(auto& file, MaybeConst<FilterSummary> auto& filter) {
  file("noise_scale", filter.noise_scale);
  file("innovations", filter.innovations);
  std::vector<std::array<int, 2>> flights;
  for (const auto& [first, last] : filter.flights) flights.push_back({first, last});
  file("flights", flights);
  if constexpr (std::remove_cvref_t<decltype(file)>::kReads) {
    for (const auto& [first, last] : flights) filter.flights.emplace_back(first, last);
  }
  file("changes", filter.changes);
  file("searches", filter.searches);
}

void Describe(auto& file, MaybeConst<FurtherView> auto& view) {
  file("reason", view.reason);
  file("offset", view.offset);
  file("timing", view.timing);
  file("sightings", view.sightings);
  file("frames", view.frames);
}

void Describe(auto& file, MaybeConst<TrackedTrial> auto& tracked) {
  file("markers", tracked.polarity);
  file("alignment", tracked.alignment);
  file("num_frames", tracked.num_frames);
  file("timing", tracked.timing);
  file("line_time", tracked.line_time);
  file("line_time_sigma", tracked.line_time_sigma);
  file("static_spots", tracked.static_spots);
  file("warnings", tracked.warnings);
  file.If(tracked.reference.has_value(), "reference_points", tracked.reference);
  file("filter", tracked.filter);
  file("frames", tracked.frames);
  file.If(!tracked.further.empty(), "further", tracked.further);
  for (const FurtherView& view : tracked.further)
    file.Require(view.frames.size() == tracked.frames.size(), "further", "a number for each frame");
}

void WriteLabels(const TrackedTrial& tracked, const Provenance& provenance,
                 const std::filesystem::path& file) {
  WriteJsonFile(file, JsonHead(kLabelsFormat, provenance), -1,
                [&](JsonWriter& writer) { Describe(writer, tracked); });
}

namespace {

/// What other steps look up by number must be there.
void RequirePlaces(const JsonField& root, const TrackedTrial& tracked, std::size_t num_markers) {
  const auto require = [](const JsonField& field, int found, std::size_t count) {
    if (found < 0 || static_cast<std::size_t>(found) >= count)
      field.Fail(fmt::format("{}", found), fmt::format("numbers from 0, below {}", count));
  };
  const JsonField filter = root.At("filter");
  for (const auto& [first, last] : tracked.filter.flights) {
    require(filter.At("flights"), first, tracked.frames.size());
    require(filter.At("flights"), last, tracked.frames.size());
  }
  for (const int frame : tracked.filter.changes)
    require(filter.At("changes"), frame, tracked.frames.size());
  for (const int frame : tracked.filter.searches)
    require(filter.At("searches"), frame, tracked.frames.size());
  const std::vector<JsonField> frames = root.At("frames").Elements();
  for (std::size_t k = 0; k < frames.size(); ++k) {
    for (const MarkerObservation& seen : tracked.frames[k].observations)
      require(frames[k].At("observations"), seen.marker, num_markers);
  }
}

}  // namespace

TrackedTrial ReadLabels(const std::filesystem::path& file, std::size_t num_markers) {
  const JsonField root = JsonField::ReadFile(file);
  if (root.At("format").Text() != kLabelsFormat) root.At("format").Fail(kLabelsFormat);
  JsonReader reader(root);
  TrackedTrial tracked;
  Describe(reader, tracked);
  RequirePlaces(root, tracked, num_markers);
  return tracked;
}

}  // namespace percuss::tracking
