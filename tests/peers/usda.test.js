// USDA files of the program, parsed by tinyusdz.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { bake, bakedPositions } from './lib/bake.js';
import { largestError } from './lib/compare.js';
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
