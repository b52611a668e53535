import { tableNames } from './tables.ts';

/** The schema of PostgreSQL that has the tables. */
export const schemaName = 'animal_store';

const unqualified = new RegExp(
  `\\b(FROM|INTO|JOIN|TABLE|UPDATE)\\s+(${tableNames.join('|')})\\b`,
  'g',
);

/**
 * Names the schema of each table in a statement. The search path of a session would not do: a connection pooler can drop what a
 * client asks for at its start, or give it another session for each transaction.
 */
export function withSchema(sql: string): string {
  return sql.replaceAll(unqualified, `$1 ${schemaName}.$2`);
}
