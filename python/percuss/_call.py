# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
"""How every command is called: keywords become the arguments of the program, which runs in a
process of its own. There it prints, uses all cores and is stopped by Ctrl-C as it is in a terminal,
and Python goes on whatever happens."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from operator import index
from pathlib import Path
from typing import Any, Optional, Protocol, SupportsIndex, Union, runtime_checkable

import numpy as np

from ._core import InputError, NoAnswer
from ._impact import _plain


@runtime_checkable
class Table(Protocol):
    """What has the rows of a CSV file: a pandas DataFrame."""

    def to_csv(self, path: Any, *, index: bool) -> Any:
        ...


#: What an option takes: text, a number, a path; or in place of a file a dict with its keys, paths
#: in it from the working folder, or a table.
Value = Union[str, float, "os.PathLike[str]", Mapping[str, Any], Table]


@dataclass(frozen=True, repr=False)
class Printed:
    """What a command printed."""

    command: list[str]  #: its arguments
    output: str  #: results, what the program prints on stdout
    messages: list[str]  #: lines of progress and warnings, of stderr

    def json(self) -> Any:
        """The results as data, where the command was called with json=True."""
        return json.loads(self.output)

    def __str__(self) -> str:
        return self.output

    def __repr__(self) -> str:  # what a notebook shows
        return self.output.rstrip("\n") or f"<percuss {' '.join(self.command)}>"


class _Files:
    """Files for what is not in one yet; they are gone when the command has ended."""

    def __init__(self) -> None:
        self.stack = ExitStack()
        self.names: dict[str, str] = {}  # of such a file, what a message calls it

    def text(self, keyword: str, value: Value) -> str:
        if isinstance(value, str):
            return value
        if isinstance(value, os.PathLike):
            return os.fspath(value)
        if isinstance(value, Mapping):
            # In the working folder, from which the paths in it are; the same name for the same
            # content, by which a run knows that nothing has changed.
            content = json.dumps(value, ensure_ascii=False, default=_plain).encode()
            file = f".percuss-{keyword}-{hashlib.sha256(content).hexdigest()[:16]}.yaml"
            self._remember(keyword, file)
            Path(file).write_bytes(content)
            return file
        if isinstance(value, Table):
            descriptor, file = tempfile.mkstemp(".csv", f"percuss-{keyword}-")
            os.close(descriptor)
            self._remember(keyword, file)
            value.to_csv(file, index=False)
            return file
        # Whole numbers of numpy, too, stay whole.
        return str(index(value)) if isinstance(value, SupportsIndex) else repr(float(value))

    def _remember(self, keyword: str, file: str) -> None:
        self.stack.callback(Path(file).unlink, missing_ok=True)
        self.names[file] = keyword


def call(
    command: str,
    positional: Mapping[str, Any],
    options: Mapping[str, Any],
    *,
    quiet: bool = False,
) -> Printed:
    """Runs a command. None and False stand for an option that is not given.

    Raises InputError where the program would end with exit 2, NoAnswer for exit 3, with the same
    line; `printed` of the exception is what the command had printed by then.
    """
    files = _Files()
    arguments = command.split()
    try:
        for name, value in positional.items():
            arguments.extend(files.text(name, one) for one in _values(value))
        for name, value in options.items():
            if value is None or value is False:
                continue
            arguments.append("--" + name.replace("_", "-"))
            if value is not True:
                arguments.extend(files.text(name, one) for one in _values(value))
        return _run(arguments, files.names, quiet)
    finally:
        files.stack.close()


def _values(value: Any) -> Sequence[Value]:
    if value is None:
        return []
    if isinstance(value, np.ndarray):
        return list(value.ravel())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return list(value)
    return [value]


def _run(arguments: list[str], names: Mapping[str, str], quiet: bool) -> Printed:
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    program = [sys.executable, str(Path(__file__).with_name("__main__.py"))]
    messages: list[str] = []
    with tempfile.TemporaryFile() as printed:
        with subprocess.Popen(
            program + arguments,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
        ) as process:
            try:
                assert process.stderr is not None
                for line in process.stderr:
                    for file, name in names.items():
                        if file in line:  # a dict has no lines
                            line = line.replace(file, name).replace(" (line 1)", "")
                    messages.append(line.rstrip("\n"))
                    # Why a command fails is in the exception.
                    if not quiet and not line.startswith("percuss: "):
                        print(line, end="", file=sys.stderr, flush=True)
            except (
                BaseException
            ):  # Ctrl-C, above all: it removes what it has half written, and ends
                process.send_signal(signal.SIGINT)
                process.wait()
                raise
        exit_code = process.returncode
        printed.seek(0)
        output = printed.read().decode("utf-8", "replace")
    result = Printed(arguments, output, messages)
    if exit_code == 0:
        for line in messages:
            if not quiet and line.startswith("percuss: "):
                print(line, file=sys.stderr)
        return result
    if exit_code == 130:
        raise KeyboardInterrupt
    said = [line[9:] for line in messages if line.startswith("percuss: ")] or messages
    message = said[-1] if said else f"percuss {arguments[0]} ended with exit {exit_code}"
    error: Exception
    if exit_code == 2:
        error = InputError(message)
    elif exit_code == 3:
        error = NoAnswer(message)
    else:
        error = RuntimeError(message)
    error.printed = result  # type: ignore[attr-defined]
    raise error
