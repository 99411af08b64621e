// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "calibration/target.h"
#include "capture/experiment.h"

namespace percuss::calibration {

/// One pair of board images, left and right, with the corners found in them.
struct BoardPair {
  std::array<std::filesystem::path, 2> files;
  std::array<BoardCorners, 2> corners;

  bool Found() const { return corners[0].found && corners[1].found; }
  std::string Reason() const;  ///< why it is not found: camera and what is missing
};

struct BoardImages {
  int width = 0, height = 0;     ///< [px], of all images
  std::vector<BoardPair> pairs;  ///< as listed; the surface pair is the last
};

/// Reads all board images of an experiment and finds the board in each.
/// @param progress Called with the share done, from one thread at a time; may be empty.
/// @throws InputError for an image that cannot be read or has another size than the first one.
/// @throws DataError if the described board is in none of them (says which size was seen instead).
BoardImages ReadBoardImages(const capture::Experiment& experiment, int num_threads,
                            const std::function<void(double)>& progress);

/// A path as the experiment file would name it: relative to its folder where it lies below it.
std::string NameInExperiment(const capture::Experiment& experiment,
                             const std::filesystem::path& file);

}  // namespace percuss::calibration
