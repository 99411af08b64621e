// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/nan.h"
#include "base/value_with_sigma.h"

namespace percuss::fitting {

// What a fit says beside its coefficients: findings of the audit, advice on the next drop, the
// error budget, repeatability.

/// One plain-language finding about the data.
struct AuditFinding {
  std::string check;  ///< gravity | momentum | admissibility | floor | outlier | mass
  std::string trial;  ///< empty: all trials together
  bool ok = true;
  double probability =
      kNaN;          ///< of seeing at least this under the stated sigmas, if the data were right
  std::string text;  ///< one sentence with numbers and units
};

/// What a measured impact says of itself, by no law (CalcContactNumbers); of the contact point.
struct ContactNumbers {
  std::string trial;
  ValueWithSigma approach;       ///< towards the surface, before [m/s]
  ValueWithSigma slip;           ///< along it, before [m/s]
  ValueWithSigma incidence_deg;  ///< of its velocity from the normal [degrees]
  ValueWithSigma e_n, e_t, eta, impulse_ratio;
  int points = 1;  ///< that struck together: then all of the middle between them
};

/// What one more impact would tell.
struct NextDrop {
  double pitch_deg = 0.0, roll_deg = 0.0, incidence_deg = 0.0;
  double speed = 0.0;  ///< [m/s]
  /// Sigma of each parameter, by name, with the drop over that without.
  std::vector<std::pair<std::string, double>> interval_factors;
  /// -1/2 ln det (covariance with over without) [nats]: what D-optimality maximises.
  double information = 0.0;
  std::vector<std::string> modes;  ///< of the impact, as the law predicts it
};

/// The drop that would best bisect where mu_s may be: its contact stops, and then holds if mu_s is
/// at least its critical friction, else it slips on.
struct StaticFrictionDrop {
  bool usable = false;
  std::string reason = {};                       ///< why not
  std::array<double, 2> between = {kNaN, kNaN};  ///< where mu_s may be now
  bool open_above = false;                       ///< nothing bounds it there: `between` is a guess
  double critical_friction = kNaN;
  NextDrop drop = {};  ///< modes: if it holds; interval_factors: of mu_s, expected
};

/// The next experiment that would tell most about the parameters of a law.
struct NextDropAdvice {
  bool usable = false;
  std::string reason;  ///< why not
  std::string law;
  NextDrop d_optimal;  ///< most information on all parameters together
  /// The drop that shrinks the interval of each parameter, by name, most.
  std::vector<std::pair<std::string, NextDrop>> per_parameter;
  std::optional<StaticFrictionDrop> static_friction;  ///< of a law that has mu_s
};

/// What one impact says by itself, without any law, from the velocities before and after it.
/// u is the velocity of the contact point, n the surface normal, dv = v' - v.
enum BudgetQuantity {
  kBudgetRestitution,      ///< e = -u'.n / u.n
  kBudgetImpulseRatio,     ///< |dv_t| / dv_n: mu if the contact slid in one direction, else less
  kBudgetDissipation,      ///< kinetic energy lost [J]
  kBudgetDissipatedShare,  ///< the same over the kinetic energy before the impact
  kNumBudgetQuantities
};
inline constexpr std::array<std::string_view, kNumBudgetQuantities> kBudgetQuantityNames = {
    "restitution", "impulse_ratio", "dissipated_energy", "dissipated_share"};
using BudgetValues = std::array<double, kNumBudgetQuantities>;

/// One source of error: how large it is, and the standard deviation it makes of each quantity.
struct ErrorBudgetRow {
  std::string source;
  double size = kNaN;  ///< NaN: no single number
  std::string unit;
  BudgetValues sigma{};     ///< NaN where it cannot be carried through
  BudgetValues share{};     ///< of the total variance
  std::string counterpart;  ///< rows of a thesis' list: our source for the same; empty: none
};

struct ErrorBudget {
  int num_impacts = 1;
  BudgetValues value{};
  BudgetValues sigma{};              ///< all rows in quadrature
  std::vector<ErrorBudgetRow> rows;  ///< independent of each other
  /// The sources that sun2017 4.3 lists, in its order, with the sizes it states. Those that can be
  /// carried through this impact have a sigma: sizes are limits +-a there, taken as a / sqrt(3);
  /// errors of a marker in the image act as the pixel noise of the record does, in proportion to
  /// their size. No share: it does not add them up.
  std::vector<ErrorBudgetRow> thesis;
};

/// A measured quantity and what a law predicts of its measurement, errors of the measurement
/// included.
struct PredictedQuantity {
  double measured = kNaN;
  double median = kNaN;
  std::array<double, 2> in95 = {kNaN, kNaN};  ///< 2.5 and 97.5 % of the draws
};
/// Whether a value lies in the interval; a missing one does not.
inline bool IsInside(const PredictedQuantity& predicted, double value) {
  return value >= predicted.in95[0] && value <= predicted.in95[1];
}
inline bool IsInside(const PredictedQuantity& predicted) {
  return IsInside(predicted, predicted.measured);
}

/// After an impact: v', w' in W [m/s, rad/s], and the share of the kinetic energy lost.
struct PredictedMotion {
  double num_draws = 0.0;  ///< behind it; of weighted ones (sum w)^2 / sum w^2
  std::array<PredictedQuantity, 6> velocity = {};
  PredictedQuantity dissipation = {};
};
inline constexpr std::array<std::string_view, 6> kVelocityNames = {"vx", "vy", "vz",
                                                                   "wx", "wy", "wz"};

/// Prediction of one impact whose pose nobody measured (PredictOverPoses).
struct PosePrediction {
  std::string trial = {};
  std::string reason = {};          ///< why there is none; else empty
  double approaching = kNaN;        ///< share of the drawn poses in which the contact approaches
  PredictedMotion prediction = {};  ///< knows nothing of what was measured after the impact
  /// The same, each pose weighted by how well a single impulse through its contact point explains
  /// the measured change of velocities. No draws: none does.
  PredictedMotion given_impulse = {};
  double dissipation_reported = kNaN;                      ///< by the table itself
  std::vector<std::pair<std::string, double>> modes = {};  ///< share of the draws, most first
};

struct LawPosePredictions {
  std::string law;
  std::string reason;  ///< why there is none of any impact; else empty
  std::vector<PosePrediction> trials;
};

/// What one group says, and how it compares with the others. NaN where it has too few values.
struct GroupPrecision {
  std::string name;
  int count = 0;
  double mean = kNaN;
  double sigma = kNaN;       ///< within the group
  double h = kNaN;           ///< between groups: of the mean
  double k = kNaN;           ///< within groups: of the spread
  double k_critical = kNaN;  ///< at 0.5 % significance
};

/// Precision of a test method (ASTM E691), all in the unit of the results.
struct Precision {
  std::vector<GroupPrecision> groups;
  double mean = kNaN;  ///< of the means of the groups
  double sigma_means = kNaN;
  double repeatability = kNaN;    ///< s_r, within a group
  double between = kNaN;          ///< s_L, of group means
  double reproducibility = kNaN;  ///< s_R
  double h_critical = kNaN;       ///< at 0.5 % significance
};

/// One parameter of a law as the result of a test, each impact fitted by itself.
struct RepeatabilityStudy {
  std::string law, parameter;
  std::string column;  ///< key of ImpactRecord::extra that tells the groups
  Precision precision;
  int left_out = 0;  ///< impacts without a group, or that do not identify the parameter
};

}  // namespace percuss::fitting
