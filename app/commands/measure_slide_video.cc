// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/commands/measure_slide_video.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/commands/measure_puck.h"
#include "app/commands/shared_options.h"
#include "base/error.h"
#include "base/files/files.h"
#include "base/text/json_text.h"
#include "pipeline/slides/slides.h"

namespace percuss::app {
namespace {

constexpr const char* kFormula =
    "mu_k = tan(slope) - a / (g cos(slope)); mu_s = tangential over normal force at the start";

nlohmann::ordered_json ToJson(const pipeline::SlideMean& mean) {
  return {{"group", ""},
          {"coefficient", mean.coefficient},
          {"value", mean.value},
          {"sigma", mean.sigma},
          {"ci95", mean.ci95},
          {"scatter_sigma", mean.scatter_sigma},
          {"reading_sigma", mean.reading_sigma},
          {"repeats", mean.repeats},
          {"readings", nlohmann::ordered_json::array()},
          {"warning", mean.repeats.size() == 1
                          ? "one video: what changes from one to the next does not show"
                          : ""}};
}

nlohmann::ordered_json ToJson(const std::vector<pipeline::MeasuredSlide>& slides,
                              const std::vector<pipeline::SlideMean>& means,
                              const SlideVideoArguments& arguments, const CommonOptions& common) {
  nlohmann::ordered_json json = MeasureJsonHead("slide", arguments.experiment, common);
  json["formula"] = kFormula;
  json["left_out"] = nlohmann::ordered_json::array();
  json["results"] = nlohmann::ordered_json::array();
  for (const pipeline::SlideMean& mean : means) json["results"].push_back(ToJson(mean));
  for (const pipeline::MeasuredSlide& slide : slides) {
    if (!slide.message.empty()) {
      json["left_out"].push_back(slide.message);
      continue;
    }
    nlohmann::ordered_json trial = {{"trial", slide.trial}, {"warnings", slide.slide.warnings}};
    const nlohmann::json numbers = pipeline::JsonOf(slide);
    for (const auto& [key, value] : numbers.items()) trial[key] = value;
    json["slides"].push_back(trial);
  }
  return json;
}

void Print(const std::vector<pipeline::MeasuredSlide>& slides,
           const std::vector<pipeline::SlideMean>& means) {
  fmt::print("slide: {}\n\n", kFormula);
  for (const pipeline::MeasuredSlide& slide : slides) {
    if (slide.message.empty()) fmt::print("{}: {}\n", slide.trial, pipeline::LineOf(slide));
  }
  fmt::print("\n{:<20} {:>9} {:>9}  {:>20} {:>9} {:>9} {:>8}\n", "", "Value", "Sigma",
             "95 % interval", "Scatter", "Shared", "Videos");
  for (const pipeline::SlideMean& mean : means) {
    fmt::print("{:<20} {:>9.4f} {:>9.4f}  {:>20} {:>9.4f} {:>9.4f} {:>8}\n", mean.coefficient,
               mean.value, mean.sigma, fmt::format("[{:.4f}, {:.4f}]", mean.ci95[0], mean.ci95[1]),
               mean.scatter_sigma, mean.reading_sigma, mean.repeats.size());
  }
}

}  // namespace

void AddSlideVideoOptions(CLI::App* subcommand, SlideVideoArguments* arguments) {
  CLI::Option* video =
      subcommand
          ->add_option("--video", arguments->experiment,
                       "From videos instead: the experiment file whose trials of kind slide show a "
                       "body that slides down a plate")
          ->type_name("EXPERIMENT.yaml");
  subcommand->add_option("--trial", arguments->trials, "With --video, only this slide")
      ->needs(video)
      ->type_name("NAME");
  subcommand
      ->add_option("-o,--output", arguments->output, "With --video, write the JSON into this file")
      ->needs(video)
      ->type_name("slide.json");
  AddJobs(subcommand, &arguments->jobs, "Threads, with --video");
}

int MeasureSlideVideo(const SlideVideoArguments& arguments, bool json,
                      const CommonOptions& common) {
  const capture::Experiment experiment = capture::ReadExperiment(arguments.experiment);
  if (!arguments.output.empty()) RefuseInputAsOutput(arguments.output, {arguments.experiment});
  std::vector<pipeline::MeasuredSlide> slides;
  {
    pipeline::Progress progress;
    slides = pipeline::MeasureSlides(experiment, arguments.trials, arguments.jobs, &progress);
  }
  const std::vector<pipeline::SlideMean> means = pipeline::MeansOf(slides);
  for (const pipeline::MeasuredSlide& slide : slides) {
    if (!slide.message.empty()) fmt::print(stderr, "measure: not used: {}\n", slide.message);
    for (const std::string& warning : slide.slide.warnings)
      fmt::print(stderr, "measure: {}: {}\n", slide.trial, warning);
  }
  if (means.empty()) {
    throw DataError(fmt::format("{}: no slide gave a coefficient", arguments.experiment));
  }
  const std::string text = JsonText(ToJson(slides, means, arguments, common), 2);
  if (!arguments.output.empty()) WriteFileAtomically(arguments.output, text);
  if (json) {
    fmt::print("{}", text);
  } else {
    Print(slides, means);
  }
  return kExitOk;
}

}  // namespace percuss::app
