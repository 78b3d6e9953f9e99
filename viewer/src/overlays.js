/* What is drawn beside the robot on demand: centre of mass, frames, contact forces, trails. */
import * as THREE from 'three';
import { Line2 } from 'three/addons/lines/Line2.js';
import { LineGeometry } from 'three/addons/lines/LineGeometry.js';
import { LineMaterial } from 'three/addons/lines/LineMaterial.js';
import { transformPoint } from './kinematics.js';
import { along, cylinder, ellipsoid, material, PALETTE, setPose, triad } from './solids.js';

const TRAILS = [0xe0338b, 0x2f6fde, 0x2f9e4f, 0xf07f2e, 0x8b5cd6, 0x12a3a3];
const MOST_POINTS = 2000; /* of a trail */

export class Overlays {
  constructor(robot, stage) {
    this.robot = robot;
    this.stage = stage;
    this.root = new THREE.Group();
    this.frames = new Map();
    this.trails = new Map();
    this.arrows = [];
    this.labels = { com: 'centre of mass' };
    this.makeCom();
  }

  /* ---- centre of mass: a ball, and a ring below it on the floor ---- */

  makeCom() {
    const r = 0.035 * this.robot.size;
    this.com = new THREE.Group();
    this.com.add(new THREE.Mesh(ellipsoid([r, r, r]), material(PALETTE.com, { depthTest: false, transparent: true })));
    this.com.children[0].renderOrder = 2;
    this.ring = new THREE.Mesh(new THREE.RingGeometry(0.75 * r, 1.25 * r, 40), new THREE.MeshBasicMaterial({ color: PALETTE.com, side: THREE.DoubleSide }));
    this.com.visible = this.ring.visible = false;
    this.root.add(this.com, this.ring);
  }

  showCom(on) {
    this.com.visible = on && this.robot.com !== undefined;
    this.update();
  }

  /* ---- frames ---- */

  showFrame(index, on) {
    if (!on) {
      this.root.remove(this.frames.get(index));
      this.frames.delete(index);
    } else if (!this.frames.has(index)) {
      const holder = new THREE.Group();
      const axes = triad();
      axes.scale.setScalar(this.frameSize ?? 0.22 * this.robot.size);
      holder.add(axes);
      this.frames.set(index, holder);
      this.root.add(holder);
    }
    this.update();
  }

  scaleFrames(length) {
    this.frameSize = length;
    for (const holder of this.frames.values()) holder.children[0].scale.setScalar(length);
    this.stage.dirty = true;
  }

  /* ---- forces: arrows whose length is the robot's size for its weight ---- */

  makeArrows(count, weight) {
    this.newtons = (weight > 0 ? weight : 1) / (0.9 * this.robot.size);
    const r = 0.014 * this.robot.size;
    const look = material(0x1fa35c, { roughness: 0.6 });
    for (let i = 0; i < count; i++) {
      const shaft = new THREE.Mesh(cylinder(r, 0.5).translate(0, 0, 0.5), look);
      const head = new THREE.Mesh(cylinder(2.4 * r, 3 * r, 0).translate(0, 0, 3 * r), look);
      const arrow = new THREE.Group();
      arrow.add(shaft, head);
      arrow.visible = false;
      this.root.add(arrow);
      this.arrows.push(arrow);
    }
    this.forcesShown = true;
  }

  setForces(positions, forces) {
    this.arrows.forEach((arrow, i) => {
      const f = forces.slice(3 * i, 3 * i + 3);
      const long = Math.hypot(...f) / this.newtons;
      arrow.visible = this.forcesShown && long > 1e-3 * this.robot.size;
      if (!arrow.visible) return;
      arrow.position.set(...positions.slice(3 * i, 3 * i + 3));
      along(arrow, f);
      arrow.children[0].scale.set(1, 1, long);
      arrow.children[1].position.z = long;
    });
  }

  /* ---- trails ---- */

  /* key: "com" or the index of a frame; points: of the whole motion, drawn up to now */
  showTrail(key, on, playback) {
    if (!on) {
      this.root.remove(this.trails.get(key)?.line);
      this.trails.delete(key);
    } else if (!this.trails.has(key) && playback) {
      const step = Math.max(1, Math.ceil(playback.count / MOST_POINTS));
      const points = [];
      const times = [];
      for (let k = 0; k < playback.count; k += step) {
        const pose = playback.posesAt(k);
        const at = key === 'com' ? pose.com : transformPoint(pose.frame(key), [0, 0, 0]);
        if (!at) return;
        points.push(...at);
        times.push(playback.times[k]);
      }
      if (points.length < 6) return;
      const look = new LineMaterial({ color: TRAILS[this.trails.size % TRAILS.length], linewidth: 3, worldUnits: false });
      const line = new Line2(new LineGeometry().setPositions(points), look);
      line.frustumCulled = false;
      this.trails.set(key, { line, times });
      this.root.add(line);
    }
    this.update();
  }

  /* ---- all of it, where the robot is now ---- */

  update(time = this.time) {
    this.time = time;
    const { com } = this.robot;
    if (this.com.visible && com) {
      this.com.position.set(...com);
      this.ring.position.set(com[0], com[1], this.stage.floorHeight + 0.003 * this.robot.size);
    }
    this.ring.visible = this.com.visible && this.stage.floor.visible;
    for (const [index, holder] of this.frames) setPose(holder, this.robot.framePose(index));
    for (const { line, times } of this.trails.values()) {
      let n = 0;
      while (n < times.length && (time === undefined || times[n] <= time)) n++;
      line.geometry.instanceCount = Math.max(0, n - 1);
    }
    this.stage.dirty = true;
  }
}
