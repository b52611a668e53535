import type { FunctionComponent } from 'preact';
import type { Scope } from '../../../src/domain/access/api-key.ts';
import { AnimalScreen } from '../animal/animal-screen.tsx';
import type { Session } from '../api/session.ts';
import { Categories } from '../categories/categories.tsx';
import { Events } from '../events/events.tsx';
import { Import } from '../import/import.tsx';
import { Keys } from '../keys/keys.tsx';
import { Orders } from '../orders/orders.tsx';
import { navigationScreens, type Screen } from '../route.ts';
import { Sessions } from '../session/sessions.tsx';
import { Webhooks } from '../webhooks/webhooks.tsx';

interface ScreenAccess {
  readonly Show: FunctionComponent;
  /** What a session needs for it. An owner has access to every screen. */
  readonly access: readonly Scope[] | 'owner';
}

/** The screens and their access. */
export const screenTable: Readonly<Record<Screen, ScreenAccess>> = {
  animals: { Show: AnimalScreen, access: ['pets:read'] },
  orders: { Show: Orders, access: ['orders:read'] },
  categories: { Show: Categories, access: ['pets:read'] },
  import: { Show: Import, access: ['pets:read', 'pets:write'] },
  events: { Show: Events, access: ['events:read'] },
  webhooks: { Show: Webhooks, access: ['webhooks:manage'] },
  keys: { Show: Keys, access: 'owner' },
  sessions: { Show: Sessions, access: [] },
};

/** The first screen that a session may see, for an address of another one. */
export function firstAllowed(session: Session): Screen {
  return navigationScreens.find((screen) => isAllowed(session, screen)) ?? 'animals';
}

/** Whether a session may see a screen. */
export function isAllowed({ kind, scopes }: Session, screen: Screen): boolean {
  const { access } = screenTable[screen];
  return kind === 'owner' || (access !== 'owner' && access.every((one) => scopes.includes(one)));
}
