// gltfpack, the reference encoder of EXT_meshopt_compression and KHR_mesh_quantization: what it writes is read as
// three.js reads it, and what cutis writes is at most 1.5 times as large at the same error.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, statSync, truncateSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { bake, bakedPositions } from './lib/bake.js';
import { boxDiagonal, farthestPath, largestError } from './lib/compare.js';
import { clipsOf, readGltf } from './lib/gltf_file.js';
import { readNpz } from './lib/npz.js';
import { CHARACTERS, PROGRAM, dataFile, outputFolder } from './lib/program.js';
import { betweenKeys, timesOf } from './lib/times.js';
import { ThreeScene } from './lib/three_eval.js';

const GLTFPACK = fileURLToPath(new URL('node_modules/gltfpack/cli.js', import.meta.url));
const folder = outputFolder('gltfpack');

function pack(from, to, ...options) {
  const run = spawnSync(process.execPath, [GLTFPACK, '-i', from, '-o', to, '-cc', '-kn', '-km', '-ke', ...options], { encoding: 'utf8' });
  assert.equal(run.status, 0, run.stdout + run.stderr);
  return to;
}

const characters = [
  'khronos-gltf/CesiumMan.glb',
  'khronos-gltf/MorphStressTest.glb',
  'quaternius/Trex.glb',
  path.join(CHARACTERS, 'HVGirl.glb'),
];

for (const name of characters) {
  test(`${path.basename(name)}: what gltfpack writes is read as three.js reads it`, async (t) => {
    const file = dataFile(t, name);
    if (file === null) return;
    const packed = pack(file, path.join(folder, path.basename(name)));
    const gltf = readGltf(packed);
    for (const extension of ['EXT_meshopt_compression', 'KHR_mesh_quantization']) assert.ok(gltf.json.extensionsUsed.includes(extension));
    const clip = clipsOf({ ...gltf, ...(await unpacked(packed)) })[0];
    const times = betweenKeys(clip);
    const frames = bakedPositions(
      bake(path.join(folder, `${path.basename(name)}-bake`), { body: { file: packed, fps: times.fps }, formats: ['npz'], frames: [1, times.count] }).file('npz'),
    );
    const scene = await ThreeScene.load(packed);
    let worst = 0;
    timesOf(clip, times).forEach((time, i) => (worst = Math.max(worst, largestError(frames[i], scene.pose(0, time)).fraction)));
    t.diagnostic(`largest distance ${worst.toExponential(1)} of the box`);
    assert.ok(worst < 1e-5, `${worst} of the box`);

    // Broken in the middle: refused in words.
    const broken = path.join(folder, `broken-${path.basename(name)}`);
    copyFileSync(packed, broken);
    truncateSync(broken, Math.floor(statSync(packed).size / 2));
    const run = spawnSync(PROGRAM, ['inspect', broken], { encoding: 'utf8' });
    assert.equal(run.status, 2, run.stderr);
    assert.match(run.stderr, /expected/);
  });
}

/** Keys of clips are compressed, too: three.js's decoder unpacks them. */
async function unpacked(file) {
  const { MeshoptDecoder } = await import('three/addons/libs/meshopt_decoder.module.js');
  await MeshoptDecoder.ready;
  const { json, bin } = readGltf(file);
  const pieces = [];
  let total = 0;
  for (const view of json.bufferViews) {
    const about = view.extensions?.EXT_meshopt_compression;
    if (about) {
      const bytes = new Uint8Array(about.count * about.byteStride);
      MeshoptDecoder.decodeGltfBuffer(bytes, about.count, about.byteStride, bin.subarray(about.byteOffset ?? 0, (about.byteOffset ?? 0) + about.byteLength), about.mode, about.filter);
      pieces.push(Buffer.from(bytes));
    } else {
      pieces.push(bin.subarray(view.byteOffset, view.byteOffset + view.byteLength));
    }
    view.byteOffset = total;
    total += pieces[pieces.length - 1].length;
  }
  return { json, bin: Buffer.concat(pieces) };
}

for (const name of ['khronos-gltf/CesiumMan.glb', 'quaternius/Horse.glb']) {
  test(`${path.basename(name)} with slide: at most 1.5 times what gltfpack makes of it at the same error`, async (t) => {
    const file = dataFile(t, name);
    if (file === null) return;
    const fps = 30;
    const make = (compression) =>
      bake(path.join(folder, `${path.basename(name)}-${compression}`), { body: { file, fps }, layers: '[[layer]]\nkind = "slide"\n', formats: ['glb', 'npz'], compression });
    const [plain, own] = [make('none'), make('meshopt')];
    const frames = bakedPositions(own.file('npz'));
    const box = boxDiagonal(readNpz(own.file('npz')).rest.data);
    const shown = [0, 0.2, 0.4, 0.6, 0.8].map((share) => Math.round(share * (frames.length - 1)));
    const wanted = shown.map((i) => frames[i]);
    const { start } = clipsOf(readGltf(plain.file('glb')))[0];
    const errorOf = async (glb) => {
      const scene = await ThreeScene.load(glb);
      const played = shown.map((i) => scene.pose(0, start + i / fps));
      // gltfpack joins and reorders vertices: paths are compared with the nearest.
      return Math.max(farthestPath(wanted, played), farthestPath(played, wanted)) / box;
    };
    const ours = { bytes: statSync(own.file('glb')).size, error: await errorOf(own.file('glb')) };
    let theirs = null;
    for (const bits of [12, 14, 16]) {
      const packed = pack(plain.file('glb'), path.join(folder, `${path.basename(name)}-${bits}.glb`), '-vp', bits, '-vn', '8', '-at', '16', '-ar', '16', '-af', String(fps));
      const found = { bits, bytes: statSync(packed).size, error: await errorOf(packed) };
      t.diagnostic(`gltfpack -vp ${bits}: ${found.bytes} bytes, error ${found.error.toExponential(1)} of the box`);
      theirs = found;
      if (found.error <= ours.error) break;
    }
    t.diagnostic(`cutis: ${ours.bytes} bytes, error ${ours.error.toExponential(1)}: ${(ours.bytes / theirs.bytes).toFixed(2)} of gltfpack's`);
    assert.ok(ours.bytes <= 1.5 * theirs.bytes, `${ours.bytes / theirs.bytes}`);
  });
}
