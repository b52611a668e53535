import { linesOf } from './figures.ts';
import type { AddedAnimal, Answer } from './requests.ts';

/** An animal as it is stored at the end of a test. */
export interface StoredAnimal {
  readonly id: number;
  /** Null if an event exists without its animal. */
  readonly name: string | null;
  /** The number of `pet.created` events. */
  readonly events: number;
}

/** Reads them from the tables of SQLite or PostgreSQL. */
export function storedAnimalsQuery(engine: 'sqlite' | 'postgres'): string {
  const [schema, petId] =
    engine === 'sqlite'
      ? ['', "json_extract(json, '$.data.id')"]
      : ['animal_store.', "(json::json -> 'data' ->> 'id')::bigint"];
  // Sorted once instead of joined, because there may be millions.
  return `
    SELECT CAST(id AS int) AS id, max(name) AS name, CAST(sum(is_event) AS int) AS events FROM (
      SELECT id, name, 0 AS is_event FROM ${schema}pets
      UNION ALL SELECT ${petId}, NULL, 1 FROM ${schema}events WHERE type = 'pet.created'
    ) AS stored
    GROUP BY stored.id ORDER BY stored.id`;
}

/** The answers that clients got to the animals they added, by name. */
export interface ClientAnswers {
  /** Name and id of each animal that got 201. */
  readonly acknowledged: ReadonlyMap<string, number>;
  /** Animals that may be stored: they got 503 `outcome_unknown`, or no answer. */
  readonly unknown: ReadonlySet<string>;
  /** Animals that must not be stored. */
  readonly refused: ReadonlySet<string>;
}

export interface AnswerLog extends ClientAnswers {
  readonly acknowledged: Map<string, number>;
  readonly unknown: Set<string>;
  readonly refused: Set<string>;
  add(name: string, answer: Pick<Answer<AddedAnimal>, 'httpStatus' | 'body'>): void;
}

export function createAnswerLog(): AnswerLog {
  const acknowledged = new Map<string, number>();
  const unknown = new Set<string>();
  const refused = new Set<string>();
  return {
    acknowledged,
    unknown,
    refused,
    add(name, { httpStatus, body }) {
      if (httpStatus === 201) acknowledged.set(name, body?.id ?? 0);
      else if (httpStatus === 0 || body?.code === 'outcome_unknown') unknown.add(name);
      else refused.add(name);
    },
  };
}

/**
 * Compares the answers with the stored animals. Each acknowledged animal must be stored under its id, once, with one
 * event. No refused animal and no animal that no client sent may be stored. Returns a line for each difference.
 */
export function compareAnswers(
  answers: readonly ClientAnswers[],
  stored: readonly StoredAnimal[],
): string[] {
  const idsByName = new Map<string, number[]>();
  const withOtherEvents = new Set<number>();
  for (const { id, name, events } of stored) {
    if (name === null) continue;
    idsByName.set(name, [...(idsByName.get(name) ?? []), id]);
    if (events !== 1) withOtherEvents.add(id);
  }
  const known = new Set<string>();
  let lost = 0;
  let withoutEvent = 0;
  let intruders = 0;
  for (const { acknowledged, unknown, refused } of answers) {
    for (const [name, id] of acknowledged) {
      known.add(name);
      if (!idsByName.get(name)?.includes(id)) lost += 1;
      if (withOtherEvents.has(id)) withoutEvent += 1;
    }
    for (const name of unknown) known.add(name);
    for (const name of refused) if (idsByName.has(name)) intruders += 1;
  }
  const twice = [...idsByName.values()].filter((ids) => ids.length > 1).length;
  const strangers = [...idsByName.keys()].filter((name) => !known.has(name)).length;
  const withoutAnimal = stored.filter(({ name }) => name === null).length;
  const reused = stored.length - new Set(stored.map(({ id }) => id)).size;
  return linesOf(
    lost > 0 && `${lost} acknowledged animals are lost`,
    twice > 0 && `${twice} animals are stored twice`,
    intruders > 0 && `${intruders} refused animals are stored`,
    strangers > intruders && `${strangers - intruders} stored animals were sent by no client`,
    withoutEvent > 0 && `${withoutEvent} acknowledged animals do not have exactly one event`,
    withoutAnimal > 0 && `${withoutAnimal} events have no animal`,
    reused > 0 && `${reused} ids were assigned twice`,
  );
}
