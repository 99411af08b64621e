# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
#
# Written by scripts/make_python_commands.py from the options of the program. Not to be edited.
"""Coefficients from bench-top tests: `percuss measure`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional, Union

from ._call import Printed, Value, call


def incline(
    *,
    angle_deg: Optional[Union[Value, Sequence[Value]]] = None,
    rise: Optional[Union[Value, Sequence[Value]]] = None,
    run: Optional[Union[Value, Sequence[Value]]] = None,
    slope_length: Optional[Union[Value, Sequence[Value]]] = None,
    angle_sigma_deg: Optional[Value] = None,
    length_sigma: Optional[Value] = None,
    gravity: Optional[Value] = None,
    table: Optional[Value] = None,
    json: bool = False,
    quiet: bool = False,
) -> Printed:
    """Static friction from an incline on which the body begins to slide.

    angle_deg: At which the body begins to slide
    rise: Height of the incline at sliding
    run: Horizontal side
    slope_length: Side along the slope
    angle_sigma_deg: Reading error that all repeats have in common, standard deviation
    length_sigma: Reading error that all repeats have in common, standard deviation
    gravity: Where the test is made (default: 9.80665)
    table: A row per repeat, columns as the options with _ for -; optional column group
    json: Print the result as JSON
    quiet: Print no lines of progress.
    """
    return call(
        "measure incline",
        {},
        {
            "angle_deg": angle_deg,
            "rise": rise,
            "run": run,
            "slope_length": slope_length,
            "angle_sigma_deg": angle_sigma_deg,
            "length_sigma": length_sigma,
            "gravity": gravity,
            "table": table,
            "json": json,
        },
        quiet=quiet,
    )


def slide(
    *,
    angle_deg: Optional[Union[Value, Sequence[Value]]] = None,
    acceleration: Optional[Union[Value, Sequence[Value]]] = None,
    distance: Optional[Union[Value, Sequence[Value]]] = None,
    time: Optional[Union[Value, Sequence[Value]]] = None,
    stopping_distance: Optional[Union[Value, Sequence[Value]]] = None,
    stopping_time: Optional[Union[Value, Sequence[Value]]] = None,
    start_time: Optional[Union[Value, Sequence[Value]]] = None,
    first_time: Optional[Union[Value, Sequence[Value]]] = None,
    second_time: Optional[Union[Value, Sequence[Value]]] = None,
    first_distance: Optional[Union[Value, Sequence[Value]]] = None,
    second_distance: Optional[Union[Value, Sequence[Value]]] = None,
    angle_sigma_deg: Optional[Value] = None,
    acceleration_sigma: Optional[Value] = None,
    distance_sigma: Optional[Value] = None,
    time_sigma: Optional[Value] = None,
    gravity: Optional[Value] = None,
    table: Optional[Value] = None,
    video: Optional[Value] = None,
    trial: Optional[Union[Value, Sequence[Value]]] = None,
    output: Optional[Value] = None,
    jobs: Optional[Value] = None,
    json: bool = False,
    quiet: bool = False,
) -> Printed:
    """Kinetic friction from a body that slides down an incline.

    angle_deg: Of the incline, 0 on a level surface; alone: at constant speed
    acceleration: A down the incline; negative where the body slows down
    distance: Slid down from rest
    time: From rest
    stopping_distance: Slid down to rest
    stopping_time: To rest
    start_time: The body passes the start
    first_time: It passes the first mark
    second_time: It passes the second mark
    first_distance: Start to first mark
    second_distance: Start to second mark
    angle_sigma_deg: Reading error that all repeats have in common, standard deviation
    acceleration_sigma: Reading error that all repeats have in common, standard deviation
    distance_sigma: Reading error that all repeats have in common, standard deviation
    time_sigma: Reading error that all repeats have in common, standard deviation
    gravity: Where the test is made (default: 9.80665)
    table: A row per repeat, columns as the options with _ for -; optional column group
    video: From videos instead: the experiment file whose trials of kind slide show a body that
        slides down a plate
    trial: With video, only this slide
    output: With video, write the JSON into this file
    jobs: Threads, with video
    json: Print the result as JSON
    quiet: Print no lines of progress.
    """
    return call(
        "measure slide",
        {},
        {
            "angle_deg": angle_deg,
            "acceleration": acceleration,
            "distance": distance,
            "time": time,
            "stopping_distance": stopping_distance,
            "stopping_time": stopping_time,
            "start_time": start_time,
            "first_time": first_time,
            "second_time": second_time,
            "first_distance": first_distance,
            "second_distance": second_distance,
            "angle_sigma_deg": angle_sigma_deg,
            "acceleration_sigma": acceleration_sigma,
            "distance_sigma": distance_sigma,
            "time_sigma": time_sigma,
            "gravity": gravity,
            "table": table,
            "video": video,
            "trial": trial,
            "output": output,
            "jobs": jobs,
            "json": json,
        },
        quiet=quiet,
    )


def drop(
    *,
    drop_height: Optional[Union[Value, Sequence[Value]]] = None,
    rebound_height: Optional[Union[Value, Sequence[Value]]] = None,
    speed_before: Optional[Union[Value, Sequence[Value]]] = None,
    speed_after: Optional[Union[Value, Sequence[Value]]] = None,
    first_sound: Optional[Union[Value, Sequence[Value]]] = None,
    second_sound: Optional[Union[Value, Sequence[Value]]] = None,
    third_sound: Optional[Union[Value, Sequence[Value]]] = None,
    height_sigma: Optional[Value] = None,
    speed_sigma: Optional[Value] = None,
    time_sigma: Optional[Value] = None,
    gravity: Optional[Value] = None,
    table: Optional[Value] = None,
    json: bool = False,
    quiet: bool = False,
) -> Printed:
    """Restitution from a vertical drop without spin.

    drop_height: Fallen from rest
    rebound_height: Risen to
    speed_before: Of the fall at the contact
    speed_after: Of the rebound at the contact
    first_sound: First contact
    second_sound: Second contact
    third_sound: Third contact
    height_sigma: Reading error that all repeats have in common, standard deviation
    speed_sigma: Reading error that all repeats have in common, standard deviation
    time_sigma: Reading error that all repeats have in common, standard deviation
    gravity: Where the test is made (default: 9.80665)
    table: A row per repeat, columns as the options with _ for -; optional column group
    json: Print the result as JSON
    quiet: Print no lines of progress.
    """
    return call(
        "measure drop",
        {},
        {
            "drop_height": drop_height,
            "rebound_height": rebound_height,
            "speed_before": speed_before,
            "speed_after": speed_after,
            "first_sound": first_sound,
            "second_sound": second_sound,
            "third_sound": third_sound,
            "height_sigma": height_sigma,
            "speed_sigma": speed_sigma,
            "time_sigma": time_sigma,
            "gravity": gravity,
            "table": table,
            "json": json,
        },
        quiet=quiet,
    )


def puck(
    *,
    table: Value,
    mass: Value,
    radius: Value,
    flash_rate: Value,
    mark_1: Sequence[Value],
    mark_2: Sequence[Value],
    precision: Value,
    inertia: Optional[Value] = None,
    contact_mass_ratio: Optional[Value] = None,
    scale: Optional[Value] = None,
    normal: Optional[Sequence[Value]] = None,
    arc_centre: Optional[Sequence[Value]] = None,
    plate_offset: Optional[Value] = None,
    other_puck: bool = False,
    other_mass: Optional[Value] = None,
    other_inertia: Optional[Value] = None,
    other_radius: Optional[Value] = None,
    mark_3: Optional[Sequence[Value]] = None,
    mark_4: Optional[Sequence[Value]] = None,
    impacts: Optional[Value] = None,
    json: bool = False,
    quiet: bool = False,
) -> Printed:
    """A puck against a plate or a puck, from two marks at two flashes before and two after.

    table: Columns trial, x1_1, y1_1, x2_1, ... y2_4: mark, flash
    mass: Of the puck
    radius: Of its round rim
    flash_rate: Of the strobe lamp
    mark_1: Place on the puck from its mass centre
    mark_2: The other mark
    precision: Of picked marks, in units of the table
    inertia: About its mass centre
    contact_mass_ratio: Instead: I / (I + m radius^2) of a disc
    scale: Metres per unit of the table (a pixel) (default: 1)
    normal: Of the plate, towards the puck [0 1]
    arc_centre: Centre of the rim from the mass centre, on the puck; half pucks [0 0]
    plate_offset: Normal . x on the plate's edge, in units of the table; half pucks
    other_puck: It strikes a puck like it, marks 3 and 4 of the table (x3_1, ...), and no plate
    other_mass: Of the other puck, if not the same
    other_inertia: About its mass centre
    other_radius: Of its rim
    mark_3: Place on the other puck [that of mark 1]
    mark_4: Place on the other puck [that of mark 2]
    impacts: Write the impacts for percuss fit and audit, with body.yaml beside them; .json
        keeps the correlations of the errors
    json: Print the result as JSON
    quiet: Print no lines of progress.
    """
    return call(
        "measure puck",
        {},
        {
            "table": table,
            "mass": mass,
            "radius": radius,
            "flash_rate": flash_rate,
            "mark_1": mark_1,
            "mark_2": mark_2,
            "precision": precision,
            "inertia": inertia,
            "contact_mass_ratio": contact_mass_ratio,
            "scale": scale,
            "normal": normal,
            "arc_centre": arc_centre,
            "plate_offset": plate_offset,
            "other_puck": other_puck,
            "other_mass": other_mass,
            "other_inertia": other_inertia,
            "other_radius": other_radius,
            "mark_3": mark_3,
            "mark_4": mark_4,
            "impacts": impacts,
            "json": json,
        },
        quiet=quiet,
    )
