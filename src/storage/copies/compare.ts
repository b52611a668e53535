import type { Queryable } from '../queryable.ts';
import { readPages } from '../read-rows.ts';
import {
  columnList,
  columnNames,
  copiedTables,
  memberNames,
  type TableName,
  tables,
} from '../schema/tables.ts';
import { statement } from '../statement.ts';

/** A row as it is copied: a value for each column, exact and the same in both engines. */
export type CopiedRow = Readonly<Record<string, bigint | string | null>>;

/** The rows of one transaction. It is short enough for the time limits of both engines. */
const batchRowsMax = 5000;

/** All rows of a table, or those after a row, in batches that are never empty. */
export async function* readTable(
  queryable: Queryable,
  name: TableName,
  above?: CopiedRow,
): AsyncGenerator<readonly CopiedRow[], undefined> {
  const { key } = tables[name];
  const order = key.join(', ');
  const columns = columnList(columnNames(name));
  const select = (where = '') =>
    statement<CopiedRow>(
      `SELECT ${columns} FROM ${name} ${where} ORDER BY ${order} LIMIT ${batchRowsMax}`,
    );
  const keyOf = (row: CopiedRow) => memberNames(key).map((member) => row[member] ?? null);
  let last = above;
  if (last === undefined) {
    const rows = await queryable.all(select());
    last = rows.at(-1);
    if (last === undefined) return undefined;
    yield rows;
  }
  const parameters = key.map((_, index) => `$${index + 1}`).join(', ');
  const selectNext = select(`WHERE (${order}) > (${parameters})`);
  yield* readPages(queryable, selectNext, keyOf, keyOf(last));
  return undefined;
}

interface TableSummary {
  readonly rowCount: number;
  /** SHA-256, in hexadecimal, of all rows as lines of JSON in the order of their keys. */
  readonly checksum: string;
}

export interface TableComparison {
  readonly table: TableName;
  readonly source: TableSummary;
  readonly target: TableSummary;
  readonly isSame: boolean;
}

/** Compares two databases table by table, or only until a table differs. */
export async function compareDatabases(
  inSource: Queryable,
  inTarget: Queryable,
  untilDifferent: boolean,
  onRows: (count: number) => void,
): Promise<readonly TableComparison[]> {
  const comparisons: TableComparison[] = [];
  for (const table of copiedTables) {
    const readers = [startReading(inSource, table), startReading(inTarget, table)] as const;
    // In turns, because PostgreSQL ends a snapshot that is idle for long.
    do {
      const [rowCount] = await Promise.all([readers[0].next(), readers[1].next()]);
      onRows(rowCount);
    } while (!readers.every(({ isAtEnd }) => isAtEnd()));
    const [source, target] = [readers[0].summary(), readers[1].summary()];
    const isSame = source.rowCount === target.rowCount && source.checksum === target.checksum;
    comparisons.push({ table, source, target, isSame });
    if (untilDifferent && !isSame) break;
  }
  return comparisons;
}

function startReading(queryable: Queryable, table: TableName) {
  const batches = readTable(queryable, table);
  const members = memberNames(columnNames(table));
  const hasher = new Bun.CryptoHasher('sha256');
  let rowCount = 0;
  let isAtEnd = false;
  return {
    /** Reads the next rows and returns their number, 0 at the end. */
    async next(): Promise<number> {
      const { value: rows = [] } = await batches.next();
      isAtEnd = rows.length === 0;
      rowCount += rows.length;
      hasher.update(
        rows.map((row) => `[${members.map((name) => formatCell(row[name]))}]\n`).join(''),
      );
      return rows.length;
    },
    isAtEnd: () => isAtEnd,
    summary: (): TableSummary => ({ rowCount, checksum: hasher.digest('hex') }),
  };
}

/** A value as JSON with exact digits. Checksums are made of this text. */
function formatCell(value: CopiedRow[string] | undefined): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

/** Small tables that almost every change of the data changes, because each record raises a version or a counter. */
const fingerprintTables = ['meta', 'workspaces', 'api_keys'] as const;

/** Identifies data in its present state. */
export async function fingerprintOf(queryable: Queryable): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256');
  for (const table of fingerprintTables) {
    const reader = startReading(queryable, table);
    while (!reader.isAtEnd()) await reader.next();
    hasher.update(`${table} ${reader.summary().checksum}\n`);
  }
  return hasher.digest('hex');
}
