#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
#
# sanitize.sh JOBS [NAME...]
#
# Builds and runs every test, or those named, under the address sanitizer with all checks of undefined behaviour, then under the
# thread sanitizer. What tests/not_sanitized.txt names is left out. Goes on after a failure; ends with 1 if there was one.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=$1
shift
failed=0
for sanitizer in address thread; do
  preset=sanitize-$sanitizer
  left_out=$(awk -v s="$sanitizer" '$1 == s || $1 == "both" { print $2 }' tests/not_sanitized.txt | paste -sd '|')
  targets=(percuss_tests)
  chosen=()
  if [ $# -gt 0 ]; then
    targets=("${@/%/_test}")
    chosen=(-R "^($(IFS='|'; echo "$*"))\$")
  fi
  cmake --preset "$preset" > /dev/null
  cmake --build --preset "$preset" -j "$jobs" --target "${targets[@]}"
  ctest --preset "$preset" -j "$jobs" -E "^($left_out)\$" "${chosen[@]}" || failed=1
done
exit $failed
