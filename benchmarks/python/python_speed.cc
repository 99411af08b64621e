// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// percuss_python_speed: the Python package beside C++. A million impacts by percuss.impact on
// arrays of numpy, all answers kept, against RunSweep over the same impacts without its table,
// which keeps case and dissipation: both with all threads, in turn, each at its fastest of some
// repetitions. And the time of `import percuss`, less that of Python alone. PERCUSS_PYTHON and
// PERCUSS_PYTHON_PATH say which Python and which package.

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

#include "app/sweep/sweep.h"
#include "base/parallel.h"
#include "benchmarks/bound_table.h"
#include "tests/base/temporary_folder.h"

namespace percuss::benchmarks {
namespace {

constexpr int kRepetitions = 7;  // of what takes seconds
constexpr int kMany = 40;        // of what takes a tenth: others may be at work on the machine
constexpr std::size_t kImpacts = 1'000'000;

struct Motion {
  bool fast;  // closed forms in the plane
  const char* name;
  const char* sweep;   // of `percuss sweep`: a thousand by a thousand
  const char* arrays;  // of numpy: the same states
};

constexpr const char* kLaw = "law: stronge\nparameters: {mu: 0.4, e: 0.4}\n";
constexpr Motion kMotions[] = {
    {true, "planar: one pose, 10^6 velocities",
     "body: {shape: box, size: [0.3, 0.05, 0.0125], mass: 0.185}\n"
     "orientation: [0.966, 0, 0.2588, 0]\nvelocity: [0, 0, -1]\nsweep:\n"
     "  - {input: vx, from: -1, to: 1, steps: 999}\n  - {input: vz, from: -2, to: -0.5, steps: "
     "999}\n",
     "v = np.zeros((1000, 1000, 3))\nv[..., 0] = np.linspace(-1, 1, 1000)[:, None]\n"
     "v[..., 2] = np.linspace(-2, -0.5, 1000)\n"
     "state = dict(velocity=v.reshape(-1, 3), orientation=unit([0.966, 0, 0.2588, 0]))\n"},
    {false, "spatial: one pose, 10^6 velocities",
     "body: {shape: box, size: [0.3, 0.05, 0.0125], mass: 0.185}\n"
     "orientation: [0.923, 0.2, 0.26, 0.2]\nvelocity: [0, 0.3, -1]\nsweep:\n"
     "  - {input: vx, from: -1, to: 1, steps: 999}\n  - {input: vz, from: -2, to: -0.5, steps: "
     "999}\n",
     "v = np.zeros((1000, 1000, 3))\nv[..., 0] = np.linspace(-1, 1, 1000)[:, None]\n"
     "v[..., 1] = 0.3\nv[..., 2] = np.linspace(-2, -0.5, 1000)\n"
     "state = dict(velocity=v.reshape(-1, 3), orientation=unit([0.923, 0.2, 0.26, 0.2]))\n"},
    {false, "spatial: 10^6 poses",
     "body: {shape: box, size: [0.3, 0.05, 0.0125], mass: 0.185}\n"
     "velocity: [0.4, 0.3, -1]\nsweep:\n"
     "  - {input: turn_x, from: 0.1, to: 1.4, steps: 999}\n"
     "  - {input: turn_y, from: 0.1, to: 1.4, steps: 999}\n",
     "x = np.linspace(0.1, 1.4, 1000)[:, None] / 2\ny = np.linspace(0.1, 1.4, 1000)[None] / 2\n"
     "q = np.stack([np.cos(y) * np.cos(x), np.cos(y) * np.sin(x), np.sin(y) * np.cos(x),\n"
     "              -np.sin(y) * np.sin(x)], -1).reshape(-1, 4)\n"
     "state = dict(velocity=[0.4, 0.3, -1], orientation=q)\n"},
};

constexpr const char* kProgram = R"(
import time
import numpy as np
import percuss
unit = lambda q: np.array(q) / np.linalg.norm(q)
{}
body = percuss.read_body(dict(shape="box", size=[0.3, 0.05, 0.0125], mass=0.185))
for _ in range({}):
    input()
    start = time.perf_counter()
    found = percuss.impact("stronge", body, state, mu=0.4, e=0.4)
    print(time.perf_counter() - start, float(np.sum(found.dissipated / found.energy_before)), flush=True)
)";

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string Setting(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr
             ? value
             : (std::string(name) == "PERCUSS_PYTHON" ? PERCUSS_PYTHON : PERCUSS_PYTHON_PATH);
}

std::string Python() {
  return "PYTHONPATH='" + Setting("PERCUSS_PYTHON_PATH") + "' '" + Setting("PERCUSS_PYTHON") + "'";
}

struct Close {
  void operator()(std::FILE* pipe) const { pclose(pipe); }
};

// Both in turn: Python waits for a line of the file `go`, a pipe, and prints its time.
BoundRow Measure(const Motion& motion) {
  const int repetitions = motion.fast ? kMany : kRepetitions;
  const testing::TemporaryFolder folder;
  const auto spec_file = folder.Path() / "sweep.yaml", program = folder.Path() / "program.py",
             go = folder.Path() / "go";
  std::ofstream(spec_file) << kLaw << motion.sweep;
  std::ofstream(program) << fmt::format(fmt::runtime(kProgram), motion.arrays, repetitions);
  const app::SweepSpec spec = app::ReadSweep(spec_file);
  const std::string make_pipe = "mkfifo '" + go.string() + "'";
  if (std::system(make_pipe.c_str()) != 0) throw std::runtime_error("mkfifo failed");
  const std::unique_ptr<std::FILE, Close> python(
      popen((Python() + " '" + program.string() + "' < '" + go.string() + "'").c_str(), "r"));
  std::ofstream start(go);
  double cpp = std::numeric_limits<double>::infinity(), numpy = cpp;
  for (int k = 0; k < repetitions; ++k) {
    const auto at = Clock::now();
    const app::SweepResult result = app::RunSweep(spec, AllCores(), {});
    cpp = std::min(cpp, SecondsSince(at));
    double sum = 0.0, seconds = 0.0, expected = 0.0;
    for (const float lost : result.dissipation) expected += lost;
    start << "go" << std::endl;
    if (std::fscanf(python.get(), "%lf %lf", &seconds, &sum) != 2)
      throw std::runtime_error("Python ended before it had measured");
    if (!(std::abs(sum - expected) < 1e-6 * kImpacts))
      throw std::runtime_error(fmt::format("other answers: {} and {}", sum, expected));
    numpy = std::min(numpy, seconds);
  }
  fmt::print(stderr, "{}: C++ {:.1f} ns, numpy {:.1f} ns an impact\n", motion.name,
             1e9 * cpp / kImpacts, 1e9 * numpy / kImpacts);
  return {.name = motion.name, .unit = "x C++", .measured = numpy / cpp, .highest = 1.3};
}

double TimeOf(const std::string& statement) {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < kRepetitions; ++k) {
    const auto start = Clock::now();
    if (std::system((Python() + " -c '" + statement + "'").c_str()) != 0)
      throw std::runtime_error("Python failed: " + statement);
    least = std::min(least, SecondsSince(start));
  }
  return least;
}

int Run() {
  BoundSection arrays{.heading = "percuss.impact on arrays, against percuss sweep without table",
                      .rows = {},
                      .remarks = {}};
  for (const Motion& motion : kMotions) arrays.rows.push_back(Measure(motion));
  BoundSection import{.heading = "import percuss", .rows = {}, .remarks = {}};
  const double alone = TimeOf("pass"), numpy = TimeOf("import numpy");
  import.rows.push_back({.name = "less Python alone",
                         .unit = "s",
                         .measured = TimeOf("import percuss") - alone,
                         .highest = 0.3});
  import.rows.push_back({.name = "of it numpy", .unit = "s", .measured = numpy - alone});
  return PrintBoundTable({arrays, import}) ? 0 : 1;
}

}  // namespace
}  // namespace percuss::benchmarks

int main() {
  try {
    return percuss::benchmarks::Run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "percuss_python_speed: {}\n", error.what());
    return 2;
  }
}
