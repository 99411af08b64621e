// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/quality/cross_validation.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/parallel.h"
#include "calibration/bundle/bundle_adjustment.h"

namespace percuss::calibration {
namespace {

struct Distances {
  std::vector<double> all, used;
};

Distances HeldOutDistances(const Bundle& bundle, int fold, int num_folds, double huber_px) {
  Bundle training = bundle, held_out = bundle;
  training.views.clear();
  held_out.views.clear();
  for (std::size_t v = 0; v < bundle.views.size(); ++v) {
    const bool is_held_out = static_cast<int>(v) % num_folds == fold;
    (is_held_out ? held_out : training).views.push_back(bundle.views[v]);
  }
  AdjustBundle(&training);
  held_out.cameras = training.cameras;
  held_out.camera_from_first = training.camera_from_first;
  held_out.shape = training.shape;
  AdjustBundle(&held_out, {.huber_px = huber_px, .poses_only = true});

  Distances distances;
  for (const TargetView& view : held_out.views) {
    for (int camera = 0; camera < static_cast<int>(bundle.cameras.size()); ++camera) {
      const std::vector<Eigen::Vector2d> residuals = Residuals(held_out, view, camera);
      for (std::size_t k = 0; k < residuals.size(); ++k) {
        if (!residuals[k].allFinite()) continue;
        distances.all.push_back(residuals[k].norm());
        if (view.images[camera].used[k] != 0) distances.used.push_back(residuals[k].norm());
      }
    }
  }
  return distances;
}

double Quantile(std::vector<double> values, double fraction) {
  const auto place = static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[place];
}

}  // namespace

HeldOutError CrossValidate(const Bundle& bundle, int num_folds, double huber_px, int num_threads) {
  const int folds = std::min(num_folds, static_cast<int>(bundle.views.size()));
  if (folds < 2 || bundle.views.size() < 4) return {};
  std::vector<Distances> by_fold(folds);
  ParallelFor(folds, num_threads,
              [&](int fold) { by_fold[fold] = HeldOutDistances(bundle, fold, folds, huber_px); });
  Distances distances;
  for (const Distances& part : by_fold) {
    distances.all.insert(distances.all.end(), part.all.begin(), part.all.end());
    distances.used.insert(distances.used.end(), part.used.begin(), part.used.end());
  }
  if (distances.used.empty()) return {};
  double sum = 0.0;
  for (const double distance : distances.used) sum += distance * distance;
  return {.rms_px = std::sqrt(sum / static_cast<double>(distances.used.size())),
          .median_px = Quantile(distances.all, 0.5),
          .p90_px = Quantile(distances.all, 0.9)};
}

}  // namespace percuss::calibration
