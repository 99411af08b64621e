// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/files/files.h"
#include "capture/experiment/video_clock.h"
#include "report/facts/run_folder.h"
#include "report/overlay/frame_strips.h"

namespace percuss::report {

/// The videos of a trial: left, right and the others, or the one of a single camera.
struct TrialVideos {
  std::vector<std::filesystem::path> files{};  ///< empty where a camera took none
  capture::VideoClock clock{};
};

struct OverlayOptions {
  std::function<void(double fraction)> progress{};  ///< may be empty
  int max_width = 1920;     ///< of all views together [px]; larger ones are reduced
  int max_height = 1080;    ///< likewise, without the lines of text
  double frame_rate = 25;   ///< pictures per second of the overlay: slow motion
  double margin = 0.25;     ///< shown before the first flight and after the last [s]
  Provenance provenance{};  ///< of film.json
  int crf = 26;             ///< rate factor of H.264: 1 (finest) to 51
};

/// Writes a video to look at what was tracked: all views of a trial side by side, more than two in
/// rows of two, frame by frame,
/// with the marker sightings and their names, the body's outline and axes in the fitted flights
/// (outside of them the axes by the pose of the single frame), the way of the mass centre in these
/// flights, outline and way after the impact as the first law of the fit predicts them, the contact
/// point from the impact on, and the time. Colours are those of Okabe and Ito.
///
/// Frames from `margin` before the first fitted flight to `margin` after the last; all tracked
/// frames where there is no impact. The same input gives the same bytes.
/// Some of its pictures of the flights, cut to the body, go into film.jpg and film.json beside it.
/// @param views ViewsOf, in the order of the videos. @param file appears when it is complete.
/// @return why there is none; empty otherwise
/// @throws InputError as VideoReader and VideoWriter.
std::string WriteOverlayVideo(const RunFolder& run, const TrialFacts& trial,
                              const std::vector<NamedView>& views, const TrialVideos& videos,
                              const std::filesystem::path& file,
                              const OverlayOptions& options = {});

/// Only film.jpg and film.json, into `folder`: no more is decoded than they show.
/// @return why there are none; empty otherwise, and where there is no impact
/// @throws InputError as VideoReader.
std::string WriteFilmAlone(const RunFolder& run, const TrialFacts& trial,
                           const std::vector<NamedView>& views, const TrialVideos& videos,
                           const std::filesystem::path& folder, const OverlayOptions& options = {});

}  // namespace percuss::report
