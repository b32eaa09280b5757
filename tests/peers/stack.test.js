// Real characters with all four layers, from the file to GLB, USDA and PC2 and into other programs:
// the glTF validator, three.js, tinyusdz and Blender. Pictures to look at: build/test-output/peers/stack/*.png.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { bake } from './lib/bake.js';
import { runBlender } from './lib/blender.js';
import { readPc2 } from './lib/caches.js';
import { boxDiagonal, isNear, largestError } from './lib/compare.js';
import { clipsOf, readGltf } from './lib/gltf_file.js';
import { readNpz } from './lib/npz.js';
import { coverage } from './lib/picture.js';
import { dataFile, outputFolder } from './lib/program.js';
import { ThreeScene } from './lib/three_eval.js';
import { timeSamples, usdEcho } from './lib/usd.js';
import { newMessages } from './lib/validator.js';

const folder = outputFolder('stack');
const FRAMES = 10;
const FPS = 24;
const TOLERANCE = 1e-4; // of the body's box, as the GLB writer has it

const layersOf = ({ flesh, width, slide, detail, density }) => `
[[layer]]
kind = "curve"
from = "${flesh}"
frequency = 4
inertia = 0.4
[[layer]]
kind = "fold"
width = ${width}
[[layer]]
kind = "slide"
stickiness = 0.5
${slide}
[[layer]]
kind = "shell"
name = "detail"
detail = "${detail}"
size = 0.025
height = 0.03
density = ["joint:${density}", 1, 0]
`;

const characters = [
  {
    name: 'cesium-man',
    file: 'khronos-gltf/CesiumMan.glb',
    body: {},
    layers: { flesh: 'Skeleton_arm_joint_L__4_', width: 0.09, slide: '', detail: 'spike', density: 'Skeleton_neck_joint_2' },
    turn_deg: 60,
  },
  {
    name: 'tights',
    file: 'dancer/dancer.glb',
    body: { mesh: 'tights' },
    layers: { flesh: 'LeftUpLeg', width: 0.09, slide: '', detail: 'scale', density: 'Spine1' },
    turn_deg: 25,
  },
  {
    name: 'trex',
    file: 'quaternius/Trex.glb',
    body: { clip: 'Armature|TRex_Walk' },
    layers: { flesh: 'Tail1', width: 1.6, slide: 'pin_creases = 0.5\npin_slivers = 0.02', detail: 'spike', density: 'Back' },
    turn_deg: 70,
  },
];

const pictures = [];

for (const { name, file, body, layers, turn_deg } of characters) {
  test(`${name}: a bake with all layers opens in every other program`, async (t) => {
    const source = dataFile(t, file);
    if (source === null) return;
    const report = bake(path.join(folder, name), {
      body: { file: source, fps: FPS, ...body },
      layers: layersOf(layers),
      formats: ['glb', 'usda', 'pc2', 'npz'],
      frames: [1, FRAMES],
    });
    assert.deepEqual(
      report.layers.map((layer) => layer.kind),
      ['curve', 'fold', 'slide', 'shell'],
    );
    const arrays = readNpz(report.file('npz'));
    const frameOf = ({ shape, data }, f) => data.subarray(f * shape[1] * 3, (f + 1) * shape[1] * 3);
    const box = boxDiagonal(arrays.rest.data);
    assert.ok(arrays.positions.data.every(Number.isFinite));
    assert.ok(arrays.detail_detail_positions.shape[1] > 100, 'detail stands on it');

    assert.deepEqual(await newMessages(source, report.file('glb')), []);
    const three = await ThreeScene.load(report.file('glb'));
    if (body.mesh !== undefined) three.only(body.mesh, 'detail');
    const clip = Math.max(0, clipsOf(readGltf(report.file('glb'))).findIndex((one) => one.name === body.clip));
    for (const f of [0, FRAMES - 1]) {
      // Vertices with several UVs stand in a GLB several times: points are compared as sets.
      const played = three.pose(clip, f / FPS);
      const baked = Float64Array.from([
        ...frameOf(arrays.positions, f),
        ...frameOf(arrays.detail_detail_positions, f),
      ]);
      assert.ok(isNear(played, baked, 1.1 * TOLERANCE * box), `three.js, frame ${f + 1}: a point too many`);
      assert.ok(isNear(baked, played, 1.1 * TOLERANCE * box), `three.js, frame ${f + 1}: a point is missing`);
    }

    const echo = await usdEcho(report.file('usda'));
    const at = echo.search(/def Mesh "detail"/);
    assert.ok(at > 0, 'the USDA has a mesh of its own for the detail');
    for (const [text, truth] of [
      [echo.slice(0, at), arrays.positions],
      [echo.slice(at), arrays.detail_detail_positions],
    ]) {
      const samples = timeSamples(text, 'points');
      assert.equal(samples.length, FRAMES);
      samples.forEach(({ values }, f) => {
        const { distance } = largestError(frameOf(truth, f), values);
        assert.ok(distance <= 1e-6 * box, `tinyusdz, frame ${f + 1}: ${distance} m`);
      });
    }

    const cache = report.file('pc2');
    const pc2 = readPc2(cache);
    const job = { cache, kind: 'PC2', points: pc2.points, frames: FRAMES, out: path.join(folder, `${name}.f32`) };
    const list = path.join(folder, `${name}.json`);
    writeFileSync(list, JSON.stringify([job]));
    runBlender('mesh_cache.py', [list], folder);
    const expected = Buffer.from(Float32Array.from(arrays.positions.data).buffer);
    assert.ok(readFileSync(job.out).equals(expected), "Blender's Mesh Cache: bits differ");
    pictures.push({
      file: report.file('glb'),
      out: path.join(folder, `${name}.png`),
      time: (FRAMES - 1) / FPS,
      turn_deg,
    });
  });
}

test('Blender renders the GLBs', (t) => {
  const list = path.join(folder, 'pictures.json');
  writeFileSync(list, JSON.stringify(pictures));
  runBlender('render.py', [list], folder);
  for (const { out } of pictures) {
    const covered = coverage(readFileSync(out));
    t.diagnostic(`${out}: ${(100 * covered).toFixed(1)} % covered`);
    assert.ok(covered > 0.02 && covered < 0.9, `${out}: ${covered} of the picture is covered`);
  }
});
