// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// percuss_tracking DATA [TOPIC]...: how good the states at an impact are, and what they rest on, on
// the recorded and rendered sets in the folder DATA and on synthetic trials. See RunTopics.

#include "benchmarks/topics.h"
#include "benchmarks/tracking_table.h"

int main(int argc, char** argv) {
  using namespace percuss::benchmarks;
  return RunTopics("percuss_tracking",
                   {{"centroid", MeasureCentroid},
                    {"coverage", MeasureCoverage},
                    {"labels", MeasureLabels},
                    {"mocap", MeasureMotionCapture},
                    {"speed", MeasureTrackingSpeed},
                    {"states", MeasureRenderedStates},
                    {"synchronisation", MeasureSynchronisation}},
                   argc, argv);
}
