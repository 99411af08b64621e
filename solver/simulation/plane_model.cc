// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/simulation/plane_model.h"

namespace percuss::solver {

std::string_view KindName(PlaneEventKind kind) {
  switch (kind) {
    case PlaneEventKind::kImpact:
      return "impact";
    case PlaneEventKind::kContact:
      return "contact";
    case PlaneEventKind::kRelease:
      return "release";
    case PlaneEventKind::kStickSlip:
      return "stick-slip";
  }
  return "";
}

std::string_view StatusName(PlaneSimulationStatus status) {
  switch (status) {
    case PlaneSimulationStatus::kSolved:
      return "solved";
    case PlaneSimulationStatus::kImpactFailed:
      return "impact failed";
    case PlaneSimulationStatus::kContactFailed:
      return "contact failed";
    case PlaneSimulationStatus::kZeno:
      return "Zeno sequence";
    case PlaneSimulationStatus::kStepFailed:
      return "integration failed";
  }
  return "";
}

}  // namespace percuss::solver
