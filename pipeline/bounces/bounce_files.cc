// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <span>

#include "base/files/files.h"
#include "base/text/json_text.h"
#include "base/text/numbers.h"
#include "impacts/impact_columns.h"
#include "impacts/impact_files.h"
#include "pipeline/bounces/bounce_clip.h"
#include "report/bounces/bounce_page.h"
#include "report/bounces/bounce_picture.h"
#include "report/bounces/bounce_video.h"

namespace percuss::pipeline {
namespace {

using tracking::BounceNumber;

/// Lengths of the clip in its unit: per radius of the ball.
struct SpeedUnit {
  const BounceClip& clip;
  bool Metric() const { return std::isfinite(clip.scale.radius.value); }
  const char* Name() const { return Metric() ? "m" : "px"; }

  double PerRadius(std::size_t bounce) const {
    return Metric() ? clip.scale.radius.value : clip.fit.bounces[bounce].px_per_radius;
  }
  /// A speed with its sigma, and that of the scale.
  ValueWithSigma Speed(std::size_t bounce, double value, BounceNumber number) const {
    const double unit = PerRadius(bounce), sigma = unit * clip.fit.Sigma(bounce, number);
    const double of_scale = Metric() ? std::abs(value) * clip.scale.radius.sigma : 0.0;
    return {unit * value, std::hypot(sigma, of_scale)};
  }
};

/// A ratio of two numbers of one bounce with its sigma.
ValueWithSigma RatioOf(const BounceClip& clip, std::size_t bounce, BounceNumber over,
                       BounceNumber under, double above, double below) {
  const auto first = static_cast<Eigen::Index>(bounce * tracking::kNumBounceNumbers);
  const Eigen::MatrixXd& c = clip.fit.covariance;
  const Eigen::Index i = first + over, j = first + under;
  const double ratio = above / below;
  const double variance =
      (c(i, i) - 2.0 * ratio * c(i, j) + ratio * ratio * c(j, j)) / (below * below);
  return {ratio, std::sqrt(std::max(0.0, variance))};
}

struct BounceRow {
  ValueWithSigma time, e, before, after, normal_before, normal_after, tangential_before,
      tangential_after, ratio_t, ratio_v;
  double angle_deg = kNaN;
};

BounceRow RowOf(const BounceClip& clip, std::size_t k) {
  const tracking::BounceEstimate& b = clip.fit.bounces[k];
  const SpeedUnit unit{clip};
  BounceRow row;
  row.time = {b.time, clip.fit.Sigma(k, tracking::kBounceTime)};
  row.e = {b.e, clip.fit.Sigma(k, tracking::kBounceE)};
  row.before = unit.Speed(k, b.before, tracking::kSpeedBefore);
  row.after = unit.Speed(k, b.after, tracking::kSpeedAfter);
  row.normal_before = unit.Speed(k, b.normal_before, tracking::kNormalBefore);
  row.normal_after = unit.Speed(k, b.normal_after, tracking::kNormalAfter);
  row.tangential_before = unit.Speed(k, b.tangential_before, tracking::kTangentialBefore);
  row.tangential_after = unit.Speed(k, b.tangential_after, tracking::kTangentialAfter);
  row.ratio_v = RatioOf(clip, k, tracking::kSpeedAfter, tracking::kSpeedBefore, b.after, b.before);
  // A ball that comes straight down has no tangential direction.
  if (b.tangential_before > 3.0 * clip.fit.Sigma(k, tracking::kTangentialBefore))
    row.ratio_t = RatioOf(clip, k, tracking::kTangentialAfter, tracking::kTangentialBefore,
                          b.tangential_after, b.tangential_before);
  row.angle_deg = std::atan2(b.normal_before, b.tangential_before) * 180.0 / std::numbers::pi;
  return row;
}

/// By what a bounce is known.
std::string SourceOf(const BounceClip& clip, std::size_t bounce) {
  const bool heard = std::ranges::any_of(
      clip.sound.heard, [&](const auto& one) { return one.bounce == static_cast<int>(bounce); });
  return heard ? "both" : clip.source;
}

std::string Number(double value) {
  return std::isfinite(value) ? fmt::format("{:.7g}", value) : "";
}

nlohmann::ordered_json Json(const ValueWithSigma& one) {
  return {{"value", one.value}, {"sigma", one.sigma}};
}

nlohmann::ordered_json SpeedJson(const SpeedDependenceOfE& speed) {
  nlohmann::ordered_json json = {{"reason", speed.reason},
                                 {"slowest", speed.slowest},
                                 {"fastest", speed.fastest},
                                 {"models", nlohmann::ordered_json::array()}};
  for (const SpeedModel& model : speed.models) {
    nlohmann::ordered_json one = {{"model", model.name}, {"aicc", model.aicc}, {"e", model.e}};
    for (const SpeedCoefficient& coefficient : model.coefficients)
      one["coefficients"][coefficient.name] = Json(coefficient.value);
    json["models"].push_back(one);
  }
  return json;
}

nlohmann::ordered_json CameraJson(const BounceClip& clip) {
  const capture::RecordedCamera& camera = clip.camera;
  const Eigen::Vector2d roll = RollOf(clip.survey.size, camera.turn);
  nlohmann::ordered_json json = {{"model", camera.model},
                                 {"focal_35mm", camera.focal_35mm.value_or(kNaN)},
                                 {"capture_rate", camera.capture_rate.value_or(kNaN)},
                                 {"turn_stated", camera.turn.stated},
                                 {"turn_deg", 90 * camera.turn.quarters},
                                 {"mirrored", camera.turn.mirrored}};
  json["rows_run"] = {roll.x(), roll.y()};
  return json;
}

std::string ShutterLine(const BounceClip& clip) {
  const Eigen::Vector2d roll = RollOf(clip.survey.size, clip.camera.turn);
  return fmt::format("rolling shutter: {} us from row to row, rows run {}{}",
                     FormatWithSigma(clip.fit.line_time, 1e6),
                     roll.x() > 0.0   ? "to the right"
                     : roll.x() < 0.0 ? "to the left"
                     : roll.y() > 0.0 ? "down"
                                      : "up",
                     clip.camera.turn.stated ? ", as the file is turned" : "");
}

nlohmann::ordered_json RulerJson(const tracking::FoundRuler& ruler) {
  if (!ruler.reason.empty()) return {{"reason", ruler.reason}};
  return {{"reason", ""},
          {"from", {ruler.from.x(), ruler.from.y()}},
          {"to", {ruler.to.x(), ruler.to.y()}},
          {"intervals", ruler.intervals},
          {"share_seen", ruler.share},
          {"pitch_px", Json(ruler.pitch)},
          {"depth_ratio", Json(ruler.depth_ratio)},
          {"longer_every", ruler.longer},
          {"mark_distance", ruler.mark_distance}};
}

BounceFriction FrictionOfBounce(const BounceClip& clip, std::size_t k) {
  const tracking::BallSpin unseen{.reason = "the ball was not looked at"};
  if (clip.spins.size() <= k + 1) return FrictionOf(clip.fit, k, unseen, unseen);
  return FrictionOf(clip.fit, k, clip.spins[k], clip.spins[k + 1]);
}

/// n, t, b and the largest of the three sigmas, each after a comma.
std::string SpinColumns(const std::array<ValueWithSigma, 3>& spin) {
  std::string columns;
  double sigma = spin[0].sigma;
  for (const ValueWithSigma& part : spin) {
    columns += "," + Number(part.value);
    sigma = std::max(sigma, part.sigma);
  }
  return columns + "," + Number(sigma);
}

nlohmann::ordered_json SpinParts(const std::array<ValueWithSigma, 3>& spin) {
  return {{"n", Json(spin[0])}, {"t", Json(spin[1])}, {"b", Json(spin[2])}};
}

nlohmann::ordered_json SpinJson(const tracking::BallSpin& spin) {
  nlohmann::ordered_json json = {{"frames", spin.frames}, {"reason", spin.reason}};
  for (int i = 0; i < 3; ++i) {
    json["omega"].push_back(spin.omega[i]);
    json["covariance"].push_back(
        {spin.covariance(i, 0), spin.covariance(i, 1), spin.covariance(i, 2)});
  }
  return json;
}

}  // namespace

std::string BouncesCsv(const BounceClip& clip) {
  const SpeedUnit unit{clip};
  std::string csv = fmt::format(
      "# speeds in {}/s\nbounce,time,e,e_sigma,speed_before,speed_after,source,time_sigma,"
      "speed_before_sigma,speed_after_sigma,normal_before,normal_after,tangential_before,"
      "tangential_after,impact_angle_deg,R_n,R_n_sigma,R_t,R_t_sigma,R_v,R_v_sigma,"
      "spin_before_n,spin_before_t,spin_before_b,spin_before_sigma,spin_after_n,spin_after_t,"
      "spin_after_b,spin_after_sigma,mu,mu_sigma,mu_kind\n",
      unit.Name());
  for (std::size_t k = 0; k < clip.fit.bounces.size(); ++k) {
    const BounceRow row = RowOf(clip, k);
    csv += fmt::format("{},{:.6f},{},{},{},{},{}", k + 1, row.time.value, Number(row.e.value),
                       Number(row.e.sigma), Number(row.before.value), Number(row.after.value),
                       SourceOf(clip, k));
    for (const double value :
         {row.time.sigma, row.before.sigma, row.after.sigma, row.normal_before.value,
          row.normal_after.value, row.tangential_before.value, row.tangential_after.value,
          row.angle_deg, row.e.value, row.e.sigma, row.ratio_t.value, row.ratio_t.sigma,
          row.ratio_v.value, row.ratio_v.sigma})
      csv += "," + Number(value);
    const BounceFriction friction = FrictionOfBounce(clip, k);
    csv += SpinColumns(friction.spin_before) + SpinColumns(friction.spin_after);
    csv += fmt::format(",{},{},{}\n", Number(friction.mu.value), Number(friction.mu.sigma),
                       SlideName(friction.kind));
  }
  return csv;
}

std::string BounceJson(const BounceClip& clip, const std::filesystem::path& file,
                       const std::string& command) {
  const SpeedUnit unit{clip};
  nlohmann::ordered_json json = {{"format", "percuss bounce 1"},
                                 {"program", "percuss " + ProgramVersion()},
                                 {"command", command},
                                 {"clip", file.string()},
                                 {"unit", unit.Name()},
                                 {"frame_rate", clip.frame_rate},
                                 {"exposure", clip.ball.exposure},
                                 {"e", Json(clip.mean.mean)},
                                 {"e_scatter", clip.mean.scatter},
                                 {"e_chi_square", clip.mean.chi_square},
                                 {"e_dof", clip.mean.dof}};
  // de/dv for speeds in the unit of the file.
  const double per_radius = unit.PerRadius(0);
  json["e_slope"] = Json({clip.mean.slope.value / per_radius, clip.mean.slope.sigma / per_radius});
  const tracking::BounceFit& fit = clip.fit;
  json["gravity_in_radii"] = Json(fit.gravity);
  json["drag_per_radius"] = Json(fit.drag);
  json["contact_time"] = Json(fit.dwell);
  json["line_time"] = Json(fit.line_time);
  json["focal_length_px"] = Json(fit.focal);
  json["focal_length_before_px"] = Json(clip.focal.focal);
  json["focal_length_before_px"]["source"] = clip.focal.source;
  json["camera"] = CameraJson(clip);
  json["rms_px"] = fit.rms_px;
  json["frames_used"] = fit.used.size();
  json["ball_radius"] = Json(clip.scale.radius);
  for (const ScaleReading& reading : clip.scale.readings)
    json["scales"].push_back(
        {{"source", reading.source}, {"typed", reading.typed}, {"radius", Json(reading.radius)}});
  json["ruler"] = RulerJson(clip.ruler);
  json["slowdown"] = Json(clip.scale.slowdown);
  json["e_by_eye"] = Json(clip.by_eye.mean);
  json["e_by_ear"] = Json({clip.sound.series.e, clip.sound.series.e_sigma});
  json["sound"] = {{"used", !clip.sound.heard.empty()},
                   {"reason", clip.sound.reason},
                   {"offset", Json(fit.sound_offset)}};
  json["e_speed"] = SpeedJson(clip.speed);
  json["warnings"] = clip.warnings;
  for (const tracking::BallSpin& spin : clip.spins) json["spins"].push_back(SpinJson(spin));
  for (std::size_t k = 0; k < fit.bounces.size(); ++k) {
    const BounceRow row = RowOf(clip, k);
    const BounceFriction friction = FrictionOfBounce(clip, k);
    json["bounces"].push_back({{"bounce", k + 1},
                               {"source", SourceOf(clip, k)},
                               {"time", Json(row.time)},
                               {"e", Json(row.e)},
                               {"speed_before", Json(row.before)},
                               {"speed_after", Json(row.after)},
                               {"normal_before", Json(row.normal_before)},
                               {"normal_after", Json(row.normal_after)},
                               {"tangential_before", Json(row.tangential_before)},
                               {"tangential_after", Json(row.tangential_after)},
                               {"impact_angle_deg", row.angle_deg},
                               {"R_t", Json(row.ratio_t)},
                               {"R_v", Json(row.ratio_v)},
                               {"spin_before", SpinParts(friction.spin_before)},
                               {"spin_after", SpinParts(friction.spin_after)},
                               {"mu", Json(friction.mu)},
                               {"mu_kind", SlideName(friction.kind)}});
  }
  return JsonText(json, 2);
}

std::string SeriesCsv(const capture::BounceSeries& series) {
  std::string csv = "bounce,time,e,e_sigma,speed_before,speed_after,source,time_sigma\n";
  for (std::size_t k = 0; k < series.bounces.size(); ++k) {
    const capture::HeardBounce& bounce = series.bounces[k];
    csv += fmt::format("{},{:.6f},{},{},{},{},sound,{}\n", k + 1, bounce.time, Number(bounce.e),
                       Number(bounce.e_sigma), Number(bounce.speed_before),
                       Number(bounce.speed_after), Number(bounce.time_sigma));
  }
  return csv;
}

std::string SeriesJson(const capture::BounceSeries& series, const std::filesystem::path& sound,
                       const std::string& command) {
  nlohmann::ordered_json json = {{"format", "percuss bounce by ear 1"},
                                 {"program", "percuss " + ProgramVersion()},
                                 {"command", command},
                                 {"sound", sound.string()},
                                 {"e", Json({series.e, series.e_sigma})},
                                 {"e_scatter", series.scatter},
                                 {"e_slope", Json({series.slope, series.slope_sigma})},
                                 {"warnings", series.warnings}};
  for (const capture::HeardBounce& bounce : series.bounces) {
    json["bounces"].push_back({{"time", Json({bounce.time, bounce.time_sigma})},
                               {"e", Json({bounce.e, bounce.e_sigma})},
                               {"speed_before", bounce.speed_before},
                               {"speed_after", bounce.speed_after},
                               {"source", "sound"}});
  }
  return JsonText(json, 2);
}

std::string SoundLine(const BounceClip& clip) {
  if (clip.sound.heard.empty()) return fmt::format("sound not used: {}", clip.sound.reason);
  std::string line = fmt::format("{} heard, {} ms after the pictures",
                                 Count(std::ssize(clip.sound.heard), "bounce"),
                                 FormatWithSigma(clip.fit.sound_offset, 1e3));
  const double ear = clip.sound.series.e, sigma = clip.sound.series.e_sigma;
  if (std::isfinite(ear)) {
    line += fmt::format("; e by eye {}, by ear {}", FormatWithSigma(clip.by_eye.mean),
                        FormatWithSigma(ear, sigma));
  }
  return line;
}

std::string BallLine(const BounceClip& clip) {
  const auto& sightings = clip.ball.sightings;
  const int first = sightings[clip.fit.used.front()].frame;
  const int last = sightings[clip.fit.used.back()].frame;
  return fmt::format(
      "A ball of {:.0f} px, {} bounce{} in frames {} to {} of {}, at {:.4g} frames/s, {:.2f} px "
      "rms",
      2.0 * clip.fit.bounces.front().px_per_radius, clip.fit.bounces.size(),
      clip.fit.bounces.size() == 1 ? "" : "s", first, last, clip.survey.times.size(),
      clip.frame_rate, clip.fit.rms_px);
}

namespace {

/// The line along which the lowest point of the ball meets the surface, across the picture.
void SetSurface(const BounceClip& clip, report::BounceFacts* facts) {
  const tracking::BouncingBall& ball = clip.fit.ball;
  Eigen::Vector3d low = ball.first_contact, high = low;
  const Eigen::Vector3d across = ball.normal.cross(Eigen::Vector3d::UnitZ()).normalized();
  for (const tracking::BallContact& contact : clip.fit.contacts) {
    if (across.dot(contact.place) < across.dot(low)) low = contact.place;
    if (across.dot(contact.place) > across.dot(high)) high = contact.place;
  }
  constexpr double kBeyond = 6.0;  // radii
  const auto pixel = [&](const Eigen::Vector3d& place) {
    return calibration::Project(ball.camera, Eigen::Vector3d(place - ball.normal));
  };
  facts->surface_from = pixel(low - kBeyond * across);
  facts->surface_to = pixel(high + kBeyond * across);
}

/// The ball in all frames that were looked at.
std::vector<report::BallFact> BallsOf(const BounceClip& clip) {
  const tracking::BounceFit& fit = clip.fit;
  const SpeedUnit unit{clip};
  const std::vector<double>& times = clip.survey.times;
  const tracking::BallMotionModel motion(fit.ball, times.front(), times.back());
  std::vector<report::BallFact> balls;
  for (std::size_t k = 0; k < clip.ball.sightings.size(); ++k) {
    const tracking::BallSighting& seen = clip.ball.sightings[k];
    report::BallFact& ball = balls.emplace_back();
    ball.frame = seen.frame;
    ball.time = seen.time;
    ball.pixel = seen.centre;
    ball.radius_px = seen.radius;
    ball.used = std::ranges::binary_search(fit.used, static_cast<int>(k));
    std::size_t bounce = 0;
    for (const tracking::BallContact& contact : fit.contacts)
      ball.flight += contact.time < seen.time;
    if (ball.flight > 0) bounce = static_cast<std::size_t>(ball.flight) - 1;
    const Eigen::Vector3d place = motion.At(seen.time).place;
    const double height = fit.ball.normal.dot(place - fit.ball.first_contact);
    // What the picture shows above the fitted place, along the picture of the normal.
    const Eigen::Vector2d fitted = motion.ImageAt(seen.time).centre;
    const Eigen::Vector2d up =
        tracking::ImageOfBall(fit.ball.camera, place + 0.01 * fit.ball.normal).centre -
        tracking::ImageOfBall(fit.ball.camera, place).centre;
    const double above = 0.01 * (seen.centre - fitted).dot(up) / up.squaredNorm();
    ball.fitted_height = unit.PerRadius(bounce) * height;
    ball.height = unit.PerRadius(bounce) * (height + above);
  }
  return balls;
}

report::BounceFacts FactsOf(const BounceClip& clip, const std::filesystem::path& file) {
  const SpeedUnit unit{clip};
  const tracking::BounceFit& fit = clip.fit;
  report::BounceFacts facts;
  facts.clip = file.filename().string();
  facts.unit = unit.Name();
  facts.width = clip.survey.size.width;
  facts.height = clip.survey.size.height;
  facts.frame_rate = clip.frame_rate;
  facts.exposure = clip.ball.exposure;
  facts.e = clip.mean.mean;
  facts.e_scatter = clip.mean.scatter;
  facts.e_slope = {clip.mean.slope.value / unit.PerRadius(0),
                   clip.mean.slope.sigma / unit.PerRadius(0)};
  for (std::size_t k = 0; k < fit.bounces.size(); ++k) {
    const BounceRow row = RowOf(clip, k);
    report::BounceFact& bounce = facts.bounces.emplace_back();
    bounce.number = static_cast<int>(k) + 1;
    bounce.time = row.time;
    bounce.e = row.e;
    bounce.speed_before = row.before;
    bounce.speed_after = row.after;
    bounce.tangential_ratio = row.ratio_t;
    bounce.speed_ratio = row.ratio_v;
    bounce.impact_angle_deg = row.angle_deg;
    bounce.source = SourceOf(clip, k);
    const tracking::BallImage image = tracking::ImageOfBall(fit.ball.camera, fit.contacts[k].place);
    bounce.pixel = image.centre;
    bounce.radius_px = image.radius;
  }
  facts.balls = BallsOf(clip);
  for (const ScaleReading& reading : clip.scale.readings) {
    facts.scales.push_back(
        {reading.source, {2.0 * reading.radius.value, 2.0 * reading.radius.sigma}});
  }
  SetSurface(clip, &facts);
  facts.rms_px = fit.rms_px;
  facts.verdict = {BallLine(clip) + "."};
  facts.warnings = clip.warnings;
  facts.notes = {
      FocalLine(clip.focal, fit.focal), ShutterLine(clip),
      fmt::format("drag of the air: {} of the speed per radius of way", FormatWithSigma(fit.drag)),
      fmt::format("a contact lasts {} ms", FormatWithSigma(fit.dwell, 1e3))};
  if (!clip.ruler_line.empty()) facts.notes.push_back(clip.ruler_line);
  facts.notes.push_back(SoundLine(clip));
  facts.notes.push_back(SpeedLine(clip.speed));
  if (!clip.speed.models.empty()) {
    const SpeedModel& best = clip.speed.models.front();
    for (std::size_t k = 0; k < fit.bounces.size() && best.name != "constant"; ++k)
      facts.e_by_speed.emplace_back(facts.bounces[k].speed_before.value, best.e[k]);
  }
  facts.notes.push_back(SpinLine(clip.spins));
  if (clip.survey.shake.shakes)
    facts.notes.push_back(
        fmt::format("the camera moved by {:.1f} px rms; taken out by what stands "
                    "still",
                    clip.survey.shake.rms_px));
  return facts;
}

}  // namespace

void WriteBounces(const BounceClip& clip, const std::filesystem::path& file,
                  const std::filesystem::path& folder, const std::string& command, bool video) {
  std::filesystem::create_directories(folder);
  WriteFileAtomically(folder / "bounces.csv", BouncesCsv(clip));
  WriteFileAtomically(folder / "bounce.json", BounceJson(clip, file, command));
  if (SpeedUnit{clip}.Metric()) {
    const ClipBounces bounces{
        .name = file.stem().string(), .fit = &clip.fit, .radius = clip.scale.radius};
    impacts::WriteImpactsJson(
        ImpactsOfBounces(std::span(&bounces, 1), true),
        {.format = impacts::kImpactFormat, .command = command, .input_hashes = {}},
        folder / kImpactsFile);
    WriteFileAtomically(folder / kBodyFile, BodyYaml(clip.scale.radius, clip.body));
  }
  const report::BounceFacts facts = FactsOf(clip, file);
  report::WriteBouncePicture(facts, clip.ball.ground, folder / "path.jpg");
  const auto show_frames = [&](const report::FrameVisitor& visit) {
    clip.frames([&](int index, double time, const cv::Mat& luma) {
      visit(index, time, tracking::ToReference(clip.survey.shake, index, luma, 1));
    });
  };
  if (video) report::WriteBounceVideo(facts, show_frames, folder / report::kBounceVideoFile);
  report::WriteBouncePage(folder, facts, ReadFile(folder / "path.jpg"), video,
                          {.format = "", .command = command, .input_hashes = {}});
}

}  // namespace percuss::pipeline
