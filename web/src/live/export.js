// What was shown over some frames as one GLB: a mesh with a morph target a frame. For showing around; a bake of the
// saved scene gives the character's own file, smaller and with everything in it.

const padded = (bytes, fill) => {
  const out = new Uint8Array(Math.ceil(bytes.length / 4) * 4).fill(fill);
  out.set(bytes);
  return out;
};

/**
 * \param meshes  [{ name, indices, uv, colour: [r, g, b], positions: [Float32Array of each frame] }]
 * \param times   seconds of the frames
 */
export function glbOf(meshes, times) {
  const pieces = [];
  let length = 0;
  const gltf = {
    asset: { version: '2.0', generator: 'cutis live' }, scene: 0, scenes: [{ nodes: meshes.map((_, m) => m) }],
    nodes: [], meshes: [], materials: [], accessors: [], bufferViews: [], buffers: [], animations: [{ name: 'as it was seen', channels: [], samplers: [] }],
  };
  const put = (array, type, target) => {
    const bytes = padded(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), 0);
    gltf.bufferViews.push({ buffer: 0, byteOffset: length, byteLength: array.byteLength, ...(target && { target }) });
    pieces.push(bytes);
    length += bytes.length;
    const width = { SCALAR: 1, VEC2: 2, VEC3: 3 }[type];
    const accessor = { bufferView: gltf.bufferViews.length - 1, componentType: array instanceof Uint32Array ? 5125 : 5126, count: array.length / width, type };
    if (type === 'VEC3' || (type === 'SCALAR' && !target)) {
      accessor.min = Array(width).fill(Infinity);
      accessor.max = Array(width).fill(-Infinity);
      array.forEach((x, i) => {
        accessor.min[i % width] = Math.min(accessor.min[i % width], x);
        accessor.max[i % width] = Math.max(accessor.max[i % width], x);
      });
    }
    gltf.accessors.push(accessor);
    return gltf.accessors.length - 1;
  };
  const input = put(Float32Array.from(times), 'SCALAR');
  const frames = times.length;
  // Frame 0 is the mesh itself; each later one a target that is 1 at its time and 0 at all others.
  const weights = new Float32Array(frames * (frames - 1));
  for (let f = 1; f < frames; f++) weights[f * (frames - 1) + f - 1] = 1;
  const output = frames > 1 ? put(weights, 'SCALAR') : null;
  meshes.forEach(({ name, indices, uv, colour, positions }, m) => {
    const [first, ...others] = positions;
    const attributes = { POSITION: put(first, 'VEC3', 34962) };
    if (uv) attributes.TEXCOORD_0 = put(uv, 'VEC2', 34962);
    const targets = others.map((places) => ({ POSITION: put(places.map((x, i) => x - first[i]), 'VEC3', 34962) }));
    gltf.materials.push({ pbrMetallicRoughness: { baseColorFactor: [...colour, 1], metallicFactor: 0, roughnessFactor: 0.7 }, doubleSided: true });
    gltf.meshes.push({ name, primitives: [{ attributes, indices: put(indices, 'SCALAR', 34963), material: m, ...(targets.length && { targets }) }], ...(targets.length && { weights: targets.map(() => 0) }) });
    gltf.nodes.push({ name, mesh: m });
    if (targets.length) {
      gltf.animations[0].samplers.push({ input, output, interpolation: 'LINEAR' });
      gltf.animations[0].channels.push({ sampler: gltf.animations[0].samplers.length - 1, target: { node: m, path: 'weights' } });
    }
  });
  if (frames < 2) delete gltf.animations;
  gltf.buffers.push({ byteLength: length });
  const text = padded(new TextEncoder().encode(JSON.stringify(gltf)), 32);
  const head = new Uint32Array([0x46546c67, 2, 12 + 8 + text.length + 8 + length, text.length, 0x4e4f534a]);
  return new Blob([head, text, new Uint32Array([length, 0x004e4942]), ...pieces], { type: 'model/gltf-binary' });
}
