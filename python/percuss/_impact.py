# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
"""Impacts of arrays, solved by one of the laws of `percuss laws`."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._core import Body, InputError

if TYPE_CHECKING:
    import pandas as pd

Array = npt.NDArray[np.float64]
BodySource = Union[Body, Mapping[str, Any], str, "os.PathLike[str]"]

_MODES = {1: "slip", 2: "stick", 3: "reverse-slip"}


@dataclass(frozen=True)
class Parameter:
    """A parameter of a law: bounds are included, `typical` is where a search may start."""

    name: str
    lower: float
    upper: float
    typical: float
    meaning: str


@dataclass(frozen=True)
class Law:
    """An impact law. Optional parameters may be left out, the last ones first."""

    name: str
    summary: str
    source: str
    parameters: tuple[Parameter, ...]
    optional_parameters: tuple[Parameter, ...]
    several_points: bool


@lru_cache(maxsize=None)
def laws() -> Mapping[str, Law]:
    """All impact laws by their names, as `percuss laws` lists them."""
    found: dict[str, Law] = {}
    for facts in _core.laws():
        for kind in ("parameters", "optional_parameters"):
            facts[kind] = tuple(Parameter(*parameter) for parameter in facts[kind])
        found[facts["name"]] = Law(**facts)
    return found


def read_body(source: BodySource) -> Body:
    """The body of a file (body.yaml, or an experiment file), or of a dict with the same keys.

    Reading a file once and passing what this returns saves the time in later calls.
    """
    if isinstance(source, Body):
        return source
    if not isinstance(source, Mapping):
        return _core.read_body(os.fspath(source))
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "body")
        with open(file, "w", encoding="utf-8") as out:
            json.dump(source, out, ensure_ascii=False, default=_plain)
        try:
            return _core.read_body(file)
        except InputError as error:
            # A dict has no lines.
            said = str(error).replace(file, "body").replace(" (line 1)", "")
            raise InputError(said) from None


def _plain(value: Any) -> Any:
    """Arrays and numbers of numpy, and paths, as JSON has them."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return os.fspath(value)


@dataclass(frozen=True, eq=False)
class State:
    """Bodies just before they strike a surface; SI units, world axes, z up.

    Each field is one value for all impacts, or an array with a row for each.

    velocity          of the mass centre [m/s]: three numbers; of a motion in the x-z plane two (x, z)
    angular_velocity  [rad/s]: three numbers; in the plane one, about y
    orientation       quaternion w x y z of the body; default 1 0 0 0; or
    angle             of a body turned about y only [rad]
    contact_point     from the mass centre to the contact, three numbers or x, z [m]; default: the
                      lowest point of the shape
    normal            of the surface, into the body; default 0 0 1
    """

    velocity: npt.ArrayLike
    angular_velocity: npt.ArrayLike = 0.0
    orientation: Optional[npt.ArrayLike] = None
    angle: Optional[npt.ArrayLike] = None
    contact_point: Optional[npt.ArrayLike] = None
    normal: npt.ArrayLike = (0.0, 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Contact:
    """The contact points alone, in their frames (t1, t2, n), n into the body.

    inverse_mass  A [1/kg], 3 x 3: u' - u = A P; one for all, or one for each impact
    velocity      u [m/s] before; approach is u_n < 0
    """

    inverse_mass: npt.ArrayLike
    velocity: npt.ArrayLike


@dataclass(frozen=True, eq=False)
class Derivatives:
    """First derivatives of the velocities after an impact: v', w' of a body, u' of a contact.

    state       by the velocities before, (..., 6, 6) of a body by (v, w) at rest positions,
                (..., 3, 3) of a contact
    parameters  by each parameter of the law, (..., 6) or (..., 3)
    """

    state: Array
    parameters: dict[str, Array]


@dataclass(frozen=True, repr=False, eq=False)
class Impacts:
    """What a law makes of impacts. One row each, or no first axis where one impact was asked for.

    NaN where there is no answer: `ok` is False there and `reason` says why.
    """

    law: str
    velocity: Array  #: after, of the mass centre [m/s]; of a `Contact` that of the contact point
    angular_velocity: Optional[Array]  #: after [rad/s]; None of a `Contact`
    impulse: Array  #: of the surface on the body [N s]
    contact_velocity: Array  #: of the contact point, after [m/s]
    energy_before: Array  #: kinetic [J]; of a `Contact` u A^-1 u / 2
    normal_work: Array  #: of the surface on the body [J]
    friction_work: Array  #: [J]
    derivatives: Optional[Derivatives] = None
    _modes: npt.NDArray[np.uint16] = field(default_factory=lambda: np.zeros(0, np.uint16))
    _case: npt.NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, np.uint8))
    _reason: npt.NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, np.uint8))

    @property
    def energy_after(self) -> Array:
        """Kinetic [J]."""
        return self.energy_before - self.dissipated

    @property
    def dissipated(self) -> Array:
        """Kinetic energy that is lost [J]; negative where a law creates it."""
        lost: Array = -(self.normal_work + self.friction_work)
        return lost

    @property
    def ok(self) -> npt.NDArray[np.bool_]:
        """Whether there is an answer."""
        found: npt.NDArray[np.bool_] = self._reason == 0
        return found

    @cached_property
    def modes(self) -> npt.NDArray[np.str_]:
        """`slip`, `stick`, `reverse-slip` in order, joined by `+`; empty of laws without modes."""
        codes, places = np.unique(self._modes, return_inverse=True)
        names = [
            "+".join(_MODES[code >> k & 3] for k in range(0, 16, 2) if code >> k & 3)
            for code in codes.tolist()
        ]
        return np.array(names, np.str_)[places].reshape(np.shape(self._modes))

    @cached_property
    def case(self) -> npt.NDArray[np.str_]:
        """Case numbers of sun2017 Tables 2.2 and 3.1; empty of laws without."""
        return np.array([*_core.CASES, ""], np.str_)[self._case]

    @cached_property
    def reason(self) -> npt.NDArray[np.str_]:
        """Why there is no answer; empty where there is one."""
        return np.array(_core.REASONS, np.str_)[self._reason]

    def to_frame(self) -> pd.DataFrame:
        """A pandas DataFrame with a row for each impact."""
        import pandas as pd

        columns: dict[str, Any] = {}
        vectors = {"v": self.velocity, "w": self.angular_velocity, "impulse_": self.impulse}
        for name, vector in vectors.items():
            if vector is not None:
                for k, axis in enumerate("xyz"):
                    columns[name + axis] = np.atleast_2d(vector)[:, k]
        for name in ("energy_before", "energy_after", "normal_work", "friction_work"):
            columns[name] = np.atleast_1d(getattr(self, name))
        for name in ("modes", "case", "reason"):
            columns[name] = np.atleast_1d(getattr(self, name))
        return pd.DataFrame(columns)

    def __len__(self) -> int:
        return int(self._reason.size)

    def __repr__(self) -> str:
        return f"<Impacts: {len(self)} by {self.law}, {int(np.sum(self.ok))} with an answer>"


def impact(
    law: str,
    body: Optional[BodySource],
    state: Union[State, Contact, Mapping[str, npt.ArrayLike]],
    *,
    threads: Optional[int] = None,
    derivatives: bool = False,
    **parameters: npt.ArrayLike,
) -> Impacts:
    """Solves one impact, or as many as the arrays of `state` and `parameters` have rows.

    law          a name from `percuss.laws()`
    body         from `read_body`, or what that takes; None with a `Contact`
    state        a `State`, a `Contact`, or a dict with the same keys
    parameters   those of the law by their names: mu=0.3, e=[0.5, 0.6]
    threads      default: all cores. The answer does not depend on it
    derivatives  also those of the velocities after

    Raises InputError for a law, a parameter or a shape that is not allowed. An impact that the law
    has no answer for is NaN in the result, with its reason.
    """
    if law not in laws():
        raise InputError(f'law is "{law}"; allowed are {", ".join(laws())}')
    info = laws()[law]
    if info.several_points:
        raise InputError(f"law: found {law}, which takes several points; allowed laws of one point")
    if isinstance(state, Mapping):
        state = Contact(**state) if "inverse_mass" in state else _state_of(state)
    names, values = _parameters_of(info, parameters)
    num_threads = _core.all_cores() if threads is None else int(threads)
    if num_threads < 1:
        raise InputError(f"threads: found {threads}, allowed at least 1")
    if isinstance(state, Contact):
        if body is not None:
            raise InputError("body: found one beside a contact, allowed None")
        mass, u = _array("inverse_mass", state.inverse_mass), _array("velocity", state.velocity)
        count, single = _count([(mass, 2), (u, 1), *((value, 0) for value in values)])
        answer = _core.solve_contact(law, values, mass, u, count, num_threads, derivatives)
        answer["velocity"] = answer["contact_velocity"]
    else:
        if body is None:
            raise InputError("body: found None, allowed beside a contact only")
        inputs = _spatial(state)
        vectors = [inputs[name] for name in ("velocity", "angular_velocity", "orientation")]
        point, normal = inputs["contact_point"], inputs["normal"]
        given = [*vectors, normal] + ([] if point is None else [point])
        count, single = _count(
            [
                *((array, 1) for array in given if array is not None),
                *((value, 0) for value in values),
            ]
        )
        v, w, q = (array for array in vectors if array is not None)
        assert normal is not None
        answer = _core.solve_body(
            law, read_body(body), values, v, w, q, point, normal, count, num_threads, derivatives
        )
    if single:
        answer = {name: array[0] for name, array in answer.items()}
    return Impacts(
        law=law,
        velocity=answer["velocity"],
        angular_velocity=answer.get("angular_velocity"),
        impulse=answer["impulse"],
        contact_velocity=answer["contact_velocity"],
        energy_before=answer["energy_before"],
        normal_work=answer["normal_work"],
        friction_work=answer["friction_work"],
        derivatives=_derivatives(answer, names) if derivatives else None,
        _modes=answer["modes"],
        _case=answer["case"],
        _reason=answer["reason"],
    )


def _derivatives(answer: Mapping[str, Array], names: list[str]) -> Derivatives:
    columns = answer["by_parameters"]
    return Derivatives(
        state=answer["by_state"],
        parameters={name: columns[..., k] for k, name in enumerate(names)},
    )


def _state_of(fields: Mapping[str, npt.ArrayLike]) -> State:
    known = list(State.__dataclass_fields__)
    for name in fields:
        if name not in known:
            raise InputError(f"state: found {name}, allowed {', '.join(known)}")
    if "velocity" not in fields:
        raise InputError("state: found no velocity, allowed one for all impacts or for each")
    return State(**fields)


def _array(name: str, value: npt.ArrayLike) -> Array:
    try:
        return np.asarray(value, np.float64, order="C")
    except (TypeError, ValueError):
        raise InputError(f"{name}: found {value!r}, allowed numbers") from None


def _parameters_of(law: Law, given: Mapping[str, npt.ArrayLike]) -> tuple[list[str], list[Array]]:
    """In the order of the law."""
    known = [parameter.name for parameter in law.parameters + law.optional_parameters]
    for name in given:
        if name not in known:
            raise InputError(f"parameters: found {name}, law {law.name} has {', '.join(known)}")
    for parameter in law.parameters:
        if parameter.name not in given:
            raise InputError(
                f"parameters: found no {parameter.name}, which law {law.name} needs"
                f" ({parameter.meaning})"
            )
    last = max((known.index(name) for name in given), default=-1)
    for name in known[: last + 1]:
        if name not in given:
            raise InputError(f"parameters: found no {name}, needed where {known[last]} is given")
    return known[: last + 1], [_array(name, given[name]) for name in known[: last + 1]]


def _count(arrays: list[tuple[Array, int]]) -> tuple[int, bool]:
    """How many impacts, and whether no array says so. With each array the axes of one row."""
    counts = {array.shape[0] for array, axes in arrays if array.ndim == axes + 1}
    if len(counts) > 1:
        raise InputError(
            f"arrays of {', '.join(map(str, sorted(counts)))} rows, allowed one number"
        )
    return (counts.pop(), False) if counts else (1, True)


def _from_plane(vectors: Array) -> Array:
    """(x, z) as (x, 0, z)."""
    spatial = np.zeros((*vectors.shape[:-1], 3))
    spatial[..., 0], spatial[..., 2] = vectors[..., 0], vectors[..., 1]
    return spatial


def _spatial(state: State) -> dict[str, Optional[Array]]:
    """A state with all fields as vectors in space."""
    out: dict[str, Optional[Array]] = {"contact_point": None}
    for name in ("velocity", "contact_point", "normal"):
        value = getattr(state, name)
        if value is not None:
            array = _array(name, value)
            out[name] = _from_plane(array) if array.shape[-1:] == (2,) else array
    w = _array("angular_velocity", state.angular_velocity)
    planar = np.shape(state.velocity)[-1:] == (2,)
    if planar or w.ndim == 0:
        if not planar and w != 0.0:
            raise InputError(f"angular_velocity: found {w}, allowed three numbers")
        about_y = np.zeros((*w.shape, 3))
        about_y[..., 1] = w
        w = about_y
    out["angular_velocity"] = w
    if state.angle is not None:
        if state.orientation is not None:
            raise InputError("angle: found beside orientation, allowed one of them")
        half = 0.5 * _array("angle", state.angle)
        q = np.zeros((*half.shape, 4))
        q[..., 0], q[..., 2] = np.cos(half), np.sin(half)
    else:
        q = _array("orientation", (1, 0, 0, 0) if state.orientation is None else state.orientation)
    out["orientation"] = q
    return out
