import { type Awaitable, andThen } from '../../domain/values/awaitable.ts';
import { watchCaller } from '../access/request-watch.ts';
import { type Failure, isFailure } from '../failure.ts';
import type { OperationInput, OperationSuccess, ReadOperation } from '../operation.ts';
import { refuseUnlessMatched } from '../request/precondition.ts';
import { beginCall } from '../request-context.ts';
import type { OperationRequest } from '../services.ts';
import { type Answer, type Representation, represent } from './answer.ts';
import type { CacheableRequest } from './response-cache.ts';

/** Answers a request from the cache if the same query string was answered before. */
export function answerFromCache(
  request: OperationRequest,
): Awaitable<Answer | Failure | undefined> {
  // Strict handling may reject this query.
  if (request.context.request.headers.has('prefer')) return undefined;
  return andThen(
    request.services.responseCache.find(toCacheable(request)),
    (representation) => representation && choose(request, representation),
  );
}

/** Answers a read in the form that the request accepts. */
export function answerRead(
  request: OperationRequest<ReadOperation>,
  input: OperationInput,
): Awaitable<Answer | Failure> {
  const { context, services, operation } = request;
  const { database, responseCache, searchInTurn, feed } = services;
  const { searchedBy, record } = operation;
  if (operation.secondsToWait !== undefined) return answerPoll(request, input);
  const { caller } = context;
  const handle = () => operation.handle(context.call, input, database, { caller, feed });
  const handleInTurn = () =>
    searchedBy === undefined || input.query[searchedBy] === undefined
      ? handle()
      : searchInTurn(beginCall(context, services.reportRepeated).signal, handle);
  const read = (reused: boolean): Awaitable<Representation | Failure> =>
    andThen(handleInTurn(), (result) =>
      isFailure(result)
        ? result
        : represent(operation, result, record === undefined ? 'weak' : 'record', reused),
    );
  const representation =
    operation.isCacheable?.(input.query) === true
      ? responseCache.findOrRead(toCacheable(request), input.query, read)
      : read(false);
  return andThen(representation, (found) => (isFailure(found) ? found : choose(request, found)));
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

function toCacheable({
  context: { call, caller, target },
  operation: { operationId },
}: OperationRequest): CacheableRequest {
  const { workspaceId, workspaceIdText } = caller;
  return { context: call, operationId, workspaceId, workspaceIdText, search: target.search };
}

/** The time for the answer after the wait. */
const answerSecondsMax = 10;

/** Returns what follows a position. If that is nothing and the client waits, returns what arrives in this time. */
async function answerPoll(
  request: OperationRequest<ReadOperation>,
  input: OperationInput,
): Promise<Answer | Failure> {
  const { context, services, operation } = request;
  const { method, headers } = context.request;
  const refused = refuseUnlessMatched(headers, undefined);
  const waits = method !== 'HEAD' && refused === undefined;
  const seconds = (waits && operation.secondsToWait?.(input.query)) || 0;
  const { database, feed } = services;
  const result =
    seconds === 0
      ? await operation.handle(context.call, input, database, { caller: context.caller, feed })
      : await handleLater(request, input, seconds);
  return isFailure(result) ? result : choose(request, represent(operation, result));
}

async function handleLater(
  { context, services, operation }: OperationRequest<ReadOperation>,
  input: OperationInput,
  seconds: number,
): Promise<OperationSuccess | Failure> {
  const { database, feed, steadyNow } = services;
  const { request, transport, caller } = context;
  const slot = feed.acquireSlot(caller);
  if (isFailure(slot)) return slot;
  using _slot = slot;
  using _open = transport.closeWhenIdle(request, seconds + answerSecondsMax);
  const requestWatch = watchCaller(context, services);
  const until = steadyNow() + seconds * 1000;
  let from: number | undefined;
  let woken: number | undefined;
  for (;;) {
    const version = woken ?? feed.dataVersion();
    beginCall(context, services.reportRepeated);
    const more = { caller, feed, from, version: woken };
    const result = await operation.handle(context.call, input, database, more);
    from = isFailure(result) ? undefined : result.emptyAt;
    if (from === undefined || steadyNow() >= until || requestWatch.isOver()) return result;
    woken = await requestWatch.wait(version, until);
    const failure = await requestWatch.refusal();
    if (failure !== undefined) return failure;
  }
}
