// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <fmt/format.h>

#include <array>
#include <random>
#include <string>
#include <utility>

#include "pipeline/diagnosis/diagnosis.h"
#include "pipeline/judgement/changed_calibration.h"
#include "tests/base/temporary_folder.h"
#include "tests/tracking/arcs/synthetic_trial.h"

namespace percuss::pipeline {

/// What is typed of a bar that drops before two cameras; each word as it is right.
struct Typed {
  std::string square = "0.023", gravity = "[0, 0, -9.80665]", diameter = "0.008";
  std::string left = "left.mp4", right = "right.mp4", other = "";
  double y = 1.0;          ///< factor on the y of all markers
  std::string third = "";  ///< place of marker A3; empty: as it is
  std::string size = "[0.3065, 0.0515, 0.0125]", body = "";  ///< more keys of the body
};

/// One drop as its cameras saw it, and an experiment file beside it.
class Laboratory {
 public:
  Laboratory() : trial_(tracking::MakeSyntheticTrial()) {
    trial_.num_frames = 45;  // soon it would touch again, and nothing would hold it
    // An impulse at the corner that touches.
    const Eigen::Matrix3d R = trial_.before.q_WB.toRotationMatrix();
    const Eigen::Vector3d down_B = R.transpose() * Eigen::Vector3d(0, 0, -1);
    const Eigen::Vector3d r = R * solver::SupportPoint(trial_.body.body.shape, down_B);
    const Eigen::Vector3d impulse = trial_.body.body.mass * (trial_.v_post - trial_.before.v);
    trial_.w_post =
        trial_.before.w + R * trial_.body.body.inertia.inverse() * R.transpose() * r.cross(impulse);
    std::mt19937 random(5);
    spots_ = MakeSpots(trial_, {.noise_px = 0.05}, &random);
    for (tracking::VideoSpots& video : spots_) video.mean_grey[4] = 90.0;  // a flash
    for (const char* picture : {"l1.png", "r1.png", "sl.png", "sr.png"}) folder_.Write(picture, "");
  }

  /// As it would be made with a board whose squares are typed so.
  calibration::RigCalibration CalibrationFor(const capture::Experiment& experiment) const {
    return Scaled(trial_.calibration, experiment.board.square / 0.023);
  }

  capture::Experiment ReadTyped(const Typed& typed) const {
    return capture::ReadExperiment(Write(typed));
  }

  Recordings RecordingsOf(const capture::Experiment& experiment, const Typed& typed = {}) const {
    const tracking::Views views = tracking::ViewsOf(CalibrationFor(experiment));
    Recordings recordings(1, tracking::Polarity::kBright);
    // Spots of another size are looked for where another size is typed.
    for (const double diameter : {0.004, 0.008, 0.016}) {
      capture::Experiment other = experiment;
      other.body.marker_diameter = diameter;
      tracking::TrialSpots found;
      found.views = spots_;
      if (typed.left == "right.mp4") std::swap(found.views[0], found.views[1]);
      recordings.Insert(other, experiment.trials[0], views, found);
    }
    return recordings;
  }

  Diagnosis DiagnoseFile(const Typed& typed) const {
    const capture::Experiment experiment = ReadTyped(typed);
    Recordings recordings = RecordingsOf(experiment, typed);
    return Diagnose(experiment, CalibrationFor(experiment), &recordings);
  }

  /// As if it had come off before the trial.
  void LoseMarker(std::size_t marker) {
    for (int side = 0; side < 2; ++side) {
      for (tracking::FrameBlobs& frame : spots_[side].frames) {
        const solver::FlightState<double> state = trial_.StateAt(frame.time);
        const Eigen::Vector2d place = tracking::OpenCvPixel(
            trial_.calibration, side, state.q_WB * trial_.body.markers[marker].p_BM + state.p_WB);
        std::erase_if(frame.blobs, [&](const tracking::Blob& blob) {
          return (blob.centre - place).norm() < 3.0;
        });
      }
    }
  }

  capture::Experiment Read(const Diagnosis& diagnosis) const {
    return capture::ReadExperiment(folder_ / "e.yaml", capture::ExperimentNeeds::kAll,
                                   diagnosis.explanations.at(0).edits);
  }
  const std::filesystem::path& Folder() const { return folder_.Path(); }

 private:
  std::filesystem::path Write(const Typed& typed) const {
    std::string markers;
    for (const capture::Marker& marker : trial_.body.markers) {
      const Eigen::Vector3d& p = marker.p_BM;
      std::string place = fmt::format("[{}, {}, {}]", p.x(), typed.y * p.y(), p.z());
      if (marker.name == "A3" && !typed.third.empty()) place = typed.third;
      markers += fmt::format("{}{}: {}", markers.empty() ? "" : ", ", marker.name, place);
    }
    return folder_.Write(
        "e.yaml",
        fmt::format("board: {{type: chessboard, columns: 9, rows: 6, square: {}}}\n"
                    "calibration: {{left: l1.png, right: r1.png, surface: {{left: sl.png, right: "
                    "sr.png}}}}\n"
                    "gravity: {}\nsynchronisation: {{genlocked: true}}\n{}"
                    "body: {{shape: box, size: {}, mass: 0.185, marker_diameter: {}, {}"
                    "markers: {{{}}}}}\n"
                    "trials:\n  - {{name: a, left: {}, right: {}}}\n",
                    typed.square, typed.gravity, typed.other, typed.size, typed.diameter,
                    typed.body, markers, typed.left, typed.right));
  }

  tracking::SyntheticTrial trial_;
  std::array<tracking::VideoSpots, 2> spots_;
  testing::TemporaryFolder folder_;
};

}  // namespace percuss::pipeline
