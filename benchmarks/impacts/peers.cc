// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/impacts/peers.h"

namespace percuss::benchmarks {

#ifndef PERCUSS_HAS_SIMBODY
std::unique_ptr<BallEngine> MakeSimbody() { return nullptr; }
#endif
#ifndef PERCUSS_HAS_MUJOCO
std::unique_ptr<BallEngine> MakeMujoco() { return nullptr; }
#endif
#ifndef PERCUSS_HAS_BULLET
std::unique_ptr<BallEngine> MakeBullet() { return nullptr; }
#endif
#ifndef PERCUSS_HAS_SICONOS
std::unique_ptr<OneContactSolver> MakeSiconos() { return nullptr; }
#endif

}  // namespace percuss::benchmarks
