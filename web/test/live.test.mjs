// The living page in a real browser, on both engines: `cutis live` and out/live/index.html (make live builds both).
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { launch, output, project } from './browser.mjs';

const program = process.env.CUTIS_PROGRAM ?? join(project, 'build', 'cutis');
const file = join(project, 'out', 'live', 'index.html');
const patience = 180_000;

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

/** `cutis live`, and its address. */
async function startNative(...words) {
  const child = spawn(program, ['live', '--no-browser', '--grace', '3', ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  const address = await new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (data) => {
      text += data;
      const found = text.match(/http:\/\/127\.0\.0\.1:\d+\/\S+/);
      if (found) resolve(found[0]);
    });
    child.on('exit', (code) => reject(new Error(`cutis live ended with ${code}`)));
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  return { child, address, ended };
}

async function visit(address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 900, height: 600 }, colorScheme: 'light', ...options });
  const page = await context.newPage();
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(address);
  return { context, page, complaints };
}

const alive = (page) => page.waitForFunction(() => window.cutisLive?.stage.places && window.cutisLive.page.head?.step > 5, null, { timeout: patience });
const ask = (page, command) => page.evaluate((c) => window.cutisLive.page.engine.ask(c), command);
const steps = (page, count) => page.evaluate(async (n) => {
  const from = window.cutisLive.page.head.step;
  while (window.cutisLive.page.head.step < from + n) await new Promise((done) => setTimeout(done, 10));
}, count);
const place = (page, mesh, drawn) => page.evaluate(([m, v]) => [...window.cutisLive.stage.surfaces[m].geometry.attributes.position.array.slice(3 * v, 3 * v + 3)], [mesh, drawn]);
const distance = (a, b) => Math.hypot(...a.map((x, i) => x - b[i]));

/** A drawn vertex of a mesh that the camera sees, near the middle of what it sees of it; and where it is on the screen. */
const target = (page, mesh) => page.evaluate((m) => {
  const { stage } = window.cutisLive;
  const box = stage.canvas.getBoundingClientRect();
  const seen = [];
  for (let y = 0.1; y < 0.95; y += 0.02) {
    for (let x = 0.1; x < 0.9; x += 0.02) {
      const at = { x: box.left + x * box.width, y: box.top + y * box.height };
      const hit = stage.pick(at.x, at.y);
      if (hit?.mesh === m) seen.push({ ...at, drawn: hit.drawn, vertex: hit.vertex });
    }
  }
  return seen[Math.floor(seen.length / 2)] ?? null;
}, mesh);

function common(name, visitEngine) {
  describe(name, { timeout: 600_000 }, () => {
    let shown;
    before(async () => { shown = await visitEngine(); });
    after(() => shown?.end());

    test('plays, and says what it takes', async () => {
      await alive(shown.page);
      const before0 = await place(shown.page, 0, 10);
      await steps(shown.page, 8);
      assert.ok(distance(before0, await place(shown.page, 0, 10)) > 1e-4, 'the body moves');
      const head = await shown.page.evaluate(() => window.cutisLive.page.head);
      assert.equal(head.ms.length, 5, 'body and four layers');
      await shown.page.waitForFunction(() => document.getElementById('readout').textContent.includes('ms a step'));
      await shown.page.screenshot({ path: join(output, `live-${name}.png`) });
    });

    test('pauses and settles; a hand draws skin, which comes back', async () => {
      await shown.page.click('#play');
      await steps(shown.page, 20);
      const skin = await target(shown.page, 0);
      const at = await place(shown.page, 0, skin.drawn);
      await shown.page.mouse.move(skin.x, skin.y);
      await shown.page.mouse.down();
      await shown.page.waitForFunction(() => window.cutisLive.page.lastHand?.ok, null, { timeout: patience });
      await shown.page.mouse.move(skin.x + 50, skin.y - 30, { steps: 5 });
      await steps(shown.page, 12);
      const away = distance(at, await place(shown.page, 0, skin.drawn));
      await shown.page.mouse.up();
      await steps(shown.page, 60);
      const back = distance(at, await place(shown.page, 0, skin.drawn));
      const { tool } = await shown.page.evaluate(() => window.cutisLive.page.lastHand);
      assert.ok(away > 1e-3, `followed by ${away} m (${tool})`);
      if (tool !== 'joint') assert.ok(back < 0.6 * away, `came back to ${back} m of ${away}`);
      await ask(shown.page, { do: 'straighten' });
    });

    test('detail is pulled and let go', async () => {
      const tip = await shown.page.evaluate(() => window.cutisLive.stage.surfaces[1].description.vertices);
      assert.ok(tip > 0);
      const vertex = 3;
      const drawn = await shown.page.evaluate((v) => [...window.cutisLive.stage.surfaces[1].source].indexOf(v), vertex);
      const at = await place(shown.page, 1, drawn);
      const all = () => shown.page.evaluate(() => Array.from(window.cutisLive.stage.surfaces[1].geometry.attributes.position.array));
      const rest = await all();
      await ask(shown.page, { do: 'grab', id: 77, mesh: 1, vertex });
      await ask(shown.page, { do: 'move', id: 77, by: [0.05, 0, 0] });
      await steps(shown.page, 6);
      const pulled = await all();
      await ask(shown.page, { do: 'release', id: 77 });
      await steps(shown.page, 90);
      const moved = Math.max(...pulled.map((x, i) => Math.abs(x - rest[i])));
      assert.ok(moved > 1e-3, `moved by ${moved} m`);
      assert.ok(distance(at, await place(shown.page, 1, drawn)) < 0.5 * moved + 2e-3);
    });

    test('options: live and prepared again; undo; the address keeps them', async () => {
      const before0 = await shown.page.evaluate(() => window.cutisLive.page.scene.layers[2].options.find((o) => o.name === 'stickiness').value);
      const slider = shown.page.locator('.card').nth(2).locator('[data-key=stickiness] input');
      await slider.fill('0.9');
      await slider.dispatchEvent('change');
      await shown.page.waitForFunction(() => !document.getElementById('undo').disabled, null, { timeout: patience });
      assert.match(shown.page.url(), /stickiness|2\.stickiness/);
      const scene = (await ask(shown.page, { do: 'save' })).scene;
      assert.match(scene, /stickiness = 0\.9/);
      await shown.page.click('#undo');
      await shown.page.waitForFunction((v) => window.cutisLive.page.scene.layers[2].options.find((o) => o.name === 'stickiness').value === v, before0, { timeout: patience });
      const answer = await ask(shown.page, { do: 'set', layer: 3, key: 'size', value: 0.02 });
      assert.equal(answer.prepared, true);
      await steps(shown.page, 3);
      await assert.rejects(ask(shown.page, { do: 'set', layer: 3, key: 'size', value: -1 }), /size/);
    });

    test('layers switch, time scrubs', async () => {
      await ask(shown.page, { do: 'show', plain: true });
      await ask(shown.page, { do: 'layer', layer: 3, on: false });
      await ask(shown.page, { do: 'clock', time: 0.5 });
      await steps(shown.page, 3);
      const time = await shown.page.evaluate(() => window.cutisLive.page.head.time);
      assert.ok(Math.abs(time - 0.5) < 1e-6, `${time}`);
      await ask(shown.page, { do: 'layer', layer: 3, on: true });
      await steps(shown.page, 3);
    });

    test('a brush paints a number, which is saved; undo takes it back', async () => {
      await shown.page.locator('.card').nth(2).locator('[data-key=stickiness] .brush').click();
      await shown.page.waitForFunction(() => !document.getElementById('brush').hidden);
      const skin = await target(shown.page, 0);
      await shown.page.mouse.move(skin.x, skin.y);
      await shown.page.mouse.down();
      await shown.page.mouse.move(skin.x + 20, skin.y + 10, { steps: 4 });
      assert.ok(await shown.page.evaluate(() => Math.max(...window.cutisLive.stage.painted) > 0.5), 'the surface shows it at once');
      await shown.page.mouse.up();
      await shown.page.waitForFunction(() => Array.isArray(window.cutisLive.page.scene.layers[2].options.find((o) => o.name === 'stickiness').applied), null, { timeout: patience });
      assert.match((await ask(shown.page, { do: 'save' })).scene, /stickiness = \[.*sphere/);
      await shown.page.screenshot({ path: join(output, `live-${name}-brush.png`) });
      await shown.page.click('#brush-done');
      await shown.page.click('#undo');
      await shown.page.waitForFunction(() => !Array.isArray(window.cutisLive.page.scene.layers[2].options.find((o) => o.name === 'stickiness').applied), null, { timeout: patience });
    });

    test('the value under the pointer is plotted', async () => {
      const skin = await target(shown.page, 0);
      await shown.page.mouse.move(skin.x + 2, skin.y + 2);
      await ask(shown.page, { do: 'clock', play: true });
      await shown.page.waitForFunction(() => !document.getElementById('trace').hidden, null, { timeout: patience });
    });

    test('a bad file is refused with words, and the page stays alive', async () => {
      const bad = join(mkdtempSync(join(tmpdir(), 'cutis-live-')), 'bad.glb');
      writeFileSync(bad, 'glTF, but not really');
      await shown.page.setInputFiles('#file', bad);
      await shown.page.waitForFunction(() => !document.getElementById('problem').hidden, null, { timeout: patience });
      assert.match(await shown.page.textContent('#problem'), /bad\.glb/);
      await ask(shown.page, { do: 'clock', play: true });
      await steps(shown.page, 5);
      assert.deepEqual(shown.complaints, []);
    });

    test('on a phone, dark', async () => {
      const phone = shown.again && (await shown.again({ viewport: { width: 390, height: 800 }, colorScheme: 'dark', hasTouch: true, isMobile: true }));
      if (!phone) return;
      await alive(phone.page);
      const skin = await target(phone.page, 0);
      await phone.page.touchscreen.tap(skin.x, skin.y);
      await phone.page.waitForFunction(() => window.cutisLive.page.lastHand !== undefined, null, { timeout: patience });
      await steps(phone.page, 5);
      await phone.page.screenshot({ path: join(output, `live-${name}-phone.png`) });
      assert.deepEqual(phone.complaints, []);
      await phone.context.close();
    });
  });
}

common('native', async () => {
  const native = await startNative('--threads', '1');
  const shown = await visit(native.address);
  return {
    ...shown,
    again: async (options) => {
      await shown.context.close(); // one page at a time
      return visit(native.address, options);
    },
    end: async () => {
      await shown.context.close();
      native.child.kill();
      await native.ended;
    },
  };
});

if (existsSync(file)) {
  common('WebAssembly', async () => {
    const shown = await visit(pathToFileURL(file).href, { offline: true });
    return { ...shown, again: (options) => visit(pathToFileURL(file).href, { offline: true, ...options }), end: () => shown.context.close() };
  });

  test('the engine is small', () => {
    const wasm = join(project, 'build-wasm', 'cutis-live.wasm');
    if (!existsSync(wasm)) return;
    const size = gzipSync(readFileSync(wasm), { level: 9 }).length;
    assert.ok(size < 900_000, `${size} bytes gzipped`);
  });
}

describe('the server', { timeout: 300_000 }, () => {
  test('gives nothing without its token, to another host or to another origin, and ends when its page is gone', async () => {
    const native = await startNative('--threads', '1', 'arm-bend');
    const url = new URL(native.address);
    const status = async (path, headers = {}) => (await fetch(new URL(path, url.origin), { headers })).status;
    assert.equal(await status(url.pathname), 200);
    assert.equal(await status('/'), 403);
    assert.equal(await status('/0123456789abcdef0123456789abcdef/'), 403);
    assert.equal(await status(`${url.pathname}socket`), 403);
    assert.equal((await fetch(new URL(`${url.pathname}file`, url.origin), { method: 'POST', body: 'x', headers: { 'X-Name': 'x', Origin: 'http://evil.example' } })).status, 403);

    // A page of another origin that knows even the token.
    const foreign = await browser.newContext();
    const evil = await foreign.newPage();
    await evil.goto('data:text/html,<p>evil</p>');
    const socket = url.href.replace('http', 'ws') + 'socket';
    const refused = (page) => page.evaluate((address) => new Promise((resolve) => {
      const s = new WebSocket(address);
      s.onopen = () => resolve('open');
      s.onclose = () => resolve('refused');
    }), socket);
    assert.equal(await refused(evil), 'refused');
    await foreign.close();

    const first = await visit(native.address);
    await alive(first.page);
    const second = await visit(native.address);
    await second.page.waitForFunction(() => !document.getElementById('problem').hidden, null, { timeout: patience });
    assert.match(await second.page.textContent('#problem'), /another page/);
    // The first leaves, the second takes over: a lost connection comes back.
    await first.context.close();
    await alive(second.page);
    await second.context.close();
    const code = await Promise.race([native.ended, new Promise((done) => { setTimeout(done, 60_000, 'still there').unref(); })]);
    assert.equal(code, 0);
  });
});
