// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/app/run/accuracy.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <numbers>
#include <sstream>
#include <stdexcept>

#include "fitting/result/fit_files.h"
#include "impacts/impact_files.h"
#include "tests/truth.h"

namespace percuss::truth {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

void CompareCalibration(const json& truth, const fs::path& file, Accuracy* accuracy) {
  const calibration::RigCalibration found = calibration::ReadCalibration(file);
  const calibration::RigCalibration exact = Calibration(truth);
  for (std::size_t camera = 0; camera < found.cameras.size(); ++camera) {
    for (std::size_t i = 0; i < 4; ++i) {
      const double value = exact.cameras[camera].camera.intrinsics[i];
      const double error = std::abs(found.cameras.at(camera).camera.intrinsics[i] - value);
      if (i < 2) {
        accuracy->focal_length_percent =
            std::max(accuracy->focal_length_percent, 100.0 * error / value);
      } else {
        accuracy->principal_point_px = std::max(accuracy->principal_point_px, error);
      }
    }
  }
  accuracy->calibration_rms_px = found.rms_px;
  if (found.cameras.size() < 2) return;
  const calibration::Pose& pose = found.cameras[1].from_first;
  const calibration::Pose& exact_pose = exact.cameras[1].from_first;
  const Eigen::Matrix3d turn = pose.R * exact_pose.R.transpose();
  accuracy->rotation_deg = std::abs(Eigen::AngleAxisd(turn).angle()) * 180.0 / std::numbers::pi;
  const double baseline = exact_pose.t.norm();
  accuracy->baseline_percent = 100.0 * std::abs(pose.t.norm() - baseline) / baseline;
}

struct SquaredSum {
  double sum = 0.0;
  int count = 0;
  double Rms() const { return std::sqrt(sum / count); }  // NaN without any: a bound then fails
};

// Rows of markers.csv that have a position in W, against the truth at the same left frame.
void CompareMarkers(const json& trial, const fs::path& file, SquaredSum* flight, SquaredSum* all) {
  std::ifstream stream(file);
  std::string line;
  if (!std::getline(stream, line)) throw std::runtime_error(file.string() + ": empty or missing");
  std::map<std::string, std::size_t> column;
  std::istringstream header(line);
  for (std::string name; std::getline(header, name, ',');) column.emplace(name, column.size());
  while (std::getline(stream, line)) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    cells.resize(column.size());
    if (cells[column.at("x")].empty()) continue;  // seen by one camera only
    const json& frame =
        trial.at("cameras").at("left").at("frames").at(std::stoul(cells[column.at("frame")]));
    const Eigen::Vector3d found(std::stod(cells[column.at("x")]), std::stod(cells[column.at("y")]),
                                std::stod(cells[column.at("z")]));
    const double squared_error =
        (found - Vector(frame.at("markers_world").at(cells[column.at("marker")]))).squaredNorm();
    all->sum += squared_error;
    ++all->count;
    const std::string phase = frame.at("phase");
    if (phase != "pre-flight" && phase != "post-flight") continue;
    flight->sum += squared_error;
    ++flight->count;
  }
}

double SigmaLength(const impacts::ImpactRecord& impact, int first) {
  if (!impact.covariance) return std::numeric_limits<double>::quiet_NaN();
  return std::sqrt(impact.covariance->diagonal().segment<3>(first).sum());
}

void CompareImpact(const json& truth, double frame_rate, const impacts::ImpactRecord& found,
                   TrialAccuracy* accuracy) {
  const json& pre = truth.at("impact").at("pre");
  const json& post = truth.at("impact").at("post");
  Eigen::Vector<double, 12> error;
  error << found.v - Vector(pre.at("v")), found.w - Vector(pre.at("omega")),
      found.v_post - Vector(post.at("v")), found.w_post - Vector(post.at("omega"));
  accuracy->v = {error.segment<3>(0).norm(), SigmaLength(found, impacts::kV)};
  accuracy->w = {error.segment<3>(3).norm(), SigmaLength(found, impacts::kW)};
  accuracy->v_post = {error.segment<3>(6).norm(), SigmaLength(found, impacts::kVPost)};
  accuracy->w_post = {error.segment<3>(9).norm(), SigmaLength(found, impacts::kWPost)};
  accuracy->time = {frame_rate * std::abs(found.time - truth.at("time_of_impact").get<double>()),
                    frame_rate * found.time_sigma};
  if (found.covariance) {
    const Eigen::Matrix<double, 12, 12> covariance =
        found.covariance->block<12, 12>(impacts::kV, impacts::kV);
    accuracy->chi_square = error.dot(covariance.ldlt().solve(error));
  }
}

CoefficientAccuracy CompareCoefficient(const fitting::LawFit& law, const std::string& name,
                                       double truth) {
  CoefficientAccuracy accuracy;
  accuracy.truth = truth;
  for (const fitting::ParameterEstimate& parameter : law.parameters) {
    if (parameter.name != name || parameter.status != fitting::ParameterStatus::kIdentified)
      continue;
    accuracy.value = parameter.value;
    accuracy.error = std::abs(parameter.value - truth);
    accuracy.truth_inside_ci95 = parameter.ci95[0] <= truth && truth <= parameter.ci95[1];
  }
  return accuracy;
}

void CompareFit(const json& truth, const fs::path& file, Accuracy* accuracy) {
  const fitting::FitReport fit = fitting::ReadFit(file);
  const auto law = std::find_if(fit.laws.begin(), fit.laws.end(),
                                [](const fitting::LawFit& l) { return l.law == "stronge"; });
  if (law == fit.laws.end()) throw std::runtime_error(file.string() + ": no law stronge");
  accuracy->mu = CompareCoefficient(*law, "mu", truth.at("mu").get<double>());
  accuracy->e = CompareCoefficient(*law, "e", truth.at("e").get<double>());
  for (TrialAccuracy& trial : accuracy->trials) {
    const double exact =
        truth.at("trials").at(trial.trial).at("impact").at("dissipated_fraction").get<double>();
    for (const fitting::TrialComparison& comparison : law->trials) {
      if (comparison.trial != trial.trial) continue;
      const auto error = [&](const ValueWithSigma& found) {
        return Error{std::abs(found.value - exact), found.sigma};
      };
      trial.dissipation_measured = error(comparison.dissipation_measured);
      trial.dissipation_predicted = error(comparison.dissipation_predicted);
    }
  }
}

// The largest; NaN if any is.
template <typename Field>
double Worst(const std::vector<TrialAccuracy>& trials, const Field& field) {
  double worst = trials.empty() ? std::numeric_limits<double>::infinity() : 0.0;
  for (const TrialAccuracy& trial : trials) {
    const double value = field(trial);
    if (!(value <= worst)) worst = value;
  }
  return worst;
}

}  // namespace

double Accuracy::WorstVelocity() const {
  return Worst(trials, [](const auto& t) { return std::max(t.v.value, t.v_post.value); });
}

double Accuracy::WorstAngularVelocity() const {
  return Worst(trials, [](const auto& t) { return std::max(t.w.value, t.w_post.value); });
}

double Accuracy::WorstDissipationMeasured() const {
  return Worst(trials, [](const auto& t) { return t.dissipation_measured.value; });
}

double Accuracy::WorstDissipationPredicted() const {
  return Worst(trials, [](const auto& t) { return t.dissipation_predicted.value; });
}

Accuracy CompareWithTruth(const fs::path& data, const fs::path& results) {
  const json truth = Read(data);
  Accuracy accuracy;
  CompareCalibration(truth, results / "calibration.json", &accuracy);
  const impacts::ImpactTable table = impacts::ReadImpacts(results / "impacts.json");
  SquaredSum flight, all;
  for (const auto& [name, trial] : truth.at("trials").items()) {
    CompareMarkers(trial, results / "tracks" / name / "markers.csv", &flight, &all);
    TrialAccuracy& errors = accuracy.trials.emplace_back();
    errors.trial = name;
    for (const impacts::ImpactRecord& impact : table.impacts) {
      if (impact.trial == name)
        CompareImpact(trial, truth.at("frame_rate").get<double>(), impact, &errors);
    }
  }
  accuracy.marker_rms_flight_mm = 1e3 * flight.Rms();
  accuracy.marker_rms_mm = 1e3 * all.Rms();
  accuracy.num_marker_rows_flight = flight.count;
  accuracy.num_marker_rows = all.count;
  CompareFit(truth, results / "fit.json", &accuracy);
  return accuracy;
}

std::vector<BoundRow> BoundTable(const Accuracy& accuracy) {
  const auto missed = [](const CoefficientAccuracy& c) { return c.truth_inside_ci95 ? 0.0 : 1.0; };
  return {
      {"focal lengths, worst", "%", 0.5, accuracy.focal_length_percent},
      {"principal points, worst", "px", 5.0, accuracy.principal_point_px},
      {"calibration rms", "px", 0.35, accuracy.calibration_rms_px},
      {"rotation between cameras", "deg", 0.2, accuracy.rotation_deg},
      {"baseline", "%", 0.5, accuracy.baseline_percent},
      {"marker position in W, free flight, rms", "mm", 0.5, accuracy.marker_rms_flight_mm},
      {"marker position in W, all frames, rms", "mm", 0.5, accuracy.marker_rms_mm},
      {"velocity before and after, worst trial", "mm/s", 5.0, 1e3 * accuracy.WorstVelocity()},
      {"angular velocity before and after, worst", "rad/s", 0.1, accuracy.WorstAngularVelocity()},
      {"mu", "-", 0.01, accuracy.mu.error},
      {"e", "-", 0.01, accuracy.e.error},
      {"mu outside its 95 % interval", "0 or 1", 0.0, missed(accuracy.mu)},
      {"e outside its 95 % interval", "0 or 1", 0.0, missed(accuracy.e)},
      {"energy dissipated, measured, worst trial", "-", 0.005, accuracy.WorstDissipationMeasured()},
      {"energy dissipated, predicted, worst trial", "-", 0.005,
       accuracy.WorstDissipationPredicted()},
  };
}

}  // namespace percuss::truth
