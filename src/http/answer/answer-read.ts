import { type Awaitable, andThen } from '../../domain/values/awaitable.ts';
import { type Failure, isFailure } from '../failure.ts';
import type { OperationInput, ReadOperation } from '../operation.ts';
import { refuseUnlessMatched } from '../request/precondition.ts';
import type { AuthenticatedContext } from '../request-context.ts';
import type { PipelineServices } from '../services.ts';
import type { Answer } from './answer.ts';
import { type Representation, represent, successAnswer } from './representation.ts';
import type { CacheableRequest } from './response-cache.ts';

/** Answers a request from the cache if the same query string was answered before. */
export function answerFromCache(
  context: AuthenticatedContext,
  { responseCache }: PipelineServices,
  operation: ReadOperation,
): Awaitable<Answer | Failure | undefined> {
  // Strict handling may reject this query.
  if (context.request.headers.has('prefer')) return undefined;
  return andThen(
    responseCache.find(toCacheable(context, operation)),
    (representation) => representation && choose(context, operation, representation),
  );
}

/** Answers a read in the form that the request accepts. */
export function answerRead(
  context: AuthenticatedContext,
  { database, responseCache, searchInTurn }: PipelineServices,
  operation: ReadOperation,
  input: OperationInput,
): Awaitable<Answer | Failure> {
  const { searchedBy } = operation;
  const handle = () => operation.handle(input, database, context.caller);
  const handleInTurn = () =>
    searchedBy === undefined || input.query[searchedBy] === undefined
      ? handle()
      : searchInTurn(context.request.signal, handle);
  const read = (reused: boolean): Awaitable<Representation | Failure> =>
    andThen(handleInTurn(), (result) =>
      isFailure(result)
        ? result
        : represent(successAnswer(operation, result, 'private, no-cache'), {
            next: result.next,
            reused,
            tag: operation.record !== undefined ? 'record' : 'weak',
          }),
    );
  const representation =
    operation.isCacheable?.(input.query) === true
      ? responseCache.findOrRead(toCacheable(context, operation), input.query, read)
      : read(false);
  return andThen(representation, (found) =>
    isFailure(found) ? found : choose(context, operation, found),
  );
}

function choose(
  { request: { headers }, baseUrl }: AuthenticatedContext,
  operation: ReadOperation,
  representation: Representation,
): Answer | Failure {
  const refused = refuseUnlessMatched(headers, representation.etag, operation);
  return refused ?? representation.choose(headers, baseUrl);
}

function toCacheable(
  { caller: { workspaceId, workspaceIdText }, target: { search } }: AuthenticatedContext,
  { operationId }: ReadOperation,
): CacheableRequest {
  return { operationId, workspaceId, workspaceIdText, search };
}
