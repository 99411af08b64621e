#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
#
# make_man_pages.sh PROGRAM VERSION FOLDER: writes percuss.1 and percuss-COMMAND.1 from what --help prints.
set -euo pipefail
program=$1
version=$2
folder=$3

rm -rf "$folder"
mkdir -p "$folder"
commands=$("$program" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
for command in $commands; do
  summary=$("$program" "$command" --help | sed -n 1p)  # reads on to the end, unlike head
  help2man --no-info --section 1 --name "${summary%.}" --version-string "percuss $version" \
    --help-option "$command --help" --output "$folder/percuss-$command.1" "$program"
  sed -i -e "s/^\.TH PERCUSS /.TH PERCUSS-${command^^} /" -e "s/^percuss \\\\- /percuss-$command \\\\- /" \
    "$folder/percuss-$command.1"
done
help2man --no-info --section 1 --name "friction and restitution coefficients from drop-test video" \
  --version-string "percuss $version" --output "$folder/percuss.1" "$program"
