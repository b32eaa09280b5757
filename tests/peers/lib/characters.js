// The files that must be there: without them "every rigged file" would quietly mean none.
import path from 'node:path';
import { clipsOf, readGltf } from './gltf_file.js';
import { DATA, gltfNames } from './program.js';

export const REQUIRED = [
  'dancer/dancer.glb',
  'khronos-gltf/AnimatedMorphCube-Quantized/AnimatedMorphCube.gltf',
  'khronos-gltf/AnimatedMorphCube.glb',
  'khronos-gltf/CesiumMan.glb',
  'khronos-gltf/Fox.glb',
  'khronos-gltf/InterpolationTest.glb',
  'khronos-gltf/MorphStressTest.glb',
  'khronos-gltf/RecursiveSkeletons.glb',
  'khronos-gltf/RiggedFigure.glb',
  'khronos-gltf/RiggedSimple.glb',
  'khronos-gltf/SimpleSkin-Embedded.gltf',
  'khronos-gltf/SimpleSkin/SimpleSkin.gltf',
  'quaternius/Apatosaurus.glb',
  'quaternius/Horse.glb',
  'quaternius/Superhero_Female_FullBody.glb',
  'quaternius/Trex.glb',
  'webxr-hand/left.glb',
  'webxr-hand/right.glb',
];

/** Every glTF file of the data folder with its clips; a file without clips has one, the rest pose. */
export function characters() {
  return gltfNames().map((name) => {
    const file = path.join(DATA, name);
    const clips = clipsOf(readGltf(file));
    const rest = {
      index: undefined,
      name: undefined,
      keys: [0],
      start: 0,
      end: 0,
      interpolations: [],
    };
    return { name, file, clips: clips.length > 0 ? clips : [rest] };
  });
}

export function labelOf(clip) {
  return clip.index === undefined ? 'rest pose' : (clip.name ?? `clip ${clip.index}`);
}
