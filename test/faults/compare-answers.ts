import type { Load } from './load.ts';

/** An animal as it was found when all was over, and how many events say that it was added. */
export interface StoredAnimal {
  readonly id: number;
  /** Null where there is an event, and no animal. */
  readonly name: string | null;
  readonly events: number;
}

/** Reads them from the tables of SQLite or PostgreSQL. */
export function storedAnimalsQuery(engine: 'sqlite' | 'postgres'): string {
  const [schema, petId] =
    engine === 'sqlite'
      ? ['', "json_extract(json, '$.data.id')"]
      : ['animal_store.', "(json::json -> 'data' ->> 'id')::bigint"];
  // Sorted once, and not joined: there may be millions.
  return `
    SELECT CAST(id AS int) AS id, max(name) AS name, CAST(sum(told) AS int) AS events FROM (
      SELECT id, name, 0 AS told FROM ${schema}pets
      UNION ALL SELECT ${petId}, NULL, 1 FROM ${schema}events WHERE type = 'pet.created'
    ) AS stored
    GROUP BY stored.id ORDER BY stored.id`;
}

/** What clients were told, over one load or many. */
export type Told = Pick<Load, 'acknowledged' | 'unknown' | 'refused'>;

/**
 * Compares what clients were told with what is stored: all that was acknowledged is there under its id, nothing that was
 * refused, nothing twice, and nothing that nobody asked for; and one event tells of each. Returns what is wrong, a line each.
 */
export function compareAnswers(told: readonly Told[], stored: readonly StoredAnimal[]): string[] {
  const idsByName = new Map<string, number[]>();
  const untold = new Set<number>();
  for (const { id, name, events } of stored) {
    if (name === null) continue;
    idsByName.set(name, [...(idsByName.get(name) ?? []), id]);
    if (events !== 1) untold.add(id);
  }
  const known = new Set<string>();
  let lost = 0;
  let withoutEvent = 0;
  let intruders = 0;
  for (const { acknowledged, unknown, refused } of told) {
    for (const [name, id] of acknowledged) {
      known.add(name);
      if (!idsByName.get(name)?.includes(id)) lost += 1;
      if (untold.has(id)) withoutEvent += 1;
    }
    for (const name of unknown) known.add(name);
    for (const name of refused) if (idsByName.has(name)) intruders += 1;
  }
  const twice = [...idsByName.values()].filter((ids) => ids.length > 1).length;
  const strangers = [...idsByName.keys()].filter((name) => !known.has(name)).length;
  const withoutAnimal = stored.filter(({ name }) => name === null).length;
  const reused = stored.length - new Set(stored.map(({ id }) => id)).size;
  return [
    lost > 0 && `${lost} acknowledged animals are lost`,
    twice > 0 && `${twice} animals are stored twice`,
    intruders > 0 && `${intruders} animals are stored that were refused`,
    strangers > intruders && `${strangers - intruders} animals are stored that nobody added`,
    withoutEvent > 0 && `${withoutEvent} acknowledged animals have not exactly one event`,
    withoutAnimal > 0 && `${withoutAnimal} events tell of no animal that is there`,
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
