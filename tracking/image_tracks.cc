// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/image_tracks.h"

#include <cmath>

#include "tracking/assignment.h"

namespace percuss::tracking {
namespace {

struct LiveTrack {
  int number = 0;
  MarkerFilter filter;
  int missed = 0;
};

double SigmaOf(const Blob& blob, double floor) {
  return std::sqrt(0.5 * blob.covariance.trace() + floor * floor);
}

}  // namespace

ImageTracks LinkBlobs(std::span<const FrameBlobs> frames, const ImageTrackOptions& options) {
  ImageTracks tracks(frames.size());
  std::vector<LiveTrack> live;
  int next_number = 0;
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const std::vector<Blob>& blobs = frames[k].blobs;
    if (k > 0) {
      const double dt = frames[k].time - frames[k - 1].time;
      for (LiveTrack& track : live) track.filter = Predict(track.filter, dt, options.filter);
    }

    // Cost: negative log-likelihood of the pairing, so that a wide, uncertain filter does not win
    // over a narrow one.
    const auto num_tracks = static_cast<Eigen::Index>(live.size());
    const auto num_blobs = static_cast<Eigen::Index>(blobs.size());
    constexpr double kImpossible = 1e6;
    constexpr double kCostOfNone = 1e5;
    Eigen::MatrixXd cost = Eigen::MatrixXd::Constant(num_tracks, num_blobs, kImpossible);
    for (Eigen::Index i = 0; i < num_tracks; ++i) {
      const LiveTrack& track = live[static_cast<std::size_t>(i)];
      for (Eigen::Index j = 0; j < num_blobs; ++j) {
        const Blob& blob = blobs[static_cast<std::size_t>(j)];
        const double sigma = SigmaOf(blob, options.sigma_floor_px);
        const double distance = NormalisedInnovationSquared(track.filter, blob.centre, sigma);
        if (distance > options.gate) continue;
        cost(i, j) = distance + 2.0 * std::log(track.filter.covariance(0, 0) + sigma * sigma);
      }
    }
    const std::vector<int> blob_of_track = Assign(cost, kCostOfNone);

    std::vector<int>& numbers = tracks[k];
    numbers.assign(blobs.size(), -1);
    for (std::size_t i = 0; i < live.size(); ++i) {
      LiveTrack& track = live[i];
      if (blob_of_track[i] < 0) {
        ++track.missed;
        continue;
      }
      const auto j = static_cast<std::size_t>(blob_of_track[i]);
      track.filter =
          Update(track.filter, blobs[j].centre, SigmaOf(blobs[j], options.sigma_floor_px));
      track.missed = 0;
      numbers[j] = track.number;
    }
    std::erase_if(live,
                  [&](const LiveTrack& track) { return track.missed > options.max_missed_frames; });
    for (std::size_t j = 0; j < blobs.size(); ++j) {
      if (numbers[j] >= 0) continue;
      numbers[j] = next_number;
      live.push_back({next_number++,
                      StartMarkerFilter(blobs[j].centre, SigmaOf(blobs[j], options.sigma_floor_px),
                                        options.filter),
                      0});
    }
  }
  return tracks;
}

}  // namespace percuss::tracking
