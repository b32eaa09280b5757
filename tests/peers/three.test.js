// Every vertex of every glTF file of the data folder, at five times of every clip, against three.js.
import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';
import { bakeArrays, bakePositions } from './lib/bake.js';
import { characters, labelOf, REQUIRED } from './lib/characters.js';
import { boxDiagonal, largestError } from './lib/compare.js';
import { dataFile, outputFolder } from './lib/program.js';
import { ThreeScene } from './lib/three_eval.js';
import { betweenKeys, timesOf } from './lib/times.js';

const TOLERANCE = 1e-5; // of the box diagonal
const folder = outputFolder('three');

test('every rigged file of the data folder is there', (t) => {
  for (const name of REQUIRED) if (dataFile(t, name) === null) return;
});

for (const { name, file, clips } of characters()) {
  test(`${name}: vertices equal three.js at five times of every clip`, async (t) => {
    const three = await ThreeScene.load(file);
    for (const clip of clips) {
      const grid = clip.end > clip.start ? betweenKeys(clip) : { fps: 1, count: 1 };
      const found = bakePositions(path.join(folder, name, `${clip.index ?? 'rest'}`), {
        file,
        clip: clip.name,
        ...grid,
      });
      assert.equal(found.length, grid.count);
      let worst = 0;
      timesOf(clip, grid).forEach((time, i) => {
        const expected = three.pose(clip.index, time);
        assert.ok(boxDiagonal(expected) > 0, 'three.js shows something');
        worst = Math.max(worst, largestError(expected, found[i]).fraction);
      });
      t.diagnostic(
        `${labelOf(clip)}: largest error ${worst.toExponential(1)} of the box, ${grid.count} times`,
      );
      assert.ok(worst <= TOLERANCE, `${labelOf(clip)}: ${worst} of the box, at most ${TOLERANCE}`);
    }
  });

  test(`${name}: triangles and UVs equal three.js`, async () => {
    const three = await ThreeScene.load(file);
    const found = bakeArrays(path.join(folder, name, 'mesh'), { file, fps: 1, count: 1 });
    assert.deepEqual(Array.from(found.triangles), three.triangles());
    assert.equal(found.uv !== undefined, three.hasUv);
    if (found.uv === undefined) return;
    const expected = three.uv();
    found.triangles.forEach((vertex, corner) => {
      const entry = found.uvTriangles[corner];
      const [u, v] = expected.subarray(vertex * 2, vertex * 2 + 2);
      if (Number.isNaN(u)) return; // another mesh of the file has UVs, this one has none
      // v counts up in the program, down in glTF; stored as floats, bytes or shorts.
      const error = Math.hypot(found.uv[entry * 2] - u, 1 - found.uv[entry * 2 + 1] - v);
      assert.ok(error <= 1e-6, `corner ${corner}: off by ${error} of the picture`);
    });
  });
}
