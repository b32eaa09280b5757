// What Blender 5 writes of a character as GLB, plain and compressed with draco, is read where Blender has it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { bake } from './lib/bake.js';
import { boxDiagonal, farthestPath, framesOf } from './lib/compare.js';
import { readGltf } from './lib/gltf_file.js';
import { readNpz } from './lib/npz.js';
import { CHARACTERS, dataFile, outputFolder } from './lib/program.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const PYTHON = process.env.CUTIS_BPY_PYTHON ?? path.join(HERE, '../../build/peers-bpy/bin/python');
const folder = outputFolder('blender-export');
const fps = 24;
const count = 12;
const characters = [
  'khronos-gltf/CesiumMan.glb',
  'quaternius/Trex.glb',
  'dancer/dancer.glb',
  ...['HVGirl.glb', 'Mage.glb'].map((name) => path.join(CHARACTERS, name)),
];

for (const name of characters) {
  test(`${path.basename(name)}: what Blender 5 exports is read where Blender has it`, (t) => {
    const file = dataFile(t, name);
    if (file === null) return;
    if (!existsSync(PYTHON)) {
      assert.notEqual(process.env.CI, 'true', `${PYTHON}: run scripts/setup peers`);
      t.skip(`${PYTHON} is not there: run scripts/setup peers`);
      return;
    }
    const out = path.join(folder, path.basename(name, '.glb'));
    writeFileSync(`${out}.jobs`, JSON.stringify([{ file, out, fps, frames: count }]));
    const run = spawnSync(PYTHON, [path.join(HERE, 'blender/export_gltf.py'), '--', `${out}.jobs`], { encoding: 'utf8', maxBuffer: 1 << 28 });
    assert.equal(run.status, 0, run.stderr);
    const about = JSON.parse(readFileSync(`${out}.json`, 'utf8'));
    const bytes = readFileSync(`${out}.bin`);
    const theirs = framesOf(new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)), count);
    const box = boxDiagonal(theirs[0]);
    // Plain: float32. Draco: 14 bits of a primitive's box, weights of joints in fewer.
    for (const [ending, tolerance] of [['.glb', 1e-5], ['-draco.glb', 5e-4]]) {
      const exported = out + ending;
      const used = readGltf(exported).json.extensionsUsed ?? [];
      assert.equal(used.includes('KHR_draco_mesh_compression'), ending.startsWith('-draco'));
      const report = bake(`${out}${ending}-bake`, { body: { file: exported, fps }, formats: ['npz', 'glb'], frames: [1, count] });
      const ours = framesOf(readNpz(report.file('npz')).positions.data, count);
      const worst = Math.max(farthestPath(ours, theirs), farthestPath(theirs, ours));
      t.diagnostic(`${ending}: largest distance ${(worst / box).toExponential(1)} of the box`);
      assert.ok(worst < tolerance * box, `${ending}: ${worst / box} of the box`);
      const { json } = readGltf(report.file('glb'));
      const names = (list) => (list ?? []).map((one) => one.name);
      for (const bone of about.bones) assert.ok(names(json.nodes).includes(bone), `bone ${bone}`);
      for (const mesh of about.meshes) assert.ok(names(json.nodes).includes(mesh), `mesh ${mesh}`);
      assert.deepEqual(names(json.materials).sort(), about.materials);
    }
  });
}
