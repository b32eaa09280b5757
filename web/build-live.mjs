// Bundles the live page into one HTML file:
//   node web/build-live.mjs PAGE.html [PAGE.cpp]                      that `cutis live` serves; PAGE.cpp: as a C++ string
//   node web/build-live.mjs PAGE.html --engine FOLDER                 with the engine of FOLDER (cutis-live.js, cutis-live.wasm), for any browser
import { build } from 'esbuild';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const [target, second, folder] = process.argv.slice(2);
// Scenes that need only the characters the page carries.
const demos = ['creature-walk', 'arm-bend', 'tower-touch', 'head-open'];
const actors = ['creature', 'arm', 'tower', 'head'];

const bundled = async (file, format = 'iife') =>
  (await build({ entryPoints: [join(here, 'src', 'live', file)], bundle: true, minify: true, format, target: ['es2022'], legalComments: 'inline', write: false, logLevel: 'warning' })).outputFiles[0].text;

const packed = (bytes) => gzipSync(bytes, { level: 9 }).toString('base64');
let engine = '';
if (second === '--engine') {
  const scene = (name) => readFileSync(join(here, '..', 'examples', `${name}.toml`), 'utf8');
  const wasm = readFileSync(join(folder, 'cutis-live.wasm'));
  const content = {
    script: packed(readFileSync(join(folder, 'cutis-live.js'))),
    worker: packed(await bundled('worker.js')),
    wasm: packed(wasm),
    actors: Object.fromEntries(actors.map((name) => [name, packed(readFileSync(join(here, '..', 'actors', `${name}.glb`)))])),
    demos: Object.fromEntries(demos.map((name) => [name, scene(name)])),
  };
  engine = `<script type="application/json" id="cutis-engine">${JSON.stringify(content).replaceAll('<', '\\u003c')}</script>`;
  console.log(`engine: ${(wasm.length / 1e6).toFixed(2)} MB, gzipped ${(gzipSync(wasm, { level: 9 }).length / 1e6).toFixed(3)} MB`);
}

const style = (await build({ entryPoints: [join(here, 'src', 'live', 'live.css')], bundle: true, minify: true, write: false, logLevel: 'warning' })).outputFiles[0].text;
// A closing script tag inside the bundle would end the element early.
const script = (await bundled('main.js')).replaceAll('</script', '<\\/script');
const page = readFileSync(join(here, 'src', 'live', 'page.html'), 'utf8')
  .replace('/*CUTIS_STYLE*/', () => style)
  .replace('<!--CUTIS_ENGINE-->', () => engine)
  .replace('/*CUTIS_SCRIPT*/', () => script);
mkdirSync(dirname(target), { recursive: true });
writeFileSync(target, page);

if (second && second !== '--engine') {
  const end = ')CUTIS_PAGE"';
  if (page.includes(end)) throw new Error(`the page holds ${end}`);
  const pieces = page.match(/[^]{1,16000}/g).map((piece) => `R"CUTIS_PAGE(${piece})CUTIS_PAGE"`);
  writeFileSync(second, `// Made by web/build-live.mjs.\n#include <string_view>\n\nnamespace cutis {\n
extern const std::string_view live_page;
const std::string_view live_page =\n${pieces.join('\n')};\n
}  // namespace cutis\n`);
}
