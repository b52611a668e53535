import { z } from 'zod';
import { isFailure } from '../../answer/answer.ts';
import {
  afterParameter,
  positionOf,
  readEventTypes,
  toEventPage,
  typeParameter,
} from '../../feed/feed-position.ts';
import { definePoll } from '../../operation.ts';
import { limitParameter } from '../list-page.ts';
import { integerParameter } from '../schemas.ts';
import { eventsSchema } from './event-schema.ts';

const secondsMax = 30;

export const listEvents = definePoll({
  operationId: 'listEvents',
  tag: 'events',
  method: 'GET',
  path: '/events',
  summary: 'List events',
  description:
    'What has changed in the workspace of the API key since a position, oldest first. Every change of an animal, order or ' +
    'category has one event. A key receives the events of animals and categories only with the scope `pets:read`, and those ' +
    'of orders only with `orders:read`. `Last-Event-ID` is the position to continue from: store it with the results of your work, ' +
    'and send it as `after`. If more follow at once, `Link` has the URL of the next page (`rel="next"`).',
  scope: 'events:read',
  stability: 'beta',
  queryParameters: z.object({
    after: afterParameter,
    type: typeParameter,
    limit: limitParameter('Maximum number of events to return.'),
    wait: integerParameter(
      0,
      secondsMax,
      0,
      'How many seconds to wait for an event if there is none yet. A key may have 10 such requests and streams at once.',
    ),
  }),
  successes: [
    {
      httpStatus: 200,
      description: 'A part of the feed.',
      headers: ['Last-Event-ID', 'NextEventsLink'],
      content: {
        schema: eventsSchema,
        example: [
          {
            id: 'evt_1042_6ODn30u4',
            sequence: 1042,
            type: 'pet.updated',
            timestamp: '2026-11-21T13:33:05.123Z',
            requestId: '01a1f886-e697-70a6-9073-e2c036991302',
            data: { id: 7, name: 'Rex', categoryId: 9, status: 'sold' },
            previous: { status: 'pending' },
          },
        ],
      },
    },
  ],
  errors: ['cursor_expired'],
  secondsToWait: ({ wait }) => wait,
  async handle({ query: { after: sent, type, limit }, workspaceId, scopes }, feed, from) {
    const types = readEventTypes(type, scopes);
    if (isFailure(types)) return types;
    const after = from ?? positionOf(sent);
    const request = { after, types, limit };
    const page = toEventPage(await feed.readEvents(workspaceId, request), after);
    if (isFailure(page)) return page;
    if (after === 'now') await feed.waitForCaches();
    const { events, position, head } = page;
    const next = new URLSearchParams({ limit: String(limit), after: String(position) });
    for (const one of type ?? []) next.append('type', one);
    return {
      body: `[${events.map(({ json }) => json).join(',')}]`,
      headers: { 'last-event-id': String(position) },
      next: position < head ? `/events?${next}` : undefined,
      isEmpty: events.length === 0 && position === head,
      position,
    };
  },
});
