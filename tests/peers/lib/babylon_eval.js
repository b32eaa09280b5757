// Where Babylon.js puts every vertex of a glTF file at given times, with its NullEngine: no window, no WebGL. Skinning
// and morphing are done by Babylon's own CPU path (AbstractMesh.getPositionData), animation by its AnimationGroup.
import { createHash } from 'node:crypto';
import BABYLON from 'babylonjs';
import { glbBytes, meshNodesInOrder, readGltf, withoutMaterials } from './gltf_file.js';

// The loaders look for these where a browser has them.
globalThis.BABYLON = BABYLON;
globalThis.XMLHttpRequest ??= class {};
await import('babylonjs-loaders');
BABYLON.Logger.LogLevels = BABYLON.Logger.ErrorLogLevel;

async function open(source) {
  const scene = new BABYLON.Scene(new BABYLON.NullEngine());
  scene.useRightHandedSystem = true;
  new BABYLON.FreeCamera('camera', BABYLON.Vector3.Zero(), scene);
  BABYLON.SceneLoader.OnPluginActivatedObservable.addOnce((loader) => {
    loader.animationStartMode = 0; // none
  });
  const data = `data:model/gltf-binary;base64,${Buffer.from(glbBytes(source)).toString('base64')}`;
  await BABYLON.SceneLoader.AppendAsync('', data, scene, undefined, '.glb');
  return scene;
}

const numbers = (value) => (value?.asArray ? value.asArray() : value);

function describeTexture(texture) {
  if (!texture) return null;
  const { name, coordinatesIndex, uOffset, vOffset, uScale, vScale, wAng, wrapU, wrapV, level } = texture;
  return { name, coordinatesIndex, uOffset, vOffset, uScale, vScale, wAng, wrapU, wrapV, level };
}

/** What Babylon makes of a file, but for where its vertices are at a time. */
export async function describeInBabylon(file) {
  const scene = await open(readGltf(file));
  const nodes = scene.getNodes().map((node) => ({
    name: node.name,
    kind: node.getClassName(),
    parent: node.parent?.name ?? null,
    place: [node.position, node.rotationQuaternion, node.scaling].map((one) => numbers(one) ?? null),
    extras: node.metadata?.gltf?.extras ?? null,
    vertices: node.getTotalVertices?.() ?? 0,
    triangles: (node.getTotalIndices?.() ?? 0) / 3,
    uvs: ['uv', 'uv2', 'uv3'].map((kind) => (node.getVerticesData?.(kind) ? checksum(node.getVerticesData(kind)) : 0)),
    material: node.material?.name ?? null,
    skeleton: node.skeleton?.name ?? null,
    targets: Array.from({ length: node.morphTargetManager?.numTargets ?? 0 }, (_, t) => {
      const { name, influence } = node.morphTargetManager.getTarget(t);
      return [name, influence];
    }),
  }));
  const materials = scene.materials.map((one) => ({
    name: one.name,
    kind: one.getClassName(),
    colour: numbers(one.albedoColor),
    light: numbers(one.emissiveColor),
    alpha: [one.alpha, one.transparencyMode, one.alphaCutOff],
    surface: [one.metallic, one.roughness, one.backFaceCulling],
    textures: ['albedoTexture', 'bumpTexture', 'metallicTexture', 'ambientTexture', 'emissiveTexture'].map((key) => describeTexture(one[key])),
  }));
  const out = {
    nodes,
    materials,
    skeletons: scene.skeletons.map((one) => [one.name, one.bones.map((bone) => [bone.name, bone.getParent()?.name ?? null])]),
    clips: scene.animationGroups.map((one) => [one.name, one.from, one.to, one.targetedAnimations.length]),
    cameras: scene.cameras.map((one) => one.name),
  };
  scene.getEngine().dispose();
  return out;
}

/** Of numbers in their order. */
function checksum(values) {
  const bytes = Float32Array.from(values);
  return createHash('sha256').update(Buffer.from(bytes.buffer)).digest('hex');
}

export class BabylonScene {
  static async load(file) {
    const source = withoutMaterials(readGltf(file));
    const scene = await open(source);
    return new BabylonScene(scene, source);
  }

  constructor(scene, source) {
    this.scene = scene;
    this.groups = scene.animationGroups;
    // A mesh of one primitive has the name of its node, others NODE_primitive0, NODE_primitive1 ...
    const placeOf = new Map();
    meshNodesInOrder(source).forEach((node, place) => placeOf.set(source.json.nodes[node].name, place));
    this.primitives = [];
    for (const mesh of scene.meshes) {
      if (mesh.getTotalVertices() === 0) continue;
      const [, node, primitive] = /^(.*?)(?:_primitive(\d+))?$/.exec(mesh.name);
      this.primitives.push({ mesh, place: placeOf.get(node) ?? 0, primitive: Number(primitive ?? 0) });
    }
    this.primitives.sort((a, b) => a.place - b.place || a.primitive - b.primitive);
  }

  get names() {
    return this.scene.getNodes().map(({ name }) => name);
  }

  /** At a share of the clip's length, 0 to 1; without a clip as the file stands. */
  poseAtShare(clipIndex, share) {
    const group = this.groups[clipIndex];
    return this.pose(clipIndex, group ? (group.from + share * (group.to - group.from)) / 60 : 0);
  }

  /** Poses the scene by a clip and gives world positions of all vertices, x y z. Once: Babylon skins its rest shape in place. */
  pose(clipIndex, time) {
    if (clipIndex !== undefined) {
      const group = this.groups[clipIndex];
      group.start(false, 1, group.from, group.to);
      group.goToFrame(Math.min(group.to, time * 60)); // Babylon counts keys of glTF in sixtieths of a second
      group.pause();
    }
    this.scene.render();
    const out = [];
    for (const { mesh } of this.primitives) {
      mesh.computeWorldMatrix(true);
      mesh.skeleton?.prepare(true);
      const positions = mesh.getPositionData(true, true);
      const world = mesh.getWorldMatrix();
      const point = new BABYLON.Vector3();
      for (let i = 0; i < positions.length; i += 3) {
        BABYLON.Vector3.TransformCoordinatesFromFloatsToRef(
          positions[i], positions[i + 1], positions[i + 2], world, point,
        );
        out.push(point.x, point.y, point.z);
      }
    }
    this.scene.getEngine().dispose();
    return Float64Array.from(out);
  }
}
