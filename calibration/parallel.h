// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace percuss::calibration {

/// Calls work(0) ... work(count - 1), each once, on up to num_threads threads. After all have
/// ended, the exception of the lowest index is thrown again, so that the outcome does not depend on
/// timing.
void ParallelFor(int count, int num_threads, const std::function<void(int)>& work);

}  // namespace percuss::calibration
