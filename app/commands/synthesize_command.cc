// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "app/command.h"
#include "app/commands/shared_options.h"
#include "base/files/files.h"
#include "base/parallel.h"
#include "base/text/json_text.h"
#include "pipeline/progress.h"
#include "synthesis/ball/ball_files.h"
#include "synthesis/ball/ball_reader.h"
#include "synthesis/scene/scene_reader.h"
#include "synthesis/synthesize.h"

namespace percuss::app {
namespace {

struct SynthesizeArguments {
  std::string spec;
  std::string output;
  int jobs = AllCores();
  bool json = false;
};

int RunSynthesizeBall(const SynthesizeArguments& arguments, const Provenance& origin) {
  const synthesis::BallSpec spec = synthesis::ReadBallSpec(arguments.spec);
  std::string clip;
  {
    pipeline::Progress progress;
    clip = synthesis::SynthesizeBall(spec, arguments.output, origin, [&](int done, int all) {
      progress.Update("synthesize", static_cast<double>(done) / all);
    });
  }
  const nlohmann::ordered_json result = {{"clip", clip}};
  fmt::print("{}", arguments.json ? JsonText(result, 2) : clip + "\n");
  return kExitOk;
}

int RunSynthesize(const SynthesizeArguments& arguments, const CommonOptions& common) {
  const Provenance origin{.format = {},
                          .command = common.command_line,
                          .input_hashes = {{arguments.spec, HashFile(arguments.spec)}}};
  if (synthesis::IsBallSpec(arguments.spec)) return RunSynthesizeBall(arguments, origin);
  const synthesis::SceneSpec spec = synthesis::ReadSceneSpec(arguments.spec);
  {
    pipeline::Progress progress;
    synthesis::Synthesize(spec, arguments.output, origin,
                          {.num_threads = arguments.jobs, .progress = [&](int done, int all) {
                             progress.Update("synthesize", static_cast<double>(done) / all);
                           }});
  }
  const std::string experiment = arguments.output + "/experiment.yaml";
  if (arguments.json) {
    nlohmann::ordered_json trials = nlohmann::ordered_json::array();
    for (const synthesis::TrialSpec& trial : spec.trials) trials.push_back(trial.name);
    const nlohmann::ordered_json result = {{"experiment", experiment}, {"trials", trials}};
    fmt::print("{}", JsonText(result, 2));
  } else {
    fmt::print("{}\n", experiment);
  }
  return kExitOk;
}

}  // namespace

Command MakeSynthesizeCommand(CLI::App& program, const CommonOptions& common) {
  CLI::App* subcommand = program.add_subcommand(
      "synthesize",
      "A synthetic experiment with truth: stereo videos and board pictures; or a clip of a ball.");
  const auto arguments = std::make_shared<SynthesizeArguments>();
  subcommand->add_option("spec", arguments->spec, "What to render; docs/synthesize.md has the keys")
      ->required()
      ->type_name("SPEC.yaml");
  subcommand->add_option("-o,--output", arguments->output, "A new or empty folder")
      ->required()
      ->type_name("DIR");
  AddJobs(subcommand, &arguments->jobs, "Pictures and videos made at a time");
  subcommand->add_flag("--json", arguments->json, "Print what was written as JSON");
  subcommand->footer(
      "Example:  echo 'trials: [{name: a}, {name: b, velocity: [0.5, 0, -2]}]' > spec.yaml\n"
      "          percuss synthesize spec.yaml -o out/made\n"
      "          percuss run out/made/experiment.yaml -o out/made-results\n"
      "          echo 'ball: {e: 0.7, frame_rate: 240}' > ball.yaml\n"
      "          percuss synthesize ball.yaml -o out/ball");
  return {subcommand, [arguments, common] { return RunSynthesize(*arguments, common); }};
}

}  // namespace percuss::app
