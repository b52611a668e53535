import { type Failure, isFailure } from '../domain/error.ts';
import type { Answer } from './answer.ts';
import type { OperationInput, StreamOperation } from './operation.ts';
import type { AuthenticatedContext, PipelineServices } from './request-context.ts';

type Members = Record<string, unknown>;

/** Answers with a body that goes on until the client has gone or the server stops. */
export async function answerStream(
  { request, transport }: AuthenticatedContext,
  { reads, stopping }: PipelineServices,
  operation: StreamOperation,
  input: OperationInput<Members, Members, undefined>,
): Promise<Answer | Failure> {
  const [{ httpStatus, content }] = operation.successes;
  const headers = {
    'content-type': content?.mediaType ?? 'application/json',
    'cache-control': 'no-store',
  };
  // HEAD tells of a stream, and opens none.
  if (request.method === 'HEAD') return { httpStatus, headers, body: null };
  const body = await operation.open(input, reads, AbortSignal.any([request.signal, stopping]));
  if (isFailure(body)) return body;
  transport.keepOpen(request);
  return { httpStatus, headers, body };
}
