// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/page/viewer_html.h"

namespace percuss::report {

const char* MotionScript() {
  return R"js(
// An impact takes no time: its impulses are shown for this share of the motion after it.
const AFTERGLOW = 0.04;
const PLAYED_SECONDS = 5;
const RATES = [0.1, 1, 2, 4, 10, 30, 100, 1000];
const MANY = 12;

// The faces of a body with few, as [a point, the normal].
function flatSides(hull) {
  const sides = [];
  hull.faces.forEach(([a], f) => {
    const n = hull.normals[f], same = ([p, m]) => dot(m, n) > 0.9999 && Math.abs(dot(n, less(p, hull.points[a]))) < 1e-9;
    if (sides.length <= MANY && !sides.some(same)) sides.push([hull.points[a], n]);
  });
  return sides.length <= MANY ? sides : [];
}

// A zigzag of a spring, in the picture.
function zigzag(c, from, to, colour) {
  const turns = 9, d = [to[0] - from[0], to[1] - from[1]], length = Math.hypot(...d) || 1;
  const side = [-d[1] / length, d[0] / length], wide = Math.min(7, 0.15 * length);
  c.beginPath();
  c.moveTo(from[0], from[1]);
  for (let k = 0; k < turns; ++k) {
    const f = 0.12 + 0.76 * (k + 0.5) / turns, s = wide * (k % 2 ? 1 : -1);
    c.lineTo(from[0] + f * d[0] + s * side[0], from[1] + f * d[1] + s * side[1]);
  }
  c.lineTo(to[0], to[1]);
  c.strokeStyle = colour;
  c.lineWidth = 1.5;
  c.stroke();
}

function arrow(c, view, from, to, colour) {
  line(c, view, [from, to], colour, 2.5);
  const a = view.see(from), b = view.see(to), d = [b[0] - a[0], b[1] - a[1]], length = Math.hypot(...d);
  if (length < 1) return;
  const head = Math.min(10, 0.6 * length), u = [d[0] / length, d[1] / length];
  trace(c, [[b[0] + 0.3 * head * u[0], b[1] + 0.3 * head * u[1]],
            [b[0] - head * u[0] - 0.45 * head * u[1], b[1] - head * u[1] + 0.45 * head * u[0]],
            [b[0] - head * u[0] + 0.45 * head * u[1], b[1] - head * u[1] - 0.45 * head * u[0]]]);
  c.fillStyle = colour;
  c.fill();
}

viewers.motion = (root, scene) => {
  const {times: when, surfaces, joints, springs, impacts, energy} = scene;
  const bodies = scene.bodies.map((one, k) => {
    const hull = one.points.length ? hullOf(one) : null;
    return {...one, hull, sides: hull ? flatSides(hull) : [], colour: COLOURS[k % COLOURS.length],
            reach: Math.max(0, ...one.points.map(norm), ...one.arms.map(norm))};
  });
  const end = when[when.length - 1] || 1;
  const slowest = RATES.find(slower => end * slower >= PLAYED_SECONDS) || RATES[RATES.length - 1];
  const state = {time: 0, playing: false, slower: slowest, yaw: 0, pitch: 0.22, zoom: 1, fitted: false,
                 follow: -1, names: bodies.length > 1 && bodies.length <= MANY,
                 paths: bodies.length <= MANY, impulses: true, parts: true};
  const colours = {}, draw = onceAFrame(paint);
  const struck = [...new Set(impacts.map(impact => impact.time))];
  const largest = Math.max(0, ...impacts.flatMap(impact => impact.impulses.map(one => norm(one.impulse))));
  let last = 0, at = 0, low, high, middle, extent;

  const canvas = sceneCanvas('The motion in three dimensions. Space plays.');
  const plot = element('canvas', {className: 'energy', role: 'img', 'aria-label': 'Energy over time'});
  const play = element('button', {type: 'button', className: 'play', onclick: playOrPause});
  const slider = element('input', {type: 'range', min: 0, max: 1, step: 0.001, value: 0, 'aria-label': 'Time'});
  const readout = element('span', {className: 'readout'});
  const speed = speedChoice(RATES, state);
  const follow = element('select', {}, element('option', {value: -1}, 'all'),
                         ...bodies.map((one, k) => element('option', {value: k}, one.name)));
  const show = (text, what) => checkBox(text, '', state[what], on => { state[what] = on; draw(); });
  const look = (text, turn) => pushed(text, () => { turn(); draw(); });
  const sign = (text, colour) => {
    const one = element('span', {className: 'sign', 'aria-hidden': 'true'});
    one.style.background = 'var(' + colour + ')';
    return element('span', {className: 'measured'}, one, text);
  };
  const shows = [show('paths', 'paths')];
  if (bodies.length > 1) shows.push(show('names', 'names'));
  if (joints.length || springs.length) shows.push(show('joints and springs', 'parts'));
  if (largest) shows.push(show('impulses', 'impulses'));
  const acted = element('div', {className: 'acted'}, canvas,
    element('div', {className: 'viewer-bar'}, play,
      ...(struck.length ? [pushed('Previous impact', () => toImpact(-1)), pushed('Next impact', () => toImpact(1))] : []),
      slider, element('label', {}, 'Speed ', speed)),
    element('div', {className: 'viewer-bar'}, readout));
  if (energy.kinetic.length) {
    acted.append(plot, element('div', {className: 'viewer-bar'}, 'Energy: ', sign('kinetic', '--blue'),
      sign('potential, from its lowest', '--green'), sign('sum', '--ink'),
      ...(struck.length ? [sign('impacts', '--vermillion')] : [])));
  }
  root.append(
    element('div', {className: 'viewer-bar'},
      ...(bodies.length > 1 && bodies.length <= MANY ? [element('fieldset', {}, element('legend', {}, 'Bodies'),
        ...bodies.map(one => sign(one.name, one.colour)))] : []),
      element('fieldset', {}, element('legend', {}, 'Show'), ...shows),
      ...(bodies.length > 1 ? [element('label', {}, 'Follow ', follow)]
                            : [checkBox('follow it', '', false, on => { state.follow = on ? 0 : -1; refit(); })]),
      element('fieldset', {}, element('legend', {}, 'Look'),
        look('from the side', () => fromTheSide(0)), look('from the end', () => fromTheSide(0.5 * Math.PI)),
        look('from above', () => { state.pitch = 1.5; }),
        look('nearer', () => zoom(state, 1.25)), look('farther', () => zoom(state, 0.8)))),
    element('div', {className: 'stage'}, acted));

  // Where things are: `at` is the place in the times, found once for each picture.
  function placeInTime(time) {
    let from = 0, to = when.length - 1;
    while (to - from > 1) {
      const half = (from + to) >> 1;
      if (when[half] <= time) from = half; else to = half;
    }
    const length = when[to] - when[from];
    return from + (length > 0 ? clamp((time - when[from]) / length, 0, 1) : 1);
  }
  function ofList(list, mix) {
    const k = Math.min(Math.floor(at), list.length - 1), next = Math.min(k + 1, list.length - 1);
    return at > k && next > k ? mix(list[k], list[next], at - k) : list[k];
  }
  const poseOf = k => ofList(bodies[k].poses, mixed);
  const placeOf = ({body, at: p}) => body < 0 ? p : placed(poseOf(body), p);
  const directionOf = ({body}, p) => body < 0 ? p : turned(poseOf(body), p);

  function fromTheSide(turn) {
    state.pitch = 0.22;
    let xx = 1e-12, xy = 0, yy = 0;
    for (const one of bodies) for (const p of one.poses) {
      const x = p[0] - middle[0], y = p[1] - middle[1];
      xx += x * x;
      xy += x * y;
      yy += y * y;
    }
    // Square to where the bodies go, and before walls rather than behind them.
    const along = 0.5 * Math.atan2(2 * xy, xx - yy), walls = surfaces.filter(({body, normal}) => body < 0 && Math.abs(normal[2]) < 0.7);
    const behind = yaw => walls.reduce((sum, {normal}) =>
      sum + Math.min(0, normal[0] * Math.cos(yaw) + normal[1] * Math.sin(yaw) - 0.2), 0);
    const first = along - 0.5 * Math.PI + 0.3 + turn;
    const worth = yaw => Math.abs(Math.cos(yaw - first)) + 0.1 * Math.cos(yaw - first) + 3 * behind(yaw);
    state.yaw = [...Array(24).keys()].map(k => first + k * Math.PI / 12).reduce((a, b) => worth(b) > worth(a) + 1e-9 ? b : a);
  }

  function frameMotion() {
    low = [1 / 0, 1 / 0, 1 / 0];
    high = low.map(x => -x);
    const hold = (p, reach) => {
      for (let i = 0; i < 3; ++i) {
        low[i] = Math.min(low[i], p[i] - reach);
        high[i] = Math.max(high[i], p[i] + reach);
      }
    };
    for (const one of bodies) one.poses.forEach(p => hold(p, Math.max(...[0, ...one.points.map(norm)])));
    for (const {place} of joints) if (place.body < 0) hold(place.at, 0);
    for (const {first, second} of springs) for (const one of [first, second]) if (one.body < 0) hold(one.at, 0);
    // Of surfaces what is near.
    const near = 0.1 * norm(less(high, low)), least = low.map(x => x - near), most = high.map(x => x + near);
    for (const {body, rim} of surfaces) {
      if (body < 0) rim.forEach(p => hold(p.map((x, i) => clamp(x, least[i], most[i])), 0));
    }
    middle = times(0.5, add(low, high));
    extent = Math.max(0.5 * norm(less(high, low)), 1e-6);
  }
  const refit = () => { state.fitted = false; draw(); };
  const followed = () => bodies[state.follow];
  const targetNow = () => followed() ? poseOf(state.follow).slice(0, 3) : middle;
  const extentNow = () => followed() ? Math.max(3 * followed().reach, 0.05 * extent) : extent;

  // As near as all of the motion can be seen.
  function fit(width, height) {
    state.fitted = true;
    state.zoom = 1;
    if (followed()) return;
    const {see} = eyeOf(width, height, state, middle, extent);
    let most = 0;
    for (let k = 0; k < 8; ++k) {
      const q = see([k & 1 ? low[0] : high[0], k & 2 ? low[1] : high[1], k & 4 ? low[2] : high[2]]);
      most = Math.max(most, Math.abs(q[0] - width / 2) / (0.45 * width), Math.abs(q[1] - height / 2) / (0.41 * height));
    }
    zoom(state, 1 / most);
  }

  function paint(now) {
    if (state.playing) advance(now);
    const {c, width, height} = cleared(canvas);
    if (!state.fitted && width) fit(width, height);
    at = placeInTime(state.time);
    const view = eyeOf(width, height, state, targetNow(), extentNow());
    const patches = surfaces.filter(one => one.rim.length > 2).map(patchOf).sort((a, b) => view.see(b.middle)[2] - view.see(a.middle)[2]);
    patches.forEach(one => drawPatch(c, view, one));
    const poses = bodies.map((_, k) => poseOf(k));
    for (const patch of patches) {
      if (dot(patch.normal, [0, 0, 1]) < 0.5) continue;
      bodies.forEach(({hull}, k) => { if (hull) drawShadow(c, view, hull, poses[k], patch.corner, patch.normal, colours); });
    }
    if (state.paths) bodies.forEach(one => drawPath(c, view, one));
    inOrder(view, poses).forEach(k => drawOne(c, view, bodies[k], poses[k]));
    if (state.parts) drawParts(c, view);
    if (state.impulses) drawImpulses(c, view);
    if (state.names) bodies.forEach((one, k) => drawName(c, view, one, poses[k]));
    drawScale(c, view, height);
    if (energy.kinetic.length) drawEnergy();
    say();
  }

  function patchOf(surface) {
    const state_ = surface.body < 0 ? null : poseOf(surface.body);
    const shift = surface.shifts ? ofList(surface.shifts, (a, b, f) => add(times(1 - f, a), times(f, b))) : [0, 0, 0];
    const turn = p => state_ ? turned(state_, p) : p;
    const move = p => state_ ? placed(state_, p) : add(p, shift);
    const corner = move(surface.corner), u = turn(surface.u), v = turn(surface.v);
    return {corner, u, v, rim: surface.rim.map(move), normal: turn(surface.normal), middle: add(corner, times(0.5, add(u, v)))};
  }

  function drawPatch(c, view, {corner, u, v, rim}) {
    const step = niceStep(extent / 3), wide = norm(u), deep = norm(v);
    const on = (x, y) => add(corner, add(times(x, u), times(y, v)));
    c.save();
    trace(c, rim.map(view.see));
    c.clip();
    c.globalAlpha = 0.07;
    c.fillStyle = colours['--ink'];
    c.fill();
    c.globalAlpha = 1;
    for (let x = step; x < wide; x += step) line(c, view, [on(x / wide, 0), on(x / wide, 1)], colours['--rule'], 1);
    for (let y = step; y < deep; y += step) line(c, view, [on(0, y / deep), on(1, y / deep)], colours['--rule'], 1);
    c.restore();
    line(c, view, rim.concat([rim[0]]), colours['--soft'], 1);
  }

  function drawPath(c, view, one) {
    c.globalAlpha = 0.55;
    line(c, view, one.poses, colours[one.colour], 1);
    c.globalAlpha = 1;
  }

  // The farthest first; where a flat side of one parts two, by it.
  function inOrder(view, poses) {
    const order = bodies.map((_, k) => k), far = poses.map(p => norm(less(p, view.eye)));
    order.sort((a, b) => far[b] - far[a]);
    if (bodies.length > 5 * MANY) return order;
    const points = bodies.map((one, k) => (one.hull ? one.points : [[0, 0, 0], ...one.arms]).map(p => placed(poses[k], p)));
    // 1: b is nearer than a; -1: farther; 0: not known.
    const parted = (a, b) => {
      for (const [p, n] of bodies[a].sides) {
        const origin = placed(poses[a], p), normal = turned(poses[a], n), slack = 1e-3 * bodies[a].reach;
        if (points[b].every(q => dot(normal, less(q, origin)) > -slack)) return dot(normal, less(view.eye, origin)) > 0 ? 1 : -1;
      }
      return 0;
    };
    for (let pass = 0; pass < order.length; ++pass) {
      let changed = false;
      for (let i = 0; i < order.length; ++i) for (let j = i + 1; j < order.length; ++j) {
        const a = order[i], b = order[j], is = parted(a, b) || -parted(b, a);
        if (is >= 0) continue;
        order.splice(i, 0, order.splice(j, 1)[0]);
        changed = true;
      }
      if (!changed) break;
    }
    return order;
  }

  function drawOne(c, view, one, pose) {
    const colour = colours[one.colour];
    if (state.parts || !one.hull) one.arms.forEach(p => line(c, view, [pose, placed(pose, p)], colour, one.hull ? 1.2 : 3));
    if (one.hull) {
      drawBody(c, view, one.hull, {state: pose, colour, solid: true}, colours);
    } else {
      dotAt(c, view, pose, colour, 6);
      one.arms.forEach(p => dotAt(c, view, placed(pose, p), colour, 2.5));
    }
  }

  function drawParts(c, view) {
    springs.forEach(({first, second}) => zigzag(c, view.see(placeOf(first)), view.see(placeOf(second)), colours['--soft']));
    for (const {kind, place, axis} of joints) {
      const p = placeOf(place), along = unit(directionOf(place, axis)), q = view.see(p);
      if (kind === 'slide') line(c, view, [add(p, times(-0.3 * extent, along)), add(p, times(0.3 * extent, along))], colours['--soft'], 1, [6, 4]);
      if (kind === 'hinge') line(c, view, [add(p, times(-9 / view.scale, along)), add(p, times(9 / view.scale, along))], colours['--ink'], 1.5);
      c.beginPath();
      if (kind === 'hinge' || kind === 'ball') c.arc(q[0], q[1], 3.5, 0, 2 * Math.PI);
      else c.rect(q[0] - 3, q[1] - 3, 6, 6);
      c.fillStyle = kind === 'ball' ? colours['--ink'] : colours['--page'];
      c.fill();
      c.strokeStyle = colours['--ink'];
      c.lineWidth = 1.5;
      c.stroke();
    }
  }

  const shownImpacts = () => impacts.filter(({time}) => time <= state.time + 1e-12 && state.time - time < AFTERGLOW * end);

  // On both where both move.
  function drawImpulses(c, view) {
    for (const {time, impulses} of shownImpacts()) {
      c.globalAlpha = 1 - 0.8 * (state.time - time) / (AFTERGLOW * end);
      for (const {at: from, impulse, both} of impulses) {
        const way = times(0.3 * extentNow() / state.zoom / largest, impulse);
        arrow(c, view, from, add(from, way), colours['--vermillion']);
        if (both) arrow(c, view, from, less(from, way), colours['--vermillion']);
        dotAt(c, view, from, colours['--ink'], 2.5);
      }
      c.globalAlpha = 1;
    }
  }

  function drawName(c, view, one, pose) {
    const q = view.see(pose);
    c.font = '12px system-ui, sans-serif';
    c.lineWidth = 3;
    c.strokeStyle = colours['--page'];
    c.strokeText(one.name, q[0] + 8, q[1] - 8);
    c.fillStyle = colours['--ink'];
    c.fillText(one.name, q[0] + 8, q[1] - 8);
  }

  // How long things are where the motion is, and how the axes lie.
  function drawScale(c, view, height) {
    const step = niceStep(110 / view.scale), bar = step * view.scale, y = height - 12;
    c.strokeStyle = c.fillStyle = colours['--soft'];
    c.lineWidth = 1.5;
    c.beginPath();
    for (const [from, to] of [[[78, y - 4], [78, y + 4]], [[78, y], [78 + bar, y]], [[78 + bar, y - 4], [78 + bar, y + 4]]]) {
      c.moveTo(...from);
      c.lineTo(...to);
    }
    c.stroke();
    c.font = '12px system-ui, sans-serif';
    c.fillText(lengthText(step), 84 + bar, y + 4);
    const origin = [34, height - 30];
    ['x', 'y', 'z'].forEach((name, i) => {
      const axis = [0, 0, 0];
      axis[i] = 1;
      const tip = [origin[0] + 20 * dot(axis, view.right), origin[1] - 20 * dot(axis, view.up)];
      c.beginPath();
      c.moveTo(...origin);
      c.lineTo(...tip);
      c.stroke();
      if (Math.hypot(tip[0] - origin[0], tip[1] - origin[1]) > 6)
        c.fillText(name, origin[0] + 1.4 * (tip[0] - origin[0]) - 3, origin[1] + 1.4 * (tip[1] - origin[1]) + 4);
    });
  }

  const margin = {left: 58, right: 8, top: 8, bottom: 18};
  function drawEnergy() {
    const {c, width, height} = cleared(plot);
    const both = energy.kinetic.map((value, k) => value + energy.potential[k]);
    const most = Math.max(1e-300, ...both), wide = width - margin.left - margin.right;
    const x = time => margin.left + wide * time / end, deep = height - margin.top - margin.bottom;
    const y = value => height - margin.bottom - deep * value / most;
    c.font = '12px system-ui, sans-serif';
    const step = niceStep(most / 2);
    c.lineWidth = 1;
    for (let value = 0; value <= 1.0001 * most; value += step) {
      c.strokeStyle = colours['--rule'];
      c.beginPath();
      c.moveTo(margin.left, y(value));
      c.lineTo(width - margin.right, y(value));
      c.stroke();
      c.fillStyle = colours['--soft'];
      c.textAlign = 'right';
      c.fillText(Number(value.toPrecision(3)) + ' J', margin.left - 6, y(value) + 4);
    }
    c.textAlign = 'left';
    c.fillText('0 s', margin.left, height - 3);
    c.textAlign = 'right';
    c.fillText(Number(end.toPrecision(4)) + ' s', width - margin.right, height - 3);
    c.textAlign = 'left';
    c.strokeStyle = colours['--vermillion'];
    c.beginPath();
    for (const time of struck) {
      c.moveTo(x(time), height - margin.bottom);
      c.lineTo(x(time), height - margin.bottom - 6);
    }
    c.stroke();
    for (const [values, colour] of [[energy.potential, '--green'], [energy.kinetic, '--blue'], [both, '--ink']]) {
      c.beginPath();
      values.forEach((value, k) => { if (k) c.lineTo(x(when[k]), y(value)); else c.moveTo(x(when[k]), y(value)); });
      c.strokeStyle = colours[colour];
      c.lineWidth = 1.5;
      c.stroke();
    }
    c.strokeStyle = colours['--soft'];
    c.lineWidth = 1;
    c.beginPath();
    c.moveTo(x(state.time), margin.top);
    c.lineTo(x(state.time), height - margin.bottom);
    c.stroke();
  }

  function inWords() {
    const now = shownImpacts().filter(({time}) => Math.abs(time - state.time) < 1e-9);
    const pairs = [...new Set(now.flatMap(({impulses}) => impulses.map(({on, from}) => on + ' on ' + from)))];
    const time = state.time.toFixed(end < 1 ? 4 : 3) + ' s';
    if (!now.length) return time;
    const {before} = now[0], {after} = now[now.length - 1];
    const lost = before > 0 ? Math.round(1000 * (1 - after / before)) / 10 + ' % of the kinetic energy lost' : '';
    return time + ': ' + (pairs.length > 3 ? pairs.length + ' pairs strike' : pairs.join(', ')) + (lost ? '; ' + lost : '');
  }

  function say() {
    readout.textContent = inWords();
    play.textContent = still.matches ? 'Next moment' : state.playing ? 'Pause' : 'Play';
    slider.value = state.time / end;
    slider.setAttribute('aria-valuetext', readout.textContent);
  }

  function advance(now) {
    state.time += Math.min(0.1, (now - (last || now)) / 1000) / state.slower;
    last = now;
    if (state.time >= end) { state.time = end; state.playing = false; }
    if (state.playing) draw();
  }

  function goTo(time) {
    state.playing = false;
    state.time = clamp(time, 0, end);
    draw();
  }
  function toImpact(way) {
    const next = way > 0 ? struck.find(time => time > state.time + 1e-9)
                         : struck.filter(time => time < state.time - 1e-9).pop();
    if (next !== undefined) goTo(next);
  }

  // Who asks for reduced motion goes from moment to moment.
  function playOrPause() {
    if (still.matches) {
      const moments = struck.concat([...Array(21).keys()].map(k => end * k / 20)).sort((a, b) => a - b);
      goTo(moments.find(time => time > state.time + 1e-9) ?? 0);
      return;
    }
    state.playing = !state.playing;
    if (state.playing && state.time >= end) state.time = 0;
    last = 0;
    draw();
  }

  slider.oninput = () => goTo(Number(slider.value) * end);
  follow.onchange = () => { state.follow = Number(follow.value); refit(); };
  const seek = event => {
    const place = event.clientX - plot.getBoundingClientRect().left - margin.left;
    goTo(end * place / (plot.clientWidth - margin.left - margin.right));
  };
  plot.onpointerdown = event => { plot.setPointerCapture(event.pointerId); seek(event); };
  plot.onpointermove = event => { if (event.buttons) seek(event); };
  turnable(canvas, state, draw, playOrPause);
  still.addEventListener('change', draw);
  new ResizeObserver(draw).observe(canvas);
  frameMotion();
  fromTheSide(0);
  watchColours(colours, draw);
};
)js";
}

}  // namespace percuss::report
