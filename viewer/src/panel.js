/*
 * The controls: what is shown, the joints, frames and trails, and the motion. Texts of the robot reach the page through
 * textContent only.
 */
import { JOINTS, logOfQuaternion, quaternionOfLog } from './kinematics.js';

/* make('label', {className: 'x'}, child, 'text', …) */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element[key] = value;
  }
  element.append(...children);
  return element;
}

function section(title, open, ...children) {
  return make('details', { open }, make('summary', {}, title), ...children);
}

function tick(text, checked, change, className = 'grid2') {
  const input = make('input', { type: 'checkbox', checked, onchange: () => change(input.checked) });
  const label = make('label', { className }, input, text);
  label.set = (on) => {
    input.checked = on;
    change(on);
  };
  return label;
}

/* a slider and the number beside it; set(value) moves both and says nothing */
function slider(label, low, high, value, change) {
  const step = (high - low) / 400;
  const bar = make('input', { type: 'range', min: low, max: high, step, ariaLabel: label });
  const number = make('input', { type: 'number', step: 'any', ariaLabel: label });
  const row = make('div', { className: 'row' }, ...(label ? [make('b', { title: label }, label)] : []), bar, number);
  row.set = (x) => {
    bar.value = x;
    number.value = Number(x.toFixed(4));
  };
  bar.addEventListener('input', () => {
    number.value = Number(Number(bar.value).toFixed(4));
    change(Number(bar.value));
  });
  number.addEventListener('change', () => {
    if (!Number.isFinite(number.valueAsNumber)) return;
    bar.value = number.valueAsNumber;
    change(number.valueAsNumber);
  });
  row.set(value);
  return row;
}

/* [low, high] of a coordinate: its limits where it has both, else half a turn, or the robot's size */
function range(joint, k, turns, size) {
  const [low, high] = [joint.lower?.[k], joint.upper?.[k]];
  if (Number.isFinite(low) && Number.isFinite(high) && high > low) return [low, high];
  return turns ? [-Math.PI, Math.PI] : [-2 * size, 2 * size];
}

/* the sliders of a joint; rotations of three degrees of freedom are moved by their rotation vector */
function jointControl(viewer, joint) {
  const kind = JOINTS[joint.type];
  const size = viewer.robot.size;
  const control = make('div', { className: 'joint' }, make('span', { title: joint.name }, joint.name, make('i', {}, `  ${joint.type}`)));
  const rows = [];
  const set = (k, x) => {
    const q = viewer.robot.q.slice();
    q[joint.q + k] = x;
    viewer.setConfiguration(q);
  };
  (kind.turns ?? []).forEach((turns, k) => {
    const [low, high] = range(joint, k, turns, size);
    const row = slider(kind.labels?.[k] ?? '', low, high, viewer.robot.q[joint.q + k], (x) => set(k, x));
    rows.push(() => row.set(viewer.robot.q[joint.q + k]));
    control.append(row);
  });
  if (kind.quaternion !== undefined) {
    const at = joint.q + kind.quaternion;
    const vector = () => logOfQuaternion(viewer.robot.q.slice(at, at + 4));
    const three = ['rx', 'ry', 'rz'].map((name, i) =>
      slider(name, -Math.PI, Math.PI, vector()[i], (x) => {
        const q = viewer.robot.q.slice();
        const r = three.current.slice();
        r[i] = x;
        three.current = r;
        q.set(quaternionOfLog(r), at);
        viewer.setConfiguration(q, three);
      }),
    );
    three.current = vector();
    rows.push((mover) => {
      if (mover === three) return; /* beyond half a turn its own numbers are not the shortest ones */
      three.current = vector();
      three.forEach((row, i) => row.set(three.current[i]));
    });
    control.append(...three);
  }
  control.update = (mover) => rows.forEach((row) => row(mover));
  return control;
}

function jointSection(viewer) {
  const controls = viewer.model.joints.filter((j) => j.leader === undefined && JOINTS[j.type].nq > 0).map((j) => jointControl(viewer, j));
  viewer.onConfiguration((mover) => controls.forEach((control) => control.update(mover)));
  const reset = make('button', { type: 'button', onclick: () => viewer.reset() }, 'Reset');
  return section(`Joints (${controls.length})`, false, make('div', { className: 'row' }, reset), ...controls);
}

function showSection(viewer) {
  const { robot, stage, overlays } = viewer;
  const has = (layer) => robot.layers[layer].length > 0;
  const layer = (text, name) => (has(name) ? [tick(text, robot.shown[name], (on) => viewer.show(name, on))] : []);
  const rows = [
    tick('Robot', robot.shown.visual, (on) => viewer.show('visual', on)),
    ...layer('Shapes', 'collision'),
    ...layer('Inertia', 'inertia'),
    ...layer('Skeleton', 'skeleton'),
    tick('Centre of mass', overlays.com.visible, (on) => overlays.showCom(on)),
    ...(overlays.arrows.length ? [tick('Forces', true, (on) => viewer.showForces(on))] : []),
    tick('Floor', stage.floor.visible, (on) => {
      stage.setFloor(on, stage.floorHeight);
      overlays.update();
    }),
    tick('Shadows', true, (on) => stage.setShadows(on)),
    tick('See through', false, (on) => viewer.seeThrough(on)),
    tick('Dark', stage.theme === 'dark', (on) => stage.setTheme(on ? 'dark' : 'light')),
  ];
  return section('Show', true, ...rows);
}

function frameSection(viewer) {
  const { model, overlays, playback } = viewer;
  const body = make('tbody');
  const row = (name, axes, trail) => {
    const cell = (change) => make('td', {}, ...(change ? [make('input', { type: 'checkbox', ariaLabel: name, onchange: (e) => change(e.target.checked) })] : []));
    body.append(make('tr', {}, make('td', { title: name }, name), cell(axes), ...(playback ? [cell(trail)] : [])));
  };
  row('centre of mass', undefined, (on) => overlays.showTrail('com', on, playback));
  model.frames.forEach((frame, i) => row(frame.name, (on) => overlays.showFrame(i, on), (on) => overlays.showTrail(i, on, playback)));
  const head = make('tr', {}, make('th'), make('th', {}, 'axes'), ...(playback ? [make('th', {}, 'trail')] : []));
  const size = viewer.robot.size;
  const scale = slider('length', 0.02 * size, size, 0.22 * size, (x) => overlays.scaleFrames(x));
  return section(`Frames${playback ? ' and trails' : ''}`, false, scale, make('div', { className: 'scroll' }, make('table', {}, make('thead', {}, head), body)));
}

function header(viewer, pane) {
  const views = { Front: [1, 0, 0.08], Side: [0, -1, 0.08], Top: [0, -0.001, 1], Home: undefined };
  const buttons = Object.entries(views).map(([name, direction]) =>
    make('button', { type: 'button', onclick: () => viewer.look(direction) }, name),
  );
  const save = make('button', { type: 'button', title: 'Save a picture', onclick: () => viewer.savePicture() }, 'PNG');
  const close = make('button', { type: 'button', title: 'Show or hide the controls', onclick: () => pane.classList.toggle('closed') }, '☰');
  return make('header', {}, close, ...buttons, save);
}

export function makePanel(viewer) {
  const pane = make('aside');
  const problems = viewer.problems.length ? [make('p', { className: 'problems' }, viewer.problems.join('\n'))] : [];
  pane.append(header(viewer, pane), make('div', {}, ...problems, showSection(viewer), jointSection(viewer), frameSection(viewer)));
  if (window.innerWidth < 560) pane.classList.add('closed');
  return pane;
}

/* ---- the motion ---- */

export function makePlaybar(viewer) {
  const { playback } = viewer;
  const button = make('button', { type: 'button', ariaLabel: 'play or stop', onclick: () => viewer.play(!playback.playing) });
  const bar = make('input', { type: 'range', min: playback.begin, max: playback.end, step: 'any', ariaLabel: 'time' });
  const output = make('output');
  const speeds = [0.1, 0.25, 0.5, 1, 2, 4];
  const speed = make('select', { ariaLabel: 'speed', onchange: () => (playback.speed = Number(speed.value)) },
    ...speeds.map((x) => make('option', { value: x, selected: x === 1 }, `${x}×`)));
  const loop = tick('Loop', playback.loop, (on) => (playback.loop = on), '');
  const follow = tick('Follow', viewer.following, (on) => (viewer.following = on), '');
  bar.addEventListener('input', () => {
    viewer.play(false);
    viewer.setTime(Number(bar.value));
  });
  viewer.onTime(() => {
    bar.value = playback.time;
    output.value = `${playback.time.toFixed(2)} / ${playback.end.toFixed(2)} s`;
    button.textContent = playback.playing ? '❚❚' : '▶';
  });
  return make('div', { id: 'play' }, button, bar, output, speed, loop, follow);
}
