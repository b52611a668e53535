import type { Scope } from './access/api-key.ts';
import type { Command } from './database/command.ts';
import { type Sha256Bytes, withDigest } from './event-digest.ts';
import type { Awaitable } from './values/awaitable.ts';
import type { Int64 } from './values/int64.ts';

/** What the feed tells of, for records as `kind.what`. New ones may be added. */
export const eventTypes = [
  'pet.created',
  'pet.updated',
  'pet.deleted',
  'order.created',
  'order.updated',
  'category.created',
  'category.updated',
  'category.deleted',
  'feed.reset',
] as const;

export type EventType = (typeof eventTypes)[number];

/** The scope that a key needs to receive events of a type, in addition to `events:read`: that of the record in them. */
export const scopeOfEvent = {
  'pet.created': 'pets:read',
  'pet.updated': 'pets:read',
  'pet.deleted': 'pets:read',
  'order.created': 'orders:read',
  'order.updated': 'orders:read',
  'category.created': 'pets:read',
  'category.updated': 'pets:read',
  'category.deleted': 'pets:read',
  'feed.reset': 'events:read',
} as const satisfies Record<EventType, Scope>;

/** The request that a change comes from, as its events name it. */
export interface ChangeOrigin {
  readonly requestId: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Of a command that changes records: its events. Where it has no origin, there are none. */
export interface WithOrigin {
  readonly origin?: ChangeOrigin | undefined;
}

/** A change to be told of, before it has its place in the feed. */
export interface NewEvent {
  readonly type: EventType;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly requestId?: string | undefined;
  /** What `JSON.stringify` makes the JSON of the record of: as it is or, where it was deleted, as it was. */
  readonly data: object;
  /** What changed members were before, `null` for one that was not there. */
  readonly previous?: object | undefined;
}

/** The text of an event, which is the same wherever it is sent. `sequence` is its place in the feed of its workspace. */
export function formatEvent(
  { type, at, requestId, data, previous }: NewEvent,
  workspaceId: Int64,
  sequence: Int64,
  sha256: Sha256Bytes,
): string {
  // Put together here, because this is on the path of every write and costs less than one `JSON.stringify` of all.
  const time = new Date(at).toISOString();
  const request = requestId === undefined ? '' : `,"requestId":${JSON.stringify(requestId)}`;
  const before = previous === undefined ? '' : `,"previous":${JSON.stringify(previous)}`;
  const rest = `","sequence":${sequence},"type":"${type}","timestamp":"${time}"${request},"data":${JSON.stringify(data)}${before}}`;
  return withDigest(workspaceId, sequence, rest, sha256);
}

/** The members that differ, as they were before. */
export function changedMembers(before: object, after: object): object {
  const old = new Map(Object.entries(before));
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(old.get(name)) !== JSON.stringify(value),
  );
  return Object.fromEntries(changed.map(([name]) => [name, old.get(name) ?? null]));
}

/**
 * A part of a workspace's feed, oldest first. A position in it is the sequence of the last event that was seen: 0 before the
 * first. Left out, it is before the oldest that is kept; `now` is after the newest.
 */
export interface EventPageRequest {
  readonly after?: number | 'now' | undefined;
  /** Only events of these. */
  readonly types?: readonly EventType[] | undefined;
  readonly limit: number;
}

export interface EventPage {
  /** As they are sent. */
  readonly events: readonly StoredEvent[];
  /** Up to where the feed was looked at, also past events of other types. */
  readonly position: number;
  /** The position after the newest event. */
  readonly head: number;
}

export interface StoredEvent {
  readonly sequence: number;
  readonly json: string;
}

/**
 * Events after a position are not kept any more, or it was never given out. The feed has those from `first` to `head`; nothing
 * is said of a feed of which nothing is kept at all.
 */
export interface ExpiredPosition {
  readonly first?: number | undefined;
  readonly head?: number;
}

/** Undefined where the workspace is gone. */
export type FoundEvents = EventPage | { readonly expired: ExpiredPosition } | undefined;

export interface EventReads {
  /** Every event after a position, in order and with none left out, as far as the page goes. */
  readEvents(workspaceId: Int64, request: EventPageRequest): Awaitable<FoundEvents>;
}

/** Deleted from the beginning of a feed; `first` and `last` are sequences. */
export interface DeletedEvents {
  /** Its name. */
  readonly workspace: string;
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

export interface EventCommands {
  /**
   * Deletes the oldest events of one workspace that has events from before a time (in milliseconds since 1970), at most so
   * many. Returns null if no workspace has such events; until then, call it again.
   */
  deleteOldEvents: Command<
    { readonly before: number; readonly eventsMax: number },
    DeletedEvents | null
  >;
}
