/* The page's kinematics against the C library's, for every joint type, mimic joints and joints with a point. */
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { bodyPoses, interpolate, JOINTS, logOfQuaternion, quaternionOfLog } from '../../viewer/src/kinematics.js';
import { eigen, inertiaEllipsoid } from '../../viewer/src/moments.js';
import { folder, hamel, MIMIC, POINTS, poseOfFrame, randomNumbers, randomState, root, sceneOf } from './robots.mjs';

const place = folder();
writeFileSync(join(place, 'mimic.urdf'), MIMIC);
writeFileSync(join(place, 'points.xml'), POINTS);
const robots = [
  ...readdirSync(join(root, 'robots')).filter((name) => name.endsWith('.json')).map((name) => join(root, 'robots', name)),
  join(place, 'mimic.urdf'),
  join(place, 'points.xml'),
];
const seen = new Set();

for (const robot of robots) {
  test(`poses of ${robot.split('/').pop()}`, () => {
    const page = join(place, 'page.html');
    const state = join(place, 'state.json');
    hamel('view', robot, '--out', page, '--quiet');
    randomState(sceneOf(page), 7, state);
    hamel('view', robot, '--state', state, '--out', page, '--quiet');
    const model = sceneOf(page);
    const poses = bodyPoses(model, Float64Array.from(model.q));
    model.bodies.forEach((body, i) => {
      seen.add(model.joints[body.joint].type);
      const exact = poseOfFrame(robot, state, body.name, join(place, 'pose.json'));
      /* some twenty products of rotations; positions count relative to their size, a ship's are a hundred metres */
      exact.forEach((x, k) => assert.ok(Math.abs(x - poses[i][k]) <= 1e-12 * Math.max(1, Math.abs(x)), `${body.name}[${k}]: ${poses[i][k]} is not ${x}`));
    });
  });
}

test('every joint type was among them', () => {
  const moving = Object.keys(JOINTS).filter((type) => type !== 'fixed');
  assert.deepEqual(moving.filter((type) => !seen.has(type)), []);
});

test('rotation vectors and quaternions', () => {
  for (const r of [[0, 0, 0], [1e-9, 0, 0], [0.3, -2, 1], [0, 3.1, 0]]) {
    const back = logOfQuaternion(quaternionOfLog(r));
    r.forEach((x, i) => assert.ok(Math.abs(x - back[i]) < 1e-12));
    const other = logOfQuaternion(quaternionOfLog(r).map((x) => -x)); /* the same rotation */
    r.forEach((x, i) => assert.ok(Math.abs(x - other[i]) < 1e-12));
  }
});

test('between two configurations a rotation turns evenly, the shorter way', () => {
  const model = { joints: [{ type: 'free', q: 0 }] };
  const a = Float64Array.from([0, 0, 0, ...quaternionOfLog([0, 0, 0])]);
  const b = Float64Array.from([1, 2, 3, ...quaternionOfLog([0, 0, 2]).map((x) => -x)]);
  const q = interpolate(model, a, b, 0.25);
  [0.25, 0.5, 0.75].forEach((x, i) => assert.ok(Math.abs(q[i] - x) < 1e-15));
  [0, 0, 0.5].forEach((x, i) => assert.ok(Math.abs(logOfQuaternion(q.slice(3))[i] - x) < 1e-12));
});

test('the ellipsoid of inertia', () => {
  /* of constant density with half axes 1, 2, 3 and mass 5: A = m (b² + c²)/5, turned by a rotation of its own */
  const random = randomNumbers(3);
  const { vectors: R } = eigen(Array.from({ length: 9 }, random).map((x, i, m) => x + m[3 * (i % 3) + Math.floor(i / 3)]));
  const principal = [4 + 9, 1 + 9, 1 + 4];
  const moment = Array.from({ length: 9 }, (_, k) => [0, 1, 2].reduce((sum, j) => sum + R[3 * Math.floor(k / 3) + j] * principal[j] * R[3 * (k % 3) + j], 0));
  const { size, rotation } = inertiaEllipsoid(5, moment);
  [...size].sort().forEach((x, i) => assert.ok(Math.abs(x - (i + 1)) < 1e-12));
  const again = Array.from({ length: 9 }, (_, k) => [0, 1, 2].reduce((sum, j) => sum + rotation[3 * Math.floor(k / 3) + j] * (14 - size[j] ** 2) * rotation[3 * (k % 3) + j], 0));
  moment.forEach((x, k) => assert.ok(Math.abs(x - again[k]) < 1e-11));
});
