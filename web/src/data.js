// What a bake left in the page, back as arrays.
//
// meta.sections: { name: { type: 'f32'|'i16'|'u32'|'u16'|'u8', offset, count } } into the inflated bytes.
// meta.pictures: [{ section, type, hasHoles, factor, place, repeats }]: picture files, which parts of surfaces name by number (`picture`, `normals`).
// meta.wrinkles: { maps: [{ section, type }], weights }: normal maps of the body, whose slopes are blended with weights[f * maps + k].
// meta.motions:  { name: { width, count, rank, mean, basis, scales, weights, error } }; mean, basis and weights name sections.
//   value of item i at frame f = mean[i] + sum_k weights[f * rank + k] * scales[k] * basis[k * count * width + i]
const types = { f32: Float32Array, i16: Int16Array, u32: Uint32Array, u16: Uint16Array, u8: Uint8Array };

async function inflate(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(stream).arrayBuffer();
}

export async function loadBake() {
  const meta = JSON.parse(document.getElementById('cutis-meta').textContent);
  const dataElement = document.getElementById('cutis-data');
  const buffer = await inflate(dataElement.textContent.trim());
  dataElement.remove();
  const section = (name) => {
    const s = meta.sections[name];
    return new types[s.type](buffer, s.offset, s.count);
  };
  const motions = {};
  for (const [name, m] of Object.entries(meta.motions)) {
    motions[name] = new Motion({
      name,
      ...m,
      mean: section(m.mean),
      basis: m.rank > 0 ? section(m.basis) : null,
      weights: m.rank > 0 ? section(m.weights) : null,
    });
  }
  const decode = ({ section: name, type }) => createImageBitmap(new Blob([section(name)], { type }), { imageOrientation: 'flipY', premultiplyAlpha: 'none' });
  const pictures = await Promise.all((meta.pictures ?? []).map(decode));
  const wrinkles = meta.wrinkles && { maps: await Promise.all(meta.wrinkles.maps.map(decode)), weights: section(meta.wrinkles.weights) };
  return { meta, section, pictures, wrinkles, motion: (name) => motions[name] };
}

/** Numbers per item over time, as a mean and a few modes. */
export class Motion {
  constructor(fields) {
    Object.assign(this, fields);
    this.size = this.count * this.width;
    this.values = new Float32Array(this.size);
    // Sums of many modes are kept in double, so that the error is the one the bake measured.
    this.sums = new Float64Array(this.size);
    this.frame = -1;
  }

  /** Values at a frame; the array is reused. */
  at(frame) {
    if (frame === this.frame) return this.values;
    this.frame = frame;
    const { values, sums, mean, basis, size, rank } = this;
    sums.set(mean);
    for (let k = 0; k < rank; k++) {
      const w = this.weights[frame * rank + k] * this.scales[k];
      if (w === 0) continue;
      const row = k * size;
      for (let i = 0; i < size; i++) sums[i] += w * basis[row + i];
    }
    values.set(sums);
    return values;
  }
}
