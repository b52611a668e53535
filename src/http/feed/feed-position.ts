import type { Scope } from '../../domain/access/api-key.ts';
import {
  type EventPage,
  type EventPageRequest,
  type EventType,
  type ExpiredPosition,
  eventKinds,
  type RecordReference,
  recordKinds,
} from '../../domain/event.ts';
import { type Awaitable, andThen } from '../../domain/values/awaitable.ts';
import { parseInt64 } from '../../domain/values/int64.ts';
import { insufficientScope, workspaceGone } from '../access/authenticate.ts';
import { type Failure, fail, isFailure } from '../failure.ts';
import type { FeedReads } from './feed.ts';
import type { ReadEvents } from './shared-events.ts';

/** What query parameters say about the wanted events. A type can be all of a kind, as `pet.*`. */
interface EventFilter {
  readonly type?: readonly string[] | undefined;
  readonly record?: string | undefined;
  readonly actor?: string | undefined;
}

/** The events that a caller receives, or the failure if its key lacks a scope for what it requests by name. */
export function readEventFilter(
  { type, record: recordText, actor }: EventFilter,
  scopes: readonly Scope[],
): Pick<EventPageRequest, 'types' | 'record' | 'actor'> | Failure {
  const record = parseRecord(recordText);
  if (record !== undefined) {
    const { kind, id } = record;
    const { scope } = eventKinds[kind];
    if (!scopes.includes(scope)) {
      return insufficientScope(`Events of ${kind}:${id} need a key with the scope ${scope}`, scope);
    }
  }
  const types = readEventTypes(type, scopes);
  return isFailure(types) ? types : { types, record, actor };
}

/** Reads `pet:1`. */
export function parseRecord(text = ''): RecordReference | undefined {
  const kind = recordKinds.find((each) => text.startsWith(`${each}:`));
  const id = kind && parseInt64(text.slice(kind.length + 1));
  return kind === undefined || id === undefined ? undefined : { kind, id };
}

/**
 * The types of events that a caller receives. Undefined means all: readers with all scopes share what is read. The types are
 * distinct and in order, so that equal filters are equal.
 */
function readEventTypes(
  filters: readonly string[] | undefined,
  scopes: readonly Scope[],
): readonly EventType[] | undefined | Failure {
  if (filters === undefined) {
    const readable = Object.values(eventKinds).filter(({ scope }) => scopes.includes(scope));
    const isAll = readable.length === Object.keys(eventKinds).length;
    return isAll ? undefined : readable.flatMap(({ types }): readonly EventType[] => types);
  }
  const chosen: EventType[] = [];
  for (const [kind, { scope, types }] of Object.entries(eventKinds)) {
    const ofKind: readonly EventType[] = types;
    const hasAll = filters.includes(`${kind}.*`);
    const wanted = ofKind.filter((type) => hasAll || filters.includes(type));
    const [first] = wanted;
    if (first !== undefined && !scopes.includes(scope)) {
      return insufficientScope(`Events of type ${first} need a key with the scope ${scope}`, scope);
    }
    chosen.push(...wanted);
  }
  return chosen;
}

/** Reads the events after a position, or returns the failure if the feed does not have them all. */
export function readEventPage(
  { readEvents }: FeedReads,
  ...[context, workspaceId, request, version]: Parameters<ReadEvents>
): Awaitable<EventPage | Failure> {
  return andThen(readEvents(context, workspaceId, request, version), (found) => {
    if (found === undefined) return workspaceGone;
    return 'expired' in found ? cursorExpired(found.expired, request.after) : found;
  });
}

function cursorExpired(
  { first, head }: ExpiredPosition,
  after: EventPageRequest['after'],
): Failure {
  if (head === undefined) return fail('cursor_expired', 'This server keeps no events');
  const kept = first === undefined ? `none after ${head}` : `those from ${first} to ${head}`;
  return fail(
    'cursor_expired',
    `Not all events after position ${after} are in the feed, which has ${kept}; take the position of after=now, list the ` +
      'records again, and continue from there',
  );
}
