// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/diagnosis/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "calibration/calibrate.h"
#include "pipeline/diagnosis/free_surface.h"
#include "pipeline/diagnosis/moved_camera.h"
#include "pipeline/judgement/changed_calibration.h"
#include "pipeline/suspects/evidence.h"

namespace percuss::pipeline {
namespace {

using calibration::RigCalibration;

bool SamePictures(const capture::Experiment& a, const capture::Experiment& b) {
  return std::ranges::equal(
      a.calibration.cameras, b.calibration.cameras,
      [](const auto& x, const auto& y) { return x.images == y.images && x.surface == y.surface; });
}

/// That of the changed file, made anew only where its pictures or its corners are others.
RigCalibration CalibrationOf(const capture::Experiment& changed, const capture::Experiment& typed,
                             const RigCalibration& calibration, int num_threads) {
  const capture::Board &board = changed.board, &before = typed.board;
  if (!SamePictures(changed, typed) || board.columns != before.columns ||
      board.rows != before.rows ||
      (!typed.calibration.file.files.empty() && board.square != before.square)) {
    return calibration::CalibrateRig(changed, {.num_threads = num_threads, .num_folds = 0});
  }
  if (board.square == before.square || !typed.calibration.known_distances.empty())
    return calibration;
  return Scaled(calibration, board.square / before.square);
}

/// Drops before two cameras alone, a few of many.
void KeepTrials(capture::Experiment* experiment) {
  std::erase_if(experiment->trials, [](const capture::Trial& trial) {
    return !trial.FromVideos() || trial.kind != capture::Trial::Kind::kDrop;
  });
  constexpr std::size_t kMostTrials = 12;
  const std::size_t count = experiment->trials.size();
  if (count <= kMostTrials) return;
  std::vector<capture::Trial> kept;
  for (std::size_t i = 0; i < kMostTrials; ++i)
    kept.push_back(experiment->trials[i * count / kMostTrials]);
  experiment->trials = std::move(kept);
}

class Diagnostician {
 public:
  Diagnostician(const capture::Experiment& typed, const RigCalibration& calibration,
                Recordings* recordings, const DiagnosisOptions& options)
      : typed_(typed), calibration_(calibration), recordings_(recordings), options_(options) {
    KeepTrials(&typed_);
  }

  Diagnosis Run() {
    as_typed_ = Judge(typed_, calibration_, recordings_);
    diagnosis_.complaints = as_typed_.complaints;
    diagnosis_.num_trials = static_cast<int>(typed_.trials.size());
    diagnosis_.num_labelled = static_cast<int>(std::ranges::count_if(as_typed_.trials, IsLabelled));
    if (diagnosis_.complaints.empty()) return diagnosis_;
    Progress("a camera that was moved", 0.0);
    if (auto moved = FindMovedCamera(typed_, calibration_, as_typed_, recordings_)) {
      ++diagnosis_.tried;
      found_.push_back({std::move(moved->hypothesis), std::move(moved->judgement)});
      Conclude();
      return diagnosis_;
    }
    const Evidence evidence = GatherEvidence(typed_, calibration_, as_typed_, recordings_);
    using Suspect = void (*)(const Evidence&, std::vector<Hypothesis>*);
    const std::vector<std::vector<Suspect>> tiers = {
        {SuspectCameras, SuspectLayout, SuspectScale, SuspectFall, SuspectMarkers},
        {SuspectShape, SuspectInertia},
        {SuspectHomogeneity},
        {SuspectTrials, SuspectMoments}};
    for (const auto& tier : tiers) {
      std::vector<Hypothesis> hypotheses;
      for (const Suspect suspect : tier) suspect(evidence, &hypotheses);
      for (std::size_t i = 0; i < hypotheses.size(); ++i) {
        Progress(hypotheses[i].kind,
                 static_cast<double>(i) / static_cast<double>(hypotheses.size()));
        Try(hypotheses[i]);
      }
      if (!found_.empty()) break;
    }
    if (found_.empty()) TrySurface();
    Conclude();
    return diagnosis_;
  }

 private:
  struct Explanation {
    Hypothesis hypothesis;
    Judgement judgement;
  };

  void Progress(const std::string& what, double fraction) const {
    if (options_.progress) options_.progress(what, fraction);
  }

  void TrySurface() {
    Progress("surface pictures", 0.0);
    ++diagnosis_.tried;
    if (auto surface = FindFreeSurface(typed_, calibration_, recordings_)) {
      found_.push_back(
          {OtherSurface(surface->turned_deg, surface->shifted), std::move(surface->judgement)});
    }
  }

  /// Whether the body is found where it was not: what is false fails here, in one trial.
  bool FindsBody(const capture::Experiment& changed, const RigCalibration& calibration) {
    for (const tracking::TrialResult& before : as_typed_.trials) {
      if (IsLabelled(before)) continue;
      const auto trial = std::ranges::find(changed.trials, before.trial, &capture::Trial::name);
      if (trial == changed.trials.end()) continue;
      return recordings_->Label(changed, *trial, calibration).message.empty();
    }
    return true;
  }

  void Try(const Hypothesis& hypothesis) {
    ++diagnosis_.tried;
    try {
      capture::Experiment changed = capture::ReadChanged(typed_, hypothesis.edits);
      KeepTrials(&changed);
      const RigCalibration calibration =
          CalibrationOf(changed, typed_, calibration_, options_.num_threads);
      if (!FindsBody(changed, calibration)) return;
      Judgement judgement = Judge(changed, calibration, recordings_);
      if (judgement.complaints.empty()) found_.push_back({hypothesis, std::move(judgement)});
    } catch (const InputError&) {  // nothing that could be typed
    } catch (const DataError&) {   // nothing that could be calibrated
    }
  }

  void Conclude() {
    if (found_.empty()) return;
    // What explains the data as well as another, but leaves half as much again in the pictures,
    // does not explain them.
    constexpr double kWorse = 1.5;
    // Nor does what bends so much more of what was typed: by chance once in ten thousand times.
    constexpr double kStrain = 16.0;
    double least = found_.front().judgement.NoiseScale();
    double strain = found_.front().judgement.strain;
    for (const Explanation& one : found_) {
      least = std::min(least, one.judgement.NoiseScale());
      strain = std::min(strain, one.judgement.strain);
    }
    std::erase_if(found_, [&](const Explanation& one) {
      return one.judgement.NoiseScale() > kWorse * least || one.judgement.strain > strain + kStrain;
    });
    if (found_.empty()) return;  // they contradict each other
    DropNeedless();
    const Judgement first = found_.front().judgement;
    const auto others = std::stable_partition(
        found_.begin(), found_.end(),
        [&](const Explanation& one) { return SameImpacts(first, one.judgement); });
    diagnosis_.num_same = static_cast<int>(others - found_.begin());
    for (Explanation& one : found_) diagnosis_.explanations.push_back(std::move(one.hypothesis));
  }

  /// What changes the same as another explanation of its kind and more.
  void DropNeedless() {
    const auto changes = [](const Hypothesis& all, const YamlEdit& edit) {
      return std::ranges::any_of(all.edits, [&](const YamlEdit& other) {
        return other.path == edit.path && other.value == edit.value;
      });
    };
    const std::vector<Explanation> all = found_;
    std::erase_if(found_, [&](const Explanation& one) {
      return std::ranges::any_of(all, [&](const Explanation& other) {
        return other.hypothesis.kind == one.hypothesis.kind && !other.hypothesis.edits.empty() &&
               other.hypothesis.edits.size() < one.hypothesis.edits.size() &&
               std::ranges::all_of(other.hypothesis.edits, [&](const YamlEdit& edit) {
                 return changes(one.hypothesis, edit);
               });
      });
    });
  }

  capture::Experiment typed_;
  const RigCalibration& calibration_;
  Recordings* recordings_;
  const DiagnosisOptions& options_;
  Judgement as_typed_;
  std::vector<Explanation> found_;
  Diagnosis diagnosis_;
};

}  // namespace

Diagnosis Diagnose(const capture::Experiment& typed, const RigCalibration& calibration,
                   Recordings* recordings, const DiagnosisOptions& options) {
  const auto filmed = [](const capture::Trial& trial) { return trial.FromVideos(); };
  if (typed.planar || calibration.cameras.size() != 2 || std::ranges::none_of(typed.trials, filmed))
    return {};
  return Diagnostician(typed, calibration, recordings, options).Run();
}

Hypothesis OtherSurface(double turned_deg, double shifted) {
  std::string found = "is not of the surface that the bodies hit";
  if (std::isfinite(turned_deg)) {
    found += fmt::format(": that one leans {:.1f} degrees against it and lies {:.1f} mm from it",
                         turned_deg, 1e3 * shifted);
  } else {
    found += ", or a camera was moved between: without it all flights agree";
  }
  return {.kind = "surface pictures",
          .path = {"calibration", "surface"},
          .found = found,
          .write =
              "pictures of the board on that surface, taken with the cameras as they stood in "
              "the trials",
          .edits = {}};
}

std::vector<std::string> DiagnosisLines(const capture::Experiment& typed,
                                        const Diagnosis& diagnosis) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < diagnosis.explanations.size(); ++i) {
    const Hypothesis& one = diagnosis.explanations[i];
    const auto removed = std::ranges::count_if(one.edits, [](const YamlEdit& edit) {
      return edit.value.empty() && edit.path.size() == 2 && edit.path[0] == "trials";
    });
    const auto left = diagnosis.num_trials - removed;
    const std::string others = removed > 0 ? "other " : "";
    const std::string what = left > 1    ? fmt::format("all {} {}trials", left, others)
                             : left == 1 ? fmt::format("the {}trial", others)
                                         : std::string("the board's pictures");
    lines.push_back(fmt::format("{} (line {}) {}. A change of it explains {}. Write: {}",
                                NameOf(one.path), LineOf(typed.file, one.path), one.found, what,
                                one.write));
  }
  const auto count = static_cast<int>(diagnosis.explanations.size());
  if (diagnosis.num_same > 1) {
    lines.push_back(fmt::format(
        "{} of these {} changes give the same impacts: nothing can tell which was meant, and it "
        "makes no difference",
        diagnosis.num_same == count ? "all" : "the first " + std::to_string(diagnosis.num_same),
        count));
  }
  if (diagnosis.num_same < count) {
    lines.push_back(fmt::format(
        "{} changes explain the data, and they do not agree: measure what they name", count));
  }
  return lines;
}

}  // namespace percuss::pipeline
