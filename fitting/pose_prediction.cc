// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/pose_prediction.h"

#include <fmt/core.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include "base/math/covariance_root.h"
#include "fitting/estimate/comparison.h"
#include "fitting/model/coefficient_model.h"
#include "fitting/model/momentum_defect.h"
#include "impacts/table_description.h"
#include "solver/solve_impact.h"

namespace percuss::fitting {
namespace {

using Eigen::Quaterniond;
using Eigen::Vector3d;
using impacts::Heading;
using impacts::ImpactRecord;

constexpr double kNumFewest = 30.0;  // draws behind an interval
constexpr double kUnmeasuredVariance = 0.01 * impacts::kUnmeasuredSigma * impacts::kUnmeasuredSigma;

/// Random numbers of one impact.
class Draws {
 public:
  explicit Draws(unsigned seed) : random_(seed) {}

  double Normal() { return normal_(random_); }
  double Even(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  Eigen::VectorXd Normals(Eigen::Index count) {
    Eigen::VectorXd values(count);
    for (double& value : values) value = Normal();
    return values;
  }
  Quaterniond Rotation() {  // even over all
    const Eigen::VectorXd q = Normals(4);
    return Quaterniond(q[0], q[1], q[2], q[3]).normalized();
  }
  Quaterniond Turn(Heading heading) {
    double angle = 0.0;
    if (heading == Heading::kEither) angle = Even(0.0, 1.0) < 0.5 ? 0.0 : std::numbers::pi;
    if (heading == Heading::kAny) angle = Even(-std::numbers::pi, std::numbers::pi);
    return Quaterniond(Eigen::AngleAxisd(angle, Vector3d::UnitZ()));
  }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
};

Quaterniond Exponential(const Vector3d& turn) {
  const double angle = turn.norm();
  if (!(angle > 0.0)) return Quaterniond::Identity();
  return Quaterniond(Eigen::AngleAxisd(angle, turn / angle));
}

Quaterniond DrawOrientation(const impacts::OrientationPrior& prior, const Quaterniond& stated,
                            const Vector3d& error, Draws& draws) {
  if (prior.any) return draws.Rotation();
  Quaterniond q_WB = draws.Turn(prior.heading) * Exponential(error) * stated;
  if (prior.turned_about) {
    const double angle = draws.Even(-std::numbers::pi, std::numbers::pi);
    q_WB = q_WB * Quaterniond(Eigen::AngleAxisd(angle, *prior.turned_about));
  }
  return q_WB.normalized();
}

Vector3d DrawNormal(const impacts::NormalPrior& prior, const Vector3d& stated, Draws& draws) {
  const Eigen::Matrix3d frame = solver::ContactFrame(stated);
  const Vector3d leans =
      prior.sigma * (draws.Normal() * frame.col(0) + draws.Normal() * frame.col(1));
  return draws.Turn(prior.heading) * (stated + leans).normalized();
}

/// The parameters of the law, drawn from their sigmas within its bounds.
Eigen::VectorXd DrawParameters(const solver::LawInfo& law, const GivenParameters& given,
                               Draws& draws) {
  std::vector<double> values;
  const auto draw = [&](const solver::ParameterInfo& info) {
    const auto found = given.find(std::string(info.name));
    if (found == given.end()) return false;
    const auto [value, sigma] = found->second;
    double drawn = value;
    do {
      drawn = value + sigma * draws.Normal();
    } while (drawn < info.lower || drawn > info.upper);
    values.push_back(drawn);
    return true;
  };
  for (const solver::ParameterInfo& info : law.parameters) draw(info);
  for (const solver::ParameterInfo& info : law.optional_parameters) {
    if (!draw(info)) break;  // left out from the back
    const double mu = solver::ParameterNamed(law, "mu", values);
    if (info.name == "mu_s") values.back() = std::max(values.back(), mu);
  }
  return Eigen::Map<Eigen::VectorXd>(values.data(), std::ssize(values));
}

/// Share of the kinetic energy lost in a pose.
double LostShare(const Vector6d& before, const Vector6d& after, const Quaterniond& q_WB,
                 const solver::Body& body) {
  const auto twice_energy = [&](const Vector6d& velocity) {
    const Vector3d w = q_WB.conjugate() * velocity.tail<3>();
    return body.mass * velocity.head<3>().squaredNorm() + w.dot(body.inertia * w);
  };
  return 1.0 - twice_energy(after) / twice_energy(before);
}

Vector6d MeasuredAfter(const ImpactRecord& record) {
  Vector6d after;
  after << record.v_post, record.w_post;
  return after;
}

/// One row of quantities for each draw.
struct Drawn {
  std::vector<Vector6d> after;
  std::vector<double> lost, lost_measured;  ///< both in the pose of the draw
  std::vector<double> log_weight;
  std::map<std::string, int> modes;
  int num_tried = 0;
};

std::string ModesInWords(const solver::ModeSequence& modes) {
  std::string text;
  for (const solver::ContactMode mode : modes)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", solver::ModeName(mode));
  return text;
}

Drawn DrawImpacts(const solver::LawInfo& law, const Impact& impact, const solver::Body& body,
                  const GivenParameters& given, const impacts::OrientationPrior& orientation,
                  const impacts::NormalPrior& normal, int num_draws, Draws draws) {
  const solver::LawFunction solve = solver::FindLawFunction(law.name);
  // Rotation and velocities; what was not measured has no error here, and nothing to compare with.
  constexpr int kFirst = impacts::kRotation, kCount = impacts::kImpactDimension - kFirst;
  Eigen::MatrixXd covariance = impact.errors.Total().block<kCount, kCount>(kFirst, kFirst);
  for (int i = 0; i < kCount; ++i) {
    if (covariance(i, i) < kUnmeasuredVariance) continue;
    covariance.row(i).setZero();
    covariance.col(i).setZero();
  }
  const Eigen::MatrixXd root = CovarianceRoot(covariance);
  // The momentum defect of a pose has the errors of the velocities alone.
  ImpactErrors errors = impact.errors;
  constexpr int kVelocities = impacts::kImpactDimension - impacts::kV;
  ErrorCovariance of_velocities = ErrorCovariance::Zero();
  of_velocities.block<kVelocities, kVelocities>(impacts::kV, impacts::kV) =
      impact.errors.Total().block<kVelocities, kVelocities>(impacts::kV, impacts::kV);
  errors.own = of_velocities;
  errors.shared = ErrorSensitivity::Zero(kErrorDimension, 0);

  const Eigen::Matrix3d inverse_inertia = body.inertia.inverse();
  ImpactRecord record = impact.record;
  Drawn drawn;
  for (; drawn.num_tried < num_draws; ++drawn.num_tried) {
    const Eigen::VectorXd error = root.size() > 0
                                      ? Eigen::VectorXd(root * draws.Normals(root.cols()))
                                      : Eigen::VectorXd(Eigen::VectorXd::Zero(kCount));
    record.q_WB = DrawOrientation(orientation, impact.record.q_WB, error.head<3>(), draws);
    record.normal = DrawNormal(normal, impact.record.normal, draws);
    const Eigen::VectorXd parameters = DrawParameters(law, given, draws);
    record.r =
        record.q_WB * solver::SupportPoint(body.shape, -(record.q_WB.conjugate() * record.normal));
    const Vector3d v = impact.record.v - error.segment<3>(impacts::kV - kFirst);
    const Vector3d w = impact.record.w - error.segment<3>(impacts::kW - kFirst);
    const Eigen::Matrix3d frame = solver::ContactFrame(record.normal);
    const solver::Contact<double> contact{
        .inverse_mass = solver::InverseContactMass<double>(body.mass, body.inertia, record.q_WB,
                                                           record.r, frame),
        .velocity = solver::ContactVelocity<double>(v, w, record.r, frame)};
    if (!(contact.velocity.z() < 0.0)) continue;
    const solver::ImpactResult<double> result = solve(contact, AsSpan(parameters));
    if (!result.impulse.allFinite()) continue;
    const Vector3d impulse = frame * result.impulse;
    Vector6d after;
    after.head<3>() = v + impulse / body.mass;
    after.tail<3>() =
        w + record.q_WB * (inverse_inertia * (record.q_WB.conjugate() * record.r.cross(impulse)));
    after += error.segment<6>(impacts::kVPost - kFirst);
    drawn.after.push_back(after);
    const Vector6d& before = impact.geometry.before;
    drawn.lost.push_back(LostShare(before, after, record.q_WB, body));
    drawn.lost_measured.push_back(
        LostShare(before, MeasuredAfter(impact.record), record.q_WB, body));
    const MomentumDefect defect = CalcMomentumDefect(record, errors, body);
    drawn.log_weight.push_back(-0.5 * (defect.chi_square + defect.log_determinant));
    ++drawn.modes[ModesInWords(result.modes)];
  }
  return drawn;
}

/// Values at which the weights below them reach these shares.
std::array<double, 3> WeightedQuantiles(const std::vector<double>& values,
                                        const std::vector<double>& weights) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::array<double, 3> found{kNaN, kNaN, kNaN};
  constexpr std::array<double, 3> kShares = {0.025, 0.5, 0.975};
  double below = 0.0;
  std::size_t next = 0;
  for (const std::size_t i : order) {
    below += weights[i];
    while (next < 3 && below >= kShares[next] * total) found[next++] = values[i];
  }
  return found;
}

/// @param lost as measured
PredictedMotion Summarise(const Impact& impact, const Drawn& drawn,
                          const std::vector<double>& weights, double lost) {
  PredictedMotion motion;
  double sum = 0.0, squares = 0.0;
  for (const double weight : weights) {
    sum += weight;
    squares += weight * weight;
  }
  const double effective = squares > 0.0 ? sum * sum / squares : 0.0;
  if (effective < kNumFewest) return motion;
  motion.num_draws = effective;
  const auto predict = [&](const std::vector<double>& values, double measured) {
    const auto [low, median, high] = WeightedQuantiles(values, weights);
    return PredictedQuantity{measured, median, {low, high}};
  };
  const Vector6d measured = MeasuredAfter(impact.record);
  for (int i = 0; i < 6; ++i) {
    std::vector<double> values;
    for (const Vector6d& after : drawn.after) values.push_back(after[i]);
    const int place = impacts::kVPost + i;
    const bool known = impact.errors.Total()(place, place) < kUnmeasuredVariance;
    motion.velocity[i] = predict(values, known ? measured[i] : kNaN);
  }
  motion.dissipation = predict(drawn.lost, lost);
  return motion;
}

std::vector<double> WeightsOf(const Drawn& drawn) {
  std::vector<double> weights;
  if (drawn.log_weight.empty()) return weights;
  const double most = *std::ranges::max_element(drawn.log_weight);
  for (const double log_weight : drawn.log_weight) weights.push_back(std::exp(log_weight - most));
  return weights;
}

PosePrediction Predict(const solver::LawInfo& law, const Impact& impact, const solver::Body& body,
                       const GivenParameters& given, const impacts::PosePriors& priors,
                       int num_draws, Draws draws) {
  const ImpactRecord& record = impact.record;
  PosePrediction prediction{.trial = record.trial};
  const impacts::OrientationPrior* orientation = priors.OrientationOf(record);
  if (!impact.complete || orientation == nullptr || !impact.errors.reason_unusable.empty()) {
    prediction.reason = impact.reason_unusable;
    return prediction;
  }
  const Drawn drawn =
      DrawImpacts(law, impact, body, given, *orientation, priors.normal, num_draws, draws);
  const auto count = static_cast<double>(drawn.after.size());
  prediction.approaching = count / drawn.num_tried;
  const bool measured = impact.errors.fully_measured;
  prediction.prediction = Summarise(impact, drawn, std::vector<double>(drawn.after.size(), 1.0),
                                    measured ? CalcMeasuredDissipation(impact).value : kNaN);
  if (!(prediction.prediction.num_draws > 0.0)) {
    prediction.reason = "in no pose of its prior the contact point approaches the surface";
    return prediction;
  }
  if (measured) {
    const std::vector<double> weights = WeightsOf(drawn);
    prediction.given_impulse =
        Summarise(impact, drawn, weights, WeightedQuantiles(drawn.lost_measured, weights)[1]);
  }
  for (const auto& [modes, times] : drawn.modes)
    if (!modes.empty()) prediction.modes.emplace_back(modes, times / count);
  std::ranges::stable_sort(prediction.modes, std::greater<>(),
                           [](const auto& mode) { return mode.second; });
  const auto reported = record.extra.find(impacts::kReportedDissipation);
  if (reported != record.extra.end()) prediction.dissipation_reported = std::stod(reported->second);
  return prediction;
}

// Why a law cannot predict with what is given, or empty.
std::string ReasonAgainst(const solver::LawInfo& law, const GivenParameters& given) {
  if (law.domain != solver::LawDomain::kSpatial) return "the law is not for contacts in space";
  std::string missing;
  for (const solver::ParameterInfo& info : law.parameters) {
    if (!given.contains(std::string(info.name)))
      missing += fmt::format("{}{}", missing.empty() ? "" : ", ", info.name);
  }
  if (missing.empty()) return "";
  return fmt::format("a prediction needs {} as well, such as --fix {}=VALUE±SIGMA", missing,
                     missing.substr(0, missing.find(',')));
}

}  // namespace

LawPosePredictions PredictOverPoses(const std::string& law, const PreparedImpacts& data,
                                    const GivenParameters& given, const impacts::PosePriors& priors,
                                    const PosePredictionOptions& options) {
  constexpr int kLeast = 100;
  if (options.num_draws < kLeast) {
    throw std::invalid_argument(
        fmt::format("num_draws: found {}, allowed {} or more", options.num_draws, kLeast));
  }
  const solver::LawInfo& info = solver::FindLaw(law);
  const GivenParameters of_law = GivenOfLaw(info, given);
  LawPosePredictions predictions{.law = law, .reason = ReasonAgainst(info, of_law), .trials = {}};
  if (!predictions.reason.empty()) return predictions;
  for (std::size_t i = 0; i < data.impacts.size(); ++i) {
    // The same poses for all laws.
    predictions.trials.push_back(Predict(info, data.impacts[i], data.body, of_law, priors,
                                         options.num_draws,
                                         Draws(options.seed + static_cast<unsigned>(i))));
  }
  return predictions;
}

}  // namespace percuss::fitting
