import type { FunctionComponent } from 'preact';
import type { Scope } from '../../../src/domain/access/api-key.ts';
import { Animals } from '../animals/animals.tsx';
import type { Session } from '../api/session.ts';
import { navigationScreens, type Screen, settingsScreens } from '../route.ts';
import { laterScreen } from './later-screen.tsx';

interface ScreenAccess {
  readonly Show: FunctionComponent;
  /** What a session needs for it. An owner has access to every screen. */
  readonly access: readonly Scope[] | 'owner';
}

// The others are loaded when they are opened.
const Orders = laterScreen(async () => (await import('../orders/orders.tsx')).Orders);
const Categories = laterScreen(
  async () => (await import('../categories/categories.tsx')).Categories,
);
const Import = laterScreen(async () => (await import('../import/import.tsx')).Import);
const Events = laterScreen(async () => (await import('../events/events.tsx')).Events);
const Webhooks = laterScreen(async () => (await import('../webhooks/webhooks.tsx')).Webhooks);
const Keys = laterScreen(async () => (await import('../keys/keys.tsx')).Keys);
const Sessions = laterScreen(async () => (await import('../session/sessions.tsx')).Sessions);

/** The screens and their access. */
export const screenTable: Readonly<Record<Screen, ScreenAccess>> = {
  animals: { Show: Animals, access: ['pets:read'] },
  orders: { Show: Orders, access: ['orders:read'] },
  categories: { Show: Categories, access: ['pets:read'] },
  import: { Show: Import, access: ['pets:read', 'pets:write'] },
  history: { Show: Events, access: ['events:read'] },
  webhooks: { Show: Webhooks, access: ['webhooks:manage'] },
  keys: { Show: Keys, access: 'owner' },
  sessions: { Show: Sessions, access: [] },
};

/** The first screen that a session may see, for an address of another one. */
export function firstAllowed(session: Session): Screen {
  const [first] = [...navigationScreens, ...settingsScreens].filter(
    // Every session has that of sessions.
    (screen) => screen !== 'sessions' && isAllowed(session, screen),
  );
  return first ?? 'animals';
}

/** Whether a session may see a screen. */
export function isAllowed({ kind, scopes }: Session, screen: Screen): boolean {
  const { access } = screenTable[screen];
  return kind === 'owner' || (access !== 'owner' && access.every((one) => scopes.includes(one)));
}
