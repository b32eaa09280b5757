// Pages that the program writes: of the default demo, and of real characters where the data folder has them.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { deflateSync } from 'node:zlib';
import { crc32 } from '../crc32.mjs';
import { coverage, difference, launch, open, picture, project, shot } from './browser.mjs';
import { readPc2, unpackPage } from './unpack.mjs';

const program = process.env.CUTIS_PROGRAM ?? join(project, 'build', 'cutis');
const data = process.env.CUTIS_DATA ?? join(project, '..', 'shared', 'data');
const run = async (words) => JSON.parse((await promisify(execFile)(program, [...words, '--json'], { maxBuffer: 1 << 26 })).stdout);

let browser;
let folder;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cutis-page-'));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens a page, checks that it plays, keeps a picture of three of its frames. */
async function watch(file, name, frames) {
  const { page, context, complaints } = await open(browser, file);
  const pictures = [];
  for (const frame of frames) {
    await page.evaluate((f) => window.cutis.at(f), frame);
    pictures.push(await picture(page));
    await shot(page, `${name}-${frame}`);
  }
  assert.ok(pictures.every((p) => coverage(p) > 0.02), 'something is drawn');
  assert.ok(difference(pictures[0], pictures[1]) > 0.2, 'it moves');
  await page.evaluate(() => window.cutis.actions.toggle('skeleton'));
  const bones = difference(pictures[frames.length - 1], await picture(page));
  const seconds = await page.evaluate(() => window.cutis.startSeconds);
  console.log(`${name}: ${statSync(file).size} bytes, started in ${seconds.toFixed(2)} s`);
  assert.deepEqual(complaints, []);
  assert.ok(seconds < 30);
  await context.close();
  return { bones };
}

/** Every frame of the page against the cache of the same bake, by an independent reader. */
function checkAgainstCache(pagePath, cachePath, report, howMany) {
  const { meta, motionAt } = unpackPage(pagePath);
  const cache = readPc2(cachePath);
  assert.equal(meta.frames, cache.frames);
  const at = motionAt('positions');
  let largest = 0;
  for (let s = 0; s < howMany; s++) {
    const f = Math.round((s * (cache.frames - 1)) / Math.max(1, howMany - 1));
    const shown = at(f);
    const truth = cache.frame(f);
    for (let i = 0; i < truth.length; i += 3) {
      largest = Math.max(largest, Math.hypot(shown[i] - truth[i], shown[i + 1] - truth[i + 1], shown[i + 2] - truth[i + 2]));
    }
  }
  const { numbers } = report.outputs.find((file) => file.format === 'html');
  const rounding = 1e-6;
  assert.ok(largest <= numbers.max_error_m + rounding, `largest error ${largest}, stated ${numbers.max_error_m}`);
  assert.ok(numbers.max_error_m < numbers.tolerance_m);
}

test('the default demo: a page below 6 MB that plays and keeps its word about the error', async () => {
  const report = await run(['demo', '-o', join(folder, 'demo')]);
  const path = (format) => report.outputs.find((file) => file.format === format).path;
  assert.ok(statSync(path('html')).size < 6e6);
  checkAgainstCache(path('html'), path('pc2'), report, report.frames.count);
  const last = report.frames.count - 1;
  const { bones } = await watch(path('html'), 'demo', [0, Math.round(last / 2), last]);
  assert.ok(bones > 0.01, 'the skeleton is drawn');
});

test('a sheet of wedges shows every combination at the same moment', async () => {
  const scene = join(folder, 'wedge.toml');
  writeFileSync(scene, '[body]\nactor = "cylinder"\nclip = "twist"\n[output]\nformats = ["html"]\n[wedge]\nbody.time_scale = [1.0, 2.0]\n');
  const { sheet } = await run(['bake', scene, '-o', join(folder, 'wedge')]);
  const context = await browser.newContext({ viewport: { width: 900, height: 500 }, offline: true });
  const page = await context.newPage();
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(pathToFileURL(sheet).href);
  const inner = () => page.frames().filter((frame) => frame !== page.mainFrame());
  await page.waitForFunction(() => document.querySelectorAll('iframe').length === 2);
  for (const frame of inner()) await frame.waitForFunction(() => window.cutis !== undefined, null, { timeout: 120_000 });
  await page.waitForTimeout(500);
  await page.locator('#scrub').fill('500');
  for (const frame of inner()) {
    await frame.waitForFunction(() => Math.abs(window.cutis.frame / (window.cutis.meta.frames - 1) - 0.5) < 0.03, null, { timeout: 60_000 });
    assert.equal(await frame.locator('#transport').isVisible(), false);
  }
  await shot(page, 'wedges');
  assert.deepEqual(complaints, []);
  await context.close();
});

const characters = [
  { name: 'dancer', file: 'dancer/dancer.glb', frames: '1-120' },
  { name: 'horse', file: 'quaternius/Horse.glb', body: 'clip = "AnimalArmature|Gallop"\nloop = "loop"' },
  { name: 'hand', file: 'webxr-hand/left.glb', isStill: true },
  { name: 'gallop', mesh: 'horse-gallop/horse-gallop-*.obj', isPlainMesh: true },
];
for (const { name, file, mesh, body = '', frames, isStill, isPlainMesh } of characters) {
  const source = join(data, file ?? mesh);
  const isThere = existsSync(source.replace('*', '01'));
  test(`a page of the ${name} from the data folder plays`, { skip: isThere ? false : `${source} is not there` }, async () => {
    const scene = join(folder, `${name}.toml`);
    writeFileSync(scene, `[body]\n${file ? 'file' : 'mesh'} = ${JSON.stringify(source)}\n${body}\n[output]\nformats = ["html", "pc2"]\n`);
    const report = await run(['bake', scene, '-o', join(folder, name), ...(frames ? ['--frames', frames] : [])]);
    const path = (format) => report.outputs.find((output) => output.format === format).path;
    checkAgainstCache(path('html'), path('pc2'), report, Math.min(report.frames.count, isStill ? 2 : 4));
    if (isStill) {
      const { page, context, complaints } = await open(browser, path('html'));
      assert.ok(coverage(await picture(page)) > 0.02);
      await shot(page, name);
      assert.deepEqual(complaints, []);
      await context.close();
      return;
    }
    const last = report.frames.count - 1;
    const { bones } = await watch(path('html'), name, [0, Math.round(last / 3), Math.round((2 * last) / 3)]);
    assert.equal(bones > 0.01, !isPlainMesh);
  });
}

/** CesiumMan with what `change` does to its material and pictures. */
function changedMan(name, change) {
  const bytes = readFileSync(join(data, 'khronos-gltf', 'CesiumMan.glb'));
  const length = bytes.readUInt32LE(12);
  const json = JSON.parse(bytes.subarray(20, 20 + length).toString());
  let bin = bytes.subarray(28 + length);
  change(json.materials[0], (file) => {
    json.bufferViews.push({ buffer: 0, byteOffset: bin.length, byteLength: file.length });
    json.images.push({ bufferView: json.bufferViews.length - 1, mimeType: 'image/png' });
    json.textures.push({ source: json.images.length - 1 });
    bin = Buffer.concat([bin, file, Buffer.alloc((4 - (file.length % 4)) % 4)]);
    return json.textures.length - 1;
  });
  json.buffers = [{ byteLength: bin.length }];
  const text = Buffer.from(JSON.stringify(json));
  const padded = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, 0x20)]);
  const head = Buffer.alloc(20);
  head.write('glTF');
  [2, 28 + padded.length + bin.length, padded.length].forEach((n, i) => head.writeUInt32LE(n, 4 + 4 * i));
  head.write('JSON', 16);
  const binHead = Buffer.alloc(8);
  binHead.writeUInt32LE(bin.length);
  binHead.write('BIN', 4);
  const file = join(folder, `${name}.glb`);
  writeFileSync(file, Buffer.concat([head, padded, binHead, bin]));
  return file;
}

/** A PNG of one colour. */
function plainPng(colour) {
  const side = 16;
  const raw = Buffer.concat(Array.from({ length: side }, () => Buffer.from([0, ...Array.from({ length: side }, () => colour).flat()])));
  const chunk = (type, body) => {
    const out = Buffer.alloc(12 + body.length);
    out.writeUInt32BE(body.length);
    out.write(type, 4);
    body.copy(out, 8);
    out.writeUInt32BE(crc32(out.subarray(4, 8 + body.length)), 8 + body.length);
    return out;
  };
  const facts = Buffer.from([0, 0, 0, side, 0, 0, 0, side, 8, 2, 0, 0, 0]);
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', facts), chunk('IDAT', deflateSync(raw)), chunk('IEND', Buffer.alloc(0))]);
}

test('the page shows the normal map of a material, and the tint and place of its colours', { skip: !existsSync(data) && 'no data folder' }, async () => {
  const shown = async (name, change) => {
    const report = await run(['convert', changedMan(name, change), join(folder, `${name}.html`), '--frames', '1-2']);
    const { page, context, complaints } = await open(browser, report.outputs[0].path);
    const seen = await picture(page);
    assert.deepEqual(complaints, []);
    await context.close();
    return seen;
  };
  const normals = (colour) => (material, addPicture) => (material.normalTexture = { index: addPicture(plainPng(colour)) });
  const plain = await shown('plain', () => {});
  // Straight out is what the surface has by itself; leaning is not.
  assert.ok(difference(plain, await shown('straight', normals([128, 128, 255]))) < 0.2);
  assert.ok(difference(plain, await shown('leaning', normals([220, 128, 190]))) > 0.5);
  const red = await shown('red', (material) => (material.pbrMetallicRoughness.baseColorFactor = [1, 0.2, 0.2, 1]));
  const sum = (seen, c) => seen.reduce((total, value, i) => total + (i % 4 === c ? value : 0), 0);
  assert.ok(sum(red, 1) < sum(plain, 1) - 100 && Math.abs(sum(red, 0) - sum(plain, 0)) < 0.2 * (sum(plain, 1) - sum(red, 1)));
  const moved = await shown('moved', (material) => {
    material.pbrMetallicRoughness.baseColorTexture.extensions = { KHR_texture_transform: { offset: [0.37, 0.21] } };
  });
  assert.ok(difference(plain, moved) > 0.2);
});
