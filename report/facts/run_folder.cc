// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/facts/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "base/files/plain_name.h"
#include "base/parallel.h"
#include "base/text/json_field.h"
#include "impacts/impact_files.h"
#include "report/facts/csv.h"
#include "report/facts/file_head.h"

namespace percuss::report {
namespace {

namespace fs = std::filesystem;

// "solver.threads", "2": one line per leaf, so that settings of any kind can be listed.
void Flatten(const JsonField& field, const std::string& path,
             std::vector<std::pair<std::string, std::string>>& leaves) {
  if (!field.IsObject()) {
    const std::string text = field.Dump();
    const bool is_text = text.size() >= 2 && text.front() == '"';
    leaves.emplace_back(path, is_text ? field.Text() : text);
    return;
  }
  for (const auto& [key, value] : field.Members()) {
    // The trials have tables of their own.
    const bool shown_elsewhere =
        path.empty() && (key == "format" || key == "program" || key == "command" ||
                         key == "inputs" || key == "trials");
    if (!shown_elsewhere) Flatten(value, path.empty() ? key : path + "." + key, leaves);
  }
}

ProvenanceFacts ProvenanceOf(const JsonField& root, const fs::path& file, const fs::path& folder) {
  ProvenanceFacts provenance{.file = file.lexically_relative(folder).generic_string(),
                             .format = root.TextOr("format", ""),
                             .program = root.TextOr("program", ""),
                             .command = root.TextOr("command", ""),
                             .inputs = {}};
  const int version = file.filename() == "calibration.json" ? 2 : 1;
  if (!provenance.format.empty() && !provenance.format.ends_with(fmt::format(" {}", version))) {
    root.At("format").Fail(fmt::format("format version {}", version));
  }
  const auto inputs = root.Find("inputs");
  if (!inputs) return provenance;
  if (inputs->IsObject()) {  // {file: hash}
    for (const auto& [input, hash] : inputs->Members()) {
      provenance.inputs.emplace_back(input, hash.Text());
    }
    return provenance;
  }
  for (const JsonField& input : inputs->Elements()) {
    provenance.inputs.emplace_back(input.At("file").Text(), input.At("sha256").Text());
  }
  return provenance;
}

/// Of the trials that run.json names: those of an earlier experiment file may still be there.
/// Without run.json, of all.
std::vector<fs::path> TrialFolders(const fs::path& folder, const std::optional<JsonField>& run) {
  const fs::path tracks = folder / "tracks";
  std::vector<fs::path> folders;
  if (!fs::is_directory(tracks)) return folders;
  if (const auto named = run ? run->Find("trials") : std::nullopt) {
    for (const JsonField& field : named->Elements()) {
      const std::string name = field.Text();
      if (!IsPlainName(name)) field.Fail(kPlainNameText);
      if (fs::is_directory(tracks / name)) folders.push_back(tracks / name);
    }
    return folders;
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(tracks)) {
    if (entry.is_directory()) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

/// What trial.json of each trial says.
struct Trials {
  std::vector<TrialFacts> drops{};
  std::vector<SlideFacts> slides{};
  std::vector<ProvenanceFacts> provenance{};
  std::vector<fs::path> unfinished{};  ///< without such a file
  bool need_calibration = false;
};

/// Trials of other motion capture, and of a ball before one camera, need no calibration.
bool NeedsCalibration(const TrialFacts& trial) {
  const bool one_camera = !trial.ball.empty() && trial.ball != "videos";
  return !trial.is_motion_capture && !one_camera;
}

/// One trial.json.
struct TrialFile {
  std::optional<SlideFacts> slide{};  ///< else a drop
  TrialFacts drop{};
  ProvenanceFacts provenance{};
};

TrialFile ReadTrialFile(const fs::path& file, const fs::path& folder) {
  const JsonField root = JsonField::ReadFile(file);
  TrialFile trial{.slide = ReadSlideFacts(root, file.parent_path()),
                  .provenance = ProvenanceOf(root, file, folder)};
  if (!trial.slide) trial.drop = ReadTrialFacts(root, file.parent_path());
  return trial;
}

Trials Joined(std::vector<std::optional<TrialFile>> read, const std::vector<fs::path>& files) {
  Trials trials{.need_calibration = files.empty()};
  for (std::size_t k = 0; k < files.size(); ++k) {
    if (!read[k]) {
      trials.unfinished.push_back(files[k]);
      trials.need_calibration = true;
      continue;
    }
    auto& [slide, drop, provenance] = *read[k];
    trials.provenance.push_back(std::move(provenance));
    const TrialFacts& facts = slide ? trials.slides.emplace_back(std::move(*slide)).trial
                                    : trials.drops.emplace_back(std::move(drop));
    trials.need_calibration = trials.need_calibration || NeedsCalibration(facts);
  }
  return trials;
}

/// What is as long as all trials together, where it is there.
struct FitFacts {
  std::vector<impacts::ImpactRecord> impacts{};
  std::optional<fitting::FitReport> fit{};
  ProvenanceFacts provenance{};  ///< of the fit
};

FitFacts ReadFitFacts(const fs::path& folder) {
  FitFacts facts;
  if (fs::exists(folder / "impacts.csv")) {
    facts.impacts = impacts::ReadImpacts(folder / "impacts.csv").impacts;
    facts.impacts.shrink_to_fit();
  }
  if (fs::exists(folder / "fit.json")) {
    facts.provenance = ProvenanceOf(ReadFileHead(folder / "fit.json"), folder / "fit.json", folder);
    facts.fit = fitting::ReadFit(folder / "fit.json");
    for (LawFit& law : facts.fit->laws) law.trials.shrink_to_fit();
  }
  return facts;
}

/// Median step of the frame times of some trials, so that a lost frame does not count.
double FrameRateOf(const std::vector<TrialFacts>& trials) {
  constexpr std::size_t kMostTrials = 12;
  std::vector<double> steps;
  for (std::size_t k = 0; k < std::min(kMostTrials, trials.size()); ++k) {
    const std::vector<PoseFacts> poses = ReadPoses(trials[k].folder);
    for (std::size_t i = 1; i < poses.size(); ++i) {
      const double step =
          (poses[i].time - poses[i - 1].time) / (poses[i].frame - poses[i - 1].frame);
      if (std::isfinite(step) && step > 0) steps.push_back(step);
    }
  }
  if (steps.empty()) return kNaN;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  return 1.0 / *middle;
}

std::vector<std::vector<CornerFacts>> ReadCorners(
    const fs::path& file, const std::vector<calibration::CalibratedCamera>& cameras) {
  std::vector<std::vector<CornerFacts>> corners(cameras.size());
  if (!fs::exists(file)) return corners;
  const CsvTable table = ReadCsv(file);
  const int camera = table.Require("camera"), x = table.Require("x_px"), y = table.Require("y_px"),
            dx = table.Require("residual_x_px"), dy = table.Require("residual_y_px");
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const auto seen_by =
        std::ranges::find(cameras, table.Text(row, camera), &calibration::CalibratedCamera::name);
    if (seen_by == cameras.end()) continue;
    corners[seen_by - cameras.begin()].push_back(
        {table.Number(row, x), table.Number(row, y), table.Number(row, dx), table.Number(row, dy)});
  }
  return corners;
}

std::string NameOf(const fs::path& folder) {
  const fs::path absolute = fs::weakly_canonical(folder);
  return absolute.has_filename() ? absolute.filename().string()
                                 : absolute.parent_path().filename().string();
}

}  // namespace

RunFolder ReadRunFolder(const fs::path& folder, int num_threads) {
  if (!fs::is_directory(folder)) {
    throw InputError(
        fmt::format("{}: found no such folder, allowed the folder that 'percuss run' "
                    "wrote",
                    folder.string()));
  }
  RunFolder run{.path = folder, .name = NameOf(folder)};
  bool found_any = false;
  // True where the file exists; otherwise notes what its absence costs.
  const auto has = [&](const fs::path& file, const std::string& cost) {
    if (fs::exists(file)) return found_any = true;
    run.missing_parts.push_back(
        fmt::format("{} is missing: {}.", file.lexically_relative(folder).generic_string(), cost));
    return false;
  };
  const auto add_provenance = [&](const char* name) {
    run.provenance.push_back(ProvenanceOf(ReadFileHead(folder / name), folder / name, folder));
  };

  std::optional<JsonField> settings;
  if (fs::exists(folder / "run.json")) settings = JsonField::ReadFile(folder / "run.json");
  std::vector<fs::path> trial_files;
  for (const fs::path& trial : TrialFolders(folder, settings))
    trial_files.push_back(trial / "trial.json");
  const int num_trials = static_cast<int>(trial_files.size());
  FitFacts fit_facts;
  std::vector<std::optional<TrialFile>> read(trial_files.size());
  ParallelFor(num_trials + 1, num_threads, [&](int i) {
    if (i == 0) {
      fit_facts = ReadFitFacts(folder);
    } else if (fs::exists(trial_files[i - 1])) {
      read[i - 1] = ReadTrialFile(trial_files[i - 1], folder);
    }
  });
  Trials trials = Joined(std::move(read), trial_files);
  if ((trials.need_calibration || fs::exists(folder / "calibration.json")) &&
      has(folder / "calibration.json", "nothing can be said about the cameras")) {
    add_provenance("calibration.json");
    run.calibration = calibration::ReadCalibration(folder / "calibration.json");
    run.corners = ReadCorners(folder / "corners.csv", run.calibration->cameras);
  }
  if (trial_files.empty()) {
    run.missing_parts.push_back("tracks is missing: nothing can be said about the trials.");
  }
  for (const fs::path& file : trials.unfinished) has(file, "this trial was not finished");
  found_any = found_any || !trials.provenance.empty();
  std::ranges::move(trials.provenance, std::back_inserter(run.provenance));
  run.trials = std::move(trials.drops);
  run.slides = std::move(trials.slides);
  run.frame_rate = FrameRateOf(run.trials);
  // Slides alone have neither impacts nor a fit to them.
  const bool drops = !run.trials.empty() || run.slides.empty();
  if ((drops || fs::exists(folder / "impacts.csv")) &&
      has(folder / "impacts.csv", "there are no states before and after the impacts")) {
    run.impacts = std::move(fit_facts.impacts);
  }
  if ((drops || fs::exists(folder / "fit.json")) &&
      has(folder / "fit.json", "there are no coefficients and no comparison with a model")) {
    run.provenance.push_back(std::move(fit_facts.provenance));
    run.fit = std::move(fit_facts.fit);
  }
  const int left = run.fit ? run.fit->num_laws_left : 0;
  if (left > 0) {
    run.missing_parts.push_back(
        fmt::format("fit.json was left with {} {} still to be fitted; percuss run goes on with it.",
                    left, left == 1 ? "law" : "laws"));
  }
  if (fs::exists(folder / "impacts.json")) {
    found_any = true;
    add_provenance("impacts.json");
  }
  if (settings) {
    found_any = true;
    run.provenance.push_back(ProvenanceOf(*settings, folder / "run.json", folder));
    run.name = settings->TextOr("name", run.name);
    run.notes = settings->TextsOrNone("notes");
    if (const auto experiment = settings->Find("experiment")) {
      run.experiment = ExperimentFacts{.body = experiment->TextOr("body", ""),
                                       .mass = experiment->NumberOr("mass", kNaN),
                                       .markers = experiment->IntegerOr("markers", 0),
                                       .board = experiment->TextOr("board", "")};
    }
    Flatten(*settings, "", run.settings);
  }
  if (!found_any) {
    throw InputError(
        fmt::format("{}: found none of calibration.json, tracks/TRIAL/trial.json, impacts.csv, "
                    "fit.json, allowed the folder that 'percuss run' wrote",
                    folder.string()));
  }
  return run;
}

}  // namespace percuss::report
