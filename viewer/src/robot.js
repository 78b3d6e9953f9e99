/*
 * The robot as objects: one group per body, with layers in it that can be shown and hidden.
 *
 *   visual     what the file shows: meshes and solids
 *   collision  the shapes that can touch something
 *   inertia    ellipsoids of constant density with the mass and moment of each body
 *   skeleton   bones from each joint to the next and to the named frames, and a solid for each joint
 *   flesh      boxes with round edges, of constant density, with the mass and moment of each body
 *
 * A body without visuals is shown by its skeleton, its shapes and its flesh, so that no robot is a drawing of hairlines.
 * Flesh is a box because most bodies are nearer to one: an ellipsoid with the moments of a rod is a third longer.
 */
import * as THREE from 'three';
import { bodyPoses, centreOfMass, multiply, poseOf, transformPoint } from './kinematics.js';
import { inertiaEllipsoid } from './moments.js';
import { along, between, box, cylinder, ellipsoid, heightfield, material, PALETTE, part, setPose, SHADES, softBox, solidOf } from './solids.js';

const NONE = [1, 0, 0, 0, 1, 0, 0, 0, 1];
const length = (p) => Math.hypot(...p);
const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

export class Robot {
  constructor(model, files) {
    this.model = model;
    this.files = files;
    this.root = new THREE.Group();
    this.layers = { visual: [], collision: [], inertia: [], skeleton: [], flesh: [] };
    this.shown = { visual: true, collision: false, inertia: false, skeleton: false, flesh: false };
    this.groups = model.bodies.map((body, i) => this.addGroup(body.name, i));
    this.world = this.addGroup('world', -1);
    this.bare = new Set(model.bodies.map((_, i) => i)); /* bodies without visuals */
    this.q = Float64Array.from(model.q);
    this.poses = bodyPoses(model, this.q);
  }

  addGroup(name, body) {
    const group = new THREE.Group();
    group.name = name;
    group.userData.body = body;
    this.root.add(group);
    return group;
  }

  /* {group, pose in its body} of a frame; −1 is the world */
  frame(index) {
    const frame = index < 0 ? undefined : this.model.frames[index];
    const body = frame ? frame.body : -1;
    return {
      body,
      group: body < 0 ? this.world : this.groups[body],
      pose: frame ? poseOf(frame.rotation, frame.position) : poseOf(NONE, [0, 0, 0]),
    };
  }

  framePose(index) {
    const { body, pose } = this.frame(index);
    return body < 0 ? pose : multiply(this.poses[body], pose);
  }

  add(layer, frame, rotation, position, object) {
    const { body, group, pose } = this.frame(frame);
    const holder = setPose(new THREE.Group(), multiply(pose, poseOf(rotation, position)));
    holder.userData = { layer, body };
    holder.add(object);
    group.add(holder);
    this.layers[layer].push(holder);
    return holder;
  }

  /* on a body itself, not on one of its frames */
  addOnBody(layer, body, rotation, position, object) {
    const holder = setPose(new THREE.Group(), poseOf(rotation, position));
    holder.userData = { layer, body };
    holder.add(object);
    this.groups[body].add(holder);
    this.layers[layer].push(holder);
  }

  async build() {
    await Promise.all(this.model.visuals.map((visual) => this.addVisual(visual)));
    for (const shape of this.model.shapes) this.addShape(shape);
    for (const field of this.model.heightfields ?? []) this.addHeightfield(field);
    this.size = this.measure();
    this.model.bodies.forEach((_, i) => this.addInertia(i));
    this.model.bodies.forEach((_, i) => this.addBones(i));
    this.model.joints.forEach((_, i) => this.addJoint(i));
    this.update(this.q);
    this.refresh();
  }

  /* ---- what the file shows ---- */

  async addVisual(visual) {
    const { body } = this.frame(visual.frame);
    if (visual.kind === 'plane' && visual.size[0] === 0 && body < 0 && visual.rotation[8] > 0.999) {
      this.ground = visual.position[2]; /* the floor itself */
      return;
    }
    const colour = visual.colour && new THREE.Color().setRGB(...visual.colour.slice(0, 3), THREE.SRGBColorSpace);
    const opacity = visual.colour ? visual.colour[3] : 1;
    const look = material(colour ?? (body < 0 ? PALETTE.world : PALETTE.shell), { transparent: opacity < 1, opacity });
    if (visual.texture !== undefined) look.map = (await this.files.texture(visual.texture)) ?? null;
    const object = visual.kind === 'mesh' ? await this.mesh(visual, look) : part(solidOf(visual.kind, visual.size), look);
    if (!object) return;
    this.add('visual', visual.frame, visual.rotation, visual.position, object);
    this.bare.delete(body);
  }

  async mesh(visual, look) {
    const found = await this.files.mesh(visual.mesh);
    if (!found) return undefined;
    const object = found.object.clone();
    look.side = THREE.DoubleSide;
    object.traverse((inner) => {
      if (!inner.isMesh) return;
      inner.castShadow = inner.receiveShadow = true;
      if (visual.paint || !found.coloured) inner.material = look;
    });
    const scaled = new THREE.Group();
    scaled.scale.set(...visual.size);
    scaled.add(object);
    return scaled;
  }

  /* ground; a rotation of zeros is none */
  addHeightfield(field) {
    const rotation = field.rotation.some((x) => x !== 0) ? field.rotation : NONE;
    const ground = part(heightfield(field), material(PALETTE.world, { side: THREE.DoubleSide, flatShading: true }));
    const holder = setPose(new THREE.Group(), poseOf(rotation, field.position));
    holder.name = 'heightfield';
    holder.add(ground);
    this.world.add(holder);
  }

  addShape(shape) {
    const { body } = this.frame(shape.frame);
    const bare = this.bare.has(body);
    const glass = { transparent: true, opacity: 0.5 };
    const look = body < 0 ? material(PALETTE.world) : bare ? material(PALETTE.bone) : material(0x63a7d8, glass);
    const solid = solidOf(shape.kind, shape.size) ?? ellipsoid([0.008, 0.008, 0.008]);
    this.add('collision', shape.frame, shape.rotation, shape.position, part(solid, look)).userData.solid =
      shape.kind === 'point' ? 0 : Math.max(...shape.size);
  }

  /* ---- what every robot has ---- */

  /* how large the robot is: the sphere about its joints, frames and centres where it begins */
  measure() {
    const points = [];
    this.model.bodies.forEach((body, i) => {
      points.push(transformPoint(this.poses[i], this.model.joints[body.joint].point));
      if (body.mass > 0) points.push(transformPoint(this.poses[i], body.com));
    });
    this.model.frames.forEach((frame, i) => {
      if (frame.body >= 0) points.push(transformPoint(this.framePose(i), [0, 0, 0]));
    });
    let most = 0;
    const middle = [0, 1, 2].map((k) => points.reduce((sum, p) => sum + p[k], 0) / Math.max(points.length, 1));
    for (const p of points) most = Math.max(most, distance(p, middle));
    if (most > 1e-9) return most;
    const heavy = this.model.bodies.find((body) => body.mass > 0);
    return heavy ? Math.max(...inertiaEllipsoid(heavy.mass, heavy.moment).size, 1e-3) : 1;
  }

  depth(i) {
    let depth = 0;
    for (let k = this.model.bodies[i].parent; k >= 0; k = this.model.bodies[k].parent) depth++;
    return depth;
  }

  addInertia(i) {
    const body = this.model.bodies[i];
    if (!(body.mass > 0)) return;
    const { size, rotation } = inertiaEllipsoid(body.mass, body.moment);
    const most = Math.max(...size);
    if (!(most > 0)) return;
    const limit = Math.min(1, (1.2 * this.size) / most);
    const seen = size.map((x) => limit * x);
    const look = material(0xd8a13a, { transparent: true, opacity: 0.55, roughness: 0.42 });
    this.addOnBody('inertia', i, rotation, body.com, part(ellipsoid(seen), look));
    /* a shape that is about as large says more about the body */
    if (this.layers.collision.some((s) => s.userData.body === i && s.userData.solid > 0.35 * most)) return;
    const solid = softBox(seen.map((x) => Math.sqrt(0.6) * x));
    this.addOnBody('flesh', i, rotation, body.com, part(solid, material(SHADES[this.depth(i) % SHADES.length])));
  }

  /* where a body's bones end: joints of its children, named frames; its centre of mass if there is nothing else */
  boneEnds(i) {
    const { bodies, joints, frames } = this.model;
    const ends = [];
    bodies.forEach((body) => {
      const joint = joints[body.joint];
      if (body.parent !== i || bodies[i].joint === body.joint) return;
      const [x, y, z] = joint.point;
      ends.push({ at: transformPoint(poseOf(joint.rotation, joint.position), [x, y, z]), joint: true });
    });
    for (const frame of frames) if (frame.body === i && frame.kind !== 'body') ends.push({ at: frame.position, joint: false });
    const begin = joints[bodies[i].joint].point;
    const near = 0.02 * this.size;
    const far = ends.filter((end, k) => distance(end.at, begin) > near && !ends.slice(0, k).some((e) => distance(e.at, end.at) < near));
    if (far.length === 0 && bodies[i].mass > 0 && distance(bodies[i].com, begin) > near) far.push({ at: bodies[i].com, joint: true });
    return far;
  }

  addBones(i) {
    const begin = this.model.joints[this.model.bodies[i].joint].point;
    const look = material(PALETTE.bone, { roughness: 0.45, metalness: 0.35 });
    for (const { at, joint } of this.boneEnds(i)) {
      const long = distance(at, begin);
      const thick = Math.min(0.03 * this.size, 0.08 * long) * (joint ? 1 : 0.7);
      const group = new THREE.Group();
      const rod = part(cylinder(thick, long / 2, 0.62 * thick), look);
      const tip = part(ellipsoid([thick, thick, thick].map((x) => 0.78 * x)), look);
      tip.position.set(0, 0, long / 2);
      group.add(rod, tip);
      this.addOnBody('skeleton', i, NONE, [0, 0, 0], between(group, begin, at));
    }
  }

  /* a solid that says how the joint moves; it sits in the body that is moved */
  addJoint(index) {
    const joint = this.model.joints[index];
    const moved = this.model.bodies.map((body, i) => [body, i]).filter(([body]) => body.joint === index);
    const bones = moved.flatMap(([body, i]) => [
      ...this.boneEnds(i).map((end) => distance(end.at, joint.point)),
      ...(body.parent >= 0 ? [length(joint.position)] : []),
    ]).filter((x) => x > 0.04 * this.size);
    const r = Math.min(0.05 * this.size, bones.length ? 0.28 * Math.min(...bones) : Infinity);
    const look = material(PALETTE.joint, { roughness: 0.4 });
    const solids = {
      revolute: () => along(part(cylinder(r, 1.15 * r), look), joint.axis),
      helical: () => along(part(cylinder(0.8 * r, 1.7 * r), look), joint.axis),
      prismatic: () => along(part(box([0.75 * r, 0.75 * r, 1.7 * r]), look), joint.axis),
      cylindrical: () => along(part(cylinder(0.75 * r, 1.9 * r), look), joint.axis),
      spherical: () => part(ellipsoid([r, r, r].map((x) => 1.15 * x)), look),
      translation2: () => part(box([r, r, 0.4 * r]), look),
      translation3: () => part(box([r, r, r].map((x) => 0.85 * x)), look),
      planar: () => part(cylinder(1.2 * r, 0.3 * r), look),
      schoenflies: () => part(cylinder(r, r), look),
    };
    moved.forEach(([, i], k) => {
      let object = solids[joint.type]?.();
      if (joint.type === 'universal') object = along(part(cylinder(0.6 * r, 1.3 * r), look), k === 0 ? joint.axis : joint.axis2);
      if (object) this.addOnBody('skeleton', i, NONE, joint.point, object);
    });
  }

  /* ---- moving and showing ---- */

  update(q) {
    this.q = Float64Array.from(q);
    this.poses = bodyPoses(this.model, this.q);
    this.com = centreOfMass(this.model, this.poses);
    this.poses.forEach((pose, i) => setPose(this.groups[i], pose));
  }

  refresh() {
    for (const [layer, holders] of Object.entries(this.layers))
      for (const holder of holders) {
        const { body } = holder.userData;
        const bare = body >= 0 ? this.bare.has(body) : this.model.visuals.length === 0;
        const instead = layer !== 'visual' && layer !== 'inertia' && bare && this.shown.visual;
        holder.visible = this.shown[layer] || instead;
      }
  }

  show(layer, on) {
    this.shown[layer] = on;
    this.refresh();
  }

  /*
   * Corners of boxes about all parts that are seen, in the world; of what is fixed to the world only what is not much
   * larger than the robot.
   */
  corners() {
    this.root.updateMatrixWorld(true);
    const all = [];
    this.root.traverse((object) => {
      if (!object.isMesh || !isSeen(object)) return;
      if (!object.geometry.boundingBox) object.geometry.computeBoundingBox();
      const { min, max } = object.geometry.boundingBox;
      const eight = [0, 1, 2, 3, 4, 5, 6, 7].map((k) =>
        new THREE.Vector3(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z).applyMatrix4(object.matrixWorld),
      );
      const large = isWorld(object) && eight[0].distanceTo(eight[7]) > 6 * this.size;
      if (!large && eight.every((p) => Number.isFinite(p.x + p.y + p.z))) all.push(...eight);
    });
    return all;
  }
}

function isSeen(object) {
  for (let o = object; o; o = o.parent) if (!o.visible) return false;
  return true;
}

function isWorld(object) {
  for (let o = object; o; o = o.parent) if (o.userData.body !== undefined && !o.userData.layer) return o.userData.body < 0;
  return false;
}
