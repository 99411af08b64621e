// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/targets/board_images.h"

#include <fmt/core.h>

#include <algorithm>
#include <mutex>
#include <opencv2/imgcodecs.hpp>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/files/files.h"
#include "base/parallel.h"
#include "calibration/targets/calibration_error.h"
#include "capture/pictures/image_levels.h"
#include "capture/video/tone.h"

namespace percuss::calibration {
namespace {

namespace fs = std::filesystem;

// In how many images the board must be missed before its description is doubted.
constexpr int kNumDoubted = 2;
// In how many images the size of some other board is looked for.
constexpr int kNumSized = 8;

// A decoder fills up what is missing, or prints to the terminal; so look for the end mark first.
bool IsCutShort(std::string_view content) {
  using std::literals::string_view_literals::operator""sv;
  const auto lacks_in_second_half = [&](std::string_view mark) {
    const std::size_t place = content.rfind(mark);
    return place == std::string_view::npos || place < content.size() / 2;
  };
  if (content.starts_with("\x89PNG"sv)) return lacks_in_second_half("IEND"sv);
  if (content.starts_with("\xFF\xD8"sv)) return lacks_in_second_half("\xFF\xD9"sv);
  return false;
}

cv::Mat ReadGrey(const fs::path& file, std::optional<int> bit_depth) {
  const std::string content = ReadFile(file);
  cv::Mat grey;
  std::string reason = "not an image";
  if (IsCutShort(content)) {
    reason = "the file ends before the image does";
  } else if (!content.empty()) {
    // Pixels as the sensor has them, like those of the videos: no turning by the camera's tags.
    const cv::Mat bytes(1, static_cast<int>(content.size()), CV_8UC1,
                        const_cast<char*>(content.data()));
    try {
      grey = cv::imdecode(
          bytes, cv::IMREAD_GRAYSCALE | cv::IMREAD_ANYDEPTH | cv::IMREAD_IGNORE_ORIENTATION);
    } catch (const cv::Exception& error) {
      reason = error.err;
    }
  }
  if (grey.empty()) {
    throw InputError(fmt::format("{}: cannot be read ({}); allowed is a PNG or JPEG image",
                                 file.string(), reason));
  }
  return capture::OnFullScale(grey, capture::LevelsOfImage(grey, bit_depth, file));
}

class Images {
 public:
  explicit Images(const capture::Experiment& experiment)
      : board_(experiment.board),
        light_of_grey_(capture::LightOfGrey(experiment.tone)),
        bit_depth_(experiment.clock.bit_depth) {
    const auto& cameras = experiment.calibration.cameras;
    const bool videos = experiment.calibration.FromVideos();
    found_.sizes.resize(cameras.size());
    found_.views.resize(videos ? 1 : cameras.front().images.size() + 1);
    for (BoardView& view : found_.views) {
      view.files.resize(cameras.size());
      view.corners.resize(cameras.size());
    }
    for (std::size_t c = 0; c < cameras.size(); ++c) {
      found_.cameras.push_back(cameras[c].name);
      for (std::size_t v = 0; v < found_.views.size(); ++v) {
        const bool surface = v + 1 == found_.views.size();
        const fs::path& file = surface ? cameras[c].surface : cameras[c].images[v];
        if (file.empty() || capture::IsVideoName(file)) continue;
        found_.views[v].files[c] = file;
      }
    }
    // View by view, as they were taken.
    for (std::size_t v = 0; v < found_.views.size(); ++v) {
      for (std::size_t c = 0; c < cameras.size(); ++c) {
        if (!found_.views[v].files[c].empty()) places_.push_back({v, c});
      }
    }
    sizes_.resize(places_.size());
  }

  int Count() const { return static_cast<int>(places_.size()); }
  const fs::path& File(int image) const {
    const Place& place = At(image);
    return found_.views[place.view].files[place.camera];
  }
  bool Found(int image) const {
    const Place& place = At(image);
    return found_.views[place.view].corners[place.camera].found;
  }
  bool AnyFound() const {
    for (int image = 0; image < Count(); ++image) {
      if (Found(image)) return true;
    }
    return false;
  }

  void Find(int image, const FindBoardOptions& options) {
    const cv::Mat grey = ReadGrey(File(image), bit_depth_);
    sizes_[image] = grey.size();
    const cv::Mat light = capture::Linearise(grey, light_of_grey_);
    const Place& place = At(image);
    found_.views[place.view].corners[place.camera] = FindTarget(grey, light, board_, options);
  }

  std::optional<OtherTarget> OtherTargetSeen(int image) const {
    const cv::Mat grey = ReadGrey(File(image), bit_depth_);
    return FindOtherTarget(grey, capture::Linearise(grey, light_of_grey_), board_);
  }

  // All images of one camera must have one size.
  void CheckSizes() {
    std::vector<int> first(found_.cameras.size(), -1);
    for (int image = 0; image < Count(); ++image) {
      const std::size_t camera = At(image).camera;
      const cv::Size size = sizes_[image];
      if (first[camera] < 0) {
        first[camera] = image;
        found_.sizes[camera] = {size.width, size.height};
      }
      const auto& [width, height] = found_.sizes[camera];
      if (size.width == width && size.height == height) continue;
      throw InputError(fmt::format(
          "{}: image size {} x {} px, allowed is {} x {} px as in {} (all images of the {} camera "
          "must have one size)",
          File(image).string(), size.width, size.height, width, height,
          File(first[camera]).string(), found_.cameras[camera]));
    }
  }

  BoardImages Result() && { return std::move(found_); }

 private:
  struct Place {
    std::size_t view, camera;
  };
  const Place& At(int image) const { return places_[image]; }

  capture::Board board_;
  std::array<float, 256> light_of_grey_;
  std::optional<int> bit_depth_;  // of images of 16 bits
  BoardImages found_;
  std::vector<Place> places_;
  std::vector<cv::Size> sizes_;
};

/// Another target than the described one, and the first image that shows it.
struct Seen {
  OtherTarget target;
  int image = 0;
};

std::optional<Seen> LookForOther(const Images& images) {
  for (int image = 0; image < std::min(kNumSized, images.Count()); ++image) {
    if (const std::optional<OtherTarget> other = images.OtherTargetSeen(image))
      return Seen{*other, image};
  }
  return {};
}

/// Where all of the first images show one other chessboard, whole.
std::optional<Seen> OtherInFirst(const Images& images) {
  std::optional<Seen> seen;
  for (int image = 0; image < std::min(kNumDoubted, images.Count()); ++image) {
    const std::optional<OtherTarget> other = images.OtherTargetSeen(image);
    if (!other || !other->counts) return {};
    if (seen && seen->target.counts != other->counts) return {};
    if (!seen) seen = Seen{*other, image};
  }
  return seen;
}

[[noreturn]] void ThrowNowhereFound(const Images& images, const capture::Board& board,
                                    const std::optional<Seen>& other) {
  std::string seen = "no other target of this type was recognised there either";
  CalibrationFault fault{.board_not_found = true};
  if (other) {
    seen =
        fmt::format("{} shows {}", images.File(other->image).string(), other->target.description);
    fault.other_board = other->target.counts;
  }
  throw CalibrationError(
      fmt::format("board: no {} in any of the {} images, {} the first; {}", DescribeTarget(board),
                  images.Count(), images.File(0).string(), seen),
      fault);
}

}  // namespace

int BoardView::NumFound() const {
  return static_cast<int>(std::count_if(corners.begin(), corners.end(),
                                        [](const BoardCorners& image) { return image.found; }));
}

bool BoardView::OrderKnown() const {
  return std::all_of(corners.begin(), corners.end(),
                     [](const BoardCorners& image) { return !image.found || image.order_known; });
}

std::string BoardImages::Reason(const BoardView& view) const {
  std::string reason;
  for (std::size_t c = 0; c < cameras.size(); ++c) {
    if (view.corners[c].found || view.files[c].empty()) continue;
    reason += fmt::format("{}{} image: {}", reason.empty() ? "" : "; ", cameras[c],
                          view.corners[c].reason);
  }
  return reason;
}

BoardImages ReadBoardImages(const capture::Experiment& experiment, int num_threads,
                            const std::function<void(double)>& progress) {
  Images images(experiment);
  if (images.Count() == 0) return std::move(images).Result();
  std::mutex mutex;
  int done = 0;
  const auto find_in = [&](const std::vector<int>& which, const FindBoardOptions& options) {
    ParallelFor(static_cast<int>(which.size()), num_threads, [&](int k) {
      images.Find(which[k], options);
      const std::lock_guard lock(mutex);
      done = std::min(done + 1, images.Count());
      if (progress) progress(static_cast<double>(done) / images.Count());
    });
  };
  std::vector<int> first, rest;
  for (int image = 0; image < images.Count(); ++image) {
    (image < kNumDoubted ? first : rest).push_back(image);
  }
  const auto is_found = [&](int image) { return images.Found(image); };
  // The full search takes seconds in an image without this board. If the first images do not show
  // it, look through all others quickly: the description may be wrong. Where they show another one,
  // it most likely is, and they are not searched in full before all others were looked at.
  find_in(first, {.brief = true});
  std::optional<Seen> other;
  if (!images.AnyFound()) other = OtherInFirst(images);
  if (!other) {
    std::erase_if(first, is_found);
    find_in(first, {});
  }
  if (!images.AnyFound()) {
    find_in(rest, {.quick = true});
    images.CheckSizes();
    if (!images.AnyFound() && !other) other = LookForOther(images);
    if (!images.AnyFound()) ThrowNowhereFound(images, experiment.board, other);
  }
  if (other) rest.insert(rest.begin(), first.begin(), first.end());
  std::erase_if(rest, is_found);
  find_in(rest, {});
  images.CheckSizes();
  return std::move(images).Result();
}

std::string NameInExperiment(const capture::Experiment& experiment, const fs::path& file) {
  const fs::path relative =
      file.lexically_normal().lexically_relative(experiment.file.parent_path().lexically_normal());
  const bool below = !relative.empty() && *relative.begin() != "..";
  return (below ? relative : file).generic_string();
}

}  // namespace percuss::calibration
