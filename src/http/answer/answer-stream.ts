import { DatabaseUnavailable } from '../../domain/database/database-error.ts';
import { watchCaller } from '../access/request-watch.ts';
import type { OperationInput, StreamOperation, StreamPart, StreamSource } from '../operation.ts';
import type { AuthenticatedContext, PipelineServices } from '../request-context.ts';
import { type Answer, type Failure, isFailure } from './answer.ts';

type Members = Record<string, unknown>;

/** A stream that has nothing to say says so before proxies take it for dead. */
const heartbeatMilliseconds = 15_000;

/** A connection is closed whose other end takes nothing for so long. More than twice as long as it may be quiet. */
const stalledSecondsMax = 30;

/** Clients that lose their stream come again after this. */
const retryMilliseconds = 3000;

/** Answers with server-sent events that go on until the client has gone, its key is refused or the server stops. */
export async function answerStream(
  context: AuthenticatedContext,
  services: PipelineServices,
  operation: StreamOperation,
  input: OperationInput<Members, Members, undefined>,
): Promise<Answer | Failure> {
  const { request, transport, caller } = context;
  const [{ httpStatus }] = operation.successes;
  const headers = {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  };
  const source = await operation.open(input, services.feed, request.headers.get('last-event-id'));
  if (isFailure(source)) return source;
  // HEAD tells of a stream, and opens none.
  if (request.method === 'HEAD') return { httpStatus, headers, body: null };
  const place = services.feed.enter(caller);
  if (isFailure(place)) return place;
  // Who takes nothing does not hold up the end of the server.
  const hurry = () => void transport.closeWhenIdle(request, 1);
  const leave = () => {
    place[Symbol.dispose]();
    services.stopping.removeEventListener('abort', hurry);
  };
  // Who has gone before the first byte never asks for it.
  request.signal.addEventListener('abort', leave, { once: true });
  services.stopping.addEventListener('abort', hurry);
  if (request.signal.aborted) leave();
  transport.closeWhenIdle(request, stalledSecondsMax);
  return { httpStatus, headers, body: follow(context, services, source, leave) };
}

/** Each part is asked for once the one before it is on its way: so who reads slowly holds a page, and no more. */
async function* follow(
  context: AuthenticatedContext,
  services: PipelineServices,
  source: StreamSource,
  leave: () => void,
): AsyncIterable<string> {
  const { feed, steadyNow } = services;
  const requestWatch = watchCaller(context, services);
  try {
    yield `retry: ${retryMilliseconds}\n: connected\n\n`;
    let heartbeatAt = steadyNow() + heartbeatMilliseconds;
    while (!requestWatch.isOver()) {
      let version = Number.NaN;
      let part: StreamPart | 'ended' | undefined;
      try {
        if ((await requestWatch.refusal()) !== undefined) return;
        version = feed.dataVersion();
        part = await source.next();
      } catch (error) {
        // What cannot be read now is read later: nobody has to connect anew for that.
        if (!(error instanceof DatabaseUnavailable)) throw error;
      }
      if (part === 'ended') return;
      const text = part?.text || (steadyNow() < heartbeatAt ? '' : source.heartbeat());
      if (text !== '') {
        yield text;
        heartbeatAt = steadyNow() + heartbeatMilliseconds;
      }
      // There may be more to read at once: others have their turn first.
      if (part?.isLast === false) await new Promise((resolve) => setImmediate(resolve));
      else await requestWatch.wait(version, heartbeatAt);
    }
    // Not all are to come back in the same moment.
    yield `retry: ${1000 + Math.floor(Math.random() * 4000)}\n\n`;
  } catch (error) {
    services.reportFault(context, error);
  } finally {
    leave();
  }
}
