import type { IdempotencyKey } from '../../domain/database/idempotency-key.ts';
import { isMet } from '../../domain/database/precondition.ts';
import { workspaceGone } from '../access/authenticate.ts';
import { type Failure, isFailure } from '../failure.ts';
import type { Members, OperationInput, OperationSuccess, WriteOperation } from '../operation.ts';
import {
  idempotencyKeyMilliseconds,
  idempotencyRefusals,
  readIdempotencyKey,
} from '../request/idempotency.ts';
import { preconditionFailed, readPrecondition } from '../request/precondition.ts';
import type { AuthenticatedContext } from '../request-context.ts';
import type { PipelineServices } from '../services.ts';
import type { Answer } from './answer.ts';
import { countRecords, recordTag, successAnswer } from './representation.ts';

type WriteInput = OperationInput<Members, Members, Members | undefined>;

/** Runs the command of a write, once for each `Idempotency-Key`. */
export async function answerWrite(
  context: AuthenticatedContext,
  services: PipelineServices,
  operation: WriteOperation,
  input: WriteInput,
  body: Uint8Array = new Uint8Array(),
): Promise<Answer | Failure> {
  const { requestId, now, caller } = context;
  const { headers } = context.request;
  const precondition = operation.record === undefined ? {} : readPrecondition(headers);
  if (isFailure(precondition)) return precondition;
  const sentKey = headers.get('idempotency-key');
  const key = sentKey === null ? undefined : readIdempotencyKey(sentKey);
  if (isFailure(key)) return key;
  if (key === undefined && operation.readUnchanged !== undefined && isEmpty(input.body)) {
    const found = await operation.readUnchanged(context.call, input, services.database, caller);
    if (isFailure(found)) return found;
    const answer = answerDone(context, services, operation, found);
    const version = answer.headers.etag?.slice(1, -1) ?? '';
    return isMet(precondition, () => version)
      ? answer
      : preconditionFailed(operation, precondition);
  }
  const refusal =
    operation.isAudited === true ? services.limitAudited(caller.rateLimitKey) : undefined;
  if (refusal !== undefined) return refusal;
  const { actor, sessionId } = caller;
  // The events of a change name the request and its caller.
  const sent = await operation.commandInput(input, precondition, services, context.call);
  const command = Object.assign(sent, {
    origin: { requestId, actor, sessionId, now },
  });
  const outcome =
    key === undefined
      ? await services.database.write(context.call, operation.operationId, command)
      : await services.writeOnce(
          context.call,
          operation.operationId,
          command,
          toIdempotencyKey(key, context, operation, body),
        );
  if ('refused' in outcome) {
    const { refused, blockedBy } = outcome;
    if (refused === 'no_such_workspace') return workspaceGone;
    if (refused === 'precondition_failed') return preconditionFailed(operation, precondition);
    if (refused === 'idempotency_in_progress' || refused === 'idempotency_key_reused') {
      return idempotencyRefusals[refused];
    }
    return operation.refuse(refused, input, blockedBy);
  }
  const isReplayed = 'replayed' in outcome && outcome.replayed;
  if (isReplayed) context.headers['idempotent-replayed'] = 'true';
  const ran = isReplayed ? undefined : command;
  return answerDone(context, services, operation, operation.answer?.(outcome.ok, input, ran));
}

/** The answer with the headers of the record: its address if it is new, and its tag. */
function answerDone(
  context: AuthenticatedContext,
  { reportRead }: PipelineServices,
  operation: WriteOperation,
  success: OperationSuccess = {},
): Answer {
  const answer = successAnswer(operation, success, 'no-store');
  // `Location` is a path.
  if (success.location !== undefined) {
    answer.headers.location = context.baseUrl.replace(/^https?:\/\/[^/]+/, '') + success.location;
  }
  if (answer.body !== null) {
    const { record } = success;
    answer.headers.etag = recordTag(record === undefined ? answer.body : JSON.stringify(record));
  }
  reportRead?.(context, countRecords(success));
  return answer;
}

function isEmpty(body: Members | undefined): boolean {
  return body !== undefined && Object.keys(body).length === 0;
}

function toIdempotencyKey(
  key: string,
  { caller: { workspaceId }, request, target, now }: AuthenticatedContext,
  { operationId }: WriteOperation,
  body: Uint8Array,
): IdempotencyKey {
  // Neither method nor address holds a space or a line feed.
  const requestDigest = new Bun.SHA256()
    .update(`${request.method} ${target.path} ${target.search}\n`)
    .update(body as Uint8Array<ArrayBuffer>)
    .digest('hex');
  const expiresAt = now + idempotencyKeyMilliseconds;
  return { workspaceId, operationId, key, requestDigest, now, expiresAt };
}
