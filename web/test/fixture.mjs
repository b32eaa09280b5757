// A small made-up bake, so that the page can be tested without the program: a torus that bulges (left) and whose
// material also turns around the tube (right), with one scalar and one direction channel.
import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';

const rings = 48;
const sides = 24;
const frames = 60;

class Sections {
  constructor() { this.parts = []; this.table = {}; this.size = 0; }

  add(name, array, type) {
    this.table[name] = { type, offset: this.size, count: array.length };
    const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
    const padded = Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
    this.parts.push(padded);
    this.size += padded.length;
    return name;
  }
}

function torusPoint(u, v, r) {
  return [(0.35 + r * Math.cos(v)) * Math.cos(u), r * Math.sin(v) + 0.2, (0.35 + r * Math.cos(v)) * Math.sin(u)];
}

/** Exact motion as mean zero and one mode per frame would be big; two modes are enough for what the fixture shows. */
function modes(sections, name, base, modeList, weights) {
  const scales = [];
  const basis = new Int16Array(base.length * modeList.length);
  modeList.forEach((mode, k) => {
    const top = Math.max(...mode.map(Math.abs), 1e-12);
    scales.push(top / 32767);
    mode.forEach((m, i) => { basis[k * base.length + i] = Math.round((m / top) * 32767); });
  });
  sections.add(`${name}.mean`, Float32Array.from(base), 'f32');
  sections.add(`${name}.basis`, basis, 'i16');
  sections.add(`${name}.weights`, Float32Array.from(weights.flat()), 'f32');
  return { mean: `${name}.mean`, basis: `${name}.basis`, weights: `${name}.weights`, scales, rank: modeList.length };
}

/** Four-sided knobs along the top of the torus, and how they rise. */
function knobRing() {
  const rest = [], up = [], triangles = [];
  for (let i = 0; i < 16; i++) {
    const u = (2 * Math.PI * i) / 16;
    const base = rest.length / 3;
    for (const [du, dv] of [[-0.05, -0.12], [0.05, -0.12], [0.05, 0.12], [-0.05, 0.12]]) rest.push(...torusPoint(u + du, Math.PI / 2 + dv, 0.14));
    rest.push(...torusPoint(u, Math.PI / 2, 0.22));
    for (let k = 0; k < 4; k++) {
      triangles.push(base + ((k + 1) % 4), base + k, base + 4);
      up.push(0, 0, 0);
    }
    up.push(0, 0.08 * Math.max(0, Math.cos(u)), 0);
  }
  return { rest, up, triangles };
}

export function fixturePage(templatePath) {
  const sections = new Sections();
  const source = [];
  const uv = [];
  for (let i = 0; i <= rings; i++) {
    for (let j = 0; j <= sides; j++) {
      source.push((i % rings) * sides + (j % sides));
      uv.push(i / rings, j / sides);
    }
  }
  const triangles = [];
  const corner = (i, j) => i * (sides + 1) + j;
  for (let i = 0; i < rings; i++) {
    for (let j = 0; j < sides; j++) {
      triangles.push(corner(i, j), corner(i, j + 1), corner(i + 1, j + 1), corner(i, j), corner(i + 1, j + 1), corner(i + 1, j));
    }
  }
  const rest = [], bulge = [], turn = [], heat = [], direction = [];
  for (let i = 0; i < rings; i++) {
    for (let j = 0; j < sides; j++) {
      const u = (2 * Math.PI * i) / rings, v = (2 * Math.PI * j) / sides;
      const p = torusPoint(u, v, 0.14);
      rest.push(...p);
      const side = Math.max(0, Math.cos(u));
      const q = torusPoint(u, v, 0.14 + 0.09 * side);
      bulge.push(...q.map((x, c) => x - p[c]));
      const t = torusPoint(u, v + 0.3 * side, 0.14);
      turn.push(...t.map((x, c) => x - p[c]));
      heat.push(side);
      direction.push(-Math.sin(u), 0, Math.cos(u));
    }
  }
  sections.add('source', Uint32Array.from(source), 'u32');
  sections.add('triangles', Uint32Array.from(triangles), 'u32');
  sections.add('uv', Float32Array.from(uv), 'f32');
  sections.add('uvSource', Uint32Array.from(source.keys()), 'u32');
  sections.add('rest', Float32Array.from(rest), 'f32');
  sections.add('bones', Uint32Array.from([0, 1]), 'u32');
  const knobs = knobRing();
  sections.add('knobSource', Uint32Array.from(knobs.rest.keys()).subarray(0, knobs.rest.length / 3), 'u32');
  sections.add('knobTriangles', Uint32Array.from(knobs.triangles), 'u32');
  sections.add('knobRest', Float32Array.from(knobs.rest), 'f32');
  sections.add('ring', Uint32Array.from(Array.from({ length: 24 }, (_, i) => [i, (i + 1) % 24]).flat()), 'u32');
  const ring = Array.from({ length: 24 }, (_, i) => torusPoint((2 * Math.PI * i) / 24, 0, 0.145)).flat();
  const pins = [0, 2, 4].flatMap((u) => torusPoint(u, 1, 0.15));
  const wave = Array.from({ length: frames }, (_, f) => 0.5 - 0.5 * Math.cos((2 * Math.PI * f) / frames));
  const count = rings * sides;
  const motions = {
    plain: { width: 3, count, error: 1e-5, ...modes(sections, 'plain', rest, [bulge], wave.map((w) => [w])) },
    cutis: { width: 3, count, error: 1e-5, ...modes(sections, 'cutis', rest, [bulge, turn], wave.map((w) => [w, w])) },
    share: { width: 3, count, error: 1e-5, ...modes(sections, 'share', rest.map(() => 0), [turn], wave.map((w) => [w])) },
    heat: { width: 1, count, error: 1e-5, ...modes(sections, 'heat', heat.map(() => 0), [heat], wave.map((w) => [w])) },
    direction: { width: 3, count, error: 0, ...modes(sections, 'direction', direction, [direction.map(() => 0)], wave.map(() => [0])) },
    bone: { width: 3, count: 2, error: 0, ...modes(sections, 'bone', [0, 0.2, 0, 0.35, 0.2, 0], [[0, 0, 0, 0, 0.05, 0]], wave.map((w) => [w])) },
    knobs: { width: 3, count: knobs.rest.length / 3, error: 0, ...modes(sections, 'knobs', knobs.rest, [knobs.up], wave.map((w) => [w])) },
    ring: { width: 3, count: 24, error: 0, ...modes(sections, 'ring', ring, [ring.map((x) => 0.2 * x)], wave.map((w) => [w])) },
    pins: { width: 3, count: 3, error: 0, ...modes(sections, 'pins', pins, [pins.map((_, i) => (i % 3 === 1 ? 0.05 : 0))], wave.map((w) => [w])) },
  };
  const meta = {
    title: 'Fixture torus', caption: 'A made-up bake for the tests of the page', fps: 30, frames, firstFrame: 1, sections: sections.table, motions,
    views: [{ name: 'plain', label: 'Plain skinning' }, { name: 'cutis', label: 'cutis' }],
    surfaces: [{
      name: 'torus', kind: 'body', source: 'source', triangles: 'triangles', uv: 'uv', uvSource: 'uvSource', rest: 'rest', parts: [{ first: 0, count: source.length, isGarment: false, metresPerUv: 1.5 }], patternSize: 0.05,
      views: { plain: 'plain', cutis: 'cutis' },
      channels: { cutis: [{ name: 'slide distance', unit: 'm', width: 1, low: 0, high: 1, motion: 'heat' }, { name: 'stretch direction', unit: '1', width: 3, strokeLength: 0.03, motion: 'direction' }] },
    }, {
      name: 'knobs', kind: 'detail', source: 'knobSource', triangles: 'knobTriangles', rest: 'knobRest', patternSize: 0.05, colour: '#5b7d3a',
      views: { cutis: 'knobs' },
    }],
    layers: [{ name: 'slide', share: 'share', changesUv: false, details: [], lines: ['ring'], milliseconds: 2.5 }, { name: 'shell', changesUv: false, details: [1], lines: [] }],
    points: [{ name: 'pins', show: 'pins', motion: 'pins', views: ['cutis'], onTop: true }],
    lines: [{ name: 'ring', show: 'curves', segments: 'ring', motion: 'ring', views: ['cutis'], colour: '#7a1fa2', onTop: true }, { name: 'skeleton', show: 'skeleton', segments: 'bones', motion: 'bone', views: ['plain', 'cutis'], onTop: true }],
    plots: [{ name: 'largest slide', unit: 'm', values: wave }, { name: 'residual', unit: '', values: wave.map((w, i) => (i % 20 < 3 ? null : 1e-6 * (1 + w))) }],
    facts: [['Triangles', String(triangles.length / 3)]],
  };
  const data = deflateSync(Buffer.concat(sections.parts), { level: 9 }).toString('base64');
  return readFileSync(templatePath, 'utf8')
    .replace('<!--CUTIS_META-->', () => JSON.stringify(meta).replaceAll('<', '\\u003c'))
    .replace('<!--CUTIS_DATA-->', () => data);
}
