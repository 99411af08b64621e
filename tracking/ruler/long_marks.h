// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core/mat.hpp>
#include <vector>

#include "tracking/ruler/row_of_marks.h"

namespace percuss::tracking {

/// How long each mark of a row is [pitches in its middle], as if all were as far away: from half of
/// its amplitude on one side of the row to half on the other. NaN for marks that are not seen.
std::vector<double> LengthsOfMarks(const cv::Mat& grey, const RowOfMarks& row);

/// Which marks are longer: {5, 10} where every 5th is longer than the rest and every second of
/// those longer still. Each step is a factor of 2 or 5, at which 85 % of the longer marks exceed 85
/// % of the others by a tenth of their length and by three times what they scatter. Empty where the
/// longest are not alike.
std::vector<int> PeriodsOfLongMarks(const std::vector<double>& lengths);

/// What one pitch means [m], by which marks are longer: {5, 10} millimetres, {2, 10, 20} halves of
/// them, {2, 4, 8}, {2, 4, 8, 16}, ... eighths, sixteenths, ... of an inch. NaN where that
/// does not tell, or `marks` are too few for the longest ones to be there twice.
double MeaningOfMarks(const std::vector<int>& longer, std::size_t marks);

}  // namespace percuss::tracking
