// Bundles the page into one HTML template. A bake fills in its data where the two marks stand:
//   node web/build.mjs [PAGE.html [PAGE.cpp]]     PAGE.cpp: the same as a C++ string, for the program
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

// As raw string literals: quick to compile. Compilers need not take one longer than 64 KiB, so it comes in pieces; the
// delimiter must not occur in the text.
const sourceTarget = process.argv[3];
if (sourceTarget) {
  const end = ')CUTIS_PAGE"';
  if (page.includes(end)) throw new Error(`the page holds ${end}`);
  const pieces = page.match(/[^]{1,16000}/g).map((piece) => `R"CUTIS_PAGE(${piece})CUTIS_PAGE"`);
  const source = `// Made by web/build.mjs.\n#include <string_view>\n\nnamespace cutis {\n
extern const std::string_view page_template;
const std::string_view page_template =\n${pieces.join('\n')};\n
}  // namespace cutis\n`;
  mkdirSync(dirname(sourceTarget), { recursive: true });
  writeFileSync(sourceTarget, source);
}
