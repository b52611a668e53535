import type { Transaction } from '../queryable.ts';
import { localTables } from '../schema/tables.ts';
import { statement } from '../statement.ts';

const deleteRows = localTables.map((name) => statement(`DELETE FROM ${name}`));

/** Removes what is true of one database alone from data that is, or becomes, another. */
export async function deleteOwnRows(transaction: Transaction): Promise<void> {
  for (const deleteAll of deleteRows) await transaction.run(deleteAll);
}
