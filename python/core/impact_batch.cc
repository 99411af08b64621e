// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "python/core/impact_batch.h"

#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>

#include "app/sweep/sweep.h"
#include "base/parallel.h"
#include "fitting/model/impact_model.h"
#include "solver/contact/contact.h"
#include "solver/law/domain_reason.h"
#include "solver/solve_impact.h"

namespace percuss::python {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using RowMajor6 = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view kNoAnswer = "the law has no answer";
constexpr std::string_view kNotPositive = "inverse_mass is not positive definite";
constexpr std::string_view kNoNormal = "the normal is zero";
constexpr std::string_view kNoOrientation = "the orientation is not of length 1";

Vector3d Vector(const Rows& rows, std::size_t impact) { return Vector3d(rows[impact]); }

void Put(const Vector3d& value, std::size_t impact, double* to) {
  Eigen::Map<Vector3d>(to + 3 * impact) = value;
}

// What of an impact does not change while positions stay: placed once for all if they all do.
struct Place {
  solver::Contact<double> contact;
  Matrix3d frame = Matrix3d::Identity();  // F: columns t1, t2, n
  Matrix3d R_WB = Matrix3d::Identity();
  Matrix3d spin = Matrix3d::Zero();   // I_W^-1 [r]x F: w' - w by P
  Matrix3d lever = Matrix3d::Zero();  // F^T [r]x^T: u by w
  std::string_view reason;
};

class Solver {
 public:
  Solver(const ImpactBatch& batch, const ImpactAnswers& answers)
      : batch_(batch), answers_(answers), solve_(solver::FindLawBatchFunction(batch.law->name)) {
    if (batch.body != nullptr) {
      inverse_inertia_ = batch.body->inertia.inverse();
      stays_ = batch.orientation.Constant() && batch.normal.Constant() &&
               (batch.contact_point.data == nullptr || batch.contact_point.Constant());
    } else {
      stays_ = batch.inverse_mass.Constant();
    }
    if (stays_) PlaceAt(0, constant_);
    parameters_stay_ = std::ranges::all_of(batch.parameters, &Rows::Constant);
    if (parameters_stay_) ReadParameters(0, constant_parameters_);
  }

  void Solve(std::size_t first, std::size_t last) const {
    const std::size_t count = last - first, width = batch_.parameters.size();
    std::vector<Place> places(stays_ ? 1 : count, constant_);
    std::vector<std::string_view> reasons(count);
    std::vector<solver::Contact<double>> contacts(count);
    std::vector<double> parameters, row = constant_parameters_;
    parameters.reserve(count * width);
    for (std::size_t i = 0; i < count; ++i) {
      Place& place = places[stays_ ? 0 : i];
      if (!stays_) PlaceAt(first + i, place);
      if (!parameters_stay_) ReadParameters(first + i, row);
      parameters.insert(parameters.end(), row.begin(), row.end());
      MoveAt(first + i, place);
      reasons[i] = place.reason.empty() ? solver::WhyOutside(batch_.law->domain, place.contact)
                                        : place.reason;
      contacts[i] = place.contact;
      if (!reasons[i].empty()) contacts[i].velocity.setConstant(kNaN);  // no law solves that
    }
    std::vector<solver::ImpactResult<double>> results(count);
    solve_(contacts, parameters, results);
    for (std::size_t i = 0; i < count; ++i) {
      const Place& place = places[stays_ ? 0 : i];
      if (reasons[i].empty() && !results[i].impulse.allFinite()) {
        const bool finite =
            contacts[i].inverse_mass.allFinite() && contacts[i].velocity.allFinite();
        reasons[i] = finite ? kNoAnswer : solver::kReasonsOutside[1];
        results[i] = solver::NoAnswer<double>();
      }
      Answer(first + i, place, reasons[i], results[i]);
      if (answers_.by_state == nullptr) continue;
      const std::span<const double> own(parameters.data() + i * width, width);
      if (batch_.body != nullptr) {
        DifferentiateBody(first + i, place, contacts[i], own);
      } else {
        DifferentiateContact(first + i, contacts[i], own);
      }
    }
  }

 private:
  void ReadParameters(std::size_t impact, std::vector<double>& parameters) const {
    parameters.clear();
    for (const Rows& rows : batch_.parameters) parameters.push_back(*rows[impact]);
    try {
      solver::ValidateParameters(*batch_.law, parameters);
    } catch (const std::invalid_argument& error) {
      if (parameters_stay_) throw;
      throw std::invalid_argument(fmt::format("impact {}: {}", impact, error.what()));
    }
  }

  void PlaceAt(std::size_t impact, Place& place) const {
    place.reason = {};
    if (batch_.body == nullptr) {
      place.contact.inverse_mass = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(
          batch_.inverse_mass[impact]);
      const Matrix3d& a = place.contact.inverse_mass;
      if (!a.isApprox(a.transpose(), 1e-9) || Eigen::LLT<Matrix3d>(a).info() != Eigen::Success)
        place.reason = kNotPositive;
      return;
    }
    const double* q = batch_.orientation[impact];
    const Vector3d normal = Vector(batch_.normal, impact);
    Eigen::Quaterniond q_WB(q[0], q[1], q[2], q[3]);
    const double length = q_WB.norm();
    if (!(std::abs(length - 1.0) <= 1e-3)) place.reason = kNoOrientation;
    if (!(normal.norm() > 0.0)) place.reason = kNoNormal;
    if (!place.reason.empty()) return;
    q_WB.coeffs() /= length;
    place.R_WB = q_WB.toRotationMatrix();
    place.frame = solver::ContactFrame(normal);
    const Vector3d r =
        batch_.contact_point.data != nullptr
            ? Vector(batch_.contact_point, impact)
            : Vector3d(place.R_WB *
                       solver::SupportPoint(batch_.body->shape, place.R_WB.transpose() * -normal));
    // With L = [r]x F: A = 1/m + L^T I_W^-1 L, in body axes, where the inertia rests.
    Matrix3d levers;
    for (int axis = 0; axis < 3; ++axis) levers.col(axis) = r.cross(place.frame.col(axis));
    const Matrix3d levers_B = place.R_WB.transpose() * levers;
    const Matrix3d spin_B = inverse_inertia_ * levers_B;
    place.spin = place.R_WB * spin_B;
    place.lever = levers.transpose();
    place.contact.inverse_mass.noalias() = levers_B.transpose() * spin_B;
    place.contact.inverse_mass.diagonal().array() += 1.0 / batch_.body->mass;
  }

  // The velocity of the contact at its place, and the energy.
  void MoveAt(std::size_t k, Place& place) const {
    Vector3d& u = place.contact.velocity;
    double energy = kNaN;
    if (batch_.body != nullptr) {
      const Vector3d v = Vector(batch_.velocity, k), w = Vector(batch_.angular_velocity, k);
      u = place.frame.transpose() * v + place.lever * w;
      const Vector3d w_B = place.R_WB.transpose() * w;
      energy = 0.5 * (batch_.body->mass * v.squaredNorm() + w_B.dot(batch_.body->inertia * w_B));
    } else {
      u = Vector(batch_.velocity, k);
      if (place.reason.empty())
        energy = 0.5 * u.dot(Eigen::LLT<Matrix3d>(place.contact.inverse_mass).solve(u));
    }
    answers_.energy_before[k] = place.reason.empty() ? energy : kNaN;
  }

  // `answer` is NaN where there is a reason.
  void Answer(std::size_t k, const Place& place, std::string_view reason,
              const solver::ImpactResult<double>& answer) const {
    if (batch_.body != nullptr) {
      Put(Vector(batch_.velocity, k) + place.frame * answer.impulse / batch_.body->mass, k,
          answers_.velocity);
      Put(Vector(batch_.angular_velocity, k) + place.spin * answer.impulse, k,
          answers_.angular_velocity);
    }
    Put(place.frame * answer.impulse, k, answers_.impulse);
    Put(place.frame * answer.contact_velocity, k, answers_.contact_velocity);
    answers_.normal_work[k] = answer.energy.normal_work;
    answers_.friction_work[k] = answer.energy.friction_work;
    unsigned modes = 0, shift = 0;
    for (const solver::ContactMode mode : answer.modes) {
      modes |= (static_cast<unsigned>(mode) + 1) << shift;
      shift += 2;
    }
    answers_.modes[k] = static_cast<std::uint16_t>(modes);
    answers_.sun_case[k] = static_cast<std::uint8_t>(
        std::ranges::find(app::kCases, answer.sun_case) - app::kCases.begin());
    answers_.reason[k] =
        reason.empty()
            ? 0
            : static_cast<std::uint8_t>(std::ranges::find(Reasons(), reason) - Reasons().begin());
  }

  // v' = v + F P / m, w' = w + S P, u = F^T v + L w: by the chain rule from dP/du and dP/dp.
  void DifferentiateBody(std::size_t k, const Place& place, const solver::Contact<double>& contact,
                         std::span<const double> parameters) const {
    Eigen::Map<RowMajor6> by_state(answers_.by_state + 36 * k);
    const auto count = static_cast<Eigen::Index>(parameters.size());
    RowMajorMap by_parameters(answers_.by_parameters + 6 * count * k, 6, count);
    if (answers_.reason[k] != 0) {
      by_state.setConstant(kNaN);
      by_parameters.setConstant(kNaN);
      return;
    }
    const auto law = fitting::DifferentiateLaw(batch_.law->name, contact, parameters);
    Eigen::Matrix<double, 6, 3> by_impulse;
    by_impulse << place.frame / batch_.body->mass, place.spin;
    Eigen::Matrix<double, 3, 6> u_by_state;
    u_by_state << place.frame.transpose(), place.lever;
    by_state = by_impulse * law.velocity * u_by_state;
    by_state += RowMajor6::Identity();
    by_parameters = by_impulse * law.parameters;
  }

  void DifferentiateContact(std::size_t k, const solver::Contact<double>& contact,
                            std::span<const double> parameters) const {
    Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> by_state(answers_.by_state + 9 * k);
    const auto count = static_cast<Eigen::Index>(parameters.size());
    RowMajorMap by_parameters(answers_.by_parameters + 3 * count * k, 3, count);
    if (answers_.reason[k] != 0) {
      by_state.setConstant(kNaN);
      by_parameters.setConstant(kNaN);
      return;
    }
    const auto law = fitting::DifferentiateLaw(batch_.law->name, contact, parameters);
    by_state = Matrix3d::Identity() + contact.inverse_mass * law.velocity;
    by_parameters = contact.inverse_mass * law.parameters;
  }

  using RowMajorMap =
      Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

  const ImpactBatch& batch_;
  const ImpactAnswers& answers_;
  const solver::LawBatchFunction solve_;
  Matrix3d inverse_inertia_ = Matrix3d::Zero();
  bool stays_ = false, parameters_stay_ = true;
  Place constant_;
  std::vector<double> constant_parameters_;
};

}  // namespace

const std::vector<std::string>& Reasons() {
  static const std::vector<std::string> reasons = [] {
    std::vector<std::string> all = {""};
    all.insert(all.end(), solver::kReasonsOutside.begin(), solver::kReasonsOutside.end());
    for (const std::string_view reason : {kNoAnswer, kNotPositive, kNoNormal, kNoOrientation})
      all.emplace_back(reason);
    return all;
  }();
  return reasons;
}

void SolveBatch(const ImpactBatch& batch, std::size_t count, int num_threads,
                const ImpactAnswers& answers, const std::function<void()>& between) {
  if (count == 0) return;
  const Solver solver(batch, answers);
  constexpr std::size_t kChunk = 64;  // solved together
  // Laws differ in speed by a factor of 10^4: portions grow until they take a tenth of a second.
  std::size_t portion = 16 * kChunk;
  for (std::size_t first = 0; first < count;) {
    const std::size_t last = std::min(count, first + portion);
    const auto start = std::chrono::steady_clock::now();
    const auto chunks = static_cast<int>((last - first + kChunk - 1) / kChunk);
    ParallelFor(chunks, num_threads, [&](int chunk) {
      const std::size_t begin = first + chunk * kChunk;
      solver.Solve(begin, std::min(begin + kChunk, last));
    });
    first = last;
    if (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(50)) portion *= 4;
    between();
  }
}

}  // namespace percuss::python
