import { type Failure, fail, isFailure } from '../failure.ts';
import type { ActionOperation, OperationInput } from '../operation.ts';
import { type AuthenticatedContext, beginCall } from '../request-context.ts';
import type { PipelineServices } from '../services.ts';
import type { Answer } from './answer.ts';
import { successAnswer } from './representation.ts';

const stopped = fail('unavailable', 'The server is stopping; retry later', { 'retry-after': '1' });

/** Runs an action until it ends, the client disconnects or the server stops. */
export async function answerAction(
  context: AuthenticatedContext,
  services: PipelineServices,
  operation: ActionOperation,
  input: OperationInput,
): Promise<Answer | Failure> {
  const { request, transport } = context;
  const millisecondsMax = operation.secondsMax * 1000;
  const call = beginCall(context, services.reportRepeated, millisecondsMax);
  using _open = transport.closeWhenIdle(request, operation.secondsMax);
  try {
    const result = await operation.handle(call, input, services);
    return isFailure(result) ? result : successAnswer(operation, result, 'no-store');
  } catch (error) {
    if (call.signal.aborted || services.stopping.aborted) return stopped;
    throw error;
  }
}
