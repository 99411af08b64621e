# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0

set(scratch ${BUILD}/package-test)
file(REMOVE_RECURSE ${scratch})

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGV}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(require_text text)
  if(NOT output MATCHES "${text}")
    message(FATAL_ERROR "found\n${output}\nexpected ${text}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${scratch}/prefix)
run(${scratch}/prefix/bin/percuss --version)
require_text("percuss [0-9]")

# The solver alone: nothing but Eigen may be looked for.
run(${CMAKE_COMMAND} -S ${PROJECT} -B ${scratch}/build -G Ninja -D CMAKE_PREFIX_PATH=${scratch}/prefix
    -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_DISABLE_FIND_PACKAGE_Ceres=ON -D CMAKE_DISABLE_FIND_PACKAGE_OpenCV=ON)
run(${CMAKE_COMMAND} --build ${scratch}/build)
run(${scratch}/build/drop)
require_text("0.5 0.375\n")

# Each public header is there with all that it includes.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../../packaging/public_headers.txt headers REGEX "^[^#]")
list(TRANSFORM headers REPLACE "^(.+)$" "#include \"\\1\"\n")
string(CONCAT all ${headers})
file(WRITE ${scratch}/all.cc ${all})
run(${COMPILER} -std=c++20 -fsyntax-only -I ${scratch}/prefix/include/percuss -isystem /usr/include/eigen3
    -isystem /usr/include/opencv4 ${scratch}/all.cc)

if(EXISTS ${scratch}/prefix/share/man/man1/percuss.1)
  file(READ ${scratch}/prefix/share/man/man1/percuss-run.1 output)
  require_text("PERCUSS-RUN")
endif()

# The Python package, from where it was installed, by the Python that it was built with.
if(PYTHON)
  file(GLOB packages ${scratch}/prefix/lib/python3*/*-packages)
  file(WRITE ${scratch}/check.py
       "import percuss\n"
       "drop = percuss.measure.drop(drop_height=0.5, rebound_height=0.125, json=True)\n"
       "print(percuss.__file__, drop.json()['results'][0]['value'])\n")
  run(${CMAKE_COMMAND} -E env PYTHONPATH=${packages} ${PYTHON} ${scratch}/check.py)
  require_text("package-test/prefix/.*0[.]5\n")
endif()

# Completion asks the program itself.
run(${CMAKE_CURRENT_LIST_DIR}/completion.sh ${scratch}/prefix)
require_text("calibrate\n--force")
file(REMOVE_RECURSE ${scratch})
