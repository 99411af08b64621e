# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
"""percuss.fit: synthetic truth, and the same numbers as `percuss fit`."""

import json
import math
import unittest

import support

support.need("numpy", "pandas")
import numpy as np
import pandas as pd
import percuss

BALL = {"shape": "sphere", "radius": 0.02, "mass": 0.0027}
BODY = {"shape": "box", "size": [0.3, 0.05, 0.0125], "mass": 0.185}
ELLIPSES = support.DATA / "planar_ellipse_impacts/table.yaml"


def impacts(mu, e, body=BODY, count=24, sigma=1e-3, seed=5):
    """Impacts by Stronge's law, with errors of both velocities, as a table."""
    random = np.random.default_rng(seed)
    q = random.normal(size=(4 * count, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    v = random.normal(size=(4 * count, 3)) - [0, 0, 3]
    w = random.normal(size=(4 * count, 3))
    a, b = q[:, :1], q[:, 1:]
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    half = 0.5 * np.array(BODY["size"])
    turned = np.stack([c + 2 * np.cross(b, a * c + np.cross(b, c)) for c in corners * half])
    lowest = turned[turned[:, :, 2].argmin(0), np.arange(4 * count)]
    if body is BALL:
        lowest = np.tile([0, 0, -BALL["radius"]], (4 * count, 1))
    state = {"velocity": v, "angular_velocity": w, "orientation": q, "contact_point": lowest}
    found = percuss.impact("stronge", body, state, mu=mu, e=e)
    keep = np.flatnonzero(found.ok)[:count]
    noisy = lambda x: x[keep] + sigma * random.normal(size=(len(keep), 3))
    columns = {"trial": [f"t{k}" for k in keep]}
    for names, rows in (
        (("qw", "qx", "qy", "qz"), q[keep]),
        (("rx", "ry", "rz"), lowest[keep]),
        (("vx", "vy", "vz"), noisy(v)),
        (("wx", "wy", "wz"), noisy(w)),
        (("vx_post", "vy_post", "vz_post"), noisy(found.velocity)),
        (("wx_post", "wy_post", "wz_post"), noisy(found.angular_velocity)),
    ):
        columns.update(dict(zip(names, rows.T)))
    table = pd.DataFrame(columns)
    for name in list(table):
        if name[0] in "vw":
            table["sigma_" + name] = sigma
    return table


class Fit(unittest.TestCase):
    def test_finds_the_truth_of_a_table(self):
        fit = percuss.fit(impacts(0.2, 0.6), body=BODY, law="stronge", quiet=True)
        for name, truth in (("mu", 0.2), ("e", 0.6)):
            self.assertLess(abs(fit.value(name) - truth), 4 * fit.sigma(name))
            self.assertLess(fit.sigma(name), 0.01)
            low, high = fit.interval(name)
            self.assertLess(low, fit.value(name))
            self.assertLess(fit.value(name), high)

    def test_sticking_bounds_mu_from_below(self):
        # Balls that stick end the same whatever mu is (their tangent and normal are not coupled).
        table = impacts(2.0, 0.6, BALL)
        fit = percuss.fit(table, body=BALL, law="stronge", quiet=True)
        low, high = fit.interval("mu")
        self.assertTrue(0.05 < low < 2.0)
        self.assertEqual(high, math.inf)
        with self.assertRaises(percuss.NoAnswer) as raised:
            fit.value("mu")
        self.assertIn("lower_bound", str(raised.exception))
        self.assertTrue(math.isnan(fit.to_frame().loc[("stronge", "mu"), "value"]))
        self.assertIn("inf", fit._repr_html_())

    def test_is_what_the_program_says(self):
        _, expected, _ = support.program("fit", ELLIPSES, "--json", "--law", "stronge", "newton")
        fit = percuss.fit(ELLIPSES, law=["stronge", "newton"], quiet=True)
        self.assertEqual(fit.data["laws"], json.loads(expected)["laws"])
        _, tables, _ = support.program("fit", ELLIPSES, "--law", "stronge", "newton")
        self.assertEqual(fit.summary(), tables)
        self.assertTrue(fit.summary().splitlines()[1].startswith(fit.best))

    def test_options_arrive(self):
        fit = percuss.fit(ELLIPSES, law="stronge", model="e=linear-tangential", fix="mu=0.1±0.02")
        self.assertIn("e", "".join(fit.law()["parameters"]))
        self.assertIn("e.slope", fit.law()["parameters"])
        self.assertEqual(fit.parameter("mu")["status"], "given")
        self.assertEqual((fit.value("mu"), fit.sigma("mu")), (0.1, 0.02))

    def test_tables_and_pictures(self):
        fit = percuss.fit(ELLIPSES, law=["stronge", "newton"], quiet=True)
        frame = fit.to_frame()
        self.assertEqual(list(frame.columns), ["value", "sigma", "low", "high", "status"])
        self.assertEqual(frame.loc[("newton", "e"), "value"], fit.value("e", "newton"))
        covariance = fit.covariance("stronge")
        self.assertEqual(list(covariance), list(fit.law("stronge")["parameters"]))
        self.assertEqual(len(fit.trials()), len(fit.law()["trials"]))
        self.assertIn("<table>", fit._repr_html_())
        with self.assertRaises(percuss.InputError):
            fit.interval("mass")
        with self.assertRaises(percuss.InputError):
            fit.interval("mu", "poisson")

    def test_plot(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("without python3-matplotlib")
        matplotlib.use("svg")
        fit = percuss.fit(ELLIPSES, law=["stronge", "newton"], quiet=True)
        labels = [text.get_text() for text in fit.plot("e").get_yticklabels()]
        self.assertEqual(labels, ["stronge: e", "newton: e"])
        with self.assertRaises(percuss.InputError):
            fit.plot("mass")


if __name__ == "__main__":
    support.main()
