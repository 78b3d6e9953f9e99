// Typesets every formula of the built site with the MathJax that the site carries, and fails where it finds a fault in one.
// Usage: check-formulas.mjs FOLDER MATHJAX

import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [folder, place] = process.argv.slice(2);
const mathjax = await createRequire(import.meta.url)(place).init({
    loader: { load: ['input/tex', 'output/svg', 'adaptors/liteDOM'], versionWarnings: false },
    tex: { packages: ['base', 'ams'] }, // without "noundefined", which shows unknown commands in red
});
const plain = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&#x27;': "'", '&amp;': '&' };
let count = 0;
let faults = 0;
for (const name of readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.html'))) {
    const page = readFileSync(join(folder, name), 'utf8');
    for (const [, html] of page.matchAll(/<(?:div|span) class="math [^>]*>\s*\\[[(]([^]*?)\\[\])]\s*<\/(?:div|span)>/g)) {
        const tex = html.replace(/&[a-z0-9#]+;/g, (entity) => plain[entity] ?? entity);
        const fault = mathjax.startup.adaptor.outerHTML(mathjax.tex2svg(tex)).match(/data-mjx-error="([^"]*)"/);
        count += 1;
        if (fault) {
            faults += 1;
            console.error(`${name}: ${fault[1]}:\n${tex}`);
        }
    }
}
console.log(`${count} formulas, ${faults} at fault`);
process.exit(faults || !count ? 1 : 0);
