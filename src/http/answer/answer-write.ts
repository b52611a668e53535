import { isMet } from '../../domain/precondition.ts';
import { workspaceGone } from '../access/authenticate.ts';
import { type Failure, fail, isFailure } from '../failure.ts';
import type {
  ActionOperation,
  Members,
  OperationInput,
  OperationSuccess,
  WriteOperation,
} from '../operation.ts';
import {
  idempotencyKeyMilliseconds,
  idempotencyRefusals,
  readIdempotencyKey,
} from '../request/idempotency.ts';
import { preconditionFailed, readPrecondition } from '../request/precondition.ts';
import { type AuthenticatedContext, beginCall } from '../request-context.ts';
import type { OperationRequest } from '../services.ts';
import { type Answer, countRecords, headersOf, recordTag, statusOf, textOf } from './answer.ts';

type WriteInput = OperationInput<Members, Members, Members | undefined>;

/** Runs the command of a write, once for each `Idempotency-Key`. */
export async function answerWrite(
  request: OperationRequest<WriteOperation>,
  input: WriteInput,
  body: Uint8Array = new Uint8Array(),
): Promise<Answer | Failure> {
  const { context, services, operation } = request;
  const { requestId, now, caller } = context;
  const { headers } = context.request;
  const precondition = operation.noun === undefined ? {} : readPrecondition(headers);
  if (isFailure(precondition)) return precondition;
  const sentKey = headers.get('idempotency-key');
  const key = sentKey === null ? undefined : readIdempotencyKey(sentKey);
  if (isFailure(key)) return key;
  if (key === undefined && operation.readUnchanged !== undefined && isEmpty(input.body)) {
    const { database, feed } = services;
    const found = await operation.readUnchanged(context.call, input, database, { caller, feed });
    if (isFailure(found)) return found;
    const answer = answerDone(request, found);
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
  const command = Object.assign(sent, { origin: { requestId, actor, sessionId, now } });
  const { call } = context;
  const { operationId } = operation;
  const outcome =
    key === undefined
      ? await services.database.write(call, operationId, command)
      : await services.writeOnce(call, operationId, command, {
          ...{ workspaceId: caller.workspaceId, operationId, key, now },
          requestDigest: digestRequest(context, body),
          expiresAt: now + idempotencyKeyMilliseconds,
        });
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
  return answerDone(request, operation.answer?.(outcome.ok, input, ran));
}

/** The answer with the headers of the record: its address if it is new, and its tag. */
function answerDone(
  { context, services, operation }: OperationRequest<WriteOperation>,
  success: OperationSuccess = {},
): Answer {
  const { record, location } = success;
  const headers = headersOf(success, 'no-store');
  const body = textOf(success) ?? null;
  // `Location` is a path.
  if (location !== undefined) {
    headers.location = context.baseUrl.replace(/^https?:\/\/[^/]+/, '') + location;
  }
  if (body !== null) headers.etag = recordTag(record === undefined ? body : JSON.stringify(record));
  services.reportRead?.(context, countRecords(success));
  return { httpStatus: statusOf(operation, success), headers, body };
}

function isEmpty(body: Members | undefined): boolean {
  return body !== undefined && Object.keys(body).length === 0;
}

/** Requests with the same digest are the same, except for their headers. */
function digestRequest({ request, target }: AuthenticatedContext, body: Uint8Array): string {
  // Neither method nor address holds a space or a line feed.
  return new Bun.SHA256()
    .update(`${request.method} ${target.path} ${target.search}\n`)
    .update(body as Uint8Array<ArrayBuffer>)
    .digest('hex');
}

const stopped = fail('unavailable', 'The server is stopping; retry later');

/** Runs an action until it ends, the client disconnects or the server stops. */
export async function answerAction(
  { context, services, operation }: OperationRequest<ActionOperation>,
  input: OperationInput,
): Promise<Answer | Failure> {
  const { secondsMax } = operation;
  const call = beginCall(context, services.reportRepeated, secondsMax * 1000);
  using _open = context.transport.closeWhenIdle(context.request, secondsMax);
  try {
    const result = await operation.handle(call, input, services);
    if (isFailure(result)) return result;
    const headers = headersOf(result, 'no-store');
    return { httpStatus: statusOf(operation, result), headers, body: textOf(result) ?? null };
  } catch (error) {
    if (call.signal.aborted || services.stopping.aborted) return stopped;
    throw error;
  }
}
