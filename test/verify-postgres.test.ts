import { describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { background } from '../src/context/context.ts';
import { damageAdvice } from './support/damage-advice.ts';
import { prepareData } from './support/engines.ts';
import { administer, runSql } from './support/postgres.ts';
import { startPostgresServer } from './support/postgres-server.ts';
import { runProgram } from './support/server-process.ts';

async function prepareFilled() {
  const data = await prepareData('postgres');
  {
    await using database = await data.open();
    for (const name of ['Rex', 'Tom', 'Ada']) {
      const origin = { requestId: name, actor: 'owner', now: 0 } as const;
      await database.write(background, 'createPet', {
        workspaceId: 1n,
        pet: { name, categoryId: 1n },
        origin,
      });
    }
  }
  return {
    change: (sql: string) => runSql(data.url, sql),
    verify: () => runProgram(['verify'], { DATABASE_URL: data.url }),
    [Symbol.asyncDispose]: () => data[Symbol.asyncDispose](),
  };
}

describe('verify of PostgreSQL', () => {
  test('reports sound data, with its counts', async () => {
    await using data = await prepareFilled();
    const { exitCode, stdout, stderr } = await data.verify();
    expect(stdout).toBe(
      'WORKSPACE  ANIMALS  NEXT ID\ndefault    3        4\nNo damage was found.\n' +
        'Not checked: indexes; ids, names and categories of animals; orders, except their notes and the status of the animal of an open ' +
        'order; names of workspaces without keys; answers stored under an Idempotency-Key, counts of deprecated calls, sign-ins to ' +
        'the console, records of imports, the status, position, retries and deliveries of webhooks, counters that are too high, the environment, and when keys and ' +
        'workspaces were created or last used.\n' +
        'Data checksums are on: PostgreSQL checked every page that it read from disk.\n',
    );
    expect([exitCode, stderr]).toEqual([0, '']);
  });

  const damages: readonly (readonly [string, string])[] = [
    ['UPDATE workspaces SET next_pet_id = 2', 'Workspace default would use an id of pets again'],
    ['UPDATE meta SET next_workspace_id = 1', 'An id of workspaces would be used again'],
    [
      `INSERT INTO pets (workspace_id, id, name, category_id, status) VALUES (9, 1, 'Lost', 1, 'sold')`,
      'A row of pets belongs to a workspace that does not exist',
    ],
    ['UPDATE workspaces SET sold_count = 9', 'Workspace default counts other animals than it has'],
    [
      `INSERT INTO orders (workspace_id, id, pet_id, status) VALUES (1, 1, 1, 'pending');
       UPDATE workspaces SET next_order_id = 2`,
      'Order 1 of workspace default is open, and its animal is not pending',
    ],
    [
      `INSERT INTO orders (workspace_id, id, pet_id, status) VALUES (1, 1, 9, 'shipped');
       UPDATE workspaces SET next_order_id = 2`,
      'Order 1 of workspace default has no date, or an impossible one',
    ],
    [
      `INSERT INTO orders (workspace_id, id, pet_id, status, ship_date) VALUES (1, 1, 9, 'shipped', 0)`,
      'Workspace default would use an id of orders again',
    ],
    [
      `INSERT INTO idempotency_keys (workspace_id, operation_id, key, request_digest, ok, expires_at)
       VALUES (9, 'createPet', 'k', '', '', 0)`,
      'A row of idempotency_keys belongs to a workspace that does not exist',
    ],
    [
      "UPDATE events SET json = replace(json, 'Tom', 'Tim')",
      'The feed of workspace default has a changed event 2',
    ],
    [
      'UPDATE events SET record_id = 7 WHERE sequence = 2',
      'The feed of workspace default has a changed event 2',
    ],
    [
      'UPDATE events SET at = 1 WHERE sequence = 3',
      'The feed of workspace default has a changed event 3',
    ],
    [
      'DELETE FROM events WHERE sequence = 2',
      'The feed of workspace default lacks events before 3',
    ],
    [
      'DELETE FROM events WHERE sequence = 3',
      'The feed of workspace default lacks its newest events',
    ],
    [
      `INSERT INTO categories (workspace_id, id, name, description, digest) VALUES (1, -7, 'Dogs', 'Barks', '')`,
      'Category -7 of workspace default was changed',
    ],
    [
      `INSERT INTO orders (workspace_id, id, pet_id, status, digest) VALUES (1, 1, 9, 'cancelled', '');
       UPDATE workspaces SET next_order_id = 2`,
      'The note of order 1 of workspace default was changed',
    ],
  ];

  test.each(damages)('finds %s', async (sql, line) => {
    await using data = await prepareFilled();
    await data.change(sql);
    const { exitCode, stderr } = await data.verify();
    expect(stderr).toBe(`animal-store: ${line}\n${damageAdvice}`);
    expect(exitCode).toBe(1);
  });

  test('refuses a database without data, and finds a page that cannot be read', async () => {
    await using server = await startPostgresServer();
    const url = `${server.url}/postgres`;
    const run = (...args: string[]) => runProgram(args, { DATABASE_URL: url });
    const empty = await run('verify');
    expect(empty.stderr).toBe('animal-store: The database holds no data\n');
    expect(empty.exitCode).toBe(1);

    await run('demo', '--animals', '2000');
    const [row] = await administer(server.url, `SELECT pg_relation_filepath('animal_store.pets')`);
    const path = join(server.folder, String(row?.pg_relation_filepath));
    await server.end('SIGINT');
    const bytes = readFileSync(path);
    bytes.fill(0xff, 8192, 8192 + 64);
    writeFileSync(path, bytes);
    await server.start();
    const damaged = await run('verify');
    expect(damaged.stderr).toMatch(
      /^animal-store: PostgreSQL cannot read all data: invalid page in block 1 /,
    );
    expect(damaged.exitCode).toBe(1);
  });
});
