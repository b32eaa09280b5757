// Files in one, as a ZIP archive that stores them as they are: pictures are packed already.
import { crc32 } from '../../crc32.mjs';

/** \param files  [{ name, bytes: Uint8Array }], names in ASCII */
export function zipOf(files) {
  const pieces = [];
  const index = [];
  let at = 0;
  const numbers = (...fields) => {
    const view = new DataView(new ArrayBuffer(fields.reduce((sum, [width]) => sum + width, 0)));
    let place = 0;
    for (const [width, value] of fields) {
      width === 2 ? view.setUint16(place, value, true) : view.setUint32(place, value, true);
      place += width;
    }
    return new Uint8Array(view.buffer);
  };
  // The day everything in an archive without days has: 1 January 1980.
  const day = 0x21;
  for (const { name, bytes } of files) {
    const letters = new TextEncoder().encode(name);
    const about = [[2, 20], [2, 0], [2, 0], [2, 0], [2, day], [4, crc32(bytes)], [4, bytes.length], [4, bytes.length], [2, letters.length], [2, 0]];
    const head = numbers([4, 0x04034b50], ...about);
    index.push(numbers([4, 0x02014b50], [2, 20], ...about, [2, 0], [2, 0], [2, 0], [4, 0], [4, at]), letters);
    pieces.push(head, letters, bytes);
    at += head.length + letters.length + bytes.length;
  }
  const size = index.reduce((sum, { length }) => sum + length, 0);
  return new Blob([...pieces, ...index, numbers([4, 0x06054b50], [2, 0], [2, 0], [2, files.length], [2, files.length], [4, size], [4, at], [2, 0])], { type: 'application/zip' });
}
