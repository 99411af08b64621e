# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
"""percuss.impact against the laws of mechanics, closed forms, the program, and differences."""

import json
import os
import signal
import threading
import time
import unittest

import support

support.need("numpy")
import numpy as np
import percuss

BOX = {"shape": "box", "size": [0.3, 0.05, 0.0125], "mass": 0.185}
SPHERE = {"shape": "sphere", "radius": 0.02, "mass": 0.0027}


def draws(count, seed=1):
    """States of bodies that mostly approach a plane."""
    random = np.random.default_rng(seed)
    q = random.normal(size=(count, 4))
    return {
        "velocity": random.normal(size=(count, 3)) - [0, 0, 4],
        "angular_velocity": random.normal(size=(count, 3)),
        "orientation": q / np.linalg.norm(q, axis=1, keepdims=True),
    }


class Mechanics(unittest.TestCase):
    def test_momentum_angular_momentum_and_energy_balance(self):
        state = draws(2000)
        found = percuss.impact("stronge", BOX, state, mu=0.3, e=0.5)
        self.assertGreater(found.ok.sum(), 1500)
        ok = found.ok
        m, I = BOX["mass"], percuss.read_body(BOX).inertia
        np.testing.assert_allclose(
            m * (found.velocity - state["velocity"])[ok], found.impulse[ok], atol=1e-14
        )

        def energy(v, w, q):
            a, b = q[:, :1], q[:, 1:]
            w_B = w - 2 * np.cross(b, a * w - np.cross(b, w))  # conj(q) w q
            return 0.5 * (m * (v**2).sum(1) + np.einsum("ni,ij,nj->n", w_B, I, w_B))

        before = energy(*(state[k] for k in ("velocity", "angular_velocity", "orientation")))
        after = energy(found.velocity, found.angular_velocity, state["orientation"])
        np.testing.assert_allclose(found.energy_before[ok], before[ok], rtol=1e-12)
        np.testing.assert_allclose(found.energy_after[ok], after[ok], rtol=1e-10)
        self.assertTrue((found.dissipated[ok] >= 0).all())

    def test_sphere_has_the_closed_form(self):
        # Slip stops where mu (1 + e) > 2/7 |v_x / v_z|: rolling, v_x' = 5/7 v_x.
        v = np.array([[1.0, 0, -1.0], [1.0, 0, -10.0]])
        found = percuss.impact("stronge", SPHERE, {"velocity": v}, mu=0.1, e=0.6)
        np.testing.assert_allclose(found.velocity[:, 2], [0.6, 6.0], rtol=1e-12)
        np.testing.assert_allclose(found.velocity[:, 0], [1 - 0.1 * 1.6, 5 / 7], rtol=1e-9)
        self.assertEqual(list(found.modes), ["slip", "slip+stick"])

    def test_plane_is_the_x_z_plane(self):
        body = {"shape": "ellipse", "semi_axes": [0.035, 0.025], "mass": 0.0364}
        angle = np.linspace(0.1, 1.4, 14)
        planar = percuss.impact(
            "stronge", body, percuss.State([0.4, -2.0], 3.0, angle=angle), mu=0.2, e=0.6
        )
        q = np.stack([np.cos(angle / 2), 0 * angle, np.sin(angle / 2), 0 * angle], 1)
        spatial = percuss.impact(
            "stronge", body, percuss.State([0.4, 0, -2.0], [0, 3.0, 0], q), mu=0.2, e=0.6
        )
        np.testing.assert_array_equal(planar.velocity, spatial.velocity)
        np.testing.assert_allclose(planar.velocity[:, 1], 0, atol=1e-15)
        self.assertTrue(planar.ok.all())

    def test_derivatives_are_those_of_differences(self):
        state = draws(40, seed=3)
        found = percuss.impact("poisson", BOX, state, mu=0.25, e=0.5, derivatives=True)
        ok = found.ok
        h = 1e-6
        for k in range(6):
            name, axis = ("velocity", k) if k < 3 else ("angular_velocity", k - 3)
            ends = []
            for sign in (1, -1):
                moved = {key: value.copy() for key, value in state.items()}
                moved[name][:, axis] += sign * h
                end = percuss.impact("poisson", BOX, moved, mu=0.25, e=0.5)
                ends.append(np.hstack([end.velocity, end.angular_velocity]))
            slope = (ends[0] - ends[1])[ok] / (2 * h)
            np.testing.assert_allclose(found.derivatives.state[ok, :, k], slope, atol=3e-5)
        plus = percuss.impact("poisson", BOX, state, mu=0.25, e=0.5 + h)
        minus = percuss.impact("poisson", BOX, state, mu=0.25, e=0.5 - h)
        slope = (plus.velocity - minus.velocity)[ok] / (2 * h)
        np.testing.assert_allclose(found.derivatives.parameters["e"][ok, :3], slope, atol=1e-6)

    def test_contact_derivatives_are_those_of_differences(self):
        contact = percuss.Contact([[2.5, 0, 1.5], [0, 1, 0], [1.5, 0, 2.5]], [0.3, 0.2, -1])
        found = percuss.impact("stronge", None, contact, mu=0.1, e=0.4, derivatives=True)
        h = 1e-6
        for k in range(3):
            step = h * np.eye(3)[k]
            ends = [
                percuss.impact(
                    "stronge",
                    None,
                    percuss.Contact(contact.inverse_mass, contact.velocity + sign * step),
                    mu=0.1,
                    e=0.4,
                ).velocity
                for sign in (1, -1)
            ]
            np.testing.assert_allclose(
                found.derivatives.state[:, k], (ends[0] - ends[1]) / (2 * h), atol=1e-7
            )
        self.assertEqual(found.derivatives.state.shape, (3, 3))


class Program(unittest.TestCase):
    """The same numbers and the same words as `percuss impact`."""

    def test_every_law_of_one_point(self):
        contact = {
            "inverse_mass": [[3.5, 0, 0], [0, 3.5, 0], [0, 0, 1.0]],
            "velocity": [0.5, 0, -1],
        }
        for name, law in percuss.laws().items():
            if law.several_points:
                continue
            parameters = {parameter.name: parameter.typical for parameter in law.parameters}
            request = json.dumps({"law": name, "parameters": parameters, "contact": contact})
            exit_code, out, err = support.program("impact", "-", input=request)
            with self.subTest(law=name):
                self.assertEqual(exit_code, 0, err)
                expected = json.loads(out)
                found = percuss.impact(name, None, contact, **parameters)
                if expected["impulse"][2] is None:
                    self.assertFalse(found.ok)
                    continue
                np.testing.assert_array_equal(found.impulse, expected["impulse"])
                self.assertEqual(found.modes, "+".join(expected["modes"]))
                self.assertEqual(found.case, expected["case"])
                self.assertEqual(found.normal_work, expected["energy"]["normal_work"])

    def test_bodies(self):
        state = draws(50)
        found = percuss.impact("stronge", BOX, state, mu=0.3, e=0.5)
        for k in np.flatnonzero(found.ok)[:20]:
            request = {"law": "stronge", "parameters": {"mu": 0.3, "e": 0.5}, "body": BOX}
            request.update({name: list(rows[k]) for name, rows in state.items()})
            expected = json.loads(support.program("impact", "-", input=json.dumps(request))[1])
            np.testing.assert_allclose(found.velocity[k], expected["velocity"], rtol=0, atol=1e-12)
            np.testing.assert_allclose(
                found.angular_velocity[k], expected["angular_velocity"], rtol=0, atol=1e-10
            )
            self.assertEqual(found.modes[k], "+".join(expected["modes"]))
            self.assertAlmostEqual(found.energy_before[k], expected["energy"]["before"], 12)


class Arrays(unittest.TestCase):
    def test_answers_do_not_depend_on_threads_or_company(self):
        state = draws(3000)
        one = percuss.impact("stronge", BOX, state, mu=0.3, e=0.5, threads=1)
        many = percuss.impact("stronge", BOX, state, mu=0.3, e=0.5, threads=7)
        np.testing.assert_array_equal(one.velocity, many.velocity)
        single = {name: rows[1234] for name, rows in state.items()}
        alone = percuss.impact("stronge", BOX, single, mu=0.3, e=0.5)
        self.assertEqual(alone.velocity.shape, (3,))
        np.testing.assert_array_equal(alone.velocity, one.velocity[1234])

    def test_what_is_the_same_for_all_is_given_once(self):
        v = draws(10)["velocity"]
        mu = np.linspace(0, 1, 10)
        many = percuss.impact("stronge", SPHERE, {"velocity": v[0]}, mu=mu, e=0.5)
        self.assertEqual(many.velocity.shape, (10, 3))
        rows = percuss.impact(
            "stronge",
            SPHERE,
            {"velocity": np.tile(v[0], (10, 1)), "orientation": np.tile([1, 0, 0, 0], (10, 1))},
            mu=mu,
            e=np.full(10, 0.5),
        )
        np.testing.assert_array_equal(many.velocity, rows.velocity)

    def test_no_rows_no_answers(self):
        found = percuss.impact("stronge", SPHERE, {"velocity": np.zeros((0, 3))}, mu=0.1, e=0.5)
        self.assertEqual(found.velocity.shape, (0, 3))
        self.assertEqual(len(found), 0)

    def test_no_answer_has_a_reason(self):
        v = [[0, 0, -1], [0, 0, 1], [np.nan, 0, -1], [0, 0, np.nan]]
        found = percuss.impact("stronge", SPHERE, {"velocity": v}, mu=0.1, e=0.5)
        self.assertEqual(
            list(found.reason), ["", "the contact does not approach", "not finite", "not finite"]
        )
        self.assertTrue(np.isnan(found.velocity[1:]).all())
        planar = percuss.impact("sun-planar", BOX, draws(5), mu=0.1, e=0.5)
        self.assertEqual(set(planar.reason), {"the motion is not planar"})
        flat = percuss.Contact([np.eye(3), -np.eye(3)], [0, 0, -1])
        found = percuss.impact("stronge", None, flat, mu=0.1, e=0.5)
        self.assertEqual(list(found.reason), ["", "inverse_mass is not positive definite"])
        turned = {"velocity": [0, 0, -1], "orientation": [2, 0, 0, 0]}
        found = percuss.impact("stronge", BOX, turned, mu=0.1, e=0.5)
        self.assertEqual(found.reason, "the orientation is not of length 1")

    def test_inputs_are_not_changed_and_not_copied_where_they_fit(self):
        state = draws(100)
        kept = {name: rows.copy() for name, rows in state.items()}
        for rows in state.values():
            rows.flags.writeable = False
        percuss.impact("stronge", BOX, state, mu=0.3, e=0.5)
        for name, rows in state.items():
            np.testing.assert_array_equal(rows, kept[name])
        every_other = {name: np.repeat(rows, 2, 0)[::2] for name, rows in kept.items()}
        np.testing.assert_array_equal(
            percuss.impact("stronge", BOX, every_other, mu=0.3, e=0.5).velocity,
            percuss.impact("stronge", BOX, kept, mu=0.3, e=0.5).velocity,
        )


class Refusals(unittest.TestCase):
    def refused(self, words, law="stronge", body=SPHERE, state=None, **parameters):
        state = {"velocity": [0, 0, -1]} if state is None else state
        with self.assertRaises(percuss.InputError) as raised:
            percuss.impact(law, body, state, **(parameters or {"mu": 0.1, "e": 0.5}))
        self.assertIn(words, str(raised.exception))
        self.assertNotIn("\n", str(raised.exception))
        self.assertIsInstance(raised.exception, ValueError)

    def test_each_names_what_is_allowed(self):
        self.refused('law is "strange"; allowed are newton, poisson, stronge', law="strange")
        self.refused("parameters: found mus, law stronge has mu, e, mu_s", mu=0.1, e=0.5, mus=1)
        self.refused("parameters: found no e", mu=0.1)
        self.refused("e is 1.5; it must be at least 0 and at most 1", mu=0.1, e=1.5)
        self.refused(
            "impact 1: e is 1.5; it must be", mu=0.1, e=[0.5, 1.5], state={"velocity": [0, 0, -1]}
        )
        self.refused("mu is nan", mu=np.nan, e=0.5)
        self.refused("mu_s is 0.1; it must be at least mu", mu=0.2, e=0.5, mu_s=0.1)
        self.refused("mu: found 'x', allowed numbers", mu="x", e=0.5)
        self.refused("state: found speed, allowed velocity", state={"speed": 1})
        self.refused("state: found no velocity", state={"angle": 1})
        self.refused("velocity: found an array of the shape (4,)", state={"velocity": [0, 0, 0, 1]})
        self.refused(
            "arrays of 2, 3 rows, allowed one number",
            state={"velocity": np.zeros((2, 3)), "normal": np.ones((3, 3))},
        )
        self.refused("body: shape: found cone", body={"shape": "cone", "mass": 1})
        self.refused("body: found None", body=None)
        self.refused("law: found multi-point, which takes several points", law="multi-point")

    def test_a_body_that_cannot_be_read_says_what_the_program_says(self):
        exit_code, _, err = support.program("audit", "/dev/null", "--body", "no-such.yaml")
        with self.assertRaises(percuss.InputError) as raised:
            percuss.read_body("no-such.yaml")
        self.assertEqual(exit_code, 2)
        self.assertIn("no-such.yaml", str(raised.exception))


class LongCalls(unittest.TestCase):
    # A law that is integrated over time: minutes for all of them.
    LAW = "mindlin-deresiewicz"
    MANY = {"velocity": np.tile([0.5, 0.2, -1.0], (3_000_000, 1))}

    def solve(self):
        law = percuss.laws()[self.LAW]
        parameters = {parameter.name: parameter.typical for parameter in law.parameters}
        percuss.impact(self.LAW, BOX, {**self.MANY, "orientation": [0.8, 0.6, 0, 0]}, **parameters)

    def test_ctrl_c_ends_them_and_others_run_meanwhile(self):
        counted = []

        def interrupt():
            for k in range(20):  # needs the interpreter: it is free while the laws are solved
                counted.append(k)
                time.sleep(0.01)
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=interrupt)
        thread.start()
        with self.assertRaises(KeyboardInterrupt):
            self.solve()
        thread.join()
        self.assertEqual(len(counted), 20)


if __name__ == "__main__":
    support.main()
