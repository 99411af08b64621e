// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/sighting_files.h"

#include <fmt/core.h>

#include <cmath>

#include "base/error.h"
#include "base/text/json_schema.h"

namespace percuss::tracking {
namespace {

constexpr std::string_view kFormat = "percuss sightings 2";
constexpr std::string_view kCount = "a whole number that is not negative";

/// As [w, x, y, z].
void DescribeQuaternion(auto& file, MaybeConst<Eigen::Quaterniond> auto& q) {
  Eigen::Vector4d list(q.w(), q.x(), q.y(), q.z());
  file.Finite("orientation", list);
  file.Require(std::abs(list.norm() - 1.0) < 1e-6, "orientation", "a quaternion of length 1");
  if constexpr (std::remove_cvref_t<decltype(file)>::kReads)
    q = {list[0], list[1], list[2], list[3]};
}

void DescribeSeen(auto& file, MaybeConst<MarkerObservation> auto& seen) {
  file("marker", seen.marker);
  file.Require(seen.marker >= 0, "marker", kCount);
  file("camera", seen.side);
  file.Require(seen.side >= 0 && seen.side < static_cast<int>(capture::kMostCameras), "camera",
               "the place of a camera");
  file.Finite("pixel", seen.pixel);
}

void DescribeSeen(auto& file, MaybeConst<PointObservation> auto& seen) {
  file("marker", seen.marker);
  file.Require(seen.marker >= 0, "marker", kCount);
  file.Finite("position", seen.p_W);
}

void DescribeSeen(auto& file, MaybeConst<PoseObservation> auto& seen) {
  file.Finite("position", seen.pose.p_WB);
  DescribeQuaternion(file, seen.pose.q_WB);
}

/// The lower triangle, row by row.
void DescribeWhitening(auto& file, MaybeConst<SightingMatrix> auto& matrix) {
  const Eigen::Index size = matrix.rows();
  Eigen::VectorXd triangle(size * (size + 1) / 2);
  Eigen::Index entry = 0;
  for (Eigen::Index row = 0; row < size; ++row) {
    triangle.segment(entry, row + 1) = matrix.row(row).head(row + 1);
    entry += row + 1;
  }
  const Eigen::Index count = entry;
  file.Finite("whitening", triangle);
  file.Require(triangle.size() == count, "whitening", "the lower triangle of a matrix");
  if constexpr (std::remove_cvref_t<decltype(file)>::kReads) {
    for (Eigen::Index row = size; row-- > 0;) {
      entry -= row + 1;
      matrix.row(row).head(row + 1) = triangle.segment(entry, row + 1);
    }
  }
}

}  // namespace

void Describe(auto& file, MaybeConst<Sighting> auto& sighting) {
  if constexpr (std::remove_cvref_t<decltype(file)>::kReads) {
    sighting.whitening = SightingMatrix::Zero(6, 6);
    if (file.Has("pixel")) {
      sighting.observation = MarkerObservation();
      sighting.whitening = SightingMatrix::Zero(2, 2);
    } else if (file.Has("orientation")) {
      sighting.observation = PoseObservation();
    } else {
      sighting.observation = PointObservation();
      sighting.whitening = SightingMatrix::Zero(3, 3);
    }
  }
  std::visit([&](auto& seen) { DescribeSeen(file, seen); }, sighting.observation);
  file.Finite("after_frame", sighting.after_frame);
  DescribeWhitening(file, sighting.whitening);
  file.Finite("weight", sighting.weight);
}

void Describe(auto& file, MaybeConst<ArcFrame> auto& frame) {
  file("frame", frame.frame);
  file.Require(frame.frame >= 0, "frame", kCount);
  file.Finite("time", frame.time);
  file("arc", frame.arc);
  file.Require(frame.arc == 0 || frame.arc == 1, "arc", "0 (before) or 1 (after)");
  file("sightings", frame.sightings);
}

void Describe(auto& file, MaybeConst<SharedOffset> auto& offset) {
  file.Finite("sigma_px", offset.sigma_px);
  file.Require(offset.sigma_px >= 0.0, "sigma_px", "a number, 0 or above");
  file.Finite("correlation_time", offset.correlation_time);
  file.Require(offset.correlation_time > 0.0, "correlation_time", "a positive number");
}

void Describe(auto& file, MaybeConst<FittedArcs> auto& arcs) {
  auto& x = arcs.solution;
  file.Finite("guess_time", arcs.guess_time);
  file.Finite("variance", arcs.variance);
  file.Require(arcs.variance > 0.0, "variance", "a positive number");
  file("planar", arcs.planar);
  file("unknowns", arcs.unknowns);
  for (const int column : arcs.unknowns)
    file.Require(column >= 0 && column < NumArcColumns(capture::kMostCameras), "unknowns",
                 "numbers of columns of the fit");
  file.If(true, "clock_sigma", arcs.clock_sigma);  // null: unknown beforehand
  file.Finite("time", x.time);
  file.Finite("position", x.before.p_WB);
  DescribeQuaternion(file, x.before.q_WB);
  file.Finite("v", x.before.v);
  file.Finite("w", x.before.w);
  file.Finite("v_post", x.v_post);
  file.Finite("w_post", x.w_post);
  file("clock", x.clock);
  file("clock_rate", x.clock_rate);
  file.If(true, "shared_offsets", arcs.shared_offsets);
  file("frames", arcs.frames);
}

void WriteSightings(const std::vector<FittedArcs>& impacts, const Provenance& provenance,
                    const std::filesystem::path& file) {
  WriteJsonFile(file, JsonHead(provenance.format, provenance), -1,
                [&](JsonWriter& writer) { writer("impacts", impacts); });
}

namespace {

void CheckCameras(const std::filesystem::path& file, const FittedArcs& arcs,
                  std::size_t num_cameras) {
  const auto fail = [&](const char* field, int found) {
    throw InputError(fmt::format("{}: impacts.{}: found {}, allowed are those of {} cameras",
                                 file.string(), field, found, num_cameras));
  };
  for (const int column : arcs.unknowns) {
    if (column >= NumArcColumns(num_cameras)) fail("unknowns", column);
  }
  for (const ArcFrame& frame : arcs.frames) {
    for (const Sighting& sighting : frame.sightings) {
      if (SourceOf(sighting) >= static_cast<int>(num_cameras))
        fail("frames.sightings.camera", SourceOf(sighting));
    }
  }
}

}  // namespace

std::vector<FittedArcs> ReadSightings(const std::filesystem::path& file, std::size_t num_cameras) {
  const JsonField root = JsonField::ReadFile(file);
  if (root.At("format").Text() != kFormat) root.At("format").Fail(kFormat);
  std::vector<FittedArcs> impacts;
  JsonReader reader(root);
  reader("impacts", impacts);
  for (const FittedArcs& arcs : impacts) CheckCameras(file, arcs, num_cameras);
  return impacts;
}

}  // namespace percuss::tracking
