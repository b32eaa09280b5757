// Takes the pictures of the layers' pages: what some parameters do, three values beside each other.
//   node web/parameters.mjs PROGRAM [LAYER or LAYER-NAME...]
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch, open, project } from './test/browser.mjs';

const [program, ...names] = process.argv.slice(2);
if (!program) throw new Error('expected: node web/parameters.mjs PROGRAM [NAME...]');
const usualSize = 230;
const documentBytes = 300_000;

const tail = { layer: 'curve', body: 'dinosaur', clip: 'walk', frame: 24, heat: 'curve displacement', page: 'camera = [1, 0.3, -0.2]\nfocus = [0, 1.2, -1, 0.85]\nfollow = true' };
const belly = { ...tail, frame: 22, page: 'camera = [1, 0.05, 0.5]\nfocus = [0, 0.95, 0.1, 0.95]\nfollow = true' };
const onTail = 'from = "tail_1"\nfrequency = 1.2\ndamping = 0.2\ninertia = 0.6\n';
const onBelly = 'to = ["neck_1", "tail_1"]\nwithout = ["thigh_left", "thigh_right", "upper_arm_left", "upper_arm_right"]\nfrequency = 3\ndamping = 0.2\ninertia = 1\n';
const without = (text, key) => text.split('\n').filter((line) => !line.startsWith(`${key} =`)).join('\n');
const hide = { layer: 'shell', body: 'dinosaur', clip: 'walk', frame: 22, paint: 'skin', page: 'camera = [1, 0.3, 0.5]\nfocus = [0, 1.3, 0.2, 0.7]\nfollow = true' };
const scales = 'detail = "scale"\naxis = [0, -0.2, -1]\nsize = 0.045\nspacing = 0.62\nheight = 0.02\n';

const tube = { layer: 'fold', body: 'cylinder', clip: 'bend', frame: 30, paint: 'clay', page: 'camera = [0.15, 0.9, 0.7]\nfocus = [0, 0.1, 0.05, 0.33]' };

// Straight fingers, whose knuckles hold the skin a fist needs: the first frame shows it.
const knuckles = { layer: 'wrinkle', body: 'hand', clip: 'fist', frame: 0, size: 300, paint: 'clay', page: 'camera = [-0.2, 0.35, -1]\nfocus = [0.008, 0.125, 0, 0.06]' };

// A hand that has closed, its palm.
const palm = { ...knuckles, frame: 30, page: 'camera = [0.2, 0.2, 1]\nfocus = [0.02, 0.07, 0.02, 0.05]' };

// Which layers of the creature there are, from left to right; the layers themselves are those of the demo.
const creatureLayers = readFileSync(join(project, 'examples', 'creature-walk.toml'), 'utf8').split('[output]')[0].split('[[layer]]').slice(1);
const layersOf = (kinds) => creatureLayers.filter((text) => kinds.split(', ').includes(text.match(/kind = "(\w+)"/)[1])).map((text) => `[[layer]]${text}`).join('');
const creature = { layer: 'stack', body: 'creature', clip: 'walk', paint: 'tattoo', scene: layersOf };
const wholeCreature = 'camera = [1, 0.28, 0.75]\nfollow = true';
const creatureTail = 'camera = [0.5, 0.9, -0.5]\nfocus = [0, 1.3, -1.1, 0.7]\nfollow = true';
const creatureLegs = 'camera = [1, 0.1, 0.7]\nfocus = [0, 0.95, 0.05, 0.42]\nfollow = true';
const creatureNeck = 'camera = [1, 0.15, 0.35]\nfocus = [0, 1.6, 0.85, 0.42]\nfollow = true';

// Body, frame to show, what stays, and the lines that differ.
const rows = [
  ...['frequency = 0.7|frequency = 1.2|frequency = 4', 'damping = 0.05|damping = 0.2|damping = 0.8', 'inertia = 0|inertia = 0.6|inertia = 1.5', 'limit = 0.05|limit = 0.15|limit = 0.4', 'free_tip = false|free_tip = true']
    .map((list) => ({ ...tail, name: list.split(' ')[0], stays: without(onTail, list.split(' ')[0]), values: list.split('|') })),
  ...['soft = 0|soft = 0.5|soft = 1', 'lively = 0.2|lively = 0.6|lively = 1', 'damped = 0|damped = 0.5|damped = 1']
    .map((list) => ({ ...tail, name: list.split(' ')[0], stays: without(onTail, { soft: 'frequency', lively: 'inertia', damped: 'damping' }[list.split(' ')[0]]), values: list.split('|') })),
  { ...tail, name: 'preset', stays: 'from = "tail_1"', values: ['tail', 'trunk', 'wattle', 'ear', 'fin'].map((name) => `preset = "${name}"`) },
  { ...belly, name: 'preset_body', stays: ['frequency', 'damping', 'inertia'].reduce(without, onBelly), values: ['belly', 'breast', 'thigh', 'cheek'].map((name) => `preset = "${name}"`) },
  { ...belly, name: 'collider', stays: `${onBelly}collide = false`, values: ['', '[[layer.collider]]\nshape = "capsule"\nnode = "thigh_left"\nat = [0, 0.05, 0.25]\nto = [0, -0.25, 0.25]\nradius = 0.16'], captions: ['nothing to meet', 'a capsule on the thigh'] },
  { ...belly, name: 'skirt', stays: onBelly, values: ['skirt = 0', 'skirt = 1', 'skirt = 2'] },
  ...['detail = "scale"|detail = "spike"|detail = "hair"', 'size = 0.025|size = 0.045|size = 0.08', 'spacing = 0.5|spacing = 0.8|spacing = 1.4', 'height = 0.01|height = 0.02|height = 0.05', 'turn = 0|turn = 15|turn = 60', 'size_variation = 0|size_variation = 0.2|size_variation = 0.6']
    .map((list) => ({ ...hide, name: list.split(' ')[0], stays: without(scales, list.split(' ')[0]), values: list.split('|') })),
  ...[['all', 22, wholeCreature, ['none', 'curve', 'curve, fold', 'curve, fold, slide', 'curve, fold, slide, shell']],
    ['curve', 44, creatureTail, ['none', 'curve']], ['fold', 12, creatureLegs, ['none', 'fold']],
    ['slide', 104, creatureNeck, ['none', 'slide']], ['shell', 44, creatureTail, ['none', 'shell']],
    ['curve-shell', 44, creatureTail, ['shell', 'curve, shell']], ['stride', 12, 'camera = [1, 0.2, -0.1]\nfocus = [0, 1.05, -0.35, 0.75]\nfollow = true', ['none', 'curve, fold, slide, shell']]]
    .map(([name, frame, page, values]) => ({ ...creature, name, frame, page, values })),
  { ...tube, name: 'cloth', stays: 'edges_per_fold = 10', values: ['jersey', 'denim', 'leather', 'skin'].map((cloth) => `cloth = "${cloth}"`) },
  ...['density = 0.6|density = 1|density = 1.8', 'irregularity = 0|irregularity = 1|irregularity = 1.5', 'slack = 0|slack = 0.08|slack = 0.2', 'sharpness = 0|sharpness = 0.5|sharpness = 1']
    .map((list) => ({ ...tube, name: list.split(' ')[0], stays: 'edges_per_fold = 10', values: list.split('|') })),
  { name: 'tether', body: 'cylinder', clip: 'twist', frame: 30, stays: '', values: ['tether = 0', 'tether = 500', 'tether = 10000'] },
  { name: 'young_modulus', body: 'cylinder', clip: 'twist', frame: 30, stays: 'tether = 1000', values: ['young_modulus = 10', 'young_modulus = 200', 'young_modulus = 5000'] },
  { name: 'rim', body: 'cylinder', clip: 'twist', frame: 30, stays: 'tether = 0', values: ['rim = "pin"', 'rim = "glide"', 'rim = "free"'] },
  { name: 'pins', body: 'cylinder', clip: 'twist', frame: 30, stays: 'tether = 0\nrim = "glide"', values: ['', ...['pins', 'glides'].map((kind) => `${kind} = [{ box = [-0.05, -1, -1, 0.05, 1, 1] }]`)], captions: ['no pins', 'pins in the middle', 'glides in the middle'] },
  { name: 'stickiness', body: 'torus', clip: 'shake', frame: 11, stays: 'tether = 0\ndamping = 1\nstep = 0.001', heat: 'slide distance', values: ['stickiness = 0', 'stickiness = 0.5', 'stickiness = 1'] },
  { name: 'damping', body: 'torus', clip: 'shake', frame: 50, stays: 'tether = 200\nstickiness = 0\nstep = 0.001', heat: 'slide distance', values: ['damping = 0', 'damping = 5', 'damping = 50'] },
  { name: 'material', body: 'torus', clip: 'bulge', frame: 30, stays: 'tether = 0', heat: 'stress', values: ['material = "neo-hookean"', 'material = "st-venant-kirchhoff"', 'material = "fung"\nfung_exponent = 5'], captions: ['neo-hookean', 'st-venant-kirchhoff', 'fung, fung_exponent = 5'] },
  { name: 'initial_stretch', body: 'torus', clip: 'bulge', frame: 30, stays: 'tether = 500', heat: 'wrinkle amplitude', values: ['initial_stretch = 0.8', 'initial_stretch = 1', 'initial_stretch = 1.2'] },
  { name: 'area_preservation', body: 'torus', clip: 'bulge', frame: 30, stays: 'tether = 0', heat: 'minor stretch', values: ['area_preservation = 0', 'area_preservation = 200', 'area_preservation = 5000'] },
  { name: 'poisson_ratio', body: 'torus', clip: 'bulge', frame: 30, stays: 'tether = 0', heat: 'minor stretch', values: ['poisson_ratio = -0.5', 'poisson_ratio = 0.3', 'poisson_ratio = 0.95'] },
  { name: 'directed_stretch', body: 'torus', clip: 'bulge', frame: 30, stays: 'tether = 500\nstretch_direction = [0, 1, 0]', heat: 'wrinkle amplitude', values: ['directed_stretch = 0.8', 'directed_stretch = 1', 'directed_stretch = 1.25'] },
  { name: 'tether_radius', body: 'cylinder', clip: 'twist', frame: 30, stays: 'tether = 50', values: ['tether_radius = 0.002', 'tether_radius = 0.02', 'tether_radius = 0.5'] },
  { name: 'region', body: 'cylinder', clip: 'twist', frame: 30, stays: 'tether = 0', values: ['region = ["all"]', 'region = [{ box = [-0.3, -1, -1, 0.3, 1, 1] }]', 'region = [{ box = [-0.1, -1, -1, 0.1, 1, 1] }]'], captions: ['region: all', 'the middle', 'less of it'] },
  { name: 'pull', body: 'cylinder', clip: 'twist', frame: 20, stays: 'tether = 0\npull = [{ box = [-0.05, -1, -1, 0.05, 1, 1] }]', values: [0, 0.1, 0.25].map((speed) => `pull_velocity = [${speed || 1e-6}, 0, 0]`), captions: ['not pulled', 'at 0.1 m/s', 'at 0.25 m/s'] },
  { name: 'density', body: 'torus', clip: 'shake', frame: 11, stays: 'tether = 200\nstickiness = 0\nstep = 0.001', heat: 'slide distance', values: ['density = 0.2', 'density = 2', 'density = 20'] },
  { name: 'gravity', body: 'torus', clip: 'bulge', frame: 1, stays: 'tether = 500', heat: 'slide distance', values: ['gravity = [0, -1, 0]', 'gravity = [0, -9.8, 0]', 'gravity = [9.8, 0, 0]'] },
  { name: 'drag', body: 'cylinder', clip: 'twist', frame: 1, stays: 'tether = 200', values: ['0.1, 0, 0', '15, 0, 0', '0, 15, -6'].map((force) => `drag = [{ at = [0, 0.1, 0.23], radius = 0.12, force = [${force}] }]`), captions: ['no force', '15 N along', '16 N round'] },
  { name: 'slip_speed_limit', body: 'torus', clip: 'shake', frame: 11, stays: 'tether = 0\nstickiness = 0\nstep = 0.001', heat: 'slide distance', values: ['slip_speed_limit = 0.05', 'slip_speed_limit = 0.5', ''], captions: ['0.05 m/s', '0.5 m/s', 'none'] },
  { name: 'step', body: 'torus', clip: 'shake', frame: 50, stays: 'tether = 200\nstickiness = 0\ndamping = 0', heat: 'slide distance', values: ['step = 0.001', 'step = 0.008', 'step = 0.001\nimplicitness = 0.5'], captions: ['step = 0.001', 'step = 0.008', 'step = 0.001, implicitness = 0.5'] },
  ...['scale = 0.6|scale = 0.9|scale = 1.5', 'share = 0.2|share = 0.6|share = 1', 'slack = 0|slack = 0.7|slack = 1', 'strength = 0.5|strength = 1|strength = 2', 'irregularity = 0|irregularity = 1|irregularity = 1.5', 'fine = 0|fine = 0.35|fine = 1.5']
    .map((list) => ({ ...knuckles, name: list.split(' ')[0], stays: 'skin = "knuckle"\nmap_size = 1024', values: list.split('|') })),
  ...['onset = 0|onset = 0.07|onset = 0.3', 'tension = 0|tension = 0.5|tension = 1', 'cone = 0|cone = 30|cone = 45']
    .map((list) => ({ ...palm, name: list.split(' ')[0], stays: 'map_size = 1024', values: list.split('|') })),
  { ...knuckles, name: 'map_size', stays: 'skin = "knuckle"', values: ['map_size = 256', 'map_size = 512', 'map_size = 2048'] },
  { ...knuckles, name: 'skin', stays: '', values: ['young', 'knuckle', 'old'].map((name) => `skin = "${name}"`) },
  { name: 'pin_creases', body: 'dinosaur', clip: 'walk', frame: 20, stays: 'tether = 200', heat: 'slide distance', values: ['pin_creases = -1', 'pin_creases = 0.9', 'pin_creases = 0.97'] },
];

const folder = mkdtempSync(join(tmpdir(), 'cutis-parameters-'));

/** A page that shows one value. */
async function bakeAndOpen(browser, row, value, index) {
  const scene = join(folder, `${row.name}-${index}.toml`);
  writeFileSync(scene, `[body]\nactor = "${row.body}"\nclip = "${row.clip}"\n\n`
    + (row.scene?.(value) ?? `[[layer]]\nkind = "${row.layer ?? 'slide'}"\n${row.stays}\n${value}\n\n`)
    + `[output]\nformats = ["html"]\nlast_frame = ${row.frame + 1}\n\n[output.html]\n${row.page ?? ''}\n`);
  const report = JSON.parse(execFileSync(program, ['bake', scene, '-o', folder, '--json'], { encoding: 'utf8', maxBuffer: 1 << 26, stdio: ['ignore', 'pipe', 'ignore'] }));
  return open(browser, report.outputs.find((file) => file.format === 'html').path);
}

/** Ends of a channel's colour scale, read, or set where they are given. */
const scaleOf = (page, heat, ends) => page.evaluate(([name, given]) => {
  const found = [];
  const walk = (node) => {
    if (node === null || typeof node !== 'object') return;
    if (node.name === name && 'high' in node) found.push(node);
    Object.values(node).forEach(walk);
  };
  walk(window.cutis.meta);
  if (given) found.forEach((channel) => Object.assign(channel, given));
  return { low: Math.min(...found.map((c) => c.low)), high: Math.max(...found.map((c) => c.high)) };
}, [heat, ends]);

async function picture(page, row, value, index) {
  const size = row.size ?? usualSize;
  const isLast = index === row.values.length - 1; // the legend stands there, for all
  await page.setViewportSize({ width: size, height: size });
  await page.addStyleTag({ content: `header, footer, #panel, #left-label, #right-label${isLast ? '' : ', #legend'} { display: none !important }` });
  await page.waitForFunction((s) => document.getElementById('canvas').clientWidth === s, size);
  await page.evaluate(([frame, heat, paint]) => {
    window.cutis.stage.resize();
    window.cutis.actions.set({ layout: 'right', paint, ...(heat && { heat }) });
    window.cutis.actions.frameAll();
    window.cutis.at(frame);
  }, [row.frame, row.heat, row.paint ?? 'tattoo']);
  const shot = await page.locator('#stage').screenshot();
  return `<figure><img src="data:image/png;base64,${shot.toString('base64')}"><figcaption>${row.captions?.[index] ?? value}</figcaption></figure>`;
}

const browser = await launch();
mkdirSync(join(project, 'docs', 'pictures'), { recursive: true });
const labelOf = ({ layer, name }) => `${layer ?? 'slide'}-${name}`;
for (const row of rows.filter((one) => names.length === 0 || names.includes(one.layer ?? 'slide') || names.includes(labelOf(one)))) {
  const figures = [];
  const opened = [];
  for (const [index, value] of row.values.entries()) opened.push(await bakeAndOpen(browser, row, value, index));
  if (row.heat) { // one scale for all values: otherwise they look alike
    const ends = [];
    for (const { page } of opened) ends.push(await scaleOf(page, row.heat));
    const common = { low: Math.min(...ends.map((e) => e.low)), high: Math.max(...ends.map((e) => e.high)) };
    for (const { page } of opened) await scaleOf(page, row.heat, common);
  }
  for (const [index, value] of row.values.entries()) figures.push(await picture(opened[index].page, row, value, index));
  for (const { context } of opened) await context.close();
  const size = row.size ?? usualSize;
  const sheet = await browser.newPage({ viewport: { width: row.values.length * size, height: size + 24 } });
  await sheet.setContent(`<style>body{margin:0;display:flex;background:#fff}figure{margin:0}img{display:block}figcaption{font:14px/24px monospace;text-align:center}</style>${figures.join('')}`);
  const jpeg = await sheet.screenshot({ type: 'jpeg', quality: 80 });
  await sheet.close();
  if (jpeg.length > documentBytes) throw new Error(`${row.name}: picture of ${jpeg.length} bytes, at most ${documentBytes} wanted`);
  writeFileSync(join(project, 'docs', 'pictures', `${labelOf(row)}.jpg`), jpeg);
  console.log(`docs/pictures/${labelOf(row)}.jpg: ${jpeg.length} bytes`);
}
await browser.close();
