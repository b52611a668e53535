import { Database as Connection } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { createTestDatabase, runSql } from '../../../test/support/postgres.ts';
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts';
import { openSqliteDatabase } from '../../sqlite/database.ts';
import { tables } from './tables.ts';

/** The result of the migrations: the columns of a table with their types, and its key. */
interface MadeTable {
  readonly columns: Record<string, string>;
  readonly key: readonly string[];
}

/** Columns that belong to one database, which a copy does not have. */
const localColumns: Readonly<Record<string, readonly string[]>> = {
  meta: [
    ...['schema_version', 'schema_digest', 'writer_version', 'unfinished_copy_of'],
    ...['system_identifier', 'table_oids'],
  ],
  webhooks: [
    ...['status', 'read_to', 'failure_count', 'failing_since', 'retry_step'],
    ...['next_attempt_at', 'lease_holder', 'lease_until'],
  ],
};

/** Only PostgreSQL: the identity of the tables. */
const identityColumns = ['system_identifier', 'table_oids'];

/** The parts of a copy, a verification and a count, with the columns that belong to this database alone. */
function declaredTables(withIdentity: boolean): Record<string, MadeTable> {
  return Object.fromEntries(
    Object.entries(tables).map(([name, { columns, key }]) => {
      const own = (localColumns[name] ?? []).filter(
        (column) => withIdentity || !identityColumns.includes(column),
      );
      return [
        name,
        {
          columns: { ...columns, ...Object.fromEntries(own.map((column) => [column, 'own'])) },
          key: [...key],
        },
      ];
    }),
  );
}

/** Columns of this database alone are compared by their names. */
function withoutOwnTypes(made: Record<string, MadeTable>): Record<string, MadeTable> {
  return Object.fromEntries(
    Object.entries(made).map(([name, { columns, key }]) => {
      const own = localColumns[name] ?? [];
      const typed = Object.entries(columns).map(([column, type]) => [
        column,
        own.includes(column) ? 'own' : type,
      ]);
      return [name, { columns: Object.fromEntries(typed), key }];
    }),
  );
}

test('every table and column in SQLite is copied, verified and deleted with its workspace', async () => {
  using folder = makeTemporaryFolder();
  const path = join(folder.path, 'test.db');
  await (await openSqliteDatabase({ path, asServer: false, now: Date.now }))[Symbol.asyncDispose]();
  using connection = new Connection(path);
  const names = connection
    .query<{ name: string }, []>(
      // The table of the life belongs to this file alone, so no copy has it.
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'life'",
    )
    .all()
    .map(({ name }) => name);
  const made: Record<string, MadeTable> = {};
  for (const name of names) {
    const columns = connection
      .query<{ name: string; type: string; notnull: number; pk: number }, []>(
        `PRAGMA table_info(${name})`,
      )
      .all();
    made[name] = {
      columns: Object.fromEntries(
        columns.map(({ name, type, notnull, pk }) => [
          name,
          `${type === 'INTEGER' ? 'int8' : 'text'}${notnull === 1 || pk > 0 ? '' : '?'}`,
        ]),
      ),
      key: columns
        .filter(({ pk }) => pk > 0)
        .sort((left, right) => left.pk - right.pk)
        .map(({ name }) => name),
    };
  }
  expect(withoutOwnTypes(made)).toEqual(declaredTables(false));
});

test('every table and column in PostgreSQL is copied, verified and deleted with its workspace', async () => {
  await using database = await createTestDatabase();
  const columns = (await runSql(
    database.url,
    `SELECT table_name AS "table", column_name AS "column",
      CASE data_type WHEN 'bigint' THEN 'int8' ELSE data_type END
        || CASE is_nullable WHEN 'YES' THEN '?' ELSE '' END AS type
     FROM information_schema.columns WHERE table_schema = 'animal_store'`,
  )) as { table: string; column: string; type: string }[];
  const keys = (await runSql(
    database.url,
    `SELECT relation.relname AS "table", attribute.attname AS "column"
     FROM pg_index JOIN pg_class AS relation ON relation.oid = indrelid
     JOIN unnest(indkey) WITH ORDINALITY AS place (number, at) ON true
     JOIN pg_attribute AS attribute ON attrelid = indrelid AND attnum = place.number
     WHERE indisprimary AND relation.relnamespace = 'animal_store'::regnamespace
     ORDER BY relation.relname, at`,
  )) as { table: string; column: string }[];
  const made = Object.fromEntries(
    Object.entries(Object.groupBy(columns, ({ table }) => table)).map(([table, own = []]) => [
      table,
      {
        columns: Object.fromEntries(own.map(({ column, type }) => [column, type])),
        key: keys.filter((key) => key.table === table).map(({ column }) => column),
      },
    ]),
  );
  expect(withoutOwnTypes(made)).toEqual(declaredTables(true));
});
