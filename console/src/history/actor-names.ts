import { cached } from '../api/cache.ts';
import { callConsole, session } from '../api/session.ts';
import { useQuery } from '../api/use-query.ts';
import type { KeyPage } from '../contract.ts';
import { actorTexts } from '../texts/changes.ts';

const key = ['key-names'];

/** More keys are shown by their numbers. */
const pagesMax = 5;

/** The names of keys by actor. Only an owner can read them all. */
async function readKeyNames(): Promise<ReadonlyMap<string, string>> {
  const { kind, apiKeyId, apiKeyName } = session.peek() ?? {};
  if (kind !== 'owner') return new Map(apiKeyName ? [[`key:${apiKeyId}`, apiKeyName]] : []);
  const names = new Map<string, string>();
  let before: number | undefined;
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const page: KeyPage = await callConsole('listKeys', { query: { before } });
    for (const { id, name } of page.keys) names.set(`key:${id}`, name);
    if (page.nextBefore === null) break;
    before = page.nextBefore;
  }
  return names;
}

/** Reads the names of keys. Without them, keys have their numbers. */
export function useActorNames(): void {
  useQuery({ key, read: readKeyNames });
}

/** The cause of a change in words. */
export function describeActor(actor: string): string {
  const name = cached<ReadonlyMap<string, string>>(key)?.get(actor);
  if (name !== undefined) return actorTexts.keyNamed(name);
  if (actor === 'owner') return actorTexts.owner;
  if (actor === 'system') return actorTexts.system;
  if (actor === 'key:0') return actorTexts.firstKey;
  const [kind, id] = actor.split(':');
  return kind === 'key' && id !== undefined ? actorTexts.key(id) : actor;
}
