// What the page tests share: a browser, a page that counts its complaints, and pictures as plain numbers.
import { chromium } from 'playwright-core';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const project = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
export const output = process.env.CUTIS_PAGE_OUTPUT ?? join(project, 'build', 'test-output', 'page');
mkdirSync(output, { recursive: true });

const small = [64, 40];

export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
}

/** A page of a file on disk, stopped at its first frame. `complaints` fills with console errors and failed requests. */
export async function open(browser, file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 960, height: 600 }, colorScheme: 'light', offline: true, ...options });
  const page = await context.newPage();
  const complaints = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && isOurs(message.text()) && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => /^(https?|wss?):/.test(request.url()) && complaints.push(`asks the network for ${request.url()}`));
  await page.goto(pathToFileURL(file).href);
  await page.waitForFunction(() => window.cutis !== undefined, null, { timeout: 120_000 });
  await page.evaluate(() => window.cutis.at(0));
  return { page, context, complaints };
}

/** Software WebGL speaks of its own slowness when pixels are read back; that is not the page's doing. */
function isOurs(text) {
  return !/GPU stall due to ReadPixels|software WebGL|Automatic fallback to software/i.test(text);
}

/** The canvas as it is drawn now, averaged over blocks: rows of r g b a, colours times a. */
export function picture(page, part = 'all') {
  return page.evaluate(([[width, height], side]) => {
    window.cutis.draw();
    const canvas = document.getElementById('canvas');
    const half = Math.floor(canvas.width / 2);
    const [x, w] = { all: [0, canvas.width], left: [0, half], right: [canvas.width - half, half] }[side];
    const copy = document.createElement('canvas');
    Object.assign(copy, { width: w, height: canvas.height });
    const g = copy.getContext('2d', { willReadFrequently: true });
    g.drawImage(canvas, -x, 0);
    const { data } = g.getImageData(0, 0, w, canvas.height);
    const sums = new Float64Array(width * height * 4);
    const counts = new Float64Array(width * height);
    for (let row = 0; row < canvas.height; row++) {
      for (let column = 0; column < w; column++) {
        const block = Math.floor((row * height) / canvas.height) * width + Math.floor((column * width) / w);
        const at = (row * w + column) * 4;
        const solid = data[at + 3] / 255;
        for (let c = 0; c < 3; c++) sums[block * 4 + c] += data[at + c] * solid;
        sums[block * 4 + 3] += data[at + 3];
        counts[block] += 1;
      }
    }
    return Array.from(sums, (v, i) => v / counts[Math.floor(i / 4)]);
  }, [small, part]);
}

/** Mean difference of two pictures, 0 to 255. */
export function difference(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += Math.abs(a[i] - b[i]);
  return sum / a.length;
}

/** Share of the picture that something is drawn on. */
export function coverage(a) {
  let covered = 0;
  for (let i = 3; i < a.length; i += 4) covered += a[i] > 128 ? 1 : 0;
  return covered / (a.length / 4);
}

export function shot(page, name) {
  return page.screenshot({ path: join(output, `${name}.png`) });
}
