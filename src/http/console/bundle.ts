// The installed package has the sources of the console and no bundle. The executable has no sources: scripts/build.ts replaces
// this file by its result.

/** The scripts of the console. */
export interface ConsoleScripts {
  /** Runs after the others, and finds that they are missing. */
  readonly start: Uint8Array;
  /** By their names, in one folder. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** What browsers load. Screens that are opened later are files of their own. A plugin can replace the texts. */
export async function bundleConsole(...plugins: Bun.BunPlugin[]): Promise<ConsoleScripts> {
  const [app, reader, start] = await Promise.all([
    bundle('main.tsx', plugins),
    bundle('workbook/worker.ts', plugins),
    bundle('start.ts', plugins),
  ]);
  return {
    start: encode(start),
    // A page loads the reader when a user chooses a workbook.
    files: new Map([...withStableNames(app), ['workbook-reader.js', encode(reader)]]),
  };
}

const encode = (files: ReadonlyMap<string, string>) =>
  new TextEncoder().encode([...files.values()].join(''));

/** Bundles a file and what it loads later, and returns the texts by the names that Bun gives. The first is that of the file. */
async function bundle(
  name: string,
  plugins: Bun.BunPlugin[],
): Promise<ReadonlyMap<string, string>> {
  const entry = Bun.fileURLToPath(new URL(`../../../console/src/${name}`, import.meta.url));
  const { success, outputs, logs } = await Bun.build({
    entrypoints: [entry],
    target: 'browser',
    format: 'esm',
    minify: true,
    splitting: true,
    naming: { entry: '[name]-[hash].[ext]', chunk: '[name]-[hash].[ext]' },
    // Fewer files, of which each is a request. Files without others to load need no list of them.
    minChunkSize: 32_768,
    modulePreload: false,
    // Bun reads no tsconfig of an installed package.
    plugins: [withoutCompat, ...plugins],
    jsx: { runtime: 'automatic', importSource: 'preact', development: false },
    throw: false,
  });
  if (!success) throw new Error(`The console cannot be bundled: ${logs.map(String).join('; ')}`);
  const sorted = outputs.toSorted((one, other) => rankOf(one) - rankOf(other));
  const texts = sorted.map(async (file) => [file.path.slice(2), await file.text()] as const);
  return new Map(await Promise.all(texts));
}

/** Puts a file of ours in the place of `preact/compat`, as the tests of components do. */
const withoutCompat: Bun.BunPlugin = {
  name: 'without preact/compat',
  setup(build) {
    const url = new URL('../../../console/src/parts/combobox/compat.ts', import.meta.url);
    build.onResolve({ filter: /^preact\/compat$/ }, () => ({ path: Bun.fileURLToPath(url) }));
  },
};

const rankOf = ({ kind }: Bun.BuildArtifact) => (kind === 'entry-point' ? 0 : 1);

/**
 * The digests in names by Bun depend on the folder in which the server runs, so that two servers of one version would have other
 * names. The folder of the scripts has a digest of all of them instead.
 */
function withStableNames(files: ReadonlyMap<string, string>): [string, Uint8Array][] {
  const names = new Map<string, string>();
  for (const file of files.keys()) {
    const base = names.size === 0 ? 'app' : file.replace(/-[^-]+$/, '').replace('main', 'shared');
    const others = [...names.values()].filter((name) => name.startsWith(`${base}.`));
    names.set(file, `${base}${others.length === 0 ? '' : `.${others.length}`}.js`);
  }
  return [...files].map(([file, text]) => {
    const renamed = [...names].reduce((result, [from, to]) => result.replaceAll(from, to), text);
    return [names.get(file) ?? file, new TextEncoder().encode(renamed)];
  });
}
