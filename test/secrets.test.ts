import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { call } from './support/call-server.ts';
import { type EngineName, engineNames } from './support/engines.ts';
import { runSql } from './support/postgres.ts';
import { startPostgresServer } from './support/postgres-server.ts';
import { connect } from './support/raw-connection.ts';
import { runProgram, type ServerProcess, startServerProcess } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';
import { startReceiver } from './support/webhook-receiver.ts';

const operatorApiKey = 'operator.chosen+key/tail-of-it-1==';

/** A database of its own whose files can all be read. */
async function openData(engine: EngineName) {
  if (engine === 'sqlite') {
    const folder = makeTemporaryFolder();
    const url = `sqlite:${join(folder.path, 'test.db')}`;
    const dispose = async () => folder[Symbol.dispose]();
    return { url, folder: folder.path, end: async () => {}, [Symbol.asyncDispose]: dispose };
  }
  const postgres = await startPostgresServer();
  return {
    url: `${postgres.url}/postgres`,
    folder: postgres.folder,
    end: () => postgres.end('SIGQUIT'),
    [Symbol.asyncDispose]: () => postgres[Symbol.asyncDispose](),
  };
}

/** The files of a folder that contain any of these texts, in bytes, in UTF-16, in hexadecimal or in Base64. */
function filesWith(folder: string, texts: readonly string[]): string[] {
  const forms = texts.flatMap((text) => {
    const bytes = Buffer.from(text);
    const base64 = bytes.toString('base64').replaceAll('=', '').slice(0, -1);
    return [text, bytes.toString('hex'), base64, Buffer.from(text, 'utf16le').toString('latin1')];
  });
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = join(folder, name);
    if (!statSync(path).isFile()) return false;
    const content = readFileSync(path, 'latin1');
    return forms.some((form) => content.includes(form));
  });
}

async function readMetrics(server: ServerProcess): Promise<string> {
  const url = /"metrics":"([^"]+)"/.exec(server.output().stdout)?.[1] ?? '';
  return (await fetch(url)).text();
}

/** The text with every character percent-encoded. */
function percentOf(text: string): string {
  return [...text].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');
}

/** Uses a key in valid and invalid ways. */
async function useEverywhere(server: ServerProcess, apiKey: string): Promise<string[]> {
  const { origin } = server;
  const authorization = `Bearer ${apiKey}`;
  const json = { authorization, 'content-type': 'application/json' };
  const post = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${origin}/v1/pets`, { method: 'POST', body, headers: { ...json, ...headers } });
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${origin}${path}`, { headers: { authorization, ...headers } });

  const answers = [
    await post('{"name":"Rex the Findable","categoryId":1}', { 'idempotency-key': 'order-1' }),
    await post(`{"name":"Rex","categoryId":1,"apiKey":"${apiKey}"}`),
    await post(`{"name":"Rex","categoryId":"${apiKey}","status":"${apiKey}"}`),
    await post(`{"name":"Rex","${apiKey}":1,"categoryId":1}`, { prefer: 'handling=strict' }),
    await post(`{"name":"Rex",${apiKey}`),
    await get('/v1/pets'),
    await get(`/v1/pets?access_token=${apiKey}&${apiKey}=1`, { prefer: 'handling=strict' }),
    await get(`/v1/pets?limit=${apiKey}&status=${apiKey}&id=${apiKey}`),
    await get(`/v1/pets?cursor=${apiKey}`),
    await get(`/v1/pets?limit=${encodeURIComponent(apiKey)}`),
    await get(`/v1/pets/1/${encodeURIComponent(apiKey)}`),
    await get(`/v1/pets?limit=${apiKey}${'x'.repeat(30)}`),
    await get(`/v1/pets/${apiKey}`),
    await get(`/v1/pets/${percentOf(apiKey)}`),
    await get(`/${percentOf(apiKey).replaceAll('%', '%25')}`),
    await get(`/${apiKey}`),
    await get(`/v1/pets/1/${apiKey}/x`),
    await get('/v1/pets', { 'x-request-id': apiKey, 'user-agent': apiKey, cookie: `k=${apiKey}` }),
    await get('/v1/pets', { prefer: apiKey, referer: `http://h.example/?k=${apiKey}` }),
    await get('/v1/pets', { 'if-none-match': `"${apiKey}"`, origin: `http://${apiKey}.example` }),
    await get('/v1/pets', { authorization: `Bearer ${apiKey}x` }),
    await get('/v1/pets', { authorization: `Basic ${btoa(`${apiKey}:`)}` }),
    await fetch(`${origin}/v1/pets`, { method: 'PUT', body: apiKey, headers: json }),
  ];
  const connection = await connect(Number(new URL(origin).port));
  await connection.send([`GET /v1/pets HTTP/1.1\r\nAuthorization: ${authorization}\r\n\r\n`]);
  await connection.received;
  // The lines of requests are logged later, in order.
  const last = crypto.randomUUID();
  await get(`/${last}`);
  await server.logged(last);
  const texts = answers.map(async (answer) => `${await answer.text()} ${answer.url}`);
  const heads = answers.map(({ headers }) => JSON.stringify(headers.toJSON()));
  // The address contains the key because the caller sent it there.
  return [...(await Promise.all(texts)).map((text) => text.replace(/ http:\S+$/, '')), ...heads];
}

describe.each(engineNames)('a key that was sent in every way is found, on %s,', (engine) => {
  test('in no file, log, metric, answer or command line, also after a kill', async () => {
    await using data = await openData(engine);
    await using server = await startServerProcess(data.url, {
      args: ['--log-level', 'trace', '--metrics-port', '0'],
    });
    const { firstKey = '', pid } = server;
    const made = await runProgram(['keys', 'create', '--name', 'second'], {
      DATABASE_URL: data.url,
    });
    const [second = ''] = /anst_live_\S+/.exec(made.stdout) ?? [];
    const answers: string[] = [];
    for (const apiKey of [firstKey, second]) answers.push(...(await useEverywhere(server, apiKey)));
    const keysList = await runProgram(['keys', 'list', '--json'], { DATABASE_URL: data.url });
    const metrics = await readMetrics(server);
    const commandLine = ofProcess(pid, 'cmdline');
    const environment = ofProcess(pid, 'environ');
    // A kill, because a stop would move the contents of the log into the data file.
    await server.stop('SIGKILL');
    await data.end();

    const whole = [firstKey, second].flatMap((apiKey) => [apiKey, apiKey.slice(10, 42)]);
    expect(whole.every((secret) => /^\w{32,}$/.test(secret))).toBe(true);
    const encoded = [firstKey, second].map(percentOf);
    const secrets = [...whole, ...encoded, ...encoded.map((text) => text.replaceAll('%', '%25'))];
    expect(filesWith(data.folder, secrets)).toEqual([]);
    // The search finds texts that are stored:
    expect(filesWith(data.folder, ['Rex the Findable'])).not.toEqual([]);
    expect(filesWith(data.folder, [digestOf(firstKey)])).not.toEqual([]);

    const { stdout, stderr } = server.output();
    expect(stdout).toContain('"path":"/v1/pets"');
    const visible = { answers, stdout, list: keysList.stdout, metrics, commandLine, environment };
    for (const secret of secrets) {
      for (const [place, text] of Object.entries(visible)) {
        expect(`${place}: ${JSON.stringify(text).includes(secret)}`).toBe(`${place}: false`);
      }
    }
    // It was shown once: as the key itself and in the curl line.
    expect(stderr.split(firstKey)).toHaveLength(3);
    expect(stderr).not.toContain(second);
  });

  test('only in the environment, if the operator set it there', async () => {
    await using data = await openData(engine);
    await using server = await startServerProcess(data.url, {
      args: ['--log-level', 'trace', '--metrics-port', '0'],
      env: { ANIMAL_STORE_API_KEY: operatorApiKey },
    });
    const answers = await useEverywhere(server, operatorApiKey);
    const metrics = await readMetrics(server);
    const commandLine = ofProcess(server.pid, 'cmdline');
    await server.stop('SIGKILL');
    await data.end();

    expect(filesWith(data.folder, [operatorApiKey])).toEqual([]);
    expect(filesWith(data.folder, ['Rex the Findable'])).not.toEqual([]);
    const { stdout, stderr } = server.output();
    expect(stdout).toContain('"path":"/v1/pets/1/…/x"');
    const visible = JSON.stringify({ stdout, stderr, answers, metrics, commandLine });
    for (const part of [operatorApiKey, 'operator.chosen', 'tail-of-it'])
      expect(visible).not.toContain(part);
    expect(visible).not.toContain(digestOf(operatorApiKey));
    expect(filesWith(data.folder, [digestOf(operatorApiKey)])).toEqual([]);
  });
});

describe.each(engineNames)('the secret of a webhook is found, on %s,', (engine) => {
  test('in no log, metric, event, list or output of a command, and in no answer but its own, and the query of its URL only in answers', async () => {
    await using data = await openData(engine);
    using receiver = startReceiver();
    const received = Promise.withResolvers<void>();
    receiver.answer = () => {
      received.resolve();
      return new Response('no', { status: 500 });
    };
    const run = (...args: string[]) => runProgram(args, { DATABASE_URL: data.url });
    const scopes = 'pets:read,pets:write,events:read,webhooks:manage';
    const made = await run('keys', 'create', '--name', 'hooks', '--scopes', scopes);
    const [apiKey = ''] = /anst_live_\S+/.exec(made.stdout) ?? [];
    await using server = await startServerProcess(data.url, {
      args: ['--log-level', 'trace', '--metrics-port', '0', '--webhook-allow', '127.0.0.1'],
    });
    const ask = async (method: string, path: string, body?: object): Promise<string> => {
      const response = await call(server, apiKey, `/v1${path}`, method, body);
      expect(response.ok).toBe(true);
      return `${await response.text()} ${JSON.stringify(response.headers)}`;
    };
    const url = `${receiver.url}?token=query-of-the-url`;
    const shown = [
      await ask('POST', '/webhooks', { url }),
      await ask('POST', '/webhooks/1/secret', {}),
    ];
    const secrets = shown.flatMap((text) => /whsec_([\w+/]+)/.exec(text)?.[1] ?? []);
    expect(new Set(secrets).size).toBe(2);
    const events = [await ask('POST', '/pets', { name: 'Rex', categoryId: 1 })];
    await received.promise;
    const answers = [
      await ask('POST', '/webhooks/1/test'),
      await ask('PATCH', '/webhooks/1', { status: 'paused' }),
      await ask('GET', '/webhooks'),
      await ask('GET', '/webhooks/1'),
      await ask('GET', '/webhooks/1/deliveries'),
    ];
    events.push(await ask('GET', '/events'));
    const outputs = await Promise.all([
      run('webhooks', 'resume', '1'),
      run('webhooks', 'list'),
      run('webhooks', 'list', '--json'),
      run('audit', '--json'),
      run('verify'),
    ]);
    expect(outputs.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0, 0]);
    const metrics = await readMetrics(server);
    await server.stop('SIGTERM');
    const { stdout, stderr } = server.output();
    expect(stdout).toContain('"path":"/v1/webhooks/1/deliveries"');
    expect(filesWith(data.folder, secrets)).not.toEqual([]);
    const visible = JSON.stringify({ events, outputs, metrics, stdout, stderr });
    for (const secret of secrets) expect(visible + JSON.stringify(answers)).not.toContain(secret);
    expect(visible).not.toContain('query-of-the-url');
    expect(JSON.stringify(answers)).toContain('query-of-the-url');
  });
});

describe.each(engineNames)('the note of an order is found, on %s,', (engine) => {
  test('in no event, log, metric or audit entry, and after its removal in no answer and in no copy', async () => {
    await using data = await openData(engine);
    await using server = await startServerProcess(data.url, {
      args: ['--log-level', 'trace', '--metrics-port', '0'],
    });
    const marker = 'Findable-Ada';
    const send = async (method: string, path: string, body?: object) => {
      const response = await call(server, server.firstKey, `/v1${path}`, method, body);
      return { status: response.status, text: await response.text() };
    };
    for (const name of ['Rex', 'Max']) await send('POST', '/pets', { name, categoryId: 1 });
    const order = '/store/orders/1';
    const made = [
      await send('POST', '/store/orders', { petId: 1, note: `For ${marker}` }),
      await send('PATCH', order, { note: `For ${marker}, on Monday` }),
      await send('PATCH', order, { status: 'shipped' }),
      await send('PATCH', order, { note: marker.repeat(100) }),
      await send('PATCH', order, { note: `${marker} came`, shipDate: '2026-12-24T09:00:00Z' }),
      await send('GET', `/store/orders?note=${marker.toLowerCase()}`),
      await send('GET', `/store/orders?note=${marker}&limit=${marker}`),
    ];
    expect(made.map(({ status }) => status)).toEqual([201, 200, 200, 400, 409, 200, 400]);
    expect(made[5]?.text).toContain(`"note":"For ${marker}, on Monday"`);
    if (engine === 'postgres') {
      // PostgreSQL quotes the row that it refuses.
      await runSql(data.url, 'UPDATE animal_store.workspaces SET next_order_id = 0');
      expect((await send('POST', '/store/orders', { petId: 2, note: marker })).status).toBe(500);
      await runSql(data.url, 'UPDATE animal_store.workspaces SET next_order_id = 2');
    }
    expect(filesWith(data.folder, [marker])).not.toEqual([]);
    expect((await send('PATCH', order, { note: null })).status).toBe(200);
    const reads = ['/events?limit=100', order, '/store/orders', `/store/orders?note=${marker}`];
    const answers = await Promise.all(reads.map((path) => send('GET', path)));
    expect(JSON.parse(answers[0]?.text ?? '')).toHaveLength(8);
    const metrics = await readMetrics(server);
    expect(await server.stop('SIGTERM')).toBe(0);
    const audit = await runProgram(['audit'], { DATABASE_URL: data.url });
    using folder = makeTemporaryFolder();
    const copyUrl = `sqlite:${join(folder.path, 'copy.db')}`;
    const copy = await runProgram(['copy', '--from', data.url, '--to', copyUrl]);
    expect([audit.exitCode, copy.exitCode]).toEqual([0, 0]);
    const { stdout, stderr } = server.output();
    expect(stdout).toContain('"path":"/v1/store/orders"');
    expect(JSON.stringify({ answers, stdout, stderr, metrics, audit, copy })).not.toContain(marker);
    expect(filesWith(folder.path, [marker])).toEqual([]);
  });
});

/** What other users of a Linux machine can see of a process. Empty on other systems. */
function ofProcess(pid: number, name: 'cmdline' | 'environ'): string {
  const path = `/proc/${pid}/${name}`;
  return existsSync(path) ? readFileSync(path, 'latin1') : '';
}

function digestOf(apiKey: string): string {
  return Bun.SHA256.hash(apiKey, 'hex');
}

test('a backup has nothing of a note that was removed, and no digest of the key of the operator', async () => {
  await using data = await openData('sqlite');
  const env = { ANIMAL_STORE_API_KEY: operatorApiKey };
  await using server = await startServerProcess(data.url, { env });
  const note = 'Example Street 12, +44 20 7946 0000';
  const send = async (method: string, path: string, body?: unknown, headers = {}) => {
    const response = await call(server, operatorApiKey, path, method, body, headers);
    expect([path, response.ok]).toEqual([path, true]);
    return response.text();
  };
  for (const id of [1, 2]) {
    await send('POST', '/v1/pets', { name: 'Rex', categoryId: 1 });
    await send('POST', '/v1/store/orders', { petId: id, note });
  }
  await send('PATCH', '/v1/store/orders/1', { note: null });
  await send('PATCH', '/v1/store/orders/2', { note: 'short' });
  const page = { 'sec-fetch-site': 'same-origin' };
  await send('POST', '/console/v1/session', { apiKey: operatorApiKey }, page);
  const backups = makeTemporaryFolder();
  using _backups = backups;
  const made = await runProgram(['backup', join(backups.path, 'backup.db')], {
    DATABASE_URL: data.url,
  });
  expect(made.exitCode).toBe(0);
  const digest = new Bun.CryptoHasher('sha256').update(operatorApiKey).digest('hex');
  expect(filesWith(backups.path, [note, operatorApiKey, digest])).toEqual([]);
  // The session itself is in no backup either, so the file of the server shows the mark.
  expect(filesWith(data.folder, [digest])).toEqual([]);
});
