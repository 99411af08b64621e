// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "report/plots/chart.h"
#include "report/plots/plot_parts.h"
#include "report/plots/plots.h"
#include "solver/contact/impulse_space.h"

namespace percuss::report {
namespace {

using Point = std::array<double, 2>;  // along the tangent, along the normal [N s]

Point InPlane(const ImpulseDiagram& impulse, const Eigen::Vector3d& vector) {
  return {impulse.tangent.dot(vector), impulse.normal.dot(vector)};
}

// Border of the region that holds the measured impulse with 95 %: chi-square of two degrees of
// freedom is below 5.991. Empty without a covariance.
std::vector<Point> EllipseOf(const ImpulseDiagram& impulse) {
  const auto variance = [&](const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
    return a.dot(impulse.covariance * b);
  };
  const double tt = variance(impulse.tangent, impulse.tangent);
  const double tn = variance(impulse.tangent, impulse.normal);
  const double nn = variance(impulse.normal, impulse.normal);
  if (!(tt > 0 && nn * tt - tn * tn >= 0)) return {};
  const double radius = std::sqrt(5.991), l00 = std::sqrt(tt), l10 = tn / l00;
  const double l11 = std::sqrt(std::max(0.0, nn - l10 * l10));
  const Point centre = InPlane(impulse, impulse.measured);
  std::vector<Point> border;
  constexpr int kPoints = 72;
  for (int k = 0; k <= kPoints; ++k) {
    const double angle = 2 * std::numbers::pi * k / kPoints;
    const double c = radius * std::cos(angle), s = radius * std::sin(angle);
    border.push_back({centre[0] + l00 * c, centre[1] + l10 * c + l11 * s});
  }
  return border;
}

struct LawStyle {
  Hue hue;
  Mark mark;
};
constexpr std::array<LawStyle, 4> kStyles = {{{Hue::kBlue, Mark::kDot},
                                              {Hue::kVermillion, Mark::kDiamond},
                                              {Hue::kGreen, Mark::kSquare},
                                              {Hue::kOrange, Mark::kDot}}};

// What is drawn of one law.
struct LawImpulse {
  std::string name;
  const ImpulseDiagram* impulse;
};

std::vector<LawImpulse> ImpulsesOf(const fitting::ImpulsesOfLaws& laws, const std::string& trial) {
  std::vector<LawImpulse> found;
  for (const auto& [law, diagrams] : laws) {
    const auto impulse = std::ranges::find(diagrams, trial, &ImpulseDiagram::trial);
    if (impulse != diagrams.end()) found.push_back({law, &*impulse});
  }
  if (found.size() > kStyles.size()) found.resize(kStyles.size());
  return found;
}

struct Window {
  Extent x, y;
  void Include(const Point& point) {
    x.Include(point[0]);
    y.Include(point[1]);
  }
};

ChartSeries LineThrough(const std::vector<Point>& points, Hue hue, bool dashed) {
  ChartSeries line{.hue = hue, .mark = Mark::kNone, .line = true, .dashed = dashed};
  for (const Point& point : points) line.points.push_back({.x = point[0], .y = point[1]});
  return line;
}

ChartPoint MarkAt(const Point& point, const std::string& what) {
  return {.x = point[0],
          .y = point[1],
          .says = fmt::format("{}: {:.4g} mN s along the surface, {:.4g} mN s normal", what,
                              point[0], point[1])};
}

/// The half of the plane in which along[0] x + along[1] y >= least.
struct HalfPlane {
  Point along;
  double least = 0;

  double Depth(const Point& p) const { return along[0] * p[0] + along[1] * p[1] - least; }
};

Point OnTheWay(const Point& from, const Point& to, double share) {
  return {from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])};
}

/// What is left of a convex region.
std::vector<Point> CutBy(const HalfPlane& half, const std::vector<Point>& border) {
  std::vector<Point> part;
  for (std::size_t k = 0; k < border.size(); ++k) {
    const Point &from = border[k], &to = border[(k + 1) % border.size()];
    const double here = half.Depth(from), there = half.Depth(to);
    if (here >= 0) part.push_back(from);
    if (here * there < 0) part.push_back(OnTheWay(from, to, here / (here - there)));
  }
  return part;
}

/// A hair less than the drawing, in which a point on its border would be as good as outside.
std::vector<HalfPlane> DrawingOf(const Chart& chart) {
  const auto &x = chart.x_range, &y = chart.y_range;
  const double dx = 1e-9 * (x[1] - x[0]), dy = 1e-9 * (y[1] - y[0]);
  return {{{1, 0}, x[0] + dx}, {{-1, 0}, dx - x[1]}, {{0, 1}, y[0] + dy}, {{0, -1}, dy - y[1]}};
}

double AreaOf(const std::vector<Point>& border) {
  double twice = 0;
  for (std::size_t k = 0; k < border.size(); ++k) {
    const Point &a = border[k], &b = border[(k + 1) % border.size()];
    twice += a[0] * b[1] - a[1] * b[0];
  }
  return 0.5 * std::abs(twice);
}

/// A line through points as far as it is in the drawing, which may be several pieces.
void AddLine(const std::vector<Point>& points, const ChartSeries& style, Chart* chart) {
  ChartSeries piece = style;
  const auto finish = [&] {
    if (piece.points.size() > 1) {
      chart->series.push_back(piece);
      piece.title.clear();
    }
    piece.points.clear();
  };
  for (std::size_t k = 0; k + 1 < points.size(); ++k) {
    double low = 0, high = 1;  // the shares of this step that are in the drawing
    for (const HalfPlane& half : DrawingOf(*chart)) {
      const double here = half.Depth(points[k]), there = half.Depth(points[k + 1]);
      if (here < 0 && there < 0) high = -1;
      if (here < 0 && there >= 0) low = std::max(low, here / (here - there));
      if (here >= 0 && there < 0) high = std::min(high, here / (here - there));
    }
    if (low > high) {
      finish();
      continue;
    }
    const Point from = OnTheWay(points[k], points[k + 1], low),
                to = OnTheWay(points[k], points[k + 1], high);
    if (low > 0) finish();
    if (piece.points.empty()) piece.points.push_back({.x = from[0], .y = from[1]});
    piece.points.push_back({.x = to[0], .y = to[1]});
    if (high < 1) finish();
  }
  finish();
}

/// The contact in the axes of the drawing: the tangent, what is square to both, the normal.
solver::Contact<double> ContactOfPlot(const ImpulseDiagram& impulse) {
  Eigen::Matrix3d frame;
  frame << impulse.tangent, impulse.normal.cross(impulse.tangent), impulse.normal;
  solver::Contact<double> contact;
  contact.inverse_mass = frame.transpose() * impulse.inverse_contact_mass * frame;
  contact.velocity = frame.transpose() * impulse.contact_velocity;
  return contact;
}

/// Where the plane of the drawing cuts the energy ellipsoid, P . u + 1/2 P . A P = 0.
std::vector<Point> EnergyEllipse(const solver::Contact<double>& contact) {
  Eigen::Matrix2d A;
  const Eigen::Matrix3d& A3 = contact.inverse_mass;
  A << A3(0, 0), A3(0, 2), A3(2, 0), A3(2, 2);
  const Eigen::Vector2d u(contact.velocity.x(), contact.velocity.z());
  const Eigen::LLT<Eigen::Matrix2d> root(A);
  if (root.info() != Eigen::Success) return {};
  const Eigen::Vector2d centre = -root.solve(u);
  const double radius = std::sqrt(std::max(0.0, -u.dot(centre)));
  std::vector<Point> border;
  constexpr int kPoints = 360;
  for (int k = 0; k <= kPoints; ++k) {
    const double angle = 2 * std::numbers::pi * k / kPoints;
    const Eigen::Vector2d on =
        centre + root.matrixU().solve(radius * Eigen::Vector2d(std::cos(angle), std::sin(angle)));
    border.push_back({on.x(), on.y()});
  }
  return border;
}

/// A line of the impulse plane, beyond the drawing on both sides.
std::vector<Point> LongLine(const Point& point, const Point& direction, const Chart& chart) {
  const double far = std::hypot(chart.x_range[1] - chart.x_range[0] + std::abs(point[0]),
                                chart.y_range[1] + std::abs(point[1])) *
                     4 / std::hypot(direction[0], direction[1]);
  return {{point[0] - far * direction[0], point[1] - far * direction[1]},
          {point[0] + far * direction[0], point[1] + far * direction[1]}};
}

/// Whether the plane of the drawing says what the impact could do.
bool HasSpace(const ImpulseDiagram& impulse) {
  return impulse.HasContact() && impulse.tangent.norm() > 0.5;
}

/// Where the contact has been compressed, in the plane of the drawing.
HalfPlane Compressed(const solver::Contact<double>& contact) {
  const solver::ImpulsePlane most = solver::PlaneOfRestitution(contact, 0.0);
  return {{most.normal.x(), most.normal.z()}, most.offset};
}

/// The impulses of the plane that any law could answer: in the cone, no energy gained, apart after
/// it. Empty without a cone.
std::vector<Point> AccessibleRegion(const ImpulseDiagram& impulse) {
  const double mu = impulse.friction;
  if (!HasSpace(impulse) || !std::isfinite(mu)) return {};
  const solver::Contact<double> contact = ContactOfPlot(impulse);
  std::vector<Point> region = EnergyEllipse(contact);
  for (const HalfPlane& limit :
       {HalfPlane{{1, mu}, 0}, HalfPlane{{-1, mu}, 0}, Compressed(contact)}) {
    region = CutBy(limit, region);
  }
  return region;
}

/// What the impact could do by any law (solver/contact/impulse_space.h), and the cone.
void AddSpace(const ImpulseDiagram& impulse, Chart* chart) {
  const auto style = [](const char* title, Hue hue, bool dashed) {
    return ChartSeries{
        .title = title, .hue = hue, .mark = Mark::kNone, .line = true, .dashed = dashed};
  };
  if (HasSpace(impulse)) {
    const solver::Contact<double> contact = ContactOfPlot(impulse);
    std::vector<Point> region = AccessibleRegion(impulse);
    for (const HalfPlane& limit : DrawingOf(*chart)) region = CutBy(limit, region);
    // Where all of the drawing is possible, a region says nothing.
    const double all =
        (chart->x_range[1] - chart->x_range[0]) * (chart->y_range[1] - chart->y_range[0]);
    if (!region.empty() && AreaOf(region) < 0.999 * all)
      chart->areas.push_back({.title = "possible by any law", .border = std::move(region)});
    AddLine(EnergyEllipse(contact), style("no energy lost", Hue::kGrey, false), chart);
    const auto [across, least] = Compressed(contact);
    const double squared = across[0] * across[0] + across[1] * across[1];
    AddLine(LongLine({across[0] * least / squared, across[1] * least / squared},
                     {-across[1], across[0]}, *chart),
            style("most compressed", Hue::kGrey, true), chart);
    const solver::ImpulseLine sticking = solver::LineOfSticking(contact);
    AddLine(LongLine({sticking.point.x(), 0}, {sticking.direction.x(), 1}, *chart),
            style("no slip left", Hue::kSky, false), chart);
  }
  if (const double mu = impulse.friction, top = 2 * chart->y_range[1]; std::isfinite(mu)) {
    AddLine({{-mu * top, top}, {0, 0}, {mu * top, top}}, style("friction cone", Hue::kInk, true),
            chart);
  }
}

Figure PlaneFigure(const std::string& id, const std::string& caption,
                   const std::vector<LawImpulse>& laws, const Window& window, bool is_whole) {
  const ImpulseDiagram& first = *laws.front().impulse;
  const double spread = std::max({window.x.Length(), window.y.Length(), 1e-9});
  const auto range = [&](const Extent& extent) {
    const double middle = (extent.low + extent.high) / 2,
                 half = 0.58 * std::max(extent.Length(), 0.3 * spread);
    return std::array{middle - half, middle + half};
  };
  Chart chart{.id = id,
              .caption = caption,
              .x_label = "impulse along the surface [mN s]",
              .y_label = "normal impulse [mN s]",
              .x_range = range(window.x),
              .y_range = range(window.y),
              .height = 360};
  if (is_whole) chart.y_range[0] = 0;
  AddSpace(first, &chart);
  for (std::size_t k = 0; k < laws.size(); ++k) {
    const ImpulseDiagram& impulse = *laws[k].impulse;
    const auto [hue, mark] = kStyles[k];
    std::vector<Point> path;
    for (const auto& point : impulse.path) path.push_back(InPlane(impulse, point));
    chart.series.push_back(LineThrough(path, hue, false));
    ChartSeries turn{.hue = hue, .mark = Mark::kDiamond, .size = 3};
    turn.points = {
        MarkAt(InPlane(impulse, impulse.compression_end), laws[k].name + ", end of compression")};
    ChartSeries end{.title = laws[k].name, .hue = hue, .mark = mark};
    end.points = {MarkAt(InPlane(impulse, impulse.predicted), laws[k].name)};
    chart.series.push_back(std::move(turn));
    chart.series.push_back(std::move(end));
  }
  chart.series.push_back(LineThrough(EllipseOf(first), Hue::kInk, false));
  ChartSeries measured{.title = "measured", .hue = Hue::kInk, .size = 3};
  measured.points = {MarkAt(InPlane(first, first.measured), "measured")};
  chart.series.push_back(std::move(measured));
  return ChartFigure(chart);
}

// In mN s, so that the tics are short.
ImpulseDiagram InMilli(ImpulseDiagram impulse) {
  constexpr double kMilli = 1000;
  for (auto* vector : {&impulse.measured, &impulse.predicted, &impulse.compression_end}) {
    *vector *= kMilli;
  }
  for (Eigen::Vector3d& point : impulse.path) point *= kMilli;
  impulse.covariance *= kMilli * kMilli;
  impulse.inverse_contact_mass /= kMilli;
  return impulse;
}

}  // namespace

std::vector<Figure> ImpulseFigures(const fitting::ImpulsesOfLaws& laws, const std::string& trial,
                                   int number) {
  std::vector<LawImpulse> found = ImpulsesOf(laws, trial);
  std::vector<ImpulseDiagram> scaled;
  for (const LawImpulse& law : found) scaled.push_back(InMilli(*law.impulse));
  for (std::size_t k = 0; k < found.size(); ++k) found[k].impulse = &scaled[k];
  const std::string id = fmt::format("trial-{}-impulse", number);
  const std::string what = trial + ": impulse of the surface on the body, ";
  if (found.empty()) return {};
  Window whole, end;
  whole.Include({0, 0});
  for (const LawImpulse& law : found) {
    for (const auto& point : law.impulse->path) whole.Include(InPlane(*law.impulse, point));
    for (const auto* vector : {&law.impulse->measured, &law.impulse->predicted}) {
      whole.Include(InPlane(*law.impulse, *vector));
      end.Include(InPlane(*law.impulse, *vector));
    }
  }
  for (const Point& point : AccessibleRegion(*found.front().impulse)) whole.Include(point);
  for (const Point& point : EllipseOf(*found.front().impulse)) end.Include(point);
  return {
      PlaneFigure(id,
                  what +
                      "in the plane of the surface normal and the direction in which "
                      "friction pushes first. Lines: how it grows by each law; small marks: "
                      "end of compression; large ones: its end. The cone is that of " +
                      found.front().name + ".",
                  found, whole, true),
      PlaneFigure(id + "-end", what + "near its end. Ellipse: 95 % region of the measured impulse.",
                  found, end, false)};
}

}  // namespace percuss::report
