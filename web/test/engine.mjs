// The engine in WebAssembly in Node.js, as the Worker of the page has it in a browser.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const project = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const folder = process.env.CUTIS_WASM ?? join(project, 'build-wasm');

/** \return { ask(command), step(), memory() } */
export async function startEngine() {
  const script = join(folder, 'cutis-live.js');
  assert.ok(existsSync(script), `${script} is there (make live)`);
  const engine = await createRequire(import.meta.url)(script)({ wasmBinary: readFileSync(join(folder, 'cutis-live.wasm')) });
  for (const name of ['/work', '/actors', '/demos']) engine.FS.mkdir(name);
  for (const name of readdirSync(join(project, 'actors'))) engine.FS.writeFile(`/actors/${name}`, readFileSync(join(project, 'actors', name)));
  engine._live_begin();
  const ask = (command) => {
    const text = JSON.stringify(command);
    const bytes = engine.lengthBytesUTF8(text) + 1;
    const at = engine._malloc(bytes);
    engine.stringToUTF8(text, at, bytes);
    const answer = JSON.parse(engine.UTF8ToString(engine._live_command(at)));
    engine._free(at);
    assert.ok(!answer.error, `${text.slice(0, 80)}: ${answer.error}`);
    return answer;
  };
  return { ask, step: () => engine._live_step(), memory: () => engine.HEAPU8.length };
}
