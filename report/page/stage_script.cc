// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/page/viewer_html.h"

namespace percuss::report {

// The bodies are convex: their faces towards the eye hide all others, so that a plain canvas draws
// them, which every browser does fast without a graphics card.
const char* StageScript() {
  return R"js(
const COLOURS = ['--blue', '--vermillion', '--green', '--orange', '--sky', '--grey'];
const viewers = {};
const still = matchMedia('(prefers-reduced-motion: reduce)');

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

// On the way from one state to the next.
function mixed(a, b, f) {
  const same = a[3] * b[3] + a[4] * b[4] + a[5] * b[5] + a[6] * b[6] < 0 ? -1 : 1;
  const mean = a.map((value, i) => (1 - f) * value + f * b[i] * (i < 3 ? 1 : same));
  const length = Math.hypot(...mean.slice(3));
  return mean.map((value, i) => i < 3 ? value : value / length);
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

const lengthText = length => length >= 1 ? length + ' m' : Math.round(1e4 * length) / 10 + ' mm';

// A convex body with the edges at which faces meet at an angle: only those are drawn.
function hullOf(body) {
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
  return {points: body.points, faces: body.faces, normals, edges};
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

function sceneCanvas(label) {
  return element('canvas', {tabIndex: 0, className: 'scene', role: 'img',
    'aria-label': label + ' Arrow keys turn it, plus and minus bring it nearer and farther.'});
}

const pushed = (text, then) => element('button', {type: 'button', onclick: then}, text);

function checkBox(text, colour, on, change) {
  const box = element('input', {type: 'checkbox', checked: on, onchange: () => change(box.checked)});
  const sign = element('span', {className: 'sign', 'aria-hidden': 'true'});
  sign.style.background = colour ? 'var(' + colour + ')' : 'none';
  return element('label', {}, box, ...(colour ? [sign] : []), text);
}

// state.slower is how many times slower than it was.
function speedChoice(speeds, state) {
  const words = slower => slower === 1 ? 'as fast as it was' : slower < 1 ? 1 / slower + ' times faster' : slower + ' times slower';
  const choice = element('select', {}, ...speeds.map(
    slower => element('option', {value: slower, selected: slower === state.slower}, words(slower))));
  choice.onchange = () => { state.slower = Number(choice.value); };
  return choice;
}

// Draws once in a frame, however often it is asked to.
function onceAFrame(paint) {
  let wanted = false;
  return () => {
    if (wanted) return;
    wanted = true;
    requestAnimationFrame(now => { wanted = false; paint(now); });
  };
}

// A canvas as large as its place, empty.
function cleared(canvas) {
  const ratio = Math.min(devicePixelRatio || 1, 2), width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  const c = canvas.getContext('2d');
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.clearRect(0, 0, width, height);
  c.lineJoin = 'round';
  return {c, width, height};
}

// `look` has yaw, pitch and zoom.
function eyeOf(width, height, look, target, extent) {
  const level = Math.cos(look.pitch), out = [level * Math.cos(look.yaw), level * Math.sin(look.yaw), Math.sin(look.pitch)];
  const right = [-Math.sin(look.yaw), Math.cos(look.yaw), 0];
  const up = cross(out, right);
  const distance = 4 * extent, scale = 0.56 * Math.min(width, height * 1.3) / extent * distance * look.zoom;
  const eye = add(target, times(distance, out));
  const see = p => {
    const d = less(p, eye), depth = -dot(d, out);
    return [width / 2 + scale * dot(d, right) / depth, height / 2 - scale * dot(d, up) / depth, depth];
  };
  return {eye, see, right, up, scale: scale / distance};
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

function dotAt(c, view, p, colour, radius) {
  const q = view.see(p);
  c.beginPath();
  c.arc(q[0], q[1], radius, 0, 2 * Math.PI);
  c.fillStyle = colour;
  c.fill();
}

// A colour of the style sheet, #rrggbb, thinned by another.
function thinned(colour, page, share) {
  const parts = hex => [1, 3, 5].map(k => parseInt(hex.slice(k, k + 2), 16)), to = parts(page);
  return 'rgb(' + parts(colour).map((part, k) => Math.round(share * part + (1 - share) * to[k])).join(' ') + ')';
}

// On a plane through a point, along its normal.
function drawShadow(c, view, hull, state, point, normal, colours) {
  const below = hull.points.map(one => {
    const p = placed(state, one);
    return view.see(less(p, times(dot(less(p, point), normal), normal)));
  });
  trace(c, outline(below));
  c.globalAlpha = 0.1;
  c.fillStyle = colours['--ink'];
  c.fill();
  c.globalAlpha = 1;
}

function drawBody(c, view, hull, {state, colour, solid}, colours) {
  const points = hull.points.map(p => placed(state, p)), seen = points.map(view.see);
  const light = unit(add(less(view.eye, state), [0, 0, norm(less(view.eye, state))]));
  const towards = hull.faces.map(([a], f) => dot(turned(state, hull.normals[f]), less(view.eye, points[a])) > 0);
  if (solid) {
    trace(c, outline(seen));
    c.fillStyle = colours['--page'];
    c.fill();
  }
  c.fillStyle = c.strokeStyle = colour;
  c.lineWidth = 0.6;
  hull.faces.forEach((face, f) => {
    if (!towards[f]) return;
    const bright = 0.25 + 0.55 * Math.max(0, dot(turned(state, hull.normals[f]), light));
    trace(c, face.map(k => seen[k]));
    // With its rim, so that no seam shines through between two faces.
    if (solid) {
      c.fillStyle = c.strokeStyle = thinned(colour, colours['--page'], bright);
      c.stroke();
    } else {
      c.globalAlpha = 0.3 * bright;
    }
    c.fill();
  });
  c.fillStyle = c.strokeStyle = colour;
  // A disc without thickness.
  if (!hull.faces.length) {
    trace(c, outline(seen));
    c.globalAlpha = 0.5;
    c.fill();
  }
  c.globalAlpha = 1;
  for (const [a, b, f, g] of hull.edges) {
    if (towards[f] || towards[g]) line(c, view, [points[a], points[b]], colour, solid ? 1.5 : 2, solid ? [] : [5, 4]);
  }
  if (!hull.edges.length || !solid) {
    trace(c, outline(seen));
    c.lineWidth = 1;
    c.setLineDash(solid ? [] : [5, 4]);
    c.stroke();
    c.setLineDash([]);
  }
}

function zoom(look, factor) { look.zoom = clamp(look.zoom * factor, 0.2, 12); }

// By the pointer, the wheel and keys.
function turnable(canvas, look, draw, play) {
  canvas.onpointerdown = event => { canvas.setPointerCapture(event.pointerId); };
  canvas.onpointermove = event => {
    if (!event.buttons) return;
    look.yaw -= 0.008 * event.movementX;
    look.pitch = clamp(look.pitch + 0.008 * event.movementY, -0.2, 1.55);
    draw();
  };
  canvas.addEventListener('wheel', event => {
    if (document.activeElement !== canvas && !event.ctrlKey) return;
    event.preventDefault();
    zoom(look, event.deltaY < 0 ? 1.1 : 1 / 1.1);
    draw();
  }, {passive: false});
  canvas.onkeydown = event => {
    const keys = {ArrowLeft: () => { look.yaw -= 0.1; }, ArrowRight: () => { look.yaw += 0.1; },
                  ArrowUp: () => { look.pitch = Math.min(1.55, look.pitch + 0.1); },
                  ArrowDown: () => { look.pitch = Math.max(-0.2, look.pitch - 0.1); },
                  '+': () => zoom(look, 1.25), '-': () => zoom(look, 0.8), ' ': play};
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
    draw();
  };
}

// Those of the style sheet, in light and dark; draws.
function watchColours(colours, draw) {
  const read = () => {
    const style = getComputedStyle(document.documentElement);
    for (const name of ['--page', '--ink', '--soft', '--rule', ...COLOURS]) colours[name] = style.getPropertyValue(name).trim();
    draw();
  };
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', read);
  read();
}
)js";
}

}  // namespace percuss::report
