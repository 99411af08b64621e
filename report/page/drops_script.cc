// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/page/viewer_html.h"

namespace percuss::report {

const char* DropsScript() {
  return R"js(
// Share of the slider that the impact takes: in time it is an instant, in which the impulse grows.
const IMPACT = [0.42, 0.58];
const IMPACT_SECONDS = 1.5;
const LAW_COLOURS = COLOURS.slice(1);
const SPEEDS = [1, 4, 10, 30, 100];

function between(states, share) {
  const x = clamp(share, 0, 1) * (states.length - 1), k = Math.min(Math.floor(x), states.length - 2);
  return mixed(states[k], states[k + 1], x - k);
}

// Part of a line of points, the last one on the way to the next.
function grown(points, share) {
  const x = share * (points.length - 1), k = Math.floor(x);
  if (k >= points.length - 1) return points;
  const on = add(times(1 - (x - k), points[k]), times(x - k, points[k + 1]));
  return points.slice(0, k + 1).concat([on]);
}

viewers.drops = (root, scene) => {
  const hull = hullOf(scene.body);
  const reach = Math.max(0, ...scene.body.points.map(norm));
  // A calibration has cameras and boards alone.
  const drops = scene.impacts.length > 0;
  const names = drops ? scene.impacts[0].laws.map(law => law.name) : [];
  const state = {impact: 0, at: 0, playing: false, slower: 10, yaw: 0, pitch: 0.25, zoom: 1,
                 apart: false, cameras: !drops, shown: new Set(names.slice(0, 1))};
  const colours = {}, draw = onceAFrame(paint);
  let target = [0, 0, 0], extent = 1, last = 0;

  // Controls: they exist only where this program runs.
  const canvas = sceneCanvas(drops ? 'The drop in three dimensions. Space plays.' : 'The cameras and the boards in three dimensions.');
  const film = element('canvas', {className: 'film', role: 'img', 'aria-label': 'What the cameras saw at this time'});
  const play = element('button', {type: 'button', className: 'play'});
  const slider = element('input', {type: 'range', min: 0, max: 1, step: 0.001, value: 0, 'aria-label': 'Time'});
  const readout = element('span', {className: 'readout'});
  const trials = element('select', {}, ...scene.impacts.map(
    (impact, k) => element('option', {value: k}, impact.name)));
  const speed = speedChoice(SPEEDS, state);
  const check = (text, colour, on, change) => checkBox(text, colour, on, now => { change(now); draw(); });
  const look = (text, turn) => pushed(text, () => { turn(); draw(); });
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
        look('nearer', () => zoom(state, 1.25)), look('farther', () => zoom(state, 0.8)))),
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

  function paint(now) {
    if (state.playing) advance(now);
    const {c, width, height} = cleared(canvas);
    const view = eyeOf(width, height, state, target, extent), now_ = moment();
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
    c.fillText('a square is ' + lengthText(step) + ' wide', 8, canvas.clientHeight - 8);
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
    all.forEach(one => drawShadow(c, view, hull, one.state, impact().contact, impact().normal, colours));
    all.sort((a, b) => b.depth - a.depth).forEach(one => drawBody(c, view, hull, one, colours));
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
  trials.onchange = () => { state.impact = Number(trials.value); frameScene(); fromTheSide(); draw(); };
  turnable(canvas, state, draw, playOrPause);
  still.addEventListener('change', draw);
  new ResizeObserver(draw).observe(canvas);
  frameScene();
  fromTheSide();
  state.at = 0.75;
  watchColours(colours, draw);
};
)js";
}

}  // namespace percuss::report
