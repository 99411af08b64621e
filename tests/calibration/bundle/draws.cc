// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/calibration/bundle/draws.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <stdexcept>

#include "base/parallel.h"
#include "calibration/bundle/bundle_adjustment.h"
#include "calibration/bundle/pixel_weights.h"
#include "calibration/quality/uncertainty.h"
#include "calibration/rig/rig_calibration.h"
#include "calibration/rig/triangulation.h"
#include "tests/calibration/bundle/synthetic_rig.h"

namespace percuss::calibration {
namespace {

constexpr double kTwoSided95 = 1.959964;

// Columns S with S S^T = C L C, where L is the inverse covariance of the prior: of the variance C
// that is stated, the part that does not scatter from draw to draw, since C^-1 - L are the
// measurements.
Eigen::MatrixXd RootOfPriorPart(const Bundle& bundle, const Eigen::MatrixXd& covariance) {
  const ParameterPlaces places{static_cast<int>(bundle.cameras.size())};
  Eigen::MatrixXd root(covariance.rows(), 0);
  for (int c = 0; c < places.num_cameras; ++c) {
    const auto sigma =
        IntrinsicsPrior(bundle.cameras[static_cast<std::size_t>(c)], bundle.model.distortion_sigma);
    for (int k = 0; k < kNumIntrinsics; ++k) {
      const double s = sigma[static_cast<std::size_t>(k)];
      if (!(s > 0.0) || std::isinf(s)) continue;
      root.conservativeResize(Eigen::NoChange, root.cols() + 1);
      root.rightCols<1>() = covariance.col(places.Intrinsics(c) + k) / s;
    }
  }
  return root;
}

// Where errors are compared: points of W with their true pixels.
struct Probe {
  Eigen::Vector3d p_W;
  std::vector<Eigen::Vector2d> pixels;  // [camera]
};

Probe ProbeAt(const RigCalibration& rig, const Eigen::Vector3d& p_W) {
  Probe probe{.p_W = p_W, .pixels = {}};
  for (std::size_t c = 0; c < rig.cameras.size(); ++c) {
    probe.pixels.push_back(Project(rig.cameras[c].camera, rig.CameraFromWorld(c) * p_W));
  }
  return probe;
}

struct Probes {
  std::vector<std::vector<Probe>> raster;  // [camera]
  std::vector<Probe> volume;
};

Probes MakeProbes(const Bundle& exact, const RigCalibration& rig) {
  const WorkingVolume volume = VolumeOf(exact, rig);
  Probes probes;
  for (std::size_t c = 0; c < rig.cameras.size(); ++c) {
    std::vector<Probe>& raster = probes.raster.emplace_back();
    const Pose world_from_camera = rig.CameraFromWorld(c).Inverse();
    for (const Eigen::Vector2d& pixel : RasterOf(rig.cameras[c].camera).pixels) {
      const Eigen::Vector2d ray = Unproject(rig.cameras[c].camera, pixel);
      if (!ray.allFinite()) continue;
      raster.push_back(ProbeAt(
          rig, world_from_camera * Eigen::Vector3d(volume.distance[c] * ray.homogeneous())));
    }
  }
  for (const Eigen::Vector3d& p_W : volume.points) probes.volume.push_back(ProbeAt(rig, p_W));
  return probes;
}

// Error of one quantity in one draw beside what the draw states of it, or sums of these.
struct Deviation {
  double squared = 0.0;           // error
  double predicted = 0.0;         // trace of the stated covariance
  double predicted_square = 0.0;  // trace of its square
  double from_prior = 0.0;        // part of `predicted`

  Deviation& operator+=(const Deviation& other) {
    squared += other.squared;
    predicted += other.predicted;
    predicted_square += other.predicted_square;
    from_prior += other.from_prior;
    return *this;
  }
  bool Inside() const { return squared <= kTwoSided95 * kTwoSided95 * predicted; }
  bool RestsOnPrior() const { return from_prior > kMaxPriorShare * predicted; }
};

// What one draw says of its rig.
struct Stated {
  RigCalibration rig;
  Eigen::MatrixXd root_of_prior_part;
};

template <class Jacobian>
Deviation DeviationOf(const Eigen::VectorXd& error, const Jacobian& jacobian,
                      const Stated& stated) {
  const Eigen::MatrixXd predicted = jacobian * stated.rig.covariance * jacobian.transpose();
  const Eigen::MatrixXd prior =
      jacobian * stated.root_of_prior_part.topRows(stated.rig.covariance.rows());
  return {error.squaredNorm(), predicted.trace(), predicted.squaredNorm(), prior.squaredNorm()};
}

Deviation ProjectionDeviation(const Stated& stated, std::size_t camera, const Probe& probe) {
  const RigCalibration& rig = stated.rig;
  const Eigen::Vector2d pixel =
      Project(rig.cameras[camera].camera, rig.CameraFromWorld(camera) * probe.p_W);
  return DeviationOf(pixel - probe.pixels[camera], PixelByParameters(rig, camera, probe.p_W),
                     stated);
}

Deviation PointDeviation(const Stated& stated, const Probe& probe) {
  const RigCalibration& rig = stated.rig;
  std::vector<Sight> sights;
  for (std::size_t c = 0; c < rig.cameras.size(); ++c) {
    sights.push_back(
        {.view = {rig.cameras[c].camera, rig.CameraFromWorld(c)}, .pixel = probe.pixels[c]});
  }
  const auto point = Triangulate(sights);
  const auto jacobian = PointByParameters(rig, probe.p_W);
  if (!point || jacobian.size() == 0) throw std::runtime_error("a probe is out of sight");
  return DeviationOf(point->p_W - probe.p_W, jacobian, stated);
}

struct Draw {
  bool converged = false;
  std::vector<Deviation> parameters;               // all shared ones; 0 for those that are held
  std::vector<std::vector<Deviation>> projection;  // [camera][probe]
  std::vector<Deviation> point;                    // [probe]
};

void AddNoiseToDistances(Bundle* bundle, double sigma_px, std::uint32_t seed) {
  // Not the sequence that AddNoise draws from this seed.
  std::seed_seq sequence{seed, std::uint32_t{1}};
  std::mt19937 random(sequence);
  std::normal_distribution<double> normal;
  for (KnownDistance& known : bundle->distances) {
    known.distance += known.sigma * normal(random);
    for (auto& ends : known.pixels) {
      for (Eigen::Vector2d& pixel : ends) {
        pixel += sigma_px * Eigen::Vector2d{normal(random), normal(random)};
      }
    }
  }
}

// The adjustment, weighed as CalibrateRig does by what the residuals show.
bool Calibrate(Bundle* bundle) {
  AdjustBundle(bundle);
  WeighPixels(bundle);
  return AdjustBundle(bundle).converged;
}

Draw MakeDraw(const Bundle& exact, const Probes& probes, double noise_px, std::uint32_t seed) {
  Bundle bundle = exact;
  AddNoise(&bundle, noise_px, seed);
  AddNoiseToDistances(&bundle, noise_px, seed);
  Draw draw{.converged = Calibrate(&bundle), .parameters = {}, .projection = {}, .point = {}};
  const Eigen::MatrixXd covariance = BundleCovariance(bundle);
  if (covariance.size() == 0) throw std::runtime_error("a draw determines nothing");
  const Stated stated{RigOf(bundle, covariance), RootOfPriorPart(bundle, covariance)};
  const Eigen::VectorXd error = ParameterError(bundle, exact);
  for (int k = 0; k < error.size(); ++k) {
    const double variance = covariance(k, k);
    draw.parameters.push_back({error[k] * error[k], variance, variance * variance,
                               stated.root_of_prior_part.row(k).squaredNorm()});
  }
  for (std::size_t c = 0; c < probes.raster.size(); ++c) {
    std::vector<Deviation>& deviations = draw.projection.emplace_back();
    for (const Probe& probe : probes.raster[c]) {
      deviations.push_back(ProjectionDeviation(stated, c, probe));
    }
  }
  for (const Probe& probe : probes.volume) draw.point.push_back(PointDeviation(stated, probe));
  return draw;
}

// Mean and its standard error.
SigmaRatio MeanOf(const std::vector<double>& values) {
  const Eigen::Map<const Eigen::ArrayXd> array(values.data(), std::ssize(values));
  const double mean = array.mean(), count = static_cast<double>(values.size());
  return {mean, std::sqrt((array - mean).square().sum() / (count - 1.0) / count)};
}

// The squares of n normal vectors of covariance C, summed, have the mean n tr C and the variance
// 2 n tr C^2; the square root halves the relative error.
template <class DeviationsOf>
SigmaRatios Compare(const std::vector<Draw>& draws, const DeviationsOf& deviations_of) {
  SigmaRatios ratios;
  std::vector<double> normalised(draws.size(), 0.0);  // [draw] sum over places
  for (std::size_t place = 0; place < deviations_of(draws[0]).size(); ++place) {
    Deviation sum;
    for (const Draw& draw : draws) sum += deviations_of(draw)[place];
    (sum.RestsOnPrior() ? ratios.resting_on_prior : ratios.places)
        .push_back({std::sqrt(sum.predicted / sum.squared),
                    std::sqrt(0.5 * sum.predicted_square) / sum.predicted});
    if (sum.RestsOnPrior()) continue;
    const double mean_predicted = sum.predicted / static_cast<double>(draws.size());
    for (std::size_t d = 0; d < draws.size(); ++d) {
      normalised[d] += deviations_of(draws[d])[place].squared / mean_predicted;
    }
  }
  const SigmaRatio sum = MeanOf(normalised);
  const double ratio = std::sqrt(static_cast<double>(ratios.places.size()) / sum.ratio);
  ratios.pooled = {ratio, 0.5 * ratio * sum.sampling_sigma / sum.ratio};
  return ratios;
}

void SummariseCoverage(const std::vector<Draw>& draws, const RigCalibration& rig,
                       DrawSummary* summary) {
  std::vector<std::string> names = ParameterNames(rig);
  for (const char* name : {"board scale", "board warp_x", "board warp_y"}) names.push_back(name);
  std::vector<double> num_inside(draws.size(), 0.0);  // [draw]
  for (std::size_t k = 0; k < names.size(); ++k) {
    Deviation sum;
    int inside = 0;
    for (const Draw& draw : draws) {
      sum += draw.parameters[k];
      inside += draw.parameters[k].Inside();
    }
    if (sum.predicted == 0.0) continue;
    (sum.RestsOnPrior() ? summary->resting_on_prior : summary->parameters)
        .push_back({names[k], inside / static_cast<double>(draws.size())});
    if (sum.RestsOnPrior()) continue;
    for (std::size_t d = 0; d < draws.size(); ++d) {
      num_inside[d] += draws[d].parameters[k].Inside();
    }
  }
  const SigmaRatio pooled = MeanOf(num_inside);
  const auto count = static_cast<double>(summary->parameters.size());
  summary->pooled_share = pooled.ratio / count;
  summary->pooled_sampling_sigma = pooled.sampling_sigma / count;
}

bool LowerShare(const ParameterCoverage& a, const ParameterCoverage& b) {
  return a.share < b.share;
}

}  // namespace

double SigmaRatios::WorstPlace() const {
  double worst = 0.0;
  for (const SigmaRatio& place : places) {
    worst = std::max(worst, std::abs(place.ratio - 1.0) / place.sampling_sigma);
  }
  return worst;
}

double SigmaRatios::Overconfidence() const {
  double worst = 0.0;
  for (const SigmaRatio& place : resting_on_prior) {
    worst = std::max(worst, (1.0 - place.ratio) / place.sampling_sigma);
  }
  return worst;
}

double LowestShare(const std::vector<ParameterCoverage>& parameters) {
  return std::min_element(parameters.begin(), parameters.end(), LowerShare)->share;
}

double HighestShare(const std::vector<ParameterCoverage>& parameters) {
  return std::max_element(parameters.begin(), parameters.end(), LowerShare)->share;
}

DrawSummary DrawCalibrations(const Bundle& exact, const DrawOptions& options) {
  const Eigen::MatrixXd covariance = BundleCovariance(exact);
  if (covariance.size() == 0) throw std::invalid_argument("exact: it determines nothing");
  const RigCalibration rig = RigOf(exact, covariance);
  const Probes probes = MakeProbes(exact, rig);
  std::vector<Draw> draws(static_cast<std::size_t>(options.num_draws));
  ParallelFor(options.num_draws, options.num_threads, [&](int k) {
    draws[static_cast<std::size_t>(k)] = MakeDraw(
        exact, probes, options.noise_px, options.first_seed + static_cast<std::uint32_t>(k));
  });

  DrawSummary summary;
  summary.num_draws = options.num_draws;
  for (const Draw& draw : draws) summary.num_converged += draw.converged;
  SummariseCoverage(draws, rig, &summary);
  for (std::size_t c = 0; c < probes.raster.size(); ++c) {
    summary.projection.push_back(Compare(
        draws, [c](const Draw& draw) -> const auto& { return draw.projection[c]; }));
  }
  summary.point = Compare(
      draws, [](const Draw& draw) -> const auto& { return draw.point; });
  return summary;
}

}  // namespace percuss::calibration
