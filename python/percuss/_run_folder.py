# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
"""The files of a run as tables (docs/file-formats.md has their columns)."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

from ._call import Printed, call
from ._core import InputError
from ._fit import FitResult

if TYPE_CHECKING:
    import pandas as pd

#: The order of the errors in the covariance of an impact, three each: x, y, z.
_ERRORS = ("position", "rotation", "v", "w", "v_post", "w_post")


class RunFolder:
    """What `percuss run` wrote. Each table is read when it is first asked for."""

    def __init__(
        self, folder: Union[str, os.PathLike[str]], printed: Optional[Printed] = None
    ) -> None:
        self.folder = Path(folder)
        self.printed = printed  #: of percuss.run()
        if printed is None and not (self.folder / "run.json").is_file():
            raise InputError(f"{self.folder}: found no run.json, allowed a folder of percuss run")

    def _json(self, name: str) -> Any:
        try:
            return json.loads((self.folder / name).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise InputError(f"{self.folder / name}: {error}") from None

    def _csv(self, file: Path) -> pd.DataFrame:
        import pandas as pd

        try:
            return pd.read_csv(file, comment="#")
        except (OSError, ValueError) as error:
            raise InputError(f"{file}: {error}") from None

    @cached_property
    def info(self) -> Mapping[str, Any]:
        """run.json: name, experiment in words, trials, notes."""
        found: Mapping[str, Any] = self._json("run.json")
        return found

    @cached_property
    def fit(self) -> FitResult:
        """fit.json."""
        return FitResult.read(self.folder / "fit.json")

    @cached_property
    def impacts(self) -> pd.DataFrame:
        """impacts.csv: a row for each impact, index its trial; what percuss.fit takes."""
        return self._csv(self.folder / "impacts.csv").set_index("trial", drop=False)

    @cached_property
    def states(self) -> pd.DataFrame:
        """Velocities of the mass centre [m/s] and angular velocities [rad/s] with their sigmas:
        index (trial, moment), moment `before` or `after` the impact."""
        import pandas as pd

        impacts = self.impacts
        parts = []
        columns = [kind + axis for kind in "vw" for axis in "xyz"]
        for moment, end in (("before", ""), ("after", "_post")):
            part = pd.DataFrame(
                {
                    start + name: impacts[start + name + end]
                    for start in ("", "sigma_")
                    for name in columns
                    if start + name + end in impacts
                }
            )
            part.insert(0, "moment", moment)
            parts.append(part)
        return (
            pd.concat(parts)
            .set_index("moment", append=True)
            .sort_index(level=0, sort_remaining=False)
        )

    @cached_property
    def covariances(self) -> pd.DataFrame:
        """Of the 18 errors of each impact (impacts.json): index (trial, error), columns the errors
        position_x ... w_post_z; position [m], rotation about world axes [rad], velocities."""
        import pandas as pd

        names = [f"{error}_{axis}" for error in _ERRORS for axis in "xyz"]
        trials = self._json("impacts.json")["impacts"]
        if not trials:
            return pd.DataFrame(columns=names)
        blocks = {
            trial["trial"]: pd.DataFrame(trial["covariance"], index=names, columns=names)
            for trial in trials
            if "covariance" in trial
        }
        return pd.concat(blocks, names=["trial", "error"])

    @cached_property
    def coefficients(self) -> pd.DataFrame:
        """Index (law, parameter): value, sigma, low and high of the 95 % interval, status."""
        return self.fit.to_frame()

    @cached_property
    def energies(self) -> pd.DataFrame:
        """Kinetic energies [J] of impulses.json: index (law, trial, moment, part), columns value
        and sigma; moment before, after_measured, after_predicted; part normal, tangential, rotation,
        total."""
        import pandas as pd

        rows = {}
        for law, entries in self._json("impulses.json")["laws"].items():
            for entry in entries:
                for moment, parts in entry["energy"].items():
                    for part, found in (parts or {}).items():
                        rows[law, entry["trial"], moment, part] = (found["value"], found["sigma"])
        names = ["law", "trial", "moment", "part"]
        index = pd.MultiIndex.from_tuples(list(rows), names=names)
        columns = ["value", "sigma"]
        return pd.DataFrame(list(rows.values()), index, columns, dtype=float).sort_index()

    def _of_trials(self, name: str) -> pd.DataFrame:
        import pandas as pd

        files = sorted(self.folder.glob(f"tracks/*/{name}"))
        parts = {file.parent.name: self._csv(file).set_index("frame") for file in files}
        if not parts:
            raise InputError(f"{self.folder}: found no tracks/TRIAL/{name}")
        return pd.concat(parts, names=["trial", "frame"])

    @cached_property
    def poses(self) -> pd.DataFrame:
        """poses.csv of all trials: index (trial, frame)."""
        return self._of_trials("poses.csv")

    @cached_property
    def markers(self) -> pd.DataFrame:
        """markers.csv of all trials: index (trial, frame), a row for each marker."""
        return self._of_trials("markers.csv")

    def __repr__(self) -> str:
        return f"<RunFolder {self.folder}>"


def load_run(folder: Union[str, os.PathLike[str]]) -> RunFolder:
    """The folder of a `percuss run`, its files as pandas DataFrames."""
    return RunFolder(folder)


def call_run(
    command: str, positional: Mapping[str, Any], options: Mapping[str, Any], *, quiet: bool
) -> RunFolder:
    """`percuss run`, and its folder."""
    return RunFolder(options["output"], call(command, positional, options, quiet=quiet))
