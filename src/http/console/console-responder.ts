import { background } from '../../context/context.ts';
import { formatExactJson } from '../../domain/values/exact-json.ts';
import { insufficientScope } from '../access/authenticate.ts';
import type { Answer } from '../answer/answer.ts';
import { type Failure, isFailure } from '../failure.ts';
import { answerInput, type InputSteps } from '../pipeline.ts';
import type { SentInput } from '../request/read-input.ts';
import {
  beginCall,
  clientAddress,
  type RequestContext,
  type Responder,
} from '../request-context.ts';
import type { ConsoleOperation, ConsoleServices } from './console-operation.ts';
import { notSignedIn, ownersOnly, type ValidSession } from './find-session.ts';
import { formatRemovals, formatSessionCookie, readSessionCookies } from './session-cookie.ts';

/**
 * Answers the requests for an operation that only the console calls. Only those that read many rows count with the rate limit of
 * the caller. Signing out and ending sessions always works, also when another user of a key has reached its limit.
 */
export function consoleResponder(
  operation: ConsoleOperation,
  services: ConsoleServices,
): Responder {
  const { access, scope, operationId, isLimited } = operation;
  const { sessions, limitRate } = services;

  return async (context) => {
    const request = { context, services, operation };
    if (access === 'none') return await answerInput(request, consoleSteps);
    const session = await sessions.ofRequest(context);
    if (session === undefined) return notSignedIn; // 401
    const { caller, kind } = session;
    context.caller = caller;
    if (access === 'owner' && kind !== 'owner') return ownersOnly; // 403
    if (scope !== undefined && !caller.scopes.includes(scope)) {
      return insufficientScope(`${operationId} needs a key with the scope ${scope}`, scope); // 403
    }
    const refusal = isLimited ? limitRate({ caller, headers: context.headers }) : undefined; // 429
    return refusal ?? (await answerInput({ ...request, session }, consoleSteps));
  };
}

interface ConsoleRequest {
  readonly context: RequestContext;
  readonly services: ConsoleServices;
  readonly operation: ConsoleOperation;
  /** Undefined for signing in. */
  session?: ValidSession;
}

const consoleSteps: InputSteps<ConsoleRequest> = {
  begin({ context, services }) {
    // A person who revokes a key or signs out, and closes the page at once, wants that done.
    beginCall(context, services.reportRepeated, undefined, background.signal);
  },
  async recheck(request) {
    if (request.session === undefined) return undefined;
    const session = await request.services.sessions.ofRequest(request.context);
    if (session === undefined) return notSignedIn;
    request.session = session;
    return undefined;
  },
  answer: answerConsole,
};

async function answerConsole(
  { context, services, operation, session }: ConsoleRequest,
  sent: SentInput,
): Promise<Answer | Failure> {
  const { access, handle, success } = operation;
  const { httpStatus } = success;
  const { request, requestId, target, transport, baseUrl, headers, now } = context;
  const tokens = readSessionCookies(request.headers, baseUrl, services);
  const address = clientAddress(request, transport, services.trustedProxies);
  const result = await handle(
    context.call,
    { ...sent, session, tokens, address, now, requestId, headers },
    services,
  );
  if (isFailure(result)) return result;
  const { value, caller, cookie } = result;
  if (access === 'none') context.caller = caller;
  if (cookie !== undefined) {
    const { token, seconds } = cookie;
    const hasOthers = tokens.length > 0 || token === '';
    context.setCookies = [
      formatSessionCookie(baseUrl, services, token, seconds),
      ...(hasOthers ? formatRemovals(baseUrl, services, target.path) : []),
    ];
  }
  return value === undefined
    ? { httpStatus, headers: {}, body: null }
    : {
        httpStatus,
        headers: { 'content-type': 'application/json' },
        body: formatExactJson(value),
      };
}
