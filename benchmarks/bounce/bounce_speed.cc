// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>

#include "base/parallel.h"
#include "benchmarks/bounce/bounce_table.h"
#include "benchmarks/bounce/drawn_ball.h"
#include "pipeline/bounces/bounce_clip.h"
#include "synthesis/ball/ball_files.h"

namespace percuss::benchmarks {
namespace {

double Seconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

std::vector<BoundSection> MeasureBounceSpeed() {
  synthesis::BallSpec spec = DrawnClip(30.0, 1000);
  spec.bounces = 0;
  spec.duration = 10.0;
  spec.hold = 2.0;
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "percuss_bounce_speed";
  std::filesystem::remove_all(folder);
  const std::filesystem::path clip = synthesis::SynthesizeBall(spec, folder, {});
  double decoding = HUGE_VAL, whole = HUGE_VAL;
  for (int round = 0; round < 3; ++round) {
    decoding = std::min(decoding, Seconds([&] {
                          tracking::FramesOf(clip, {}, 0)([](int, double, const cv::Mat&) {});
                        }));
    whole = std::min(
        whole, Seconds([&] { pipeline::MeasureBounces(clip, {.jobs = AllCores()}, nullptr); }));
  }
  std::filesystem::remove_all(folder);
  return {{.heading = "Time of a clip of 10 s, 1080p, 30 frames/s, all cores",
           .rows = {{.name = "decoding", .unit = "s", .measured = decoding},
                    {.name = "from file to e / decoding",
                     .unit = "",
                     .measured = whole / decoding,
                     .highest = 1.5}},
           .remarks = {}}};
}

}  // namespace percuss::benchmarks
