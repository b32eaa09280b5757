// The living page in a real browser, on both engines: `cutis live` and out/live/index.html (make live builds both).
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { launch, output, project } from './browser.mjs';
import { startEngine } from './engine.mjs';

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

/** A file that the page gives, when that is done. */
async function given(page, act) {
  const [download] = await Promise.all([page.waitForEvent('download', { timeout: patience }), act()]);
  const path = join(mkdtempSync(join(tmpdir(), 'cutis-live-')), download.suggestedFilename());
  await download.saveAs(path);
  return { path, bytes: readFileSync(path) };
}

const opened = (page, demo) => page.waitForFunction((name) => window.cutisLive.page.scene?.demo === name && window.cutisLive.stage.places && window.cutisLive.page.head?.step > 0, demo, { timeout: patience });

/** Nothing is made any more: the last step, and where the body's vertices are. */
async function standing(page) {
  let step = -1;
  for (let now = 0; now !== step; ) {
    step = now;
    await new Promise((done) => { setTimeout(done, 500); });
    now = await page.evaluate(() => window.cutisLive.page.head.step);
  }
  return { step, places: await page.evaluate(() => Array.from(window.cutisLive.stage.places)) };
}

/** Places of a frame of a PC2 file, counted from 0. */
function frameOf(pc2, frame) {
  const points = pc2.readInt32LE(16);
  return Array.from({ length: 3 * points }, (_, i) => pc2.readFloatLE(32 + 4 * (3 * points * frame + i)));
}

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

    test('a hand draws cloth, which springs back', async () => {
      const cloth = await shown.page.evaluate(() => {
        const { stage } = window.cutisLive;
        const box = stage.canvas.getBoundingClientRect();
        for (let x = 0.3; x < 0.7; x += 0.02) {
          for (let y = 0.3; y < 0.7; y += 0.02) {
            const at = { x: box.left + x * box.width, y: box.top + y * box.height };
            const hit = stage.pick(at.x, at.y);
            if (hit?.mesh === 0 && stage.surfaces[0].geometry.attributes.garb.array[2 * hit.drawn] === 1) return { ...at, drawn: hit.drawn };
          }
        }
        return null;
      });
      const at = await place(shown.page, 0, cloth.drawn);
      await shown.page.evaluate(() => { window.cutisLive.page.lastHand = undefined; });
      await shown.page.mouse.move(cloth.x, cloth.y);
      await shown.page.mouse.down();
      await shown.page.waitForFunction(() => window.cutisLive.page.lastHand?.ok, null, { timeout: patience });
      assert.equal(await shown.page.evaluate(() => window.cutisLive.page.lastHand.tool), 'cloth');
      await shown.page.mouse.move(cloth.x, cloth.y - 60, { steps: 4 });
      await steps(shown.page, 10);
      const away = distance(at, await place(shown.page, 0, cloth.drawn));
      await shown.page.mouse.up();
      await steps(shown.page, 45);
      const back = distance(at, await place(shown.page, 0, cloth.drawn));
      assert.ok(away > 1e-3 && back < 0.2 * away, `followed by ${away} m, came back to ${back} m`);
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

    test('what was done is saved, comes back in the page, and bakes to what was seen', async () => {
      const { page } = shown;
      await ask(page, { do: 'clock', play: true, pose: false });
      await page.selectOption('#demos', 'arm-bend');
      await opened(page, 'arm-bend');
      const skin = await target(page, 0);
      await ask(page, { do: 'grab', id: 9, mesh: 0, vertex: skin.vertex });
      await ask(page, { do: 'move', id: 9, by: [0.03, 0.04, 0.02] });
      await steps(page, 6);
      await ask(page, { do: 'release', id: 9 });
      await steps(page, 4);
      await ask(page, { do: 'clock', play: false, pose: false });
      const seen = await standing(page);
      const { path } = await given(page, () => page.click('#save-hands'));
      await page.setInputFiles('#file', path);
      await page.waitForFunction(() => window.cutisLive.page.scene.demo === '', null, { timeout: patience });
      const again = await standing(page);
      assert.equal(again.step, seen.step);
      assert.deepEqual(again.places, seen.places, 'the page plays the same frames');
      const folder = mkdtempSync(join(tmpdir(), 'cutis-live-'));
      execFileSync(program, ['bake', path, '-o', folder, '--format', 'pc2'], { stdio: 'ignore' });
      const pc2 = readFileSync(join(folder, readdirSync(folder).find((file) => /\.pc2$/.test(file) && !/\.uv\.pc2$/.test(file))));
      assert.equal(pc2.readInt32LE(28), seen.step);
      const far = Math.max(...frameOf(pc2, seen.step - 1).map((x, i) => Math.abs(x - seen.places[i])));
      assert.ok(far < (name === 'native' ? 5e-5 : 1e-6), `the bake differs by ${far} m`); // 16-bit shares over the socket
    });

    test('pictures one by one, and the clip as GLB', async () => {
      const { page } = shown;
      await page.selectOption('#demos', 'arm-bend');
      await opened(page, 'arm-bend');
      await ask(page, { do: 'clock', play: true, pose: false });
      await page.click('#pictures');
      await steps(page, 5);
      const { bytes: zip } = await given(page, () => page.click('#pictures'));
      assert.equal(zip.readUInt32LE(0), 0x04034b50);
      assert.ok(zip.readUInt16LE(zip.length - 12) >= 1, 'pictures in it');
      assert.deepEqual([...zip.subarray(30 + 14, 30 + 18)], [0x89, 0x50, 0x4e, 0x47], 'a PNG');
      const { bytes: glb } = await given(page, () => page.click('#export'));
      const gltf = JSON.parse(glb.subarray(20, 20 + glb.readUInt32LE(12)).toString());
      const frames = gltf.accessors[gltf.animations[0].samplers[0].input].count;
      assert.equal(gltf.meshes[0].primitives[0].targets.length, frames - 1);
      assert.equal(glb.readUInt32LE(8), glb.length);
    });

    test('a link brings settings back', async () => {
      const { page } = shown;
      await page.goto(`${page.url().split('#')[0]}#demo=arm-bend&0.frequency=5.5&off=0`);
      await page.reload();
      await opened(page, 'arm-bend');
      await page.waitForFunction(() => document.querySelector('.card').classList.contains('off') && window.cutisLive.page.scene.layers[0].options.find((o) => o.name === 'frequency').applied === 5.5, null, { timeout: patience });
      const { scene } = await ask(page, { do: 'save' });
      assert.match(scene, /frequency = 5\.5/);
    });

    test('a built-in character is set up by what cutis suggests', async () => {
      const { page } = shown;
      await page.selectOption('#demos', 'actor:arm');
      await page.waitForFunction(() => window.cutisLive.page.scene.demo === '' && window.cutisLive.page.head.step > 2, null, { timeout: patience });
      assert.ok(await page.evaluate(() => window.cutisLive.page.scene.layers.length) > 0);
      assert.match(page.url(), /character=arm/);
      await page.selectOption('#demos', 'creature-walk');
      await opened(page, 'creature-walk');
      assert.deepEqual(shown.complaints, []);
    });

    test('on a phone, dark', async () => {
      const phone = shown.again && (await shown.again({ viewport: { width: 390, height: 800 }, colorScheme: 'dark', hasTouch: true, isMobile: true }));
      if (!phone) return;
      await alive(phone.page);
      await phone.page.tap('#play');
      await steps(phone.page, 20);
      const skin = await target(phone.page, 0);
      const at = await place(phone.page, 0, skin.drawn);
      const finger = await phone.context.newCDPSession(phone.page);
      const touch = (type, ...touchPoints) => finger.send('Input.dispatchTouchEvent', { type, touchPoints });
      await touch('touchStart', { x: skin.x, y: skin.y });
      await phone.page.waitForFunction(() => window.cutisLive.page.lastHand?.ok, null, { timeout: patience });
      await touch('touchMove', { x: skin.x + 15, y: skin.y - 10 });
      await touch('touchMove', { x: skin.x + 40, y: skin.y - 25 });
      await steps(phone.page, 12);
      const away = distance(at, await place(phone.page, 0, skin.drawn));
      await touch('touchEnd');
      assert.ok(away > 1e-3, `followed a finger by ${away} m`);
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

  test('frames of an hour leave the memory as it was', { timeout: 600_000 }, async () => {
    for (const [demo, frames] of [['arm-bend', 108_000], ['creature-walk', 1500]]) {
      const { ask: command, step, memory } = await startEngine();
      command({ do: 'open', scene: readFileSync(join(project, 'examples', `${demo}.toml`), 'utf8') });
      for (let i = 0; i < 300; i++) step();
      const before = memory();
      for (let i = 0; i < frames; i++) step();
      assert.equal(memory(), before, demo);
    }
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
    // A connection that breaks is made again, and the scene is where it was.
    const step = await first.page.evaluate(() => window.cutisLive.page.head.step);
    await second.context.close();
    await first.page.evaluate(() => window.cutisLive.page.engine.socket.close());
    await first.page.waitForFunction(() => /lost/.test(document.getElementById('problem').textContent), null, { timeout: patience });
    await first.page.waitForFunction((n) => window.cutisLive.page.head.step > n + 5 && window.cutisLive.page.engine.socket, step, { timeout: patience });
    await ask(first.page, { do: 'describe' });
    const third = await visit(native.address);
    await third.page.waitForFunction(() => !document.getElementById('problem').hidden, null, { timeout: patience });
    // The first leaves, the other takes over.
    await first.context.close();
    await alive(third.page);
    await third.context.close();
    const code = await Promise.race([native.ended, new Promise((done) => { setTimeout(done, 60_000, 'still there').unref(); })]);
    assert.equal(code, 0);
  });
});
