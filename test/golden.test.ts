import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import packageJson from '../package.json' with { type: 'json' };
import { exchange } from './golden/exchange.ts';
import { describeFile, describeTables } from './golden/sql-text.ts';
import { type EngineName, engineNames, prepareData } from './support/engines.ts';
import { goldenVersions, loadGoldenData, readGoldenAnswers } from './support/golden-data.ts';
import { runProgram } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';
import { openTestApp } from './support/test-app.ts';

const hour = 3_600_000;
const day = 24 * hour;

/** Data that a released version made, after `migrate` of this version. */
async function prepareMigrated(version: string, engine: EngineName) {
  const data = await prepareData(engine, 'empty');
  await loadGoldenData(version, engine, data.url);
  await run(['migrate'], data.url);
  return data;
}

async function run(args: readonly string[], url: string) {
  const { exitCode, stdout, stderr } = await runProgram(args, { DATABASE_URL: url });
  if (exitCode !== 0) throw new Error(`${args[0]} ended with ${exitCode}: ${stdout}${stderr}`);
}

function describeSchema(engine: EngineName, url: string) {
  return engine === 'sqlite' ? describeFile(url.replace('sqlite:', '')) : describeTables(url);
}

describe.each(
  goldenVersions.flatMap((version) => engineNames.map((engine) => [version, engine] as const)),
)('data of version %s on %s', (version, engine) => {
  const { recordedAt, auditDigest, callers, exchanges } = readGoldenAnswers(version, engine);

  test('is complete after an upgrade, and its backup or copy too', async () => {
    await using data = await prepareMigrated(version, engine);
    const verify = ['verify', '--audit-digest', auditDigest];
    await run(verify, data.url);
    using folder = makeTemporaryFolder();
    const backup = join(folder.path, 'backup.db');
    const restored = `sqlite:${join(folder.path, 'restored.db')}`;
    if (engine === 'sqlite') {
      await run(['backup', backup], data.url);
      await run(['restore', backup], restored);
    } else {
      await run(['copy', '--from', data.url, '--to', restored], '');
    }
    await run(verify, restored);
  });

  test('has the same answers, tags, cursors and events as before; stored results are replayed, and new records get the next ids', async () => {
    await using data = await prepareMigrated(version, engine);
    const existing = { data, apiKey: '', now: recordedAt };
    await using app = await openTestApp({}, existing);
    const send = async (path: string, init: RequestInit) =>
      app.app(new Request(`http://127.0.0.1:8080${path}`, init));
    for (const { request, answer } of exchanges) {
      expect({ request, answer: await exchange(send, callers, request) }).toEqual({
        request,
        answer,
      });
    }
    expect(app.failures).toEqual([]);
    const statusAt = async (now: number, caller: string) => {
      app.now = now;
      return (await send('/v1/pets', { headers: callers[caller] ?? {} })).status;
    };
    // The overlap of a replaced key and the life of a key end when that version promised.
    expect([
      await statusAt(recordedAt + 23 * hour, 'replaced'),
      await statusAt(recordedAt + 25 * hour, 'replaced'),
      await statusAt(recordedAt + 3649 * day, 'reader'),
      await statusAt(recordedAt + 3651 * day, 'reader'),
      await statusAt(recordedAt + 3651 * day, 'site'),
    ]).toEqual([200, 401, 200, 401, 200]);
  });

  // It fails if a released migration was changed.
  test('has the schema of new data after an upgrade', async () => {
    await using data = await prepareMigrated(version, engine);
    // A database that an earlier test used can have more than the tables of the service.
    await using fresh = await prepareData(engine, 'empty');
    await (await fresh.open())[Symbol.asyncDispose]();
    expect(await describeSchema(engine, data.url)).toEqual(await describeSchema(engine, fresh.url));
  });
});

test.each(goldenVersions)(
  'a backup that is restored in place of data of version %s assigns no id of that data again',
  async (version) => {
    await using migrated = await prepareMigrated(version, 'sqlite');
    using folder = makeTemporaryFolder();
    const backup = join(folder.path, 'backup.db');
    await run(['backup', backup], migrated.url);
    const older = `sqlite:${join(folder.path, 'older.db')}`;
    await loadGoldenData(version, 'sqlite', older);
    const restored = await runProgram(['restore', backup], { DATABASE_URL: older });
    expect([restored.exitCode, restored.stderr, restored.stdout]).toEqual([
      0,
      '',
      expect.stringContaining('\nNew ids start above all ids of the replaced data.\n'),
    ]);
    await run(['verify'], older);
  },
);

test('each minor version has golden data, which node_modules/.bin/bun test/golden/make.ts makes', () => {
  expect(goldenVersions).toContain(packageJson.version.replace(/\d+$/, '0'));
});
