// Meshes that layers add to a bake, and bodies on a finer mesh than their own, read by other programs.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { evaluateInBlender, runBlender } from './lib/blender.js';
import { readMdd, readPc2 } from './lib/caches.js';
import { largestError } from './lib/compare.js';
import { readGltf } from './lib/gltf_file.js';
import { readNpz } from './lib/npz.js';
import { outputFolder, PROGRAM } from './lib/program.js';
import { ThreeScene } from './lib/three_eval.js';
import { timeSamples, usdEcho } from './lib/usd.js';
import { validate } from './lib/validator.js';
import { unpackPage } from '../../web/test/unpack.mjs';

const FRAMES = 24;
const FPS = 24;
const TOLERANCE = 1e-4; // of the box diagonal of the body, as the writer has it
const folder = outputFolder('details');
const writer = path.join(path.dirname(PROGRAM), 'tests', 'peer_details');

test('a sheet and a skinned cylinder with studs are written', () => {
  const run = spawnSync(writer, [folder, String(FRAMES)], { encoding: 'utf8' });
  assert.equal(run.error, undefined, `${writer} does not run (make build)`);
  assert.equal(run.status, 0, run.stderr);
});

const arraysOf = (name) => readNpz(path.join(folder, `${name}.npz`));

/** Positions of one frame, as the writer was given them. */
function frameOf({ shape, data }, frame) {
  const width = shape[1] * 3;
  return data.subarray(frame * width, (frame + 1) * width);
}

/** All vertices of the sheet: body, then studs. Every vertex has one UV, so no format splits any. */
function sheetFrame(arrays, frame) {
  return Float64Array.from([
    ...frameOf(arrays.positions, frame),
    ...frameOf(arrays.detail_studs_positions, frame),
  ]);
}

for (const name of ['sheet', 'skinned']) {
  test(`${name}: the GLB passes the validator and has one animation for both meshes`, async () => {
    const file = path.join(folder, `${name}.glb`);
    const { errors, warnings, messages } = await validate(file);
    assert.deepEqual({ errors, warnings, messages }, { errors: 0, warnings: 0, messages: [] });
    const { json } = readGltf(file);
    assert.equal(json.animations.length, 1);
    assert.deepEqual(json.meshes.map((m) => m.name).slice(1), ['studs']);
    assert.equal(json.skins !== undefined, name === 'skinned');
  });

  test(`${name}: three.js plays every frame of the studs`, async (t) => {
    const arrays = arraysOf(name);
    const three = await ThreeScene.load(path.join(folder, `${name}.glb`));
    const limit = TOLERANCE * (name === 'sheet' ? Math.SQRT2 : 1);
    let worst = 0;
    for (let f = 0; f < FRAMES; ++f) {
      const expected = frameOf(arrays.detail_studs_positions, f);
      const found = three.pose(0, f / FPS).slice(-expected.length);
      worst = Math.max(worst, largestError(expected, found).distance);
    }
    t.diagnostic(`largest error ${worst.toExponential(1)} m`);
    assert.ok(worst <= limit, `${worst} m`);
  });
}

test('sheet: three.js plays the finer mesh', async () => {
  const arrays = arraysOf('sheet');
  const three = await ThreeScene.load(path.join(folder, 'sheet.glb'));
  assert.equal(arrays.positions.shape[1], 17 * 17);
  for (const f of [0, 7, FRAMES - 1]) {
    const { distance } = largestError(sheetFrame(arrays, f), three.pose(0, f / FPS));
    assert.ok(distance <= TOLERANCE * Math.SQRT2, `frame ${f + 1}: ${distance} m`);
  }
});

test('Blender plays body and studs of the GLB', (t) => {
  const arrays = arraysOf('sheet');
  const frames = [0, 5, 11, FRAMES - 1];
  const job = { file: path.join(folder, 'sheet.glb'), clip: 0, fps: FPS };
  const [result] = evaluateInBlender(
    [{ ...job, times: frames.map((f) => f / FPS) }],
    path.join(folder, 'blender'),
  );
  assert.equal(result.error, undefined);
  let worst = 0;
  frames.forEach((f, i) => {
    const all = sheetFrame(arrays, f);
    assert.equal(result.vertices.length, all.length / 3);
    const expected = result.vertices.flatMap((v) => Array.from(all.subarray(v * 3, v * 3 + 3)));
    worst = Math.max(worst, largestError(expected, result.frames[i]).distance);
  });
  t.diagnostic(`largest error ${worst.toExponential(1)} m`);
  assert.ok(worst <= TOLERANCE * Math.SQRT2, `${worst} m`);
});

test('caches of body and studs come back from Blender bit for bit', () => {
  const arrays = arraysOf('sheet');
  const caches = [
    ['sheet.pc2', 'PC2', readPc2, arrays.positions],
    ['sheet.studs.pc2', 'PC2', readPc2, arrays.detail_studs_positions],
    ['sheet.studs.mdd', 'MDD', readMdd, arrays.detail_studs_positions],
  ];
  const jobs = caches.map(([name, kind, , { shape }], i) => ({
    cache: path.join(folder, name),
    kind,
    points: shape[1],
    frames: FRAMES,
    out: path.join(folder, `cache-${i}.f32`),
  }));
  writeFileSync(path.join(folder, 'caches.json'), JSON.stringify(jobs));
  runBlender('mesh_cache.py', [path.join(folder, 'caches.json')], folder);
  caches.forEach(([name, , read, truth], i) => {
    const expected = Buffer.from(Float32Array.from(truth.data).buffer);
    const { frames } = read(path.join(folder, name));
    assert.ok(Buffer.concat(frames.map((f) => Buffer.from(f.slice().buffer))).equals(expected));
    assert.ok(readFileSync(jobs[i].out).equals(expected), `${name}: bits differ`);
  });
});

/** x y z u v of every triangle corner. */
function corners(positions, { triangles, uv, uvTriangles }) {
  const table = [];
  triangles.data.forEach((vertex, corner) => {
    const entry = uvTriangles.data[corner];
    table.push(...positions.subarray(vertex * 3, vertex * 3 + 3));
    table.push(...uv.data.subarray(entry * 2, entry * 2 + 2));
  });
  return table;
}

test('Blender finds the meshes of the caches and both objects of the OBJ sequence', () => {
  const arrays = arraysOf('sheet');
  const body = { triangles: arrays.triangles, uv: arrays.uv, uvTriangles: arrays.uv_triangles };
  const studs = {
    triangles: arrays.detail_studs_triangles,
    uv: arrays.detail_studs_uv,
    uvTriangles: arrays.detail_studs_uv_triangles,
  };
  const files = [
    ['sheet.rest.obj', corners(arrays.rest.data, body)],
    ['sheet.studs.rest.obj', corners(arrays.detail_studs_rest.data, studs)],
    [
      'sheet.0010.obj',
      [
        ...corners(frameOf(arrays.positions, 9), body),
        ...corners(frameOf(arrays.detail_studs_positions, 9), studs),
      ],
    ],
  ];
  const jobs = files.map(([name], i) => ({
    file: path.join(folder, name),
    out: path.join(folder, `obj-${i}`),
  }));
  writeFileSync(path.join(folder, 'objs.json'), JSON.stringify(jobs));
  runBlender('import_obj.py', [path.join(folder, 'objs.json')], folder);
  files.forEach(([name, expected], i) => {
    const found = readFileSync(`${jobs[i].out}.bin`);
    assert.ok(found.equals(Buffer.from(Float32Array.from(expected).buffer)), `${name}: bits differ`);
  });
});

test('tinyusdz finds every frame of both meshes in the USDA', async () => {
  const arrays = arraysOf('sheet');
  const echo = await usdEcho(path.join(folder, 'sheet.usda'));
  const at = echo.search(/def Mesh "studs"/);
  assert.ok(at > echo.search(/def Mesh "sheet"/), 'two meshes');
  const parts = [
    [echo.slice(0, at), 'points', arrays.positions],
    [echo.slice(at), 'points', arrays.detail_studs_positions],
  ];
  for (const [text, attribute, truth] of parts) {
    const samples = timeSamples(text, attribute);
    assert.equal(samples.length, FRAMES);
    samples.forEach(({ values }, f) => {
      const { distance } = largestError(frameOf(truth, f), values);
      assert.ok(distance <= 1e-6, `frame ${f + 1}: ${distance} m`);
    });
  }
  const heights = timeSamples(echo.slice(at), 'primvars:height');
  assert.equal(heights.length, FRAMES);
  heights.forEach(({ values }, f) => {
    const expected = frameOf(arrays.detail_studs_positions, f);
    values.forEach((value, v) => assert.ok(Math.abs(value - expected[v * 3 + 2]) <= 1e-6));
  });
});

test('the page holds the finer mesh, the studs and the line, each within its tolerance', () => {
  const arrays = arraysOf('sheet');
  const { meta, section, motionAt } = unpackPage(path.join(folder, 'sheet.html'));
  const [body, studs] = meta.surfaces;
  assert.deepEqual(Object.keys(studs.views), ['cutis']);
  assert.deepEqual(section(studs.triangles), Array.from(arrays.detail_studs_triangles.data));
  const [line] = meta.lines;
  assert.deepEqual(section(line.segments), Array.from(arrays['lines_first stud_segments'].data));
  const shown = [
    [body.views.cutis, arrays.positions],
    [studs.views.cutis, arrays.detail_studs_positions],
    [line.motion, arrays['lines_first stud']],
  ];
  for (const [motion, truth] of shown) {
    const at = motionAt(motion);
    for (let f = 0; f < FRAMES; ++f) {
      const { distance } = largestError(frameOf(truth, f), at(f));
      assert.ok(distance <= 3e-4 * Math.SQRT2, `${motion}, frame ${f + 1}: ${distance} m`);
    }
  }
});
