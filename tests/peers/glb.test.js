// Every GLB the program writes: the Khronos validator has nothing to say about it, and three.js plays the
// baked frames from it.
import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';
import { bake, bakedPositions } from './lib/bake.js';
import { characters } from './lib/characters.js';
import { largestError } from './lib/compare.js';
import { clipsOf, readGltf } from './lib/gltf_file.js';
import { dataFile, outputFolder } from './lib/program.js';
import { ThreeScene } from './lib/three_eval.js';
import { validate } from './lib/validator.js';

const folder = outputFolder('glb');
const MORPH_TOLERANCE = 1e-4; // of the box diagonal: the scene's own output.tolerance

async function assertValid(file) {
  const { errors, warnings, messages } = await validate(file);
  assert.deepEqual({ errors, warnings, messages }, { errors: 0, warnings: 0, messages: [] });
}

/** Largest distance between what three.js plays from the GLB and the baked frames, of the box. */
async function playbackError(report, fps) {
  const frames = bakedPositions(report.file('npz'));
  const scene = await ThreeScene.load(report.file('glb'));
  const clip = clipsOf(readGltf(report.file('glb')))[0];
  let worst = 0;
  frames.forEach((frame, i) => {
    worst = Math.max(worst, largestError(frame, scene.pose(clip?.index, i / fps)).fraction);
  });
  return worst;
}

function targetsOf(file) {
  const { json } = readGltf(file);
  return Math.max(
    0,
    ...json.meshes.flatMap((m) => m.primitives.map((p) => p.targets?.length ?? 0)),
  );
}

for (const { name, file, clips } of characters()) {
  test(`${name}: the GLB of its bake is valid and three.js plays it`, async (t) => {
    const fps = 24;
    const report = bake(path.join(folder, name), {
      body: { file, clip: clips[0].name, fps },
      formats: ['glb', 'npz'],
      frames: [1, Math.min(12, 1 + Math.floor((clips[0].end - clips[0].start) * fps))],
    });
    await assertValid(report.file('glb'));
    const error = await playbackError(report, fps);
    const kept = readGltf(report.file('glb')).json.skins !== undefined;
    t.diagnostic(
      `${kept ? 'skin kept' : `${targetsOf(report.file('glb'))} morph targets`}, ` +
        `largest error ${error.toExponential(1)} of the box`,
    );
    assert.ok(error <= (kept ? 1e-5 : MORPH_TOLERANCE), `${error} of the box`);
  });
}

const asMorphTargets = [
  ['dancer/dancer.glb', { mesh: 'tights', skinning: 'dual-quaternion' }, [1, 60]],
  ['quaternius/Trex.glb', { skinning: 'dual-quaternion' }, [1, 30]],
  ['khronos-gltf/CesiumMan.glb', { skinning: 'dual-quaternion' }, [1, 30]],
];

for (const [name, body, frames] of asMorphTargets) {
  test(`${name}: a dual quaternion bake becomes morph targets within the stated tolerance`, async (t) => {
    const file = dataFile(t, name);
    if (file === null) return;
    const fps = 30;
    const report = bake(path.join(folder, `morph-${path.basename(name)}`), {
      body: { file, fps, ...body },
      formats: ['glb', 'npz'],
      frames,
    });
    await assertValid(report.file('glb'));
    assert.equal(
      readGltf(report.file('glb')).json.skins,
      undefined,
      'the linear skin no longer describes it',
    );
    const error = await playbackError(report, fps);
    const targets = targetsOf(report.file('glb'));
    t.diagnostic(`${targets} morph targets, largest error ${error.toExponential(1)} of the box`);
    assert.ok(targets > 0 && targets < frames[1], `${targets} targets for ${frames[1]} frames`);
    assert.ok(error <= MORPH_TOLERANCE, `${error} of the box`);
  });
}

test('an OBJ moved by a PC2 cache becomes a valid GLB that three.js plays', async (t) => {
  const mesh = dataFile(t, 'dem-bones/frames/bone_000.obj');
  const cache = dataFile(t, 'dem-bones/bone_anim.pc2');
  if (mesh === null || cache === null) return;
  const fps = 24;
  const report = bake(path.join(folder, 'bone'), {
    body: { mesh, cache, fps },
    formats: ['glb', 'npz'],
    frames: [1, 60],
  });
  await assertValid(report.file('glb'));
  const frames = bakedPositions(report.file('npz'));
  // UV seams split vertices in a GLB, so points are compared as sets by their distance to the nearest.
  const scene = await ThreeScene.load(report.file('glb'));
  let worst = 0;
  for (const i of [0, 15, 30, 45, 59]) {
    const played = scene.pose(0, i / fps);
    worst = Math.max(worst, setDistance(frames[i], played), setDistance(played, frames[i]));
  }
  t.diagnostic(
    `${targetsOf(report.file('glb'))} morph targets, largest error ${worst.toExponential(1)} of the box`,
  );
  assert.ok(worst <= MORPH_TOLERANCE, `${worst} of the box`);
});

/** Largest distance from a point of a to its nearest of b, as a fraction of a's box. */
function setDistance(a, b) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  let worst = 0;
  for (let i = 0; i < a.length; i += 3) {
    let nearest = Infinity;
    for (let j = 0; j < b.length; j += 3) {
      nearest = Math.min(
        nearest,
        Math.hypot(a[i] - b[j], a[i + 1] - b[j + 1], a[i + 2] - b[j + 2]),
      );
    }
    worst = Math.max(worst, nearest);
    for (let k = 0; k < 3; ++k) {
      low[k] = Math.min(low[k], a[i + k]);
      high[k] = Math.max(high[k], a[i + k]);
    }
  }
  return worst / Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
}

test('a built-in actor becomes a valid GLB that three.js plays', async (t) => {
  const fps = 30;
  const report = bake(path.join(folder, 'torus'), {
    body: { actor: 'torus', fps },
    formats: ['glb', 'npz'],
    frames: [1, 30],
  });
  await assertValid(report.file('glb'));
  const error = await playbackError(report, fps);
  t.diagnostic(`largest error ${error.toExponential(1)} of the box`);
  assert.ok(error <= MORPH_TOLERANCE, `${error} of the box`);
});
