// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>

namespace percuss::pipeline {
struct BounceBatch;
}

namespace percuss::app {

/// One line per clip: its bounces and e, or why there is none; then e of all clips.
void PrintBatch(std::FILE* file, const pipeline::BounceBatch& batch);

}  // namespace percuss::app
