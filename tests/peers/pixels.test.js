// A bake without layers looks the same in three.js, pixel by pixel, as it stands and in the middle of its first clip;
// with a layer, but for what is baked, a compressed file looks as the plain one.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bake } from './lib/bake.js';
import { glbBytes, readGltf } from './lib/gltf_file.js';
import { CHARACTERS, DATA, gltfNames, outputFolder } from './lib/program.js';

const web = (name) => import(pathToFileURL(fileURLToPath(new URL(`../../web/node_modules/${name}`, import.meta.url))).href);
const folder = outputFolder('pixels');
const brought = existsSync(CHARACTERS) ? readdirSync(CHARACTERS).filter((name) => name.endsWith('.glb')).sort() : [];
const files = [
  ...gltfNames().filter((name) => !name.startsWith('gltf-asset-generator/')).map((name) => path.join(DATA, name)),
  // The skin weights of the wasp hold NaN, which are mended.
  ...brought.filter((name) => name !== 'Wasp.glb').map((name) => path.join(CHARACTERS, name)),
];

let browser;
let page;

before(async () => {
  if (files.length === 0) return;
  const { build } = await web('esbuild/lib/main.js');
  const { chromium } = await web('playwright-core/index.mjs');
  mkdirSync(folder, { recursive: true });
  const script = path.join(folder, 'page.js');
  await build({ entryPoints: [fileURLToPath(new URL('lib/pixels_page.js', import.meta.url))], bundle: true, format: 'iife', outfile: script, logLevel: 'warning' });
  writeFileSync(path.join(folder, 'page.html'), '<!doctype html><meta charset="utf-8"><script src="page.js"></script>');
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-quic'] });
  page = await browser.newPage();
  await page.goto(pathToFileURL(path.join(folder, 'page.html')).href);
  await page.waitForFunction(() => window.drawGlb !== undefined);
});

after(() => browser?.close());

async function pictures(file) {
  const base64 = Buffer.from(glbBytes(readGltf(file))).toString('base64');
  return await page.evaluate(([text, share]) => window.drawGlb(text, share), [base64, 0.37]);
}

/** Numbers that differ by more than rounding, and those that are no background. */
function compare(p, q) {
  let different = 0;
  let seen = 0;
  for (let i = 0; i < p.length; ++i) {
    different += Math.abs(p[i] - q[i]) > 1 ? 1 : 0;
    seen += p[i] !== p[i % 4] ? 1 : 0;
  }
  return { different, seen };
}

test('the data folders hold characters', (t) => {
  if (files.length === 0) {
    assert.notEqual(process.env.CI, 'true', 'no characters');
    t.skip('no characters');
  }
});

for (const [i, file] of files.entries()) {
  test(`${path.relative(DATA, file)}: the same picture in three.js`, async (t) => {
    const baked = bake(path.join(folder, `${i}-${path.basename(file)}`), { body: { file }, formats: ['glb'] }).file('glb');
    const [p, q] = [await pictures(file), await pictures(baked)];
    // Characters without a clip get one that swings their joints.
    const count = readGltf(file).json.animations === undefined ? 1 : 2;
    assert.equal(p.length, Math.min(count, p.length));
    for (let k = 0; k < Math.min(count, p.length); ++k) {
      assert.equal(q[k].length, p[k].length);
      const { different, seen } = compare(p[k], q[k]);
      assert.ok(seen > 500, `picture ${k} shows something`);
      assert.equal(different, 0, `picture ${k}: numbers that differ`);
    }
    t.diagnostic(`${p.length} pictures`);
  });
}

test('a picture that is wrong is noticed', async (t) => {
  const file = path.join(DATA, 'khronos-gltf/CesiumMan.glb');
  if (!files.includes(file)) return t.skip('no CesiumMan');
  const gltf = readGltf(file);
  for (const material of gltf.json.materials) material.pbrMetallicRoughness = { baseColorFactor: [1, 0, 0, 1] };
  const other = path.join(folder, 'red.glb');
  writeFileSync(other, glbBytes(gltf));
  const [p, q] = [await pictures(file), await pictures(other)];
  assert.ok(compare(p[0], q[0]).different > 500);
});
