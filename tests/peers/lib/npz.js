// Reads NumPy's .npz (a zip of .npy arrays), stored or deflated.
import { readFileSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';

const ARRAYS = {
  '<f8': Float64Array,
  '<f4': Float32Array,
  '<i8': BigInt64Array,
  '<i4': Int32Array,
  '|u1': Uint8Array,
};

function npy(bytes) {
  if (bytes.toString('latin1', 1, 6) !== 'NUMPY') throw new Error('not a .npy array');
  const major = bytes[6];
  const headerLength = major === 1 ? bytes.readUInt16LE(8) : bytes.readUInt32LE(8);
  const start = (major === 1 ? 10 : 12) + headerLength;
  const header = bytes.toString('latin1', major === 1 ? 10 : 12, start);
  const descr = /'descr':\s*'([^']+)'/.exec(header)[1];
  if (/'fortran_order':\s*True/.test(header)) throw new Error('column order is not expected here');
  const shape = /'shape':\s*\(([^)]*)\)/
    .exec(header)[1]
    .split(',')
    .filter((s) => s.trim())
    .map(Number);
  const body = bytes.buffer.slice(bytes.byteOffset + start, bytes.byteOffset + bytes.length);
  const text = /^<U(\d+)$/.exec(descr);
  if (text) {
    // fixed-width UTF-32
    const codes = new Uint32Array(body);
    const width = Number(text[1]);
    const count = codes.length / width;
    const data = Array.from({ length: count }, (_, i) =>
      String.fromCodePoint(...codes.subarray(i * width, (i + 1) * width)).replace(/\0+$/, ''),
    );
    return { shape, data, descr };
  }
  if (!ARRAYS[descr]) throw new Error(`.npy of type ${descr} is not expected here`);
  return { shape, data: new ARRAYS[descr](body), descr };
}

/** {name: {shape, data}} */
export function readNpz(file) {
  const bytes = readFileSync(file);
  let end = bytes.length - 22;
  while (end >= 0 && bytes.readUInt32LE(end) !== 0x06054b50) --end;
  if (end < 0) throw new Error(`${file}: no zip directory`);
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  const arrays = {};
  for (let i = 0; i < count; ++i) {
    const method = bytes.readUInt16LE(at + 10);
    const packed = bytes.readUInt32LE(at + 20);
    const nameLength = bytes.readUInt16LE(at + 28);
    const local = bytes.readUInt32LE(at + 42);
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength);
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const body = bytes.subarray(start, start + packed);
    arrays[name.replace(/\.npy$/, '')] = npy(method === 8 ? inflateRawSync(body) : body);
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return arrays;
}
