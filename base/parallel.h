// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace percuss {

/// How many threads the machine runs at once; at least 1.
int AllCores();

/// Calls work(0) ... work(count - 1), each once, on up to num_threads threads. After a call has
/// thrown no new one begins; when all have ended, the exception of the lowest index is thrown
/// again. Indices begin in order, so that which one that is does not depend on timing.
void ParallelFor(int count, int num_threads, const std::function<void(int)>& work);

}  // namespace percuss
