import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { signMessage } from '../src/webhooks/signature.ts';
import { call } from './support/call-server.ts';
import { codeBlocks, readPage } from './support/documents.ts';
import { findFreePort } from './support/free-port.ts';
import { startListen } from './support/listen-process.ts';
import { collect, startServerProcess } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

const blocks = codeBlocks(readPage('docs/webhooks.md'));

function exampleIn(language: string): string {
  return blocks.find((block) => block.language === language)?.code ?? '';
}

/** Hides what differs from run to run. */
function mask(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/\d+ ms/g, 'N ms')
    .replaceAll(/evt_(\d+)_\w{8}/g, 'evt_$1')
    .replaceAll(/"timestamp":.*?(?=,"data")/g, '…')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'SERVER')
    .replaceAll(/localhost:\d+/g, 'RECEIVER')
    .replaceAll(/whsec_\S+/g, 'SECRET');
}

/** Starts a receiver of the page on another port. */
async function startReceiver({ file, language, command }: Example) {
  const folder = makeTemporaryFolder();
  const port = findFreePort();
  const path = join(folder.path, file);
  await Bun.write(path, exampleIn(language).replace('3000', `${port}`));
  const run = (env: Record<string, string>) =>
    Bun.spawn([command, path], {
      env: { PATH: process.env.PATH, ...env },
      stdout: 'pipe',
      stderr: 'ignore',
    });
  let child = run({});
  const exitCodeWithoutSecret = await child.exited;
  return {
    url: `http://localhost:${port}/`,
    exitCodeWithoutSecret,
    startWith(secret: string) {
      child = run({ WEBHOOK_SECRET: secret });
      return collect(child.stdout);
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
      folder[Symbol.dispose]();
    },
  };
}

interface Example {
  readonly file: string;
  readonly language: string;
  readonly command: string;
}

test.each<Example>([
  { file: 'receiver.mjs', language: 'ts', command: 'node' },
  { file: 'receiver.py', language: 'python', command: 'python3' },
])(
  '$file of docs/webhooks.md receives events of listen, and refuses other requests',
  async (example) => {
    using folder = makeTemporaryFolder();
    await using server = await startServerProcess(`sqlite:${folder.path}/shop.db`);
    await using receiver = await startReceiver(example);
    expect(receiver.exitCodeWithoutSecret).toBe(1);

    await using listening = await startListen(server, server.firstKey, receiver.url);
    const { secret } = listening;
    const printed = receiver.startWith(secret);
    const body = '{"name":"Fluffy","categoryId":9223372036854775807}';
    await call(server, server.firstKey, '/v1/pets', 'POST', body);
    const [received] = await printed.find(/^evt_1_.*\n/m);
    await listening.shown(/ 204 {2}.*\n/);
    const { stdout } = await listening.stop();
    // The receiver may have started after the event.
    const shown = mask(stdout.replaceAll(/.*waiting for the receiver\n/g, ''));
    const [start = '', line = ''] = shown.split(/(?=TIME)/);
    const onPage = blocks.filter(({ language }) => language === '').map(({ code }) => mask(code));
    expect(onPage).toContain(mask(received));
    expect(onPage).toContain(line);
    expect(onPage.filter((code) => code.endsWith(start))).toHaveLength(1);

    const other = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
    const now = Math.floor(Date.now() / 1000);
    const statusOf = async (secrets: string[], id: string, time = now, body = '{}') => {
      const headers = signMessage(secrets, { id, timestampSeconds: time, body: '{}' });
      return (await fetch(receiver.url, { method: 'POST', headers: { ...headers }, body })).status;
    };
    expect(await statusOf([secret], 'evt_2')).toBe(204);
    expect(await statusOf([secret], 'evt_3', now, '{ }')).toBe(401);
    expect(await statusOf([secret], 'evt_4', now - 302)).toBe(401);
    expect(await statusOf([other], 'evt_5')).toBe(401);
    expect((await fetch(receiver.url, { method: 'POST', body: '{}' })).status).toBe(401);
    // While a secret is replaced, a request is signed with both.
    expect(await statusOf([other, secret], 'evt_6')).toBe(204);
    await printed.find(/^evt_6 /m);
    expect(printed.text().match(/^evt_\d+/gm)).toEqual(['evt_1', 'evt_2', 'evt_6']);

    // Any client that knows the address can send these.
    const odd = { 'webhook-id': 'x', 'webhook-timestamp': 'x', 'webhook-signature': 'v1,\u00e9' };
    const forged = await fetch(receiver.url, { method: 'POST', headers: odd, body: '{}' });
    expect(forged.status).toBe(401);
    const long = await fetch(receiver.url, { method: 'POST', body: 'x'.repeat(100_001) });
    expect(long.status).toBe(400);
    for (const digits of ['9'.repeat(400), '9'.repeat(5000)]) {
      const headers = { ...odd, 'webhook-timestamp': digits };
      const late = await fetch(receiver.url, { method: 'POST', headers, body: '{}' });
      expect(late.status).toBe(401);
    }
    const { hostname, port } = new URL(receiver.url);
    for (const length of ['9'.repeat(5000), '-1', '1e1']) {
      const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;
      expect(await answerTo(hostname, Number(port), head)).toMatch(/^HTTP\/1\.[01] 400 /);
    }
    expect(await isOpen(otherAddress, Number(port))).toBe(false);
    const idle = connect(Number(port), hostname);
    const broken = connect(Number(port), hostname);
    await Promise.all([once(idle, 'connect'), once(broken, 'connect')]);
    broken.end('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{}');
    broken.resume();
    await once(broken, 'close');
    expect(await statusOf([secret], 'evt_7')).toBe(204);
    idle.destroy();
  },
);

/** Sends the head of a request, and returns the answer. */
async function answerTo(hostname: string, port: number, head: string): Promise<string> {
  const socket = connect(port, hostname);
  socket.write(head);
  const answer: Buffer[] = [];
  for await (const bytes of socket) {
    answer.push(bytes);
    if (Buffer.concat(answer).includes('\r\n\r\n')) break;
  }
  return Buffer.concat(answer).toString();
}

/** An address of this machine at which a program that listens only at 127.0.0.1 cannot be reached. */
const otherAddress = '127.0.0.2';

async function isOpen(hostname: string, port: number): Promise<boolean> {
  const socket = connect(port, hostname);
  const isConnected = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isConnected;
}

test('the statement of docs/webhooks.md applies an event once, and no older one', () => {
  using database = new Database(':memory:', { strict: true });
  database.run(
    'CREATE TABLE animals (id INTEGER PRIMARY KEY, name TEXT, status TEXT, sequence INTEGER)',
  );
  const apply = (name: string, sequence: number) =>
    database.query(exampleIn('sql')).run({ id: 1, name, status: 'sold', sequence }).changes;
  expect([apply('Rex', 1), apply('Max', 3), apply('Rex', 2), apply('Max', 3)]).toEqual([
    1, 1, 0, 0,
  ]);
  expect(database.query('SELECT name, sequence FROM animals').get()).toEqual({
    name: 'Max',
    sequence: 3,
  });
});
