#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
#
# completion.sh PREFIX: what an installed percuss completes.
set -euo pipefail
PATH=$1/bin:$PATH
source "$1/share/bash-completion/completions/percuss"
complete_words() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  _percuss
  echo "${COMPREPLY[*]}"
}
complete_words percuss cal
complete_words percuss run --fo
