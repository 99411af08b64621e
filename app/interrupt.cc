// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/interrupt.h"

#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <thread>

#include "capture/unfinished_files.h"

namespace percuss::app {
namespace {

bool IsIgnored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

void EndCleanlyWhenInterrupted() {
  signal(SIGXFSZ, SIG_IGN);  // a write beyond the limit of the user fails like one on a full disc
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM}) {
    if (!IsIgnored(signal)) sigaddset(&signals, signal);
  }
  // Blocked in this thread and those it starts, so that the one that waits gets them.
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals] {
    int signal = 0;
    if (sigwait(&signals, &signal) != 0) return;
    capture::StopWriting();
    // Over a line of progress, if there is one.
    fmt::print(stderr, "{}percuss: stopped by {}\n", isatty(STDERR_FILENO) != 0 ? "\r\033[K" : "",
               signal == SIGINT ? "Ctrl-C" : "SIGTERM");
    std::fflush(stderr);
    _exit(kExitInterrupted);
  }).detach();
}

}  // namespace percuss::app
