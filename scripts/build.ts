import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { consoleScript, workbookReaderScript } from '../src/http/console/bundle.ts';

// Builds dist/animal-store, one executable with the program and its runtime. It contains no sources, so the console is bundled
// here.

const root = join(import.meta.dir, '..');
const source = (path: string) => join(root, 'src', path);

const textOf = async (script: Promise<Uint8Array>) =>
  JSON.stringify(new TextDecoder().decode(await script));
const script = await textOf(consoleScript());
const reader = await textOf(workbookReaderScript());

const { success, logs } = await Bun.build({
  entrypoints: [source('main.ts'), source('sqlite/writer/thread.ts')],
  files: {
    [source('http/console/bundle.ts')]: `
      const encoder = new TextEncoder();
      const script = encoder.encode(${script});
      const reader = encoder.encode(${reader});
      export function consoleScript() { return Promise.resolve(script); }
      export function workbookReaderScript() { return Promise.resolve(reader); }`,
  },
  compile: {
    outfile: join(root, 'dist/animal-store'),
    autoloadDotenv: false,
    autoloadBunfig: false,
  },
  format: 'esm',
  splitting: true,
  bytecode: true,
  minify: { whitespace: true, syntax: true },
  sourcemap: 'linked',
  throw: false,
});
if (!success) throw new Error(logs.map(String).join('\n'));

// The executable contains the source maps.
for (const name of readdirSync(join(root, 'dist'))) {
  if (name.endsWith('.map')) rmSync(join(root, 'dist', name));
}
