// Reads 8-bit PNG files, enough to know whether a picture shows something.
import assert from 'node:assert/strict';
import { inflateSync } from 'node:zlib';

/** Fraction of pixels that differ from the corner pixel of an 8-bit PNG. */
export function coverage(png) {
  let at = 8;
  let width;
  let channels;
  const data = [];
  while (at < png.length) {
    const length = png.readUInt32BE(at);
    const kind = png.toString('latin1', at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (kind === 'IHDR') {
      width = body.readUInt32BE(0);
      assert.equal(body[8], 8, 'bits per channel');
      channels = { 2: 3, 6: 4 }[body[9]];
    }
    if (kind === 'IDAT') data.push(body);
    at += 12 + length;
  }
  const raw = inflateSync(Buffer.concat(data));
  const stride = width * channels;
  const rows = [];
  for (let y = 0; y * (stride + 1) < raw.length; ++y) {
    const filter = raw[y * (stride + 1)];
    const row = Buffer.from(raw.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1)));
    for (let x = 0; x < stride; ++x) {
      const left = x >= channels ? row[x - channels] : 0;
      const up = y > 0 ? rows[y - 1][x] : 0;
      const corner = x >= channels && y > 0 ? rows[y - 1][x - channels] : 0;
      const guess = left + up - corner;
      const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
      const paeth = a <= b && a <= c ? left : b <= c ? up : corner;
      row[x] = (row[x] + [0, left, up, (left + up) >> 1, paeth][filter]) & 255;
    }
    rows.push(row);
  }
  const background = rows[0].subarray(0, channels);
  let different = 0;
  for (const row of rows) {
    for (let x = 0; x < stride; x += channels) {
      if (row.subarray(x, x + channels).some((v, k) => Math.abs(v - background[k]) > 8))
        ++different;
    }
  }
  return different / (rows.length * width);
}
