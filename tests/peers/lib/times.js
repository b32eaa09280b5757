// Times at which another program is asked.

/**
 * Five times between the keys of a clip: even steps that end before the last key, so that they fall
 * between keys. Returns frames a second; frame n stands (n - 1) / fps after the first key.
 */
export function betweenKeys(clip) {
  const duration = clip.end - clip.start;
  return { fps: 4 / (0.97 * duration), count: 5 };
}

/**
 * Evenly spaced times (five, or as many as there are) at which component-wise interpolation of
 * quaternions equals glTF's slerp: on keys, and half-way between keys where interpolation is linear
 * (the normalised mean of two quaternions is the middle of the arc) or stepped.
 */
export function onKeys(clip) {
  const { keys, start, end } = clip;
  if (keys.length === 1 || end === start) return { fps: 1, count: 1 };
  const useMiddles = !clip.interpolations.includes('CUBICSPLINE');
  const fitting = [...keys];
  if (useMiddles) for (let i = 1; i < keys.length; ++i) fitting.push((keys[i - 1] + keys[i]) / 2);
  const smallest = Math.min(...keys.slice(1).map((k, i) => k - keys[i]));
  const fits = (times) => (t) => times.some((other) => Math.abs(other - t) < 1e-4 * smallest);

  // Whole keys first; among all grids of the most times, the widest.
  for (let count = 5; count >= 2; --count) {
    for (const times of useMiddles ? [keys, fitting] : [keys]) {
      const steps = times
        .map((t) => t - start)
        .filter((s) => s > 0)
        .sort((a, b) => b - a);
      for (const step of steps) {
        const grid = Array.from({ length: count }, (_, i) => start + i * step);
        if (grid[count - 1] <= end + 1e-4 * smallest && grid.every(fits(times))) {
          return { fps: 1 / step, count };
        }
      }
    }
  }
  throw new Error('a clip whose first two keys do not exist');
}

/** Seconds of the clip at frames 1..count. */
export function timesOf(clip, { fps, count }) {
  return Array.from({ length: count }, (_, i) => clip.start + i / fps);
}
