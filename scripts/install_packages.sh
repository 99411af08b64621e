#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
#
# install_packages.sh [demo|package|test|bench|compare]...   (default: demo)
#
# Installs the Debian 12 packages that are missing: `demo` what the program needs to be built and run, and beside that `test`
# what its tests need, `package` what `make install` and `make package` need, `bench` what the benchmarks need, `compare` another compiler. Does nothing, and needs neither root nor network, when
# all are there. Why each is needed: docs/dependencies.md.
set -euo pipefail

demo=(
  clang cmake ninja-build ccache pkg-config
  libopencv-dev libeigen3-dev libceres-dev libcli11-dev libyaml-cpp-dev nlohmann-json3-dev libfmt-dev
  libboost-math-dev nettle-dev
  libavformat-dev libavcodec-dev libswscale-dev libavutil-dev libhdf5-dev
  libcpp-httplib-dev libpugixml-dev libtomlplusplus-dev
  gnuplot-nox
)
python=(python3-dev pybind11-dev python3-numpy)
package=(help2man dpkg-dev file "${python[@]}")
test=("${package[@]}" libgtest-dev libgmock-dev libclang-rt-14-dev clang-format chromium
  mypy black python3-pandas python3-matplotlib python3-nbclient python3-ipykernel)
bench=(libbenchmark-dev libgtest-dev libgmock-dev chromium "${python[@]}")

compare=(g++)

packages=("${demo[@]}")
for purpose in "$@"; do
  case "$purpose" in
    demo) ;;
    package) packages+=("${package[@]}") ;;
    test) packages+=("${test[@]}") ;;
    bench) packages+=("${bench[@]}") ;;
    compare) packages+=("${compare[@]}") ;;
    *)
      echo "install_packages.sh: found $purpose, allowed demo, package, test, bench or compare" >&2
      exit 2
      ;;
  esac
done

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
