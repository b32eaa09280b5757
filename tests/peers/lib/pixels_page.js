// Runs in a browser: three.js draws a GLB, once as it stands and at a time of its first clip.
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { MeshoptDecoder } from 'three/addons/libs/meshopt_decoder.module.js';

const side = 192;
const renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
renderer.setSize(side, side, false);

function boxOf(scene) {
  const box = new THREE.Box3();
  scene.traverse((object) => {
    if (!object.isMesh) return;
    const point = new THREE.Vector3();
    for (let i = 0; i < object.geometry.attributes.position.count; i++) {
      box.expandByPoint(object.getVertexPosition(i, point).applyMatrix4(object.matrixWorld));
    }
  });
  return box;
}

function draw(scene, camera) {
  renderer.render(scene, camera);
  const pixels = new Uint8Array(side * side * 4);
  const gl = renderer.getContext();
  gl.readPixels(0, 0, side, side, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  return Array.from(pixels);
}

/** Pixels of the file as it stands and at `share` of its first clip: rows of r g b a. */
window.drawGlb = async (base64, share) => {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const gltf = await new GLTFLoader().setMeshoptDecoder(MeshoptDecoder).parseAsync(bytes.buffer, '');
  const scene = new THREE.Scene();
  scene.background = new THREE.Color(0.35, 0.4, 0.5);
  scene.add(new THREE.HemisphereLight(0xffffff, 0x444444, 2));
  const sun = new THREE.DirectionalLight(0xffffff, 2);
  sun.position.set(1, 2, 3);
  scene.add(sun, gltf.scene);
  scene.updateMatrixWorld(true);
  const box = boxOf(gltf.scene);
  if (box.isEmpty()) return [];
  const size = Math.max(box.getSize(new THREE.Vector3()).length(), 1e-6);
  const camera = new THREE.PerspectiveCamera(40, 1, size * 0.01, size * 10);
  box.getCenter(camera.position).add(new THREE.Vector3(0.6, 0.35, 1).normalize().multiplyScalar(1.5 * size));
  camera.lookAt(box.getCenter(new THREE.Vector3()));
  const pictures = [draw(scene, camera)];
  if (gltf.animations.length > 0) {
    const mixer = new THREE.AnimationMixer(gltf.scene);
    mixer.clipAction(gltf.animations[0]).play();
    mixer.setTime(share * gltf.animations[0].duration);
    scene.updateMatrixWorld(true);
    pictures.push(draw(scene, camera));
  }
  return pictures;
};
