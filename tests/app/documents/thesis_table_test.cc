// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// The table of docs/thesis.md: no row of the thesis is missing, each says how a user reaches it,
// and by which test it is held; what it names is there (commands: documents_test.cc).

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "base/files/files.h"
#include "tests/app/documents/document.h"

namespace percuss {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> Matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at)
    found.push_back((*at)[1]);
  return found;
}

TEST(ThesisTable, NamesWhatReachesAndWhatHoldsEachRow) {
  const fs::path repository = fs::path(PERCUSS_DATA_DIR) / "..";
  std::string tests;
  for (const auto& entry : fs::recursive_directory_iterator(repository / "tests")) {
    if (entry.path().extension() == ".cc") tests += ReadFile(entry.path());
  }
  std::istringstream lines(testing::TextOfRepository("docs/thesis.md"));
  int row = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| S")) continue;
    ++row;
    SCOPED_TRACE(line);
    std::vector<std::string> cells;
    std::istringstream parts(line.substr(1));
    for (std::string cell; std::getline(parts, cell, '|');) cells.push_back(cell);
    ASSERT_EQ(cells.size(), 4u);
    EXPECT_EQ(cells[0], fmt::format(" S{:02} ", row));
    EXPECT_FALSE(Matches(cells[2], "`([^`]+)`").empty());
    for (const std::string& file : Matches(cells[2], "(data/[A-Za-z0-9_./-]+)"))
      EXPECT_TRUE(fs::exists(repository / file)) << file;
    const std::vector<std::string> names = Matches(cells[3], "`([^`]+)`");
    EXPECT_FALSE(names.empty());
    for (const std::string& name : names) {
      const std::size_t dot = name.find('.');
      ASSERT_NE(dot, std::string::npos) << name;
      const std::string declared = "(" + name.substr(0, dot) + ", " + name.substr(dot + 1) + ")";
      EXPECT_NE(tests.find(declared), std::string::npos) << name;
    }
  }
  EXPECT_EQ(row, 42);
}

}  // namespace
}  // namespace percuss
