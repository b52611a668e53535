import { background, shorten } from '../../context/context.ts';
import { turn } from '../../context/deadline.ts';
import { isOutage, repeat } from '../../context/repeat.ts';
import { watchCaller } from '../access/request-watch.ts';
import { type Failure, isFailure } from '../failure.ts';
import type { OperationInput, StreamOperation, StreamSource } from '../operation.ts';
import { refuseUnlessMatched } from '../request/precondition.ts';
import { type AuthenticatedContext, beginCall } from '../request-context.ts';
import type { OperationRequest, PipelineServices } from '../services.ts';
import type { Answer } from './answer.ts';

/** A quiet stream sends a heartbeat before proxies close it. */
const heartbeatMilliseconds = 15_000;

/** A connection is closed if the client reads nothing for this long. More than two heartbeats. */
const stalledSecondsMax = 30;

/** A stream whose reads fail for this long ends, before its connection is closed for its silence. */
const failingMillisecondsMax = 20_000;

/** A read that failed is repeated after this time, or after a commit. */
const rereadMilliseconds = 500;

/** Clients reconnect after this time. */
const retryMilliseconds = 3000;

/** Streams server-sent events until the client disconnects, its key is revoked or the server stops. */
export async function answerStream(
  { context, services, operation }: OperationRequest<StreamOperation>,
  input: OperationInput,
): Promise<Answer | Failure> {
  const { request, transport, caller } = context;
  const [{ httpStatus }] = operation.successes;
  const headers = {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  };
  const source = await operation.open(
    context.call,
    input,
    services.feed,
    request.headers.get('last-event-id'),
  );
  if (isFailure(source)) return source;
  const refused = refuseUnlessMatched(request.headers, undefined);
  if (refused !== undefined) return refused;
  // HEAD opens no stream.
  if (request.method === 'HEAD') return { httpStatus, headers, body: nothing() };
  const slot = services.feed.acquireSlot(caller);
  if (isFailure(slot)) return slot;
  // A client that reads nothing must not delay the end of the server.
  const closeSoon = () => void transport.closeWhenIdle(request, 1);
  const sent = { recordCount: 0 };
  let hasEnded = false;
  const end = () => {
    if (hasEnded) return;
    hasEnded = true;
    slot[Symbol.dispose]();
    services.stopping.removeEventListener('abort', closeSoon);
    services.reportRead?.(context, sent.recordCount);
  };
  // If the client disconnects, the body ends later, when the server may have stopped, or is never read.
  request.signal.addEventListener('abort', end, { once: true });
  services.stopping.addEventListener('abort', closeSoon);
  if (request.signal.aborted) end();
  transport.closeWhenIdle(request, stalledSecondsMax);
  return { httpStatus, headers, body: follow(context, services, source, sent, end) };
}

/** The body of an answer to HEAD, which has no length, as that of GET (RFC 9110, section 8.6). */
async function* nothing(): AsyncIterable<string> {}

/** Reads each part when the one before it is sent, so that a slow client has at most one page in memory. */
async function* follow(
  context: AuthenticatedContext,
  services: PipelineServices,
  source: StreamSource,
  sent: { recordCount: number },
  end: () => void,
): AsyncIterable<string> {
  const { feed, steadyNow } = services;
  const requestWatch = watchCaller(context, services);
  const untilClientLeaves = {
    ...background,
    signal: context.request.signal,
    report: (error: unknown) => services.reportFault(context, error),
  };
  try {
    // These lines belong to the block of the first event, because some readers take a block without data for an event.
    yield `retry: ${retryMilliseconds}\n: connected\n`;
    let heartbeatAt = steadyNow() + heartbeatMilliseconds;
    let woken: number | undefined;
    for (;;) {
      let version = Number.NaN;
      const readNext = async () => {
        if (requestWatch.isOver()) return 'over';
        version = woken ?? feed.dataVersion();
        if ((await requestWatch.refusal()) !== undefined) return 'ended';
        beginCall(context, services.reportRepeated);
        return await source.next(context.call, woken);
      };
      // A read is repeated for a while, so that the client need not reconnect. Without a heartbeat, it notices that it gets nothing.
      const reading = shorten(untilClientLeaves, failingMillisecondsMax);
      const wait = () => requestWatch.wait(version, steadyNow() + rereadMilliseconds);
      const part = await repeat(reading, { wait }, readNext);
      if (part === 'over') break;
      if (part === 'ended') return;
      sent.recordCount += part.recordCount;
      const text = part.text || (steadyNow() >= heartbeatAt ? source.heartbeat() : '');
      if (text !== '') {
        yield text;
        heartbeatAt = steadyNow() + heartbeatMilliseconds;
      }
      // More can be read at once. Other requests run first.
      woken = undefined;
      if (part.isLast) woken = await requestWatch.wait(version, heartbeatAt);
      else await turn();
    }
    // Clients must not all reconnect at the same moment.
    yield `retry: ${1000 + Math.floor(Math.random() * 4000)}\n`;
  } catch (error) {
    // The first failure of an outage was reported, and the client that left needs nothing.
    if (!isOutage(error) && !context.request.signal.aborted) services.reportFault(context, error);
  } finally {
    end();
  }
}
