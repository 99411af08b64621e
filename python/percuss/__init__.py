# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
"""Drop-test video in, friction and restitution coefficients out. docs/python.md explains it."""

from . import measure
from ._call import Printed, Value
from ._commands import (
    audit,
    bounce,
    calibrate,
    convert,
    fit,
    report,
    run,
    simulate,
    sweep,
    synthesize,
    track,
)
from ._core import VERSION as __version__
from ._core import Body, InputError, NoAnswer
from ._fit import FitResult
from ._impact import (
    Contact,
    Derivatives,
    Impacts,
    Law,
    Parameter,
    State,
    impact,
    laws,
    read_body,
)
from ._run_folder import RunFolder, load_run

__all__ = [
    "Body",
    "Contact",
    "Derivatives",
    "FitResult",
    "Impacts",
    "InputError",
    "Law",
    "NoAnswer",
    "Parameter",
    "Printed",
    "RunFolder",
    "State",
    "Value",
    "__version__",
    "audit",
    "bounce",
    "calibrate",
    "convert",
    "fit",
    "impact",
    "laws",
    "load_run",
    "measure",
    "read_body",
    "report",
    "run",
    "simulate",
    "sweep",
    "synthesize",
    "track",
]
