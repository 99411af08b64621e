// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>

#include "calibration/bundle/bundle_adjustment.h"
#include "calibration/bundle/image_cost.h"

namespace percuss::calibration {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Normal equations of the shared parameters and of six of its own: the pose of one view, or the two
// ends of a distance.
struct NormalEquations {
  Eigen::MatrixXd shared;
  Eigen::Matrix<double, Eigen::Dynamic, 6> mixed;
  Eigen::Matrix<double, 6, 6> own = Eigen::Matrix<double, 6, 6>::Zero();

  explicit NormalEquations(int size)
      : shared(Eigen::MatrixXd::Zero(size, size)),
        mixed(Eigen::Matrix<double, Eigen::Dynamic, 6>::Zero(size, 6)) {}

  // What the shared parameters know when the own ones are unknown.
  Eigen::MatrixXd Marginal() const {
    const Eigen::LDLT<Eigen::Matrix<double, 6, 6>> factor(own);
    return shared - mixed * factor.solve(mixed.transpose());
  }
};

// A block of columns of a Jacobian: where it belongs, and whether to the own parameters.
struct Columns {
  RowMajor jacobian;
  int place = 0;
  bool own = false;
};

void Add(const std::vector<Columns>& blocks, NormalEquations* equations) {
  for (const Columns& a : blocks) {
    for (const Columns& b : blocks) {
      const Eigen::MatrixXd product = a.jacobian.transpose() * b.jacobian;
      const auto rows = a.jacobian.cols(), columns = b.jacobian.cols();
      if (a.own && b.own) {
        equations->own.block(a.place, b.place, rows, columns) += product;
      } else if (b.own) {
        equations->mixed.block(a.place, b.place, rows, columns) += product;
      } else if (!a.own) {
        equations->shared.block(a.place, b.place, rows, columns) += product;
      }
    }
  }
}

// Jacobians of a cost at the given parameters; those of blocks whose place is negative are dropped.
void Accumulate(const ceres::CostFunction& cost, const std::vector<const double*>& parameters,
                const std::vector<std::pair<int, bool>>& places, NormalEquations* equations) {
  std::vector<Columns> blocks;
  std::vector<double*> pointers;
  const int rows = cost.num_residuals();
  if (rows == 0) return;
  for (std::size_t b = 0; b < places.size(); ++b) {
    const int columns = cost.parameter_block_sizes()[b];
    blocks.push_back({RowMajor(rows, columns), places[b].first, places[b].second});
  }
  for (Columns& block : blocks) pointers.push_back(block.jacobian.data());
  Eigen::VectorXd residuals(rows);
  if (!cost.Evaluate(parameters.data(), residuals.data(), pointers.data())) return;
  std::erase_if(blocks, [](const Columns& block) { return block.place < 0; });
  Add(blocks, equations);
}

constexpr std::array<double, 6> kNoStep{};

NormalEquations OfView(const Bundle& bundle, const TargetView& view) {
  const ParameterPlaces places{static_cast<int>(bundle.cameras.size())};
  NormalEquations equations(places.Size());
  const std::array<double, 3> shape = {bundle.shape.scale, bundle.shape.warp.x(),
                                       bundle.shape.warp.y()};
  for (int c = 0; c < places.num_cameras; ++c) {
    const auto camera = static_cast<std::size_t>(c);
    Accumulate(
        ImageCost(bundle, view, camera, 0.0),
        {bundle.cameras[camera].intrinsics.data(), kNoStep.data(), kNoStep.data(), shape.data()},
        {{places.Intrinsics(c), false},
         {c == 0 ? -1 : places.CameraPose(c), false},
         {0, true},
         {places.BoardShape(), false}},
        &equations);
  }
  return equations;
}

NormalEquations OfDistance(const Bundle& bundle, const KnownDistance& known) {
  const ParameterPlaces places{static_cast<int>(bundle.cameras.size())};
  NormalEquations equations(places.Size());
  for (int c = 0; c < places.num_cameras; ++c) {
    const auto camera = static_cast<std::size_t>(c);
    for (int end = 0; end < 2; ++end) {
      const Eigen::Vector2d& pixel = known.pixels[camera][end];
      if (!pixel.allFinite()) continue;
      Accumulate(
          EndCost(bundle, camera, pixel),
          {bundle.cameras[camera].intrinsics.data(), kNoStep.data(), known.p_first[end].data()},
          {{places.Intrinsics(c), false},
           {c == 0 ? -1 : places.CameraPose(c), false},
           {3 * end, true}},
          &equations);
    }
  }
  Accumulate(LengthCost(known), {known.p_first[0].data(), known.p_first[1].data()},
             {{0, true}, {3, true}}, &equations);
  return equations;
}

// What is known beforehand, and ones on the diagonal of parameters that do not move; true for
// those that do.
std::vector<bool> AddPriors(const Bundle& bundle, Eigen::MatrixXd* information) {
  const ParameterPlaces places{static_cast<int>(bundle.cameras.size())};
  std::vector<bool> free(places.Size(), true);
  const auto apply = [&](int place, double sigma) {
    if (sigma > 0.0) {
      (*information)(place, place) += 1.0 / (sigma * sigma);  // 0 where nothing is known
      return;
    }
    information->row(place).setZero();
    information->col(place).setZero();
    (*information)(place, place) = 1.0;
    free[place] = false;
  };
  for (int c = 0; c < places.num_cameras; ++c) {
    const auto sigma = IntrinsicsPrior(bundle.cameras[c], bundle.model.distortion_sigma);
    for (int k = 0; k < kNumIntrinsics; ++k) {
      apply(places.Intrinsics(c) + k, sigma[k]);
    }
  }
  apply(places.BoardShape(), bundle.model.scale_sigma);
  const double warp_sigma = bundle.model.free_warp ? std::numeric_limits<double>::infinity() : 0.0;
  apply(places.BoardShape() + 1, warp_sigma);
  apply(places.BoardShape() + 2, warp_sigma);
  return free;
}

}  // namespace

int NumFreeParameters(const Bundle& bundle) {
  int count = 6 * static_cast<int>(bundle.cameras.size() - 1 + bundle.views.size());
  for (const Camera& camera : bundle.cameras) {
    for (const double sigma : IntrinsicsPrior(camera, bundle.model.distortion_sigma)) {
      if (std::isinf(sigma)) ++count;
    }
  }
  return count + (bundle.model.free_warp ? 2 : 0) + (std::isinf(bundle.model.scale_sigma) ? 1 : 0);
}

Eigen::MatrixXd ViewInformation(const Bundle& bundle, const TargetView& view) {
  return OfView(bundle, view).Marginal();
}

Eigen::MatrixXd BundleCovariance(const Bundle& bundle) {
  CheckBundle(bundle);
  const ParameterPlaces places{static_cast<int>(bundle.cameras.size())};
  Eigen::MatrixXd information = Eigen::MatrixXd::Zero(places.Size(), places.Size());
  for (std::size_t v = 0; v + 1 < bundle.views.size(); ++v) {
    information += ViewInformation(bundle, bundle.views[v]);
  }
  const NormalEquations surface = OfView(bundle, bundle.views.back());
  information += surface.shared;
  information.middleCols<6>(places.World()) += surface.mixed;
  information.middleRows<6>(places.World()) += surface.mixed.transpose();
  information.block<6, 6>(places.World(), places.World()) += surface.own;
  for (const KnownDistance& known : bundle.distances) {
    information += OfDistance(bundle, known).Marginal();
  }
  const std::vector<bool> free = AddPriors(bundle, &information);

  // Units differ by orders of magnitude: judge the rank after scaling to a unit diagonal.
  const Eigen::VectorXd scale = information.diagonal().cwiseSqrt().cwiseInverse();
  if (!scale.allFinite()) return {};
  const Eigen::MatrixXd scaled = scale.asDiagonal() * information * scale.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(scaled);
  if (eigen.info() != Eigen::Success || !(eigen.eigenvalues()[0] > 1e-13)) return {};
  const Eigen::MatrixXd rows = scale.asDiagonal() * eigen.eigenvectors();
  Eigen::MatrixXd covariance =
      rows * eigen.eigenvalues().cwiseInverse().asDiagonal() * rows.transpose();
  for (int place = 0; place < places.Size(); ++place) {
    if (free[place]) continue;
    covariance.row(place).setZero();
    covariance.col(place).setZero();
  }
  return covariance;
}

}  // namespace percuss::calibration
