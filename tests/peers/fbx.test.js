// FBX as Blender's own exporter writes it: the same character, at the same places, in metres with Y up.
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readFileSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { bake } from './lib/bake.js';
import { runBlender } from './lib/blender.js';
import { boxDiagonal, farthestPath, framesOf } from './lib/compare.js';
import { readGltf } from './lib/gltf_file.js';
import { readNpz } from './lib/npz.js';
import { CHARACTERS, DATA, cutis, dataFile, gltfNames, outputFolder } from './lib/program.js';

const folder = outputFolder('fbx');
const fps = 24;
const count = 12;
// Every character with a clip. Those without would get one that swings their joints.
const found = [
  ...gltfNames().filter((name) => /^(khronos-gltf|quaternius|dancer)\/.*\.glb$/.test(name)),
  ...(existsSync(CHARACTERS) ? readdirSync(CHARACTERS).filter((name) => name.endsWith('.glb')).sort() : []).map((name) => path.join(CHARACTERS, name)),
];
// RecursiveSkeletons: in the FBX every one of its many skins has all joints, 66,360 together, and 65,535 is the most.
const characters = found.filter(
  (name) => !name.includes('RecursiveSkeletons') && (readGltf(path.resolve(DATA, name)).json.animations ?? []).length > 0,
);

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
    const worst = Math.max(farthestPath(ours, theirs), farthestPath(theirs, ours));
    t.diagnostic(`largest distance ${(worst / box).toExponential(1)} of the box`);
    assert.ok(worst < 1e-5 * box, `${worst / box} of the box`);
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
