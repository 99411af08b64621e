// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "solver/contact/contact.h"

namespace percuss::solver {

enum class ContactMode {
  kSlip,
  kStick,
  kReverseSlip
};  ///< kReverseSlip: slip that resumed after it had stopped

std::string_view ModeName(ContactMode mode);  ///< "slip", "stick", "reverse-slip"

/// The modes of an impact in order, without repetitions. Kept in place: an impact allocates
/// nothing.
class ModeSequence {
 public:
  using value_type = ContactMode;
  using const_iterator = const ContactMode*;
  static constexpr std::size_t kCapacity = 8;

  ModeSequence() = default;
  ModeSequence(std::initializer_list<ContactMode> modes) {
    for (const ContactMode mode : modes) push_back(mode);
  }

  /// Repeats of the last mode, and modes beyond the capacity, are left out.
  void push_back(ContactMode mode) {
    if (size_ < kCapacity && (size_ == 0 || back() != mode)) modes_[size_++] = mode;
  }

  const_iterator begin() const { return modes_.data(); }
  const_iterator end() const { return modes_.data() + size_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  ContactMode front() const { return modes_[0]; }
  ContactMode back() const { return modes_[size_ - 1]; }
  ContactMode operator[](std::size_t k) const { return modes_[k]; }
  bool operator==(const ModeSequence& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

 private:
  std::array<ContactMode, kCapacity> modes_{};
  std::size_t size_ = 0;
};

/// Where the kinetic energy went [J]; works are those of the surface on the body.
///     after - before = normal_work + friction_work
template <typename T>
struct EnergyLedger {
  T normal_work = T(0);    ///< integral of u_n dP_n, compression and restitution together
  T friction_work = T(0);  ///< integral of u_t . dP_t, never positive for Coulomb friction
};

/// The answer of an impact law, in the contact frame.
template <typename T>
struct ImpactResult {
  Eigen::Matrix<T, 3, 1> impulse = Eigen::Matrix<T, 3, 1>::Zero();  ///< P on the body [N s]
  Eigen::Matrix<T, 3, 1> contact_velocity = Eigen::Matrix<T, 3, 1>::Zero();  ///< u' = u + A P [m/s]
  T compression_impulse =
      T(0);  ///< normal impulse up to u_n = 0; NaN for laws that do not pass through it
  T restitution_impulse = T(0);  ///< the rest of the normal impulse
  EnergyLedger<T> energy;
  ModeSequence modes;         ///< empty for laws without modes
  std::string_view sun_case;  ///< case number of sun2017 Table 3.1 ("0" ... "6"), or empty
};

/// The answer where a law has none: NaN throughout.
template <typename T>
ImpactResult<T> NoAnswer() {
  const T nan = T(std::numeric_limits<double>::quiet_NaN());
  ImpactResult<T> result;
  result.impulse.setConstant(nan);
  result.contact_velocity.setConstant(nan);
  result.compression_impulse = result.restitution_impulse = nan;
  result.energy = {nan, nan};
  return result;
}

/// What normal and friction work add up to: P . (u + u') / 2, the change of the kinetic energy [J].
template <typename T>
T TotalWork(const Contact<T>& contact, const ImpactResult<T>& result) {
  return T(0.5) * result.impulse.dot(contact.velocity + result.contact_velocity);
}

/// Completes a result that has its impulse and normal work by the contact velocity and the friction
/// work.
template <typename T>
void SetVelocityAndFrictionWork(const Contact<T>& contact, ImpactResult<T>& result) {
  result.contact_velocity = contact.velocity + contact.inverse_mass * result.impulse;
  result.energy.friction_work = TotalWork(contact, result) - result.energy.normal_work;
}

struct ParameterInfo {
  std::string_view name;  ///< as in the sources: mu, e, mu_s, e_t, ...
  double lower = 0.0;
  double upper = std::numeric_limits<double>::infinity();
  double typical = 0.5;  ///< where a search may start
  std::string_view meaning;
};

/// A product of powers of parameters by which alone an impulse depends on each of them, so that no
/// velocities tell them apart.
struct ParameterProduct {
  struct Power {
    std::string_view parameter;
    double exponent = 1.0;
  };
  std::string_view name;      ///< k b^2
  std::string_view unit;      ///< SI
  std::vector<Power> powers;  ///< none is 0; the first is above 0
  std::string_view apart;     ///< what tells them apart
};

/// Which contacts a law is defined for.
enum class LawDomain {
  kSpatial,  ///< every contact
  kPlanar,   ///< slip and inverse mass do not leave one plane through the normal
  kDiagonal  ///< planar, and tangential and normal motion do not couple: A_tn = 0
};

/// What `percuss laws` prints about a law.
struct LawInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view source;  ///< document and equation
  std::vector<ParameterInfo> parameters;
  /// May be left out, from the back; the law says what stands for them. A fit leaves them out.
  std::vector<ParameterInfo> optional_parameters{};
  LawDomain domain = LawDomain::kSpatial;
  bool dissipative = true;  ///< false where the law can create kinetic energy
  bool coulomb = true;      ///< the impulse stays in the cone |P_t| <= mu P_n (or mu_s P_n)
  /// A law of the same parameters whose impulse and works are the same in every contact of this
  /// law's domain: they differ in what they say of the force over time. Empty: none.
  std::string_view same_as = {};
  /// Integrated over time where the motion is in space, which takes a thousand times as long.
  bool integrated = false;
  /// Takes all points that touch together; the others take one.
  bool several_points = false;
  std::vector<ParameterProduct> products{};
};

/// The parameter of that name among those of a law, NaN where the law has none or it is left out.
double ParameterNamed(const LawInfo& law, std::string_view name,
                      std::span<const double> parameters);

/// The checks of SolveImpact alone.
/// @throws std::invalid_argument quoting the value and its bound.
void ValidateContact(const Contact<double>& contact);
void ValidateDomain(const LawInfo& law, const Contact<double>& contact);
void ValidateParameters(const LawInfo& law, std::span<const double> parameters);

}  // namespace percuss::solver
