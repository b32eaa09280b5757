/** Tangents of a geometry as it lies now: along u, the mean of the triangles around; the fourth number says to which side v goes. */
export function updateTangents(geometry, triangles) {
  const { tangent, position: { array: p }, normal: { array: n }, uv: { array: uv } } = geometry.attributes;
  const out = tangent.array;
  out.fill(0);
  for (let t = 0; t < triangles.length; t += 3) {
    const [i, j, k] = [triangles[t], triangles[t + 1], triangles[t + 2]];
    const u1 = uv[j * 2] - uv[i * 2], v1 = uv[j * 2 + 1] - uv[i * 2 + 1];
    const u2 = uv[k * 2] - uv[i * 2], v2 = uv[k * 2 + 1] - uv[i * 2 + 1];
    const area = u1 * v2 - u2 * v1;
    if (area === 0) continue;
    for (let c = 0; c < 3; c++) {
      const along = (v2 * (p[j * 3 + c] - p[i * 3 + c]) - v1 * (p[k * 3 + c] - p[i * 3 + c])) / area;
      out[i * 4 + c] += along; out[j * 4 + c] += along; out[k * 4 + c] += along;
    }
    for (const corner of [i, j, k]) out[corner * 4 + 3] += area;
  }
  for (let i = 0; i < out.length; i += 4) {
    const m = (i / 4) * 3;
    const off = out[i] * n[m] + out[i + 1] * n[m + 1] + out[i + 2] * n[m + 2];
    for (let c = 0; c < 3; c++) out[i + c] -= off * n[m + c];
    const length = Math.hypot(out[i], out[i + 1], out[i + 2]) || 1;
    out[i] /= length; out[i + 1] /= length; out[i + 2] /= length;
    out[i + 3] = out[i + 3] < 0 ? -1 : 1;
  }
  tangent.needsUpdate = true;
}
