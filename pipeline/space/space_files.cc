// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "base/text/csv_rows.h"
#include "base/text/json_text.h"
#include "base/text/numbers.h"
#include "impacts/impact_columns.h"
#include "impacts/impact_files.h"
#include "pipeline/bounces/bounce_impacts.h"
#include "pipeline/space/space_bounces.h"

namespace percuss::pipeline {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson NumberJson(const ValueWithSigma& one) {
  return {{"value", one.value}, {"sigma", one.sigma}};
}

OrderedJson VectorJson(const Eigen::Vector3d& one) { return {one.x(), one.y(), one.z()}; }

/// The rounding of files, where all rows of a flight say the same [rad/s].
constexpr double kLeastSpinSigma = 1e-3;

tracking::BallSpin SpinOfFlight(const FlightSpin& flight) {
  tracking::BallSpin spin;
  spin.frames = flight.rows;
  if (flight.rows < 2) {
    spin.reason = "fewer than two rows";
    return spin;
  }
  spin.omega = flight.mean;
  spin.covariance = flight.sigma.cwiseMax(kLeastSpinSigma).cwiseAbs2().asDiagonal();
  return spin;
}

}  // namespace

std::string SpaceLine(const SpaceBounces& bounces) {
  const tracking::BounceFit& fit = bounces.clip.fit;
  const bool views = std::isfinite(bounces.space.radius.value);
  std::string line =
      fmt::format("{} bounce{} in {} of {} {} at {:.4g} {}/s, {}", fit.bounces.size(),
                  fit.bounces.size() == 1 ? "" : "s", fit.used.size(), bounces.count,
                  views ? "outlines of two cameras" : "places", bounces.clip.frame_rate,
                  views ? "frames" : "rows",
                  views ? fmt::format("{:.2f} px rms", fit.rms_px)
                        : fmt::format("{:.3g} mm rms", 1e3 * bounces.space.rms));
  const ValueWithSigma& clock = bounces.space.clock_offset;
  if (views)
    line += fmt::format("; the right clock is {} ms behind the left", FormatWithSigma(clock, 1e3));
  return line;
}

std::string SpaceJson(const SpaceBounces& bounces, const std::string& command) {
  const tracking::BounceFit& fit = bounces.clip.fit;
  // What a clip has, without what depends on one camera or on lengths in radii.
  OrderedJson json = OrderedJson::parse(BounceJson(bounces.clip, bounces.inputs[0], command));
  for (const char* key :
       {"gravity_in_radii", "drag_per_radius", "line_time", "focal_length_px", "exposure",
        "ball_radius", "e_by_eye", "e_by_ear", "sound", "rms_px", "frames_used"})
    json.erase(key);
  json["format"] = "percuss bounce in space 1";
  json["inputs"] = bounces.inputs;
  json["gravity"] = NumberJson(fit.gravity);
  json["drag_per_metre"] = NumberJson(fit.drag);
  json["up"] = VectorJson(-fit.ball.gravity.normalized());
  json["normal"] = VectorJson(fit.ball.normal);
  json["used"] = fit.used.size();
  json["rms"] = bounces.space.rms;
  json["rms_px"] = fit.rms_px;
  json["ball_radius"] = NumberJson(bounces.space.radius);
  json["clock_offset"] = NumberJson(bounces.space.clock_offset);
  for (std::size_t k = 0; k < fit.contacts.size(); ++k) {
    json["bounces"][k]["place"] = VectorJson(fit.contacts[k].place);
    json["bounces"][k]["velocity_before"] = VectorJson(fit.contacts[k].before);
    json["bounces"][k]["velocity_after"] = VectorJson(fit.contacts[k].after);
  }
  for (const FlightSpin& spin : bounces.spins) {
    json["flights"].push_back({{"begin", spin.begin},
                               {"end", spin.end},
                               {"rows", spin.rows},
                               {"spin", VectorJson(spin.mean)},
                               {"spin_sigma", VectorJson(spin.sigma)}});
  }
  return JsonText(json, 2);
}

std::string FlightsCsv(const SpaceBounces& bounces) {
  if (bounces.spins.empty()) return "";
  std::string csv = "flight,begin,end,rows,wx,wy,wz,wx_sigma,wy_sigma,wz_sigma\n";
  for (std::size_t k = 0; k < bounces.spins.size(); ++k) {
    const FlightSpin& spin = bounces.spins[k];
    csv += fmt::format("{},{},{},{}", k + 1, CsvNumber(spin.begin), CsvNumber(spin.end), spin.rows);
    for (const double one : spin.mean) csv += "," + CsvNumber(one);
    for (const double one : spin.sigma) csv += "," + CsvNumber(one);
    csv += "\n";
  }
  return csv;
}

impacts::ImpactTable ImpactsOfSpace(const SpaceBounces& bounces, const std::string& name) {
  std::vector<tracking::BallSpin> spins;
  for (const FlightSpin& flight : bounces.spins) spins.push_back(SpinOfFlight(flight));
  const ClipBounces clip{.name = name,
                         .fit = &bounces.clip.fit,
                         .radius = bounces.radius,
                         .metric = true,
                         .spins = spins};
  return ImpactsOfBounces(std::span(&clip, 1), true);
}

void WriteSpaceBounces(const SpaceBounces& bounces, const std::filesystem::path& folder,
                       const std::string& command) {
  std::filesystem::create_directories(folder);
  WriteFileAtomically(folder / "bounces.csv", BouncesCsv(bounces.clip));
  WriteFileAtomically(folder / "bounce.json", SpaceJson(bounces, command));
  if (!bounces.spins.empty()) WriteFileAtomically(folder / "flights.csv", FlightsCsv(bounces));
  if (!std::isfinite(bounces.radius.value)) return;
  const std::string name = std::filesystem::path(bounces.inputs[0]).stem().string();
  impacts::WriteImpactsJson(
      ImpactsOfSpace(bounces, name),
      {.format = impacts::kImpactFormat, .command = command, .input_hashes = {}},
      folder / kImpactsFile);
  WriteFileAtomically(folder / kBodyFile, BodyYaml(bounces.radius, bounces.clip.body));
}

}  // namespace percuss::pipeline
