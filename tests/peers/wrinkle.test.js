// Wrinkles as other programs show them: few maps blended by three.js and Babylon.js against the maps of single frames,
// the map sequences in Blender as docs/wrinkles.md says, and channels in NPZ and USD.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { bake } from './lib/bake.js';
import { runBlender } from './lib/blender.js';
import { outputFolder } from './lib/program.js';
import { readPng } from './lib/picture.js';
import { angle, mapFiles, normalAt, wrinklesInBabylon, wrinklesInThree } from './lib/wrinkles.js';

const folder = outputFolder('wrinkle');
const FPS = 24;
const FRAMES = 25;
const STEEP = 0.77; // cosine of 40 degrees
const STRIDE = 7; // of texels that are looked at

function bakeHand(name, size, formats) {
  return bake(path.join(folder, name), {
    body: { actor: 'hand', clip: 'fist', fps: FPS },
    layers: `[[layer]]\nkind = "wrinkle"\nskin = "knuckle"\nmap_size = ${size}\n`,
    formats,
    frames: [1, FRAMES],
  });
}

/** Degrees rms between blended maps and those of the frames, over all texels that wrinkle in some frame; and the largest part of one frame's own that is missing. */
function blendedError(shown, normals) {
  const count = normals[0].width * normals[0].height;
  let squares = 0;
  let slopes = 0;
  let texels = 0;
  const own = normals.map(() => 0);
  const missed = normals.map(() => 0);
  for (let texel = 0; texel < count; texel += STRIDE) {
    const exact = normals.map((map) => normalAt(map, texel));
    if (exact.every((n) => Math.hypot(n[0], n[1]) < 0.01)) continue;
    const parts = shown.maps.map((map) => normalAt(map, texel));
    exact.forEach((n, frame) => {
      const blended = [0, 0, 1];
      parts.forEach((part, k) => {
        blended[0] += (shown.weights[frame][k] * part[0]) / part[2];
        blended[1] += (shown.weights[frame][k] * part[1]) / part[2];
      });
      missed[frame] += angle(n, blended) ** 2;
      own[frame] += angle(n, [0, 0, 1]) ** 2;
    });
    texels += normals.length;
  }
  squares = missed.reduce((a, b) => a + b);
  slopes = own.reduce((a, b) => a + b);
  const deep = Math.max(...own);
  const lost = Math.max(...own.map((o, frame) => (o > 0.02 * deep ? missed[frame] / o : 0)));
  return { error: Math.sqrt(squares / texels), flat: Math.sqrt(slopes / texels), texels, lost };
}

for (const [peer, load] of [
  ['three.js', wrinklesInThree],
  ['Babylon.js', wrinklesInBabylon],
]) {
  test(`${peer}: few maps of a hand, blended by the weights it plays, are the maps of the frames`, async (t) => {
    const report = bakeHand(`few-${peer}`, 512, ['glb', 'png']);
    const shown = await load(report.file('glb'));
    assert.ok(shown.maps.length >= 2 && shown.maps.length <= 4, `${shown.maps.length} maps`);
    const normals = mapFiles(report).normal.map((file) => readPng(readFileSync(file)));
    assert.equal(normals.length, FRAMES);
    shown.weights = normals.map((_, frame) => shown.weightsAt(frame / FPS));
    const { error, flat, texels, lost } = blendedError(shown, normals);
    t.diagnostic(
      `${shown.maps.length} maps: ${error.toFixed(2)} degrees rms over ${texels} texels (stated ${shown.stated.toFixed(2)}; ` +
        `without wrinkles ${flat.toFixed(1)})`,
    );
    assert.ok(flat > 4, 'there is something to show');
    assert.ok(lost < 0.35, `a frame misses ${lost} of its slopes' squares: faint wrinkles count, too`);
    assert.ok(shown.stated <= 2.5, `stated: ${shown.stated} degrees`);
    // Eight bits a number are 0.13 degrees rms, twice.
    assert.ok(error <= Math.hypot(shown.stated, 0.26) * 1.05, `${error} degrees, stated ${shown.stated}`);
  });
}

test('Blender shows the map of the frame, by nodes alone, and displaces by its heights', (t) => {
  const report = bakeHand('blender', 512, ['glb', 'png']);
  const files = mapFiles(report);
  const frame = FRAMES - 5;
  const out = path.join(folder, 'blender', 'shown');
  const job = {
    file: report.file('glb'),
    normal: files.normal[0],
    height: files.height[0],
    frames: FRAMES,
    frame,
    fps: FPS,
    size: 512,
    height_scale: files.facts.height_scale,
    out,
  };
  const list = path.join(folder, 'blender', 'job.json');
  writeFileSync(list, JSON.stringify(job));
  runBlender('wrinkle.py', [list], path.join(folder, 'blender'));

  const floats = (file) => {
    const bytes = readFileSync(file);
    return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  };
  // Blender's pictures begin at the bottom and have four numbers a pixel.
  const baked = floats(`${out}.normal.bin`);
  const exact = readPng(readFileSync(files.normal[frame - 1]));
  const first = readPng(readFileSync(files.normal[0]));
  const angles = [];
  let changed = 0;
  for (let y = 0; y < 512; ++y) {
    for (let x = 0; x < 512; ++x) {
      const at = 4 * ((511 - y) * 512 + x);
      if (baked[at + 3] < 1) continue; // no surface there
      const wanted = normalAt(exact, y * 512 + x);
      // Steeper normals Cycles bends towards the viewer, so that reflections stay outside the surface.
      if (Math.hypot(wanted[0], wanted[1]) < 0.05 || wanted[2] < STEEP) continue;
      angles.push(angle(wanted, [0, 1, 2].map((c) => 2 * baked[at + c] - 1)));
      if (angle(wanted, normalAt(first, y * 512 + x)) > 3) ++changed;
    }
  }
  angles.sort((a, b) => a - b);
  const median = angles[angles.length >> 1];
  const high = angles[Math.floor(0.95 * angles.length)];
  t.diagnostic(
    `${angles.length} texels, ${changed} other than in frame 1: median ${median.toFixed(2)}, p95 ${high.toFixed(2)} degrees`,
  );
  assert.ok(changed > 1000, 'another frame than the first');
  assert.ok(median <= 0.1 && high <= 0.5, `median ${median}, p95 ${high} degrees`);

  // Vertices of the displaced mesh: u, v, how far each moved along its normal.
  const moved = floats(`${out}.height.bin`);
  const heights = readPng(readFileSync(files.height[frame - 1]));
  const { height_scale: scale, height_middle: middle } = files.facts;
  let squares = 0;
  let all = 0;
  let count = 0;
  for (let i = 0; i < moved.length; i += 3) {
    const x = moved[i] * 512 - 0.5;
    const y = (1 - moved[i + 1]) * 512 - 0.5;
    const [ix, iy] = [Math.floor(x), Math.floor(y)];
    const texel = (i2, j2) => (heights.values[(iy + j2) * 512 + ix + i2] - middle) * scale;
    const [fx, fy] = [x - ix, y - iy];
    const wanted =
      (texel(0, 0) * (1 - fx) + texel(1, 0) * fx) * (1 - fy) + (texel(0, 1) * (1 - fx) + texel(1, 1) * fx) * fy;
    squares += (wanted - moved[i + 2]) ** 2;
    all += wanted ** 2;
    ++count;
  }
  const [error, high2] = [Math.sqrt(squares / count), Math.sqrt(all / count)];
  t.diagnostic(`${count} vertices: ${(1e6 * error).toFixed(1)} of ${(1e6 * high2).toFixed(1)} micrometres rms`);
  assert.ok(high2 > 1e-5, 'there are heights');
  assert.ok(error <= 0.1 * high2, `${error} m of ${high2} m`);
});
