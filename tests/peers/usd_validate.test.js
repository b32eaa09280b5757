// Every stage passes all validators of usd-core: each character of the data folders as it is, and bakes with details,
// rigid copies, channels and UVs that move.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { bake } from './lib/bake.js';
import { CHARACTERS, DATA, dataFile, gltfNames, outputFolder } from './lib/program.js';

const folder = outputFolder('usd_validate');
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

function validate(files) {
  const run = spawnSync(here('../../build/peers-python/bin/python'), [here('python/validate_usd.py'), ...files], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (run.error) throw new Error(`usd-core does not run (scripts/setup peers): ${run.error.message}`);
  assert.equal(run.status, 0, run.stderr);
  const { validators, messages } = JSON.parse(run.stdout);
  assert.ok(validators >= 20, `${validators} validators`);
  return messages;
}

test('usd-core has nothing to say of any character', (t) => {
  if (dataFile(t, 'quaternius/Horse.glb') === null) return;
  const glb = (name) => name.endsWith('.glb');
  const files = [
    ...gltfNames().map((name) => path.join(DATA, name)),
    ...readdirSync(CHARACTERS).filter(glb).map((name) => path.join(CHARACTERS, name)),
  ];
  const stages = files.map((file, i) =>
    bake(path.join(folder, `${i}-${path.basename(file)}`), {
      body: { file, fps: 24 },
      formats: ['usda'],
      frames: [1, 1],
      usda: i % 2 === 0 ? '' : 'style = "points"\n',
    }).file('usda'),
  );
  const messages = validate(stages);
  t.diagnostic(`${stages.length} stages`);
  for (const stage of stages) assert.deepEqual(messages[stage], [], stage);
});

test('usd-core has nothing to say of layers, details and copies, and does of a stage that is wrong', (t) => {
  const stage = (name, layers, body, usda) =>
    bake(path.join(folder, name), { body, layers, formats: ['usda'], frames: [1, 3], usda }).file('usda');
  const slide = '[[layer]]\nkind = "slide"\n';
  const spikes = '[[layer]]\nkind = "shell"\ndetail = "spike"\nsize = 0.1\nrigid = true\n';
  const stages = [
    stage('slide', slide, { actor: 'torus', clip: 'shake', fps: 24 }),
    stage('uv', `${slide}output = "uv"\n`, { actor: 'torus', clip: 'shake', fps: 24 }),
    stage('spikes', spikes, { actor: 'torus', clip: 'shake', fps: 24 }),
  ];
  const character = dataFile(t, 'khronos-gltf/CesiumMan.glb');
  if (character === null) return;
  for (const [name, layers] of [['slide', slide], ['uv', `${slide}output = "uv"\n`], ['both', `${slide}output = "both"\n`], ['spikes', spikes]]) {
    stages.push(stage(`skeleton-${name}`, layers, { file: character, fps: 24 }, 'channels = true\n'));
  }
  const wrong = path.join(folder, 'wrong.usda');
  writeFileSync(wrong, readFileSync(stages[0], 'utf8').replace(/ +(upAxis|defaultPrim) = .*\n/g, ''));
  const messages = validate([...stages, wrong]);
  for (const one of stages) assert.deepEqual(messages[one], [], one);
  assert.notDeepEqual(messages[wrong], []);
});
