// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/diagnosis/diagnosis_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text/json_schema.h"
#include "impacts/impact_files.h"
#include "pipeline/run_steps.h"
#include "pipeline/step_inputs.h"
#include "pipeline/step_record.h"
#include "tracking/bench/bench_files.h"

namespace percuss {

// In the namespace of its type.
inline void Describe(auto& file, MaybeConst<YamlEdit> auto& edit) {
  file("path", edit.path);
  file("value", edit.value);
}

}  // namespace percuss

namespace percuss::pipeline {

namespace fs = std::filesystem;

constexpr const char* kDiagnosisFormat = "percuss diagnosis 1";

inline void Describe(auto& file, MaybeConst<Hypothesis> auto& hypothesis) {
  file("kind", hypothesis.kind);
  file("path", hypothesis.path);
  file("found", hypothesis.found);
  file("write", hypothesis.write);
  file("edits", hypothesis.edits);
}

inline void Describe(auto& file, MaybeConst<Diagnosis> auto& diagnosis) {
  file("complaints", diagnosis.complaints);
  file("tried", diagnosis.tried);
  file("trials", diagnosis.num_trials);
  file("explanations", diagnosis.explanations);
  file("same_impacts", diagnosis.num_same);
}

namespace {

/// All that a diagnosis depends on.
Provenance DiagnosisProvenance(const capture::Experiment& typed, const RunSettings& settings,
                               StepRecord* record) {
  Provenance provenance = CalibrationProvenance(
      typed, settings.command, [&](const fs::path& image) { return record->HashOf(image); });
  provenance.format = kDiagnosisFormat;
  for (const capture::Trial& trial : typed.trials) {
    provenance.input_hashes.emplace_back("trial " + trial.name, HashText(trial.entry));
    for (const fs::path& input : InputsOf(trial)) {
      std::error_code error;
      if (fs::is_regular_file(input, error)) AddHash(input, settings, record, &provenance);
    }
  }
  return provenance;
}

void WriteDiagnosis(const Diagnosis& diagnosis, const Provenance& provenance,
                    const fs::path& file) {
  WriteJsonFile(file, JsonHead(kDiagnosisFormat, provenance), 1,
                [&](JsonWriter& writer) { Describe(writer, diagnosis); });
}

Diagnosis ReadDiagnosis(const fs::path& file) {
  const JsonField root = JsonField::ReadFile(file);
  if (root.At("format").Text() != kDiagnosisFormat) root.At("format").Fail(kDiagnosisFormat);
  JsonReader reader(root);
  Diagnosis diagnosis;
  Describe(reader, diagnosis);
  return diagnosis;
}

/// Two builds of one version may know different hypotheses.
std::string ProgramHash() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error || !fs::exists(program) ? "" : HashFile(program);
}

/// Heights of all impacts as they were written.
ContactHeights HeightsOf(const capture::Experiment& typed, const RunSettings& settings) {
  ContactHeights heights;
  for (const capture::Trial& trial : typed.trials) {
    const fs::path file = settings.folder / "tracks" / trial.name / "impacts.json";
    if (!trial.FromVideos() || !fs::exists(file)) continue;
    for (const impacts::ImpactRecord& impact : impacts::ReadImpacts(file).impacts)
      heights.Add(impact);
  }
  return heights;
}

bool GiveReasonToDoubt(const capture::Experiment& typed,
                       const calibration::RigCalibration& calibration,
                       const RunSettings& settings) {
  for (const tracking::TrialSummary& trial : ReadSummaries(DropsOf(typed.trials), settings)) {
    if (trial.status != tracking::TrialResult::Status::kOk || !trial.warnings.empty()) return true;
  }
  const fs::path file = settings.folder / "bench.json";
  if (!fs::exists(file)) return false;
  const tracking::Bench stated = tracking::StatedBench(typed, calibration);
  const tracking::BenchEstimate bench = tracking::ReadBenchEstimate(file, stated);
  const ContactHeights heights = HeightsOf(typed, settings);
  const bool same = heights.NumShared() == bench.change.size();
  return !tracking::Surprises(stated, bench).empty() ||
         (same && !HeightComplaint(heights, bench.bench.covariance).empty()) ||
         !SlipComplaints(MeasureSlips(stated, bench, heights)).empty();
}

/// Whether the trials as tracked give a reason to doubt what was typed. The answer is recorded: of
/// thousands of trials there is much to be read for it.
bool IsDoubtful(const capture::Experiment& typed, const calibration::RigCalibration& calibration,
                const RunSettings& settings) {
  StepRecord record = RecordOf("doubts", settings);
  Provenance provenance{"percuss doubts 1", settings.command, {}};
  AddSharedEntries(typed, &provenance);
  if (fs::exists(settings.folder / "bench.json"))
    AddHash(settings.folder / "bench.json", settings, &record, &provenance);
  std::string trials = ProgramHash();
  for (const capture::Trial& trial : typed.trials) {
    trials += "\n" + trial.name;
    for (const char* name : {"trial.json", "impacts.json"}) {
      const fs::path file = settings.folder / "tracks" / trial.name / name;
      if (fs::exists(file)) trials += " " + record.HashOf(file);
    }
  }
  const std::string doubtful = KeyOf(provenance, trials + "\ndoubtful");
  const std::string in_order = KeyOf(provenance, trials + "\nin order");
  if (record.IsDone(doubtful, {})) return true;
  if (record.IsDone(in_order, {})) return false;
  record.Forget();
  const bool doubt = GiveReasonToDoubt(typed, calibration, settings);
  record.Finish(doubt ? doubtful : in_order);
  return doubt;
}

void Print(const capture::Experiment& typed, const Diagnosis& diagnosis, Progress* progress) {
  for (const std::string& line : DiagnosisLines(typed, diagnosis))
    progress->Line("diagnosis: " + line);
}

template <typename Find>
Diagnosis Step(const capture::Experiment& typed, const RunSettings& settings, Progress* progress,
               const Find& find) {
  StepRecord record = RecordOf("diagnosis", settings);
  const fs::path file = settings.folder / "diagnosis.json";
  const Provenance provenance = DiagnosisProvenance(typed, settings, &record);
  const std::string key = KeyOf(provenance, ProgramHash());
  Diagnosis diagnosis;
  if (record.IsDone(key, {file})) {
    diagnosis = ReadDiagnosis(file);
  } else {
    DiagnosisOptions options;
    options.num_threads = settings.jobs;
    options.progress = [&](const std::string& what, double fraction) {
      progress->Update("diagnosis: " + what, fraction);
    };
    diagnosis = find(options);
    record.Forget();
    WriteDiagnosis(diagnosis, provenance, file);
    record.Finish(key);
  }
  Print(typed, diagnosis, progress);
  return diagnosis;
}

}  // namespace

std::optional<Diagnosis> KnownDiagnosis(const capture::Experiment& typed,
                                        const RunSettings& settings) {
  StepRecord record = RecordOf("diagnosis", settings);
  const fs::path file = settings.folder / "diagnosis.json";
  if (!fs::exists(file)) return {};
  const std::string key = KeyOf(DiagnosisProvenance(typed, settings, &record), ProgramHash());
  if (!record.IsDone(key, {file})) return {};
  return ReadDiagnosis(file);
}

Diagnosis DiagnosisStep(const capture::Experiment& typed,
                        const calibration::RigCalibration& calibration, const RunSettings& settings,
                        Progress* progress) {
  if (calibration.cameras.size() != 2 || !IsDoubtful(typed, calibration, settings)) {
    RecordOf("diagnosis", settings).Forget();
    RemoveFiles(settings.folder, {"diagnosis.json"});
    return {};
  }
  return Step(typed, settings, progress, [&](const DiagnosisOptions& options) {
    Recordings bright(options.num_threads, tracking::Polarity::kBright);
    Diagnosis diagnosis = Diagnose(typed, calibration, &bright, options);
    if (diagnosis.num_labelled > 0 || !diagnosis.explanations.empty()) return diagnosis;
    Recordings dark(options.num_threads, tracking::Polarity::kDark);
    Diagnosis other = Diagnose(typed, calibration, &dark, options);
    return other.num_labelled > 0 || !other.explanations.empty() ? other : diagnosis;
  });
}

Diagnosis CalibrationDiagnosisStep(const capture::Experiment& typed,
                                   const calibration::CalibrationError& failure,
                                   const RunSettings& settings, Progress* progress) {
  return Step(typed, settings, progress, [&](const DiagnosisOptions& options) {
    Recordings recordings(options.num_threads, tracking::Polarity::kBright);
    return DiagnoseCalibration(typed, failure, &recordings, options);
  });
}

std::vector<std::string> ReportLines(const capture::Experiment& typed, const Diagnosis& diagnosis,
                                     bool mended) {
  if (!mended) return DiagnosisLines(typed, diagnosis);
  const Hypothesis& followed = diagnosis.explanations.front();
  std::vector<std::string> lines = {fmt::format(
      "Mended: {} (line {}) {}. This run goes on with {}, which explains all trials; the file is "
      "as it was.",
      NameOf(followed.path), LineOf(typed.file, followed.path), followed.found, followed.write)};
  for (std::size_t i = 1; i < diagnosis.explanations.size(); ++i) {
    const Hypothesis& other = diagnosis.explanations[i];
    lines.push_back(
        fmt::format("The same impacts follow from {}: {}.", NameOf(other.path), other.write));
  }
  return lines;
}

capture::Experiment Mended(const capture::Experiment& typed, const Diagnosis& diagnosis) {
  return capture::ReadChanged(typed, diagnosis.explanations.front().edits);
}

}  // namespace percuss::pipeline
