// Pictures of docs/fold.md: one handle of the fold layer with several values, from left to right.
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
};
const unknown = names.filter((name) => !(name in sheets));
if (unknown.length) throw new Error(`expected ${Object.keys(sheets).join(', ')}, found ${unknown.join(', ')}`);

const scene = (keys) => `[body]
actor = "cylinder"
clip = "bend"
[[layer]]
kind = "fold"
width = 0.07
most_vertices = 40000
edges_per_fold = 14
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
for (const name of names.length ? names : Object.keys(sheets)) {
  const row = [];
  let context;
  for (const keys of sheets[name]) {
    const folder = mkdtempSync(join(tmpdir(), 'cutis-'));
    writeFileSync(join(folder, 'scene.toml'), scene(keys));
    const report = JSON.parse(execFileSync(program, ['bake', join(folder, 'scene.toml'), '-o', folder, '--json'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }));
    const opened = await open(browser, report.outputs.find((file) => file.format === 'html').path);
    const size = { width: name === 'cloth' ? 300 : 400, height: 300 };
    await opened.page.setViewportSize(size);
    await opened.page.addStyleTag({ content: 'header, footer, #panel { display: none !important }' });
    await opened.page.waitForFunction(({ width, height }) => {
      const canvas = document.getElementById('canvas');
      return canvas.clientWidth === width && canvas.clientHeight === height;
    }, size);
    await opened.page.evaluate(() => {
      window.cutis.stage.resize();
      window.cutis.actions.set({ layout: 'right' });
      window.cutis.actions.frameAll();
      window.cutis.at(window.cutis.meta.frames - 1);
    });
    row.push((await opened.page.locator('#stage').screenshot()).toString('base64'));
    if (context) await context.close();
    context = opened.context;
    rmSync(folder, { recursive: true });
  }
  const [, jpeg] = await sheetOf(context, [row]);
  await context.close();
  writeFileSync(join(project, 'docs', 'pictures', `fold-${name.replace('_', '-')}.jpg`), jpeg);
  console.log(`fold-${name}: ${sheets[name].join(', ')}`);
}
await browser.close();
