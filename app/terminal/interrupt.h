// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace percuss::app {

inline constexpr int kExitInterrupted = 130;  ///< as a shell says of a program that Ctrl-C ended

/// Makes Ctrl-C (SIGINT) and SIGTERM end the program with one line on stderr and kExitInterrupted,
/// after removing the files that are being written (StopWriting). A signal that is ignored
/// already (`nohup`, a job in the background) stays so.
void EndCleanlyWhenInterrupted();

}  // namespace percuss::app
