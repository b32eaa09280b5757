// The engine in WebAssembly makes the frames that tests/live/same_bits.json has written down, to the last bit: those of the native
// engine (tests/live/same_bits_test.cpp).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { project, startEngine } from './engine.mjs';

const sessions = JSON.parse(readFileSync(join(project, 'tests', 'live', 'same_bits.json'), 'utf8'));

for (const { name, scene, commands = {}, hashes } of sessions) {
  test(name, { timeout: 300_000 }, async () => {
    const { ask, step } = await startEngine();
    ask({ do: 'open', scene });
    for (let i = 1, last = Math.max(...Object.keys(hashes)); i <= last; i++) {
      for (const command of commands[i] ?? []) ask(command);
      assert.ok(step() > 0, `step ${i}`);
      if (hashes[i]) assert.equal(ask({ do: 'hash' }).hash, hashes[i], `step ${i}`);
    }
  });
}
