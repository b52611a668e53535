// The installed package has the sources of the console and no bundle. The executable has no sources: scripts/build.ts replaces
// this file by its result.

let made: Promise<Uint8Array> | undefined;

/** The script of the console, as one file for browsers. The first request builds it. */
export function consoleScript(): Promise<Uint8Array> {
  made ??= bundle().catch((error) => {
    // The next request retries the build.
    made = undefined;
    throw error;
  });
  return made;
}

async function bundle(): Promise<Uint8Array> {
  const entry = Bun.fileURLToPath(new URL('../../console/main.tsx', import.meta.url));
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
