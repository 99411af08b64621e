// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace percuss {

int AllCores() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

void ParallelFor(int count, int num_threads, const std::function<void(int)>& work) {
  std::atomic<int> next = 0;
  std::vector<std::exception_ptr> failures(std::max(count, 0));
  const auto run = [&] {
    for (int i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        failures[i] = std::current_exception();
        next = count;
      }
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      for (int k = 1; k < std::min(num_threads, count); ++k) others.emplace_back(run);
    } catch (const std::system_error&) {  // as many as the machine has left; one is here
    }
    run();
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace percuss
