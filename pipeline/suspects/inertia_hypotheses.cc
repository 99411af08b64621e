// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>

#include "pipeline/suspects/evidence.h"
#include "pipeline/suspects/typed_number.h"
#include "solver/body/inertia_errors.h"
#include "solver/body/rigid_body.h"

namespace percuss::pipeline {
namespace {

const std::vector<std::string> kPath = {"body", "inertia"};

void Add(const char* kind, const std::string& found, const std::string& write,
         const std::string& value, std::vector<Hypothesis>* hypotheses) {
  hypotheses->push_back(
      {.kind = kind, .path = kPath, .found = found, .write = write, .edits = {{kPath, value}}});
}

void AddOrders(const std::vector<double>& typed, std::vector<Hypothesis>* hypotheses) {
  if (typed.size() != 3) return;
  std::array<int, 3> order = {0, 1, 2};
  while (std::ranges::next_permutation(order).found) {
    const Eigen::Vector3d other(typed[order[0]], typed[order[1]], typed[order[2]]);
    if (other == Eigen::Vector3d(typed[0], typed[1], typed[2])) continue;
    Add("order of the moments", "has its moments in an order in which the body does not turn",
        "inertia: " + VectorText(other), VectorText(other), hypotheses);
  }
}

/// As the flights and the impulses show them.
void AddMeasured(const Evidence& evidence, bool given, std::vector<Hypothesis>* hypotheses) {
  const tracking::BenchParameters places = evidence.judgement.stated.Parameters();
  Eigen::VectorXd sigmas = Eigen::VectorXd::Zero(places.Size());
  constexpr double kLoose = 0.5;
  sigmas.segment<3>(places.Inertia()).setConstant(kLoose);
  const tracking::BenchEstimate estimate = LooseEstimate(evidence, sigmas);
  if (!estimate.converged || estimate.num_impacts == 0) return;
  const Eigen::Vector3d change = estimate.change.segment<3>(places.Inertia());
  constexpr double kOff = 0.05;  // five times what is stated
  if (change.cwiseAbs().maxCoeff() < kOff) return;
  const Eigen::Vector3d measured = estimate.bench.body.body.inertia.diagonal();
  Eigen::Vector3d rounded;
  for (int axis = 0; axis < 3; ++axis) {
    const int place = places.Inertia() + axis;
    const double own = std::sqrt(std::max(0.0, estimate.bench.covariance(place, place)));
    rounded[axis] = RoundNumber(measured[axis], 0.5 * std::max(own, 0.002) * measured[axis]);
  }
  Add("moments of inertia",
      fmt::format("{}, but the bodies turn as if it were {}",
                  given ? "is as it is typed" : "is that of a homogeneous body",
                  VectorText(measured)),
      "inertia: " + VectorText(rounded), VectorText(rounded), hypotheses);
}

}  // namespace

void SuspectInertia(const Evidence& evidence, std::vector<Hypothesis>* hypotheses) {
  if (std::ranges::none_of(evidence.judgement.trials, IsLabelled)) return;
  const YamlField typed = YamlField::ReadFile(evidence.typed.file)["body"]["inertia"];
  if (!typed.Given() || !typed.IsList()) return;
  const std::vector<YamlField> items = typed.Items("moments");
  if (items.size() == 3 && items[0].IsScalar())
    AddOrders(TypedNumbers(evidence.typed.file, kPath), hypotheses);
}

void SuspectHomogeneity(const Evidence& evidence, std::vector<Hypothesis>* hypotheses) {
  if (std::ranges::none_of(evidence.judgement.trials, IsLabelled)) return;
  if (!YamlField::ReadFile(evidence.typed.file)["body"]["inertia"].Given()) return;
  Add("moments of inertia", "is not that of a homogeneous body of this shape and mass, which it is",
      "no inertia: that of the homogeneous body is then taken", "", hypotheses);
}

void SuspectMoments(const Evidence& evidence, std::vector<Hypothesis>* hypotheses) {
  if (std::ranges::none_of(evidence.judgement.trials, IsLabelled)) return;
  AddMeasured(evidence, YamlField::ReadFile(evidence.typed.file)["body"]["inertia"].Given(),
              hypotheses);
}

}  // namespace percuss::pipeline
