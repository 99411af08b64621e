# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
#
# The Python package, where Python's headers and pybind11 are found; else a line that says so. Sets PERCUSS_HAS_PYTHON.

# The packages that it needs come from Debian, so Debian's Python has them; another one: -D Python_EXECUTABLE=...
if(NOT DEFINED Python_EXECUTABLE AND NOT DEFINED ENV{VIRTUAL_ENV} AND EXISTS /usr/bin/python3)
  set(Python_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "The Python that the package is for")
endif()
find_package(Python 3.9 QUIET COMPONENTS Interpreter Development.Module)
find_package(pybind11 2.10 QUIET CONFIG)
set(PERCUSS_HAS_PYTHON FALSE)
if(PERCUSS_SANITIZE)
  # A module under a sanitizer needs a Python under it.
  message(STATUS "No Python package: it is not built with sanitizers")
elseif(Python_Development.Module_FOUND AND pybind11_FOUND)
  set(PERCUSS_HAS_PYTHON TRUE)
  include(GNUInstallDirs)
  add_subdirectory(python)
else()
  message(STATUS "No Python package: needs python3-dev and pybind11-dev")
endif()
