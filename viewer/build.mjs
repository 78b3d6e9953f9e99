/*
 * Makes dist/viewer.html: one file with three.js, our sources, the style, and the hash of the script in its
 * Content-Security-Policy, so that no other script runs, whatever a robot's names hold. HAMEL-SCENE and HAMEL-FILES stay
 * in it; src/io/view/page.c puts a robot in their place.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const read = (name) => readFileSync(join(here, name), 'utf8');
const common = { bundle: true, minify: true, write: false, charset: 'utf8', legalComments: 'inline' };

const script = await build({
  ...common,
  entryPoints: [join(here, 'src/main.js')],
  format: 'iife',
  target: 'es2022',
  absWorkingDir: here,
});
const style = await build({ ...common, entryPoints: [join(here, 'src/style.css')] });

const licence = read('node_modules/three/LICENSE').trim();
const text = `/* This page contains three.js.\n\n${licence}\n*/\n${script.outputFiles[0].text.trim()}\n`.replaceAll('</script', '<\\/script');
for (const mark of ['HAMEL-SCENE', 'HAMEL-FILES', '<!--']) {
  if (text.includes(mark)) throw new Error(`${mark} is in the script, where it would end or change it`);
}
const hash = createHash('sha256').update(text).digest('base64');
const page = read('src/index.html')
  .replace('STYLE', () => style.outputFiles[0].text.trim())
  .replace('HASH', () => `sha256-${hash}`)
  .replace('SCRIPT', () => text);
mkdirSync(join(here, 'dist'), { recursive: true });
writeFileSync(join(here, 'dist/viewer.html'), page);
console.log(`dist/viewer.html: ${Buffer.byteLength(page)} bytes`);
