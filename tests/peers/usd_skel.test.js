// Characters as UsdSkel: usd-core's own skinning (UsdSkelBakeSkinning) and Blender 5 place every vertex where the frames
// have it, within the error that the report states.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { bake, bakedPositions } from './lib/bake.js';
import { boxDiagonal, largestError } from './lib/compare.js';
import { readGltf } from './lib/gltf_file.js';
import { CHARACTERS, DATA, dataFile, gltfNames, outputFolder } from './lib/program.js';

const folder = outputFolder('usd_skel');
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const BPY = process.env.CUTIS_BPY_PYTHON ?? here('../../build/peers-bpy/bin/python');
const FRAMES = [1, 4, 6];
// Readers skin in float32: some units in the last place of the largest coordinate.
const FLOAT32 = 5e-7;
const slide = '[[layer]]\nkind = "slide"\n';

function run(python, args) {
  const { error, status, stdout, stderr } = spawnSync(python, args, { encoding: 'utf8', maxBuffer: 1 << 30 });
  if (error) throw new Error(`${python} does not run (scripts/setup peers): ${error.message}`);
  assert.equal(status, 0, stderr);
  return stdout;
}

const usdPoints = (stage, frames) =>
  JSON.parse(run(here('../../build/peers-python/bin/python'), [here('python/bake_usd.py'), stage, ...frames.map(String)]));

function bakeStage(name, file, layers = '', usda = '') {
  const report = bake(path.join(folder, name), { body: { file, fps: 24 }, layers, formats: ['usda', 'npz'], frames: [1, 6], usda });
  const frames = bakedPositions(report.file('npz'));
  return {
    stage: report.file('usda'),
    numbers: report.outputs.find((one) => one.format === 'usda').numbers,
    wanted: FRAMES.map((frame) => frames[frame - 1]),
  };
}

/** Distance of meshes, one after the other, from the frames. */
function worstOf(meshes, wanted) {
  let worst = 0;
  wanted.forEach((frame, i) => {
    const shown = Float64Array.from(meshes.flatMap((points) => points[i]));
    assert.equal(shown.length, frame.length, 'as many vertices');
    worst = Math.max(worst, largestError(frame, shown).distance);
  });
  return worst;
}

const allowed = ({ numbers, wanted }) => {
  const reach = Math.max(...wanted.map((frame) => frame.reduce((most, x) => Math.max(most, Math.abs(x)), boxDiagonal(frame))));
  return numbers.max_error_m * 1.001 + FLOAT32 * reach;
};

test('every character: usd-core skins it to the frames', (t) => {
  if (dataFile(t, 'quaternius/Horse.glb') === null) return;
  const files = [
    ...gltfNames().filter((name) => !name.startsWith('gltf-asset-generator/')).map((name) => path.join(DATA, name)),
    ...readdirSync(CHARACTERS).filter((name) => name.endsWith('.glb')).map((name) => path.join(CHARACTERS, name)),
  ];
  for (const [i, file] of files.entries()) {
    const baked = bakeStage(`${i}-${path.basename(file)}`, file);
    const worst = worstOf(Object.values(usdPoints(baked.stage, FRAMES)), baked.wanted);
    assert.ok(worst <= allowed(baked), `${file}: ${worst} m, stated ${baked.numbers.max_error_m}`);
  }
  t.diagnostic(`${files.length} characters`);
});

const layered = ['khronos-gltf/CesiumMan.glb', 'quaternius/Horse.glb', path.join(CHARACTERS, 'HVGirl.glb'), path.join(CHARACTERS, 'Man_Suit.glb')];

for (const name of layered) {
  test(`${path.basename(name)} with slide: usd-core and Blender 5 show the frames`, (t) => {
    const file = dataFile(t, name);
    if (file === null) return;
    const baked = bakeStage(`${path.basename(name)}-slide`, file, slide);
    assert.ok(baked.numbers.blend_shapes > 0 && baked.numbers.joints > 0);
    const points = usdPoints(baked.stage, FRAMES);
    const worst = worstOf(Object.values(points), baked.wanted);
    t.diagnostic(`usd-core: ${worst} m, stated ${baked.numbers.max_error_m}, ${baked.numbers.blend_shapes} blend shapes`);
    assert.ok(worst <= allowed(baked), `${worst} m`);
    if (!existsSync(BPY)) {
      assert.notEqual(process.env.CI, 'true', `${BPY}: run scripts/setup peers`);
      return;
    }
    const jobs = path.join(folder, 'jobs.json');
    const out = path.join(folder, 'blender.json');
    writeFileSync(jobs, JSON.stringify([{ file: baked.stage, frames: FRAMES, out }]));
    run(BPY, [here('blender/usd_points.py'), '--', jobs]);
    const blender = JSON.parse(readFileSync(out, 'utf8'));
    const meshes = Object.keys(points).map((prim) => blender.meshes[path.basename(prim)]);
    const shown = worstOf(meshes, baked.wanted);
    t.diagnostic(`Blender: ${shown} m, ${blender.bones.length} bones`);
    assert.ok(shown <= allowed(baked), `${shown} m`);
    assert.equal(blender.bones.length, baked.numbers.joints);
  });
}

test('what stands in the stage: clips and cameras of the file, shapes by their names', (t) => {
  const file = dataFile(t, path.join(CHARACTERS, 'HVGirl.glb'));
  if (file === null) return;
  const { stage } = bakeStage('HVGirl-words', file);
  const text = readFileSync(stage, 'utf8');
  const { json } = readGltf(file);
  assert.equal((text.match(/def SkelAnimation /g) ?? []).length, json.animations.length);
  for (const clip of json.animations) assert.ok(text.includes(`def SkelAnimation "${clip.name.replace(/[^A-Za-z0-9_]/g, '_')}`), clip.name);
  const cameras = json.nodes.filter((node) => node.camera !== undefined).length;
  assert.equal((text.match(/def Camera /g) ?? []).length, cameras);
});

test('a wrong weight would be seen', (t) => {
  const file = dataFile(t, 'khronos-gltf/CesiumMan.glb');
  if (file === null) return;
  const baked = bakeStage('wrong', file, slide);
  const text = readFileSync(baked.stage, 'utf8');
  const wrong = path.join(folder, 'wrong.usda');
  writeFileSync(wrong, text.replace(/(jointIndices = \[)(\d+)/, (_, head, joint) => `${head}${joint === '0' ? 1 : 0}`));
  const worst = worstOf(Object.values(usdPoints(wrong, FRAMES)), baked.wanted);
  assert.ok(worst > allowed(baked), `${worst} m`);
});
