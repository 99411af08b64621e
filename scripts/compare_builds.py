#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
"""compare_builds.py FOLDER [BUILD...]: the same results from another compiler, at another level of optimisation, with other --jobs.

Builds the program in FOLDER/BUILD (clang-O2, clang-O1, clang-O0, gcc-O2, gcc-O0 if none is named; the first is what the others
are held against), measures data/bar-drop with each, with the first by 1, 2, 3, 4 and 8 jobs as well, and fits all laws to what
the first measured. Prints the largest relative differences of numbers of equal names and which files differ at all. Ends with 1
where a coefficient that both identify differs by more than 1e-9 of itself.
"""

import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMPILERS = {"clang": "clang++", "gcc": "g++"}
BUILDS = ["clang-O2", "clang-O1", "clang-O0", "gcc-O2", "gcc-O0"]
JOBS = [1, 2, 3, 4, 8]
BOUND = 1e-9
# What a run measures and finds, and the part of a name that says that a number is a coefficient.
FILES = ["calibration.json", "impacts.json", "fit.json", "impulses.json"]


def call(command, **options):
    done = subprocess.run(
        [str(word) for word in command], cwd=ROOT, capture_output=True, text=True, **options
    )
    if done.returncode != 0:
        sys.exit(
            f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
    return done


def build(name, folder):
    compiler, level = name.split("-")
    call(
        [
            "cmake",
            "-S",
            ROOT,
            "-B",
            folder,
            "-G",
            "Ninja",
            f"-DCMAKE_CXX_COMPILER={COMPILERS[compiler]}",
            "-DCMAKE_BUILD_TYPE=Release",
            f"-DCMAKE_CXX_FLAGS_RELEASE=-{level} -DNDEBUG",
            "-DPERCUSS_JOIN_ROOMS=ON",
        ]
    )
    call(["cmake", "--build", folder, "-j", os.environ.get("JOBS", "2"), "--target", "percuss"])
    return folder / "app" / "percuss"


def numbers(value, name=""):
    """Every number of a document by the keys that lead to it."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield from numbers(member, f"{name}/{key}")
    elif isinstance(value, list):
        for place, element in enumerate(value):
            yield from numbers(element, f"{name}/{place}")
    elif isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool)):
        yield name, float(value)


def relative(a, b):
    return 0.0 if a == b else abs(a - b) / max(abs(a), abs(b))


def coefficients(document):
    """law/parameter: value, of what was identified."""
    return {
        f"{law} {name}": one["value"]
        for law, fit in document["laws"].items()
        for name, one in fit["parameters"].items()
        if one["status"] == "identified"
    }


def compare(first, other):
    """Largest relative difference of coefficients, its name; status that differ."""
    a, b = coefficients(first), coefficients(other)
    both = sorted(a.keys() & b.keys(), key=lambda name: relative(a[name], b[name]))
    worst = both[-1] if both else ""
    return (
        (relative(a[worst], b[worst]) if worst else math.nan),
        worst,
        sorted(a.keys() ^ b.keys()),
        len(both),
    )


def largest(first, other):
    """Of all numbers of two documents, without those of their heads."""
    a, b = (
        dict(numbers({key: value for key, value in document.items() if key != "inputs"}))
        for document in (first, other)
    )
    differences = {name: relative(a[name], b[name]) for name in a.keys() & b.keys()}
    name = max(differences, key=differences.get, default="")
    return differences.get(name, 0.0), name, len(a.keys() ^ b.keys())


def read(file):
    return json.loads(file.read_text())


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1]).absolute()
    names = sys.argv[2:] or BUILDS
    folder.mkdir(parents=True, exist_ok=True)
    reference = folder / names[0]
    rows, missed = [], False
    for name in names:
        program = build(name, folder / name)
        for jobs in JOBS if name == names[0] else [2]:
            out = folder / f"{name}-run-{jobs}"
            subprocess.run(["rm", "-rf", str(out)], check=True)
            begin = time.monotonic()
            call([program, "run", "data/bar-drop/experiment.yaml", "-o", out, "--jobs", jobs])
            laws = out / "all-laws.json"
            fitted_from = folder / f"{names[0]}-run-{JOBS[0]}" / "impacts.json"
            call(
                [
                    program,
                    "fit",
                    fitted_from,
                    "--body",
                    "data/bar-drop/experiment.yaml",
                    "--law",
                    "all",
                    "-o",
                    laws,
                ]
            )
            seconds = time.monotonic() - begin
            first = folder / f"{names[0]}-run-{JOBS[0]}"
            if out == first:
                continue
            differ = [
                file for file in FILES if (first / file).read_bytes() != (out / file).read_bytes()
            ]
            run = compare(read(first / "fit.json"), read(out / "fit.json"))
            fits = compare(read(first / "all-laws.json"), read(laws))
            states = largest(read(first / "impacts.json"), read(out / "impacts.json"))
            missed |= not run[0] <= BOUND or not fits[0] <= BOUND or bool(run[2]) or bool(fits[2])
            rows.append((name, jobs, seconds, run, fits, states, differ))
    print(
        f"\nagainst {names[0]} with one job; coefficients of data/bar-drop as measured, then of all laws on the same impacts\n"
    )
    print(
        "| build | jobs | coefficients | worst | all laws | worst | impacts.json | files that differ | s |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for name, jobs, seconds, run, fits, states, differ in rows:
        print(
            f"| {name} | {jobs} | {run[0]:.1e} of {run[3]} | {run[1]} | {fits[0]:.1e} of {fits[3]} | {fits[1]} | "
            f"{states[0]:.1e} {states[1]} | {', '.join(differ) or 'none'} | {seconds:.0f} |"
        )
        for what, one in (("run", run), ("all laws", fits)):
            if one[2]:
                print(f"\n{name}, {what}: identified in one of the two only: {', '.join(one[2])}\n")
    print(f"\ncoefficients within {BOUND:g}: {'no' if missed else 'yes'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
