// Reads a page without the page's own code: its description, and motions back as numbers.
import { readFileSync } from 'node:fs';
import { inflateSync } from 'node:zlib';

function element(text, id) {
  const begin = text.indexOf('>', text.indexOf(`id="${id}"`)) + 1;
  return text.slice(begin, text.indexOf('</script>', begin));
}

export function unpackPage(path) {
  const text = readFileSync(path, 'utf8');
  const meta = JSON.parse(element(text, 'cutis-meta'));
  const bytes = inflateSync(Buffer.from(element(text, 'cutis-data'), 'base64'));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const read = { f32: (at) => view.getFloat32(at, true), i16: (at) => view.getInt16(at, true), u32: (at) => view.getUint32(at, true) };
  const width = { f32: 4, i16: 2, u32: 4 };
  const section = (name) => {
    const { type, offset, count } = meta.sections[name];
    return Array.from({ length: count }, (_, i) => read[type](offset + i * width[type]));
  };
  /** All numbers of a motion at a frame. */
  const motionAt = (name) => {
    const m = meta.motions[name];
    const mean = section(m.mean);
    const basis = m.rank ? section(m.basis) : [];
    const weights = m.rank ? section(m.weights) : [];
    return (frame) => mean.map((value, i) => {
      let sum = value;
      for (let k = 0; k < m.rank; k++) sum += weights[frame * m.rank + k] * m.scales[k] * basis[k * mean.length + i];
      return sum;
    });
  };
  return { meta, section, motionAt };
}

/** Frames of a PC2 cache: little-endian, 32 bytes of head. */
export function readPc2(path) {
  const bytes = readFileSync(path);
  const points = bytes.readInt32LE(16);
  const frames = bytes.readInt32LE(28);
  const frame = (f) => Array.from({ length: points * 3 }, (_, i) => bytes.readFloatLE(32 + (f * points * 3 + i) * 4));
  return { points, frames, frame };
}
