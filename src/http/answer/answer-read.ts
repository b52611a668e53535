import { type Awaitable, andThen } from '../../domain/values/awaitable.ts';
import { type Failure, isFailure } from '../failure.ts';
import type { OperationInput, ReadOperation } from '../operation.ts';
import { refuseUnlessMatched } from '../request/precondition.ts';
import { type AuthenticatedContext, beginCall } from '../request-context.ts';
import type { PipelineServices } from '../services.ts';
import type { Answer } from './answer.ts';
import { countRecords, type Representation, represent, successAnswer } from './representation.ts';
import type { CacheableRequest } from './response-cache.ts';

/** Answers a request from the cache if the same query string was answered before. */
export function answerFromCache(
  context: AuthenticatedContext,
  services: PipelineServices,
  operation: ReadOperation,
): Awaitable<Answer | Failure | undefined> {
  // Strict handling may reject this query.
  if (context.request.headers.has('prefer')) return undefined;
  return andThen(
    services.responseCache.find(toCacheable(context, operation)),
    (representation) => representation && choose(context, services, operation, representation),
  );
}

/** Answers a read in the form that the request accepts. */
export function answerRead(
  context: AuthenticatedContext,
  services: PipelineServices,
  operation: ReadOperation,
  input: OperationInput,
): Awaitable<Answer | Failure> {
  const { database, responseCache, searchInTurn } = services;
  const { searchedBy } = operation;
  const handle = () => operation.handle(context.call, input, database, context.caller);
  const handleInTurn = () =>
    searchedBy === undefined || input.query[searchedBy] === undefined
      ? handle()
      : searchInTurn(beginCall(context, services.reportRepeated).signal, handle);
  const read = (reused: boolean): Awaitable<Representation | Failure> =>
    andThen(handleInTurn(), (result) =>
      isFailure(result)
        ? result
        : represent(successAnswer(operation, result, 'private, no-cache'), {
            next: result.next,
            reused,
            tag: operation.record !== undefined ? 'record' : 'weak',
            recordCount: countRecords(result),
          }),
    );
  const representation =
    operation.isCacheable?.(input.query) === true
      ? responseCache.findOrRead(toCacheable(context, operation), input.query, read)
      : read(false);
  return andThen(representation, (found) =>
    isFailure(found) ? found : choose(context, services, operation, found),
  );
}

function choose(
  context: AuthenticatedContext,
  { reportRead }: PipelineServices,
  operation: ReadOperation,
  representation: Representation,
): Answer | Failure {
  const { headers } = context.request;
  const refused = refuseUnlessMatched(headers, representation.etag, operation);
  if (refused !== undefined) return refused;
  const answer = representation.choose(headers, context.baseUrl);
  if (answer.body !== null) reportRead?.(context, representation.recordCount);
  return answer;
}

function toCacheable(
  context: AuthenticatedContext,
  { operationId }: ReadOperation,
): CacheableRequest {
  const { caller, target } = context;
  const { workspaceId, workspaceIdText } = caller;
  return {
    context: context.call,
    operationId,
    workspaceId,
    workspaceIdText,
    search: target.search,
  };
}
