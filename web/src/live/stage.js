// The picture of a living scene: surfaces that frames move, one camera, a hand's ray.
import {
  ACESFilmicToneMapping, BufferAttribute, BufferGeometry, CircleGeometry, DirectionalLight, DynamicDrawUsage, HemisphereLight, LineBasicMaterial, LineSegments, Mesh, PCFShadowMap, RGFormat,
  DataTexture, PerspectiveCamera, Plane, Points, PointsMaterial, Raycaster, Scene, ShadowMaterial, Vector2, Vector3, WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { colourOf } from '../colours.js';
import { dress, makeSkin } from '../paint.js';
import { updateTangents } from '../tangents.js';

/** One mesh of the frames, as cutis shows it or as plain skinning does. */
class LiveSurface {
  constructor(description, arrays, bake) {
    Object.assign(this, { description, ...arrays });
    const n = this.source.length;
    const geometry = (this.geometry = new BufferGeometry());
    const dynamic = (width) => new BufferAttribute(new Float32Array(n * width), width).setUsage(DynamicDrawUsage);
    for (const [name, width] of [['position', 3], ['normal', 3], ['color', 3], ['pref', 3], ['uv', 2], ['garb', 2]]) geometry.setAttribute(name, dynamic(width));
    if (bake.wrinkles && description.kind === 'body') {
      geometry.setAttribute('tangent', dynamic(4));
      geometry.setAttribute('wrinkleHeight', dynamic(1));
    }
    geometry.setIndex(new BufferAttribute(this.triangles, 1));
    const garb = geometry.attributes.garb.array;
    for (const { first, count, isGarment, metresPerUv } of description.parts) {
      for (let i = first; i < first + count; i++) {
        garb[2 * i] = isGarment ? 1 : 0;
        garb[2 * i + 1] = metresPerUv;
      }
    }
    if (description.parts.some(({ picture }) => picture !== undefined)) description.parts.forEach(({ firstIndex, indexCount }, i) => geometry.addGroup(firstIndex, indexCount, i));
    const pref = geometry.attributes.pref.array;
    for (let i = 0; i < n; i++) for (let c = 0; c < 3; c++) pref[3 * i + c] = this.rest[3 * this.source[i] + c];
    this.setUv(this.uv);
    this.colour(null, null);
    this.skin = makeSkin(description, bake);
    this.mesh = new Mesh(geometry, this.skin.material);
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
    this.normals = new Float32Array(3 * description.normals);
  }

  setUv(uv) {
    if (!uv) return;
    const out = this.geometry.attributes.uv.array;
    for (let i = 0; i < this.uv_source.length; i++) {
      out[2 * i] = uv[2 * this.uv_source[i]];
      out[2 * i + 1] = uv[2 * this.uv_source[i] + 1];
    }
    this.geometry.attributes.uv.needsUpdate = true;
  }

  /** \param places x y z of the art's vertices */
  move(places) {
    const { position, normal } = this.geometry.attributes;
    const p = position.array;
    const { source, triangles, normal: rows, normals } = { ...this, normal: this.normalRows };
    for (let i = 0, o = 0; i < source.length; i++, o += 3) {
      const s = 3 * source[i];
      p[o] = places[s];
      p[o + 1] = places[s + 1];
      p[o + 2] = places[s + 2];
    }
    normals.fill(0);
    for (let t = 0; t < triangles.length; t += 3) {
      const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
      const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2];
      const vx = p[c] - p[a], vy = p[c + 1] - p[a + 1], vz = p[c + 2] - p[a + 2];
      const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
      for (let k = 0; k < 3; k++) {
        const r = 3 * rows[triangles[t + k]];
        normals[r] += nx;
        normals[r + 1] += ny;
        normals[r + 2] += nz;
      }
    }
    const out = normal.array;
    for (let i = 0, o = 0; i < rows.length; i++, o += 3) {
      const r = 3 * rows[i];
      const length = Math.hypot(normals[r], normals[r + 1], normals[r + 2]) || 1;
      out[o] = normals[r] / length;
      out[o + 1] = normals[r + 1] / length;
      out[o + 2] = normals[r + 2] / length;
    }
    position.needsUpdate = normal.needsUpdate = true;
    if (this.geometry.attributes.tangent) updateTangents(this.geometry, triangles);
    this.geometry.boundingSphere = null;
  }

  /** Heights of the wrinkles, in those of their map. */
  wrinkle(heights) {
    const { wrinkleHeight } = this.geometry.attributes;
    if (!wrinkleHeight) return;
    for (let i = 0; i < this.source.length; i++) wrinkleHeight.array[i] = heights[this.source[i]];
    wrinkleHeight.needsUpdate = true;
  }

  /** Heat of a channel's values, or the parts' own colours. */
  colour(values, range) {
    const out = this.geometry.attributes.color.array;
    const { source } = this;
    if (values) {
      for (let i = 0; i < source.length; i++) colourOf((values[source[i]] - range.low) / (range.high - range.low || 1), range.isSigned, out, 3 * i);
    } else if (this.colours) {
      out.set(this.colours);
    } else {
      out.fill(1);
    }
    this.geometry.attributes.color.needsUpdate = true;
  }
}

export class LiveStage {
  constructor(canvas) {
    this.canvas = canvas;
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.renderer.toneMapping = ACESFilmicToneMapping;
    this.renderer.toneMappingExposure = 1.05;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.autoClear = false;
    this.camera = new PerspectiveCamera(32, 1, 0.01, 100);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.scene = new Scene();
    this.surfaces = [];
    this.state = { paint: 'skin', heat: '', directions: '', layout: 'cutis', wipe: 0.5, bones: false, hidden: new Set() };
    this.ray = new Raycaster();
    this.joints = new Points(new BufferGeometry(), new PointsMaterial({ color: '#1668b8', size: 7, sizeAttenuation: false, depthTest: false, transparent: true }));
    this.bones = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: '#1668b8', depthTest: false, transparent: true }));
    this.strokes = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: '#0b3d91' }));
    this.strokes.frustumCulled = this.strokes.visible = false;
    for (const object of [this.joints, this.bones]) {
      object.frustumCulled = false;
      object.renderOrder = 3;
      object.visible = false;
    }
    this.lights = [];
  }

  /** Other meshes: everything is made anew. */
  async setMeshes(head, sections) {
    for (const { mesh } of [...this.surfaces, ...(this.plain ? [this.plain] : [])]) {
      this.scene.remove(mesh);
      mesh.geometry.dispose();
    }
    const found = sections.filter(({ kind }) => kind === 'picture');
    const bake = { pictures: [], meta: { pictures: found.map(({ hasHoles }) => ({ hasHoles })) }, textures: [] };
    const keep = (section) => section && section.values.slice();
    this.dressWrinkles(bake, sections.find(({ kind }) => kind === 'wrinkles'));
    const arrays = head.meshes.map((_, m) => {
      const of = (kind) => keep(sections.find((s) => s.kind === kind && s.mesh === m));
      return { triangles: of('triangles'), source: of('source'), normalRows: of('normal'), uv: of('uv'), uv_source: of('uv_source'), colours: of('colour'), rest: of('rest') };
    });
    bake.pictures = await Promise.all(found.map(({ values }) => createImageBitmap(new Blob([values]), { imageOrientation: 'flipY', premultiplyAlpha: 'none' }).catch(() => null)));
    const describe = (mesh, m) => ({
      ...mesh,
      parts: mesh.parts.map((part) => (bake.pictures[part.picture] ? part : { ...part, picture: undefined })),
      kind: m === 0 ? 'body' : 'detail', uv: mesh.hasUv, colour: m === 0 ? '#d9a788' : '#c9b48f', colours: Boolean(arrays[m].colours),
    });
    this.surfaces = head.meshes.map((mesh, m) => new LiveSurface(describe(mesh, m), arrays[m], bake));
    this.plain = new LiveSurface(describe(head.meshes[0], 0), arrays[0], bake);
    for (const { mesh } of [...this.surfaces, this.plain]) this.scene.add(mesh);
    this.scene.add(this.joints, this.bones, this.strokes);
    this.hasPictures = bake.pictures.some(Boolean);
  }

  /** Wrinkles that are everywhere as high as each other, as a map of normals (x and y); how high they are comes with every frame. */
  dressWrinkles(bake, section) {
    for (const texture of this.wrinkleMaps ?? []) texture.dispose();
    this.wrinkleMaps = [];
    if (!section) return;
    const texture = dress(new DataTexture(section.values.slice(), section.size, section.size, RGFormat), false);
    texture.generateMipmaps = true;
    texture.needsUpdate = true;
    this.wrinkleMaps = bake.wrinkleTextures = [texture];
    bake.wrinkles = { grow: true };
  }

  setSkeleton(joints) {
    this.skeleton = joints;
  }

  setFrame(head, sections) {
    // Of all that was seen of a channel so far: a legend that stays.
    const known = (this.ranges ??= {});
    const range = { low: Infinity, high: -Infinity, isSigned: false, ...known[sections.find(({ kind }) => kind === 'channel')?.name] };
    const heat = sections.filter(({ kind }) => kind === 'channel');
    for (const { values, neutral } of heat) {
      for (const value of values) {
        range.low = Math.min(range.low, value);
        range.high = Math.max(range.high, value);
      }
      if (neutral > range.low && neutral < range.high) {
        const reach = Math.max(range.high - neutral, neutral - range.low);
        Object.assign(range, { low: neutral - reach, high: neutral + reach, isSigned: true });
      }
    }
    if (heat.length) known[heat[0].name] = range;
    this.range = heat.length ? { ...range, unit: heat[0].unit } : null;
    for (const section of sections) {
      const surface = this.surfaces[section.mesh];
      if (!surface) continue;
      if (section.kind === 'positions') surface.move(section.values);
      if (section.kind === 'positions' && section.mesh === 0) this.places = section.values;
      if (section.kind === 'plain') {
        this.plain.move(section.values);
        this.hasPlain = true;
      }
      if (section.kind === 'wrinkleHeights') surface.wrinkle(section.values);
      if (section.kind === 'uv' && !head.meshes) surface.setUv(section.values);
      if (section.kind === 'joints') this.moveJoints(section.values);
    }
    this.heat = heat;
    this.showDirections(sections.find(({ kind }) => kind === 'direction'));
    this.surfaces.forEach((surface, m) => {
      const values = heat.find((section) => section.mesh === m)?.values;
      if (values || surface.isHot) surface.colour(values, range);
      surface.isHot = Boolean(values);
    });
    if (!this.isFramed && this.places) this.frameAll();
  }

  /** A stroke along the direction at some of the vertices; none where it is zero. */
  showDirections(section) {
    const surface = section && this.surfaces[section.mesh];
    this.strokes.visible = Boolean(surface && this.size);
    if (!this.strokes.visible) return;
    this.strokes.material.color.set(this.range ? '#ffffff' : '#0b3d91');
    const most = 4000;
    const { position, normal } = surface.geometry.attributes;
    const stride = Math.ceil(surface.source.length / most);
    const out = new Float32Array(6 * most);
    let count = 0;
    for (let i = 0; i < surface.source.length; i += stride) {
      const v = 3 * surface.source[i];
      const length = Math.hypot(section.values[v], section.values[v + 1], section.values[v + 2]);
      if (length < 1e-9) continue;
      for (let c = 0; c < 3; c++) {
        const middle = position.array[3 * i + c] + 0.002 * this.size * normal.array[3 * i + c];
        const half = (0.005 * this.size * section.values[v + c]) / length;
        out[6 * count + c] = middle - half;
        out[6 * count + 3 + c] = middle + half;
      }
      count++;
    }
    if (this.strokes.geometry.attributes.position?.array.length !== out.length) this.strokes.geometry.setAttribute('position', new BufferAttribute(out, 3).setUsage(DynamicDrawUsage));
    else this.strokes.geometry.attributes.position.array.set(out);
    this.strokes.geometry.attributes.position.needsUpdate = true;
    this.strokes.geometry.setDrawRange(0, 2 * count);
  }

  moveJoints(places) {
    const put = (geometry, values) => {
      if (geometry.attributes.position?.array.length !== values.length) geometry.setAttribute('position', new BufferAttribute(new Float32Array(values.length), 3).setUsage(DynamicDrawUsage));
      geometry.attributes.position.array.set(values);
      geometry.attributes.position.needsUpdate = true;
    };
    put(this.joints.geometry, places);
    const lines = [];
    (this.skeleton ?? []).forEach(({ parent }, j) => {
      if (parent >= 0 && 3 * j < places.length) lines.push(...places.slice(3 * parent, 3 * parent + 3), ...places.slice(3 * j, 3 * j + 3));
    });
    put(this.bones.geometry, new Float32Array(lines));
  }

  /** Box of the body as it is now. */
  box() {
    const low = new Vector3(Infinity, Infinity, Infinity);
    const high = new Vector3(-Infinity, -Infinity, -Infinity);
    const point = new Vector3();
    for (let i = 0; i < this.places.length; i += 3) {
      point.fromArray(this.places, i);
      low.min(point);
      high.max(point);
    }
    return { low, high, centre: low.clone().add(high).multiplyScalar(0.5), size: high.distanceTo(low) };
  }

  frameAll(direction = new Vector3(0.8, 0.3, 0.8)) {
    const { low, centre, size } = this.box();
    this.size = size;
    this.centre = centre;
    this.isFramed = true;
    const aspect = this.canvas.clientWidth / Math.max(1, this.canvas.clientHeight);
    const fit = (size * 0.45) / Math.tan((this.camera.fov * Math.PI) / 360) / Math.min(1, aspect);
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(direction.clone().normalize(), fit);
    this.camera.near = fit / 100;
    this.camera.far = fit * 20;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.scene.remove(...this.lights);
    const key = new DirectionalLight(0xfff3e4, 2.6);
    key.position.copy(centre).add(new Vector3(1.2, 1.8, 1.6).multiplyScalar(size));
    key.target.position.copy(centre);
    key.castShadow = true;
    key.shadow.mapSize.set(1024, 1024);
    key.shadow.normalBias = size * 0.004;
    Object.assign(key.shadow.camera, { left: -size, bottom: -size, right: size, top: size, near: size * 0.2, far: size * 6 });
    const rim = new DirectionalLight(0xcfe0ff, 1.1);
    rim.position.copy(centre).add(new Vector3(-1.5, 0.8, -1.4).multiplyScalar(size));
    rim.target.position.copy(centre);
    const floor = new Mesh(new CircleGeometry(size * 1.6, 64), new ShadowMaterial({ opacity: 0.22 }));
    floor.rotation.x = -Math.PI / 2;
    floor.position.set(centre.x, low.y - size * 0.001, centre.z);
    floor.receiveShadow = true;
    this.lights = [new HemisphereLight(0xf4f7ff, 0x8d857c, 1.25), key, key.target, rim, rim.target, floor];
    this.scene.add(...this.lights);
  }

  /** The camera goes along with the body. */
  follow() {
    if (!this.places || !this.centre) return;
    const { centre } = this.box();
    const now = performance.now();
    const share = 1 - Math.exp(-(now - (this.followed ?? now)) / 200);
    this.followed = now;
    const step = centre.clone().sub(this.centre).multiplyScalar(share);
    step.y = 0;
    this.centre.add(step);
    this.camera.position.add(step);
    this.controls.target.add(step);
    for (const light of this.lights) light.position.add(step);
  }

  /** What lies under a pointer: mesh, art vertex, place. */
  pick(x, y) {
    const box = this.canvas.getBoundingClientRect();
    this.ray.setFromCamera(new Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2), this.camera);
    let best = null;
    this.surfaces.forEach((surface, m) => {
      if (!surface.mesh.visible || surface.description.isOtherView) return;
      const [hit] = this.ray.intersectObject(surface.mesh, false);
      if (hit && (!best || hit.distance < best.distance)) {
        const p = surface.geometry.attributes.position.array;
        const corners = [hit.face.a, hit.face.b, hit.face.c];
        const far = (v) => hit.point.distanceToSquared(new Vector3().fromArray(p, 3 * v));
        const nearest = corners.reduce((a, b) => (far(a) <= far(b) ? a : b));
        best = { mesh: m, vertex: surface.source[nearest], drawn: nearest, point: hit.point.clone(), distance: hit.distance };
      }
    });
    return best;
  }

  /** Where a pointer is on the plane through a place that faces the camera. */
  onPlane(x, y, place) {
    const box = this.canvas.getBoundingClientRect();
    this.ray.setFromCamera(new Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2), this.camera);
    const normal = this.camera.getWorldDirection(new Vector3());
    return this.ray.ray.intersectPlane(new Plane().setFromNormalAndCoplanarPoint(normal, place), new Vector3()) ?? place.clone();
  }

  draw() {
    const { canvas, renderer, camera, state } = this;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    const ratio = Math.min(devicePixelRatio, 2);
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      renderer.setPixelRatio(ratio);
      renderer.setSize(width, height, false);
    }
    if (this.painted && this.surfaces[0]?.rest.length === 3 * this.painted.length) {
      this.surfaces[0].colour(this.painted, { low: 0, high: 1, isSigned: false });
      this.surfaces[0].isHot = true; // back to its own colours with the first frame after
    }
    const compares = state.layout !== 'cutis' && this.hasPlain;
    this.joints.visible = this.bones.visible = state.bones;
    const side = (isPlain, x, w, aspectWidth) => {
      this.surfaces.forEach(({ mesh, description }, m) => {
        mesh.visible = !description.isOtherView && !state.hidden.has(m) && !isPlain;
      });
      if (this.plain) this.plain.mesh.visible = isPlain;
      camera.aspect = aspectWidth / height;
      camera.updateProjectionMatrix();
      renderer.setScissorTest(true);
      renderer.setScissor(x, 0, w, height);
      renderer.setViewport(state.layout === 'side' && compares ? x : 0, 0, aspectWidth, height);
      renderer.clear();
      renderer.render(this.scene, camera);
    };
    for (const { skin } of [...this.surfaces, ...(this.plain ? [this.plain] : [])]) skin.update({ paint: state.paint, wrinkleWeights: [1], heat: Boolean(this.painted) || (Boolean(state.heat) && this.range) });
    if (!compares) side(false, 0, width, width);
    else if (state.layout === 'side') {
      side(true, 0, width / 2, width / 2);
      side(false, width / 2, width / 2, width / 2);
    } else {
      side(true, 0, width * state.wipe, width);
      side(false, width * state.wipe, width * (1 - state.wipe), width);
    }
  }
}
