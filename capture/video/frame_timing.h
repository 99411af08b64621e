// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <opencv2/core/mat.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace percuss::capture {

/// What the times of a video's frames, and a look at the pictures, tell about the recording. The
/// times themselves are those of the file whatever this says.
struct FrameTiming {
  double interval = 0.0;  ///< [s] usual time from frame to frame; 0 for fewer than two frames
  double jitter = 0.0;    ///< [s] rms of what the steps differ from whole numbers of intervals
  double shortest = 0.0;  ///< [s] least and greatest step
  double longest = 0.0;
  bool variable_rate =
      false;            ///< one step in twenty is no whole number of intervals within a tenth
  int num_dropped = 0;  ///< frames missing between others; 0 at a variable rate
  std::optional<int> first_after_gap;  ///< frame that follows the first gap
  std::vector<int> repeated;           ///< frames that show the picture of the one before again
};

/// FrameTiming of rising frame times [s], without `repeated`. The usual interval is the mean of the
/// steps that lie within a quarter of their median.
FrameTiming AuditFrameTimes(std::span<const double> times);

/// Frame times as they were before a container rounded or cut them to its tick (Matroska: 1 ms, 12
/// % of a frame at 120 Hz): where one even rate, with frames missing or not, explains all times
/// within a tick, the times at that rate from 0 on; else what was given. The rate is the nominal
/// one where that explains them, else that of least squares, good to tick / n^(3/2) for n frames.
/// @param times rising, the first is 0 [s]. @param tick [s] 0 if the times are exact.
/// @param nominal_rate [Hz] as the file states it; 0 if it does not.
std::vector<double> UnroundedTimes(std::vector<double> times, double tick, double nominal_rate);

/// "left.mp4: 2 frames are missing (first before frame 17)", one sentence for each thing worth
/// saying.
std::vector<std::string> TimingWarnings(const FrameTiming& timing, const std::string& video);

/// Finds pictures that a recorder or a converter wrote twice, while what is filmed went on.
///
/// Pictures are compared by the means of cells of eight by eight pixels, which neither noise nor a
/// second compression moves by more than a grey value or two. One to three successive pictures are
/// repeats of the one before them if hardly any cell changes in them while many change, by far and
/// about as many, in the step before and in the step after, and if the pictures on both sides
/// differ: a body at the top of its path stands still between two steps as well, but there it comes
/// back. A step in which a quarter of the picture changes is a flash.
class RepeatedPictures {
 public:
  /// @param halved the next picture at half its size, CV_8UC1, all of one size.
  void Add(const cv::Mat& halved);

  /// Numbers of the pictures, from 0, that repeat the one before.
  std::vector<int> Find() const;

 private:
  static constexpr int kLongest = 3;           ///< repeats in succession
  static constexpr int kDepth = kLongest + 2;  ///< how far back a picture is compared

  struct Change {
    std::array<int, kDepth> moved{};  ///< cells far from those of so many pictures before, less one
    int not_still = 0;                ///< cells not as in the picture before
  };

  std::array<cv::Mat, kDepth> last_;  ///< cells, the latest first
  std::vector<Change> changes_;
  int num_cells_ = 0;
};

}  // namespace percuss::capture
