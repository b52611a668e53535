import type { Load } from './load.ts';

/** An animal as it was found when all was over. */
export interface StoredAnimal {
  readonly id: number;
  readonly name: string;
}

/** What clients were told, over one load or many. */
export type Told = Pick<Load, 'acknowledged' | 'unknown' | 'refused'>;

/**
 * Compares what clients were told with what is stored: all that was acknowledged is there under its id, nothing that was
 * refused, nothing twice, and nothing that nobody asked for. Returns what is wrong, a line each.
 */
export function compareAnswers(told: readonly Told[], stored: readonly StoredAnimal[]): string[] {
  const idsByName = new Map<string, number[]>();
  for (const { id, name } of stored) idsByName.set(name, [...(idsByName.get(name) ?? []), id]);
  const known = new Set<string>();
  let lost = 0;
  let intruders = 0;
  for (const { acknowledged, unknown, refused } of told) {
    for (const [name, id] of acknowledged) {
      known.add(name);
      if (!idsByName.get(name)?.includes(id)) lost += 1;
    }
    for (const name of unknown) known.add(name);
    for (const name of refused) if (idsByName.has(name)) intruders += 1;
  }
  const twice = [...idsByName.values()].filter((ids) => ids.length > 1).length;
  const strangers = [...idsByName.keys()].filter((name) => !known.has(name)).length;
  const reused = stored.length - new Set(stored.map(({ id }) => id)).size;
  return [
    lost > 0 && `${lost} acknowledged animals are lost`,
    twice > 0 && `${twice} animals are stored twice`,
    intruders > 0 && `${intruders} animals are stored that were refused`,
    strangers > intruders && `${strangers - intruders} animals are stored that nobody added`,
    reused > 0 && `${reused} ids were given out twice`,
  ].filter((line) => line !== false);
}

/** How many were acknowledged. */
export function countAcknowledged(told: readonly Told[]): number {
  return told.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0);
}

export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`;
}
