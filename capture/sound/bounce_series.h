// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <limits>
#include <string>
#include <vector>

#include "capture/sound/contact_onsets.h"

namespace percuss::capture {

/// What is known of the ball and its flights. Defaults: no air, and a contact that is short.
struct SeriesOptions {
  double gravity = 9.80665;  ///< [m/s^2]
  double gravity_sigma = 0.0;
  double drag =
      0.0;  ///< k of the deceleration k v^2 by the air [1/m]; see DragOfBall (ball_flight.h)
  double drag_sigma = 0.0;
  /// From the lowest point of the ball at rest to the ground [m]; NaN: not known, and then the
  /// first contact has no e.
  double drop_height = std::numeric_limits<double>::quiet_NaN();
  double drop_height_sigma = 0.001;
  /// How long a contact lasts, the same for all [s]. A marble: 0.1 ms, table tennis: 0.7 ms,
  /// rubber: 2 to 5 ms. It is part of each interval between two sounds.
  double contact_time = 0.0;
  double contact_time_sigma = 0.002;
};

/// A contact of the ball. Numbers that the sound does not tell are NaN: e of the last contact, and
/// of the first one without a drop height.
struct HeardBounce {
  double time = 0.0, time_sigma = 0.0;  ///< [s], clock of the video
  double rise_db = 0.0;                 ///< of its sound over the noise
  double e = std::numeric_limits<double>::quiet_NaN();
  double e_sigma = std::numeric_limits<double>::quiet_NaN();
  double speed_before = std::numeric_limits<double>::quiet_NaN();  ///< [m/s]
  double speed_after = std::numeric_limits<double>::quiet_NaN();   ///< [m/s]
  /// A contact between the one before and this one was not heard. It is taken to have had the e of
  /// its neighbours.
  bool missed_before = false;
};

/// The contacts of one bouncing ball.
struct BounceSeries {
  std::string reason = {};  ///< why there are none; empty where there are
  std::vector<HeardBounce> bounces = {};
  /// Of the e of all bounces that have one, in their order.
  Eigen::MatrixXd covariance_of_e = {};

  /// One e for all bounces, by generalised least squares. Where chi2 is too large for that
  /// (p < 0.05), each bounce is given a scatter of its own, the same for all, that explains chi2.
  double e = std::numeric_limits<double>::quiet_NaN();
  double e_sigma = std::numeric_limits<double>::quiet_NaN();
  double chi2 = 0.0;  ///< of one e for all, without the scatter
  int dof = 0;
  double p = 1.0;        ///< probability of a larger chi2
  double scatter = 0.0;  ///< standard deviation of e from bounce to bounce, beyond the sigmas
  /// d e / d speed_before [s/m], by generalised least squares; NaN for less than three e.
  double slope = std::numeric_limits<double>::quiet_NaN();
  double slope_sigma = std::numeric_limits<double>::quiet_NaN();

  int others = 0;  ///< sudden sounds that are neither contacts nor their echoes
  std::vector<std::string> warnings = {};
};

/// Finds the bouncing ball among sudden sounds: contacts t_0 < t_1 < ... whose intervals shrink,
/// T_{n+1} = e_n T_n with 0.2 < e_n < 1, and e_n that changes by a few per cent from one to the
/// next; one contact may have been missed (T = T_k + T_{k+1}). Of all such series the one is taken
/// for which the odds against chance are best (bounce_search.h). Then, with flights of
/// T_n - contact_time,
///
///   e_n = takeoff_n / landing_{n-1}; without air T_n / T_{n-1},   e_0 = takeoff_0 / drop speed,
///
/// and the covariance of all e_n from the sigmas of the times and of what the options state.
/// At least three contacts; a reason says why there is no series.
/// @throws std::invalid_argument for options that cannot be.
BounceSeries FindBounceSeries(const ContactOnsets& sounds, const SeriesOptions& options = {});

}  // namespace percuss::capture
