# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
"""The notebooks of docs/notebooks run, each in an empty folder beside the data."""

import tempfile
import unittest
from pathlib import Path

import support

support.need("numpy", "pandas", "matplotlib", "nbclient", "nbformat", "ipykernel")
import nbclient
import nbformat

NOTEBOOKS = sorted((support.ROOT / "docs/notebooks").glob("*.ipynb"))


class Notebooks(unittest.TestCase):
    def test_each_runs_to_its_end(self):
        self.assertEqual(len(NOTEBOOKS), 3)
        for file in NOTEBOOKS:
            with self.subTest(notebook=file.name), tempfile.TemporaryDirectory() as folder:
                (Path(folder) / "data").symlink_to(support.DATA)
                notebook = nbformat.read(file, as_version=4)
                for cell in notebook.cells:
                    if cell.cell_type == "code":  # outputs would be stale at the next change
                        self.assertEqual(cell.outputs, [], "clear the outputs")
                client = nbclient.NotebookClient(
                    notebook, timeout=300, resources={"metadata": {"path": folder}}
                )
                client.execute()
                # A fit is shown as a table.
                shown = "".join(str(cell.get("outputs", "")) for cell in notebook.cells)
                if "fit" in "".join(cell.source for cell in notebook.cells[:4]):
                    self.assertIn("<table>", shown)


if __name__ == "__main__":
    support.main()
