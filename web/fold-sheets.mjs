// Pictures of docs/fold.md: one handle of the fold layer with several values, from left to right, and close-ups.
//   node web/fold-sheets.mjs PROGRAM [NAME...]      all where no name is given
// Writes docs/pictures/fold-NAME.jpg.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sheetOf } from './sheet.mjs';
import { launch, open, project } from './test/browser.mjs';

const [program, ...names] = process.argv.slice(2);
if (!program) throw new Error('expected: node web/fold-sheets.mjs PROGRAM [NAME...]');
const sheets = {
  cloth: ['jersey', 'denim', 'leather', 'skin'].map((style) => `cloth = "${style}"`),
  density: [0.6, 1, 1.8].map((value) => `density = ${value}`),
  irregularity: [0, 0.7, 1.4].map((value) => `irregularity = ${value}`),
  sharpness: [0, 0.5, 1].map((value) => `sharpness = ${value}`),
  slack: [0, 0.08, 0.2].map((value) => `slack = ${value}`),
  pre_stretch: [0, 0.1, 0.25].map((value) => `pre_stretch = ${value}`),
  width: [0.05, 0.07, 0.1].map((value) => `width = ${value}`),
  profile: ['blob', 'flat', 'sharp'].map((shape) => `profile = "${shape}"`),
  height_cap: [0.15, 0.4, 1.3].map((value) => `height_cap = ${value}`),
};
// Close-ups: plain skinning on the left, folds on the right.
const closeUps = {
  hip: `[body]
actor = "dancer"
clip = "arabesque"
[[layer]]
kind = "fold"
where = ["part:leotard"]
edges_per_fold = 9
[output]
formats = ["html"]
first_frame = 60
last_frame = 63
[output.html]
paint = "skin"
camera = [0.55, 0.5, -1]
focus = [0, 0.98, 0, 0.3]
`,
};
const known = [...Object.keys(sheets), ...Object.keys(closeUps)];
const unknown = names.filter((name) => !known.includes(name));
if (unknown.length) throw new Error(`expected ${known.join(', ')}, found ${unknown.join(', ')}`);

const scene = (keys) => `[body]
actor = "cylinder"
clip = "bend"
[[layer]]
kind = "fold"
${['width = 0.07', 'most_vertices = 40000', 'edges_per_fold = 14'].filter((line) => line.split(' ')[0] !== keys.split(' ')[0]).join('\n')}
${keys}
[output]
formats = ["html"]
first_frame = 34
last_frame = 37
[output.html]
paint = "clay"
camera = [0.25, 0.8, 1]
focus = [0, 0.06, 0.1, 0.42]
`;

const browser = await launch();
for (const name of names.length ? names : known) {
  const row = [];
  let context;
  const shots = name in closeUps ? ['left', 'right'].map((layout) => [closeUps[name], layout]) : sheets[name].map((keys) => [scene(keys), 'right']);
  for (const [text, layout] of shots) {
    const folder = mkdtempSync(join(tmpdir(), 'cutis-'));
    writeFileSync(join(folder, 'scene.toml'), text);
    const report = JSON.parse(execFileSync(program, ['bake', join(folder, 'scene.toml'), '-o', folder, '--json'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }));
    const opened = await open(browser, report.outputs.find((file) => file.format === 'html').path);
    const size = name in closeUps ? { width: 600, height: 520 } : { width: name === 'cloth' ? 300 : 400, height: 300 };
    await opened.page.setViewportSize(size);
    await opened.page.addStyleTag({ content: 'header, footer, #panel { display: none !important }' });
    await opened.page.waitForFunction(({ width, height }) => {
      const canvas = document.getElementById('canvas');
      return canvas.clientWidth === width && canvas.clientHeight === height;
    }, size);
    await opened.page.evaluate((layout) => {
      window.cutis.stage.resize();
      window.cutis.actions.set({ layout });
      window.cutis.actions.frameAll();
      window.cutis.at(window.cutis.meta.frames - 1);
    }, layout);
    row.push((await opened.page.locator('#stage').screenshot()).toString('base64'));
    if (context) await context.close();
    context = opened.context;
    rmSync(folder, { recursive: true });
  }
  const [, jpeg] = await sheetOf(context, [row]);
  await context.close();
  writeFileSync(join(project, 'docs', 'pictures', `fold-${name.replaceAll('_', '-')}.jpg`), jpeg);
  console.log(`fold-${name}: ${(sheets[name] ?? ['plain skinning, folds']).join(', ')}`);
}
await browser.close();
