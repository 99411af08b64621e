# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0

# What `make install` puts in place: program, libraries with headers, CMake package, manual pages, shell completion; and
# the Debian package that `make package` builds of all that.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(modules base solver experiment capture impacts synthesis rig foreign calibration tracking result fitting report pipeline)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/percuss)

install(TARGETS percuss RUNTIME)
add_custom_target(percuss_installed DEPENDS percuss)
if(PERCUSS_HAS_PYTHON)
  add_dependencies(percuss_installed percuss_python)
endif()
foreach(module ${modules})
  set_target_properties(percuss_${module} PROPERTIES EXPORT_NAME ${module})
  install(TARGETS percuss_${module} EXPORT percussTargets ARCHIVE)
endforeach()
if(PERCUSS_PRECOMPILED_HEADERS)
  set_target_properties(percuss_eigen PROPERTIES EXPORT_NAME eigen)
  install(TARGETS percuss_eigen EXPORT percussTargets ARCHIVE)
endif()
# The headers of packaging/public_headers.txt and those that they include.
file(STRINGS ${PROJECT_SOURCE_DIR}/packaging/public_headers.txt waiting REGEX "^[^#]")
set(public_headers)
while(waiting)
  list(POP_FRONT waiting header)
  if(NOT header IN_LIST public_headers)
    list(APPEND public_headers ${header})
    file(STRINGS ${PROJECT_SOURCE_DIR}/${header} includes REGEX "^#include \"")
    list(TRANSFORM includes REPLACE "^#include \"(.*)\"$" "\\1")
    list(APPEND waiting ${includes})
  endif()
endwhile()
foreach(header ${public_headers})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/percuss/${folder})
endforeach()

install(EXPORT percussTargets NAMESPACE percuss:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/packaging/percussConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/percussConfig.cmake INSTALL_DESTINATION ${package_dir}
                              NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/percussConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/percussConfig.cmake ${PROJECT_BINARY_DIR}/percussConfigVersion.cmake
        DESTINATION ${package_dir})

# One page for the program and one for each command, from their --help.
find_program(HELP2MAN help2man)
if(HELP2MAN AND NOT PERCUSS_SANITIZE)
  set(pages ${PROJECT_BINARY_DIR}/man)
  add_custom_command(
    OUTPUT ${pages}/percuss.1
    COMMAND ${PROJECT_SOURCE_DIR}/packaging/make_man_pages.sh $<TARGET_FILE:percuss> ${PROJECT_VERSION} ${pages}
    DEPENDS percuss ${PROJECT_SOURCE_DIR}/packaging/make_man_pages.sh
    VERBATIM)
  add_custom_target(percuss_man_pages DEPENDS ${pages}/percuss.1)
  add_dependencies(percuss_installed percuss_man_pages)
  install(DIRECTORY ${pages}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()

install(FILES ${PROJECT_SOURCE_DIR}/packaging/percuss-completion.bash
        DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions RENAME percuss)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME percuss)
set(CPACK_PACKAGE_VENDOR "The Percuss authors")
set(CPACK_PACKAGE_CONTACT "The Percuss authors <percuss@example.org>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS gnuplot-nox)
if(PERCUSS_HAS_PYTHON)
  # The Python package by itself, all else as before.
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME percuss)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-percuss)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  math(EXPR next_python "${Python_VERSION_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
      "python3 (>= 3.${Python_VERSION_MINOR}~), python3 (<< 3.${next_python}), python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-pandas, python3-matplotlib, gnuplot-nox")
  set(CPACK_COMPONENT_PYTHON_DESCRIPTION "The Python package percuss: commands, impacts of arrays, runs as tables")
endif()
include(CPack)
