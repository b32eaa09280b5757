// Takes the pictures of docs/slide.md: what some parameters do, three values beside each other.
//   node web/parameters.mjs PROGRAM [NAME...]
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch, open, project } from './test/browser.mjs';

const [program, ...names] = process.argv.slice(2);
if (!program) throw new Error('expected: node web/parameters.mjs PROGRAM [NAME...]');
const size = 230;
const documentBytes = 300_000;

// Body, frame to show, what stays, and the lines that differ.
const rows = [
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
  { name: 'pin_creases', body: 'dinosaur', clip: 'walk', frame: 20, stays: 'tether = 200', heat: 'slide distance', values: ['pin_creases = -1', 'pin_creases = 0.9', 'pin_creases = 0.97'] },
];

const folder = mkdtempSync(join(tmpdir(), 'cutis-parameters-'));

async function picture(browser, row, value, index) {
  const scene = join(folder, `${row.name}-${index}.toml`);
  writeFileSync(scene, `[body]\nactor = "${row.body}"\nclip = "${row.clip}"\n\n[[layer]]\nkind = "slide"\n${row.stays}\n${value}\n\n`
    + `[output]\nformats = ["html"]\nlast_frame = ${row.frame + 1}\n`);
  const report = JSON.parse(execFileSync(program, ['bake', scene, '-o', folder, '--json'], { encoding: 'utf8', maxBuffer: 1 << 26, stdio: ['ignore', 'pipe', 'ignore'] }));
  const opened = await open(browser, report.outputs.find((file) => file.format === 'html').path);
  await opened.page.setViewportSize({ width: size, height: size });
  await opened.page.addStyleTag({ content: 'header, footer, #panel, #left-label, #right-label { display: none !important }' });
  await opened.page.waitForFunction((s) => document.getElementById('canvas').clientWidth === s, size);
  await opened.page.evaluate(([frame, heat]) => {
    window.cutis.stage.resize();
    window.cutis.actions.set({ layout: 'right', paint: 'tattoo', ...(heat && { heat }) });
    window.cutis.actions.frameAll();
    window.cutis.at(frame);
  }, [row.frame, row.heat]);
  const shot = await opened.page.locator('#stage').screenshot();
  await opened.context.close();
  return `<figure><img src="data:image/png;base64,${shot.toString('base64')}"><figcaption>${row.captions?.[index] ?? value}</figcaption></figure>`;
}

const browser = await launch();
mkdirSync(join(project, 'docs', 'pictures'), { recursive: true });
for (const row of rows.filter(({ name }) => names.length === 0 || names.includes(name))) {
  const figures = [];
  for (const [index, value] of row.values.entries()) figures.push(await picture(browser, row, value, index));
  const sheet = await browser.newPage({ viewport: { width: 3 * size, height: size + 24 } });
  await sheet.setContent(`<style>body{margin:0;display:flex;background:#fff}figure{margin:0}img{display:block}figcaption{font:14px/24px monospace;text-align:center}</style>${figures.join('')}`);
  const jpeg = await sheet.screenshot({ type: 'jpeg', quality: 80 });
  await sheet.close();
  if (jpeg.length > documentBytes) throw new Error(`${row.name}: picture of ${jpeg.length} bytes, at most ${documentBytes} wanted`);
  writeFileSync(join(project, 'docs', 'pictures', `slide-${row.name}.jpg`), jpeg);
  console.log(`docs/pictures/slide-${row.name}.jpg: ${jpeg.length} bytes`);
}
await browser.close();
