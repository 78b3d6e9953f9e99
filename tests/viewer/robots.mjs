/* What the tests of the viewer share: the command, pages, random configurations, poses by the C library. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { JOINTS } from '../../viewer/src/kinematics.js';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const command = process.env.HAMEL_COMMAND ?? join(root, 'build/hamel');

export function hamel(...words) {
  return execFileSync(command, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

export function folder() {
  const path = mkdtempSync(join(tmpdir(), 'hamel-viewer-'));
  process.on('exit', () => rmSync(path, { recursive: true, force: true }));
  return path;
}

/* the JSON that a page holds */
export function sceneOf(page) {
  return JSON.parse(/<script id="scene"[^>]*>(.*?)<\/script>/s.exec(readFileSync(page, 'utf8'))[1]);
}

/* mulberry32: the same numbers every time */
export function randomNumbers(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/* a state file with every joint somewhere */
export function randomState(model, seed, path) {
  const random = randomNumbers(seed);
  const joints = {};
  for (const joint of model.joints) {
    const kind = JOINTS[joint.type];
    if (joint.leader !== undefined || kind.nq === 0) continue;
    const position = Array.from({ length: kind.nq }, () => 4 * random() - 2);
    if (kind.quaternion !== undefined) {
      const q = position.slice(kind.quaternion, kind.quaternion + 4);
      const n = Math.hypot(...q);
      q.forEach((x, i) => (position[kind.quaternion + i] = x / n));
    }
    joints[joint.name] = { position };
  }
  writeFileSync(path, JSON.stringify({ joints }));
}

/* the pose of a frame by the C library, 4 × 4, row after row */
export function poseOfFrame(robot, state, frame, out) {
  hamel('jacobian', robot, '--state', state, '--frame', frame, '--quiet', '--out', out);
  return JSON.parse(readFileSync(out, 'utf8')).pose.flat();
}

/* a robot whose second joint follows the first, and one whose axes lie away from the frames' origins */
export const MIMIC = `<robot name="mimic"><link name="a">INERTIA</link><link name="b">INERTIA</link><link name="c">INERTIA</link>
<joint name="j" type="revolute"><origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/><axis xyz="1 2 3"/><parent link="a"/><child link="b"/><limit lower="-9" upper="9" effort="1" velocity="1"/></joint>
<joint name="k" type="prismatic"><origin xyz="0 0 1" rpy="1 0 2"/><axis xyz="0 1 0"/><parent link="b"/><child link="c"/><limit lower="-9" upper="9" effort="1" velocity="1"/><mimic joint="j" multiplier="-0.7" offset="0.2"/></joint></robot>`
  .replaceAll('INERTIA', '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>');

export const POINTS = `<mujoco><worldbody><body pos="0 0 1"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<joint name="h" axis="1 1 0" pos="0.3 0.1 0.2"/><body name="ball" pos="0.5 0 0" euler="10 20 30"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<joint name="s" type="ball" pos="0.1 0.2 -0.3"/></body></body></worldbody></mujoco>`;
