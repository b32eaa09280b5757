// The picture: one camera, one scene per view, drawn side by side, with a wipe, or alone.
import {
  ACESFilmicToneMapping, Box3, BufferAttribute, BufferGeometry, Color, DirectionalLight, DynamicDrawUsage, Group, HemisphereLight,
  LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, PerspectiveCamera, Points, PointsMaterial, Scene, ShadowMaterial,
  CircleGeometry, PCFShadowMap, Vector3, WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { makeSkin } from './paint.js';
import { Surface } from './surface.js';

/** Everything of one view: surfaces with their skins, lines, strokes, points. */
class View {
  constructor(bake, name) {
    this.bake = bake;
    this.name = name;
    this.scene = new Scene();
    this.surfaces = [];
    this.lines = [];
    this.points = [];
    for (const description of bake.meta.surfaces) {
      if (description.views[name] === undefined) continue;
      const surface = new Surface(bake, description, name);
      const skin = makeSkin(description, bake);
      const mesh = new Mesh(surface.geometry, skin.material);
      mesh.castShadow = mesh.receiveShadow = true;
      mesh.frustumCulled = false;
      const wire = new Mesh(surface.geometry, new MeshBasicMaterial({ wireframe: true, color: 0x101418, transparent: true, opacity: 0.35, depthWrite: false, polygonOffset: true, polygonOffsetFactor: -1 }));
      wire.frustumCulled = false;
      const strokes = makeStrokes(bake, description, name, surface);
      this.scene.add(mesh, wire);
      if (strokes) this.scene.add(strokes.object);
      this.surfaces.push({ surface, skin, mesh, wire, strokes, description });
    }
    for (const description of bake.meta.lines ?? []) {
      if (!description.views.includes(name)) continue;
      const object = makeLines(bake, description);
      this.scene.add(object);
      this.lines.push({ object, description, motion: bake.motion(description.motion) });
    }
    for (const description of bake.meta.points ?? []) {
      if (!description.views.includes(name)) continue;
      const object = makePoints(bake, description);
      this.scene.add(object);
      this.points.push({ object, description, motion: bake.motion(description.motion) });
    }
  }

  setFrame(frame, state) {
    // Layers that are switched off: what they move, and the details and lines they show.
    const off = (this.bake.meta.layers ?? []).filter((_, i) => !state.layers[i]);
    const absent = off.filter((layer) => layer.share).map((layer) => this.bake.motion(layer.share));
    const keepsUv = off.some((layer) => layer.changesUv);
    for (const { surface, skin, mesh, wire, strokes, description } of this.surfaces) {
      const isBody = description.kind !== 'detail';
      const isOff = off.some((layer) => layer.details.includes(this.bake.meta.surfaces.indexOf(description)));
      const isVisible = isBody || (state.show.detail && !isOff);
      const isReduced = isBody && this.name === 'cutis';
      mesh.visible = isVisible;
      wire.visible = isVisible && state.show.wireframe;
      if (strokes) strokes.object.visible = isVisible && state.show.strokes;
      if (!isVisible) continue;
      surface.setFrame(frame, isReduced ? absent : [], isReduced && keepsUv);
      const channel = (description.channels?.[this.name] ?? []).find((c) => c.name === state.heat && c.width === 1);
      surface.colour(channel, channel ? this.bake.motion(channel.motion).at(frame) : null, state.heat ? 0.5 : state.paint === 'clay' ? 1 : ['classes', 'islands'].includes(state.paint) ? state.paint : null);
      const { wrinkles } = this.bake;
      const shows = wrinkles && isBody && this.name !== 'plain' && !off.some((layer) => layer.name.startsWith('wrinkle'));
      const wrinkleWeights = shows ? Array.from(wrinkles.weights.subarray(frame * wrinkles.maps.length, (frame + 1) * wrinkles.maps.length)) : undefined;
      skin.update({ paint: state.paint, heat: Boolean(state.heat), wrinkleWeights });
      if (strokes?.object.visible) strokes.update(frame);
    }
    for (const { object, description, motion } of [...this.lines, ...this.points]) {
      object.visible = Boolean(state.show[description.show]) && !off.some((layer) => layer.lines.includes(description.motion));
      if (!object.visible) continue;
      object.geometry.attributes.position.array.set(motion.at(frame));
      object.geometry.attributes.position.needsUpdate = true;
    }
  }
}

function movingGeometry(count) {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(count * 3), 3).setUsage(DynamicDrawUsage));
  return geometry;
}

function makeLines(bake, description) {
  const geometry = movingGeometry(bake.motion(description.motion).count);
  geometry.setIndex(new BufferAttribute(bake.section(description.segments), 1));
  const lines = new LineSegments(geometry, new LineBasicMaterial({ color: description.colour ?? '#1668b8', depthTest: description.onTop !== true, transparent: true }));
  lines.frustumCulled = false;
  lines.renderOrder = 2;
  if (description.show === 'skeleton') {
    // Lines are one pixel wide everywhere; dots make joints easy to find.
    const joints = new Points(geometry, new PointsMaterial({ color: description.colour ?? '#0f4f91', size: 6, sizeAttenuation: false, depthTest: false, transparent: true }));
    joints.frustumCulled = false;
    joints.renderOrder = 3;
    lines.add(joints);
  }
  return lines;
}

function makePoints(bake, description) {
  const points = new Points(movingGeometry(bake.motion(description.motion).count), new PointsMaterial({ color: description.colour ?? '#c22d2d', size: 7, sizeAttenuation: false, depthTest: description.onTop !== true, transparent: true }));
  points.renderOrder = 3;
  points.frustumCulled = false;
  return points;
}

/** Principal directions as short strokes, one per vertex. */
function makeStrokes(bake, description, view, surface) {
  const channels = (description.channels?.[view] ?? []).filter((c) => c.width === 3);
  if (channels.length === 0) return null;
  const count = bake.motion(channels[0].motion).count;
  const geometry = movingGeometry(count * 2 * channels.length);
  const object = new LineSegments(geometry, new LineBasicMaterial({ color: 0x111111 }));
  object.frustumCulled = false;
  const update = (frame) => {
    const p = surface.positions.at(frame);
    const out = geometry.attributes.position.array;
    channels.forEach((channel, c) => {
      const d = bake.motion(channel.motion).at(frame);
      for (let i = 0; i < count; i++) {
        const o = (c * count + i) * 6;
        for (let k = 0; k < 3; k++) {
          const half = d[i * 3 + k] * channel.strokeLength * 0.5;
          out[o + k] = p[i * 3 + k] - half;
          out[o + 3 + k] = p[i * 3 + k] + half;
        }
      }
    });
    geometry.attributes.position.needsUpdate = true;
  };
  return { object, update };
}

/** Vertices inside the ball of a close-up in the first frame; all of them where there is no ball or nothing in it. */
function shownVertices(motion, focus) {
  const all = Array.from({ length: motion.count }, (_, v) => v);
  if (!focus) return all;
  const places = motion.at(0);
  const centre = new Vector3(...focus.point);
  const place = new Vector3();
  const near = all.filter((v) => place.fromArray(places, 3 * v).distanceTo(centre) < focus.radius);
  return near.length ? near : all;
}

export class Stage {
  constructor(canvas, bake) {
    this.canvas = canvas;
    this.bake = bake;
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.renderer.toneMapping = ACESFilmicToneMapping;
    this.renderer.toneMappingExposure = 1.05;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.autoClear = false;
    this.camera = new PerspectiveCamera(32, 1, 0.01, 100);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.views = new Map(bake.meta.views.map((v) => [v.name, new View(bake, v.name)]));
    this.centres = this.pathOfBody();
    this.box = this.motionBox();
    this.addLights();
    this.frameAll();
  }

  /** Mean of the body's vertices at every frame: means of the modes, so that no frame needs to be built. In a close-up, of what it shows. */
  pathOfBody() {
    const { meta } = this.bake;
    const body = meta.surfaces.find((s) => s.kind !== 'detail') ?? meta.surfaces[0];
    const motion = this.bake.motion(body.views[meta.views[0].name]);
    const shown = shownVertices(motion, meta.cameraFocus);
    const meanOf = (values, offset) => {
      const sum = new Vector3();
      for (const v of shown) sum.set(sum.x + values[offset + 3 * v], sum.y + values[offset + 3 * v + 1], sum.z + values[offset + 3 * v + 2]);
      return sum.divideScalar(shown.length);
    };
    const modes = Array.from({ length: motion.rank }, (_, k) => meanOf(motion.basis, k * motion.size).multiplyScalar(motion.scales[k]));
    const mean = meanOf(motion.mean, 0);
    return Array.from({ length: meta.frames }, (_, f) => modes.reduce((place, mode, k) => place.addScaledVector(mode, motion.weights[f * motion.rank + k]), mean.clone()));
  }

  /** How far the body has gone over the ground since the first frame; how far what a close-up shows has gone anywhere. */
  travel(frame) {
    const path = this.centres[frame].clone().sub(this.centres[0]);
    return this.bake.meta.cameraFocus ? path : path.setY(0);
  }

  /** The camera goes with the body, or stays where it is. */
  follow(frame, isOn) {
    const wanted = isOn ? this.travel(frame) : this.followed ?? new Vector3();
    const step = wanted.clone().sub(this.followed ?? wanted);
    this.followed = isOn ? wanted : undefined;
    this.camera.position.add(step);
    this.controls.target.add(step);
    if (step.lengthSq() > 0) this.camera.lookAt(this.controls.target);
  }

  /** Box of the whole clip, from a few of its frames; some of the points stay for framing. */
  motionBox() {
    const box = new Box3();
    this.samples = [];
    const { frames } = this.bake.meta;
    const point = new Vector3();
    for (const view of this.views.values()) {
      for (const { surface } of view.surfaces) {
        for (let s = 0; s < 9; s++) {
          const frame = Math.round(((frames - 1) * s) / 8);
          const values = surface.positions.at(frame);
          const stride = 3 * Math.ceil(values.length / 3 / 1000);
          for (let i = 0; i < values.length; i += 3) {
            box.expandByPoint(point.fromArray(values, i));
            if (i % stride === 0) this.samples.push({ place: point.clone(), frame });
          }
        }
      }
    }
    return box;
  }

  addLights() {
    const centre = this.box.getCenter(new Vector3());
    const radius = this.box.getSize(new Vector3()).length() / 2 || 1;
    for (const view of this.views.values()) {
      const key = new DirectionalLight(0xfff3e4, 2.6);
      key.position.copy(centre).add(new Vector3(1.2, 1.8, 1.6).multiplyScalar(radius));
      key.target.position.copy(centre);
      key.castShadow = true;
      key.shadow.mapSize.set(1024, 1024);
      key.shadow.normalBias = radius * 0.01;
      const cameraShape = key.shadow.camera;
      cameraShape.left = cameraShape.bottom = -radius * 1.2;
      cameraShape.right = cameraShape.top = radius * 1.2;
      cameraShape.near = radius * 0.2;
      cameraShape.far = radius * 6;
      const rim = new DirectionalLight(0xcfe0ff, 1.1);
      rim.position.copy(centre).add(new Vector3(-1.5, 0.8, -1.4).multiplyScalar(radius));
      rim.target.position.copy(centre);
      const floor = new Mesh(new CircleGeometry(radius * 2.2, 64), new ShadowMaterial({ opacity: 0.22 }));
      floor.rotation.x = -Math.PI / 2;
      floor.position.set(centre.x, this.box.min.y - radius * 0.002, centre.z);
      floor.receiveShadow = true;
      view.scene.add(new HemisphereLight(0xf4f7ff, 0x8d857c, 1.25), key, key.target, rim, rim.target, floor);
    }
  }

  frameAll() {
    const isFollowing = this.state?.show.follow;
    this.followed = isFollowing ? this.travel(this.frame ?? 0) : undefined;
    const samples = this.samples.map(({ place, frame }) => (isFollowing ? place.clone().sub(this.travel(frame)).add(this.followed) : place));
    const centre = samples.reduce((sum, p) => sum.add(p), new Vector3()).divideScalar(Math.max(1, samples.length));
    const direction = new Vector3(...(this.bake.meta.cameraDirection ?? [0.45, 0.22, 1])).normalize();
    const halves = this.state?.layout === 'side' ? 2 : 1;
    const aspect = this.canvas.clientWidth / halves / Math.max(1, this.canvas.clientHeight);
    const tangent = Math.tan((this.camera.fov * Math.PI) / 360);
    const right = new Vector3(0, 1, 0).cross(direction).normalize();
    const up = direction.clone().cross(right);
    // Into the middle of what is seen from there, then the nearest distance from which every point is inside the picture.
    for (const axis of [right, up]) {
      const along = samples.map((p) => p.dot(axis));
      const [low, high] = along.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, -Infinity]);
      centre.addScaledVector(axis, (low + high) / 2 - centre.dot(axis));
    }
    const point = new Vector3();
    const distance = () => samples.reduce((fit, sample) => {
      point.subVectors(sample, centre);
      const reach = Math.max(Math.abs(point.dot(up)), Math.abs(point.dot(right)) / Math.max(aspect, 0.1)) / tangent;
      return Math.max(fit, point.dot(direction) + reach);
    }, 1e-6);
    let fit = distance();
    // What is near looks larger: move to the middle of what the camera sees, and as near as that allows.
    for (let round = 0; round < 4; round++) {
      for (const axis of [right, up]) {
        const seen = samples.map((sample) => point.subVectors(sample, centre).dot(axis) / Math.max(fit - point.dot(direction), 1e-9));
        const [low, high] = seen.reduce(([p, q], v) => [Math.min(p, v), Math.max(q, v)], [Infinity, -Infinity]);
        if (Number.isFinite(low + high)) centre.addScaledVector(axis, ((low + high) / 2) * fit);
      }
      fit = distance();
    }
    fit *= 1.12;
    const focus = this.bake.meta.cameraFocus;
    if (focus) { // a close-up: one ball fills the picture
      centre.fromArray(focus.point).add(this.followed ?? new Vector3());
      fit = focus.radius / (tangent * Math.min(aspect, 1));
    }
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(direction, fit);
    this.camera.near = fit / 100;
    this.camera.far = fit * 20;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.isFramed = true;
  }

  /** Turn (radians), shift (fractions of the view) and zoom (factor) by keyboard. */
  nudge({ turn = 0, tilt = 0, right = 0, up = 0, zoom = 1 }) {
    this.isFramed = false;
    const offset = this.camera.position.clone().sub(this.controls.target);
    if (turn) offset.applyAxisAngle(new Vector3(0, 1, 0), turn);
    if (tilt) {
      const axis = new Vector3(0, 1, 0).cross(offset).normalize();
      const angle = offset.angleTo(new Vector3(0, 1, 0));
      offset.applyAxisAngle(axis, Math.min(Math.max(tilt, -angle + 0.05), Math.PI - angle - 0.05));
    }
    offset.multiplyScalar(zoom);
    if (right || up) {
      const shift = new Vector3(right, up, 0).applyQuaternion(this.camera.quaternion).multiplyScalar(offset.length());
      this.controls.target.add(shift);
    }
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
  }

  resize() {
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
  }

  draw(frame, state) {
    this.state = state;
    this.frame = frame;
    this.follow(frame, state.show.follow);
    const { renderer, camera } = this;
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    if (width === 0 || height === 0) return;
    renderer.setScissorTest(false);
    renderer.setViewport(0, 0, width, height);
    renderer.clear();
    renderer.setScissorTest(true);
    const half = Math.floor(width / 2);
    const parts = {
      side: [[state.left, 0, half, 0, half], [state.right, half, width - half, half, width - half]],
      wipe: [[state.left, 0, width, 0, state.wipe * width], [state.right, 0, width, state.wipe * width, width * (1 - state.wipe)]],
      left: [[state.left, 0, width, 0, width]],
      right: [[state.right, 0, width, 0, width]],
    }[state.layout];
    for (const [name, x, w, scissorX, scissorW] of parts) {
      const view = this.views.get(name);
      view.setFrame(frame, state);
      camera.aspect = w / height;
      camera.updateProjectionMatrix();
      renderer.setViewport(x, 0, w, height);
      renderer.setScissor(scissorX, 0, scissorW, height);
      renderer.render(view.scene, camera);
    }
  }
}
