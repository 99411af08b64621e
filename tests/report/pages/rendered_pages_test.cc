// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// The pages of percuss calibrate and percuss track --enhanced in a real browser. Source of truth:
// calibration.json and markers.csv beside them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <thread>

#include "base/text/numbers.h"
#include "tests/report/browser.h"
#include "tests/report/page_reader.h"
#include "tests/report/sample_run.h"

namespace percuss::report {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

constexpr const char* kBarDrop = PERCUSS_DATA_DIR "/bar-drop/experiment.yaml";

int RunProgram(const std::string& arguments) {
  const std::string command = "'" PERCUSS_PROGRAM "' " + arguments + " >/dev/null 2>&1";
  return WEXITSTATUS(std::system(command.c_str()));
}

/// No complaint, nothing wider than the window, no text of a drawing cut off, light and dark.
void ExpectItReadsWell(Browser& browser, const fs::path& page) {
  for (const int width : {1280, 390}) {
    for (const char* scheme : {"light", "dark"}) {
      browser.Open(page, width, scheme);
      EXPECT_THAT(browser.Complaints(), IsEmpty()) << page << " " << scheme;
      EXPECT_LE(browser.Evaluate("document.documentElement.scrollWidth").get<int>(), width) << page;
      EXPECT_EQ(browser.Evaluate("document.querySelectorAll('.no-plot').length"), 0);
      const auto cut = browser.Evaluate(
          "[...document.querySelectorAll('figure svg.plot')].flatMap(svg => {"
          " const box = svg.getBoundingClientRect();"
          " return [...svg.querySelectorAll('text')].filter(text => {"
          "  const r = text.getBoundingClientRect();"
          "  return r.left < box.left - 0.5 || r.right > box.right + 0.5 ||"
          "   r.top < box.top - 0.5 || r.bottom > box.bottom + 0.5;"
          " }).map(text => svg.closest('figure').id + ': ' + text.textContent); })");
      EXPECT_THAT(cut, IsEmpty()) << cut;
    }
  }
}

void ExpectTheCalibration(Browser& browser, const fs::path& page, const Json& calibration) {
  ExpectItReadsWell(browser, page);
  browser.Open(page, 1280, "light");
  const std::string answer =
      browser.Evaluate("document.querySelector('.answer .numbers').textContent");
  const double rms = calibration["rms_px"];
  EXPECT_THAT(answer, testing::HasSubstr(FormatSignificant(rms, 3) + " px"));
  // All corners that were used, and no other, are in the cells.
  int corners = 0;
  for (const char* camera : {"left", "right"}) {
    corners += browser
                   .Evaluate(std::string("[...document.querySelectorAll('#coverage-") + camera +
                             " .in-cell')].reduce((sum, t) => sum + Number(t.textContent), 0)")
                   .get<int>();
  }
  EXPECT_EQ(corners, calibration["corners"]);
  for (const char* camera : {"left", "right"}) {
    EXPECT_GT(browser.Evaluate(std::string("document.querySelectorAll('#residuals-") + camera +
                               " .arrow').length"),
              50);
  }
  EXPECT_GT(browser.Evaluate("document.querySelectorAll('#place-sigma .in-cell').length"), 20);
  // Both cameras and all boards can be looked at; nothing plays.
  const auto scene = Json::parse(
      browser.Evaluate("document.querySelector('.viewer script').textContent").get<std::string>());
  EXPECT_EQ(scene["cameras"].size(), 2u);
  EXPECT_EQ(scene["boards"].size(), calibration["views"].size());
  EXPECT_EQ(browser.Evaluate("document.querySelectorAll('.viewer .play').length"), 0);
  browser.Evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })");
  // It is as large as its place once it is drawn; read once, since the browser complains of more.
  const char* sized =
      "(() => { const c = document.querySelector('.viewer .scene');"
      " return c.width >= c.clientWidth && c.clientWidth > 0; })()";
  for (int wait = 0; wait < 50 && browser.Evaluate(sized) != true; ++wait)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(browser.Evaluate("(() => { const c = document.querySelector('.viewer .scene');"
                             " return c.getContext('2d').getImageData(0, 0, c.width, "
                             "c.height).data.some(x => x); })()"),
            true);
  EXPECT_THAT(browser.Complaints(), IsEmpty());
}

/// How many markers markers.csv says a frame has, in a camera.
std::map<std::string, int> MarkersSeen(const fs::path& file, const std::string& column) {
  std::map<std::string, int> seen;
  std::string text = ReadText(file);
  while (text.starts_with('#')) text.erase(0, text.find('\n') + 1);
  const TableText table = ReadCsvTable(text);
  const auto at = [&](const std::string& name) {
    return std::ranges::find(table[0], name) - table[0].begin();
  };
  for (std::size_t row = 1; row < table.size(); ++row)
    seen[table[row][at("frame")]] += !table[row][at(column)].empty();
  return seen;
}

void ExpectTheFrames(Browser& browser, const fs::path& folder) {
  const fs::path page = folder / "enhanced/report.html";
  ExpectItReadsWell(browser, page);
  browser.Open(page, 1280, "light");
  // Lazily loaded: they are there once they are asked for.
  browser.Evaluate("document.querySelectorAll('img').forEach(i => { i.loading = 'eager'; })");
  const char* missing =
      "[...document.images].filter(i => !i.complete || i.naturalWidth < 600).length";
  for (int wait = 0; wait < 100 && browser.Evaluate(missing) != 0; ++wait)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(browser.Evaluate(missing), 0);
  EXPECT_GE(browser.Evaluate("document.images.length"), 10);
  EXPECT_EQ(browser.Evaluate("(() => { const f = document.querySelector('.sides .frame');"
                             " const i = f.querySelector('img').getBoundingClientRect(),"
                             " s = f.querySelector('svg').getBoundingClientRect();"
                             " return Math.abs(i.left - s.left) < 1 && Math.abs(i.right - s.right) "
                             "< 1 && Math.abs(i.bottom - s.bottom) < 1; })()"),
            true);
  const auto rows = browser.Evaluate(
      "[...document.querySelectorAll('#frames tbody tr')]"
      ".map(r => [...r.children].map(c => c.textContent))");
  const auto left = MarkersSeen(folder / "markers.csv", "left_x_px");
  ASSERT_GE(rows.size(), left.size());
  int compared = 0;
  for (const auto& row : rows) {
    const auto seen = left.find(row[0]);
    if (seen == left.end()) continue;
    EXPECT_EQ(row[3], std::to_string(seen->second)) << row[0];
    ++compared;
  }
  EXPECT_GE(compared, 50);
}

TEST(RenderedPages, OfBarDropShowWhatTheFilesSay) {
  const std::string program = Browser::Find();
  if (program.empty()) {
    GTEST_SKIP() << "no chromium on PATH (scripts/install_packages.sh installs it)";
  }
  const TemporaryFolder folder;
  const fs::path calibration = folder.Path() / "calibration.json", out = folder.Path() / "out";
  ASSERT_EQ(
      RunProgram(std::string("calibrate '") + kBarDrop + "' -o '" + calibration.string() + "'"), 0);
  ASSERT_EQ(
      RunProgram(std::string("track '") + kBarDrop + "' --calibration '" + calibration.string() +
                 "' --trial a-slide --enhanced -o '" + out.string() + "'"),
      0);
  Browser browser(program, folder.Path() / "profile");
  ExpectTheCalibration(browser, folder.Path() / "calibration.html",
                       Json::parse(ReadText(calibration)));
  ExpectTheFrames(browser, out / "tracks/a-slide");
}

}  // namespace
}  // namespace percuss::report
