# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python package share."""

import importlib.util
import os
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data"


def need(*modules):
    """Ends with a message, as a test that is skipped, where a Debian package is not there."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        print(f"skipped: without python3-{', python3-'.join(missing)}")
        sys.exit(77)


def program(*arguments, **options):
    """The program percuss: exit code, stdout, stderr."""
    done = subprocess.run(
        [os.environ["PERCUSS_PROGRAM"], *map(str, arguments)],
        capture_output=True,
        text=True,
        **options,
    )
    return done.returncode, done.stdout, done.stderr


def main():
    unittest.main(module="__main__")
