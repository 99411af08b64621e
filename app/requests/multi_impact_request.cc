// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/requests/multi_impact_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "app/requests/contact_material.h"
#include "base/text/yaml_field.h"
#include "solver/contact/contact.h"
#include "solver/simulation/plane_candidates.h"

namespace percuss::app {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

struct Friction {
  double mu = 0.0, mu_s = std::numeric_limits<double>::quiet_NaN();
};

constexpr Range kSignedRestitution{.lowest = -1.0, .highest = 1.0};

Eigen::VectorXd NumbersOf(const JsonField& field, std::size_t count) {
  const auto items = field.Elements(count, fmt::format("a list of {} numbers", count));
  Eigen::VectorXd numbers(count);
  for (std::size_t k = 0; k < count; ++k) numbers[k] = items[k].Number("a number");
  return numbers;
}

Vector3d Vector3Of(const JsonField& field) { return NumbersOf(field, 3); }

Vector3d UnitVectorOf(const JsonField& field) {
  const Vector3d vector = Vector3Of(field);
  if (!(vector.norm() > 0.0 && vector.allFinite())) field.Fail("a vector that is not zero");
  return vector.normalized();
}

std::vector<double> RestitutionsOf(const JsonField& field) {
  std::vector<double> values;
  for (const JsonField& one : field.Elements()) values.push_back(one.Number(kSignedRestitution));
  if (values.empty()) field.Fail("a list of at least one number from -1 to 1");
  return values;
}

/// mu and mu_s of `field`, where it has them.
Friction FrictionOf(const JsonField& field, Friction otherwise) {
  constexpr double kMost = 100.0;
  if (field["mu"].Given())
    otherwise = {.mu = field["mu"].Number({.lowest = 0.0, .highest = kMost})};
  if (field["mu_s"].Given())
    otherwise.mu_s = field["mu_s"].Number({.lowest = otherwise.mu, .highest = kMost});
  return otherwise;
}

/// The friction of points that state none.
Friction ReadParameters(const JsonField& field, solver::MultiImpactOptions* options) {
  if (!field.IsObject()) field.Fail("a map with mu, and e or restitution");
  field.AllowKeys({"mu", "mu_s", "e", "e_many", "restitution", "restitution_by_points"});
  int given = 0;
  for (const char* key : {"e", "restitution", "restitution_by_points"}) given += field[key].Given();
  if (given != 1) {
    field.Fail(fmt::format("{} of e, restitution and restitution_by_points", given), "one of them");
  }
  if (field["e"].Given()) {
    const double e = field["e"].Number({.lowest = 0.0, .highest = 1.0});
    const double many = field["e_many"].Given() ? field["e_many"].Number(kSignedRestitution) : e;
    options->restitution_by_points = {e, many};
  } else if (field["e_many"].Given()) {
    field["e_many"].Fail("this without e", "only beside e");
  } else if (field["restitution"].Given()) {
    options->restitution = RestitutionsOf(field["restitution"]);
  } else {
    options->restitution_by_points = RestitutionsOf(field["restitution_by_points"]);
  }
  return FrictionOf(field, {});
}

/// `true` for all equations as they are printed, or a list of those that are to be.
void ReadPublished(const JsonField& field, solver::MultiImpactOptions* options) {
  const solver::MultiImpactOptions printed = solver::PublishedOptions();
  if (!field.IsArray()) {
    if (field.Boolean()) *options = printed;
    return;
  }
  for (const JsonField& one : field.Elements()) {
    constexpr std::string_view kAllowed =
        "force_rows, normal_work, event_end, separated_points or pulling_points";
    const std::string name = one.Text(kAllowed);
    if (name == "force_rows") {
      options->force_rows = printed.force_rows;
    } else if (name == "normal_work") {
      options->normal_work = printed.normal_work;
    } else if (name == "event_end") {
      options->event_end = printed.event_end;
    } else if (name == "separated_points") {
      options->separated_points = printed.separated_points;
    } else if (name == "pulling_points") {
      options->drop_pulling_points = printed.drop_pulling_points;
    } else {
      one.Fail(kAllowed);
    }
  }
}

solver::ImpactPoint PointOf(const Vector3d& position, const Matrix3d& frame, Friction friction) {
  solver::ImpactPoint point;
  point.position = position;
  point.frame = frame;
  point.mu = friction.mu;
  point.mu_s = friction.mu_s;
  return point;
}

/// Columns t1, t2, n. `tangent` turns t1 where it is given.
Matrix3d FrameOf(const JsonField& field) {
  const Vector3d normal =
      field["normal"].Given() ? UnitVectorOf(field["normal"]) : Vector3d::UnitZ();
  if (!field["tangent"].Given()) return solver::ContactFrame(normal);
  const Vector3d given = UnitVectorOf(field["tangent"]);
  const Vector3d tangent = given - given.dot(normal) * normal;
  if (!(tangent.norm() > 1e-6)) field["tangent"].Fail("a vector across the normal");
  Matrix3d frame;
  frame.col(0) = tangent.normalized();
  frame.col(1) = normal.cross(frame.col(0));
  frame.col(2) = normal;
  return frame;
}

std::vector<solver::ImpactPoint> ReadPoints(const JsonField& field, const Friction& usual) {
  std::vector<solver::ImpactPoint> points;
  for (const JsonField& one : field.Elements()) {
    if (!one.IsObject()) one.Fail("a map with position, normal, mu");
    one.AllowKeys({"position", "normal", "tangent", "mu", "mu_s", "body"});
    const Vector3d position =
        one["position"].Given() ? Vector3Of(one["position"]) : Vector3d::Zero();
    points.push_back(PointOf(position, FrameOf(one), FrictionOf(one, usual)));
    points.back().body = one.IntegerOr("body", 0);
  }
  if (points.empty() || points.size() > kMostPoints)
    field.Fail(fmt::format("{} points", points.size()), fmt::format("1 to {}", kMostPoints));
  return points;
}

/// Those points of a body that are lowest above each surface: where it touches.
std::vector<solver::ImpactPoint> ReadSurfaces(const JsonField& field, const BodyMotion& motion,
                                              const Friction& usual) {
  constexpr double kTouches = 1e-6;  // [m]
  std::vector<solver::ImpactPoint> points;
  for (const JsonField& one : field.Elements()) {
    if (!one.IsObject()) one.Fail("a map with normal, mu");
    one.AllowKeys({"normal", "tangent", "mu", "mu_s"});
    const Matrix3d frame = FrameOf(one);
    const Friction friction = FrictionOf(one, usual);
    const auto arms = solver::ContactCandidates(motion.body.shape,
                                                frame.transpose() * motion.q_WB.toRotationMatrix());
    double lowest = std::numeric_limits<double>::infinity();
    for (const Vector3d& arm : arms) lowest = std::min(lowest, arm.z());
    for (const Vector3d& arm : arms) {
      if (arm.z() < lowest + kTouches) points.push_back(PointOf(frame * arm, frame, friction));
    }
  }
  if (points.empty() || points.size() > kMostPoints)
    field.Fail(fmt::format("surfaces at which {} points touch", points.size()),
               fmt::format("1 to {}", kMostPoints));
  return points;
}

/// A system in generalised speeds.
solver::MultiImpactProblem ReadSystem(const JsonField& field,
                                      std::vector<solver::ImpactPoint> points) {
  if (!field.IsObject()) field.Fail("a map with mass, jacobian and speeds");
  field.AllowKeys({"mass", "jacobian", "speeds"});
  solver::MultiImpactProblem problem{.points = std::move(points)};
  const std::size_t size = field["speeds"].Elements().size();
  if (size == 0 || size > kMostSpeeds)
    field["speeds"].Fail(fmt::format("{} numbers", size), fmt::format("1 to {}", kMostSpeeds));
  problem.speeds = NumbersOf(field["speeds"], size);
  const auto matrix = [&](const JsonField& given, std::size_t rows) {
    const auto lines = given.Elements(rows, fmt::format("a list of {} rows", rows));
    Eigen::MatrixXd numbers(rows, size);
    for (std::size_t k = 0; k < rows; ++k) numbers.row(k) = NumbersOf(lines[k], size);
    return numbers;
  };
  problem.mass = matrix(field["mass"], size);
  const JsonField jacobian = field["jacobian"];
  const std::size_t rows = jacobian.Elements().size(), num = problem.points.size();
  if (rows != 2 * num && rows != 3 * num) {
    jacobian.Fail(
        fmt::format("{} rows", rows),
        fmt::format("{} or {}: 2 (t, n) or 3 (t1, t2, n) of each point", 2 * num, 3 * num));
  }
  problem.jacobian = matrix(jacobian, rows);
  return problem;
}

}  // namespace

MultiImpactRequest ReadMultiImpact(const JsonField& root, const std::optional<BodyMotion>& motion) {
  MultiImpactRequest request;
  if (root["published"].Given()) ReadPublished(root["published"], &request.options);
  request.options.reference_point =
      root.IntegerOr("reference_point", request.options.reference_point);
  const Friction usual = ReadParameters(root["parameters"], &request.options);
  if (root["material"].Given()) {
    request.material = ReadContactMaterial(root["material"]);
    request.options.record_path = true;
  }
  if (root["rest_speed"].Given())
    request.options.rest_speed =
        root["rest_speed"].Number({.lowest = 1e-12, .highest = 1.0, .unit = "m/s"});
  const bool listed = root["points"].Given();
  if (listed == root["surfaces"].Given())
    root.Fail(listed ? "both points and surfaces" : "neither points nor surfaces", "one of them");
  if (!listed && !motion) root["surfaces"].Fail("this beside system", "only beside body");
  std::vector<solver::ImpactPoint> points =
      listed ? ReadPoints(root["points"], usual) : ReadSurfaces(root["surfaces"], *motion, usual);
  if (!motion) {
    request.problem = ReadSystem(root["system"], std::move(points));
    return request;
  }
  request.body = motion->body;
  request.problem = solver::BodyImpact(motion->body, motion->q_WB.toRotationMatrix(), motion->v,
                                       motion->w, points);
  return request;
}

}  // namespace percuss::app
