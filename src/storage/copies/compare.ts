import type { Queryable } from '../queryable.ts';
import { copiedTables, type TableName } from '../schema/tables.ts';
import { readTable, rowText } from './copy.ts';

export interface TableSummary {
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
  source: Queryable,
  target: Queryable,
  untilDifferent: boolean,
  onRows: (count: number) => void,
): Promise<readonly TableComparison[]> {
  const comparisons: TableComparison[] = [];
  for (const table of copiedTables) {
    const comparison = await compareTable(source, target, table, onRows);
    comparisons.push(comparison);
    if (untilDifferent && !comparison.isSame) break;
  }
  return comparisons;
}

async function compareTable(
  inSource: Queryable,
  inTarget: Queryable,
  table: TableName,
  onRows: (count: number) => void,
): Promise<TableComparison> {
  const readers = [startReading(inSource, table), startReading(inTarget, table)] as const;
  // In turns, because PostgreSQL ends a snapshot that is idle for long.
  for (;;) {
    const [rowCount] = await Promise.all([readers[0].next(), readers[1].next()]);
    onRows(rowCount);
    if (readers.every(({ isAtEnd }) => isAtEnd())) break;
  }
  const [source, target] = [readers[0].summary(), readers[1].summary()];
  const isSame = source.rowCount === target.rowCount && source.checksum === target.checksum;
  return { table, source, target, isSame };
}

function startReading(queryable: Queryable, table: TableName) {
  const batches = readTable(queryable, table);
  const hasher = new Bun.CryptoHasher('sha256');
  let rowCount = 0;
  let isAtEnd = false;
  return {
    /** Reads the next rows and returns their number, 0 at the end. */
    async next(): Promise<number> {
      const { value: rows = [] } = await batches.next();
      isAtEnd = rows.length === 0;
      rowCount += rows.length;
      hasher.update(rows.map((row) => rowText(table, row)).join(''));
      return rows.length;
    },
    isAtEnd: () => isAtEnd,
    summary: (): TableSummary => ({ rowCount, checksum: hasher.digest('hex') }),
  };
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
