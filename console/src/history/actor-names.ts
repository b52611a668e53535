import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { callConsole, session } from '../api/session.ts';
import type { KeyPage } from '../contract.ts';
import { actorTexts } from '../texts/changes.ts';

/** The names of keys by actor. Only an owner can read them all. */
const keyNames = signal<ReadonlyMap<string, string>>(new Map());

/** The session that has read them. */
let readBy: string | undefined;

/** More keys are shown by their numbers. */
const pagesMax = 5;

async function readKeyNames(): Promise<void> {
  let before: number | undefined;
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const page: KeyPage = await callConsole('listKeys', { query: { before } });
    const named = page.keys.map(({ id, name }) => [`key:${id}`, name] as const);
    keyNames.value = new Map([...keyNames.peek(), ...named]);
    if (page.nextBefore === null) return;
    before = page.nextBefore;
  }
}

/** Reads the names of keys. Without them, keys have their numbers. */
export function useActorNames(): void {
  useEffect(() => {
    const { id, workspace, kind, apiKeyId, apiKeyName } = session.peek() ?? {};
    const reader = `${id} ${workspace}`;
    if (readBy !== reader) keyNames.value = new Map();
    readBy = reader;
    if (kind === 'owner') void readKeyNames().catch(() => {});
    else if (apiKeyName) keyNames.value = new Map([[`key:${apiKeyId}`, apiKeyName]]);
  }, []);
}

/** The cause of a change in words. */
export function describeActor(actor: string): string {
  const name = keyNames.value.get(actor);
  if (name !== undefined) return actorTexts.keyNamed(name);
  if (actor === 'owner') return actorTexts.owner;
  if (actor === 'system') return actorTexts.system;
  if (actor === 'key:0') return actorTexts.firstKey;
  const [kind, id] = actor.split(':');
  return kind === 'key' && id !== undefined ? actorTexts.key(id) : actor;
}
