// Baked characters in Babylon.js: every vertex at five times where the frames have it, nodes and clips by their names.
import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';
import { BabylonScene } from './lib/babylon_eval.js';
import { bake, bakedPositions } from './lib/bake.js';
import { boxDiagonal, largestError } from './lib/compare.js';
import { clipsOf, readGltf } from './lib/gltf_file.js';
import { readNpz } from './lib/npz.js';
import { CHARACTERS, dataFile, outputFolder } from './lib/program.js';

const folder = outputFolder('babylon');
const TOLERANCE = 1e-4; // of the box, the tolerance of GLBs, and what float32 matrices of Babylon add
const FPS = 24;
const slide = '[[layer]]\nkind = "slide"\n';

const cases = [
  ['khronos-gltf/CesiumMan.glb', {}, slide],
  ['quaternius/Trex.glb', {}, ''],
  [path.join(CHARACTERS, 'Mage.glb'), {}, ''],
  [path.join(CHARACTERS, 'HVGirl.glb'), {}, slide],
  [path.join(CHARACTERS, 'Man_Suit.glb'), {}, slide],
  [path.join(CHARACTERS, 'Wasp.glb'), {}, slide],
];

for (const [name, body, layers] of cases) {
  test(`${path.basename(name)} ${layers ? 'with slide' : 'as it is'}: Babylon plays the frames`, async (t) => {
    const file = dataFile(t, name);
    if (file === null) return;
    const report = bake(path.join(folder, `${path.basename(name)}-${layers ? 'slide' : 'plain'}`), {
      body: { file, fps: FPS, ...body },
      layers,
      formats: ['glb', 'npz'],
      frames: [1, 20],
    });
    const gltf = readGltf(report.file('glb'));
    const { json } = gltf;
    const scene = await BabylonScene.load(report.file('glb'));
    const names = new Set(scene.names);
    for (const node of json.nodes) if (node.name) assert.ok(names.has(node.name), `node ${node.name}`);
    assert.deepEqual(
      scene.groups.map((group) => group.name),
      json.animations.map((one, i) => one.name ?? `animation${i}`),
    );
    const clip = Math.max(0, clipsOf(gltf).findIndex((one) => one.name === (body.clip ?? one.name)));
    const frames = bakedPositions(report.file('npz'));
    const box = boxDiagonal(readNpz(report.file('npz')).rest.data);
    let worst = 0;
    for (const i of [0, 4, 9, 14, 19]) {
      const played = (await BabylonScene.load(report.file('glb'))).pose(clip, i / FPS);
      assert.equal(played.length, frames[i].length, 'as many vertices');
      worst = Math.max(worst, largestError(frames[i], played).distance);
    }
    t.diagnostic(`largest error ${(worst / box).toExponential(1)} of the box`);
    assert.ok(worst <= TOLERANCE * box, `${worst / box} of the box`);
  });
}
