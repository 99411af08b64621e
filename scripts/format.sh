#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
#
# format.sh          rewrites every C++ file in place
# format.sh --check  changes nothing and fails if a file is not formatted
set -euo pipefail
cd "$(dirname "$0")/.."
mode=(-i)
[ "${1:-}" = --check ] && mode=(--dry-run --Werror)
git ls-files -co --exclude-standard '*.h' '*.cc' | xargs --no-run-if-empty clang-format "${mode[@]}"
