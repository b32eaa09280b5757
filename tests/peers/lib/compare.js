// Distances between two lists of points, measured against the size of the thing.

/** Diagonal of the box around points (x y z x y z ...). */
export function boxDiagonal(points) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < points.length; ++i) {
    low[i % 3] = Math.min(low[i % 3], points[i]);
    high[i % 3] = Math.max(high[i % 3], points[i]);
  }
  return Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
}

/** Largest distance between matching points, its index, and as a fraction of the box. */
export function largestError(expected, found) {
  if (expected.length !== found.length) {
    throw new Error(`expected ${expected.length / 3} points, found ${found.length / 3}`);
  }
  let worst = 0;
  let index = -1;
  for (let i = 0; i < expected.length; i += 3) {
    const distance = Math.hypot(
      expected[i] - found[i],
      expected[i + 1] - found[i + 1],
      expected[i + 2] - found[i + 2],
    );
    if (!(distance <= worst)) {
      // catches NaN, too
      worst = distance;
      index = i / 3;
      if (Number.isNaN(distance)) break;
    }
  }
  return { distance: worst, index, fraction: worst / boxDiagonal(expected) };
}

/** Has every point of a one of b within a distance? Looks into the 27 cells around it. */
export function isNear(a, b, distance) {
  const cell = (x) => Math.floor(x / distance);
  const cells = new Map();
  for (let i = 0; i < b.length; i += 3) {
    const key = `${cell(b[i])},${cell(b[i + 1])},${cell(b[i + 2])}`;
    if (!cells.has(key)) cells.set(key, []);
    cells.get(key).push(i);
  }
  const hasNear = (i) => {
    for (let x = -1; x <= 1; ++x)
      for (let y = -1; y <= 1; ++y)
        for (let z = -1; z <= 1; ++z) {
          const key = `${cell(a[i]) + x},${cell(a[i + 1]) + y},${cell(a[i + 2]) + z}`;
          for (const j of cells.get(key) ?? [])
            if (Math.hypot(a[i] - b[j], a[i + 1] - b[j + 1], a[i + 2] - b[j + 2]) <= distance)
              return true;
        }
    return false;
  };
  for (let i = 0; i < a.length; i += 3) if (!hasNear(i)) return false;
  return true;
}

/** Largest distance from a vertex (its whole path) to the nearest path among others; both [frame][x y z ...]. */
export function farthestPath(ours, theirs) {
  const keys = [0, Math.floor(ours.length / 2), ours.length - 1];
  const cells = new Map();
  const size = 0.01 * boxDiagonal(theirs[0]);
  const cell = (frames, v, shift = [0, 0, 0]) =>
    shift.map((s, k) => Math.floor(frames[0][3 * v + k] / size) + s).join();
  for (let v = 0; v < theirs[0].length / 3; ++v) {
    const key = cell(theirs, v);
    if (!cells.has(key)) cells.set(key, []);
    cells.get(key).push(v);
  }
  const distance = (frame, a, b) =>
    Math.hypot(...[0, 1, 2].map((k) => ours[frame][3 * a + k] - theirs[frame][3 * b + k]));
  let worst = 0;
  for (let v = 0; v < ours[0].length / 3; ++v) {
    let best = Infinity;
    let match = -1;
    for (let i = 0; i < 27; ++i) {
      const shift = [(i % 3) - 1, (Math.floor(i / 3) % 3) - 1, Math.floor(i / 9) - 1];
      for (const other of cells.get(cell(ours, v, shift)) ?? []) {
        const sum = Math.max(...keys.map((frame) => distance(frame, v, other)));
        if (sum < best) [best, match] = [sum, other];
      }
    }
    if (match < 0) return Infinity;
    for (let frame = 0; frame < ours.length; ++frame) worst = Math.max(worst, distance(frame, v, match));
  }
  return worst;
}

/** One array per frame of numbers that stand frame after frame. */
export function framesOf(data, frames) {
  const width = data.length / frames;
  return Array.from({ length: frames }, (_, i) => data.subarray(i * width, (i + 1) * width));
}
