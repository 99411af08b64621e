# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
"""mypy --strict of the package and of a user's program, and stubtest of the stubs."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import support

support.need("mypy", "numpy")
import percuss

CONFIGURATION = support.ROOT / "python/pyproject.toml"
USER = """
import numpy as np
import percuss

found = percuss.impact("stronge", {"shape": "sphere"}, {"velocity": np.zeros((3, 3))}, mu=0.1, e=1)
speed: np.float64 = found.velocity[0, 0]
fit = percuss.fit("impacts.json", body="body.yaml", law=["stronge"], bootstrap=200)
low, high = fit.interval("mu")
width: float = high - low
run = percuss.run("experiment.yaml", output="out")
text: str = percuss.measure.drop(drop_height=0.5, rebound_height=[0.12, 0.13]).output
"""
WRONG = USER + 'percuss.run("experiment.yaml", output="out", no_video=True)\n'


def run(module, *arguments):
    command = [sys.executable, "-m", module, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


def mypy(folder, *arguments):
    return run(
        "mypy", "--strict", "--config-file", CONFIGURATION, "--cache-dir", folder, *arguments
    )


class Types(unittest.TestCase):
    def test_the_package_passes_mypy_strict(self):
        with tempfile.TemporaryDirectory() as folder:
            done = mypy(folder, Path(percuss.__file__).resolve().parent)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_programs_of_users_are_checked(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "user.py"
            file.write_text(USER)
            done = mypy(folder, file)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            file.write_text(WRONG)
            done = mypy(folder, file)
            self.assertIn('Unexpected keyword argument "no_video"', done.stdout)

    def test_stubs_are_those_of_the_modules(self):
        done = run(
            "mypy.stubtest",
            "percuss._core",
            "percuss._program",
            "--mypy-config-file",
            CONFIGURATION,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        print(done.stdout.strip())


if __name__ == "__main__":
    support.main()
