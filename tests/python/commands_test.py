# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
"""The commands: their keywords are the options of the program, their errors its lines."""

import contextlib
import inspect
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import support

support.need("numpy")
import percuss
from percuss import _program

ELLIPSES = support.DATA / "planar_ellipse_impacts/table.yaml"
SCENE = {
    "body": {"shape": "sphere", "radius": 0.02, "mass": 0.01},
    "start": {"position": [0, 0, 0.3]},
    "parameters": {"mu": 0.2, "e": 0.5},
    "duration": 0.5,
}


def python_of(command):
    """The function of a command, and None where Python has none."""
    found = percuss
    for word in command.split():
        found = getattr(found, word, None)
    return found


class Options(unittest.TestCase):
    def test_keywords_are_the_options_of_the_command_line(self):
        compared = 0
        for name, _, options in _program.commands():
            if name in ("impact", "laws", "watch"):
                continue
            with self.subTest(command=name):
                signature = inspect.signature(python_of(name))
                keywords = set(signature.parameters) - {"quiet"}
                # From the help, as a user sees it.
                _, out, _ = support.program(*name.split(), "--help")
                stated = {option["name"] for option in options}
                for option in stated:
                    self.assertIn(option, out)
                as_keywords = {name.lstrip("-").replace("-", "_").lower() for name in stated}
                self.assertEqual(keywords, as_keywords)
                dashed = {
                    word.split(",")[-1]
                    for word in (line.split()[0] for line in out.splitlines() if line[:3] == "  -")
                }
                self.assertEqual(dashed - {"--help"}, {n for n in stated if n.startswith("--")})
                for option in options:
                    keyword = option["name"].lstrip("-").replace("-", "_").lower()
                    is_required = signature.parameters[keyword].default is inspect.Parameter.empty
                    self.assertEqual(is_required, option["required"], keyword)
                compared += 1
        self.assertEqual(compared, 15)

    def test_written_files_are_up_to_date(self):
        done = subprocess.run(
            [sys.executable, support.ROOT / "scripts/make_python_commands.py", "--check"],
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_version_is_that_of_the_program(self):
        self.assertEqual(support.program("--version")[1], f"percuss {percuss.__version__}\n")


class Calls(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        before = os.getcwd()
        os.chdir(self.folder.name)
        self.addCleanup(os.chdir, before)

    def test_output_is_that_of_the_program(self):
        _, expected, _ = support.program("audit", ELLIPSES)
        self.assertEqual(str(percuss.audit(ELLIPSES, quiet=True)), expected)

    def test_json_is_data(self):
        found = percuss.measure.drop(drop_height=0.5, rebound_height=[0.121, 0.118], json=True)
        self.assertAlmostEqual(found.json()["results"][0]["value"], (0.1195 / 0.5) ** 0.5, 3)

    def test_dicts_stand_for_files_and_none_is_left(self):
        found = percuss.simulate(SCENE, output="poses.csv", json=True)
        self.assertEqual([event["kind"] for event in found.json()["events"]], ["impact"] * 2)
        self.assertEqual(os.listdir(), ["poses.csv"])

    def test_paths_in_a_dict_are_from_the_working_folder(self):
        ball = {"name": "ball", "body": SCENE["body"], "start": SCENE["start"]}
        scene = {"bodies": [ball], "parameters": SCENE["parameters"], "duration": 0.5}
        Path("scene.yaml").write_text(json.dumps(scene))
        swept = {
            "scene": "scene.yaml",
            "sweep": [{"input": "parameters.e", "from": 0.5, "to": 0.9, "steps": 2}],
        }
        found = percuss.sweep(swept, output="sweep.csv", json=True)
        self.assertEqual(found.json()["points"], 3)

    def test_numbers_negative_and_repeated_options_arrive(self):
        percuss.simulate(SCENE, output="poses.csv", page=Path("page.html"))
        self.assertTrue(Path("page.html").exists())
        puck = dict(mass=0.07, inertia=1e-4, radius=0.05, flash_rate=8, precision=1)
        Path("marks.csv").write_text("trial,x1_1\na,1\n")
        with self.assertRaises(percuss.InputError) as raised:
            percuss.measure.puck(
                table="marks.csv", mark_1=(0, 0), mark_2=(0.03, 0), normal=(-1.0, 0), **puck
            )
        self.assertIn("marks.csv", str(raised.exception))  # all options were taken


class Errors(unittest.TestCase):
    def same(self, call, error, *arguments):
        exit_code, _, err = support.program(*arguments)
        self.assertEqual(exit_code, {percuss.InputError: 2, percuss.NoAnswer: 3}[error])
        line = err.splitlines()[-1]
        self.assertTrue(line.startswith("percuss: "), line)
        printed = io.StringIO()
        with self.assertRaises(error) as raised, contextlib.redirect_stderr(printed):
            call()
        self.assertEqual("percuss: " + str(raised.exception), line)
        self.assertNotIn(line, printed.getvalue())  # said once
        return raised.exception

    def test_bad_input_is_the_line_of_exit_2(self):
        self.same(
            lambda: percuss.calibrate("no.yaml", output="c.json"),
            percuss.InputError,
            *("calibrate", "no.yaml", "-o", "c.json"),
        )
        error = self.same(
            lambda: percuss.fit(ELLIPSES, law="strange"),
            percuss.InputError,
            *("fit", ELLIPSES, "--law", "strange"),
        )
        self.assertIsInstance(error, ValueError)
        self.assertEqual(error.printed.command[0], "fit")

    def test_no_answer_is_the_line_of_exit_3(self):
        with tempfile.TemporaryDirectory() as folder:
            spec = Path(folder) / "spec.yaml"
            spec.write_text(
                "law: stronge\nparameters: {mu: 0.4, e: 0.4}\n"
                "ball: {vy: -1}\nsweep: [{input: vx, from: 0, to: 1, steps: 2}]\n"
            )
            out = Path(folder) / "out.csv"
            self.same(
                lambda: percuss.sweep(spec, output=out),
                percuss.NoAnswer,
                *("sweep", spec, "-o", out),
            )

    def test_a_file_made_of_a_dict_has_the_name_of_its_keyword(self):
        with self.assertRaises(percuss.InputError) as raised:
            percuss.simulate({"bodi": 1}, output="poses.csv")
        self.assertTrue(str(raised.exception).startswith("scene: "), raised.exception)


class Interruption(unittest.TestCase):
    def test_ctrl_c_ends_the_command_and_leaves_nothing_unfinished(self):
        program = (
            "import percuss, sys\n"
            "print('ready', flush=True)\n"
            "try:\n"
            f"    percuss.run({str(support.DATA / 'bar-drop/experiment.yaml')!r}, output='out')\n"
            "except KeyboardInterrupt:\n"
            "    import os, pathlib\n"
            "    left = pathlib.Path(f'/proc/self/task/{os.getpid()}/children').read_text()\n"
            "    print('stopped', left)\n"
        )
        with tempfile.TemporaryDirectory() as folder:
            process = subprocess.Popen(
                [sys.executable, "-c", program],
                cwd=folder,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            self.assertEqual(process.stdout.readline(), "ready\n")
            while not (Path(folder) / "out").exists():  # the command is at work
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)  # to Python alone, as a notebook does
            out, _ = process.communicate(timeout=60)
            self.assertEqual(out, "stopped \n")  # and the command has ended
            self.assertEqual(process.returncode, 0)
            self.assertFalse((Path(folder) / "out/fit.json").exists())
            left = [
                path for path in (Path(folder) / "out").rglob("*") if path.name.endswith(".part")
            ]
            self.assertEqual(left, [])


class Module(unittest.TestCase):
    def test_python_m_percuss_is_the_program(self):
        for arguments in (["--version"], ["audit", str(ELLIPSES)], ["fit"], ["nothing"]):
            done = subprocess.run(
                [sys.executable, "-m", "percuss", *arguments], capture_output=True, text=True
            )
            self.assertEqual(
                (done.returncode, done.stdout, done.stderr), support.program(*arguments)
            )


if __name__ == "__main__":
    support.main()
