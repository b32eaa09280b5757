// PC2 and MDD written by the program, played by Blender's Mesh Cache modifier and read by numpy.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { bake, bakedPositions } from './lib/bake.js';
import { runBlender } from './lib/blender.js';
import { readMdd, readPc2 } from './lib/caches.js';
import { meshNodesInOrder, readGltf } from './lib/gltf_file.js';
import { CHARACTERS, dataFile, outputFolder } from './lib/program.js';

const PYTHON = '/usr/bin/python3'; // Debian's, which has numpy
const COMPARE = fileURLToPath(new URL('python/compare_npz_pc2.py', import.meta.url));
const folder = outputFolder('caches');

function sameFloats(expected, found, what) {
  assert.equal(found.length, expected.length, what);
  const a = Buffer.from(expected.buffer, expected.byteOffset, expected.byteLength);
  const b = Buffer.from(found.buffer, found.byteOffset, found.byteLength);
  assert.ok(a.equals(b), `${what}: bits differ`);
}

/** Plays caches in one Blender; returns all floats of each. */
function playInBlender(requests, name) {
  const jobs = requests.map((request, i) => ({
    ...request,
    out: path.join(folder, `${name}-${i}.f32`),
  }));
  const list = path.join(folder, `${name}.json`);
  writeFileSync(list, JSON.stringify(jobs));
  runBlender('mesh_cache.py', [list], folder);
  return jobs.map((job) => {
    const bytes = readFileSync(job.out);
    return new Float32Array(
      bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
    );
  });
}

const bakes = [
  {
    title: 'a skinned character',
    name: 'tights',
    data: ['dancer/dancer.glb'],
    body: ([file]) => ({ file, mesh: 'tights', fps: 30 }),
    frames: [1, 40],
  },
  {
    title: 'an OBJ moved by a PC2 cache',
    name: 'bone',
    data: ['dem-bones/frames/bone_000.obj', 'dem-bones/bone_anim.pc2'],
    body: ([mesh, cache]) => ({ mesh, cache, fps: 24 }),
    frames: [1, 60],
  },
];

for (const { title, name, data, body, frames } of bakes) {
  test(`${title}: PC2 and MDD come back from Blender's Mesh Cache bit for bit`, (t) => {
    const files = data.map((d) => dataFile(t, d));
    if (files.includes(null)) return;
    const report = bake(path.join(folder, name), {
      body: body(files),
      formats: ['pc2', 'mdd', 'npz'],
      frames,
    });
    const positions = bakedPositions(report.file('npz'));
    const pc2 = readPc2(report.file('pc2'));
    const mdd = readMdd(report.file('mdd'));
    assert.equal(positions.length, frames[1]);
    assert.equal(pc2.frames.length, frames[1]);
    assert.equal(mdd.frames.length, frames[1]);
    positions.forEach((frame, i) => {
      sameFloats(Float32Array.from(frame), pc2.frames[i], `PC2 frame ${i + 1}`);
      sameFloats(Float32Array.from(frame), mdd.frames[i], `MDD frame ${i + 1}`);
    });

    const request = { points: pc2.points, frames: frames[1] };
    const [fromPc2, fromMdd] = playInBlender(
      [
        { ...request, kind: 'PC2', cache: report.file('pc2') },
        { ...request, kind: 'MDD', cache: report.file('mdd') },
      ],
      name,
    );
    const width = pc2.points * 3;
    for (let i = 0; i < frames[1]; ++i) {
      sameFloats(
        pc2.frames[i],
        fromPc2.subarray(i * width, (i + 1) * width),
        `Blender's PC2 frame ${i + 1}`,
      );
      sameFloats(
        mdd.frames[i],
        fromMdd.subarray(i * width, (i + 1) * width),
        `Blender's MDD frame ${i + 1}`,
      );
    }
    t.diagnostic(`${frames[1]} frames of ${pc2.points} points, both formats equal in every bit`);
  });

  test(`${title}: numpy reads the NPZ and finds the floats of the PC2 in it`, (t) => {
    const files = data.map((d) => dataFile(t, d));
    if (files.includes(null)) return;
    const report = bake(path.join(folder, `${name}-numpy`), {
      body: body(files),
      formats: ['pc2', 'npz'],
      frames: [1, 10],
    });
    const run = spawnSync(PYTHON, [COMPARE, report.file('npz'), report.file('pc2')], {
      encoding: 'utf8',
    });
    assert.equal(run.status, 0, run.stderr);
    const found = JSON.parse(run.stdout);
    t.diagnostic(run.stdout.trim());
    assert.ok(found.same_shape && found.same_bits && found.finite);
    assert.equal(found.arrays.positions[0], 'float64');
  });
}

test('an outside PC2 converted to PC2 and MDD keeps every bit of every sample', (t) => {
  const cache = dataFile(t, 'dem-bones/bone_anim.pc2');
  const mesh = dataFile(t, 'dem-bones/frames/bone_000.obj');
  if (cache === null || mesh === null) return;
  const before = readPc2(cache);
  const report = bake(path.join(folder, 'whole'), {
    body: { mesh, cache, fps: 24 },
    formats: ['pc2', 'mdd'],
  });
  const pc2 = readPc2(report.file('pc2'));
  const mdd = readMdd(report.file('mdd'));
  assert.equal(pc2.frames.length, before.frames.length);
  before.frames.forEach((frame, i) => {
    sameFloats(frame, pc2.frames[i], `PC2 frame ${i + 1}`);
    sameFloats(frame, mdd.frames[i], `MDD frame ${i + 1}`);
  });
});

// What a character's objects get: one cache for each, on the vertices that Blender has of it.
const several = [
  ['Man_Suit', path.join(CHARACTERS, 'Man_Suit.glb'), '[[layer]]\nkind = "slide"\n'],
  ['HVGirl', path.join(CHARACTERS, 'HVGirl.glb'), ''],
  ['dancer', 'dancer/dancer.glb', ''],
  ['Superhero', 'quaternius/Superhero_Female_FullBody.glb', ''],
];

for (const [name, data, layers] of several) {
  test(`${name}: every mesh has a PC2 that fits its object in Blender, bit for bit`, (t) => {
    const file = dataFile(t, data);
    if (file === null) return;
    const count = 6;
    const report = bake(path.join(folder, `objects-${name}`), {
      body: { file, fps: 24 },
      layers,
      formats: ['pc2', 'npz'],
      frames: [1, count],
    });
    const gltf = readGltf(file);
    const nodes = meshNodesInOrder(gltf);
    const caches = report.outputs.filter(({ format }) => format === 'pc2').map((one) => path.resolve(one.path));
    // One mesh: the cache of the whole body is its own. Several: the whole body's first, then one for each.
    const own = nodes.length === 1 ? caches : caches.slice(1);
    assert.equal(own.length, nodes.length, 'a cache for each mesh');
    const pieces = own.map((cache) => ({ cache, ...readPc2(cache) }));
    const jobs = pieces.map(({ cache, points }, i) => ({
      kind: 'PC2',
      cache,
      points,
      frames: count,
      file,
      object: gltf.json.nodes[nodes[i]].name,
    }));
    const played = playInBlender(jobs, `objects-${name}`);
    const whole = bakedPositions(report.file('npz'));
    for (let frame = 0; frame < count; ++frame) {
      let first = 0;
      pieces.forEach(({ points, frames }, i) => {
        const here = played[i].subarray(frame * points * 3, (frame + 1) * points * 3);
        sameFloats(frames[frame], here, `${jobs[i].object}: Blender's frame ${frame + 1}`);
        sameFloats(Float32Array.from(whole[frame].subarray(first, first + 3 * points)), here, `${jobs[i].object}: the NPZ`);
        first += 3 * points;
      });
      assert.equal(first, whole[frame].length);
    }
    t.diagnostic(jobs.map(({ object, points }) => `${object} ${points}`).join(', '));
  });
}
