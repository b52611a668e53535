import { z } from 'zod';
import { type EventPage, eventKinds } from '../../domain/event.ts';
import { andThen } from '../../domain/values/awaitable.ts';
import type { Context } from '../../domain/values/context.ts';
import { defineRead, defineStream, ok } from '../define-operation.ts';
import { type Failure, isFailure } from '../failure.ts';
import { readEventFilter, readEventPage } from '../feed/feed-position.ts';
import type { OperationSuccess, StreamPart } from '../operation.ts';
import { readLastEventId } from '../request/last-event-id.ts';
import { feedParameters, type Position, positionOf } from './event-parameters.ts';
import { eventsSchema } from './event-schema.ts';
import { limitParameter } from './list-page.ts';
import { integerParameter } from './schemas.ts';

const tag = { name: 'events', description: 'Every change of a record, in order.' };
const allEvents = { tag, scope: 'events:read', stability: 'beta' } as const;

const example = {
  id: 'evt_1042_PH76ArPe',
  sequence: 1042,
  type: 'pet.updated',
  timestamp: '2026-11-21T13:33:05.123Z',
  requestId: '01a1f886-e697-70a6-9073-e2c036991302',
  actor: 'key:3',
  data: { id: 7, name: 'Rex', categoryId: 9, status: 'sold' },
  previous: { status: 'pending' },
};

const scopesText = Object.entries(eventKinds)
  .map(([kind, { scope }]) => `\`${kind}.*\` needs \`${scope}\``)
  .join(', ');

const secondsMax = 30;

const listEvents = defineRead({
  ...allEvents,
  operationId: 'listEvents',
  path: '/events',
  summary: 'List events',
  description:
    'What has changed in the workspace of the API key since a position, oldest first. Every change of a record has ' +
    `one event. A key receives the events of a kind only with its scope: ${scopesText}. ` +
    '`Last-Event-ID` is the position to continue from: store it with the results of your work, ' +
    'and send it as `after`. If more follow at once, `Link` has the URL of the next page (`rel="next"`).',
  queryParameters: z.object({
    ...feedParameters,
    limit: limitParameter('Maximum number of events to return.'),
    wait: integerParameter(
      0,
      secondsMax,
      0,
      'How many seconds to wait for an event if there is none yet. A key may have 10 such requests and streams at once.',
    ),
  }),
  successes: [ok('A part of the feed.', eventsSchema, [example])],
  errors: ['cursor_expired'],
  secondsToWait: ({ wait }) => wait,
  async handle(context, { query, workspaceId, scopes }, _reads, { feed }) {
    const filter = readEventFilter(query, scopes);
    if (isFailure(filter)) return filter;
    const { limit, type = [], record, actor } = query;

    async function read(
      context: Context,
      after: Position,
      version?: number,
    ): Promise<OperationSuccess | Failure> {
      const request = { after, ...filter, limit };
      const page = await readEventPage(feed, context, workspaceId, request, version);
      if (isFailure(page)) return page;
      const { events, position, head } = page;
      const next = new URLSearchParams({ limit: String(limit), after: String(position) });
      for (const one of type) next.append('type', one);
      if (record !== undefined) next.append('record', record);
      if (actor !== undefined) next.append('actor', actor);
      const isNew = events.length > 0 || position !== head;
      return {
        body: `[${events.map(({ json }) => json).join(',')}]`,
        recordCount: events.length,
        headers: { 'last-event-id': String(position) },
        next: position < head ? `/events?${next}` : undefined,
        readLater: isNew ? undefined : (later, woken) => read(later, position, woken),
      };
    }

    const after = positionOf(query.after);
    const found = await read(context, after);
    if (after === 'now' && !isFailure(found)) await feed.waitForCaches();
    return found;
  },
});

/** Events in memory for a client that reads slowly. With the longest records they take about 200 KB. */
const eventsAtOnce = 20;

const streamEvents = defineStream({
  ...allEvents,
  operationId: 'streamEvents',
  path: '/events/stream',
  summary: 'Stream events',
  description:
    'The same events as listEvents, as server-sent events without an end: `id` is the position after each, `data` the event. A ' +
    'client that lost the stream sends the last `id` as `Last-Event-ID` and misses nothing. The stream ends when its key is ' +
    'no longer valid or the server stops.',
  queryParameters: z.object(feedParameters),
  errors: ['cursor_expired'],
  successes: [ok('The stream.', z.string(), `id: 1042\ndata: ${JSON.stringify(example)}\n\n`)],
  async open(context, { query, workspaceId, scopes }, feed, lastEventId) {
    const resumed = readLastEventId(lastEventId);
    if (isFailure(resumed)) return resumed;
    const filter = readEventFilter(query, scopes);
    if (isFailure(filter)) return filter;
    const read = (context: Context, after: Position, version?: number) => {
      const request = { after, ...filter, limit: eventsAtOnce };
      return readEventPage(feed, context, workspaceId, request, version);
    };
    const begin = resumed ?? positionOf(query.after);
    const first = await read(context, begin);
    if (isFailure(first)) return first;
    if (begin === 'now') await feed.waitForCaches();
    // The page that was read for the status of the response is sent first.
    let ready: EventPage | undefined = first;
    let { position } = first;
    // Undefined until the first part. A client that reconnects before an event must not begin with `now` again.
    let sentPosition: number | undefined;
    const ownPosition = begin === 'now' ? undefined : (begin ?? 0);

    function toPart(page: EventPage | Failure): StreamPart | 'ended' {
      // The events that follow were deleted, or the workspace.
      if (isFailure(page)) return 'ended';
      const isFirst = sentPosition === undefined;
      position = page.position;
      sentPosition = page.events.at(-1)?.sequence ?? sentPosition ?? position;
      const isKnown = !isFirst || position === ownPosition;
      const text = page.events.length > 0 || isKnown ? textOf(page) : `id: ${position}\n\n`;
      return { text, recordCount: page.events.length, isLast: position >= page.head };
    }

    return {
      next(context, version) {
        const page = ready ?? read(context, position, version);
        ready = undefined;
        return andThen(page, toPart);
      },
      // A block with only an id moves the position of the client past events that it did not request. Some readers take each
      // blank line for the end of an event, so a comment has none.
      heartbeat() {
        const text = position === sentPosition ? ':\n' : `id: ${position}\n\n`;
        sentPosition = position;
        return text;
      },
    };
  },
});

export const eventOperations = [listEvents, streamEvents];

const texts = new WeakMap<EventPage, string>();

/** Formats a page once for all streams at the same position. */
function textOf(page: EventPage): string {
  let text = texts.get(page);
  if (text === undefined) {
    text = page.events.map(({ sequence, json }) => `id: ${sequence}\ndata: ${json}\n\n`).join('');
    texts.set(page, text);
  }
  return text;
}
