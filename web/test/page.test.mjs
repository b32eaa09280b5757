// The page in a real browser, with a made-up bake that has everything a bake can have.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { animate } from '../apng.mjs';
import { coverage, difference, launch, open, output, picture, project, shot } from './browser.mjs';
import { fixturePage } from './fixture.mjs';

let browser;
let desktop = null;
const file = join(output, 'fixture.html');

before(async () => {
  const template = join(output, 'template.html');
  execFileSync(process.execPath, [join(project, 'web', 'build.mjs'), template]);
  writeFileSync(file, fixturePage(template));
  browser = await launch();
});
after(() => browser?.close());

/** Runs a test on the page as it is after opening: one page for all tests that need nothing special, put back by its own actions. */
async function visit(use, options) {
  const opened = options ? await open(browser, file, options) : desktop ??= await open(browser, file);
  const { page, context, complaints } = opened;
  await page.evaluate(() => {
    const { state, actions } = window.cutis;
    window.cutis.opened ??= structuredClone(state);
    actions.set(structuredClone(window.cutis.opened));
    actions.frameAll();
    window.cutis.at(0);
  });
  await use(page);
  assert.deepEqual(complaints, []);
  if (options) await context.close();
}

const set = (page, values) => page.evaluate((v) => window.cutis.actions.set(v), values);
const state = (page) => page.evaluate(() => structuredClone(window.cutis.state));

test('loads without a complaint or a request, and shows something', () => visit(async (page) => {
  assert.ok(coverage(await picture(page)) > 0.05);
  assert.equal(await page.title(), 'Fixture torus');
  assert.equal(await page.locator('#message').isHidden(), true);
  const seconds = await page.evaluate(() => window.cutis.startSeconds);
  console.log(`started in ${seconds.toFixed(2)} s`);
  assert.ok(seconds < 30);
  await page.evaluate(() => window.cutis.at(30));
  await shot(page, 'fixture-light');
}));

test('scrubbing, stepping and dragging a plot move the picture', () => visit(async (page) => {
  const still = await picture(page);
  assert.equal(difference(still, await picture(page)), 0);
  await page.locator('#scrub').fill('30');
  assert.equal(await page.evaluate(() => window.cutis.frame), 30);
  assert.ok(difference(still, await picture(page)) > 0.3);
  await page.locator('#forward').click();
  assert.equal(await page.evaluate(() => window.cutis.frame), 31);
  await page.locator('#back').click();
  await page.locator('#first').click();
  assert.equal(difference(still, await picture(page)), 0);
  const plot = page.locator('#plots canvas').first();
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  assert.ok(Math.abs(await page.evaluate(() => window.cutis.frame) - 29.5) <= 1);
  await page.evaluate(() => window.cutis.draw());
  assert.match(await page.locator('#clock').textContent(), /^3\d \/ 60/);
}));

test('plays by itself, pauses, and stops at the end without loop', () => visit(async (page) => {
  await page.locator('#play').click();
  await page.waitForFunction(() => window.cutis.frame > 0, null, { timeout: 60_000 });
  await page.locator('#play').click();
  const frame = await page.evaluate(() => window.cutis.frame);
  await page.waitForTimeout(200);
  assert.equal(await page.evaluate(() => window.cutis.frame), frame);
  await page.locator('#loop').uncheck();
  await page.evaluate(() => { window.cutis.actions.goTo(58); window.cutis.actions.togglePlay(); });
  await page.waitForFunction(() => window.cutis.frame === 59 && !window.cutis.state.isPlaying, null, { timeout: 60_000 });
}));

test('every paint, heat map and switch changes the picture, and goes back', () => visit(async (page) => {
  await page.evaluate(() => window.cutis.at(20));
  const seen = new Map();
  for (const paint of ['skin', 'checker', 'grid', 'tattoo', 'bumps', 'clay']) {
    await page.locator(`[data-paint=${paint}]`).click();
    const now = await picture(page);  // draws, which also brings buttons and labels up to date
    assert.equal(await page.locator(`[data-paint=${paint}]`).getAttribute('aria-pressed'), 'true');
    for (const [name, other] of seen) assert.ok(difference(now, other) > 0.15, `${paint} looks like ${name}`);
    seen.set(paint, now);
    await shot(page, `fixture-paint-${paint}`);
  }
  await page.locator('[data-heat="slide distance"]').click();
  assert.ok(difference(seen.get('clay'), await picture(page)) > 0.3);
  assert.match(await page.locator('#legend').textContent(), /slide distance \(m\)/);
  await shot(page, 'fixture-heat');
  await page.locator('[data-heat=""]').click();
  assert.equal(difference(seen.get('clay'), await picture(page)), 0);
  assert.equal(await page.locator('#legend').isHidden(), true);
  for (const name of ['wireframe', 'skeleton', 'strokes', 'detail', 'pins', 'curves']) {
    await page.locator(`[data-show=${name}]`).click();
    const changed = difference(seen.get('clay'), await picture(page));
    assert.ok(changed > 0.002, `${name} changes ${changed}`);
    await shot(page, `fixture-show-${name}`);
    await page.locator(`[data-show=${name}]`).click();
    assert.equal(difference(seen.get('clay'), await picture(page)), 0);
  }
}));

test('a layer switched off takes away what it moves and shows, and comes back', () => visit(async (page) => {
  await page.evaluate(() => window.cutis.at(20));
  const all = await picture(page);
  // Without the layer that moves it, the body is the plain one.
  const largest = () => page.evaluate(() => {
    const places = (view) => window.cutis.stage.views.get(view).surfaces[0].surface.geometry.attributes.position.array;
    const [plain, cutis] = [places('plain'), places('cutis')];
    return plain.reduce((most, x, i) => Math.max(most, Math.abs(x - cutis[i])), 0);
  });
  assert.ok(await largest() > 1e-3);
  assert.match(await page.locator('[data-layer="0"]').textContent(), /slide . 2.5 ms/);
  await page.locator('[data-layer="0"]').click();
  assert.ok(difference(all, await picture(page)) > 0.02);
  assert.ok(await largest() < 1e-4);
  await shot(page, 'fixture-layer-off');
  await page.locator('[data-layer="0"]').click();
  assert.equal(difference(all, await picture(page)), 0);
  await page.locator('[data-layer="1"]').click();
  await picture(page);
  assert.equal(await page.evaluate(() => window.cutis.stage.views.get('cutis').surfaces[1].mesh.visible), false);
  await page.locator('[data-layer="1"]').click();
  assert.equal(difference(all, await picture(page)), 0);
}));

test('side by side, both halves stand under the same camera', () => visit(async (page) => {
  // At the first frame both views of the made-up bake are the same, but for the detail of the right one.
  await page.evaluate(() => window.cutis.actions.toggle('detail'));
  assert.ok(difference(await picture(page, 'left'), await picture(page, 'right')) < 0.02);
  const before = await picture(page, 'left');
  const box = await page.locator('#canvas').boundingBox();
  await page.mouse.move(box.x + 120, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(box.x + 220, box.y + 260, { steps: 4 });
  await page.mouse.up();
  await page.mouse.wheel(0, 300);
  await page.waitForTimeout(100);
  assert.ok(difference(before, await picture(page, 'left')) > 0.5);
  assert.ok(difference(await picture(page, 'left'), await picture(page, 'right')) < 0.02);
  await page.evaluate(() => window.cutis.at(30));
  assert.ok(difference(await picture(page, 'left'), await picture(page, 'right')) > 0.3);
}));

test('the camera of a close-up travels with what it shows, up and down too', () => visit(async (page) => {
  const { places, targets } = await page.evaluate(() => {
    const { stage, actions, meta } = window.cutis;
    const body = stage.bake.motion(meta.surfaces.find((s) => s.kind !== 'detail').views[meta.views[0].name]);
    const at = (frame) => [...body.at(frame).slice(0, 3)];
    meta.cameraFocus = { point: at(0), radius: 1e-6 }; // a ball around the first vertex alone
    stage.centres = stage.pathOfBody();
    actions.set({ show: { ...window.cutis.state.show, follow: true } });
    window.cutis.at(0);
    actions.frameAll();
    const frames = [0, 10, 30];
    const targets = frames.map((frame) => { window.cutis.at(frame); return stage.controls.target.toArray(); });
    const places = frames.map(at);
    delete meta.cameraFocus;
    stage.centres = stage.pathOfBody();
    return { places, targets };
  });
  targets.forEach((target, i) => target.forEach((x, k) => assert.ok(Math.abs(x - places[i][k]) < 1e-4, `frame ${i}, axis ${k}: ${x}, expected ${places[i][k]}`)));
  assert.ok(Math.max(...places[2].map((x, k) => Math.abs(x - places[0][k]))) > 1e-3, 'the vertex moves');
}));

test('layouts differ, and the wipe shows left on its left and right on its right', () => visit(async (page) => {
  await page.evaluate(() => window.cutis.at(30));
  const pictures = {};
  for (const layout of ['side', 'wipe', 'left', 'right']) {
    await page.locator(`[data-layout=${layout}]`).click();
    pictures[layout] = await picture(page);
    await shot(page, `fixture-layout-${layout}`);
  }
  for (const [a, b] of [['side', 'wipe'], ['wipe', 'left'], ['wipe', 'right'], ['left', 'right']]) {
    assert.ok(difference(pictures[a], pictures[b]) > 0.1, `${a} looks like ${b}`);
  }
  const columns = (values, from, to) => values.filter((_, i) => { const x = Math.floor(i / 4) % 64; return x >= from && x < to; });
  assert.ok(difference(columns(pictures.wipe, 0, 30), columns(pictures.left, 0, 30)) < 0.05);
  assert.ok(difference(columns(pictures.wipe, 34, 64), columns(pictures.right, 34, 64)) < 0.05);
  await page.locator('[data-layout=wipe]').click();
  const handle = await page.locator('#divider').boundingBox();
  await page.mouse.move(handle.x + 12, handle.y + 100);
  await page.mouse.down();
  await page.mouse.move(handle.x - 150, handle.y + 100, { steps: 3 });
  await page.mouse.up();
  assert.ok((await state(page)).wipe < 0.35);
  assert.ok(difference(pictures.wipe, await picture(page)) > 0.05);
}));

// One entry per line of the page's own list of keys: what to press, and what must be different after each press.
const camera = () => window.cutis.stage.camera.position.toArray().map((x) => x.toFixed(4)).join();
const target = () => window.cutis.stage.controls.target.toArray().map((x) => x.toFixed(4)).join();
const frame = () => window.cutis.frame;
const keyChecks = {
  'Space': [[' '], () => window.cutis.state.isPlaying],
  'Left / Right': [['ArrowRight', 'ArrowLeft'], frame],
  'Shift + Left / Right': [['Shift+ArrowRight', 'Shift+ArrowLeft'], frame],
  'Home / End': [['End', 'Home'], frame],
  '[ / ]': [['[', ']'], () => window.cutis.state.speed],
  'L': [['l', 'l'], () => window.cutis.state.loop],
  'V': [['v', 'v', 'v', 'v'], () => window.cutis.state.layout],
  ', / .': [[',', '.'], () => window.cutis.state.wipe],
  'P': [['p', 'p', 'p', 'p', 'p', 'p'], () => window.cutis.state.paint],
  'H': [['h', 'h'], () => window.cutis.state.heat],
  '1 to 9': [['1', '2', '1', '2'], () => window.cutis.state.layers.join()],
  'W': [['w', 'w'], () => window.cutis.state.show.wireframe],
  'S': [['s', 's'], () => window.cutis.state.show.skeleton],
  'T': [['t', 't'], () => window.cutis.state.show.strokes],
  'D': [['d', 'd'], () => window.cutis.state.show.detail],
  'N': [['n', 'n'], () => window.cutis.state.show.pins],
  'C': [['c', 'c'], () => window.cutis.state.show.curves],
  'G': [['g', 'g'], () => window.cutis.state.show.follow],
  'Alt + arrows': [['Alt+ArrowLeft', 'Alt+ArrowUp', 'Alt+ArrowRight', 'Alt+ArrowDown'], camera],
  'Alt + Shift + arrows': [['Alt+Shift+ArrowLeft', 'Alt+Shift+ArrowUp', 'Alt+Shift+ArrowRight', 'Alt+Shift+ArrowDown'], target],
  '+ / -': [['+', '-'], camera],
  'F': [['f'], camera],
  'O': [['o', 'o'], () => document.getElementById('panel').clientWidth > 0],
  'B': [['b', 'b'], () => document.documentElement.dataset.theme],
  '?': [['?', 'Escape'], () => document.getElementById('help').open],
};

test('every key of the list does what it says', () => visit(async (page) => {
  const listed = await page.evaluate(() => [...document.querySelectorAll('#help kbd')].map((k) => k.textContent));
  assert.deepEqual(listed, Object.keys(keyChecks));
  await page.evaluate(() => window.cutis.at(25));
  for (const [name, [presses, probe]] of Object.entries(keyChecks)) {
    if (name === 'F') await page.evaluate(() => window.cutis.actions.nudge({ turn: 1, zoom: 0.7 }));
    for (const key of presses) {
      const earlier = await page.evaluate(probe);
      await page.keyboard.press(key);
      assert.notEqual(await page.evaluate(probe), earlier, `${key} of "${name}"`);
    }
    if (name === 'Space') await page.evaluate(() => window.cutis.at(25));
  }
}));

test('on a phone nothing runs over the side and every control can be reached', () => visit(async (page) => {
  const overflow = () => page.evaluate(() => ({
    page: document.documentElement.scrollWidth - window.innerWidth,
    out: [...document.querySelectorAll('button, input, select')]
      .filter((e) => e.offsetParent !== null && !e.closest('dialog'))
      .filter((e) => { const b = e.getBoundingClientRect(); return b.left < -0.5 || b.right > window.innerWidth + 0.5; }).map((e) => e.id || e.textContent),
  }));
  await page.evaluate(() => window.cutis.at(30));
  assert.deepEqual(await overflow(), { page: 0, out: [] });
  assert.ok(coverage(await picture(page)) > 0.03);
  await shot(page, 'fixture-phone-light');
  await page.locator('#theme-button').tap();
  await page.locator('[data-heat="slide distance"]').tap();
  await shot(page, 'fixture-phone-dark-heat');
  assert.deepEqual(await overflow(), { page: 0, out: [] });
  await page.locator('#panel-button').tap();
  await shot(page, 'fixture-phone-closed');
  assert.deepEqual(await overflow(), { page: 0, out: [] });
  await page.locator('#help-button').tap();
  await shot(page, 'fixture-phone-keys');
  assert.equal((await overflow()).page, 0);
}, { viewport: { width: 390, height: 844 }, deviceScaleFactor: 1, hasTouch: true, isMobile: true }));

test('dark where the system is dark, with readable text in both', () => visit(async (page) => {
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  await page.evaluate(() => window.cutis.at(30));
  await shot(page, 'fixture-dark');
  const contrast = () => page.evaluate(() => {
    const light = (text) => {
      const c = text.match(/[\d.]+/g).slice(0, 3).map((x) => x / 255).map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
      return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
    };
    const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const panel = light(getComputedStyle(document.getElementById('panel')).backgroundColor);
    const style = (selector) => getComputedStyle(document.querySelector(selector));
    const pressed = style('.choices button[aria-pressed=true]');
    return {
      text: ratio(light(style('h1').color), panel), soft: ratio(light(style('#facts dt').color), panel),
      pressed: ratio(light(pressed.color), light(pressed.backgroundColor)),
    };
  });
  // 4.5 is what WCAG 2 asks of small text.
  for (const [name, value] of Object.entries(await contrast())) assert.ok(value >= 4.5, `dark ${name}: ${value}`);
  await page.locator('#theme-button').click();
  for (const [name, value] of Object.entries(await contrast())) assert.ok(value >= 4.5, `light ${name}: ${value}`);
}, { colorScheme: 'dark' }));

test('stills put into motion are an animated PNG that the browser plays', () => visit(async (page) => {
  const stills = [];
  for (const frame of [0, 15, 30]) {
    await page.evaluate((f) => window.cutis.at(f), frame);
    stills.push(await page.locator('#stage').screenshot());
  }
  const moving = animate(stills, 0.25).toString('base64');
  const { count, duration, isLike } = await page.evaluate(async ([text, last]) => {
    const bytes = (t) => Uint8Array.from(atob(t), (c) => c.charCodeAt(0));
    const decoder = new ImageDecoder({ data: bytes(text), type: 'image/png' });
    await decoder.completed;
    const { image } = await decoder.decode({ frameIndex: 2 });
    const still = await createImageBitmap(new Blob([bytes(last)]));
    const pixels = (source) => {
      const g = new OffscreenCanvas(still.width, still.height).getContext('2d');
      g.drawImage(source, 0, 0);
      return g.getImageData(0, 0, still.width, still.height).data;
    };
    const [a, b] = [pixels(image), pixels(still)];
    return { count: decoder.tracks.selectedTrack.frameCount, duration: image.duration, isLike: a.every((v, i) => v === b[i]) };
  }, [moving, stills[2].toString('base64')]);
  assert.equal(count, 3);
  assert.equal(duration, 250_000);
  assert.ok(isLike);
}));
