// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "calibration/targets/target.h"
#include "capture/experiment/experiment.h"

namespace percuss::calibration {

/// The images that all cameras took of one position of the board, with what was found in them.
struct BoardView {
  /// [camera]; empty where the camera has no image. Of a video, with the frame behind its name.
  std::vector<std::filesystem::path> files;
  std::vector<BoardCorners> corners;  ///< [camera]

  int NumFound() const;     ///< cameras in which the board was found
  bool OrderKnown() const;  ///< whether all pictures fix which point of the target is the first
};

struct BoardImages {
  std::vector<std::string> cameras;
  std::vector<std::array<int, 2>> sizes;  ///< [camera] width, height [px]; 0 without an image
  std::vector<BoardView> views;           ///< as listed; the surface view is the last

  /// Why the board is not found in some images of a view: camera and what is missing.
  std::string Reason(const BoardView& view) const;
};

/// Reads all board images of an experiment and finds the board in each. Videos are left out: where
/// the board is waved in videos there is the surface view alone, without files where that is one
/// too (AddBoardVideos).
/// @param progress Called with the share done, from one thread at a time; may be empty.
/// @throws InputError for an image that cannot be read or has another size than the first one of
/// its camera.
/// @throws DataError if the described board is in none of them (says which size was seen instead).
BoardImages ReadBoardImages(const capture::Experiment& experiment, int num_threads,
                            const std::function<void(double)>& progress);

/// A path as the experiment file would name it: relative to its folder where it lies below it.
std::string NameInExperiment(const capture::Experiment& experiment,
                             const std::filesystem::path& file);

}  // namespace percuss::calibration
