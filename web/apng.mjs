// Animated PNG from single PNGs of one size: the compressed rows go in as they are, only the boxes around them change.
// https://wiki.mozilla.org/APNG_Specification
import { crc32 } from './crc32.mjs';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function* chunks(png) {
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    yield { type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) };
    at += 12 + length;
  }
}

function chunk(type, data) {
  const out = Buffer.alloc(12 + data.length);
  out.writeUInt32BE(data.length, 0);
  out.write(type, 4, 'latin1');
  data.copy(out, 8);
  out.writeUInt32BE(crc32(out.subarray(4, 8 + data.length)), 8 + data.length);
  return out;
}

function numbers(...pairs) {
  const out = Buffer.alloc(pairs.reduce((sum, [, bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [value, bytes] of pairs) {
    out.writeUIntBE(value, at, bytes);
    at += bytes;
  }
  return out;
}

/** \param pngs  Buffers; the first one's head counts.  \param seconds  how long each frame stands */
export function animate(pngs, seconds) {
  const head = [...chunks(pngs[0])].find((c) => c.type === 'IHDR').data;
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  const out = [signature, chunk('IHDR', head), chunk('acTL', numbers([pngs.length, 4], [0, 4]))];
  let order = 0;
  pngs.forEach((png, index) => {
    const own = [...chunks(png)];
    const size = own.find((c) => c.type === 'IHDR').data;
    if (!size.equals(head)) throw new Error(`picture ${index} has another size or kind than the first`);
    out.push(chunk('fcTL', numbers([order++, 4], [width, 4], [height, 4], [0, 4], [0, 4], [Math.round(seconds * 1000), 2], [1000, 2], [0, 1], [0, 1])));
    for (const { data } of own.filter((c) => c.type === 'IDAT')) {
      out.push(index === 0 ? chunk('IDAT', data) : chunk('fdAT', Buffer.concat([numbers([order++, 4]), data])));
    }
  });
  out.push(chunk('IEND', Buffer.alloc(0)));
  return Buffer.concat(out);
}
