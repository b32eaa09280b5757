// Reads PNG files without interlace or palette.
import assert from 'node:assert/strict';
import { inflateSync } from 'node:zlib';

const CHANNELS = { 0: 1, 2: 3, 6: 4 };

/** {width, height, channels, values}: numbers from 0 to 1, rows from the top. */
export function readPng(png) {
  let head;
  const data = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const kind = png.toString('latin1', at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (kind === 'IHDR') head = body;
    if (kind === 'IDAT') data.push(body);
    at += 12 + length;
  }
  const [width, height, bits, channels] = [head.readUInt32BE(0), head.readUInt32BE(4), head[8], CHANNELS[head[9]]];
  assert.ok(channels !== undefined && (bits === 8 || bits === 16), 'a PNG of whole bytes a number');
  const raw = inflateSync(Buffer.concat(data));
  const pixel = (channels * bits) / 8;
  const stride = width * pixel;
  const bytes = Buffer.alloc(stride * height);
  for (let y = 0; y < height; ++y) {
    const filter = raw[y * (stride + 1)];
    const from = y * (stride + 1) + 1;
    const to = y * stride;
    for (let x = 0; x < stride; ++x) {
      const left = x >= pixel ? bytes[to + x - pixel] : 0;
      const up = y > 0 ? bytes[to + x - stride] : 0;
      const corner = x >= pixel && y > 0 ? bytes[to + x - stride - pixel] : 0;
      const guess = left + up - corner;
      const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
      const paeth = a <= b && a <= c ? left : b <= c ? up : corner;
      bytes[to + x] = (raw[from + x] + [0, left, up, (left + up) >> 1, paeth][filter]) & 255;
    }
  }
  const values = new Float32Array(width * height * channels);
  for (let i = 0; i < values.length; ++i) {
    values[i] = bits === 8 ? bytes[i] / 255 : (bytes[2 * i] * 256 + bytes[2 * i + 1]) / 65535;
  }
  return { width, height, channels, values };
}

/** Fraction of pixels that differ from the corner pixel. */
export function coverage(png) {
  const { width, height, channels, values } = readPng(png);
  let different = 0;
  for (let i = 0; i < values.length; i += channels) {
    let most = 0;
    for (let k = 0; k < channels; ++k) most = Math.max(most, Math.abs(values[i + k] - values[k]));
    if (most > 8 / 255) ++different;
  }
  return different / (width * height);
}
