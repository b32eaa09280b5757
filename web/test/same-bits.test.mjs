// The engine in WebAssembly makes the frames that tests/live/same_bits.json has written down, to the last bit: those of the native
// engine (tests/live/same_bits_test.cpp).
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const project = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const folder = process.env.CUTIS_WASM ?? join(project, 'build-wasm');
const sessions = JSON.parse(readFileSync(join(project, 'tests', 'live', 'same_bits.json'), 'utf8'));

async function start() {
  const script = join(folder, 'cutis-live.js');
  assert.ok(existsSync(script), `${script} is there (make live)`);
  const engine = await createRequire(import.meta.url)(script)({ wasmBinary: readFileSync(join(folder, 'cutis-live.wasm')) });
  for (const name of ['/work', '/actors', '/demos']) engine.FS.mkdir(name);
  for (const name of readdirSync(join(project, 'actors'))) engine.FS.writeFile(`/actors/${name}`, readFileSync(join(project, 'actors', name)));
  engine._live_begin();
  return (command) => {
    const text = JSON.stringify(command);
    const bytes = engine.lengthBytesUTF8(text) + 1;
    const at = engine._malloc(bytes);
    engine.stringToUTF8(text, at, bytes);
    const answer = JSON.parse(engine.UTF8ToString(engine._live_command(at)));
    engine._free(at);
    assert.ok(!answer.error, `${text.slice(0, 80)}: ${answer.error}`);
    return { ...answer, step: () => engine._live_step() };
  };
}

for (const { name, scene, commands = {}, hashes } of sessions) {
  test(name, { timeout: 300_000 }, async () => {
    const ask = await start();
    const { step } = ask({ do: 'open', scene });
    for (let i = 1, last = Math.max(...Object.keys(hashes)); i <= last; i++) {
      for (const command of commands[i] ?? []) ask(command);
      assert.ok(step() > 0, `step ${i}`);
      if (hashes[i]) assert.equal(ask({ do: 'hash' }).hash, hashes[i], `step ${i}`);
    }
  });
}
