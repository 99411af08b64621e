// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/simulation/settle_contact.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <sstream>
#include <utility>

#include "solver/simulation/internal_forces.h"

namespace percuss::solver {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::VectorXd;

constexpr double kBeyond = 1e-10;   // of the largest force: pulls, exceeds
constexpr double kInwards = 1e-9;   // of the largest free acceleration: comes back
constexpr double kAligned = 1e-13;  // of it: across the direction of slip
constexpr double kHeld = 1e-8;      // of the accelerations that have to cancel
constexpr double kRoughest = 1e-2, kSmoothest = 1e-10;  // of what is smoothed, where it is tried
constexpr int kSmoothSteps = 20;
constexpr int kSweeps = 400;               // of relaxation
constexpr int kTurns = 8;                  // directions from which a start is sought
constexpr std::size_t kMostGuesses = 729;  // of the states of six points
constexpr int kDirections = 48;            // of slip of one point, between which roots lie

double Cross(const Vector2d& a, const Vector2d& b) { return a.x() * b.y() - a.y() * b.x(); }
Vector2d Turned(const Vector2d& a) { return {-a.y(), a.x()}; }

// What the points are taken to do, and what follows.
struct Guess {
  std::vector<ContactState> states;
  std::vector<VectorXd> directions;
  std::vector<bool> starting;  // slips from rest
  VectorXd forces, accelerations;
  bool relieved = false;  // not the smallest forces
};

// The points alone: accelerations of all their rows are delassus forces + free.
class ContactProblem {
 public:
  ContactProblem(const MatrixXd& delassus, const VectorXd& free,
                 const std::vector<SustainedContact>& points)
      : delassus_(delassus),
        free_(free),
        points_(points),
        num_(static_cast<int>(points.size())),
        per_(num_ > 0 ? static_cast<int>(free.size()) / num_ : 1),
        scale_(free.cwiseAbs().maxCoeff()) {}

  Guess AsGiven() const {
    Guess guess;
    for (const SustainedContact& point : points_) {
      guess.states.push_back(point.state);
      guess.directions.push_back(point.slip_direction);
    }
    guess.starting.assign(points_.size(), false);
    return guess;
  }

  // Forces and accelerations of the guess, after its starting directions. False if no forces hold.
  bool Solve(Guess& guess) const {
    if (!Press(guess)) return false;
    return !Starts(guess) || Align(guess);
  }

  // Newton's method for the angles of the directions of all points that start.
  bool Align(Guess& guess) const {
    std::vector<int> starts;
    for (int i = 0; i < num_; ++i) {
      if (guess.starting[i] && guess.states[i] == ContactState::kSlip) starts.push_back(i);
    }
    if (per_ != 3 || starts.empty()) return Press(guess) && Forwards(guess, starts);
    const auto size = static_cast<Index>(starts.size());
    double last = std::numeric_limits<double>::infinity();
    for (int round = 0; round < 60; ++round) {
      if (!Press(guess)) return false;
      VectorXd across(size);
      for (Index k = 0; k < size; ++k)
        across[k] = Cross(guess.directions[starts[k]], Tangential(guess, starts[k]));
      const bool forwards = Forwards(guess, starts);
      const double error = across.cwiseAbs().maxCoeff();
      // A root that turns back repels the direction of slip: relaxation leaves it.
      if (error <= kAligned * scale_) {
        if (forwards) return true;
      } else if (forwards && (error < 0.5 * last || error < 1e-11 * scale_)) {
        if (error < 1e-11 * scale_ && error >= last) return true;  // to rounding
        last = error;
        const VectorXd turn = -Slopes(guess, starts).partialPivLu().solve(across);
        if (turn.allFinite() && turn.cwiseAbs().maxCoeff() < 0.5) {
          for (Index k = 0; k < size; ++k) {
            const Vector2d along = guess.directions[starts[k]];
            guess.directions[starts[k]] =
                std::cos(turn[k]) * along + std::sin(turn[k]) * Turned(along);
          }
          continue;
        }
      }
      last = std::numeric_limits<double>::infinity();
      Relax(guess, starts);
    }
    return false;
  }

  // Switches the state that contradicts its condition most. False if none does.
  bool Switch(Guess& guess) const {
    const double most = guess.forces.cwiseAbs().maxCoeff();
    double pull = kBeyond * most, excess = kBeyond * most, inwards = kInwards * scale_;
    int pulls = -1, slips = -1, returns = -1;
    const auto worst = [](double value, int i, double* bound, int* who) {
      if (!(value > *bound)) return;
      *bound = value;
      *who = i;
    };
    for (int i = 0; i < num_; ++i) {
      const VectorXd force = guess.forces.segment(i * per_, per_);
      const double normal = force[per_ - 1];
      if (guess.states[i] == ContactState::kReleased) {
        worst(-guess.accelerations[i * per_ + per_ - 1], i, &inwards, &returns);
        continue;
      }
      worst(-normal, i, &pull, &pulls);
      if (guess.states[i] != ContactState::kStick) continue;
      worst(force.head(per_ - 1).norm() - points_[i].StaticFriction() * normal, i, &excess, &slips);
    }
    if (pulls >= 0) {
      guess.states[pulls] = ContactState::kReleased;
    } else if (slips >= 0) {
      guess.states[slips] = ContactState::kSlip;
      guess.starting[slips] = true;
      guess.directions[slips] = -guess.forces.segment(slips * per_, per_ - 1).normalized();
    } else if (returns >= 0) {
      guess.states[returns] = points_[returns].state;
      guess.directions[returns] = points_[returns].slip_direction;
      guess.starting[returns] = false;
    } else {
      return false;
    }
    return true;
  }

  // Test and switch from the given states. False where it goes round.
  bool TestAndSwitch(Guess& guess) const {
    std::set<std::vector<ContactState>> seen;
    while (seen.insert(guess.states).second) {
      if (!Solve(guess)) return false;
      if (!Switch(guess)) return true;
    }
    return false;
  }

  // Gauss and Seidel: each point answers the others. Tries from time to time what that says.
  bool Sweep(Guess& guess) const {
    VectorXd forces = VectorXd::Zero(free_.size());
    Guess answers = AsGiven();
    for (int sweep = 1; sweep <= kSweeps; ++sweep) {
      for (int i = 0; i < num_; ++i) {
        if (!Answer(i, forces, answers)) return false;
      }
      guess = answers;
      if (sweep % 10 == 0 && Holds(guess)) return true;
    }
    return false;
  }

  // Newton's method while smoothing goes to nothing; tries from time to time what that says.
  bool Smooth(Guess& guess) const {
    const Index size = free_.size();
    VectorXd forces = VectorXd::Zero(size), residual(size), there(size);
    MatrixXd slopes(size, size);
    for (double smoothing = 1.0; smoothing > kSmoothest; smoothing *= 0.5) {
      for (int step = 0; step < kSmoothSteps; ++step) {
        SmoothLaw(forces, smoothing, &residual, &slopes);
        const double error = residual.norm();
        if (error < 1e-3 * smoothing * ForceScale()) break;
        const VectorXd move = -slopes.completeOrthogonalDecomposition().solve(residual);
        if (!move.allFinite()) return false;
        double length = 1.0;
        for (; length > 1e-3; length *= 0.5) {
          SmoothLaw(forces + length * move, smoothing, &there, nullptr);
          if (there.norm() < error) break;
        }
        forces += length * move;
      }
      if (smoothing > kRoughest) continue;
      guess = AsGiven();
      const VectorXd accelerations = delassus_ * forces + free_;
      for (int i = 0; i < num_; ++i) {
        const Index normal = (i + 1) * per_ - 1;
        const auto along = accelerations.segment(i * per_, per_ - 1);
        if (forces[normal] / ForceScale() < std::max(0.0, accelerations[normal] / scale_)) {
          guess.states[i] = ContactState::kReleased;
        } else if (points_[i].state == ContactState::kStick && along.norm() > smoothing * scale_) {
          guess.states[i] = ContactState::kSlip;
          guess.starting[i] = true;
          guess.directions[i] = along.normalized();
        }
      }
      if (Holds(guess)) return true;
    }
    return false;
  }

  // All states of all points, those that differ least from the given ones first; one or two points
  // that start to slip from directions all around, more from the same ones.
  bool Search(Guess& guess) const {
    std::vector<Guess> guesses = {AsGiven()};
    for (int i = 0; i < num_; ++i) {
      std::vector<Guess> more;
      for (const Guess& one : guesses) {
        for (const ContactState state :
             {ContactState::kStick, ContactState::kSlip, ContactState::kReleased}) {
          if (state == ContactState::kStick && points_[i].state != state) continue;
          more.push_back(one);
          more.back().states[i] = state;
          more.back().starting[i] =
              state == ContactState::kSlip && points_[i].state == ContactState::kStick;
        }
      }
      guesses = std::move(more);
      if (guesses.size() > kMostGuesses) return false;
    }
    const auto changes = [&](const Guess& one) {
      int count = 0;
      for (int i = 0; i < num_; ++i) count += one.states[i] != points_[i].state ? 1 : 0;
      return count;
    };
    std::ranges::stable_sort(guesses, {}, changes);
    for (const Guess& one : guesses) {
      const auto starts = std::ranges::count(one.starting, true);
      const int turns = starts == 0 ? 1 : starts == 2 ? kTurns * kTurns : kTurns;
      for (int turn = 0; turn < turns; ++turn) {
        guess = one;
        int rest = turn;
        for (int i = 0; i < num_; ++i) {
          if (!guess.starting[i]) continue;
          const double angle = 2.0 * std::numbers::pi * (rest % kTurns) / kTurns;
          if (starts == 2) rest /= kTurns;
          guess.directions[i].setConstant(turn % 2 == 0 ? 1.0 : -1.0);
          if (per_ == 3) guess.directions[i] = Vector2d(std::cos(angle), std::sin(angle));
        }
        if (Holds(guess)) return true;
      }
    }
    return false;
  }

  // Solves the guess; whether nothing contradicts it.
  bool Holds(Guess& guess) const { return Solve(guess) && !Contradicts(guess); }

  // Forces and accelerations for the states and directions of the guess.
  bool Press(Guess& guess) const {
    const MatrixXd directed = Directed(guess);
    const std::vector<int> held = Held(guess);
    guess.forces = VectorXd::Zero(free_.size());
    guess.accelerations = free_;
    if (held.empty()) return true;
    const VectorXd wanted = -free_(held);
    const MatrixXd pushed = delassus_(held, Eigen::all) * directed;
    const VectorXd unknown = SmallestForces(pushed, wanted);
    if (!unknown.allFinite()) return false;
    guess.forces = directed * unknown;
    guess.accelerations += delassus_ * guess.forces;
    if (!(guess.accelerations(held).norm() <= kHeld * wanted.norm() + 1e-12)) return false;
    guess.relieved = false;
    if (Contradicts(guess)) Relieve(guess);
    return true;
  }

 private:
  // A point pulls or is beyond friction.
  bool Contradicts(const Guess& guess) const {
    Guess switched = guess;
    return Switch(switched);
  }

  // Forces that answer the largest free acceleration.
  double ForceScale() const {
    return scale_ * static_cast<double>(free_.size()) / delassus_.trace();
  }

  // What is zero where friction is Coulomb's but for smoothing s, -mu f_n a_t / sqrt(a_t^2 + s^2),
  // and f_n a_n = s^2 / 2, in measures of scale_ and ForceScale(). With s of the size of the
  // accelerations friction is viscous, and all is nearly linear. Takes mu_s for mu.
  void SmoothLaw(const VectorXd& forces, double smoothing, VectorXd* values,
                 MatrixXd* slopes) const {
    const VectorXd accelerations = delassus_ * forces + free_;
    const double per_force = ForceScale() / scale_;
    for (int i = 0; i < num_; ++i) {
      const Index first = i * per_, tangents = per_ - 1, normal = first + tangents;
      const double mu = points_[i].mu, pressure = forces[normal],
                   apart = per_force * accelerations[normal],
                   root = std::hypot(pressure, apart, smoothing * ForceScale());
      const VectorXd slip = accelerations.segment(first, tangents);
      const double speed = std::hypot(slip.norm(), smoothing * scale_);
      const bool rests = points_[i].state == ContactState::kStick;
      const VectorXd along = rests ? VectorXd(slip / speed) : points_[i].slip_direction;
      values->segment(first, tangents) = forces.segment(first, tangents) + mu * pressure * along;
      (*values)[normal] = pressure + apart - root;
      if (slopes == nullptr) continue;
      slopes->middleRows(first, per_).setZero();
      slopes->block(first, first, tangents, tangents).setIdentity();
      slopes->block(first, normal, tangents, 1) = mu * along;
      if (rests) {
        const auto rows = delassus_.middleRows(first, tangents);
        slopes->middleRows(first, tangents) +=
            mu * pressure / speed * (rows - along * (along.transpose() * rows));
      }
      slopes->row(normal) = (1.0 - apart / root) * per_force * delassus_.row(normal);
      (*slopes)(normal, normal) += 1.0 - pressure / root;
    }
  }

  // By forces that change nothing of what is held.
  void Relieve(Guess& guess) const {
    const MatrixXd directed = Directed(guess);
    const MatrixXd unheld = NullSpace(delassus_(Held(guess), Eigen::all) * directed);
    if (unheld.cols() == 0) return;
    std::vector<int> rows;
    std::vector<double> frictions;
    for (int i = 0; i < num_; ++i) {
      if (guess.states[i] == ContactState::kReleased) continue;
      for (int k = 0; k < per_; ++k) rows.push_back(i * per_ + k);
      const bool sticks = guess.states[i] == ContactState::kStick;
      frictions.push_back(sticks ? points_[i].StaticFriction()
                                 : std::numeric_limits<double>::quiet_NaN());
    }
    const MatrixXd null = (directed * unheld)(rows, Eigen::all);
    VectorXd forces = guess.forces(rows);
    const double excess = RelieveForces(
        null, VectorXd::Map(frictions.data(), static_cast<Index>(frictions.size())), &forces);
    if (excess > kBeyond * forces.cwiseAbs().maxCoeff()) return;
    guess.forces(rows) = forces;
    guess.accelerations = free_ + delassus_ * guess.forces;
    guess.relieved = true;
  }

  bool Starts(const Guess& guess) const {
    for (int i = 0; i < num_; ++i) {
      if (guess.starting[i] && guess.states[i] == ContactState::kSlip) return true;
    }
    return false;
  }

  bool Forwards(const Guess& guess, const std::vector<int>& starts) const {
    return std::ranges::all_of(starts, [&](int i) {
      const double ahead = guess.directions[i].dot(guess.accelerations.segment(i * per_, per_ - 1));
      return ahead >= -kInwards * scale_;
    });
  }

  Vector2d Tangential(const Guess& guess, int i) const {
    return guess.accelerations.segment<2>(3 * i);
  }

  std::vector<int> Held(const Guess& guess) const {
    std::vector<int> held;
    for (int i = 0; i < num_; ++i) {
      if (guess.states[i] == ContactState::kReleased) continue;
      for (int k = guess.states[i] == ContactState::kStick ? 0 : per_ - 1; k < per_; ++k)
        held.push_back(i * per_ + k);
    }
    return held;
  }

  // Columns: forces of unit unknowns.
  MatrixXd Directed(const Guess& guess) const {
    const std::vector<int> held = Held(guess);
    MatrixXd directed = MatrixXd::Zero(free_.size(), static_cast<Index>(held.size()));
    for (std::size_t k = 0; k < held.size(); ++k) {
      const int i = held[k] / per_;
      directed(held[k], static_cast<Index>(k)) = 1.0;
      if (guess.states[i] == ContactState::kSlip) {
        directed.block(i * per_, static_cast<Index>(k), per_ - 1, 1) =
            -points_[i].mu * guess.directions[i];
      }
    }
    return directed;
  }

  // How the accelerations across the directions change with the angles of these.
  MatrixXd Slopes(const Guess& guess, const std::vector<int>& starts) const {
    const auto size = static_cast<Index>(starts.size());
    const MatrixXd directed = Directed(guess);
    const std::vector<int> held = Held(guess);
    const MatrixXd pushed = delassus_(held, Eigen::all) * directed;
    MatrixXd turned = MatrixXd::Zero(free_.size(), size);  // change of the forces themselves
    for (Index k = 0; k < size; ++k) {
      const int i = starts[k];
      turned.block<2, 1>(3 * i, k) =
          -points_[i].mu * guess.forces[3 * i + 2] * Turned(guess.directions[i]);
    }
    MatrixXd forces = turned;
    const MatrixXd moved = delassus_(held, Eigen::all) * turned;
    for (Index k = 0; k < size; ++k)
      forces.col(k) -= directed * SmallestForces(pushed, moved.col(k));
    const MatrixXd changes = delassus_ * forces;
    MatrixXd slopes(size, size);
    for (Index k = 0; k < size; ++k) {
      const Vector2d along = guess.directions[starts[k]];
      for (Index j = 0; j < size; ++j)
        slopes(k, j) = Cross(along, changes.block<2, 1>(3 * starts[k], j));
      slopes(k, k) -= along.dot(Tangential(guess, starts[k]));
    }
    return slopes;
  }

  // Directions follow their accelerations, as fast as friction would let the slip turn.
  void Relax(Guess& guess, const std::vector<int>& starts) const {
    for (const int i : starts) {
      const double size = delassus_.block<2, 2>(3 * i, 3 * i).trace();
      const double friction = points_[i].mu * std::max(guess.forces[3 * i + 2], 0.0);
      const Vector2d next = friction * guess.directions[i] +
                            Tangential(guess, i) / (size * static_cast<double>(starts.size()));
      if (next.norm() > 0.0) guess.directions[i] = next.normalized();
    }
  }

  // The force of point i under those of all others. False where it has no answer.
  bool Answer(int i, VectorXd& forces, Guess& answers) const {
    const auto block = delassus_.block(i * per_, i * per_, per_, per_);
    const VectorXd others = delassus_.middleRows(i * per_, per_) * forces -
                            block * forces.segment(i * per_, per_) + free_.segment(i * per_, per_);
    const SustainedContact& point = points_[i];
    auto force = forces.segment(i * per_, per_);
    const double normal = others[per_ - 1];
    answers.starting[i] = false;
    if (normal >= 0.0) {
      force.setZero();
      answers.states[i] = ContactState::kReleased;
      return true;
    }
    if (point.state == ContactState::kStick) {
      const VectorXd holds = -block.ldlt().solve(others);
      if (holds[per_ - 1] > 0.0 &&
          holds.head(per_ - 1).norm() <= point.StaticFriction() * holds[per_ - 1]) {
        force = holds;
        answers.states[i] = ContactState::kStick;
        return true;
      }
      answers.starting[i] = true;
      if (!StartOf(i, others, answers)) return false;
    }
    answers.states[i] = ContactState::kSlip;
    VectorXd unit(per_);
    unit << -point.mu * answers.directions[i], 1.0;
    const double answer = block.row(per_ - 1).dot(unit);
    if (!(answer > 0.0)) return false;
    force = -normal / answer * unit;
    return true;
  }

  // The direction in which one point starts to slip, of those along which it accelerates most.
  bool StartOf(int i, const VectorXd& others, Guess& answers) const {
    const auto block = delassus_.block(i * per_, i * per_, per_, per_);
    const double mu = points_[i].mu;
    const auto acceleration = [&](const VectorXd& along) -> VectorXd {
      VectorXd unit(per_);
      unit << -mu * along, 1.0;
      const double answer = block.row(per_ - 1).dot(unit);
      return (others - block * unit * (others[per_ - 1] / answer)).head(per_ - 1);
    };
    double most = -std::numeric_limits<double>::infinity();
    VectorXd best;
    const auto consider = [&](const VectorXd& along) {
      const double ahead = along.dot(acceleration(along));
      if (!(ahead > most)) return;
      most = ahead;
      best = along;
    };
    if (per_ == 2) {
      for (const double side : {-1.0, 1.0}) consider(VectorXd::Constant(1, side));
    } else {
      const auto at = [](double angle) { return Vector2d(std::cos(angle), std::sin(angle)); };
      const auto across = [&](double angle) {
        return Cross(at(angle), Vector2d(acceleration(at(angle))));
      };
      constexpr double kStep = 2.0 * std::numbers::pi / kDirections;
      double before = across(0.0);
      for (int k = 1; k <= kDirections; ++k) {
        double low = (k - 1) * kStep, high = k * kStep;
        const double after = across(high);
        // Where it passes from left to right the slip is drawn to the direction.
        if (before > 0.0 && after <= 0.0) {
          for (int halving = 0; halving < 40; ++halving) {
            const double middle = 0.5 * (low + high);
            (across(middle) > 0.0 ? low : high) = middle;
          }
          consider(at(low));
        }
        before = after;
      }
    }
    if (best.size() == 0) return false;
    answers.directions[i] = best;
    return true;
  }

  const MatrixXd& delassus_;
  const VectorXd& free_;
  const std::vector<SustainedContact>& points_;
  int num_, per_;
  double scale_;
};

}  // namespace

ContactMotion SettleContact(const EquationsOfMotion& motion, const ContactConstraints& contacts) {
  const PointEquations equations = EquationsOfPoints(motion, contacts);
  ContactMotion out;
  out.status = equations.status;
  out.reason = equations.reason;
  out.acceleration = equations.free;
  if (out.status != DynamicsStatus::kSolved || contacts.points.empty()) return out;
  const ContactProblem problem(equations.delassus, equations.accelerations, contacts.points);
  Guess guess = problem.AsGiven();
  if (!problem.TestAndSwitch(guess) && !problem.Smooth(guess) && !problem.Sweep(guess) &&
      !problem.Search(guess)) {
    out.status = DynamicsStatus::kInconsistentConstraints;
    std::ostringstream text;
    text << StatusName(out.status) << ": stick, slip and release go round at the speeds ("
         << motion.speeds.transpose() << ')';
    out.reason = text.str();
    out.acceleration.setConstant(std::numeric_limits<double>::quiet_NaN());
    return out;
  }
  out.acceleration += equations.answers * guess.forces;
  out.forces = guess.forces;
  out.states = guess.states;
  out.directions = guess.directions;
  out.relieved = guess.relieved;
  return out;
}

std::vector<VectorXd> StartDirections(const EquationsOfMotion& motion,
                                      const ContactConstraints& contacts,
                                      const std::vector<bool>& starting) {
  const PointEquations equations = EquationsOfPoints(motion, contacts);
  std::vector<VectorXd> given;
  for (const SustainedContact& point : contacts.points) given.push_back(point.slip_direction);
  if (equations.status != DynamicsStatus::kSolved || contacts.points.empty()) return given;
  const ContactProblem problem(equations.delassus, equations.accelerations, contacts.points);
  Guess guess = problem.AsGiven();
  guess.starting = starting;
  return problem.Align(guess) ? guess.directions : given;
}

}  // namespace percuss::solver
