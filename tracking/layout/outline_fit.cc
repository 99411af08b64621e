// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/layout/outline_fit.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "base/math/geometry.h"
#include "base/math/statistics.h"
#include "solver/body/shape_lengths.h"
#include "tracking/layout/silhouette.h"

namespace percuss::tracking {
namespace {

/// Unknowns: rotation and shift of the shape in its own axes, halo, lengths.
constexpr int kHalo = 6, kFirstLength = 7;

/// What shading and a rounded edge move one edge of the body by in all pictures, so that no
/// residual shows it [px].
constexpr double kEdgeFloorPx = 0.1;

/// A measured place of the outline.
struct EdgeRow {
  double residual = 0.0;  ///< [px]
  double sigma = 0.0;     ///< [px]
  Eigen::VectorXd by;
  std::tuple<int, int, int> cluster;  ///< trial, camera, edge
};

/// A body that moved on while the rows were read.
BodyPose PoseAtRow(const BodyPicture& picture, const View& view, double row) {
  const double delay = picture.line_time * (row - 0.5 * (view.camera.height - 1.0));
  if (delay == 0.0) return picture.pose;
  return {picture.pose.p_WB + delay * picture.v,
          (RotationFromVector(delay * picture.w) * picture.pose.q_WB).normalized()};
}

struct Measured {
  std::vector<EdgeRow> rows;
  int looked_for = 0;
};

void MeasurePicture(const solver::Shape& shape, const BodyPicture& picture, const View& view,
                    const std::array<float, 256>& light, double range, Measured* measured) {
  constexpr double kSpacing = 4.0;  // [px] beyond this neighbours share little
  const int num_lengths = solver::NumLengths(shape);
  std::vector<OutlinePoint> outline = Outline(shape, picture.pose, view, kSpacing);
  for (OutlinePoint& point : outline) {
    if (!InsideImage(view, point.pixel)) continue;
    if (picture.line_time != 0.0) {
      const BodyPose pose = PoseAtRow(picture, view, point.pixel.y());
      const auto seen = ProjectPoint(view, pose.q_WB * point.p_B + pose.p_WB);
      if (!seen) continue;
      point.pixel = seen->pixel;
    }
    ++measured->looked_for;
    const auto edge = FindEdge(picture.picture, light, point.pixel, point.normal, range);
    if (!edge) continue;
    // Of the body's axes against the image.
    const Eigen::Matrix3d R = picture.pose.q_WB.toRotationMatrix();
    EdgeRow row{edge->offset,
                std::hypot(edge->sigma, 0.05),
                Eigen::VectorXd::Zero(kFirstLength + num_lengths),
                {picture.trial, picture.side, point.edge}};
    row.by.head<3>() = (point.by_pose.tail<3>() * R).transpose();
    row.by.segment<3>(3) = (point.by_pose.head<3>() * R).transpose();
    row.by[kHalo] = 1.0;
    const double px_per_m = point.by_pose.head<3>() * R * point.normal_B;
    for (int i = 0; i < num_lengths; ++i)
      row.by[kFirstLength + i] = px_per_m * solver::Growth(shape, point.normal_B, i);
    measured->rows.push_back(std::move(row));
  }
}

/// Normal equations of a step, and what they are made of.
struct OutlineNormal {
  Eigen::MatrixXd information;
  Eigen::VectorXd gradient;
  Eigen::MatrixXd spread;  ///< of the gradient
  double sum_px = 0.0, weights = 0.0;
  int used = 0;
};

/// Where an iteration stands.
struct OutlineState {
  BodyPose X_OB;
  Eigen::VectorXd others;  ///< halo [px] and changes of the lengths [m]
};

OutlineState MovedState(const OutlineState& state, const Eigen::VectorXd& step) {
  OutlineState moved = state;
  moved.X_OB.p_WB += state.X_OB.q_WB * step.segment<3>(3);
  moved.X_OB.q_WB = (state.X_OB.q_WB * RotationFromVector(step.head<3>())).normalized();
  moved.others += step.tail(step.size() - kHalo);
  return moved;
}

void AddKnown(const OutlineKnowledge& knowledge, const solver::Shape& shape,
              const OutlineState& state, OutlineNormal* normal) {
  const Eigen::Index size = normal->gradient.size();
  const auto add = [&](double residual, const Eigen::VectorXd& by) {
    normal->information += by * by.transpose();
    normal->spread += by * by.transpose();
    normal->gradient += residual * by;
  };
  const auto hold = [&](Eigen::Index place, double value, double sigma) {
    add(-value / sigma, Eigen::VectorXd::Unit(size, place) / sigma);
  };
  // The frame itself: no more than what a start may be off by, so that nothing is undetermined.
  constexpr double kAngle = 0.2, kShift = 0.01, kHaloPx = 0.3;
  for (int i = 0; i < 6; ++i) hold(i, 0.0, i < 3 ? kAngle : kShift);
  hold(kHalo, state.others[0], kHaloPx);
  const double length_sigma = std::max(knowledge.length_sigma, 1e-7);
  for (Eigen::Index i = kFirstLength; i < size; ++i) hold(i, state.others[i - kHalo], length_sigma);
  for (const Eigen::Vector3d& p_O : knowledge.p_BM) {
    const Eigen::Vector3d p = state.X_OB.q_WB.conjugate() * (p_O - state.X_OB.p_WB);
    const Eigen::Vector3d n = solver::OutwardNormal(shape, p);
    Eigen::VectorXd by = Eigen::VectorXd::Zero(size);
    by.head<3>() = p.cross(n);
    by.segment<3>(3) = n;
    double distance = solver::SurfaceDistance(shape, p);
    for (Eigen::Index i = kFirstLength; i < size; ++i) {
      by[i] = solver::Growth(shape, n, static_cast<int>(i) - kFirstLength);
      distance -= by[i] * state.others[i - kHalo];
    }
    add(distance / knowledge.surface_sigma, by / knowledge.surface_sigma);
  }
}

/// @param scale of the sigmas
OutlineNormal NormalOf(const std::vector<EdgeRow>& rows, double scale, Eigen::Index size) {
  OutlineNormal normal{Eigen::MatrixXd::Zero(size, size), Eigen::VectorXd::Zero(size),
                       Eigen::MatrixXd::Zero(size, size)};
  std::map<std::tuple<int, int, int>, Eigen::VectorXd> clusters;
  std::map<int, Eigen::VectorXd> edges;  // what a common error of one edge of the body would do
  for (const EdgeRow& row : rows) {
    const double sigma = scale * row.sigma, z = row.residual / sigma;
    // Tukey's biweight: what is no edge of the body says nothing.
    constexpr double kReject = 4.7;
    if (std::abs(z) > kReject) continue;
    const double weight = std::pow(1.0 - z * z / (kReject * kReject), 2);
    normal.information += weight / (sigma * sigma) * row.by * row.by.transpose();
    const Eigen::VectorXd pull = weight * z / sigma * row.by;
    normal.gradient += pull;
    auto& cluster = clusters[row.cluster];
    cluster = cluster.size() == 0 ? pull : Eigen::VectorXd(cluster + pull);
    auto& edge = edges[std::get<2>(row.cluster)];
    if (edge.size() == 0) edge = Eigen::VectorXd::Zero(size);
    edge += weight / (sigma * sigma) * row.by;
    normal.sum_px += weight * row.residual * row.residual;
    normal.weights += weight;
    ++normal.used;
  }
  for (const auto& [name, pull] : clusters) normal.spread += pull * pull.transpose();
  for (const auto& [name, pull] : edges)
    normal.spread += kEdgeFloorPx * kEdgeFloorPx * pull * pull.transpose();
  return normal;
}

/// Median of |residual| / sigma over that of the normal distribution, at least 1.
double ScaleOf(const std::vector<EdgeRow>& rows) {
  std::vector<double> sizes;
  for (const EdgeRow& row : rows) sizes.push_back(std::abs(row.residual) / row.sigma);
  return std::max(1.0, Median(std::move(sizes)) / 0.6745);
}

}  // namespace

OutlineFit FitOutline(const solver::Shape& shape, std::span<const BodyPicture> pictures,
                      const std::vector<View>& views, const std::array<float, 256>& light_of_grey,
                      const OutlineKnowledge& knowledge) {
  OutlineFit fit;
  const Eigen::Index size = kFirstLength + solver::NumLengths(shape);
  OutlineState state{{}, Eigen::VectorXd::Zero(size - kHalo)};
  // As wide as the start may be off; then no wider than an edge, so that nothing else is in it.
  for (const double range : {12.0, 8.0, 6.0, 5.0, 5.0, 5.0}) {
    Measured measured;
    for (const BodyPicture& picture : pictures) {
      BodyPicture moved = picture;
      moved.pose.p_WB += picture.pose.q_WB * state.X_OB.p_WB;
      moved.pose.q_WB = picture.pose.q_WB * state.X_OB.q_WB;
      MeasurePicture(shape, moved, views[picture.side], light_of_grey, range, &measured);
    }
    fit.edges = static_cast<int>(measured.rows.size());
    fit.share = fit.edges / std::max(1.0, static_cast<double>(measured.looked_for));
    constexpr int kMinEdges = 100;
    if (fit.edges < kMinEdges) {
      fit.reason =
          fmt::format("the outline of the body was found at {} of {} places in {} pictures",
                      fit.edges, measured.looked_for, pictures.size());
      return fit;
    }
    // To first order these places stay where they are while the shape moves.
    const OutlineState start = state;
    Eigen::VectorXd moved = Eigen::VectorXd::Zero(size);
    OutlineNormal normal;
    constexpr int kSteps = 20;
    for (int k = 0; k < kSteps; ++k) {
      std::vector<EdgeRow> rows = measured.rows;
      for (EdgeRow& row : rows)
        row.residual -= row.by.dot(moved) + row.by.tail(size - kHalo).dot(start.others);
      normal = NormalOf(rows, ScaleOf(rows), size);
      AddKnown(knowledge, shape, state, &normal);
      const Eigen::VectorXd step = normal.information.ldlt().solve(normal.gradient);
      moved += step;
      state = MovedState(state, step);
      if (step.norm() < 1e-9) break;
    }
    const Eigen::MatrixXd inverse =
        normal.information.ldlt().solve(Eigen::MatrixXd(Eigen::MatrixXd::Identity(size, size)));
    fit.X_OB = state.X_OB;
    fit.covariance = (inverse * normal.spread * inverse).topLeftCorner<6, 6>();
    fit.edges = normal.used;
    fit.rms_px = std::sqrt(normal.sum_px / std::max(1.0, normal.weights));
  }
  // As ArcFitOptions::max_rms_px: what is farther off is no edge of this shape.
  constexpr double kMaxRmsPx = 1.0;
  if (!(fit.rms_px < kMaxRmsPx)) {
    fit.reason = fmt::format(
        "the outline of the shape misses the edges in {} pictures by {:.1f} px: check its lengths",
        pictures.size(), fit.rms_px);
  }
  return fit;
}

}  // namespace percuss::tracking
