// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>

namespace percuss::app {

inline constexpr int kExitInterrupted = 130;  ///< as a shell says of a program that Ctrl-C ended

/// Makes Ctrl-C (SIGINT) and SIGTERM end the program with one line on stderr and kExitInterrupted,
/// after removing the files that are being written (StopWriting). A signal that is ignored
/// already (`nohup`, a job in the background) stays so.
void EndCleanlyWhenInterrupted();

/// What such an end begins with, on a thread of its own: to end other programs, for instance. One
/// thing; a later call replaces it.
void BeforeInterrupted(std::function<void()> what);

}  // namespace percuss::app
