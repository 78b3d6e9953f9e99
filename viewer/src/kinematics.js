/*
 * Where the bodies are: the pose of a body in its parent's frame is origin · T(point) · g(q) · T(−point), as in
 * include/hamel/model.h. Poses are 4 × 4 matrices, row after row, in doubles. This file knows nothing of drawing, and is
 * compared with the C library to 1e-12.
 */

export function multiply(a, b) {
  const c = new Float64Array(16);
  for (let i = 0; i < 4; i++)
    for (let j = 0; j < 4; j++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * i + k] * b[4 * k + j];
      c[4 * i + j] = sum;
    }
  return c;
}

export function poseOf(rotation, position) {
  const [a, b, c, d, e, f, g, h, i] = rotation;
  const [x, y, z] = position;
  return Float64Array.of(a, b, c, x, d, e, f, y, g, h, i, z, 0, 0, 0, 1);
}

const IDENTITY = [1, 0, 0, 0, 1, 0, 0, 0, 1];
const translation = (x, y, z) => poseOf(IDENTITY, [x, y, z]);

/* Rodrigues' formula; the axis is a unit vector */
function turn(axis, angle) {
  const [x, y, z] = axis;
  const s = Math.sin(angle);
  const v = 2 * Math.sin(angle / 2) ** 2; /* 1 − cos, without cancellation */
  return [
    1 - v * (y * y + z * z), v * x * y - s * z, v * x * z + s * y,
    v * x * y + s * z, 1 - v * (x * x + z * z), v * y * z - s * x,
    v * x * z - s * y, v * y * z + s * x, 1 - v * (x * x + y * y),
  ];
}

/* w x y z, of any length but zero */
export function rotationOfQuaternion(q) {
  const n = Math.hypot(q[0], q[1], q[2], q[3]) || 1;
  const [w, x, y, z] = [q[0] / n, q[1] / n, q[2] / n, q[3] / n];
  return [
    1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
    2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
    2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
  ];
}

/* the shortest rotation vector of a quaternion, and back: what the sliders of a ball joint move */
export function logOfQuaternion(q) {
  const sign = q[0] < 0 ? -1 : 1;
  const length = Math.hypot(q[1], q[2], q[3]);
  const angle = 2 * Math.atan2(length, sign * q[0]);
  const k = length > 1e-12 ? (sign * angle) / length : 2 * sign;
  return [k * q[1], k * q[2], k * q[3]];
}

export function quaternionOfLog(r) {
  const angle = Math.hypot(r[0], r[1], r[2]);
  const k = angle > 1e-12 ? Math.sin(angle / 2) / angle : 0.5;
  return [Math.cos(angle / 2), k * r[0], k * r[1], k * r[2]];
}

/* from a to b along the shorter way */
function slerp(a, b, share) {
  let dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  const sign = dot < 0 ? -1 : 1;
  dot = Math.min(1, sign * dot);
  const angle = Math.acos(dot);
  const near = angle < 1e-6;
  const wa = near ? 1 - share : Math.sin((1 - share) * angle) / Math.sin(angle);
  const wb = sign * (near ? share : Math.sin(share * angle) / Math.sin(angle));
  const c = [0, 1, 2, 3].map((i) => wa * a[i] + wb * b[i]);
  const n = Math.hypot(...c) || 1;
  return c.map((x) => x / n);
}

/*
 * What each type of joint is: nq, the element of its group, where a quaternion begins among its coordinates, and what
 * the sliders are called. `turns` says which coordinates are angles. A universal joint moves two bodies; they are told
 * apart by `second`.
 */
export const JOINTS = {
  fixed: { nq: 0, element: () => translation(0, 0, 0) },
  revolute: { nq: 1, turns: [1], element: (j, q) => poseOf(turn(j.axis, q[0]), [0, 0, 0]) },
  prismatic: { nq: 1, turns: [0], element: (j, q) => translation(...j.axis.map((a) => a * q[0])) },
  helical: {
    nq: 1,
    turns: [1],
    element: (j, q) => poseOf(turn(j.axis, q[0]), j.axis.map((a) => a * j.pitch * q[0])),
  },
  cylindrical: {
    nq: 2,
    turns: [0, 1],
    labels: ['slide', 'turn'],
    element: (j, q) => poseOf(turn(j.axis, q[1]), j.axis.map((a) => a * q[0])),
  },
  universal: {
    nq: 2,
    turns: [1, 1],
    labels: ['first', 'second'],
    element: (j, q, second) => poseOf(second ? turn(j.axis2, q[1]) : turn(j.axis, q[0]), [0, 0, 0]),
  },
  translation2: { nq: 2, turns: [0, 0], labels: ['x', 'y'], element: (j, q) => translation(q[0], q[1], 0) },
  planar: {
    nq: 3,
    turns: [0, 0, 1],
    labels: ['x', 'y', 'angle'],
    element: (j, q) => poseOf(turn([0, 0, 1], q[2]), [q[0], q[1], 0]),
  },
  spherical: { nq: 4, quaternion: 0, labels: [], element: (j, q) => poseOf(rotationOfQuaternion(q), [0, 0, 0]) },
  translation3: { nq: 3, turns: [0, 0, 0], labels: ['x', 'y', 'z'], element: (j, q) => translation(q[0], q[1], q[2]) },
  schoenflies: {
    nq: 4,
    turns: [0, 0, 0, 1],
    labels: ['x', 'y', 'z', 'angle'],
    element: (j, q) => poseOf(turn([0, 0, 1], q[3]), [q[0], q[1], q[2]]),
  },
  free: {
    nq: 7,
    turns: [0, 0, 0],
    quaternion: 3,
    labels: ['x', 'y', 'z'],
    element: (j, q) => poseOf(rotationOfQuaternion(q.slice(3)), [q[0], q[1], q[2]]),
  },
};

/* the coordinates of a joint; one that follows another has one, made from its leader's */
export function coordinates(joints, joint, q) {
  if (joint.leader === undefined) return Array.from(q.slice(joint.q, joint.q + JOINTS[joint.type].nq));
  return [joint.multiplier * coordinates(joints, joints[joint.leader], q)[0] + joint.offset];
}

/* of every body in the world: parents come before their children */
export function bodyPoses(model, q) {
  const poses = [];
  model.bodies.forEach((body, i) => {
    const joint = model.joints[body.joint];
    const parent = model.bodies[body.parent];
    const second = parent !== undefined && parent.joint === body.joint; /* of a universal joint */
    const [x, y, z] = joint.point;
    let pose = JOINTS[joint.type].element(joint, coordinates(model.joints, joint, q), second);
    pose = multiply(translation(x, y, z), multiply(pose, translation(-x, -y, -z)));
    if (!second) pose = multiply(poseOf(joint.rotation, joint.position), pose);
    poses[i] = parent ? multiply(poses[body.parent], pose) : pose;
  });
  return poses;
}

/* between two configurations: along the group where it has a rotation, straight elsewhere */
export function interpolate(model, a, b, share) {
  const q = Float64Array.from(a, (x, i) => x + share * (b[i] - x));
  for (const joint of model.joints) {
    const at = joint.leader === undefined ? JOINTS[joint.type].quaternion : undefined;
    if (at === undefined) continue;
    const k = joint.q + at;
    q.set(slerp(a.slice(k, k + 4), b.slice(k, k + 4), share), k);
  }
  return q;
}

export function transformPoint(pose, p) {
  return [0, 1, 2].map((i) => pose[4 * i] * p[0] + pose[4 * i + 1] * p[1] + pose[4 * i + 2] * p[2] + pose[4 * i + 3]);
}

/* the centre of mass of what moves; undefined if it weighs nothing */
export function centreOfMass(model, poses) {
  const sum = [0, 0, 0];
  let mass = 0;
  model.bodies.forEach((body, i) => {
    if (!(body.mass > 0)) return;
    const at = transformPoint(poses[i], body.com);
    for (let k = 0; k < 3; k++) sum[k] += body.mass * at[k];
    mass += body.mass;
  });
  return mass > 0 ? sum.map((x) => x / mass) : undefined;
}
