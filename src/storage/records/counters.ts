import type { Queryable, Transaction } from '../queryable.ts';
import { counters, tables } from '../schema/tables.ts';
import { type FaultStatement, statement } from '../statement.ts';

// The rows of `meta` and of workspaces count ids. Restored data continues above all ids that were assigned since the backup.

/** A row with counters. */
type CounterRow = Readonly<Record<string, bigint | string | null>>;

/** The statements on the counters of one table. */
const counterTables = [...Map.groupBy(counters, ({ table }) => table)].map(([table, counted]) => {
  const columns = counted.map(({ column }) => column);
  const set = (value: (column: string, index: number) => string) =>
    columns.map((column, index) => `${column} = ${value(column, index)}`).join(', ');
  // A server may still have cached responses of the lost versions.
  const newVersion = table === 'workspaces' ? ', version = version + 1000001' : '';
  const larger = (column: string, parameter: string) =>
    `CASE WHEN ${column} < ${parameter} THEN ${parameter} ELSE ${column} END`;
  return {
    columns,
    // All columns, because the replaced data of a restore can have an older schema, without some counters.
    select: statement<CounterRow>(`SELECT * FROM ${table}`),
    raise: statement(`UPDATE ${table} SET ${set((column) => `${column} + $1`)}${newVersion}`),
    raiseAll: statement(`UPDATE ${table} SET ${set((column) => larger(column, '$1'))}`),
    raiseTo: statement(
      `UPDATE ${table} SET ${set((column, index) => larger(column, `$${index + 2}`))} WHERE id = $1`,
    ),
  };
});

/**
 * Raises every counter by a gap. `idMax` is the highest counter of an earlier restore: each is then also a gap above that, because ids
 * of that time can be in no data any more.
 */
export async function raiseCounters(
  transaction: Transaction,
  gap: number,
  idMax = 0n,
): Promise<void> {
  for (const { raise } of counterTables) await transaction.run(raise, [gap]);
  if (idMax === 0n || gap === 0) return;
  const least = idMax + BigInt(gap);
  for (const { raiseAll } of counterTables) await transaction.run(raiseAll, [least]);
}

/** The highest counter. */
export async function readHighestCounter(queryable: Queryable): Promise<bigint> {
  const values = await readCounters(queryable);
  const found = counterTables.flatMap(({ columns }, index) =>
    (values[index] ?? []).flatMap((row) => columns.map((column) => row[column])),
  );
  return found.reduce<bigint>(
    (max, value) => (typeof value === 'bigint' && value > max ? value : max),
    0n,
  );
}

/** The counters of each table that has some. */
type CounterValues = readonly (readonly CounterRow[])[];

export function readCounters(queryable: Queryable): Promise<CounterValues> {
  return Promise.all(counterTables.map(({ select }) => queryable.all(select)));
}

/** Raises every counter to its value in other data, if that is higher. */
export async function raiseCountersTo(
  transaction: Transaction,
  values: CounterValues,
): Promise<void> {
  for (const [index, { columns, raiseTo }] of counterTables.entries()) {
    for (const row of values[index] ?? []) {
      await transaction.run(
        raiseTo,
        ['id', ...columns].map((column) => row[column] ?? 0n),
      );
    }
  }
}

const assigning = counters.filter(({ idsAreChosenToo }) => idsAreChosenToo !== true);

/** A line for each counter that is not above all assigned ids. */
export const counterFaults = assigning.map(({ of, table, column }): FaultStatement => {
  const id = tables[of].key.at(-1);
  return statement(
    table === 'meta'
      ? `SELECT 'An id of ${of} would be used again' AS fault FROM meta
         WHERE ${column} <= (SELECT max(${id}) FROM ${of})`
      : `SELECT 'Workspace ' || name || ' would use an id of ${of} again' AS fault FROM workspaces
         WHERE ${column} <= (SELECT max(${id}) FROM ${of} WHERE workspace_id = workspaces.id)`,
  );
});
