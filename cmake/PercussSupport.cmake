# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
#
# Sources that several programs of tests and benchmarks share, compiled once. Each library is built where it is used.

# percuss_add_support(app SOURCES program.cc DEPENDS percuss::capture) makes the library percuss_support_app of sources in
# tests/app.
function(percuss_add_support name)
  cmake_parse_arguments(ARG "" "FOLDER" "SOURCES;DEPENDS" ${ARGN})
  if(NOT ARG_FOLDER)
    set(ARG_FOLDER tests/${name})
  endif()
  list(TRANSFORM ARG_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/${ARG_FOLDER}/)
  set(library percuss_support_${name})
  add_library(${library} STATIC EXCLUDE_FROM_ALL ${ARG_SOURCES})
  percuss_compile_options(${library})
  percuss_use_precompiled(${library} code)
  target_link_libraries(${library} PUBLIC ${ARG_DEPENDS} PRIVATE fmt::fmt opencv_core)
endfunction()

percuss_add_support(benchmarks FOLDER benchmarks SOURCES bound_table.cc topics.cc DEPENDS fmt::fmt)
# Runs the program; finds it by PERCUSS_PROGRAM.
percuss_add_support(app SOURCES run/campaign.cc program.cc DEPENDS percuss::base fmt::fmt)
target_compile_definitions(percuss_support_app PRIVATE PERCUSS_PROGRAM="$<TARGET_FILE:percuss>")
# Faults of the machine, by a library that stands before the program's own calls.
add_library(percuss_failing_calls MODULE EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/app/faults/failing_calls.cc)
target_compile_features(percuss_failing_calls PRIVATE cxx_std_20)
target_compile_options(percuss_failing_calls PRIVATE -Wall -Wextra -O1)
percuss_add_support(faults FOLDER tests/app/faults SOURCES fault.cc
  DEPENDS percuss_support_app percuss::base nlohmann_json::nlohmann_json)
target_compile_definitions(percuss_support_faults PRIVATE PERCUSS_PROGRAM="$<TARGET_FILE:percuss>"
                                                          PERCUSS_FAILING_CALLS="$<TARGET_FILE:percuss_failing_calls>")
add_dependencies(percuss_support_faults percuss_failing_calls)
percuss_add_support(accuracy FOLDER tests/app/run SOURCES accuracy.cc
  DEPENDS percuss::fitting percuss::tracking nlohmann_json::nlohmann_json)
percuss_add_support(capture SOURCES pictures/made_recording.cc video/written_video.cc
  DEPENDS percuss::capture opencv_core fmt::fmt PkgConfig::FFMPEG)
percuss_add_support(calibration SOURCES targets/board_renderer.cc board_video/waved_board.cc bundle/draws.cc bundle/draws_rigs.cc bundle/synthetic_rig.cc
  DEPENDS percuss::calibration opencv_aruco opencv_imgproc opencv_core)
percuss_add_support(tracking SOURCES arcs/simulated_impact.cc spots/spot_rendering.cc flights/synthetic_motion.cc arcs/synthetic_trial.cc
  DEPENDS percuss::tracking opencv_calib3d)
percuss_add_support(fitting SOURCES speed_impacts.cc synthetic_impacts.cc thesis_predictions.cc DEPENDS percuss::fitting)
