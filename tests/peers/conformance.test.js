// The files of the glTF Asset Generator do what their READMEs say. Each claim is a sentence of a README
// (or follows from one), and must hold both for the program and, as a check of the claim itself, for
// three.js. Equality with three.js and Blender vertex by vertex is the business of the other tests.
import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';
import { bake, bakedPositions } from './lib/bake.js';
import { clipsOf, readGltf } from './lib/gltf_file.js';
import { readNpz } from './lib/npz.js';
import { dataFile, outputFolder } from './lib/program.js';
import { ThreeScene } from './lib/three_eval.js';

const folder = outputFolder('conformance');
const CLOSE = 1e-6; // metres; the shapes are about one metre and stored as floats

const players = {
  async cutis(file, times) {
    // Times of the generator's clips start at zero and are multiples of a quarter.
    const name = path.basename(file, '.gltf');
    const last = Math.round(Math.max(...times) * 4) + 1;
    const report = bake(path.join(folder, name), {
      body: { file, fps: 4 },
      formats: ['npz'],
      frames: [1, last],
    });
    const frames = bakedPositions(report.file('npz'));
    return times.map((time) => frames[Math.round(time * 4)]);
  },
  async three(file, times) {
    const scene = await ThreeScene.load(file);
    const clip = clipsOf(readGltf(file))[0];
    return times.map((time) => scene.pose(clip?.index, time));
  },
};

const point = (frame, i) => Array.from(frame.subarray(3 * i, 3 * i + 3));
const minus = (a, b) => a.map((v, k) => v - b[k]);
const length = (v) => Math.hypot(...v);
const distance = (frame, i, j) => length(minus(point(frame, i), point(frame, j)));
const count = (frame) => frame.length / 3;

function assertClose(found, expected, what, tolerance = CLOSE) {
  assert.equal(found.length, expected.length, what);
  for (let i = 0; i < found.length; ++i) {
    assert.ok(
      Math.abs(found[i] - expected[i]) <= tolerance,
      `${what}: number ${i} is ${found[i]}, expected ${expected[i]}`,
    );
  }
}

function assertSamePoints(found, expected, what, tolerance = CLOSE) {
  assertClose(Array.from(found), Array.from(expected), what, tolerance);
}

/** All vertices moved by one vector between two frames; returns it. */
function commonShift(from, to, vertices, what) {
  const shift = minus(point(to, vertices[0]), point(from, vertices[0]));
  for (const i of vertices)
    assertClose(minus(point(to, i), point(from, i)), shift, `${what}, vertex ${i}`);
  return shift;
}

/** Distances within a set of vertices stay as they are. */
function assertRigid(from, to, vertices, what) {
  for (const i of vertices) {
    for (const j of vertices) {
      assert.ok(
        Math.abs(distance(from, i, j) - distance(to, i, j)) <= CLOSE,
        `${what}: ${i} to ${j}`,
      );
    }
  }
}

function claim(sentence, names, body) {
  for (const [player, play] of Object.entries(players)) {
    test(`${names[0]}: ${sentence} (${player})`, async (t) => {
      const files = names.map((name) =>
        dataFile(t, `gltf-asset-generator/${name.replace(/_\d+$/, '')}/${name}.gltf`),
      );
      if (files.includes(null)) return;
      await body((which, times = [0]) => play(files[which], times));
    });
  }
}

const range = (first, end) => Array.from({ length: end - first }, (_, i) => first + i);

// Animation_Skin

claim(
  'skinA bends its upper edge by 30 degrees about joint1',
  ['Animation_Skin_00'],
  async (play) => {
    const [shape] = await play(0);
    assert.equal(count(shape), 6);
    const upper = minus(point(shape, 4), point(shape, 2));
    const lower = minus(point(shape, 2), point(shape, 0));
    const cosine =
      upper.reduce((sum, v, k) => sum + v * lower[k], 0) / (length(upper) * length(lower));
    assertClose([Math.acos(cosine) * (180 / Math.PI)], [30], 'angle', 1e-4);
  },
);

claim(
  'joint1 animates with a rotation: its vertices turn about it, the others stand',
  ['Animation_Skin_01'],
  async (play) => {
    const frames = await play(0, [0, 0.5, 1, 1.5, 2]);
    for (const frame of frames) {
      assertClose(
        [...point(frame, 0), ...point(frame, 1)],
        [...point(frames[0], 0), ...point(frames[0], 1)],
        'joint0',
      );
      assertRigid(frames[0], frame, [2, 3, 4, 5], 'joint1');
    }
    assert.ok(length(minus(point(frames[2], 4), point(frames[0], 4))) > 0.1, 'it moves');
  },
);

claim(
  'transforms of the skinned node and of its parent are ignored',
  ['Animation_Skin_02', 'Animation_Skin_00'],
  async (play) => assertSamePoints((await play(0))[0], (await play(1))[0], 'as without them'),
);

claim(
  'without inverse bind matrices they are identities',
  ['Animation_Skin_03', 'Animation_Skin_00'],
  async (play) => {
    const [bare] = await play(0);
    const [bound] = await play(1);
    // joint0's inverse bind matrix moves by +0.2 along its bone before the joint moves by -0.2.
    assertClose(minus(point(bare, 0), point(bound, 0)), [0, -0.2, 0], 'vertices of joint0');
  },
);

claim('a triangle mesh attached to joint1 turns with it', ['Animation_Skin_04'], async (play) => {
  const frames = await play(0, [0, 0.5, 1, 1.5, 2]);
  assert.equal(count(frames[0]), 9);
  for (const frame of frames)
    assertRigid(frames[0], frame, [2, 3, 4, 5, 6, 7, 8], 'joint1 and triangle');
  assert.ok(length(minus(point(frames[2], 6), point(frames[0], 6))) > 0.1, 'it moves');
});

claim('two meshes share a single skin and bend alike', ['Animation_Skin_05'], async (play) => {
  const [shape] = await play(0);
  assert.equal(count(shape), 12);
  for (const i of range(0, 6))
    assertClose(minus(point(shape, i + 6), point(shape, i)), [0.6, 0, 0], `vertex ${i}`);
});

claim(
  'joint1 as a root of its own gives the same shape',
  ['Animation_Skin_06', 'Animation_Skin_00'],
  async (play) => assertSamePoints((await play(0))[0], (await play(1))[0], 'as skinA'),
);

claim(
  'joint1, referenced by two skins, turns the tops of both prisms',
  ['Animation_Skin_07'],
  async (play) => {
    const frames = await play(0, [0, 0.5, 1, 1.5, 2]);
    const tops = [3, 4, 5, 9, 10, 11];
    for (const frame of frames) {
      for (const i of [0, 1, 2, 6, 7, 8])
        assertClose(point(frame, i), point(frames[0], i), `bottom vertex ${i}`);
      assertRigid(frames[0], frame, tops, 'tops');
    }
    for (const i of tops)
      assert.ok(length(minus(point(frames[2], i), point(frames[0], i))) > 0.05, 'it moves');
  },
);

claim(
  'every joint but the root turns by another -10 degrees',
  ['Animation_Skin_08'],
  async (play) => {
    const [shape] = await play(0);
    const rows = range(0, 4).map((row) => minus(point(shape, 2 * row + 2), point(shape, 2 * row)));
    const pitches = rows.map(([, y, z]) => Math.atan2(z, y) * (180 / Math.PI));
    assertClose(pitches, [0, -10, -20, -30], 'pitch of the rows in degrees', 1e-4);
  },
);

claim(
  'a node that is no joint carries its mesh inside the joint hierarchy',
  ['Animation_Skin_09'],
  async (play) => {
    const frames = await play(0, [0, 0.5, 1, 1.5, 2]);
    // transformNode hangs on joint2, so its triangle (12..14) keeps its place among joint2's vertices.
    for (const frame of frames) assertRigid(frames[0], frame, [4, 5, 6, 7, 12, 13, 14], 'joint2');
    assert.ok(length(minus(point(frames[2], 12), point(frames[0], 12))) > 0.1, 'it moves');
    assert.ok(length(minus(point(frames[2], 10), point(frames[0], 10))) > 0.1, 'joint3 moves, too');
  },
);

claim('skinE branches into two joints that bend alike', ['Animation_Skin_10'], async (play) => {
  const [shape] = await play(0);
  assert.equal(count(shape), 13);
  // Mirror images: the left branch (5..8) against the right one (10, 9, 12, 11).
  for (const [left, right] of [
    [5, 10],
    [6, 9],
    [7, 12],
    [8, 11],
  ]) {
    const [x, y, z] = point(shape, right);
    assertClose(point(shape, left), [-x, y, z], `vertices ${left} and ${right}`);
  }
});

claim(
  'two instances share a mesh but have separate skins',
  ['Animation_Skin_11', 'Animation_Skin_00'],
  async (play) => {
    const [shape] = await play(0);
    const [single] = await play(1);
    assert.equal(count(shape), 12);
    assertSamePoints(shape.subarray(0, 18), single, 'the first');
    for (const i of range(0, 6))
      assertClose(minus(point(shape, i + 6), point(shape, i)), [0.6, 0, 0], `vertex ${i}`);
  },
);

// Animation_SkinType: u8 and u16 joints, f32, u8 and u16 weights say the same.

claim(
  'joints and weights of any component type move alike',
  [
    'Animation_SkinType_00',
    'Animation_SkinType_01',
    'Animation_SkinType_02',
    'Animation_SkinType_03',
  ],
  async (play) => {
    const times = [0, 0.5, 1, 1.5, 2];
    const first = await play(0, times);
    for (const which of [1, 2, 3]) {
      const other = await play(which, times);
      other.forEach((frame, i) =>
        assertSamePoints(frame, first[i], `type ${which}, time ${times[i]}`),
      );
    }
    assert.ok(length(minus(point(first[2], 4), point(first[0], 4))) > 0.1, 'it moves');
  },
);

// Animation_Node

claim(
  'a linear translation moves all vertices alike and half-way at half time',
  ['Animation_Node_00'],
  async (play) => {
    const [first, half, full] = await play(0, [0, 0.5, 1]);
    const whole = commonShift(first, full, range(0, 24), 'to key 1');
    assert.ok(length(whole) > 0.05, 'it moves');
    assertClose(
      commonShift(first, half, range(0, 24), 'half-way'),
      whole.map((v) => v / 2),
      'half-way',
    );
  },
);

claim(
  'a linear rotation is rigid and turns at constant speed',
  ['Animation_Node_01'],
  async (play) => {
    const frames = await play(0, [0, 0.25, 0.5, 0.75, 1]);
    const step = (k, i) => length(minus(point(frames[k + 1], i), point(frames[k], i)));
    for (const frame of frames) assertRigid(frames[0], frame, range(0, 24), 'cube');
    for (const i of range(0, 24)) {
      assertClose(
        range(0, 4).map((k) => step(k, i)),
        range(0, 4).map(() => step(0, i)),
        `vertex ${i}`,
      );
    }
    assert.ok(step(0, 0) > 0.05, 'it turns');
  },
);

claim(
  'a linear scale scales about the node and is the mean at half time',
  ['Animation_Node_02'],
  async (play) => {
    const [first, half, full] = await play(0, [0, 0.5, 1]);
    const mean = Float64Array.from(first, (v, i) => (v + full[i]) / 2);
    assertSamePoints(half, mean, 'half-way');
    assert.ok(
      Math.abs(length(point(full, 0)) - length(point(first, 0))) > 0.05,
      'it grows or shrinks',
    );
  },
);

claim(
  'a stepped translation stands still until the next key',
  ['Animation_Node_03'],
  async (play) => {
    const [first, before, next] = await play(0, [0, 0.75, 1]);
    assertSamePoints(before, first, 'just before the key', 0);
    assert.ok(length(commonShift(first, next, range(0, 24), 'at the key')) > 0.05, 'it jumps');
  },
);

claim(
  'a cubic spline of translations moves all vertices alike and not evenly',
  ['Animation_Node_04'],
  async (play) => {
    const [first, a, b, c, full] = await play(0, [0, 0.25, 0.5, 0.75, 1]);
    for (const frame of [a, b, c, full]) commonShift(first, frame, range(0, 24), 'translation');
    const whole = length(commonShift(first, full, range(0, 24), 'to key 1'));
    assert.ok(whole > 0.05, 'it moves');
    // Not linear: at a quarter it is elsewhere than a quarter of the way.
    assert.ok(
      Math.abs(length(commonShift(first, a, range(0, 24), 'a')) - whole / 4) > 1e-3,
      'not linear',
    );
  },
);

claim(
  'a cubic spline of rotations is rigid and not linear',
  ['Animation_Node_05', 'Animation_Node_01'],
  async (play) => {
    const times = [0, 0.25, 0.5, 1];
    const cubic = await play(0, times);
    const linear = await play(1, times);
    for (const frame of cubic) assertRigid(cubic[0], frame, range(0, 24), 'cube');
    assertSamePoints(cubic[3], linear[3], 'both meet key 1');
    assert.ok(length(minus(point(cubic[1], 0), point(linear[1], 0))) > 1e-2, 'not linear');
  },
);

claim(
  'rotations as bytes and shorts turn as those in floats, within their rounding',
  ['Animation_SamplerType_00', 'Animation_SamplerType_01', 'Animation_SamplerType_02'],
  async (play) => {
    const times = [0, 0.5, 1, 2, 3, 4];
    const floats = await play(0, times);
    for (const [which, steps] of [
      [1, 127],
      [2, 32767],
    ]) {
      // A quaternion off by half a step turns by at most four times that; the cube's radius is 0.52.
      const bound = 0.52 * 4 * (0.5 / steps);
      (await play(which, times)).forEach((frame, i) => {
        assertSamePoints(frame, floats[i], `type ${which}, time ${times[i]}`, bound);
        assertRigid(floats[i], frame, range(0, 24), `type ${which}`);
      });
    }
  },
);

// Accessor_Sparse: mesh B starts from mesh A's accessor; a few values are replaced.

claim(
  'a sparse sampler input shifts the key of mesh B to a later time',
  ['Accessor_Sparse_00'],
  async (play) => {
    const [first, one, late] = await play(0, [0, 1, 1.5]);
    const a = commonShift(first, one, range(0, 4), 'A at its key');
    const b = commonShift(first, late, range(4, 8), 'B at its key');
    assertClose(a, b, 'both reach the same place, B at 1.5 s');
    const between = commonShift(first, one, range(4, 8), 'B on its way');
    assertClose(
      between,
      b.map((v) => v / 1.5),
      'B at 1 s',
    );
  },
);

claim(
  'a sparse sampler output changes how far mesh B goes',
  ['Accessor_Sparse_01'],
  async (play) => {
    const [first, one] = await play(0, [0, 1]);
    const a = commonShift(first, one, range(0, 4), 'A');
    const b = commonShift(first, one, range(4, 8), 'B');
    assertClose([a[1], b[1]], [-0.6, -0.1], 'heights');
  },
);

claim(
  'sparse positions overwrite the top left and bottom right vertices of mesh B',
  ['Accessor_Sparse_02'],
  async (play) => {
    const [shape] = await play(0);
    const shifts = range(0, 4).map((i) => minus(point(shape, i + 4), point(shape, i))[0]);
    // The plane lies in x, y, its vertices from bottom right round by bottom left.
    assertClose(
      shifts,
      [0.95, 1.2, 1.45, 1.2],
      'x of B less x of A: 1.2 where nothing is replaced',
    );
  },
);

test('Accessor_Sparse_03: sparse indices of mesh B use the two spare vertices (cutis)', (t) => {
  const file = dataFile(t, 'gltf-asset-generator/Accessor_Sparse/Accessor_Sparse_03.gltf');
  if (file === null) return;
  const report = bake(path.join(folder, 'sparse-indices'), {
    body: { file },
    formats: ['npz'],
    frames: [1, 1],
  });
  const triangles = Array.from(readNpz(report.file('npz')).triangles.data, Number);
  const used = (part) => [...new Set(part)].sort((x, y) => x - y);
  const half = triangles.length / 2;
  assert.deepEqual(used(triangles.slice(0, half)), [0, 1, 2, 3]);
  assert.deepEqual(
    used(triangles.slice(half)),
    [7, 9, 10, 11],
    'vertices 0 and 2 of B give way to 4 and 5',
  );
});

// Buffer_Interleaved

claim(
  'interleaved attributes of any component type give one square',
  range(0, 5).map((i) => `Buffer_Interleaved_0${i}`),
  async (play) => {
    const [first] = await play(0);
    assertClose(
      [distance(first, 0, 1), distance(first, 1, 2), distance(first, 2, 3), distance(first, 3, 0)],
      [1, 1, 1, 1],
      'sides',
    );
    for (const which of range(1, 5))
      assertSamePoints((await play(which))[0], first, `file ${which}`, 0);
  },
);
