// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <array>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "benchmarks/impacts/peers.h"

namespace percuss::benchmarks {
namespace {

constexpr double kStep = 1e-4;         // [s]
constexpr double kFrequency = 2000.0;  // of the contact without damping [rad/s]
constexpr int kMostSteps = 1000;

// Restitution of a spring-dashpot contact that ends where its force vanishes, against the damping
// ratio z in [0, 1): e = exp(-z / sqrt(1 - z^2) (pi - atan2(2 z sqrt(1 - z^2), 1 - 2 z^2))).
double RestitutionOf(double z) {
  const double root = std::sqrt(1.0 - z * z);
  const double phase = mjPI - std::atan2(2.0 * z * root, 1.0 - 2.0 * z * z);
  return std::exp(-z / root * phase);
}

double DampingRatioFor(double e) {
  double low = 0.0, high = 1.0 - 1e-9;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    (RestitutionOf(middle) > e ? low : high) = middle;
  }
  return low;
}

std::string Scene(const BallImpact& impact) {
  // Negative solref are stiffness and damping per unit of mass. Friction is as stiff as it can be
  // with an impedance near 1, but shares the damping of the normal: the more elastic a contact, the
  // slower it stops slip. That is most of the error of the velocities.
  const double damping = 2.0 * DampingRatioFor(impact.e) * kFrequency;
  const std::string contact =
      fmt::format(R"(solref="{} {}" solimp="0.999 0.999 0.001" friction="{} 0 0" condim="3")",
                  -kFrequency * kFrequency, -damping, std::max(impact.mu, 1e-5));
  const double inertia = 0.4 * impact.mass * impact.radius * impact.radius;
  return fmt::format(R"(<mujoco>
  <option timestep="{}" gravity="0 0 0" cone="elliptic" impratio="10" tolerance="1e-12"/>
  <worldbody>
    <geom type="plane" size="10 10 1" {}/>
    <body pos="0 0 {}">
      <freejoint/>
      <inertial pos="0 0 0" mass="{}" diaginertia="{} {} {}"/>
      <geom type="sphere" size="{}" {}/>
    </body>
  </worldbody>
</mujoco>)",
                     kStep, contact, impact.radius, impact.mass, inertia, inertia, inertia,
                     impact.radius, contact);
}

class Mujoco : public BallEngine {
 public:
  Mujoco() = default;
  Mujoco(const Mujoco&) = delete;
  Mujoco& operator=(const Mujoco&) = delete;
  ~Mujoco() override { Clear(); }

  std::string Label() const override {
    return "MuJoCo, ball, whole contact, 0.1 ms steps (velocities)";
  }

  void Place(const BallImpact& impact) override {
    Clear();
    const std::string scene = Scene(impact);
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "scene.xml", static_cast<int>(scene.size()));
    std::memcpy(files->filedata[0], scene.data(), scene.size());
    std::array<char, 1000> error{};
    model_ = mj_loadXML("scene.xml", files.get(), error.data(), static_cast<int>(error.size()));
    mj_deleteVFS(files.get());
    if (model_ == nullptr) throw std::runtime_error(error.data());
    data_ = mj_makeData(model_);
    for (int i = 0; i < 3; ++i) {
      data_->qvel[i] = impact.v[i];
      data_->qvel[3 + i] = impact.w[i];  // in body axes, which are those of the world at first
    }
  }

  void Resolve() override {
    bool touched = false;
    for (int step = 0; step < kMostSteps; ++step) {
      mj_step(model_, data_);
      touched = touched || data_->ncon > 0;
      if (touched && data_->ncon == 0) break;
    }
  }

  BallVelocities After() const override {
    // qvel has the angular velocity in body axes; the ball has turned in the contact phase.
    std::array<mjtNum, 3> w;
    mju_rotVecQuat(w.data(), data_->qvel + 3, data_->qpos + 3);
    return {{data_->qvel[0], data_->qvel[1], data_->qvel[2]}, {w[0], w[1], w[2]}};
  }

 private:
  void Clear() {
    if (data_ != nullptr) mj_deleteData(data_);
    if (model_ != nullptr) mj_deleteModel(model_);
    data_ = nullptr;
    model_ = nullptr;
  }

  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
};

}  // namespace

std::unique_ptr<BallEngine> MakeMujoco() { return std::make_unique<Mujoco>(); }

}  // namespace percuss::benchmarks
