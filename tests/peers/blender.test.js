// Every vertex of every glTF file of the data folder, at up to five times, against Blender.
//
// Blender 3.4 imports rotations as four separate curves and drops the tangents of cubic splines, so
// between keys it is not a glTF player (measured against three.js: up to 5e-3 of the box for linear
// rotations with wide keys, 1e-1 for cubic splines). It is asked where both must agree: on keys, and
// half-way between linear keys. RiggedFigure (two keys) and Animation_Node_04 (three cubic keys) have
// only three such times; the other times of these files are checked against three.js.
import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';
import { bakePositions } from './lib/bake.js';
import { evaluateInBlender } from './lib/blender.js';
import { characters, labelOf, REQUIRED } from './lib/characters.js';
import { boxDiagonal, largestError } from './lib/compare.js';
import { dataFile, outputFolder } from './lib/program.js';
import { onKeys, timesOf } from './lib/times.js';

const TOLERANCE = 1e-5; // of the box diagonal
const FEWER_TIMES = new Set([
  'khronos-gltf/RiggedFigure.glb',
  'gltf-asset-generator/Animation_Node/Animation_Node_04.gltf',
]);

const folder = outputFolder('blender');
const jobs = characters().flatMap(({ name, file, clips }) =>
  clips.map((clip) => {
    const grid = onKeys(clip);
    return { name, file, clip: clip.index, info: clip, grid, times: timesOf(clip, grid), fps: 24 };
  }),
);

test('Blender plays every glTF file of the data folder', (t) => {
  for (const name of REQUIRED) if (dataFile(t, name) === null) return;
  const results = evaluateInBlender(jobs, path.join(folder, 'blender'));
  jobs.forEach((job, i) => (job.result = results[i]));
});

for (const [i, job] of jobs.entries()) {
  test(`${job.name}, ${labelOf(job.info)}: vertices equal Blender's evaluated mesh`, (t) => {
    assert.equal(job.result.error, undefined);
    if (job.clip !== undefined && !FEWER_TIMES.has(job.name)) assert.equal(job.times.length, 5);
    const found = bakePositions(path.join(folder, `${i}`), {
      file: job.file,
      clip: job.info.name,
      ...job.grid,
    });
    let worst = 0;
    job.result.frames.forEach((expected, frame) => {
      const kept = new Float64Array(expected.length);
      job.result.vertices.forEach((vertex, k) => {
        kept.set(found[frame].subarray(vertex * 3, vertex * 3 + 3), k * 3);
      });
      assert.ok(boxDiagonal(expected) > 0, 'Blender shows something');
      worst = Math.max(worst, largestError(expected, kept).fraction);
    });
    t.diagnostic(
      `largest error ${worst.toExponential(1)} of the box, ${job.times.length} times, ` +
        `${job.result.vertices.length} vertices`,
    );
    assert.ok(worst <= TOLERANCE, `${worst} of the box, at most ${TOLERANCE}`);
  });
}
