// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/track_files.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <span>

#include "base/error.h"
#include "base/text/json_field.h"
#include "base/text/json_stream.h"
#include "base/text/json_text.h"
#include "tracking/arcs/arc_obliquity.h"
#include "tracking/labels/marker_triad.h"
#include "tracking/reference/reference_schema.h"
#include "tracking/slides/slide_files.h"

namespace percuss::tracking {
namespace {

using SortedJson = nlohmann::json;

SortedJson SortedJsonOf(const Eigen::Vector3d& v) {
  return SortedJson::array({v.x(), v.y(), v.z()});
}

SortedJson SortedJsonOf(const Eigen::Matrix3d& m) {
  return SortedJson::array({SortedJsonOf(Eigen::Vector3d(m.row(0))),
                            SortedJsonOf(Eigen::Vector3d(m.row(1))),
                            SortedJsonOf(Eigen::Vector3d(m.row(2)))});
}

double SigmaOf(const MarkerObservation& observation) {
  return std::sqrt(0.5 * observation.covariance.trace());
}

/// The markers that the views see, or as the motion-capture system gave them.
std::vector<MarkerPoint> MarkerPoints(const TrialResult& result, const capture::MarkedBody& body,
                                      const calibration::RigCalibration& calibration) {
  if (!result.motion) {
    return TriangulateMarkers(result.tracked, LayoutOf(body, calibration.planar), calibration);
  }
  std::vector<MarkerPoint> points;
  for (std::size_t k = 0; k < result.tracked.frames.size(); ++k) {
    for (const PointObservation& point : result.tracked.frames[k].points) {
      points.push_back({static_cast<int>(k), point.marker, {point.p_W, point.covariance}});
    }
  }
  return points;
}

/// The cameras after left and right.
std::span<const calibration::CalibratedCamera> Further(
    const calibration::RigCalibration& calibration) {
  const std::span cameras(calibration.cameras);
  return cameras.subspan(std::min<std::size_t>(2, cameras.size()));
}

/// Pixel and sigma of a sighting; empty cells where there is none.
std::string PixelCells(const MarkerObservation* seen) {
  if (!seen) return ",,,";
  return fmt::format(",{:.4f},{:.4f},{:.4f}", seen->pixel.x(), seen->pixel.y(), SigmaOf(*seen));
}

std::string MarkersCsv(const TrialResult& result, const capture::MarkedBody& body,
                       const calibration::RigCalibration& calibration) {
  std::string csv =
      "frame,time,marker,left_x_px,left_y_px,left_sigma_px,right_x_px,right_y_px,right_sigma_px,x,"
      "y,z,sigma_x,sigma_y,sigma_z";
  for (const auto& camera : Further(calibration))
    csv += fmt::format(",{0}_x_px,{0}_y_px,{0}_sigma_px", camera.name);
  csv += '\n';
  const std::vector<MarkerPoint> points = MarkerPoints(result, body, calibration);
  auto point = points.begin();
  for (std::size_t k = 0; k < result.tracked.frames.size(); ++k) {
    const TrackedFrame& frame = result.tracked.frames[k];
    for (std::size_t m = 0; m < body.markers.size(); ++m) {
      capture::PerCamera<const MarkerObservation*> seen = {};
      for (const MarkerObservation& observation : frame.observations) {
        if (observation.marker == static_cast<int>(m)) seen[observation.side] = &observation;
      }
      const bool is_point = point != points.end() && point->frame == static_cast<int>(k) &&
                            point->marker == static_cast<int>(m);
      const auto there = [](const MarkerObservation* observation) {
        return observation != nullptr;
      };
      if (std::ranges::none_of(seen, there) && !is_point) continue;
      csv += fmt::format("{},{:.9g},{}", frame.left_frame, frame.time, body.markers[m].name);
      csv += PixelCells(seen[0]) + PixelCells(seen[1]);
      if (is_point) {
        const Eigen::Vector3d& p = point->point.p_W;
        const Eigen::Vector3d sigma = point->point.covariance.diagonal().cwiseSqrt();
        csv += fmt::format(",{:.7f},{:.7f},{:.7f},{:.2g},{:.2g},{:.2g}", p.x(), p.y(), p.z(),
                           sigma.x(), sigma.y(), sigma.z());
        ++point;
      } else {
        csv += ",,,,,,";
      }
      for (std::size_t c = 2; c < calibration.cameras.size(); ++c) csv += PixelCells(seen[c]);
      csv += '\n';
    }
  }
  return csv;
}

std::string PhaseOf(int left_frame, const std::vector<TrialImpact>& impacts) {
  for (const TrialImpact& impact : impacts) {
    const auto& [before, after] = impact.fit.arcs;
    if (left_frame >= before.first_frame && left_frame <= before.last_frame) return "before";
    if (left_frame >= after.first_frame && left_frame <= after.last_frame) return "after";
  }
  return "other";
}

/// Which frame of the right video belongs to this one, and when each camera exposed it; empty where
/// a camera has no picture.
std::string PicturesOf(const TrackedFrame& frame, const TrialResult& result, bool two_cameras) {
  if (result.motion) return ",,";
  capture::PerCamera<double> clock = {};
  if (!result.impacts.empty()) clock = result.impacts.front().fit.clock_offset;
  const auto time = [&](int side) {
    const bool has_picture = frame.has_picture[side];
    return has_picture ? fmt::format("{:.9g}", ExposureTime(frame, side, clock[side]))
                       : std::string();
  };
  if (!two_cameras) return "," + time(0) + ",";
  return fmt::format("{},{},{}", frame.has_picture[1] ? std::to_string(frame.right_frame) : "",
                     time(0), time(1));
}

/// sun2017's angles of a pose, in its axes (x, the normal, -y): (4.17) of the body axes, (4.14) to
/// (4.16) of the way from the first contact point to the mass centre; these are empty without an
/// impact.
std::string AnglesOf(const Eigen::Quaterniond& q_WB, const std::vector<TrialImpact>& impacts) {
  constexpr double kDegrees = 180.0 / std::numbers::pi;
  const Eigen::Matrix3d R_TW{{1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, {0.0, -1.0, 0.0}};
  const Eigen::Matrix3d R_TB = R_TW * q_WB.toRotationMatrix();
  const Eigen::Vector3d theta = kDegrees * EulerAnglesFromTriad<double>(R_TB.transpose());
  std::string text = fmt::format("{:.6f},{:.6f},{:.6f}", theta[0], theta[1], theta[2]);
  if (impacts.empty() || !impacts.front().record.r.allFinite()) return text + ",,,";
  const impacts::ImpactRecord& record = impacts.front().record;
  const Eigen::Vector3d way = R_TB * (record.q_WB.conjugate() * -record.r.normalized());
  for (const double cosine : way)
    text += fmt::format(",{:.6f}", kDegrees * std::acos(std::clamp(cosine, -1.0, 1.0)));
  return text;
}

/// Frame of each camera after left and right, and when it was exposed.
std::string FurtherPicturesOf(const TrialResult& result, std::size_t frame,
                              const calibration::RigCalibration& calibration) {
  std::string cells;
  for (std::size_t c = 2; c < calibration.cameras.size() && !result.motion; ++c) {
    const int number = FrameOf(result.tracked, frame, c);
    if (number < 0) {
      cells += ",,";
      continue;
    }
    const double clock = result.impacts.empty() ? 0.0 : result.impacts.front().fit.clock_offset[c];
    cells += fmt::format(",{},{:.9g}", number,
                         ExposureTime(result.tracked.frames[frame], static_cast<int>(c), clock));
  }
  return cells;
}

std::string PosesCsv(const TrialResult& result, const calibration::RigCalibration& calibration) {
  const bool two_cameras = calibration.cameras.size() > 1;
  std::string csv =
      "frame,time,phase,x,y,z,qw,qx,qy,qz,markers,rms_px,right_frame,left_time,right_time,"
      "theta1_deg,theta2_deg,theta3_deg,beta_deg,gamma_deg,delta_deg";
  if (!result.motion) {
    for (const auto& camera : Further(calibration))
      csv += fmt::format(",{0}_frame,{0}_time", camera.name);
  }
  csv += '\n';
  for (std::size_t k = 0; k < result.tracked.frames.size(); ++k) {
    const TrackedFrame& frame = result.tracked.frames[k];
    if (!frame.pose.found) continue;
    const auto& [p, q] = frame.pose.pose;
    csv += fmt::format(
        "{},{:.9g},{},{:.7f},{:.7f},{:.7f},{:.9f},{:.9f},{:.9f},{:.9f},{},{},{},{}{}\n",
        frame.left_frame, frame.time, PhaseOf(frame.left_frame, result.impacts), p.x(), p.y(),
        p.z(), q.w(), q.x(), q.y(), q.z(), frame.observations.size() + frame.points.size(),
        result.motion ? "" : fmt::format("{:.4f}", frame.pose.rms_px),
        PicturesOf(frame, result, two_cameras), AnglesOf(q, result.impacts),
        FurtherPicturesOf(result, k, calibration));
  }
  return csv;
}

/// Left frame number at a time, with its fraction.
double FrameAt(const std::vector<TrackedFrame>& frames, double time) {
  if (frames.size() < 2) return std::nan("");
  std::size_t k = 1;
  while (k + 1 < frames.size() && frames[k].time < time) ++k;
  const double share = (time - frames[k - 1].time) / (frames[k].time - frames[k - 1].time);
  return frames[k - 1].left_frame + share * (frames[k].left_frame - frames[k - 1].left_frame);
}

SortedJson ArcJson(const ArcSummary& arc) {
  return {{"first_frame", arc.first_frame},
          {"last_frame", arc.last_frame},
          {"frames", arc.frames},
          {"observations", arc.observations},
          {"rms_px", arc.rms_px},
          {"rms_m", arc.rms_m},
          {"gravity", SortedJsonOf(arc.gravity)},
          {"gravity_sigma",
           SortedJsonOf(Eigen::Vector3d(arc.gravity_covariance.diagonal().cwiseSqrt()))},
          {"gravity_covariance", SortedJsonOf(arc.gravity_covariance)}};
}

SortedJson PoseJumpJson(const PoseJump& jump) {
  const Eigen::Matrix<double, 6, 1> sigma = jump.covariance.diagonal().cwiseSqrt();
  return {{"position", SortedJsonOf(jump.position)},
          {"position_sigma", SortedJsonOf(Eigen::Vector3d(sigma.head<3>()))},
          {"rotation", SortedJsonOf(jump.rotation)},
          {"rotation_sigma", SortedJsonOf(Eigen::Vector3d(sigma.tail<3>()))},
          {"chi2", jump.chi2},
          {"degrees_of_freedom", jump.degrees_of_freedom}};
}

SortedJson InnovationsJson(const Innovations& innovations) {
  return {{"mean_square", innovations.mean_square},
          {"low", innovations.low},
          {"high", innovations.high},
          {"count", innovations.count}};
}

SortedJson InnovationsJson(const SmoothedFlight& flight) {
  SortedJson document = InnovationsJson(flight.innovations);
  document["rejected"] = flight.rejected;
  return document;
}

/// What the filter that carries the labels saw; frames by their left number.
SortedJson LabellingJson(const TrackedTrial& tracked) {
  const auto number = [&](int k) { return tracked.frames[k].left_frame; };
  const auto numbers = [&](const std::vector<int>& instants) {
    SortedJson list = SortedJson::array();
    for (const int k : instants) list.push_back(number(k));
    return list;
  };
  const FilterSummary& filter = tracked.filter;
  SortedJson flights = SortedJson::array();
  for (const auto& [first, last] : filter.flights) flights.push_back({number(first), number(last)});
  return {{"innovations", InnovationsJson(filter.innovations)},
          {"noise_scale", filter.noise_scale},
          {"flights", flights},
          {"changes", numbers(filter.changes)},
          {"searches", numbers(filter.searches)},
          {"static_spots", tracked.static_spots}};
}

/// Errors that all markers of a view share, one entry for each view.
SortedJson SharedOffsetsJson(const ImpactFit& fit) {
  SortedJson list = SortedJson::array();
  for (const SharedOffset& offset : fit.arcs_fitted.shared_offsets) {
    list.push_back({{"sigma_px", std::max(1.0, fit.noise_scale) * offset.sigma_px},
                    {"correlation_time", offset.correlation_time}});
  }
  return list;
}

SortedJson SightingErrorsJson(const SightingErrors& errors) {
  return {{"sightings", errors.sightings},
          {"rms_px", errors.rms_px},
          {"rms_sigmas", errors.rms_sigmas}};
}

/// One entry for each view; empty where there are no pixels.
SortedJson ObliquityJson(const TrialImpact& impact, const capture::MarkedBody& body,
                         const calibration::RigCalibration& calibration,
                         const std::vector<TrackedFrame>& frames) {
  SortedJson list = SortedJson::array();
  if (impact.fit.arcs_fitted.frames.empty()) return list;
  const MarkerLayout layout = LayoutOf(body, calibration.planar);
  for (const Obliquity& view : CalcObliquity(impact.fit.arcs_fitted, frames, layout, calibration,
                                             body.body.inertia, impact.record.gravity)) {
    list.push_back({{"median_deg", view.median_deg},
                    {"largest_deg", view.largest_deg},
                    {"below_45", SightingErrorsJson(view.below)},
                    {"above_45", SightingErrorsJson(view.above)}});
  }
  return list;
}

SortedJson ImpactSummaryJson(const TrialImpact& impact, const capture::MarkedBody& body,
                             const calibration::RigCalibration& calibration,
                             const std::vector<TrackedFrame>& frames) {
  SortedJson clocks = SortedJson::object();
  for (std::size_t c = 1; c < calibration.cameras.size(); ++c) {
    clocks[calibration.cameras[c].name] = {{"offset", impact.fit.clock_offset[c]},
                                           {"sigma", impact.fit.clock_sigma[c]}};
  }
  SortedJson candidates = SortedJson::array();
  for (const ContactCandidate& candidate : impact.contact.candidates) {
    candidates.push_back({{"r", SortedJsonOf(candidate.r)},
                          {"height", candidate.height},
                          {"momentum_residual", candidate.momentum_chi2}});
  }
  SortedJson document = {
      {"impact",
       {{"time", impact.fit.time},
        {"time_sigma", impact.fit.time_sigma},
        {"frame", FrameAt(frames, impact.fit.time)}}},
      {"arcs", {{"before", ArcJson(impact.fit.arcs[0])}, {"after", ArcJson(impact.fit.arcs[1])}}},
      {"clock", {{"offset", impact.fit.clock_offset[1]}, {"sigma", impact.fit.clock_sigma[1]}}},
      {"pose_jump", PoseJumpJson(impact.fit.pose_jump)},
      {"noise_scale", impact.fit.noise_scale},
      {"correlation_inflation", impact.fit.correlation_inflation},
      {"shared_offsets", SharedOffsetsJson(impact.fit)},
      {"obliquity", ObliquityJson(impact, body, calibration, frames)},
      {"observations_rejected", impact.fit.rejected},
      {"contact_candidates", candidates},
      {"gravity", SortedJsonOf(impact.record.gravity)},
      {"normal", SortedJsonOf(impact.record.normal)}};
  if (calibration.cameras.size() > 2) document["clocks"] = clocks;
  if (impact.rts) {
    document["innovations"] = {{"before", InnovationsJson(impact.rts->flight_before)},
                               {"after", InnovationsJson(impact.rts->flight_after)}};
  }
  if (impact.houbolt) {
    SortedJson& markers = document["triad_markers"] = SortedJson::array();
    for (const int marker : impact.houbolt->markers) markers.push_back(body.markers[marker].name);
  }
  return document;
}

TrialResult::Status StatusFromName(const std::string& name, const std::filesystem::path& file) {
  for (const auto status :
       {TrialResult::Status::kOk, TrialResult::Status::kBadInput, TrialResult::Status::kNoAnswer}) {
    if (StatusName(status) == name) return status;
  }
  throw InputError(
      fmt::format("{}: status: found '{}', allowed ok, bad_input, no_answer", file.string(), name));
}

}  // namespace

std::string StatusName(TrialResult::Status status) {
  switch (status) {
    case TrialResult::Status::kOk:
      return "ok";
    case TrialResult::Status::kBadInput:
      return "bad_input";
    case TrialResult::Status::kNoAnswer:
      return "no_answer";
  }
  return "no_answer";
}

void WriteTrial(const TrialResult& result, const capture::MarkedBody& body,
                const calibration::RigCalibration& calibration, const Provenance& provenance,
                const std::filesystem::path& folder) {
  SortedJson document = JsonHead(provenance.format, provenance);
  document.update({{"trial", result.trial},
                   {"status", StatusName(result.status)},
                   {"message", result.message},
                   {"frames", result.tracked.frames.size()},
                   {"warnings", result.warnings},
                   {"states", StateMethodName(result.states)}});
  if (result.motion) {
    document["motion_capture"] = {{"planar", result.motion->planar},
                                  {"position_sigma", result.motion->position_sigma}};
    if (result.motion->angle_sigma > 0.0) {
      document["motion_capture"]["angle_sigma"] = result.motion->angle_sigma;
    }
  }
  if (result.tracked.alignment.found) {
    const capture::Alignment& alignment = result.tracked.alignment;
    if (alignment.left_flash_frame >= 0) {
      document["flash"] = {{"left_frame", alignment.left_flash_frame},
                           {"right_frame", alignment.right_flash_frame},
                           {"lag_frames", alignment.flash_lag_frames}};
    }
    SortedJson witnesses = SortedJson::array();
    for (const capture::Witness witness : alignment.rests_on)
      witnesses.push_back(capture::NameOf(witness));
    document["alignment"] = {{"lag_frames", alignment.lag_frames}, {"rests_on", witnesses}};
    if (alignment.sound.found) {
      document["alignment"]["sound"] = {{"offset", alignment.sound.offset},
                                        {"sigma", alignment.sound.sigma}};
    } else if (!alignment.sound.reason.empty()) {
      document["alignment"]["sound"] = {{"reason", alignment.sound.reason}};
    }
    document["sub_frame_offset"] = result.tracked.alignment.sub_frame_offset;
  }
  for (std::size_t k = 0; k < result.tracked.further.size(); ++k) {
    const FurtherView& view = result.tracked.further[k];
    SortedJson entry = {{"offset", view.offset}, {"sightings", view.sightings}};
    if (!view.reason.empty()) entry = {{"reason", view.reason}};
    document["further_cameras"][calibration.cameras.at(k + 2).name] = entry;
  }
  if (result.tracked.reference) {
    document["reference_points"] = SortedJson::parse(JsonDocument(
        {}, -1, [&](JsonWriter& check) { Describe(check, *result.tracked.reference); }));
  }
  if (result.marker_scale.frames > 1) {
    document["marker_scale"] = {{"scale", result.marker_scale.scale},
                                {"sigma", result.marker_scale.sigma},
                                {"frames", result.marker_scale.frames}};
  }
  if (!result.impacts.empty()) {
    document.update(
        ImpactSummaryJson(result.impacts.front(), body, calibration, result.tracked.frames));
    SortedJson impacts = SortedJson::array();
    for (const TrialImpact& impact : result.impacts)
      impacts.push_back(ImpactSummaryJson(impact, body, calibration, result.tracked.frames));
    document["impacts"] = impacts;
  }
  if (result.kind == capture::Trial::Kind::kSlide) document["kind"] = "slide";
  if (result.slide) {
    document["slide"] = SlideJson(*result.slide);
    WriteFileAtomically(folder / "slide.csv", SlideCsv(*result.slide));
  } else {
    RemoveOutdated(folder / "slide.csv");
  }
  if (!result.tracked.frames.empty()) document["labelling"] = LabellingJson(result.tracked);
  if (result.tracked.frames.empty()) {
    RemoveOutdated(folder / "markers.csv");
    RemoveOutdated(folder / "poses.csv");
  } else {
    const bool has_markers =
        !result.motion || std::ranges::any_of(result.tracked.frames, [](const TrackedFrame& frame) {
          return !frame.points.empty();
        });
    if (has_markers) {
      WriteFileAtomically(folder / "markers.csv", MarkersCsv(result, body, calibration));
    }
    WriteFileAtomically(folder / "poses.csv", PosesCsv(result, calibration));
  }
  WriteIfChanged(folder / "trial.json", JsonText(document, 1));  // one that fails as before
}

TrialSummary ReadTrialSummary(const std::filesystem::path& file) {
  TrialSummary summary;
  const JsonField root =
      ReadFields(file, {"trial", "status", "message", "warnings", "slide", "gravity", "arcs"});
  const auto vector = [](const JsonField& field) {
    return Eigen::Vector3d(field.Vector3().data());
  };
  summary.trial = root.At("trial").Text();
  summary.status = StatusFromName(root.At("status").Text(), file);
  summary.message = root.At("message").Text();
  summary.warnings = root.At("warnings").Texts();
  if (const JsonField slide = root["slide"]; slide.Given()) summary.slide = SlideOf(slide);
  if (const JsonField arcs = root["arcs"]; arcs.Given()) {
    summary.gravity = vector(root.At("gravity"));
    for (const char* name : {"before", "after"}) {
      const JsonField arc = arcs.At(name);
      TrialSummary::Gravity gravity;
      gravity.arc = name;
      gravity.measured = vector(arc.At("gravity"));
      const std::vector<JsonField> rows = arc.At("gravity_covariance").Elements(3);
      for (int row = 0; row < 3; ++row)
        gravity.covariance.row(row) = vector(rows[static_cast<std::size_t>(row)]);
      summary.measured_gravity.push_back(gravity);
    }
  }
  return summary;
}

}  // namespace percuss::tracking
