import { faultsMax } from '../../domain/database/verification.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import type { Queryable } from '../queryable.ts';
import { readRows } from '../read-rows.ts';
import { sha256 } from '../sha256.ts';
import type { Statement } from '../statement.ts';

/** 64 bits of a SHA-256, in hexadecimal. It is stored with texts that no index repeats, so that a change of them is found. */
export function rowDigest(...values: readonly (Int64 | string | undefined)[]): string {
  const texts = values.map((value) => (typeof value === 'bigint' ? String(value) : value));
  // An absent text becomes `null`.
  return sha256(JSON.stringify(texts)).slice(0, 16);
}

interface CheckedRow {
  readonly workspaceId: Int64;
  readonly workspace: string;
  readonly id: Int64;
  readonly digest: string | undefined;
}

/** One line for each row that does not match its digest. */
export async function findChangedRows<Row extends CheckedRow>(
  queryable: Queryable,
  select: Statement<Row>,
  noun: string,
  digestOf: (row: Row) => string | undefined,
): Promise<readonly string[]> {
  const faults: string[] = [];
  for await (const row of readRows(queryable, select, ({ id }) => id)) {
    if (row.digest === digestOf(row)) continue;
    faults.push(`${noun} ${row.id} of workspace ${row.workspace} was changed`);
    if (faults.length >= faultsMax) break;
  }
  return faults;
}
