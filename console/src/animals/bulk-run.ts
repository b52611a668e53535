import { computed, signal } from '@preact/signals';
import type { Pet } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { randomHex } from '../../../client/src/json.ts';
import { announce, announceOwnChange, type Change } from '../api/live.ts';
import { createReport, createRetry } from '../api/retry.ts';
import { type Api, messageOf } from '../api/service.ts';
import { currentApi } from '../api/session.ts';
import { inParallel } from '../files/in-parallel.ts';
import { askBeforeUnload } from '../loading/ask-before-unload.ts';
import { showFailure, showNotice } from '../parts/notices.tsx';
import type { Undo } from '../parts/undo.ts';
import { type BulkKind, bulkKinds, doneText, workTexts as texts } from '../texts/bulk.ts';
import {
  type BulkContext,
  type Changed,
  changeAnimal,
  type Outcome,
  type Refused,
  revertAnimal,
  type Target,
  toRefusal,
} from './bulk-change.ts';
import { draftOf, isSameDraft } from './members.ts';

/** An animal that was not changed, with the reason. */
interface Refusal {
  readonly pet: Pet;
  readonly reason: string;
}

/** A change of many animals or its Undo. */
export interface BulkWork {
  readonly state: 'running' | 'stopping' | 'done';
  readonly title: string;
  readonly doneCount: number;
  readonly totalCount: number;
  /** The server does not answer, and requests are retried. */
  readonly isWaiting: boolean;
  readonly refusals: readonly Refusal[];
}

// A change continues while other screens are shown. Its state is therefore kept outside the screens.

/** Undefined without a change, and after one that left nothing to show. */
export const bulkWork = signal<BulkWork | undefined>(undefined);

/** After a change: the animals that were not changed, as they are now. The list selects them. */
export const unchangedAnimals = signal<readonly Pet[] | undefined>(undefined);

export function takeUnchangedAnimals(): readonly Pet[] | undefined {
  const unchanged = unchangedAnimals.peek();
  unchangedAnimals.value = undefined;
  return unchanged;
}

export const isChangingMany = computed(() => (bulkWork.value?.state ?? 'done') !== 'done');

askBeforeUnload(isChangingMany);

/** This many animals are changed at once, because a browser has six connections to a server, and one is for events. */
const parallelCount = 5;

/** `stop` ends the work after the requests that run, `end` at once. */
let ends = { stop: new AbortController(), end: new AbortController() };

/** Ends with the run that was started last. */
let lastRun: Promise<void> = Promise.resolve();

/** One run at a time: another one begins when those before it have ended. */
function startRun<Item>(run: Run<Item>): void {
  lastRun = lastRun.then(() => {
    // Another session or workspace can be shown by then.
    if (run.sessionApi === currentApi()) return runBulk(run);
  });
}

export function stopBulk(): void {
  const work = bulkWork.peek();
  if (work?.state !== 'running') return;
  ends.stop.abort();
  bulkWork.value = { ...work, state: 'stopping' };
}

/** Ends the change, because another session or workspace is shown. */
export function endBulk(): void {
  ends.stop.abort();
  ends.end.abort();
  dismissBulk();
}

/** Forgets the result. */
export function dismissBulk(): void {
  bulkWork.value = undefined;
  unchangedAnimals.value = undefined;
}

export function changeMany(pets: readonly Pet[], kind: BulkKind, target: Target): void {
  const sessionApi = currentApi();
  startRun({
    sessionApi,
    items: pets,
    kind,
    keyPrefix: `bulk-${randomHex()}`,
    petOf: (pet) => pet,
    act: (context, pet) => changeAnimal(context, pet, target),
    undoOf: (changed) => createUndo(sessionApi, changed.filter(isChanged)),
    selectsRemaining: true,
  });
}

/** Takes the changes of many animals back, in a run that can be stopped. The same keys continue an Undo that was stopped. */
function createUndo(
  sessionApi: Api,
  changed: readonly Changed[],
  keyPrefix = `undo-${randomHex()}`,
): Undo | undefined {
  if (changed.length === 0) return undefined;
  const isOfDeletions = changed.some(({ after }) => after === undefined);
  return {
    sessionApi,
    async act() {
      const before = lastRun;
      startRun({
        sessionApi,
        items: changed,
        kind: isOfDeletions ? bulkKinds.undoDelete : bulkKinds.undo,
        keyPrefix,
        petOf: ({ before, after }) => after ?? before,
        act: revertAnimal,
        undoOf: (_done, remaining) => createUndo(sessionApi, remaining, keyPrefix),
        selectsRemaining: false,
      });
      await before;
      return undefined;
    },
  };
}

/** An animal can have had the wanted values before. */
function isChanged({ before, after }: Changed): boolean {
  return (
    after === undefined || after.id !== before.id || !isSameDraft(draftOf(before), draftOf(after))
  );
}

interface Run<Item> {
  readonly sessionApi: Api;
  readonly items: readonly Item[];
  readonly kind: BulkKind;
  readonly keyPrefix: string;
  readonly petOf: (item: Item) => Pet;
  /** Undefined if the run was stopped before the request was sent. */
  readonly act: (context: BulkContext, item: Item) => Promise<Outcome | undefined>;
  readonly undoOf: (changed: readonly Changed[], remaining: readonly Item[]) => Undo | undefined;
  readonly selectsRemaining: boolean;
}

/** What became of the animals until now. */
interface Results<Item> {
  readonly changed: Changed[];
  readonly refusals: (Refusal & { readonly now: Pet | undefined })[];
  readonly handled: Set<Item>;
  /** For the lists, with the next progress. */
  readonly announcements: Change[];
  /** Why the run ended early. */
  fault: string | undefined;
}

async function runBulk<Item>(run: Run<Item>): Promise<void> {
  const own = { stop: new AbortController(), end: new AbortController() };
  ends = own;
  const stop = own.stop.signal;
  const { signal } = own.end;
  const results: Results<Item> = {
    changed: [],
    refusals: [],
    handled: new Set(),
    announcements: [],
    fault: undefined,
  };
  const report = createReport((isWaiting) => {
    if (!signal.aborted) showProgress(run, results, isWaiting);
  });
  const { sessionApi, keyPrefix } = run;
  const retry = createRetry({ stop, signal, sessionApi, onWaiting: () => report(true) });
  const context = { sessionApi, retry, signal, stop, keyPrefix };
  report(false, true);
  await inParallel(
    run.items,
    parallelCount,
    async (item) => {
      await actOn(context, run, results, item);
      if (results.fault !== undefined) own.stop.abort();
      report(false);
    },
    stop,
  );
  report(false, true);
  if (!signal.aborted) showResults(run, results);
}

async function actOn<Item>(
  context: BulkContext,
  run: Run<Item>,
  results: Results<Item>,
  item: Item,
): Promise<void> {
  const pet = run.petOf(item);
  const { changed, handled } = results;
  try {
    const outcome = await run.act(context, item);
    if (outcome === undefined) return;
    handled.add(item);
    if ('refusal' in outcome) refuse(pet, outcome, results);
    else {
      changed.push(outcome);
      announceLater(pet, outcome.after, results);
    }
  } catch (error) {
    const { httpStatus } = isAnimalStoreError(error) ? error : {};
    // Without a session or its permission, no further animal can be changed.
    if (httpStatus === 401 || httpStatus === 403) {
      results.fault = messageOf(error);
      return;
    }
    // After Stop, an animal without an answer can be changed or undone again, with the same key.
    if (isAnimalStoreError(error)) handled.add(item);
    refuse(pet, toRefusal(error, pet), results);
  }
}

function refuse(pet: Pet, { refusal, now }: Refused, results: Results<unknown>): void {
  results.refusals.push({ pet, reason: refusal, now });
  if (now !== pet) announceLater(pet, now, results);
}

function announceLater(
  pet: Pet,
  after: Pet | undefined,
  { announcements }: Results<unknown>,
): void {
  if (after === undefined) announcements.push({ type: 'pet.deleted', data: pet });
  // The lists are read again for animals that were added again.
  else if (after.id === pet.id) announcements.push({ type: 'pet.updated', data: after });
}

function showProgress<Item>(
  { kind, items }: Run<Item>,
  { changed, refusals, announcements }: Results<Item>,
  isWaiting: boolean,
): void {
  for (const change of announcements.splice(0)) announceOwnChange(change);
  const state = bulkWork.peek()?.state === 'stopping' ? 'stopping' : 'running';
  const doneCount = changed.length + refusals.length;
  const totalCount = items.length;
  const title = kind.running(totalCount);
  bulkWork.value = { state, title, doneCount, totalCount, isWaiting, refusals: [] };
}

function showResults<Item>(run: Run<Item>, results: Results<Item>): void {
  const { changed, refusals, handled, fault } = results;
  const { items, kind, petOf, undoOf, selectsRemaining } = run;
  const remaining = items.filter((item) => !handled.has(item));
  const unreachedCount = items.length - changed.length - refusals.length;
  const changedCount = changed.filter(isChanged).length;
  const done = doneText(kind, changedCount, changed.length - changedCount);
  const isStopped = unreachedCount > 0 && fault === undefined;
  const text = isStopped ? `${done} ${texts.notDone(unreachedCount)}` : done;
  if (changed.length > 0 || isStopped) showNotice(text, undoOf(changed, remaining));
  if (fault !== undefined) {
    showFailure(`${done} ${texts.notDoneBecause(unreachedCount, fault)}`);
  }
  bulkWork.value =
    refusals.length === 0
      ? undefined
      : {
          state: 'done',
          title: texts.refused(refusals.length),
          doneCount: changed.length,
          totalCount: items.length,
          isWaiting: false,
          refusals,
        };
  if (selectsRemaining) {
    const refused = new Set(refusals.map(({ pet }) => pet));
    const unreached = remaining.map(petOf).filter((pet) => !refused.has(pet));
    unchangedAnimals.value = [...refusals.flatMap(({ now }) => now ?? []), ...unreached];
  }
  if (changed.some(({ before, after }) => after !== undefined && after.id !== before.id)) {
    announce('reset');
  }
}
