// The installed package has the sources of the console and no bundle. The executable has no sources: scripts/build.ts replaces
// this file by its result.

/** The script of the console, as one file for browsers. */
export const consoleScript = bundleOnce(new URL('../../../console/src/main.tsx', import.meta.url));

/** The script of the worker that reads workbooks. A page loads it when a user chooses one. */
export const workbookReaderScript = bundleOnce(
  new URL('../../../console/src/workbook/worker.ts', import.meta.url),
);

/** Returns what bundles a script at its first call. */
function bundleOnce(entry: URL): () => Promise<Uint8Array> {
  let made: Promise<Uint8Array> | undefined;
  return () => {
    made ??= bundle(Bun.fileURLToPath(entry)).catch((error) => {
      // The next request retries the build.
      made = undefined;
      throw error;
    });
    return made;
  };
}

async function bundle(entry: string): Promise<Uint8Array> {
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
