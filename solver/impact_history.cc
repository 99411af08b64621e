// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/impact_history.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "solver/law_registry.h"
#include "solver/solve_impact.h"

namespace percuss::solver {
namespace {

template <class Law>
constexpr bool kIsLayer = requires(const Contact<double>& contact,
                                   std::span<const double> parameters) {
  Law::template Layer<double>(contact, parameters);
};

template <class Law>
constexpr bool kHasModel = requires(const Contact<double>& contact,
                                    std::span<const double> parameters) {
  Law::template Model<double>(contact, parameters);
};

/// Follows its impact itself.
template <class Law>
constexpr bool kFollows = requires(const Contact<double>& contact,
                                   std::span<const double> parameters, ContactHistory* history) {
  Law::Follow(contact, parameters, 1.0, history);
};

}  // namespace

bool HasHistory(std::string_view law) {
  return VisitLaw(
      law, []<class Law>(const Law&) { return kHasModel<Law> || kIsLayer<Law> || kFollows<Law>; });
}

ContactHistory FollowContact(std::string_view law, const Contact<double>& contact,
                             std::span<const double> parameters, double stiffness) {
  const LawInfo& info = FindLaw(law);
  ValidateParameters(info, parameters);
  ValidateContact(contact);
  ValidateDomain(info, contact);
  if (!HasHistory(law)) {
    std::string with;
    for (const LawInfo& one : Laws()) {
      if (HasHistory(one.name)) with += (with.empty() ? "" : ", ") + std::string(one.name);
    }
    throw std::invalid_argument("law is \"" + std::string(law) +
                                "\", which has no force over time; those with one are " + with);
  }
  if (!(stiffness > 0.0 && stiffness < std::numeric_limits<double>::infinity())) {
    throw std::invalid_argument("stiffness is " + std::to_string(stiffness) +
                                "; allowed is a number above 0");
  }
  return FollowSolvedContact(law, contact, parameters, stiffness);
}

ContactHistory FollowSolvedContact(std::string_view law, const Contact<double>& contact,
                                   std::span<const double> parameters, double stiffness) {
  const double own = ParameterNamed(FindLaw(law), "k", parameters);
  if (!std::isnan(own)) stiffness = own;
  ContactHistory history;
  VisitLaw(law, [&]<class Law>(const Law&) {
    if constexpr (kHasModel<Law>) {
      IntegratePointContact(contact, Law::template Model<double>(contact, parameters),
                            {.stiffness = stiffness}, &history);
    } else if constexpr (kIsLayer<Law>) {
      IntegrateBoundaryLayer<double>(contact, Law::template Layer<double>(contact, parameters),
                                     {.stiffness = stiffness}, &history);
    } else if constexpr (kFollows<Law>) {
      Law::Follow(contact, parameters, stiffness, &history);
    }
  });
  return history;
}

ContactPeaks PeaksOf(const ContactHistory& history) {
  if (history.empty()) return kUnknownPeaks;
  ContactPeaks peaks;
  for (const ContactSample& sample : history) {
    peaks.force = std::max(peaks.force, sample.force[2]);
    peaks.compression = std::max(peaks.compression, -sample.displacement[2]);
  }
  peaks.duration = history.back().time;
  peaks.last_compression = std::max(0.0, -history.back().displacement[2]);
  return peaks;
}

}  // namespace percuss::solver
