import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundleConsole } from '../src/http/console/bundle.ts';
import { makeSbom } from './make-sbom.ts';

// Builds dist/animal-store, one executable with the program and its runtime, and beside it the list of the packages in it. The
// executable contains no sources, so the console is bundled here. The same sources, packages and versions of Bun and npm give the
// same bytes in every folder.

const root = join(import.meta.dir, '..');
const source = (path: string) => join(root, 'src', path);

const scripts = await bundleConsole();
const encoded = (script: Uint8Array) =>
  `encoder.encode(${JSON.stringify(new TextDecoder().decode(script))})`;
const files = [...scripts.files].map(
  ([name, script]) => `[${JSON.stringify(name)}, ${encoded(script)}]`,
);

const bundle = `
  const encoder = new TextEncoder();
  const start = ${encoded(scripts.start)};
  const files = new Map([${files.join()}]);
  export function bundleConsole() { return Promise.resolve({ start, files }); }`;

// A test can run the executable of an earlier build, so a new one replaces it as a whole.
mkdirSync(join(root, 'dist'), { recursive: true });
const folder = mkdtempSync(join(root, 'dist/.build-'));
const { success, logs } = await Bun.build({
  entrypoints: [source('main.ts'), source('sqlite/writer/thread.ts')],
  // A replacement in `files` would need an absolute path, which changes ids in the executable.
  plugins: [
    {
      name: 'console',
      setup(build) {
        const filter = /\/src\/http\/console\/bundle\.ts$/;
        build.onLoad({ filter }, () => ({ contents: bundle, loader: 'js' }));
      },
    },
  ],
  compile: {
    outfile: join(folder, 'animal-store'),
    autoloadDotenv: false,
    autoloadBunfig: false,
  },
  // Libraries would contain the folder of this build. They use it only to start threads, and no thread starts.
  define: { __dirname: '"/"' },
  format: 'esm',
  splitting: true,
  bytecode: true,
  minify: { whitespace: true, syntax: true },
  sourcemap: 'linked',
  throw: false,
});
if (success) renameSync(join(folder, 'animal-store'), join(root, 'dist/animal-store'));
// With the source maps, which the executable contains.
rmSync(folder, { recursive: true });
if (!success) throw new Error(logs.map(String).join('\n'));

await Bun.write(join(root, 'dist/animal-store.cdx.json'), await makeSbom(root));
