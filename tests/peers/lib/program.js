// The program under test, the data it reads, and the folder where outputs stay to be looked at.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('..', import.meta.url));
export const PROGRAM = path.resolve(
  process.env.CUTIS_PROGRAM ?? path.join(HERE, '../../build/cutis'),
);
export const DATA = path.resolve(process.env.CUTIS_DATA ?? path.join(HERE, '../../../shared/data'));
export const CHARACTERS = path.resolve(
  process.env.CUTIS_CHARACTERS ?? path.join(HERE, '../../../shared/characters'),
);
const OUTPUT = path.resolve(HERE, '../../build/test-output/peers');
const IN_CI = process.env.CI === 'true';

/** An empty folder under build/test-output/peers. */
export function outputFolder(name) {
  const folder = path.join(OUTPUT, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

/**
 * Path of a data file. Without it the test is skipped with a word why (null is returned); in CI, where
 * the data must be, it fails.
 */
export function dataFile(t, name) {
  const file = path.resolve(DATA, name);
  if (existsSync(file)) return file;
  const word = `${name} is not in the data folder ${DATA} (set CUTIS_DATA)`;
  if (IN_CI) throw new Error(word);
  t.skip(word);
  return null;
}

/** All glTF and GLB files of the data folder, as names relative to it, sorted. */
export function gltfNames() {
  const found = [];
  const walk = (folder) => {
    for (const entry of readdirSync(path.join(DATA, folder))) {
      const name = folder === '' ? entry : `${folder}/${entry}`;
      if (statSync(path.join(DATA, name)).isDirectory()) walk(name);
      else if (/\.(glb|gltf)$/.test(entry)) found.push(name);
    }
  };
  if (existsSync(DATA)) walk('');
  return found.sort();
}

/** Runs the program; throws with its words when it does not end well. */
export function cutis(...args) {
  const run = spawnSync(PROGRAM, args.map(String), { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (run.error) throw new Error(`${PROGRAM} does not run (make build): ${run.error.message}`);
  if (run.status !== 0) {
    throw new Error(
      `cutis ${args.join(' ')} ended with ${run.status ?? run.signal}\n${run.stdout}${run.stderr}`,
    );
  }
  return run.stdout;
}
