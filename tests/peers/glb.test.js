// Every GLB the program writes: the Khronos validator has nothing to say about it, and three.js plays the
// baked frames from it.
import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';
import { bake, bakedPositions } from './lib/bake.js';
import { characters } from './lib/characters.js';
import { boxDiagonal, largestError } from './lib/compare.js';
import { clipsOf, readGltf } from './lib/gltf_file.js';
import { readNpz } from './lib/npz.js';
import { dataFile, outputFolder } from './lib/program.js';
import { ThreeScene } from './lib/three_eval.js';
import { newMessages, validate } from './lib/validator.js';

const folder = outputFolder('glb');
const MORPH_TOLERANCE = 1e-4; // of the rest box's diagonal: the scene's own output.tolerance

async function assertValid(file) {
  const { errors, warnings, messages } = await validate(file);
  assert.deepEqual({ errors, warnings, messages }, { errors: 0, warnings: 0, messages: [] });
}

/** Largest distance from a point of a to its nearest of b. */
function farthest(a, b) {
  let worst = 0;
  for (let i = 0; i < a.length; i += 3) {
    let nearest = Infinity;
    for (let j = 0; j < b.length; j += 3) {
      const distance = Math.hypot(a[i] - b[j], a[i + 1] - b[j + 1], a[i + 2] - b[j + 2]);
      nearest = Math.min(nearest, distance);
    }
    worst = Math.max(worst, nearest);
  }
  return worst;
}

/**
 * Largest distance between what three.js plays from the GLB and the baked frames, of the rest box. The
 * report of the bake must not promise less.
 */
async function playbackError(report, fps, mesh) {
  const frames = bakedPositions(report.file('npz'));
  const box = boxDiagonal(readNpz(report.file('npz')).rest.data);
  const scene = await ThreeScene.load(report.file('glb'));
  if (mesh !== undefined) scene.only(mesh);
  const clip = clipsOf(readGltf(report.file('glb')))[0];
  let worst = 0;
  frames.forEach((frame, i) => {
    const played = scene.pose(clip?.index, i / fps);
    if (played.length === frame.length) {
      worst = Math.max(worst, largestError(frame, played).distance);
    } else if (i % 10 === 0) {
      // A vertex with several UVs stands in a GLB several times: points are compared as sets.
      worst = Math.max(worst, farthest(frame, played), farthest(played, frame));
    }
  });
  const { max_error_m: promised } = report.outputs.find((o) => o.format === 'glb').numbers;
  assert.ok(
    worst <= promised + 1e-6 * box,
    `the report says at most ${promised} m, three.js shows ${worst} m`,
  );
  return worst / box;
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
    assert.deepEqual(await newMessages(file, report.file('glb')), []);
    const error = await playbackError(report, fps);
    const kept = report.outputs.find((o) => o.format === 'glb').numbers.skin_kept === 1;
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
    assert.deepEqual(await newMessages(file, report.file('glb')), []);
    const { skin_kept } = report.outputs.find((o) => o.format === 'glb').numbers;
    assert.equal(skin_kept, 0, 'the linear skin alone no longer describes it');
    const error = await playbackError(report, fps, body.mesh);
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
  const error = await playbackError(report, fps);
  t.diagnostic(
    `${targetsOf(report.file('glb'))} morph targets, largest error ${error.toExponential(1)} of the box`,
  );
  assert.ok(error <= MORPH_TOLERANCE, `${error} of the box`);
});

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
