// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// The page of percuss simulate in a real browser. Source of truth: the table of poses and the
// impacts beside it; what the files of the scenes say.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "tests/report/browser.h"
#include "tests/report/page_reader.h"
#include "tests/report/sample_run.h"

namespace percuss::report {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

/// All that can be shown: a cart on a rail and a spring, with a deck on which a ball and a puck
/// land, over a table that shakes; a bob without a shape hangs on it.
constexpr const char* kCart = R"(
bodies:
  - {name: cart, body: {shape: box, size: [0.4, 0.3, 0.05], mass: 2}, start: {position: [0, 0, 0.2]}}
  - {name: ball, body: {shape: sphere, radius: 0.05, mass: 0.2}, start: {position: [0, 0.08, 0.6]}}
  - {name: puck, body: {shape: cylinder, radius: 0.06, length: 0.03, mass: 0.3}, start: {position: [-0.1, -0.05, 0.5], orientation: [0.9, 0.3, 0.1, 0]}}
  - {name: bob, body: {mass: 0.3, inertia: [0.001, 0.001, 0.001]}, start: {position: [0.45, 0, 0.2]}}
joints:
  - {name: rail, type: prismatic, bodies: [ground, cart], axis: [1, 0, 0]}
  - {name: hook, type: spherical, bodies: [cart, bob], point: [0.2, 0, 0.2]}
springs:
  - {name: coil, bodies: [ground, cart], at: [[-0.7, 0, 0.2], [-0.2, 0, 0.2]], stiffness: 60}
surfaces:
  - {name: deck, normal: [0, 0, 1], point: [0, 0, 0.225], body: cart}
  - {name: table, normal: [0, 0, 1], vibration: {amplitude: [0, 0, 0.02], frequency: 3}}
parameters: {mu: 0.2, e: 0.6}
duration: 0.5
)";

constexpr const char* kBall = R"(
body: {shape: sphere, radius: 0.1, mass: 0.5}
start: {position: [0, 0, 1.1], velocity: [1, 0, 0]}
parameters: {mu: 0, e: 0.5}
duration: 1.0
)";

void Simulate(const fs::path& scene, const fs::path& page) {
  const std::string command = "'" PERCUSS_PROGRAM "' simulate '" + scene.string() + "' -o '" +
                              page.string() + ".csv' --page '" + page.string() +
                              "' >/dev/null 2>&1";
  ASSERT_EQ(WEXITSTATUS(std::system(command.c_str())), 0);
}

/// What the canvas shows, once it is drawn: a sum over its pixels.
int MotionPicture(Browser& browser) {
  return browser
      .Evaluate(
          "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => {"
          " const from = document.querySelector('.viewer .scene'),"
          " to = document.createElement('canvas'),"
          " c = to.getContext('2d', {willReadFrequently: true});"
          " to.width = from.width; to.height = from.height; c.drawImage(from, 0, 0);"
          " const d = c.getImageData(0, 0, to.width, to.height).data; let sum = 0;"
          " for (let k = 0; k < d.length; k += 4) sum = (31 * sum + d[k] + 2 * d[k + 1]) % 1e9;"
          " done(sum); })))")
      .get<int>();
}

std::string MotionReadout(Browser& browser) {
  MotionPicture(browser);
  return browser.Evaluate("document.querySelector('.viewer .readout').textContent");
}

void Push(Browser& browser, const std::string& button) {
  browser.Evaluate(
      "[...document.querySelectorAll('.viewer button')].find(b => b.textContent === '" + button +
      "').click()");
}

Json SceneOf(Browser& browser) {
  return Json::parse(
      browser.Evaluate("document.querySelector('.viewer script').textContent").get<std::string>());
}

/// Nothing to complain of for the console, for who reads otherwise, on a phone, in the dark; and
/// nothing comes from elsewhere.
void ExpectAMotionForEverybody(Browser& browser, const fs::path& page) {
  for (const int width : {1280, 390}) {
    for (const char* scheme : {"light", "dark"}) {
      browser.Open(page, width, scheme);
      EXPECT_GT(MotionPicture(browser), 0);
      EXPECT_THAT(browser.Complaints(), IsEmpty()) << page << " " << scheme;
      EXPECT_LE(browser.Evaluate("document.documentElement.scrollWidth").get<int>(), width) << page;
      EXPECT_EQ(browser.Evaluate("[...document.querySelectorAll('canvas')].every(c => "
                                 "c.width === c.clientWidth && c.height === c.clientHeight)"),
                true)
          << page << " " << width;
      browser.Evaluate(ReadText(PERCUSS_AXE_CORE));
      const auto findings = browser.Evaluate(
          "axe.run().then(result => result.violations.map(v => v.id + ': ' + v.help + ' ' + "
          "v.nodes.slice(0, 3).map(n => n.html.slice(0, 200)).join(' | ')))");
      EXPECT_THAT(findings, IsEmpty()) << page << scheme << findings.dump(1);
    }
  }
  EXPECT_EQ(browser.Evaluate("performance.getEntriesByType('resource').length"), 0);
}

void ExpectItTurnsAndPlays(Browser& browser, const fs::path& page) {
  browser.Open(page, 1280, "light");
  int last = MotionPicture(browser);
  for (const char* key : {"ArrowLeft", "ArrowUp", "+", "-"}) {
    browser.Evaluate(std::string("document.querySelector('.viewer .scene').dispatchEvent(new "
                                 "KeyboardEvent('keydown', {key: '") +
                     key + "'}))");
    const int now = MotionPicture(browser);
    EXPECT_NE(now, last) << key;
    last = now;
  }
  browser.Evaluate(
      "document.querySelector('.viewer .scene').dispatchEvent(new KeyboardEvent('keydown', {key: ' "
      "'}))");
  MotionPicture(browser);
  EXPECT_EQ(browser.Evaluate("document.querySelector('.viewer .play').textContent"), "Pause");
  EXPECT_THAT(browser.Complaints(), IsEmpty());
  // Nothing runs by itself for who asks for that.
  browser.Open(page, 1280, "light", "reduce");
  MotionPicture(browser);
  EXPECT_EQ(browser.Evaluate("document.querySelector('.viewer .play').textContent"), "Next moment");
  const std::string first = MotionReadout(browser);
  browser.Evaluate("document.querySelector('.viewer .play').click()");
  const std::string second = MotionReadout(browser);
  EXPECT_NE(second, first);
  EXPECT_EQ(MotionReadout(browser), second);
}

// Truth: the file. The ball of a cradle that swung in stands still, the last has its speed; at the
// impact all hang side by side.
void ExpectTheCradle(Browser& browser, const fs::path& page) {
  browser.Open(page, 1280, "light");
  const Json scene = SceneOf(browser);
  ASSERT_EQ(scene["bodies"].size(), 5u);
  EXPECT_EQ(scene["joints"].size(), 5u);
  ASSERT_EQ(scene["impacts"].size(), 1u);
  EXPECT_EQ(scene["impacts"][0]["impulses"].size(), 4u);
  const double time = scene["impacts"][0]["time"];
  std::size_t moment = 0;
  while (scene["times"][moment] != time) ++moment;
  for (int k = 0; k < 5; ++k) {
    const Json& pose = scene["bodies"][k]["poses"][moment];
    EXPECT_NEAR(pose[0].get<double>(), 0.04 * k, 2e-5);
    EXPECT_NEAR(pose[2].get<double>(), -0.5, 2e-5);
  }
  // The sum of energies stays: e = 1, no friction.
  for (const std::size_t k : {std::size_t{0}, moment, scene["times"].size() - 1}) {
    EXPECT_NEAR(
        scene["energy"]["kinetic"][k].get<double>() + scene["energy"]["potential"][k].get<double>(),
        0.1 * 9.81 * 0.1, 1e-4);
  }
  Push(browser, "Next impact");
  const std::string at = MotionReadout(browser);
  EXPECT_THAT(at, HasSubstr("4 pairs strike; 0 % of the kinetic energy lost"));
  const int with = MotionPicture(browser);
  browser.Evaluate(
      "[...document.querySelectorAll('.viewer label')].find(l => l.textContent === "
      "'impulses').click()");
  EXPECT_NE(MotionPicture(browser), with);
  EXPECT_EQ(browser.Evaluate("document.querySelectorAll('#impacts tbody tr').length"), 1);
}

TEST(RenderedMotion, OfScenesPlaysAndShowsTheirImpacts) {
  const std::string program = Browser::Find();
  if (program.empty()) {
    GTEST_SKIP() << "no chromium on PATH (scripts/install_packages.sh installs it)";
  }
  const TemporaryFolder folder;
  WriteText(folder.Path() / "cart.yaml", kCart);
  WriteText(folder.Path() / "ball.yaml", kBall);
  const fs::path cradle = folder.Path() / "cradle.html", cart = folder.Path() / "cart.html",
                 ball = folder.Path() / "ball.html";
  Simulate(PERCUSS_DATA_DIR "/scenes/cradle.yaml", cradle);
  Simulate(folder.Path() / "cart.yaml", cart);
  Simulate(folder.Path() / "ball.yaml", ball);
  Browser browser(program, folder.Path() / "profile");
  for (const fs::path& page : {cradle, cart, ball}) {
    SCOPED_TRACE(page);
    ExpectAMotionForEverybody(browser, page);
    ExpectItTurnsAndPlays(browser, page);
  }
  ExpectTheCradle(browser, cradle);

  browser.Open(cart, 1280, "light");
  const Json scene = SceneOf(browser);
  EXPECT_EQ(scene["bodies"][3]["faces"].size(), 0u);
  EXPECT_EQ(scene["springs"].size(), 1u);
  EXPECT_FALSE(scene["surfaces"][0].contains("shifts"));
  EXPECT_EQ(scene["surfaces"][1]["shifts"].size(), scene["times"].size());

  browser.Open(ball, 1280, "light");
  Push(browser, "Next impact");
  EXPECT_THAT(MotionReadout(browser), HasSubstr("body on surface 1"));
}

}  // namespace
}  // namespace percuss::report
