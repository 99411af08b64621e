# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
"""The tables of a run: of the rendered bar drop, whose truth is known."""

import json
import tempfile
import unittest
from pathlib import Path

import support

support.need("numpy", "pandas")
import numpy as np
import percuss

BAR_DROP = support.DATA / "bar-drop"
BAR = {
    "shape": "box",
    "size": [0.3065, 0.0515, 0.0125],
    "mass": 0.185,
    "markers": {
        "A1": [-0.139, 0.0125, 0.00625],
        "A2": [-0.087, -0.014, 0.00625],
        "A3": [-0.0215, 0.0155, 0.00625],
        "A4": [0.034, -0.011, 0.00625],
        "A5": [0.0985, 0.0135, 0.00625],
        "A6": [0.1375, -0.015, 0.00625],
    },
    "marker_diameter": 0.008,
}


class RunFolder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.run_ = percuss.run(BAR_DROP / "experiment.yaml", output=cls.folder.name, quiet=True)
        cls.truth = json.loads((BAR_DROP / "truth.json").read_text())

    def test_what_was_printed_is_kept(self):
        self.assertIn("stronge", self.run_.printed.output)
        self.assertTrue(any("calibrate" in line for line in self.run_.printed.messages))

    def test_coefficients_hold_the_truth(self):
        coefficients = percuss.load_run(self.folder.name).coefficients
        for name, truth in (("mu", 0.26), ("e", 0.55)):
            row = coefficients.loc[("stronge", name)]
            self.assertLess(abs(row.value - truth), 4 * row.sigma)
            self.assertEqual(row.status, "identified")

    def test_states_are_those_of_impacts_csv_with_their_sigmas(self):
        states = self.run_.states
        self.assertEqual(states.index.names, ["trial", "moment"])
        trials = self.truth["trials"]
        self.assertEqual(set(states.index.get_level_values("trial")), set(trials))
        for name in trials:
            before = states.loc[(name, "before")]
            self.assertLess(before.vz, -1)
            self.assertGreater(states.loc[(name, "after")].vz, 0)
            self.assertGreater(before.sigma_vz, 0)
        self.assertEqual(list(states.columns[:6]), ["vx", "vy", "vz", "wx", "wy", "wz"])

    def test_covariances_are_those_of_the_states(self):
        covariances = self.run_.covariances
        self.assertEqual(covariances.shape, (4 * 18, 18))
        block = covariances.loc["a-slide"]
        np.testing.assert_allclose(block.values, block.values.T, rtol=1e-9)
        for moment, end in (("before", ""), ("after", "_post")):
            for kind in "vw":
                for axis in "xyz":
                    name = f"{kind}{end}_{axis}"
                    stated = self.run_.states.loc[("a-slide", moment), f"sigma_{kind}{axis}"]
                    self.assertAlmostEqual(block.loc[name, name] ** 0.5 / stated, 1, 9, name)

    def test_energies_balance(self):
        energies = self.run_.energies.value
        for law in ("stronge", "newton"):
            for moment in ("before", "after_measured", "after_predicted"):
                parts = energies.loc[law, "a-slide", moment]
                self.assertAlmostEqual(parts.total, parts.drop("total").sum(), 12)
        trial = self.run_.fit.trials("stronge").loc["a-slide"]
        self.assertAlmostEqual(
            trial.energy_before, energies.loc["stronge", "a-slide", "before", "total"], 12
        )

    def test_poses_and_markers_of_all_trials(self):
        self.assertEqual(self.run_.poses.index.names, ["trial", "frame"])
        self.assertEqual(len(set(self.run_.poses.index.get_level_values("trial"))), 4)
        self.assertEqual(set(self.run_.markers.marker), {"A1", "A2", "A3", "A4", "A5", "A6"})

    def test_impacts_go_back_into_a_fit(self):
        again = percuss.fit(
            self.run_.impacts, body=BAR_DROP / "experiment.yaml", law="stronge", quiet=True
        )
        # Without the calibration that the impacts share the weights differ, by less than a sigma.
        for name in ("mu", "e"):
            sigma = self.run_.fit.sigma(name, "stronge")
            difference = again.value(name) - self.run_.fit.value(name, "stronge")
            self.assertLess(abs(difference), 3 * sigma)
            self.assertTrue(0 < again.sigma(name))

    def test_a_run_of_the_same_dict_does_nothing_again(self):
        spec = {
            "image_size": [640, 360],
            "calibration_pairs": 6,
            "trials": [{"name": "a"}],
        }
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder) / "made"
            percuss.synthesize(spec, output=made, quiet=True)
            trials = {side: str(made / f"trials/a/{side}.mp4") for side in ("left", "right")}
            pictures = {side: str(made / f"calibration/{side}/*.png") for side in trials}
            surface = {side: str(made / f"calibration/surface/{side}.png") for side in trials}
            experiment = {
                "frame_rate": 120,
                "exposure": 0.001,
                "board": {"type": "chessboard", "columns": 9, "rows": 6, "square": 0.023},
                "calibration": {**pictures, "surface": surface},
                "gravity": [0, 0, -9.80665],
                "body": BAR,
                "trials": [{"name": "a", **trials}],
            }
            output = Path(folder) / "results"
            first = percuss.run(experiment, output=output, quiet=True)
            again = percuss.run(experiment, output=output, quiet=True)
            self.assertLess(abs(first.fit.value("e") - 0.55), 4 * first.fit.sigma("e"))
            unchanged = [line for line in again.printed.messages if "unchanged" in line]
            self.assertTrue(any("calibrate" in line for line in unchanged), again.printed.messages)
            self.assertTrue(any("track" in line for line in unchanged), again.printed.messages)
            self.assertEqual(first.fit.data["laws"], again.fit.data["laws"])

    def test_report_is_written_again(self):
        page = Path(self.folder.name) / "report.html"
        before = page.stat().st_mtime_ns
        files = percuss.report(self.folder.name, json=True).json()["files"]
        self.assertIn(str(page), files)
        self.assertGreater(page.stat().st_mtime_ns, before)

    def test_a_folder_of_something_else_is_refused(self):
        with self.assertRaises(percuss.InputError) as raised:
            percuss.load_run(support.DATA)
        self.assertIn("found no run.json", str(raised.exception))

    def test_a_broken_file_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "run.json").write_text("{")
            with self.assertRaises(percuss.InputError) as raised:
                percuss.load_run(folder).info
            self.assertIn("run.json", str(raised.exception))
            with self.assertRaises(percuss.InputError):
                percuss.load_run(folder).coefficients
            with self.assertRaises(percuss.InputError):
                percuss.load_run(folder).impacts


if __name__ == "__main__":
    support.main()
