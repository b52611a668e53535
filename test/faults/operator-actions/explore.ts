import fc from 'fast-check';
import { missingForMemoryMounts } from '../mounts.ts';
import { type Sequence, sequences } from './actions.ts';
import { checkWorld } from './final-check.ts';
import { perform } from './perform.ts';
import type { Program } from './program.ts';
import { serve } from './serve.ts';
import { type Templates, useTemplate } from './templates.ts';
import { closeWorld, createWorld, Finding, type Kind } from './world.ts';

export interface Found {
  readonly kind: Kind | 'rig-failed';
  readonly text: string;
  readonly steps: readonly string[];
}

export interface Setting {
  readonly program: Program;
  readonly templates: Templates;
  readonly canMount: boolean;
}

export function canMountHere(): boolean {
  return missingForMemoryMounts() === undefined;
}

/** Runs one sequence; undefined if every promise held. */
export async function runSequence(
  { program, templates, canMount }: Setting,
  { start, disk, actions }: Sequence,
): Promise<Found | undefined> {
  const setsClock = actions.some((action) => action.do === 'set clock');
  const world = createWorld(program, { isSmall: canMount && disk === 'small', setsClock });
  try {
    if (start !== 'nothing')
      useTemplate(world, templates, start === 'killed' ? 'killed' : 'stopped');
    if (start === 'serving') await serve(world, 'd1/a.db');
    for (const action of actions) await perform(world, action, canMount);
    await checkWorld(world);
    return undefined;
  } catch (error) {
    const kind = error instanceof Finding ? error.kind : 'rig-failed';
    const text = error instanceof Finding ? error.message : String((error as Error).stack);
    const shorten = (line: string) => line.replaceAll(`${world.folder}/`, '');
    return { kind, text: shorten(text), steps: world.steps.map(shorten) };
  } finally {
    await closeWorld(world);
  }
}

/** A seed for each sequence, so that each can be run alone. */
export function seedOf(seed: number, sequence: number): number {
  return Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(sequence + 1, 0x85ebca6b);
}

export interface Shrunk {
  readonly found: Found;
  /** As `--path` takes it. */
  readonly path: string;
}

export interface CheckOptions {
  readonly seed: number;
  readonly sequence: number;
  readonly path?: string;
  /** Only findings of this kind count. */
  readonly kind?: Found['kind'];
  /** How long shorter sequences are looked for. */
  readonly shrinkMilliseconds?: number;
}

/** Runs the sequence of a seed and, if asked, shorter ones until none of them has a finding of its kind. */
export async function check(setting: Setting, options: CheckOptions): Promise<Shrunk | undefined> {
  const { seed, sequence, path, kind, shrinkMilliseconds } = options;
  let last: Found | undefined;
  const property = fc.asyncProperty(sequences, async (value) => {
    const found = await runSequence(setting, value);
    if (found === undefined || (kind !== undefined && found.kind !== kind)) return;
    last = found;
    throw new Error(found.kind);
  });
  const details = await fc.check(property, {
    seed: seedOf(seed, sequence),
    numRuns: 1,
    ...(path === undefined ? {} : { path }),
    endOnFailure: shrinkMilliseconds === undefined,
    ...(shrinkMilliseconds === undefined
      ? {}
      : { interruptAfterTimeLimit: shrinkMilliseconds, markInterruptAsFailure: false }),
  });
  return last === undefined ? undefined : { found: last, path: details.counterexamplePath ?? '0' };
}

export interface Counted {
  readonly kind: Found['kind'];
  readonly firstSequence: number;
  readonly firstSeconds: number;
  count: number;
  shrunk: Shrunk;
}

export interface ExploreOptions {
  readonly seed: number;
  readonly sequencesMax: number;
  readonly secondsMax?: number;
  readonly keepsGoing: boolean;
  readonly jobs: number;
  readonly shrinkMilliseconds: number;
  /** Whether to end after the sequences that run now; what they find does not count. */
  readonly isStopped?: () => boolean;
  readonly onFound?: (counted: Counted) => void;
  readonly onDone?: (sequences: number) => void;
}

export interface Explored {
  readonly sequences: number;
  readonly counted: readonly Counted[];
}

/** Runs one sequence after the other, several at once, and counts what they find by kind. */
export async function explore(setting: Setting, options: ExploreOptions): Promise<Explored> {
  const { seed, sequencesMax, secondsMax = Infinity, keepsGoing, jobs } = options;
  const { isStopped = () => false } = options;
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  const byKind = new Map<Found['kind'], Counted>();
  const results = new Map<number, Shrunk | undefined>();
  let next = 0;
  let done = 0;
  let isOver = false;
  let reporting = Promise.resolve();
  async function work(): Promise<void> {
    while (!isOver && !isStopped() && next < sequencesMax && seconds() < secondsMax) {
      const sequence = next;
      next += 1;
      const first = await check(setting, { seed, sequence });
      if (isStopped()) return;
      results.set(sequence, first);
      reporting = reporting.then(report);
      await reporting;
    }
  }
  // In the order of the sequences, so that the same seed gives the same report however many run at once.
  async function report(): Promise<void> {
    while (!isOver && results.has(done)) {
      const first = results.get(done);
      results.delete(done);
      if (first !== undefined) await count(done, first);
      done += 1;
      options.onDone?.(done);
    }
  }
  async function count(sequence: number, first: Shrunk): Promise<void> {
    const { kind } = first.found;
    const known = byKind.get(kind);
    if (known !== undefined) {
      known.count += 1;
      return;
    }
    const counted = {
      kind,
      firstSequence: sequence,
      firstSeconds: seconds(),
      count: 1,
      shrunk: first,
    };
    byKind.set(kind, counted);
    if (!keepsGoing) isOver = true;
    const { shrinkMilliseconds } = options;
    const shorter = await check(setting, { seed, sequence, kind, shrinkMilliseconds });
    // The signal that stops this process may have ended a command first, and made the finding.
    if (isStopped()) {
      byKind.delete(kind);
      return;
    }
    counted.shrunk = shorter ?? first;
    options.onFound?.(counted);
  }
  await Promise.all(Array.from({ length: jobs }, work));
  return { sequences: done, counted: [...byKind.values()] };
}
