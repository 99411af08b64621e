// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/sound/bounce_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/math/common_value.h"
#include "capture/sound/ball_flight.h"
#include "capture/sound/bounce_search.h"

namespace percuss::capture {
namespace {

void CheckSeriesOptions(const SeriesOptions& options) {
  const auto least = [](const char* name, double value, double bound, bool above) {
    if (std::isfinite(value) && (above ? value > bound : value >= bound)) return;
    throw std::invalid_argument(fmt::format("{}: found {}, allowed {} {}", name, value,
                                            above ? "above" : "at least", bound));
  };
  least("gravity", options.gravity, 0.0, true);
  least("gravity_sigma", options.gravity_sigma, 0.0, false);
  least("drag", options.drag, 0.0, false);
  least("drag_sigma", options.drag_sigma, 0.0, false);
  least("contact_time", options.contact_time, 0.0, false);
  least("contact_time_sigma", options.contact_time_sigma, 0.0, false);
  if (std::isnan(options.drop_height)) return;
  least("drop_height", options.drop_height, 0.0, true);
  least("drop_height_sigma", options.drop_height_sigma, 0.0, false);
}

/// What all e follow from: the times of the contacts, then what the options state.
struct SeriesInputs {
  Eigen::VectorXd values, sigmas;
  std::size_t missed_before = 0;  // 0: none
  bool dropped = false;           // from a known height
  static constexpr Eigen::Index kContactTime = 0, kDrag = 1, kGravity = 2, kHeight = 3, kCount = 4;

  Eigen::Index Contacts() const { return values.size() - kCount; }
};

/// The numbers of one contact; NaN where they do not follow.
struct SpeedsOfContact {
  double e = std::numeric_limits<double>::quiet_NaN();
  double before = std::numeric_limits<double>::quiet_NaN();
  double after = std::numeric_limits<double>::quiet_NaN();
};

/// Time from a contact that the ball leaves at `takeoff` to the contact after next, where the one
/// between has this e.
double TwoFlights(double takeoff, double e, double g, double k) {
  const double u2 = takeoff * takeoff * k / g;
  return TimeOfFlight(takeoff, g, k) + TimeOfFlight(e * takeoff / std::sqrt(1.0 + u2), g, k);
}

/// The x between 0 and `most` where a function that rises has this value, or `most`.
template <typename Rising>
double Root(const Rising& rising, double value, double most) {
  double low = 0.0, high = most;
  for (int step = 0; step < 100 && high - low > 1e-15 * most; ++step) {
    const double middle = 0.5 * (low + high);
    (rising(middle) < value ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

std::vector<SpeedsOfContact> Speeds(const SeriesInputs& in, const Eigen::VectorXd& values) {
  const Eigen::Index count = in.Contacts();
  const Eigen::VectorXd stated = values.tail(SeriesInputs::kCount);
  const double dwell = stated[SeriesInputs::kContactTime];
  const double g = stated[SeriesInputs::kGravity];
  // Errors of a small k may take it below 0, where the equations of a flight have no meaning.
  const double k = std::max(stated[SeriesInputs::kDrag], 0.0);
  const auto double_before = static_cast<Eigen::Index>(in.missed_before);
  std::vector<SpeedsOfContact> speeds(static_cast<std::size_t>(count));
  for (Eigen::Index n = 0; n < count; ++n) {
    SpeedsOfContact& contact = speeds[static_cast<std::size_t>(n)];
    const bool two_before = n > 0 && n == double_before;
    const bool two_after = double_before > 0 && n + 1 == double_before;
    const double before = n > 0 ? values[n] - values[n - 1] - dwell : 0.0;
    const double after = n + 1 < count ? values[n + 1] - values[n] - dwell : 0.0;
    if (n > 0 && !two_before) contact.before = FlightOfTime(before, g, k).landing;
    if (n == 0 && in.dropped) contact.before = SpeedOfFall(stated[SeriesInputs::kHeight], g, k);
    if (n + 1 < count && !two_after) contact.after = FlightOfTime(after, g, k).takeoff;
    // Two flights: e of this contact and of the one that was not heard are the same.
    if (two_after && std::isfinite(contact.before)) {
      contact.e = Root([&](double e) { return TwoFlights(e * contact.before, e, g, k); },
                       after - dwell, 2.0);
      contact.after = contact.e * contact.before;
    } else if (two_before && std::isfinite(contact.after)) {
      // before = flight (1 + e), after = e^2 flight: the larger e, the shorter the time before.
      const double takeoff = contact.after;
      const auto time_before = [&](double e) {
        const double landing = takeoff / e;
        const double u2 = std::min(landing * landing * k / g, 0.999);
        const double middle = landing / std::sqrt(1.0 - u2);
        const double fall = middle / e;
        const double v2 = std::min(fall * fall * k / g, 0.999);
        return TimeOfFlight(middle, g, k) + TimeOfFlight(fall / std::sqrt(1.0 - v2), g, k);
      };
      const double inverse =
          Root([&](double x) { return time_before(1.0 / x); }, before - dwell, 10.0);
      contact.e = 1.0 / inverse;
      contact.before = takeoff * inverse;
    } else {
      contact.e = contact.after / contact.before;
    }
  }
  return speeds;
}

/// e of all bounces from those of each.
void Combine(const Eigen::VectorXd& e, const Eigen::VectorXd& speeds, BounceSeries* series) {
  const CommonValue common = FitCommonValue(e, series->covariance_of_e, speeds);
  series->chi2 = common.chi_square;
  series->dof = common.dof;
  series->p = common.p;
  series->scatter = common.scatter;
  series->e = common.mean.value;
  series->e_sigma = common.mean.sigma;
  series->slope = common.slope.value;
  series->slope_sigma = common.slope.sigma;
}

/// d e / d inputs, by central differences; a row for each contact in `with_e`.
Eigen::MatrixXd Sensitivity(const SeriesInputs& in, const std::vector<std::size_t>& with_e) {
  Eigen::MatrixXd sensitivity(static_cast<Eigen::Index>(with_e.size()), in.values.size());
  for (Eigen::Index column = 0; column < in.values.size(); ++column) {
    const bool drag = column == in.Contacts() + SeriesInputs::kDrag;
    // Times and heights: 1 um or 1 us; k: from 0 on, it is not below.
    const double step = drag ? 1e-4 : 1e-6;
    Eigen::VectorXd less = in.values, more = in.values;
    less[column] -= drag ? 0.0 : step;
    more[column] += step;
    const std::vector<SpeedsOfContact> low = Speeds(in, less), high = Speeds(in, more);
    for (std::size_t row = 0; row < with_e.size(); ++row) {
      sensitivity(static_cast<Eigen::Index>(row), column) =
          (high[with_e[row]].e - low[with_e[row]].e) / (more[column] - less[column]);
    }
  }
  return sensitivity;
}

SeriesInputs Inputs(const ContactOnsets& sounds, const ContactChain& chain,
                    const SeriesOptions& options) {
  SeriesInputs in{.missed_before = chain.missed_before,
                  .dropped = !std::isnan(options.drop_height)};
  const auto count = static_cast<Eigen::Index>(chain.contacts.size());
  in.values.resize(count + SeriesInputs::kCount);
  in.sigmas.resize(count + SeriesInputs::kCount);
  for (Eigen::Index n = 0; n < count; ++n) {
    const ContactOnset& onset = sounds.onsets[chain.contacts[static_cast<std::size_t>(n)]];
    in.values[n] = onset.time;
    in.sigmas[n] = onset.sigma;
  }
  in.values.tail(SeriesInputs::kCount) << options.contact_time, options.drag, options.gravity,
      in.dropped ? options.drop_height : 0.0;
  in.sigmas.tail(SeriesInputs::kCount) << options.contact_time_sigma, options.drag_sigma,
      options.gravity_sigma, in.dropped ? options.drop_height_sigma : 0.0;
  return in;
}

void Warn(BounceSeries* series) {
  if (series->bounces.size() == 3) {
    series->warnings.push_back(
        "three contacts have one ratio of intervals: nothing tells that they are of one ball");
  }
  for (std::size_t n = 0; n < series->bounces.size(); ++n) {
    const HeardBounce& bounce = series->bounces[n];
    if (bounce.missed_before) {
      series->warnings.push_back(fmt::format(
          "a contact before {:.3f} s was not heard: its e was taken to be that of its neighbours",
          bounce.time));
    }
    if (bounce.e > 1.0) {
      series->warnings.push_back(
          fmt::format("e of the contact at {:.3f} s is {:.4f}, above 1", bounce.time, bounce.e));
    }
  }
  if (series->p < kScatterIsClear) {
    series->warnings.push_back(fmt::format(
        "e differs from bounce to bounce by more than the sigmas of the sounds (chi-square {:.1f} "
        "for {} degrees of freedom): a scatter of {:.4f} was added",
        series->chi2, series->dof, series->scatter));
  }
}

}  // namespace

BounceSeries FindBounceSeries(const ContactOnsets& sounds, const SeriesOptions& options) {
  CheckSeriesOptions(options);
  BounceSeries series;
  if (!sounds.reason.empty()) {
    series.reason = sounds.reason;
    return series;
  }
  if (sounds.onsets.size() < 3) {
    series.reason = fmt::format("found {} sudden sound{}, allowed at least 3", sounds.onsets.size(),
                                sounds.onsets.size() == 1 ? "" : "s");
    return series;
  }
  const ContactChain chain = FindContactChain(sounds);
  if (chain.contacts.empty()) {
    series.reason = fmt::format(
        "the intervals between {} sudden sounds do not shrink as those of a bouncing ball do",
        sounds.onsets.size());
    return series;
  }
  const SeriesInputs in = Inputs(sounds, chain, options);
  for (Eigen::Index n = 1; n < in.Contacts(); ++n) {
    const double interval = in.values[n] - in.values[n - 1];
    if (interval > 2.0 * options.contact_time) continue;
    series.reason = fmt::format(
        "contact_time: found {:.4g} s, allowed less than half of the shortest interval, {:.4g} s",
        options.contact_time, interval);
    return series;
  }

  const std::vector<SpeedsOfContact> speeds = Speeds(in, in.values);
  std::vector<std::size_t> with_e;
  for (std::size_t n = 0; n < speeds.size(); ++n) {
    const ContactOnset& onset = sounds.onsets[chain.contacts[n]];
    series.bounces.push_back({.time = onset.time,
                              .time_sigma = onset.sigma,
                              .rise_db = onset.rise_db,
                              .e = speeds[n].e,
                              .speed_before = speeds[n].before,
                              .speed_after = speeds[n].after,
                              .missed_before = n > 0 && n == chain.missed_before});
    if (std::isfinite(speeds[n].e)) with_e.push_back(n);
  }
  const Eigen::MatrixXd scaled = Sensitivity(in, with_e) * in.sigmas.asDiagonal();
  series.covariance_of_e = scaled * scaled.transpose();
  Eigen::VectorXd e(scaled.rows()), before(scaled.rows());
  for (Eigen::Index row = 0; row < scaled.rows(); ++row) {
    HeardBounce& bounce = series.bounces[with_e[static_cast<std::size_t>(row)]];
    bounce.e_sigma = std::sqrt(series.covariance_of_e(row, row));
    e[row] = bounce.e;
    before[row] = bounce.speed_before;
  }
  series.others = chain.others;
  Combine(e, before, &series);
  Warn(&series);
  return series;
}

}  // namespace percuss::capture
