# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
#
# Headers of the standard library, Eigen, OpenCV and GoogleTest that most files include, compiled once: reading them anew took
# two thirds of the time of a build. A file still includes all it uses: PERCUSS_PRECOMPILED_HEADERS=OFF builds without.

option(PERCUSS_PRECOMPILED_HEADERS "Compile common headers once" ON)

set(PERCUSS_STANDARD_HEADERS <algorithm> <array> <cmath> <filesystem> <functional> <limits> <map> <memory> <numbers> <optional>
                             <random> <span> <stdexcept> <string> <string_view> <vector>)
set(PERCUSS_EIGEN_HEADERS <Eigen/Core> <Eigen/Geometry> ${PROJECT_SOURCE_DIR}/base/math/eigen_instances.h)

# What ccache needs to see through precompiled headers.
if(CCACHE)
  set(PERCUSS_PRECOMPILED_FOR_CCACHE $<IF:$<CXX_COMPILER_ID:GNU>,-fpch-preprocess,SHELL:-Xclang -fno-pch-timestamp>)
endif()

# A set of precompiled headers that targets can share: it needs a target with a source of its own.
function(percuss_add_precompiled name)
  cmake_parse_arguments(ARG "" "" "HEADERS;DEPENDS" ${ARGN})
  set(source ${PROJECT_BINARY_DIR}/${name}.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  add_library(${name} OBJECT ${source})
  percuss_compile_options(${name})
  target_compile_options(${name} PRIVATE ${PERCUSS_PRECOMPILED_FOR_CCACHE})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
endfunction()

# Headers of the solver (Eigen alone), of all other code, or of the tests of either.
function(percuss_use_precompiled target set)
  if(PERCUSS_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} REUSE_FROM percuss_precompiled_${set})
    target_link_libraries(${target} PRIVATE percuss::eigen)
    if(set STREQUAL code_tests)
      target_link_libraries(${target} PRIVATE fmt::fmt opencv_core)
    endif()
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND set MATCHES tests)
      # GCC 12 says that joined strings overflow (GCC bug 105651).
      target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow)
    endif()
    target_compile_options(${target} PRIVATE ${PERCUSS_PRECOMPILED_FOR_CCACHE})
  endif()
endfunction()

if(PERCUSS_PRECOMPILED_HEADERS)
  # The decompositions that base/math/eigen_instances.h declares.
  add_library(percuss_eigen STATIC ${PROJECT_SOURCE_DIR}/base/math/eigen_instances.cc)
  add_library(percuss::eigen ALIAS percuss_eigen)
  percuss_compile_options(percuss_eigen)
  target_link_libraries(percuss_eigen PUBLIC Eigen3::Eigen)
  set(solver_headers ${PERCUSS_STANDARD_HEADERS} ${PERCUSS_EIGEN_HEADERS})
  set(code_headers ${solver_headers} <fmt/format.h> <opencv2/core.hpp>)
  percuss_add_precompiled(percuss_precompiled_solver HEADERS ${solver_headers} DEPENDS Eigen3::Eigen)
  percuss_add_precompiled(percuss_precompiled_code HEADERS ${code_headers} DEPENDS Eigen3::Eigen fmt::fmt opencv_core)
  if(PERCUSS_BUILD_TESTS)
    find_package(GTest 1.12 REQUIRED)
    set(test_headers <gmock/gmock.h> <gtest/gtest.h>)
    percuss_add_precompiled(percuss_precompiled_solver_tests
      HEADERS ${solver_headers} ${test_headers} DEPENDS Eigen3::Eigen GTest::gmock)
    percuss_add_precompiled(percuss_precompiled_code_tests
      HEADERS ${code_headers} ${test_headers} DEPENDS Eigen3::Eigen fmt::fmt opencv_core GTest::gmock)
  endif()
endif()
