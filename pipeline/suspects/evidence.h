// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "pipeline/judgement/hypothesis.h"
#include "pipeline/judgement/judgement.h"
#include "pipeline/suspects/distance_match.h"
#include "pipeline/suspects/free_fall.h"

namespace percuss::pipeline {

/// What the data say by themselves, from which hypotheses are drawn.
struct Evidence {
  const capture::Experiment& typed;
  const calibration::RigCalibration& calibration;
  const Judgement& judgement;  ///< of the file as typed
  Recordings* recordings;
  std::vector<tracking::MovingBody> moving;  ///< of judgement.trials: where there is no impact
  std::vector<FreeFall> falls;               ///< of judgement.trials: where the body is labelled
};

Evidence GatherEvidence(const capture::Experiment& typed,
                        const calibration::RigCalibration& calibration, const Judgement& judgement,
                        Recordings* recordings);

/// Whether the markers of a trial have names.
bool IsLabelled(const tracking::TrialResult& trial);

/// Whether an impact was found in it. Among many markers some fit a wrong layout by chance: such a
/// trial has labels and nothing that flies.
bool HasImpact(const tracking::TrialResult& trial);

/// The bench where some of what was typed is as good as unknown, by so much more (BenchParameters).
tracking::BenchEstimate LooseEstimate(const Evidence& evidence, const Eigen::VectorXd& sigmas);

/// Of the list `trials` in the file; -1 for one of several that an entry stands for.
int PlaceInFile(const capture::Experiment& experiment, const std::string& trial);

/// Numbers as they stand in the file, of a list; empty where there is none.
std::vector<double> TypedNumbers(const std::filesystem::path& file,
                                 const std::vector<std::string>& path);

// Each adds what its part of the file may have been meant to say, where the evidence asks for it.

/// Axes of all places of markers mirrored or exchanged; their diameter.
void SuspectLayout(const Evidence& evidence, std::vector<Hypothesis>* hypotheses);
/// One marker that was typed wrong, or came off.
void SuspectMarkers(const Evidence& evidence, std::vector<Hypothesis>* hypotheses);
/// One length of the shape, or their order.
void SuspectShape(const Evidence& evidence, std::vector<Hypothesis>* hypotheses);
/// The order of typed moments of inertia.
void SuspectInertia(const Evidence& evidence, std::vector<Hypothesis>* hypotheses);
/// Moments that were typed where the body is homogeneous.
void SuspectHomogeneity(const Evidence& evidence, std::vector<Hypothesis>* hypotheses);
/// The moments as flights and impulses show them.
void SuspectMoments(const Evidence& evidence, std::vector<Hypothesis>* hypotheses);
/// The squares of the board, or the unit of the body.
void SuspectScale(const Evidence& evidence, std::vector<Hypothesis>* hypotheses);
/// Which camera a video is of, rolling shutters.
void SuspectCameras(const Evidence& evidence, std::vector<Hypothesis>* hypotheses);
/// Direction of gravity, frame rate.
void SuspectFall(const Evidence& evidence, std::vector<Hypothesis>* hypotheses);
/// Trials of another body.
void SuspectTrials(const Evidence& evidence, std::vector<Hypothesis>* hypotheses);

}  // namespace percuss::pipeline
