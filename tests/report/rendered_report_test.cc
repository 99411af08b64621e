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
    "answer",      "viewer-section",  "summary",        "coefficients-section",
    "verdicts",    "comparison",      "energy-section", "trials-section",
    "calibration", "engines-section", "checks-section", "provenance"};

void ExpectNoComplaintsAndAllPictures(Browser& browser, const fs::path& page) {
  for (const char* scheme : {"light", "dark"}) {
    browser.Open(page, 1280, scheme);
    EXPECT_THAT(browser.Complaints(), IsEmpty()) << scheme;
  }
  // Four trials, two cameras, before, at and after the impact; one at the top.
  EXPECT_EQ(browser.Evaluate("document.images.length"), 25);
  EXPECT_EQ(browser.Evaluate(
                "[...document.images].filter(i => !i.complete || i.naturalWidth < 50).length"),
            0);
  EXPECT_EQ(browser.Evaluate("document.querySelectorAll('.no-plot').length"), 0);
  EXPECT_EQ(browser.Evaluate("performance.getEntriesByType('resource').filter(r => "
                             "!r.name.startsWith('data:')).length"),
            0);
}

/// How far down the page an element ends [px].
double EndOf(Browser& browser, const std::string& selector) {
  return browser
      .Evaluate("Math.max(0, ...[...document.querySelectorAll('" + selector +
                "')].map(e => e.getBoundingClientRect().bottom + scrollY))")
      .get<double>();
}

// What a reader asks first, without scrolling, and on a phone within two screens.
void ExpectTheAnswerOnTheFirstScreen(Browser& browser, const fs::path& page) {
  for (const auto& [width, height] : {std::pair{1280, 800.0}, std::pair{390, 2.0 * 844.0}}) {
    browser.Open(page, width, "light");
    EXPECT_EQ(browser.Evaluate("document.querySelectorAll('.answer .coefficient').length"), 2);
    EXPECT_EQ(browser.Evaluate("document.querySelectorAll('.answer .interval circle').length"), 6);
    for (const char* part : {".findings", ".coefficient", ".interval", ".frame img", "svg.plot"}) {
      const double end = EndOf(browser, std::string(".answer ") + part);
      EXPECT_GT(end, 50.0) << part;
      EXPECT_LE(end, height) << part << " at a width of " << width;
    }
    // The outline lies on the picture.
    EXPECT_EQ(browser.Evaluate("(() => { const f = document.querySelector('.answer .frame');"
                               " const i = f.querySelector('img').getBoundingClientRect(),"
                               " s = f.querySelector('svg').getBoundingClientRect();"
                               " return Math.abs(i.left - s.left) < 1 && Math.abs(i.right - "
                               "s.right) < 1 && Math.abs(i.bottom - s.bottom) < 1; })()"),
              true);
  }
  browser.Open(page, 1280, "light");
  EXPECT_LE(browser.Evaluate("document.documentElement.scrollHeight").get<int>(), 3000);
}

// A link into a folded part opens it; a law is shown at a time; on paper there is all.
void ExpectOneUnfoldsWhatOneAsksFor(Browser& browser) {
  EXPECT_EQ(browser.Evaluate("document.querySelectorAll('details[open]').length"), 0);
  browser.Evaluate(
      "document.querySelector('.answer svg a').getAttribute('href').length && "
      "(location.hash = document.querySelector('.answer svg "
      "a').getAttribute('href'))");
  EXPECT_EQ(browser.Evaluate("document.querySelector('details[open] > section')?.id"),
            "trials-section");
  browser.Evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })");
  const char* shown =
      "[...document.querySelectorAll('.panel')].filter(p => p.checkVisibility()).map(p => p.id)";
  EXPECT_EQ(browser.Evaluate(shown), nlohmann::json::array({"law-stronge"}));
  browser.Evaluate("document.querySelector('label[for=law-newton-tab]').click()");
  EXPECT_EQ(browser.Evaluate(shown), nlohmann::json::array({"law-newton"}));
}

/// What a canvas shows, once it is drawn: a sum over its pixels, 0 where all are black or clear.
nlohmann::json Picture(Browser& browser, const std::string& canvas = "scene") {
  return browser.Evaluate(
      "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => {"
      " const from = document.querySelector('.viewer ." +
      canvas +
      "'),"
      " to = document.createElement('canvas'), c = to.getContext('2d', {willReadFrequently: true});"
      " to.width = from.width; to.height = from.height; c.drawImage(from, 0, 0);"
      " const d = c.getImageData(0, 0, to.width, to.height).data; let sum = 0;"
      " for (let k = 0; k < d.length; k += 4) sum = (31 * sum + d[k] + 2 * d[k + 1]) % 1e9;"
      " done(from.hidden ? 0 : sum); })))");
}

std::string Readout(Browser& browser) {
  return browser.Evaluate("document.querySelector('.viewer .readout').textContent");
}

void MoveSlider(Browser& browser, double to) {
  browser.Evaluate(
      "(() => { const s = document.querySelector('.viewer input[type=range]'); s.value = " +
      std::to_string(to) + "; s.dispatchEvent(new Event('input')); })()");
}

// Four impacts of the same bar: as it flew, and as the laws have it.
void ExpectOneCanTurnAndPlayTheDrop(Browser& browser, const fs::path& page) {
  browser.Open(page, 1280, "light");
  const auto first = Picture(browser);
  EXPECT_GT(first.get<double>(), 0);
  EXPECT_EQ(browser.Evaluate("document.querySelectorAll('.viewer select')[0].options.length"), 4);
  auto changes = [&, last = first](const char* action) mutable {
    browser.Evaluate(action);
    const auto now = Picture(browser);
    EXPECT_NE(now, last) << action;
    last = now;
  };
  changes(
      "document.querySelector('.viewer .scene').dispatchEvent(new KeyboardEvent('keydown', {key: "
      "'ArrowLeft'}))");
  changes(
      "document.querySelector('.viewer .scene').dispatchEvent(new KeyboardEvent('keydown', {key: "
      "'+'}))");
  changes(
      "[...document.querySelectorAll('.viewer label')].find(l => "
      "l.textContent.startsWith('newton')).click()");
  changes(
      "[...document.querySelectorAll('.viewer button')].find(b => b.textContent === 'from "
      "above').click()");
  changes(
      "(s => { s.value = 2; s.dispatchEvent(new Event('change')); "
      "})(document.querySelector('.viewer select'))");

  MoveSlider(browser, 0);
  Picture(browser);
  EXPECT_THAT(Readout(browser), testing::EndsWith(" ms before the impact"));
  MoveSlider(browser, 0.5);
  Picture(browser);
  EXPECT_EQ(Readout(browser), "impact: 50 % of the impulse");
  MoveSlider(browser, 1);
  Picture(browser);
  EXPECT_THAT(Readout(browser), testing::EndsWith(" ms after the impact"));
  // The cameras' pictures go along.
  EXPECT_GT(Picture(browser, "film").get<double>(), 0);

  browser.Evaluate("document.querySelector('.viewer .play').click()");
  Picture(browser);
  EXPECT_EQ(browser.Evaluate("document.querySelector('.viewer .play').textContent"), "Pause");
  EXPECT_THAT(browser.Complaints(), IsEmpty());

  // Nothing runs by itself for who asks for that.
  browser.Open(page, 1280, "light", "reduce");
  MoveSlider(browser, 0);
  browser.Evaluate("document.querySelector('.viewer .play').click()");
  Picture(browser);
  EXPECT_EQ(Readout(browser), "impact: 0 % of the impulse");
  EXPECT_EQ(browser.Evaluate("document.querySelector('.viewer .play').textContent"), "Next moment");
}

// The rules of axe-core (WCAG 2 and good practice), with all that is folded open.
void ExpectEverybodyCanReadIt(Browser& browser, const fs::path& page) {
  for (const char* scheme : {"light", "dark"}) {
    browser.Open(page, 1280, scheme);
    browser.Evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })");
    browser.Evaluate(ReadText(PERCUSS_AXE_CORE));
    const auto findings = browser.Evaluate(
        "axe.run().then(result => result.violations.map(v => v.id + ': ' + v.help + ' ' + "
        "v.nodes.slice(0, 3).map(n => n.html.slice(0, 200)).join(' | ')))");
    EXPECT_THAT(findings, IsEmpty()) << scheme << findings.dump(1);
  }
}

// Half a pixel: letters of a browser are not as wide as a plot takes them to be.
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
      "Object.fromEntries([...document.querySelectorAll('main section')]"
      ".map(s => [s.id, s.getBoundingClientRect().height]))");
  EXPECT_EQ(heights.size(), std::size(kSections));
  for (const char* section : kSections) EXPECT_GT(heights.value(section, 0.0), 80) << section;
  for (const std::string trial : {"1", "2", "3", "4"}) {
    for (const char* figure : {"impulse", "impulse-end", "height", "position", "residual"}) {
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
  EXPECT_EQ(count(".measured"), 25);
  EXPECT_GE(count(".predicted"), 9);
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
    browser.Evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })");
    EXPECT_LE(browser.Evaluate("document.documentElement.scrollWidth").get<int>(), 400) << scheme;
  }
  EXPECT_EQ(browser.Evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(20, 23, 26)");
}

// Names and texts of files of a run that somebody else made, with all that ends an element, a text
// in quotes or a script.
constexpr const char* kHostile =
    "</script></style></title><script>window.hostile = 1</script><img src=x "
    "onerror=\"window.hostile = 1\">' onmouseover='window.hostile = 1' \" "
    "style=\"display:none\"\n]]>-->\\u2028";

void SetStrings(const fs::path& file, const std::vector<std::string>& pointers) {
  Json json = Json::parse(ReadText(file));
  for (const std::string& pointer : pointers) json[Json::json_pointer(pointer)] = kHostile;
  WriteText(file, json.dump());
}

void ExpectHostileNamesAreText(Browser& browser, const fs::path& out) {
  SetStrings(out / "run.json", {"/name", "/notes/0", "/command"});
  SetStrings(out / "calibration.json", {"/verdict_reasons/0"});
  SetStrings(out / "tracks/a-slide/trial.json", {"/warnings/0"});
  Json fit = Json::parse(ReadText(out / "fit.json"));
  fit["laws"][kHostile] = fit["laws"]["newton"];
  fit["laws"]["newton"]["message"] = kHostile;
  WriteText(out / "fit.json", fit.dump());
  const std::string command = "'" PERCUSS_PROGRAM "' report '" + out.string() + "' >/dev/null 2>&1";
  ASSERT_EQ(WEXITSTATUS(std::system(command.c_str())), 0);
  for (const char* page : {"report.html", "calibration.html"}) {
    browser.Open(out / page, 1280, "light");
    EXPECT_THAT(browser.Complaints(), IsEmpty()) << page;
    EXPECT_EQ(browser.Evaluate("window.hostile === undefined"), true) << page;
    EXPECT_EQ(browser.Evaluate("document.querySelectorAll('img[src=x], [onerror], [onmouseover], "
                               "[style*=none], script:not(.viewer script):not(:last-child)')"
                               ".length"),
              0)
        << page;
    EXPECT_EQ(browser.Evaluate("document.body.textContent.includes('<img src=x onerror=')"), true)
        << page;
  }
  browser.Open(out / "report.html", 1280, "light");
  EXPECT_NE(Picture(browser), 0);  // the viewer reads its facts, hostile names and all

  // Were one of them markup after all, the page's policy would keep it from everything.
  std::string html = ReadText(out / "report.html");
  html.insert(html.rfind("</body>"),
              "<script>window.hostile = 1</script><img src=x onerror='window.hostile = 1'>"
              "<style>main { display: none }</style><p style='display: none' id=styled>.</p>"
              "<iframe srcdoc='<script>parent.hostile = 1</script>'></iframe>"
              "<base href='https://example.org/'>");
  WriteText(out / "report.html", html);
  browser.Open(out / "report.html", 1280, "light");
  EXPECT_GE(browser.Complaints().size(), 4U);
  EXPECT_EQ(browser.Evaluate("window.hostile === undefined"), true);
  EXPECT_NE(browser.Evaluate("getComputedStyle(document.querySelector('main')).display"), "none");
  EXPECT_NE(browser.Evaluate("getComputedStyle(document.getElementById('styled')).display"),
            "none");
  EXPECT_EQ(browser.Evaluate("document.baseURI.startsWith('file:')"), true);
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
  ExpectTheAnswerOnTheFirstScreen(browser, page);
  ExpectOneUnfoldsWhatOneAsksFor(browser);
  ExpectOneCanTurnAndPlayTheDrop(browser, page);
  browser.Open(page, 1280, "light");
  browser.Evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })");
  ExpectEverySectionWithSomethingToSee(browser);
  for (const char* law : {"stronge", "poisson", "newton"}) {
    browser.Evaluate(std::string("document.getElementById('law-") + law + "-tab').click()");
    ExpectNoTextOfAPlotCutOff(browser);
  }
  ExpectEverybodyCanReadIt(browser, page);
  ExpectTheNumbersOfTheFit(browser, Json::parse(ReadText(out / "fit.json")));
  ExpectItFitsAPhone(browser, page);
  ExpectHostileNamesAreText(browser, out);
}

}  // namespace
}  // namespace percuss::report
