import type { Int64 } from '../../domain/values/int64.ts';
import { faultsMax } from '../contract/verification.ts';
import type { Queryable, Row } from '../queryable.ts';
import { pageRowsMax, readRows } from '../read-rows.ts';
import type { Digest } from '../schema/table.ts';
import { memberNames, type TableName, tableNames, tables } from '../schema/tables.ts';
import { sha256 } from '../sha256.ts';
import { statement } from '../statement.ts';

/** A row with its digest, if its table has one. Only the verification reads it. */
export function withDigest(table: TableName, row: Row): Row {
  const { digest } = tables[table];
  return digest === undefined ? row : { ...row, digest: digestOf(digest, row) };
}

/** 64 bits of a SHA-256, in hexadecimal. Undefined if the row has none of the values. */
function digestOf({ of }: Digest, row: Row): string | undefined {
  const members = memberNames(['workspace_id', 'id', ...of]);
  const values = members.map((name) => row[name] ?? null);
  if (values.slice(2).every((value) => value === null)) return undefined;
  const texts = values.map((value) => (value === null ? null : String(value)));
  return sha256(JSON.stringify(texts)).slice(0, 16);
}

interface CheckedRow extends Row {
  readonly workspaceId: Int64;
  readonly workspace: string;
  readonly id: Int64;
  readonly digest: string | undefined;
}

const digests = tableNames.flatMap((table) => {
  const { digest } = tables[table];
  return digest === undefined ? [] : [{ digest, select: selectChecked(table, digest) }];
});

/** Selects the rows that have a digest, or should have one. */
function selectChecked(table: TableName, { of }: Digest) {
  const names = ['workspace_id', 'id', 'digest', ...of];
  const members = memberNames(names);
  const columns = names.map((name, index) => `${table}.${name} AS "${members[index]}"`);
  const checked = ['digest', ...of].map((name) => `${table}.${name} IS NOT NULL`);
  return statement<CheckedRow>(
    `
    SELECT workspaces.name AS workspace, ${columns.join(', ')}
    FROM ${table} JOIN workspaces ON workspaces.id = workspace_id
    WHERE (workspace_id, ${table}.id) > ($1, $2) AND (${checked.join(' OR ')})
    ORDER BY workspace_id, ${table}.id LIMIT ${pageRowsMax}`,
    ['digest'],
  );
}

/** One line for each row that does not match its digest: something other than a command has changed it. */
export async function findChangedRows(queryable: Queryable): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const { digest, select } of digests) {
    for await (const row of readRows(queryable, select, ({ id }) => id)) {
      if (row.digest === digestOf(digest, row)) continue;
      faults.push(`${digest.subject} ${row.id} of workspace ${row.workspace} was changed`);
      if (faults.length >= faultsMax) return faults;
    }
  }
  return faults;
}
