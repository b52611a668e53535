import fc from 'fast-check';
import { type Sequence, sequences } from './actions.ts';
import { checkWorld } from './final-check.ts';
import { perform } from './perform.ts';
import { serve } from './serve.ts';
import { type Templates, useTemplate } from './templates.ts';
import { closeWorld, createWorld, Finding, type Kind } from './world.ts';

interface Found {
  readonly kind: Kind | 'rig-failed';
  readonly text: string;
  readonly steps: readonly string[];
}

/** Runs one sequence; undefined if every promise held. */
async function runSequence(
  templates: Templates,
  { start, actions }: Sequence,
): Promise<Found | undefined> {
  const world = createWorld();
  try {
    if (start !== 'nothing')
      useTemplate(world, templates, start === 'killed' ? 'killed' : 'stopped');
    if (start === 'serving') await serve(world, 'd1/a.db');
    for (const action of actions) await perform(world, action);
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
function seedOf(seed: number, sequence: number): number {
  return Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(sequence + 1, 0x85ebca6b);
}

interface Shrunk {
  readonly found: Found;
  /** Of the shorter sequence, as fast-check names it. */
  readonly path: string;
}

interface CheckOptions {
  readonly seed: number;
  readonly sequence: number;
  readonly path?: string;
  /** Only findings of this kind count. */
  readonly kind?: Found['kind'];
  /** How long to search for shorter sequences. */
  readonly shrinkMilliseconds?: number;
}

/** Runs one sequence of a seed. With `shrinkMilliseconds`, it then searches for a shorter one with the same kind of finding. */
async function check(templates: Templates, options: CheckOptions): Promise<Shrunk | undefined> {
  const { seed, sequence, path, kind, shrinkMilliseconds } = options;
  let last: Found | undefined;
  const property = fc.asyncProperty(sequences, async (value) => {
    const found = await runSequence(templates, value);
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

interface FindingCount {
  readonly kind: Found['kind'];
  /** Repeats the first one: `SEED/SEQUENCE/PATH`. */
  readonly name: string;
  readonly first: Found;
  count: number;
}

/** Runs the sequence of a finding again. */
export async function repeat(templates: Templates, name: string): Promise<readonly FindingCount[]> {
  const [seed = 0, sequence = 0] = name.split('/').map(Number);
  const [, , path] = name.split('/');
  const shrunk = await check(templates, { seed, sequence, ...(path && { path }) });
  return shrunk ? [{ kind: shrunk.found.kind, name, first: shrunk.found, count: 1 }] : [];
}

const jobs = 2;
const shrinkMilliseconds = 60_000;

/** Runs all sequences of a seed, two at a time, and counts their findings by kind. */
export async function explore(
  templates: Templates,
  seed: number,
  sequences: number,
): Promise<readonly FindingCount[]> {
  const counts = new Map<Found['kind'], FindingCount>();
  const results = new Map<number, Shrunk | undefined>();
  let next = 0;
  let done = 0;
  let reporting = Promise.resolve();
  async function work(): Promise<void> {
    while (next < sequences) {
      const sequence = next;
      next += 1;
      results.set(sequence, await check(templates, { seed, sequence }));
      reporting = reporting.then(report);
      await reporting;
    }
  }
  // In the order of the sequences, so that the same seed always gives the same report.
  async function report(): Promise<void> {
    for (; results.has(done); done += 1) {
      const first = results.get(done);
      results.delete(done);
      if (first !== undefined) await count(done, first);
    }
  }
  async function count(sequence: number, first: Shrunk): Promise<void> {
    const { kind } = first.found;
    const known = counts.get(kind);
    if (known !== undefined) {
      known.count += 1;
      return;
    }
    const shorter = await check(templates, { seed, sequence, kind, shrinkMilliseconds });
    const { found, path } = shorter ?? first;
    counts.set(kind, { kind, name: `${seed}/${sequence}/${path}`, first: found, count: 1 });
  }
  await Promise.all(Array.from({ length: jobs }, work));
  return [...counts.values()];
}
