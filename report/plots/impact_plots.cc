// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <functional>

#include "base/text/numbers.h"
#include "report/plots/chart.h"
#include "report/plots/law_plots.h"

namespace percuss::report {
namespace {

using impacts::ImpactIndex;

/// A number made of the velocities before and after, in the order of ImpactIndex: v, w, v', w'.
using Velocities = Eigen::Matrix<double, 12, 1>;
using NumberOf = std::function<double(const Velocities&)>;

/// With the sigma that the covariance of the velocities gives it, to first order; contact point and
/// normal are taken as they are stated.
Measured MeasuredNumber(const ImpactRecord& impact, const NumberOf& number) {
  Velocities all;
  all << impact.v, impact.w, impact.v_post, impact.w_post;
  Measured measured{number(all), kNaN};
  if (!impact.covariance) return measured;
  constexpr double kStep = 1e-6;  // [m/s, rad/s]
  Velocities gradient;
  for (int k = 0; k < all.size(); ++k) {
    Velocities more = all, less = all;
    more[k] += kStep;
    less[k] -= kStep;
    gradient[k] = (number(more) - number(less)) / (2 * kStep);
  }
  const auto covariance = impact.covariance->block<12, 12>(ImpactIndex::kV, ImpactIndex::kV);
  measured.sigma = std::sqrt(gradient.dot(covariance * gradient));
  return measured;
}

Eigen::Vector3d ContactVelocity(const ImpactRecord& impact, const Velocities& all, int first) {
  return all.segment<3>(first) + all.segment<3>(first + 3).cross(impact.r);
}

struct NumberOfImpact {
  std::string name;
  NumberOf x, y;
};

/// Of numbers that nobody measured sigma is larger than this.
constexpr double kLargestSigma = 1.0;

ChartSeries PointsOf(const RunFolder& run, const PlaceOfTrial& place_of,
                     const std::function<NumberOfImpact(const ImpactRecord&)>& numbers,
                     const char* format) {
  ChartSeries series;
  for (const ImpactRecord& impact : run.impacts) {
    const NumberOfImpact one = numbers(impact);
    const Measured x = MeasuredNumber(impact, one.x), y = MeasuredNumber(impact, one.y);
    if (!std::isfinite(x.value) || !std::isfinite(y.value) || y.sigma > kLargestSigma) continue;
    series.points.push_back({.x = x.value,
                             .y = y.value,
                             .x_reach = kSigmasOf95 * x.sigma,
                             .y_reach = kSigmasOf95 * y.sigma,
                             .says = fmt::format(fmt::runtime(format), impact.trial,
                                                 FormatWithSigma(y), FormatWithSigma(x)),
                             .address = place_of(impact.trial)});
  }
  return series;
}

}  // namespace

Figure RestitutionFigure(const RunFolder& run, const PlaceOfTrial& place_of) {
  const auto numbers = [](const ImpactRecord& impact) {
    const auto approach = [impact](const Velocities& all) {
      return -ContactVelocity(impact, all, 0).dot(impact.normal);
    };
    return NumberOfImpact{impact.trial, approach, [impact, approach](const Velocities& all) {
                            return ContactVelocity(impact, all, 6).dot(impact.normal) /
                                   approach(all);
                          }};
  };
  return ChartFigure({.id = "restitution-plot",
                      .caption = "What each impact alone says of restitution, over its speed: the "
                                 "contact point's speed off the surface just after the impact over "
                                 "that towards it just before. Bars: 95 %.",
                      .x_label = "speed towards the surface [m/s]",
                      .y_label = "ratio of speeds",
                      .series = {PointsOf(run, place_of, numbers, "{}: {} at {} m/s")}});
}

Figure FrictionFigure(const RunFolder& run, double friction, const PlaceOfTrial& place_of) {
  const auto numbers = [](const ImpactRecord& impact) {
    const auto along = [n = impact.normal](const Eigen::Vector3d& v) {
      return (v - v.dot(n) * n).norm();
    };
    const auto slip = [impact, along](const Velocities& all) {
      return along(ContactVelocity(impact, all, 0));
    };
    return NumberOfImpact{impact.trial, slip, [impact, along](const Velocities& all) {
                            const Eigen::Vector3d change = all.segment<3>(6) - all.head<3>();
                            return along(change) / change.dot(impact.normal);
                          }};
  };
  Chart chart{.id = "friction-plot",
              .caption =
                  "What each impact alone says of friction, over its slip: tangential over "
                  "normal impulse.",
              .x_label = "slip of the contact point just before [m/s]",
              .y_label = "ratio of impulses",
              .series = {PointsOf(run, place_of, numbers, "{}: {} at a slip of {} m/s")}};
  if (std::isfinite(friction)) {
    chart.y_rules = {friction};
    chart.caption +=
        " Dashed: mu of the best law, which impacts that slip to the end lie on, and "
        "others below.";
  }
  chart.caption += " Bars: 95 %.";
  return ChartFigure(chart);
}

}  // namespace percuss::report
