// What is painted on the skin material. Patterns are drawn in the shader from UVs (or, without UVs, from the rest position),
// so they go wherever the material goes.
import { CanvasTexture, ClampToEdgeWrapping, Color, DoubleSide, LinearFilter, LinearMipmapLinearFilter, MeshPhysicalMaterial, RepeatWrapping, SRGBColorSpace, Texture } from 'three';
import { hasPictures } from './surface.js';

export const paints = ['skin', 'checker', 'grid', 'tattoo', 'bumps', 'clay'];

/** Those of a bake: what each part is made of can be shown where the page knows it. */
export const paintsOf = (meta) => (meta.surfaces.some((s) => s.classes) ? [...paints, 'classes', 'islands'] : paints);

/** A tattoo: concentric knots and leaves, symmetric, drawn with plain canvas strokes. */
function tattooTexture() {
  const size = 1024;
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = size;
  const g = canvas.getContext('2d');
  g.fillStyle = '#fff';
  g.fillRect(0, 0, size, size);
  g.strokeStyle = g.fillStyle = '#16233f';
  g.lineCap = 'round';
  for (let row = 0; row < 2; row++) {
    for (let column = 0; column < 2; column++) {
      g.save();
      g.translate((column + 0.5) * size / 2, (row + 0.5) * size / 2);
      drawEmblem(g, size * 0.21);
      g.restore();
    }
  }
  return canvas;
}

function drawEmblem(g, r) {
  g.lineWidth = r * 0.05;
  for (const k of [1, 0.9, 0.34]) {
    g.beginPath();
    g.arc(0, 0, r * k, 0, 2 * Math.PI);
    g.stroke();
  }
  for (let i = 0; i < 8; i++) {
    g.save();
    g.rotate((i * Math.PI) / 4);
    g.beginPath();
    g.moveTo(0, r * 0.34);
    g.bezierCurveTo(r * 0.34, r * 0.5, r * 0.2, r * 0.75, 0, r * 0.88);
    g.bezierCurveTo(-r * 0.2, r * 0.75, -r * 0.34, r * 0.5, 0, r * 0.34);
    i % 2 === 0 ? g.fill() : g.stroke();
    g.restore();
  }
  g.beginPath();
  for (let i = 0; i <= 72; i++) {
    const a = (i / 72) * 2 * Math.PI;
    const d = r * (0.17 + 0.1 * Math.cos(6 * a));
    g.lineTo(d * Math.cos(a), d * Math.sin(a));
  }
  g.fill();
}

/** Height of veins and wrinkles as a tangent-space normal map. */
function bumpTexture() {
  const size = 512;
  const height = new Float32Array(size * size);
  const wave = (x, y, a, b, phase) => Math.sin((2 * Math.PI * (a * x + b * y)) / size + phase);
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const bend = 1.3 * wave(x, y, 1, 2, 0.3) + 0.7 * wave(x, y, 3, -1, 1.9);
      const vein = Math.exp(-((wave(x, y, 2, 3, bend) / 0.22) ** 2)) + 0.7 * Math.exp(-((wave(x, y, -3, 2, bend + 2) / 0.16) ** 2));
      const pores = 0.08 * wave(x, y, 37, 11, bend) * wave(x, y, -13, 31, 0.5);
      height[y * size + x] = vein + pores;
    }
  }
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = size;
  const g = canvas.getContext('2d');
  const image = g.createImageData(size, size);
  const at = (x, y) => height[((y + size) % size) * size + ((x + size) % size)];
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const dx = 5 * (at(x - 1, y) - at(x + 1, y));
      const dy = 5 * (at(x, y + 1) - at(x, y - 1));
      const scale = 127.5 / Math.hypot(dx, dy, 1);
      const o = (y * size + x) * 4;
      image.data.set([127.5 + dx * scale, 127.5 + dy * scale, 127.5 + scale, 255], o);
    }
  }
  g.putImageData(image, 0, 0);
  return canvas;
}

function texture(canvas, isColour) {
  return dress(new CanvasTexture(canvas), isColour);
}

export function dress(t, isColour) {
  t.wrapS = t.wrapT = RepeatWrapping;
  t.minFilter = LinearMipmapLinearFilter;
  t.magFilter = LinearFilter;
  t.anisotropy = 8;
  if (isColour) t.colorSpace = SRGBColorSpace;
  return t;
}

let shared = null;
function textures() {
  shared ??= { tattoo: texture(tattooTexture(), true), bumps: texture(bumpTexture(), false) };
  return shared;
}

const patternCode = `
  vec2 patternPlace() {
    return vUvScaled;
  }
  float squares(vec2 q) {
    // Box-filtered checker: no shimmer when squares become smaller than a pixel.
    vec2 w = max(fwidth(q), 1e-4);
    vec2 i = 2.0 * (abs(fract((q - 0.5 * w) / 2.0) - 0.5) - abs(fract((q + 0.5 * w) / 2.0) - 0.5)) / w;
    return 0.5 - 0.5 * i.x * i.y;
  }
  float solidSquares(vec3 q) {
    vec3 w = max(fwidth(q), vec3(1e-4));
    vec3 i = 2.0 * (abs(fract((q - 0.5 * w) / 2.0) - 0.5) - abs(fract((q + 0.5 * w) / 2.0) - 0.5)) / w;
    return 0.5 - 0.5 * i.x * i.y * i.z;
  }
  float lines(vec2 q) {
    vec2 w = max(fwidth(q), 1e-4);
    vec2 d = abs(fract(q - 0.5) - 0.5);
    vec2 l = 1.0 - smoothstep(vec2(0.03), vec2(0.03) + 1.5 * w, d);
    return max(l.x, l.y);
  }
`;

/** Materials of a surface, one for each part where parts have pictures; `state` = { paint, heat, wireframe } is read on every update. */
export function makeSkin(description, bake) {
  const wrinkles = description.kind === 'body' && description.uv ? wrinkleTextures(bake) : [];
  wrinkles.grow = bake.wrinkles?.grow;
  if (!hasPictures(description)) return makeMaterial(description, null, wrinkles);
  const skins = description.parts.map(({ picture, normals }) =>
    makeMaterial(description, pictureTexture(bake, picture, true), wrinkles, pictureTexture(bake, normals, false)));
  return { material: skins.map(({ material }) => material), update: (state) => skins.forEach(({ update }) => update(state)) };
}

function pictureTexture(bake, number, isColour) {
  if (number === undefined) return null;
  bake.textures ??= [];
  if (!bake.textures[number]) {
    const t = dress(new Texture(bake.pictures[number]), isColour);
    const { hasHoles, factor, place, repeats } = bake.meta.pictures[number];
    t.flipY = false; // it is decoded bottom row first
    t.needsUpdate = true;
    t.hasHoles = hasHoles;
    t.factor = factor ?? [1, 1, 1];
    if (repeats) [t.wrapS, t.wrapT] = repeats.map((is) => (is ? RepeatWrapping : ClampToEdgeWrapping));
    if (place) {
      t.matrixAutoUpdate = false;
      t.matrix.set(...place, 0, 0, 1);
    }
    bake.textures[number] = t;
  }
  return bake.textures[number];
}

/** Normal maps of wrinkles, a few of the bake's frames. */
function wrinkleTextures(bake) {
  bake.wrinkleTextures ??= (bake.wrinkles?.maps ?? []).map((image) => {
    const t = dress(new Texture(image), false);
    t.flipY = false; // it is decoded bottom row first
    t.needsUpdate = true;
    return t;
  });
  return bake.wrinkleTextures;
}

/** Slopes of all maps, weighted and added, on top of the material's own normal map. `grow`: each vertex has a height of its own. */
const wrinkleCode = (count, hasOwn, grow) => `
  #ifdef USE_NORMALMAP_TANGENTSPACE
    if (wrinkled) {
      vec2 wrinkleSlope = vec2(0.0);
      ${hasOwn ? '{ vec3 n = texture2D(normalMap, vNormalMapUv).xyz * 2.0 - 1.0; wrinkleSlope = normalScale * n.xy / max(n.z, 0.05); }' : ''}
      ${Array.from({ length: count }, (_, k) => `{ vec2 n = texture2D(wrinkleMaps[${k}], vWrinkleUv).xy * 2.0 - 1.0; wrinkleSlope += ${grow ? 'vWrinkleHeight * ' : ''}wrinkleWeights[${k}] * n / sqrt(max(1.0 - dot(n, n), 0.0025)); }`).join('\n      ')}
      normal = normalize(tbn * vec3(wrinkleSlope, 1.0));
    } else {
      #include <normal_fragment_maps>
    }
  #else
    #include <normal_fragment_maps>
  #endif`;

function makeMaterial(description, picture, wrinkles = [], normals = null) {
  const hasUv = Boolean(description.uv);
  const parts = description.parts ?? [];
  const metres = parts[0]?.metresPerUv ?? 1;
  const square = description.patternSize || 0.03;
  const colour = new Color(description.colour ?? '#d9a788');
  const white = new Color(1, 1, 1);
  const clay = new Color('#aeb4bf');
  const material = new MeshPhysicalMaterial({ side: DoubleSide, vertexColors: true, roughness: 0.58, metalness: 0, sheen: 0.25, sheenRoughness: 0.6 });
  const uniforms = { paintKind: { value: 0 }, tattooMap: { value: textures().tattoo }, squaresPerUnit: { value: 1 / square }, showsPicture: { value: false } };
  if (wrinkles.length) Object.assign(uniforms, { wrinkleMaps: { value: wrinkles }, wrinkleWeights: { value: wrinkles.map(() => 0) }, wrinkled: { value: true } });
  // three.js keeps programs by the text of the next function, which does not tell what it closes over.
  const { grow } = wrinkles;
  material.customProgramCacheKey = () => `${hasUv} ${wrinkles.length} ${grow} ${normals !== null}`;
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', `#include <common>
        attribute vec3 pref; attribute vec2 garb; varying vec3 vPref; varying vec2 vUvScaled; varying vec2 vWrinkleUv; varying float vIsGarment; uniform float squaresPerUnit;
        ${grow ? 'attribute float wrinkleHeight; varying float vWrinkleHeight;' : ''}
        ${hasUv ? '' : '#ifndef USE_UV\n#define CUTIS_NO_UV\n#endif'}`)
      .replace('#include <begin_vertex>', `#include <begin_vertex>
        vPref = pref * squaresPerUnit;
        vUvScaled = uv * garb.y * squaresPerUnit;
        vWrinkleUv = uv;
        ${grow ? 'vWrinkleHeight = wrinkleHeight;' : ''}
        vIsGarment = garb.x;`);
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', `#include <common>
        varying vec3 vPref; varying vec2 vUvScaled; varying vec2 vWrinkleUv; varying float vIsGarment; uniform int paintKind; uniform sampler2D tattooMap; uniform float squaresPerUnit; uniform bool showsPicture;
        ${wrinkles.length ? `uniform sampler2D wrinkleMaps[${wrinkles.length}]; uniform float wrinkleWeights[${wrinkles.length}]; uniform bool wrinkled;` : ''}
        ${grow ? 'varying float vWrinkleHeight;' : ''}
        ${patternCode}`)
      .replace('#include <normal_fragment_maps>', wrinkles.length ? wrinkleCode(wrinkles.length, normals !== null, grow) : '#include <normal_fragment_maps>')
      .replace('#include <color_fragment>', `vec3 pictured = diffuseColor.rgb;
        #include <color_fragment>
        if (showsPicture) diffuseColor.rgb = pictured;
        if (paintKind == 1) {
          float s = ${hasUv ? 'squares(vUvScaled)' : 'solidSquares(vPref)'};
          diffuseColor.rgb = mix(mix(0.2 * diffuseColor.rgb, vec3(0.03, 0.07, 0.21), 0.75), mix(diffuseColor.rgb, vec3(1.0, 0.95, 0.88), 0.45), s);
        } else if (paintKind == 2) {
          float l = ${hasUv ? 'lines(vUvScaled)' : 'max(lines(vPref.xy), lines(vPref.yz))'};
          diffuseColor.rgb *= mix(vec3(1.0), vec3(0.1, 0.14, 0.24), l);
        } else if (paintKind == 3 && vIsGarment < 0.5) {
          vec2 q = ${hasUv ? 'vUvScaled / 12.0' : 'vPref.xy / 12.0'};
          diffuseColor.rgb *= texture2D(tattooMap, q).rgb;
        }`);
  };
  const update = ({ paint, heat, wrinkleWeights }) => {
    const bumps = paint === 'bumps' && hasUv;
    // Patterns show where skin goes; details are told from it by their plain colour.
    uniforms.paintKind.value = heat || description.kind === 'detail' ? 0 : { checker: 1, grid: 2, tattoo: 3 }[paint] ?? 0;
    material.color.copy(heat || (paint !== 'clay' && description.colours) ? white : paint === 'clay' ? clay : colour);
    // The character's own pictures, where nothing else is to be seen on it.
    const shows = Boolean(picture) && !heat && ['skin', 'tattoo', 'bumps'].includes(paint);
    uniforms.showsPicture.value = shows;
    if (shows) material.color.setRGB(...picture.factor);
    if (material.map !== (shows ? picture : null)) {
      material.map = shows ? picture : null;
      material.alphaTest = shows && picture.hasHoles ? 0.5 : 0;
      material.needsUpdate = true;
    }
    if (wrinkles.length) {
      uniforms.wrinkled.value = !bumps;
      uniforms.wrinkleWeights.value = wrinkleWeights ?? wrinkles.map(() => 0);
    }
    const own = normals && !heat && paint !== 'clay' ? normals : null;
    const map = bumps ? textures().bumps : own ?? wrinkles[0] ?? null;
    if (material.normalMap !== map) {
      material.normalMap = map;
      material.needsUpdate = true;
    }
    if (bumps) {
      map.repeat.setScalar(metres / (square * 8));
      material.normalScale.setScalar(1);
    } else if (own) material.normalScale.set(own.factor[0], own.factor[1]);
  };
  return { material, update };
}
