// Pictures of docs/curve.md: bodies and the curves that carry their flesh.
//   node web/curve-sheets.mjs PROGRAM [NAME...]      all where no name is given
// Writes docs/pictures/curve-NAME.jpg.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sheetOf } from './sheet.mjs';
import { launch, open, project } from './test/browser.mjs';

const [program, ...names] = process.argv.slice(2);
if (!program) throw new Error('expected: node web/curve-sheets.mjs PROGRAM [NAME...]');
const documentBytes = 300_000;

/** Layers of an example, and a page of this sheet's own. */
const example = (name) => readFileSync(join(project, 'examples', `${name}.toml`), 'utf8').split('[output]')[0];
const page = (keys) => `[output]\nformats = ["html"]\n[output.html]\n${keys}\n`;
const ends = ['head', 'cannon_front_left', 'cannon_front_right', 'cannon_hind_left', 'cannon_hind_right'];
const wholeHorse = example('horse-run') + ends.map((joint) => `[[layer]]\nkind = "curve"\nfrom = "${joint}"\ninertia = 0\n\n`).join('');

// A colour for each layer: parts that touch differ.
const horse = { torso: '#1f5fa8', neck: '#c25e00', tail: '#7a3fa0', thigh: '#b3203c', shin: '#137a4b', head: '#0f7285' };
const horseParts = ['torso', 'neck', 'tail', 'thigh', 'thigh', 'thigh', 'thigh', 'head', 'shin', 'shin', 'shin', 'shin'].map((part) => horse[part]);
const fromBehind = 'paint = "skin"\ncamera = [0.12, 0.75, -1]\nfocus = [-0.14, 1.0, -0.8, 0.98]\nfollow = true';
const physicalTail = `[body]
actor = "dinosaur"
clip = "walk"
[[layer]]
kind = "curve"
from = "tail_1"
frequency = 1.2
damping = 0.2
inertia = 1
limit = 0.8
`;

// Pictures in rows, each a frame and how the body is dressed in it. `lift`: how far lines come towards the camera, in its distances.
const sheets = {
  network: { scene: wholeHorse + page('paint = "clay"\ncamera = [1, 0.16, 0.45]'), colours: horseParts, size: [520, 400], zoom: 0.94, light: 1.8, shots: [['mesh', 'both', 'curves'].map((look) => [18, look])] },
  network_running: {
    scene: wholeHorse + page('paint = "skin"\ncamera = [1, 0.16, 0.45]'), colours: horseParts, size: [360, 280], zoom: 0.95,
    shots: ['skin', 'curves'].map((look) => [0, 4, 8, 12].map((frame) => [frame, look])),
  },
  network_arm: {
    scene: example('arm-bend').replace('kind = "curve"', 'kind = "curve"\ncurves = 22\nnodes = 34') + page('paint = "skin"\ncamera = [0.1, 0.7, 1]'), colours: ['#b3203c'], size: [500, 350], zoom: 0.95, lift: 0.01,
    shots: ['skin', 'curves'].map((look) => [0, 13, 28].map((frame) => [frame, look])),
  },
  tail_swing: { scene: physicalTail + page(fromBehind), size: [400, 430], labels: true, shots: [[[37, 'plain'], [37, 'over plain'], [53, 'plain'], [53, 'over plain']]] },
};
const unknown = names.filter((name) => !(name in sheets));
if (unknown.length) throw new Error(`expected ${Object.keys(sheets).join(', ')}, found ${unknown.join(', ')}`);

/**
 * Dresses the body: plain skinning; cutis as skin, as skin over a shadow of the plain one, as triangles, with curves on it,
 * or curves alone, where the body is a pale hint that hides those behind it.
 */
function dress(page, frame, look, colours, lift) {
  return page.evaluate(([at, shown, list, step]) => {
    const { stage, state, actions } = window.cutis;
    const view = stage.views.get('cutis');
    const plain = stage.views.get('plain')?.surfaces[0];
    const Basic = view.surfaces[0].wire.material.constructor;
    actions.set({ layout: shown === 'plain' ? 'left' : 'right' });
    Object.assign(state.show, { curves: shown === 'curves' || shown === 'both', wireframe: shown === 'mesh' });
    const { mesh, skin } = view.surfaces[0];
    mesh.material = shown === 'curves' ? new Basic({ color: '#eef0f3', toneMapped: false }) : skin.material;
    // Chords of a round body lie inside it: it steps back, most where it turns away, and they towards the camera.
    Object.assign(mesh.material, { polygonOffset: state.show.curves, polygonOffsetFactor: 8, polygonOffsetUnits: 1 });
    view.scene.remove(view.hint);
    if (shown === 'over plain') {
      plain.surface.setFrame(at, [], false);
      view.hint = new mesh.constructor(plain.surface.geometry, new Basic({ color: '#9cc0ee', toneMapped: false, depthWrite: false }));
      Object.assign(view.hint, { frustumCulled: false, renderOrder: -1 }); // first, and the body covers it
      view.scene.add(view.hint);
    }
    const towards = stage.camera.position.clone().sub(stage.controls.target);
    view.lines.forEach(({ object }, i) => {
      Object.assign(object.material, { depthTest: true, toneMapped: false });
      object.material.color.set(list[i % list.length]);
      object.position.copy(towards).multiplyScalar(step);
    });
    window.cutis.at(at);
  }, [frame, look, colours, lift]);
}

const browser = await launch();
for (const name of names.length ? names : Object.keys(sheets)) {
  const { scene, colours = [], size: [width, height], zoom = 1, light = 1, lift = 0.004, labels = false, shots } = sheets[name];
  const folder = mkdtempSync(join(tmpdir(), 'cutis-'));
  writeFileSync(join(folder, 'scene.toml'), scene);
  const report = JSON.parse(execFileSync(program, ['bake', join(folder, 'scene.toml'), '-o', folder, '--json'], { encoding: 'utf8', maxBuffer: 1 << 26, stdio: ['ignore', 'pipe', 'inherit'] }));
  const { page: shown, context } = await open(browser, report.outputs.find((file) => file.format === 'html').path);
  await shown.setViewportSize({ width, height });
  await shown.addStyleTag({ content: `header, footer, #panel${labels ? '' : ', #left-label, #right-label'} { display: none !important }` });
  await shown.waitForFunction((w) => document.getElementById('canvas').clientWidth === w, width);
  await shown.evaluate(([factor, brightness]) => {
    const { stage, actions } = window.cutis;
    stage.resize();
    actions.set({ layout: 'right' });
    actions.frameAll();
    stage.nudge({ zoom: factor });
    stage.renderer.toneMappingExposure *= brightness;
    for (const { scene } of stage.views.values()) {
      for (const { material } of scene.children) if (material?.type === 'ShadowMaterial') material.opacity = 0.12; // a hint of the ground
    }
  }, [zoom, light]);
  const rows = [];
  for (const row of shots) {
    const pictures = [];
    for (const [frame, look] of row) {
      await dress(shown, frame, look, colours, lift);
      pictures.push((await shown.locator('#stage').screenshot()).toString('base64'));
    }
    rows.push(pictures);
  }
  const [, jpeg] = await sheetOf(context, rows);
  await context.close();
  rmSync(folder, { recursive: true });
  if (jpeg.length > documentBytes) throw new Error(`${name}: picture of ${jpeg.length} bytes, at most ${documentBytes} wanted`);
  const file = `curve-${name.replaceAll('_', '-')}.jpg`;
  writeFileSync(join(project, 'docs', 'pictures', file), jpeg);
  console.log(`docs/pictures/${file}: ${jpeg.length} bytes`);
}
await browser.close();
