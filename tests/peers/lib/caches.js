// PC2 and MDD point caches, read by their published layouts.
import { readFileSync } from 'node:fs';

/** {points, start, rate, frames: [Float32Array]} */
export function readPc2(file) {
  const bytes = readFileSync(file);
  if (bytes.toString('latin1', 0, 12) !== 'POINTCACHE2\0') throw new Error(`${file}: not PC2`);
  if (bytes.readInt32LE(12) !== 1) throw new Error(`${file}: PC2 version ${bytes.readInt32LE(12)}`);
  const points = bytes.readInt32LE(16);
  const samples = bytes.readInt32LE(28);
  if (bytes.length !== 32 + samples * points * 12)
    throw new Error(`${file}: length does not fit its counts`);
  const numbers = new Float32Array(
    bytes.buffer.slice(bytes.byteOffset + 32, bytes.byteOffset + bytes.length),
  );
  return {
    points,
    start: bytes.readFloatLE(20),
    rate: bytes.readFloatLE(24),
    frames: Array.from({ length: samples }, (_, i) =>
      numbers.subarray(i * points * 3, (i + 1) * points * 3),
    ),
  };
}

/** {points, times, frames: [Float32Array]} */
export function readMdd(file) {
  const bytes = readFileSync(file);
  const samples = bytes.readInt32BE(0);
  const points = bytes.readInt32BE(4);
  if (bytes.length !== 8 + samples * 4 + samples * points * 12) {
    throw new Error(`${file}: length does not fit its counts`);
  }
  const read = (first, count) =>
    Float32Array.from({ length: count }, (_, i) => bytes.readFloatBE(first + i * 4));
  const width = points * 3;
  return {
    points,
    times: read(8, samples),
    frames: Array.from({ length: samples }, (_, i) => read(8 + samples * 4 + i * width * 4, width)),
  };
}
