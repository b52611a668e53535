import {
  readTable,
  type TransferSnapshot,
  type TransferTable,
  transferRowText,
  transferTables,
} from '../domain/transfer.ts';

export interface TableSummary {
  readonly rowCount: number;
  /** SHA-256, in hexadecimal, of all rows as lines of JSON in the order of their keys. */
  readonly checksum: string;
}

export interface TableComparison {
  readonly table: TransferTable;
  readonly source: TableSummary;
  readonly target: TableSummary;
  readonly isSame: boolean;
}

/** Reads two stores to the end or, where that is enough, to a table that differs. */
export async function compareStores(
  inSource: TransferSnapshot,
  inTarget: TransferSnapshot,
  untilDifferent: boolean,
  onAnimals: (count: number) => void,
): Promise<readonly TableComparison[]> {
  const comparisons: TableComparison[] = [];
  for (const table of transferTables) {
    const onRows = table === 'pets' ? onAnimals : () => {};
    const comparison = await compareTable(inSource, inTarget, table, onRows);
    comparisons.push(comparison);
    if (untilDifferent && !comparison.isSame) break;
  }
  return comparisons;
}

async function compareTable(
  inSource: TransferSnapshot,
  inTarget: TransferSnapshot,
  table: TransferTable,
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

function startReading(snapshot: TransferSnapshot, table: TransferTable) {
  const batches = readTable(snapshot, table);
  const hasher = new Bun.CryptoHasher('sha256');
  let rowCount = 0;
  let isAtEnd = false;
  return {
    /** Reads some more rows, and tells how many; none at the end. */
    async next(): Promise<number> {
      const { value: rows = [] } = await batches.next();
      isAtEnd = rows.length === 0;
      rowCount += rows.length;
      hasher.update(rows.map(transferRowText).join(''));
      return rows.length;
    },
    isAtEnd: () => isAtEnd,
    summary: (): TableSummary => ({ rowCount, checksum: hasher.digest('hex') }),
  };
}

/** Changes with nearly every change of a store: every one of animals raises a revision. Few rows are read. */
const fingerprintTables = ['store', 'workspaces', 'api_keys', 'deprecated_calls'] as const;

/** Tells a store from others, and from itself after a change. */
export async function fingerprintOf(snapshot: TransferSnapshot): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256');
  for (const table of fingerprintTables) {
    const reader = startReading(snapshot, table);
    while (!reader.isAtEnd()) await reader.next();
    hasher.update(`${table} ${reader.summary().checksum}\n`);
  }
  return hasher.digest('hex');
}
