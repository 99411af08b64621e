// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/bench/bench.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <string_view>
#include <utility>

#include "base/math/covariance_root.h"
#include "base/math/geometry.h"
#include "base/math/statistics.h"
#include "solver/body/inertia_errors.h"
#include "solver/body/shape_lengths.h"
#include "tracking/bench/surface_markers.h"
#include "tracking/pose/flight_derivatives.h"

namespace percuss::tracking {
namespace {

using Vector6d = Eigen::Matrix<double, 6, 1>;

/// How the positions of the cameras and of the surface grow with all distances.
Eigen::VectorXd ByScale(const calibration::RigCalibration& rig) {
  const calibration::ParameterPlaces places = rig.Places();
  Eigen::VectorXd by_scale =
      Eigen::VectorXd::Zero(calibration::NumRigParameters(places.num_cameras));
  for (int camera = 1; camera < places.num_cameras; ++camera)
    by_scale.segment<3>(places.CameraPose(camera) + 3) = rig.cameras[camera].from_first.t;
  by_scale.segment<3>(places.World() + 3) = rig.world_from_first.t;
  return by_scale;
}

/// The surfaces of the trials, slopes as stated.
std::vector<calibration::SurfacePlane> SurfacesOf(const capture::Experiment& experiment,
                                                  const calibration::RigCalibration& calibration) {
  std::vector<calibration::SurfacePlane> planes;
  for (const capture::TrialSurface& own : experiment.OwnSurfaces()) {
    calibration::SurfacePlane& plane = planes.emplace_back();
    if (own.slope) {
      const capture::Slope& slope = *own.slope;
      plane = {.normal = slope.Normal(),
               .placed = false,
               .tilt_covariance = slope.sigma * slope.sigma * slope.axis * slope.axis.transpose()};
    } else {
      const auto measured =
          std::ranges::find(calibration.surfaces, own.name, &calibration::SurfacePlane::name);
      if (measured != calibration.surfaces.end()) {
        plane = *measured;
      } else {
        plane.reason = "the calibration was made without these pictures; make it again";
      }
    }
    plane.name = own.name;
  }
  return planes;
}

/// S of the inertia in BenchParameters when one length of the shape grows and the mass stays.
Vector6d InertiaByLength(const solver::Body& body, int length) {
  const double step = 1e-5 * solver::BoundingRadius(body.shape);
  const auto inertia = [&](double change) {
    return solver::UniformInertia(solver::Grown(body.shape, length, change), body.mass);
  };
  const Eigen::Matrix3d slope = (inertia(step) - inertia(-step)) / (2.0 * step);
  const Eigen::Matrix3d L = body.inertia.llt().matrixL(), inverse = L.inverse();
  const Eigen::Matrix3d S = inverse * slope * inverse.transpose();
  return {S(0, 0), S(1, 1), S(2, 2), S(0, 1), S(0, 2), S(1, 2)};
}

constexpr int kTagColumns = 16;

/// Errors of the places of tags, for a ruler that is off by one: a tag is stuck on as a whole, so
/// its corners share its shift, and its turn, as if the middles of two opposite edges were each
/// measured by themselves. A fifth is left to each corner, for the print and a sheet that does not
/// lie flat.
void PlaceTags(const capture::MarkedBody& body, const BenchParameters& places,
               Eigen::MatrixXd* by) {
  constexpr double kOfCorner = 0.2;
  Eigen::Index column = 0;
  for (const capture::CodedTag& tag : body.coded.tags) {
    Eigen::Vector3d middle = Eigen::Vector3d::Zero();
    for (int k = 0; k < 4; ++k) middle += 0.25 * body.markers[tag.first_marker + k].p_BM;
    for (int k = 0; k < 4; ++k) {
      const int marker = tag.first_marker + k;
      const auto row = places.Marker(marker);
      const Eigen::Vector3d arm = body.markers[marker].p_BM - middle;
      by->block<3, 3>(row, column).setIdentity();
      by->block<3, 1>(row, column + 3) = std::numbers::sqrt2 / tag.size * tag.normal_B.cross(arm);
      by->block<3, 3>(row, column + 4 + 3 * k) = kOfCorner * Eigen::Matrix3d::Identity();
    }
    column += kTagColumns;
  }
}

}  // namespace

BenchParameters Bench::Parameters() const {
  return {.num_cameras = static_cast<int>(calibration.cameras.size()),
          .num_markers = static_cast<int>(body.markers.size()),
          .num_lengths = solver::NumLengths(body.body.shape),
          .num_surfaces = static_cast<int>(surfaces.size())};
}

calibration::SurfacePlane Bench::SurfaceOf(const capture::Trial& trial) const {
  if (!trial.surface) return {};
  for (const calibration::SurfacePlane& surface : surfaces) {
    if (surface.name == trial.surface->name) return surface;
  }
  return {.name = trial.surface->name, .reason = "the bench does not have this surface"};
}

Eigen::MatrixXd Bench::ImpactCovariance() const {
  if (InSpace()) return covariance;
  const BenchParameters places = Parameters();
  const Eigen::Index tilts = places.Size() - places.Tilt(0), rig = calibration.covariance.rows();
  Eigen::MatrixXd shared = Eigen::MatrixXd::Zero(rig + tilts, rig + tilts);
  shared.topLeftCorner(rig, rig) = calibration.covariance;
  shared.bottomRightCorner(tilts, tilts) = covariance.bottomRightCorner(tilts, tilts);
  return shared;
}

impacts::ImpactTable Bench::EmptyTable() const {
  return {.impacts = {},
          .calibration_covariance = ImpactCovariance(),
          .sources = InSpace() ? sources : std::vector<impacts::SharedSource>{},
          .inertia = body.body.inertia};
}

Bench StatedBench(const capture::Experiment& experiment,
                  const calibration::RigCalibration& calibration) {
  Bench bench{.body = experiment.body,
              .calibration = calibration,
              .surfaces = SurfacesOf(experiment, calibration),
              .line_time = experiment.line_time,
              .covariance = {},
              .sources = {}};
  const BenchParameters places = bench.Parameters();
  const capture::BodySigmas& sigma = experiment.body.sigma;
  bench.covariance.setZero(places.Size(), places.Size());
  // A source of `num` independent errors, each with what it moves: set_root fills the columns per
  // unit of size, or as they are where the size is not one number.
  const auto add = [&](impacts::SharedSource source, int num, const auto& set_root) {
    source.root.setZero(places.Size(), num);
    set_root(source.root);
    if (!std::isnan(source.size)) source.root *= source.size;
    if (source.root.isZero(0.0)) return;
    bench.covariance += source.root * source.root.transpose();
    bench.sources.push_back(std::move(source));
  };
  const auto stated = [&](std::string_view key) {
    return std::ranges::find(sigma.stated, key) != sigma.stated.end();
  };
  if (places.num_cameras > 0) {
    const Eigen::MatrixXd root = CovarianceRoot(calibration.covariance);
    add({"calibration", kNaN, "", true, {}}, static_cast<int>(root.cols()),
        [&](Eigen::MatrixXd& by) { by.topRows(places.NumRig()) = root; });
  }
  if (places.num_cameras > 0 && calibration.board.scale_sigma == 0.0) {
    const capture::Board& board = experiment.board;
    add({"squares of the board", board.square_sigma, "m", board.square_sigma_stated, {}}, 1,
        [&](Eigen::MatrixXd& by) {
          by.topRows(places.NumRig()) = ByScale(calibration) / board.square;
        });
  }
  const auto all_markers = [&](Eigen::MatrixXd& by) {
    return by.middleRows(places.Marker(0), 3 * places.num_markers);
  };
  const bool typed = experiment.body.marker_covariance.size() == 0;
  // Tape that is wound round a rod is on its axis, and so is the rod's mass centre.
  const bool bands = experiment.body.HasBands();
  if (typed && bands) {
    add({"places of markers", sigma.marker, "m", stated("marker"), {}}, places.num_markers,
        [&](Eigen::MatrixXd& by) {
          for (int k = 0; k < places.num_markers; ++k) by(places.Marker(k) + 2, k) = 1.0;
        });
  } else if (typed) {
    const int dots = experiment.body.NumDots();
    if (dots > 0) {
      add({"places of markers", sigma.marker, "m", stated("marker"), {}}, 3 * dots,
          [&](Eigen::MatrixXd& by) { by.middleRows(places.Marker(0), 3 * dots).setIdentity(); });
    }
    if (const auto& tags = experiment.body.coded.tags; !tags.empty()) {
      add({"places of tags", sigma.marker, "m", stated("marker"), {}},
          kTagColumns * static_cast<int>(tags.size()),
          [&](Eigen::MatrixXd& by) { PlaceTags(experiment.body, places, &by); });
    }
  } else {
    const Eigen::MatrixXd root = CovarianceRoot(experiment.body.marker_covariance);
    add({"places of markers, as found", kNaN, "", true, {}}, static_cast<int>(root.cols()),
        [&](Eigen::MatrixXd& by) { all_markers(by) = root; });
  }
  // Read once for the places of the markers, where they were typed, and once within the shape.
  add({"mass centre", sigma.mass_centre, "m", stated("mass_centre"), {}}, typed ? 6 : 3,
      [&](Eigen::MatrixXd& by) {
        for (int i = 0; i < by.cols(); ++i) {
          if (bands && i % 3 != 2) continue;
          for (int k = 0; k < places.num_markers; ++k) by(places.Marker(k) + i % 3, i) = 1.0;
          if (i < 3) by(places.Surface() + i, i) = 1.0;
        }
      });
  add({"inertia", sigma.inertia, "", stated("inertia"), {}}, bands ? 2 : 6,
      [&](Eigen::MatrixXd& by) {
        if (bands) {  // across the axis and about it
          by(places.Inertia(), 0) = by(places.Inertia() + 1, 0) = 1.0;
          by(places.Inertia() + 2, 1) = 1.0;
        } else {
          by.middleRows<6>(places.Inertia()).setIdentity();
        }
      });
  const bool inertia_of_shape = solver::HasUniformInertia(experiment.body.body);
  add({"dimensions", sigma.length, "m", stated("length"), {}}, places.num_lengths,
      [&](Eigen::MatrixXd& by) {
        by.middleRows(places.Length(), places.num_lengths).setIdentity();
        for (int i = 0; inertia_of_shape && i < places.num_lengths; ++i)
          by.block<6, 1>(places.Inertia(), i) = InertiaByLength(experiment.body.body, i);
      });
  add({"gravity", experiment.gravity_sigma, "m/s^2", experiment.gravity_sigma_stated, {}}, 3,
      [&](Eigen::MatrixXd& by) { by.middleRows<3>(places.Gravity()).setIdentity(); });
  add({"line times", experiment.line_time_sigma, "s", false, {}}, places.num_cameras,
      [&](Eigen::MatrixXd& by) {
        by.middleRows(places.LineTime(0), places.num_cameras).setIdentity();
      });
  for (int k = 0; k < places.num_surfaces; ++k) {
    const Eigen::MatrixXd root = CovarianceRoot(bench.surfaces[k].tilt_covariance);
    add({bench.surfaces[k].name, kNaN, "", true, {}}, static_cast<int>(root.cols()),
        [&](Eigen::MatrixXd& by) { by.middleRows<3>(places.Tilt(k)) = root; });
  }
  return bench;
}

Bench Moved(const Bench& bench, const Eigen::VectorXd& change) {
  Bench moved = bench;
  const BenchParameters places = bench.Parameters();
  if (places.num_cameras > 0)
    moved.calibration = Perturbed(bench.calibration, change.head(places.NumRig()));
  for (int k = 0; k < places.num_markers; ++k)
    moved.body.markers[k].p_BM += change.segment<3>(places.Marker(k));
  moved.body.body.inertia =
      solver::MovedInertia(bench.body.body.inertia, change.segment<6>(places.Inertia()));
  for (int k = 0; k < places.num_surfaces; ++k) {
    calibration::SurfacePlane& plane = moved.surfaces[k];
    Eigen::Vector3d tilt = change.segment<3>(places.Tilt(k));
    if (plane.tilt_by_rig.size() > 0) tilt += plane.tilt_by_rig * change.head(places.NumRig());
    plane = Turned(plane, tilt);
  }
  moved.gravity_change += change.segment<3>(places.Gravity());
  moved.body.surface_shift += change.segment<3>(places.Surface());
  for (int camera = 0; camera < places.num_cameras; ++camera)
    moved.line_time[camera] += change[places.LineTime(camera)];
  for (int i = 0; i < places.num_lengths; ++i) {
    moved.body.body.shape =
        solver::Grown(std::move(moved.body.body.shape), i, change[places.Length() + i]);
  }
  return moved;
}

Bench Estimated(const Bench& stated, const Eigen::VectorXd& change,
                const Eigen::MatrixXd& covariance) {
  Bench bench = Moved(stated, change);
  bench.covariance = covariance;
  const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> root(
      CovarianceRoot(stated.covariance));
  const Eigen::MatrixXd left = root.solve(covariance).transpose();
  std::erase_if(bench.sources, [&](impacts::SharedSource& source) {
    const double typed = source.root.norm();
    source.root = left * root.solve(source.root);
    constexpr double kHeld = 1e-9;  // an error of line times that are held moves nothing
    return source.root.norm() < kHeld * typed;
  });
  const Eigen::Index num_rig = stated.Parameters().NumRig();
  if (!bench.calibration.cameras.empty())
    bench.calibration.covariance = covariance.topLeftCorner(num_rig, num_rig);
  return bench;
}

namespace {

/// All impacts about a bench: what the states of each leave over for its parameters.
struct Normal {
  Eigen::MatrixXd information;
  Eigen::VectorXd gradient;
  double cost = 0.0;
};

/// Products of the rows of some residuals with each other. A sighting depends on its camera, its
/// marker and what all share: of a row by the bench, most is zero.
struct Products {
  Eigen::MatrixXd bench, states_bench, states;  ///< B^T B, J^T B, J^T J
  Eigen::VectorXd bench_residual, states_residual;
  double cost = 0.0;
};

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

void AddRows(const Rows& J, const Rows& B, const Eigen::VectorXd& r, Products* sum) {
  sum->states += J.transpose() * J;
  sum->states_residual += J.transpose() * r;
  sum->bench_residual += B.transpose() * r;
  sum->cost += r.squaredNorm();
  std::vector<Eigen::Index> places;
  for (Eigen::Index row = 0; row < B.rows(); ++row) {
    places.clear();
    for (Eigen::Index i = 0; i < B.cols(); ++i) {
      if (B(row, i) != 0.0) places.push_back(i);
    }
    for (std::size_t a = 0; a < places.size(); ++a) {
      const double one = B(row, places[a]);
      sum->states_bench.col(places[a]) += one * J.row(row).transpose();
      for (std::size_t b = a; b < places.size(); ++b)
        sum->bench(places[b], places[a]) += one * B(row, places[b]);
    }
  }
}

/// One impact at some states and some bench, and how its states follow the bench.
struct Step {
  Eigen::VectorXd alone;       ///< with the bench held
  Eigen::MatrixXd per_change;  ///< of the bench
  std::vector<int> columns;
};

/// Rows of the momentum balance I (w' - w) / m = r x (v' - v) at the contact point, over what a
/// contact that is no point leaves of it.
Linearisation MomentumRows(const Bench& bench, const BenchFlights& impact, const ArcUnknowns& x) {
  using enum impacts::ImpactIndex;
  constexpr double kContactSize = 5e-5;  // [m] edges are round, surfaces yield
  const BenchParameters places = bench.Parameters();
  const solver::Body& body = bench.body.body;
  const Eigen::Matrix3d R = x.before.q_WB.toRotationMatrix();
  const Eigen::Matrix3d J_W = R * body.inertia * R.transpose() / body.mass;
  const Eigen::Vector3d r = R * impact.contact->p_B;
  const Eigen::Vector3d dv = x.v_post - x.before.v, dw = x.w_post - x.before.w;
  const double scale = 1.0 / (kContactSize * dv.norm());
  Linearisation rows{J_W * dw - r.cross(dv),
                     Eigen::MatrixXd::Zero(3, NumArcColumns(places.num_cameras)),
                     Eigen::MatrixXd::Zero(3, places.Size())};
  const auto by_state = [&](int place) {
    return rows.jacobian.middleCols<3>(kImpactColumn + place);
  };
  by_state(kRotation) = -Skew(J_W * dw) + J_W * Skew(dw) - Skew(dv) * Skew(r);
  if (bench.body.HasBands()) {  // the contact does not turn about the axis with the rod
    const Eigen::Vector3d axis = R.col(2);
    by_state(kRotation) *= Eigen::Matrix3d::Identity() - axis * axis.transpose();
  }
  by_state(kV) = Skew(r);
  by_state(kVPost) = -Skew(r);
  by_state(kW) = -J_W;
  by_state(kWPost) = J_W;
  rows.by_calibration = Skew(dv) * R * impact.contact->by_bench;
  const auto directions = solver::InertiaDirections(body.inertia);
  for (int i = 0; i < 6; ++i) {
    rows.by_calibration.col(places.Inertia() + i) +=
        R * directions[i] * R.transpose() * dw / body.mass;
  }
  rows.residuals *= scale;
  rows.jacobian *= scale;
  rows.by_calibration *= scale;
  return rows;
}

Step AddImpact(const Bench& bench, const MarkerLayout& layout, const BenchFlights& impact,
               const ArcUnknowns& x, Normal* normal) {
  const SightingModel model(layout, bench.calibration, &bench.covariance);
  ArcProblem problem =
      ProblemOf(impact.arcs, model, bench.body.body.inertia, impact.gravity + bench.gravity_change);
  if (problem.spin) problem.spin->shape = bench.body.body.shape;
  const Linearisation linear = Linearise(problem, impact.arcs.frames, x);
  const double scale = 1.0 / std::sqrt(impact.arcs.variance);
  const Eigen::Index n = std::ssize(problem.unknowns), size = normal->gradient.size();
  Products sum{Eigen::MatrixXd::Zero(size, size), Eigen::MatrixXd::Zero(n, size),
               Eigen::MatrixXd::Zero(n, n), Eigen::VectorXd::Zero(size), Eigen::VectorXd::Zero(n)};
  AddRows(scale * linear.jacobian(Eigen::all, problem.unknowns), scale * linear.by_calibration,
          scale * linear.residuals, &sum);
  if (impact.contact) {
    const Linearisation momentum = MomentumRows(bench, impact, x);
    AddRows(momentum.jacobian(Eigen::all, problem.unknowns), momentum.by_calibration,
            momentum.residuals, &sum);
  }
  const Eigen::LDLT<Eigen::MatrixXd> states(sum.states);
  Step step{-states.solve(sum.states_residual), -states.solve(sum.states_bench), problem.unknowns};
  normal->information += Eigen::MatrixXd(sum.bench.selfadjointView<Eigen::Lower>()) +
                         sum.states_bench.transpose() * step.per_change;
  normal->gradient += sum.bench_residual + step.per_change.transpose() * sum.states_residual;
  normal->cost += sum.cost;
  return step;
}

/// Where the iteration stands.
struct Place {
  Eigen::VectorXd k;           ///< the bench: p = root k, k of unit variance
  std::vector<ArcUnknowns> x;  ///< the impacts
};

/// A step of everything from a place.
struct JointStep {
  Eigen::VectorXd dk;
  std::vector<std::vector<int>> columns;
  std::vector<Eigen::VectorXd> dx;
};

Place Moved(const Place& place, const JointStep& step, double share) {
  Place moved{place.k + share * step.dk, {}};
  for (std::size_t i = 0; i < place.x.size(); ++i)
    moved.x.push_back(Stepped(place.x[i], step.columns[i], share * step.dx[i]));
  return moved;
}

void AddSurface(const SurfaceRows& rows, Normal* normal) {
  normal->information += rows.by_bench.transpose() * rows.by_bench;
  normal->gradient += rows.by_bench.transpose() * rows.residuals;
  normal->cost += rows.residuals.squaredNorm();
}

/// EstimateBench with these markers on the surface.
BenchEstimate Minimise(const Bench& stated, const Eigen::VectorXd& start,
                       std::span<const BenchFlights> impacts,
                       const std::vector<SurfaceMarker>& on_surface) {
  BenchEstimate estimate{.change = start,
                         .bench = Moved(stated, start),
                         .num_impacts = static_cast<int>(impacts.size())};
  const Eigen::MatrixXd root = CovarianceRoot(stated.covariance);
  // The start lies in the span of the root.
  Place best{root.completeOrthogonalDecomposition().solve(start), {}};
  for (const BenchFlights& impact : impacts) best.x.push_back(impact.arcs.solution);
  Place place = best;
  const BenchParameters places = stated.Parameters();
  JointStep step;
  Normal normal;
  double cost = std::numeric_limits<double>::infinity(), share = 1.0;
  constexpr int kMaxEvaluations = 60;
  for (int evaluation = 0; evaluation < kMaxEvaluations && !estimate.converged; ++evaluation) {
    const Eigen::VectorXd change = root * place.k, further = change - start;
    const Bench bench = Moved(stated, change);
    const MarkerLayout layout = LayoutOf(bench.body);
    Normal here{Eigen::MatrixXd::Zero(change.size(), change.size()),
                Eigen::VectorXd::Zero(change.size()), place.k.squaredNorm()};
    AddSurface(RowsOfSurface(bench.body, places, on_surface), &here);
    std::vector<Step> steps;
    for (std::size_t i = 0; i < impacts.size(); ++i) {
      BenchFlights impact = impacts[i];
      // The times of its sightings hold the line times of the start.
      for (int camera = 0; camera < places.num_cameras; ++camera)
        place.x[i].line_time[camera] = further[places.LineTime(camera)];
      if (impact.contact) impact.contact->p_B += impact.contact->by_bench * further;
      steps.push_back(AddImpact(bench, layout, impact, place.x[i], &here));
    }
    if (!(here.cost <= cost * (1.0 + 1e-9))) {  // worse, or no number
      if (evaluation == 0) break;               // nowhere to go back to
      share *= 0.5;
      if (share < 1e-3) break;
      place = Moved(best, step, share);
      continue;
    }
    normal = {root.transpose() * here.information * root,
              root.transpose() * here.gradient + place.k, here.cost};
    normal.information.diagonal().array() += 1.0;
    cost = here.cost;
    best = place;
    share = 1.0;
    step = {-normal.information.ldlt().solve(normal.gradient), {}, {}};
    for (const Step& one : steps) {
      step.columns.push_back(one.columns);
      step.dx.push_back(one.alone + one.per_change * (root * step.dk));
    }
    place = Moved(best, step, share);
    constexpr double kRest = 1e-3;  // of what is uncertain
    estimate.converged = step.dk.cwiseAbs().maxCoeff() < kRest;
  }
  if (!estimate.converged) return estimate;
  estimate.change = root * place.k;
  estimate.bench =
      Estimated(stated, estimate.change,
                root * normal.information.ldlt().solve(Eigen::MatrixXd(root.transpose())));
  return estimate;
}

}  // namespace

BenchEstimate EstimateBench(const Bench& stated, const Eigen::VectorXd& start,
                            std::span<const BenchFlights> impacts) {
  const BenchParameters places = stated.Parameters();
  const std::vector<SurfaceMarker> on_surface =
      MarkersOnSurface(stated.body, places, stated.covariance);
  if (on_surface.empty()) return Minimise(stated, start, impacts, {});
  BenchEstimate estimate = Minimise(stated, start, impacts, on_surface);
  // Where they stand off differently by more than chance explains once in a thousand times.
  const double misfit =
      RowsOfSurface(estimate.bench.body, places, on_surface).residuals.squaredNorm();
  if (estimate.converged &&
      ChiSquareSurvival(misfit, static_cast<int>(on_surface.size()) - 1) > 1e-3)
    return estimate;
  return Minimise(stated, start, impacts, {});
}

}  // namespace percuss::tracking
