import { expect, test } from 'bun:test';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { signMessage } from '../src/webhooks/signature.ts';
import { codeBlocks, readPage } from './support/documents.ts';
import { findFreePort } from './support/free-port.ts';
import { createTestDatabase } from './support/postgres.ts';
import { waitUntilListening } from './support/proxy-process.ts';
import { collect } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

const root = join(import.meta.dir, '..');
const programs = 'psql, pg_basebackup and pg_dump do not come with npm';
const twoMachines = 'the servers of these examples are behind a load balancer';
const noPackages = 'npm run test:client packs and installs the client';

/** The beginnings of commands that do not run here, with the reason. */
const notRun: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'README.md': {
    'npm ci && npm test': 'it would start this test again',
    'npm pack ': noPackages,
    'mkdir ../shop': noPackages,
  },
  'docs/tour.md': {},
  'docs/events.md': {},
  'docs/console.md': {},
  'client/README.md': {
    'npm ci && npm pack': noPackages,
    'npm install ../animal-store/': noPackages,
  },
  'docs/operations.md': {
    'export PATH=/usr/lib/postgresql': programs,
    'cd /var/lib/postgresql': programs,
    'echo secret > password': programs,
    'initdb ': programs,
    'printf ': programs,
    pg_: programs,
    'psql ': programs,
    'mv one ': programs,
    'mkdir -p /backup/wal': programs,
    'cp -a /backup/base one': programs,
    'touch one/recovery.signal': programs,
    'DATABASE_URL=postgres://animals_owner:': programs,
    'animal-store accept-restored': programs,
    'export DATABASE_URL=postgres:': twoMachines,
    'export ANIMAL_STORE_API_KEY=': twoMachines,
    'for port in 8081 8082;': twoMachines,
    'touch /run/animal-store-8081.out': twoMachines,
    'sleep 1': twoMachines,
    'kill -TERM %': twoMachines,
    'animal-store serve --port 808': twoMachines,
    'curl -fsS --retry': twoMachines,
    'mv /run/animal-store-8081.out': twoMachines,
    'rm /run/animal-store-8082.out': twoMachines,
    'animal-store sessions ': 'a session begins in a browser',
    'animal-store webhooks ': 'a webhook needs an endpoint on the internet',
  },
};

/** Commands that do not end by themselves. They are stopped when they have shown the output of the page. */
const endless = /^(?:npm start|curl -N)\b/;

interface Step {
  readonly command: string;
  /** Undefined if the page does not show it. */
  readonly output: string | undefined;
}

/** Each line of a shell block is a command. In a block without a language, commands begin with `$ `, and their output follows. */
function readSteps(text: string): readonly Step[] {
  return codeBlocks(text).flatMap(({ language, code }): Step[] => {
    const command = String.raw`((?:.*\\\n)*.*\n)`;
    if (language === 'sh') {
      return [...code.matchAll(new RegExp(`^(?!\n)${command}`, 'gm'))].map(([line]) => ({
        command: line.trimEnd(),
        output: undefined,
      }));
    }
    if (language !== '') return [];
    const steps = code.matchAll(new RegExp(`^\\$ ${command}((?:(?!\\$ ).*\n)*)`, 'gm'));
    return [...steps].map(([, line = '', output = '']) => ({ command: line.trimEnd(), output }));
  });
}

/** Replaces what differs from run to run. */
function mask(text: string): string {
  const masked = text
    .replaceAll('\r', '')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d(?:\.\d+)?Z/g, 'TIME')
    .replaceAll(/\b[0-9a-f]{64}\b/g, 'DIGEST')
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'UUID')
    .replaceAll(/anst_live_[\w…]+/g, 'KEY')
    .replaceAll(/whsec_[\w+/=…]+/g, 'SECRET')
    .replaceAll(/\bevt_(\d+)_\w{8}/g, 'evt_$1')
    .replaceAll(/\b\d+ bytes/g, 'N bytes')
    .replaceAll(/lastFour="\w{4}"/g, 'lastFour')
    .replaceAll(/\buid \d+.*? on \S+/g, 'ACTOR')
    .replaceAll(/ {2,}/g, '  ');
  return `${masked.trimEnd()}\n`;
}

/** `…` stands for any text within a line, and alone on a line for any lines. */
function isShown(output: string, expected: string): boolean {
  const pattern = mask(expected)
    .split(/^…$\n?/m)
    .map((lines) => lines.split('…').map(RegExp.escape).join('.*?'))
    .join('(?:[^]*?\n)??');
  return new RegExp(`^${pattern}$`).test(mask(output));
}

/** Runs the commands of a page in a new folder, with addresses and paths of its own. */
function openShell(replacements: Readonly<Record<string, string>> = {}) {
  const folder = makeTemporaryFolder();
  const port = findFreePort();
  const bin = join(folder.path, 'bin');
  for (const path of ['bin', 'srv/animals', 'backup', 'mnt/data']) {
    mkdirSync(join(folder.path, path), { recursive: true });
  }
  symlinkSync(join(root, 'bin/animal-store'), join(bin, 'animal-store'));
  symlinkSync(join(root, 'package.json'), join(folder.path, 'package.json'));
  // On a terminal, curl shows no progress.
  writeFileSync(join(folder.path, '.curlrc'), 'no-progress-meter\n');
  const env = { HOME: folder.path, PATH: `${bin}:${process.env.PATH}`, PORT: `${port}` };
  const running: Bun.Subprocess[] = [];
  const exports: string[] = [];
  let key = '';
  let digest = '';

  function adapt(text: string): string {
    return Object.entries(replacements)
      .reduce((adapted, [from, to]) => adapted.replaceAll(from, to), text)
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)
      .replaceAll('anst_live_…', key)
      .replaceAll(/\b[0-9a-f]{64}\b/g, digest)
      .replaceAll(/(?<=[ :])\/(?=(?:srv|backup|mnt)\b)/g, `${folder.path}/`)
      .replace('npm ci && npm start', 'npm start');
  }

  /** Returns what the command printed. */
  async function run({ command, output: expected }: Step): Promise<string> {
    const adapted = adapt(command);
    if (adapted.startsWith('export ')) {
      exports.push(adapted);
      return '';
    }
    const child = Bun.spawn(['sh', '-c', ['exec 2>&1', ...exports, adapted].join('\n')], {
      cwd: folder.path,
      env,
      stdout: 'pipe',
      // A process group of its own, so that the server under npm ends too.
      detached: true,
    });
    running.push(child);
    const isEndless = endless.test(adapted);
    const isDone = (text: string) =>
      expected === undefined
        ? text.includes('"msg":"ready"')
        : text.split('\n').length >= expected.split('\n').length;
    let printed = '';
    await new Promise<void>((resolve, reject) => {
      const read = async () => {
        const decoder = new TextDecoder();
        for await (const part of child.stdout) {
          printed += decoder.decode(part, { stream: true });
          if (isEndless && isDone(printed)) resolve();
        }
      };
      read().then(resolve, reject);
    });
    const output = Object.entries(replacements)
      .reduce((restored, [from, to]) => restored.replaceAll(to, from), printed)
      .replaceAll(folder.path, '')
      .replaceAll(`127.0.0.1:${port}`, '127.0.0.1:8080');
    key = /anst_live_\w+/.exec(output)?.[0] ?? key;
    digest = /the last ([0-9a-f]{64})/.exec(output)?.[1] ?? digest;
    if (expected !== undefined && !isShown(output, expected)) {
      expect(`$ ${command}\n${mask(output)}`).toBe(`$ ${command}\n${mask(expected)}`);
    }
    const isRefused = expected?.startsWith('animal-store: ') === true;
    if (!isEndless) expect([command, await child.exited]).toEqual([command, isRefused ? 1 : 0]);
    return output;
  }

  return {
    folder: folder.path,
    adapt,
    run,
    async [Symbol.asyncDispose]() {
      // The newest first, because a stream ends with its server.
      for (const child of running.toReversed().filter(({ exitCode }) => exitCode === null)) {
        process.kill(-child.pid, 'SIGKILL');
        await child.exited;
      }
      folder[Symbol.dispose]();
    },
  };
}
type Shell = ReturnType<typeof openShell>;

/** Starts the server and sets KEY and URL, with the first commands of the README. */
async function startAsInReadme(shell: Shell): Promise<void> {
  const steps = readSteps(readPage('README.md'));
  for (const begin of ['npm ci && npm start', 'export KEY=', 'export URL=']) {
    const step = steps.find(({ command }) => command.startsWith(begin));
    if (step === undefined) throw new Error(`README.md no longer has ${begin}`);
    await shell.run(step);
  }
}

async function runPage(page: string, shell: Shell): Promise<void> {
  const excluded = Object.keys(notRun[page] ?? {});
  for (const step of readSteps(readPage(page))) {
    if (!excluded.some((begin) => step.command.startsWith(begin))) await shell.run(step);
  }
}

test.each(Object.keys(notRun))('%s still has each command that does not run here', async (page) => {
  const commands = readSteps(readPage(page)).map(({ command }) => command);
  const gone = Object.keys(notRun[page] ?? {}).filter(
    (begin) => !commands.some((command) => command.startsWith(begin)),
  );
  expect(gone).toEqual([]);
  expect(commands).not.toBeEmpty();
});

/** Installs the client, and saves the first example of a page. */
async function saveExample(page: string, file: string, shell: Shell): Promise<void> {
  const client = join(shell.folder, 'node_modules/animal-store-client');
  await Bun.build({ entrypoints: [join(root, 'client/src/index.ts')], outdir: client });
  await Bun.write(join(client, 'package.json'), '{"type":"module","exports":"./index.js"}');
  const example = codeBlocks(readPage(page)).find(({ language }) => language === 'js');
  await Bun.write(join(shell.folder, file), shell.adapt(example?.code ?? ''));
}

test('the commands of README.md print what it shows', async () => {
  await using shell = openShell();
  await saveExample('README.md', 'shop.mjs', shell);
  await runPage('README.md', shell);
});

test.each(['docs/tour.md', 'docs/events.md', 'docs/console.md'])(
  'the commands of %s print what it shows',
  async (page) => {
    await using shell = openShell();
    await startAsInReadme(shell);
    await runPage(page, shell);
  },
);

test('the commands of docs/webhooks.md for a server print what it shows, and its receiver gets each new event', async () => {
  const port = findFreePort();
  await using shell = openShell({ '127.0.0.1:3000': `127.0.0.1:${port}` });
  const page = readPage('docs/webhooks.md');
  const [, ofServer = ''] = page.split('## Let a server send them');
  await shell.run({ command: 'export URL=http://127.0.0.1:8080/v1', output: undefined });
  const example = codeBlocks(page).find(({ language }) => language === 'ts');
  const path = join(shell.folder, 'receiver.ts');
  await Bun.write(path, (example?.code ?? '').replace('3000', `${port}`));
  await using stack = new AsyncDisposableStack();
  let received: ReturnType<typeof collect> | undefined;
  for (const step of readSteps(ofServer)) {
    const [secret] = /whsec_[^"]+/.exec(await shell.run(step)) ?? [];
    if (secret === undefined) continue;
    const receiver = Bun.spawn([process.execPath, path], {
      env: { WEBHOOK_SECRET: secret },
      stdout: 'pipe',
      stderr: 'pipe',
    });
    stack.defer(async () => {
      receiver.kill();
      await receiver.exited;
    });
    await waitUntilListening(receiver, port);
    received = collect(receiver.stdout);
  }
  await received?.find(/"type":"webhook\.test"/);
  const { command } =
    readSteps(page).find((step) => step.command.startsWith('curl $URL/pets')) ?? {};
  // The key of the page so far is that of the webhook.
  const key = `$(npm run -s animal-store -- keys create --name site | grep -o 'anst_live_.*')`;
  await shell.run({ command: `KEY=${key}; ${command}`, output: '{"id":1…}' });
  await received?.find(/"type":"pet\.created"/);
});

test('the commands of docs/operations.md print what it shows', async () => {
  await using database = await createTestDatabase('empty');
  await using shell = openShell({
    'postgres://animals@127.0.0.1:5433/animals': database.url,
  });
  await runPage('docs/operations.md', shell);
});

test('the JavaScript of docs/clients.md reads every digit of an int64', async () => {
  await using shell = openShell();
  await startAsInReadme(shell);
  const blocks = codeBlocks(readPage('docs/clients.md'));
  const script = blocks.find(({ language }) => language === 'js')?.code ?? '';
  await Bun.write(join(shell.folder, 'recipe.js'), script);
  await shell.run({ command: `${process.execPath} recipe.js`, output: '9223372036854775807n' });
});

test('the examples of client/README.md compile, as does the receiver of docs/webhooks.md, and print what it shows', async () => {
  await using shell = openShell();
  await startAsInReadme(shell);
  await saveExample('client/README.md', 'tour.mjs', shell);
  const open = `import { createAnimalStore as open } from 'animal-store-client';
    const store = open({ baseUrl: 'http://127.0.0.1:8080/v1', apiKey: process.env.KEY });\n`;
  const examples = codeBlocks(readPage('client/README.md'))
    .filter(({ language }) => /^[jt]s$/.test(language))
    .map(({ code }) => shell.adapt(code.includes('const store =') ? code : `${open}${code}`));
  await runPage('client/README.md', shell);

  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      noUnusedLocals: false,
      typeRoots: [join(root, 'node_modules/@types')],
      paths: { 'animal-store-client': [join(root, 'client/src/index.ts')] },
    },
    include: ['*.ts'],
  };
  await Bun.write(join(shell.folder, 'tsconfig.json'), JSON.stringify(config));
  for (const [index, code] of examples.entries()) {
    await Bun.write(join(shell.folder, `${index}.ts`), code);
    // A stream and a server do not end.
    const isEndless = code.includes('store.events.stream({ types') || code.includes('.listen(');
    if (!isEndless) await shell.run({ command: `${process.execPath} ${index}.ts`, output: '…' });
  }
  const [receiver] = codeBlocks(readPage('docs/webhooks.md')).filter(
    ({ language }) => language === 'ts',
  );
  await Bun.write(join(shell.folder, 'receiver.ts'), receiver?.code ?? '');
  await shell.run({ command: `${join(root, 'node_modules/.bin/tsc')} -p .`, output: '' });
});

test.each([
  { runtime: process.execPath, begin: 'async function receive(' },
  { runtime: 'node', begin: 'createServer(' },
])(
  'the receiver of client/README.md that begins with $begin answers 204 to an event, 400 to all other requests, and stays',
  async ({ runtime, begin }) => {
    await using shell = openShell();
    await saveExample('client/README.md', 'tour.mjs', shell);
    const examples = codeBlocks(readPage('client/README.md'));
    const code = examples.find((example) => example.code.includes(begin))?.code ?? '';
    const port = findFreePort();
    const serve = `Bun.serve({ port: 3000, hostname: 'localhost', fetch: receive });`;
    const program = code.includes('.listen(') ? code : `${code}${serve}`;
    const path = join(shell.folder, runtime === 'node' ? 'receiver.mjs' : 'receiver.ts');
    await Bun.write(path, program.replace('3000', `${port}`));
    const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
    const env = { PATH: process.env.PATH, WEBHOOK_SECRET: secret };
    await using receiver = Bun.spawn([runtime, path], { env, stdout: 'pipe', stderr: 'pipe' });
    await waitUntilListening(receiver, port);
    const url = `http://localhost:${port}/`;
    const statusOf = async (init: RequestInit) =>
      (await fetch(url, { method: 'POST', ...init })).status;
    const body =
      '{"id":"evt_1","type":"webhook.test","timestamp":"2026-11-25T12:00:00Z","data":{}}';
    const timestampSeconds = Math.floor(Date.now() / 1000);
    const headers = { ...signMessage([secret], { id: 'evt_1', timestampSeconds, body }) };
    expect(await statusOf({ headers, body })).toBe(204);
    expect(await statusOf({ headers, body: `${body} ` })).toBe(400);
    expect(await statusOf({ headers })).toBe(400);
    expect(await statusOf({ body })).toBe(400);
    expect(await statusOf({ headers, body: 'x'.repeat(100_001) })).toBe(400);
    const unknownLength = new ReadableStream({
      async pull(controller) {
        await Promise.resolve();
        controller.enqueue(Buffer.from(body));
        controller.close();
      },
    });
    expect(await statusOf({ headers, body: unknownLength })).toBe(400);
    const broken = connect(port, 'localhost');
    await once(broken, 'connect');
    const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    broken.end(`POST / HTTP/1.1\r\nHost: x\r\n${fields.join('')}Content-Length: 100\r\n\r\n{`);
    broken.resume();
    await once(broken, 'close');
    expect(await statusOf({ headers, body })).toBe(204);
    receiver.kill();
    expect(await receiver.stdout.text()).toBe('webhook.test {}\nwebhook.test {}\n');
  },
);
