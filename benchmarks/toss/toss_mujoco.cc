// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <array>
#include <cstring>
#include <stdexcept>

#include "benchmarks/toss/toss_engine.h"

namespace percuss::benchmarks {
namespace {

constexpr int kSubsteps = 10;  // of a sample

std::string Scene(const TossCube& cube) {
  const double half = 0.5 * cube.edge, i = cube.inertia;
  const Eigen::Vector3d middle = -cube.mass_centre;
  return fmt::format(R"(<mujoco>
  <option cone="elliptic"><flag refsafe="disable"/></option>
  <worldbody>
    <geom type="plane" size="10 10 1" condim="3"/>
    <body pos="0 0 1">
      <freejoint/>
      <inertial pos="0 0 0" mass="{}" diaginertia="{} {} {}"/>
      <geom type="box" size="{} {} {}" pos="{} {} {}" condim="3"/>
    </body>
  </worldbody>
</mujoco>)",
                     cube.mass, i, i, i, half, half, half, middle.x(), middle.y(), middle.z());
}

struct DeleteModel {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
};
struct DeleteData {
  void operator()(mjData* data) const { mj_deleteData(data); }
};

class MujocoEngine : public TossEngine {
 public:
  explicit MujocoEngine(const TossCube& cube) {
    const std::string scene = Scene(cube);
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "scene.xml", static_cast<int>(scene.size()));
    std::memcpy(files->filedata[0], scene.data(), scene.size());
    std::array<char, 1000> error{};
    model_.reset(
        mj_loadXML("scene.xml", files.get(), error.data(), static_cast<int>(error.size())));
    mj_deleteVFS(files.get());
    if (model_ == nullptr) throw std::runtime_error(error.data());
  }

  std::vector<TossPose> Simulate(const std::vector<double>& coefficients,
                                 const TossThrow& start) const override {
    const std::unique_ptr<mjModel, DeleteModel> model(mj_copyModel(nullptr, model_.get()));
    model->opt.timestep = start.interval / kSubsteps;
    for (int i = 0; i < 3; ++i) model->opt.gravity[i] = start.gravity[i];
    for (int geom = 0; geom < model->ngeom; ++geom) {
      model->geom_friction[3 * geom] = coefficients[0];
      // Negative values are stiffness and damping per unit of mass.
      model->geom_solref[mjNREF * geom] = -coefficients[1];
      model->geom_solref[mjNREF * geom + 1] = -coefficients[2];
    }
    const std::unique_ptr<mjData, DeleteData> data(mj_makeData(model.get()));
    const Eigen::Quaterniond& q = start.pose.q;
    const Eigen::Vector3d w_body = q.conjugate() * start.w;  // as qvel has it
    for (int i = 0; i < 3; ++i) {
      data->qpos[i] = start.pose.p[i];
      data->qvel[i] = start.v[i];
      data->qvel[3 + i] = w_body[i];
      data->qpos[4 + i] = q.vec()[i];
    }
    data->qpos[3] = q.w();
    std::vector<TossPose> poses = {start.pose};
    while (static_cast<int>(poses.size()) < start.count) {
      for (int k = 0; k < kSubsteps; ++k) mj_step(model.get(), data.get());
      const mjtNum* now = data->qpos;
      poses.push_back({{now[0], now[1], now[2]}, {now[3], now[4], now[5], now[6]}});
    }
    return poses;
  }

 private:
  std::unique_ptr<mjModel, DeleteModel> model_;
};

}  // namespace

TossEngineMaker MujocoTosses() {
  return {"MuJoCo",
          {{"mu", 0.2, 0.05, 0.0, 1.0},
           {"stiffness [1/s^2]", 2000.0, 1000.0, 100.0, 1e5},
           {"damping [1/s]", 36.0, 20.0, 0.0, 1000.0}},
          [](const TossCube& cube) -> std::unique_ptr<TossEngine> {
            return std::make_unique<MujocoEngine>(cube);
          }};
}

}  // namespace percuss::benchmarks
