/*
 * Mesh files and textures, read by the loaders of three.js from the page itself. Whatever is wrong with a file, the
 * answer is undefined and a sentence for the reader; the rest of the robot is shown.
 */
import * as THREE from 'three';
import { ColladaLoader } from 'three/addons/loaders/ColladaLoader.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { MTLLoader } from 'three/addons/loaders/MTLLoader.js';
import { OBJLoader } from 'three/addons/loaders/OBJLoader.js';
import { STLLoader } from 'three/addons/loaders/STLLoader.js';

const TYPES = { png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', bin: 'application/octet-stream' };
const WHITE = 'data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==';
const endingOf = (name) => name.split('.').pop().toLowerCase();
const textOf = (bytes) => new TextDecoder().decode(bytes);
const bufferOf = (bytes) => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);

/*
 * three.js and its loaders talk much about files of other programs. While files are read nothing of it reaches the
 * console: what matters is among the problems that the page shows.
 */
let reading = 0;
THREE.setConsoleFunction((type, text, ...more) => {
  if (type === 'error' && reading === 0) console.error(text, ...more);
});

/* ColladaLoader goes to the console by itself */
function silently(work) {
  const { error, warn } = console;
  console.error = console.warn = () => {};
  try {
    return work();
  } finally {
    Object.assign(console, { error, warn });
  }
}

/* every loader's material as one kind, so that all robots are lit alike */
function convert(material) {
  const plain = new THREE.MeshStandardMaterial({
    color: material.color ?? new THREE.Color(0xffffff),
    map: material.map ?? null,
    roughness: material.roughness ?? 0.55,
    metalness: Math.min(material.metalness ?? 0.1, 0.6),
    vertexColors: material.vertexColors ?? false,
    transparent: material.opacity < 1,
    opacity: material.opacity > 0 ? material.opacity : 1,
    side: THREE.DoubleSide, /* files of other programs turn triangles both ways, and mirrored scales do */
    flatShading: material.flatShading ?? false,
  });
  if (material.emissive && material.emissiveIntensity !== 0) plain.emissive.copy(material.emissive);
  return plain;
}

/* more than one colour? An STL file whose triangles all have the same one, mostly black, says nothing: its writer always puts one */
function isMotley(colours) {
  return colours.some((value, i) => value !== colours[i % 3]);
}

/* a mesh of the file has a colour of its own if the file says more than nothing */
function isColoured(object) {
  let coloured = false;
  object.traverse((part) => {
    if (part.isMesh && [part.material].flat().some((m) => m.map || m.vertexColors || m.name)) coloured = true;
  });
  return coloured;
}

export class Files {
  /* files: [{name, entry, needs: {reference: index}}], members: of the archive */
  constructor(files, members) {
    this.files = files;
    this.members = members;
    this.urls = new Map();
    this.meshes = new Map();
    this.problems = [];
  }

  bytes(index) {
    return this.members.get(this.files[index].entry)();
  }

  async url(index) {
    if (!this.urls.has(index)) {
      const type = TYPES[endingOf(this.files[index].name)] ?? 'application/octet-stream';
      this.urls.set(index, URL.createObjectURL(new Blob([await this.bytes(index)], { type })));
    }
    return this.urls.get(index);
  }

  /* a manager that finds what a mesh file refers to among the files of the page, and nothing elsewhere */
  async manager(index) {
    const manager = new THREE.LoadingManager();
    const known = new Map();
    for (const [reference, file] of Object.entries(this.files[index].needs ?? {}))
      known.set(decodeURI(reference), await this.url(file));
    manager.setURLModifier((url) => {
      if (/^(blob|data):/.test(url)) return url;
      return known.get(decodeURI(url)) ?? known.get(decodeURI(url.split('/').pop())) ?? WHITE;
    });
    return manager;
  }

  async objMaterials(index, text, manager) {
    const library = /^mtllib\s+(.+?)\s*$/m.exec(text)?.[1];
    const file = library && this.files[index].needs?.[library];
    if (file === undefined || file === '') return undefined;
    const materials = new MTLLoader(manager).parse(textOf(await this.bytes(file)), '');
    materials.preload();
    return materials;
  }

  /* an object as the file has it: its own axes and units */
  async parse(index) {
    const bytes = await this.bytes(index);
    const manager = await this.manager(index);
    switch (endingOf(this.files[index].name)) {
      case 'stl': {
        const geometry = new STLLoader().parse(bufferOf(bytes));
        const own = geometry.hasColors === true && isMotley(geometry.getAttribute('color').array);
        if (!own) geometry.deleteAttribute('color');
        const mesh = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({ vertexColors: own, name: own ? 'own' : '' }));
        return mesh;
      }
      case 'obj': {
        const text = textOf(bytes);
        const loader = new OBJLoader(manager);
        const materials = await this.objMaterials(index, text, manager);
        if (materials) loader.setMaterials(materials);
        const object = loader.parse(text);
        if (!materials) object.traverse((part) => [part.material].flat().forEach((m) => m && (m.name = '')));
        return object;
      }
      case 'dae': {
        const { scene } = silently(() => new ColladaLoader(manager).parse(textOf(bytes), '')) ?? {};
        if (!scene) throw new Error('it is not XML');
        scene.quaternion.identity(); /* robots are described in the file's own axes, whichever it calls up */
        return scene;
      }
      default:
        return (await new GLTFLoader(manager).parseAsync(bufferOf(bytes), '')).scene;
    }
  }

  /* {object, coloured}, made once for all visuals that use the file; undefined if it cannot be read */
  mesh(index) {
    if (!this.meshes.has(index)) this.meshes.set(index, this.readMesh(index));
    return this.meshes.get(index);
  }

  async readMesh(index) {
    reading++;
    try {
      const object = await this.parse(index);
      let triangles = 0;
      object.traverse((part) => {
        if (!part.isMesh) return;
        const { geometry } = part;
        if (!geometry.attributes.position?.array.every(Number.isFinite)) throw new Error('it has vertices that are not numbers');
        if (!geometry.attributes.normal) geometry.computeVertexNormals();
        triangles += (geometry.index ?? geometry.attributes.position).count / 3;
      });
      if (!(triangles > 0)) throw new Error('it has no triangles');
      const coloured = isColoured(object);
      object.traverse((part) => {
        if (part.isMesh) part.material = Array.isArray(part.material) ? part.material.map(convert) : convert(part.material);
      });
      return { object, coloured };
    } catch (error) {
      this.problems.push(`The mesh ${this.files[index].name} cannot be read: ${error.message}.`);
      return undefined;
    } finally {
      reading--;
    }
  }

  async texture(index) {
    try {
      const texture = await new THREE.TextureLoader().loadAsync(await this.url(index));
      texture.colorSpace = THREE.SRGBColorSpace;
      texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
      return texture;
    } catch {
      this.problems.push(`The texture ${this.files[index].name} cannot be read.`);
      return undefined;
    }
  }
}
