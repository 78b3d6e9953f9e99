/*
 * Pages in a browser: they load without an error and without a request to anything outside, the robot is seen, and what
 * the page computes is what the C library computes. HAMEL_BROWSER names the browser; chromium if it does not.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { folder, hamel, MIMIC, poseOfFrame, randomState, root, sceneOf } from './robots.mjs';

const { chromium } = createRequire(join(root, 'viewer/package.json'))('playwright-core');
const place = folder();
const PATIENCE = 180000; /* pictures are drawn by the processor here */
let browser;

before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.HAMEL_BROWSER ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-background-networking'],
  });
});
after(() => browser.close());

/* the page once the robot is there; whatever goes wrong is a fault */
async function open(html) {
  const page = await browser.newPage({ viewport: { width: 640, height: 400 } });
  const faults = [];
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('dialog', (dialog) => {
    faults.push(`a dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', (request) => /^(file|blob|data):/.test(request.url()) || faults.push(`asks for ${request.url()}`));
  await page.goto(`file://${html}`, { timeout: PATIENCE });
  await page.waitForFunction(() => window.hamel || /cannot/.test(document.getElementById('message').textContent), null, { timeout: PATIENCE });
  assert.equal(await page.textContent('#message'), '');
  assert.deepEqual(faults, []);
  return { page, faults };
}

/* the share of the picture that is neither sky nor floor: everything else is hidden once, and compared */
function coverage(page) {
  return page.evaluate(() => {
    const { stage, robot, overlays } = window.hamel;
    const canvas = document.createElement('canvas');
    const picture = () => {
      stage.dirty = true;
      stage.render();
      const source = stage.renderer.domElement;
      [canvas.width, canvas.height] = [source.width, source.height];
      const paint = canvas.getContext('2d', { willReadFrequently: true });
      paint.drawImage(source, 0, 0);
      return paint.getImageData(0, 0, canvas.width, canvas.height).data;
    };
    const shown = picture();
    stage.setShadows(false);
    robot.root.visible = overlays.root.visible = false;
    const empty = picture();
    stage.setShadows(true);
    robot.root.visible = overlays.root.visible = true;
    let different = 0;
    for (let i = 0; i < shown.length; i += 4)
      different += Math.abs(shown[i] - empty[i]) + Math.abs(shown[i + 1] - empty[i + 1]) + Math.abs(shown[i + 2] - empty[i + 2]) > 24;
    return different / (shown.length / 4);
  });
}

async function comparePoses(page, robot, state, names) {
  const model = sceneOf(join(place, 'page.html'));
  const poses = await page.evaluate(() => window.hamel.bodyPoses(window.hamel.robot.q));
  for (const name of names) {
    const i = model.bodies.findIndex((body) => body.name === name);
    const exact = poseOfFrame(robot, state, name, join(place, 'pose.json'));
    exact.forEach((x, k) => assert.ok(Math.abs(x - poses[i][k]) <= 1e-12 * Math.max(1, Math.abs(x)), `${name}[${k}]`));
  }
}

for (const [name, least] of [['drone_arm', 0.08], ['satellite', 0.06], ['nine', 0.05]]) {
  test(`${name}, which has no meshes, is solid`, async () => {
    const robot = join(root, 'robots', `${name}.json`);
    const html = join(place, 'page.html');
    const state = join(place, 'state.json');
    hamel('view', robot, '--out', html);
    const { page, faults } = await open(html);
    const seen = await coverage(page);
    assert.ok(seen > least && seen < 0.6, `${(100 * seen).toFixed(1)} % of the picture`);
    randomState(sceneOf(html), 5, state);
    hamel('view', robot, '--state', state, '--out', html);
    await page.evaluate((q) => window.hamel.setConfiguration(q), sceneOf(html).q);
    const bodies = sceneOf(html).bodies.map((body) => body.name);
    await comparePoses(page, robot, state, bodies.slice(-3));
    assert.deepEqual(faults, []);
    await page.close();
  });
}

test('ground that is a grid of heights', async () => {
  const html = join(place, 'page.html');
  const file = join(place, 'hills.json');
  writeFileSync(file, JSON.stringify({ heights: [[0, 0, 0], [0, 0.2, 0], [0, 0, 0.1]], spacing: [1, 2], position: [0, 0, 0.5] }));
  hamel('simulate', join(root, 'robots/quadruped.json'), '--ground', '--terrain', file, '--time', '0.01', '--view', html);
  const { page, faults } = await open(html);
  const found = await page.evaluate(() => {
    const { robot } = window.hamel;
    const { geometry } = robot.root.getObjectByName('heightfield').children[0];
    geometry.computeBoundingBox();
    const { min, max } = geometry.boundingBox;
    return { box: [...min.toArray(), ...max.toArray()], triangles: geometry.index.count / 3 };
  });
  assert.equal(found.triangles, 8);
  [-1, -2, 0, 1, 2, 0.2].forEach((x, i) => assert.ok(Math.abs(found.box[i] - x) < 1e-6));
  assert.deepEqual(faults, []);
  await page.close();
});

test('a motion, its forces, trails and controls', async () => {
  const html = join(place, 'page.html');
  hamel('simulate', join(root, 'robots/quadruped.json'), '--state', join(root, 'examples/states/quadruped_drop.json'),
    '--ground', '--controller', 'hold', '--time', '0.5', '--step', '0.005', '--view', html);
  const { page, faults } = await open(html);
  assert.equal(await page.textContent('#play output'), '0.00 / 0.50 s');
  const height = () => page.evaluate(() => window.hamel.robot.poses[0][11]);
  const high = await height();
  await page.evaluate(() => window.hamel.setTime(0.5));
  assert.ok((await height()) < high - 0.02, 'it falls');
  const arrows = await page.evaluate(() => window.hamel.overlays.arrows.filter((a) => a.visible).length);
  assert.equal(arrows, 4);
  for (const title of ['Frames and trails', 'Joints (13)']) await page.click(`summary:has-text("${title}")`);
  await page.check('input[aria-label="centre of mass"]');
  await page.locator('input[aria-label="trunk"]').first().check();
  assert.deepEqual(await page.evaluate(() => [window.hamel.overlays.trails.size, window.hamel.overlays.frames.size]), [1, 1]);
  await page.check('label:has-text("Centre of mass") input');
  assert.ok(await page.evaluate(() => window.hamel.overlays.com.visible));
  await page.evaluate(() => {
    window.hamel.setTime(0);
    window.hamel.play(true);
  });
  await page.waitForFunction(() => window.hamel.playback.time > 0.02, null, { timeout: PATIENCE });
  assert.deepEqual(faults, []);
  await page.close();
});

/* ---- meshes ---- */

const CORNERS = [[0, 0, 0], [0.4, 0, 0], [0, 0.4, 0], [0, 0, 0.4]];
const TRIANGLES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

/* colours: five bits each of blue, green and red for every triangle, as Magics writes them */
function binaryStl(...colours) {
  const bytes = Buffer.alloc(84 + 50 * TRIANGLES.length);
  if (colours.length) bytes.write('COLOR=');
  colours.forEach((colour, t) => bytes.writeUInt16LE(colour, 84 + 50 * t + 48));
  bytes.writeUInt32LE(TRIANGLES.length, 80);
  TRIANGLES.forEach((triangle, t) => triangle.forEach((corner, c) => CORNERS[corner].forEach((x, k) => bytes.writeFloatLE(x, 84 + 50 * t + 12 + 12 * c + 4 * k))));
  return bytes;
}

const obj = (material) => `${material}${CORNERS.map((p) => `v ${p.join(' ')}`).join('\n')}\nvt 0 0\nvt 1 0\nvt 0 1\n${TRIANGLES.map((t) => `f ${t.map((i, k) => `${i + 1}/${k + 1}`).join(' ')}`).join('\n')}\n`;

const dae = `<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="millimeter" meter="0.001"/><up_axis>Z_UP</up_axis></asset>
<library_images><image id="skin"><init_from>skin.png</init_from></image></library_images>
<library_effects><effect id="e"><profile_COMMON>
<newparam sid="s"><surface type="2D"><init_from>skin</init_from></surface></newparam>
<newparam sid="t"><sampler2D><source>s</source></sampler2D></newparam>
<technique sid="c"><lambert><diffuse><texture texture="t" texcoord="UV"/></diffuse></lambert></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m" name="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="12">${CORNERS.flat().map((x) => 1000 * x).join(' ')}</float_array><technique_common><accessor source="#pa" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4" material="x"><input semantic="VERTEX" source="#v" offset="0"/><p>${TRIANGLES.flat().join(' ')}</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"><bind_material><technique_common><instance_material symbol="x" target="#m"/></technique_common></bind_material></instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>`;

/* a glTF with its buffer in a file of its own */
function gltf() {
  const data = Buffer.alloc(48 + 24);
  CORNERS.flat().forEach((x, i) => data.writeFloatLE(x, 4 * i));
  TRIANGLES.flat().forEach((x, i) => data.writeUInt16LE(x, 48 + 2 * i));
  writeFileSync(join(place, 'part.bin'), data);
  return JSON.stringify({
    asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
    buffers: [{ uri: 'part.bin', byteLength: 72 }],
    bufferViews: [{ buffer: 0, byteOffset: 0, byteLength: 48 }, { buffer: 0, byteOffset: 48, byteLength: 24 }],
    accessors: [{ bufferView: 0, componentType: 5126, count: 4, type: 'VEC3', min: [0, 0, 0], max: [0.4, 0.4, 0.4] }, { bufferView: 1, componentType: 5123, count: 12, type: 'SCALAR' }],
  });
}

const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==', 'base64');

test('meshes of every kind, broken ones, and names that would like to be code', async () => {
  const files = {
    'skin.png': PNG,
    'a.stl': binaryStl(0, 0, 0, 0),
    'f.stl': binaryStl(0, 31, 0, 31),
    'b.obj': obj('mtllib b.mtl\nusemtl red\n'),
    'b.mtl': 'newmtl red\nKd 1 0 0\nmap_Kd skin.png\n',
    'c.dae': dae,
    'd.gltf': gltf(),
    'e.obj': obj(''),
    'broken.stl': 'solid nothing here',
    'broken.dae': '<COLLADA',
    'broken.glb': 'glTF....',
    'broken.obj': 'f 1 2 3\nf 9999999 2 x\n',
  };
  for (const [name, data] of Object.entries(files)) writeFileSync(join(place, name), data);
  const evil = '&lt;img src=x onerror=alert(1)&gt;&lt;/script&gt;&lt;script&gt;alert(2)&lt;/script&gt;';
  const visual = (name, x) => `<visual><origin xyz="${x} 0 0"/><geometry><mesh filename="${name}"/></geometry></visual>`;
  const good = ['a.stl', 'b.obj', 'c.dae', 'd.gltf', 'e.obj', 'f.stl'];
  const bad = ['broken.stl', 'broken.dae', 'broken.glb', 'broken.obj'];
  writeFileSync(join(place, 'meshes.urdf'), MIMIC.replace('name="mimic"', `name="${evil}"`)
    .replace('<link name="a">', `<link name="a">${good.map((name, i) => visual(name, i)).join('')}`)
    .replace('<link name="b">', `<link name="b">${bad.map((name) => visual(name, 0)).join('')}`)
    .replaceAll('"j"', `"${evil}"`));
  const html = join(place, 'meshes.html');
  hamel('view', join(place, 'meshes.urdf'), '--base', 'free', '--out', html);
  const { page, faults } = await open(html);
  const boxes = await page.evaluate(() => window.hamel.robot.layers.visual.map((holder) => {
    const box = { min: [9, 9, 9], max: [-9, -9, -9] };
    holder.updateWorldMatrix(true, true);
    holder.traverse((o) => {
      if (!o.isMesh) return;
      box.motley ||= [o.material].flat().some((m) => m.vertexColors);
      o.geometry.computeBoundingBox();
      const b = o.geometry.boundingBox.clone().applyMatrix4(o.matrixWorld);
      ['x', 'y', 'z'].forEach((k, i) => {
        box.min[i] = Math.min(box.min[i], b.min[k]);
        box.max[i] = Math.max(box.max[i], b.max[k]);
      });
    });
    return box;
  }));
  assert.equal(boxes.length, good.length); /* and all of them where they belong, in metres, z up */
  const offsets = boxes.map((box) => Math.round(box.min[0])).sort();
  assert.deepEqual(offsets, [0, 1, 2, 3, 4, 5]);
  assert.equal(boxes.filter((box) => box.motley).length, 1); /* one colour for all triangles is none */
  for (const box of boxes) for (let i = 0; i < 3; i++) assert.ok(Math.abs(box.max[i] - box.min[i] - 0.4) < 1e-6);
  const problems = await page.textContent('.problems');
  for (const name of bad) assert.match(problems, new RegExp(`${name} cannot be read`));
  assert.ok(await page.evaluate(() => window.hamel.robot.bare.has(1))); /* a bone instead */
  assert.match(await page.title(), /^<img src=x onerror=alert\(1\)><\/script>/);
  assert.equal(await page.evaluate(() => document.querySelectorAll('img').length + document.scripts.length), 2);
  assert.ok((await coverage(page)) > 0.02);
  assert.deepEqual(faults, []);
  await page.close();
});

test('a script that is not the viewer does not run', async () => {
  const html = join(place, 'page.html');
  hamel('view', '--out', html);
  const { page } = await open(html);
  const refused = page.waitForEvent('console', (message) => /Content Security Policy/.test(message.text()));
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.intruder = 1';
    document.body.append(script);
    document.body.append(Object.assign(new Image(), { src: 'http://127.0.0.1:9/x.png' }));
  });
  await refused;
  assert.equal(await page.evaluate(() => window.intruder), undefined);
  await page.close();
});
