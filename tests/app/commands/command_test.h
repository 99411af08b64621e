// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "base/files/files.h"
#include "tests/base/temporary_folder.h"

namespace percuss::testing {

struct CommandRun {
  int exit_code = -1;
  std::string out, err;
};

/// Runs percuss as a user types it, by a shell, in a folder of its own.
class CommandTest : public ::testing::Test {
 protected:
  CommandRun Percuss(const std::string& arguments, const std::string& input = "") const {
    folder_.Write(".in", input);
    const std::string command = "cd '" + folder_.Path().string() + "' && '" PERCUSS_PROGRAM "' " +
                                arguments + " <.in >.out 2>.err";
    const int status = std::system(command.c_str());
    return {WEXITSTATUS(status), ReadFile(folder_ / ".out"), ReadFile(folder_ / ".err")};
  }

  TemporaryFolder folder_;
};

}  // namespace percuss::testing
