import { type Failure, fail } from '../failure.ts';

/** Polyfills of `EventSource` send these before the first event. */
const withoutPosition: ReadonlySet<string> = new Set(['', 'null', 'undefined']);

/** The form of `Last-Event-ID`. An empty value means no position, as for an `EventSource`. */
export const lastEventIdPattern = /^(?:0|[1-9][0-9]{0,14})?$/;

/** The position of a client that reconnects. */
export function readLastEventId(header: string | null): number | undefined | Failure {
  if (header === null || withoutPosition.has(header)) return undefined;
  if (lastEventIdPattern.test(header)) return Number(header);
  return fail('invalid_header', 'Last-Event-ID must be the sequence of an event, or 0');
}
