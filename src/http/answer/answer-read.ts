import { type Awaitable, andThen } from '../../domain/values/awaitable.ts';
import type { OperationInput, ReadOperation } from '../operation.ts';
import type { AuthenticatedContext, PipelineServices } from '../request-context.ts';
import { type Answer, type Failure, isFailure } from './answer.ts';
import { type Representation, represent, successAnswer } from './representation.ts';
import { cacheKey, formatQuery } from './response-cache.ts';

type Members = Record<string, unknown>;
type ReadInput = OperationInput<Members, Members, undefined>;

/** Answers a read in the form that the request asks for, and caches what is worth it. */
export function answerRead(
  context: AuthenticatedContext,
  services: PipelineServices,
  operation: ReadOperation,
  input: ReadInput,
): Awaitable<Answer | Failure> {
  const representation =
    operation.isCacheable?.(input.query) === true
      ? findOrCache(context, services, operation, input)
      : read(services, operation, input, false);
  return andThen(representation, (found) =>
    isFailure(found) ? found : found.choose(context.request.headers, input.baseUrl),
  );
}

/** What is cached of a query that is written in another way than it was asked before is found here. */
async function findOrCache(
  { target, caller: { workspaceIdText } }: AuthenticatedContext,
  services: PipelineServices,
  operation: ReadOperation,
  input: ReadInput,
): Promise<Representation | Failure> {
  const { responseCache } = services;
  const { operationId } = operation;
  const { workspaceId } = input;
  const query = formatQuery(input.query);
  responseCache.learnQuery(operationId, target.search, query);
  const key = cacheKey(operationId, workspaceIdText, query);
  const found = await responseCache.find(key, workspaceId);
  if (found !== undefined) return found;
  if (!responseCache.admit(key)) return read(services, operation, input, false);
  const versions = await responseCache.readVersions(workspaceId);
  const representation = await read(services, operation, input, true);
  if (!isFailure(representation)) responseCache.add(key, versions, representation);
  return representation;
}

function read(
  { reads }: PipelineServices,
  operation: ReadOperation,
  input: ReadInput,
  reused: boolean,
): Awaitable<Representation | Failure> {
  return andThen(operation.handle(input, reads), (result) =>
    isFailure(result)
      ? result
      : represent(successAnswer(operation, result, 'private, no-cache'), {
          next: result.next,
          reused,
          tag: operation.isRecord === true ? 'record' : 'weak',
        }),
  );
}
