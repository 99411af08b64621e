// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// percuss_fitting DATA [TOPIC]...: coefficients, their intervals and the verdict on the data, on
// the sets in the folder DATA. See RunTopics.

#include "benchmarks/fitting/fitting_table.h"
#include "benchmarks/topics.h"

int main(int argc, char** argv) {
  using namespace percuss::benchmarks;
  return RunTopics("percuss_fitting",
                   {{"tables", MeasureTables},
                    {"sun2017", MeasureSun2017},
                    {"motion", MeasureMotion},
                    {"videos", MeasureVideos},
                    {"coverage", MeasureCoverage},
                    {"landings", MeasureLandings},
                    {"rates", MeasureRates},
                    {"speed", MeasureSpeed},
                    {"all-laws-in-space", MeasureAllLawsInSpace, true},
                    {"all-laws", MeasureAllLaws, true}},
                   argc, argv);
}
