// The installed package has the sources of the console and no bundle. The executable has no sources: scripts/build.ts replaces
// this file by its result.

/** The script of the console, as one file for browsers. */
export const consoleScript = () => bundle('main.tsx');

/** The script of the worker that reads workbooks. A page loads it when a user chooses one. */
export const workbookReaderScript = () => bundle('workbook/worker.ts');

async function bundle(name: string): Promise<Uint8Array> {
  const entry = Bun.fileURLToPath(new URL(`../../../console/src/${name}`, import.meta.url));
  const { success, outputs, logs } = await Bun.build({
    entrypoints: [entry],
    target: 'browser',
    format: 'esm',
    minify: true,
    // Bun reads no tsconfig of an installed package.
    jsx: { runtime: 'automatic', importSource: 'preact', development: false },
    throw: false,
  });
  const [script] = outputs;
  if (!success || script === undefined) {
    throw new Error(`The console cannot be bundled: ${logs.map(String).join('; ')}`);
  }
  return new Uint8Array(await script.arrayBuffer());
}
