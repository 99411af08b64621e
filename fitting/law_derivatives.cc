// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <ceres/jet.h>

#include <array>
#include <utility>
#include <vector>

#include "fitting/impact_model.h"
#include "solver/law_registry.h"

namespace percuss::fitting {
namespace {

// Derivatives in passes of this many at a time: one pass for the parameters of most laws, and a
// single instance of every law for all uses.
constexpr int kPass = 4;
using Jet = ceres::Jet<double, kPass>;

constexpr int kMatrixEntries = 6;
constexpr int kContactEntries = kMatrixEntries + 3;
constexpr std::array<std::pair<int, int>, kMatrixEntries> kLowerTriangle = {
    {{0, 0}, {1, 0}, {1, 1}, {2, 0}, {2, 1}, {2, 2}}};

// The inputs of a law, counted through: entries of A, velocity, parameters; those in
// [first, first + kPass) carry a derivative.
Jet Variable(double value, int index, int first) {
  const int slot = index - first;
  return slot >= 0 && slot < kPass ? Jet(value, slot) : Jet(value);
}

// Impulse and work of the normal impulse.
using Answer = Eigen::Matrix<Jet, 4, 1>;

Answer SolvePass(std::string_view law, const solver::Contact<double>& contact,
                 std::span<const double> parameters, int first) {
  solver::Contact<Jet> jets;
  for (int k = 0; k < kMatrixEntries; ++k) {
    const auto [row, column] = kLowerTriangle[static_cast<size_t>(k)];
    jets.inverse_mass(row, column) = Variable(contact.inverse_mass(row, column), k, first);
    jets.inverse_mass(column, row) = jets.inverse_mass(row, column);
  }
  for (int axis = 0; axis < 3; ++axis) {
    jets.velocity[axis] = Variable(contact.velocity[axis], kMatrixEntries + axis, first);
  }
  std::vector<Jet> jet_parameters;
  for (size_t k = 0; k < parameters.size(); ++k) {
    jet_parameters.push_back(Variable(parameters[k], kContactEntries + static_cast<int>(k), first));
  }
  return solver::VisitLaw(law, [&](const auto& chosen) -> Answer {
    const solver::ImpactResult<Jet> result =
        chosen.template Solve<Jet>(jets, std::span<const Jet>(jet_parameters));
    Answer answer;
    answer << result.impulse, result.energy.normal_work;
    return answer;
  });
}

LawDerivatives Differentiate(std::string_view law, const solver::Contact<double>& contact,
                             std::span<const double> parameters, int first_input) {
  const int num_inputs = kContactEntries + static_cast<int>(parameters.size());
  Eigen::Matrix<double, 4, Eigen::Dynamic> all =
      Eigen::Matrix<double, 4, Eigen::Dynamic>::Zero(4, num_inputs);
  LawDerivatives derivatives;
  for (int first = first_input; first < num_inputs || first == first_input; first += kPass) {
    const Answer answer = SolvePass(law, contact, parameters, first);
    for (int row = 0; row < answer.size(); ++row) {
      if (row < 3) derivatives.impulse[row] = answer[row].a;
      for (int slot = 0; slot < kPass && first + slot < num_inputs; ++slot) {
        all(row, first + slot) = answer[row].v[slot];
      }
    }
  }
  const auto num_parameters = static_cast<Eigen::Index>(parameters.size());
  derivatives.inverse_mass = all.topLeftCorner<3, kMatrixEntries>();
  derivatives.velocity = all.block<3, 3>(0, kMatrixEntries);
  derivatives.parameters = all.topRightCorner(3, num_parameters);
  derivatives.normal_work = {all.bottomLeftCorner<1, kMatrixEntries>(),
                             all.block<1, 3>(3, kMatrixEntries),
                             all.bottomRightCorner(1, num_parameters)};
  return derivatives;
}

}  // namespace

Eigen::Vector3d LawImpulse(std::string_view law, const solver::Contact<double>& contact,
                           std::span<const double> parameters) {
  return solver::FindLawFunction(law)(contact, parameters).impulse;
}

LawDerivatives DifferentiateLawByParameters(std::string_view law,
                                            const solver::Contact<double>& contact,
                                            std::span<const double> parameters) {
  return Differentiate(law, contact, parameters, kContactEntries);
}

LawDerivatives DifferentiateLaw(std::string_view law, const solver::Contact<double>& contact,
                                std::span<const double> parameters) {
  return Differentiate(law, contact, parameters, 0);
}

}  // namespace percuss::fitting
