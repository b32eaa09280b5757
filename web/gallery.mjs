// Bakes the demos and takes their pictures through the page.
//   node web/gallery.mjs PROGRAM [NAME...]      all demos where no name is given
// gallery/NAME/         page, GLB, caches and report as `cutis demo NAME` writes them, stills and an animated strip
// docs/pictures/NAME.jpg and docs/gallery.md    what the documentation shows: the built-in characters baked so far, and
// of the demos on files of the data folder (CUTIS_DATA) those that have a picture there already; the others stay in
// gallery/. Without the files they are passed over with a word.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { animate } from './apng.mjs';
import { sheetOf } from './sheet.mjs';
import { launch, open, project } from './test/browser.mjs';

const [program, ...names] = process.argv.slice(2);
if (!program) throw new Error('expected: node web/gallery.mjs PROGRAM [NAME...]');
const movieCount = 24;
const documentBytes = 300_000;
const frontPage = { name: 'creature-walk', count: 60, bytes: 2_000_000 }; // moves at the top of the README
const poses = 'arm-poses-';
const posed = new Map(); // way of filling in -> its pictures

const say = (words) => execFileSync(program, words, { encoding: 'utf8', maxBuffer: 1 << 26, stdio: ['ignore', 'pipe', 'inherit'] });

/** The stage alone, at a size of its own. */
async function prepare(page, width, height) {
  await page.setViewportSize({ width, height });
  await page.addStyleTag({ content: 'header, footer, #panel { display: none !important }' });
  await page.waitForFunction(([w, h]) => {
    const canvas = document.getElementById('canvas');
    return canvas.clientWidth === w && canvas.clientHeight === h;
  }, [width, height]);
  await page.evaluate(() => {
    window.cutis.stage.resize();
    window.cutis.actions.frameAll();
  });
}

async function still(page, frame, options = {}) {
  await page.evaluate((f) => window.cutis.at(f), frame);
  return page.locator('#stage').screenshot(options);
}

/** Several moments beside each other, plain skinning above cutis where there are both, put together by the browser. */
async function strip(page, frames, context) {
  const hasTwoViews = await page.evaluate(() => window.cutis.meta.views.length > 1);
  const rows = [];
  for (const layout of hasTwoViews ? ['left', 'right'] : ['right']) {
    await page.evaluate((l) => { window.cutis.actions.set({ layout: l }); window.cutis.actions.frameAll(); }, layout);
    const pictures = [];
    for (const frame of frames) pictures.push((await still(page, frame)).toString('base64'));
    rows.push(pictures);
  }
  if (hasTwoViews) await page.evaluate(() => { window.cutis.actions.set({ layout: 'side' }); window.cutis.actions.frameAll(); });
  const [png, jpeg] = await sheetOf(context, rows);
  return { png, jpeg, ours: rows.at(-1) };
}

const spread = (count, frames, isLoop) => Array.from({ length: count }, (_, i) => Math.min(frames - 1, Math.round((i * (frames - 1)) / (isLoop ? count : Math.max(1, count - 1)))));

async function photograph(browser, demo) {
  const folder = join(project, 'gallery', demo.name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const report = JSON.parse(say(['demo', demo.name, '-o', folder, '--json']));
  const page = report.outputs.find((file) => file.format === 'html');
  const opened = await open(browser, page.path);
  const { frames } = await opened.page.evaluate(() => ({ frames: window.cutis.meta.frames }));
  await prepare(opened.page, 960, 720);
  for (const moment of demo.stills) {
    const frame = Math.round(moment * (frames - 1));
    writeFileSync(join(folder, `${demo.name}-${String(frame + 1).padStart(4, '0')}.png`), await still(opened.page, frame));
  }
  await prepare(opened.page, 400, 300);
  const { png, jpeg, ours } = await strip(opened.page, demo.stills.map((moment) => Math.round(moment * (frames - 1))), opened.context);
  writeFileSync(join(folder, `${demo.name}-strip.png`), png);
  if (demo.name.startsWith(poses)) posed.set(demo.name.slice(poses.length), ours);
  await prepare(opened.page, 480, 400);
  const movie = [];
  for (const frame of spread(movieCount, frames, true)) movie.push(await still(opened.page, frame));
  writeFileSync(join(folder, `${demo.name}-moving.png`), animate(movie, frames / report.frames.fps / movieCount));
  if (demo.name === frontPage.name) await loop(opened.page, frames, frames / report.frames.fps);
  if (opened.complaints.length) throw new Error(`${demo.name}: ${opened.complaints.join('; ')}`);
  await opened.context.close();
  console.log(`${demo.name}: ${report.frames.count} frames, page ${page.bytes} bytes`);
  const shown = join(project, 'docs', 'pictures', `${demo.name}.jpg`);
  if (demo.data.length && !existsSync(shown)) return;
  if (jpeg.length > documentBytes) throw new Error(`${demo.name}: documentation picture of ${jpeg.length} bytes, at most ${documentBytes} wanted`);
  mkdirSync(join(project, 'docs', 'pictures'), { recursive: true });
  writeFileSync(shown, jpeg);
  writeFileSync(entryOf(demo), describe(demo, report, page));
}

/** The README's loop, plain skinning beside cutis, as an animated WebP. */
async function loop(page, frames, seconds) {
  await prepare(page, 800, 420);
  const folder = mkdtempSync(join(tmpdir(), 'cutis-'));
  const files = [];
  for (const frame of spread(frontPage.count, frames, true)) {
    files.push(join(folder, `${files.length}.png`));
    writeFileSync(files.at(-1), await still(page, frame));
  }
  const target = join(project, 'docs', 'pictures', `${frontPage.name}.webp`);
  execFileSync('img2webp', ['-loop', '0', '-d', String(Math.round((1000 * seconds) / files.length)), '-lossy', '-q', '70', '-m', '6', ...files, '-o', target], { stdio: 'ignore' });
  rmSync(folder, { recursive: true });
  const size = readFileSync(target).length;
  if (size > frontPage.bytes) throw new Error(`${target}: ${size} bytes, at most ${frontPage.bytes} wanted`);
}

/** The arm in five poses by all ways, one below the other. */
async function compareArms(browser) {
  const context = await browser.newContext();
  const ways = ['truth', 'linear-blend', 'dual-quaternion', 'static', 'dynamic'];
  const [, jpeg] = await sheetOf(context, ways.map((way) => posed.get(way)), ways.map((way) => way.replace('-', ' ')), 0.7);
  await context.close();
  if (jpeg.length > documentBytes) throw new Error(`arm-poses: documentation picture of ${jpeg.length} bytes, at most ${documentBytes} wanted`);
  writeFileSync(join(project, 'docs', 'pictures', 'arm-poses.jpg'), jpeg);
}

const entryOf = (demo) => join(project, 'gallery', demo.name, 'entry.md');

function describe(demo, report, page) {
  const { numbers } = page;
  const lines = [
    `## ${demo.name}`, '', `![${demo.name}: moments of the clip, plain skinning above cutis](pictures/${demo.name}.jpg)`, '',
    `${demo.about[0].toUpperCase()}${demo.about.slice(1)}.${demo.figure ? ` Beside ${demo.figure}.` : ''}`, '',
    `${report.body.vertices.toLocaleString('en')} vertices, ${report.body.triangles.toLocaleString('en')} triangles, `
    + `${report.frames.count} frames at ${report.frames.fps} a second; page of ${(page.bytes / 1e6).toFixed(1)} MB with ${numbers.modes} modes, `
    + `largest error ${(numbers.max_error_m * 1e3).toPrecision(2)} mm.`, '',
    `Scene: [examples/${demo.name}.toml](../examples/${demo.name}.toml).`, '',
  ];
  return lines.join('\n');
}

const all = JSON.parse(say(['demo', '--list', '--json']));
const chosen = names.length ? all.filter((demo) => names.includes(demo.name)) : all;
const missing = names.filter((name) => !all.some((demo) => demo.name === name));
if (missing.length) throw new Error(`no such demo: ${missing.join(', ')}`);
const dataFolder = process.env.CUTIS_DATA || '../shared/data';
const browser = await launch();
for (const demo of chosen) {
  // Of a sequence (one * in its name) the folder must be there.
  const absent = demo.data.find((file) => !existsSync(join(dataFolder, file.includes('*') ? dirname(file) : file)));
  if (absent) console.log(`${demo.name}: passed over, ${absent} is not in the data folder ${dataFolder}`);
  else await photograph(browser, demo);
}
if (posed.size && posed.size === all.filter((demo) => demo.name.startsWith(poses)).length) await compareArms(browser);
await browser.close();

// The text shows what has been baked, now or earlier, in the order of the list.
const text = join(project, 'docs', 'gallery.md');
const sections = new Map((existsSync(text) ? readFileSync(text, 'utf8') : '').split(/^(?=## )/m).slice(1).map((section) => [section.slice(3, section.indexOf('\n')), section]));
for (const demo of all) if (existsSync(entryOf(demo))) sections.set(demo.name, readFileSync(entryOf(demo), 'utf8'));
const shown = all.filter((demo) => sections.has(demo.name)).map((demo) => sections.get(demo.name).trimEnd());
const head = readFileSync(join(project, 'web', 'gallery-head.md'), 'utf8');
writeFileSync(text, `${head}\n${shown.join('\n\n')}\n`);
console.log(`docs/gallery.md: ${shown.length} demos`);
