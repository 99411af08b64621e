// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// The settings of the report, put into MuJoCo. Source of truth: the coefficients they were made of,
// and Coulomb's law for a ball that slides.

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <array>
#include <cstring>
#include <memory>

#include "tests/report/engines/engine_drop.h"

namespace percuss::report {
namespace {

struct Velocities {
  double x = 0, z = 0;
};

/// nullptr, and a failure, for a scene that MuJoCo does not take.
mjModel* Load(const std::string& scene) {
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "scene.xml", static_cast<int>(scene.size()));
  std::memcpy(files->filedata[0], scene.data(), scene.size());
  std::array<char, 1000> error{};
  mjModel* model = mj_loadXML("scene.xml", files.get(), error.data(), 1000);
  mj_deleteVFS(files.get());
  EXPECT_NE(model, nullptr) << error.data() << scene;
  return model;
}

Velocities DropBall(const EngineSettings& engines, double vx) {
  const std::string scene =
      "<mujoco>\n" + engines.mjcf +
      "<worldbody><geom type=\"plane\" size=\"10 10 1\"/>"
      "<body pos=\"0 0 0.0501\"><freejoint/><geom type=\"sphere\" size=\"0.05\" mass=\"0.2\"/>"
      "</body></worldbody></mujoco>";
  mjModel* model = Load(scene);
  if (model == nullptr) return {};
  model->opt.gravity[2] = 0;
  mjData* data = mj_makeData(model);
  data->qvel[0] = vx;
  data->qvel[2] = kBallVz;
  bool touched = false;
  for (int step = 0; step < 20000; ++step) {
    mj_step(model, data);
    touched = touched || data->ncon > 0;
    if (touched && data->ncon == 0) break;
  }
  const Velocities after{data->qvel[0], data->qvel[2]};
  mj_deleteData(data);
  mj_deleteModel(model);
  return after;
}

// A contact of some 60 steps: its restitution is that of the equations to 0.005.
TEST(EngineMujoco, ADroppedBallShowsTheRestitution) {
  for (const double e : {0.05, 0.2, 0.55, 0.9, 0.99}) {
    const Velocities after = DropBall(CalcEngineSettings(RunWith(0.26, e)), 0);
    EXPECT_NEAR(after.z / -kBallVz, e, 0.005) << "e " << e;
  }
}

// Friction is a damper that reaches mu where slip is fast and the contact well damped.
TEST(EngineMujoco, ASlidingBallShowsTheFrictionWhereDampingIsStrong) {
  const Velocities after = DropBall(CalcEngineSettings(RunWith(0.3, 0.2)), kBallVx);
  EXPECT_NEAR((kBallVx - after.x) / (after.z - kBallVz), 0.3, 0.005);
}

// The rule that the settings rest on.
TEST(EngineMujoco, TakesTheLargerFriction) {
  const std::string scene =
      "<mujoco><worldbody><geom type=\"plane\" size=\"10 10 1\" friction=\"0.1\"/>"
      "<body pos=\"0 0 0.0499\"><freejoint/><geom type=\"sphere\" size=\"0.05\" mass=\"0.2\" "
      "friction=\"0.3\"/></body></worldbody></mujoco>";
  mjModel* model = Load(scene);
  ASSERT_NE(model, nullptr);
  mjData* data = mj_makeData(model);
  mj_forward(model, data);
  EXPECT_EQ(data->ncon, 1);
  EXPECT_NEAR(data->contact[0].friction[0], 0.3, 1e-12);
  mj_deleteData(data);
  mj_deleteModel(model);
}

}  // namespace
}  // namespace percuss::report
