// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/terminal/interrupt.h"

#include <fmt/core.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "base/files/files.h"

namespace percuss::app {
namespace {

// A handler may do no more than this; the rest is done by a thread that waits for it. (A thread
// that waits for the signals themselves would not do: libraries start threads before main.)
sem_t interrupted;
volatile std::sig_atomic_t which = 0;

std::mutex first_mutex;
std::function<void()> first;

bool IsIgnored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

void EndCleanlyWhenInterrupted() {
  signal(SIGXFSZ, SIG_IGN);  // a write beyond the limit of the user fails like one on a full disc
  sem_init(&interrupted, 0, 0);
  struct sigaction action {};
  action.sa_handler = [](int signal) {
    which = signal;
    sem_post(&interrupted);
  };
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM}) {
    if (!IsIgnored(signal)) sigaction(signal, &action, nullptr);
  }
  std::thread([] {
    while (sem_wait(&interrupted) != 0) {
    }
    {
      const std::lock_guard lock(first_mutex);
      if (first) first();
    }
    StopWriting();
    // Over a line of progress, if there is one.
    fmt::print(stderr, "{}percuss: stopped by {}\n", isatty(STDERR_FILENO) != 0 ? "\r\033[K" : "",
               which == SIGINT ? "Ctrl-C" : "SIGTERM");
    std::fflush(stderr);
    _exit(kExitInterrupted);
  }).detach();
}

void BeforeInterrupted(std::function<void()> what) {
  const std::lock_guard lock(first_mutex);
  first = std::move(what);
}

}  // namespace percuss::app
