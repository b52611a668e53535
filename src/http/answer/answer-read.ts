import { type Awaitable, andThen } from '../../domain/values/awaitable.ts';
import { watchCaller } from '../access/request-watch.ts';
import { type Failure, isFailure } from '../failure.ts';
import type { OperationInput, OperationSuccess, ReadLater, ReadOperation } from '../operation.ts';
import { refuseUnlessMatched } from '../request/precondition.ts';
import { beginCall } from '../request-context.ts';
import type { OperationRequest } from '../services.ts';
import { type Answer, type Representation, represent } from './answer.ts';

/** Answers a request from the cache if the same query string was answered before. */
export function answerFromCache(
  request: OperationRequest,
): Awaitable<Answer | Failure | undefined> {
  // Strict handling may reject this query.
  if (request.context.request.headers.has('prefer')) return undefined;
  return andThen(
    request.services.responseCache.find(request),
    (representation) => representation && choose(request, representation),
  );
}

/** Answers a read in the form that the request accepts. */
export function answerRead(
  request: OperationRequest<ReadOperation>,
  input: OperationInput,
): Awaitable<Answer | Failure> {
  const { operation, services } = request;
  if (operation.secondsToWait !== undefined) return answerPoll(request, input);
  const representation =
    operation.isCacheable?.(input.query) === true
      ? services.responseCache.findOrRead(request, input.query, (reused) =>
          read(request, input, reused),
        )
      : read(request, input, false);
  return andThen(representation, (found) => (isFailure(found) ? found : choose(request, found)));
}

function read(
  request: OperationRequest<ReadOperation>,
  input: OperationInput,
  reused: boolean,
): Awaitable<Representation | Failure> {
  const { context, services, operation } = request;
  const { searchedBy, noun } = operation;
  const found =
    searchedBy === undefined || input.query[searchedBy] === undefined
      ? handle(request, input)
      : services.searchInTurn(beginCall(context, services.reportRepeated).signal, () =>
          handle(request, input),
        );
  return andThen(found, (result) =>
    isFailure(result)
      ? result
      : represent(operation, result, noun === undefined ? 'weak' : 'record', reused),
  );
}

function handle(
  { context, services: { database, feed }, operation }: OperationRequest<ReadOperation>,
  input: OperationInput,
): Awaitable<OperationSuccess | Failure> {
  return operation.handle(context.call, input, database, { caller: context.caller, feed });
}

function choose(
  { context, services: { reportRead } }: OperationRequest,
  representation: Representation,
): Answer | Failure {
  const answer = representation.choose(context.request.headers, context.baseUrl);
  if (reportRead !== undefined && !isFailure(answer) && answer.body !== null) {
    reportRead(context, representation.recordCount);
  }
  return answer;
}

/** The time for the answer after the wait. */
const answerSecondsMax = 10;

/** Returns what follows a position. If that is nothing and the client waits, returns what arrives in this time. */
async function answerPoll(
  request: OperationRequest<ReadOperation>,
  input: OperationInput,
): Promise<Answer | Failure> {
  const { context, operation } = request;
  const { method, headers } = context.request;
  const refused = refuseUnlessMatched(headers, undefined);
  const waits = method !== 'HEAD' && refused === undefined;
  const seconds = (waits && operation.secondsToWait?.(input.query)) || 0;
  const result = await (seconds === 0
    ? handle(request, input)
    : readInTime(request, seconds, () => handle(request, input)));
  return isFailure(result) ? result : choose(request, represent(operation, result));
}

async function readInTime(
  { context, services }: OperationRequest<ReadOperation>,
  seconds: number,
  first: ReadLater,
): Promise<OperationSuccess | Failure> {
  const { feed, steadyNow } = services;
  const { request, transport, caller } = context;
  const slot = feed.acquireSlot(caller);
  if (isFailure(slot)) return slot;
  using _slot = slot;
  using _open = transport.closeWhenIdle(request, seconds + answerSecondsMax);
  const requestWatch = watchCaller(context, services);
  const until = steadyNow() + seconds * 1000;
  let readNext = first;
  let woken: number | undefined;
  for (;;) {
    const version = woken ?? feed.dataVersion();
    const result = await readNext(beginCall(context, services.reportRepeated), woken);
    if (isFailure(result) || result.readLater === undefined) return result;
    if (steadyNow() >= until || requestWatch.isOver()) return result;
    readNext = result.readLater;
    woken = await requestWatch.wait(version, until);
    const failure = await requestWatch.refusal();
    if (failure !== undefined) return failure;
  }
}
