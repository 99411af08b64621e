#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
"""Writes _commands.py and measure.py of python/percuss from what the program says of its commands:

    PYTHONPATH=build/release/python /usr/bin/python3 scripts/make_python_commands.py

--check   changes nothing and fails if they are not up to date.
"""

import re
import sys
import textwrap
from pathlib import Path

from percuss import _program

HEAD = '''# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
#
# Written by scripts/make_python_commands.py from the options of the program. Not to be edited.
"""{title}"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional, Union

'''
# percuss.impact takes arrays, percuss.laws() has all laws; watch is a page for people.
LEFT_OUT = {"impact", "laws", "watch"}
# What has a result of its own: how it is called, and what it returns.
RESULTS = {"fit": ("call_fit", "FitResult"), "run": ("call_run", "RunFolder")}


def keyword(option):
    return option["name"].lstrip("-").replace("-", "_").lower()


def annotation(option):
    if option["flag"]:
        return "bool = False"
    kinds = ["Value"]
    if option["most_values"] > 1:
        kinds = ["Sequence[Value]"] if option["least_values"] > 1 else kinds + ["Sequence[Value]"]
    if option["least_values"] == 0 and not option["positional"]:
        kinds.append("bool")
    union = kinds[0] if len(kinds) == 1 else f"Union[{', '.join(kinds)}]"
    return union if option["required"] else f"Optional[{union}] = None"


def meaning(option):
    text = option["meaning"]
    text = text[:1].upper() + text[1:]
    # Options of the command line as Python has them.
    text = re.sub(r"--([a-z][a-z0-9-]*)", lambda found: found[1].replace("-", "_"), text)
    if option["standard"] and option["name"] != "--jobs":  # of jobs that of this machine
        text += f" (default: {option['standard'].strip('[]')})"
    return text


def function(name, about, options):
    positional = [option for option in options if option["positional"]]
    named = [option for option in options if not option["positional"]]
    named.sort(key=lambda option: not option["required"])
    call, result = RESULTS.get(name, ("call", "Printed"))
    lines = [f"def {name.split()[-1]}("]
    lines += [f"    {keyword(option)}: {annotation(option)}," for option in positional]
    lines += ["    *,"]
    lines += [f"    {keyword(option)}: {annotation(option)}," for option in named]
    lines += ["    quiet: bool = False,", f") -> {result}:"]
    lines += textwrap.wrap(about, 96, initial_indent='    """', subsequent_indent="    ") + [""]
    for option in [*positional, *named, {"quiet": 1}]:
        if "quiet" in option:
            key, text = "quiet", "Print no lines of progress."
        else:
            key, text = keyword(option), meaning(option)
        lines += textwrap.wrap(
            text,
            96,
            initial_indent=f"    {key}: ",
            subsequent_indent="        ",
            break_on_hyphens=False,
        )
    lines += ['    """', f"    return {call}(", f'        "{name}",']
    for group in (positional, named):
        if not group:
            lines += ["        {},"]
            continue
        lines += ["        {"]
        lines += [f'            "{keyword(option)}": {keyword(option)},' for option in group]
        lines += ["        },"]
    lines += ["        quiet=quiet,", "    )", ""]
    return "\n".join(lines)


def module(title, imports, commands):
    functions = [function(*command) for command in commands]
    return HEAD.format(title=title) + imports + "\n\n" + "\n\n".join(functions)


def main():
    commands = [command for command in _program.commands() if command[0] not in LEFT_OUT]
    whole = [command for command in commands if " " not in command[0]]
    parts = [command for command in commands if command[0].startswith("measure ")]
    assert len(whole) + len(parts) == len(commands)
    folder = Path(__file__).resolve().parents[1] / "python/percuss"
    files = {
        "_commands.py": module(
            "The commands of the program.",
            "from ._call import Printed, Value, call\nfrom ._fit import FitResult, call_fit\n"
            "from ._run_folder import RunFolder, call_run\n",
            whole,
        ),
        "measure.py": module(
            "Coefficients from bench-top tests: `percuss measure`.",
            "from ._call import Printed, Value, call\n",
            parts,
        ),
    }
    stale = [
        name
        for name, text in files.items()
        if not (folder / name).exists() or (folder / name).read_text(encoding="utf-8") != text
    ]
    if "--check" in sys.argv:
        if stale:
            sys.exit(f"not up to date: {', '.join(stale)}; run scripts/make_python_commands.py")
        return
    for name in stale:
        (folder / name).write_text(files[name], encoding="utf-8")


if __name__ == "__main__":
    main()
