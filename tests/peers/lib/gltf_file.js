// A glTF or GLB file as JSON and one binary chunk, for handing to other programs.
//
// Reading here is deliberately thin: accessors are only touched where a test must know them (key
// times, indices). What the numbers mean is left to the peers.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const GLB_MAGIC = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;
const BIN_CHUNK = 0x004e4942;

function padded(bytes, filler = 0) {
  const rest = bytes.length % 4;
  return rest === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(4 - rest, filler)]);
}

function chunksOf(bytes) {
  let json;
  let bin = Buffer.alloc(0);
  for (let at = 12; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at);
    const kind = bytes.readUInt32LE(at + 4);
    const body = bytes.subarray(at + 8, at + 8 + length);
    if (kind === JSON_CHUNK) json = JSON.parse(body.toString('utf8'));
    if (kind === BIN_CHUNK) bin = body;
    at += 8 + length;
  }
  return { json, bin };
}

/** Reads a file into {json, bin}: all buffers, embedded or beside the file, joined into one. */
export function readGltf(file) {
  const bytes = readFileSync(file);
  const isBinary = bytes.length >= 12 && bytes.readUInt32LE(0) === GLB_MAGIC;
  const { json, bin } = isBinary
    ? chunksOf(bytes)
    : { json: JSON.parse(bytes.toString('utf8')), bin: Buffer.alloc(0) };

  const starts = [];
  const pieces = [];
  let total = 0;
  for (const buffer of json.buffers ?? []) {
    let content = bin;
    if (buffer.uri?.startsWith('data:')) {
      content = Buffer.from(buffer.uri.slice(buffer.uri.indexOf(',') + 1), 'base64');
    } else if (buffer.uri !== undefined) {
      content = readFileSync(path.join(path.dirname(file), decodeURIComponent(buffer.uri)));
    }
    const piece = padded(content.subarray(0, buffer.byteLength));
    starts.push(total);
    pieces.push(piece);
    total += piece.length;
  }
  for (const view of json.bufferViews ?? []) {
    view.byteOffset = (view.byteOffset ?? 0) + starts[view.buffer];
    view.buffer = 0;
  }
  json.buffers = [{ byteLength: total }];
  return { json, bin: Buffer.concat(pieces) };
}

/** The same file without pictures and materials: nothing a position depends on. */
export function withoutMaterials({ json, bin }) {
  const bare = structuredClone(json);
  for (const mesh of bare.meshes ?? []) {
    for (const primitive of mesh.primitives) delete primitive.material;
  }
  for (const key of ['materials', 'textures', 'images', 'samplers']) delete bare[key];
  return { json: bare, bin };
}

export function glbBytes({ json, bin }) {
  const text = padded(Buffer.from(JSON.stringify(json)), 0x20);
  const data = padded(bin);
  const head = Buffer.alloc(20);
  head.writeUInt32LE(GLB_MAGIC, 0);
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(28 + text.length + data.length, 8);
  head.writeUInt32LE(text.length, 12);
  head.writeUInt32LE(JSON_CHUNK, 16);
  const binHead = Buffer.alloc(8);
  binHead.writeUInt32LE(data.length, 0);
  binHead.writeUInt32LE(BIN_CHUNK, 4);
  return Buffer.concat([head, text, binHead, data]);
}

export function writeGlb(file, gltf) {
  writeFileSync(file, glbBytes(gltf));
}

const READERS = {
  5121: [1, 'readUInt8'],
  5123: [2, 'readUInt16LE'],
  5125: [4, 'readUInt32LE'],
  5126: [4, 'readFloatLE'],
};

/** Values of a scalar accessor (key times, indices), sparse ones included. */
export function scalars({ json, bin }, index) {
  const accessor = json.accessors[index];
  const read = (viewIndex, offset, componentType, count) => {
    const view = json.bufferViews[viewIndex];
    const [size, method] = READERS[componentType];
    const stride = view.byteStride ?? size;
    const first = view.byteOffset + offset;
    return Array.from({ length: count }, (_, i) => bin[method](first + i * stride));
  };
  const values =
    accessor.bufferView === undefined
      ? new Array(accessor.count).fill(0)
      : read(accessor.bufferView, accessor.byteOffset ?? 0, accessor.componentType, accessor.count);
  if (accessor.sparse) {
    const { count, indices, values: replaced } = accessor.sparse;
    const where = read(indices.bufferView, indices.byteOffset ?? 0, indices.componentType, count);
    const what = read(replaced.bufferView, replaced.byteOffset ?? 0, accessor.componentType, count);
    where.forEach((target, i) => (values[target] = what[i]));
  }
  return values;
}

const WIDTHS = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };

/** Numbers of a float accessor of any width, without a buffer view: zeros. */
export function vectors({ json, bin }, index) {
  const accessor = json.accessors[index];
  if (accessor.componentType !== 5126 || accessor.sparse)
    throw new Error(`accessor ${index} is not plain floats`);
  const width = WIDTHS[accessor.type];
  const out = new Float64Array(accessor.count * width);
  if (accessor.bufferView === undefined) return out;
  const view = json.bufferViews[accessor.bufferView];
  const stride = view.byteStride ?? width * 4;
  const first = view.byteOffset + (accessor.byteOffset ?? 0);
  for (let i = 0; i < accessor.count; ++i) {
    for (let k = 0; k < width; ++k)
      out[i * width + k] = bin.readFloatLE(first + i * stride + k * 4);
  }
  return out;
}

/**
 * Nodes with a mesh in the order in which the program lines up their vertices: depth first from each
 * root, by rising index.
 */
export function meshNodesInOrder({ json }) {
  const isChild = new Set(json.nodes.flatMap((node) => node.children ?? []));
  const order = [];
  const visit = (index) => {
    if (json.nodes[index].mesh !== undefined) order.push(index);
    [...(json.nodes[index].children ?? [])].sort((a, b) => a - b).forEach(visit);
  };
  json.nodes.forEach((_, index) => {
    if (!isChild.has(index)) visit(index);
  });
  return order;
}

/** Clips of a file: index, name, all key times of all channels, and the interpolations used. */
export function clipsOf(gltf) {
  return (gltf.json.animations ?? []).map((animation, index) => {
    const times = new Set();
    const interpolations = new Set();
    for (const channel of animation.channels) {
      const sampler = animation.samplers[channel.sampler];
      for (const time of scalars(gltf, sampler.input)) times.add(time);
      interpolations.add(sampler.interpolation ?? 'LINEAR');
    }
    const keys = [...times].sort((a, b) => a - b);
    return {
      index,
      name: animation.name,
      keys,
      start: keys[0],
      end: keys[keys.length - 1],
      interpolations: [...interpolations],
    };
  });
}
