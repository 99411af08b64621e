// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// The report of data/bar-drop, from the videos on, in a real browser. Source of truth: fit.json.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cmath>
#include <cstdlib>
#include <iterator>

#include "tests/report/browser.h"
#include "tests/report/page_reader.h"
#include "tests/report/sample_run.h"

namespace percuss::report {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

constexpr const char* kExperiment = PERCUSS_DATA_DIR "/bar-drop/experiment.yaml";

constexpr const char* kSections[] = {
    "summary",        "coefficients-section", "verdicts",        "comparison",     "energy-section",
    "trials-section", "calibration",          "engines-section", "checks-section", "provenance"};

void ExpectNoComplaintsAndAllPictures(Browser& browser, const fs::path& page) {
  for (const char* scheme : {"light", "dark"}) {
    browser.Open(page, 1280, scheme);
    EXPECT_THAT(browser.Complaints(), IsEmpty()) << scheme;
  }
  // Four trials, two cameras, before, at and after the impact.
  EXPECT_EQ(browser.Evaluate("document.images.length"), 24);
  EXPECT_EQ(browser.Evaluate(
                "[...document.images].filter(i => !i.complete || i.naturalWidth < 50).length"),
            0);
  EXPECT_EQ(browser.Evaluate("document.querySelectorAll('.no-plot').length"), 0);
  EXPECT_EQ(browser.Evaluate("performance.getEntriesByType('resource').filter(r => "
                             "!r.name.startsWith('data:')).length"),
            0);
}

// Half a pixel: letters of a browser are not as wide as gnuplot takes them to be.
void ExpectNoTextOfAPlotCutOff(Browser& browser) {
  const auto cut = browser.Evaluate(
      "[...document.querySelectorAll('figure svg')].flatMap(svg => {"
      " const box = svg.getBoundingClientRect();"
      " return [...svg.querySelectorAll('text')].filter(text => {"
      "  const r = text.getBoundingClientRect();"
      "  return text.textContent.trim() && (r.left < box.left - 0.5 || r.right > box.right + 0.5 ||"
      "   r.top < box.top - 0.5 || r.bottom > box.bottom + 0.5);"
      " }).map(text => svg.closest('figure').id + ': ' + text.textContent); })");
  EXPECT_THAT(cut, IsEmpty()) << cut;
}

void ExpectEverySectionWithSomethingToSee(Browser& browser) {
  const auto heights = browser.Evaluate(
      "Object.fromEntries([...document.querySelectorAll('main > section')]"
      ".map(s => [s.id, s.getBoundingClientRect().height]))");
  EXPECT_EQ(heights.size(), std::size(kSections));
  for (const char* section : kSections) EXPECT_GT(heights.value(section, 0.0), 80) << section;
  for (const std::string trial : {"1", "2", "3", "4"}) {
    for (const char* figure :
         {"impulse", "impulse-end", "trajectory", "height", "position", "residual"}) {
      const std::string id = "trial-" + trial + "-" + figure;
      EXPECT_EQ(
          browser.Evaluate("document.querySelector('#" + id + " svg')?.getBBox().width > 100"),
          true)
          << id;
    }
  }
  // Measured on all three pictures, predicted after the impact: at the least on the last.
  const auto count = [&](const char* what) {
    return browser.Evaluate(std::string("document.querySelectorAll('.frame ") + what + "').length")
        .get<int>();
  };
  EXPECT_EQ(count(".measured"), 24);
  EXPECT_GE(count(".predicted"), 8);
  EXPECT_GE(count(".marker"), 24 * 3);
}

// Some cell of the row shows the number, rounded to what its sigma bears.
bool Shows(const nlohmann::json& row, double value, double sigma) {
  for (const auto& cell : row) {
    const std::string text = cell;
    if (text.find_first_not_of("0123456789.± -") != std::string::npos || text.empty()) continue;
    const ShownNumber shown = ReadShownNumber(text);
    if (std::abs(shown.value - value) <= shown.half_unit && shown.half_unit <= 0.051 * sigma) {
      return true;
    }
  }
  return false;
}

void ExpectTheNumbersOfTheFit(Browser& browser, const Json& fit) {
  const auto rows = browser.Evaluate(
      "[...document.querySelectorAll('#coefficients tbody tr')]"
      ".map(r => [...r.children].map(c => c.textContent))");
  int found = 0;
  for (const auto& [law, facts] : fit["laws"].items()) {
    for (const auto& [name, parameter] : facts["parameters"].items()) {
      const double value = parameter["value"], sigma = parameter["sigma"];
      for (const auto& row : rows) {
        if (row[0] == law && row[1] == name) {
          ++found;
          EXPECT_TRUE(Shows(row, value, sigma)) << law << " " << name << " in " << row.dump();
        }
      }
    }
  }
  EXPECT_EQ(found, 6);  // three laws, two coefficients each
}

// Wide tables scroll in their own boxes.
void ExpectItFitsAPhone(Browser& browser, const fs::path& page) {
  for (const char* scheme : {"light", "dark"}) {
    browser.Open(page, 400, scheme);
    EXPECT_LE(browser.Evaluate("document.documentElement.scrollWidth").get<int>(), 400) << scheme;
  }
  EXPECT_EQ(browser.Evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(20, 23, 26)");
}

// One case: it takes the whole chain.
TEST(RenderedReport, OfBarDropIsCompleteAndShowsTheFit) {
  const std::string program = Browser::Find();
  if (program.empty()) {
    GTEST_SKIP() << "no chromium on PATH (scripts/install_packages.sh installs it)";
  }
  const TemporaryFolder folder;
  const fs::path out = folder.Path() / "out", page = out / "report.html";
  const std::string command = std::string("'" PERCUSS_PROGRAM "' run '") + kExperiment + "' -o '" +
                              out.string() + "' >/dev/null 2>&1";
  ASSERT_EQ(WEXITSTATUS(std::system(command.c_str())), 0);
  Browser browser(program, folder.Path() / "profile");
  ExpectNoComplaintsAndAllPictures(browser, page);
  ExpectEverySectionWithSomethingToSee(browser);
  ExpectNoTextOfAPlotCutOff(browser);
  ExpectTheNumbersOfTheFit(browser, Json::parse(ReadText(out / "fit.json")));
  ExpectItFitsAPhone(browser, page);
}

}  // namespace
}  // namespace percuss::report
