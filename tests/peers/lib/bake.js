// Bakes, and what they wrote.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readNpz } from './npz.js';
import { cutis } from './program.js';

/**
 * Bakes a scene and returns the report, with `file(format)` for the path of an output.
 * body: keys of the scene's [body] table; layers: text of its [[layer]] tables; frames: [first, last], or none for the whole clip;
 * usda: text of its [output.usda] table.
 */
export function bake(folder, { body, layers = '', formats, frames, output = {}, compression = 'none', usda = 'tolerance = 0\nchannels = true\n' }) {
  mkdirSync(folder, { recursive: true });
  const quote = (value) => (typeof value === 'number' || typeof value === 'boolean' ? value : JSON.stringify(value));
  const table = (values) =>
    Object.entries(values)
      .filter(([, v]) => v !== undefined)
      .map(([k, v]) => `${k} = ${quote(v)}\n`)
      .join('');
  const scene = path.join(folder, 'scene.toml');
  writeFileSync(
    scene,
    `[body]\n${table(body)}${layers}[output]\nformats = ${JSON.stringify(formats)}\n${table(output)}` +
      // Blender does not read compressed files; USD is compared to the bit.
      `[output.glb]\ncompression = ${quote(compression)}\n[output.usda]\n${usda}`,
  );
  const range = frames ? ['--frames', `${frames[0]}-${frames[1]}`] : [];
  const report = JSON.parse(
    cutis('bake', scene, '-o', path.join(folder, 'out'), '--json', ...range),
  );
  report.file = (format) => {
    const found = report.outputs.find((o) => o.format === format);
    if (!found)
      throw new Error(`no ${format} among the outputs: ${JSON.stringify(report.outputs)}`);
    return path.resolve(folder, found.path);
  };
  return report;
}

/** Positions of all vertices, one Float64Array (x y z ...) per frame. */
export function bakedPositions(npzFile) {
  return framesOf(readNpz(npzFile).positions);
}

function framesOf(positions) {
  const [frameCount, vertexCount] = positions.shape;
  const width = vertexCount * 3;
  return Array.from({ length: frameCount }, (_, i) =>
    positions.data.subarray(i * width, (i + 1) * width),
  );
}

/** Frames 1..count of a clip (or of the first one), and the mesh they move. */
export function bakeArrays(folder, { file, clip, fps, count, ...more }) {
  const report = bake(folder, {
    body: { file, clip, fps, ...more },
    formats: ['npz'],
    frames: [1, count],
  });
  const arrays = readNpz(report.file('npz'));
  return {
    frames: framesOf(arrays.positions),
    triangles: arrays.triangles.data,
    uv: arrays.uv?.data,
    uvTriangles: arrays.uv_triangles?.data,
  };
}

/** Only the positions of the same. */
export function bakePositions(folder, options) {
  return bakeArrays(folder, options).frames;
}
