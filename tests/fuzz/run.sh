#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
#
# run.sh FOLDER RUNS SECONDS [NAME...]
#
# libFuzzer on every reader of files (or on those named), each for so many runs or so long, whichever is first. FOLDER is that of the
# programs; what they find and the inputs they keep are in FOLDER/found. Prints a table: runs, edges of the program that were
# reached, part of the edges of Percuss' own files that were reached at all (FUZZ_BRIEF=1: without, it takes seconds), findings. Ends with 1 if a reader did what none
# may: put the input into tests/fuzz/corpus as bad-..., and mend the reader.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
folder=$(realpath "$1")
runs=$2
seconds=$3
shift 3
# Thousands of files per second are written to be read: in memory where the machine has such a folder.
[ -w /dev/shm ] && export TMPDIR=/dev/shm
export UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=detect_stack_use_after_return=1
open=0
targets=0
echo "| reader | runs | edges | of its files | findings |"
echo "|---|---|---|---|---|"
for program in "$folder"/percuss_fuzz_*; do
  [ -x "$program" ] || continue
  while read -r name examples; do
    [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
    found=$folder/found/$name
    rm -rf "$found/new"
    mkdir -p "$found/kept" "$found/new"
    # Allocations are bounded so that a length in a file cannot ask for the whole machine.
    "$program" "--target=$name" -runs="$runs" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=20000 \
      -artifact_prefix="$found/new/" -print_final_stats=1 "$found/kept" "tests/fuzz/corpus/$examples" > "$found/log" 2>&1 || true
    findings=$(find "$found/new" -type f | wc -l)
    # A program that does not even start has found something, too.
    grep -q 'number_of_executed_units' "$found/log" || findings=$((findings > 0 ? findings : 1))
    executed=$(sed -n 's/^stat::number_of_executed_units: *//p' "$found/log")
    edges=$(sed -n 's/.* cov: \([0-9]*\).*/\1/p' "$found/log" | tail -n 1)
    # Functions of Percuss in files of which any was called: "COVERED_FUNC: hits: 9 edges: 3/4 name /path/file.cc:12".
    covered=
    [ -n "${FUZZ_BRIEF:-}" ] || covered=$("$program" "--target=$name" -runs=0 -print_coverage=1 "$found/kept" "tests/fuzz/corpus/$examples" 2>&1 |
      awk -v root="$root/" '
        / edges: / && index($0, root) && !index($0, root "tests/") {
          file = substr($0, index($0, root) + length(root)); sub(/:.*/, "", file)
          split(substr($0, index($0, "edges: ") + 7), part, /[\/ ]/)
          if (/^COVERED_FUNC/) called[file] = 1
          reached[file] += part[1]; there[file] += part[2]
        }
        END { for (file in called) { r += reached[file]; t += there[file] } if (t) printf "%.0f %%", 100 * r / t }' || true)
    echo "| $name | ${executed:-0} | ${edges:-0} | ${covered:--} | $findings |"
    open=$((open + findings))
    targets=$((targets + 1))
  done < <("$program")
done
echo
echo "fuzz findings open | $open | $targets readers"
[ "$open" -eq 0 ] && exit 0
echo "Found something, see $folder/found/NAME/log and the inputs in $folder/found/NAME/new" >&2
exit 1
