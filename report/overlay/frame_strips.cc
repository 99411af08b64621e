// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/overlay/frame_strips.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "calibration/rig/rig_calibration.h"
#include "report/overlay/body_drawing.h"
#include "report/page/base64.h"
#include "report/page/html_parts.h"

namespace percuss::report {
namespace {

constexpr double kStripMilliseconds = 1000;

std::string Polygon(const Flight& state, const TrialPictures& body, const PictureFacts& picture,
                    const calibration::View& view, const char* css_class) {
  std::string corners;
  for (const Eigen::Vector2d& corner : OutlineInPicture(state, body, view)) {
    corners += fmt::format("{:.1f},{:.1f} ", corner.x() + 0.5 - picture.region_px[0],
                           corner.y() + 0.5 - picture.region_px[1]);
  }
  if (corners.empty()) return "";
  corners.pop_back();
  return fmt::format("<polygon class=\"{}\" points=\"{}\"/>", css_class, corners);
}

std::string Markers(const PictureFacts& picture) {
  std::string svg;
  const double radius = 0.016 * picture.region_px[2];
  for (const auto& [x, y] : picture.markers) {
    svg += fmt::format("<circle class=\"marker\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"/>",
                       x + 0.5 - picture.region_px[0], y + 0.5 - picture.region_px[1], radius);
  }
  return svg;
}

std::string PictureHtml(const TrialPictures& body, const ImpactPictures& impact,
                        const PictureFacts& picture, const TrialComparison* comparison,
                        const calibration::View& view) {
  std::string drawing = Polygon(StateOf(picture.place), body, picture, view, "measured");
  if (const auto predicted = PredictedAt(body, impact, comparison, picture.time)) {
    drawing += Polygon(*predicted, body, picture, view, "predicted");
  }
  drawing += Markers(picture);
  const double after = kStripMilliseconds * (picture.time - impact.time);
  const std::string moment =
      fmt::format("frame {}, {}{:.1f} ms", picture.frame, after < 0 ? "−" : "+", std::abs(after));
  return fmt::format(
      "<div class=\"picture\"><div class=\"frame\"><img alt=\"{} camera, {}\" width=\"{}\" "
      "height=\"{}\" src=\"data:image/jpeg;base64,{}\"><svg viewBox=\"0 0 {} {}\" "
      "aria-hidden=\"true\">{}</svg></div><p class=\"moment\">{}</p></div>\n",
      EscapeHtml(picture.camera), moment, picture.region_px[2], picture.region_px[3],
      Base64(picture.jpeg), picture.region_px[2], picture.region_px[3], drawing, moment);
}

/// The camera whose cut-out of the body is the larger one shows more.
const PictureFacts* LargestAfter(const ImpactPictures& impact) {
  const PictureFacts* best = nullptr;
  for (const PictureFacts& picture : impact.pictures) {
    if (picture.moment != "after") continue;
    if (best == nullptr ||
        picture.region_px[2] * picture.region_px[3] > best->region_px[2] * best->region_px[3])
      best = &picture;
  }
  return best;
}

}  // namespace

std::vector<NamedView> ViewsOf(const RunFolder& run) {
  if (!run.calibration) return {};
  const calibration::RigCalibration& rig = *run.calibration;
  std::vector<NamedView> views;
  for (std::size_t c = 0; c < rig.cameras.size(); ++c) {
    views.push_back({rig.cameras[c].name, {rig.cameras[c].camera, rig.CameraFromWorld(c)}});
  }
  return views;
}

Figures FrameStrips(const TrialFacts& trial, int number, const LawFit* law,
                    const std::vector<NamedView>& views) {
  Figures strips;
  for (const ImpactPictures& impact : trial.pictures.impacts) {
    const TrialComparison* comparison = FindComparison(law, impact.trial);
    for (const NamedView& camera : views) {
      std::string html;
      for (const PictureFacts& picture : impact.pictures) {
        if (picture.camera != camera.name) continue;
        html += PictureHtml(trial.pictures, impact, picture, comparison, camera.view);
      }
      if (html.empty()) continue;
      std::string caption = fmt::format(
          "{}, {} camera: frames before, at and after the impact (times from the impact). Circles: "
          "tracked markers; solid: outline of the body as measured",
          impact.trial, camera.name);
      if (comparison != nullptr) {
        caption +=
            fmt::format("; dashed: as law {} predicts it from the state just before", law->law);
      }
      strips.figures.push_back({.id = fmt::format("strip-{}-{}-{}", number,
                                                  strips.figures.size() + 1, Slug(camera.name)),
                                .caption = caption + ".",
                                .svg = "<div class=\"strip\">\n" + html + "</div>\n",
                                .wide = true});
    }
  }
  return strips;
}

std::optional<Figure> PictureOfImpact(const TrialFacts& trial, const LawFit& law,
                                      const std::vector<NamedView>& views) {
  for (const ImpactPictures& impact : trial.pictures.impacts) {
    const PictureFacts* picture = LargestAfter(impact);
    const TrialComparison* comparison = FindComparison(&law, impact.trial);
    if (picture == nullptr || comparison == nullptr) continue;
    const auto view = std::ranges::find(views, picture->camera, &NamedView::name);
    if (view == views.end()) continue;
    return Figure{
        .id = "impact-picture",
        .caption = fmt::format("{}, just after the impact. Solid: the body as measured; dashed: as "
                               "{} predicts it from the flight before; circles: markers.",
                               impact.trial, law.law),
        .svg = PictureHtml(trial.pictures, impact, *picture, comparison, view->view)};
  }
  return std::nullopt;
}

}  // namespace percuss::report
