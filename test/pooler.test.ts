import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { beginWriting } from '../src/postgres/begin-writing.ts';
import { createQueryable } from '../src/postgres/client-queryable.ts';
import { openConnections } from '../src/postgres/connections.ts';
import { statement } from '../src/storage/statement.ts';
import { addAnimal, call } from './support/call-server.ts';
import {
  newerPgbouncerIsMissing,
  pgbouncerIsMissing,
  startPgbouncer,
} from './support/pgbouncer.ts';
import { administer } from './support/postgres.ts';
import { type PostgresServer, startPostgresServer } from './support/postgres-server.ts';
import { runProgram, startServerProcess } from './support/server-process.ts';

const isMissing = pgbouncerIsMissing() !== undefined;
const hasNewerPgbouncer = newerPgbouncerIsMissing() === undefined;

const notKept =
  'animal-store: The connection pooler does not keep prepared statements: use PgBouncer 1.21 or later with max_prepared_statements above 0, or pool_mode = session (docs/operations.md, Connection poolers)\n';

let postgres: PostgresServer;

beforeAll(async () => {
  // A setting that only a session of the service overrules.
  postgres = await startPostgresServer({
    flags: ['synchronous_commit=off', 'default_transaction_isolation=serializable'],
  });
});

afterAll(() => postgres[Symbol.asyncDispose]());

async function createDatabase(name: string): Promise<string> {
  await administer(postgres.url, `CREATE DATABASE ${name}`);
  return name;
}

function schemas(name: string) {
  return administer(
    postgres.url,
    "SELECT DISTINCT schemaname FROM pg_tables WHERE tablename IN ('meta', 'pets')",
    name,
  );
}

const showSettings = statement<{ settings: string }>(
  `SELECT concat_ws(' ', current_setting('synchronous_commit'), current_setting('transaction_isolation'),
    current_setting('statement_timeout'), current_setting('lock_timeout'),
    current_setting('idle_in_transaction_session_timeout'), current_setting('client_min_messages')) AS settings`,
);

/** Starts a server twice, and adds animals each time. */
async function expectToServe(url: string, name: string): Promise<void> {
  let key = '';
  for (let start = 1; start <= 2; start += 1) {
    await using server = await startServerProcess(url);
    key ||= server.firstKey ?? '';
    const answers = await Promise.all(Array.from({ length: 20 }, () => addAnimal(server, key)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    const list = await call(server, key, '/v1/pets?limit=100');
    expect(await list.json()).toHaveLength(20 * start);
    const { stdout } = server.output();
    expect(stdout).toContain(
      'behind a connection pooler, so commits of other servers are looked for',
    );
    expect(stdout).toContain("ALTER ROLE postgres SET statement_timeout = '1800ms'");
  }
  expect(await schemas(name)).toEqual([{ schemaname: 'animal_store' }]);
}

/** What transactions that write have, on several connections at once. */
async function expectSettings(url: string): Promise<void> {
  await using connections = openConnections(url, { durability: 'checked', connectionsMax: 8 });
  const found = await Promise.all(
    Array.from({ length: 40 }, () =>
      connections.use(async (client) => {
        await beginWriting(client);
        const [row] = await createQueryable(client).all(showSettings);
        await client.query('ROLLBACK');
        return row?.settings;
      }),
    ),
  );
  expect(new Set(found)).toEqual(new Set(['on read committed 1800ms 0 5s notice']));
}

/** Nothing was made before the refusal. */
async function expectRefusal(url: string, name: string, line: string): Promise<void> {
  const refused = await runProgram(['keys', 'create', '--name', 'shop', '--database', url]);
  expect(refused).toEqual({ exitCode: 1, stdout: '', stderr: line });
  const made = await administer(
    postgres.url,
    "SELECT 1 FROM pg_namespace WHERE nspname = 'animal_store'",
    name,
  );
  expect(made).toEqual([]);
}

describe.skipIf(isMissing)('behind PgBouncer in session mode', () => {
  test('a server starts again and again, and commits reach the disk', async () => {
    await using pooler = await startPgbouncer(postgres, 'session');
    const name = await createDatabase('in_session_mode');
    await expectToServe(`${pooler.url}/${name}`, name);
    await expectSettings(`${pooler.url}/${name}`);
  });

  test('parameters of the start may be dropped', async () => {
    const lines = ['ignore_startup_parameters = options,statement_timeout,lock_timeout'];
    await using pooler = await startPgbouncer(postgres, 'session', { lines });
    const name = await createDatabase('dropped_parameters');
    const url = `${pooler.url}/${name}?options=-c%20search_path%3Delsewhere`;
    await expectToServe(url, name);
  });

  test('a server is notified of commits of others with --listen-url', async () => {
    await using pooler = await startPgbouncer(postgres, 'session');
    const url = `${pooler.url}/${await createDatabase('with_listen_url')}`;
    const direct = `${postgres.url}/with_listen_url`;
    await using server = await startServerProcess(url, { args: ['--listen-url', direct] });
    expect(server.output().stdout).not.toContain('are looked for');
    const listening = async () => {
      const rows = await administer(
        postgres.url,
        "SELECT 1 FROM pg_stat_activity WHERE query = 'LISTEN animal_store'",
      );
      return rows.length;
    };
    while ((await listening()) === 0) await new Promise(setImmediate);
  });

  test.each([
    ['a pooler', 'listen_to_pooler', 'leads to a connection pooler'],
    ['another database', 'listen_to_other', 'leads to another database than --database'],
  ])('--listen-url of %s is refused', async (of, database, line) => {
    await using pooler = await startPgbouncer(postgres, 'session');
    const name = await createDatabase(database);
    const url = `${postgres.url}/${name}`;
    await runProgram(['keys', 'create', '--name', 'a', '--database', url]);
    const other = `${postgres.url}/${await createDatabase(`${name}_other`)}`;
    await runProgram(['keys', 'create', '--name', 'a', '--database', other]);
    const wrong = of === 'a pooler' ? `${pooler.url}/${name}` : other;
    const args = ['serve', '--port', '0', '--database', url];
    const refused = await runProgram(args, { ANIMAL_STORE_LISTEN_URL: wrong });
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining(line)]);
  });

  test('a server whose --listen-url does not answer serves, and says so', async () => {
    const url = `${postgres.url}/${await createDatabase('listen_to_nothing')}`;
    const args = ['--listen-url', 'postgres://animals@127.0.0.1:9/none'];
    await using server = await startServerProcess(url, { args });
    expect(server.output().stdout).toContain('--listen-url does not answer, so commits');
  });

  test('a --listen-url that is of another database when it answers at last is not used, and the log says so', async () => {
    const url = `${postgres.url}/${await createDatabase('listen_late')}`;
    const late = `${postgres.url}/listen_late_other`;
    await using server = await startServerProcess(url, { args: ['--listen-url', late] });
    expect(server.output().stdout).toContain('--listen-url does not answer, so commits');
    await createDatabase('listen_late_other');
    await runProgram(['keys', 'create', '--name', 'a', '--database', late]);
    await server.logged('--listen-url leads to another database than --database. So commits');
  });
});

// Before version 15, each role can create functions in schema public. They would run with the rights of the service.
test.each([
  ['directly', (url: string) => Promise.resolve({ url, [Symbol.asyncDispose]: async () => {} })],
  ...(isMissing ? [] : [['through a pooler', () => startPgbouncer(postgres, 'session')] as const]),
] as const)('no function or operator of another role is called %s', async (name, reach) => {
  const database = await createDatabase(`traps_${name.split(' ').length}`);
  const url = `${postgres.url}/${database}`;
  await runProgram(['demo', '--animals', '5', '--database', url]);
  const trap = (result: string) =>
    `LANGUAGE sql AS $$ INSERT INTO public.calls DEFAULT VALUES RETURNING ${result} $$`;
  await administer(
    postgres.url,
    `CREATE TABLE public.calls ();
     CREATE FUNCTION public.concat_ws(text, oid, oid, oid) RETURNS text ${trap("''")};
     CREATE FUNCTION public.unnest(bigint[]) RETURNS SETOF bigint ${trap('1::bigint')};
     CREATE FUNCTION public.pg_advisory_xact_lock(integer) RETURNS integer ${trap('1')};
     CREATE FUNCTION public.quote_ident(name) RETURNS text ${trap("''")};
     CREATE FUNCTION public.count_one(bigint, bigint) RETURNS bigint ${trap('1::bigint')};
     CREATE AGGREGATE public.count(text) (SFUNC = textcat, STYPE = text, INITCOND = '');
     CREATE FUNCTION public.joined(text, bigint) RETURNS text ${trap("''")};
     CREATE OPERATOR public.|| (FUNCTION = public.joined, LEFTARG = text, RIGHTARG = bigint)`,
    database,
  );
  await using way = await reach(postgres.url);
  {
    await using server = await startServerProcess(`${way.url}/${database}`);
    const made = await runProgram([
      'keys',
      'create',
      '--name',
      'a',
      '--database',
      `${way.url}/${database}`,
      '--json',
    ]);
    const { apiKey } = JSON.parse(made.stdout) as { apiKey: string };
    expect((await addAnimal(server, apiKey)).status).toBe(201);
    const orders = await call(server, apiKey, '/v1/store/orders?petId=1&petId=2');
    expect(orders.status).toBe(200);
  }
  expect((await runProgram(['verify', '--database', `${way.url}/${database}`])).exitCode).toBe(0);
  expect(await administer(postgres.url, 'SELECT 1 FROM public.calls', database)).toEqual([]);
});

describe.skipIf(isMissing)('a pooler that loses what the service needs', () => {
  test('is refused in one line in transaction mode without prepared statements', async () => {
    // Before 1.24, max_prepared_statements is 0; before 1.21, there is none.
    const lines = hasNewerPgbouncer ? ['max_prepared_statements = 0'] : [];
    await using pooler = await startPgbouncer(postgres, 'transaction', { lines, isNewer: true });
    const name = await createDatabase('without_statements');
    await expectRefusal(`${pooler.url}/${name}`, name, notKept);
  });

  test.skipIf(!hasNewerPgbouncer)('is refused in one line in statement mode', async () => {
    await using pooler = await startPgbouncer(postgres, 'statement', { isNewer: true });
    const name = await createDatabase('in_statement_mode');
    const line = `animal-store: The connection pooler at 127.0.0.1:${pooler.port} allows no transaction (transaction blocks not allowed in statement pooling mode): set pool_mode = session or transaction\n`;
    await expectRefusal(`${pooler.url}/${name}`, name, line);
  });
});

describe.skipIf(isMissing || !hasNewerPgbouncer)('behind PgBouncer in transaction mode', () => {
  test('a server starts again and again, and commits reach the disk', async () => {
    await using pooler = await startPgbouncer(postgres, 'transaction', { isNewer: true });
    const name = await createDatabase('in_transaction_mode');
    await expectToServe(`${pooler.url}/${name}`, name);
    await expectSettings(`${pooler.url}/${name}`);
  });

  test('one session is enough', async () => {
    const lines = ['default_pool_size = 1'];
    await using pooler = await startPgbouncer(postgres, 'transaction', { lines, isNewer: true });
    const name = await createDatabase('one_session');
    await expectToServe(`${pooler.url}/${name}`, name);
  });

  test('a copy ends, and leaves no lock', async () => {
    await using pooler = await startPgbouncer(postgres, 'transaction', { isNewer: true });
    const from = `${postgres.url}/${await createDatabase('copied')}`;
    const to = `${pooler.url}/${await createDatabase('copy')}`;
    await runProgram(['demo', '--animals', '2000', '--database', from]);
    for (let time = 1; time <= 2; time += 1) {
      const { exitCode, stderr } = await runProgram(['copy', '--from', from, '--to', to]);
      expect([exitCode, stderr]).toEqual([0, '']);
    }
    // A session ends a moment after its client, and a lock that a pooler kept would stay.
    const select = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory'";
    let locks = await administer(postgres.url, select);
    for (let looks = 1; looks < 200 && locks.length > 0; looks += 1) {
      locks = await administer(postgres.url, select);
    }
    expect(locks).toEqual([]);
  });
});

test('tables that an earlier version made in another schema are not replaced by empty ones', async () => {
  const name = await createDatabase('tables_elsewhere');
  const url = `${postgres.url}/${name}`;
  await runProgram(['demo', '--animals', '5', '--database', url]);
  const tables = await administer(
    postgres.url,
    "SELECT tablename FROM pg_tables WHERE schemaname = 'animal_store'",
    name,
  );
  const move = (from: string, to: string) =>
    tables.map(({ tablename }) => `ALTER TABLE ${from}.${tablename} SET SCHEMA ${to};`).join('');
  await administer(postgres.url, move('animal_store', 'public'), name);
  const line =
    'animal-store: Schema public has tables of this program, and schema animal_store has none, because an earlier version made them behind a connection pooler, or they were moved: move them to schema animal_store (docs/operations.md, Connection poolers), or create new data once with --create-data always\n';
  const refused = await runProgram(['keys', 'list', '--database', url]);
  expect(refused).toEqual({ exitCode: 1, stdout: '', stderr: line });
  await administer(postgres.url, move('public', 'animal_store'), name);
  expect((await runProgram(['keys', 'list', '--database', url])).exitCode).toBe(0);
});

test('new data is created beside tables in another schema only if the operator says so', async () => {
  const name = await createDatabase('tables_beside');
  const url = `${postgres.url}/${name}`;
  await runProgram(['demo', '--animals', '5', '--database', url]);
  await administer(postgres.url, 'ALTER SCHEMA animal_store RENAME TO kept', name);
  const create = ['keys', 'create', '--name', 'a', '--database', url];
  expect((await runProgram(create)).exitCode).toBe(1);
  expect((await runProgram([...create, '--create-data', 'always'])).exitCode).toBe(0);
  expect((await runProgram(create)).exitCode).toBe(0);
});

test('a database that cannot hold every name is refused, and can be copied from', async () => {
  const make = "ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0";
  await administer(postgres.url, `CREATE DATABASE latin ${make}`);
  await administer(postgres.url, `CREATE DATABASE ascii ${make.replace('LATIN1', 'SQL_ASCII')}`);
  for (const name of ['latin', 'ascii']) {
    const url = `${postgres.url}/${name}`;
    const refused = await runProgram(['keys', 'create', '--name', 'a', '--database', url]);
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /^animal-store: The database at 127\.0\.0\.1:\d+ has the encoding (LATIN1|SQL_ASCII), which cannot hold every name: make one with ENCODING 'UTF8', and copy the data with animal-store copy \(docs\/operations\.md, More than one machine\)\n$/,
    );
  }
});
