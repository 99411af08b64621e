// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// What of impacts.csv beyond the states, and of the coefficients beyond physics engines, reaches
// the page.

#include <gtest/gtest.h>

#include "report/report.h"
#include "tests/report/page_reader.h"
#include "tests/report/sample_run.h"

namespace percuss::report {
namespace {

struct Pages {
  std::string html, markdown, table;
};

Pages PagesOf(const SampleRun& run, const std::string& table) {
  const TemporaryFolder folder;
  run.Write(folder.Path());
  WriteReport(folder.Path());
  const auto csv = folder.Path() / "tables" / (table + ".csv");
  return {ReadText(folder.Path() / "report.html"), ReadText(folder.Path() / "report.md"),
          std::filesystem::exists(csv) ? ReadText(csv) : ""};
}

TEST(RatioTable, ShowsTheRatiosOfTheFile) {
  SampleRun run;
  run.impacts_csv =
      "trial,rz,vz,vz_post,impact_speed,sigma_impact_speed,impact_angle_deg,"
      "sigma_impact_angle_deg,R_n,sigma_R_n,R_t,sigma_R_t,R_v,sigma_R_v,R_E,sigma_R_E\n"
      "a-slide,-0.05,-1.8,0.4,1.84321,0.0012,77.654,0.31,0.22222,0.0021,-0.8123,0.013,0.24567,"
      "0.0023,0.20876,0.0034\n"
      "b-stick,-0.05,-1.8,0.4,1.8,,90,,0.22222,,,,0.22222,,0.1,\n"
      "c-reverse,-0.05,,0.4,,,,,,,,,,,,\n";
  const Pages pages = PagesOf(run, "impact-ratios");
  EXPECT_EQ(FindMarkupFault(pages.html), "");
  const TableText table = ReadHtmlTable(pages.html, "impact-ratios");
  ASSERT_EQ(table.size(), 3u) << "an impact without a speed has no row";
  EXPECT_EQ(CellOf(table, {"a-slide"}, "impact speed"), "1.8432 ± 0.0012");
  EXPECT_EQ(CellOf(table, {"a-slide"}, "impact angle"), "77.65 ± 0.31");
  EXPECT_EQ(CellOf(table, {"a-slide"}, "R_n"), "0.2222 ± 0.0021");
  EXPECT_EQ(CellOf(table, {"a-slide"}, "R_t"), "-0.812 ± 0.013");
  EXPECT_EQ(CellOf(table, {"a-slide"}, "R_E"), "0.2088 ± 0.0034");
  EXPECT_EQ(CellOf(table, {"b-stick"}, "R_t"), "–");
  const TableText csv = ReadCsvTable(pages.table);
  EXPECT_EQ(CellOf(csv, {"a-slide"}, "sigma_R_v"), "0.0023");
  EXPECT_EQ(CellOf(csv, {"a-slide"}, "impact_angle_deg"), "77.654");
}

TEST(RatioTable, IsLeftOutWhereNoFileHasRatios) {
  const Pages pages = PagesOf(SampleRun(), "impact-ratios");
  EXPECT_EQ(pages.html.find("impact-ratios"), std::string::npos);
  EXPECT_EQ(pages.table, "");
}

TEST(DemTable, ShowsSettingsAndLines) {
  SampleRun run;
  const Pages pages = PagesOf(run, "dem-settings");
  EXPECT_EQ(FindMarkupFault(pages.html), "");
  const TableText table = ReadHtmlTable(pages.html, "dem-settings");
  ASSERT_EQ(table.size(), 9u);
  EXPECT_EQ(table[1][0], "LIGGGHTS");
  EXPECT_NE(pages.html.find("property/global coefficientRestitution peratomtypepair 2 0."),
            std::string::npos);
  for (const char* code : {"LIGGGHTS, in the input script:", "YADE, in the Python script:",
                           "MercuryDPM, in the driver:", "MFiX-DEM, in mfix.dat"}) {
    EXPECT_NE(pages.html.find(code), std::string::npos) << code;
    EXPECT_NE(pages.markdown.find(code), std::string::npos) << code;
  }
}

}  // namespace
}  // namespace percuss::report
