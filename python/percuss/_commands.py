# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0
#
# Written by scripts/make_python_commands.py from the options of the program. Not to be edited.
"""The commands of the program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional, Union

from ._call import Printed, Value, call
from ._fit import FitResult, call_fit
from ._run_folder import RunFolder, call_run


def run(
    experiment: Value,
    *,
    output: Value,
    law: Optional[Union[Value, Sequence[Value]]] = None,
    model: Optional[Union[Value, Sequence[Value]]] = None,
    group: Optional[Value] = None,
    fix: Optional[Union[Value, Sequence[Value]]] = None,
    scatter: bool = False,
    robust: bool = False,
    bootstrap: Optional[Value] = None,
    states: Optional[Value] = None,
    enhanced: bool = False,
    enhanced_every: Optional[Value] = None,
    jobs: Optional[Value] = None,
    fit: Optional[Value] = None,
    only: Optional[Value] = None,
    trial: Optional[Union[Value, Sequence[Value]]] = None,
    landed: Optional[Union[Value, bool]] = None,
    list_inputs: bool = False,
    force: bool = False,
    videos: bool = False,
    mend: bool = False,
    verbose: bool = False,
    json: bool = False,
    quiet: bool = False,
) -> RunFolder:
    """Everything: calibrate, track, fit and report an experiment.

    experiment: The experiment file
    output: Folder for all results; made if missing
    law: Impact law to fit (see percuss laws), may be repeated; or all (default:
        stronge,poisson,newton)
    model: How a parameter depends on the approach speed of the contact point, or on a number in
        a column of the table, may be repeated; MODEL is one of constant, linear-normal,
        linear-tangential, linear-incidence, power-normal, power-tangential, power-incidence,
        loss-normal, loss-tangential, loss-incidence, linear:COLUMN, quadratic:COLUMN: a + b u,
        a u^b or 1 - a u^b of the normal or tangential speed u [m/s], or the incidence u [rad];
        a + b u + c u^2 of the column, less its mean
    group: Column of the table, or group of the trials (surface, body), in whose groups the
        parameters differ; all of them, or those named
    fix: A parameter that was measured elsewhere, may be repeated: it is not fitted, its sigma
        is carried, and the impacts are predicted with it; PARAMETER=VALUE±SIGMA (or
        VALUE+-SIGMA), or the output of percuss measure json
    scatter: Estimate how much the parameters differ from impact to impact, and what to expect
        of the next one
    robust: Huber's loss on whole impacts: a few that do not fit count little
    bootstrap: Replicates of a trial bootstrap, for percentile intervals beside the others; 200
        or more are useful
    states: How velocities at the impact are found: arcs (two flights fitted to the pixels), rts
        (Kalman smoother) or houbolt (differences of four frames, as in a thesis), the last two
        for comparison (default: arcs)
    enhanced: Write tracks/TRIAL/enhanced/report.html: all frames with the names of the markers,
        and why other spots have none; beside it left/000120-grey.png, -binary.png and
        -outline.png and the same of right. Trials are tracked again for it
    enhanced_every: Frames from one of these pictures to the next (default: 10)
    jobs: Threads, and trials processed at a time
    fit: What the coefficients are fitted to: states (before and after each impact), or pixels
        (beside that, all sightings of all trials at once) (default: states)
    only: One step of the five, from the files of those before it: calibrate, track, fit, film
        or report. Exit 0: it is done; what failed in it is named on stderr
    trial: With only track, only this trial; may be given several times. Runs with different
        trials may be at work in OUT at the same time
    landed: Only trials whose recordings are there and have not changed for two seconds; and
        beside those of the file new ones with videos named in the same way: trials/NEW/left.mp4
        and right.mp4 beside trials/OLD/left.mp4 and right.mp4. With N, of those without results
        at most N. What percuss watch runs
    list_inputs: Print the files that the calibration and each trial read, as JSON, and do
        nothing
    force: Do every step again, even where nothing has changed
    videos: Write overlay videos, too (tracks/TRIAL/overlay.mp4: the views side by side in slow
        motion, over them markers, body, measured and predicted flight). After a run without it,
        nothing else is done again but the report
    mend: Where exactly one change of a line of the experiment file explains the data, go on
        with it; the report says so first. Without mend the line is named on stderr and in the
        report, and nothing is changed. The file itself never is
    verbose: Print all laws, their comparison and each trial, not the best law alone
    json: Print fit.json instead of tables
    quiet: Print no lines of progress.
    """
    return call_run(
        "run",
        {
            "experiment": experiment,
        },
        {
            "output": output,
            "law": law,
            "model": model,
            "group": group,
            "fix": fix,
            "scatter": scatter,
            "robust": robust,
            "bootstrap": bootstrap,
            "states": states,
            "enhanced": enhanced,
            "enhanced_every": enhanced_every,
            "jobs": jobs,
            "fit": fit,
            "only": only,
            "trial": trial,
            "landed": landed,
            "list_inputs": list_inputs,
            "force": force,
            "videos": videos,
            "mend": mend,
            "verbose": verbose,
            "json": json,
        },
        quiet=quiet,
    )


def calibrate(
    experiment: Value,
    *,
    output: Value,
    jobs: Optional[Value] = None,
    json: bool = False,
    quiet: bool = False,
) -> Printed:
    """Board images in, stereo calibration with surface frame and sigmas out.

    experiment: The experiment file
    output: Where to write the calibration
    jobs: Threads
    json: Print the calibration file instead of a summary
    quiet: Print no lines of progress.
    """
    return call(
        "calibrate",
        {
            "experiment": experiment,
        },
        {
            "output": output,
            "jobs": jobs,
            "json": json,
        },
        quiet=quiet,
    )


def track(
    experiment: Value,
    *,
    output: Value,
    calibration: Optional[Value] = None,
    trial: Optional[Union[Value, Sequence[Value]]] = None,
    states: Optional[Value] = None,
    enhanced: bool = False,
    enhanced_every: Optional[Value] = None,
    jobs: Optional[Value] = None,
    force: bool = False,
    json: bool = False,
    quiet: bool = False,
) -> Printed:
    """Videos (or tracks that other programs found in them) and a calibration, or other motion
    capture, in; states before and after each impact out.

    experiment: The experiment file
    output: Folder for tracks/ and impacts.csv; made if missing
    calibration: From percuss calibrate; trials of other motion capture need none
    trial: Only this trial; may be given several times
    states: How velocities at the impact are found: arcs (two flights fitted to the pixels), rts
        (Kalman smoother) or houbolt (differences of four frames, as in a thesis), the last two
        for comparison (default: arcs)
    enhanced: Write tracks/TRIAL/enhanced/report.html: all frames with the names of the markers,
        and why other spots have none; beside it left/000120-grey.png, -binary.png and
        -outline.png and the same of right. Trials are tracked again for it
    enhanced_every: Frames from one of these pictures to the next (default: 10)
    jobs: Threads, and trials processed at a time
    force: Do every trial again, even where nothing has changed
    json: Print impacts.json instead of a table
    quiet: Print no lines of progress.
    """
    return call(
        "track",
        {
            "experiment": experiment,
        },
        {
            "output": output,
            "calibration": calibration,
            "trial": trial,
            "states": states,
            "enhanced": enhanced,
            "enhanced_every": enhanced_every,
            "jobs": jobs,
            "force": force,
            "json": json,
        },
        quiet=quiet,
    )


def fit(
    impacts: Value,
    *,
    body: Optional[Value] = None,
    law: Optional[Union[Value, Sequence[Value]]] = None,
    model: Optional[Union[Value, Sequence[Value]]] = None,
    group: Optional[Value] = None,
    fix: Optional[Union[Value, Sequence[Value]]] = None,
    scatter: bool = False,
    robust: bool = False,
    bootstrap: Optional[Value] = None,
    next_drop: bool = False,
    error_budget: bool = False,
    output: Optional[Value] = None,
    jobs: Optional[Value] = None,
    verbose: bool = False,
    json: bool = False,
    quiet: bool = False,
) -> FitResult:
    """Impact states in, coefficients with intervals and a comparison of laws out.

    impacts: States before and after each impact, or the description of a table of them
    body: The body, or an experiment file with one; body.yaml beside IMPACTS where it is left
        out; not for a TABLE.yaml, which states it
    law: Impact law to fit (see percuss laws), may be repeated; or all (default:
        stronge,poisson,newton)
    model: How a parameter depends on the approach speed of the contact point, or on a number in
        a column of the table, may be repeated; MODEL is one of constant, linear-normal,
        linear-tangential, linear-incidence, power-normal, power-tangential, power-incidence,
        loss-normal, loss-tangential, loss-incidence, linear:COLUMN, quadratic:COLUMN: a + b u,
        a u^b or 1 - a u^b of the normal or tangential speed u [m/s], or the incidence u [rad];
        a + b u + c u^2 of the column, less its mean
    group: Column of the table, or group of the trials (surface, body), in whose groups the
        parameters differ; all of them, or those named
    fix: A parameter that was measured elsewhere, may be repeated: it is not fitted, its sigma
        is carried, and the impacts are predicted with it; PARAMETER=VALUE±SIGMA (or
        VALUE+-SIGMA), or the output of percuss measure json
    scatter: Estimate how much the parameters differ from impact to impact, and what to expect
        of the next one
    robust: Huber's loss on whole impacts: a few that do not fit count little
    bootstrap: Replicates of a trial bootstrap, for percentile intervals beside the others; 200
        or more are useful
    next_drop: Advise how to drop the body next: the angle and speed that would shrink the
        intervals most, and those that would bisect where mu_s may be
    error_budget: Print how much of the error of an impact comes from pixels, calibration, mass,
        lengths (sigma: of the body) and surface; fit.json has it always
    output: Where to write the whole result
    jobs: Threads
    verbose: Print all laws, their comparison and each trial, not the best law alone
    json: Print the result file instead of the tables
    quiet: Print no lines of progress.
    """
    return call_fit(
        "fit",
        {
            "impacts": impacts,
        },
        {
            "body": body,
            "law": law,
            "model": model,
            "group": group,
            "fix": fix,
            "scatter": scatter,
            "robust": robust,
            "bootstrap": bootstrap,
            "next_drop": next_drop,
            "error_budget": error_budget,
            "output": output,
            "jobs": jobs,
            "verbose": verbose,
            "json": json,
        },
        quiet=quiet,
    )


def audit(
    impacts: Value,
    *,
    body: Optional[Value] = None,
    json: bool = False,
    quiet: bool = False,
) -> Printed:
    """Checks of impact states without any impact law: momentum, energy, reachability.

    impacts: States before and after each impact, or the description of a table of them
    body: The body, or an experiment file with one; body.yaml beside IMPACTS where it is left
        out; not for a TABLE.yaml, which states it
    json: Print the findings as JSON
    quiet: Print no lines of progress.
    """
    return call(
        "audit",
        {
            "impacts": impacts,
        },
        {
            "body": body,
            "json": json,
        },
        quiet=quiet,
    )


def report(
    out: Value,
    *,
    pdf: bool = False,
    json: bool = False,
    quiet: bool = False,
) -> Printed:
    """Write the report of a run again: report.html, report.md, tables/*.csv and *.json

    out: Folder that 'percuss run' wrote
    pdf: Write summary.pdf, too: the first screen of the report on one sheet of A4. Chromium
        prints it (Debian package chromium)
    json: Print the list of files as JSON
    quiet: Print no lines of progress.
    """
    return call(
        "report",
        {
            "out": out,
        },
        {
            "pdf": pdf,
            "json": json,
        },
        quiet=quiet,
    )


def simulate(
    scene: Value,
    *,
    output: Value,
    forces: Optional[Value] = None,
    joints: Optional[Value] = None,
    page: Optional[Value] = None,
    json: bool = False,
    quiet: bool = False,
) -> Printed:
    """A body, or several in joints, dropped or thrown on a floor, against walls and each other:
    flight, impacts, contact, as a table of poses

    scene: A body or a scene, its start, and the impact law
    output: Table of poses to write
    forces: Table of the forces of sustained contact, a row for each point at each pose
    joints: Table of the angles and ways of the joints of a scene
    page: The motion in three dimensions, as a page that one plays and turns
    json: Print impacts and other events as JSON, with the modes of points
    quiet: Print no lines of progress.
    """
    return call(
        "simulate",
        {
            "scene": scene,
        },
        {
            "output": output,
            "forces": forces,
            "joints": joints,
            "page": page,
            "json": json,
        },
        quiet=quiet,
    )


def sweep(
    spec: Value,
    *,
    output: Value,
    plot: Optional[Value] = None,
    jobs: Optional[Value] = None,
    json: bool = False,
    quiet: bool = False,
) -> Printed:
    """Solve impacts over one or two inputs: tables and maps

    spec: What to sweep
    output: Table, a row per point
    plot: Picture of it
    jobs: Threads; default: all cores
    json: Print the summary as JSON
    quiet: Print no lines of progress.
    """
    return call(
        "sweep",
        {
            "spec": spec,
        },
        {
            "output": output,
            "plot": plot,
            "jobs": jobs,
            "json": json,
        },
        quiet=quiet,
    )


def synthesize(
    spec: Value,
    *,
    output: Value,
    jobs: Optional[Value] = None,
    json: bool = False,
    quiet: bool = False,
) -> Printed:
    """A synthetic experiment with truth: stereo videos and board pictures; or a clip of a ball.

    spec: What to render; docs/synthesize.md has the keys
    output: A new or empty folder
    jobs: Pictures and videos made at a time
    json: Print what was written as JSON
    quiet: Print no lines of progress.
    """
    return call(
        "synthesize",
        {
            "spec": spec,
        },
        {
            "output": output,
            "jobs": jobs,
            "json": json,
        },
        quiet=quiet,
    )


def convert(
    input: Union[Value, Sequence[Value]],
    *,
    output: Optional[Value] = None,
    to: Optional[Value] = None,
    unit: Optional[Value] = None,
    size: Optional[Sequence[Value]] = None,
    nearest: bool = False,
    up: Optional[Value] = None,
    partial: bool = False,
    json: bool = False,
    quiet: bool = False,
) -> Printed:
    """Marker trajectories, tracked or of motion-capture systems, from one format to another;
    calibrations of cameras from and to other programs; models of robots as scenes; a run as a
    scene of glTF

    input: TRC, C3D, or CSV (Vicon export, ours, or a tracks/TRIAL/markers.csv); calibrations:
        calibration.json, OpenCV, Kalibr, mrcal, COLMAP, MATLAB, Anipose, Pose2Sim, Qualisys,
        DLT, one file or those that belong together; URDF, MJCF; a run folder or its
        tracks/TRIAL. Behind them the output
    output: Where to write, if not the last name: TRC and C3D in mm, CSV in m; .json, .toml,
        .cameramodel, .csv or what to says of cameras; .yaml of a robot; .glb of a run, for
        Blender
    to: Format of cameras, where the name leaves it open (.yaml, a folder)
    unit: Unit of length of cameras of other programs [what the format says, else m]
    size: Pictures of cameras whose file does not say it [px]
    nearest: Write the nearest lens where the format has no place for a coefficient
    up: The vertical axis of the input, turned to z (a rotation) [z]
    partial: Take the complete frames of a file that is cut off
    json: Print what was written as JSON
    quiet: Print no lines of progress.
    """
    return call(
        "convert",
        {
            "input": input,
        },
        {
            "output": output,
            "to": to,
            "unit": unit,
            "size": size,
            "nearest": nearest,
            "up": up,
            "partial": partial,
            "json": json,
        },
        quiet=quiet,
    )


def bounce(
    clip: Optional[Union[Value, Sequence[Value]]] = None,
    *,
    sound: Optional[Value] = None,
    output: Optional[Value] = None,
    diameter: Optional[Value] = None,
    length: Optional[Sequence[Value]] = None,
    ruler: Optional[Union[Value, bool]] = None,
    g: Optional[Value] = None,
    mass: Optional[Value] = None,
    inertia_factor: Optional[Value] = None,
    contact_time: Optional[Value] = None,
    drop_height: Optional[Value] = None,
    fps: Optional[Value] = None,
    focal_35mm: Optional[Value] = None,
    lens: Optional[Value] = None,
    right: Optional[Value] = None,
    offset: Optional[Value] = None,
    up: Optional[Value] = None,
    ball: Optional[Value] = None,
    level_sigma_deg: Optional[Value] = None,
    jobs: Optional[Value] = None,
    landed: bool = False,
    json: bool = False,
    quiet: bool = False,
) -> Printed:
    """e of a ball that bounces before one camera, no markers, no calibration

    clip: Video of the ball, camera at rest or in the hand; or several, or a folder of them:
        then one e for all, and OUT/CLIP/ for each; or a table of its centres, NAME.csv with
        t,x,y,z [s, m]
    sound: A recording (WAV or any video): without CLIP e by ear alone, with it in place of the
        clip's own sound
    output: Folder for tables, pictures and report
    diameter: Diameter of the ball [m], such as 0.040 or 0.040±0.0002: speeds in m/s
    length: A known length [m] and the two pixels at its ends, as far away as the ball: 0.30
        412,300 418,810
    ruler: Take the marks of a ruler in the picture, as far away as the ball, as the scale; with
        the distance of neighbouring marks [m], such as 0.001, where long marks do not tell it
    g: Gravity [m/s^2] as the scale, such as 9.80665; needs the true frame rate
    mass: Mass of the ball [kg]: with diameter it tells the drag of the air. In impacts.json 1
        kg without it: e does not depend on it
    inertia_factor: I / (m R^2) of the ball in body.yaml: 0.4 solid, 0.667 hollow; 0.4±0.2
        without it. e does not depend on it
    contact_time: How long a contact lasts [s], such as 0.0007 (table tennis) or 0.004±0.001
    drop_height: Height of the ball's lowest point before the drop [m]: e of the first bounce by
        ear alone
    fps: Frames per second of filming, where the file plays slower (slow motion); some phones
        write it into the file
    focal_35mm: Focal length of the camera as data sheets state it, for 35 mm film [mm], such as
        26, times the zoom: where the file does not say it, good to 10 %
    lens: Calibration of this camera, from percuss calibrate
    right: Clip of a second camera, with lens of both: the ball in space, CLIP is the first
        camera of the calibration
    offset: By how much later the right clip began [s], such as 0.25±0.01; without it both begin
        at once, within a frame
    up: The vertical in axes of the table or the calibration; without it the motion shows it
    ball: A pixel that the ball passes, where several things fly
    level_sigma_deg: How level the surface is, standard deviation [deg] (default: 0.5)
    jobs: Threads
    landed: Of several clips only those that have not changed for two seconds. What percuss
        watch runs
    json: Print the result as JSON
    quiet: Print no lines of progress.
    """
    return call(
        "bounce",
        {
            "clip": clip,
        },
        {
            "sound": sound,
            "output": output,
            "diameter": diameter,
            "length": length,
            "ruler": ruler,
            "g": g,
            "mass": mass,
            "inertia_factor": inertia_factor,
            "contact_time": contact_time,
            "drop_height": drop_height,
            "fps": fps,
            "focal_35mm": focal_35mm,
            "lens": lens,
            "right": right,
            "offset": offset,
            "up": up,
            "ball": ball,
            "level_sigma_deg": level_sigma_deg,
            "jobs": jobs,
            "landed": landed,
            "json": json,
        },
        quiet=quiet,
    )
