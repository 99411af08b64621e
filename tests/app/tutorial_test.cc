// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Every command of docs/tutorial.md, run one after the other on the spec that the tutorial shows.
// Source of truth: truth.json of the synthetic experiment, mu 0.26 and e 0.55.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "capture/files.h"
#include "tests/app/program.h"
#include "tests/capture/temporary_folder.h"

namespace percuss {
namespace {

// The text of all blocks of one language.
std::string Blocks(const std::string& document, const std::string& language) {
  std::string text;
  const std::string fence = "```" + language + "\n";
  for (std::size_t at = document.find(fence); at != std::string::npos;
       at = document.find(fence, at)) {
    at += fence.size();
    text += document.substr(at, document.find("```", at) - at);
  }
  return text;
}

TEST(Tutorial, EveryCommandWorksAndTheTruthComesOut) {
  const std::filesystem::path docs = std::filesystem::path(PERCUSS_DATA_DIR) / ".." / "docs";
  const std::string document = capture::ReadFile(docs / "tutorial.md");
  const testing::TemporaryFolder folder;
  folder.Write("phones.yaml", Blocks(document, "yaml"));
  std::istringstream commands(Blocks(document, "sh"));
  int count = 0;
  for (std::string line; std::getline(commands, line); ++count) {
    std::istringstream words(line);
    std::string program;
    ASSERT_TRUE(words >> program && program == "percuss") << line;
    const std::vector<std::string> arguments(std::istream_iterator<std::string>(words), {});
    const testing::ProgramRun run = testing::RunPercuss(arguments, folder.Path());
    ASSERT_EQ(run.exit_code, 0) << line << "\n" << run.err;
  }
  EXPECT_EQ(count, 8);
  const auto fit = nlohmann::json::parse(capture::ReadFile(folder / "fit.json"));
  for (const auto& [name, truth] : {std::pair{"mu", 0.26}, std::pair{"e", 0.55}}) {
    const auto& parameter = fit.at("laws").at("stronge").at("parameters").at(name);
    EXPECT_EQ(parameter.at("status"), "identified") << name;
    // Two drops: 4 sigmas, and 1 % whatever they are.
    const double sigma = parameter.at("sigma");
    EXPECT_NEAR(parameter.at("value").get<double>(), truth, std::min(4.0 * sigma, 0.01 * truth))
        << name;
  }
}

}  // namespace
}  // namespace percuss
