import type { ClientBase, QueryConfig } from 'pg';
import type { Queryable, Value } from '../storage/queryable.ts';
import { type Statement, toRows } from '../storage/statement.ts';

/** A query with the time limit of the driver, which its types do not have. */
export interface LimitedQuery extends QueryConfig {
  readonly query_timeout: number | undefined;
}

/** Converts a statement and its values for the driver. Each connection prepares a statement once. */
export function toQuery(
  { name, postgres: text }: Statement<object>,
  values: readonly Value[] = [],
  queryMillisecondsMax?: number,
): LimitedQuery {
  return { name, text, values: [...values], query_timeout: queryMillisecondsMax };
}

/** Runs statements on a connection, with a longer time limit if one is given. */
export function createQueryable(client: ClientBase, queryMillisecondsMax?: number): Queryable {
  return {
    async all<Row extends object>(statement: Statement<Row>, values?: readonly Value[]) {
      const query = toQuery(statement, values, queryMillisecondsMax);
      return toRows(statement, (await client.query<Row>(query)).rows);
    },
  };
}
