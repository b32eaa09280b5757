// A bake without layers is the same character in Babylon.js: nodes and parents, materials and their textures, skeletons,
// clips, morph targets, vertices, triangles and UVs, and every vertex at five times of the first clip, to the bit.
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { BabylonScene, describeInBabylon } from './lib/babylon_eval.js';
import { bake } from './lib/bake.js';
import { CHARACTERS, DATA, gltfNames, outputFolder } from './lib/program.js';

const folder = outputFolder('babylon-whole');
const brought = existsSync(CHARACTERS) ? readdirSync(CHARACTERS).filter((name) => name.endsWith('.glb')).sort() : [];
const files = [
  ...gltfNames().filter((name) => !name.startsWith('gltf-asset-generator/')).map((name) => path.join(DATA, name)),
  // The skin weights of the wasp hold NaN, which are mended.
  ...brought.filter((name) => name !== 'Wasp.glb').map((name) => path.join(CHARACTERS, name)),
];

/** Vertices at five times of the first clip; each of a scene of its own, see babylon_eval.js. */
async function fiveTimes(file, clips) {
  const frames = [];
  for (const share of clips > 0 ? [0, 0.23, 0.5, 0.71, 1] : [0]) {
    frames.push((await BabylonScene.load(file)).poseAtShare(clips > 0 ? 0 : undefined, share));
  }
  return frames;
}

test('the data folders hold characters', (t) => {
  if (files.length === 0) {
    assert.notEqual(process.env.CI, 'true', 'no characters');
    t.skip('no characters');
  }
});

for (const [i, file] of files.entries()) {
  test(`${path.relative(DATA, file)}: the same character in Babylon`, async (t) => {
    const baked = bake(path.join(folder, `${i}-${path.basename(file)}`), { body: { file }, formats: ['glb'] }).file('glb');
    const [before, after] = [await describeInBabylon(file), await describeInBabylon(baked)];
    // Characters without a clip get one that swings their joints.
    const isTest = before.clips.length === 0 && after.clips.length === 1;
    if (isTest) after.clips = [];
    assert.deepEqual(after, before);
    const [p, q] = [await fiveTimes(file, before.clips.length), await fiveTimes(baked, before.clips.length)];
    assert.deepEqual(q, p);
    t.diagnostic(`${before.nodes.length} nodes, ${before.materials.length} materials, ${before.clips.length} clips, ${p[0].length / 3} vertices`);
  });
}
