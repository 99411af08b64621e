// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <ceres/jet.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "fitting/model/impact_model.h"
#include "solver/law_registry.h"
#include "solver/solve_impact.h"

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

// Inputs of a motion in the plane of t1 and n, and those that lead out of it: laws with a shorter
// way in one plane can take it in the passes of the former.
constexpr std::array<int, 5> kInPlane = {0, 3, 5, kMatrixEntries, kMatrixEntries + 2};
constexpr std::array<int, 4> kOutOfPlane = {1, 2, 4, kMatrixEntries + 1};

// The inputs of a law, counted through: entries of A, velocity, parameters. Those of one pass carry
// a derivative.
using Pass = std::span<const int>;
constexpr int kNoInput = -1;

Jet Variable(double value, int input, Pass pass) {
  const auto slot = std::ranges::find(pass, input) - pass.begin();
  return slot < std::ssize(pass) ? Jet(value, static_cast<int>(slot)) : Jet(value);
}

// Impulse and work of the normal impulse.
using Answer = Eigen::Matrix<Jet, 4, 1>;

Answer SolvePass(std::string_view law, const solver::Contact<double>& contact,
                 std::span<const double> parameters, Pass pass) {
  solver::Contact<Jet> jets;
  for (int k = 0; k < kMatrixEntries; ++k) {
    const auto [row, column] = kLowerTriangle[k];
    jets.inverse_mass(row, column) = Variable(contact.inverse_mass(row, column), k, pass);
    jets.inverse_mass(column, row) = jets.inverse_mass(row, column);
  }
  for (int axis = 0; axis < 3; ++axis) {
    jets.velocity[axis] = Variable(contact.velocity[axis], kMatrixEntries + axis, pass);
  }
  std::vector<Jet> jet_parameters;
  for (size_t k = 0; k < parameters.size(); ++k) {
    jet_parameters.push_back(Variable(parameters[k], kContactEntries + static_cast<int>(k), pass));
  }
  return solver::VisitLaw(law, [&](const auto& chosen) -> Answer {
    const solver::ImpactResult<Jet> result =
        chosen.template Solve<Jet>(jets, std::span<const Jet>(jet_parameters));
    Answer answer;
    answer << result.impulse, result.energy.normal_work;
    return answer;
  });
}

std::vector<int> ParameterInputs(std::size_t count) {
  std::vector<int> inputs(count);
  std::iota(inputs.begin(), inputs.end(), kContactEntries);
  return inputs;
}

LawDerivatives Differentiate(std::string_view law, const solver::Contact<double>& contact,
                             std::span<const double> parameters, std::span<const int> inputs) {
  const int num_inputs = kContactEntries + static_cast<int>(parameters.size());
  Eigen::Matrix<double, 4, Eigen::Dynamic> all =
      Eigen::Matrix<double, 4, Eigen::Dynamic>::Zero(4, num_inputs);
  LawDerivatives derivatives;
  for (std::size_t done = 0; done < inputs.size() || done == 0; done += kPass) {
    const Pass pass = inputs.subspan(done, std::min<std::size_t>(kPass, inputs.size() - done));
    const Answer answer = SolvePass(law, contact, parameters, pass);
    for (int row = 0; row < answer.size(); ++row) {
      if (row < 3) derivatives.impulse[row] = answer[row].a;
      for (std::size_t slot = 0; slot < pass.size(); ++slot) {
        if (pass[slot] == kNoInput) continue;
        all(row, pass[slot]) = answer[row].v[static_cast<Eigen::Index>(slot)];
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
  return Differentiate(law, contact, parameters, ParameterInputs(parameters.size()));
}

LawDerivatives DifferentiateLaw(std::string_view law, const solver::Contact<double>& contact,
                                std::span<const double> parameters, const MovedInputs& moved) {
  const auto is_moved = [&](int input) {
    return input < kMatrixEntries ? moved.inverse_mass : moved.velocity[input - kMatrixEntries];
  };
  std::vector<int> inputs = ParameterInputs(parameters.size());
  std::ranges::copy_if(kInPlane, std::back_inserter(inputs), is_moved);
  while (inputs.size() % kPass != 0) inputs.push_back(kNoInput);
  std::ranges::copy_if(kOutOfPlane, std::back_inserter(inputs), is_moved);
  return Differentiate(law, contact, parameters, inputs);
}

}  // namespace percuss::fitting
