# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
"""The program percuss: `python -m percuss run experiment.yaml -o out`."""

import os
import sys

if __package__ in (None, ""):  # run as a file, by _program.py: this package, not its folder
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def main() -> int:
    from percuss import _program

    if sys.argv[1:2] == ["watch"]:
        print("percuss: watch: found in Python, allowed in the program percuss", file=sys.stderr)
        return 2
    return _program.run(["percuss", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
