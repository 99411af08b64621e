// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/ball/camera_shake.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "base/math/statistics.h"
#include "tracking/ball/moving_things.h"

namespace percuss::tracking {
namespace {

constexpr std::size_t kLeastEdges = 50, kMostEdgePixels = 12000;

/// A place of the reference that tells how the picture moved.
struct EdgePixel {
  Eigen::Vector2d pixel;  ///< of the small picture
  double value = 0.0;
  /// Of the grey value there by w, offset and gain.
  Eigen::Matrix<double, 5, 1> by;
};

struct SmallCamera {
  double focal = 1.0;
  Eigen::Vector2d middle = Eigen::Vector2d::Zero();

  Eigen::Vector2d Turned(const Eigen::Vector2d& pixel, const Eigen::Vector3d& w) const {
    const Eigen::Vector3d p((pixel.x() - middle.x()) / focal, (pixel.y() - middle.y()) / focal,
                            1.0);
    const Eigen::Vector3d turned = p + w.cross(p);
    return middle + focal * turned.head<2>() / turned.z();
  }
};

/// The slopes of one place of a smooth picture [grey values per pixel].
struct Slope {
  int x = 0, y = 0;
  float dx = 0.0f, dy = 0.0f;
};

/// The steepest places in x and in y, half as many of each as are wanted: of a plain ground before
/// a plain wall the line between them shows how the picture moved across it, and only faint spots
/// how it moved along.
std::vector<Slope> SteepestOf(const std::vector<Slope>& some, std::size_t most) {
  std::vector<Slope> all = some;
  if (all.size() <= most) return all;
  const auto half = static_cast<std::ptrdiff_t>(most / 2);
  const auto by = [](float Slope::*part) {
    return [part](const Slope& slope) { return std::abs(slope.*part); };
  };
  std::ranges::nth_element(all, all.begin() + half, std::greater(), by(&Slope::dx));
  std::ranges::nth_element(all.begin() + half, all.begin() + 2 * half, all.end(), std::greater(),
                           by(&Slope::dy));
  all.resize(2 * static_cast<std::size_t>(half));
  std::ranges::sort(all, {}, [](const Slope& slope) { return std::pair(slope.y, slope.x); });
  return all;
}

std::vector<Slope> EvenlyOf(const std::vector<Slope>& all, std::size_t most) {
  if (all.size() <= most) return all;
  std::vector<Slope> some;
  const double every = static_cast<double>(all.size()) / static_cast<double>(most);
  for (double at = 0.0; at < static_cast<double>(all.size()); at += every)
    some.push_back(all[static_cast<std::size_t>(at)]);
  return some;
}

/// Which places tell how a picture moved.
struct EdgeChoice {
  float least = 0.0f;     ///< slope [grey values per pixel]
  bool steepest = false;  ///< of too many the steepest, else some of all
};

std::vector<EdgePixel> EdgePixelsOf(const cv::Mat& smooth, const SmallCamera& camera,
                                    const EdgeChoice& choice) {
  std::vector<Slope> slopes;
  for (int y = 3; y + 3 < smooth.rows; ++y) {
    for (int x = 3; x + 3 < smooth.cols; ++x) {
      const float dx = 0.5f * (smooth.at<float>(y, x + 1) - smooth.at<float>(y, x - 1));
      const float dy = 0.5f * (smooth.at<float>(y + 1, x) - smooth.at<float>(y - 1, x));
      if (dx * dx + dy * dy >= choice.least * choice.least) slopes.push_back({x, y, dx, dy});
    }
  }
  const auto thin = choice.steepest ? SteepestOf : EvenlyOf;
  std::vector<EdgePixel> edges;
  for (const auto& [x, y, dx, dy] : thin(slopes, kMostEdgePixels)) {
    EdgePixel& edge = edges.emplace_back();
    edge.pixel = {x, y};
    edge.value = static_cast<double>(smooth.at<float>(y, x));
    const double a = (x - camera.middle.x()) / camera.focal;
    const double b = (y - camera.middle.y()) / camera.focal;
    const double gx = camera.focal * static_cast<double>(dx);
    const double gy = camera.focal * static_cast<double>(dy);
    edge.by << -gx * a * b - gy * (1.0 + b * b), gx * (1.0 + a * a) + gy * a * b, -gx * b + gy * a,
        1.0, edge.value - 128.0;
  }
  return edges;
}

double Bilinear(const cv::Mat& picture, const Eigen::Vector2d& at) {
  const auto x = static_cast<int>(at.x()), y = static_cast<int>(at.y());
  const double u = at.x() - x, v = at.y() - y;
  const float *row = picture.ptr<float>(y) + x, *next = picture.ptr<float>(y + 1) + x;
  return (1.0 - v) * ((1.0 - u) * static_cast<double>(row[0]) + u * static_cast<double>(row[1])) +
         v * ((1.0 - u) * static_cast<double>(next[0]) + u * static_cast<double>(next[1]));
}

struct Alignment {
  Eigen::Vector3d turn = Eigen::Vector3d::Zero();
  double sigma_px = 0.0;  ///< of the middle of the small picture
  /// Median residual of the edges, of how much these differ; where they say nothing, infinite.
  double misfit = std::numeric_limits<double>::infinity();
  double seen = 0.0;  ///< share of the edges that the picture shows

  /// @param usual misfits of other pictures: all are large where the noise is
  bool Found(const std::vector<double>& usual) const {
    constexpr double kMostMisfit = 0.5, kOfUsual = 3.0, kLeastSeen = 0.3;
    const double most = usual.empty() ? 1.0 : std::max(kMostMisfit, kOfUsual * Median(usual));
    return misfit < most && seen > kLeastSeen;
  }
};

/// Median distance of the values of all edges from their median.
double ContrastOf(const std::vector<EdgePixel>& edges) {
  std::vector<double> values;
  for (const EdgePixel& edge : edges) values.push_back(edge.value);
  const double middle = Median(values);
  for (double& value : values) value = std::abs(value - middle);
  return std::max(1.0, Median(values));
}

/// The turn of one picture, from a start near it.
Alignment AlignOne(const std::vector<EdgePixel>& edges, const cv::Mat& smooth,
                   const SmallCamera& camera, const Eigen::Vector3d& start) {
  using Five = Eigen::Matrix<double, 5, 1>;
  Five unknown = Five::Zero();
  unknown.head<3>() = start;
  Alignment result{.turn = start};
  const double contrast = ContrastOf(edges);
  for (int round = 0; round < 12; ++round) {
    Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(5, 5);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(5);
    std::vector<double> residuals;
    std::vector<const EdgePixel*> inside;
    for (const EdgePixel& edge : edges) {
      const Eigen::Vector2d at = camera.Turned(edge.pixel, unknown.head<3>());
      if (at.x() < 0.0 || at.y() < 0.0 || at.x() >= smooth.cols - 1 || at.y() >= smooth.rows - 1)
        continue;
      residuals.push_back(Bilinear(smooth, at) - edge.value - unknown[3] -
                          unknown[4] * (edge.value - 128.0));
      inside.push_back(&edge);
    }
    result.seen = static_cast<double>(inside.size()) / static_cast<double>(edges.size());
    result.misfit = std::numeric_limits<double>::infinity();
    if (inside.size() < kLeastEdges) return result;
    std::vector<double> sizes;
    for (const double r : residuals) sizes.push_back(std::abs(r));
    const double median = Median(sizes);
    // Another picture fits best with its light turned down, or inverted.
    constexpr double kMostGain = 0.6;
    if (std::abs(unknown[4]) < kMostGain) result.misfit = median / contrast;
    const double scale = std::max(0.3, 1.4826 * median);
    double squares = 0.0, weights = 0.0;
    for (std::size_t k = 0; k < inside.size(); ++k) {
      const double z = residuals[k] / (3.0 * scale);
      const double w = z * z < 1.0 ? std::pow(1.0 - z * z, 2) : 0.0;
      // The picture moved by d shows at x what the reference has at x - d: the residual falls with
      // the gradient of the reference times what the step adds.
      Five by = inside[k]->by;
      by.tail<2>() *= -1.0;
      for (int j = 0; j < 5; ++j) {
        for (int i = 0; i < 5; ++i) normal(i, j) += w * by[i] * by[j];
        right[j] -= w * residuals[k] * by[j];
      }
      squares += w * residuals[k] * residuals[k];
      weights += w;
    }
    // What the pictures do not show at all stays where it is.
    normal.diagonal().array() += 1e-9 * normal.trace() + 1e-12;
    const Eigen::VectorXd step = normal.ldlt().solve(right);
    if (!step.allFinite()) return result;
    unknown += step;
    result.turn = unknown.head<3>();
    // Smoothing correlates neighbours: some ten pixels make one measurement.
    const Eigen::MatrixXd inverse =
        normal.ldlt().solve(Eigen::MatrixXd::Identity(5, 5)) * (10.0 * squares / weights);
    result.sigma_px = camera.focal * std::sqrt(std::max(inverse(0, 0), inverse(1, 1)));
    if (camera.focal * step.head<3>().norm() < 2e-4) break;
  }
  return result;
}

/// A quarter as large: enough to see how far it moved as a whole.
cv::Mat Coarse(const cv::Mat& smooth) {
  cv::Mat half, quarter;
  cv::pyrDown(smooth, half);
  cv::pyrDown(half, quarter);
  return quarter;
}

/// The turn of one picture: from that of its neighbour, or from the shift at which the whole
/// picture is most like the reference, whichever leaves less misfit. A knock moves a picture
/// farther than its edges are wide.
Alignment AlignFrom(const std::vector<EdgePixel>& edges, const cv::Mat& coarse_reference,
                    const cv::Mat& smooth, const SmallCamera& camera,
                    const Eigen::Vector3d& neighbour) {
  const Alignment near = AlignOne(edges, smooth, camera, neighbour);
  cv::Mat window;
  cv::createHanningWindow(window, coarse_reference.size(), CV_32F);
  const cv::Point2d shift = 4.0 * cv::phaseCorrelate(coarse_reference, Coarse(smooth), window);
  const Eigen::Vector3d turn(-shift.y / camera.focal, shift.x / camera.focal, 0.0);
  if (camera.focal * (turn - near.turn).head<2>().norm() < 2.0) return near;
  const Alignment far = AlignOne(edges, smooth, camera, turn);
  return far.misfit < near.misfit ? far : near;
}

// Less than a tenth of a pixel is what moves in the picture, not the camera.
constexpr double kLeastShake = 0.1;  // [px]

/// Whether the camera stands on something, as a look at some of the edges in each picture shows.
/// @param shrink    size of the frames over that of the small pictures
/// @param sigma_px  of a shift of the frames
bool StandsStill(const std::vector<EdgePixel>& edges, const std::vector<cv::Mat>& smooth,
                 const SmallCamera& camera, int shrink, double* sigma_px) {
  constexpr std::size_t kFew = 3000;
  std::vector<EdgePixel> few;
  const std::size_t every = 1 + edges.size() / kFew;
  for (std::size_t k = 0; k < edges.size(); k += every) few.push_back(edges[k]);
  std::vector<double> misfits, sigmas;
  double sum = 0.0;
  for (const cv::Mat& picture : smooth) {
    const Alignment one = AlignOne(few, picture, camera, Eigen::Vector3d::Zero());
    if (!one.Found(misfits)) return false;
    // The picture that the edges are of has none.
    if (one.misfit > 0.0) misfits.push_back(one.misfit);
    sigmas.push_back(one.sigma_px * shrink);
    sum += (camera.focal * shrink * one.turn.head<2>()).squaredNorm();
  }
  *sigma_px = Median(sigmas);
  // Noise alone moves each coordinate by a sigma.
  return std::sqrt(sum / static_cast<double>(smooth.size())) <
         std::max(kLeastShake, 2.0 * *sigma_px);
}

/// Mean of what pictures differ from their median, in grey values, at most 20 of each pixel.
double MeanDifference(const std::vector<cv::Mat>& pictures) {
  const cv::Mat median = MedianPicture(pictures);
  double sum = 0.0;
  for (const cv::Mat& picture : pictures) {
    cv::Mat difference;
    cv::absdiff(picture, median, difference);
    cv::min(difference, 20.0, difference);
    sum += cv::mean(difference)[0];
  }
  return sum / static_cast<double>(pictures.size());
}

/// Whether the pictures are more alike with the turns than without.
bool AlignsBetter(const CameraShake& shake, const std::vector<cv::Mat>& small, int shrink) {
  std::vector<cv::Mat> plain, aligned;
  const std::size_t every = 1 + small.size() / 15;
  for (std::size_t k = 0; k < small.size(); k += every) {
    if (std::ranges::binary_search(shake.lost, static_cast<int>(k))) continue;
    plain.push_back(small[k]);
    aligned.push_back(ToReference(shake, static_cast<int>(k), small[k], shrink));
  }
  if (plain.empty()) return false;
  return MeanDifference(aligned) < 0.95 * MeanDifference(plain);
}

cv::Mat Smooth(const cv::Mat& picture) {
  cv::Mat smooth;
  picture.convertTo(smooth, CV_32F);
  cv::GaussianBlur(smooth, smooth, {0, 0}, 1.0);
  return smooth;
}

}  // namespace

ValueWithSigma UsualFocal(const cv::Size& size) {
  const double focal = 0.85 * std::max(size.width, size.height);
  return {focal, 0.3 * focal};
}

Eigen::Vector2d CameraShake::InFrame(int frame, const Eigen::Vector2d& reference) const {
  if (!shakes) return reference;
  return SmallCamera{focal, middle}.Turned(reference, turns[frame]);
}

Eigen::Vector2d CameraShake::InReference(int frame, const Eigen::Vector2d& pixel) const {
  if (!shakes) return pixel;
  // (1 + [w]x)^-1 = (1 + w w^T - [w]x) / (1 + |w|^2).
  const Eigen::Vector3d& w = turns[frame];
  const Eigen::Vector3d p((pixel.x() - middle.x()) / focal, (pixel.y() - middle.y()) / focal, 1.0);
  const Eigen::Vector3d back = p + w * w.dot(p) - w.cross(p);
  return middle + focal * back.head<2>() / back.z();
}

namespace {

/// @return sigma_px is 0 where there are too few places
CameraShake ShakeBy(const EdgeChoice& choice, const std::vector<cv::Mat>& small,
                    const std::vector<cv::Mat>& smooth, int shrink, const cv::Size& size) {
  CameraShake shake;
  shake.focal = UsualFocal(size).value;
  shake.middle = {0.5 * (size.width - 1), 0.5 * (size.height - 1)};
  shake.turns.assign(small.size(), Eigen::Vector3d::Zero());
  // The centre of small pixel k is at shrink k + (shrink - 1) / 2 of the frame.
  const double half = 0.5 * (shrink - 1);
  const SmallCamera camera{shake.focal / shrink,
                           (shake.middle - Eigen::Vector2d::Constant(half)) / shrink};
  const std::size_t every = 1 + small.size() / 40;
  const auto count = static_cast<int>(small.size());
  std::vector<double> sigmas;
  CameraShake found = shake;
  cv::Mat reference = smooth[small.size() / 2];
  for (int round = 0; round < 2; ++round) {
    const std::vector<EdgePixel> edges = EdgePixelsOf(reference, camera, choice);
    if (edges.size() < kLeastEdges) return shake;
    if (round == 0 && StandsStill(edges, smooth, camera, shrink, &shake.sigma_px)) return shake;
    const cv::Mat coarse = Coarse(reference);
    std::vector<double> misfits;
    sigmas.clear();
    found.lost.clear();
    // From the middle outwards, each frame from its neighbour.
    const int middle = count / 2;
    const auto align = [&](int k, int neighbour) {
      const Alignment one = AlignFrom(edges, coarse, smooth[k], camera, found.turns[neighbour]);
      if (!one.Found(misfits)) {
        found.turns[k] = found.turns[neighbour];
        found.lost.push_back(k);
        return;
      }
      found.turns[k] = one.turn;
      if (k != middle) misfits.push_back(one.misfit);
      sigmas.push_back(one.sigma_px * shrink);
    };
    for (int k = middle; k < count; ++k) align(k, std::max(k - 1, middle));
    for (int k = middle - 1; k >= 0; --k) align(k, k + 1);
    std::ranges::sort(found.lost);
    if (sigmas.empty()) return shake;
    if (round > 0) break;
    found.shakes = true;
    std::vector<cv::Mat> aligned;
    for (int k = 0; k < count; k += static_cast<int>(every)) {
      if (!std::ranges::binary_search(found.lost, k))
        aligned.push_back(ToReference(found, k, small[k], shrink));
    }
    if (aligned.empty()) return shake;
    reference = Smooth(MedianPicture(aligned));
  }
  found.sigma_px = Median(sigmas);
  double sum = 0.0;
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  for (const Eigen::Vector3d& turn : found.turns) mean += turn / static_cast<double>(count);
  for (const Eigen::Vector3d& turn : found.turns) {
    const double shift = found.focal * (turn - mean).head<2>().norm();
    found.most_px = std::max(found.most_px, shift);
    sum += shift * shift;
  }
  found.rms_px = std::sqrt(sum / static_cast<double>(count));
  // A picture without edges aligns with anything.
  constexpr double kMostSigma = 0.3;  // [px]
  found.shakes = found.rms_px > std::max(kLeastShake, 5.0 * found.sigma_px) &&
                 found.sigma_px < kMostSigma && AlignsBetter(found, small, shrink);
  if (!found.shakes) found.turns.assign(small.size(), Eigen::Vector3d::Zero());
  return found;
}

}  // namespace

CameraShake FindShake(const std::vector<cv::Mat>& small, int shrink, const cv::Size& size) {
  // Where steep places do not tell, as the line between a plain ground and a plain wall does not
  // along itself, faint spots may.
  constexpr EdgeChoice kSteep = {.least = 2.0f, .steepest = false};
  constexpr EdgeChoice kFaint = {.least = 0.6f, .steepest = true};  // noise has a third of it
  constexpr double kTold = 0.1;                                     // [px]
  std::vector<cv::Mat> smooth;
  for (const cv::Mat& picture : small) smooth.push_back(Smooth(picture));
  CameraShake steep = ShakeBy(kSteep, small, smooth, shrink, size);
  if (steep.sigma_px > 0.0 && steep.sigma_px < kTold) return steep;
  CameraShake faint = ShakeBy(kFaint, small, smooth, shrink, size);
  return faint.sigma_px > 0.0 ? faint : steep;
}

cv::Mat ToReference(const CameraShake& shake, int frame, const cv::Mat& picture, int scale) {
  if (!shake.shakes) return picture;
  cv::Mat map(picture.size(), CV_32FC2);
  const double half = 0.5 * (scale - 1);
  for (int y = 0; y < picture.rows; ++y) {
    for (int x = 0; x < picture.cols; ++x) {
      const Eigen::Vector2d at = shake.InFrame(frame, {x * scale + half, y * scale + half});
      map.at<cv::Vec2f>(y, x) = {static_cast<float>((at.x() - half) / scale),
                                 static_cast<float>((at.y() - half) / scale)};
    }
  }
  cv::Mat aligned;
  cv::remap(picture, aligned, map, {}, cv::INTER_CUBIC, cv::BORDER_REPLICATE);
  return aligned;
}

cv::Mat ToFrame(const CameraShake& shake, int frame, const cv::Mat& reference,
                const cv::Rect& patch) {
  if (!shake.shakes) return reference(patch);
  cv::Mat map(patch.size(), CV_32FC2);
  for (int y = 0; y < patch.height; ++y) {
    for (int x = 0; x < patch.width; ++x) {
      const Eigen::Vector2d at = shake.InReference(frame, {x + patch.x, y + patch.y});
      map.at<cv::Vec2f>(y, x) = {static_cast<float>(at.x()), static_cast<float>(at.y())};
    }
  }
  cv::Mat part;
  cv::remap(reference, part, map, {}, cv::INTER_CUBIC, cv::BORDER_REPLICATE);
  return part;
}

}  // namespace percuss::tracking
