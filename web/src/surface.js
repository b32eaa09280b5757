// One surface of the bake in one view: vertices, normals, paint coordinates and colours, updated per frame.
import { BufferAttribute, BufferGeometry, DynamicDrawUsage } from 'three';
import { classes, colourOf, islandColour } from './colours.js';
import { updateTangents } from './tangents.js';

/** Corners that share a place share a normal, so that UV seams do not show as edges. */
function weldByPlace(rest, source) {
  const first = new Map();
  const weld = new Uint32Array(source.length);
  for (let i = 0; i < source.length; i++) {
    const s = source[i] * 3;
    const key = `${rest[s]},${rest[s + 1]},${rest[s + 2]}`;
    const known = first.get(key);
    if (known === undefined) first.set(key, i);
    weld[i] = known ?? i;
  }
  return weld;
}

/** Per vertex: is it a garment (nobody tattoos those), and metres of one unit of UV. */
function garbOf(parts, count) {
  const values = new Float32Array(count * 2).fill(1);
  for (const { first, count: size, isGarment, metresPerUv } of parts) {
    for (let i = first; i < first + size; i++) {
      values[i * 2] = isGarment ? 1 : 0;
      values[i * 2 + 1] = metresPerUv;
    }
  }
  return new BufferAttribute(values, 2);
}

/** Parts with pictures of their own are drawn one by one. */
export const hasPictures = (description) => (description.parts ?? []).some(({ picture, normals }) => picture !== undefined || normals !== undefined);

export class Surface {
  constructor(bake, description, view) {
    this.description = description;
    this.positions = bake.motion(description.views[view]);
    this.source = bake.section(description.source);
    this.triangles = bake.section(description.triangles);
    this.rest = bake.section(description.rest);
    this.uvSource = description.uvSource ? bake.section(description.uvSource) : null;
    this.colours = description.colours ? bake.section(description.colours) : null;
    this.numbers = { classes: description.classes ? bake.section(description.classes) : null, islands: description.islands ? bake.section(description.islands) : null };
    this.uvMotion = description.uvViews?.[view] ? bake.motion(description.uvViews[view]) : null;
    this.uvRest = description.uv ? bake.section(description.uv) : null;
    this.prefMotion = description.prefViews?.[view] ? bake.motion(description.prefViews[view]) : null;
    this.weld = weldByPlace(this.rest, this.source);
    this.smooth = description.smooth !== false;

    const n = this.source.length;
    this.geometry = new BufferGeometry();
    const dynamic = (width) => new BufferAttribute(new Float32Array(n * width), width).setUsage(DynamicDrawUsage);
    this.geometry.setAttribute('position', dynamic(3));
    this.geometry.setAttribute('normal', dynamic(3));
    this.geometry.setAttribute('color', dynamic(3));
    this.geometry.setAttribute('pref', dynamic(3));
    this.geometry.setAttribute('uv', dynamic(2));
    this.geometry.setAttribute('garb', garbOf(description.parts ?? [], n));
    // Wrinkles were painted for these: those that a shader derives by itself change from triangle to triangle.
    if (bake.wrinkles && description.kind === 'body' && description.uv) this.geometry.setAttribute('tangent', dynamic(4));
    this.geometry.setIndex(new BufferAttribute(this.triangles, 1));
    if (hasPictures(description)) description.parts.forEach(({ firstIndex, indexCount }, i) => this.geometry.addGroup(firstIndex, indexCount, i));
    this.fillStill(bake);
    this.frame = '';
    this.shade = undefined;
  }

  fillStill(bake) {
    const { source, rest } = this;
    const pref = this.geometry.attributes.pref.array;
    for (let i = 0; i < source.length; i++) {
      for (let c = 0; c < 3; c++) pref[i * 3 + c] = rest[source[i] * 3 + c];
    }
    if (this.uvSource) gather(bake.section(this.description.uv), this.uvSource, 2, this.geometry.attributes.uv);
  }

  /** `absent`: motions of layers that are switched off, whose displacements are taken away; `keepsUv`: UVs stay at rest. */
  setFrame(frame, absent = [], keepsUv = false) {
    const key = `${frame} ${absent.map((m) => m.name)} ${keepsUv}`;
    if (key === this.frame) return;
    this.frame = key;
    gather(this.placesAt(frame, absent), this.source, 3, this.geometry.attributes.position);
    if (this.uvMotion) gather(keepsUv ? this.uvRest : this.uvMotion.at(frame), this.uvSource, 2, this.geometry.attributes.uv);
    if (this.prefMotion) gather(this.prefMotion.at(frame), this.source, 3, this.geometry.attributes.pref);
    this.updateNormals();
  }

  placesAt(frame, absent) {
    const values = this.positions.at(frame);
    if (absent.length === 0) return values;
    this.reduced ??= new Float32Array(values.length);
    this.reduced.set(values);
    for (const motion of absent) {
      const share = motion.at(frame);
      for (let i = 0; i < share.length; i++) this.reduced[i] -= share[i];
    }
    return this.reduced;
  }

  updateNormals() {
    const p = this.geometry.attributes.position.array;
    const normal = this.geometry.attributes.normal;
    const out = normal.array;
    const { triangles, weld } = this;
    out.fill(0);
    for (let t = 0; t < triangles.length; t += 3) {
      const [a, b, c] = [triangles[t] * 3, triangles[t + 1] * 3, triangles[t + 2] * 3];
      const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2];
      const vx = p[c] - p[a], vy = p[c + 1] - p[a + 1], vz = p[c + 2] - p[a + 2];
      const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
      for (let k = 0; k < 3; k++) {
        const w = weld[triangles[t + k]] * 3;
        out[w] += nx; out[w + 1] += ny; out[w + 2] += nz;
      }
    }
    for (let i = 0; i < weld.length; i++) {
      const w = weld[i] * 3;
      if (w === i * 3) {
        const length = Math.hypot(out[w], out[w + 1], out[w + 2]) || 1;
        out[w] /= length; out[w + 1] /= length; out[w + 2] /= length;
      } else {
        // The shared corner comes earlier in the list, so its normal has its final length already.
        out[i * 3] = out[w]; out[i * 3 + 1] = out[w + 1]; out[i * 3 + 2] = out[w + 2];
      }
    }
    normal.needsUpdate = true;
    if (this.geometry.attributes.tangent) updateTangents(this.geometry, this.triangles);
  }

  /** Heat map of a channel (`values`); without one an even grey (`shade`, 0 to 1), classes or islands, or, where that is null, its own colours. */
  colour(channel, values, shade) {
    const attribute = this.geometry.attributes.color;
    const out = attribute.array;
    if (!channel && shade === this.shade) return;
    this.shade = channel ? undefined : shade;
    if (!channel) {
      const numbers = this.numbers[shade];
      if (numbers) numbers.forEach((number, i) => out.set(shade === 'classes' ? classes[number][1] : islandColour(number), i * 3));
      else if ((shade === null || typeof shade === 'string') && this.colours) out.set(this.colours);
      else out.fill(typeof shade === 'number' ? shade : 1);
    } else {
      const span = channel.high - channel.low || 1;
      for (let i = 0; i < this.source.length; i++) {
        colourOf((values[this.source[i]] - channel.low) / span, channel.isSigned, out, i * 3);
      }
    }
    attribute.needsUpdate = true;
  }
}

function gather(values, source, width, attribute) {
  const out = attribute.array;
  for (let i = 0; i < source.length; i++) {
    const s = source[i] * width;
    for (let c = 0; c < width; c++) out[i * width + c] = values[s + c];
  }
  attribute.needsUpdate = true;
}
