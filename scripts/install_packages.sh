#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
#
# Installs the Debian 12 packages that Percuss needs and that are missing. Does nothing, and needs neither root nor
# network, when all are there. Why each is needed: docs/dependencies.md.
set -euo pipefail

packages=(
  g++ cmake ninja-build ccache pkg-config
  libopencv-dev libeigen3-dev libceres-dev libcli11-dev libyaml-cpp-dev nlohmann-json3-dev libfmt-dev
  libavformat-dev libavcodec-dev libswscale-dev libavutil-dev
  gnuplot-nox libgtest-dev libgmock-dev libbenchmark-dev clang-format help2man dpkg-dev file
  chromium
)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || {
    echo "percuss: these packages are missing and neither root nor sudo is at hand: ${missing[*]}" >&2
    exit 1
  }
  as_root=(sudo)
fi
echo "Installing: ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
