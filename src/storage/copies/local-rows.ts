import type { Transaction } from '../queryable.ts';
import { localTables } from '../schema/tables.ts';
import { statement } from '../statement.ts';

const deleteRows = localTables.map((name) => statement(`DELETE FROM ${name}`));

/** Deletes the rows that belong to one database only, in a copy of it. */
export async function deleteOwnRows(transaction: Transaction): Promise<void> {
  for (const deleteAll of deleteRows) await transaction.run(deleteAll);
}
