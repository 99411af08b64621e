# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
#
# Headers of the standard library, Eigen, OpenCV and GoogleTest that most files include, compiled once: reading them anew took
# two thirds of the time of a build. A file still includes all it uses: PERCUSS_PRECOMPILED_HEADERS=OFF builds without.

option(PERCUSS_PRECOMPILED_HEADERS "Compile common headers once" ON)

set(PERCUSS_STANDARD_HEADERS <algorithm> <array> <cmath> <filesystem> <functional> <limits> <map> <memory> <numbers> <optional>
                             <random> <span> <stdexcept> <string> <string_view> <vector>)
set(PERCUSS_LIBRARY_HEADERS <Eigen/Cholesky> <Eigen/Core> <Eigen/Eigenvalues> <Eigen/Geometry> <Eigen/LU> <fmt/format.h>
                            <opencv2/core.hpp>)

# A set of precompiled headers that targets can share: it needs a target with a source of its own.
function(percuss_add_precompiled name)
  cmake_parse_arguments(ARG "" "" "HEADERS;DEPENDS" ${ARGN})
  set(source ${PROJECT_BINARY_DIR}/${name}.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  add_library(${name} OBJECT ${source})
  percuss_compile_options(${name})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
endfunction()

# Headers of the solver (Eigen alone), of all other code, or of the tests.
function(percuss_use_precompiled target set)
  if(PERCUSS_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} REUSE_FROM percuss_precompiled_${set})
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CCACHE)
      target_compile_options(${target} PRIVATE -fpch-preprocess)
    endif()
  endif()
endfunction()

if(PERCUSS_PRECOMPILED_HEADERS)
  percuss_add_precompiled(percuss_precompiled_solver
    HEADERS ${PERCUSS_STANDARD_HEADERS} <Eigen/Cholesky> <Eigen/Core> <Eigen/Eigenvalues> <Eigen/Geometry> <Eigen/LU>
    DEPENDS Eigen3::Eigen)
  percuss_add_precompiled(percuss_precompiled_code
    HEADERS ${PERCUSS_STANDARD_HEADERS} ${PERCUSS_LIBRARY_HEADERS}
    DEPENDS Eigen3::Eigen fmt::fmt opencv_core)
  if(PERCUSS_BUILD_TESTS)
    find_package(GTest 1.12 REQUIRED)
    percuss_add_precompiled(percuss_precompiled_tests
      HEADERS ${PERCUSS_STANDARD_HEADERS} ${PERCUSS_LIBRARY_HEADERS} <gmock/gmock.h> <gtest/gtest.h>
      DEPENDS Eigen3::Eigen fmt::fmt opencv_core GTest::gmock)
  endif()
endif()
