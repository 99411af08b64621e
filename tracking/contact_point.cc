// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/contact_point.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "base/math/geometry.h"
#include "solver/body/inertia_errors.h"

namespace percuss::tracking {

using enum impacts::ImpactIndex;

namespace {

/// Residual of the angular momentum balance and its covariance to first order. With a small
/// rotation d of the body: r turns into r + d x r, and I_W dw into I_W dw + d x (I_W dw) - I_W (d x
/// dw).
double MomentumChi2(const impacts::ImpactRecord& record, const solver::Body& body,
                    const Eigen::Vector3d& r, const ContactOptions& options) {
  const bool planar = options.planar;
  const Eigen::Matrix3d R = record.q_WB.toRotationMatrix();
  const Eigen::Matrix3d I_W = R * body.inertia * R.transpose();
  const Eigen::Vector3d dw = record.w_post - record.w, P = body.mass * (record.v_post - record.v);
  const Eigen::Vector3d residual = I_W * dw - r.cross(P);
  if (!record.covariance) return planar ? std::pow(residual.y(), 2) : residual.squaredNorm();
  Eigen::Matrix<double, 3, impacts::kImpactDimension> G =
      Eigen::Matrix<double, 3, impacts::kImpactDimension>::Zero();
  G.middleCols<3>(kRotation) = -Skew(I_W * dw) + I_W * Skew(dw) - Skew(P) * Skew(r);
  G.middleCols<3>(kV) = body.mass * Skew(r);
  G.middleCols<3>(kVPost) = -body.mass * Skew(r);
  G.middleCols<3>(kW) = -I_W;
  G.middleCols<3>(kWPost) = I_W;
  Eigen::Matrix3d covariance = G * *record.covariance * G.transpose();
  if (options.bench_covariance.size() > 0) {
    Eigen::Matrix<double, 3, impacts::kBodyDimension> G_body;
    G_body.leftCols<3>() = Skew(P);
    const auto directions = solver::InertiaDirections(body.inertia);
    for (int i = 0; i < 6; ++i) G_body.col(3 + i) = R * directions[i] * R.transpose() * dw;
    const Eigen::MatrixXd by_body = G_body * BodySensitivity(record, body, r, options);
    const Eigen::MatrixXd by_states = G * record.calibration_sensitivity;
    const Eigen::Matrix3d cross = by_states * options.bench_covariance * by_body.transpose();
    covariance +=
        cross + cross.transpose() + by_body * options.bench_covariance * by_body.transpose();
  }
  if (planar) return std::pow(residual.y(), 2) / covariance(1, 1);
  return residual.dot(covariance.ldlt().solve(residual));
}

}  // namespace

Eigen::MatrixXd BodySensitivity(const impacts::ImpactRecord& record, const solver::Body& body,
                                const Eigen::Vector3d& r, const ContactOptions& options) {
  const ContactOnBody contact =
      MakeContactOnBody(options.parameters, body.shape, record.q_WB.conjugate() * r,
                        options.surface_shift, -(record.q_WB.conjugate() * record.normal));
  Eigen::MatrixXd sensitivity =
      Eigen::MatrixXd::Zero(impacts::kBodyDimension, options.parameters.Size());
  sensitivity.topRows<3>() = record.q_WB.toRotationMatrix() * contact.by_bench;
  sensitivity.middleCols<6>(options.parameters.Inertia()).bottomRows<6>().setIdentity();
  return sensitivity;
}

ContactChoice ChooseContact(const impacts::ImpactRecord& record, const solver::Body& body,
                            const ContactOptions& options) {
  double tolerance = options.height_tolerance, angle = 0.0;
  if (record.covariance) {
    const double angle_sigma =
        std::sqrt(record.covariance->block<3, 3>(kRotation, kRotation).trace());
    angle = 3.0 * angle_sigma;
    tolerance += angle * solver::BoundingRadius(body.shape);
  }
  const Eigen::Vector3d down_B = record.q_WB.conjugate() * (-record.normal);
  std::vector<Eigen::Vector3d> points = solver::SupportCandidates(body.shape, down_B, tolerance);
  // A rim has no corners: of each end the lowest point touches, or one that an error of the
  // attitude makes the lowest.
  if (std::holds_alternative<solver::Cylinder>(body.shape)) {
    const double across = down_B.head<2>().norm();
    std::erase_if(points, [&](const Eigen::Vector3d& point) {
      const Eigen::Vector2d rim = point.head<2>();
      const double turned = std::atan2(std::abs(rim.x() * down_B.y() - rim.y() * down_B.x()),
                                       rim.dot(down_B.head<2>()));
      return rim.norm() > 0.0 && across * std::sin(std::min(turned, 1.57)) > angle + 1e-9;
    });
  }
  ContactChoice choice;
  double lowest = 0.0;
  for (const Eigen::Vector3d& point_B : points) {
    ContactCandidate candidate;
    candidate.r = record.q_WB * (point_B + options.surface_shift);
    if (options.planar) candidate.r.y() = 0.0;
    candidate.height = candidate.r.dot(record.normal);
    candidate.momentum_chi2 = MomentumChi2(record, body, candidate.r, options);
    // The support point is listed first and, when it is a vertex, once more among the vertices; in
    // a plane the two ends of an edge are one.
    const bool repeated = std::any_of(
        choice.candidates.begin(), choice.candidates.end(),
        [&](const ContactCandidate& other) { return (other.r - candidate.r).norm() < 1e-9; });
    if (!repeated) choice.candidates.push_back(candidate);
    lowest = std::min(lowest, candidate.height);
  }
  for (ContactCandidate& candidate : choice.candidates) candidate.height -= lowest;
  std::sort(choice.candidates.begin(), choice.candidates.end(),
            [](const auto& a, const auto& b) { return a.momentum_chi2 < b.momentum_chi2; });
  if (choice.candidates.size() > 1) {
    choice.ambiguous = choice.candidates[1].momentum_chi2 - choice.candidates[0].momentum_chi2 <
                       options.chi2_margin;
    if (choice.ambiguous && choice.candidates[1].height < choice.candidates[0].height) {
      std::swap(choice.candidates[0], choice.candidates[1]);
    }
  }
  return choice;
}

}  // namespace percuss::tracking
