// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/text/csv_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace percuss {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::vector<std::string>> CellsOf(const std::string& text) {
  std::vector<std::vector<std::string>> cells;
  for (const CsvRow& row : ParseCsv("table.csv", text)) cells.push_back(row.cells);
  return cells;
}

// As a spreadsheet program saves a table where numbers have a decimal comma.
TEST(ParseCsv, TakesSemicolonsAndTabsWithDecimalCommas) {
  const auto rows =
      ElementsAre(ElementsAre("trial", "v", "note"), ElementsAre("a", "-0.5", "1,2,3"),
                  ElementsAre("b", "+1.25e-3", "on, off"));
  EXPECT_THAT(CellsOf("trial;v;note\na;-0,5;1,2,3\nb;+1,25e-3;on, off\n"), rows);
  EXPECT_THAT(CellsOf("trial\tv\tnote\r\na\t-0,5\t1,2,3\r\nb\t+1,25e-3\ton, off\r\n"), rows);
  EXPECT_THAT(CellsOf("# made, today\n\ntrial;v\na;1.5\n"),
              ElementsAre(ElementsAre("trial", "v"), ElementsAre("a", "1.5")));
  EXPECT_THAT(CellsOf("mass A\nt;x\n0,1;2\n"),
              ElementsAre(ElementsAre("mass A"), ElementsAre("t", "x"), ElementsAre("0.1", "2")));
}

TEST(ParseCsv, CommasGoBeforeAllElse) {
  EXPECT_THAT(CellsOf("trial,\"v; m/s\",t\na;b,1,2\tc\n"),
              ElementsAre(ElementsAre("trial", "v; m/s", "t"), ElementsAre("a;b", "1", "2\tc")));
  EXPECT_THAT(CellsOf("\"a, b\";c\n1;2\n"),
              ElementsAre(ElementsAre("a, b", "c"), ElementsAre("1", "2")));
}

TEST(ParseCsv, NamesTextOfTwoBytes) {
  try {
    ParseCsv("table.csv", std::string("\xFF\xFEt\0", 4));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("table.csv: found text in UTF-16, allowed UTF-8"));
  }
}

}  // namespace
}  // namespace percuss
