/*
 * The page: reads the robot and its files out of itself, draws them, and lets a person look around. Nothing is fetched.
 *
 * window.hamel is the viewer, for tests and for people who like to type: hamel.setConfiguration(q), hamel.setTime(t),
 * hamel.look([1, 0, 0]), hamel.show('collision', true).
 */
import * as THREE from 'three';
import { bytesOfBase64, openArchive, readDoubles } from './archive.js';
import { bodyPoses } from './kinematics.js';
import { Files } from './loaders.js';
import { Overlays } from './overlays.js';
import { make, makePanel, makePlaybar } from './panel.js';
import { Playback } from './playback.js';
import { Robot } from './robot.js';
import { Stage } from './stage.js';

/* a little below all of a field, so that the floor does not hide it */
const lowest = (field) => field.position[2] + field.heights.reduce((a, b) => Math.min(a, b)) - 0.01;

class Viewer {
  constructor(model, members) {
    this.model = model;
    this.members = members;
    this.problems = [...(model.warnings ?? [])];
    this.listeners = { configuration: [], time: [] };
    this.following = true;
    this.bodyPoses = (q) => bodyPoses(model, q).map((pose) => Array.from(pose));
  }

  async open(canvas) {
    const { model } = this;
    this.stage = new Stage(canvas);
    this.files = new Files(model.files, this.members);
    this.robot = new Robot(model, this.files);
    await this.robot.build();
    this.problems.push(...this.files.problems);
    this.stage.scene.add(this.robot.root);
    this.overlays = new Overlays(this.robot, this.stage);
    this.stage.scene.add(this.overlays.root);
    await this.readMotion();
    this.look();
    this.makeControls(canvas);
    if (this.playback) this.setTime(this.playback.begin);
    this.loop(performance.now());
  }

  async readMotion() {
    const { model, members } = this;
    const times = await readDoubles(members, 'time');
    if (!times || times.length < 2) return;
    const contacts = model.contacts
      ? { positions: await readDoubles(members, 'contact_positions'), forces: await readDoubles(members, 'contact_forces') }
      : undefined;
    this.playback = new Playback(model, times, await readDoubles(members, 'position'), contacts);
    if (contacts) this.overlays.makeArrows(model.contacts.length, model.mass * (Math.hypot(...model.gravity) || 9.81));
  }

  makeControls(canvas) {
    const main = canvas.parentElement;
    const { model } = this;
    document.title = model.title;
    const dofs = `${model.nv} ${model.nv === 1 ? 'degree' : 'degrees'} of freedom`;
    main.append(make('h1', {}, model.title, make('small', {}, `${dofs}, ${Number(model.mass.toPrecision(4))} kg`)));
    if (this.playback) {
      document.body.classList.add('moving');
      main.append(makePlaybar(this));
    }
    this.about = make('p', { id: 'about' });
    main.append(makePanel(this), this.about);
    this.listen(canvas);
  }

  /* ---- what is shown ---- */

  /* the floor: where the robot's file or motion says, else z = 0, or below what reaches deeper */
  floorHeight() {
    if (this.model.ground) return 0;
    if (this.model.heightfields) return Math.min(...this.model.heightfields.map(lowest));
    if (this.robot.ground !== undefined) return this.robot.ground;
    let low = Math.min(0, ...this.robot.corners().map((p) => p.z));
    const { q } = this.robot;
    for (let i = 0; this.playback && i <= 12; i++) { /* a motion is looked at a few times */
      const { begin, end } = this.playback;
      this.robot.update(this.playback.configuration(begin + ((end - begin) * i) / 12));
      low = Math.min(low, ...this.robot.corners().map((p) => p.z));
    }
    this.robot.update(q);
    return low;
  }

  look(direction) {
    if (!this.fitted) {
      const floats = this.model.gravity.every((x) => x === 0);
      this.stage.setFloor(!floats || this.model.ground, this.floorHeight());
      if (floats) this.stage.setTheme('dark'); /* as in space */
      this.fitted = true;
    }
    this.followed = this.anchor();
    this.stage.look(this.robot.corners(), direction);
  }

  show(layer, on) {
    this.robot.show(layer, on);
    this.stage.dirty = true;
  }

  showForces(on) {
    this.overlays.forcesShown = on;
    this.setTime(this.playback.time);
  }

  seeThrough(on) {
    this.robot.root.traverse((object) => {
      for (const m of object.isMesh ? [object.material].flat() : []) {
        m.userData.opacity ??= m.opacity;
        m.opacity = on ? 0.35 * m.userData.opacity : m.userData.opacity;
        m.transparent = m.opacity < 1;
        m.depthWrite = !on;
        m.needsUpdate = true;
      }
    });
    this.stage.dirty = true;
  }

  /* ---- where it is ---- */

  onConfiguration(listener) {
    this.listeners.configuration.push(listener);
  }

  onTime(listener) {
    this.listeners.time.push(listener);
  }

  setConfiguration(q, mover) {
    this.robot.update(q);
    this.overlays.update();
    this.listeners.configuration.forEach((listener) => listener(mover));
    this.stage.dirty = true;
  }

  reset() {
    if (this.playback) this.setTime(this.playback.time);
    else this.setConfiguration(this.model.q);
  }

  play(on) {
    if (this.playback.time >= this.playback.end && on) this.playback.time = this.playback.begin;
    this.playback.playing = on;
    this.listeners.time.forEach((listener) => listener());
  }

  setTime(time) {
    const { playback } = this;
    playback.time = Math.min(Math.max(time, playback.begin), playback.end);
    this.robot.update(playback.configuration());
    const contact = playback.forces();
    if (contact) this.overlays.setForces(contact.positions, contact.forces);
    this.overlays.update(playback.time);
    this.listeners.configuration.forEach((listener) => listener());
    this.listeners.time.forEach((listener) => listener());
    this.followRobot();
  }

  /* what the camera goes along with: the centre of mass, and without one the first body */
  anchor() {
    const { com, poses } = this.robot;
    if (com) return new THREE.Vector3(...com);
    return poses.length ? new THREE.Vector3(poses[0][3], poses[0][7], poses[0][11]) : new THREE.Vector3();
  }

  followRobot() {
    const now = this.anchor();
    if (this.following && this.followed) this.stage.follow(now.clone().sub(this.followed));
    this.stage.placeSun(now);
    this.followed = now;
    this.stage.dirty = true;
  }

  /* ---- people ---- */

  listen(canvas) {
    let pressed;
    canvas.addEventListener('pointerdown', (event) => (pressed = [event.clientX, event.clientY]));
    canvas.addEventListener('pointerup', (event) => {
      if (pressed && Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) < 4) this.pick(event);
    });
    window.addEventListener('keydown', (event) => {
      if (/^(INPUT|SELECT|BUTTON|SUMMARY)$/.test(event.target.tagName) && event.target.type !== 'range') return;
      const { playback } = this;
      if (event.key === 'h') this.look();
      if (!playback) return;
      const step = (playback.end - playback.begin) / 100;
      if (event.key === ' ') this.play(!playback.playing);
      else if (event.key === 'ArrowRight') this.setTime(playback.time + step);
      else if (event.key === 'ArrowLeft') this.setTime(playback.time - step);
      else return;
      event.preventDefault();
    });
  }

  /* says what is under the pointer */
  pick(event) {
    const box = this.stage.renderer.domElement.getBoundingClientRect();
    const at = new THREE.Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
    const ray = new THREE.Raycaster();
    ray.setFromCamera(at, this.stage.camera);
    const hit = ray.intersectObject(this.robot.root, true).find(({ object }) => {
      for (let o = object; o; o = o.parent) if (!o.visible) return false;
      return true;
    });
    let object = hit?.object;
    while (object && !(object.userData.body >= 0)) object = object.parent;
    const body = object && this.model.bodies[object.userData.body];
    const joint = body && this.model.joints[body.joint];
    this.about.textContent = body ? `${body.name}\n${Number(body.mass.toPrecision(4))} kg\njoint ${joint.name}, ${joint.type}` : '';
  }

  savePicture() {
    this.stage.dirty = true;
    this.stage.render();
    this.stage.renderer.domElement.toBlob((blob) => {
      const link = make('a', { href: URL.createObjectURL(blob), download: `${this.model.title.replace(/[^\w.-]+/g, '_') || 'robot'}.png` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  }

  loop(now) {
    const seconds = Math.min((now - (this.last ?? now)) / 1000, 0.1);
    this.last = now;
    if (this.playback?.advance(seconds)) this.setTime(this.playback.time);
    this.stage.render();
    requestAnimationFrame((next) => this.loop(next));
  }
}

async function main() {
  const message = document.getElementById('message');
  try {
    const model = JSON.parse(document.getElementById('scene').textContent);
    const files = document.getElementById('files');
    const members = openArchive(bytesOfBase64(files.textContent));
    files.remove(); /* megabytes of text that nobody needs any more */
    const viewer = new Viewer(model, members);
    await viewer.open(document.querySelector('canvas'));
    message.textContent = '';
    window.hamel = viewer;
  } catch (error) {
    const reason = /WebGL/i.test(error.message) ? 'This browser has no WebGL, which draws the robot.' : error.message;
    message.textContent = `The robot cannot be shown. ${reason}`;
    console.error(error);
  }
}

main();
