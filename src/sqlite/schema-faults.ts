import { schemaScripts, withoutComments } from '../storage/schema/migrate.ts';
import { Connection } from './connection.ts';

interface SchemaObject {
  readonly type: string;
  readonly name: string;
  readonly table: string;
  readonly sql: string | null;
}

/** Returns a line for each table, index and trigger that is not what the migrations create. Others may be there as well. */
export function findSchemaFaults(connection: Connection): readonly string[] {
  using created = new Connection(':memory:');
  for (const script of schemaScripts('sqlite')) created.run(script);
  const found = new Set(readSchema(connection).map(describe));
  return readSchema(created)
    .filter((expected) => !found.has(describe(expected)))
    .map(({ type, name }) => `The definition of ${type} ${name} is missing or was changed`);
}

function readSchema(connection: Connection): readonly SchemaObject[] {
  return connection
    .query<SchemaObject, []>(
      `SELECT type, name, tbl_name AS "table", sql FROM sqlite_schema WHERE type IN ('table', 'index', 'trigger')`,
    )
    .all();
}

function describe({ type, name, table, sql }: SchemaObject): string {
  return JSON.stringify([type, name, table, withoutComments(sql ?? '')]);
}
