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

double NumberIn(const nlohmann::json& json, const char* key) {
  const nlohmann::json& value = json.at(key);
  return value.is_null() ? kNaN : value.get<double>();
}

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

SlideEstimate SlideOf(const nlohmann::json& json) {
  SlideEstimate slide;
  slide.reason = json.at("reason").get<std::string>();
  slide.mu_s_reason = json.at("mu_s_reason").get<std::string>();
  const auto start = json.at("start").get<std::string>();
  for (const SlideStart one : {SlideStart::kFromRest, SlideStart::kKnocked, SlideStart::kMoving}) {
    if (start == SlideStartName(one)) slide.start = one;
  }
  slide.tilting = json.at("tilting").get<bool>();
  slide.path = NumberIn(json, "path");
  slide.first_frame = json.at("first_frame").get<int>();
  slide.last_frame = json.at("last_frame").get<int>();
  slide.frames = json.at("frames").get<int>();
  slide.rms = NumberIn(json, "rms");
  slide.noise_scale = NumberIn(json, "noise_scale");
  slide.correlation_inflation = NumberIn(json, "correlation_inflation");
  for (const auto& [key, member] : kSlideKeys) {
    const nlohmann::json& number = json.at(key);
    slide.*member = {.value = NumberIn(number, "value"),
                     .noise_sigma = NumberIn(number, "noise_sigma"),
                     .shared_sigma = NumberIn(number, "shared_sigma")};
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
