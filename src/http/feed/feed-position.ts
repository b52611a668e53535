import { z } from 'zod';
import type { Scope } from '../../domain/access/api-key.ts';
import {
  type EventPage,
  type EventType,
  type ExpiredPosition,
  eventKinds,
  eventTypes,
  type FoundEvents,
} from '../../domain/event.ts';
import { insufficientScope, workspaceGone } from '../access/authenticate.ts';
import { type Failure, fail } from '../failure.ts';

/** The form of `Last-Event-ID`. An empty value means no position, as for an `EventSource`. */
export const lastEventIdPattern = /^(?:0|[1-9][0-9]{0,14})?$/;

const afterPattern = /^(?:now|0|[1-9][0-9]{0,14})$/;
const afterRule = 'must be now or a position: the sequence of an event, or 0';

/** The query parameter for the position of a client in the feed. */
export const afterParameter = z
  .string()
  .refine((text) => afterPattern.test(text), { error: () => afterRule })
  .optional()
  .meta({
    override: { pattern: afterPattern.source },
    param: {
      description:
        'Position in the feed: the `sequence` of the last event that you have seen, or 0. Without it, the answer begins with ' +
        'the oldest event that is kept; with `now`, after the newest.',
      example: '0',
    },
  });

const typeFilters = [...eventTypes, ...Object.keys(eventKinds).map((kind) => `${kind}.*`)];
const typeRule = `must be one of ${typeFilters.join(', ')}`;

/** The query parameter for types of events, or all of a kind as `pet.*`. */
export const typeParameter = z
  .array(z.enum(typeFilters, { error: () => typeRule }))
  .min(1)
  .max(typeFilters.length, { error: () => `must appear at most ${typeFilters.length} times` })
  .optional()
  .meta({
    param: {
      description:
        'Only events of this type, or of all types of a kind as `pet.*`. Repeat the parameter for several. ' +
        'A type that the key may not read is answered 403.',
      // Most clients send `*` as it is. A validator that follows RFC 6570 rejects it without this.
      allowReserved: true,
      example: ['pet.*'],
    },
  });

/**
 * The types of events that a caller receives. Undefined means all: readers with all scopes share what is read. The types are
 * distinct and in order, so that equal filters are equal.
 */
export function readEventTypes(
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

export function positionOf(after: string | undefined): number | 'now' | undefined {
  return after === undefined || after === 'now' ? after : Number(after);
}

/** The position of a client that reconnects. */
export function readLastEventId(header: string | null): number | undefined | Failure {
  if (header === null || header === '') return undefined;
  if (lastEventIdPattern.test(header)) return Number(header);
  return fail('invalid_header', 'Last-Event-ID must be the sequence of an event, or 0');
}

/** The events after a position, or the failure if the feed does not have them all. */
export function toEventPage(
  found: FoundEvents,
  after: number | 'now' | undefined,
): EventPage | Failure {
  if (found === undefined) return workspaceGone;
  return 'expired' in found ? cursorExpired(found.expired, after) : found;
}

function cursorExpired(
  { first, head }: ExpiredPosition,
  after: number | 'now' | undefined,
): Failure {
  if (head === undefined) return fail('cursor_expired', 'This server keeps no events');
  const kept = first === undefined ? `none after ${head}` : `those from ${first} to ${head}`;
  return fail(
    'cursor_expired',
    `Not all events after position ${after} are in the feed, which has ${kept}; take the position of after=now, list the ` +
      'records again, and continue from there',
  );
}
