// Where three.js puts every vertex of a glTF file at given times.
//
// No WebGL: skinning and morphing are done by three's own CPU path (Mesh.getVertexPosition and
// SkinnedMesh.applyBoneTransform), animation by AnimationMixer.
import * as THREE from 'three';
import { MeshoptDecoder } from 'three/addons/libs/meshopt_decoder.module.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { glbBytes, meshNodesInOrder, readGltf, withoutMaterials } from './gltf_file.js';

globalThis.self ??= globalThis; // GLTFLoader asks for self.URL

function toArrayBuffer(bytes) {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
}

function nodeIndexOf(object, associations) {
  for (let at = object; at; at = at.parent) {
    const found = associations.get(at);
    if (found?.nodes !== undefined) return found.nodes;
  }
  throw new Error('three: a mesh that belongs to no glTF node');
}

/**
 * three.js takes rotations as the file rounds them (to bytes, shorts, three digits) and so also scales
 * by their length squared; glTF means unit quaternions, which Blender and others make of them. Keys of
 * splines stay: the curve through them is normalised where it is used.
 */
function normaliseRotationKeys(track) {
  if (track.ValueTypeName !== 'quaternion') return;
  if (track.values.length !== track.times.length * 4) return; // with tangents
  const values = Float64Array.from(track.values);
  for (let i = 0; i < values.length; i += 4) {
    const length = Math.hypot(...values.subarray(i, i + 4));
    for (let k = 0; k < 4; ++k) values[i + k] /= length;
  }
  track.values = values;
}

/** A loaded file: its drawn primitives in the program's order of nodes, then by primitive. */
export class ThreeScene {
  static async load(file) {
    const source = withoutMaterials(readGltf(file));
    const gltf = await new Promise((resolve, reject) => {
      const loader = new GLTFLoader().setMeshoptDecoder(MeshoptDecoder);
      loader.parse(toArrayBuffer(glbBytes(source)), '', resolve, reject);
    });
    return new ThreeScene(gltf, meshNodesInOrder(source));
  }

  constructor(gltf, order) {
    this.scene = gltf.scene;
    this.animations = gltf.animations;
    for (const { tracks } of this.animations) tracks.forEach(normaliseRotationKeys);
    const associations = gltf.parser.associations;
    this.primitives = [];
    this.scene.traverse((object) => {
      if (!object.isMesh) return;
      this.primitives.push({
        object,
        node: nodeIndexOf(object, associations),
        primitive: associations.get(object).primitives,
      });
    });
    const place = new Map(order.map((node, i) => [node, i]));
    this.primitives.sort(
      (a, b) => place.get(a.node) - place.get(b.node) || a.primitive - b.primitive,
    );
  }

  /** Only the meshes of these names from now on. */
  only(...names) {
    this.primitives = this.primitives.filter(
      ({ object }) => names.includes(object.name) || names.includes(object.parent.name),
    );
  }

  get vertexCount() {
    return this.primitives.reduce((sum, p) => sum + p.object.geometry.attributes.position.count, 0);
  }

  /** Poses the scene by a clip (or none) and gives world positions of all vertices, x y z. */
  pose(clipIndex, time) {
    if (clipIndex !== undefined) {
      const mixer = new THREE.AnimationMixer(this.scene);
      const action = mixer.clipAction(this.animations[clipIndex]);
      action.setLoop(THREE.LoopOnce);
      action.clampWhenFinished = true; // else the last key would show the first pose
      action.play();
      mixer.setTime(time);
      this.updateMatrices();
      const positions = this.positions();
      mixer.stopAllAction(); // puts every property back as the file has it
      mixer.uncacheRoot(this.scene);
      return positions;
    }
    this.updateMatrices();
    return this.positions();
  }

  /** Rotations of nodes as units, too, and those that come out of splines. */
  updateMatrices() {
    this.scene.traverse((object) => object.quaternion.normalize());
    this.scene.updateMatrixWorld(true);
  }

  positions() {
    const out = new Float64Array(this.vertexCount * 3);
    const point = new THREE.Vector3();
    let at = 0;
    for (const { object } of this.primitives) {
      const count = object.geometry.attributes.position.count;
      for (let i = 0; i < count; ++i) {
        // getVertexPosition is in the mesh's own space, where three takes the mesh node's
        // transform back out again (attached bind mode), so that in the world it is ignored.
        object.getVertexPosition(i, point).applyMatrix4(object.matrixWorld);
        point.toArray(out, at);
        at += 3;
      }
    }
    return out;
  }

  /** Corners of all triangles as indices into positions(). */
  triangles() {
    const out = [];
    let first = 0;
    for (const { object } of this.primitives) {
      const { index, attributes } = object.geometry;
      const corners = index ? index.count : attributes.position.count;
      for (let i = 0; i < corners; ++i) out.push(first + (index ? index.getX(i) : i));
      first += attributes.position.count;
    }
    return out;
  }

  /** u and v (down, as glTF counts) of each vertex; NaN where a primitive has none. */
  uv() {
    const out = new Float64Array(this.vertexCount * 2).fill(NaN);
    let at = 0;
    for (const { object } of this.primitives) {
      const { position, uv } = object.geometry.attributes;
      for (let i = 0; i < position.count; ++i, at += 2) {
        if (uv) out.set([uv.getX(i), uv.getY(i)], at);
      }
    }
    return out;
  }

  get hasUv() {
    return this.primitives.some(({ object }) => object.geometry.attributes.uv !== undefined);
  }
}
