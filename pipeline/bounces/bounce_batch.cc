// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/bounces/bounce_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>

#include "base/error.h"
#include "base/files/files.h"
#include "base/text/json_text.h"
#include "capture/experiment/calibration_images.h"
#include "impacts/impact_columns.h"
#include "impacts/impact_files.h"
#include "pipeline/bounces/bounce_knowledge.h"
#include "pipeline/progress.h"

namespace percuss::pipeline {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBatchFormat = "percuss batch 1";

std::string FreeName(const fs::path& file, std::set<std::string>* taken) {
  const std::string stem = file.stem().string();
  std::string name = stem;
  for (int i = 2; !taken->insert(name).second; ++i) name = fmt::format("{}-{}", stem, i);
  return name;
}

void Measure(const BounceOptions& options, const fs::path& folder, const std::string& command,
             Progress* progress, BatchClip* one) {
  const BounceClip clip = MeasureBounces(one->file, options, progress);
  one->warnings = clip.warnings;
  if (!folder.empty()) WriteBounces(clip, one->file, folder / one->name, command);
  one->csv = BouncesCsv(clip);
  one->json = BounceJson(clip, one->file, command);
  one->scale = clip.scale;
  one->mean = clip.mean;
  one->fit = clip.fit;
}

bool HasScale(const BatchClip& clip) {
  return clip.reason.empty() && std::isfinite(clip.scale.radius.value);
}

std::vector<ClipBounces> BouncesOf(const BounceBatch& batch) {
  std::vector<ClipBounces> bounces;
  for (const BatchClip& clip : batch.clips) {
    if (HasScale(clip))
      bounces.push_back({.name = clip.name, .fit = &clip.fit, .radius = clip.scale.radius});
  }
  return bounces;
}

void Join(BounceBatch* batch) {
  std::vector<ValueWithSigma> means;
  std::vector<double> speeds;
  std::vector<Eigen::VectorXd> shared;
  for (const BatchClip& clip : batch->clips) {
    if (!clip.reason.empty()) continue;
    means.push_back(clip.mean.mean);
    shared.push_back(SharedErrorsOfMean(clip.fit));
    double sum = 0.0;
    for (const tracking::BounceEstimate& bounce : clip.fit.bounces) sum += bounce.normal_before;
    speeds.push_back(sum / static_cast<double>(clip.fit.bounces.size()));
  }
  batch->mean = MeanOfClips(means, speeds, shared);
  const std::vector<ClipBounces> bounces = BouncesOf(*batch);
  if (bounces.empty()) {
    batch->speed.reason = "speeds need a scale: --diameter, --length or --g";
    return;
  }
  batch->speed = FitSpeedModels(ImpactsOfBounces(bounces, batch->one_scale),
                                BodyOfBall(bounces.front().radius.value, batch->body));
}

/// What became of each clip, and the e of all.
std::string SummaryJson(const BounceBatch& batch, const std::string& command) {
  nlohmann::ordered_json summary =
      JsonHead(kBatchFormat, {.format = kBatchFormat, .command = command, .input_hashes = {}});
  const auto number = [](const CommonValue& value) {
    return nlohmann::ordered_json{{"value", value.mean.value}, {"sigma", value.mean.sigma}};
  };
  if (std::isfinite(batch.mean.mean.value)) summary["e"] = number(batch.mean);
  summary["clips"] = nlohmann::ordered_json::array();
  for (const BatchClip& clip : batch.clips) {
    nlohmann::ordered_json one = {{"name", clip.name}, {"clip", clip.file.string()}};
    if (clip.reason.empty()) {
      one["bounces"] = clip.fit.bounces.size();
      one["e"] = number(clip.mean);
    } else {
      one["reason"] = clip.reason;
    }
    summary["clips"].push_back(std::move(one));
  }
  return JsonText(summary, 1);
}

void WriteJoint(const BounceBatch& batch, const fs::path& folder, const std::string& command) {
  WriteFileAtomically(folder / "bounces.csv", BatchCsv(batch));
  const std::vector<ClipBounces> bounces = BouncesOf(batch);
  if (bounces.empty()) return;
  impacts::WriteImpactsJson(
      ImpactsOfBounces(bounces, batch.one_scale),
      {.format = impacts::kImpactFormat, .command = command, .input_hashes = {}},
      folder / kImpactsFile);
  WriteFileAtomically(folder / kBodyFile, BodyYaml(bounces.front().radius, batch.body));
}

}  // namespace

std::vector<fs::path> ClipsOf(const std::vector<std::string>& clips_and_folders) {
  std::vector<fs::path> clips;
  for (const std::string& one : clips_and_folders) {
    if (!fs::is_directory(one)) {
      clips.emplace_back(one);
      continue;
    }
    std::vector<fs::path> inside;
    for (const fs::directory_entry& entry : fs::directory_iterator(one)) {
      if (entry.is_regular_file() && capture::IsVideoName(entry.path()))
        inside.push_back(entry.path());
    }
    if (inside.empty())
      throw InputError(fmt::format("{}: found no video in it, allowed a folder with some", one));
    std::ranges::sort(inside);
    clips.insert(clips.end(), inside.begin(), inside.end());
  }
  return clips;
}

CommonValue MeanOfClips(const std::vector<ValueWithSigma>& means, const std::vector<double>& along,
                        const std::vector<Eigen::VectorXd>& shared) {
  const auto count = std::ssize(means);
  if (count == 0) return {};
  Eigen::VectorXd values(count), speeds(count);
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(count, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    values[i] = means[i].value;
    speeds[i] = along[i];
    for (std::size_t j = 0; j < shared.size(); ++j)
      covariance(i, static_cast<Eigen::Index>(j)) = shared[i].dot(shared[j]);
    covariance(i, i) = means[i].sigma * means[i].sigma;
  }
  return FitCommonValue(values, covariance, speeds);
}

BounceBatch MeasureBatch(const std::vector<fs::path>& clips, const BounceOptions& options,
                         const fs::path& folder, const std::string& command, Progress* progress) {
  BounceBatch batch;
  if (options.mass) batch.body.mass = *options.mass;
  if (options.inertia_factor) batch.body.inertia_factor = *options.inertia_factor;
  batch.one_scale = options.scale.diameter.has_value();
  std::set<std::string> taken;
  bool bad_input = false, no_answer = false;
  for (const fs::path& file : clips) {
    BatchClip& one = batch.clips.emplace_back();
    one.file = file;
    one.name = FreeName(file, &taken);
    if (progress != nullptr) progress->Line(file.string());
    try {
      Measure(options, folder, command, progress, &one);
      continue;
    } catch (const DataError& error) {
      one.reason = error.what();
      one.exit_code = kExitNoAnswer;
      no_answer = true;
    } catch (const std::exception& error) {  // also of a video that the decoder chokes on
      one.reason = error.what();
      one.exit_code = kExitBadInput;
      bad_input = true;
    }
  }
  batch.exit_code = bad_input ? kExitBadInput : no_answer ? kExitNoAnswer : kExitOk;
  Join(&batch);
  const bool any =
      std::ranges::any_of(batch.clips, [](const BatchClip& clip) { return clip.reason.empty(); });
  if (!folder.empty()) WriteFileAtomically(folder / "batch.json", SummaryJson(batch, command));
  if (!folder.empty() && any) WriteJoint(batch, folder, command);
  return batch;
}

std::string BatchCsv(const BounceBatch& batch) {
  std::string columns, rows, in_pixels;
  bool in_metres = false;
  for (const BatchClip& clip : batch.clips) {
    if (!clip.reason.empty()) continue;
    std::istringstream lines(clip.csv);
    std::string unit, line;
    std::getline(lines, unit);
    std::getline(lines, columns);
    if (HasScale(clip))
      in_metres = true;
    else
      in_pixels += (in_pixels.empty() ? "" : " ") + clip.name;
    while (std::getline(lines, line)) rows += clip.name + "," + line + "\n";
  }
  if (rows.empty()) return "";
  // A frame rate that is wrong takes the scale by gravity from single clips.
  const std::string unit = in_pixels.empty() ? "m/s"
                           : in_metres       ? "m/s, of these clips in px/s: " + in_pixels
                                             : "px/s";
  return "# speeds in " + unit + "\nclip," + columns + "\n" + rows;
}

std::string BatchJson(const BounceBatch& batch) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const BatchClip& clip : batch.clips) {
    if (clip.reason.empty()) {
      list.push_back(nlohmann::ordered_json::parse(clip.json));
    } else {
      list.push_back({{"clip", clip.file.string()}, {"reason", clip.reason}});
    }
  }
  return JsonText(list, 2);
}

}  // namespace percuss::pipeline
