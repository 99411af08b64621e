// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/facts/run_folder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/files/plain_name.h"
#include "base/text/json_field.h"
#include "impacts/impact_files.h"
#include "report/facts/csv.h"

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

ProvenanceFacts ReadProvenance(const fs::path& file, const fs::path& folder) {
  const JsonField root = JsonField::ReadFile(file);
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
std::vector<fs::path> TrialFolders(const fs::path& folder) {
  const fs::path tracks = folder / "tracks";
  std::vector<fs::path> folders;
  if (!fs::is_directory(tracks)) return folders;
  const auto named = fs::exists(folder / "run.json")
                         ? JsonField::ReadFile(folder / "run.json").Find("trials")
                         : std::nullopt;
  if (named) {
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

/// Trials of other motion capture, and of a ball before one camera, need no calibration.
bool NeedsNoCalibration(const fs::path& trial_folder) {
  const fs::path file = trial_folder / "trial.json";
  if (!fs::exists(file)) return false;
  const JsonField root = JsonField::ReadFile(file);
  const auto ball = root.Find("ball");
  return root.Find("motion_capture") || (ball && ball->TextOr("source", "") != "videos");
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

RunFolder ReadRunFolder(const fs::path& folder) {
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
    if (fs::exists(file)) {
      found_any = true;
      if (file.extension() == ".json") run.provenance.push_back(ReadProvenance(file, folder));
      return true;
    }
    run.missing_parts.push_back(
        fmt::format("{} is missing: {}.", file.lexically_relative(folder).generic_string(), cost));
    return false;
  };

  const auto trial_folders = TrialFolders(folder);
  const bool needs_calibration =
      trial_folders.empty() || !std::ranges::all_of(trial_folders, NeedsNoCalibration);
  if ((needs_calibration || fs::exists(folder / "calibration.json")) &&
      has(folder / "calibration.json", "nothing can be said about the cameras")) {
    run.calibration = calibration::ReadCalibration(folder / "calibration.json");
    run.corners = ReadCorners(folder / "corners.csv", run.calibration->cameras);
  }
  if (trial_folders.empty()) {
    run.missing_parts.push_back("tracks is missing: nothing can be said about the trials.");
  }
  for (const fs::path& trial : trial_folders) {
    if (has(trial / "trial.json", "this trial was not finished")) {
      if (auto slide = ReadSlideFacts(trial)) {
        run.slides.push_back(std::move(*slide));
      } else {
        run.trials.push_back(ReadTrialFacts(trial));
      }
    }
  }
  // Slides alone have neither impacts nor a fit to them.
  const bool drops = !run.trials.empty() || run.slides.empty();
  if ((drops || fs::exists(folder / "impacts.csv")) &&
      has(folder / "impacts.csv", "there are no states before and after the impacts")) {
    run.impacts = impacts::ReadImpacts(folder / "impacts.csv").impacts;
  }
  if ((drops || fs::exists(folder / "fit.json")) &&
      has(folder / "fit.json", "there are no coefficients and no comparison with a model")) {
    run.fit = fitting::ReadFit(folder / "fit.json");
  }
  const int left = run.fit ? run.fit->num_laws_left : 0;
  if (left > 0) {
    run.missing_parts.push_back(
        fmt::format("fit.json was left with {} {} still to be fitted; percuss run goes on with it.",
                    left, left == 1 ? "law" : "laws"));
  }
  if (run.fit && left == 0 && fs::exists(folder / "impulses.json")) {
    run.impulses = fitting::ReadImpulseDiagrams(folder / "impulses.json");
  }
  for (const char* name : {"impacts.json", "run.json"}) {
    if (!fs::exists(folder / name)) continue;
    found_any = true;
    run.provenance.push_back(ReadProvenance(folder / name, folder));
  }
  if (fs::exists(folder / "run.json")) {
    const JsonField settings = JsonField::ReadFile(folder / "run.json");
    run.name = settings.TextOr("name", run.name);
    if (const auto notes = settings.Find("notes")) {
      for (const JsonField& note : notes->Elements()) run.notes.push_back(note.Text());
    }
    if (const auto experiment = settings.Find("experiment")) {
      run.experiment = ExperimentFacts{.body = experiment->TextOr("body", ""),
                                       .mass = experiment->NumberOr("mass", kNaN),
                                       .markers = experiment->IntegerOr("markers", 0),
                                       .board = experiment->TextOr("board", "")};
    }
    Flatten(settings, "", run.settings);
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
