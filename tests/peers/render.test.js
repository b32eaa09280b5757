// Pictures of baked GLBs, rendered by Blender, to look at: build/test-output/peers/render/*.png.
// The test itself only knows that each picture shows something in the middle of a plain background.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { bake } from './lib/bake.js';
import { runBlender } from './lib/blender.js';
import { coverage } from './lib/picture.js';
import { dataFile, outputFolder } from './lib/program.js';

const folder = outputFolder('render');

const pictures = [
  {
    name: 'dancer-skin',
    file: 'dancer/dancer.glb',
    body: { fps: 30 },
    frames: [1, 90],
    time: 2.5,
    turn_deg: 25,
  },
  {
    name: 'dancer-morphs',
    file: 'dancer/dancer.glb',
    body: { fps: 30, mesh: 'body', skinning: 'dual-quaternion' },
    frames: [1, 90],
    time: 2.5,
    turn_deg: 25,
  },
  {
    name: 'horse',
    file: 'quaternius/Horse.glb',
    body: { fps: 24, clip: 'AnimalArmature|Gallop' },
    frames: [1, 15],
    time: 0.25,
    turn_deg: 70,
  },
  { name: 'actor-hand', body: { fps: 30, actor: 'hand', clip: 'flex' }, frames: [1, 90], time: 1.5, turn_deg: 20 },
  { name: 'actor-dancer', body: { fps: 30, actor: 'dancer', clip: 'arabesque' }, frames: [1, 90], time: 2, turn_deg: 25 },
  { name: 'actor-dinosaur', body: { fps: 30, actor: 'dinosaur', clip: 'walk' }, frames: [1, 60], time: 1, turn_deg: 60 },
  { name: 'actor-head', body: { fps: 30, actor: 'head', clip: 'lift' }, frames: [1, 60], time: 1, turn_deg: 30 },
];

test('Blender renders baked GLBs', (t) => {
  const jobs = [];
  for (const { name, file, body, frames, time, turn_deg } of pictures) {
    // Actors come with the program; characters from the data folder may be absent.
    const source = file ? dataFile(t, file) : undefined;
    if (source === null) continue;
    const report = bake(path.join(folder, name), {
      body: source ? { file: source, ...body } : body,
      formats: ['glb'],
      frames,
    });
    jobs.push({ file: report.file('glb'), out: path.join(folder, `${name}.png`), time, turn_deg });
  }
  const list = path.join(folder, 'jobs.json');
  writeFileSync(list, JSON.stringify(jobs));
  runBlender('render.py', [list], folder);
  for (const { out } of jobs) {
    const covered = coverage(readFileSync(out));
    t.diagnostic(`${out}: ${(100 * covered).toFixed(1)} % covered`);
    assert.ok(covered > 0.02 && covered < 0.9, `${out}: ${covered} of the picture is covered`);
  }
});
