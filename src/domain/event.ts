import type { Scope } from './access/api-key.ts';
import type { Command } from './command.ts';
import type { Actor } from './record.ts';
import type { Awaitable } from './values/awaitable.ts';
import type { Context } from './values/context.ts';
import type { Int64 } from './values/int64.ts';

/**
 * The types of events of each kind of record, and the scope that a key needs to receive them in addition to `events:read`. Kinds
 * and types may be added.
 */
const recordEvents = {
  pet: { scope: 'pets:read', types: ['pet.created', 'pet.updated', 'pet.deleted'] },
  order: { scope: 'orders:read', types: ['order.created', 'order.updated'] },
  category: {
    scope: 'pets:read',
    types: ['category.created', 'category.updated', 'category.deleted'],
  },
} as const satisfies Readonly<
  Record<string, { readonly scope: Scope; readonly types: readonly string[] }>
>;

/** All events. Those of `webhook` and `feed` are about no record that events describe. */
export const eventKinds = {
  ...recordEvents,
  webhook: { scope: 'events:read', types: ['webhook.disabled'] },
  feed: { scope: 'events:read', types: ['feed.reset'] },
} as const;

export type EventType = (typeof eventKinds)[keyof typeof eventKinds]['types'][number];

export const recordKinds = Object.keys(recordEvents) as readonly (keyof typeof recordEvents)[];

/** A record that events are about. */
export interface RecordReference {
  readonly kind: (typeof recordKinds)[number];
  readonly id: Int64;
}

export const eventTypes: readonly EventType[] = Object.values(eventKinds).flatMap(
  ({ types }): readonly EventType[] => types,
);

/** The forms of `actor`: a key, an owner, the service, and what a newer version adds. */
export const actorPattern = '^(?:[a-z]{1,20}|key:(?:0|[1-9][0-9]{0,15}))$';
const actorForm = new RegExp(actorPattern);

export function isActorForm(text: string): boolean {
  return actorForm.test(text);
}

/** The types that filters such as `pet.*` and `order.created` choose; undefined for all. */
export function chosenTypes(types: readonly string[] | undefined): EventType[] | undefined {
  if (types === undefined) return undefined;
  const ofKinds = Object.entries(eventKinds).flatMap(([kind, { types: ofKind }]) =>
    types.includes(`${kind}.*`) ? ofKind : [],
  );
  return [...new Set([...ofKinds, ...eventTypes.filter((type) => types.includes(type))])];
}

/** An event that has no sequence yet. */
export interface NewEvent {
  readonly type: EventType;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly requestId?: string | undefined;
  readonly actor: Actor;
  /** The `id` in `data`, or 0 without one. */
  readonly recordId: Int64;
  /** The record for `JSON.stringify`: after the change or, if it was deleted, before. Of other events, what they say. */
  readonly data: object;
  /** The changed members before the change, `null` for a member that was absent. */
  readonly previous?: object | undefined;
}

/** The members that differ, with their values before the change. */
export function changedMembers(before: object, after: object): object {
  const old = new Map(Object.entries(before));
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(old.get(name)) !== JSON.stringify(value),
  );
  return Object.fromEntries(changed.map(([name]) => [name, old.get(name) ?? null]));
}

/**
 * A part of a workspace's feed, oldest first. A position is the sequence of the last event that was read, or 0. Without
 * `after`, the page begins with the oldest stored event. `now` is the position after the newest event.
 */
export interface EventPageRequest {
  readonly after?: number | 'now' | undefined;
  /** Only events of these types. */
  readonly types?: readonly EventType[] | undefined;
  /** Only events of this record, and `feed.reset`. */
  readonly record?: RecordReference | undefined;
  /** Only events with this actor. */
  readonly actor?: string | undefined;
  readonly limit: number;
}

export interface EventPage {
  /** In the form in which they are sent. */
  readonly events: readonly StoredEvent[];
  /** How far the feed was read, including events that the page leaves out. */
  readonly position: number;
  /** The position after the newest event. */
  readonly head: number;
}

export interface StoredEvent {
  readonly sequence: number;
  readonly json: string;
}

/**
 * Events after a position were deleted, or the position was never used. The feed has the events from `first` to `head`. Both
 * are absent if the feed stores no events.
 */
export interface ExpiredPosition {
  readonly first?: number | undefined;
  readonly head?: number;
}

/** Undefined if the workspace does not exist. */
export type FoundEvents = EventPage | { readonly expired: ExpiredPosition } | undefined;

export interface EventReads {
  /** The events after a position, in order and without a gap, up to the limit of the page. */
  readEvents(
    context: Context,
    workspaceId: Int64,
    request: EventPageRequest,
  ): Awaitable<FoundEvents>;
  /** Undefined if the event is not stored. */
  readEvent(
    context: Context,
    workspaceId: Int64,
    sequence: number,
  ): Awaitable<StoredEvent | undefined>;
}

/** Deleted from the beginning of a feed; `first` and `last` are sequences. */
export interface DeletedEvents {
  readonly workspaceId: Int64;
  /** The name of the workspace. */
  readonly workspace: string;
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

export interface EventCommands {
  /**
   * Deletes the oldest events of one workspace that has events from before a time (in milliseconds since 1970), at most
   * `eventsMax`. Returns null if no workspace has such events; until then, call it again. Events that an enabled or failing webhook
   * has not received yet are deleted only if they are from before `undeliveredBefore`, which is `before` by default. Workspaces below
   * `from` are not looked at.
   */
  deleteOldEvents: Command<
    {
      readonly before: number;
      readonly undeliveredBefore?: number | undefined;
      readonly eventsMax: number;
      readonly from?: Int64 | undefined;
    },
    DeletedEvents | null
  >;
}
