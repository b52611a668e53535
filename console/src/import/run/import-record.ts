// What this browser stores about its imports: numbers and digests, and no text of an animal.

import { randomHex } from '../../../../client/src/json.ts';
import { session } from '../../api/session.ts';
import { consolePath } from '../../route.ts';

export interface AddedRecord {
  readonly id: bigint;
  /** Of the record as it was added. */
  readonly etag: string;
}

/** A row that was sent, and whose answer is not recorded. */
interface SentRow {
  /** Of the values of its animal. */
  readonly digest: string;
  /** If the animal was added, its number is higher. */
  readonly afterId: bigint;
}

/** The import of a table of a file into one workspace. Rows have their index in the file. */
export interface ImportRecord {
  readonly key: string;
  /** Random: the requests of its rows have it in their ids. */
  readonly id: string;
  startedAt: number;
  readonly rows: Map<number, AddedRecord>;
  readonly sent: Map<number, SentRow>;
  /** The categories that it created, by the digest of the name. Undefined until the answer is recorded. */
  readonly categories: Map<string, AddedRecord | undefined>;
  /** False if the browser cannot store it, as in some private windows. It is then kept while the page is open. */
  isStored: boolean;
}

const parts = ['rows', 'sent', 'categories'] as const;
type Part = (typeof parts)[number];

const importsMax = 20;
const ageMillisecondsMax = 30 * 24 * 3_600_000;

/** The records of this page. */
const opened = new Map<string, ImportRecord>();

/** The record of earlier imports of a source into the workspace of the session. Without one, a new record. */
export async function openRecord(source: string): Promise<ImportRecord> {
  const key = `${consolePath} ${session.peek()?.workspace} ${source}`;
  const record: ImportRecord = opened.get(key) ?? {
    key,
    id: randomHex(),
    startedAt: 0,
    rows: new Map(),
    sent: new Map(),
    categories: new Map(),
    isStored: true,
  };
  opened.set(key, record);
  await readRecord(record);
  return record;
}

/**
 * Reads a record again and does something with it, while no other tab imports or undoes the same source. Returns false if another tab
 * does.
 */
export async function withRecord(record: ImportRecord, act: () => Promise<void>): Promise<boolean> {
  return navigator.locks.request(`import ${record.key}`, { ifAvailable: true }, async (lock) => {
    if (lock === null) return false;
    await readRecord(record);
    await act();
    return true;
  });
}

/** Reads what this tab and others have stored. */
async function readRecord(record: ImportRecord): Promise<void> {
  if (!record.isStored) return;
  const { key } = record;
  try {
    const found = new Map<Part, { keys: IDBRequest; values: IDBRequest }>();
    await runTransaction('readonly', (transaction) => {
      const head = transaction.objectStore('imports').get(key);
      head.onsuccess = () => void Object.assign(record, head.result);
      for (const part of parts) {
        const store = transaction.objectStore(part);
        const range = partsOf(key);
        found.set(part, { keys: store.getAllKeys(range), values: store.getAll(range) });
      }
    });
    for (const [part, { keys, values }] of found) {
      const map: Map<number | string, unknown> = record[part];
      map.clear();
      for (const [index, [, name]] of keys.result.entries()) map.set(name, values.result[index]);
    }
  } catch {
    record.isStored = false;
  }
}

/** Stores the entries of a record that were set or removed. */
export async function saveRecord(
  record: ImportRecord,
  changed: { readonly [Name in Part]?: Iterable<number | string> },
): Promise<void> {
  const { key, id, startedAt } = record;
  try {
    await runTransaction('readwrite', (transaction) => {
      transaction.objectStore('imports').put({ id, startedAt }, key);
      for (const part of parts) {
        const store = transaction.objectStore(part);
        const entries: ReadonlyMap<number | string, unknown> = record[part];
        for (const name of changed[part] ?? []) {
          if (entries.has(name)) store.put(entries.get(name), [key, name]);
          else store.delete([key, name]);
        }
      }
    });
  } catch {
    record.isStored = false;
  }
}

/** Begins an import, and forgets the oldest ones. */
export async function beginRecord(record: ImportRecord): Promise<void> {
  const now = Date.now();
  record.startedAt = now;
  await saveRecord(record, {});
  try {
    await runTransaction('readwrite', (transaction) => {
      const store = transaction.objectStore('imports');
      const keys = store.getAllKeys();
      const heads = store.getAll();
      heads.onsuccess = () => {
        const newest = keys.result
          .map((key, index) => ({
            key: String(key),
            startedAt: Number(heads.result[index].startedAt),
          }))
          .sort((one, two) => two.startedAt - one.startedAt);
        for (const [index, { key, startedAt }] of newest.entries()) {
          if (index < importsMax && startedAt > now - ageMillisecondsMax) continue;
          store.delete(key);
          for (const part of parts) transaction.objectStore(part).delete(partsOf(key));
        }
      };
    });
  } catch {
    record.isStored = false;
  }
}

/** The keys of all entries of an import. In the order of keys, arrays follow numbers and texts. */
function partsOf(key: string): IDBKeyRange {
  return IDBKeyRange.bound([key], [key, []]);
}

async function runTransaction(
  mode: IDBTransactionMode,
  act: (transaction: IDBTransaction) => void,
): Promise<void> {
  const opening = indexedDB.open('animal-store imports', 1);
  opening.onupgradeneeded = () => {
    for (const name of ['imports', ...parts]) opening.result.createObjectStore(name);
  };
  await new Promise<void>((resolve, reject) => {
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => resolve();
  });
  const { result: database } = opening;
  try {
    const transaction = database.transaction(['imports', ...parts], mode);
    await new Promise<void>((resolve, reject) => {
      transaction.onabort = () => reject(transaction.error);
      transaction.oncomplete = () => resolve();
      act(transaction);
    });
  } finally {
    database.close();
  }
}
