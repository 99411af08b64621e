// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/slides/slide_files.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "tracking/slides/slide_model.h"

namespace percuss::tracking {
namespace {

constexpr std::pair<const char*, SlideNumber SlideEstimate::*> kSlideKeys[] = {
    {"mu_k", &SlideEstimate::mu_k},
    {"mu_s", &SlideEstimate::mu_s},
    {"angle", &SlideEstimate::angle},
    {"start_ratio", &SlideEstimate::start_ratio},
    {"acceleration", &SlideEstimate::acceleration},
    {"start_time", &SlideEstimate::start_time},
    {"start_speed", &SlideEstimate::start_speed},
    {"direction", &SlideEstimate::direction},
    {"friction_change", &SlideEstimate::friction_change}};

}  // namespace

nlohmann::json SlideJson(const SlideEstimate& slide) {
  nlohmann::json json = {{"reason", slide.reason},
                         {"mu_s_reason", slide.mu_s_reason},
                         {"start", SlideStartName(slide.start)},
                         {"tilting", slide.tilting},
                         {"path", slide.path},
                         {"first_frame", slide.first_frame},
                         {"last_frame", slide.last_frame},
                         {"frames", slide.frames},
                         {"rms", slide.rms},
                         {"noise_scale", slide.noise_scale},
                         {"correlation_inflation", slide.correlation_inflation}};
  for (const auto& [key, member] : kSlideKeys) {
    const SlideNumber& number = slide.*member;
    json[key] = {{"value", number.value},
                 {"sigma", number.Sigma()},
                 {"noise_sigma", number.noise_sigma},
                 {"shared_sigma", number.shared_sigma}};
  }
  return json;
}

SlideEstimate SlideOf(const JsonField& field) {
  SlideEstimate slide;
  slide.reason = field.At("reason").Text();
  slide.mu_s_reason = field.At("mu_s_reason").Text();
  const std::string start = field.At("start").Text();
  for (const SlideStart one : {SlideStart::kFromRest, SlideStart::kKnocked, SlideStart::kMoving}) {
    if (start == SlideStartName(one)) slide.start = one;
  }
  slide.tilting = field.At("tilting").Boolean();
  slide.path = field.At("path").Number();
  slide.first_frame = field.At("first_frame").Integer();
  slide.last_frame = field.At("last_frame").Integer();
  slide.frames = field.At("frames").Integer();
  slide.rms = field.At("rms").Number();
  slide.noise_scale = field.At("noise_scale").Number();
  slide.correlation_inflation = field.At("correlation_inflation").Number();
  for (const auto& [key, member] : kSlideKeys) {
    const JsonField number = field.At(key);
    slide.*member = {.value = number.At("value").Number(),
                     .noise_sigma = number.At("noise_sigma").Number(),
                     .shared_sigma = number.At("shared_sigma").Number()};
  }
  return slide;
}

std::string SlideCsv(const SlideEstimate& slide) {
  std::string csv = "frame,time,s,s_fitted,slope_deg\n";
  for (const SlidePoint& point : slide.points) {
    csv += fmt::format("{},{:.9g},{:.7f},{:.7f},{:.5f}\n", point.frame, point.time, point.s,
                       point.fitted, point.angle / kSlideDegree);
  }
  return csv;
}

}  // namespace percuss::tracking
