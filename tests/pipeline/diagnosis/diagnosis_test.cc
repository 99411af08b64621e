// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/diagnosis/diagnosis.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <random>

#include "tests/base/temporary_folder.h"
#include "tests/tracking/arcs/synthetic_trial.h"

namespace percuss::pipeline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

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

  Diagnosis DiagnoseFile(const Typed& typed) {
    const capture::Experiment experiment = capture::ReadExperiment(Write(typed));
    calibration::RigCalibration calibration = trial_.calibration;
    const double scale = experiment.board.square / 0.023;  // as it would be calibrated
    calibration.cameras[1].from_first.t *= scale;
    calibration.world_from_first.t *= scale;
    const tracking::Views views = tracking::ViewsOf(calibration);
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
    return Diagnose(experiment, calibration, &recordings);
  }

  capture::Experiment Read(const Diagnosis& diagnosis) const {
    return capture::ReadExperiment(folder_ / "e.yaml", capture::ExperimentNeeds::kAll,
                                   diagnosis.explanations.at(0).edits);
  }
  const std::filesystem::path& Folder() const { return folder_.Path(); }

 private:
  std::filesystem::path Write(const Typed& typed) {
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

std::vector<std::string> KindsOf(const Diagnosis& diagnosis) {
  std::vector<std::string> kinds;
  for (const Hypothesis& one : diagnosis.explanations) kinds.push_back(one.kind);
  return kinds;
}

TEST(Diagnosis, OfARightFileIsEmptyAndTriesNothing) {
  const Diagnosis diagnosis = Laboratory().DiagnoseFile({});
  EXPECT_THAT(diagnosis.complaints, IsEmpty());
  EXPECT_EQ(diagnosis.tried, 0);
  EXPECT_FALSE(diagnosis.IsKnown());
}

TEST(Diagnosis, NamesTheSquareOfAnotherBoard) {
  Laboratory laboratory;
  const Diagnosis diagnosis = laboratory.DiagnoseFile({.square = "0.025"});
  ASSERT_THAT(KindsOf(diagnosis), ElementsAre("square of the board"));
  EXPECT_TRUE(diagnosis.IsKnown());
  EXPECT_EQ(diagnosis.explanations[0].write, "square: 0.023");
  const capture::Experiment mended = laboratory.Read(diagnosis);
  EXPECT_EQ(mended.board.square, 0.023);
  const auto lines = DiagnosisLines(mended, diagnosis);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], HasSubstr("board.square (line 1) is 0.025"));
}

TEST(Diagnosis, NamesAMirroredLayoutByAllAxesThatMakeTheSameImpacts) {
  Laboratory laboratory;
  const Diagnosis diagnosis = laboratory.DiagnoseFile({.y = -1.0});
  EXPECT_THAT(KindsOf(diagnosis),
              ElementsAre("mirrored layout", "mirrored layout", "mirrored layout"));
  EXPECT_TRUE(diagnosis.IsKnown());
  EXPECT_THAT(DiagnosisLines(laboratory.Read(diagnosis), diagnosis).back(),
              HasSubstr("it makes no difference"));
}

TEST(Diagnosis, NamesADiameterThatIsTypedTwice) {
  const Diagnosis diagnosis = Laboratory().DiagnoseFile({.diameter = "0.016"});
  ASSERT_THAT(KindsOf(diagnosis), ElementsAre("marker diameter"));
  EXPECT_EQ(diagnosis.explanations[0].write, "marker_diameter: 0.008");
}

TEST(Diagnosis, NamesExchangedVideos) {
  const Diagnosis diagnosis = Laboratory().DiagnoseFile({.left = "right.mp4", .right = "left.mp4"});
  ASSERT_THAT(KindsOf(diagnosis), ElementsAre("exchanged cameras"));
  EXPECT_EQ(diagnosis.explanations[0].edits[0].value, "left.mp4");
}

TEST(Diagnosis, NamesTheDirectionOfGravity) {
  const Diagnosis diagnosis = Laboratory().DiagnoseFile({.gravity = "[0, -9.80665, 0]"});
  ASSERT_THAT(KindsOf(diagnosis), ElementsAre("direction of gravity"));
  EXPECT_EQ(diagnosis.explanations[0].write, "gravity: [0, 0, -9.80665]");
}

TEST(Diagnosis, NamesTheSlopeThatWasForgotten) {
  Laboratory laboratory;
  const Diagnosis diagnosis = laboratory.DiagnoseFile({.gravity = "[2.04, 0, -9.592]"});
  ASSERT_THAT(KindsOf(diagnosis), ElementsAre("slope"));
  EXPECT_LT((laboratory.Read(diagnosis).trials[0].gravity - Eigen::Vector3d(0, 0, -9.80665)).norm(),
            0.15);
}

TEST(Diagnosis, NamesAMarkerThatIsElsewhere) {
  const Diagnosis diagnosis = Laboratory().DiagnoseFile({.third = "[-0.0215, -0.0155, 0.00625]"});
  ASSERT_THAT(KindsOf(diagnosis), ElementsAre("place of a marker"));
  EXPECT_EQ(diagnosis.explanations[0].write, "A3: [-0.0215, 0.0155, 0.00625]");
}

TEST(Diagnosis, NamesTheOrderOfTheLengths) {
  const Diagnosis diagnosis = Laboratory().DiagnoseFile({.size = "[0.0515, 0.3065, 0.0125]"});
  ASSERT_THAT(KindsOf(diagnosis), ElementsAre("order of the lengths"));
  EXPECT_EQ(diagnosis.explanations[0].write, "size: [0.3065, 0.0515, 0.0125]");
}

TEST(Diagnosis, NamesTheOrderOfTheMoments) {
  // Of the homogeneous box, the first two exchanged.
  const Diagnosis diagnosis =
      Laboratory().DiagnoseFile({.body = "inertia: [1.450685e-3, 4.329771e-5, 1.489165e-3], "});
  ASSERT_THAT(KindsOf(diagnosis), ElementsAre("order of the moments"));
  EXPECT_TRUE(diagnosis.IsKnown());
}

TEST(Diagnosis, NamesMomentsThatAreTooLarge) {
  const Diagnosis diagnosis =
      Laboratory().DiagnoseFile({.body = "inertia: [8.659542e-5, 2.90137e-3, 2.97833e-3], "});
  ASSERT_THAT(KindsOf(diagnosis), ElementsAre("moments of inertia"));
  EXPECT_EQ(NameOf(diagnosis.explanations[0].path), "body.inertia");
}

TEST(Diagnosis, NamesNoLineWhereTwoAreWrong) {
  const Diagnosis diagnosis =
      Laboratory().DiagnoseFile({.square = "0.025", .gravity = "[0, -9.80665, 0]", .y = -1.0});
  EXPECT_THAT(diagnosis.complaints, Not(IsEmpty()));
  EXPECT_THAT(diagnosis.explanations, IsEmpty());
  EXPECT_FALSE(diagnosis.IsKnown());
}

}  // namespace
}  // namespace percuss::pipeline
