# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
"""The examples of docs/python.md, in the order in which they stand, in one process: fences `python`;
a fence without a language after one is what it prints, ... for what may differ."""

import contextlib
import doctest
import io
import os
import re
import tempfile
import unittest
from pathlib import Path

import support

support.need("numpy", "pandas", "matplotlib")
import matplotlib

matplotlib.use("svg")
LIKE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(document):
    """Language, text and line of each fence."""
    text = document.read_text(encoding="utf-8")
    for found in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S):
        yield found[1], found[2], text[: found.start()].count("\n") + 2


class Documents(unittest.TestCase):
    def test_examples_do_what_is_said(self):
        document = support.ROOT / "docs/python.md"
        names, printed, count = {}, None, 0
        with tempfile.TemporaryDirectory() as folder:
            before = os.getcwd()
            self.addCleanup(os.chdir, before)
            os.chdir(folder)
            Path("data").symlink_to(support.DATA)
            for language, text, line in blocks(document):
                where = f"{document.name}:{line}"
                if language == "python":
                    out = io.StringIO()
                    code = compile("\n" * (line - 1) + text, str(document), "exec")
                    with contextlib.redirect_stdout(out):
                        exec(code, names)
                    printed = out.getvalue()
                    count += 1
                elif language == "":
                    self.assertIsNotNone(printed, where)
                    same = doctest.OutputChecker().check_output(text, printed, LIKE)
                    self.assertTrue(same, f"{where}: found\n{printed}")
                    printed = None
            os.chdir(before)
        self.assertGreater(count, 5)


if __name__ == "__main__":
    support.main()
