// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/overlay/overlay_video.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <future>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <set>

#include "capture/video/video.h"
#include "capture/video/video_writer.h"
#include "report/overlay/film.h"
#include "report/overlay/fitted_flights.h"
#include "report/overlay/overlay_drawing.h"

namespace percuss::report {
namespace {

namespace fs = std::filesystem;

constexpr double kMilliseconds = 1000;
constexpr int kLineHeight = 20, kLines = 3, kTextHeight = kLines * kLineHeight + 8;  // [px]
constexpr int kNoFrame = -1;

/// One picture of the overlay.
struct Instant {
  double time = kNaN;                    ///< [s]
  std::vector<ExposureFacts> exposed{};  ///< by each camera
  const PoseFacts* pose = nullptr;       ///< may be missing
};

const FittedImpact* FlightsAt(const std::vector<FittedImpact>& impacts, double time) {
  const auto found = std::ranges::find_if(
      impacts, [&](const FittedImpact& one) { return time >= one.begin && time <= one.end; });
  return found == impacts.end() ? nullptr : &*found;
}

/// All frames from the first to the last pose, those without a pose too.
std::vector<Instant> InstantsOf(const std::vector<PoseFacts>& poses, std::size_t num_videos) {
  std::vector<Instant> instants;
  std::vector<int> lag(num_videos, 0);  // frame less left frame, of the last pose that has both
  for (const PoseFacts& pose : poses) {
    if (!instants.empty() && instants.back().exposed[0].frame != kNoFrame) {
      const Instant last = instants.back();
      const int first = last.exposed[0].frame;
      for (int frame = first + 1; frame < pose.frame; ++frame) {
        const double share =
            static_cast<double>(frame - first) / static_cast<double>(pose.frame - first);
        Instant& between = instants.emplace_back();
        between.time = last.time + share * (pose.time - last.time);
        for (const int apart : lag) between.exposed.push_back({.frame = frame + apart});
      }
    }
    Instant& instant = instants.emplace_back();
    instant.time = pose.time;
    instant.exposed = pose.exposed;
    instant.exposed.resize(num_videos);
    instant.pose = &pose;
    for (std::size_t side = 0; side < num_videos; ++side) {
      const int frame = instant.exposed[side].frame, left = instant.exposed[0].frame;
      if (frame != kNoFrame && left != kNoFrame) lag[side] = frame - left;
    }
  }
  return instants;
}

/// One view: its video, its part of the picture, and the lines that do not move.
struct Track {
  std::size_t side = 0;
  std::string camera;
  std::optional<capture::VideoReader> reader;  ///< none where the camera took no video
  OverlayPanel panel;
  cv::Mat sized;  ///< what was read last, as large as the panel
  std::vector<Stroke> paths{};
  int last = kNoFrame;

  /// Reads a frame; where the video has no such frame, what was read before stays.
  void Read(int frame) {
    if (!reader || frame <= last) return;
    reader->SkipTo(frame);
    if (const auto next = reader->NextStored()) panel.Size(next->luma, next->levels, &sized);
    last = frame;
  }
};

/// The way of the mass centre in the picture.
Stroke PathOf(const OverlayPanel& panel, double from, double to, const cv::Scalar& colour,
              bool dashed, const auto& state_at) {
  constexpr int kPoints = 60;
  Stroke path{.colour = colour, .dashed = dashed};
  for (int k = 0; k <= kPoints; ++k) {
    const std::optional<Flight> state = state_at(from + (to - from) * k / kPoints);
    const auto pixel = state ? panel.PixelOf(state->p_WB) : std::nullopt;
    if (pixel) path.pixels.push_back(*pixel);
  }
  return path;
}

std::vector<Stroke> PathsOf(const OverlayPanel& panel, const TrialPictures& body,
                            const std::vector<FittedImpact>& impacts, const LawFit* law) {
  std::vector<Stroke> paths;
  for (const FittedImpact& one : impacts) {
    const TrialComparison* comparison = FindComparison(law, one.impact->trial);
    paths.push_back(PathOf(panel, one.begin, one.end, kMeasuredColour, false,
                           [&](double time) { return std::optional(one.At(time)); }));
    paths.push_back(
        PathOf(panel, one.impact->time, one.end, kPredictedColour, true,
               [&](double time) { return PredictedAt(body, *one.impact, comparison, time); }));
  }
  return paths;
}

void DrawBody(const Instant& instant, const TrialPictures& body,
              const std::vector<FittedImpact>& impacts, const LawFit* law, std::size_t side,
              double axis_length, OverlayPanel* panel) {
  const double exposed = instant.exposed[side].time;
  const double time = std::isfinite(exposed) ? exposed : instant.time;
  const FittedImpact* flights = FlightsAt(impacts, time);
  if (flights == nullptr) {
    if (instant.pose == nullptr) return;
    const PoseFacts& pose = *instant.pose;
    panel->DrawAxes(
        StateOf({.position = {pose.x, pose.y, pose.z}, .orientation = pose.orientation}),
        axis_length);
    return;
  }
  if (time >= flights->impact->time) {
    if (const auto pixel = panel->PixelOf(flights->contact)) {
      panel->DrawRing(*pixel, 12, kTextColour);
    }
  }
  const Flight state = flights->At(time);
  panel->Draw({.pixels = OutlineInPicture(state, body, panel->View()),
               .colour = kMeasuredColour,
               .closed = true});
  if (const auto predicted =
          PredictedAt(body, *flights->impact, FindComparison(law, flights->impact->trial), time)) {
    panel->Draw({.pixels = OutlineInPicture(*predicted, body, panel->View()),
                 .colour = kPredictedColour,
                 .dashed = true,
                 .closed = true});
  }
  panel->DrawAxes(state, axis_length);
}

void DrawSightings(const Instant& instant, std::size_t side, OverlayPanel* panel) {
  if (instant.pose == nullptr) return;
  for (const SightingFacts& seen : instant.pose->sightings) {
    if (side >= seen.pixel.size()) continue;
    const Eigen::Vector2d pixel(seen.pixel[side][0], seen.pixel[side][1]);
    if (!pixel.allFinite()) continue;
    panel->DrawRing(pixel, 8, kMarkerColour);
    panel->DrawText(pixel, seen.marker, kMarkerColour);
  }
}

std::string FrameText(const Instant& instant, const std::vector<Track>& tracks) {
  const auto number = [](int frame) {
    return frame == kNoFrame ? std::string("none") : std::to_string(frame);
  };
  if (tracks.size() < 2) return "frame " + number(instant.exposed[0].frame);
  std::string text = "frames";
  for (const Track& track : tracks) {
    text += fmt::format("{} {} ({})", track.side > 0 ? "," : "",
                        number(instant.exposed[track.side].frame), track.camera);
  }
  return text;
}

/// Time from the impact that is nearest.
std::string ImpactText(const Instant& instant, const std::vector<FittedImpact>& impacts) {
  if (impacts.empty()) return "no impact was found";
  const auto nearest = std::ranges::min_element(impacts, {}, [&](const FittedImpact& one) {
    return std::abs(one.impact->time - instant.time);
  });
  const double after = instant.time - nearest->impact->time;
  return fmt::format("{:.1f} ms {} the impact", kMilliseconds * std::abs(after),
                     after < 0 ? "before" : "after");
}

/// Half the largest extent of the body.
double AxisLength(const TrialPictures& body) {
  constexpr double kUnknown = 0.05;  // [m]
  double reach = 0;
  for (const auto& point : body.outline) reach = std::max(reach, point.norm());
  return reach > 0 ? reach : kUnknown;
}

int Even(double size) { return std::max(2, 2 * static_cast<int>(std::lround(0.5 * size))); }

/// All views at one height, side by side, more than two in rows of two, without the lines of text
/// below them.
struct Layout {
  cv::Size size;
  std::vector<cv::Rect> places{};
};

Layout LayoutOf(const std::vector<NamedView>& views, std::size_t num_videos,
                const OverlayOptions& options) {
  constexpr std::size_t kInRow = 2;
  double height = 0, width_per_height = 0;
  for (std::size_t first = 0; first < num_videos; first += kInRow) {
    double of_row = 0;
    for (std::size_t side = first; side < std::min(first + kInRow, num_videos); ++side) {
      const calibration::Camera& camera = views[side].view.camera;
      height = std::max<double>(height, camera.height);
      of_row += static_cast<double>(camera.width) / camera.height;
    }
    width_per_height = std::max(width_per_height, of_row);
  }
  const auto rows = static_cast<double>((num_videos + kInRow - 1) / kInRow);
  const int row_height =
      Even(std::min({height, options.max_width / width_per_height, options.max_height / rows}));
  Layout layout;
  int left = 0, top = 0;
  for (std::size_t side = 0; side < num_videos; ++side) {
    const calibration::Camera& camera = views[side].view.camera;
    if (side > 0 && side % kInRow == 0) left = 0, top += row_height;
    const int width = Even(static_cast<double>(row_height) * camera.width / camera.height);
    layout.places.emplace_back(left, top, width, row_height);
    left += width;
    layout.size = {std::max(layout.size.width, left), top + row_height};
  }
  return layout;
}

std::vector<Track> OpenTracks(const std::vector<NamedView>& views, const TrialVideos& videos,
                              const Layout& layout, const TrialPictures& body,
                              const std::vector<FittedImpact>& impacts, const LawFit* law,
                              const capture::LookPlanes& picture) {
  std::vector<Track> tracks;
  for (std::size_t side = 0; side < layout.places.size(); ++side) {
    const cv::Rect& place = layout.places[side];
    const double scale = static_cast<double>(place.height) / views[side].view.camera.height;
    std::optional<capture::VideoReader> reader;
    if (!videos.files[side].empty()) reader.emplace(videos.files[side], videos.clock);
    tracks.push_back({.side = side,
                      .camera = views[side].name,
                      .reader = std::move(reader),
                      .panel = OverlayPanel(views[side].view, PartOf(picture, place), scale),
                      .sized = cv::Mat(place.size(), CV_8UC1, cv::Scalar(16))});
    tracks.back().paths = PathsOf(tracks.back().panel, body, impacts, law);
  }
  return tracks;
}

/// The lines below the views.
void DrawLines(const Instant& instant, const TrialFacts& trial,
               const std::vector<FittedImpact>& impacts, const LawFit* law,
               const std::vector<Track>& tracks, double slower, int top,
               capture::LookPlanes* picture) {
  const auto line = [&](int number, const std::vector<ColouredText>& texts) {
    DrawTexts(texts, {8, top + kLineHeight * number}, picture);
  };
  line(1,
       {{fmt::format("{}   {:.4f} s   {}", trial.name, instant.time, ImpactText(instant, impacts)),
         kTextColour}});
  line(2, {{fmt::format("{}   {:.3g} times slower", FrameText(instant, tracks), slower),
            kTextColour}});
  std::vector<ColouredText> legend = {{"o marker   ", kMarkerColour},
                                      {"--- flight as fitted   ", kMeasuredColour}};
  if (law != nullptr) {
    legend.push_back({fmt::format("- - as law {} predicts", law->law), kPredictedColour});
  }
  line(3, legend);
}

Film EmptyFilm(const std::vector<FittedImpact>& impacts, const TrialPictures& body,
               const std::vector<NamedView>& views, const Layout& layout) {
  Film film;
  for (std::size_t side = 0; side < layout.places.size(); ++side)
    film.regions.push_back(RegionOfFlights(impacts, body, views[side].view, layout.places[side]));
  return film;
}

/// Places of the instants that the film shows: spread over the flights.
std::set<std::size_t> PicturesOfFilm(const std::vector<Instant>& instants,
                                     const std::vector<FittedImpact>& impacts) {
  std::vector<std::size_t> in_flight;
  for (std::size_t k = 0; k < instants.size(); ++k) {
    if (FlightsAt(impacts, instants[k].time) != nullptr) in_flight.push_back(k);
  }
  std::set<std::size_t> shown;
  const std::size_t most = std::min<std::size_t>(kMostFilmPictures, in_flight.size());
  for (std::size_t k = 0; k < most; ++k) {
    shown.insert(in_flight[most > 1 ? k * (in_flight.size() - 1) / (most - 1) : 0]);
  }
  return shown;
}

/// The pictures of a trial: those of the film into film.jpg in `folder`, all of them into `video`
/// unless that is empty.
std::string DrawTrial(const RunFolder& run, const TrialFacts& trial,
                      const std::vector<NamedView>& views, const TrialVideos& videos,
                      const fs::path& folder, const fs::path& video,
                      const OverlayOptions& options) {
  if (trial.poses.empty()) return "there are no poses";
  const std::size_t num_videos = std::min(videos.files.size(), views.size());
  if (num_videos == 0) return "there are no videos, or no cameras are known";

  const LawFit* law = run.fit && !run.fit->laws.empty() ? &run.fit->laws.front() : nullptr;
  const std::vector<FittedImpact> impacts = FittedImpacts(run, trial);
  if (impacts.empty() && video.empty()) return {};
  std::vector<Instant> instants = InstantsOf(trial.poses, num_videos);
  if (!impacts.empty()) {
    std::erase_if(instants, [&](const Instant& instant) {
      return instant.time < impacts.front().begin - options.margin ||
             instant.time > impacts.back().end + options.margin;
    });
  }

  const Layout layout = LayoutOf(views, num_videos, options);
  const cv::Size size(layout.size.width, layout.size.height + kTextHeight);
  cv::Mat picture(size.height + size.height / 2, size.width, CV_8UC1);
  capture::LookPlanes planes = capture::PlanesOf(picture, size);
  Fill(0, &planes);
  std::vector<Track> tracks =
      OpenTracks(views, videos, layout, trial.pictures, impacts, law, planes);
  const double axis_length = AxisLength(trial.pictures);
  const double slower = 1.0 / (FrameInterval(trial.poses) * options.frame_rate);
  std::optional<capture::VideoWriter> writer;
  if (!video.empty()) {
    writer.emplace(video, size, options.frame_rate, options.crf, capture::PictureKind::kPlanes);
  }
  Film film = EmptyFilm(impacts, trial.pictures, views, layout);
  const auto in_film = PicturesOfFilm(instants, impacts);
  std::vector<std::size_t> drawn_instants;
  for (std::size_t k = 0; k < instants.size(); ++k)
    if (writer || in_film.contains(k)) drawn_instants.push_back(k);
  // While one picture is drawn, the next one is read and the one before is encoded.
  cv::Mat drawn;
  std::future<void> written;
  std::vector<std::future<void>> reading(tracks.size());
  const auto begin_to_read = [&](std::size_t number) {
    if (number == drawn_instants.size()) return;
    const Instant& instant = instants[drawn_instants[number]];
    for (Track& track : tracks) {
      reading[track.side] =
          std::async(std::launch::async, &Track::Read, &track, instant.exposed[track.side].frame);
    }
  };
  begin_to_read(0);
  for (std::size_t number = 0; number < drawn_instants.size(); ++number) {
    const std::size_t k = drawn_instants[number];
    for (Track& track : tracks) {
      reading[track.side].get();
      track.panel.DrawPicture(track.sized);
    }
    begin_to_read(number + 1);
    for (Track& track : tracks) {
      for (const Stroke& path : track.paths) track.panel.Draw(path);
      DrawBody(instants[k], trial.pictures, impacts, law, track.side, axis_length, &track.panel);
      DrawSightings(instants[k], track.side, &track.panel);
    }
    if (in_film.contains(k)) {
      cv::Mat coloured;
      cv::cvtColor(picture, coloured, cv::COLOR_YUV2BGR_I420);
      AddPicture(instants[k].time, coloured, &film);
    }
    if (writer) {
      capture::LookPlanes text =
          PartOf(planes, {0, layout.size.height, layout.size.width, kTextHeight});
      Fill(0, &text);
      DrawLines(instants[k], trial, impacts, law, tracks, slower, layout.size.height, &planes);
      if (written.valid()) written.get();
      picture.copyTo(drawn);
      written = std::async(std::launch::async, [&] { writer->Write(drawn); });
    }
    if (options.progress) {
      options.progress(static_cast<double>(number + 1) /
                       static_cast<double>(drawn_instants.size()));
    }
  }
  if (written.valid()) written.get();
  if (writer) writer->Finish();
  WriteFilm(film, options.provenance, folder);
  return {};
}

}  // namespace

std::string WriteOverlayVideo(const RunFolder& run, const TrialFacts& trial,
                              const std::vector<NamedView>& views, const TrialVideos& videos,
                              const fs::path& file, const OverlayOptions& options) {
  return DrawTrial(run, trial, views, videos, file.parent_path(), file, options);
}

std::string WriteFilmAlone(const RunFolder& run, const TrialFacts& trial,
                           const std::vector<NamedView>& views, const TrialVideos& videos,
                           const fs::path& folder, const OverlayOptions& options) {
  return DrawTrial(run, trial, views, videos, folder, {}, options);
}

}  // namespace percuss::report
