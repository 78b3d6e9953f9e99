/* The solids that robots are drawn with. All lie about their own origin; z is their axis. */
import * as THREE from 'three';

const Z = new THREE.Vector3(0, 0, 1);
const turned = (geometry) => geometry.rotateX(Math.PI / 2); /* three.js has its cylinders along y */

/* neighbours in the tree have different shades */
export const SHADES = [0x7f9fc6, 0xa9bdd6, 0x6d8fb5];
export const PALETTE = { shell: 0xd4dae2, bone: 0x4a5563, joint: 0xf07f2e, world: 0x9aa5b1, com: 0xe0338b };

export function material(color, more = {}) {
  return new THREE.MeshStandardMaterial({ color, roughness: 0.5, metalness: 0.1, ...more });
}

/* half axes (3), also zero */
export function ellipsoid(size) {
  const least = Math.max(...size) * 0.02 || 1e-4;
  return new THREE.SphereGeometry(1, 40, 28).rotateX(Math.PI / 2).scale(...size.map((x) => Math.max(x, least)));
}

/* between an ellipsoid and a box: |x/a|ⁿ + |y/b|ⁿ + |z/c|ⁿ = 1 */
export function softBox(size, n = 4.5) {
  const least = Math.max(...size) * 0.02 || 1e-4;
  const geometry = new THREE.SphereGeometry(1, 56, 40);
  const points = geometry.attributes.position;
  for (let i = 0; i < points.count; i++) {
    const p = [points.getX(i), points.getY(i), points.getZ(i)];
    const k = (Math.abs(p[0]) ** n + Math.abs(p[1]) ** n + Math.abs(p[2]) ** n) ** (-1 / n);
    points.setXYZ(i, ...p.map((x, j) => k * x * Math.max(size[j], least)));
  }
  geometry.computeVertexNormals();
  return geometry;
}

export function box(size) {
  const least = Math.max(...size) * 1e-3 || 1e-4;
  return new THREE.BoxGeometry(...size.map((x) => 2 * Math.max(x, least)));
}

export function cylinder(radius, half, top = radius) {
  return turned(new THREE.CylinderGeometry(top, radius, 2 * half, 40));
}

export function capsule(radius, half) {
  return turned(new THREE.CapsuleGeometry(radius, 2 * half, 12, 32));
}

/* of a visual or a collision shape; undefined for meshes and points */
export function solidOf(kind, size) {
  switch (kind) {
    case 'sphere':
      return ellipsoid([size[0], size[0], size[0]]);
    case 'ellipsoid':
      return ellipsoid(size);
    case 'box':
      return box(size);
    case 'capsule':
      return capsule(size[0], size[1]);
    case 'cylinder':
      return cylinder(size[0], size[1]);
    case 'plane':
      return new THREE.PlaneGeometry(2 * (size[0] || 100), 2 * (size[1] || 100));
    default:
      return undefined;
  }
}

/* puts a thing that lies along z between two points */
export function between(object, from, to) {
  const a = new THREE.Vector3(...from);
  const b = new THREE.Vector3(...to);
  object.position.copy(a).add(b).multiplyScalar(0.5);
  object.quaternion.setFromUnitVectors(Z, b.sub(a).normalize());
  return object;
}

export function along(object, axis) {
  object.quaternion.setFromUnitVectors(Z, new THREE.Vector3(...axis).normalize());
  return object;
}

export function part(geometry, look) {
  const mesh = new THREE.Mesh(geometry, look);
  mesh.castShadow = mesh.receiveShadow = true;
  return mesh;
}

/* a grid of heights about its middle; a cell is two triangles, as in hamel/contact.h */
export function heightfield({ rows, columns, spacing, heights }) {
  const position = new Float32Array(3 * rows * columns);
  const index = new Uint32Array(6 * (rows - 1) * (columns - 1));
  for (let i = 0; i < rows * columns; i++) {
    const row = Math.floor(i / columns);
    position[3 * i] = ((i % columns) - (columns - 1) / 2) * spacing[0];
    position[3 * i + 1] = (row - (rows - 1) / 2) * spacing[1];
    position[3 * i + 2] = heights[i];
  }
  let n = 0;
  for (let row = 0; row < rows - 1; row++) {
    for (let a = row * columns; a < row * columns + columns - 1; a++) {
      index.set([a, a + 1, a + columns + 1, a, a + columns + 1, a + columns], n);
      n += 6;
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(position, 3));
  geometry.setIndex(new THREE.BufferAttribute(index, 1));
  geometry.computeVertexNormals();
  return geometry;
}

/* a pose, row after row, as three.js has matrices */
export function setPose(object, pose) {
  object.matrixAutoUpdate = false;
  object.matrix.set(...pose);
  object.matrixWorldNeedsUpdate = true;
  return object;
}

/* three arrows, x red, y green, z blue, of unit length */
export function triad() {
  const group = new THREE.Group();
  const shaft = cylinder(0.022, 0.42).translate(0, 0, 0.42);
  const head = cylinder(0.06, 0.08, 0).translate(0, 0, 0.92);
  [0xd63b3b, 0x2f9e4f, 0x2f6fde].forEach((color, i) => {
    const arrow = new THREE.Group();
    const look = material(color, { roughness: 0.6 });
    arrow.add(new THREE.Mesh(shaft, look), new THREE.Mesh(head, look));
    along(arrow, [0, 1, 2].map((k) => (k === i ? 1 : 0)));
    group.add(arrow);
  });
  return group;
}
