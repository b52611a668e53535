import { watchCaller } from '../access/request-watch.ts';
import { type Failure, isFailure } from '../failure.ts';
import type { OperationInput, PollOperation, PollSuccess } from '../operation.ts';
import { refuseUnlessMatched } from '../request/precondition.ts';
import { type AuthenticatedContext, beginCall } from '../request-context.ts';
import type { PipelineServices } from '../services.ts';
import type { Answer } from './answer.ts';
import { countRecords, represent, successAnswer } from './representation.ts';

/** The time for the answer after the wait. */
const answerSecondsMax = 10;

/** Returns what follows a position. If that is nothing and the client waits, returns what arrives in this time. */
export async function answerPoll(
  context: AuthenticatedContext,
  services: PipelineServices,
  operation: PollOperation,
  input: OperationInput,
): Promise<Answer | Failure> {
  const { request, baseUrl } = context;
  const refused = refuseUnlessMatched(request.headers, undefined);
  const waits = request.method !== 'HEAD' && refused === undefined;
  const seconds = waits ? operation.secondsToWait(input.query) : 0;
  const result =
    seconds === 0
      ? await operation.handle(context.call, input, services.feed)
      : await handleLater(context, services, operation, input, seconds);
  if (isFailure(result)) return result;
  if (refused !== undefined) return refused;
  const answer = successAnswer(operation, result, 'no-store');
  services.reportRead?.(context, countRecords(result));
  return represent(answer, { next: result.next }).choose(request.headers, baseUrl);
}

async function handleLater(
  context: AuthenticatedContext,
  services: PipelineServices,
  operation: PollOperation,
  input: OperationInput,
  seconds: number,
): Promise<PollSuccess | Failure> {
  const { feed, steadyNow } = services;
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
    const result = await operation.handle(context.call, input, feed, from, woken);
    const isLast = isFailure(result) || !result.isEmpty;
    if (isLast || steadyNow() >= until || requestWatch.isOver()) return result;
    from = result.position;
    woken = await requestWatch.wait(version, until);
    const failure = await requestWatch.refusal();
    if (failure !== undefined) return failure;
  }
}
