import { z } from 'zod';
import {
  actorPattern,
  eventKinds,
  eventTypes,
  isActorForm,
  recordKinds,
} from '../../domain/event.ts';
import { parseRecord } from '../feed/feed-position.ts';

const afterPattern = /^(?:now|0|[1-9][0-9]{0,14})$/;
const afterRule = 'must be now or a position: the sequence of an event, or 0';

/** The query parameter for the position of a client in the feed. */
const afterParameter = z
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

/** Where a read of the feed begins: after an event, after the newest, or with the oldest. */
export type Position = number | 'now' | undefined;

export function positionOf(after: string | undefined): Position {
  return after === undefined || after === 'now' ? after : Number(after);
}

/** Types of events, and all types of a kind as `pet.*`. */
export const typeFilters = [...eventTypes, ...Object.keys(eventKinds).map((kind) => `${kind}.*`)];
const typeRule = `must be one of ${typeFilters.join(', ')}`;

/** The query parameter for types of events, or all of a kind as `pet.*`. */
const typeParameter = z
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

const recordPattern = `^(?:${recordKinds.join('|')}):(?:0|-?[1-9][0-9]{0,18})$`;
const recordRule = `must be one of ${recordKinds.map((kind) => `${kind}:ID`).join(', ')}`;

/** The query parameter for the events of one record. */
const recordParameter = z
  .string()
  .refine((text) => parseRecord(text) !== undefined, { error: () => recordRule })
  .optional()
  .meta({
    override: { pattern: recordPattern },
    param: {
      description:
        'Only events of this animal, order or category, such as `pet:1`, and `feed.reset`. With `type`, only those of its types. ' +
        'A record whose events the key may not read is answered 403.',
      allowReserved: true,
      example: 'pet:1',
    },
  });

const actorRule = 'must be an actor of events: key:ID, owner or system';

/** The query parameter for the events that one key, or all owners, caused. */
const actorParameter = z
  .string()
  .refine(isActorForm, { error: () => actorRule })
  .optional()
  .meta({
    override: { pattern: actorPattern },
    param: {
      description:
        'Only events with this `actor`, such as `key:3`. No index has actors: an answer covers up to 2000 events, so that it can have ' +
        'fewer, even none, and still a `Link` to the next page.',
      allowReserved: true,
      example: 'key:1',
    },
  });

/** The query parameters that say which part of the feed a client wants. */
export const feedParameters = {
  after: afterParameter,
  type: typeParameter,
  record: recordParameter,
  actor: actorParameter,
};
