import { type Awaitable, andThen } from '../../domain/values/awaitable.ts';
import { formatExactJson } from '../../domain/values/exact-json.ts';
import type { Answer } from '../answer/answer.ts';
import { type Failure, isFailure } from '../failure.ts';
import { notePreference } from '../pipeline.ts';
import { readInput, type SentInput } from '../request/read-input.ts';
import { type JsonText, readJsonBody } from '../request/read-json.ts';
import { clientAddress } from '../request/request-head.ts';
import type { RequestContext, Responder } from '../request-context.ts';
import type { ConsoleOperation, ConsoleServices } from './console-operation.ts';
import { formatRemovals, formatSessionCookie, readSessionCookies } from './session-cookie.ts';
import { notSignedIn, ownersOnly } from './sessions.ts';

/**
 * Answers the requests for an operation that only the console calls. They have no rate limit, because the console uses them to
 * show that a limit is reached.
 */
export function consoleResponder(
  operation: ConsoleOperation,
  services: ConsoleServices,
): Responder {
  const { access, requestBody, bodyBytesMax } = operation;
  const { sessions, bodySecondsMax, hideApiKeys } = services;

  function run(context: RequestContext): Awaitable<Answer | Failure> {
    if (requestBody === undefined) return runWithBody(context);
    return readJsonBody(context.request, bodySecondsMax, bodyBytesMax).then((json) =>
      isFailure(json) ? json : runWithBody(context, json),
    );
  }

  function runWithBody(context: RequestContext, json?: JsonText): Awaitable<Answer | Failure> {
    const sent = readInput(context, hideApiKeys, operation, json);
    if (isFailure(sent)) return sent;
    return notePreference(context, sent, answerConsole(context, services, operation, sent));
  }

  return (context) => {
    if (access === 'none') return run(context);
    return andThen(sessions.ofRequest(context.request), (session) => {
      if (session === undefined) return notSignedIn; // 401
      context.caller = session.caller;
      return access === 'owner' && session.kind !== 'owner' ? ownersOnly : run(context); // 403
    });
  };
}

async function answerConsole(
  context: RequestContext,
  services: ConsoleServices,
  { access, handle, success: { httpStatus } }: ConsoleOperation,
  sent: SentInput,
): Promise<Answer | Failure> {
  const { request, target, transport, baseUrl, now } = context;
  const { sessions, environment, trustedProxies } = services;
  // It must still hold when the body has arrived.
  const session = access === 'none' ? undefined : await sessions.ofRequest(request);
  if (access !== 'none' && session === undefined) return notSignedIn;
  const tokens = readSessionCookies(request.headers, baseUrl, environment);
  const address = clientAddress(request, transport, trustedProxies);
  const result = await handle({ ...sent, session, tokens, address, now }, services);
  if (isFailure(result)) return result;
  const { value, caller, cookie } = result;
  if (access === 'none') context.caller = caller;
  if (cookie !== undefined) {
    const { token, seconds } = cookie;
    const hasOthers = tokens.length > 0 || token === '';
    context.setCookies = [
      formatSessionCookie(baseUrl, environment, token, seconds),
      ...(hasOthers ? formatRemovals(baseUrl, environment, target.path) : []),
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
