// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <stdexcept>

#include "benchmarks/tracking/tracking_table.h"
#include "tests/app/program.h"
#include "tests/base/temporary_folder.h"
#include "tests/tracking/arcs/synthetic_trial.h"
#include "tracking/arcs/impact_arcs.h"

namespace percuss::benchmarks {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using namespace tracking;  // the topic is that library

constexpr double kWrongPx = 2.0;  // farther than this from its marker, a label is wrong
constexpr double kMinAxisPx = 4.0;
constexpr int kLostMarker = 2, kLostFrames = 15;

/// Where a marker truly is in a view's picture of a frame; nothing where it cannot be seen well.
using TruePixel = std::function<std::optional<Eigen::Vector2d>(const TrackedFrame&, int marker,
                                                               int side, bool* visible)>;

struct LabelCount {
  int visible = 0;       ///< sightings that should be labelled
  int labelled = 0;      ///< of these
  int without_spot = 0;  ///< of these: the detection found nothing there
  int wrong = 0;         ///< labels on anything else
  int latest = 0;        ///< frames from coming into view to the first label, the worst of all
  void operator+=(const LabelCount& other) {
    visible += other.visible;
    labelled += other.labelled;
    without_spot += other.without_spot;
    wrong += other.wrong;
    latest = std::max(latest, other.latest);
  }
};

bool HasSpot(const VideoSpots& spots, int frame, const Eigen::Vector2d& pixel) {
  return std::ranges::any_of(spots.frames[static_cast<std::size_t>(frame)].blobs,
                             [&](const Blob& b) { return (b.centre - pixel).norm() < kWrongPx; });
}

LabelCount CountLabels(const std::vector<TrackedFrame>& frames,
                       const std::array<VideoSpots, 2>& spots, int num_markers,
                       const TruePixel& truth) {
  LabelCount count;
  std::map<std::pair<int, int>, int> waiting;  // frames in view, and no label yet
  for (const TrackedFrame& frame : frames) {
    for (int side = 0; side < 2; ++side) {
      const int number = side == 0 ? frame.left_frame : frame.right_frame;
      if (number < 0) continue;
      for (int marker = 0; marker < num_markers; ++marker) {
        bool visible = false;
        const auto pixel = truth(frame, marker, side, &visible);
        const auto label = std::ranges::find_if(frame.observations, [&](const auto& o) {
          return o.marker == marker && o.side == side;
        });
        const bool labelled = label != frame.observations.end();
        const bool right = labelled && pixel && (label->pixel - *pixel).norm() < kWrongPx;
        count.wrong += labelled && !right;
        int& frames_waited = waiting.try_emplace({marker, side}, 0).first->second;
        if (!visible || right) frames_waited = visible ? -1 : 0;
        if (!visible) continue;
        ++count.visible;
        count.labelled += right;
        if (right) continue;
        count.without_spot += !HasSpot(spots[static_cast<std::size_t>(side)], number, *pixel);
        if (frames_waited >= 0) count.latest = std::max(count.latest, ++frames_waited);
      }
    }
  }
  return count;
}

/// A rendered set with its own calibration, spots and truth.
struct RenderedSet {
  capture::Experiment experiment;
  calibration::RigCalibration calibration;
  Views views;
  MarkerLayout layout;
  json truth;
  std::vector<std::array<VideoSpots, 2>> spots;  ///< of each trial
};

RenderedSet ReadSet(const fs::path& data) {
  const testing::TemporaryFolder folder;
  const fs::path file = folder.Path() / "calibration.json";
  const testing::ProgramRun run =
      testing::RunPercuss({"calibrate", (data / "experiment.yaml").string(), "-o", file.string()});
  if (run.exit_code != 0) throw std::runtime_error(run.err);
  RenderedSet set{capture::ReadExperiment(data / "experiment.yaml"),
                  calibration::ReadCalibration(file),
                  {},
                  {},
                  json::parse(std::ifstream(data / "truth.json")),
                  {}};
  set.views = ViewsOf(set.calibration);
  set.layout = LayoutOf(set.experiment.body);
  DetectionOptions detection;
  detection.expected_diameter_px =
      ExpectedMarkerDiameter(set.views, set.experiment.body.marker_diameter);
  for (const capture::Trial& trial : set.experiment.trials) {
    const auto find = [&](const fs::path& video) {
      return FindSpots(video, set.experiment.clock, set.experiment.tone, detection);
    };
    set.spots.push_back({find(trial.left), find(trial.right)});
  }
  return set;
}

double Number(const json& list, std::size_t i) { return list.at(i).get<double>(); }

Eigen::Vector3d Vector(const json& list) {
  return {Number(list, 0), Number(list, 1), Number(list, 2)};
}

TruePixel TruthOf(const RenderedSet& set, const std::string& trial) {
  return [&set, trial](const TrackedFrame& frame, int marker, int side,
                       bool* visible) -> std::optional<Eigen::Vector2d> {
    const auto m = static_cast<std::size_t>(marker);
    const View& view = set.views[static_cast<std::size_t>(side)];
    const json& truth =
        set.truth.at("trials").at(trial).at("cameras").at(side == 0 ? "left" : "right");
    const json& now = truth.at("frames").at(
        static_cast<std::size_t>(side == 0 ? frame.left_frame : frame.right_frame));
    const std::string& name = set.experiment.body.markers[m].name;
    const json& q = now.at("quaternion");
    const BodyPose pose{Vector(now.at("position")),
                        {Number(q, 0), Number(q, 1), Number(q, 2), Number(q, 3)}};
    const Eigen::Vector3d p_W = pose.p_WB + pose.q_WB * set.layout.p_BM[m];
    const double diameter_px =
        view.camera.intrinsics[0] * set.layout.marker_diameter / (view.camera_from_world * p_W).z();
    const double axis_px = MarkerFacing(set.layout, marker, pose, view) * diameter_px;
    const json& list = now.at("markers_px").at(name);
    const Eigen::Vector2d pixel(Number(list, 0), Number(list, 1));
    const Eigen::Vector2d radius = Eigen::Vector2d::Constant(0.5 * diameter_px);
    *visible = now.at("visible").at(name).get<bool>() && axis_px >= kMinAxisPx &&
               InsideImage(view, pixel - radius) && InsideImage(view, pixel + radius);
    return pixel;
  };
}

TrackedTrial LabelTrial(const RenderedSet& set, std::size_t trial,
                        const std::array<VideoSpots, 2>& spots) {
  const auto times = [](const VideoSpots& video) {
    std::vector<double> all;
    for (const FrameBlobs& frame : video.frames) all.push_back(frame.time);
    return all;
  };
  const TrackedBody body{set.views, set.layout, set.experiment.body.body.inertia,
                         set.experiment.trials[trial].gravity};
  const auto alignment = capture::AlignByFlash(spots[0].mean_grey, spots[1].mean_grey,
                                               times(spots[0]), times(spots[1]));
  std::string reason;
  TrackedTrial tracked = LabelSpots(body, spots, alignment, {}, &reason);
  if (!reason.empty()) throw std::runtime_error(reason);
  return tracked;
}

BoundRow AtMost(const std::string& name, const std::string& unit, double measured, double bound) {
  BoundRow row{name, unit, measured};
  row.highest = bound;
  return row;
}

void AddRows(const LabelCount& count, BoundSection* section) {
  section->rows.push_back({"visible sightings", "", static_cast<double>(count.visible)});
  BoundRow share{"labelled right, of these", "%", 100.0 * count.labelled / count.visible};
  share.lowest = 100.0;
  section->rows.push_back(share);
  section->rows.push_back(AtMost("where the detection found no spot", "", count.without_spot, 0.0));
  section->rows.push_back(AtMost("wrong labels", "", count.wrong, 0.0));
  section->rows.push_back(
      AtMost("latest first label after coming into view", "frames", count.latest, 0.0));
}

BoundSection RenderedLabels(const RenderedSet& set, const std::string& name) {
  BoundSection section{
      name + ": labels",
      {},
      {fmt::format("visible: by the truth all of it inside the image, facing the camera, not "
                   "hidden, and its image at least {} px wide across",
                   kMinAxisPx),
       fmt::format("wrong: farther than {} px from the marker", kWrongPx)}};
  LabelCount count;
  for (std::size_t trial = 0; trial < set.spots.size(); ++trial) {
    const TrackedTrial tracked = LabelTrial(set, trial, set.spots[trial]);
    count += CountLabels(tracked.frames, set.spots[trial], static_cast<int>(set.layout.p_BM.size()),
                         TruthOf(set, set.experiment.trials[trial].name));
  }
  AddRows(count, &section);
  return section;
}

/// Squared errors of v before and after of one impact; infinite where there is none.
double SquaredVelocityError(const TrackedTrial& tracked, const capture::MarkedBody& body,
                            const calibration::RigCalibration& calibration,
                            const Eigen::Vector3d& gravity, const Eigen::Vector3d& v,
                            const Eigen::Vector3d& v_post) {
  std::string reason;
  const auto arcs = FindFlightArcs(tracked.frames, gravity);
  const auto guesses = FindImpacts(tracked.frames, arcs, body.body.shape, gravity, {}, &reason);
  if (guesses.size() != 1) return std::numeric_limits<double>::infinity();
  const ImpactFit fit = FitImpactArcs(tracked.frames, guesses[0], LayoutOf(body), body.body.inertia,
                                      gravity, calibration);
  if (!fit.usable) return std::numeric_limits<double>::infinity();
  return 0.5 * ((fit.before.v - v).squaredNorm() + (fit.v_post - v_post).squaredNorm());
}

/// Takes away a fifth of a marker's spots at random, and all of one marker's over fifteen frames.
void Hide(const TruePixel& truth, const std::vector<TrackedFrame>& frames, int num_markers,
          std::mt19937* random, std::array<VideoSpots, 2>* spots) {
  std::bernoulli_distribution hidden(0.2);
  const std::size_t first = frames.size() / 3;
  for (std::size_t k = 0; k < frames.size(); ++k) {
    for (int side = 0; side < 2; ++side) {
      const int number = side == 0 ? frames[k].left_frame : frames[k].right_frame;
      auto& blobs =
          (*spots)[static_cast<std::size_t>(side)].frames[static_cast<std::size_t>(number)].blobs;
      for (int marker = 0; marker < num_markers; ++marker) {
        const bool lost = marker == kLostMarker && k >= first && k < first + kLostFrames;
        if (!hidden(*random) && !lost) continue;
        bool visible = false;
        const auto pixel = truth(frames[k], marker, side, &visible);
        std::erase_if(blobs, [&](const Blob& b) { return (b.centre - *pixel).norm() < kWrongPx; });
      }
    }
  }
}

/// Only what still has a spot counts as visible.
TruePixel StillSeen(const TruePixel& truth, const std::array<VideoSpots, 2>& spots) {
  return [&](const TrackedFrame& frame, int marker, int side, bool* visible) {
    const auto pixel = truth(frame, marker, side, visible);
    *visible = *visible && pixel &&
               HasSpot(spots[static_cast<std::size_t>(side)],
                       side == 0 ? frame.left_frame : frame.right_frame, *pixel);
    return pixel;
  };
}

/// Velocity errors with all spots and with some hidden.
struct Occlusion {
  double squared = 0.0, squared_hidden = 0.0;
  LabelCount count;

  BoundSection Section(const std::string& heading) const {
    BoundSection section{heading, {}, {"20 % of spots hidden at random, one marker for 15 frames"}};
    section.rows.push_back(
        AtMost("velocity rms / that without hiding", "", std::sqrt(squared_hidden / squared), 2.0));
    section.rows.push_back({"spots of markers", "", static_cast<double>(count.visible)});
    section.rows.push_back(AtMost("without a label", "", count.visible - count.labelled, 0.0));
    section.rows.push_back(AtMost("wrong labels", "", count.wrong, 0.0));
    return section;
  }
};

BoundSection RenderedOcclusion(const RenderedSet& set) {
  Occlusion occlusion;
  std::mt19937 random(71);
  for (std::size_t t = 0; t < set.spots.size(); ++t) {
    const capture::Trial& trial = set.experiment.trials[t];
    const json& impact = set.truth.at("trials").at(trial.name).at("impact");
    const auto square = [&](const TrackedTrial& tracked) {
      return SquaredVelocityError(tracked, set.experiment.body, set.calibration, trial.gravity,
                                  Vector(impact.at("pre").at("v")),
                                  Vector(impact.at("post").at("v")));
    };
    const TrackedTrial all = LabelTrial(set, t, set.spots[t]);
    const TruePixel truth = TruthOf(set, trial.name);
    const int num_markers = static_cast<int>(set.layout.p_BM.size());
    constexpr int kDraws = 4;
    for (int draw = 0; draw < kDraws; ++draw) {
      std::array<VideoSpots, 2> spots = set.spots[t];
      Hide(truth, all.frames, num_markers, &random, &spots);
      const TrackedTrial tracked = LabelTrial(set, t, spots);
      occlusion.squared += square(all);
      occlusion.squared_hidden += square(tracked);
      occlusion.count += CountLabels(tracked.frames, spots, num_markers, StillSeen(truth, spots));
    }
  }
  return occlusion.Section("bar-drop: occlusion");
}

TrackedTrial LabelSynthetic(const SyntheticTrial& trial, const std::array<VideoSpots, 2>& spots,
                            std::string* reason) {
  capture::Alignment alignment;
  alignment.found = true;
  const TrackedBody body{ViewsOf(trial.calibration), LayoutOf(trial.body), trial.body.body.inertia,
                         trial.gravity};
  return LabelSpots(body, spots, alignment, {}, reason);
}

BoundSection SyntheticOcclusion() {
  const SyntheticTrial trial = MakeSyntheticTrial();
  const TruePixel truth = [&](const TrackedFrame& frame, int marker, int side, bool* visible) {
    const auto state = trial.StateAt(frame.time);
    *visible = true;
    return std::optional(OpenCvPixel(
        trial.calibration, side,
        state.q_WB * trial.body.markers[static_cast<std::size_t>(marker)].p_BM + state.p_WB));
  };
  const int num_markers = static_cast<int>(trial.body.markers.size());
  Occlusion occlusion;
  std::mt19937 random(72);
  constexpr int kDraws = 20;
  for (int draw = 0; draw < kDraws; ++draw) {
    std::array<VideoSpots, 2> spots = MakeSpots(trial, {.noise_px = 0.1}, &random);
    const auto square = [&](const TrackedTrial& tracked) {
      return SquaredVelocityError(tracked, trial.body, trial.calibration, trial.gravity,
                                  trial.before.v, trial.v_post);
    };
    std::string reason;
    const TrackedTrial all = LabelSynthetic(trial, spots, &reason);
    Hide(truth, all.frames, num_markers, &random, &spots);
    const TrackedTrial tracked = LabelSynthetic(trial, spots, &reason);
    occlusion.squared += square(all);
    occlusion.squared_hidden += square(tracked);
    occlusion.count += CountLabels(tracked.frames, spots, num_markers, StillSeen(truth, spots));
  }
  return occlusion.Section("synthetic bar: occlusion");
}

/// Spots that are nothing, new ones in every frame.
void Scatter(int count, std::mt19937* random, std::array<VideoSpots, 2>* spots) {
  std::uniform_real_distribution<double> x(0.0, 1279.0), y(0.0, 719.0);
  for (VideoSpots& video : *spots) {
    for (FrameBlobs& frame : video.frames) {
      for (int i = 0; i < count; ++i) {
        Blob blob;
        blob.centre = {x(*random), y(*random)};
        blob.covariance = 0.01 * Eigen::Matrix2d::Identity();
        blob.area = 45.0;
        frame.blobs.push_back(blob);
      }
    }
  }
}

/// Time in which a hopeless trial ends, and whether it says why (infinite if it does not).
BoundRow Failure(const std::string& name, const SyntheticTrial& trial,
                 const std::array<VideoSpots, 2>& spots, std::vector<std::string>* remarks) {
  std::string reason;
  const auto begin = std::chrono::steady_clock::now();
  LabelSynthetic(trial, spots, &reason);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  remarks->push_back(fmt::format("{}: {}", name, reason.empty() ? "no reason" : reason));
  return AtMost(name, "s", reason.empty() ? std::numeric_limits<double>::infinity() : time.count(),
                1.0);
}

BoundSection Failures() {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(73);
  BoundSection section{"a trial that cannot be labelled: time until it says why", {}, {}};
  const auto add = [&](const std::string& name, const SyntheticTrial& other,
                       const std::array<VideoSpots, 2>& spots) {
    section.rows.push_back(Failure(name, other, spots, &section.remarks));
  };
  const auto spots = MakeSpots(trial, {.noise_px = 0.1}, &random);
  SyntheticTrial wrong = trial;
  for (std::size_t m = 0; m < wrong.body.markers.size(); ++m)
    wrong.body.markers[m].p_BM.y() += 0.01 * static_cast<double>(m * m);
  add("wrong layout", wrong, spots);

  SyntheticTrial beside = trial;
  beside.before.p_WB += Eigen::Vector3d(-0.02, 0.12, 0.02);
  auto two = spots;
  const auto others = MakeSpots(beside, {.noise_px = 0.1, .clutter = false}, &random);
  for (std::size_t side = 0; side < 2; ++side) {
    for (std::size_t k = 0; k < two[side].frames.size(); ++k) {
      const auto& more = others[side].frames[k].blobs;
      two[side].frames[k].blobs.insert(two[side].frames[k].blobs.end(), more.begin(), more.end());
    }
  }
  add("two bodies", trial, two);

  auto none = spots;
  for (VideoSpots& video : none) {
    for (FrameBlobs& frame : video.frames) frame.blobs.clear();
  }
  add("no spots", trial, none);
  auto many = none;
  Scatter(500, &random, &many);
  add("500 spots in every picture, none a marker", trial, many);
  SyntheticTrial crowded = trial;
  std::uniform_real_distribution<double> x(-0.15, 0.15), y(-0.025, 0.025);
  crowded.body.markers.clear();
  for (int m = 0; m < 500; ++m)
    crowded.body.markers.push_back({fmt::format("M{}", m), {x(random), y(random), 0.00625}});
  add("layout of 500 markers", crowded, spots);
  return section;
}

/// Among spots that are nothing, the body is still found.
BoundSection Crowds() {
  const SyntheticTrial trial = MakeSyntheticTrial();
  BoundSection section{"synthetic bar among other spots: frames with a pose, of 60", {}, {}};
  for (const int count : {50, 100, 200}) {
    std::mt19937 random(74);
    auto spots = MakeSpots(trial, {.noise_px = 0.1}, &random);
    Scatter(count, &random, &spots);
    std::string reason;
    const auto frames = LabelSynthetic(trial, spots, &reason).frames;
    section.rows.push_back({fmt::format("{} per picture", count), "",
                            static_cast<double>(std::ranges::count_if(
                                frames, [](const auto& f) { return f.pose.found; }))});
  }
  return section;
}

}  // namespace

std::vector<BoundSection> MeasureLabels(const fs::path& data) {
  const RenderedSet cube = ReadSet(data / "cube-drop"), bar = ReadSet(data / "bar-drop");
  return {RenderedLabels(cube, "cube-drop"),
          RenderedLabels(bar, "bar-drop"),
          RenderedOcclusion(bar),
          SyntheticOcclusion(),
          Crowds(),
          Failures()};
}

}  // namespace percuss::benchmarks
