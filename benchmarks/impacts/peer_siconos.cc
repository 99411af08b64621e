// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <numerics/FrictionContactProblem.h>
#include <numerics/Friction_cst.h>
#include <numerics/NumericsMatrix.h>
#include <numerics/SolverOptions.h>
#include <numerics/fc3d_Solvers.h>

#include <array>

#include "benchmarks/impacts/peers.h"

namespace percuss::benchmarks {
namespace {

constexpr double kTolerance = 1e-10;

class Siconos : public OneContactSolver {
 public:
  Siconos() {
    // The problem owns the matrix; the matrix does not own its numbers.
    NumericsMatrix* matrix = NM_create_from_data(NM_DENSE, 3, 3, matrix_.data());
    problem_ = frictionContactProblem_new_with_data(3, 1, matrix, velocity_.data(), &mu_);
  }
  Siconos(const Siconos&) = delete;
  Siconos& operator=(const Siconos&) = delete;
  // The problem is left: it would free the members of this object.
  ~Siconos() override { DeleteOptions(); }

  void Place(const Eigen::Matrix3d& inverse_mass, const Eigen::Vector3d& velocity, double mu,
             double e) override {
    constexpr std::array<int, 3> kAxes = {2, 0, 1};  // the normal first
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        matrix_[i + 3 * j] = inverse_mass(kAxes[i], kAxes[j]);
      }
      velocity_[i] = velocity[kAxes[i]];
    }
    velocity_[0] *= 1.0 + e;
    mu_ = mu;
    DeleteOptions();
    options_ = solver_options_create(SICONOS_FRICTION_3D_ONECONTACT_NSN);
    options_->dparam[SICONOS_DPARAM_TOL] = kTolerance;
    fc3d_onecontact_nonsmooth_Newton_solvers_initialize(problem_, problem_, options_);
  }

  bool Solve() override {
    impulse_ = {0.0, 0.0, 0.0};
    return fc3d_onecontact_nonsmooth_Newton_solvers_solve(problem_, impulse_.data(), options_) == 0;
  }

  Eigen::Vector3d Impulse() const override { return {impulse_[1], impulse_[2], impulse_[0]}; }

 private:
  void DeleteOptions() {
    if (options_ != nullptr) solver_options_delete(options_);
    options_ = nullptr;
  }

  std::array<double, 9> matrix_{};
  std::array<double, 3> velocity_{}, impulse_{};
  double mu_ = 0.0;
  FrictionContactProblem* problem_ = nullptr;
  SolverOptions* options_ = nullptr;
};

}  // namespace

std::unique_ptr<OneContactSolver> MakeSiconos() { return std::make_unique<Siconos>(); }

}  // namespace percuss::benchmarks
