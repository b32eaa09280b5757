// Runs Blender without a window on one of the scripts under blender/.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { meshNodesInOrder, readGltf, scalars, withoutMaterials, writeGlb } from './gltf_file.js';

const SCRIPTS = fileURLToPath(new URL('../blender/', import.meta.url));

/** Runs a script; its standard output is returned, a failing script throws with what it said. */
export function runBlender(script, args, scratch) {
  const home = path.join(scratch, 'blender-home'); // nobody's own preferences leak in
  mkdirSync(home, { recursive: true });
  const run = spawnSync(
    'blender',
    [
      '-b',
      '--factory-startup',
      '--python-exit-code',
      '3',
      '-P',
      path.join(SCRIPTS, script),
      '--',
      ...args,
    ],
    { encoding: 'utf8', maxBuffer: 1 << 28, env: { ...process.env, HOME: home } },
  );
  if (run.error) throw run.error;
  if (run.status !== 0) {
    throw new Error(
      `blender ${script} ended with ${run.status ?? run.signal}\n${run.stdout}\n${run.stderr}`,
    );
  }
  return run.stdout;
}

/** A copy with one clip (or none) and nodes named by their index, so results can be matched. */
function prepared(gltf, clipIndex) {
  const { json, bin } = withoutMaterials(gltf);
  json.animations = clipIndex === undefined ? [] : [json.animations[clipIndex]];
  if (json.animations.length === 0) delete json.animations;
  json.nodes.forEach((node, i) => (node.name = `n${String(i).padStart(4, '0')}`));
  return { json, bin };
}

/** Vertices of a primitive that some triangle uses, ascending: those Blender's importer keeps. */
function usedVertices(gltf, primitive) {
  const count = gltf.json.accessors[primitive.attributes.POSITION].count;
  if (primitive.indices === undefined) return Array.from({ length: count }, (_, i) => i);
  return [...new Set(scalars(gltf, primitive.indices))].sort((a, b) => a - b);
}

/** For each vertex that Blender holds, its index among all the file's vertices, node by node. */
function keptVertices(gltf) {
  const kept = new Map();
  let first = 0;
  for (const nodeIndex of meshNodesInOrder(gltf)) {
    const list = [];
    for (const primitive of gltf.json.meshes[gltf.json.nodes[nodeIndex].mesh].primitives) {
      for (const vertex of usedVertices(gltf, primitive)) list.push(first + vertex);
      first += gltf.json.accessors[primitive.attributes.POSITION].count;
    }
    kept.set(nodeIndex, list);
  }
  return kept;
}

/**
 * Evaluates many files in one Blender.
 * jobs: [{name, file, clip (index or undefined), times (seconds of the clip), fps}]
 * Returns, in order: {error} or {vertices (indices into the file's vertices), frames (one
 * Float64Array of x y z per time, for these vertices)}.
 */
export function evaluateInBlender(jobs, scratch) {
  mkdirSync(scratch, { recursive: true });
  const requests = jobs.map((job, i) => {
    const gltf = readGltf(job.file);
    const file = path.join(scratch, `job-${i}.glb`);
    const out = path.join(scratch, `job-${i}`);
    for (const ending of ['.json', '.bin', '.error']) rmSync(out + ending, { force: true });
    writeGlb(file, prepared(gltf, job.clip));
    return { file, out, fps: job.fps, times: job.times, kept: keptVertices(gltf) };
  });
  const list = path.join(scratch, 'jobs.json');
  writeFileSync(list, JSON.stringify(requests.map(({ kept, ...rest }) => rest)));
  runBlender('evaluate.py', [list], scratch);
  return requests.map((request) => {
    if (existsSync(request.out + '.error')) {
      return { error: readFileSync(request.out + '.error', 'utf8') };
    }
    const counts = JSON.parse(readFileSync(request.out + '.json', 'utf8'));
    const bytes = readFileSync(request.out + '.bin');
    const numbers = new Float64Array(
      bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
    );
    const vertices = [];
    for (const [node, count] of counts) {
      const kept = request.kept.get(node);
      if (kept?.length !== count) {
        return {
          error: `node ${node}: Blender has ${count} vertices, the file uses ${kept?.length}`,
        };
      }
      vertices.push(...kept);
    }
    const width = vertices.length * 3;
    const frames = request.times.map((_, i) => numbers.subarray(i * width, (i + 1) * width));
    return { vertices, frames };
  });
}
