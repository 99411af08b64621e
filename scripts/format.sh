#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
#
# format.sh          rewrites every C++ and Python file in place
# format.sh --check  changes nothing and fails if a file is not formatted
set -euo pipefail
cd "$(dirname "$0")/.."
mode=(-i)
python_mode=(-q)
if [ "${1:-}" = --check ]; then
  mode=(--dry-run --Werror)
  python_mode=(-q --check)
fi
git ls-files -co --exclude-standard '*.h' '*.cc' | xargs --no-run-if-empty clang-format "${mode[@]}"
git ls-files -co --exclude-standard '*.py' '*.pyi' | xargs --no-run-if-empty black --config python/pyproject.toml "${python_mode[@]}"
