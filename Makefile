# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
#
# make demo   installs what the program needs, builds it, runs the bar-drop example and prints its coefficients
# make demo-ball  renders a clip of a bouncing ball and measures it
# make test   installs what tests need, builds them and runs all but the longest (label `long`)
# make test-all  every test
# make install  program, libraries, CMake package, Python package, manual pages and shell completion below PREFIX
# make package  all that as a Debian package in build/release, the Python package as another
# make bench  accuracy of the whole chain, of calibration, of tracking and of fitting; speed and accuracy of single impacts and
#             of impacts at several points; reports in a browser; recorded tosses predicted (not the topic all-laws of percuss_fitting, which takes long)
# make fuzz   libFuzzer on every reader of files, FUZZ_RUNS or FUZZ_SECONDS each, whichever is first
# make sanitize  every test under the address sanitizer with all checks of undefined behaviour, then under the thread sanitizer: hours;
#             SANITIZE_JOBS of them at a time; which test is left out of which, and why: tests/not_sanitized.txt
# make compare-builds  coefficients from GCC and clang, -O0 to -O2, 1 to 8 jobs against each other: an hour
# make mutations  the program on MUTATIONS damaged files
JOBS ?= 2
SANITIZE_JOBS ?= $(JOBS)
FUZZ_SECONDS ?= 3600
FUZZ_RUNS ?= 1000000
MUTATIONS ?= 10000
PREFIX ?= /usr/local
BUILD := build/release
PERCUSS := $(BUILD)/app/percuss

.PHONY: all build demo demo-ball tests test test-all benchmarks bench fuzz sanitize compare-builds mutations install package format clean
all: build

build:
	@scripts/install_packages.sh demo
	@cmake --preset release > /dev/null
	@cmake --build --preset release -j $(JOBS) --target percuss

demo: build
	@$(PERCUSS) run data/bar-drop/experiment.yaml -o out/bar-drop

demo-ball: build
	@$(PERCUSS) synthesize data/ball/ball.yaml -o out/ball
	@$(PERCUSS) bounce out/ball/clip.mp4 --diameter 0.040 -o out/ball/report

tests:
	@scripts/install_packages.sh demo test
	@cmake --preset release -D PERCUSS_BUILD_TESTS=ON > /dev/null
	@cmake --build --preset release -j $(JOBS) --target percuss_tests

test: tests
	@ctest --preset release -j $(JOBS) -LE long

test-all: tests
	@ctest --preset release -j $(JOBS)

benchmarks:
	@scripts/install_packages.sh demo bench
	@cmake --preset release -D PERCUSS_BUILD_BENCHMARKS=ON > /dev/null
	@cmake --build --preset release -j $(JOBS) --target percuss_benchmarks

bench: benchmarks
	@status=0; \
	  $(BUILD)/benchmarks/percuss_accuracy data/bar-drop || status=$$?; \
	  $(BUILD)/benchmarks/percuss_bench data || status=$$?; \
	  $(BUILD)/benchmarks/percuss_bounce data || status=$$?; \
	  $(BUILD)/benchmarks/percuss_bench data thesis-drops || status=$$?; \
	  $(BUILD)/benchmarks/percuss_calibration data || status=$$?; \
	  $(BUILD)/benchmarks/percuss_tracking data || status=$$?; \
	  $(BUILD)/benchmarks/percuss_fitting data || status=$$?; \
	  $(BUILD)/benchmarks/percuss_impact_speed || status=$$?; \
	  $(BUILD)/benchmarks/percuss_multi_contact data || status=$$?; \
	  $(BUILD)/benchmarks/percuss_report data || status=$$?; \
	  $(BUILD)/benchmarks/percuss_toss data || status=$$?; \
	  if [ -x $(BUILD)/benchmarks/percuss_python_speed ]; then $(BUILD)/benchmarks/percuss_python_speed || status=$$?; fi; \
	  exit $$status

fuzz:
	@scripts/install_packages.sh demo test
	@cmake --preset fuzz > /dev/null
	@cmake --build --preset fuzz -j $(JOBS)
	@tests/fuzz/run.sh build/fuzz/tests/fuzz $(FUZZ_RUNS) $(FUZZ_SECONDS)

sanitize:
	@scripts/install_packages.sh demo test
	@scripts/sanitize.sh $(SANITIZE_JOBS)

compare-builds:
	@scripts/install_packages.sh demo compare
	@JOBS=$(JOBS) scripts/compare_builds.py build/compared

mutations: tests
	@PERCUSS_MUTATIONS=$(MUTATIONS) $(BUILD)/tests/app/app_mutated_input_test

install: build
	@scripts/install_packages.sh package
	@cmake --preset release -U PERCUSS_PYTHON_DIR > /dev/null
	@cmake --build --preset release -j $(JOBS) --target percuss_installed
	@cmake --install $(BUILD) --prefix $(PREFIX)

package: build
	@scripts/install_packages.sh package
	@cmake --preset release -D PERCUSS_PYTHON_DIR=lib/python3/dist-packages/percuss > /dev/null
	@cmake --build --preset release -j $(JOBS) --target percuss_installed
	@cd $(BUILD) && cpack

format:
	@scripts/format.sh

clean:
	@rm -rf build out
