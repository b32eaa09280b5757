// Bundles the page into one HTML template. A bake fills in its data where the two marks stand:
//   <!--CUTIS_META-->  JSON that describes the bake        <!--CUTIS_DATA-->  base64 of the deflated numbers
import { build } from 'esbuild';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2] ?? join(here, 'dist', 'page.html');

const bundle = await build({
  entryPoints: [join(here, 'src', 'main.js')],
  bundle: true,
  minify: true,
  format: 'iife',
  target: ['es2020'],
  legalComments: 'inline',
  write: false,
  logLevel: 'warning',
});
const style = await build({
  entryPoints: [join(here, 'src', 'style.css')],
  minify: true,
  write: false,
  logLevel: 'warning',
});

// A closing script tag inside the bundle would end the element early.
const script = bundle.outputFiles[0].text.replaceAll('</script', '<\\/script');
const page = readFileSync(join(here, 'src', 'page.html'), 'utf8')
  .replace('/*CUTIS_STYLE*/', () => style.outputFiles[0].text)
  .replace('/*CUTIS_SCRIPT*/', () => script);
mkdirSync(dirname(target), { recursive: true });
writeFileSync(target, page);
