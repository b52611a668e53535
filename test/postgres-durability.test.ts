import { describe, expect, test } from 'bun:test';
import { background } from '../src/context/context.ts';
import { beginWriting } from '../src/postgres/begin-writing.ts';
import { createQueryable } from '../src/postgres/client-queryable.ts';
import { openConnections } from '../src/postgres/connections.ts';
import { openPostgresDatabase } from '../src/postgres/open-postgres.ts';
import { createTransact } from '../src/postgres/run-transaction.ts';
import { DatabaseOutcomeUnknown } from '../src/storage/contract/database-error.ts';
import type { Durability } from '../src/storage/contract/durability.ts';
import { statement } from '../src/storage/statement.ts';
import { administer, createTestDatabase, runSql } from './support/postgres.ts';
import { type PostgresServer, startPostgresServer } from './support/postgres-server.ts';
import { refusal, runProgram } from './support/server-process.ts';

const rex = { workspaceId: 1n, pet: { name: 'Rex', categoryId: 1n } };

const showCommit = statement<{ setting: string }>(
  `SELECT current_setting('synchronous_commit') AS setting`,
);

function connect(url: string, durability: Durability = 'checked') {
  const connections = openConnections(url, { durability });
  return {
    /** What a transaction that writes has. */
    synchronousCommit: () =>
      connections.use(async (client) => {
        await beginWriting(client);
        const [row] = await createQueryable(client).all(showCommit);
        await client.query('ROLLBACK');
        return row?.setting;
      }),
    [Symbol.asyncDispose]: () => connections[Symbol.asyncDispose](),
  };
}

/** Changes the configuration of all open sessions. */
async function reconfigure({ url }: PostgresServer, setting: string): Promise<void> {
  await administer(url, `ALTER SYSTEM SET ${setting}`);
  await administer(url, 'SELECT pg_reload_conf()');
}

describe('a commit on PostgreSQL', () => {
  test.each([
    ['off', 'on'],
    ['local', 'on'],
    ['remote_write', 'on'],
    ['on', 'on'],
    ['remote_apply', 'remote_apply'],
  ])('with synchronous_commit=%s in the database uses %s', async (asked, used) => {
    await using database = await createTestDatabase('empty');
    await runSql(database.url, `ALTER DATABASE ${database.name} SET synchronous_commit = ${asked}`);
    await using connections = connect(database.url);
    expect(await connections.synchronousCommit()).toBe(used);
  });

  test('uses the configuration of the database if a loss of data is accepted', async () => {
    await using database = await createTestDatabase('empty');
    await runSql(database.url, `ALTER DATABASE ${database.name} SET synchronous_commit = off`);
    await using connections = connect(database.url, 'unchecked');
    expect(await connections.synchronousCommit()).toBe('off');
  });

  test('is not weakened by the options in an address', async () => {
    await using database = await createTestDatabase('empty');
    await using connections = connect(
      `${database.url}?options=-c%20synchronous_commit%3Dremote_write`,
    );
    expect(await connections.synchronousCommit()).toBe('on');
  });

  test('of a long session is not weakened by a reload of the configuration, and is strengthened', async () => {
    await using server = await startPostgresServer();
    await using connections = connect(`${server.url}/postgres`);
    expect(await connections.synchronousCommit()).toBe('on');
    await reconfigure(server, 'synchronous_commit = off');
    expect(await connections.synchronousCommit()).toBe('on');
    await reconfigure(server, 'synchronous_commit = remote_apply');
    while ((await connections.synchronousCommit()) !== 'remote_apply') {
      await new Promise(setImmediate);
    }
  });

  test('is not acknowledged before its standby has it, also after a reload of the configuration', async () => {
    await using server = await startPostgresServer();
    await using database = await openPostgresDatabase({
      url: `${server.url}/postgres`,
      asServer: true,
      now: Date.now,
      limits: { waitMillisecondsMax: 300 },
    });
    await database.write(background, 'createPet', rex);
    const env = { DATABASE_URL: `${server.url}/postgres` };
    expect((await runProgram(['keys', 'create', '--name', 'leaked'], env)).exitCode).toBe(0);
    // A standby that never answers.
    await reconfigure(server, `synchronous_standby_names = 'missing'`);
    await reconfigure(server, 'synchronous_commit = local');
    await expect(database.write(background, 'createPet', rex)).rejects.toBeInstanceOf(
      DatabaseOutcomeUnknown,
    );
    // The queue gives up earlier than the commit. Without it, the reason is known.
    await using direct = openConnections(`${server.url}/postgres`, { durability: 'checked' });
    const commit = createTransact(direct, () => {})(background)(async (transaction) => {
      await transaction.run(statement('UPDATE meta SET writer_version = writer_version'));
    });
    await expect(commit).rejects.toMatchObject({
      waitsForStandby: true,
      message: expect.stringContaining('waits for a synchronous standby'),
    });
    expect(await runProgram(['keys', 'revoke', '1'], env)).toEqual(
      refusal(
        'Other writes wait for a synchronous standby that does not answer: start one, or remove it from synchronous_standby_names on the primary (docs/operations.md, When a standby is lost)',
      ),
    );
    // An unchanged record is not acknowledged either, because its state may still be lost. A refusal needs no standby.
    const missing = { workspaceId: 1n, id: 999n, precondition: {} };
    const stopWaiting = async () => {
      await administer(
        server.url,
        `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`,
      );
      // The queue refuses commands until the cancelled commit has ended.
      const isRefused = () =>
        database.write(background, 'deletePet', missing).then(Boolean, () => false);
      while (!(await isRefused())) await new Promise(setImmediate);
    };
    await stopWaiting();
    const same = { workspaceId: 1n, id: 1n, precondition: {}, changes: { name: 'Rex' } };
    await expect(database.write(background, 'updatePet', same)).rejects.toBeInstanceOf(
      DatabaseOutcomeUnknown,
    );
    await stopWaiting();
    expect(await database.write(background, 'deletePet', missing)).toEqual({
      refused: 'no_such_pet',
    });
    await reconfigure(server, `synchronous_standby_names = ''`);
  });
});

test('a server whose fsync is turned off during a session is refused, and accepted again when it is on', async () => {
  await using server = await startPostgresServer();
  await using connections = connect(`${server.url}/postgres`);
  const ask = () => connections.synchronousCommit().catch((error) => error.message);
  expect(await ask()).toBe('on');
  await reconfigure(server, 'fsync = off');
  const refusal = `PostgreSQL at 127.0.0.1:${server.port} runs with fsync=off and can lose committed data: turn it on, or set --durability platform if the platform keeps commits otherwise`;
  while ((await ask()) !== refusal) await new Promise(setImmediate);
  await reconfigure(server, 'fsync = on');
  while ((await ask()) === refusal) await new Promise(setImmediate);
});
