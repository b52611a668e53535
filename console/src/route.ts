// The address of a tab. Its path names the workspace. The part behind the `#` is a screen with its filters, the page of a record, or
// the token of a link: no server and no log sees it. Another path is another page, so a page shows one workspace until it is left.

import { computed, signal } from '@preact/signals';
import { defaultWorkspaceName } from '../../src/domain/access/workspace.ts';
import { parseInt64 } from '../../src/domain/values/int64.ts';
import { readPath, writePath } from './workspace-path.ts';

/** The screens of the daily work, with a link in the header. */
export const navigationScreens = ['animals', 'orders', 'categories', 'history'] as const;
/** Those in the menu of settings. */
export const settingsScreens = ['webhooks', 'keys', 'sessions'] as const;
const screens = [...navigationScreens, ...settingsScreens, 'import'] as const;
export type Screen = (typeof screens)[number];

/** Former names in stored addresses. */
const renamed: Readonly<Record<string, Screen>> = { events: 'history' };

/** Without the rest, such as the full stop of a sentence. The service refuses a link that lacks its end. */
const linkForm = /^#link=([A-Za-z0-9_-]*)/;

const { root, workspace } = readPath(location.pathname);

/** Begins the paths of the service. It ends with a slash. */
export const rootPath = root;

export const consolePath = writePath(root, undefined);

export function pathOfWorkspace(name: string): string {
  return writePath(root, encodeURIComponent(name));
}

/** The workspace that the address names. */
let named = workspace;
/** Whether the page shows it: there may be none of this name. */
let isShown = false;

const lastUsedKey = `animal-store workspace ${consolePath}`;

function storeLastUsed(): void {
  if (named === undefined || !isShown) return;
  try {
    localStorage.setItem(lastUsedKey, named);
  } catch {
    // A browser that stores nothing opens the default workspace.
  }
}
// With several tabs, the last one that had the focus.
addEventListener('focus', storeLastUsed);

function readLastUsed(): string | null {
  try {
    return localStorage.getItem(lastUsedKey);
  } catch {
    // As for a first visit.
    return null;
  }
}

/** The workspace that the address names, and else the one that this browser showed last. */
export function wantedWorkspace(): { readonly name: string; readonly isNamed: boolean } {
  return { name: named ?? readLastUsed() ?? defaultWorkspaceName, isNamed: named !== undefined };
}

/** Names the workspace in the address, which may be an old one without it. */
export function nameWorkspace(name: string): void {
  named = name;
  isShown = true;
  storeLastUsed();
  writeAddress();
}

const hash = signal(linkForm.test(location.hash) ? '' : location.hash);
/** While the page is locked, the address does not show the route, and cannot change it. */
let isHidden = false;
/** Returns true if the page must stay, such as for a question about unsaved input. */
let keepsRoute: (() => boolean) | undefined;
addEventListener('hashchange', () => {
  // A link does not change the route: the user may decide to stay there.
  if (linkForm.test(location.hash)) return;
  if (isHidden) writeAddress();
  else if (location.hash !== hash.peek() && keepsRoute?.() === true) {
    // The browser has left it already. Now Back leads to the same page as before.
    history.pushState(null, '', addressWith(hash.peek()));
  } else hash.value = location.hash;
});
addEventListener('popstate', () => {
  if (isHidden && !linkForm.test(location.hash)) writeAddress();
});

function writeAddress(): void {
  history.replaceState(null, '', addressWith(isHidden ? '' : hash.peek()));
}

function addressWith(route: string): string {
  return writePath(root, named) + location.search + route;
}

/** Runs before Back or another address leaves the route, which stays if `keep` returns true. */
export function guardRoute(keep: () => boolean): () => void {
  keepsRoute = keep;
  return () => {
    if (keepsRoute === keep) keepsRoute = undefined;
  };
}

/** Takes the route, such as a search, out of the address. The page keeps it. */
export function hideRoute(): void {
  isHidden = true;
  writeAddress();
}

export function showRoute(): void {
  isHidden = false;
  writeAddress();
}

/** Goes to the first screen, and forgets the search. */
export function forgetRoute(): void {
  hash.value = '';
  showRoute();
}

/** The next user of this browser may have another workspace. */
export function forgetWorkspace(): void {
  named = undefined;
  isShown = false;
  forgetRoute();
}

/** The screen of the page and its filters. `#animals/5` is the page of one record. */
export const route = computed(() => {
  const [path = '', search = ''] = hash.value.slice(1).split('?');
  const [name = '', record] = path.split('/');
  return {
    screen: screens.find((screen) => screen === name) ?? renamed[name] ?? screens[0],
    query: new URLSearchParams(search),
    /** As it was typed: it may be no number. */
    record,
    recordId: record === undefined ? undefined : parseInt64(record),
  };
});

/** The filters of lists that lead to animals. They stay while the page of an animal is shown. */
export const listQueries = {
  animals: createListQuery('animals'),
  orders: createListQuery('orders'),
  history: createListQuery('history'),
};

function createListQuery(list: Screen) {
  let filters = new URLSearchParams();
  return computed(() => {
    const { screen, record, query } = route.value;
    if (screen === list && record === undefined) filters = query;
    return filters;
  });
}

export type Query = Readonly<Record<string, string | undefined>>;

/** The address of a screen, or of the page of one of its records, for a link. */
export function addressOf(screen: Screen, query: Query = {}, recordId?: bigint): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') parameters.set(name, value);
  }
  const text = parameters.toString();
  const path = recordId === undefined ? screen : `${screen}/${recordId}`;
  return `#${path}${text === '' ? '' : `?${text}`}`;
}

/** Goes to a screen. A typed text replaces the route, so that Back does not lead through every letter. */
export function go(
  screen: Screen,
  query: Query = {},
  how: 'pushState' | 'replaceState' = 'pushState',
  recordId?: bigint,
): void {
  const address = addressOf(screen, query, recordId);
  // A search that was typed just before the page was locked arrives here late.
  if (!isHidden) history[how](null, '', address);
  hash.value = address;
}

/** Takes the token of a link out of the address, before anything else sees it. */
export function takeLinkToken(): string | undefined {
  const token = linkForm.exec(location.hash)?.[1];
  if (token !== undefined) writeAddress();
  return token;
}

/** The token in a text that was pasted: the address of a link. */
export function findLinkToken(text: string): string | undefined {
  return linkForm.exec(text.slice(text.indexOf('#')))?.[1];
}
