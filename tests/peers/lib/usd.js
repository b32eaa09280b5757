// Parses .usda with tinyusdz, a USD implementation of its own, and reads its echo.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

let library;

async function tinyusdz() {
  if (library) return library;
  // The package is built for browsers and picks its surroundings by these names.
  process.type = 'renderer';
  globalThis.window = globalThis;
  globalThis.document ??= { currentScript: null };
  const require = createRequire(import.meta.url);
  // An ES module without the word for it in its package.json, which Node 18 takes for CommonJS.
  const source = readFileSync(require.resolve('tinyusdz/tinyusdz.js')).toString('base64');
  const { default: init } = await import(`data:text/javascript;base64,${source}`);
  library = await init({
    wasmBinary: readFileSync(require.resolve('tinyusdz/tinyusdz.wasm')),
    locateFile: (name) => name,
  });
  return library;
}

/** The layer as tinyusdz prints it back; throws when it cannot be parsed. */
export async function usdEcho(file) {
  const module = await tinyusdz();
  const loader = new module.TinyUSDZLoaderNative();
  try {
    if (!loader.loadAsLayerFromBinary(new Uint8Array(readFileSync(file)), file)) {
      throw new Error(`${file}: tinyusdz refuses it: ${loader.error()}`);
    }
    return loader.layerToString();
  } finally {
    loader.delete();
  }
}

/** Time samples of an attribute in the echo: [{time, values (flat numbers)}]. */
export function timeSamples(echo, attribute) {
  const escaped = attribute.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const start = new RegExp(`\\b${escaped}\\.timeSamples\\s*=\\s*\\{`).exec(echo);
  if (!start) return [];
  const from = start.index + start[0].length;
  const body = echo.slice(from, echo.indexOf('}', from));
  const samples = [];
  const entry = /(-?[\d.e+-]+)\s*:\s*\[([^\]]*)\]/g;
  for (let found = entry.exec(body); found; found = entry.exec(body)) {
    const values = Float64Array.from(found[2].match(/-?\d[\d.e+-]*/g) ?? [], Number);
    samples.push({ time: Number(found[1]), values });
  }
  return samples;
}
