# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
"""Coefficients, as fit.json has them (docs/file-formats.md)."""

from __future__ import annotations

import html
import json
import math
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

from ._call import Printed, call
from ._core import InputError, NoAnswer

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_COLUMNS = ("value", "sigma", "low", "high", "status")
_NO_VALUE = ("lower_bound", "upper_bound", "unidentified")


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


def _value(found: Mapping[str, Any]) -> tuple[float, float]:
    """Value and sigma; NaN where the data do not identify the coefficient."""
    if found["value"] is None or found["status"] in _NO_VALUE:
        return math.nan, math.nan
    return float(found["value"]), _number(found["sigma"])


class FitResult:
    """Coefficients of impact laws with their intervals.

    `data` is the whole of fit.json. Where no law is named, the best one is meant: the converged law
    of the least corrected Akaike criterion, as `percuss fit` prints it.
    """

    def __init__(self, data: Mapping[str, Any], printed: Optional[Printed] = None) -> None:
        self.data = data
        self.printed = printed

    @classmethod
    def read(cls, file: Union[str, os.PathLike[str]]) -> FitResult:
        """From a fit.json."""
        try:
            return cls(json.loads(Path(file).read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:
            raise InputError(f"{os.fspath(file)}: {error}") from None

    @property
    def laws(self) -> list[str]:
        return list(self.data["laws"])

    @property
    def best(self) -> str:
        """The law that fits best."""
        best, least = self.laws[0], _number(self.data["laws"][self.laws[0]]["aicc"])
        for name, law in self.data["laws"].items():
            aicc = _number(law["aicc"])
            if law["converged"] and math.isfinite(aicc) and not aicc >= least:
                best, least = name, aicc
        return best

    def law(self, law: Optional[str] = None) -> Mapping[str, Any]:
        """All that fit.json says of a law."""
        name = self.best if law is None else law
        if name not in self.data["laws"]:
            raise InputError(f"law: found {name}, fitted are {', '.join(self.laws)}")
        found: Mapping[str, Any] = self.data["laws"][name]
        return found

    def parameter(self, name: str, law: Optional[str] = None) -> Mapping[str, Any]:
        """What fit.json says of a parameter: value, sigma, ci95, status."""
        parameters = self.law(law)["parameters"]
        if name not in parameters:
            raise InputError(f"parameter: found {name}, allowed {', '.join(parameters)}")
        found: Mapping[str, Any] = parameters[name]
        return found

    def value(self, name: str, law: Optional[str] = None) -> float:
        """A coefficient. Raises NoAnswer where the data do not identify it: it has bounds at most."""
        found = self.parameter(name, law)
        value, _ = _value(found)
        if math.isnan(value):
            low, high = self.interval(name, law)
            raise NoAnswer(f"{name}: {found['status']}, from {low:g} to {high:g}")
        return value

    def sigma(self, name: str, law: Optional[str] = None) -> float:
        """Its standard deviation; NaN where it is not identified."""
        return _value(self.parameter(name, law))[1]

    def interval(self, name: str, law: Optional[str] = None) -> tuple[float, float]:
        """The 95 % interval of a coefficient; infinite on a side that the data leave open."""
        low, high = self.parameter(name, law)["ci95"]
        return (-math.inf if low is None else low, math.inf if high is None else high)

    def summary(self) -> str:
        """What `percuss fit` prints; of a fit that was read from a file its table alone."""
        if self.printed is not None and self.printed.output:
            return self.printed.output
        lines = [
            f"{'Law':<19} {'Parameter':<14} {'Value ± sigma':>22} {'95 % interval':>23}  Status"
        ]
        for name, law in self.data["laws"].items():
            for key in law["parameters"]:
                found, (low, high) = self.parameter(key, name), self.interval(key, name)
                best, sigma = _value(found)
                value = "-" if math.isnan(best) else f"{best:.6f} ± {sigma:.6f}"
                lines.append(
                    f"{name:<19} {key:<14} {value:>22} {f'[{low:.6f}, {high:.6f}]':>23}"
                    f"  {found['status']}"
                )
        return "\n".join(lines) + "\n"

    def to_frame(self) -> pd.DataFrame:
        """A row for each law and parameter: value, sigma, low, high, status."""
        import pandas as pd

        rows = {}
        for name, law in self.data["laws"].items():
            for key, found in law["parameters"].items():
                rows[name, key] = (*_value(found), *self.interval(key, name), found["status"])
        index = pd.MultiIndex.from_tuples(rows, names=["law", "parameter"])
        return pd.DataFrame(list(rows.values()), index=index, columns=list(_COLUMNS))

    def covariance(self, law: Optional[str] = None) -> pd.DataFrame:
        """Of the parameters of a law."""
        import pandas as pd

        found = self.law(law)
        names = list(found["parameters"])
        return pd.DataFrame(found["covariance"], index=names, columns=names)

    def trials(self, law: Optional[str] = None) -> pd.DataFrame:
        """A row for each impact: used, reason, modes, errors, energies with their sigmas [J]."""
        import pandas as pd

        rows = []
        for trial in self.law(law)["trials"]:
            row: dict[str, Any] = {}
            for name, value in trial.items():
                if isinstance(value, Mapping) and set(value) == {"value", "sigma"}:
                    row[name], row["sigma_" + name] = value["value"], value["sigma"]
                elif not isinstance(value, Mapping):
                    row[name] = value
            rows.append(row)
        return pd.DataFrame(rows).set_index("trial")

    def plot(self, name: Optional[str] = None, ax: Optional[Axes] = None) -> Axes:
        """Values and 95 % intervals of one parameter, or of all, by law; returns the axes."""
        import matplotlib.pyplot as plt

        rows = [
            (f"{law}: {key}", self.parameter(key, law), self.interval(key, law))
            for law in self.laws
            for key in self.data["laws"][law]["parameters"]
            if name is None or key == name
        ]
        if not rows:
            self.parameter(name or "")
        if ax is None:
            _, ax = plt.subplots(figsize=(6, 0.8 + 0.35 * len(rows)))
        for place, (_, found, (low, high)) in enumerate(rows):
            finite = [end for end in (low, high) if math.isfinite(end)]
            ax.plot(finite, [place] * len(finite), color="C0", marker="|")
            if len(finite) == 1:  # a bound: open towards the other side
                ax.plot(finite, [place], color="C0", marker=">" if math.isfinite(low) else "<")
            ax.plot([_value(found)[0]], [place], color="C0", marker="o")
        ax.set_yticks(range(len(rows)))
        ax.set_yticklabels([label for label, _, _ in rows])
        ax.invert_yaxis()
        ax.set_xlabel("value and 95 % interval")
        return ax

    def _repr_html_(self) -> str:
        rows = ""
        for name, law in self.data["laws"].items():
            for key, found in law["parameters"].items():
                low, high = self.interval(key, name)
                best, sigma = _value(found)
                value = "–" if math.isnan(best) else f"{best:.5g} ± {sigma:.2g}"
                cells = (name, key, value, f"[{low:.5g}, {high:.5g}]", found["status"])
                bold = ' style="font-weight:bold"' if name == self.best else ""
                inside = "".join(f"<td>{html.escape(cell)}</td>" for cell in cells)
                rows += f"<tr{bold}>{inside}</tr>"
        heads = ("Law", "Parameter", "Value ± sigma", "95 % interval", "Status")
        head = "".join(f"<th>{text}</th>" for text in heads)
        message = html.escape(str(self.law().get("message", "")))
        return f"<table><tr>{head}</tr>{rows}</table><p>{message}</p>"

    def __repr__(self) -> str:
        parts = []
        for key in self.law()["parameters"]:
            low, high = self.interval(key)
            parts.append(f"{key} in [{low:.5g}, {high:.5g}]")
        return f"<FitResult: {self.best}, {', '.join(parts)}>"


def call_fit(
    command: str, positional: Mapping[str, Any], options: Mapping[str, Any], *, quiet: bool
) -> FitResult:
    """`percuss fit`, with its tables as text and its file as data."""
    with tempfile.TemporaryDirectory() as folder:
        output = options.get("output") or os.path.join(folder, "fit.json")
        printed = call(command, positional, {**options, "output": output}, quiet=quiet)
        data = json.loads(Path(os.fspath(output)).read_text(encoding="utf-8"))
    return FitResult(data, printed)
