import type { Transaction } from '../../storage/queryable.ts';
import { openWritableConnection } from '../connection.ts';
import { createTransact } from '../writer/transact.ts';

/** Changes a file that nobody else has, in one transaction. To flush it is left to the caller. */
export async function changeFile<Result>(
  path: string,
  run: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  using connection = openWritableConnection(path);
  return await createTransact(connection)(run);
}
