// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/step_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/files/files.h"
#include "tests/base/temporary_folder.h"

namespace percuss::pipeline {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;

// Whether they were read ahead or not, by however many threads.
TEST(StepRecord, HashesAreThoseOfTheFiles) {
  const TemporaryFolder folder;
  std::vector<fs::path> inputs;
  for (int k = 0; k < 20; ++k)
    inputs.push_back(folder.Write("in" + std::to_string(k), std::string(k, 'a')));
  // Of a file of the last two seconds nothing is kept.
  std::this_thread::sleep_for(std::chrono::seconds(4));
  const fs::path missing = folder.Path() / "missing";
  StepRecord record(folder.Path() / "record.json", false);
  std::vector<fs::path> ahead(inputs.begin(), inputs.begin() + 15);
  ahead.push_back(missing);
  record.HashAhead(ahead, 4);
  for (const fs::path& input : inputs) EXPECT_EQ(record.HashOf(input), HashFile(input));
  EXPECT_THAT(testing::InputErrorOf([&] { record.HashOf(missing); }),
              ::testing::HasSubstr(missing.string()));
}

}  // namespace
}  // namespace percuss::pipeline
