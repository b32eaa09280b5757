// UVs that move: a sheet written through the library, read by other programs.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import test from 'node:test';
import { readPc2 } from './lib/caches.js';
import { clipsOf, readGltf, scalars, vectors } from './lib/gltf_file.js';
import { readNpz } from './lib/npz.js';
import { outputFolder, PROGRAM } from './lib/program.js';
import { timeSamples, usdEcho } from './lib/usd.js';
import { validate } from './lib/validator.js';

const FRAMES = 36;
const folder = outputFolder('moving-uv');
const writer = path.join(path.dirname(PROGRAM), 'tests', 'peer_moving_uv');

test('sheets with moving UVs are written', () => {
  const run = spawnSync(writer, [folder, String(FRAMES)], { encoding: 'utf8' });
  assert.equal(run.error, undefined, `${writer} does not run (make build)`);
  assert.equal(run.status, 0, run.stderr);
});

/** Frames x entries x 2, as the writer was given them. */
function uvFrames(name) {
  const { uv_frames: uv } = readNpz(path.join(folder, `${name}.npz`));
  assert.equal(uv.shape[0], FRAMES);
  const width = uv.shape[1] * 2;
  return Array.from({ length: FRAMES }, (_, i) => uv.data.subarray(i * width, (i + 1) * width));
}

function largestDifference(a, b) {
  assert.equal(a.length, b.length);
  return a.reduce((worst, value, i) => Math.max(worst, Math.abs(value - b[i])), 0);
}

for (const name of ['waving', 'still']) {
  test(`${name} sheet: the GLB passes the validator`, async () => {
    const { errors, warnings, messages } = await validate(path.join(folder, `${name}.glb`));
    assert.deepEqual({ errors, warnings, messages }, { errors: 0, warnings: 0, messages: [] });
  });

  test(`${name} sheet: every morph target has POSITION and the weighted TEXCOORD_0 targets give every frame of UVs`, (t) => {
    const gltf = readGltf(path.join(folder, `${name}.glb`));
    const [primitive] = gltf.json.meshes[0].primitives;
    for (const { POSITION } of primitive.targets) {
      assert.ok(POSITION !== undefined);
      // A zero POSITION costs nothing: it has no buffer view.
      const isEmpty = gltf.json.accessors[POSITION].bufferView === undefined;
      assert.equal(isEmpty, name === 'still');
    }
    const base = vectors(gltf, primitive.attributes.TEXCOORD_0);
    const deltas = primitive.targets.map((target) =>
      target.TEXCOORD_0 === undefined
        ? new Float64Array(base.length)
        : vectors(gltf, target.TEXCOORD_0),
    );
    const [clip] = clipsOf(gltf);
    assert.equal(clip.keys.length, FRAMES);
    const { channels, samplers } = gltf.json.animations[0];
    const channel = channels.find((c) => c.target.path === 'weights');
    const weights = scalars(gltf, samplers[channel.sampler].output);
    const targets = deltas.length;
    let worst = 0;
    uvFrames(name).forEach((expected, f) => {
      const found = base.map((value, i) =>
        deltas.reduce((sum, delta, k) => sum + weights[f * targets + k] * delta[i], value),
      );
      const up = found.map((value, i) => (i % 2 === 0 ? value : 1 - value));
      worst = Math.max(worst, largestDifference(Array.from(expected), Array.from(up)));
    });
    t.diagnostic(`${targets} targets, largest UV error ${worst.toExponential(1)} of the picture`);
    assert.ok(worst <= 1e-4, `${worst} of the picture`);
  });

  test(`${name} sheet: tinyusdz finds every frame of UVs and points in the USDA`, async (t) => {
    const echo = await usdEcho(path.join(folder, `${name}.usda`));
    assert.equal(timeSamples(echo, 'points').length, FRAMES);
    const samples = timeSamples(echo, 'primvars:st');
    assert.equal(samples.length, FRAMES);
    const worst = Math.max(
      ...uvFrames(name).map((expected, i) =>
        largestDifference(Array.from(expected), Array.from(samples[i].values)),
      ),
    );
    t.diagnostic(`largest UV error ${worst.toExponential(1)} of the picture`);
    assert.ok(worst <= 1e-6, `${worst} of the picture`);
  });

  test(`${name} sheet: the UV PC2 holds u and v of every triangle corner`, () => {
    const { uv_triangles: corners } = readNpz(path.join(folder, `${name}.npz`));
    const cache = readPc2(path.join(folder, `${name}.uv.pc2`));
    assert.equal(cache.points, corners.data.length);
    assert.equal(cache.frames.length, FRAMES);
    uvFrames(name).forEach((expected, f) => {
      corners.data.forEach((entry, corner) => {
        const [u, v, zero] = cache.frames[f].subarray(corner * 3, corner * 3 + 3);
        assert.equal(u, Math.fround(expected[entry * 2]));
        assert.equal(v, Math.fround(expected[entry * 2 + 1]));
        assert.equal(zero, 0);
      });
    });
  });
}
