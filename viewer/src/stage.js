/* Where the robot stands: renderer, camera, light, floor. The world's z points up. */
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { RoomEnvironment } from 'three/addons/environments/RoomEnvironment.js';

const THEMES = {
  light: { sky: 0xe9edf2, floor: 0xdfe4ea, line: '#aab5c0', faint: '#cdd5dd', sun: 2.6, room: 0.5 },
  dark: { sky: 0x181c22, floor: 0x20262e, line: '#3b4550', faint: '#2b333c', sun: 2.6, room: 0.45 },
};

/* lines every metre of `step`, faint ones at a tenth of it, as one tile */
function gridTexture(theme, renderer) {
  const size = 1024;
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = size;
  const paint = canvas.getContext('2d');
  paint.fillStyle = '#ffffff';
  paint.fillRect(0, 0, size, size);
  for (let i = 0; i <= 10; i++) {
    const bold = i % 10 === 0;
    paint.fillStyle = bold ? theme.line : theme.faint;
    const width = bold ? 8 : 3;
    const at = (i * size) / 10 - width / 2;
    paint.fillRect(at, 0, width, size);
    paint.fillRect(0, at, size, width);
  }
  const texture = new THREE.CanvasTexture(canvas);
  texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
  texture.anisotropy = renderer.capabilities.getMaxAnisotropy();
  texture.colorSpace = THREE.SRGBColorSpace;
  return texture;
}

/* 1, 2 or 5 times a power of ten, near x */
export function roundLength(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  const rest = x / power;
  return power * (rest < 1.5 ? 1 : rest < 3.5 ? 2 : rest < 7.5 ? 5 : 10);
}

export class Stage {
  constructor(canvas) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.toneMapping = THREE.ACESFilmicToneMapping;
    this.renderer.toneMappingExposure = 1.05;
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(38, 1, 0.01, 1000);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.zoomToCursor = true;
    this.radius = 1;
    this.center = new THREE.Vector3();
    this.floorHeight = 0;
    this.light();
    this.floor = this.makeFloor();
    this.setTheme('light');
    this.dirty = true;
    this.controls.addEventListener('change', () => (this.dirty = true));
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
  }

  light() {
    const generator = new THREE.PMREMGenerator(this.renderer);
    this.scene.environment = generator.fromScene(new RoomEnvironment(), 0.04, 0.1, 100, { size: 64 }).texture;
    this.scene.environmentRotation.set(Math.PI / 2, 0, 0); /* the room's y is up */
    generator.dispose();
    this.sun = new THREE.DirectionalLight(0xffffff, 2);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 3;
    this.scene.add(this.sun, this.sun.target);
  }

  makeFloor() {
    const material = new THREE.MeshStandardMaterial({ roughness: 0.95, metalness: 0, envMapIntensity: 0.6 });
    const floor = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), material);
    floor.receiveShadow = true;
    this.scene.add(floor);
    return floor;
  }

  setTheme(name) {
    const theme = THEMES[name];
    this.theme = name;
    this.scene.background = new THREE.Color(theme.sky);
    this.scene.fog = new THREE.Fog(theme.sky, 1, 2);
    this.scene.environmentIntensity = theme.room;
    this.sun.intensity = theme.sun;
    this.floor.material.map?.dispose();
    this.floor.material.map = gridTexture(theme, this.renderer);
    this.floor.material.color.set(theme.floor).multiplyScalar(1.15);
    this.floor.material.needsUpdate = true;
    document.documentElement.dataset.theme = name;
    this.fitSurroundings();
  }

  setFloor(visible, height) {
    this.floor.visible = visible;
    this.floorHeight = height;
    this.floor.position.z = height;
    this.dirty = true;
  }

  setShadows(on) {
    this.sun.castShadow = on;
    this.dirty = true;
  }

  /* light, floor and fog for a robot of this size about this point */
  fitSurroundings() {
    const r = this.radius;
    const side = 60 * r;
    this.step = roundLength(r);
    this.floor.scale.set(side, side, 1);
    this.floor.material.map.repeat.setScalar(side / this.step);
    /* lines go through the world's origin, however the tiles are cut */
    this.floor.material.map.offset.setScalar(((-side / 2 / this.step) % 1) + 1);
    this.scene.fog.near = 7 * r;
    this.scene.fog.far = 26 * r;
    this.camera.near = r / 100;
    this.camera.far = 100 * r;
    this.camera.updateProjectionMatrix();
    this.controls.minDistance = r / 20;
    this.controls.maxDistance = 20 * r;
    const shadow = this.sun.shadow;
    Object.assign(shadow.camera, { left: -2.2 * r, right: 2.2 * r, top: 2.2 * r, bottom: -2.2 * r, near: 0.1 * r, far: 12 * r });
    shadow.camera.updateProjectionMatrix();
    shadow.normalBias = 0.004 * r;
    shadow.bias = -0.0005;
    this.placeSun(this.center);
    this.dirty = true;
  }

  /* the sun stays over the robot, so that its shadow is sharp wherever it goes */
  placeSun(center) {
    const r = this.radius;
    this.sun.target.position.copy(center);
    this.sun.position.copy(center).add(new THREE.Vector3(2.2 * r, -2.6 * r, 5.2 * r));
  }

  /* looks at the middle of these points from a direction, from as near as shows them all */
  look(points, direction = [1.15, -1.5, 0.72]) {
    const box = new THREE.Box3().setFromPoints(points.length ? points : [new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1)]);
    box.getCenter(this.center);
    this.radius = Math.max(box.getSize(new THREE.Vector3()).length() / 2, 1e-6);
    this.fitSurroundings();
    const back = new THREE.Vector3(...direction).normalize();
    const right = new THREE.Vector3(0, 0, 1).cross(back).normalize();
    const up = back.clone().cross(right);
    const high = 0.84 * Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2));
    const wide = high * Math.min(this.camera.aspect, 2.5);
    let distance = 0;
    for (const point of points) {
      const p = point.clone().sub(this.center);
      const [x, y] = [Math.abs(p.dot(right)), Math.abs(p.dot(up))];
      distance = Math.max(distance, p.dot(back) + Math.max(x / wide, y / high));
    }
    this.controls.target.copy(this.center);
    this.camera.position.copy(back.multiplyScalar(distance || 3 * this.radius).add(this.center));
    this.controls.update();
    this.dirty = true;
  }

  /* camera and light move along with the robot */
  follow(shift) {
    this.camera.position.add(shift);
    this.controls.target.add(shift);
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.renderer.domElement.parentElement;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(height, 1);
    this.camera.updateProjectionMatrix();
    this.dirty = true;
  }

  render() {
    this.controls.update();
    if (!this.dirty) return;
    this.dirty = false;
    this.renderer.render(this.scene, this.camera);
  }
}
