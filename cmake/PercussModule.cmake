# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0

include(GNUInstallDirs)

# Standard, warnings, sanitizers and include root of one target: the only place where they are set.
function(percuss_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                              $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/percuss>)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -Wno-sign-conversion)
  # The same objects go into the program and into the module of Python. Of all targets, for they share precompiled headers.
  target_compile_options(${target} PRIVATE -fPIC)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # GCC 12 sees overlapping copies where strings are joined (GCC bug 105651). A room needs 2 GB anyway: where GCC does not
    # stop to collect garbage below 3 GB, rooms that use Eigen compile in 14 % less time and 2.4 GB.
    target_compile_options(${target} PRIVATE -Wno-restrict --param=ggc-min-heapsize=3000000)
  endif()
  if(PERCUSS_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  # The laws read no files, and their templates take most of the time under all sanitizers. What they link must be without, too: its
  # options are theirs.
  if(PERCUSS_SANITIZE AND NOT (PERCUSS_LIBFUZZER AND target MATCHES "^percuss_((precompiled_)?solver|eigen)$"))
    target_compile_options(${target} PUBLIC -fsanitize=${PERCUSS_SANITIZE} -fno-omit-frame-pointer
                                            -fno-sanitize-recover=all)
    if(CMAKE_CXX_COMPILER_ID MATCHES Clang AND PERCUSS_SANITIZE MATCHES undefined)
      # Eigen 3.4 computes addresses of rows of a matrix without columns, off a null pointer, and never follows them.
      target_compile_options(${target} PUBLIC -fno-sanitize=pointer-overflow)
    endif()
    target_link_options(${target} PUBLIC -fsanitize=${PERCUSS_SANITIZE})
  endif()
endfunction()

# With PERCUSS_JOIN_ROOMS the sources of one folder are compiled as one: what they share is read and instantiated once, which
# halves the time of a clean build. Names in unnamed namespaces must differ within a room.
function(percuss_join_rooms target)
  if(NOT PERCUSS_JOIN_ROOMS)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    get_filename_component(room ${source} DIRECTORY)
    string(REPLACE "/" "_" room "room_${room}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${room})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # GCC takes the joined files for headers, and members of types of unnamed namespaces for a mistake.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()

# percuss_add_module(fitting SOURCES a.cc b.cc DEPENDS percuss::solver Ceres::ceres)
# makes the library percuss_fitting with the alias percuss::fitting. DEPENDS are public: what a header of the module
# may include. PRIVATE_DEPENDS are needed by its sources only.
function(percuss_add_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  add_library(percuss_${name} STATIC ${ARG_SOURCES})
  add_library(percuss::${name} ALIAS percuss_${name})
  percuss_compile_options(percuss_${name})
  percuss_join_rooms(percuss_${name})
  if(name STREQUAL solver)
    percuss_use_precompiled(percuss_${name} solver)
  else()
    percuss_use_precompiled(percuss_${name} code)
  endif()
  target_link_libraries(percuss_${name} PUBLIC ${ARG_DEPENDS} PRIVATE ${ARG_PRIVATE_DEPENDS})
endfunction()

# percuss_add_test(fitting SOURCES a_test.cc DEPENDS percuss::fitting) makes the test program fitting_test; GoogleTest cases
# become CTest cases named as they are (with sanitizers, all are one case).
#   PROGRAM  the test runs percuss
#   SLOW     the test takes more than some seconds: label `slow`, left out with PERCUSS_SLOW_TESTS=OFF
#   LONG_CASES cases that `make test` leaves out and `make test-all` runs, for others catch the same faults sooner: label `long`
#   TOGETHER all cases but the long ones run in one process, for they share what takes longer than most of them
#   SEPARATE each source is compiled by itself, whatever PERCUSS_JOIN_ROOMS says
#   TIMEOUT  of each case [s]
function(percuss_add_test name)
  cmake_parse_arguments(ARG "PROGRAM;SLOW;SEPARATE;TOGETHER" "TIMEOUT" "SOURCES;DEPENDS;LONG_CASES" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  set(label fast)
  if(ARG_SLOW)
    if(NOT PERCUSS_SLOW_TESTS)
      return()
    endif()
    set(label slow)
  endif()
  add_executable(${name}_test ${ARG_SOURCES})
  percuss_compile_options(${name}_test)
  if(NOT ARG_SEPARATE)
    percuss_join_rooms(${name}_test)
  endif()
  if(NOT ARG_SLOW)
    # What takes time is in the libraries; the tests themselves compile faster so.
    target_compile_options(${name}_test PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
  if(ARG_DEPENDS MATCHES "percuss::[^s]|percuss::synthesis")
    percuss_use_precompiled(${name}_test code_tests)
  else()
    percuss_use_precompiled(${name}_test solver_tests)
  endif()
  target_compile_definitions(${name}_test PRIVATE PERCUSS_DATA_DIR="${PROJECT_SOURCE_DIR}/data"
                                                  PERCUSS_PROGRAM="$<TARGET_FILE:percuss>")
  target_link_libraries(${name}_test PRIVATE ${ARG_DEPENDS} GTest::gmock GTest::gtest_main)
  add_dependencies(percuss_tests ${name}_test)
  if(ARG_PROGRAM)
    add_dependencies(${name}_test percuss)
  endif()
  if(PERCUSS_SANITIZE)
    # One process for all cases: under a sanitizer a start takes longer than most of them. 24 times what one case may take without.
    add_test(NAME ${name} COMMAND ${name}_test --gtest_brief=1)
    math(EXPR timeout "24 * ${ARG_TIMEOUT}")
    set_tests_properties(${name} PROPERTIES TIMEOUT ${timeout} LABELS ${label})
  else()
    list(JOIN ARG_LONG_CASES ":" long_cases)
    if(ARG_TOGETHER)
      add_test(NAME ${name} COMMAND ${name}_test --gtest_brief=1 --gtest_filter=*-${long_cases})
      set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS ${label})
    else()
      gtest_discover_tests(${name}_test DISCOVERY_TIMEOUT 120 TEST_FILTER "*-${long_cases}"
                           PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS ${label})
    endif()
    if(ARG_LONG_CASES)
      gtest_discover_tests(${name}_test DISCOVERY_TIMEOUT 120 TEST_FILTER "${long_cases}" TEST_LIST ${name}_long_cases
                           PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS long)
    endif()
  endif()
endfunction()
