// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <span>

#include "pipeline/suspects/evidence.h"
#include "pipeline/suspects/typed_number.h"

namespace percuss::pipeline {
namespace {

using Eigen::Vector3d;

/// Trials that take their gravity from one line of the file.
struct GravityLine {
  std::vector<std::string> path;
  std::vector<std::size_t> trials;  ///< places in evidence.judgement.trials
  Vector3d typed = Vector3d::Zero();
};

std::vector<GravityLine> GravityLines(const Evidence& evidence) {
  const YamlField root = YamlField::ReadFile(evidence.typed.file);
  const std::vector<YamlField> entries = root["trials"].Items("a list of trials");
  std::map<std::vector<std::string>, GravityLine> lines;
  for (std::size_t k = 0; k < evidence.judgement.trials.size(); ++k) {
    const std::string& name = evidence.judgement.trials[k].trial;
    const int place = PlaceInFile(evidence.typed, name);
    if (place < 0) continue;
    std::vector<std::string> path = {"gravity"};
    if (entries[place]["gravity"].Given()) path = {"trials", std::to_string(place), "gravity"};
    GravityLine& line = lines[path];
    line.path = path;
    line.trials.push_back(k);
    line.typed = std::ranges::find(evidence.typed.trials, name, &capture::Trial::name)->gravity;
  }
  std::vector<GravityLine> result;
  for (auto& [path, line] : lines) result.push_back(std::move(line));
  return result;
}

double AngleDeg(const Vector3d& a, const Vector3d& b) {
  return std::acos(std::clamp(a.normalized().dot(b.normalized()), -1.0, 1.0)) * 180.0 /
         std::numbers::pi;
}

/// Of the trials that show one, each with its weight.
struct Measured {
  Vector3d acceleration = Vector3d::Zero();
  double sigma = 0.0;
  int trials = 0;
};

Measured MeanFall(const Evidence& evidence, const std::vector<std::size_t>& trials) {
  Measured mean;
  double weight = 0.0;
  for (const std::size_t k : trials) {
    const FreeFall& fall = evidence.falls[k];
    if (!fall.found) continue;
    const double own = 1.0 / (fall.sigma * fall.sigma);
    mean.acceleration += own * fall.acceleration;
    weight += own;
    ++mean.trials;
  }
  if (mean.trials > 0) mean.acceleration /= weight;
  mean.sigma = mean.trials > 0 ? 1.0 / std::sqrt(weight) : 0.0;
  return mean;
}

/// The typed numbers in another order or with other signs, nearest to a direction.
Vector3d NearestTyped(const Vector3d& typed, const Vector3d& direction) {
  Vector3d best = typed;
  std::array<int, 3> order = {0, 1, 2};
  do {
    for (int signs = 0; signs < 8; ++signs) {
      Vector3d other;
      for (int axis = 0; axis < 3; ++axis)
        other[axis] = ((signs >> axis) & 1 ? -1.0 : 1.0) * typed[order[axis]];
      if (AngleDeg(other, direction) < AngleDeg(best, direction) - 1e-9) best = other;
    }
  } while (std::ranges::next_permutation(order).found);
  return best;
}

/// The mean of what the flights show, each with its weight.
std::optional<Measured> MeanGravity(std::span<const tracking::TrialResult> results) {
  Measured measured;
  Eigen::Matrix3d information = Eigen::Matrix3d::Zero();
  Vector3d sum = Vector3d::Zero();
  for (const tracking::TrialResult& result : results) {
    for (const tracking::TrialImpact& impact : result.impacts) {
      for (const tracking::ArcSummary& arc : impact.fit.arcs) {
        const Eigen::Matrix3d weight = arc.gravity_covariance.inverse();
        if (!weight.allFinite()) continue;
        information += weight;
        sum += weight * arc.gravity;
        ++measured.trials;
      }
    }
  }
  if (measured.trials == 0) return {};
  measured.acceleration = information.ldlt().solve(sum);
  measured.sigma = std::sqrt(information.inverse().trace() / 3.0);
  return measured;
}

/// What the fitted flights show of the trials of a line when they are looked for with another
/// gravity: the bench with which they are fitted is that of all trials with this gravity.
std::optional<Measured> GravityOfFlights(const Evidence& evidence, const GravityLine& line,
                                         const Vector3d& near) {
  const auto of_line = [&](const std::string& trial) {
    return std::ranges::any_of(
        line.trials, [&](std::size_t k) { return evidence.judgement.trials[k].trial == trial; });
  };
  capture::Experiment changed = evidence.typed;
  for (capture::Trial& trial : changed.trials) {
    if (of_line(trial.name)) trial.gravity = near;
  }
  std::vector<tracking::TrialResult> results =
      Judge(changed, evidence.calibration, evidence.recordings).trials;
  std::erase_if(results, [&](const auto& result) { return !of_line(result.trial); });
  return MeanGravity(results);
}

void AddGravity(const GravityLine& line, const char* kind, const Vector3d& gravity,
                const Measured& measured, std::vector<Hypothesis>* hypotheses) {
  const std::string value = VectorText(gravity);
  const bool own = line.path.size() > 1;
  hypotheses->push_back({.kind = kind,
                         .path = line.path,
                         .found = fmt::format("is {}, but the body falls with ({:.2f}, {:.2f}, "
                                              "{:.2f}) m/s^2",
                                              VectorText(line.typed), measured.acceleration.x(),
                                              measured.acceleration.y(), measured.acceleration.z()),
                         .write = "gravity: " + value + (own ? " in this trial" : ""),
                         .edits = {{line.path, value}}});
}

void AddDirections(const Evidence& evidence, const GravityLine& line, const Measured& fall,
                   std::vector<Hypothesis>* hypotheses) {
  constexpr double kSameDeg = 3.0;  // windows of ten frames know no better
  const Vector3d nearest = NearestTyped(line.typed, fall.acceleration);
  if (AngleDeg(nearest, fall.acceleration) < kSameDeg) {
    AddGravity(line, "direction of gravity", nearest, fall, hypotheses);
    return;
  }
  const double size = line.typed.norm();
  auto measured = GravityOfFlights(evidence, line, fall.acceleration.normalized() * size);
  // Once more, as with a gravity that is only nearly right the bench bends.
  if (measured)
    measured = GravityOfFlights(evidence, line, measured->acceleration.normalized() * size);
  if (!measured) return;
  Vector3d gravity = measured->acceleration.normalized() * size;
  // What is typed counts as good to gravity_sigma: digits that are left out must cost less.
  const double stated = evidence.typed.gravity_sigma;
  const double doubt =
      0.5 * (stated > 0.0 ? std::min(0.5 * stated, measured->sigma) : measured->sigma);
  for (double& component : gravity) component = RoundNumber(component, doubt);
  // Two components show the slope, the third follows: that of the stated size.
  int largest = 0;
  gravity.cwiseAbs().maxCoeff(&largest);
  double rest = size * size;
  for (int axis = 0; axis < 3; ++axis) rest -= axis == largest ? 0.0 : std::pow(gravity[axis], 2);
  gravity[largest] = std::copysign(std::round(1e3 * std::sqrt(rest)) / 1e3, gravity[largest]);
  AddGravity(line, "slope", gravity, *measured, hypotheses);
}

/// A trial among others that falls in a direction of its own needs a line of its own.
std::vector<GravityLine> WithOwnLines(const Evidence& evidence,
                                      const std::vector<GravityLine>& lines) {
  std::vector<GravityLine> result;
  for (const GravityLine& line : lines) {
    GravityLine rest = line;
    rest.trials.clear();
    for (const std::size_t k : line.trials) {
      const FreeFall& fall = evidence.falls[k];
      std::vector<std::size_t> others = line.trials;
      std::erase(others, k);
      const Measured mean = MeanFall(evidence, others);
      constexpr double kOtherDeg = 3.0;
      const bool alone = fall.found && mean.trials > 0 &&
                         AngleDeg(fall.acceleration, line.typed) > kOtherDeg &&
                         AngleDeg(mean.acceleration, line.typed) < kOtherDeg;
      if (!alone) {
        rest.trials.push_back(k);
        continue;
      }
      const int place = PlaceInFile(evidence.typed, evidence.judgement.trials[k].trial);
      result.push_back({{"trials", std::to_string(place), "gravity"}, {k}, line.typed});
    }
    if (!rest.trials.empty()) result.push_back(rest);
  }
  return result;
}

/// Rates at which cameras film.
constexpr std::array kRates = {15.0,  24.0,  25.0,  30.0,  48.0,   50.0,   60.0,  90.0,
                               100.0, 120.0, 150.0, 200.0, 240.0,  250.0,  300.0, 400.0,
                               480.0, 500.0, 600.0, 960.0, 1000.0, 1200.0, 2000.0};

void AddFrameRate(const Evidence& evidence, std::size_t trial, double ratio, double sigma,
                  std::vector<Hypothesis>* hypotheses) {
  const auto& frames = evidence.judgement.trials[trial].tracked.frames;
  const double rate =
      static_cast<double>(frames.size() - 1) / (frames.back().time - frames.front().time);
  // Times enter squared: a body that falls four times too fast was filmed at half the rate.
  const double measured = rate / std::sqrt(ratio);
  const double doubt = 0.5 * measured * sigma;
  double meant = RoundNumber(measured, doubt);
  for (const double usual : kRates) {
    if (std::abs(usual - measured) < 2.0 * doubt) meant = usual;
  }
  if (std::abs(meant / rate - 1.0) < 0.01) return;
  Hypothesis hypothesis{
      .kind = "frame rate",
      .path = {"frame_rate"},
      .found = fmt::format("and the videos give {} frames/s, at which the body falls at {:.2f} "
                           "times the stated gravity",
                           NumberText(std::round(100.0 * rate) / 100.0), ratio),
      .write = "frame_rate: " + NumberText(meant),
      .edits = {{{"frame_rate"}, NumberText(meant)}}};
  if (!YamlField::ReadFile(evidence.typed.file)["time_base"].Given())
    hypotheses->push_back(hypothesis);
  hypothesis.write += ", time_base: stated";
  hypothesis.edits.push_back({{"time_base"}, "stated"});
  hypotheses->push_back(std::move(hypothesis));
}

}  // namespace

void SuspectFall(const Evidence& evidence, std::vector<Hypothesis>* hypotheses) {
  const std::vector<GravityLine> lines = GravityLines(evidence);
  constexpr double kOffDeg = 2.0;
  for (const GravityLine& line : WithOwnLines(evidence, lines)) {
    const Measured fall = MeanFall(evidence, line.trials);
    if (fall.trials == 0 || AngleDeg(fall.acceleration, line.typed) < kOffDeg) continue;
    AddDirections(evidence, line, fall, hypotheses);
  }
  for (std::size_t k = 0; k < evidence.falls.size(); ++k) {
    const FreeFall& fall = evidence.falls[k];
    if (!fall.found) continue;
    const std::string& name = evidence.judgement.trials[k].trial;
    const double stated =
        std::ranges::find(evidence.typed.trials, name, &capture::Trial::name)->gravity.norm();
    const double ratio = fall.acceleration.norm() / stated;
    // 3 % of a window's own, and the sigma of the windows.
    const double sigma = std::hypot(0.01, fall.sigma / stated);
    constexpr double kOff = 0.06;
    if (std::abs(ratio - 1.0) < kOff) continue;
    AddFrameRate(evidence, k, ratio, sigma, hypotheses);
    break;
  }
}

}  // namespace percuss::pipeline
