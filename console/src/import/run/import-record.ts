import type { AnimalStore } from '../../../../client/src/store.ts';
import type { CallOptions } from '../../../../client/src/transport.ts';
import { digestOf } from '../../api/digest.ts';
import type { ConsoleCalls, Import, ImportedCategory } from '../../contract.ts';

/** The calls of the session in which an import began. */
export interface Service {
  readonly api: AnimalStore;
  callConsole<Id extends keyof ConsoleCalls>(
    id: Id,
    input: ConsoleCalls[Id]['input'],
    options?: CallOptions,
  ): Promise<ConsoleCalls[Id]['answer']>;
}

/** What imports of a table have added to the workspace in the last 30 days, from any browser. */
export interface ImportRecord {
  /** Names the import on the server: SHA-256 of the file and the sheet. */
  readonly digest: string;
  /** The animals of rows that were added, by the index of the row. */
  readonly rows: ReadonlyMap<number, bigint>;
  /** Likewise, those that were deleted since. */
  readonly deleted: ReadonlyMap<number, bigint>;
  /** Those that still exist. */
  readonly categories: readonly ImportedCategory[];
}

/** Names a sheet of a file, the same in every browser. */
export function digestOfSheet(fileDigest: string, sheetName: string): Promise<string> {
  return digestOf(new TextEncoder().encode(`${fileDigest} ${sheetName}`));
}

export async function readRecord(
  digest: string,
  { callConsole }: Pick<Service, 'callConsole'>,
  options: CallOptions,
): Promise<ImportRecord> {
  const rows = new Map<number, bigint>();
  const deleted = new Map<number, bigint>();
  const found: ImportedCategory[] = [];
  let after: number | null = -1;
  while (after !== null) {
    const page: Import = await callConsole(
      'getImport',
      { parameters: { source: digest }, query: { after } },
      options,
    );
    for (const { row, id, exists } of page.rows) (exists ? rows : deleted).set(Number(row), id);
    found.push(...page.categories);
    after = page.nextAfter;
  }
  return { digest, rows, deleted, categories: found };
}
