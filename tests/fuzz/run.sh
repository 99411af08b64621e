#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
#
# run.sh FOLDER SECONDS [NAME...]
#
# libFuzzer on every reader of files (or on those named), each for so many seconds. FOLDER is that of the programs; what they find and
# the inputs they keep are in FOLDER/found. Ends with 1 if a reader did what none may: put the input into tests/fuzz/corpus
# as bad-..., and mend the reader.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(realpath "$1")
seconds=$2
shift 2
failed=()
for program in "$folder"/percuss_fuzz_*; do
  [ -x "$program" ] || continue
  while read -r name examples; do
    [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
    found=$folder/found/$name
    mkdir -p "$found/kept"
    # Allocations are bounded so that a length in a file cannot ask for the whole machine.
    "$program" "--target=$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=20000 \
      -artifact_prefix="$found/" -print_final_stats=1 "$found/kept" "tests/fuzz/corpus/$examples" > "$found/log" 2>&1 ||
      failed+=("$name")
    echo "$name: $(grep -o 'number_of_executed_units: .*' "$found/log" || tail -n 1 "$found/log")"
  done < <("$program")
done
[ ${#failed[@]} -eq 0 ] && exit 0
echo "Found something, see $folder/found/NAME/log: ${failed[*]}" >&2
exit 1
