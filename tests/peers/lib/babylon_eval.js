// Where Babylon.js puts every vertex of a glTF file at given times, with its NullEngine: no window, no WebGL. Skinning
// and morphing are done by Babylon's own CPU path (AbstractMesh.getPositionData), animation by its AnimationGroup.
import BABYLON from 'babylonjs';
import { glbBytes, meshNodesInOrder, readGltf, withoutMaterials } from './gltf_file.js';

// The loaders look for these where a browser has them.
globalThis.BABYLON = BABYLON;
globalThis.XMLHttpRequest ??= class {};
await import('babylonjs-loaders');
BABYLON.Logger.LogLevels = BABYLON.Logger.ErrorLogLevel;

export class BabylonScene {
  static async load(file) {
    const source = withoutMaterials(readGltf(file));
    const bytes = glbBytes(source);
    const engine = new BABYLON.NullEngine();
    const scene = new BABYLON.Scene(engine);
    scene.useRightHandedSystem = true;
    new BABYLON.FreeCamera('camera', BABYLON.Vector3.Zero(), scene);
    BABYLON.SceneLoader.OnPluginActivatedObservable.addOnce((loader) => {
      loader.animationStartMode = 0; // none
    });
    const data = `data:model/gltf-binary;base64,${Buffer.from(bytes).toString('base64')}`;
    await BABYLON.SceneLoader.AppendAsync('', data, scene, undefined, '.glb');
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

  /** Poses the scene by a clip and gives world positions of all vertices, x y z. Once: Babylon skins its rest shape in place. */
  pose(clipIndex, time) {
    const group = this.groups[clipIndex];
    group.start(false, 1, group.from, group.to);
    group.goToFrame(Math.min(group.to, time * 60)); // Babylon counts keys of glTF in sixtieths of a second
    group.pause();
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
