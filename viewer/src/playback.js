/* A motion: configurations at increasing times, contact forces, and the time that is shown. */
import { bodyPoses, centreOfMass, interpolate, multiply, poseOf } from './kinematics.js';

export class Playback {
  /* times: n, positions: n × nq, contacts: {positions, forces: n × m × 3} or undefined */
  constructor(model, times, positions, contacts) {
    this.model = model;
    this.times = times;
    this.positions = positions;
    this.contacts = contacts;
    this.count = times.length;
    this.begin = times[0];
    this.end = times[this.count - 1];
    this.time = this.begin;
    this.playing = false;
    this.speed = 1;
    this.loop = true;
  }

  row(k) {
    const nq = this.model.q.length;
    return this.positions.subarray(k * nq, (k + 1) * nq);
  }

  /* the last row that is not after a time, and the share of the way to the next */
  find(time) {
    let low = 0;
    let high = this.count - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= time) low = middle;
      else high = middle;
    }
    const span = this.times[high] - this.times[low];
    return { k: low, next: high, share: span > 0 ? Math.min(1, Math.max(0, (time - this.times[low]) / span)) : 0 };
  }

  configuration(time = this.time) {
    const { k, next, share } = this.find(time);
    return interpolate(this.model, this.row(k), this.row(next), share);
  }

  /* forces are those of the step that ends at a row; between rows the nearest row counts */
  forces(time = this.time) {
    if (!this.contacts) return undefined;
    const { k, next, share } = this.find(time);
    const row = share < 0.5 ? k : next;
    const n = this.contacts.forces.length / this.count;
    return {
      positions: this.contacts.positions.subarray(row * n, (row + 1) * n),
      forces: this.contacts.forces.subarray(row * n, (row + 1) * n),
    };
  }

  /* of a row, for trails */
  posesAt(k) {
    const poses = bodyPoses(this.model, this.row(k));
    return {
      com: centreOfMass(this.model, poses),
      frame: (index) => {
        const { body, rotation, position } = this.model.frames[index];
        const pose = poseOf(rotation, position);
        return body < 0 ? pose : multiply(poses[body], pose);
      },
    };
  }

  /* moves on by real seconds; true if the time has changed */
  advance(seconds) {
    if (!this.playing || this.end <= this.begin) return false;
    let time = this.time + seconds * this.speed;
    if (time > this.end) {
      if (this.loop) time = this.begin + ((time - this.begin) % (this.end - this.begin));
      else [time, this.playing] = [this.end, false];
    }
    this.time = time;
    return true;
  }
}
