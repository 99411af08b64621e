// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fitting/model/prepared_impacts.h"
#include "fitting/result/findings.h"

namespace percuss::fitting {

/// Results of one test by one laboratory, operator, or on one surface.
struct ResultGroup {
  std::string name;
  std::vector<double> values;
};

/// Precision from p groups with n_i values x, means m_i and standard deviations s_i:
///
///     s_r^2 = sum (n_i - 1) s_i^2 / sum (n_i - 1)
///     s_L^2 = max(0, (s_d^2 - s_r^2) / n'),  s_R^2 = s_L^2 + s_r^2
///       s_d^2 = sum n_i (m_i - M)^2 / (p - 1),  M = sum n_i m_i / N,  N = sum n_i,
///       n' = (N - sum n_i^2 / N) / (p - 1)
///     h_i = (m_i - m) / s_m,   m and s_m mean and standard deviation of the m_i
///     k_i = s_i / s_r
///     h_critical = (p - 1) t / sqrt(p (t^2 + p - 2)),  t: 99.75 % point of Student, p - 2
///     k_critical = sqrt(nu / (nu_i + (nu - nu_i) / F)),  F: 99.5 % point of F(nu_i, nu - nu_i),
///       nu_i = n_i - 1, nu = sum nu_i
///
/// which are those of ASTM E691 for groups of one size, n' = n; for others s_r and s_L are those of
/// ISO 5725-2. Groups without values are left out.
Precision CalcPrecision(const std::vector<ResultGroup>& groups);

/// A study of each parameter of the law for each column that some impact has: those where at least
/// two groups have a value and one of them two. Impacts fitted by themselves: a parameter counts
/// where it is identified.
std::vector<RepeatabilityStudy> StudyRepeatability(const PreparedImpacts& data,
                                                   const std::string& law,
                                                   const std::vector<std::string>& columns);

}  // namespace percuss::fitting
