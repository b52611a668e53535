import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgresServer } from '../support/postgres-server.ts';
import { runProgram, startServerProcess } from '../support/server-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import {
  type Exchange,
  exchange,
  formatAnswers,
  type GoldenAnswers,
  type RecordedRequest,
} from './exchange.ts';
import { fillShop, fillWebhooks, readRequests, writeRequests } from './requests.ts';
import { dumpFile, dumpTables } from './sql-text.ts';

// Makes the golden data of this version: node_modules/.bin/bun test/golden/make.ts
// Run it once for each minor version, at its release. Released data never changes.

const { stdout } = await runProgram(['--version']);
const permitted = { args: ['--webhook-allow', '127.0.0.1'] };
const folder = join(import.meta.dir, stdout.trim());
if (existsSync(folder)) throw new Error(`${folder} exists, and released data never changes`);

using temporary = makeTemporaryFolder();
const path = join(temporary.path, 'golden.db');
const sqlite = await make('sqlite', `sqlite:${path}`, () => dumpFile(path));
await using server = await startPostgresServer();
const url = `${server.url}/postgres`;
const postgres = await make('postgres', url, () => dumpTables(url));
writeFileSync(join(folder, 'answers.json'), formatAnswers({ sqlite, postgres }));

/** The data is dumped before its answers are recorded, because requests change the last use of a key. */
async function make(
  engine: string,
  url: string,
  dump: () => string | Promise<string>,
): Promise<GoldenAnswers> {
  const { callers, keyedRequests } = await fill(url);
  const sql = await dump();
  const verified = await runProgram(['verify'], { DATABASE_URL: url });
  const auditDigest = /the last (\w{64})$/m.exec(verified.stdout)?.[1];
  if (auditDigest === undefined) throw new Error(`verify failed: ${verified.stderr}`);
  const recordedAt = Date.now();
  await using server = await startServerProcess(url, permitted);
  const exchanges: Exchange[] = [];
  const record = async (request: RecordedRequest) => {
    const send = (path: string, init: RequestInit) => fetch(`${server.origin}${path}`, init);
    const answer = await exchange(send, callers, request);
    if (answer.httpStatus >= 500) throw new Error(`${request.path} got ${answer.body}`);
    exchanges.push({ request, answer });
    return answer;
  };
  for (const request of readRequests) await recordPages(record, request);
  for (const request of keyedRequests) await record(request);
  for (const request of writeRequests(exchanges)) await record(request);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${engine}.sql`), sql);
  return { recordedAt, auditDigest, callers, exchanges };
}

async function recordPages(
  record: (request: RecordedRequest) => Promise<Exchange['answer']>,
  request: RecordedRequest,
): Promise<void> {
  for (let path: string | undefined = request.path; path !== undefined; ) {
    const { headers }: Exchange['answer'] = await record({ ...request, path });
    path = /^<(.*)>; rel="next"/.exec(headers.link ?? '')?.[1];
  }
}

/** Fills new data through the program. The stop of the server stores the last uses of keys. */
async function fill(url: string) {
  const run = async (...args: string[]) => {
    const { exitCode, stdout, stderr } = await runProgram(args, { DATABASE_URL: url });
    if (exitCode !== 0) throw new Error(`${args.join(' ')} failed: ${stderr}`);
    return stdout;
  };
  const createKey = async (...args: string[]) => {
    const [, key = ''] = /(anst_live_\w+)/.exec(await run('keys', ...args)) ?? [];
    return { authorization: `Bearer ${key}` };
  };
  const site = await createKey('create', '--name', 'Site “Müller” \\ 🐕');
  await run('workspaces', 'create', 'shop');
  await run('workspaces', 'create', 'gone');
  const reading = ['--scopes', 'pets:read', '--rate-limit', '600/min', '--expires', '3650d'];
  const callers: Record<string, Record<string, string>> = {
    site,
    reader: await createKey('create', '--name', 'reader', ...reading),
    shop: await createKey('create', '--name', 'shop', '--workspace', 'shop'),
    replaced: await createKey('create', '--name', 'replaced'),
    revoked: await createKey('create', '--name', 'revoked'),
    ofGone: await createKey('create', '--name', 'gone', '--workspace', 'gone'),
  };
  callers.replacing = await createKey('rotate', '4');
  await run('keys', 'revoke', '5');
  callers.hooks = await createKey('create', '--name', 'hooks', '--scopes', 'webhooks:manage');
  await using server = await startServerProcess(url, permitted);
  const send = async (request: RecordedRequest) => {
    const { caller, path, headers, ...init } = request;
    const type = { 'content-type': 'application/json' };
    const response = await fetch(`${server.origin}${path}`, {
      ...init,
      headers: { ...callers[caller], ...type, ...headers },
    });
    if (!response.ok) throw new Error(`${request.method} ${path} got ${await response.text()}`);
    return response;
  };
  const keyedRequests = await fillShop(send);
  await fillWebhooks(send);
  await run('workspaces', 'delete', 'gone', '--yes');
  // A link that is not used, and a session.
  await run('console');
  const [, link = ''] = /#link=(\S+)/.exec(await run('console')) ?? [];
  callers.page = { 'sec-fetch-site': 'same-origin' };
  const session = { caller: 'page', method: 'POST', path: '/console/v1/session' };
  const signedIn = await send({ ...session, body: JSON.stringify({ link }) });
  // The test opens the data at another place, where the name of the cookie has another tag.
  const cookie = (signedIn.headers.get('set-cookie')?.split(';')[0] ?? '').replace(/-\w+=/, '=');
  callers.owner = { 'sec-fetch-site': 'same-origin', cookie };
  await server.stop('SIGTERM');
  return { callers, keyedRequests };
}
