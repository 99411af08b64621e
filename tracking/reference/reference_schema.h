// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/text/json_schema.h"
#include "tracking/reference/reference_check.h"

// The fields of a ReferenceCheck in labels.json and trial.json (docs/file-formats.md).
namespace percuss::tracking {

void Describe(auto& file, MaybeConst<ReferenceSight> auto& sight) {
  file("frames", sight.frames);
  file.If(!sight.reason.empty(), "reason", sight.reason);
  file("pixel", sight.pixel);
  file("residual_px", sight.residual);
  file("sigma_px", sight.sigma);
}

void Describe(auto& file, MaybeConst<PlaceError> auto& place) {
  file("stated", place.stated);
  file("found", place.found);
  file("error", place.error);
  if constexpr (!std::remove_cvref_t<decltype(file)>::kReads) {
    file.Derived("sigma", place.Sigma());
    file.Derived("relative", place.Relative());
  }
  file("covariance", place.covariance);
  file("degrees_of_freedom", place.dof);
  file("chi2", place.chi2);
  file("p", place.p);
}

void Describe(auto& file, MaybeConst<ReferencePlace> auto& point) {
  file("name", point.name);
  file("cameras", point.sights);
  file.If(point.in_world.has_value(), "in_world", point.in_world);
  file.If(point.in_camera.has_value(), "in_camera", point.in_camera);
}

void Describe(auto& file, MaybeConst<CameraResiduals> auto& camera) {
  file("name", camera.name);
  file("points", camera.points);
  file("rms_px", camera.rms_px);
  file("chi2", camera.chi2);
  file("p", camera.p);
}

void Describe(auto& file, MaybeConst<ReferenceCheck> auto& check) {
  file("points", check.points);
  file("cameras", check.cameras);
  file("chi2", check.chi2);
  file("degrees_of_freedom", check.dof);
  file("p", check.p);
  file("finding", check.finding);
}

}  // namespace percuss::tracking
