import { z } from 'zod';
import { parseJson } from '../../../client/src/json.ts';
import { CliFailure } from '../../terminal/cli-failure.ts';

/** An event of a server of any version. */
export interface FeedEvent {
  readonly id: string;
  readonly sequence: bigint;
  readonly type: string;
  /** Such as `pet:5`, or a dash if the event is about no record. */
  readonly record: string;
  /** As the server sent it. */
  readonly text: string;
}

/** The id becomes a header. */
const eventSchema = z.object({
  id: z.string().regex(/^[\w-]{1,100}$/),
  sequence: z.bigint(),
  type: z.string(),
  data: z.object({ id: z.unknown().optional() }),
});

export function parseEvent(text: string): FeedEvent {
  const { data: event, error } = eventSchema.safeParse(parseOrNothing(text));
  if (error !== undefined) throw new CliFailure('The server sent an event that is not valid');
  const { id, sequence, type, data } = event;
  const record = typeof data.id === 'bigint' ? `${type.replace(/\..*/s, '')}:${data.id}` : '-';
  return { id, sequence, type, record, text };
}

function parseOrNothing(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
