// USDA files of the program, parsed by tinyusdz.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { bake, bakedPositions } from './lib/bake.js';
import { largestError } from './lib/compare.js';
import { readNpz } from './lib/npz.js';
import { dataFile, outputFolder } from './lib/program.js';
import { timeSamples, usdEcho } from './lib/usd.js';

const folder = outputFolder('usda');
const FRAMES = 12;
// Floats printed in decimal and read again: a few units in the last place of a metre-sized number.
const PRINTED = 1e-6; // of the box diagonal

const bakes = [
  ['dancer/dancer.glb', ([file]) => ({ file, mesh: 'tights', fps: 30 })],
  ['quaternius/Horse.glb', ([file]) => ({ file, fps: 24 })],
  ['khronos-gltf/CesiumMan.glb', ([file]) => ({ file, fps: 24 })],
];

for (const [name, body] of bakes) {
  test(`${name}: tinyusdz parses the USDA and finds every frame in it`, async (t) => {
    const file = dataFile(t, name);
    if (file === null) return;
    const scene = body([file]);
    const report = bake(path.join(folder, path.basename(name)), {
      body: scene,
      formats: ['usda', 'npz'],
      frames: [1, FRAMES],
    });
    const frames = bakedPositions(report.file('npz'));
    const echo = await usdEcho(report.file('usda'));
    const samples = timeSamples(echo, 'points');
    assert.equal(samples.length, FRAMES);
    let worst = 0;
    samples.forEach(({ values }, i) => {
      worst = Math.max(worst, largestError(frames[i], values).fraction);
    });
    t.diagnostic(
      `${samples.length} samples of ${frames[0].length / 3} points, ` +
        `largest error ${worst.toExponential(1)} of the box`,
    );
    assert.ok(worst <= PRINTED, `${worst} of the box`);
    assert.deepEqual(
      samples.map((s) => s.time),
      frames.map((_, i) => i + 1),
      'time codes are frame numbers',
    );
    assert.match(echo, /upAxis = "Y"/);
    assert.match(echo, /metersPerUnit = 1\b/);
    assert.match(echo, new RegExp(`timeCodesPerSecond = ${scene.fps}\\b`));
    assert.match(echo, /point3f\[\] points = \[/, 'a default stands beside the samples');
    assert.match(echo, /primvars:Pref = \[/);
  });
}

test('tinyusdz finds every rigid copy of a PointInstancer where the NPZ has its vertices', async (t) => {
  const report = bake(path.join(folder, 'spikes'), {
    body: { actor: 'torus', clip: 'shake' },
    layers: '[[layer]]\nkind = "shell"\ndetail = "spike"\nsize = 0.1\nrigid = true\n',
    formats: ['usda', 'npz'],
    frames: [1, FRAMES],
  });
  const { shape, data } = readNpz(report.file('npz')).detail_spike_positions;
  const echo = await usdEcho(report.file('usda'));
  const start = echo.indexOf('PointInstancer "spike"');
  assert.ok(start > 0, 'no PointInstancer');
  const instancer = echo.slice(start);
  const numbers = (name) => {
    const found = new RegExp(`\\b${name} = \\[([^\\]]*)\\]`).exec(instancer);
    return (found?.[1].match(/-?\d[\d.e+-]*/g) ?? []).map(Number);
  };
  const scales = numbers('scales');
  const copies = numbers('protoIndices').length;
  const piece = numbers('points');
  assert.equal(copies * piece.length, shape[1] * 3, 'copies times vertices of the prototype');
  const places = timeSamples(instancer, 'positions');
  const turns = timeSamples(instancer, 'orientationsf');
  assert.equal(places.length, FRAMES);
  let worst = 0;
  for (let f = 0; f < FRAMES; ++f) {
    // quatf: real part first. v' = v + 2 q x (q x v + w v)
    const expected = data.subarray(f * shape[1] * 3, (f + 1) * shape[1] * 3);
    const found = new Float64Array(expected.length);
    for (let c = 0; c < copies; ++c) {
      const [w, x, y, z] = turns[f].values.subarray(4 * c, 4 * c + 4);
      for (let i = 0; i < piece.length; i += 3) {
        const v = [0, 1, 2].map((k) => piece[i + k] * scales[3 * c + k]);
        const u = [y * v[2] - z * v[1] + w * v[0], z * v[0] - x * v[2] + w * v[1], x * v[1] - y * v[0] + w * v[2]];
        const turned = [v[0] + 2 * (y * u[2] - z * u[1]), v[1] + 2 * (z * u[0] - x * u[2]), v[2] + 2 * (x * u[1] - y * u[0])];
        turned.forEach((value, k) => { found[c * piece.length + i + k] = value + places[f].values[3 * c + k]; });
      }
    }
    worst = Math.max(worst, largestError(expected, found).fraction);
  }
  t.diagnostic(`${copies} copies of ${piece.length / 3} vertices, largest error ${worst.toExponential(1)} of the box`);
  assert.ok(worst <= PRINTED, `${worst} of the box`);
});

test('tinyusdz refuses a damaged USDA, so its consent means something', async (t) => {
  const file = dataFile(t, 'khronos-gltf/RiggedSimple.glb');
  if (file === null) return;
  const report = bake(path.join(folder, 'damaged'), {
    body: { file },
    formats: ['usda'],
    frames: [1, 2],
  });
  const text = readFileSync(report.file('usda'), 'utf8');
  await usdEcho(report.file('usda'));
  const damaged = path.join(folder, 'damaged.usda');
  writeFileSync(damaged, text.slice(0, Math.floor(text.length / 2)));
  await assert.rejects(usdEcho(damaged), /tinyusdz refuses/);
});
