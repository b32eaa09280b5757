// FBX as Blender's own exporter writes it: the same character, at the same places, in metres with Y up.
import assert from 'node:assert/strict';
import { readFileSync, truncateSync, copyFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { bake } from './lib/bake.js';
import { runBlender } from './lib/blender.js';
import { boxDiagonal } from './lib/compare.js';
import { readGltf } from './lib/gltf_file.js';
import { readNpz } from './lib/npz.js';
import { CHARACTERS, cutis, dataFile, outputFolder } from './lib/program.js';

const folder = outputFolder('fbx');
const fps = 24;
const count = 12;
const characters = ['khronos-gltf/CesiumMan.glb', 'quaternius/Trex.glb', path.join(CHARACTERS, 'HVGirl.glb')];

/** Largest distance from a vertex (its whole path) to the nearest path among others; both [frame][x y z ...]. */
function farthest(ours, theirs) {
  const keys = [0, Math.floor(ours.length / 2), ours.length - 1];
  const cells = new Map();
  const size = 0.01 * boxDiagonal(theirs[0]);
  const cell = (frames, v, shift = [0, 0, 0]) =>
    shift.map((s, k) => Math.floor(frames[0][3 * v + k] / size) + s).join();
  for (let v = 0; v < theirs[0].length / 3; ++v) {
    const key = cell(theirs, v);
    if (!cells.has(key)) cells.set(key, []);
    cells.get(key).push(v);
  }
  const distance = (frame, a, b) =>
    Math.hypot(...[0, 1, 2].map((k) => ours[frame][3 * a + k] - theirs[frame][3 * b + k]));
  let worst = 0;
  for (let v = 0; v < ours[0].length / 3; ++v) {
    let best = Infinity;
    let match = -1;
    for (let i = 0; i < 27; ++i) {
      const shift = [(i % 3) - 1, (Math.floor(i / 3) % 3) - 1, Math.floor(i / 9) - 1];
      for (const other of cells.get(cell(ours, v, shift)) ?? []) {
        const sum = Math.max(...keys.map((frame) => distance(frame, v, other)));
        if (sum < best) [best, match] = [sum, other];
      }
    }
    if (match < 0) return Infinity;
    for (let frame = 0; frame < ours.length; ++frame) worst = Math.max(worst, distance(frame, v, match));
  }
  return worst;
}

function framesOf(data, frames) {
  const width = data.length / frames;
  return Array.from({ length: frames }, (_, i) => data.subarray(i * width, (i + 1) * width));
}

for (const name of characters) {
  test(`${path.basename(name)}: what Blender exports as FBX is read where Blender has it`, (t) => {
    const file = dataFile(t, name);
    if (file === null) return;
    const out = path.join(folder, path.basename(name, '.glb'));
    const fbx = `${out}.fbx`;
    writeFileSync(`${out}.jobs`, JSON.stringify([{ file, fbx, out, fps, frames: count }]));
    runBlender('export_fbx.py', [`${out}.jobs`], folder);
    const about = JSON.parse(readFileSync(`${out}.json`, 'utf8'));
    const bytes = readFileSync(`${out}.bin`);
    const theirs = framesOf(new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)), count);
    const report = bake(`${out}-bake`, { body: { file: fbx, fps }, formats: ['npz', 'glb'], frames: [1, count] });
    const arrays = readNpz(report.file('npz'));
    const ours = framesOf(arrays.positions.data, count);
    const box = boxDiagonal(theirs[0]);
    const worst = Math.max(farthest(ours, theirs), farthest(theirs, ours));
    t.diagnostic(`largest distance ${(worst / box).toExponential(1)} of the box`);
    assert.ok(worst < 1e-4 * box, `${worst / box} of the box`);
    const { json } = readGltf(report.file('glb'));
    const names = (list) => (list ?? []).map((one) => one.name);
    for (const bone of about.bones) assert.ok(names(json.nodes).includes(bone), `bone ${bone}`);
    for (const mesh of about.meshes) assert.ok(names(json.nodes).includes(mesh), `mesh ${mesh}`);
    assert.deepEqual(names(json.materials).sort(), about.materials);
    assert.ok(json.animations.length >= 1);
    const before = readGltf(file).json;
    assert.equal((json.images ?? []).length > 0, (before.images ?? []).length > 0, 'pictures');

    // Broken in the middle: refused in words, nothing written.
    const broken = `${out}-broken.fbx`;
    copyFileSync(fbx, broken);
    truncateSync(broken, Math.floor(readFileSync(fbx).length / 2));
    assert.throws(() => cutis('inspect', broken), /expected FBX/);
  });
}
