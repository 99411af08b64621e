// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <opencv2/core/persistence.hpp>

#include "benchmarks/calibration/calibration_mrcal.h"
#include "benchmarks/calibration/calibration_opencv.h"
#include "benchmarks/calibration/calibration_photographs.h"
#include "benchmarks/calibration/calibration_table.h"
#include "benchmarks/timing.h"
#include "calibration/calibrate.h"
#include "calibration/targets/target.h"
#include "tests/truth.h"

namespace percuss::benchmarks {
namespace {

using calibration::Bundle;
using calibration::RigCalibration;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kLeft02 = 1;  // place of the pair left02, right02

BoundRow AtMost(std::string name, std::string unit, double measured, double bound) {
  return {std::move(name), std::move(unit), measured, -kInfinity, bound};
}

BoundRow Unbounded(std::string name, std::string unit, double measured) {
  return {std::move(name), std::move(unit), measured, -kInfinity, kInfinity};
}

void AddOurs(const RigCalibration& ours, int num_measured, std::vector<BoundRow>* rows) {
  rows->push_back(AtMost("ours: rms of the corners that it uses", "px", ours.rms_px, 0.185));
  rows->push_back(AtMost("ours: rejected corners", "%",
                         100.0 * ours.quality.num_rejected_corners / num_measured, 3.0));
  rows->push_back(AtMost("ours: held-out median of all corners, 5 folds", "px",
                         ours.quality.held_out.median_px, 0.172));
  rows->push_back(AtMost("ours: held-out 90th percentile of all corners, 5 folds", "px",
                         ours.quality.held_out.p90_px, 0.325));
  rows->push_back(
      Unbounded("ours: focal length fx, left", "px", ours.cameras[0].camera.intrinsics[0]));
}

void AddOpenCv(const std::string& name, const OpenCvCorners& corners, OpenCvSettings settings,
               double huber_px, std::vector<BoundRow>* rows) {
  const OpenCvStereo stereo = CalibrateWithOpenCv(corners, settings);
  const std::vector<double> held_out = HeldOutByOpenCv(corners, settings, kNumFolds, huber_px);
  rows->push_back(Unbounded(name + ": rms of all corners", "px", stereo.rms_px));
  rows->push_back(Unbounded(name + ": held-out median", "px", Quantile(held_out, 0.5)));
  rows->push_back(Unbounded(name + ": held-out 90th percentile", "px", Quantile(held_out, 0.9)));
  rows->push_back(
      Unbounded(name + ": focal length fx, left", "px", stereo.matrix[0].at<double>(0, 0)));
}

// mrcal states the rms of coordinates; ours and OpenCV's are of point distances.
void AddMrcal(const Bundle& corners, const capture::Board& board, BoundSection* section) {
  if (!HasMrcal()) {
    section->remarks.push_back("mrcal: mrcal-calibrate-cameras is not installed.");
    return;
  }
  for (const std::string model : {"OPENCV5", "OPENCV8"}) {
    const auto result = RunMrcal(corners, board.columns, board.rows, "LENSMODEL_" + model);
    if (!result) {
      section->remarks.push_back("mrcal " + model + ": mrcal-calibrate-cameras failed.");
      continue;
    }
    const std::string name = "mrcal " + model + " on our corners: ";
    std::vector<BoundRow>& rows = section->rows;
    rows.push_back(Unbounded(name + "rms of what it uses", "px", std::sqrt(2.0) * result->rms_px));
    rows.push_back(Unbounded(name + "rejected corners", "%", 100.0 * result->outliers));
    rows.push_back(Unbounded(name + "focal length fx, left", "px", result->intrinsics[0][0]));
    rows.push_back(Unbounded(name + "time without corners", "s", result->seconds));
  }
}

// Where view left02 stands with either refinement of its corners, other things equal. Poses by
// least squares here, so that the numbers are the rms that programs state.
void AddLeft02(const std::filesystem::path& data, const Bundle& ours, const OpenCvCorners& opencv,
               std::vector<BoundRow>* rows) {
  const auto add = [&](const std::string& name, const Bundle& bundle) {
    rows->push_back(Unbounded("left02, " + name + ": rms of all corners", "px",
                              RmsOfImage(bundle, kLeft02, 0)));
    rows->push_back(
        Unbounded("left02, " + name + ": median image", "px", MedianRmsOfImages(bundle)));
  };
  const auto with_opencv = [](const OpenCvCorners& corners) {
    Bundle bundle = ToBundle(corners, CalibrateWithOpenCv(corners, OpenCvSettings::kFiveTerms));
    FitPoses(&bundle, 0.0);
    return bundle;
  };
  add("our corners and calibration", ours);
  add("our corners, OpenCV five terms", with_opencv(ToOpenCv(ours)));
  add("cornerSubPix, OpenCV five terms", with_opencv(opencv));
  const cv::FileStorage origin((data / "stereo_chessboard_opencv" / "left_intrinsics.yml").string(),
                               cv::FileStorage::READ);
  cv::Mat errors;
  origin["per_view_reprojection_errors"] >> errors;
  rows->push_back(Unbounded("left02, as stated by the origin of the pictures", "px",
                            static_cast<double>(errors.at<float>(kLeft02))));
}

std::string NamedOutliers(const RigCalibration& ours) {
  std::string text = "Views and corners that our calibration names in the 13 pairs:";
  bool any = false;
  for (const calibration::ViewReport& view : ours.views) {
    if (view.reason.empty()) continue;
    text += fmt::format("\n  {}: {}", FilesOf(view), view.reason);
    any = true;
  }
  return any ? text : text + " none.";
}

std::string Verdict(const RigCalibration& ours) {
  std::string text = fmt::format("Our verdict on the 13 pairs: {}", ours.verdict);
  for (const std::string& reason : ours.verdict_reasons) text += "\n  " + reason;
  return text;
}

}  // namespace

BoundSection MeasurePhotographs(const std::filesystem::path& data, int num_threads) {
  const capture::Experiment experiment = Photographs(data);
  const RigCalibration ours =
      calibration::CalibrateRig(experiment, {.num_threads = num_threads, .num_folds = kNumFolds});
  const Bundle corners = OurCorners(experiment, num_threads);
  int num_measured = 0;
  for (const calibration::ViewReport& view : ours.views) {
    for (const calibration::ViewImageReport& image : view.images) {
      num_measured += image.num_measured;
    }
  }
  BoundSection section{"13 real pairs (data/stereo_chessboard_opencv)", {}, {}};
  AddOurs(ours, num_measured, &section.rows);

  const OpenCvCorners opencv_corners = FindOpenCvCorners(experiment);
  const double huber_px = 3.0 * ours.corner_sigma_px;  // as in our own held-out error
  AddOpenCv("OpenCV five terms", opencv_corners, OpenCvSettings::kFiveTerms, huber_px,
            &section.rows);
  AddOpenCv("OpenCV five terms on our corners", ToOpenCv(corners), OpenCvSettings::kFiveTerms,
            huber_px, &section.rows);
  AddOpenCv("OpenCV as its sample", opencv_corners, OpenCvSettings::kSample, huber_px,
            &section.rows);
  AddMrcal(corners, experiment.board, &section);
  AddLeft02(data, WithCameras(corners, ours, 0.0), opencv_corners, &section.rows);
  section.remarks.push_back(NamedOutliers(ours));
  section.remarks.push_back(Verdict(ours));
  return section;
}

BoundSection MeasureBarDrop(const std::filesystem::path& data, int num_threads) {
  const std::filesystem::path folder = data / "bar-drop";
  const RigCalibration truth = truth::Calibration(truth::Read(folder));
  const RigCalibration found =
      calibration::CalibrateRig(capture::ReadExperiment(folder / "experiment.yaml"),
                                {.num_threads = num_threads, .num_folds = kNumFolds});
  const std::vector<std::string> names = ParameterNames(found);
  std::string worst_name;
  double worst = 0.0, focal_sigma = 0.0;
  const auto judge = [&](const std::string& name, double error, double sigma) {
    if (std::abs(error) / sigma <= worst) return;
    worst = std::abs(error) / sigma;
    worst_name = name;
  };
  for (int c = 0; c < 2; ++c) {
    for (int k = 0; k < 6; ++k) {  // fx fy cx cy k1 k2
      const int place = found.Places().Intrinsics(c) + k;
      const auto camera = static_cast<std::size_t>(c), parameter = static_cast<std::size_t>(k);
      const double sigma = std::sqrt(found.covariance(place, place));
      judge(names[static_cast<std::size_t>(place)],
            found.cameras[camera].camera.intrinsics[parameter] -
                truth.cameras[camera].camera.intrinsics[parameter],
            sigma);
      if (k < 2) focal_sigma = std::max(focal_sigma, sigma);
    }
  }
  judge("baseline", found.cameras[1].from_first.t.norm() - truth.cameras[1].from_first.t.norm(),
        BaselineSigma(found, 1));

  const Eigen::Matrix3d turn = found.world_from_first.R * truth.world_from_first.R.transpose();
  const Eigen::Vector3d shift =
      found.CameraFromWorld(0).t - truth.CameraFromWorld(0).t;  // of the origin, in the left camera
  BoundSection section{"rendered pairs against their truth (data/bar-drop)", {}, {}};
  section.rows.push_back(AtMost("surface frame, rotation error", "mrad",
                                1e3 * std::abs(Eigen::AngleAxisd(turn).angle()), 0.5));
  section.rows.push_back(AtMost("surface frame, error of its origin in the left camera", "mm",
                                1e3 * shift.norm(), 0.5));
  section.rows.push_back(
      AtMost(fmt::format("largest error of fx fy cx cy k1 k2, baseline: {}", worst_name), "sigma",
             worst, 3.0));
  section.rows.push_back(AtMost("largest sigma of a focal length", "px", focal_sigma, 1.0));
  return section;
}

BoundSection MeasureTime(const std::filesystem::path& data, int num_threads) {
  constexpr int kRepetitions = 9;
  const capture::Experiment experiment = Photographs(data);
  std::vector<double> ours, sample, ratios;
  for (int repetition = 0; repetition <= kRepetitions; ++repetition) {
    const double our_time = 1e-9 * Nanoseconds([&] {
                              calibration::CalibrateRig(
                                  experiment, {.num_threads = num_threads, .num_folds = kNumFolds});
                            });
    const double sample_time = 1e-9 * Nanoseconds([&] { RunOpenCvSample(experiment); });
    if (repetition == 0) continue;  // files and code were not in memory yet
    ours.push_back(our_time);
    sample.push_back(sample_time);
    ratios.push_back(our_time / sample_time);
  }
  BoundSection section{
      fmt::format("time for the 13 pairs, {} threads each, median of {} interleaved runs",
                  num_threads, kRepetitions),
      {},
      {}};
  section.rows.push_back(Unbounded("ours, from files to verdict", "s", Quantile(ours, 0.5)));
  section.rows.push_back(
      Unbounded("OpenCV's sample, from files to rectifying maps", "s", Quantile(sample, 0.5)));
  section.rows.push_back(AtMost("ours over OpenCV's sample", "", Quantile(ratios, 0.5), 3.0));
  return section;
}

}  // namespace percuss::benchmarks
