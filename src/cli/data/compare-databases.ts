import { readTable, rowText } from '../../storage/copies/copy.ts';
import type { Queryable } from '../../storage/queryable.ts';
import { copiedTables, type TableName } from '../../storage/schema/tables.ts';

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

/** Reads two databases to the end or, where that is enough, to a table that differs. */
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
  // Side by side: a snapshot that nobody reads from for long is ended by its server.
  for (;;) {
    const [rowCount] = await Promise.all([readers[0].next(), readers[1].next()]);
    onRows(rowCount);
    if (readers.every(({ isAtEnd }) => isAtEnd())) break;
  }
  const [source, target] = [readers[0].summary(), readers[1].summary()];
  const isSame = source.rowCount === target.rowCount && source.checksum === target.checksum;
  return { table, source, target, isSame };
}

function startReading(session: Queryable, table: TableName) {
  const batches = readTable(session, table);
  const hasher = new Bun.CryptoHasher('sha256');
  let rowCount = 0;
  let isAtEnd = false;
  return {
    /** Reads some more rows, and tells how many; none at the end. */
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

/** Change with nearly every change of the data: every one of its records raises a version or a counter. Few rows are read. */
const fingerprintTables = ['meta', 'workspaces', 'api_keys'] as const;

/** Tells data from others, and from itself after a change. */
export async function fingerprintOf(session: Queryable): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256');
  for (const table of fingerprintTables) {
    const reader = startReading(session, table);
    while (!reader.isAtEnd()) await reader.next();
    hasher.update(`${table} ${reader.summary().checksum}\n`);
  }
  return hasher.digest('hex');
}
