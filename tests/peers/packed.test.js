// Files compressed with EXT_meshopt_compression play the same frames, to the bit, and the validator has nothing to say;
// several clips in one bake are several clips of one file.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { bake } from './lib/bake.js';
import { readGltf } from './lib/gltf_file.js';
import { CHARACTERS, dataFile, outputFolder } from './lib/program.js';
import { ThreeScene } from './lib/three_eval.js';
import { newMessages } from './lib/validator.js';

const folder = outputFolder('packed');
const layers = '[[layer]]\nkind = "slide"\n';
const times = [0, 0.17, 0.4, 0.63, 0.79];

for (const name of ['khronos-gltf/CesiumMan.glb', path.join(CHARACTERS, 'Man_Suit.glb')]) {
  test(`${path.basename(name)}: three.js plays the compressed file as the plain one`, async (t) => {
    const file = dataFile(t, name);
    if (file === null) return;
    const make = (compression) =>
      bake(path.join(folder, `${path.basename(name)}-${compression}`), {
        body: { file, fps: 24 },
        layers,
        formats: ['glb'],
        frames: [1, 20],
        compression,
      }).file('glb');
    const [plain, packed] = [make('none'), make('meshopt')];
    assert.deepEqual(readGltf(packed).json.extensionsRequired, ['EXT_meshopt_compression']);
    const [a, b] = [await ThreeScene.load(plain), await ThreeScene.load(packed)];
    for (const time of times) assert.deepEqual(b.pose(0, time), a.pose(0, time));
    assert.deepEqual(await newMessages(file, packed), []);
    const share = statSync(packed).size / statSync(plain).size;
    t.diagnostic(`${share.toFixed(2)} of the plain file`);
    assert.ok(share < 0.4);
  });
}

test('two clips of one bake are two clips of one file, and others stay', async (t) => {
  const file = dataFile(t, 'quaternius/Horse.glb');
  if (file === null) return;
  const report = bake(path.join(folder, 'clips'), {
    body: { file, fps: 24, clips: ['AnimalArmature|Gallop', 'AnimalArmature|Walk'] },
    layers,
    formats: ['glb'],
  });
  assert.equal(report.outputs.length, 1);
  const [before, after] = [readGltf(file).json, readGltf(report.file('glb')).json];
  const names = (json) => json.animations.map(({ name }) => name);
  assert.deepEqual(names(after), names(before));
  const weighted = after.animations
    .filter(({ channels }) => channels.some(({ target }) => target.path === 'weights'))
    .map(({ name }) => name);
  assert.deepEqual(weighted, ['AnimalArmature|Gallop', 'AnimalArmature|Walk']);
  assert.deepEqual(await newMessages(file, report.file('glb')), []);
});
