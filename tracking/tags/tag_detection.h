// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <opencv2/core/mat.hpp>
#include <string>
#include <vector>

#include "capture/experiment/experiment_body.h"
#include "tracking/spots/marker_detection.h"
#include "tracking/tags/blurred_tag.h"

namespace percuss::tracking {

/// The tags of a body, ready to be looked for in pictures.
class TagPrints {
 public:
  /// @throws std::invalid_argument for an unknown dictionary, or an id outside of it.
  explicit TagPrints(const capture::CodedTags& coded);

  /// The corners of all tags of the body in a picture, four spots each, that know their markers:
  /// read by capture::ReadTags, measured by FitTag, which also says whether they are there. A tag
  /// of which two prints are in the picture is there twice.
  CodedSpots FindIn(const cv::Mat& luma, const ToneTables& tone) const;

 private:
  struct Print {
    int id = 0, first_marker = 0;
    BlurredTag tag;
  };
  std::string dictionary_;
  std::vector<Print> prints_;
};

}  // namespace percuss::tracking
