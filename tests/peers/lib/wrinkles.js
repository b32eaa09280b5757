// The few maps of a GLB as engines get them, and the maps of single frames.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import BABYLON from 'babylonjs';
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import './babylon_eval.js'; // brings the loaders
import { readPng } from './picture.js';

globalThis.self ??= globalThis; // GLTFLoader asks for self.URL
// What browsers do with a picture's bytes.
globalThis.createImageBitmap ??= async (blob) => readPng(Buffer.from(await blob.arrayBuffer()));

/** As docs/wrinkles.md shows it: {maps (pictures), weightsAt(seconds), stated (degrees)}. */
export async function wrinklesInThree(file) {
  const bytes = readFileSync(file);
  const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const { scene, animations, parser } = await new GLTFLoader().parseAsync(data, '');
  const node = scene.getObjectByName('wrinkles');
  const { maps, error_degrees } = node.userData.cutis_wrinkles;
  const textures = await Promise.all(maps.map(({ texture }) => parser.getDependency('texture', texture)));
  for (const texture of textures) assert.equal(texture.flipY, false);
  const mixer = new THREE.AnimationMixer(scene);
  const action = mixer.clipAction(animations[0]).setLoop(THREE.LoopOnce);
  action.clampWhenFinished = true;
  action.play();
  return {
    maps: textures.map((texture) => texture.image),
    stated: error_degrees,
    weightsAt(seconds) {
      mixer.setTime(seconds);
      return node.children.map((child) => child.position.x);
    },
  };
}

/** The same in Babylon.js. */
export async function wrinklesInBabylon(file) {
  const scene = new BABYLON.Scene(new BABYLON.NullEngine());
  new BABYLON.FreeCamera('camera', BABYLON.Vector3.Zero(), scene);
  let parsed;
  BABYLON.SceneLoader.OnPluginActivatedObservable.addOnce((loader) => {
    loader.animationStartMode = 0; // none
    loader.onParsedObservable.add((gltf) => (parsed = gltf));
  });
  const data = `data:model/gltf-binary;base64,${readFileSync(file).toString('base64')}`;
  await BABYLON.SceneLoader.AppendAsync('', data, scene, undefined, '.glb');
  const node = scene.getTransformNodeByName('wrinkles');
  const { maps, error_degrees } = node.metadata.gltf.extras.cutis_wrinkles;
  const { json, bin } = parsed;
  const pictures = maps.map(async ({ texture }) => {
    const view = json.bufferViews[json.images[json.textures[texture].source].bufferView];
    return readPng(Buffer.from(await bin.readAsync(view.byteOffset ?? 0, view.byteLength)));
  });
  const nodes = maps.map(({ name }) => scene.getTransformNodeByName(name));
  const group = scene.animationGroups[0];
  group.start(false, 1, group.from, group.to);
  return {
    maps: await Promise.all(pictures),
    stated: error_degrees,
    weightsAt(seconds) {
      group.goToFrame(Math.min(group.to, seconds * 60)); // Babylon counts keys of glTF in sixtieths of a second
      scene.render();
      return nodes.map((one) => one.position.x);
    },
  };
}

/** Files of a bake by frame: {normal: [...], height: [...], facts}. */
export function mapFiles(report) {
  const files = report.outputs.filter(({ format }) => format === 'png').map((one) => one.path);
  const of = (kind) => files.filter((file) => new RegExp(`\\.${kind}\\.\\d+\\.png$`).test(file)).sort();
  const facts = JSON.parse(readFileSync(files.find((file) => path.basename(file).endsWith('.maps.json')))).maps[0];
  return { normal: of('normal'), height: of('height'), facts };
}

/** x y z of a texel of a normal map. */
export function normalAt(picture, texel) {
  return [0, 1, 2].map((c) => 2 * picture.values[picture.channels * texel + c] - 1);
}

/** Angle in degrees between two directions of any length. */
export function angle(a, b) {
  const dot = a.reduce((sum, x, c) => sum + x * b[c], 0);
  return (Math.acos(Math.min(1, dot / (Math.hypot(...a) * Math.hypot(...b)))) * 180) / Math.PI;
}
