import { z } from 'zod';
import { isFailure } from '../../domain/error.ts';
import type { EventPage } from '../../domain/event.ts';
import { limitMax } from '../../domain/page.ts';
import {
  afterParameter,
  eventTypesOf,
  positionOf,
  readLastEventId,
  toEventPage,
  typeParameter,
} from '../feed-position.ts';
import { defineStream } from '../operation.ts';

export const streamEvents = defineStream({
  operationId: 'streamEvents',
  tag: 'events',
  method: 'GET',
  path: '/events/stream',
  summary: 'Stream events',
  description:
    'The same events as listEvents, as server-sent events that go on: `id` is the position after each, `data` the event. A ' +
    'client that lost the stream sends the last `id` as `Last-Event-ID` and misses nothing. The stream ends when its key is ' +
    'no longer valid or the server stops.',
  scope: 'events:read',
  stability: 'beta',
  pathParameters: z.object({}),
  queryParameters: z.object({ after: afterParameter, type: typeParameter }),
  successes: [
    {
      httpStatus: 200,
      description: 'The stream.',
      headers: [],
      content: {
        mediaType: 'text/event-stream',
        schema: z.string(),
        example:
          'id: 1042\ndata: {"id":"evt_1042_k3Jd9QxZ","sequence":1042,"type":"pet.updated","timestamp":"2026-11-21T13:33:05.123Z",' +
          '"requestId":"01a1f886-e697-70a6-9073-e2c036991302","data":{"id":7,"name":"Rex","categoryId":9,"status":"sold"},' +
          '"previous":{"status":"pending"}}\n\n',
      },
    },
  ],
  errors: ['cursor_expired'],
  async open({ query: { after, type }, workspaceId }, { readEvents }, lastEventId) {
    const resumed = readLastEventId(lastEventId);
    if (isFailure(resumed)) return resumed;
    const types = eventTypesOf(type);
    const read = async (position: number | 'now' | undefined) =>
      toEventPage(
        await readEvents(workspaceId, { after: position, types, limit: limitMax }),
        position,
      );
    const first = await read(resumed ?? positionOf(after));
    if (isFailure(first)) return first;
    // What was looked at for the status of the answer is sent as well.
    let ready: EventPage | undefined = first;
    let { position } = first;
    // Nothing: who loses the stream before its first event must not begin with `now` again.
    let toldPosition: number | undefined;
    return {
      async next() {
        const page = ready ?? (await read(position));
        ready = undefined;
        // Its events were deleted before it came to them, or its workspace.
        if (isFailure(page)) return 'ended';
        position = page.position;
        const frames = page.events.map(
          ({ sequence, json }) => `id: ${sequence}\ndata: ${json}\n\n`,
        );
        if (frames.length === 0 && toldPosition === undefined) frames.push(`id: ${position}\n\n`);
        toldPosition = page.events.at(-1)?.sequence ?? toldPosition ?? position;
        return { text: frames.join(''), isLast: position >= page.head };
      },
      // A block of nothing but an id moves the position of the client past events that it did not ask for.
      beat() {
        const text = position === toldPosition ? ':\n\n' : `id: ${position}\n\n`;
        toldPosition = position;
        return text;
      },
    };
  },
});
