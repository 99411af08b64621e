// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/page/viewer_html.h"

namespace percuss::report {

// The bodies are convex: their faces towards the eye hide all others, so that a plain canvas draws
// them, which every browser does fast without a graphics card.
const char* ViewerScript() {
  return R"js('use strict';
(() => {
// Share of the slider that the impact takes: in time it is an instant, in which the impulse grows.
const IMPACT = [0.42, 0.58];
const IMPACT_SECONDS = 1.5;
const LAW_COLOURS = ['--vermillion', '--green', '--orange', '--sky', '--grey'];
const SPEEDS = [1, 4, 10, 30, 100];

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const less = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const times = (s, a) => [s * a[0], s * a[1], s * a[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const norm = a => Math.sqrt(dot(a, a));
const unit = a => times(1 / (norm(a) || 1), a);
const clamp = (x, low, high) => Math.min(high, Math.max(low, x));

// A state is x, y, z and the quaternion w, x, y, z of the body.
function turned(state, p) {
  const w = state[3], v = [state[4], state[5], state[6]];
  const t = times(2, cross(v, p));
  return add(add(p, times(w, t)), cross(v, t));
}
const placed = (state, p) => add(state, turned(state, p));

function between(states, share) {
  const x = clamp(share, 0, 1) * (states.length - 1), k = Math.min(Math.floor(x), states.length - 2);
  const a = states[k], b = states[k + 1], f = x - k;
  const same = a[3] * b[3] + a[4] * b[4] + a[5] * b[5] + a[6] * b[6] < 0 ? -1 : 1;
  const mixed = a.map((value, i) => (1 - f) * value + f * b[i] * (i < 3 ? 1 : same));
  const length = Math.hypot(...mixed.slice(3));
  return mixed.map((value, i) => i < 3 ? value : value / length);
}

// Part of a line of points, the last one on the way to the next.
function grown(points, share) {
  const x = share * (points.length - 1), k = Math.floor(x);
  if (k >= points.length - 1) return points;
  const on = add(times(1 - (x - k), points[k]), times(x - k, points[k + 1]));
  return points.slice(0, k + 1).concat([on]);
}

// Round the points of a picture (A. M. Andrew's monotone chain).
function outline(points) {
  const sorted = points.slice().sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = list => {
    const line = [];
    for (const p of list) {
      for (let n = line.length; n >= 2; n = line.length) {
        const a = line[n - 2], b = line[n - 1];
        if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) break;
        line.pop();
      }
      line.push(p);
    }
    line.pop();
    return line;
  };
  return half(sorted).concat(half(sorted.reverse()));
}

function niceStep(length) {
  const power = 10 ** Math.floor(Math.log10(length));
  return power * (length / power >= 5 ? 5 : length / power >= 2 ? 2 : 1);
}

// Edges at which faces meet at an angle: only those are drawn.
function sharpEdges(body) {
  const normals = body.faces.map(([a, b, c]) => {
    const p = body.points;
    return unit(cross(less(p[b], p[a]), less(p[c], p[a])));
  });
  const first = new Map(), edges = [];
  body.faces.forEach((face, f) => face.forEach((a, i) => {
    const b = face[(i + 1) % 3], key = Math.min(a, b) + ' ' + Math.max(a, b);
    if (!first.has(key)) first.set(key, f);
    else if (dot(normals[f], normals[first.get(key)]) < 0.93) edges.push([a, b, first.get(key), f]);
  }));
  return {normals, edges};
}

function element(tag, properties, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in made) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

function viewer(root) {
  const scene = JSON.parse(root.querySelector('script').textContent);
  const {normals, edges} = sharpEdges(scene.body);
  const reach = Math.max(0, ...scene.body.points.map(norm));
  const still = matchMedia('(prefers-reduced-motion: reduce)');
  // A calibration has cameras and boards alone.
  const drops = scene.impacts.length > 0;
  const names = drops ? scene.impacts[0].laws.map(law => law.name) : [];
  const state = {impact: 0, at: 0, playing: false, slower: 10, yaw: 0, pitch: 0.25, zoom: 1,
                 apart: false, cameras: !drops, shown: new Set(names.slice(0, 1))};
  let colours = {}, wanted = false, target = [0, 0, 0], extent = 1, last = 0;

  // Controls: they exist only where this program runs.
  const canvas = element('canvas', {tabIndex: 0, className: 'scene', role: 'img',
    'aria-label': (drops ? 'The drop in three dimensions. Space plays. ' : 'The cameras and the boards in three dimensions. ') +
      'Arrow keys turn it, plus and minus bring it nearer and farther.'});
  const film = element('canvas', {className: 'film', role: 'img', 'aria-label': 'What the cameras saw at this time'});
  const play = element('button', {type: 'button', className: 'play'});
  const slider = element('input', {type: 'range', min: 0, max: 1, step: 0.001, value: 0, 'aria-label': 'Time'});
  const readout = element('span', {className: 'readout'});
  const trials = element('select', {}, ...scene.impacts.map(
    (impact, k) => element('option', {value: k}, impact.name)));
  const speed = element('select', {}, ...SPEEDS.map(
    slower => element('option', {value: slower, selected: slower === state.slower},
                      slower === 1 ? 'as fast as it was' : slower + ' times slower')));
  const check = (text, colour, on, change) => {
    const box = element('input', {type: 'checkbox', checked: on, onchange: () => { change(box.checked); draw(); }});
    const sign = element('span', {className: 'sign', 'aria-hidden': 'true'});
    sign.style.background = colour ? 'var(' + colour + ')' : 'none';
    return element('label', {}, box, ...(colour ? [sign] : []), text);
  };
  const look = (text, turn) => element('button', {type: 'button', onclick: () => { turn(); draw(); }}, text);
  const toCamera = camera => () => {
    const d = less(camera.centre, target);
    state.yaw = Math.atan2(d[1], d[0]);
    state.pitch = Math.atan2(d[2], Math.hypot(d[0], d[1]));
  };
  const shows = () => [
      element('label', {}, 'Impact ', trials),
      element('fieldset', {}, element('legend', {}, 'Show'),
        element('span', {className: 'measured'}, element('span', {className: 'sign', 'aria-hidden': 'true'}), 'measured'),
        ...names.map((name, k) => check(name + ' predicts', LAW_COLOURS[k % LAW_COLOURS.length],
          state.shown.has(name), on => on ? state.shown.add(name) : state.shown.delete(name))),
        check('side by side', '', false, on => { state.apart = on; }),
        ...(scene.cameras.length ? [check('cameras and boards', '', false, on => { state.cameras = on; frameScene(); })] : []))];
  root.append(
    element('div', {className: 'viewer-bar'}, ...(drops ? shows() : []),
      element('fieldset', {}, element('legend', {}, 'Look'),
        look('from the side', () => { fromTheSide(); }), look('from above', () => { state.pitch = 1.5; }),
        ...scene.cameras.map(camera => look('from the ' + camera.name + ' camera', toCamera(camera))),
        look('nearer', () => zoom(1.25)), look('farther', () => zoom(0.8)))),
    element('div', {className: 'stage'},
      element('div', {className: 'acted'}, canvas, ...(drops
        ? [element('div', {className: 'viewer-bar'}, play, slider, readout, element('label', {}, 'Speed ', speed))] : [])),
      film));

  const none = {laws: [], markers: [], before: [], after: [], contact: [0, 0, 0], normal: [0, 0, 1], begin: -1, end: 1};
  const impact = () => scene.impacts[state.impact] || none;

  // What the slider stands for: seconds from the impact, and the share of the impulse.
  function moment() {
    const {begin, end} = impact(), s = state.at;
    if (s < IMPACT[0]) return {time: begin * (1 - s / IMPACT[0]), share: 0};
    if (s > IMPACT[1]) return {time: end * (s - IMPACT[1]) / (1 - IMPACT[1]), share: 1};
    return {time: 0, share: (s - IMPACT[0]) / (IMPACT[1] - IMPACT[0])};
  }

  function fromTheSide() {
    state.pitch = 0.22;
    if (!drops) {
      // So that the cameras stand beside the boards, not before them.
      const eye = less(scene.cameras[0].centre, target);
      state.yaw = Math.atan2(eye[1], eye[0]) + 1.1;
      state.pitch = 0.5;
      return;
    }
    const {before} = impact(), a = before[0], b = before[before.length - 1];
    const along = [b[0] - a[0], b[1] - a[1]];
    const eye = scene.cameras.length ? less(scene.cameras[0].centre, target) : [0, -1, 0];
    state.yaw = Math.hypot(...along) > 0.1 * Math.abs(a[2] - b[2])
      ? Math.atan2(-along[0], along[1]) + 0.3 : Math.atan2(eye[1], eye[0]);
  }

  function frameScene() {
    const {before, after, contact} = impact();
    const all = drops ? before.concat(after) : scene.boards.flat().concat(scene.cameras.map(camera => camera.centre));
    const low = all[0].slice(0, 3), high = low.slice();
    for (const p of all) for (let i = 0; i < 3; ++i) {
      low[i] = Math.min(low[i], p[i] - reach);
      high[i] = Math.max(high[i], p[i] + reach);
    }
    target = times(0.5, add(low, high));
    target[2] = 0.5 * (Math.min(contact[2], low[2]) + high[2]);
    extent = (drops ? 0.5 : 0.35) * norm(less(high, low));
    if (state.cameras && drops) {
      for (const camera of scene.cameras) extent = Math.max(extent, norm(less(camera.centre, target)));
    }
  }

  const zoom = factor => { state.zoom = clamp(state.zoom * factor, 0.2, 12); };

  function eyeOf(width, height) {
    const c = Math.cos(state.pitch), out = [c * Math.cos(state.yaw), c * Math.sin(state.yaw), Math.sin(state.pitch)];
    const right = [-Math.sin(state.yaw), Math.cos(state.yaw), 0];
    const up = cross(out, right);
    const distance = 4 * extent, scale = 0.56 * Math.min(width, height * 1.3) / extent * distance * state.zoom;
    const eye = add(target, times(distance, out));
    const see = p => {
      const d = less(p, eye), depth = -dot(d, out);
      return [width / 2 + scale * dot(d, right) / depth, height / 2 - scale * dot(d, up) / depth, depth];
    };
    return {eye, see, right};
  }

  function draw() {
    if (wanted) return;
    wanted = true;
    requestAnimationFrame(now => { wanted = false; paint(now); });
  }

  function paint(now) {
    if (state.playing) advance(now);
    const ratio = Math.min(devicePixelRatio || 1, 2);
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    const c = canvas.getContext('2d');
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, width, height);
    c.lineJoin = 'round';
    const view = eyeOf(width, height), now_ = moment();
    floor(c, view);
    if (state.cameras) rig(c, view);
    const shown = impact().laws.map((law, k) => ({law, colour: colours[LAW_COLOURS[k % LAW_COLOURS.length]]}))
      .filter(one => state.shown.has(one.law.name));
    const shift = k => state.apart ? times(2.4 * reach * k, view.right) : [0, 0, 0];
    paths(c, view, shown, shift);
    impulses(c, view, shown, shift, now_.share);
    if (drops) bodies(c, view, shown, shift, now_);
    markers(c, view, now_.time);
    paintFilm(now_.time);
    say(now_);
  }

  function line(c, view, points, colour, width, dash = []) {
    c.beginPath();
    points.map(view.see).forEach((q, k) => { if (k) c.lineTo(q[0], q[1]); else c.moveTo(q[0], q[1]); });
    c.strokeStyle = colour;
    c.lineWidth = width;
    c.setLineDash(dash);
    c.stroke();
    c.setLineDash([]);
  }

  // A closed line through points of the picture.
  function trace(c, points) {
    c.beginPath();
    points.forEach((q, k) => { if (k) c.lineTo(q[0], q[1]); else c.moveTo(q[0], q[1]); });
    c.closePath();
  }

  function planeOf() {
    const n = impact().normal, u = unit(cross(Math.abs(n[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0], n));
    return {n, u, v: cross(n, u)};
  }

  function floor(c, view) {
    const {u, v} = planeOf(), centre = impact().contact, step = niceStep(extent / 3), count = 6;
    const at = (i, j) => add(centre, add(times(i * step, u), times(j * step, v)));
    for (let k = -count; k <= count; ++k) {
      line(c, view, [at(k, -count), at(k, count)], colours['--rule'], 1);
      line(c, view, [at(-count, k), at(count, k)], colours['--rule'], 1);
    }
    c.fillStyle = colours['--soft'];
    c.font = '12px system-ui, sans-serif';
    const size = step >= 1 ? step + ' m' : Math.round(1e4 * step) / 10 + ' mm';
    c.fillText('a square is ' + size + ' wide', 8, canvas.clientHeight - 8);
  }

  function pyramid(c, view, camera) {
    const {centre, corners} = camera;
    corners.forEach((corner, k) => line(c, view, [centre, corner, corners[(k + 1) % 4]], colours['--soft'], 1));
    const at = view.see(centre);
    c.fillStyle = colours['--soft'];
    c.fillText(camera.name, at[0] + 6, at[1] - 6);
  }

  // The farthest boards first.
  function rig(c, view) {
    const middle = board => times(0.5, add(board[0], board[2]));
    const order = scene.boards.slice().sort((a, b) => view.see(middle(b))[2] - view.see(middle(a))[2]);
    for (const board of order) {
      trace(c, board.map(view.see));
      c.globalAlpha = 0.12;
      c.fillStyle = colours['--green'];
      c.fill();
      c.globalAlpha = 1;
      c.strokeStyle = colours['--green'];
      c.lineWidth = 1;
      c.stroke();
    }
    scene.cameras.forEach(camera => pyramid(c, view, camera));
  }

  function paths(c, view, shown, shift) {
    const {before, after} = impact();
    line(c, view, before.concat(after), colours['--blue'], 1.5);
    shown.forEach(({law, colour}, k) => {
      if (law.after) line(c, view, law.after.map(p => add(p, shift(k + 1))), colour, 1.5, [5, 4]);
    });
  }

  // The impulse from the contact point on, in the cone that friction cannot leave.
  function impulses(c, view, shown, shift, share) {
    const {contact, normal} = impact(), {u, v} = planeOf();
    const largest = Math.max(0, ...shown.flatMap(({law}) => (law.impulse || []).map(norm)),
                             ...shown.map(({law}) => law.measured_impulse ? norm(law.measured_impulse) : 0));
    if (!largest || !share) return;
    const scale = 1.1 * reach / largest;
    shown.forEach(({law, colour}, k) => {
      const origin = add(contact, shift(k + 1)), tip = p => add(origin, times(scale, p));
      if (law.friction > 0 && law.impulse && law.impulse.length) {
        const height = 1.15 * Math.max(...law.impulse.map(p => dot(p, normal))), rim = [];
        for (let i = 0; i <= 36; ++i) {
          const a = i * Math.PI / 18, side = add(times(Math.cos(a), u), times(Math.sin(a), v));
          rim.push(tip(times(height, add(normal, times(law.friction, side)))));
        }
        c.globalAlpha = 0.13;
        c.fillStyle = colour;
        trace(c, outline(rim.concat([origin]).map(view.see)));
        c.fill();
        c.globalAlpha = 0.6;
        line(c, view, rim, colour, 1);
        c.globalAlpha = 1;
      }
      if (law.impulse && law.impulse.length) line(c, view, grown(law.impulse, share).map(tip), colour, 3);
    });
    const measured = shown.map(({law}) => law.measured_impulse).find(Boolean);
    if (measured && share === 1) {
      const tip = add(contact, times(scale, measured));
      line(c, view, [contact, tip], colours['--blue'], 2);
      dotAt(c, view, tip, colours['--blue'], 4);
    }
  }

  function dotAt(c, view, p, colour, radius) {
    const q = view.see(p);
    c.beginPath();
    c.arc(q[0], q[1], radius, 0, 2 * Math.PI);
    c.fillStyle = colour;
    c.fill();
  }

  function bodies(c, view, shown, shift, {time, share}) {
    const {begin, end, before, after} = impact();
    const measured = time < 0 || share < 1 ? between(before, 1 - time / begin) : between(after, time / end);
    const all = [{state: measured, colour: colours['--blue'], solid: true}];
    shown.forEach(({law, colour}, k) => {
      if (!law.after || (time <= 0 && !state.apart)) return;
      const predicted = time > 0 ? between(law.after, time / end) : measured;
      all.push({state: predicted.map((value, i) => i < 3 ? value + shift(k + 1)[i] : value), colour, solid: state.apart});
    });
    for (const one of all) one.depth = norm(less(one.state, view.eye));
    all.forEach(one => shadow(c, view, one.state));
    all.sort((a, b) => b.depth - a.depth).forEach(one => body(c, view, one));
  }

  function shadow(c, view, state) {
    const {contact, normal} = impact();
    const below = scene.body.points.map(point => {
      const p = placed(state, point);
      return view.see(less(p, times(dot(less(p, contact), normal), normal)));
    });
    trace(c, outline(below));
    c.globalAlpha = 0.1;
    c.fillStyle = colours['--ink'];
    c.fill();
    c.globalAlpha = 1;
  }

  function body(c, view, {state, colour, solid}) {
    const points = scene.body.points.map(p => placed(state, p)), seen = points.map(view.see);
    const light = unit(add(less(view.eye, state), [0, 0, norm(less(view.eye, state))]));
    const towards = scene.body.faces.map(([a], f) =>
      dot(turned(state, normals[f]), less(view.eye, points[a])) > 0);
    if (solid) {
      trace(c, outline(seen));
      c.fillStyle = colours['--page'];
      c.fill();
    }
    c.fillStyle = c.strokeStyle = colour;
    c.lineWidth = 1;
    scene.body.faces.forEach((face, f) => {
      if (!towards[f]) return;
      const bright = 0.25 + 0.55 * Math.max(0, dot(turned(state, normals[f]), light));
      c.globalAlpha = solid ? bright : 0.3 * bright;
      trace(c, face.map(k => seen[k]));
      c.fill();
    });
    c.globalAlpha = 1;
    for (const [a, b, f, g] of edges) {
      if (towards[f] || towards[g]) line(c, view, [points[a], points[b]], colour, solid ? 1.5 : 2, solid ? [] : [5, 4]);
    }
    if (!edges.length || !solid) {
      trace(c, outline(seen));
      c.setLineDash(solid ? [] : [5, 4]);
      c.stroke();
      c.setLineDash([]);
    }
  }

  // Where each marker was measured up to now, and, larger, now.
  function markers(c, view, time) {
    const now = time - 0.03 * (impact().end - impact().begin);
    for (const {places} of impact().markers) {
      const past = places.filter(p => p[0] <= time + 1e-9);
      c.globalAlpha = 0.45;
      past.forEach(p => dotAt(c, view, p.slice(1), colours['--orange'], 1.2));
      c.globalAlpha = 1;
      const last = past[past.length - 1];
      if (last && last[0] > now) dotAt(c, view, last.slice(1), colours['--orange'], 3.5);
    }
  }

  const pictures = (scene.films || []).map(() => null);
  function paintFilm(time) {
    const at = impact().film;
    film.hidden = at === undefined;
    if (film.hidden) return;
    const {picture, columns, width, height, times: when} = scene.films[at];
    if (!pictures[at]) {
      pictures[at] = new Image();
      pictures[at].onload = draw;
      pictures[at].src = picture;
    }
    if (!pictures[at].complete) return;
    let nearest = 0;
    when.forEach((t, k) => {
      if (Math.abs(t - impact().time - time) < Math.abs(when[nearest] - impact().time - time)) nearest = k;
    });
    if (film.width !== width) film.width = width;
    if (film.height !== height) film.height = height;
    film.getContext('2d').drawImage(pictures[at], nearest % columns * width, Math.floor(nearest / columns) * height,
                                    width, height, 0, 0, width, height);
  }

  function say({time, share}) {
    const ms = Math.abs(1000 * time).toFixed(1) + ' ms ';
    readout.textContent = time < 0 ? ms + 'before the impact' : time > 0 ? ms + 'after the impact'
      : 'impact: ' + Math.round(100 * share) + ' % of the impulse';
    play.textContent = still.matches ? 'Next moment' : state.playing ? 'Pause' : 'Play';
    slider.value = state.at;
    slider.setAttribute('aria-valuetext', readout.textContent);
  }

  function advance(now) {
    const seconds = Math.min(0.1, (now - (last || now)) / 1000), {begin, end} = impact();
    last = now;
    if (state.at < IMPACT[0]) state.at = Math.min(IMPACT[0], state.at + seconds / state.slower / -begin * IMPACT[0]);
    else if (state.at < IMPACT[1]) state.at += seconds / IMPACT_SECONDS * (IMPACT[1] - IMPACT[0]);
    else state.at += seconds / state.slower / end * (1 - IMPACT[1]);
    if (state.at >= 1) { state.at = 1; state.playing = false; }
    if (state.playing) draw();
  }

  // Who asks for reduced motion goes from moment to moment.
  function playOrPause() {
    if (still.matches) {
      const moments = [0, IMPACT[0], 0.5 * (IMPACT[0] + IMPACT[1]), IMPACT[1], 1];
      state.at = moments.find(moment => moment > state.at + 1e-6) || 0;
    } else {
      state.playing = !state.playing;
      if (state.playing && state.at >= 1) state.at = 0;
      last = 0;
    }
    draw();
  }

  play.onclick = playOrPause;
  slider.oninput = () => { state.playing = false; state.at = Number(slider.value); draw(); };
  speed.onchange = () => { state.slower = Number(speed.value); };
  trials.onchange = () => { state.impact = Number(trials.value); frameScene(); fromTheSide(); draw(); };
  canvas.onpointerdown = event => { canvas.setPointerCapture(event.pointerId); };
  canvas.onpointermove = event => {
    if (!event.buttons) return;
    state.yaw -= 0.008 * event.movementX;
    state.pitch = clamp(state.pitch + 0.008 * event.movementY, -0.2, 1.55);
    draw();
  };
  canvas.addEventListener('wheel', event => {
    if (document.activeElement !== canvas && !event.ctrlKey) return;
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.1 : 1 / 1.1);
    draw();
  }, {passive: false});
  canvas.onkeydown = event => {
    const keys = {ArrowLeft: () => { state.yaw -= 0.1; }, ArrowRight: () => { state.yaw += 0.1; },
                  ArrowUp: () => { state.pitch = Math.min(1.55, state.pitch + 0.1); },
                  ArrowDown: () => { state.pitch = Math.max(-0.2, state.pitch - 0.1); },
                  '+': () => zoom(1.25), '-': () => zoom(0.8), ' ': playOrPause};
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
    draw();
  };

  function readColours() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ['--page', '--blue', '--ink', '--soft', '--rule', ...LAW_COLOURS]) colours[name] = style.getPropertyValue(name).trim();
    draw();
  }
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', readColours);
  still.addEventListener('change', draw);
  new ResizeObserver(draw).observe(canvas);
  frameScene();
  fromTheSide();
  state.at = 0.75;
  readColours();
}

document.querySelectorAll('.viewer').forEach(viewer);
})();
)js";
}

}  // namespace percuss::report
