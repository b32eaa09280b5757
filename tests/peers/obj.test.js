// Frames of OBJ sequences, read by Blender's importer.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { bake } from './lib/bake.js';
import { runBlender } from './lib/blender.js';
import { readNpz } from './lib/npz.js';
import { dataFile, outputFolder } from './lib/program.js';

const folder = outputFolder('obj');
const FRAMES = 3;

/** x y z u v of every polygon corner of a frame, and the corners of each polygon. */
function expectedCorners(arrays, frame) {
  const { positions, triangles, uv, uv_triangles: uvTriangles, polygon_sizes: given } = arrays;
  const sizes = given ? Array.from(given.data) : new Array(triangles.shape[0]).fill(3);
  const width = positions.shape[1] * 3;
  const table = [];
  const add = (corner) => {
    const vertex = triangles.data[corner];
    const at = frame * width + vertex * 3;
    table.push(...positions.data.subarray(at, at + 3));
    const entry = uv ? uvTriangles.data[corner] : 0;
    table.push(...(uv ? uv.data.subarray(entry * 2, entry * 2 + 2) : [0, 0]));
  };
  let triangle = 0;
  for (const size of sizes) {
    // a polygon is a fan of triangles about its first corner
    add(triangle * 3);
    add(triangle * 3 + 1);
    for (let k = 0; k < size - 2; ++k) add((triangle + k) * 3 + 2);
    triangle += size - 2;
  }
  return { sizes, table: Float32Array.from(table) };
}

const bakes = [
  ['tights', ['dancer/dancer.glb'], ([file]) => ({ file, mesh: 'tights', fps: 30 })],
  [
    'bone',
    ['dem-bones/frames/bone_000.obj', 'dem-bones/bone_anim.pc2'],
    ([mesh, cache]) => ({ mesh, cache, fps: 24 }),
  ],
];

for (const [name, data, body] of bakes) {
  test(`${name}: Blender finds every polygon, point and UV of an OBJ sequence, bit for bit`, (t) => {
    const files = data.map((d) => dataFile(t, d));
    if (files.includes(null)) return;
    const report = bake(path.join(folder, name), {
      body: body(files),
      formats: ['obj', 'npz'],
      frames: [1, FRAMES],
    });
    const written = report.outputs.filter((o) => o.format === 'obj').map((o) => o.path);
    assert.equal(written.length, FRAMES);
    const jobs = written.map((file, i) => ({ file, out: path.join(folder, `${name}-${i}`) }));
    const list = path.join(folder, `${name}.json`);
    writeFileSync(list, JSON.stringify(jobs));
    runBlender('import_obj.py', [list], folder);
    const arrays = readNpz(report.file('npz'));
    jobs.forEach(({ out }, frame) => {
      const { sizes, table } = expectedCorners(arrays, frame);
      assert.deepEqual(JSON.parse(readFileSync(`${out}.json`, 'utf8')), sizes);
      const expected = Buffer.from(table.buffer);
      assert.ok(readFileSync(`${out}.bin`).equals(expected), `frame ${frame + 1}: bits differ`);
    });
    t.diagnostic(`${FRAMES} frames`);
  });
}
