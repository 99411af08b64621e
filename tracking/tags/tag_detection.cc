// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/tags/tag_detection.h"

#include <algorithm>
#include <optional>

#include "capture/tags/coded_tags.h"
#include "tracking/tags/tag_fit.h"

namespace percuss::tracking {

TagPrints::TagPrints(const capture::CodedTags& coded) : dictionary_(coded.dictionary) {
  for (const capture::CodedTag& tag : coded.tags) {
    prints_.push_back(
        {tag.id, tag.first_marker, BlurredTag(capture::TagCells(coded.dictionary, tag.id))});
  }
}

CodedSpots TagPrints::FindIn(const cv::Mat& luma, const ToneTables& tone) const {
  CodedSpots found;
  std::optional<double> noise;
  for (const capture::SeenTag& seen : capture::ReadTags(luma, dictionary_).tags) {
    const auto print = std::ranges::find(prints_, seen.id, &Print::id);
    if (print == prints_.end()) continue;
    if (!noise) noise = std::max(EstimateGreyNoise(luma), 0.3);
    const TagFit fit = FitTag(luma, tone, *noise, print->tag, seen.corners);
    if (!fit.found) continue;
    found.outlines.push_back(fit.corners);
    for (std::size_t k = 0; k < 4; ++k) {
      Blob& blob = found.blobs.emplace_back();
      blob.centre = fit.corners[k];
      blob.covariance = fit.covariances[k];
      blob.contrast = fit.contrast;
      blob.misfit = fit.misfit;
      blob.polarity = Polarity::kDark;
      blob.marker = print->first_marker + static_cast<int>(k);
    }
  }
  return found;
}

}  // namespace percuss::tracking
