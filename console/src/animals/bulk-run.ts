import { batch, computed, signal } from '@preact/signals';
import type { Pet } from '../../../client/src/contract.ts';
import { randomHex } from '../../../client/src/json.ts';
import { announce, announceOwnChange } from '../api/announce.ts';
import { createReport } from '../api/send-rows.ts';
import { messageOf, type Service } from '../api/service.ts';
import { currentService } from '../api/session.ts';
import { askBeforeUnload } from '../loading/ask-before-unload.ts';
import { showError, showFailure, showNotice } from '../parts/notices.tsx';
import type { Undo } from '../parts/undo.ts';
import { type BulkKind, bulkKinds, doneText, workTexts as texts } from '../texts/bulk.ts';
import {
  type BulkPlan,
  type Changed,
  createTurns,
  type Outcome,
  planChange,
  planRevert,
  runPlan,
  type Target,
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

/** `stop` ends the work after the request that runs, `end` at once. */
let ends = { stop: new AbortController(), end: new AbortController() };

const takeTurn = createTurns((error) => {
  dismissBulk();
  showError(error);
});

/** One run at a time. Returns when it begins. */
function startRun<Item>(run: Run<Item>): Promise<void> {
  return takeTurn(() => {
    // Another session or workspace can be shown by then.
    return run.service.api === currentService().api ? runBulk(run) : undefined;
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
  const service = currentService();
  void startRun({
    service,
    kind,
    plan: planChange(pets, target, `bulk-${randomHex()}`),
    undoOf: (changed) => createUndo(service, changed.filter(isChanged)),
    selectsRemaining: true,
  });
}

/** Takes the changes of many animals back, in a run that can be stopped. The same keys continue an Undo that was stopped. */
function createUndo(
  service: Service,
  changed: readonly Changed[],
  keyPrefix = `undo-${randomHex()}`,
): Undo | undefined {
  if (changed.length === 0) return undefined;
  const isOfDeletions = changed.some(({ after }) => after === undefined);
  return async () => {
    await startRun({
      service,
      kind: isOfDeletions ? bulkKinds.undoDelete : bulkKinds.undo,
      plan: planRevert(changed, keyPrefix),
      undoOf: (_done, remaining) => createUndo(service, remaining, keyPrefix),
      selectsRemaining: false,
    });
    return undefined;
  };
}

/** An animal can have had the wanted values before. */
function isChanged({ before, after }: Changed): boolean {
  return (
    after === undefined || after.id !== before.id || !isSameDraft(draftOf(before), draftOf(after))
  );
}

interface Run<Item> {
  readonly service: Service;
  readonly kind: BulkKind;
  readonly plan: BulkPlan<Item>;
  readonly undoOf: (changed: readonly Changed[], remaining: readonly Item[]) => Undo | undefined;
  readonly selectsRemaining: boolean;
}

/** What became of the animals until now. */
interface Results<Item> {
  readonly changed: Changed[];
  readonly refusals: (Refusal & { readonly now: Pet | undefined })[];
  readonly handled: Set<Item>;
}

async function runBulk<Item>(run: Run<Item>): Promise<void> {
  const own = { stop: new AbortController(), end: new AbortController() };
  ends = own;
  const stop = own.stop.signal;
  const { signal } = own.end;
  const { service, plan } = run;
  const results: Results<Item> = { changed: [], refusals: [], handled: new Set() };
  const report = createReport((isWaiting) => {
    if (!signal.aborted) showProgress(run, results, isWaiting);
  });
  report(false, true);
  const { unanswered, error } = await runPlan(plan, {
    stop,
    signal,
    changePets: (rows, options) => service.callConsole('changePets', { body: { rows } }, options),
    onWaiting: () => report(true),
    onOutcomes(outcomes) {
      if (signal.aborted) return;
      for (const [item, outcome] of outcomes) note(plan.petOf(item), item, outcome, results);
      announceOutcomes(outcomes.map(([item, outcome]) => [plan.petOf(item), outcome]));
      report(false);
    },
  });
  // They can be changed or undone again, with the same key.
  for (const item of unanswered) {
    const pet = plan.petOf(item);
    results.refusals.push({ pet, reason: texts.unanswered, now: pet });
  }
  report(false, true);
  if (signal.aborted) return;
  showResults(run, results, error && messageOf(error));
  // Lists are read again for animals that were added again.
  if (results.changed.some(({ before, after }) => (after ?? before).id !== before.id)) {
    announce('reset');
  }
}

function note<Item>(pet: Pet, item: Item, outcome: Outcome, results: Results<Item>): void {
  results.handled.add(item);
  if ('refusal' in outcome) {
    results.refusals.push({ pet, reason: outcome.refusal, now: outcome.now });
  } else results.changed.push(outcome);
}

/** Tells the lists what became of animals. */
function announceOutcomes(outcomes: readonly (readonly [Pet, Outcome])[]): void {
  batch(() => {
    for (const [pet, outcome] of outcomes) {
      const now = 'refusal' in outcome ? outcome.now : outcome.after;
      if (now === undefined) announceOwnChange({ type: 'pet.deleted', data: pet });
      else if (now.id === pet.id && now !== pet) {
        announceOwnChange({ type: 'pet.updated', data: now });
      }
    }
  });
}

function showProgress<Item>(
  { kind, plan }: Run<Item>,
  { changed, refusals }: Results<Item>,
  isWaiting: boolean,
): void {
  const state = bulkWork.peek()?.state === 'stopping' ? 'stopping' : 'running';
  const doneCount = changed.length + refusals.length;
  const totalCount = plan.items.length;
  const title = kind.running(totalCount);
  bulkWork.value = { state, title, doneCount, totalCount, isWaiting, refusals: [] };
}

function showResults<Item>(
  { kind, plan: { items, petOf }, undoOf, selectsRemaining }: Run<Item>,
  { changed, refusals, handled }: Results<Item>,
  fault: string | undefined,
): void {
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
}
