// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace percuss::app {

/// All that the program `percuss` does: parses the command line, runs the command, prints what was
/// thrown as one line on stderr, and returns the exit code (base/error.h). To be called once in a
/// process: it takes over SIGINT and SIGTERM (EndCleanlyWhenInterrupted).
int RunProgram(int argc, char** argv);

}  // namespace percuss::app
