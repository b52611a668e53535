import { ownerOf, session, sessionState } from '../api/session.ts';
import { common } from '../texts/common.ts';
import { isWorking, stopAsking } from './ask-before-unload.ts';
import { mayReload } from './reload-limit.ts';
import { storeParts } from './store-parts.ts';

/** What a page shows beside its address, and to whom it belongs. */
interface KeptPage {
  readonly owner: string;
  readonly parts: ReadonlyMap<string, unknown>;
}

const keepers = new Map<string, () => unknown>();

// The entry of the history has the clones, also of bigints. It belongs to one tab, and ends with it.
let kept: KeptPage | undefined = history.state?.keptPage;
if (kept !== undefined) history.replaceState(null, '');

/** Whether the page has loaded itself again, and not yet said so. */
export function takeReloaded(): boolean {
  return kept !== undefined && takeKept('reloaded') === true;
}

/** Adds a part of the page that a reload by the page itself keeps. Undefined is not kept. Returns what ends this. */
export function keepAtReload(name: string, read: () => unknown): () => void {
  keepers.set(name, read);
  return () => {
    if (keepers.get(name) === read) keepers.delete(name);
  };
}

/** Takes what a part kept under this name, if it belongs to the user and the workspace of this page. */
export function takeKept<Value>(name: string): Value | undefined {
  const current = session.peek();
  if (kept === undefined || current === undefined) return undefined;
  if (kept.owner !== ownerOf(current)) kept = { owner: '', parts: new Map() };
  const value = kept.parts.get(name);
  kept = { ...kept, parts: new Map([...kept.parts].filter(([other]) => other !== name)) };
  // Each name has one type. Parts check what another version may have kept.
  return value as Value | undefined;
}

/**
 * Loads the page again, because its server has another version and so other scripts. Throws if this would lose something, does not
 * help, or happened a moment ago.
 */
export async function reloadPage(cause: unknown): Promise<never> {
  const isHelpful = sessionState.peek().is === 'signed-in' && !isWorking() && (await isServed());
  if (!isHelpful || !mayReload()) throw new Error(common.notLoaded, { cause });
  keepPage();
  stopAsking();
  location.reload();
  // Nothing shows a fault before the page is gone.
  return new Promise(() => {});
}

/** Without a network, a reload would replace the page by a message of the browser. */
async function isServed(): Promise<boolean> {
  // Not by `AbortSignal.timeout`, which Safari 15 lacks.
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), 5000);
  try {
    return (await fetch(location.pathname, { cache: 'no-store', signal: late.signal })).ok;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

function keepPage(): void {
  const current = session.peek();
  if (current === undefined) return;
  const owner = ownerOf(current);
  const parts = new Map<string, unknown>([['reloaded', true]]);
  for (const [name, read] of keepers) {
    const value = read();
    if (value !== undefined) parts.set(name, value);
  }
  storeParts(parts, (stored) => {
    const keptPage: KeptPage = { owner, parts: stored };
    history.replaceState({ keptPage }, '');
  });
}
