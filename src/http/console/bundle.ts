// The browser's program is not built beforehand: what is installed is its source, and the executable, which has none, has this
// file replaced by what it makes (scripts/build.ts).

let made: Promise<Uint8Array> | undefined;

/** The script of the console, as one file for browsers; made by the first who asks. */
export function consoleScript(): Promise<Uint8Array> {
  made ??= bundle().catch((error) => {
    // Whoever asks next may have more luck.
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
    // No tsconfig is read of a package that is installed.
    jsx: { runtime: 'automatic', importSource: 'preact', development: false },
    throw: false,
  });
  const [script] = outputs;
  if (!success || script === undefined) {
    throw new Error(`The console cannot be bundled: ${logs.map(String).join('; ')}`);
  }
  return new Uint8Array(await script.arrayBuffer());
}
