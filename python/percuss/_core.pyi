# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
from os import PathLike
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

class InputError(ValueError): ...
class NoAnswer(RuntimeError): ...

VERSION: str
REASONS: list[str]
CASES: list[str]

class Body:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    @property
    def mass(self) -> float: ...
    @property
    def inertia(self) -> npt.NDArray[np.float64]: ...
    @property
    def shape(self) -> str: ...

def all_cores() -> int: ...
def laws() -> list[dict[str, Any]]: ...
def read_body(file: Union[str, PathLike[str]]) -> Body: ...
def solve_body(
    law: str,
    body: Body,
    parameters: list[npt.NDArray[np.float64]],
    velocity: npt.NDArray[np.float64],
    angular_velocity: npt.NDArray[np.float64],
    orientation: npt.NDArray[np.float64],
    contact_point: Optional[npt.NDArray[np.float64]],
    normal: npt.NDArray[np.float64],
    count: int,
    threads: int,
    derivatives: bool,
) -> dict[str, npt.NDArray[Any]]: ...
def solve_contact(
    law: str,
    parameters: list[npt.NDArray[np.float64]],
    inverse_mass: npt.NDArray[np.float64],
    velocity: npt.NDArray[np.float64],
    count: int,
    threads: int,
    derivatives: bool,
) -> dict[str, npt.NDArray[Any]]: ...
