import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Pet } from '../../../../client/src/contract.ts';
import { splitIds } from '../../api/ids.ts';
import { messageOf } from '../../api/service.ts';
import { currentApi } from '../../api/session.ts';
import { findInCatalogue } from '../catalogue-match.ts';
import type { PlannedRow } from '../import-plan.ts';
import { type Matches, noMatches, rowKey } from './plan-import.ts';

/** By the indexes of rows, the animals that an earlier import of the same file added. */
export type Imported = ReadonlyMap<number, bigint>;

interface Search {
  readonly matches: Matches;
  /** Of the rows that were compared. */
  readonly key: string | undefined;
  readonly doneCount: number;
  readonly totalCount: number;
  readonly fault?: string | undefined;
}

const noSearch: Search = { matches: noMatches, key: undefined, doneCount: 0, totalCount: 0 };

/** Searches the catalogue for the animals of the rows, when all their values are known. */
export function useMatches(
  rows: readonly PlannedRow[],
  isReady: boolean,
  imported: Imported | undefined,
) {
  const search = useSignal(noSearch);
  const attempt = useSignal(0);
  const key = useMemo(() => (isReady ? keyOf(rows) : undefined), [rows, isReady]);
  useEffect(() => {
    search.value = noSearch;
    if (key === undefined) return;
    const controller = new AbortController();
    const { signal } = controller;
    const show = (change: Partial<Search>) => {
      if (!signal.aborted) search.value = { ...search.peek(), ...change };
    };
    const onProgress = (doneCount: number, totalCount: number) => show({ doneCount, totalCount });
    findMatches(rows, { signal, imported, onProgress }).then(
      (matches) => show({ matches, key }),
      (error) => show({ fault: messageOf(error) }),
    );
    return () => controller.abort();
  }, [key, imported, attempt.value]);
  const { matches, doneCount, totalCount, fault } = search.value;
  const unsearched = useMemo(() => ({ ...noMatches, imported: imported ?? new Map() }), [imported]);
  return {
    // Those of other rows must not be shown for a moment.
    matches: key === search.value.key ? matches : unsearched,
    isDone: key !== undefined && key === search.value.key,
    doneCount,
    totalCount,
    fault,
    retry: () => {
      attempt.value += 1;
    },
  };
}

function keyOf(rows: readonly PlannedRow[]): string {
  return rows
    .map((row) => `${row.index} ${row.animalId} ${row.draft.status} ${rowKey(row)}`)
    .join('\n');
}

async function findMatches(
  rows: readonly PlannedRow[],
  options: {
    readonly signal: AbortSignal;
    readonly imported: Imported | undefined;
    readonly onProgress: (doneCount: number, totalCount: number) => void;
  },
): Promise<Matches> {
  const { imported = new Map(), ...others } = options;
  const sessionApi = currentApi();
  const numbers = rows.flatMap(({ animalId }) => animalId ?? []);
  const pets = new Map<bigint, Pet>();
  let doneCount = 0;
  for (const ids of splitIds(numbers)) {
    const query = { ids, limit: ids.length };
    for await (const pet of sessionApi.pets.list(query, options)) pets.set(pet.id, pet);
    doneCount += ids.length;
    options.onProgress(doneCount, numbers.length);
  }
  const added = rows.filter(({ animalId }) => animalId === undefined);
  const found = await findInCatalogue(added, { ...others, sessionApi, imported });
  return { pets, found, imported };
}
