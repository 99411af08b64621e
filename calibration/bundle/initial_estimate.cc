// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/bundle/initial_estimate.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <opencv2/calib3d.hpp>
#include <optional>

#include "base/parallel.h"
#include "calibration/bundle/bundle_adjustment.h"
#include "calibration/rig/triangulation.h"

namespace percuss::calibration {
namespace {

constexpr std::size_t kMinPoints = 6;  // for the pose of a view
constexpr double kHuberPx = 1.0;       // distances beyond it count linearly

/// Pose of the board in one camera for each view; nothing where it does not see enough of it.
using PoseList = std::vector<std::optional<Pose>>;

struct Correspondences {
  std::vector<cv::Point3f> board;
  std::vector<cv::Point2f> pixels;
};

Correspondences Measured(const Bundle& bundle, const TargetImage& image) {
  Correspondences result;
  for (std::size_t k = 0; k < image.pixels.size(); ++k) {
    if (image.used[k] == 0) continue;
    const Eigen::Vector3f p = bundle.board[k].cast<float>();
    const Eigen::Vector2f pixel = image.pixels[k].cast<float>();
    result.board.emplace_back(p.x(), p.y(), p.z());
    result.pixels.emplace_back(pixel.x(), pixel.y());
  }
  return result;
}

std::vector<Correspondences> UsableViews(const Bundle& bundle, std::size_t camera) {
  std::vector<Correspondences> views;
  for (const TargetView& view : bundle.views) {
    Correspondences measured = Measured(bundle, view.images[camera]);
    if (measured.board.size() >= kMinPoints) views.push_back(std::move(measured));
  }
  return views;
}

Pose PoseFromVectors(const cv::Mat& rotation, const cv::Mat& translation) {
  Pose pose;
  const auto* r = rotation.ptr<double>();
  const auto* t = translation.ptr<double>();
  pose.R = RotationFromVector({r[0], r[1], r[2]});
  pose.t = {t[0], t[1], t[2]};
  return pose;
}

// The poses of the board from rays, whatever the lens: the best first, and where perspective is
// weak the one that looks nearly the same, tilted the other way (T. Collins, A. Bartoli,
// Infinitesimal plane-based pose estimation, 2014).
std::vector<Pose> BoardPoses(const Camera& camera, const Correspondences& view) {
  std::vector<cv::Point3f> board;
  std::vector<cv::Point2f> rays;
  for (std::size_t k = 0; k < view.board.size(); ++k) {
    const Eigen::Vector2d ray = Unproject(camera, {view.pixels[k].x, view.pixels[k].y});
    if (!ray.allFinite()) continue;
    board.push_back(view.board[k]);
    rays.emplace_back(static_cast<float>(ray.x()), static_cast<float>(ray.y()));
  }
  std::vector<Pose> poses;
  if (board.size() < kMinPoints) return poses;
  const cv::Mat identity = cv::Mat::eye(3, 3, CV_64F);
  std::vector<cv::Mat> rotations, translations;
  try {
    cv::solvePnPGeneric(board, rays, identity, cv::noArray(), rotations, translations, false,
                        cv::SOLVEPNP_IPPE);
    for (std::size_t k = 0; k < rotations.size(); ++k) {
      cv::solvePnPRefineLM(board, rays, identity, cv::noArray(), rotations[k], translations[k]);
      const Pose pose = PoseFromVectors(rotations[k], translations[k]);
      if (pose.R.allFinite() && pose.t.allFinite()) poses.push_back(pose);
    }
  } catch (const cv::Exception&) {
    return poses;
  }
  return poses;
}

std::optional<Pose> BoardPose(const Camera& camera, const Correspondences& view) {
  const std::vector<Pose> poses = BoardPoses(camera, view);
  return poses.empty() ? std::nullopt : std::optional(poses.front());
}

void SetPinhole(double focal, Camera* camera) {
  camera->intrinsics = {focal, focal, 0.5 * (camera->width - 1), 0.5 * (camera->height - 1)};
}

// OpenCV's calibration of one camera; false where it fails or gives no lens that exists.
bool CalibrateBrown(const std::vector<Correspondences>& views, Camera* camera) {
  std::vector<std::vector<cv::Point3f>> board;
  std::vector<std::vector<cv::Point2f>> pixels;
  for (const Correspondences& view : views) {
    board.push_back(view.board);
    pixels.push_back(view.pixels);
  }
  const double longer = std::max(camera->width, camera->height);
  try {
    cv::Mat k, distortion;
    std::vector<cv::Mat> rotations, translations;
    cv::calibrateCamera(
        board, pixels, cv::Size(camera->width, camera->height), k, distortion, rotations,
        translations, cv::CALIB_FIX_K3,
        cv::TermCriteria(cv::TermCriteria::COUNT + cv::TermCriteria::EPS, 30, 1e-9));
    const auto* d = distortion.ptr<double>();
    camera->intrinsics = {k.at<double>(0, 0),
                          k.at<double>(1, 1),
                          k.at<double>(0, 2),
                          k.at<double>(1, 2),
                          d[0],
                          d[1],
                          d[2],
                          d[3]};
    // Where its memory lies changes the thirteenth digit, and with it the last ones of all that
    // follows; a start may as well be coarser.
    for (double& value : camera->intrinsics) value = static_cast<float>(value);
  } catch (const cv::Exception&) {
    return false;
  }
  const auto exists = [&](double focal) { return focal > 0.1 * longer && focal < 50.0 * longer; };
  return std::all_of(camera->intrinsics.begin(), camera->intrinsics.end(),
                     [](double value) { return std::isfinite(value); }) &&
         exists(camera->intrinsics[0]) && exists(camera->intrinsics[1]);
}

// Mean distance of measured and projected points of one view, cut so that a wrong one costs no more
// than a bad one.
double MeanDistance(const Camera& camera, const Pose& pose, const Correspondences& view) {
  constexpr double kWorst = 30.0;  // [px]
  double sum = 0.0;
  for (std::size_t k = 0; k < view.board.size(); ++k) {
    const Eigen::Vector3d p_C =
        pose * Eigen::Vector3d(view.board[k].x, view.board[k].y, view.board[k].z);
    const double distance =
        p_C.z() > 0.0
            ? (Project(camera, p_C) - Eigen::Vector2d(view.pixels[k].x, view.pixels[k].y)).norm()
            : kWorst;
    sum += distance < kWorst ? distance : kWorst;  // also for NaN
  }
  return sum / static_cast<double>(view.board.size());
}

// The focal length of an undistorted lens of this model that explains the views best, over the
// range from a fisheye to a telephoto lens.
void ScanFocalLength(const std::vector<Correspondences>& views, Camera* camera) {
  constexpr double kShortest = 0.2, kLongest = 10.0, kRatio = 1.15;
  const double longer = std::max(camera->width, camera->height);
  double best = std::numeric_limits<double>::infinity(), best_focal = longer;
  for (double focal = kShortest * longer; focal < kLongest * longer; focal *= kRatio) {
    SetPinhole(focal, camera);
    double misfit = 0.0;
    for (const Correspondences& view : views) {
      const std::optional<Pose> pose = BoardPose(*camera, view);
      misfit += pose ? MeanDistance(*camera, *pose, view) : 1e3;
    }
    if (misfit < best) {
      best = misfit;
      best_focal = focal;
    }
  }
  SetPinhole(best_focal, camera);
}

PoseList PosesInCamera(const Bundle& bundle, std::size_t camera) {
  PoseList poses;
  for (const TargetView& view : bundle.views) {
    const Correspondences measured = Measured(bundle, view.images[camera]);
    poses.push_back(measured.board.size() < kMinPoints
                        ? std::nullopt
                        : BoardPose(bundle.cameras[camera], measured));
  }
  return poses;
}

// Adjusts one camera alone, so that lens models without a start of their own have one.
void AdjustAlone(const Bundle& bundle, std::size_t camera, Camera* adjusted) {
  Bundle alone{.board = bundle.board,
               .shape = {},
               .cameras = {*adjusted},
               .camera_from_first = {Pose{}},
               .views = {},
               .distances = {},
               .model = {.free_warp = false}};
  const PoseList poses = [&] {
    Bundle start = bundle;
    start.cameras[camera] = *adjusted;
    return PosesInCamera(start, camera);
  }();
  for (std::size_t v = 0; v < bundle.views.size(); ++v) {
    if (!poses[v]) continue;
    alone.views.push_back(
        {.images = {bundle.views[v].images[camera]}, .board_from_first = poses[v]->Inverse()});
  }
  if (alone.views.size() < 2) return;
  AdjustBundle(&alone, {.huber_px = kHuberPx, .max_num_iterations = 50});
  *adjusted = alone.cameras.front();
}

Camera CalibrateAlone(const Bundle& bundle, std::size_t place) {
  Camera camera = bundle.cameras[place];
  const std::vector<Correspondences> views = UsableViews(bundle, place);
  if (camera.lens == LensModel::kFisheye) {
    ScanFocalLength(views, &camera);
    AdjustAlone(bundle, place, &camera);
  } else if (!CalibrateBrown(views, &camera)) {
    constexpr double kFocalOfWidth = 1.2;  // 45 degrees across
    SetPinhole(kFocalOfWidth * std::max(camera.width, camera.height), &camera);
  }
  return camera;
}

// An image with its points renumbered: the one at place k is the point order[k].
TargetImage Renumbered(const TargetImage& image, const std::vector<std::size_t>& order) {
  TargetImage result = image;
  for (std::size_t k = 0; k < image.pixels.size(); ++k) {
    result.pixels[order[k]] = image.pixels[k];
    result.used[order[k]] = image.used[k];
    if (!image.centroids.empty()) result.centroids[order[k]] = image.centroids[k];
  }
  return result;
}

// The motion of the board onto itself that takes point k to point order[k].
Pose Symmetry(const std::vector<Eigen::Vector3d>& board, const std::vector<std::size_t>& order) {
  Eigen::Matrix3Xd from(3, board.size()), to(3, board.size());
  for (std::size_t k = 0; k < board.size(); ++k) {
    from.col(static_cast<Eigen::Index>(k)) = board[k];
    to.col(static_cast<Eigen::Index>(k)) = board[order[k]];
  }
  const Eigen::Matrix4d motion = Eigen::umeyama(from, to, false);
  return {motion.topLeftCorner<3, 3>(), motion.topRightCorner<3, 1>()};
}

// How well one camera at a pose fits the board poses that are known, and with which numbering of
// each view.
struct Fit {
  double misfit = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> order;  // [view]
};

Fit FitOfPose(const Bundle& bundle, std::size_t camera, const Pose& camera_from_first,
              const PoseList& first_from_board, const PointOrders& orders) {
  Fit fit{.misfit = 0.0, .order = std::vector<std::size_t>(bundle.views.size(), 0)};
  for (std::size_t v = 0; v < bundle.views.size(); ++v) {
    if (!first_from_board[v]) continue;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t o = 0; o < orders.size(); ++o) {
      const Correspondences measured =
          Measured(bundle, Renumbered(bundle.views[v].images[camera], orders[o]));
      if (measured.board.empty()) break;
      const double distance =
          MeanDistance(bundle.cameras[camera], camera_from_first * *first_from_board[v], measured);
      if (distance >= least) continue;
      least = distance;
      fit.order[v] = o;
    }
    if (std::isfinite(least)) fit.misfit += least;
  }
  return fit;
}

// Places a camera by the view and numbering that explain all others best; false if it shares no
// view with the cameras placed before.
bool PlaceCamera(std::size_t camera, const PointOrders& orders, Bundle* bundle,
                 PoseList* first_from_board) {
  const PoseList camera_from_board = PosesInCamera(*bundle, camera);
  Fit best;
  for (std::size_t v = 0; v < bundle->views.size(); ++v) {
    if (!camera_from_board[v] || !(*first_from_board)[v]) continue;
    for (const std::vector<std::size_t>& order : orders) {
      const Pose camera_from_first = *camera_from_board[v] *
                                     Symmetry(bundle->board, order).Inverse() *
                                     (*first_from_board)[v]->Inverse();
      Fit fit = FitOfPose(*bundle, camera, camera_from_first, *first_from_board, orders);
      if (fit.misfit >= best.misfit) continue;
      best = std::move(fit);
      bundle->camera_from_first[camera] = camera_from_first;
    }
  }
  if (best.order.empty()) return false;
  for (std::size_t v = 0; v < bundle->views.size(); ++v) {
    TargetImage& image = bundle->views[v].images[camera];
    image = Renumbered(image, orders[best.order[v]]);
    // Views that no camera has seen before are numbered by this one.
    if (!(*first_from_board)[v] && camera_from_board[v]) {
      (*first_from_board)[v] = bundle->camera_from_first[camera].Inverse() * *camera_from_board[v];
    }
  }
  return true;
}

// The mean distance of measured and projected points of a view, summed over the cameras.
double MeanDistanceInAll(const Bundle& bundle, const std::vector<Correspondences>& seen,
                         const Pose& first_from_board) {
  double sum = 0.0;
  for (std::size_t c = 0; c < seen.size(); ++c) {
    if (seen[c].board.empty()) continue;
    const Pose camera_from_board = bundle.camera_from_first[c] * first_from_board;
    sum += MeanDistance(bundle.cameras[c], camera_from_board, seen[c]);
  }
  return sum;
}

// The pose that all cameras agree on best, near one that a single camera allows.
Pose AdjustPose(const Bundle& bundle, const TargetView& view, const Pose& first_from_board) {
  Bundle alone{.board = bundle.board,
               .shape = bundle.shape,
               .cameras = bundle.cameras,
               .camera_from_first = bundle.camera_from_first,
               .views = {view},
               .distances = {},
               .model = bundle.model};
  alone.views.front().board_from_first = first_from_board.Inverse();
  AdjustBundle(&alone, {.huber_px = kHuberPx, .poses_only = true, .max_num_iterations = 20});
  return alone.views.front().board_from_first.Inverse();
}

// Of the poses of a view that single cameras allow, the one that all cameras agree on clearly
// better than on its present one.
std::optional<Pose> OtherTilt(const Bundle& bundle, const TargetView& view) {
  constexpr double kClearly = 0.95;  // of the misfit; less may be noise
  constexpr double kHopeless = 5.0;  // times the misfit: too far to be adjusted below it
  constexpr double kTurn = 0.1;      // [rad]; a nearer pose is the same one
  std::vector<Correspondences> seen;
  for (const TargetImage& image : view.images) seen.push_back(Measured(bundle, image));
  const Pose present = view.board_from_first.Inverse();
  const double misfit = MeanDistanceInAll(bundle, seen, present);
  double least = kClearly * misfit;
  std::optional<Pose> best;
  for (std::size_t c = 0; c < seen.size(); ++c) {
    for (const Pose& camera_from_board : BoardPoses(bundle.cameras[c], seen[c])) {
      Pose pose = bundle.camera_from_first[c].Inverse() * camera_from_board;
      const Eigen::AngleAxisd turn(present.R.transpose() * pose.R);
      if (turn.angle() < kTurn) continue;
      if (MeanDistanceInAll(bundle, seen, pose) > kHopeless * misfit) continue;
      pose = AdjustPose(bundle, view, pose);
      const double distance = MeanDistanceInAll(bundle, seen, pose);
      if (distance >= least) continue;
      least = distance;
      best = pose;
    }
  }
  return best;
}

// Whether any view has another pose now.
bool ResolveTilts(Bundle* bundle) {
  bool turned = false;
  for (TargetView& view : bundle->views) {
    const std::optional<Pose> other = OtherTilt(*bundle, view);
    if (!other) continue;
    view.board_from_first = other->Inverse();
    turned = true;
  }
  return turned;
}

void PlaceKnownDistances(Bundle* bundle) {
  for (KnownDistance& known : bundle->distances) {
    for (std::size_t end = 0; end < 2; ++end) {
      std::vector<Sight> sights;
      for (std::size_t c = 0; c < bundle->cameras.size(); ++c) {
        if (!known.pixels[c][end].allFinite()) continue;
        sights.push_back({.view = {bundle->cameras[c], bundle->camera_from_first[c]},
                          .pixel = known.pixels[c][end]});
      }
      const std::optional<TriangulatedPoint> point = Triangulate(sights);
      known.p_first[end] =
          point ? point->p_W : Eigen::Vector3d::Constant(std::numeric_limits<double>::quiet_NaN());
    }
  }
}

}  // namespace

PointOrders PossibleOrders(const capture::Board& board, bool order_known) {
  const auto columns = static_cast<std::size_t>(board.columns);
  const auto rows = static_cast<std::size_t>(board.rows);
  const std::size_t size = columns * rows;
  std::vector<std::size_t> identity(size), half_turn(size), quarter_turn(size);
  for (std::size_t k = 0; k < size; ++k) {
    identity[k] = k;
    half_turn[k] = size - 1 - k;
  }
  if (order_known) return {identity};
  const bool quarter_turns =
      columns == rows && board.type != capture::Board::Type::kAsymmetricCircles;
  if (!quarter_turns) return {identity, half_turn};
  std::vector<std::size_t> back(size);
  for (std::size_t k = 0; k < size; ++k) {
    quarter_turn[k] = (columns - 1 - k % columns) * columns + k / columns;
    back[quarter_turn[k]] = k;
  }
  return {identity, half_turn, quarter_turn, back};
}

bool EstimateStart(Bundle* bundle, const PointOrders& orders, int num_threads) {
  std::vector<Camera> cameras(bundle->cameras.size());
  ParallelFor(static_cast<int>(cameras.size()), num_threads,
              [&](int k) { cameras[k] = CalibrateAlone(*bundle, static_cast<std::size_t>(k)); });
  bundle->cameras = cameras;
  bundle->camera_from_first.assign(cameras.size(), Pose{});

  PoseList first_from_board = PosesInCamera(*bundle, 0);
  // In as many passes as it takes: a camera may be linked to the first only through a later one.
  std::vector<std::size_t> open;
  for (std::size_t c = 1; c < cameras.size(); ++c) open.push_back(c);
  for (std::size_t before = open.size() + 1; !open.empty() && open.size() < before;) {
    before = open.size();
    std::erase_if(open, [&](std::size_t camera) {
      return PlaceCamera(camera, orders, bundle, &first_from_board);
    });
  }
  for (std::size_t v = 0; v < bundle->views.size(); ++v) {
    if (first_from_board[v]) bundle->views[v].board_from_first = first_from_board[v]->Inverse();
  }
  ResolveTilts(bundle);
  PlaceKnownDistances(bundle);
  return open.empty();
}

BoardPlace PlaceBoard(const PointOrders& orders, Bundle* bundle) {
  TargetView& view = bundle->views.front();
  BoardPlace place;
  const std::vector<Pose> first_poses =
      BoardPoses(bundle->cameras[0], Measured(*bundle, view.images[0]));
  if (first_poses.empty()) return place;
  place = {.found = true};
  Pose first_from_board = first_poses.front();
  for (std::size_t c = 1; c < bundle->cameras.size(); ++c) {
    const Pose& rig = bundle->camera_from_first[c];
    double least = std::numeric_limits<double>::infinity();
    std::size_t order_found = 0;
    Pose seen;
    for (const Pose& camera_from_board :
         BoardPoses(bundle->cameras[c], Measured(*bundle, view.images[c]))) {
      for (std::size_t o = 0; o < orders.size(); ++o) {
        for (const Pose& first : first_poses) {
          const Pose between =
              camera_from_board * Symmetry(bundle->board, orders[o]).Inverse() * first.Inverse();
          const double angle = Eigen::AngleAxisd(between.R * rig.R.transpose()).angle();
          if (!(angle < least)) continue;
          least = angle;
          order_found = o;
          seen = between;
          first_from_board = first;
        }
      }
    }
    place.found = place.found && std::isfinite(least);
    place.angle = std::max(place.angle, least);
    place.length_ratio = rig.t.norm() / seen.t.norm();
    view.images[c] = Renumbered(view.images[c], orders[order_found]);
  }
  view.board_from_first = first_from_board.Inverse();
  return place;
}

AdjustmentSummary AdjustPosesAndTilts(Bundle* bundle, const AdjustmentOptions& options) {
  constexpr int kMaxRounds = 5;
  AdjustmentSummary summary = AdjustBundle(bundle, options);
  for (int round = 0; round < kMaxRounds && ResolveTilts(bundle); ++round) {
    summary = AdjustBundle(bundle, options);
  }
  return summary;
}

}  // namespace percuss::calibration
