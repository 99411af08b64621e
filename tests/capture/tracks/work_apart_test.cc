// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/tracks/work_apart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <new>
#include <thread>
#include <vector>

#include "base/error.h"
#include "tests/base/slow_down.h"
#include "tests/base/temporary_folder.h"

namespace percuss::capture {
namespace {

TEST(WorkApart, GivesTheAnswerHoweverLong) {
  EXPECT_EQ(WorkApart([] { return std::string(); }, 1), "");
  const std::string text = std::string(3'000'000, 'x') + '\0' + "end";
  EXPECT_EQ(WorkApart([&] { return text; }, 1), text);
  int changed = 0;
  WorkApart([&] { return std::to_string(++changed); }, 1);
  EXPECT_EQ(changed, 0) << "it is a copy that works";
}

TEST(WorkApart, PassesRefusalsOn) {
  EXPECT_EQ(testing::InputErrorOf([] {
              WorkApart([]() -> std::string { throw InputError("a.h5: found nothing"); }, 1);
            }),
            "a.h5: found nothing");
}

TEST(WorkApart, SurvivesWhatCrashesOrNeverEnds) {
  EXPECT_FALSE(WorkApart(
      [] {
        std::raise(SIGSEGV);
        return std::string("after");
      },
      1));
  EXPECT_FALSE(WorkApart([]() -> std::string { throw std::bad_alloc(); }, 1));
  EXPECT_FALSE(WorkApart(
      [] {
        for (volatile int k = 0;; k = k + 1) {
        }
        return std::string("after");
      },
      1));
}

TEST(WorkApart, MayBeAskedByManyThreads) {
  // The C library hands a copy of a process its allocator unlocked, clang's address sanitizer
  // before version 18 as it stands: where another thread was allocating, the copy waits for ever
  // (LLVM pull request 75290).
  if (testing::kSanitized) GTEST_SKIP() << "the sanitizer's allocator may be locked in a copy";
  std::vector<std::thread> threads;
  std::vector<int> right(8);
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([t, &right] {
      for (int k = 0; k < 20; ++k) {
        const std::string text(1000U * static_cast<unsigned>(t + k), static_cast<char>('a' + t));
        right[t] += WorkApart([&] { return text; }, 2) == text ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int count : right) EXPECT_EQ(count, 20);
}

}  // namespace
}  // namespace percuss::capture
